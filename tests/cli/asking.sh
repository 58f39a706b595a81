# Functions shared by the tests of `wari serve`: starting a server, and sending requests to it.
# Holds no tests; sourced after lib.sh.
# shellcheck shell=bash

# Prints the folder of the databases that most of these scripts use: awari up to 12 seeds, and abapa
# own and warri even up to 8 seeds. Warri has a record of its proof. The folder is made once for all
# scripts of a run, and none changes it.
_tables() {
    local folder=$SHARED/tables awari
    mkdir -p "$SHARED"
    (
        awari=$(shared_awari 12) || exit 1
        flock 9
        [ ! -e "$folder.whole" ] || exit 0
        cp -r "$awari" "$folder" && build "$folder" 8 --rules tournament && build "$folder" 8 --rules warri &&
            "$builder" verify --db "$folder" --rules warri && : >"$folder.whole"
    ) 9>"$folder.lock" >"$folder.messages" 2>&1 || { cat "$folder.messages" >&2; return 1; }
    echo "$folder"
}

# ---- A server -------------------------------------------------------------------------------------

# Starts a server on a free port; sets $server, $port and $url.
_start() { # [OPTION...]
    still=
    _launch "$WARI" serve --port 0 "$@"
}

# Starts a server like _start, but for this server the clock stands still until _pass moves it.
_start_still() { # [OPTION...]
    _start_with _still "$@"
}

# Starts a server like _start_still, and holds a thread of the server before it reads a file whose
# path matches PATTERN. Use `wait_until_held`, `let_go` and `let_run` of lib.sh to continue.
_start_held() { # PATTERN [OPTION...]
    [ -z "${hold_go:-}" ] || exec {hold_go}>&- {hold_reports}<&-
    hold_path=$1
    _start_with _held "${@:2}"
    local status=$?
    pid=$server
    return $status
}

_start_with() { # _still|_held [OPTION...]
    local pipes=("$WORK"/{time.go,time.told,go,told}) both both_holding
    rm -f "${pipes[@]}"
    mkfifo "${pipes[@]}"
    exec {time_go}<>"$WORK/time.go" {both}<>"$WORK/time.told" # so that opening waits for nobody
    exec {hold_go}<>"$WORK/go" {both_holding}<>"$WORK/told"
    still=yes
    _launch "$1" "$WARI" serve --port 0 "${@:2}"
    local status=$?
    exec {time_reports}<"$WORK/time.told" {both}>&- {hold_reports}<"$WORK/told" {both_holding}>&-
    return $status
}

_still() { # COMMAND...
    with_calls CLOCK_GO=7 CLOCK_REPORT=6 "$@" 7<"$WORK/time.go" 6>"$WORK/time.told" 8<"$WORK/go" 9>"$WORK/told" \
        {time_go}>&- {both}>&- {hold_go}>&- {both_holding}>&-
}

_held() { # COMMAND...
    _still HOLD_CALL=read HOLD_PATH="$hold_path" HOLD_OTHERS=1 HOLD_REPORT=9 HOLD_GO=8 "$@"
}

# Lets a held server continue without holding it again. When the server is idle, _count_held sets
# $held to the number of times that it has reached such a read since then.
_let_run_counted() {
    printf '.%.0s' {1..10000} >&"$hold_go"
}

_count_held() {
    local line
    held=0
    while read -r -t 0 -u "$hold_reports" && read -r -u "$hold_reports" line; do
        held=$((held + 1))
    done
}

# Moves the clock, and waits until the server has done everything that is due by then: it cuts
# connections and stops searches that nobody waits for.
_pass() { # MILLISECONDS
    local line
    echo "$1" >&"$time_go"
    IFS= read -r -t $safety -u "$time_reports" line || fail "the server ended, or timed out, before its time had passed"
}

# Moves the clock in small steps until the server has closed a connection of the client.
_pass_until_closed() { # CONNECTION [MILLISECONDS]
    local end=$((SECONDS + safety))
    until _client is-open "$1" && [ "$reply" = closed ]; do
        [ $SECONDS -lt $end ] || { code=0 && fail "timed out: the connection $1 is not cut"; }
        _pass "${2:-1000}"
    done
}

_launch() { # COMMAND...
    local line
    port='' out=/dev/null err=$WORK/server.err.$BASHPID
    : >"$err"
    {
        [ -z "${client_in:-}" ] || exec {client_in}>&- {client_out}<&-
        [[ $1 == _* ]] || exec "$@"
        "$@"
    } 2>>"$err" >/dev/null </dev/null &
    server=$!
    until [ -n "$port" ] || ! kill -0 "$server" 2>/dev/null; do
        while IFS= read -r line; do
            [[ $line =~ listening\ on\ .*:([0-9]+)/ ]] && port=${BASH_REMATCH[1]}
        done <"$err"
        [ -n "$port" ] || _pause # it comes, or the server ends
    done
    [ -n "$port" ] || { server='' && echo "no server:" && cat "$err"; return 1; }
    url=http://127.0.0.1:$port
}

# Pauses between two checks of a condition. It waits for a descriptor from which nothing comes,
# because `sleep` would start a process.
_pause() {
    if [ -z "${pause:-}" ]; then
        mkfifo "$WORK/pause"
        exec {pause}<>"$WORK/pause"
        rm "$WORK/pause"
    fi
    read -r -t 0.01 -u "$pause"
    return 0
}

_stop() {
    kill "$server" && wait "$server"
    stopped=$?
}

# Ends the server of a test or of a script, and fails unless the server ends by SIGTERM; with sanitizers, a server that leaked
# memory ends with another code. Call it by `trap _end_server EXIT`. Does nothing if the last server could not start.
_end_server() {
    local ended
    [ -n "$server" ] || return 0
    if kill "$server" 2>/dev/null && [ -n "$still" ]; then # neither a held thread nor the clock may delay the end
        printf '!' >&"$hold_go"
        printf '1000000\n%.0s' {1..10} >&"$time_go"
    fi
    wait "$server" 2>/dev/null
    ended=$? # 127 if the test has already waited for the server
    [[ $ended == @(143|127) ]] || { echo "    the server ended with $ended"; tail -n 5 "$WORK"/server.err.*; exit 1; }
}

# Prints how many files and sockets the server has open. The socket of a connection is closed last.
_descriptors() {
    local open=("/proc/$server/fd"/*)
    echo "${#open[@]}"
}

# ---- A client -------------------------------------------------------------------------------------

# Sends a command to the client (tests/support/http_client.py lists them). Sets $reply.
_client() { # COMMAND [ARGUMENT...]
    [ -n "${client_in:-}" ] || _begin_client
    printf '%s\0' $# "$@" >&"$client_in"
    IFS= read -r -t $((2 * safety)) -u "$client_out" reply || { reply=; echo "    the client ended, or timed out"; }
    [[ $reply != error:* ]] || { echo "    $reply"; exit 1; }
}

# Starts one client for all tests of a script, which must call this itself.
_begin_client() {
    rm -f "$WORK/client.in" "$WORK/client.out"
    mkfifo "$WORK/client.in" "$WORK/client.out"
    python3 -I -S tests/support/http_client.py <"$WORK/client.in" >"$WORK/client.out" &
    exec {client_in}>"$WORK/client.in" {client_out}<"$WORK/client.out"
}

# Sends a request; sets $code (the HTTP status), $out (the body) and $err (the headers, without CR).
_ask() { # PATH [OPTION...]
    out=$WORK/body.$BASHPID err=$WORK/headers.$BASHPID
    _client ask "$url$1" "$out" "$err" "${@:2}"
    code=$reply
}

# Repeats a request until the body matches a regular expression, or the status is not 200.
_ask_until() { # EXPRESSION PATH [OPTION...]
    out=$WORK/body.$BASHPID err=$WORK/headers.$BASHPID
    _client ask-until "$1" "$url$2" "$out" "$err" "${@:3}"
    code=$reply
}

# Sends a request on a connection with this name, and does not wait for the answer.
_begin_to_ask() { # CONNECTION PATH [OPTION...]
    _client begin-ask "$1" "$url$2" "${@:3}"
}

# Waits for the answer on a connection of _begin_to_ask. Sets the same variables as _ask.
_end_asking() { # CONNECTION
    out=$WORK/body.$BASHPID err=$WORK/headers.$BASHPID
    _client end-ask "$1" "$out" "$err"
    code=$reply
}

_position() { # VARIANT POSITION [MORE_ARGUMENTS]
    local position=${2// /%20}
    _ask "/api/position?$1&p=${position//+/%2B}${3:-}"
}

# For bulk requests: removes the empty lines that a slow machine sends to keep the connection alive.
_post() { # PATH TYPE FILE [OPTION...]
    local lines=()
    [[ $1 != /api/positions* ]] || lines=(--no-empty-lines)
    _ask "$1" -H "Content-Type: $2" --data-binary "@$3" "${lines[@]}" "${@:4}"
}

# Sends bytes unchanged, and sets $out to everything that arrives until the connection ends.
_raw() { # TEXT
    out=$WORK/raw.$BASHPID err=/dev/null code=0
    _client raw "$port" "$1" "$out"
}

# ---- What came of it ------------------------------------------------------------------------------

_expect_reply() {
    [ "$reply" = "$1" ] || { code=0 out=/dev/null; fail "expected of the clients: $1, not: $reply"; }
}

_expect_header() {
    local _text
    _read_text "$err"
    _text=$'\n'${_text//$'\r'/}
    [[ ${_text,,} == *$'\n'"${1,,}"$'\n'* ]] || fail "expected the header $1"
}

_expect_policy() {
    _has "$err" "Content-Security-Policy: default-src 'none'" || fail "expected a policy"
}

# Checks that the first line of a raw answer has this status.
_expect_status() { # EXPRESSION
    local line=
    IFS= read -r line <"$out"
    [[ $line =~ ^HTTP/1.1\ ($1)\  ]] || fail "expected the status $1"
}

_still_serves() {
    _ask /healthz
    expect_code 200
    expect_output '{"status":"ok"}'
}
