#!/usr/bin/env bash
# `wari bench-probe`: it measures what it reports. How fast anything is, is not tested.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

db=$WORK/awari
build "$db" 9 || exit 1
quick=(--seconds 0.002 --threads 2)

# Sets $figure to the number after a key of the JSON object, at its first occurrence.
_figure() { # KEY
    local _text
    _read_text "$out"
    [[ $_text =~ \"$1\":([0-9.]+) ]] || fail "expected a number: $1"
    figure=${BASH_REMATCH[1]}
}

_expect_figure() { # KEY VALUE
    _figure "$1"
    [ "$figure" = "$2" ] || fail "expected $1 to be $2, not $figure"
}

the_table_has_every_measurement() {
    local line
    accepted bench-probe --db "$db" "${quick[@]}"
    expect_no_message
    # C(20,11) - C(14,11) positions, 8192 a chunk
    expect_output_has "awari even, 9 seeds in $db: 167,596 positions in 21 chunks; cache of"
    expect_output_has "for all of them"
    for line in "random positions" "in index order " "in index order, in bulk"; do
        grep -qE "^  $line( +[0-9,]+){3}$" "$out" || fail "expected three figures: $line"
    done
    for line in "value, first of its chunk" "all moves, nothing cached" "all moves, cached"; do
        grep -qE "^  $line( +[0-9.,]+){5}$" "$out" || fail "expected five figures: $line"
    done
    ! _has "$out" "not cached all the time" || fail "expected that nothing was read"
    accepted bench-probe --db "$db" --seconds 0.002 --threads 1
    grep -qE "^  random positions( +[0-9,]+){1}$" "$out" || fail "expected one figure"
}

# Measures once, for two tests.
_measure() {
    [ -e "$WORK/figures.json" ] || {
        accepted bench-probe --db "$db" "${quick[@]}" --json --cache 1M
        cp "$out" "$WORK/figures.json"
    }
    out=$WORK/figures.json err=$WORK/err code=0
}

json_has_the_same_in_one_object() {
    local key figure
    _measure
    _expect_figure cache_bytes 1000000
    expect_output_has '{"rules":"awari","cycle":"even","seeds":9,"positions":167596,"chunks":21,'
    _expect_figure cached_chunks 21
    _expect_figure threads 2
    _expect_figure chunks_read 0
    for key in one_thread each all median_us percentile99_us calls; do
        _figure $key
        [[ $figure == *[1-9]* ]] || fail "expected something positive: $key"
    done
    [ "$(grep -o '"one_thread":' "$out" | wc -l)" -eq 3 ] || fail "expected three rates"
    [ "$(grep -o '"median_us":' "$out" | wc -l)" -eq 3 ] || fail "expected three times"
}

calls_reported_as_cold_read_chunks_and_cached_calls_do_not() {
    _measure
    sed 's/.*"value_cold":\({[^}]*}\).*/\1/' "$out" >"$WORK/value"
    grep -q '"chunks":[1-9]' "$WORK/value" || fail "expected that every first value reads a chunk"
    sed 's/.*"moves_cold":\({[^}]*}\).*/\1/' "$out" >"$WORK/moves"
    grep -q '"chunks":[1-9]' "$WORK/moves" || fail "expected that moves read chunks"
    expect_output_has '"chunks":0.0,"most_chunks":0}'
}

a_small_cache_is_measured_with_what_fits() {
    accepted bench-probe --db "$db" "${quick[@]}" --json --cache 50k
    _expect_figure cache_bytes 50000
    _expect_figure cached_chunks 5
    _expect_figure chunks_read 0
    accepted bench-probe --db "$db" "${quick[@]}" --json --cache 1
    _expect_figure cached_chunks 1
    _expect_figure chunks_read 0
}

any_level_can_be_measured() {
    local n
    for n in 0 5; do
        accepted bench-probe --db "$db" "${quick[@]}" --json --seeds $n
        _expect_figure seeds $n
        _expect_figure chunks 1
    done
}

wrong_options_are_refused() {
    local bad
    refused 1 "no level 10" bench-probe --db "$db" --seeds 10
    refused 2 "47 seeds" bench-probe --db "$db" --seeds 47
    for bad in "" k 0 1T 1MM -1 1.5M " 1" 99999999999999999999 99999999999G; do
        refused 2 "--cache: \"$bad\" is not a size" bench-probe --db "$db" --cache "$bad"
    done
    for bad in "" . 0 1e3 -1 nan inf 0x1 3601 1.2.3; do
        refused 2 "--seconds: \"$bad\" is not a number" bench-probe --db "$db" --seconds "$bad"
    done
    refused 2 "--threads" bench-probe --db "$db" --threads 0
    refused 2 "text, json" bench-probe --db "$db" --format csv
    refused 2 "--db DIR is missing" bench-probe
    refused 4 "$WORK/nowhere" bench-probe --db "$WORK/nowhere"
    refused 6 "awari even" bench-probe --db "$db" --rules wari
}

damage_ends_the_measurements() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-9.wari" -1
    refused 3 awari-even-9.wari bench-probe --db "$copy" "${quick[@]}"
}

run_tests
