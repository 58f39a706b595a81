#!/usr/bin/env bash
# `wari plan`: it agrees with `wari build`, its sums and arithmetic are right for given speeds, and
# its refusals. Whether the times are near those of real builds is tested by `make bench`.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

build "$WORK/small" 8 || exit 1

# All speeds are 0, so nothing takes time except what a test adds after it.
readonly nothing=capture=0,sowing=0,column=0,event=0,count=0,encode=0,decode=0,level=0,memory=0

# Conditions on the JSON output of runs: "every['seconds'] > 0". They are collected and checked
# together at the end of a test, by `_all_hold`, since an interpreter takes longer to start than a
# plan.
conditions=()
_holds() { # CONDITION...
    local _text condition
    _read_text "$out" || fail "expected one text"
    for condition in "$@"; do
        conditions+=("$condition" "$_text")
    done
}

# (`seconds` has the times of all plans in the conditions so far.)
_all_hold() {
    [ ${#conditions[@]} -gt 0 ] || fail "expected conditions"
    python3 -I -S -c "import json, sys
near = lambda a, b: abs(a - b) <= 1e-6 * abs(b) + 1e-9
seconds = []
for condition, text in zip(sys.argv[1::2], sys.argv[2::2]):
    plan = json.loads(text)
    every, levels = plan.get('all'), plan['levels']
    seconds += [every['seconds']] if every else []
    if not eval(condition):
        sys.exit('expected in the JSON: %s\n%s' % (condition, text))" "${conditions[@]}" || exit 1
}

# ---- The plan -----------------------------------------------------------------------------------

the_plan_agrees_with_that_of_a_build() {
    local folder memory options lines line name rest _text memories="250M 280M 1G"
    ! is_small || memories="250M 1G"
    for folder in none small; do
        for memory in $memories; do
            for options in "--cycle even" "--rules tournament"; do
                # shellcheck disable=SC2086 # a list of words
                accepted build --db "$WORK/$folder" --seeds 20 --threads 2 --memory $memory $options --dry-run
                _read_text "$out"
                [[ $options$memory == *tournament250M || $options$memory == *tournament280M ]] && continue
                # shellcheck disable=SC2086
                accepted plan --db "$WORK/$folder" --seeds 20 --threads 2 --memory $memory $options --no-calibration
                mapfile -t lines <"$out"
                [[ $_text == *"${lines[0]};"* ]] || fail "expected the positions of $_text"
                for line in "${lines[@]:2:2}"; do
                    read -r name rest <<<"$line"
                    case $name in
                    memory) [[ $_text == *"; memory $rest "* ]] || fail "expected the memory of $_text" ;;
                    disk) [[ $_text == *"; disk ${rest% for the files} (free "* ]] || fail "expected the disk of $_text" ;;
                    *) fail "expected lines on memory and disk" ;;
                    esac
                done
            done
        done
    done
}

existing_levels_are_skipped() {
    accepted plan --db "$WORK/small" --seeds 12 --no-calibration --json
    _holds "plan['first'] == 9 and [level['seeds'] for level in levels] == [9, 10, 11, 12]"
    accepted plan --db "$WORK/small" --seeds 8 --no-calibration
    expect_no_output
    expect_message "has all levels of awari even up to 8 seeds already"
    accepted plan --db "$WORK/small" --seeds 8 --no-calibration --json
    _holds "plan == {'rules': 'awari', 'cycle': 'even', 'first': 9, 'seeds': 8, 'levels': []}"
    _all_hold
}

a_plan_needs_no_folder_and_makes_none() {
    accepted plan --seeds 10 --no-calibration
    accepted plan --db "$WORK/nowhere" --seeds 10 --no-calibration
    [ ! -e "$WORK/nowhere" ] || fail "expected no folder"
}

# The number of positions is that of Romein and Bal (2003) without the start position, which is not
# stored; it is the sum over levels 0 to 46 and 48. C(53,11) full halves are stored beside level 48.
the_whole_game_is_planned() {
    accepted plan --seeds 48 --threads 16 --memory 64G --disk-bandwidth 5G --no-calibration --json
    _holds "every['positions'] == 889063398405 and len(levels) == 48 and levels[-2]['seeds'] == 46" \
        "levels[-1]['positions'] == 203648015935 and 407296031870 + 76223753060 <= every['scratch_bytes'] <= 3.2 * 203648015935 + 76223753060" \
        "every['memory_bytes'] == 64 * 10**9"
    _all_hold
    accepted plan --seeds 48 --memory 64G --no-calibration
    expect_output_has "scratch   691."
    [ "$(grep -cE '^ *[0-9]+  ' "$out")" -eq 48 ] || fail "expected a line for each level"
}

sums_are_those_of_the_levels() {
    local options
    for options in "--memory 2G" "--memory 200M --disk-bandwidth 300M" \
        "--cycle own --memory 2G --disk-bandwidth 2G"; do
        # shellcheck disable=SC2086
        accepted plan --seeds 24 --threads 3 $options --no-calibration --json
        for key in positions disk_bytes; do
            _holds "sum(level['$key'] for level in levels) == every['$key']"
        done
        for key in memory_moved disk_read disk_written seconds; do
            _holds "abs(sum(level['$key'] for level in levels) - every['$key']) <= 1e-9 * every['$key'] + 25"
        done
        for key in memory_bytes scratch_bytes; do
            _holds "max(level['$key'] for level in levels) == every['$key']"
        done
        _holds "all(near(sum(level['pass_seconds'].values()), level['seconds']) for level in levels)"
        _holds "all(level['passes'] == level['sweeps'] + 3 and level['sweeps'] > level['dense_sweeps'] for level in levels)"
    done
    _all_hold
}

# ---- Arithmetic ---------------------------------------------------------------------------------

each_speed_takes_the_time_that_it_says() {
    # 2 ns for each position of 0..20 seeds, 216,135,140 of them, by two threads
    for name in capture count encode; do
        accepted plan --seeds 20 --threads 2 --memory 2G --json --speed $nothing,$name=2
        _holds "near(every['seconds'], 0.216135140)"
    done
    accepted plan --seeds 20 --threads 2 --memory 2G --json --speed $nothing,level=10
    _holds "near(every['seconds'], 21 * 0.010)"
    # a pass over the cells makes all sowings, 6 n / (n + 11) for each position on average; all dense
    # sweeps but one make two passes; by 4 threads
    accepted plan --seeds 20 --threads 4 --memory 2G --json --speed $nothing,sowing=0.5
    _holds "all(near(level['seconds'], level['positions'] * 0.5e-9 / 4 * (2 * level['dense_sweeps'] - 1) * 6 * level['seeds'] / (level['seeds'] + 11)) for level in levels)"
    accepted plan --seeds 20 --threads 2 --memory 2G --json --speed $nothing --memory-bandwidth 10G
    _holds "near(every['seconds'], every['memory_moved'] / 10e9)"
    _all_hold
}

levels_that_do_not_fit_into_memory_use_the_disk() {
    accepted plan --seeds 24 --threads 2 --memory 400M --json --speed $nothing --disk-bandwidth 100M
    _holds "765257220 + 34597290 <= every['scratch_bytes'] <= 3.2 * 382628610 + 34597290 and levels[20]['scratch_bytes'] == 0"
    _holds "every['seconds'] <= (every['disk_read'] + every['disk_written']) / 100e6 * 1.000001"
    _holds "every['seconds'] >= (every['disk_read'] + every['disk_written']) / 100e6 * 0.999"
    _all_hold
}

less_memory_never_saves_time() {
    local memory
    # (a level of the bit backend leaves more memory to the cache of lower levels than a level that
    # only just fits into memory)
    for memory in 4G 2G 1300M 1100M 900M 700M 500M 400M 300M; do
        accepted plan --seeds 24 --threads 2 --memory $memory --disk-bandwidth 500M --no-calibration --json
        _holds "seconds == seconds[:1] or seconds[-1] >= seconds[-2] * 0.999999"
    done
    _all_hold
}

a_plan_with_speeds_given_is_always_the_same() {
    accepted plan --seeds 30 --threads 4 --memory 1G --no-calibration
    cp "$out" "$WORK/first"
    accepted plan --seeds 30 --threads 4 --memory 1G --no-calibration
    same_file "$WORK/first" "$out"
    # the last line has the format that --speed reads
    accepted plan --seeds 30 --threads 4 --memory 1G --speed "$(tail -1 "$out" | sed 's/.*: //')"
    same_file "$WORK/first" "$out"
}

# Fixed bug: all levels above the first missing one were planned, although their files existed. C(14,11)
# is 364, C(16,11) is 4368.
only_missing_levels_are_planned() {
    local copy
    copy=$(copy_of "$WORK/small")
    rm "$copy/awari-even-5.wari"
    accepted plan --db "$copy" --seeds 8 --no-calibration --json
    _holds "plan['first'] == plan['seeds'] == 5" "[level['seeds'] for level in levels] == [5]" \
        "every['positions'] == 4368"
    rm "$copy/awari-even-3.wari"
    accepted plan --db "$copy" --seeds 8 --no-calibration --json
    _holds "[level['seeds'] for level in levels] == [3, 5]" "every['positions'] == 4368 + 364"
    _all_hold
}

# ---- Calibration ----------------------------------------------------------------------------------

# (At small size, unit/solver/test_solver_cost.c tests this.)
if ! is_small; then
    a_calibration_measures_everything_and_leaves_nothing() {
        mkdir "$WORK/temporary"
        TMPDIR=$WORK/temporary accepted plan --seeds 22 --threads 2 --memory 200M --json
        _holds "plan['measured'] and every['scratch_bytes'] > 0"
        _holds "all(plan['speed'][name] > 0 for name in plan['speed'])"
        _all_hold
        rmdir "$WORK/temporary" || fail "expected nothing in the folder"
    }
fi

a_calibration_can_be_stopped() {
    _stop_calibrating TERM 143 open
}

# Fixed bug: it did not remove its folder.
a_calibration_stops_when_the_terminal_is_closed() {
    _stop_calibrating HUP 129 rename
}

_stop_calibrating() { # SIGNAL CODE CALL: before this call for a trial database
    mkdir "$WORK/stopped"
    TMPDIR=$WORK/stopped start_held "$3" "$WORK/stopped/*" plan --seeds 30
    kill -s "$1" "$pid"
    end_held
    expect_code "$2"
    expect_no_output
    expect_message "stopped"
    rmdir "$WORK/stopped" || fail "expected nothing in the folder"
}

# ---- Refusals -----------------------------------------------------------------------------------

invalid_arguments_are_refused() {
    refused 2 "--seeds N is missing" plan
    refused 2 "47 seeds" plan --seeds 47
    refused 2 "from 0 to 48" plan --seeds 49
    refused 2 "unknown" plan --seeds 12 --ranks 2
    refused 2 "is not a size" plan --seeds 12 --disk-bandwidth fast
    refused 2 "--threads" plan --seeds 12 --threads 0
    refused 2 "is not the name of a speed" plan --seeds 12 --speed 5
    refused 2 "is not the name of a speed" plan --seeds 12 --speed sowing=1,sewing=2
    refused 2 "does not begin with a number" plan --seeds 12 --speed sowing=-1
    refused 2 "does not begin with a number" plan --seeds 12 --speed sowing=1e99
    refused 2 "does not begin with a number" plan --seeds 12 --speed sowing=nan
    refused 2 "unexpected argument" plan --seeds 12 13
    refused 2 "unknown" plan --seeds 12 --scratch here
    refused 2 "--db DIR is missing" plan --db "" --seeds 12
}

memory_that_is_not_enough_for_a_proof_is_refused() {
    refused 5 "at least" plan --seeds 24 --verify --memory 10M --json
    accepted plan --seeds 24 --verify --memory 10G
}

memory_that_is_not_enough_even_for_bits_is_refused() {
    refused 5 "need at least 37.0 MB of memory, but only 1.0 MB is allowed" plan --seeds 20 --memory 1M --threads 2 --no-calibration
    accepted plan --seeds 20 --memory 125M --threads 2 --no-calibration
}

a_damaged_catalogue_is_refused() {
    local copy
    copy=$(copy_of "$WORK/small")
    echo nonsense >>"$copy/awari-even.catalogue"
    refused 3 "awari-even.catalogue" plan --db "$copy" --seeds 12 --no-calibration
}

run_tests
