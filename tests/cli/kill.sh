#!/usr/bin/env bash
# `kill -9` at calls all over a build: the files that are left are intact, and a run that completes
# writes the same bytes as a build without kills. Each run continues in the folder of the killed
# one, until a run completes; then the next run begins anew.
#
# KILLS: number of kills; `make test-long` asks for more. (tests/unit/solver/test_crash.c shows, for
# each single call, that it does not matter which system call the signal meets.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

kills=${KILLS:-20}
seeds=14
! is_small || seeds=8
_variants=("--rules awari" "--rules tournament" "--rules slam-gives --cycle own")
# For the builds that are killed or whose calls are counted: the clock advances by a millisecond
# when it is read, and never otherwise. So they make the same calls on every machine, and publish
# some levels together.
export CLOCK_STEP=1000000 CLOCK_FROZEN=1

_expect_intact() { # FOLDER
    compgen -G "$1/*.catalogue" >"$WORK/none" || return 0 # killed before the first level
    accepted check --db "$1"
}

_kill_and_go_on() { # KILLS OPTION...
    local count=$1 folder=$WORK/killed calls i=0 k
    shift
    rm -rf "$WORK/whole" "$folder"
    build "$WORK/whole" $seeds "$@" || exit 1
    calls=$(count_calls build --db "$folder" --seeds $seeds --threads 1 "$@") || fail "expected a build"
    same_database "$WORK/whole" "$folder"
    rm -rf "$folder"
    RANDOM=1 # the same kills in each run of this test
    while [ $i -lt "$count" ]; do
        k=$((1 + (calls * i + RANDOM % calls) / count))
        run_and_kill $k build --db "$folder" --seeds $seeds --threads 1 "$@"
        if [ $code -eq 0 ]; then # the run before it had left too little to do
            same_database "$WORK/whole" "$folder"
            rm -rf "$folder"
            run_and_kill $k build --db "$folder" --seeds $seeds --threads 1 "$@"
        fi
        expect_code 137
        _expect_intact "$folder"
        i=$((i + 1))
    done
    accepted build --db "$folder" --seeds $seeds "$@"
    same_database "$WORK/whole" "$folder"
    accepted check --db "$folder"
    expect_no_file "$folder/*.tmp"
}

builds_killed_at_any_call_end_with_the_same_bytes() {
    local i share=$((kills / 3))
    for i in 0 1; do
        # shellcheck disable=SC2086 # words on purpose
        (_kill_and_go_on $share ${_variants[$i]}) || exit 1
    done
    # shellcheck disable=SC2086
    _kill_and_go_on $((kills - 2 * share)) ${_variants[2]}
}

# A folder with everything that a killed build can leave: the lock with the number of a process that
# does not exist any more, and temporary files.
the_lock_of_a_killed_build_is_not_taken_for_a_running_one() {
    local folder=$WORK/stale number
    hold_build "$folder" 5 0
    kill_held
    read -r number _ <"$folder/build.lock"
    [ "$number" = "$pid" ] || { echo "the lock names $number, not $pid"; exit 1; }
    echo "half a level" >"$folder/awari-even-2.wari.tmp"
    echo "half a catalogue" >"$folder/awari-even.catalogue.tmp"
    accepted build --db "$folder" --seeds 5
    accepted check --db "$folder"
    accepted verify --db "$folder"
    read -r number _ <"$folder/build.lock"
    [ "$number" != "$pid" ] || fail "expected another number"
}

run_tests
