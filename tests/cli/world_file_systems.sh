#!/usr/bin/env bash
# File systems of networks, containers and virtual machines lack what local disks have: folders that can be synced,
# locks, and open files that can be removed. All commands work there and write the same bytes. Also tests
# other limits of the environment: few processors, and programs that never join MPI.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/ranks.sh
. tests/cli/ranks.sh

# With this memory the highest levels are solved with bits and a scratch file.
seeds=16 memory=24M
! is_small || { seeds=10 memory=11050k; }
build "$WORK/plain" $seeds || exit 1
position="0 1 0 0 1 0 / 0 0 0 0 0 1" # published value: 3

_everything="sync flock fcntl modes unlink rename" # that a file system can lack (see tests/calls/calls.c)

_run_without() { # "WORD..." ARGUMENT...
    local lacking=$1
    shift
    out=$WORK/out err=$WORK/err
    (with_calls FILES_LACK="$lacking" "$WARI" "$@") >"$out" 2>"$err" </dev/null
    code=$?
}

_expect_notes() { # NUMBER
    [ "$(grep -c 'cannot flush the names of files to disk' "$err")" -eq "$1" ] || fail "expected $1 notes"
}

_expect_nothing_left() { # FOLDER
    [ -z "$(find "$1" -name '*.scratch*' -o -name 'build.owner*' -o -name '*.tmp')" ] || fail "expected no file left in $1"
}

# ---- Everything at once -----------------------------------------------------------------------------

a_build_writes_the_same_bytes_on_the_poorest_file_system() {
    _run_without "$_everything" build --db "$WORK/poor" --seeds $seeds --threads 2
    expect_code 0
    _expect_notes 1
    same_database "$WORK/plain" "$WORK/poor"
    _expect_nothing_left "$WORK/poor"
}

a_build_with_a_scratch_file_does_so_as_well() {
    mkdir "$WORK/scratch"
    _run_without "$_everything" build --db "$WORK/bits" --seeds $seeds --threads 1 --memory $memory \
        --scratch "$WORK/scratch"
    expect_code 0
    expect_message "bit backend from level"
    same_database "$WORK/plain" "$WORK/bits"
    _expect_nothing_left "$WORK/bits"
    _expect_nothing_left "$WORK/scratch"
}

# ---- Folders that cannot be synced ------------------------------------------------------------------

commands_that_write_say_once_that_names_may_be_lost() {
    local db
    db=$(copy_of "$WORK/plain")
    _run_without sync verify --db "$db" --threads 2
    expect_code 0
    _expect_notes 1
    _run_without sync verify --db "$db" --threads 2 --anew --no-record
    expect_code 0
    _run_without sync book --db "$db" --seeds 5 --output "$WORK/some.book"
    expect_code 0
    _expect_notes 1
    accepted check --book "$WORK/some.book"
    _run_without sync pack --db "$db" --threads 2
    expect_code 0
    _expect_notes 1
    accepted check --db "$db"
    _run_without sync export --db "$db" --seeds 3 --output "$WORK/values"
    expect_code 0
}

# ---- Locks ------------------------------------------------------------------------------------------

without_flock_another_lock_keeps_a_second_build_out() {
    local held_settings=("${steady_clock[@]}" FILES_LACK=flock)
    start_held rename "*-3.wari" build --db "$WORK/fcntl" --seeds 4 --threads 1
    _run_without flock build --db "$WORK/fcntl" --seeds 4
    expect_code 4
    expect_message "process $pid is building here"
    expect_no_file "$WORK/fcntl/build.owner"
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
}

# The file names the owner, which removes it at its end. If the owner is killed, the next build on the same host removes it.
without_any_lock_a_file_names_the_owner_of_the_folder() {
    local held_settings=("${steady_clock[@]}" FILES_LACK="flock fcntl") db=$WORK/owned host process work
    start_held rename "*-3.wari" build --db "$db" --seeds 4 --threads 1
    read -r host process work <"$db/build.owner"
    [ "$process $work" = "$pid building" ] || fail "the owner is $process, which is $work"
    [ "${host,,}" = "$(uname -n | tr "[:upper:]" "[:lower:]")" ] || fail "the owner is on host $host"
    _run_without "flock fcntl" build --db "$db" --seeds 4
    expect_code 4
    expect_message "process $pid on host $host is building here"
    expect_message "delete $db/build.owner"
    _run_without "flock fcntl" pack --db "$db"
    expect_code 4
    refused 4 "process $pid on host $host" build --db "$db" --seeds 4 # where locks work
    _run_without "flock fcntl" query --db "$db" --format value "0 1 0 0 0 0 / 0 0 0 0 0 1"
    expect_code 0
    kill_held
    [ -e "$db/build.owner" ] || fail "expected that the file is left"
    _run_without "flock fcntl" build --db "$db" --seeds 4
    expect_code 0
    _expect_nothing_left "$db"
    accepted check --db "$db"

    echo "elsewhere 1 packing" >"$db/build.owner"
    _run_without "flock fcntl" build --db "$db" --seeds 5
    expect_code 4
    expect_message "process 1 on host elsewhere is packing here"
    _run_without "flock fcntl" build --db "$db" --seeds 5 --no-lock
    expect_code 0
}

where_nothing_locks_an_option_goes_on() {
    local nothing="flock fcntl owner" db=$WORK/unlocked command
    _run_without "$nothing" build --db "$db" --seeds 4
    expect_code 4
    expect_no_output
    expect_message "this file system has no locks"
    expect_message "two builds at once would damage the database"
    expect_message "--no-lock"
    expect_no_file "$db/*.wari"
    for command in "build --seeds 4" pack; do
        # shellcheck disable=SC2086 # words on purpose
        _run_without "$nothing" $command --db "$db" --no-lock
        expect_code 0
    done
    _run_without "$nothing" pack --db "$db"
    expect_code 4
    expect_message "--no-lock"
}

reading_needs_no_lock() {
    _run_without "$_everything owner" query --db "$WORK/plain" --format value "$position"
    expect_code 0
    expect_output 3
    expect_no_message
    _run_without "$_everything owner" check --db "$WORK/plain"
    expect_code 0
    expect_no_message
}

the_file_of_a_match_needs_no_lock() {
    local match=(match --db "$WORK/plain" --engine "'$WARI' engine --random" --games 2 --nodes 1)
    _run_without "flock" "${match[@]}" --match "$WORK/match.txt"
    [ $code -le 1 ] || fail "expected a match"
    ! _has "$err" "has no locks" || fail "expected no note"
    _run_without "flock fcntl" "${match[@]}" --match "$WORK/match2.txt"
    [ $code -le 1 ] || fail "expected a match"
    expect_message "$WORK/match2.txt: this file system has no locks"
}

# ---- Scratch files ----------------------------------------------------------------------------------

# The build is killed when it writes to the scratch file for the first time.
the_scratch_file_of_a_killed_build_is_removed_by_the_next() {
    local held_settings=(FILES_LACK=unlink) db=$WORK/killed count
    mkdir "$WORK/disk"
    start_held write "$WORK/disk/*.scratch*" build --db "$db" --seeds $seeds --threads 1 --memory $memory --scratch "$WORK/disk"
    count=$(find "$WORK/disk" -name "awari-even-*.scratch.*.$pid.*" | wc -l)
    [ "$count" -ge 1 ] || fail "expected a scratch file with a name"
    kill_held
    echo mine >"$WORK/disk/mine.scratch"
    accepted build --db "$db" --seeds $seeds --scratch "$WORK/disk"
    [ "$(ls "$WORK/disk")" = mine.scratch ] || fail "expected that only the files of the build are removed"
    same_database "$WORK/plain" "$db"
}

a_scratch_file_that_is_impossible_is_reported_before_the_first_level() {
    ordinary_program
    mkdir -m 777 "$shared/db"
    mkdir -m 555 "$shared/scratch"
    as_ordinary_user "$shared/wari" build --db "$shared/db" --seeds $seeds --threads 1 --memory $memory \
        --scratch "$shared/scratch" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_message "$shared/scratch/"
    expect_message "cannot create: Permission denied"
    expect_no_file "$shared/db/*.wari"
}

# ---- Open files that cannot be renamed or replaced ----------------------------------------------------

# Fixed bug: pack had the old file of the level open when it gave the new one its name.
files_are_replaced_only_when_they_are_closed() {
    local db=$WORK/replaced packed
    build "$WORK/small" 7 || exit 1
    cp -r "$WORK/small" "$db"
    packed=$(copy_of "$db")
    accepted pack --db "$packed"
    _run_without rename pack --db "$db" --threads 2
    expect_code 0
    same_database "$packed" "$db"
    for _ in 1 2; do # the second run replaces what the first one wrote
        _run_without rename verify --db "$db" --threads 2 --anew
        expect_code 0
        _run_without rename book --db "$db" --seeds 5 --output "$WORK/replaced.book"
        expect_code 0
        _run_without rename export --db "$db" --seeds 3 --output "$WORK/replaced.values"
        expect_code 0
    done
    flip_byte "$db/awari-even-5.wari" -20
    _run_without rename build --db "$db" --seeds 7 --replace-damaged
    expect_code 0
    same_file "$WORK/small/awari-even-5.wari" "$db/awari-even-5.wari"
}

# Fixed bug: on CIFS or FAT without modes, and in a namespace without the group of a file, nothing could be
# replaced, not even the catalogue of a new folder.
files_are_replaced_where_modes_and_owners_cannot_be_set() {
    local lacking db
    for lacking in modes groups; do
        db=$WORK/of_$lacking
        _run_without "$lacking" build --db "$db" --seeds $seeds --threads 2
        expect_code 0
        same_database "$WORK/plain" "$db"
        for _ in 1 2; do # the second run replaces what the first one wrote
            _run_without "$lacking" verify --db "$db" --threads 2 --anew
            expect_code 0
            _run_without "$lacking" export --db "$db" --seeds 3 --output "$WORK/replaced.$lacking"
            expect_code 0
        done
    done
}

# ---- Processors -------------------------------------------------------------------------------------

# Quotas of control groups are tested in tests/unit/system/test_processors.c.
the_default_of_threads_is_the_number_of_usable_processors() {
    local processors allowed first
    processors=$(getconf _NPROCESSORS_ONLN)
    first=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
    out=$WORK/out err=$WORK/err
    taskset -c "$first" "$WARI" --version >"$out" 2>"$err"
    code=$?
    expect_code 0
    if [ "$processors" -eq 1 ]; then
        expect_output_has "threads: 1 by default, one for each processor"
    else
        expect_output_has "threads: 1 by default, because "
        expect_output_has "this machine has $processors processors"
    fi
    taskset -c "$first" "$WARI" build --db "$WORK/none" --seeds 3 --dry-run >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output_has ", 1 thread"
    accepted --version
    allowed=$(sed -n 's/^threads: \([0-9]*\) by default.*/\1/p' "$out")
    [ "${allowed:-0}" -ge 1 ] && [ "$allowed" -le "$processors" ] || fail "expected 1 to $processors threads"
    accepted build --db "$WORK/none" --seeds 3 --dry-run
    expect_output_has ", $allowed thread"
}

# ---- A program that never joins MPI -----------------------------------------------------------------

# Advances the clock in steps of twenty seconds until the job prints this text.
_let_time_pass() { # TEXT
    local line= status i
    for ((i = 0; i < 5 * safety; i++)); do
        IFS= read -r -t 0.2 -u "$messages" line
        status=$?
        echo "$line" >>"$err"
        [[ $line != *"$1"* ]] || return 0
        [ $status -eq 0 ] && continue
        [ $status -gt 128 ] || fail "expected before the end of the job: $1"
        head -c 20000 /dev/zero >>"$WORK/clock"
    done
    fail "timed out: expected $1"
}

# The other program reads a pipe to which nobody writes. The clock of the rank is a file: it advances by a millisecond
# for each byte.
a_rank_that_waits_for_a_foreign_program_says_so_and_ends() {
    local job messages
    command -v mpirun >/dev/null && [ -x "$WARI_MPI" ] || return 0
    out=$WORK/job.out err=$WORK/job.err code=-
    mkfifo "$WORK/never" "$WORK/messages"
    : >"$WORK/clock" && : >"$out" && : >"$err"
    printf '#!/usr/bin/env bash\nread -r _ <>"%s"\n' "$WORK/never" >"$WORK/foreign"
    printf '#!/usr/bin/env bash\nexec env LD_PRELOAD="%s" CLOCK_FILE="%s" ASAN_OPTIONS="%s" "%s" "$@"\n' \
        "$CALLS" "$WORK/clock" "${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$WARI_MPI" >"$WORK/rank"
    chmod +x "$WORK/foreign" "$WORK/rank"
    timeout $safety mpirun --oversubscribe -n 1 "$WORK/rank" build --db "$WORK/joined" --seeds 3 : -n 1 "$WORK/foreign" \
        >"$out" 2>"$WORK/messages" </dev/null &
    job=$!
    exec {messages}<"$WORK/messages"
    _let_time_pass "waiting for processes of this mpirun that have not joined MPI"
    _let_time_pass "have joined MPI within 300 seconds"
    cat <&"$messages" >>"$err"
    wait $job
    code=$?
    expect_code 4
    expect_no_file "$WORK/joined"
}

# POSIX does not say on which processors a process may run (system/README.md).
is_posix && unset -f the_default_of_threads_is_the_number_of_usable_processors

run_tests
