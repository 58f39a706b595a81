#!/usr/bin/env bash
# `wari serve` among clients that leave, are idle, slow or too many, come from elsewhere or have an
# answer already, and how it ends with some there.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

trap '' PIPE # who is refused finds the server gone
all=$WORK/all
build "$all" 8 || exit 1

# Starts clients of tests/support/clients.py in the background and waits for the line they print;
# leaves it in $line, and them in $clients. They go on until _dismiss.
_clients() { # COMMAND [ARGUMENT...]
    local pipe=$WORK/clients.$BASHPID
    mkfifo "$pipe.in" "$pipe.out"
    python3 tests/support/clients.py "$port" "$@" <"$pipe.in" >"$pipe.out" 2>"$WORK/clients.err" &
    clients=$!
    exec 7>"$pipe.in"
    read -r line <"$pipe.out"
}

_dismiss() {
    exec 7>&-
    wait "$clients"
}

# Asks the server to end; leaves $code and $err (its messages).
_end() {
    _stop
    code=$stopped out=/dev/null err=$WORK/server.err.$BASHPID
}

# A bug of the library's mode for many connections in one loop: after some hundreds of such clients
# nobody was served any more, and SIGTERM took as long as a request may.
clients_that_leave_hold_no_place() {
    _start --db "$all" --connections 20 --threads 2 --seconds 300 || exit 1
    python3 tests/support/clients.py "$port" leave 600 0 || fail "expected to be let in"
    # The last of them may still be on their way out.
    for _ in {1..300}; do
        _ask /healthz
        [ "$code" -ne 200 ] || break
        sleep 0.1
    done
    expect_code 200
    _clients idle 20
    _dismiss
    [ "$line" = "20 held, 0 told 503, 0 closed" ] || fail "expected all places to be free, not: $line"
    _end
    expect_code 143
    expect_message "stopped; of the requests in flight 0 were answered, 0 were not"
}

# What they asked for would take a minute.
clients_that_leave_a_request_in_bulk_hold_no_place() {
    local before
    awk 'BEGIN { srand(1); for (i = 0; i < 10000; i++) { for (k = 1; k <= 12; k++) p[k] = 0
        for (k = 0; k < 8; k++) p[1 + int(12 * rand())]++
        line = p[1]; for (k = 2; k <= 12; k++) line = line "," p[k]; print line } }' >"$WORK/many"
    {
        printf 'POST /api/positions?rules=awari HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n'
        printf 'Content-Length: %d\r\n\r\n' "$(wc -c <"$WORK/many")"
        cat "$WORK/many"
    } >"$WORK/request"
    _start --db "$all" --rules awari --threads 2 --cache 1 --seconds 300 || exit 1
    before=$(find "/proc/$server/fd" | wc -l)
    python3 tests/support/clients.py "$port" leave 500 0 "$WORK/request" || fail "expected to be let in"
    for _ in {1..300}; do
        [ "$(find "/proc/$server/fd" | wc -l)" -gt "$before" ] || break
        sleep 0.1
    done
    [ "$(find "/proc/$server/fd" | wc -l)" -le "$before" ] || fail "expected all places to be free"
    _end
    expect_code 143
    expect_message "stopped; of the requests in flight 0 were answered, 0 were not"
}

# Without a request, too; and who was let in is served all the while.
connections_beyond_the_limit_are_told_503() {
    local fd
    _start --db "$all" --connections 30 --seconds 300 || exit 1
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    _clients idle 400
    [ "$line" = "29 held, 371 told 503, 0 closed" ] || fail "expected one place to be taken, not: $line"
    _ask /healthz
    expect_code 503
    expect_output '{"error":"too many connections; try again soon","status":503}'
    _expect_header "Retry-After: 1"
    _expect_header "Content-Type: application/json; charset=utf-8"
    _expect_header "X-Content-Type-Options: nosniff"
    printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&"$fd"
    timeout 60 cat <&"$fd" | grep -q '"status":"ok"' || fail "expected who was let in to be served"
    _end
    expect_code 143
    _dismiss
}

slow_clients_keep_nobody_waiting() {
    _start --db "$all" --connections 200 --seconds 5 || exit 1
    trap 'kill "$server" 2>/dev/null' EXIT
    _clients slow 150
    python3 tests/support/clients.py "$port" ask 100 "/api/position?p=1,1,1,1,0,0,1,1,0,0,0,0" >"$WORK/asked"
    grep -q ' 0 failed' "$WORK/asked" || fail "expected answers: $(cat "$WORK/asked")"
    _dismiss
}

# Descriptors run out though the server counted on them: whoever comes hears of it all the same.
without_descriptors_it_says_503() {
    local used=0
    _start --db "$all" --connections 100 || exit 1
    trap 'kill "$server"' EXIT
    while [ -e "/proc/$server/fd/$used" ]; do
        used=$((used + 1))
    done
    prlimit --pid "$server" --nofile="$used:"
    _ask /healthz
    expect_code 503
    prlimit --pid "$server" --nofile=200:
    _ask /healthz
    expect_code 200
}

more_connections_than_descriptors_are_refused_at_the_start() {
    ulimit -n 200
    refused 2 "ulimit -n" serve --db "$all" --port 0 --connections 180
    expect_message "--connections 180 takes 2"
    _start --db "$all" --connections 50 || exit 1
    _end
    expect_code 143
}

# ---- The end --------------------------------------------------------------------------------------

# Sends the headers of a POST and the first of two lines; leaves the connection in $fd.
_half_a_request() {
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /api/positions?detail=value HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 48\r\n\r\n1 0 0 0 0 0 0 0 0 0 0 0\n' >&"$fd"
    _ask /healthz
    sleep 1 # so that the headers have been read for certain
}

# The body is half there when the signal comes: the answer still does. Who has sent nothing is cut.
sigterm_ends_requests_in_flight_first() {
    local fd silent
    _start --db "$all" --seconds 100 || exit 1
    exec {silent}<>"/dev/tcp/127.0.0.1/$port"
    _half_a_request
    kill "$server"
    timeout 60 cat <&"$silent" >/dev/null || fail "expected an idle connection to be cut"
    printf '1 1 1 1 0 0 0 0 0 0 0 0\n' >&"$fd"
    timeout 60 cat <&"$fd" >"$WORK/flight"
    wait "$server"
    code=$? out=$WORK/flight err=$WORK/server.err.$BASHPID
    expect_output_has "HTTP/1.1 200 OK"
    expect_output_has '"seeds":4,'
    expect_code 143
    expect_message "stopped; of the requests in flight 1 were answered, 0 were not"
}

# The rest never comes: the server waits no longer than a request may take, and says so.
sigterm_cuts_what_does_not_end() {
    local fd
    _start --db "$all" --seconds 6 || exit 1
    _half_a_request
    kill "$server"
    timeout 60 cat <&"$fd" >/dev/null || fail "expected the connection to be cut"
    wait "$server"
    code=$? out=/dev/null err=$WORK/server.err.$BASHPID
    expect_code 143
    expect_message "stopped; of the requests in flight 0 were answered, 1 were not"
}

# What files take is told, too: another matter after `wari pack`, and in a book.
files_of_another_size_have_another_tag() {
    local packed place tags=$WORK/tags.$BASHPID
    packed=$(copy_of "$all")
    accepted pack --db "$packed" --rules awari
    accepted book --db "$packed" --rules awari --output "$WORK/tag.book"
    for place in "--db $all" "--db $packed" "--book $WORK/tag.book"; do
        # shellcheck disable=SC2086 # words on purpose
        _start $place --rules awari || exit 1
        trap 'kill "$server"' EXIT
        for path in /api/stats /api/info; do
            _ask $path
            expect_code 200
            sed -n 's/^ETag: //p' "$err" >>"$tags"
        done
        _stop
    done
    [ "$(sort -u "$tags" | wc -l)" -eq 6 ] || fail "expected six tags"
}

# IPv4 arrives at an address of IPv6 then.
all_addresses_are_served() {
    [ -s /proc/net/if_inet6 ] && [ "$(cat /proc/sys/net/ipv6/bindv6only)" -eq 0 ] || return 0
    _start --db "$all" --bind :: || exit 1
    trap 'kill "$server"' EXIT
    local address
    for address in 127.0.0.1 127.0.0.2; do
        url=http://$address:$port
        _still_serves
        _ask /healthz -H "Host: [::ffff:$address]"
        expect_code 200
        _ask /healthz -H "Host: 127.0.0.3"
        expect_code 421
    done
}

run_tests
