#!/usr/bin/env bash
# `wari pack`: smaller files, the same values for every command; locks, signals, kills, errors. What a
# kill at any call leaves is for unit/db/pack/test_pack.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9
db=$WORK/db packed=$WORK/packed
build "$db" $seeds || exit 1
cp -r "$db" "$packed"
"$WARI" pack --db "$packed" >"$WORK/report" || exit 1

_bytes() {
    cat "$1"/*.wari | wc -c
}

packing_saves_at_least_a_third() {
    [ $((3 * $(_bytes "$packed"))) -lt $((2 * $(_bytes "$db"))) ] || fail "$(_bytes "$packed") bytes"
    grep -q "awari even in $packed: 9 levels packed, 1 already: " "$WORK/report" || exit 1
}

packing_again_changes_nothing() {
    local copy
    copy=$(copy_of "$packed")
    accepted pack --db "$copy"
    expect_output_has "0 levels packed, 10 already"
    diff -r -x build.lock "$packed" "$copy" || fail "expected the same files"
}

threads_and_memory_make_no_difference() {
    local copy options small=$WORK/small expected
    build "$small" 7 || exit 1
    expected=$(copy_of "$small")
    accepted pack --db "$expected"
    for options in "--threads 1 --memory 70k" "--threads 3 --memory 300k" "--threads 2 --memory 1G"; do
        copy=$(copy_of "$small")
        # shellcheck disable=SC2086 # words on purpose
        accepted pack --db "$copy" $options
        same_database "$expected" "$copy"
    done
    refused 2 "--threads" pack --db "$copy" --threads 0
    refused 2 "--memory" pack --db "$copy" --memory little
}

# It ran for minutes, and for ever with more seeds.
too_little_memory_is_refused_with_the_figure() {
    local copy least
    copy=$(copy_of "$db")
    refused 2 "too little" pack --db "$copy" --memory 1
    least=$(sed -n 's/.*it takes \([0-9]*\) bytes$/\1/p' "$err")
    refused 2 "it takes $least bytes" pack --db "$copy" --memory $((least - 1))
    same_database "$db" "$copy"
    accepted pack --db "$copy" --memory "$least"
    same_database "$packed" "$copy"
}

all_commands_see_the_same_values() {
    local n
    for n in 0 1 5 $seeds; do
        "$WARI" export --db "$db" --seeds $n >"$WORK/one" || exit 1
        "$WARI" export --db "$packed" --seeds $n >"$WORK/other" || exit 1
        cmp "$WORK/one" "$WORK/other" || fail "expected the same values with $n seeds"
    done
    accepted check --db "$packed"
    accepted verify --db "$packed"
    accepted bench-probe --db "$packed" --seconds 0.002
    "$WARI" stats --db "$db" | grep hash >"$WORK/one"
    "$WARI" stats --db "$packed" | grep hash >"$WORK/other"
    same_file "$WORK/one" "$WORK/other"
    accepted query --db "$packed" "0 0 0 0 0 1 / 2 2 2 1 1 0"
    sed "s/; proved)/)/" "$out" >"$WORK/other" # what was verified says so
    accepted query --db "$db" "0 0 0 0 0 1 / 2 2 2 1 1 0"
    same_file "$WORK/other" "$out"
}

a_packed_database_can_be_built_on() {
    local copy
    copy=$(copy_of "$packed")
    accepted build --db "$copy" --seeds $((seeds + 1))
    accepted verify --db "$copy"
    accepted pack --db "$copy"
    expect_output_has "1 level packed, 10 already"
}

# They read the catalogue once, met the other file and advised to build an intact level again.
no_command_takes_a_file_that_pack_replaces_for_damage() {
    local copy=$WORK/replaced large=11 rounds=4
    pid=
    ! is_small || { large=9 rounds=2; }
    build "$WORK/large" $large || exit 1
    trap '[ -z "$pid" ] || kill -s KILL $pid 2>/dev/null' EXIT
    while ((rounds-- > 0)); do
        rm -rf "$copy"
        cp -r "$WORK/large" "$copy"
        "$WARI" pack --db "$copy" --memory 2M --threads 1 >"$WORK/beside" 2>&1 </dev/null &
        pid=$!
        accepted verify --db "$copy" # begins with the old files and meets the new ones
        while kill -0 "$pid" 2>/dev/null; do
            accepted verify --db "$copy" --sample 20
            accepted check --db "$copy"
            accepted query --db "$copy" "0 0 0 0 0 1 / 2 2 2 1 1 0"
            accepted stats --db "$copy"
        done
        wait "$pid" || fail "pack failed: $(cat "$WORK/beside")"
        pid=
    done
}

# 600 became 644: anybody could read what had been kept from them.
files_keep_their_mode() {
    local copy mode
    for mode in 600 640; do
        copy=$(copy_of "$db")
        chmod $mode "$copy"/*
        accepted pack --db "$copy"
        [ -z "$(find "$copy" -type f ! -perm $mode)" ] || fail "expected mode $mode everywhere"
        copy=$(copy_of "$db") # the same behind links
        chmod $mode "$copy"/*
        mkdir "$copy/store" && mv "$copy"/*.wari "$copy/store" && ln -s "$copy"/store/* "$copy"
        accepted pack --db "$copy"
        [ -z "$(find "$copy" -type f ! -perm $mode)" ] || fail "expected mode $mode behind links, too"
    done
}

# It was cut to nothing and written to.
a_file_with_a_second_name_in_the_folder_is_left_alone() {
    local copy
    copy=$(copy_of "$db")
    echo "a letter" >"$WORK/letter"
    ln "$WORK/letter" "$copy/awari-even-5.wari.tmp"
    ln "$WORK/letter" "$copy/awari-even.catalogue.tmp"
    accepted pack --db "$copy"
    [ "$(cat "$WORK/letter")" = "a letter" ] || fail "expected the letter as it was"
    rm "$copy/build.lock"
    ln -s "$WORK/letter" "$copy/build.lock"
    refused 4 "build.lock" pack --db "$copy"
    refused 4 "build.lock" build --db "$copy" --seeds 10
    rm "$copy/build.lock"
    ln "$WORK/letter" "$copy/build.lock"
    refused 4 "build.lock" pack --db "$copy"
    refused 4 "build.lock" build --db "$copy" --seeds 10
    [ "$(cat "$WORK/letter")" = "a letter" ] || fail "expected the letter as it was"
}

damage_is_found_and_nothing_replaced() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-7.wari" -1
    cp "$copy/awari-even-8.wari" "$WORK/eight"
    refused 3 awari-even-7.wari pack --db "$copy"
    same_file "$WORK/eight" "$copy/awari-even-8.wari"
}

a_full_disk_leaves_the_old_files() {
    local copy
    copy=$(copy_of "$db")
    (ulimit -f 20 && exec "$WARI" pack --db "$copy") >"$out" 2>"$err"
    [ $? -eq 4 ] || fail "expected exit code 4"
    accepted check --db "$copy"
    accepted verify --db "$copy"
}

a_folder_without_a_database_is_refused() {
    mkdir "$WORK/empty"
    refused 6 "$WORK/empty" pack --db "$WORK/empty"
    refused 6 "warri" pack --db "$db" --rules warri
    refused 2 "--db" pack
    [ ! -e "$WORK/empty/build.lock" ] || fail "expected no lock"
}

# ---- Stopped, killed, locked ------------------------------------------------------------------------

# Starts `wari COMMAND --db COPY ...` in a copy of the database, waits until it has locked that, and
# holds it there, again if it was faster; sets $copy and $pid. What it says goes to $WORK/background.
_hold_in_copy() { # COMMAND [OPTION...]
    local command=$1
    shift
    while true; do
        copy=$(copy_of "$db")
        rm -f "$copy/build.lock"
        "$WARI" "$command" --db "$copy" "$@" >"$WORK/background" 2>&1 </dev/null &
        pid=$!
        until [ -s "$copy/build.lock" ] || ! kill -0 "$pid" 2>/dev/null; do
            :
        done
        ! stop_process "$pid" || return 0
        wait "$pid"
    done
}

_expect_readable() { # FOLDER
    accepted check --db "$1"
    accepted query --db "$1" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output 3 # published
}

a_stopped_run_keeps_what_is_packed_and_goes_on() {
    local copy signal stopped
    for signal in HUP:129 INT:130 TERM:143; do
        _hold_in_copy pack
        kill -s "${signal%:*}" "$pid"
        kill -s CONT "$pid"
        wait "$pid"
        stopped=$?
        out=$WORK/background err=$WORK/background code=$stopped
        expect_code "${signal#*:}"
        expect_message "levels packed before stay, and the same command goes on"
        _expect_readable "$copy"
        accepted pack --db "$copy"
        same_database "$packed" "$copy"
    done
}

runs_killed_at_random_end_with_the_same_bytes() {
    local copy kills=10 before whole spent=0
    is_sanitized && return # what lies on the disk is that of each build
    copy=$(copy_of "$db")
    before=${EPOCHREALTIME/./}
    accepted pack --db "$copy"
    whole=$((${EPOCHREALTIME/./} - before))
    copy=$(copy_of "$db")
    while [ $kills -gt 0 ]; do
        run_and_kill pack --db "$copy"
        if [ $code -eq 0 ]; then # it was faster
            same_database "$packed" "$copy"
            copy=$(copy_of "$db")
            continue
        fi
        expect_code 137
        _expect_readable "$copy"
        kills=$((kills - 1))
    done
    accepted pack --db "$copy"
    same_database "$packed" "$copy"
    [ -z "$(find "$copy" -name '*.tmp')" ] || fail "expected no temporary file"
}

one_at_a_time_builds_or_packs_in_a_folder() {
    local copy first work=packing
    for first in pack "build --seeds 16"; do
        # shellcheck disable=SC2086 # words on purpose
        _hold_in_copy $first
        refused 4 "process $pid is $work here" pack --db "$copy"
        refused 4 "process $pid is $work here" build --db "$copy" --seeds $((seeds + 1))
        _expect_readable "$copy"
        kill -s KILL "$pid"
        wait "$pid" 2>/dev/null
        accepted pack --db "$copy" # the lock is gone with the process
        work=building
    done
}

a_folder_that_cannot_be_written_is_left_as_it_is() {
    ordinary_program
    cp -r "$db" "$shared/db"
    rm -f "$shared/db/build.lock"
    chmod -R a+rX,a-w "$shared/db"
    as_ordinary_user "$shared/wari" pack --db "$shared/db" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_no_output
    expect_message "$shared/db"
    same_database "$db" "$shared/db"
    as_ordinary_user "$shared/wari" query --db "$shared/db" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1" >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output 3
}

run_tests
