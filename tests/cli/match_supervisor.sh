#!/usr/bin/env bash
# `wari match` leaves no process behind and kills no foreign process, whatever an engine does to its
# parent, the supervisor process. play/README.md states the requirements. That stopping a supervisor
# again and again delays nobody is tested in tests/unit/play/engine/test_process.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/engines.sh
. tests/cli/engines.sh

build "$WORK/db" 8 --rules tournament || exit 1

# Three processes below an engine: one in its own session, and two in another one.
readonly family='setsid "$0" nap & setsid "$0" two_naps & wait_for_naps 3'

# Plays two games, which the engine must lose for this reason. Afterwards no process may be left.
_fails_alone() { # NAME FAULT MESSAGE
    out=$WORK/out err=$WORK/err
    _start_match --db "$WORK/db" --engine "$WORK/$1" --games 2 --json "${short[@]}"
    _end_match
    _expect_lost 2 "$2" "$3"
    _expect_nobody
}

# Waits until all processes that a match started have ended; supervisors hold its standard error
# open.
_wait_for_all() {
    _wait_for_end "$living"
    _wait_for_end "$messages"
}

_wait_for_end() { # DESCRIPTOR
    local _text status=0
    while [ $status -eq 0 ]; do
        IFS= read -r -t $safety -u "$1" _text
        status=$?
    done
    [ $status -le 128 ] || fail "timed out: a process was left"
}

# ---- Supervisors that are not disturbed ----

nothing_that_an_engine_started_is_left() {
    _engine parent 'nap & wait_for_naps 1; pass_time 120; wait_for_ever'
    _fails_alone parent time-out "it did not send its move in time"
}

a_process_in_a_session_of_its_own_is_ended_too() {
    _engine hides "$family; exit 3"
    _fails_alone hides crash "exit code 3"
    _engine waits "$family; pass_time 120; wait_for_ever"
    _fails_alone waits time-out "it did not send its move in time"
}

killing_the_referee_ends_all_processes() {
    _engine slow "$family; report; wait_for_ever"
    mkfifo "$WORK/slow.messages"
    out=$WORK/out err=$WORK/slow.messages code=-
    _start_match --db "$WORK/db" --engine "$WORK/slow"
    err=/dev/null
    _wait_for_reports 1
    kill -s KILL "$match"
    _end_match
    _wait_for_all
}

# ---- Supervisors that are stopped or killed ----

a_stopped_supervisor_blocks_no_other_process() {
    _engine stops 'setsid "$0" nap & wait_for_naps 1; kill -s STOP $PPID; pass_time 120; wait_for_ever'
    _fails_alone stops time-out "it did not send its move in time"
    _engine exits 'setsid "$0" nap & wait_for_naps 1; kill -s STOP $PPID; exit 3'
    _fails_alone exits crash "exit code 3"
    _engine early 'exit 3' 'kill -s STOP $PPID; echo uciok'
    _fails_alone early crash "exit code 3"
}

processes_left_by_a_killed_supervisor_are_killed() {
    _engine kills 'setsid "$0" nap & (setsid "$0" two_naps &) & wait_for_naps 3; kill -s KILL $PPID; wait_for_ever'
    _fails_alone kills crash "signal 9"
    # Here the supervisor is killed when the engine has ended, but before the supervisor has killed
    # any process. A child process notices the end of the engine by the end of the pipe "end", which
    # only the engine can write to.
    mkfifo "$WORK/end"
    cat >"$WORK/child" <<END
#!/bin/sh
exec 6<"$WORK/end" 7>&-
echo up >&8
read -r _ <&6
kill -s KILL "\$1"
read -r _ <"$WORK/never"
END
    chmod +x "$WORK/child"
    _engine ends 'exec 7<>"${0%/*}/end"; setsid "${0%/*}/child" $PPID & wait_for_naps 1; kill -s STOP $PPID; exit 3'
    _fails_alone ends crash "it ended before it sent its move"
}

# An engine that kills its supervisor loses all games; the other engine plays on, in four games at
# once.
a_killed_supervisor_does_not_harm_the_other_engine() {
    local games
    games=$(is_small && echo 12 || echo 24)
    _engine kills 'setsid "$0" nap & kill -s KILL $PPID; wait_for_ever'
    out=$WORK/out err=$WORK/err
    _start_match --db "$WORK/db" --engine "$WORK/kills" --engine "'$builder' engine --random" \
        --games "$games" --concurrency 4 --json
    _end_match
    expect_code 1
    expect_output_has "\"won\":$games,\"drawn\":0,\"lost\":0,\"forfeited\":0"
    grep -q '"forfeited":0.*"crash":0.*"starts":[1-4],' "$out" || fail "expected an engine that stays"
    _expect_nobody
}

# The engine also kills the referee, before the referee continues the supervisor.
killing_the_referee_ends_a_stopped_supervisor() {
    _engine held 'setsid "$0" nap & wait_for_naps 1; read -r _ _ _ referee _ </proc/$PPID/stat
        kill -s STOP $PPID; kill -s KILL $referee; wait_for_ever'
    mkfifo "$WORK/held.messages"
    out=$WORK/out err=$WORK/held.messages
    _start_match --db "$WORK/db" --engine "$WORK/held"
    err=/dev/null
    _end_match
    expect_code 137
    _wait_for_all
}

# The referee has such child processes if a shell replaces itself with it (exec).
child_processes_that_the_match_did_not_start_are_left_alone() {
    local child
    _engine kills 'kill -s KILL $PPID'
    out=$WORK/out err=$WORK/err
    bash -c 'exec 8<>"$2/up"; setsid "$2/kills" nap & read -r _ <&8; echo $! >"$2/child"
        exec "$1" match --db "$2/db" --engine "$2/kills" --games 2' - "$WARI" "$WORK" >"$out" 2>"$err" </dev/null
    code=$?
    child=$(cat "$WORK/child")
    expect_code 1
    expect_message "signal 9"
    grep -q nap "/proc/$child/cmdline" || fail "expected a process to be left alone"
    kill -s KILL "$child"
}

# In these tests, orphans must become child processes of the supervisor or the referee, as only on Linux (system/README.md).
is_posix && unset -f a_process_in_a_session_of_its_own_is_ended_too killing_the_referee_ends_all_processes \
    a_stopped_supervisor_blocks_no_other_process processes_left_by_a_killed_supervisor_are_killed \
    a_killed_supervisor_does_not_harm_the_other_engine killing_the_referee_ends_a_stopped_supervisor

run_tests
