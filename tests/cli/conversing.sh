# What the tests of `wari engine` share: starting one, speaking and hearing. Holds no tests; sourced
# behind lib.sh. $engine is the command to start.
# shellcheck shell=bash

# Starts an engine as a coprocess with its input at descriptor ${to} and its output at ${from}.
_start() {
    coproc { exec "$WARI" "${engine[@]}" 2>/dev/null; }
    from=${COPROC[0]} to=${COPROC[1]} pid=$COPROC_PID
    out=/dev/null err=/dev/null code=-
}

_say() {
    printf '%b' "$1" >&"$to"
}

# Waits for a line that matches, which is then in $REPLY. Half a minute is for ever.
_hear() {
    while read -r -t 30 <&"$from"; do
        [[ ! $REPLY =~ $1 ]] || return 0
    done
    fail "expected $1"
}

# The process ends by itself. It should within 100 ms; half a minute is for ever.
_is_gone() {
    for _ in {1..600}; do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.05
    done
    kill -KILL "$pid"
    fail "expected the engine to end"
}
