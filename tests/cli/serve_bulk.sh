#!/usr/bin/env bash
# `POST /api/positions` beyond a handful: all of it is answered, in order, whatever the cache, and in
# bounded memory; JSON is read without a tree.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$WORK/all
build "$all" 10 || exit 1
_start --db "$all" || exit 1
trap 'kill "$server" 2>/dev/null' EXIT

# COUNT positions of 10 seeds from all over the level, in the order of a hash.
_positions() { # COUNT
    "$WARI" export --db "$all" --seeds 10 --format csv |
        awk -F, -v count="$1" 'NR > 1 && n < count && NR % 17 == 0 { n++; print (NR * 7919) % 10007, $1 }' |
        sort -n -s -k 1,1 | cut -d ' ' -f 2-
}

# A bug: the time to fetch an answer ran while the server worked, and the body broke off. Here the
# work takes longer than a request may, with a cache that holds next to nothing.
a_long_answer_is_whole_and_in_order() {
    local count=10000
    ! is_small || count=5000
    ! is_sanitized || count=1000 # of which one takes ten times as long
    _positions $count >"$WORK/positions"
    [ "$(wc -l <"$WORK/positions")" -eq $count ] || fail "expected $count positions"
    "$WARI" query --db "$all" --format json <"$WORK/positions" >"$WORK/expected"
    _start --db "$all" --cache 1 --seconds 1 || exit 1
    trap 'kill "$server"' EXIT
    _post /api/positions text/plain "$WORK/positions"
    expect_code 200
    sed '1d; $d; s/,$//' "$out" >"$WORK/got"
    same_file "$WORK/expected" "$WORK/got"
}

_threads() {
    find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l
}

# The time is for who does not read: the answer is larger than what the system keeps for a socket.
who_does_not_read_is_cut() {
    local fd idle
    _positions 300 >"$WORK/few"
    for _ in {1..30}; do
        cat "$WORK/few"
    done >"$WORK/unread"
    _start --db "$all" --seconds 1 || exit 1
    trap 'kill "$server"' EXIT
    idle=$(_threads)
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    {
        printf 'POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n' "$(stat -c %s "$WORK/unread")"
        cat "$WORK/unread"
    } >&"$fd"
    for _ in {1..600}; do
        [ "$(_threads)" -le "$idle" ] || break
        sleep 0.05
    done
    for _ in {1..600}; do
        [ "$(_threads)" -gt "$idle" ] || break
        sleep 0.1
    done
    timeout 60 cat <&"$fd" >"$WORK/cut" 2>/dev/null
    [ "$(tail -c 2 "$WORK/cut" | head -c 1)" != "]" ] || fail "expected the answer to be cut"
    _still_serves
}

bytes_that_are_no_text_have_their_reason_in_their_place() {
    printf '1 1 \377 1\n\303\n1 0 0 0 0 0 0 0 0 0 0 0\n' >"$WORK/bytes"
    _post "/api/positions?detail=value" text/plain "$WORK/bytes"
    expect_code 200
    [ "$(wc -l <"$out")" -eq 5 ] || fail "expected three answers"
    sed -n '2p; 3p' "$out" | grep -c '"status":400}' | grep -qx 2 || fail "expected two bad ones"
    sed -n '4p' "$out" | grep -q '"seeds":1,' || fail "expected the third answer"
}

# ---- JSON -----------------------------------------------------------------------------------------

_json() { # TEXT
    printf '%s' "$1" >"$WORK/json"
    _post "/api/positions?detail=value" application/json "$WORK/json"
}

strings_are_read_as_json_has_them() {
    _json ' [ "1 0 0 0 0 0 0 0 0 0 0 0" ,
        "\u0032,0,0,0,0,0\u002C0 0 0 0 0 0\t","3 0 0 0 0 0 \/ 0 0 0 0 0 0",null,-1.5e+7,true,"\u0000","\u00e9","a\"b\\"] '
    expect_code 200
    sed -n 's/.*"seeds":\([0-9]*\),.*/\1/p' "$out" | tr '\n' ' ' | grep -qx '1 2 3 ' || fail "expected three positions"
    grep -c '"status":400}' "$out" | grep -qx 6 || fail "expected six that are none"
}

json_that_is_wrong_is_refused_with_the_place() {
    local text
    while IFS='|' read -r text reason; do
        _json "$(printf '%b' "$text")"
        expect_code 400
        expect_output_has "the JSON is wrong at $reason"
    done <<'END'
{"a":1}|line 1 column 1: an array of positions
[|line 1 column 2: a position is a string
["x"|line 1 column 5: a comma or the end
["x",]|line 1 column 6: a position is a string
["x"\n"y"]|line 2 column 1: a comma
["x\n"]|line 1 column 4: a string is not ended
["x|line 1 column 4: a string is not ended
["\\x"]|line 1 column 5: there is no such escape
["\\u12G4"]|line 1 column 7: there is no such escape
["x", ["y"]]|line 1 column 7: a position is a string
["x", {}]|line 1 column 7: a position is a string
[nul]|line 1 column 2: a position is a string
[01]|line 1 column 3: a comma
[1.]|line 1 column 4: this is no number
[1] x|line 1 column 5: the array ended before
END
    _json '[]'
    expect_code 400
    expect_output_has "no positions"
}

# kB of the server's memory: VmRSS now, RssAnon of that without files, VmHWM at most.
_memory() { # WHAT
    awk -v what="$1:" '$1 == what { print $2 }' "/proc/$server/status"
}

# A server with a small cache, which answers; and bodies of a megabyte.
_start_for_large_bodies() {
    _start --db "$all" --cache 1 || exit 1
    trap 'kill "$server"' EXIT
    _still_serves
    python3 -c 'print("[" + "1," * 524280 + "1]")' >"$WORK/numbers"
    python3 -c 'print("[" + "[" * 1048570)' >"$WORK/brackets"
    python3 -c 'print("[" + ",".join(["\"" + "1" * 100 + "\""] * 9900) + "]")' >"$WORK/strings"
}

# A bug: 1 MB of JSON took 64 MB, and kept them.
a_megabyte_of_json_takes_little_memory() {
    local before most i
    is_sanitized && return 0 # sanitizers keep what is freed
    _start_for_large_bodies
    before=$(_memory VmRSS)
    for i in {1..10}; do
        _post /api/positions application/json "$WORK/numbers"
        expect_code 413
        _post /api/positions application/json "$WORK/brackets"
        expect_code 400
        _post /api/positions application/json "$WORK/strings"
        expect_code 200
    done
    # Two for a body while it grows, and some for the answers of a window.
    most=$(_memory VmHWM)
    [ $((most - before)) -lt 8000 ] || fail "expected less than 8 MB more at any time, not $((most - before)) kB"
}

# A bug: each stretch of memory that threads allocate from kept 1.5 MB of the bodies it had held.
memory_is_given_back() {
    local before body clients i kept
    is_sanitized && return 0 # sanitizers keep what is freed
    _start_for_large_bodies
    before=$(_memory RssAnon)
    for body in numbers brackets strings; do
        clients=()
        for i in {1..10}; do
            curl -s --max-time 100 -H 'Content-Type: application/json' --data-binary "@$WORK/$body" \
                -o "$WORK/answer.$i" -w '%{http_code}\n' "$url/api/positions" >"$WORK/code.$i" &
            clients+=($!)
        done
        wait "${clients[@]}" || true # the codes tell
        cat "$WORK"/code.{1..10} >>"$WORK/codes"
    done
    [ "$(uniq -c "$WORK/codes" | tr -s ' \n' ' ')" = ' 10 413 10 400 10 200 ' ] ||
        fail "expected ten answers to each body, not $(uniq -c "$WORK/codes")"
    for _ in {1..100}; do # a client has its answer before the request is cleared away
        kept=$(($(_memory RssAnon) - before))
        [ "$kept" -ge 4000 ] || break
        sleep 0.1
    done
    [ "$kept" -lt 4000 ] || fail "expected the memory of ten clients to be given back, but for $kept kB"
}

run_tests
