#!/usr/bin/env bash
# `wari serve` with clients that leave, are idle, slow or too many, come from elsewhere or have an
# answer already; and how the server ends while clients are connected.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$WORK/all
build "$all" 6 || exit 1
_begin_client

# Tells the server to end; sets $code and $err (its messages).
_end() {
    _stop
    code=$stopped out=/dev/null err=$WORK/server.err.$BASHPID
}

# Waits until the server has noticed that all earlier clients have left. It accepts connections in
# order, so it accepted them before this one.
_until_all_have_left() { # DESCRIPTORS ; that the server has open without clients
    _ask /healthz
    _client descriptors "$server" "$1"
}

# A bug in the mode of libmicrohttpd for many connections in one loop: after some hundreds of such clients
# nobody was served any more, and SIGTERM took as long as the time limit of a request.
clients_that_leave_hold_no_place() {
    local idle
    _start --db "$all" --connections 20 --threads 2 --seconds 300 || exit 1
    trap _end_server EXIT
    idle=$(_descriptors)
    _client leave "$port" 600 'GET /healthz HT'
    _until_all_have_left "$idle"
    _client open all "$port" 20
    _client request all /healthz
    _expect_reply 20x200
    _client close all
    _until_all_have_left "$idle" # a client may have its answer before the server is done with the request
    _end
    expect_code 143
    expect_message "stopped"
}

# They request the values and lines of play of 10,000 positions, and have left when the server
# begins.
clients_that_abandon_a_bulk_request_free_their_places() {
    local idle
    "$WARI" export --db "$all" --seeds 6 --format csv | awk -F, 'NR > 1 { print $1 }' | head -n 10000 >"$WORK/many"
    {
        printf 'POST /api/positions?rules=awari HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n'
        printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$WORK/many")"
        cat "$WORK/many"
    } >"$WORK/request"
    _start --db "$all" --rules awari --threads 2 --cache 1 --seconds 300 || exit 1
    trap _end_server EXIT
    idle=$(_descriptors)
    _client leave "$port" 40 "@$WORK/request"
    _until_all_have_left "$idle"
    _end
    expect_code 143
    expect_message "stopped"
}

# This includes connections without a request. Clients that were accepted are served all the while.
connections_beyond_the_limit_get_503() {
    _start_still --db "$all" --connections 30 || exit 1
    trap _end_server EXIT
    _client open inside "$port" 30
    _client open outside "$port" 100
    _client gather outside
    _expect_reply 100x503
    _ask /healthz
    expect_code 503
    expect_output '{"error":"too many connections; try again soon","status":503}'
    _expect_header "Retry-After: 1"
    _expect_header "Content-Type: application/json; charset=utf-8"
    _expect_header "X-Content-Type-Options: nosniff"
    _client request inside /healthz
    _expect_reply 30x200
    _client close outside
    _end
    expect_code 143
}

# The clock stands still, so none of the slow clients is cut off.
slow_clients_delay_no_others() {
    local i
    _start_still --db "$all" --connections 200 || exit 1
    trap _end_server EXIT
    _client open slow "$port" 80
    _client send slow 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
    _client settle slow
    for i in {1..20}; do
        _client send slow a
        _ask "/api/position?p=1,1,1,1,0,0,1,1,0,0,0,0"
        expect_code 200
    done
    _client send slow '\r\nConnection: close\r\n\r\n'
    _client gather slow
    _expect_reply 80x200
}

# The server has fewer descriptors than it expected: new clients get an answer all the same. (Fixed bug: poll() got more
# entries than the process may have descriptors, and the server answered no client any more.)
without_descriptors_the_response_is_503() {
    local used=0 client
    _start --db "$all" --connections 100 || exit 1
    trap _end_server EXIT
    while [ -e "/proc/$server/fd/$used" ]; do
        used=$((used + 1))
    done
    prlimit --pid "$server" --nofile="$used:"
    for client in 1 2; do
        _client open "outside$client" "$port" 1
        _client gather "outside$client" # before it could send anything
        _expect_reply 1x503
    done
    prlimit --pid "$server" --nofile=200:
    _ask /healthz
    expect_code 200
}

more_connections_than_descriptors_are_refused_at_the_start() {
    ulimit -n 200
    refused 2 "ulimit -n" serve --db "$all" --port 0 --connections 180
    expect_message "--connections 180 needs 2"
    _start --db "$all" --connections 50 || exit 1
    _end
    expect_code 143
}

# ---- The end --------------------------------------------------------------------------------------

# Makes a client `half` send the headers of a POST and the first of two lines. The server treats the
# headers as a request when it has read the line after them, which is sent later.
_half_a_request() {
    _client open half "$port" 1
    _client send half 'POST /api/positions?detail=value HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 48\r\n\r\n'
    _client settle half
    _client send half '1 0 0 0 0 0 0 0 0 0 0 0\n'
    _client settle half
}

# Half of the body has arrived when the signal comes: the client still gets its answer. A client
# that has sent nothing is cut off.
sigterm_completes_requests_in_flight_first() {
    _start_still --db "$all" || exit 1
    _client open silent "$port" 1
    _half_a_request
    kill "$server"
    _client gather silent
    _expect_reply 1x0
    _client send half '1 1 1 1 0 0 0 0 0 0 0 0\n'
    _client gather half "$WORK/flight"
    _expect_reply 1x200
    wait "$server"
    code=$? out=$WORK/flight err=$WORK/server.err.$BASHPID
    expect_output_has "HTTP/1.1 200 OK"
    expect_output_has '"seeds":4,'
    expect_code 143
    expect_message "stopped"
}

# The rest never comes: the server waits no longer than the time limit of a request, and reports it.
sigterm_ends_unfinished_requests_after_the_time_limit() {
    _start_still --db "$all" --seconds 6 || exit 1
    _client open silent "$port" 1
    _half_a_request
    kill "$server"
    _client gather silent # and so the end has begun
    _pass 5000
    _client is-open half
    _expect_reply open
    echo 2000 >&"$time_go" # and then it ends, in place of another look at the time
    _client gather half
    _expect_reply 1x0
    wait "$server"
    code=$? out=/dev/null err=$WORK/server.err.$BASHPID
    expect_code 143
    expect_message "stopped; 1 of the 1 requests that were being served got no answer"
}

run_tests
