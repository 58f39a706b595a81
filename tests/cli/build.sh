#!/usr/bin/env bash
# `wari build`: the plan, refusals, stopping and continuing, and that the bytes it writes depend
# only on the rules.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# A build up to `large` seeds is stopped after level `early` and continued; builds with each kernel
# and number of threads have `again` seeds.
large=16 early=12 again=10
! is_small || { large=8 early=5 again=8; }
whole=$WORK/plain.$large few=$WORK/plain.$again
build "$whole" $large --threads 2 || exit 1
cp "$err" "$WORK/whole.err"

# Prints the folder of a database with this many seeds, which is built once, without any option.
_plain() { # SEEDS
    [ -e "$WORK/plain.$1" ] || build "$WORK/plain.$1" "$1" >&2 || exit 1
    echo "$WORK/plain.$1"
}
_plain $again >"$WORK/none"

# ---- Plan and progress ----------------------------------------------------------------------------

the_plan_comes_first_and_names_everything() {
    head -1 "$WORK/whole.err" >"$WORK/plan"
    err=$WORK/plan out=/dev/null code=0
    expect_message "awari even, levels 0 to $large"
    expect_message "positions"
    expect_message "memory"
    expect_message "disk"
    expect_message "2 threads"
}

every_level_has_a_line_and_the_end_a_summary() {
    err=$WORK/whole.err out=/dev/null code=0
    # C(n+11,11) - C(n+5,11) stored positions.
    expect_message "level  6: 12,375 positions"
    expect_message "level  8: 75,504 positions"
    is_small || expect_message "level 12: 1,339,702 positions"
    [ "$(grep -c '^level ' "$err")" -eq $((large + 1)) ] || fail "expected a line for each level"
    tail -1 "$err" | grep -q "^$((large + 1)) levels, .* positions in .* positions/s$" ||
        fail "expected a summary"
    ! grep -q $'\r\|\033' "$err" || fail "expected no live line where there is no terminal"
}

a_terminal_gets_a_live_line_that_is_cleared() {
    # `script` gives the program a terminal. The line is updated every fifth of a second.
    script -qec "$(_words env LD_PRELOAD="$CALLS" ASAN_OPTIONS=verify_asan_link_order=0 "${steady_clock[@]}" \
        "$WARI" build --db "$WORK/terminal" --seeds 4 --threads 1)" /dev/null >"$WORK/typescript"
    out=/dev/null err=$WORK/typescript code=$?
    expect_code 0
    grep -q $'\r\033\\[K' "$WORK/typescript" || fail "expected a line that is cleared"
    grep -q $'\rlevel 4: sweep [0-9]*, [0-9.]* % changing' "$WORK/typescript" || fail "expected a live line"
    expect_message "levels,"
}

# Quotes a command for another shell.
_words() { # WORD...
    printf '%q ' "$@"
}

a_dry_run_prints_the_plan_and_writes_nothing() {
    accepted build --db "$WORK/dry" --seeds 12 --dry-run
    # The sum of C(n+11,11) - C(n+5,11) for 0..12 seeds.
    expect_output_has "levels 0 to 12: 2,685,592 positions"
    [ ! -e "$WORK/dry" ] || fail "expected no folder"
}

existing_levels_are_not_solved_again() {
    accepted build --db "$whole" --seeds 6
    expect_no_output
    expect_message "has all levels of awari even up to 6 seeds already"
    accepted build --db "$whole" --seeds $large --dry-run
    expect_no_output
}

a_database_grows_to_the_same_bytes() {
    local steps
    build "$WORK/steps" 0 || exit 1
    for steps in 3 7 $again; do
        build "$WORK/steps" $steps || exit 1
        set -- "$WORK/steps"/*.wari
        [ $# -eq $((steps + 1)) ] || fail "expected $steps levels"
    done
    same_database "$few" "$WORK/steps"
}

no_temporary_file_is_left() {
    expect_no_file "$whole/*tmp*"
}

# ---- Nothing but the rules matters ----------------------------------------------------------------

threads_do_not_matter() {
    local threads
    for threads in 1 2 3 7; do
        build "$WORK/threads.$threads" $again --threads $threads || exit 1
        same_database "$few" "$WORK/threads.$threads"
    done
}

kernels_do_not_matter() {
    local kernel
    for kernel in portable auto $(_vector_kernels); do
        accepted build --db "$WORK/kernel.$kernel" --seeds $again --kernel "$kernel"
        same_database "$few" "$WORK/kernel.$kernel"
        WARI_KERNEL=$kernel accepted build --db "$WORK/kernel.$kernel.chosen" --seeds 3
        [ "$kernel" = auto ] || expect_message "kernel $kernel,"
    done
}

# Prints the vector kernels whose instructions this machine has.
_vector_kernels() {
    ! grep -qw avx2 /proc/cpuinfo || echo avx2
    ! grep -qw avx512bw /proc/cpuinfo || echo avx512bw
    ! grep -qw avx512vbmi /proc/cpuinfo || echo avx512
    [ "$(uname -m)" != aarch64 ] || echo neon
}

# Prints a kernel of another architecture.
_foreign_kernel() {
    if [ "$(uname -m)" = aarch64 ]; then echo avx2; else echo neon; fi
}

the_option_overrides_the_environment() {
    WARI_KERNEL=avx512 accepted build --db "$WORK/portable" --seeds 2 --kernel portable
    expect_message "kernel portable"
    WARI_KERNEL='' accepted build --db "$WORK/portable" --seeds 3 --dry-run
}

cycle_rule_own_does_not_depend_on_threads_or_kernels_either() {
    build "$WORK/own" 9 --rules tournament --threads 1 --kernel portable || exit 1
    build "$WORK/own2" 9 --rules abapa --cycle own --threads 3 || exit 1
    same_database "$WORK/own" "$WORK/own2"
}

rule_sets_live_side_by_side() {
    build "$WORK/both" 5 || exit 1
    build "$WORK/both" 4 --rules abapa || exit 1
    build "$WORK/both" 3 --rules abapa --cycle own || exit 1
    build "$WORK/both" 6 || exit 1
    accepted query --db "$WORK/both" --rules awari --format value "0 0 0 3 2 0 / 1 0 0 0 0 0"
    expect_output 6
    refused 1 "up to 4" query --db "$WORK/both" --rules abapa --cycle even "0 0 0 3 2 0 / 1 0 0 0 0 0"
}

# ---- Stopping and going on ------------------------------------------------------------------------

_hold_before_level() { # LEVEL
    rm -rf "$WORK/stopped"
    hold_build "$WORK/stopped" $large "$1"
}

# Ends a build of $WORK/stopped by signals that arrive while it is held, and continues it.
_stops_and_goes_on() { # CODE SIGNAL...
    local folder=$WORK/stopped expected=$1 signal
    shift
    for signal in "$@"; do
        kill -s "$signal" "$pid"
    done
    end_held
    expect_code "$expected"
    expect_no_output
    expect_message "the same command continues from there"
    expect_no_file "$folder/*tmp*"
    [ ! -e "$folder/awari-even-$large.wari" ] || fail "expected that it stopped before the end"
    # The files that are left are valid, and the catalogue agrees with them.
    accepted verify --db "$folder" --sample 500
    accepted build --db "$folder" --seeds $large
    ! grep -q "^level  *$early:" "$err" || fail "expected that finished levels are not solved again"
    same_database "$whole" "$folder"
}

# Starts a build and holds it within its last level: one checkpoint of it is written, and another
# one is about to be written.
_hold_after_checkpoint() { # FOLDER SEEDS
    local folder=$1 seeds=$2 held_settings=("${steady_clock[@]}")
    start_held open "*-$seeds.checkpoint.tmp" build --db "$folder" --seeds "$seeds" --threads 1 --checkpoint 1
    until [ -e "$folder/awari-even-$seeds.checkpoint" ]; do
        let_go
        wait_until_held
    done
}

control_c_keeps_finished_levels_and_the_same_command_resumes() {
    _hold_before_level $((early + 1))
    _stops_and_goes_on 130 INT
}

sigterm_keeps_finished_levels_and_the_same_command_resumes() {
    rm -rf "$WORK/stopped"
    _hold_after_checkpoint "$WORK/stopped" $large
    _stops_and_goes_on 143 TERM
    expect_message "from a checkpoint"
}

# Fixed bug: closing the terminal lost the finished levels. `nohup` asks the build not to stop then.
a_lost_terminal_keeps_finished_levels_and_the_same_command_resumes() {
    _hold_before_level $((early + 1))
    _stops_and_goes_on 129 HUP
}

# Fixed bug: a second signal killed the build. A terminal that closes sends two SIGHUP, and timeout(1)
# signals first its child process and then the group.
simultaneous_signals_count_as_one_request() {
    _hold_before_level $((early + 1))
    _stops_and_goes_on 130 INT TERM
}

nohup_lets_a_build_outlive_its_terminal() {
    # (The library of tests/calls/ removes LD_PRELOAD from the environment of programs that the tested
    # program starts, so the script sets it again for the build.)
    printf '#!/bin/sh\nexec nohup env LD_PRELOAD="%s" "%s" "$@"\n' "$CALLS" "$WARI" >"$WORK/with_nohup"
    chmod +x "$WORK/with_nohup"
    WARI=$WORK/with_nohup hold_build "$WORK/nohup" 5 3
    kill -s HUP "$pid"
    end_held
    expect_code 0
    expect_message "6 levels,"
}

a_killed_build_can_be_resumed() {
    local folder=$WORK/killed
    hold_build "$folder" $large $((early + 1))
    kill_held
    accepted build --db "$folder" --seeds $large
    ! grep -q "^level  *$early:" "$err" || fail "expected that finished levels are not solved again"
    same_database "$whole" "$folder"
}

two_builds_do_not_share_a_folder() {
    local folder=$WORK/shared
    hold_build "$folder" 6 4
    run build --db "$folder" --seeds 4 --rules abapa
    expect_code 4
    expect_no_output
    expect_message "$pid"
    kill_held
    # The lock disappears with the process.
    accepted build --db "$folder" --seeds 4 --rules abapa
}

levels_removed_during_a_build_are_noticed_at_its_end() {
    local folder=$WORK/robbed
    hold_build "$folder" 6 5
    rm "$folder/awari-even-2.wari"
    end_held
    expect_code 4
    expect_message "level 2 is listed but missing; run the same build again"
}

a_link_planted_under_a_temporary_name_is_not_followed() {
    local folder=$WORK/planted
    mkdir "$folder"
    echo precious >"$WORK/precious"
    ln -s "$WORK/precious" "$folder/awari-even-0.wari.tmp"
    accepted build --db "$folder" --seeds 1
    [ "$(cat "$WORK/precious")" = precious ] || fail "expected that the file behind the link is left alone"
    [ ! -L "$folder/awari-even-0.wari" ] || fail "expected a file of its own"
}

# The bit backend solves level 11 with a scratch file; level 13 keeps only its full halves in the
# file.
a_link_under_the_name_of_a_scratch_file_is_not_followed() {
    local eleven=$WORK/eleven thirteen=$WORK/thirteen
    { cp -r "$(_plain 10)" "$eleven" && cp -r "$(shared_awari 12)" "$thirteen"; } || exit 1
    echo precious >"$WORK/precious"
    ln -s "$WORK/precious" "$eleven/awari-even-11.scratch"
    ln -s "$WORK/precious" "$thirteen/awari-even-13.scratch"
    accepted build --db "$eleven" --seeds 11 --threads 1 --memory 11800k
    expect_message ", bit backend:"
    accepted build --db "$thirteen" --seeds 13 --threads 1 --memory 15900k
    [ "$(cat "$WORK/precious")" = precious ] ||
        fail "expected that the file behind the link is left alone"
}

# ---- What cannot work -----------------------------------------------------------------------------

a_build_that_does_not_fit_into_memory_is_refused_before_it_starts() {
    run build --db "$WORK/huge" --seeds 46 --memory 100M
    expect_code 5
    expect_no_output
    expect_message "of memory"
    grep -q -e "--seeds [0-9]* would fit" "$err" || fail "expected to be told what would fit"
    [ ! -e "$WORK/huge" ] || fail "expected no folder"
}

# ---- By bits, and checkpoints ----------------------------------------------------------------------

a_level_that_does_not_fit_is_solved_by_bits_to_the_same_bytes() {
    local seeds=13 memory=14900k
    ! is_small || { seeds=10 memory=11050k; }
    accepted build --db "$WORK/bits" --seeds $seeds --threads 1 --memory $memory \
        --scratch "$WORK/scratch"
    expect_message "bit backend from level $seeds on"
    expect_message "in $WORK/scratch"
    expect_message "bit backend: "
    same_database "$(_plain $seeds)" "$WORK/bits"
    [ -z "$(ls -A "$WORK/scratch")" ] || fail "expected that nothing stays in the scratch folder"
}

# From 16 seeds on, the codes of `own` in memory show fewer captures than the bit backend needs. (At
# small size, test_solver_bits has such codes.)
own_by_bits_has_the_published_values() {
    local seeds=16 memory=30M
    ! is_small || { seeds=10 memory=14450k; }
    accepted build --db "$WORK/own_by_bits" --rules tournament --seeds $seeds --memory $memory --threads 2
    expect_message "bit backend from level $seeds on"
    accepted check --db "$WORK/own_by_bits" --published
    expect_output_has "the same values and counts as published"
}

bad_scratch_folders_and_intervals_are_refused() {
    local bad
    refused 2 "--scratch" build --db "$WORK/bad" --seeds 3 --scratch ''
    for bad in 0 -1 soon 86401; do
        refused 2 "--checkpoint" build --db "$WORK/bad" --seeds 3 --checkpoint "$bad"
    done
    [ ! -e "$WORK/bad" ] || fail "expected no folder"
}

a_killed_build_resumes_from_a_checkpoint_inside_a_level() {
    local folder=$WORK/inside
    _hold_after_checkpoint "$folder" $large
    kill_held
    accepted build --db "$folder" --seeds $large
    expect_message "from a checkpoint"
    expect_no_file "$folder/*checkpoint*"
    same_database "$whole" "$folder"
}

# Sizes of disks for a checkpoint of the last level. The files up to 15 seeds are planned at 6.4 MB
# and take 5.6 MB, 2.6 MB of them for level 15; a checkpoint takes 7.6 MB. Up to 10 seeds these
# sizes are 286, 205, 94 and 351 kB.
_last=15 _narrow=12m _wide=20m _taken=400000 _checkpoint="7.6 MB"
! is_small || { _last=10 _narrow=500k _wide=900k _taken=100000 _checkpoint="351.4 kB"; }

# Makes a disk of this size and sets $folder to a folder on it; ends the test if that is not
# permitted.
_small_disk() { # SIZE
    pid=
    mkdir -p "$WORK/disk"
    mount -t tmpfs -o size="$1" none "$WORK/disk" 2>/dev/null || exit 0
    trap '[ -z "$pid" ] || kill_held; umount "$WORK/disk"' EXIT
    folder=$WORK/disk/db
}

# Fixed bug: a checkpoint was written to the narrow disk, and then there was no space for the level.
a_checkpoint_leaves_room_for_the_level() {
    local folder
    _small_disk $_narrow
    out=$WORK/out err=$WORK/err
    (with_calls "${steady_clock[@]}" "$WARI" build --db "$folder" --seeds $_last --threads 1 --checkpoint 1) >"$out" 2>"$err"
    code=$?
    expect_code 0
    grep -q "^level $_last:.* could not be written" "$err" || fail "expected a checkpoint without room"
    same_database "$(_plain $_last)" "$folder"
}

# The wide disk has space for both, even if the build is continued when there are files of levels
# that were not published yet.
a_checkpoint_on_a_small_disk_is_gone_on_from() {
    local folder
    _small_disk $_wide
    _hold_after_checkpoint "$folder" $_last
    kill_held
    pid=
    # If other files have taken the space, the refusal states the size of the checkpoint.
    head -c $(($(df --output=avail -B1 "$WORK/disk" | tail -1) - _taken)) /dev/zero >"$WORK/disk/filler"
    refused 4 "(a checkpoint takes another $_checkpoint)" build --db "$folder" --seeds $_last
    rm "$WORK/disk/filler"
    accepted build --db "$folder" --seeds $_last
    expect_message "from a checkpoint"
    expect_no_file "$folder/*checkpoint*"
}

# Prints the smallest memory that a build needs, in kB, with one kB added for rounding. It is taken
# from the refusal of a limit that is too small for anything.
_least_kilobytes() { # OPTION...
    run build --db "$WORK/nowhere" --memory 1 "$@"
    expect_code 5
    expect_message "--memory"
    sed -n 's/.*need at least \([0-9.]*\) MB.*/\1/p' "$err" | awk '{ print $1 * 1000 + 60 }'
}

a_memory_limit_that_is_too_small_is_refused_before_the_build() {
    refused 5 "(--memory)" build --db "$WORK/bound" --seeds 12 --memory 1M
    expect_message "need at least"
    expect_message "only 1.0 MB is available"
    refused 5 "(--memory)" build --db "$WORK/bound" --seeds 12 --memory 1
    [ ! -e "$WORK/bound" ] || fail "expected no folder"
    # If a limit suffices for fewer levels, the refusal says so.
    refused 5 "--seeds 1" build --db "$WORK/bound" --seeds 20 --threads 1 --memory 20M
    [ ! -e "$WORK/bound" ] || fail "expected no folder"
}

bad_bounds_are_refused() {
    local bad
    for bad in 0 -1 abc "" 1.5G 1T 10MB "1 M" 99999999999999999999; do
        refused 2 "--memory" build --db "$WORK/bad" --seeds 3 --memory "$bad"
    done
    refused 2 "needs a value" build --db "$WORK/bad" --seeds 3 --memory
    [ ! -e "$WORK/bad" ] || fail "expected no folder"
}

the_plan_names_the_memory_limit_and_stays_below_it() {
    accepted build --db "$WORK/dry" --seeds 20 --threads 1 --memory 200M --dry-run
    expect_output_has "memory at most 200.0 MB"
    expect_output_has "(limit 200.0 MB)"
}

a_memory_limit_does_not_change_the_files() {
    local least
    least=$(_least_kilobytes --seeds $again --threads 2) || exit 1
    accepted build --db "$WORK/tight" --seeds $again --threads 2 --memory "${least}k"
    same_database "$few" "$WORK/tight"
}

# The address sanitizer itself reserves terabytes of address space, so this test is useless with it.
if ! is_sanitized; then
    a_limit_of_address_space_is_respected() {
        out=$WORK/out err=$WORK/err
        (ulimit -v 150000 && exec "$WARI" build --db "$WORK/limited" --seeds 46) >"$out" 2>"$err"
        code=$?
        expect_code 5
        expect_message "ulimit -v"
        [ ! -e "$WORK/limited" ] || fail "expected no folder"
        (ulimit -v 150000 && exec "$WARI" build --db "$WORK/limited" --seeds 8 --threads 1) \
            >"$out" 2>"$err"
        code=$?
        expect_code 0
    }
fi

# A limit on the file size simulates a full disk: writing fails in the middle of a level.
a_full_disk_loses_only_the_current_level() {
    local folder=$WORK/full blocks=60
    ! is_small || blocks=12
    out=$WORK/out err=$WORK/err
    (ulimit -f $blocks && exec "$WARI" build --db "$folder" --seeds $again) >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_no_output
    expect_message "awari-even-$again.wari"
    expect_no_file "$folder/*tmp*"
    accepted query --db "$folder" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output 3
    accepted build --db "$folder" --seeds $again
    same_database "$few" "$folder"
}

bad_numbers_are_refused() {
    local bad
    refused 2 "--seeds N is missing" build --db "$WORK/bad"
    for bad in 49 -1 abc "" 1.5 "1 2" 0x5 99999999999999999999; do
        refused 2 "\"$bad\" is not a whole number from 0 to 48" build --db "$WORK/bad" --seeds "$bad"
    done
    refused 2 "47 seeds" build --db "$WORK/bad" --seeds 47
    for bad in 0 -1 two 1025; do
        refused 2 "--threads" build --db "$WORK/bad" --seeds 3 --threads "$bad"
    done
    [ ! -e "$WORK/bad" ] || fail "expected no folder"
}

bad_names_are_refused() {
    refused 2 "slam-gives" build --db "$WORK/bad" --seeds 3 --rules frisian
    refused 2 "even, own" build --db "$WORK/bad" --seeds 3 --cycle odd
    refused 2 "contradicts" build --db "$WORK/bad" --seeds 3 --rules tournament --cycle even
    refused 2 "--kernel" build --db "$WORK/bad" --seeds 3 --kernel fast
    WARI_KERNEL=fast refused 2 "WARI_KERNEL" build --db "$WORK/bad" --seeds 3
    refused 6 "this machine lacks" build --db "$WORK/bad" --seeds 3 --kernel "$(_foreign_kernel)"
    [ ! -e "$WORK/bad" ] || fail "expected no folder"
}

bad_options_are_refused() {
    refused 2 "--help" build --db "$WORK/bad" --seeds 3 --fast
    refused 2 "-s" build --db "$WORK/bad" -s 3
    refused 2 "needs a value" build --db "$WORK/bad" --seeds
    refused 2 "takes no value" build --db "$WORK/bad" --seeds 3 --dry-run=yes
    # Options have no short names: -d was once read as a --db with an extra value.
    refused 2 "unknown or ambiguous option -d" build -d "$WORK/bad" --seeds 3
    refused 2 "unknown or ambiguous option -n" build --db "$WORK/bad" --seeds 3 -n
    refused 2 "unexpected argument" build --db "$WORK/bad" --seeds 3 4
}

run_tests
