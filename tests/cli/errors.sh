#!/usr/bin/env bash
# What goes wrong around the program: folders, files, permissions, damage, output that cannot be
# written. Exit codes are those of the design: 2 usage, 3 damaged, 4 I/O, 6 another rule set
# or processor.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9 # several chunks in the last level
! is_small || seeds=7
db=$WORK/awari
build "$db" $seeds || exit 1
build "$WORK/abapa" $seeds --rules abapa || exit 1
level=awari-even-$seeds.wari
position="0 1 0 0 1 0 / 0 0 0 0 1 $((seeds - 3))" # in the last level
game=$WORK/game.txt
echo "0-1-0-0-1-0-0-0-0-0-1-$((seeds - 3))-$((39 - seeds))-9-S B *" >"$game"

# Every command that reads a database, as a function of its folder.
_each_reader() { # FUNCTION FOLDER
    "$1" stats --db "$2" --rules awari
    "$1" query --db "$2" --rules awari "$position"
    "$1" check --db "$2" --rules awari
    "$1" verify --db "$2" --rules awari
    "$1" compare --db "$2" --rules awari --with abapa
    "$1" export --db "$2" --rules awari --seeds $seeds
    "$1" bench-probe --db "$2" --rules awari
    "$1" judge --db "$2" --rules awari "$game"
}

# In small only three, which look for a database in different ways. (A folder that is missing is shown to all.)
_some_readers() { # FUNCTION FOLDER
    is_small || { _each_reader "$@"; return; }
    "$1" query --db "$2" --rules awari "$position"
    "$1" check --db "$2" --rules awari
    "$1" verify --db "$2" --rules awari
}

# ---- Folders ------------------------------------------------------------------------------------

_refused_as_unreadable() { refused 4 "" "$@"; }
_refused_as_empty() { refused 6 "holds no database" "$@"; }
_refused_without_folder() { refused 2 "--db DIR is missing" "$@"; }

a_folder_must_be_named() {
    _refused_without_folder build --seeds 3
    _refused_without_folder stats
    _refused_without_folder query "$position"
    _refused_without_folder check
    _refused_without_folder verify
    _refused_without_folder compare --rules awari --with abapa
    _refused_without_folder export --seeds 3
    _refused_without_folder bench-probe
    _refused_without_folder judge "$game"
    refused 2 "needs a value" stats --db
}

a_folder_that_is_missing_is_an_io_error() {
    _each_reader _refused_as_unreadable "$WORK/nowhere"
    expect_message "$WORK/nowhere: there is no such folder; build a database there"
    [ ! -e "$WORK/nowhere" ] || fail "expected that no folder is made"
}

a_file_is_no_folder() {
    echo text >"$WORK/file"
    _some_readers _refused_as_unreadable "$WORK/file"
    refused 4 "$WORK/file" build --db "$WORK/file" --seeds 3
    [ "$(cat "$WORK/file")" = text ] || fail "expected the file as it was"
}

an_empty_folder_holds_no_database() {
    mkdir "$WORK/empty"
    _some_readers _refused_as_empty "$WORK/empty"
}

a_folder_below_a_missing_one_is_not_made() {
    run build --db "$WORK/no/such/folder" --seeds 3
    expect_code 4
    expect_no_output
    expect_message "$WORK/no/such/folder"
}

a_folder_that_may_not_be_written_is_an_io_error() {
    ordinary_program
    mkdir "$shared/db"
    chmod 555 "$shared/db"
    as_ordinary_user "$shared/wari" build --db "$shared/db" --seeds 3 >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_no_output
    expect_message "Permission denied"
    as_ordinary_user "$shared/wari" build --db "$shared/new" --seeds 3 >"$out" 2>"$err"
    code=$?
    if [ "$(id -u)" -eq 0 ]; then # to whom the folder above belongs
        expect_code 4
        expect_message "Permission denied"
    fi
}

a_file_that_may_not_be_read_is_an_io_error() {
    ordinary_program
    cp -r "$db" "$shared/db"
    chmod 755 "$shared/db"
    chmod 644 "$shared/db"/*
    as_ordinary_user "$shared/wari" query --db "$shared/db" --format value "$position" >"$out" 2>"$err"
    code=$?
    expect_code 0
    chmod 000 "$shared/db/$level"
    as_ordinary_user "$shared/wari" query --db "$shared/db" "$position" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_no_output
    expect_message "$level"
    expect_message "Permission denied"
}

a_read_only_database_can_be_queried() {
    ordinary_program
    cp -r "$db" "$shared/db"
    chmod 555 "$shared/db"
    chmod 444 "$shared/db"/*
    as_ordinary_user "$shared/wari" query --db "$shared/db" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1" \
        >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output 3
}

# ---- Damage -------------------------------------------------------------------------------------

_refused_as_damaged() {
    refused 3 "" "$@"
    expect_message "$damaged"
}

# In small only two commands are asked: what finds the damage is the same in all. (A damaged header is shown
# to all of them.)
_reads_nothing_of() { # FOLDER
    _refused_as_damaged query --db "$1" "$position"
    run build --db "$1" --seeds $((seeds + 1))
    expect_code 3
    expect_no_output
    expect_message "$damaged"
    expect_message "remove"
    [ ! -e "$1/awari-even-$((seeds + 1)).wari" ] || fail "expected no level built on damage"
    is_small || _no_reader_reads "$1"
}

_no_reader_reads() { # FOLDER
    _refused_as_damaged stats --db "$1"
    _refused_as_damaged query --db "$1" --format value "$position"
    _refused_as_damaged verify --db "$1"
    _refused_as_damaged export --db "$1" --seeds $seeds
    _refused_as_damaged bench-probe --db "$1"
    _refused_as_damaged judge --db "$1" "$game"
}

# Each of the places where a file is damaged, or one: what finds damage is looked at bit by bit, under
# sanitizers too, in unit/db/file/test_db_damage.c and unit/db/catalogue/; here is what each command says.
_places() { # PLACE...
    if is_small; then echo "$1"; else echo "$@"; fi
}

a_changed_byte_in_a_header_is_found_at_once() {
    local copy offset
    damaged=$level
    for offset in $(_places 20 0 40 100); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$level" $offset
        _reads_nothing_of "$copy"
        ! is_small || _no_reader_reads "$copy"
    done
}

a_changed_byte_among_the_values_is_found_when_they_are_read() {
    local copy offset size
    size=$(stat -c %s "$db/$level")
    damaged=$level
    for offset in $(_places $((size / 2)) $((size / 4)) $((size * 3 / 4)) -1); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$level" "$offset"
        _refused_as_damaged verify --db "$copy"
        _refused_as_damaged verify --db "$copy" --local
        # A capture takes two seeds or more, so the level after the next one is the first that reads
        # this one.
        run build --db "$copy" --seeds $((seeds + 2))
        expect_code 3
        expect_message "$level"
    done
}

no_value_comes_from_a_damaged_block() {
    local copy size
    copy=$(copy_of "$db")
    size=$(stat -c %s "$copy/$level")
    # Changes a byte in every 500, so that no block is left whole.
    # shellcheck disable=SC2046 # numbers
    flip_byte "$copy/$level" $(seq $((size / 5)) 500 $((size * 9 / 10)))
    damaged=$level
    _refused_as_damaged query --db "$copy" "$position"
    _refused_as_damaged query --db "$copy" --format json "$position"
    run_with_input "$position\n" query --db "$copy" --format value
    expect_code 3
    expect_no_output
    # Other levels still answer.
    accepted query --db "$copy" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output 3
}

a_truncated_or_lengthened_file_is_found_at_once() {
    local copy size
    damaged=$level
    for size in $(_places 1000 0 1 50 -1); do
        copy=$(copy_of "$db")
        truncate -s "$size" "$copy/$level"
        _reads_nothing_of "$copy"
    done
    copy=$(copy_of "$db")
    echo >>"$copy/$level"
    _reads_nothing_of "$copy"
}

a_damaged_catalogue_is_found_at_once() {
    local copy size
    damaged=awari-even.catalogue
    size=$(stat -c %s "$db/$damaged")
    for offset in $(_places $((size / 2)) $((size / 3)) -2); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$damaged" "$offset"
        _reads_nothing_of "$copy"
    done
    for at in $(_places $((size / 2)) 0 $((size - 1))); do
        copy=$(copy_of "$db")
        truncate -s "$at" "$copy/$damaged"
        _reads_nothing_of "$copy"
    done
}

a_level_that_the_catalogue_promises_must_be_there() {
    local copy
    copy=$(copy_of "$db")
    rm "$copy/$level"
    refused 4 "$level" stats --db "$copy"
    refused 4 "$level" query --db "$copy" "$position"
    refused 4 "$level" build --db "$copy" --seeds $seeds
}

a_level_that_the_catalogue_does_not_know_does_not_count() {
    local copy
    copy=$(copy_of "$db")
    rm "$copy/awari-even.catalogue"
    refused 6 "holds no database" query --db "$copy" "$position"
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
}

# Opening a pipe waits for somebody who writes to it: the program once hung here for ever.
a_pipe_in_place_of_a_file_is_an_error_and_does_not_hang() {
    local copy file command
    for file in "$level" awari-even.catalogue; do
        copy=$(copy_of "$db")
        rm "$copy/$file"
        mkfifo "$copy/$file"
        for command in "query" "build --seeds $((seeds + 1))" "stats" "verify" "export --seeds 1"; do
            # shellcheck disable=SC2086 # words on purpose
            refused 4 "$file: cannot" $command --db "$copy" --rules awari
            expect_message "this is no regular file"
        done
    done
    copy=$(copy_of "$db")
    mkfifo "$copy/ware-own.catalogue" # which nobody asked for
    refused 2 "ware own" stats --db "$copy"
}

# ---- Threads ------------------------------------------------------------------------------------

# OpenMP ended the process with code 1 here, which says of `verify` that values are wrong.
threads_that_cannot_be_started_are_lack_of_resources() {
    ordinary_program
    cp -r "$db" "$shared/db"
    chmod 777 "$shared/db"
    chmod 666 "$shared/db"/*
    local command
    for command in "verify" "build --seeds $((seeds + 1))"; do
        # shellcheck disable=SC2086 # words on purpose
        as_ordinary_user env ASAN_OPTIONS=detect_leaks=0 prlimit --nproc=1 \
            "$shared/wari" $command --db "$shared/db" --threads 8 </dev/null >"$out" 2>"$err"
        code=$?
        expect_code 5
        expect_no_output
        expect_message "cannot start 8 threads"
        expect_message "--threads"
    done
}

# ---- The wrong file -----------------------------------------------------------------------------

a_file_of_another_rule_set_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$WORK/abapa/abapa-even-$seeds.wari" "$copy/$level"
    refused 6 "$level" stats --db "$copy"
    refused 6 "$level" query --db "$copy" "$position"
    refused 6 "abapa" verify --db "$copy"
    run build --db "$copy" --seeds $((seeds + 1))
    expect_code 6
    expect_no_output
}

a_file_of_the_other_cycle_rule_is_refused() {
    local copy
    build "$WORK/own" 5 --cycle own || exit 1
    copy=$(copy_of "$db")
    cp "$WORK/own/awari-own-5.wari" "$copy/awari-even-5.wari"
    refused 6 "awari-even-5.wari" query --db "$copy" "$position"
}

a_file_of_another_level_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$copy/awari-even-5.wari" "$copy/awari-even-6.wari"
    refused 6 "awari-even-6.wari" query --db "$copy" "$position"
}

a_catalogue_of_another_rule_set_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$WORK/abapa/abapa-even.catalogue" "$copy/awari-even.catalogue"
    refused 6 "awari-even.catalogue" query --db "$copy" "$position"
    refused 6 "awari-even.catalogue" build --db "$copy" --seeds $((seeds + 1))
}

a_database_under_another_name_is_refused() {
    local copy file
    copy=$(copy_of "$WORK/abapa")
    for file in "$copy"/abapa-*; do
        mv "$file" "${file/abapa-even/awari-even}"
    done
    refused 6 "awari-even" query --db "$copy" "$position"
}

# ---- Output that does not arrive ----------------------------------------------------------------

perfect=$WORK/perfect.txt # published: B keeps what there is
echo "0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B *" >"$perfect"
_commands=(
    "--version" "--help" "help build" "rules" "rules --format json" "perft --depth 3"
    "stats --db $db" "stats --db $db --format csv" "stats --db $db --format json"
    "query --db $db 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"
    "query --db $db --format json 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"
    "query --db $db --format value 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"
    "check --db $db" "check --db $db --json"
    "verify --db $db" "verify --db $db --format json" "build --db $db --seeds 12 --dry-run"
    "export --db $db --seeds 3" "export --db $db --seeds $seeds --format csv"
    "export --db $db --seeds $seeds --format vu" "bench-probe --db $db --seconds 0.001"
    "bench-probe --db $db --seconds 0.001 --json"
    "judge --db $db $perfect" "judge --db $db --json $perfect" "judge --db $db --annotate $perfect"
)

a_full_disk_behind_standard_output_is_an_error() {
    local command
    : >"$WORK/none"
    out=$WORK/none err=$WORK/err
    for command in "${_commands[@]}"; do
        # shellcheck disable=SC2086 # words on purpose
        "$WARI" $command >/dev/full 2>"$err"
        code=$?
        [ "$code" -eq 4 ] || fail "expected exit code 4 of: $command"
        expect_message "cannot write to standard output"
    done
}

closed_standard_output_is_an_error() {
    local command before=
    : >"$WORK/none"
    out=$WORK/none err=$WORK/err
    for command in "${_commands[@]}"; do
        ! is_small || [ "${command%% *}" != "$before" ] || continue # of each command the first
        before=${command%% *}
        # shellcheck disable=SC2086 # words on purpose
        "$WARI" $command >&- 2>"$err"
        code=$?
        [ "$code" -eq 4 ] || fail "expected exit code 4 of: $command"
        expect_message "standard output"
    done
}

# Nothing is printed there: and no level file may be mistaken for standard output.
a_build_works_with_all_standard_descriptors_closed() {
    "$WARI" build --db "$WORK/closed" --seeds $seeds <&- >&- 2>&-
    code=$? out=/dev/null err=/dev/null
    expect_code 0
    same_database "$db" "$WORK/closed"
}

closed_standard_input_is_an_error_where_it_is_read() {
    out=$WORK/out err=$WORK/err
    "$WARI" query --db "$db" <&- >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_message "standard input"
    "$WARI" query --db "$db" --format value <"$WORK" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_message "standard input"
}

# More answers than a pipe holds.
a_reader_who_goes_away_ends_the_run_quietly() {
    yes "0 1 0 0 1 0 / 0 0 0 0 0 1" | head -5000 >"$WORK/many"
    {
        "$WARI" query --db "$db" --format json <"$WORK/many" 2>"$WORK/err"
        echo $? >"$WORK/code"
    } | head -1 >"$WORK/out"
    out=$WORK/out err=$WORK/err code=$(cat "$WORK/code")
    expect_code 4
    expect_no_message
    [ "$(wc -l <"$out")" -eq 1 ] || fail "expected one answer"
}

# OpenMP itself ended the program with 1, which means wrong values for `verify`.
where_threads_cannot_be_had_a_message_says_so() {
    local command variable
    for command in "verify --db $db" "verify --db $db --sample 5" "plan --seeds 12" "build --db $WORK/threads --seeds 5"; do
        for variable in OMP_STACKSIZE GOMP_STACKSIZE; do
            # (The name that only GCC knows: in small with one command.)
            ! is_small || [[ $variable != G* || $command == "verify --db $db" ]] || continue
            local -x "$variable=100000G"
            # shellcheck disable=SC2086 # words on purpose
            refused 5 "cannot start" $command --threads 4
            local -x "$variable=200k"
            # shellcheck disable=SC2086
            refused 2 "$variable=200k" $command --threads 4
            unset $variable
        done
    done
}

# A folder may have any name, on standard output and in JSON, too.
names_that_are_no_text_do_no_harm() {
    local folder=$WORK/$'\xff\e[31m\xc2\x9b' command number=0
    cp -r "$db" "$folder"
    accepted book --db "$folder" --seeds 5 --output "$folder/own.book"
    for command in "check --json --db" "verify --sample 5 --json --db" "check --db" "stats --db" \
        "verify --sample 5 --db" "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --detail --db" \
        "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --json --detail --db" "check --book" \
        "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --json --detail --book"; do
        [[ $command = *--book ]] && set -- own.book || set --
        # shellcheck disable=SC2086 # words on purpose
        accepted $command "$folder${1:+/$1}"
        _expect_no_control
        [[ $command != *--json* ]] || cp "$out" "$WORK/json.$((number += 1))"
    done
    flip_byte "$folder/$level" -20
    flip_byte "$folder/own.book" -20
    for command in "check --json --db" "verify --json --db" "check --json --book"; do
        [[ $command = *--book ]] && set -- own.book || set --
        # shellcheck disable=SC2086 # words on purpose
        run $command "$folder${1:+/$1}"
        expect_code 3
        _expect_no_control
        [[ $command = verify* ]] || cp "$out" "$WORK/json.$((number += 1))"
    done
    run $'\e[1m' # no command
    expect_code 2
    _expect_no_control
    run --version $'\xc2\x9b1m'
    expect_code 2
    _expect_no_control
    [ $number -eq 6 ] || fail "expected six texts of JSON"
    python3 -I -S -c 'import json, sys
for path in sys.argv[1:]:
    json.load(open(path, encoding="utf-8"))' "$WORK"/json.* >"$out" 2>"$err" || fail "expected JSON"
}

_expect_no_control() {
    local _text
    for _text in "$out" "$err"; do
        ! LC_ALL=C grep -q $'[\e\x9b]' "$_text" || fail "expected no characters of control"
    done
}

# Brings the limits of address space `too_little`, with which a command is refused, and `enough`, with which it
# works, as close together as STEP kB.
_find_limit() { # STEP FUNCTION ; the function takes a limit and succeeds if the command does
    local limit
    ! "$2" $too_little || fail "expected a refusal"
    "$2" $enough || fail "expected that it works"
    while [ $((enough - too_little)) -gt "$1" ]; do
        limit=$(((enough + too_little) / 2))
        if "$2" $limit; then enough=$limit; else too_little=$limit; fi
    done
}

# With limits between, memory was there for the threads, and not for threads beside values.
verifying_in_little_address_space_is_refused_or_done() {
    local db too_little=60000 enough=160000
    is_sanitized && return # sanitizers reserve terabytes
    db=$(shared_awari 12) || exit 1
    _find_limit 1000 _verifies
    for ((enough = too_little - 2000; enough < too_little; enough += 500)); do
        _verifies $enough || true # refused in good order, which it looks at itself, or done
    done
}

_verifies() { # LIMIT
    out=$WORK/out err=$WORK/err
    (ulimit -v "$1" && exec "$WARI" verify --local --db "$db" --threads 16) >"$out" 2>"$err"
    code=$?
    [ $code -ne 0 ] || return 0
    expect_code 5
    return 1
}

a_server_without_threads_says_so() {
    local too_little=12000 enough=160000 said=0
    is_sanitized && return # sanitizers reserve terabytes
    _find_limit 2000 _serves # in the end less than a stack is missing
    [ $said -gt 0 ] || fail "expected too few threads once"
}

_serves() { # LIMIT
    local line pid output
    out=$WORK/out err=$WORK/err
    : >"$out"
    : >"$err"
    exec {output}< <(ulimit -v "$1" && exec "$WARI" serve --db "$db" --port 0 2>&1)
    pid=$!
    while IFS= read -r line <&"$output"; do
        echo "$line" >>"$err"
        [[ $line != *"listening on"* ]] || kill -s TERM "$pid"
    done
    exec {output}<&-
    wait "$pid"
    code=$?
    ! _has "$err" "listening on" || return 0
    _has "$err" "error while loading shared libraries" || expect_code 5
    ! grep -q "cannot start a thread.*ulimit -v" "$err" || said=$((said + 1))
    return 1
}

run_tests
