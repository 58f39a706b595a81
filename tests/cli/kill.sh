#!/usr/bin/env bash
# `kill -9` at random moments: whatever was going on, what lies there is intact, and a run that gets
# through ends with the bytes of a build that nobody disturbed. Killed runs go on in the same folder
# until one gets through; then the next begins anew.
#
# KILLS: how many; `make test-long` asks for more. (That nothing depends on which call of the system
# the signal meets is shown call by call in tests/unit/solver/test_crash.c.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

kills=${KILLS:-20}
seeds=14 # so many that levels are published at several moments
! is_small || seeds=12
_variants=("--rules awari" "--rules tournament" "--rules slam-gives --cycle own")

_build_whole() { # OPTION...
    local before=${EPOCHREALTIME/./}
    rm -rf "$WORK/whole"
    build "$WORK/whole" $seeds "$@" || exit 1
    whole=$((${EPOCHREALTIME/./} - before)) spent=0
}

_expect_intact() { # FOLDER
    compgen -G "$1/*.catalogue" >"$WORK/none" || return 0 # killed before the first level
    accepted check --db "$1"
}

_kill_and_go_on() { # KILLS OPTION...
    local left=$1 folder=$WORK/killed
    shift
    _build_whole "$@"
    rm -rf "$folder"
    while [ "$left" -gt 0 ]; do
        run_and_kill build --db "$folder" --seeds $seeds "$@"
        if [ $code -eq 0 ]; then # it was faster
            same_database "$WORK/whole" "$folder"
            rm -rf "$folder"
            continue
        fi
        expect_code 137
        _expect_intact "$folder"
        left=$((left - 1))
    done
    accepted build --db "$folder" --seeds $seeds "$@"
    same_database "$WORK/whole" "$folder"
    accepted check --db "$folder"
    [ -z "$(find "$folder" -name '*.tmp')" ] || fail "expected no temporary file"
}

builds_killed_at_random_end_with_the_same_bytes() {
    local i share=$((kills / 3))
    for i in 0 1; do
        # shellcheck disable=SC2086 # words on purpose
        (_kill_and_go_on $share ${_variants[$i]}) || exit 1
    done
    # shellcheck disable=SC2086
    _kill_and_go_on $((kills - 2 * share)) ${_variants[2]}
}

# A folder with everything a killed build can leave: the lock with the number of a process that is
# gone, and temporary files.
the_lock_of_a_killed_build_is_not_taken_for_a_running_one() {
    local folder=$WORK/stale number
    "$WARI" build --db "$folder" --seeds 16 </dev/null >"$WORK/background" 2>&1 &
    pid=$!
    until [ -s "$folder/build.lock" ]; do
        kill -0 "$pid" || exit 1
    done
    kill -s KILL "$pid"
    wait "$pid" 2>/dev/null
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
