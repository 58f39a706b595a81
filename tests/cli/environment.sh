#!/usr/bin/env bash
# Faults in the environment of the program: folders, permissions, memory, threads, output that
# cannot be written. The exit codes are those of the design: 2 usage, 4 I/O, 5 resources. (For
# damaged files see errors.sh.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9 # several chunks in the last level
! is_small || seeds=7
db=$WORK/awari
build "$db" $seeds || exit 1
level=awari-even-$seeds.wari
position="0 1 0 0 1 0 / 0 0 0 0 1 $((seeds - 3))" # in the last level
game=$WORK/game.txt
echo "0-1-0-0-1-0-0-0-0-0-1-$((seeds - 3))-$((39 - seeds))-9-S B *" >"$game"

# Calls FUNCTION for every command that reads a database; each command takes FOLDER as its database.
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

# At small size, only three of them, which find a database in different ways. (All commands are
# tried with a missing folder.)
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
    refused 2 "needs a value" stats --db
}

a_folder_that_is_missing_is_an_io_error() {
    _each_reader _refused_as_unreadable "$WORK/nowhere"
    expect_message "$WORK/nowhere: there is no such folder; build a database there"
    [ ! -e "$WORK/nowhere" ] || fail "expected that no folder is made"
}

a_file_is_not_accepted_as_a_folder() {
    echo text >"$WORK/file"
    _some_readers _refused_as_unreadable "$WORK/file"
    refused 4 "$WORK/file" build --db "$WORK/file" --seeds 3
    [ "$(cat "$WORK/file")" = text ] || fail "expected the file as it was"
}

an_empty_folder_holds_no_database() {
    mkdir "$WORK/empty"
    _some_readers _refused_as_empty "$WORK/empty"
}

a_folder_below_a_missing_folder_is_not_created() {
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

# ---- Threads and memory -------------------------------------------------------------------------

# OpenMP ended the process with code 1, which means for `verify` that values are wrong.
threads_that_cannot_be_started_are_reported_as_lack_of_resources() {
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

# OpenMP itself ended the program with code 1, which means for `verify` that values are wrong.
if_threads_cannot_be_started_a_message_says_so() {
    local command variable commands=("verify --db $db --sample 5" "build --db $WORK/threads --seeds 5")
    # `plan` measures speeds with at most as many threads as there are processors, so one processor needs no other thread.
    [ "$(nproc)" -eq 1 ] || commands+=("plan --seeds 12")
    for command in "${commands[@]}"; do
        for variable in OMP_STACKSIZE GOMP_STACKSIZE; do
            # (A variable that only GCC knows is tried with one command at small size.)
            ! is_small || [[ $variable != G* || $command == verify* ]] || continue
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

# Finds two limits of address space that differ by at most STEP kB: with `too_little` a command is
# refused, and with `enough` it works.
_find_limit() { # STEP FUNCTION ; the function takes a limit and succeeds if the command does
    local limit
    ! "$2" $too_little || fail "expected a refusal"
    "$2" $enough || fail "expected that it works"
    while [ $((enough - too_little)) -gt "$1" ]; do
        limit=$(((enough + too_little) / 2))
        if "$2" $limit; then enough=$limit; else too_little=$limit; fi
    done
}

# Fixed bug: with limits in between, there was memory for the threads, but not for threads and values.
verifying_in_little_address_space_is_refused_or_done() {
    local db too_little=25000 enough=160000
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

a_server_that_cannot_start_threads_says_so() {
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
    "learn-book --db $db --nodes 50 --positions 2 --output $WORK/openings"
    "puzzles --db $db --count 2" "puzzles --db $db --count 2 --json"
    "judge --db $db $perfect" "judge --db $db --json $perfect" "judge --db $db --annotate $perfect"
)

standard_output_to_a_full_disk_is_an_error() {
    local command
    : >"$WORK/none"
    out=$WORK/none err=$WORK/err
    for command in "${_commands[@]}"; do
        # (bench-probe prepares its measurements for some tenths of a second; it is tested below.)
        ! is_small || [[ $command != bench-probe*001 ]] || continue
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

# Nothing is printed, and no level file may be mistaken for standard output.
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

# The answers are longer than a pipe holds.
a_closed_pipe_ends_the_run_quietly() {
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

run_tests
