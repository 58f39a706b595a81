#!/usr/bin/env bash
# `wari match` leaves no process behind, waits for nobody without end, and kills nobody else, whatever
# an engine does to the process that keeps it, its parent. What must hold is in play/README.md.
. tests/cli/lib.sh
# shellcheck source=tests/cli/engines.sh
. tests/cli/engines.sh

build "$WORK/db" 8 --rules tournament || exit 1
readonly nap=$((10000000 + $$)) # seconds: nobody else sleeps so long

# No process is left of an engine. All that it starts sleeps for $nap.
_nothing_left() {
    ! pgrep -f "^sleep $nap" >/dev/null || fail "a process was left"
}

# Starts a match in the background and waits for so many sleeping processes; leaves $match.
_start_match() { # NAME PROCESSES
    out=$WORK/out err=$WORK/err code=-
    "$WARI" match --db "$WORK/db" --engine "$WORK/$1" --movetime 100000 >"$out" 2>"$err" &
    match=$!
    for _ in {1..600}; do
        [ "$(pgrep -f "^sleep $nap" | wc -l)" -lt "$2" ] || break
        sleep 0.05
    done
    [ "$(pgrep -f "^sleep $nap" | wc -l)" -eq "$2" ] || fail "expected $2 processes"
}

# All that a match has started ends by itself when that was killed.
_wait_for_the_end() { # NAME
    for _ in {1..600}; do # at once, in fact
        pgrep -f "^sleep $nap|$WORK/$1" >/dev/null || break
        sleep 0.05
    done
    ! pgrep -f "^sleep $nap|$WORK/$1" >/dev/null || fail "a process was left"
}

# ---- Wardens that do their work ----

nothing_that_an_engine_started_is_left() {
    _engine parent "sleep $nap & sleep 600"
    _fails parent time-out "no move in time"
    _nothing_left
}

nothing_survives_in_a_session_of_its_own() {
    _engine hides "setsid sleep $nap & setsid bash -c 'sleep $nap & sleep $nap' & sleep 0.3; exit 3"
    _fails hides crash "exit code 3"
    _nothing_left
    _engine waits "setsid sleep $nap & setsid bash -c 'sleep $nap & sleep $nap' & sleep 600"
    _fails waits time-out "no move in time"
    _nothing_left
}

a_referee_that_is_killed_takes_all_along() {
    _engine slow "setsid sleep $nap & setsid bash -c 'sleep $nap & sleep $nap' & sleep $nap"
    _start_match slow 4
    kill -KILL "$match"
    _wait_for_the_end slow
}

# ---- Wardens that are kept from it ----

a_warden_that_is_stopped_holds_nobody() {
    _engine stops "setsid sleep $nap & kill -STOP \$PPID; sleep $nap"
    _fails stops time-out "no move in time"
    _nothing_left
    _engine exits "setsid sleep $nap & kill -STOP \$PPID; exit 3"
    _fails exits crash "exit code 3"
    _nothing_left
    _engine early "exit 3" "kill -STOP \$PPID; echo uciok"
    _fails early crash "exit code 3"
}

# Not for ever: should one of them be left, its warden's number will once be another process's.
a_warden_that_is_stopped_again_and_again_holds_nobody() {
    _engine stopper "setsid bash -c 'for i in {1..500000}; do kill -STOP '\$PPID'; done' & sleep $nap &
        i=0; while [ \$((i += 1)) -lt 500000 ]; do kill -STOP \$PPID; done; sleep $nap"
    _fails stopper time-out "no move in time"
    _nothing_left
}

what_a_killed_warden_leaves_is_killed() {
    _engine kills "setsid sleep $nap & (setsid bash -c 'sleep $nap & sleep $nap' &) &
        sleep 0.1; kill -KILL \$PPID; sleep $nap"
    _fails kills crash "signal 9"
    _nothing_left
    # Just when the warden begins to kill: one of the children outlives the engine for some time.
    _engine ends "setsid bash -c 'kill -KILL '\$PPID'; sleep $nap' & sleep $nap & exit 3"
    run match --db "$WORK/db" --engine "$WORK/ends" --games 10 --json "${patient[@]}"
    expect_code 1
    expect_output_has '"crash":10'
    _nothing_left
}

# Who kills its warden loses all games; the other engine plays on, in four games at once.
a_killed_warden_is_no_harm_to_the_other_engine() {
    _engine kills "setsid sleep $nap & kill -KILL \$PPID; sleep $nap"
    run match --db "$WORK/db" --engine "$WORK/kills" --engine "'$WARI' engine --random" \
        --games 24 --concurrency 4 --json "${patient[@]}"
    expect_code 1
    expect_output_has '"won":24,"drawn":0,"lost":0,"forfeited":0'
    grep -q '"forfeited":0.*"crash":0.*"starts":[1-4],' "$out" || fail "expected an engine that stays"
    _nothing_left
}

# The engine kills the referee, too, before that lets the warden go on.
a_referee_that_is_killed_takes_a_stopped_warden_along() {
    _engine held "setsid sleep $nap & read -r _ _ _ referee _ </proc/\$PPID/stat
        kill -STOP \$PPID; kill -KILL \$referee; sleep $nap"
    run match --db "$WORK/db" --engine "$WORK/held" "${patient[@]}"
    expect_code 137
    _wait_for_the_end held
}

# Such children come to the referee when a shell becomes one.
children_that_are_not_the_match_s_are_left_alone() {
    _engine kills 'kill -KILL $PPID'
    out=$WORK/out err=$WORK/err
    bash -c "setsid sleep $nap & exec '$WARI' match --db '$WORK/db' --engine '$WORK/kills' --games 2" \
        >"$out" 2>"$err"
    code=$?
    expect_code 1
    pgrep -f "^sleep $nap" >/dev/null || fail "expected a process to be left alone"
    pkill -KILL -f "^sleep $nap"
}

run_tests
