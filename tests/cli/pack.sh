#!/usr/bin/env bash
# `wari pack`: smaller files, with the same values for every command; locks, signals, kills, errors.
# Kills at every single call are tested in unit/db/maintain/test_pack.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9 # several chunks in the last level
! is_small || seeds=7
last=awari-even-$seeds.wari
position=0,0,0,0,0,1,2,2,2,1,1,0 # in the last level
[ $seeds -eq 9 ] || position=0,0,0,0,0,1,2,1,1,1,1,0
db=$WORK/db packed=$WORK/packed
build "$db" $seeds || exit 1
cp -r "$db" "$packed"
"$WARI" pack --db "$packed" >"$WORK/report" || exit 1

_bytes() {
    cat "$1"/*.wari | wc -c
}

packing_saves_at_least_a_third() {
    [ $((3 * $(_bytes "$packed"))) -lt $((2 * $(_bytes "$db"))) ] || fail "$(_bytes "$packed") bytes"
    grep -q "awari even in $packed: $seeds levels packed, 1 already: " "$WORK/report" || exit 1
}

packing_again_changes_nothing() {
    local copy
    copy=$(copy_of "$packed")
    accepted pack --db "$copy"
    expect_output_has "0 levels packed, $((seeds + 1)) already"
    diff -r -x build.lock "$packed" "$copy" || fail "expected the same files"
}

threads_and_memory_make_no_difference() {
    local copy options
    for options in "--threads 1 --memory 90k" "--threads 3 --memory 300k" "--threads 2 --memory 1G"; do
        copy=$(copy_of "$db")
        # shellcheck disable=SC2086 # words on purpose
        accepted pack --db "$copy" $options
        same_database "$packed" "$copy"
    done
    refused 2 "--threads" pack --db "$copy" --threads 0
    refused 2 "--memory" pack --db "$copy" --memory little
}

# Fixed bug: it ran for minutes, and with more seeds for ever.
too_little_memory_is_refused_with_the_figure() {
    local copy least
    copy=$(copy_of "$db")
    refused 2 "too little" pack --db "$copy" --memory 1
    least=$(sed -n 's/.*at least \([0-9]*\) bytes are needed$/\1/p' "$err")
    refused 2 "at least $least bytes are needed" pack --db "$copy" --memory $((least - 1))
    same_database "$db" "$copy"
    accepted pack --db "$copy" --memory "$least"
    same_database "$packed" "$copy"
}

all_commands_see_the_same_values() {
    local n levels="0 1 5 $seeds"
    ! is_small || levels="0 1 $seeds"
    for n in $levels; do
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
    accepted query --db "$packed" "$position"
    sed "s/; proved)/)/" "$out" >"$WORK/other" # what was verified says so
    accepted query --db "$db" "$position"
    same_file "$WORK/other" "$out"
}

a_packed_database_can_be_built_on() {
    local copy
    copy=$(copy_of "$packed")
    accepted build --db "$copy" --seeds $((seeds + 1))
    accepted verify --db "$copy"
    accepted pack --db "$copy"
    expect_output_has "1 level packed, $((seeds + 1)) already"
}

# Fixed bug: commands read the catalogue once, then found the other file, and advised to build an intact
# level again.
no_command_reports_a_file_that_pack_replaces_as_damaged() {
    local copy=$WORK/replaced command
    # Each has read the old catalogue, and opens the file of the last level after it was replaced.
    for command in verify "verify --sample 20" check stats "query $position"; do
        _new_copy
        # shellcheck disable=SC2086 # words on purpose
        start_held open "*/$last" $command --db "$copy"
        accepted pack --db "$copy" --threads 1
        out=$WORK/background.out err=$WORK/background.err
        end_held
        expect_code 0
    done
    # The catalogue lists both files, and the old one is there, ...
    _new_copy
    start_held rename "*/$last" pack --db "$copy" --threads 1
    _every_reader_works
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
    # ... or the new one.
    _new_copy
    ln "$copy/$last" "$WORK/old"
    start_held rename "*.catalogue" pack --db "$copy" --threads 1
    while [ "$copy/$last" -ef "$WORK/old" ]; do
        let_go
        wait_until_held
    done
    _every_reader_works
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
}

_new_copy() { # in $copy
    rm -rf "$copy"
    cp -r "$db" "$copy"
}

_every_reader_works() { # on $copy
    accepted verify --db "$copy" --sample 20
    accepted check --db "$copy"
    accepted query --db "$copy" "$position"
    accepted stats --db "$copy"
}

# Fixed bug: mode 600 became 644, so everybody could read a private file.
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

# Fixed bug: the file was truncated and written to.
a_file_with_a_second_name_in_the_folder_is_not_changed() {
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

damage_is_found_and_no_file_is_replaced() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-$((seeds - 1)).wari" -1
    refused 3 "awari-even-$((seeds - 1)).wari" pack --db "$copy"
    same_file "$db/$last" "$copy/$last"
}

a_full_disk_leaves_the_old_files() {
    local copy blocks=20
    ! is_small || blocks=3
    copy=$(copy_of "$db")
    (ulimit -f $blocks && exec "$WARI" pack --db "$copy") >"$out" 2>"$err"
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

# Starts `wari COMMAND --db COPY ...` in a copy of the database, which it locks, and holds it before
# it renames the new file of LEVEL to its final name; sets $copy and $pid.
_hold_in_copy() { # LEVEL COMMAND [OPTION...]
    local level=$1 command=$2
    shift 2
    copy=$(copy_of "$db")
    rm -f "$copy/build.lock"
    start_held rename "*-$level.wari" "$command" --db "$copy" --threads 1 "$@"
}

_expect_readable() { # FOLDER
    accepted check --db "$1"
    accepted query --db "$1" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output 3 # published
}

a_stopped_run_keeps_packed_levels_and_can_be_resumed() {
    local copy signal
    for signal in HUP:129 INT:130 TERM:143; do
        _hold_in_copy 5 pack
        kill -s "${signal%:*}" "$pid"
        end_held
        expect_code "${signal#*:}"
        expect_message "the levels packed so far are kept, and the same command continues"
        _expect_readable "$copy"
        accepted pack --db "$copy"
        expect_output_has "$((seeds - 5)) levels packed, 6 already"
        same_database "$packed" "$copy"
    done
}

runs_killed_at_any_call_end_with_the_same_bytes() {
    local copy kills=10 calls i
    ! is_small || kills=6
    is_sanitized && return # what lies on the disk is that of each build
    copy=$(copy_of "$db")
    calls=$(count_calls pack --db "$copy" --threads 1) || fail "expected a run"
    same_database "$packed" "$copy"
    copy=$(copy_of "$db")
    for ((i = 0; i < kills; i++)); do
        run_and_kill $((1 + calls * i / kills)) pack --db "$copy" --threads 1
        if [ $code -eq 0 ]; then # the runs before it had left too little to do
            same_database "$packed" "$copy"
            copy=$(copy_of "$db")
            run_and_kill $((1 + calls * i / kills)) pack --db "$copy" --threads 1
        fi
        expect_code 137
        _expect_readable "$copy"
    done
    accepted pack --db "$copy"
    same_database "$packed" "$copy"
    expect_no_file "$copy/*.tmp"
}

one_at_a_time_builds_or_packs_in_a_folder() {
    local copy first work=packing
    for first in "5 pack" "$((seeds + 1)) build --seeds $((seeds + 1))"; do
        # shellcheck disable=SC2086 # words on purpose
        _hold_in_copy $first
        refused 4 "process $pid is $work here" pack --db "$copy"
        refused 4 "process $pid is $work here" build --db "$copy" --seeds $((seeds + 1))
        _expect_readable "$copy"
        kill_held
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
