#!/usr/bin/env bash
# Progress messages of commands that take long: in files and pipes, and on terminals of any
# width. The clock is that of tests/calls/calls.c. How the remaining time is estimated is tested in
# unit/tools/test_time_left.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

readonly remaining='(about ([0-9]+ h [0-9]{2} min|[0-9]+ min [0-9]{2} s|[0-9]+ s) left in all|longer than planned)'
readonly live="level +[0-9]+: (captures|(shrink )?sweep [0-9]+, [0-9.]+ % changing|counting|writing)(, [0-9.]+ million positions/s)?, $remaining"

# The clock advances by 20 seconds when it is read.
a_file_gets_lines_about_what_is_left() {
    out=$WORK/out err=$WORK/err
    (with_calls CLOCK_FROZEN=1 CLOCK_STEP=20000000000 "$WARI" build --db "$WORK/slow" --seeds 5 --threads 1 --checkpoint 86400) \
        >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 0
    expect_no_output
    [ "$(grep -cxE "$live" "$err")" -ge 2 ] || fail "expected lines about what is left"
    ! grep -q $'\r\|\033' "$err" || fail "expected no live line where there is no terminal"
    grep -vxE "$live" "$err" | sed 1d | grep -vE '^level  [0-9]: [0-9,]+ positions?, |^6 levels, ' &&
        fail "expected nothing but these lines"
    run check --db "$WORK/slow"
    expect_code 0
}

# The thread that writes level 5 is held. The other thread, which shows progress, waits until the
# test moves the clock. The program computes with seconds as floating-point numbers, so a difference
# of exactly 60 seconds could be rounded down.
a_file_gets_a_line_a_minute_although_nothing_happens() {
    local held_settings poll_reports poll_go i
    mkfifo "$WORK/poll_reports" "$WORK/poll_go"
    exec {poll_reports}<>"$WORK/poll_reports" {poll_go}<>"$WORK/poll_go"
    held_settings=(POLL_REPORT="$poll_reports" POLL_GO="$poll_go")
    start_held rename '*-5.wari' build --db "$WORK/waits" --seeds 6 --threads 1
    _wait_for_poll
    for i in 59999 2 59999 2 0; do
        grep -cE '^level 5: writing' "$err" >>"$WORK/counts"
        echo $i >&"$poll_go"
        _wait_for_poll
    done
    grep -qxE "$live" "$err" || fail "expected a line about what is left"
    [ "$(tr '\n' ' ' <"$WORK/counts")" = '0 0 1 1 2 ' ] || fail "expected a line a minute: $(tr '\n' ' ' <"$WORK/counts")"
    echo free >&"$poll_go"
    end_held
    expect_code 0
    expect_message "7 levels,"
}

_wait_for_poll() {
    read -r -t $safety -u "$poll_reports" || fail "timed out: nothing waits to show progress"
}

# Writes the live lines of a build on a terminal with this many columns to $WORK/lines.
_lines_on_terminal() { # COLUMNS
    rm -rf "$WORK/terminal"
    script -qec "stty cols $1; $(printf '%q ' env LD_PRELOAD="$CALLS" ASAN_OPTIONS=verify_asan_link_order=0 CLOCK_STEP=100000000 CLOCK_FROZEN=1 \
        "$WARI" build --db "$WORK/terminal" --seeds 5 --threads 1)" /dev/null >"$WORK/typescript" </dev/null
    code=$? out=/dev/null err=$WORK/typescript
    expect_code 0
    tr '\r' '\n' <"$WORK/typescript" | sed -n $'s/\033\\[K$//p' | grep . >"$WORK/lines"
    [ -s "$WORK/lines" ] || fail "expected live lines"
}

a_narrow_terminal_loses_the_middle_and_not_what_is_left() {
    _lines_on_terminal 100
    ! grep -vxE "$live" "$WORK/lines" || fail "expected nothing but these lines"
    _lines_on_terminal 40
    ! grep -vxE "[^,]*.*$remaining" "$WORK/lines" || fail "expected what is left at the end of each line"
    ! grep -E '.{40}' "$WORK/lines" || fail "expected shorter lines than the terminal"
    grep -qE '^level [0-9]: .*\.\.\. ' "$WORK/lines" || fail "expected that the middle is left out"
}

run_tests
