#!/usr/bin/env bash
# Score files, the format in which the Vrije Universiteit Amsterdam published the solution of Awari: `wari import`,
# `wari export --scores` and `wari compare --scores`. Expected files come from tests/reference/scores.py, which was written
# from the description of the order alone and uses nothing of the program.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=10 # the last level has more chunks than a thread reads at once
! is_small || seeds=8
db=$WORK/db scores=$WORK/scores packed=$WORK/packed
build "$db" $seeds || exit 1
"$WARI" export --db "$db" --scores "$scores" >"$WORK/report" || exit 1
cp -r "$db" "$packed"
"$WARI" pack --db "$packed" >/dev/null || exit 1

_reference() {
    python3 tests/reference/scores.py "$@"
}

the_order_is_the_published_one() {
    [ "$(_reference number "0 0 0 0 0 1 / 0 0 0 0 0 0")" = 5 ] || fail "expected 5 for a seed in F"
    [ "$(_reference number "1 0 0 0 0 0 / 0 0 0 0 0 0")" = 0 ] || fail "expected 0 for a seed in A"
    [ "$(_reference number "0 0 0 0 0 0 / 0 0 0 0 0 1")" = 11 ] || fail "expected 11 for a seed in f"
    # C(59,11) - C(53,11) bytes
    _reference holes "$WORK/scores.48" 48
    [ "$(stat -c %s "$WORK/scores.48")" = 203648015935 ] || fail "expected the size of level 48"
}

exported_files_are_those_of_the_reference() {
    local n
    grep -qxF "scores.0 to scores.$seeds written in $scores" "$WORK/report" || exit 1
    for n in {0..7} $seeds; do
        "$WARI" export --db "$db" --seeds "$n" --format csv >"$WORK/csv" || exit 1
        _reference write "$WORK/csv" "$WORK/expected"
        same_file "$WORK/expected" "$scores/scores.$n"
    done
    accepted export --db "$packed" --scores "$WORK/some" --seeds 3-6
    [ "$(cd "$WORK/some" && echo *)" = "scores.3 scores.4 scores.5 scores.6" ] || fail "expected four levels"
    same_file "$scores/scores.6" "$WORK/some/scores.6"
    accepted export --db "$packed" --scores "$WORK/some" --seeds 3
    expect_output "scores.3 written in $WORK/some"
}

two_exports_at_once_write_complete_files() {
    local folder=$WORK/both
    start_held rename "$folder/scores.5" export --db "$db" --scores "$folder" --seeds 5
    accepted export --db "$db" --scores "$folder" --seeds 5
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
    [ "$(cd "$folder" && echo *)" = scores.5 ] || fail "expected one file"
    same_file "$scores/scores.5" "$folder/scores.5"
}

the_unfinished_file_of_a_killed_export_is_removed_by_the_next() {
    local folder=$WORK/killed-export
    start_held rename "$folder/scores.5" export --db "$db" --scores "$folder" --seeds 5
    kill_held
    compgen -G "$folder/scores.5.*.tmp" >/dev/null || fail "expected an unfinished file"
    accepted export --db "$db" --scores "$folder" --seeds 5
    [ "$(cd "$folder" && echo *)" = scores.5 ] || fail "expected one file"
    start_held rename "$folder/5.csv" export --db "$db" --seeds 5 --format csv -o "$folder/5.csv"
    kill_held
    compgen -G "$folder/5.csv.*.tmp" >/dev/null || fail "expected an unfinished file"
    accepted export --db "$db" --seeds 5 --format csv -o "$folder/5.csv"
    [ "$(cd "$folder" && echo *)" = "5.csv scores.5" ] || fail "expected two files"
}

# The value of this position, and of its moves A to F, were published with the files.
a_published_position_has_its_value() {
    local folder
    is_small && return
    folder=$(shared_awari 16)
    accepted export --db "$folder" --scores "$WORK/sixteen" --seeds 16
    [ "$(_reference value "$WORK/sixteen" "1 1 1 1 1 2 / 4 2 3 0 0 0")" = 0 ] || fail "expected 0"
    [ "$(_reference value "$WORK/sixteen" "4 2 3 0 0 0 / 0 2 1 1 1 2")" = 1 ] || fail "expected -1 for A"
}

# Prints the least memory with which `import --seeds 0-SEEDS --threads THREADS` works. With so little, score files are read
# row by row. With more, they are read as a whole first.
_least_memory() {
    run import --scores "$scores" --db "$WORK/none" --seeds "0-$1" --threads "$2" --memory 1M
    sed -n 's/.*at least \([0-9]*\) bytes.*/\1/p' "$err"
}

an_import_writes_the_files_of_a_build() {
    local options folder
    for options in "--threads 3" "--threads 1 --memory 300M" "--threads 2 --memory $(_least_memory $seeds 2)"; do
        folder=$WORK/import.${EPOCHREALTIME/./}
        # shellcheck disable=SC2086 # words on purpose
        accepted import --scores "$scores" --db "$folder" --seeds 0-$seeds $options
        expect_output_has "awari even in $folder: $((seeds + 1)) levels imported, "
        same_database "$db" "$folder"
    done
    touch "$folder/awari-even-4.import"
    accepted import --scores "$scores" --db "$folder" --seeds 2-5
    expect_no_file "$folder/*.import"
    expect_output "awari even in $folder has levels 2 to 5 already"
    accepted import --scores "$scores" --db "$folder" --seeds 5
    expect_output "awari even in $folder has level 5 already"
}

# A score file is read as a whole if there is memory for it and for an eighth of the lower levels that captures lead to.
# With 16 seeds, this eighth is larger than the smallest cache. The two ways of reading are told apart by their numbers of calls.
a_score_file_is_read_as_a_whole_only_if_the_cache_stays_large_enough() {
    local folder scores=$WORK/to-sixteen least size lower=0 n few many
    is_small && return
    folder=$(copy_of "$(shared_awari 16)") || exit 1
    accepted export --db "$folder" --scores "$scores" --seeds 0-16
    least=$(_least_memory 16 1)
    size=$(stat -c %s "$scores/scores.16")
    for n in {0..14}; do
        lower=$((lower + $(stat -c %s "$scores/scores.$n")))
    done
    [ $((lower / 8)) -gt 1048576 ] || fail "expected a cache that is larger than the smallest one"
    # The least memory includes the smallest cache, of 1 MiB.
    least=$((least - 1048576 + size + lower / 8))
    rm "$folder/awari-even-16.wari"
    few=$(count_calls import --scores "$scores" --db "$folder" --seeds 16 --threads 1 --memory $least) || exit 1
    rm "$folder/awari-even-16.wari"
    many=$(count_calls import --scores "$scores" --db "$folder" --seeds 16 --threads 1 --memory $((least - 1))) || exit 1
    [ "$many" -gt $((few * 10)) ] || fail "expected many more than $few calls, got $many"
    same_database "$(shared_awari 16)" "$folder"
}

a_packed_import_writes_the_files_of_pack() {
    accepted import --scores "$scores" --db "$WORK/small" --seeds 0-$((seeds - 1)) --packed
    accepted import --scores "$scores" --db "$WORK/small" --seeds $seeds --packed
    same_database "$packed" "$WORK/small"
}

other_rule_sets_can_be_exported_and_imported() {
    local variant last=8 variants=("warri own" "slam-gives even" "wari own")
    ! is_small || last=7 variants=("warri own")
    for variant in "${variants[@]}"; do
        # shellcheck disable=SC2086 # two words
        set -- $variant
        build "$WORK/$1" $last --rules "$1" --cycle "$2" || exit 1
        accepted export --db "$WORK/$1" --scores "$WORK/scores.$1"
        accepted import --scores "$WORK/scores.$1" --db "$WORK/$1.again" --seeds 0-$last --rules "$1" --cycle "$2"
        same_database "$WORK/$1" "$WORK/$1.again"
    done
}

# A score file lacks the positions in which each pit of the opponent holds seeds, but the counts of the catalogue include these
# positions, so `wari import` computes their values. From 12 seeds on, one move can capture all of these pits: each has one seed
# and gets another one. With 13 seeds, there can be other moves as well. The values after captures come from a packed database,
# which does not store all values.
counts_of_positions_with_full_rows_are_the_published_ones() {
    local thirteen packed
    thirteen=$(copy_of "$(shared_awari 12)") || exit 1
    packed=$(copy_of "$thirteen")
    build "$thirteen" 13 || exit 1
    accepted export --db "$thirteen" --scores "$WORK/thirteen" --seeds 13
    accepted pack --db "$packed"
    accepted import --scores "$WORK/thirteen" --db "$packed" --seeds 13
    expect_output_has "1 level imported"
    accepted stats --db "$packed" --seeds 13 --format csv
    same_file <(tail -n +2 "$out") <(grep '^13,' data/awari_histograms.csv)
}

a_lost_level_is_imported_again() {
    local copy
    copy=$(copy_of "$packed")
    rm "$copy/awari-even-7.wari"
    accepted import --scores "$scores" --db "$copy" --seeds 0-8
    expect_output_has "1 level imported"
    expect_message "level  7: "
    accepted check --db "$copy"
    same_file "$db/awari-even-7.wari" "$copy/awari-even-7.wari"
}

differences_are_found_without_importing() {
    local copy=$WORK/differ offset
    accepted compare --db "$db" --scores "$scores"
    expect_output_has "no value differs"
    accepted compare --db "$packed" --scores "$scores" --seeds 3-$seeds
    expect_output_has "no value differs"
    cp -r "$scores" "$copy"
    offset=$(_reference number "0 0 1 0 0 2 / 1 0 0 0 2 0")
    printf '\006' | dd of="$copy/scores.6" bs=1 seek="$offset" conv=notrunc 2>/dev/null
    accepted compare --db "$db" --scores "$copy" --json
    [ "$(grep -o '"differ":[1-9]' "$out" | wc -l)" -eq 1 ] || fail "expected one level with one difference"
    expect_output_has '"position":[0,0,1,0,0,2,1,0,0,0,2,0],"values":[0,6]'
    mkdir "$WORK/none"
    refused 4 "$WORK/none has no score file" compare --db "$db" --scores "$WORK/none"
    refused 4 "$WORK/absent: No such file or directory" compare --db "$db" --scores "$WORK/absent"
    refused 4 "$copy/scores.6 is not a folder" compare --db "$db" --scores "$copy/scores.6"
    ln -s "$scores" "$WORK/latin-"$'\xe9'
    accepted compare --db "$db" --scores "$WORK/latin-"$'\xe9' --seeds 2 --json
    expect_output_has '"scores":"'"$WORK/latin-"$'\xef\xbf\xbd"'
    rm "$copy/scores.6"
    accepted compare --db "$db" --scores "$copy"
    expect_message "$copy has no scores.6; level 6 is not compared"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "expected one message"
    refused 4 "$copy/scores.6 does not exist" compare --db "$db" --scores "$copy" --seeds 6-7
    refused 1 "has levels up to $seeds seeds, not 20" compare --db "$db" --scores "$copy" --seeds 20
    refused 2 "--with and --scores" compare --db "$db" --scores "$copy" --rules awari --with wari
}

what_cannot_be_imported_is_refused_with_file_and_offset() {
    local copy=$WORK/wrong new=$WORK/refused
    cp -r "$scores" "$copy"
    printf '\007' | dd of="$copy/scores.6" bs=1 seek=4321 conv=notrunc 2>/dev/null
    refused 3 "$copy/scores.6: the byte at offset 4321 is 7, which is not a value of a position with 6 seeds" \
        import --scores "$copy" --db "$new" --seeds 0-7 --threads 1
    accepted check --db "$new"
    expect_no_file "$new/*.tmp"
    printf '\000' | dd of="$copy/scores.6" bs=1 seek=12375 conv=notrunc 2>/dev/null
    refused 3 "$copy/scores.6: the file ends at offset 12376, but the values of 6 seeds end at offset 12375" \
        import --scores "$copy" --db "$WORK/absent" --seeds 0-7
    truncate -s 12374 "$copy/scores.6"
    refused 3 "ends at offset 12374" import --scores "$copy" --db "$WORK/absent" --seeds 0-7
    expect_no_file "$WORK/absent/*.wari"
    rm "$copy/scores.6"
    refused 4 "$copy/scores.6 does not exist; give the folder" \
        import --scores "$copy" --db "$WORK/absent" --seeds 0-7
    touch "$copy/scores.6.tar.gz"
    refused 4 "unpack it first: tar -xzf $copy/scores.6.tar.gz -C $copy" \
        import --scores "$copy" --db "$WORK/absent" --seeds 0-7
    mv "$copy/scores.6.tar.gz" "$copy/scores.6.zst"
    refused 4 "unpack it first: zstd -d $copy/scores.6.zst" import --scores "$copy" --db "$WORK/absent" --seeds 0-7
    mkdir "$copy/scores.6"
    refused 4 "$copy/scores.6" import --scores "$copy" --db "$WORK/absent" --seeds 0-7
}

a_damaged_level_that_is_there_already_is_reported() {
    local folder=$WORK/damaged
    cp -r "$db" "$folder"
    : >"$folder/awari-even-$seeds.wari"
    refused 3 "$folder/awari-even-$seeds.wari: the file ends at offset 0" \
        import --scores "$scores" --db "$folder" --seeds 0-$seeds
    refused 3 "$folder/awari-even-$seeds.wari" import --scores "$scores" --db "$folder" --seeds $seeds
    rm "$folder/awari-even-2.wari"
    refused 3 "$folder/awari-even-$seeds.wari" import --scores "$scores" --db "$folder" --seeds 0-$seeds
    accepted import --scores "$scores" --db "$folder" --seeds 2
}

wrong_requests_are_refused() {
    local new=$WORK/absent range
    refused 1 "level 0 of awari even is missing, and level 3 needs all lower ones" \
        import --scores "$scores" --db "$new" --seeds 3-4
    # The first message is about the missing level, although level 48 would not fit onto most disks either.
    refused 1 "level 0 of awari even is missing" import --scores "$scores" --db "$new" --seeds 48
    refused 4 "$scores/scores.$((seeds + 1)) does not exist" import --scores "$scores" --db "$new" --seeds 0-48
    refused 2 "47 seeds" import --scores "$scores" --db "$new" --seeds 47
    refused 2 "47 seeds" import --scores "$scores" --db "$new" --seeds 0-47
    refused 2 "ends before it begins" import --scores "$scores" --db "$new" --seeds 5-4
    for range in -1 - 5- -5 12345678-9; do # fixed bug: the message showed "", not this text
        refused 2 "\"$range\" is neither a level" import --scores "$scores" --db "$new" --seeds "$range"
    done
    refused 2 "\"-1\" is neither a level" compare --db "$db" --scores "$scores" --seeds -1
    refused 2 "--seeds A-B is missing" import --scores "$scores" --db "$new"
    refused 2 "--scores DIR is missing" import --db "$new" --seeds 0-3
    refused 2 "--db DIR is missing" import --scores "$scores" --seeds 0-3
    refused 2 "at least" import --scores "$scores" --db "$new" --seeds 0-3 --memory 1M
    refused 2 "several need --scores" export --db "$db" --seeds 0-3 --format csv
    refused 2 "without --output" export --db "$db" --scores "$new" --output "$new"
    refused 4 "$db/awari-even-3.wari: this is not a folder" export --db "$db" --scores "$db/awari-even-3.wari"
    refused 1 "no level 20" export --db "$db" --scores "$new" --seeds 0-20
    expect_no_file "$new/*.wari"
}

# Otherwise, an import of a large level could not continue on a disk that is nearly full.
an_unfinished_file_counts_as_free_space() {
    local folder=$WORK/unfinished
    mkdir "$folder"
    truncate -s 1P "$folder/awari-even-46.wari.tmp" || return 0 # no file can be so large here
    refused 1 "level 0 of awari even is missing" import --scores "$scores" --db "$folder" --seeds 46
}

a_stopped_import_goes_on_within_the_level() {
    local folder=$WORK/stopped
    is_small && return # a level of more chunks is needed
    accepted import --scores "$scores" --db "$folder" --seeds 0-9
    start_held write "$folder/awari-even-10.wari.tmp" import --scores "$scores" --db "$folder" --seeds 10 --threads 1
    for _ in 1 2 3 4 5 6 7; do
        let_go
        wait_until_held
    done
    kill -s INT "$pid"
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 130
    expect_message "the same command continues"
    [ -e "$folder/awari-even-10.import" ] || fail "expected a saved state"
    # The second stop comes before the program writes anything.
    start_held read "$scores/scores.10" import --scores "$scores" --db "$folder" --seeds 10 --threads 1
    kill -s INT "$pid"
    end_held
    expect_code 130
    accepted import --scores "$scores" --db "$folder" --seeds 10
    expect_message ", resumed"
    expect_no_file "$folder/*.import"
    same_database "$db" "$folder"
}

# When a read fails, the state is saved. When a write fails, the state that was saved before is used.
an_import_that_could_not_read_or_write_goes_on_within_the_level() {
    local folder=$WORK/faulty calls part kept=0 least arguments
    is_small && return # a level of more chunks is needed
    export CLOCK_STEP=100000000 CLOCK_FROZEN=1
    accepted import --scores "$scores" --db "$WORK/nine" --seeds 0-9
    least=$(_least_memory 10 1)
    arguments=(import --scores "$scores" --db "$folder" --seeds 10 --threads 1 --memory "$least" --checkpoint 1)
    cp -r "$WORK/nine" "$folder"
    calls=$(count_calls "${arguments[@]}") || fail "expected an import"
    for part in 40 60 80 90 95; do
        rm -rf "$folder" && cp -r "$WORK/nine" "$folder"
        out=$WORK/out err=$WORK/err
        (with_calls FAIL_KIND=file FAIL_AT=$((calls * part / 100)) "$WARI" "${arguments[@]}") >"$out" 2>"$err" </dev/null
        code=$?
        expect_code 4
        [ ! -e "$folder/awari-even-10.wari.tmp" ] || kept=$((kept + 1))
        accepted import --scores "$scores" --db "$folder" --seeds 10
        expect_message ", resumed"
        same_database "$db" "$folder"
        expect_no_file "$folder/*.import"
    done
    [ $kept -ge 2 ] || fail "expected that unfinished files stay"
    # With a limit of 80 kB for a file, writing fails as on a full disk: the file needs 91 kB. The state was saved after 32
    # of 43 chunks.
    rm -rf "$folder" && cp -r "$WORK/nine" "$folder"
    (ulimit -f 80 && with_calls CLOCK_STEP=100000000 "$WARI" "${arguments[@]}") >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 4
    expect_message "cannot write"
    [ -e "$folder/awari-even-10.wari.tmp" ] || fail "expected the unfinished file to stay"
    accepted import --scores "$scores" --db "$folder" --seeds 10
    expect_message ", resumed"
    same_database "$db" "$folder"
}

# A state that was saved for another file is not used.
a_changed_score_file_is_imported_from_the_beginning() {
    local folder=$WORK/changed copy=$WORK/touched
    cp -r "$scores" "$copy"
    accepted import --scores "$copy" --db "$folder" --seeds 0-7
    start_held write "$folder/awari-even-8.wari.tmp" import --scores "$copy" --db "$folder" --seeds 8 --threads 1
    let_go
    wait_until_held
    kill -s INT "$pid"
    end_held
    expect_code 130
    # The new file has the same modification time as the old one, as if a program had unpacked it from an archive.
    cp --preserve=timestamps "$copy/scores.8" "$WORK/scores.8" && mv "$WORK/scores.8" "$copy/scores.8"
    accepted import --scores "$copy" --db "$folder" --seeds 8
    ! grep -q "resumed" "$err" || fail "expected level 8 from the beginning"
    accepted export --db "$folder" --scores "$WORK/again" --seeds 8
    same_file "$scores/scores.8" "$WORK/again/scores.8"
}

# A download may still be writing to a file that has its final size already.
a_score_file_that_changes_during_the_import_is_refused() {
    local folder=$WORK/changing copy=$WORK/written
    cp -r "$scores" "$copy"
    touch -d 2020-01-01 "$copy/scores.8"
    accepted import --scores "$copy" --db "$folder" --seeds 0-7
    start_held write "$folder/awari-even-8.wari.tmp" import --scores "$copy" --db "$folder" --seeds 8 --threads 1
    head -c 1 "$scores/scores.8" | dd of="$copy/scores.8" conv=notrunc status=none
    end_held
    expect_code 3
    expect_no_output
    expect_message "$copy/scores.8 was changed while it was imported"
    expect_no_file "$folder/awari-even-8.*"
    accepted import --scores "$copy" --db "$folder" --seeds 8
    accepted export --db "$folder" --scores "$WORK/after" --seeds 8
    same_file "$scores/scores.8" "$WORK/after/scores.8"
}

imports_that_are_killed_or_fail_at_any_call_end_with_the_same_bytes() {
    local folder=$WORK/killed calls i k kills=${KILLS:-12}
    ! is_small || kills=4
    export CLOCK_STEP=100000000 CLOCK_FROZEN=1
    calls=$(count_calls import --scores "$scores" --db "$folder" --seeds 0-$seeds --threads 1 --checkpoint 1) ||
        fail "expected an import"
    same_database "$db" "$folder"
    rm -rf "$folder"
    RANDOM=1 # the same calls in each run of this test
    for ((i = 0; i < kills; i++)); do
        k=$((1 + (calls * i + RANDOM % calls) / kills))
        if [ $((i % 2)) -eq 0 ]; then
            run_and_kill $k import --scores "$scores" --db "$folder" --seeds 0-$seeds --threads 1 --checkpoint 1
            [ $code -eq 137 ] || expect_code 0
        else
            (with_calls FAIL_KIND=file FAIL_AT=$k FAIL_ON=1 "$WARI" import --scores "$scores" --db "$folder" \
                --seeds 0-$seeds --threads 1 --checkpoint 1) >"$out" 2>"$err" </dev/null
            code=$?
            [ $code -eq 4 ] || expect_code 0
        fi
        ! compgen -G "$folder/*.catalogue" >/dev/null || accepted check --db "$folder"
        [ $code -ne 0 ] || [ $((i % 5)) -ne 4 ] || rm -rf "$folder"
    done
    accepted import --scores "$scores" --db "$folder" --seeds 0-$seeds
    same_database "$db" "$folder"
    expect_no_file "$folder/*.tmp"
    expect_no_file "$folder/*.import"
}

# The file system says that it is full, or a file may not grow.
a_full_disk_is_reported_and_the_same_command_continues() {
    local folder=$WORK/full
    out=$WORK/out err=$WORK/err
    (ulimit -f 12 && exec "$WARI" import --scores "$scores" --db "$folder" --seeds 0-$seeds) >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_message "cannot write"
    accepted import --scores "$scores" --db "$folder" --seeds 0-$seeds
    same_database "$db" "$folder"
    (ulimit -f 12 && exec "$WARI" export --db "$db" --scores "$WORK/cut") >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_no_file "$WORK/cut/*.tmp"
    expect_no_file "$WORK/cut/scores.$seeds"
}

# For tests of large databases: all values but a few rows are in holes.
sparse_files_are_imported_without_reading_their_holes() {
    local folder=$WORK/sparse files=$WORK/holes n last=14
    ! is_small || last=12
    mkdir "$files"
    for ((n = 0; n <= last; n++)); do
        _reference holes "$files/scores.$n" $n "0 0 0 0 0 $n / 0 0 0 0 0 0" $((n % 3)) \
            "$n 0 0 0 0 0 / 0 0 0 0 0 0" -$((n % 2))
    done
    accepted import --scores "$files" --db "$folder" --seeds 0-$last --sparse
    accepted compare --db "$folder" --scores "$files" --seeds 9-$last
    expect_output_has "no value differs"
    accepted import --scores "$files" --db "$folder.packed" --seeds 0-$last --sparse --packed
    accepted export --db "$folder.packed" --seeds $last --format raw # looks up what is left out by its moves
    "$WARI" export --db "$folder" --seeds $last --format raw >"$WORK/raw"
    cmp -n 500000 "$WORK/raw" "$out" || fail "expected the values that the packed file holds"
}

run_tests
