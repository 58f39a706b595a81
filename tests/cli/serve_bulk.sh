#!/usr/bin/env bash
# `POST /api/positions` with many positions: all are answered, in order, however long it takes; JSON
# is parsed without a tree. For its memory see serve_memory.sh.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$WORK/all
build "$all" 8 || exit 1
_begin_client
_start --db "$all" || exit 1
trap _end_server EXIT

# Prints COUNT positions of 8 seeds from the whole level, in pseudorandom order.
_positions() { # COUNT
    "$WARI" export --db "$all" --seeds 8 --format csv |
        awk -F, -v count="$1" 'NR > 1 && n < count && NR % 17 == 0 { n++; print (NR * 7919) % 10007, $1 }' |
        sort -n -s -k 1,1 | cut -d ' ' -f 2-
}

# Fixed bug: the time limit for fetching an answer also ran while the server worked, and the body broke
# off. Here the work is held for 6 s, and a client has 2 s. The server sends an empty line every 5
# s.
a_long_answer_is_whole_and_in_order() {
    _positions 2100 >"$WORK/positions" # more than a window has
    _start_held '*/awari-even-8.wari' --db "$all" --cache 1 --seconds 2 || exit 1
    trap _end_server EXIT
    _begin_to_ask long "/api/positions?detail=value" -H "Content-Type: text/plain" --data-binary "@$WORK/positions"
    wait_until_held
    _pass 3000
    _pass 3000
    let_run
    _end_asking long
    expect_code 200
    "$WARI" query --db "$all" --format value <"$WORK/positions" | paste -d '|' "$WORK/positions" - |
        tr -d ' /' >"$WORK/expected"
    sed -n 's/^{"position":.\([^]]*\).*"value":\([-0-9]*\)}.*/\1|\2/p' "$out" | tr -d ',' >"$WORK/got"
    same_file "$WORK/expected" "$WORK/got"
    [ "$(wc -l <"$WORK/got")" -eq 2100 ] || fail "expected 2100 answers"
    [ "$(grep -c '^$' "$out")" -eq 1 ] || fail "expected an empty line"
}

# The client leaves in the second window, when it has not read all of the first, so its system
# refuses the rest. Hardly any of the 2,000 look-ups of the second window, which read 300 blocks of
# a file, has been done then.
a_client_that_disconnects_is_noticed() {
    local twelve idle held
    twelve=$(shared_awari 12) || exit 1
    python3 -I -S -c 'import random
random.seed(1)
print("1 0 0 0 0 0 0 0 0 0 0 0\n" * 2000, end="")
for _ in range(2000):
    cuts = [-1] + sorted(random.sample(range(23), 11)) + [23]
    print(*(cuts[i + 1] - cuts[i] - 1 for i in range(12)))' >"$WORK/everywhere"
    _start_held '*/awari-even-12.wari' --db "$twelve" --cache 1 || exit 1
    trap _end_server EXIT
    idle=$(_descriptors)
    _begin_to_ask left "/api/positions?detail=value" -H "Content-Type: text/plain" --data-binary "@$WORK/everywhere"
    _client receive left 100000
    wait_until_held
    _client close left
    _let_run_counted
    _client descriptors "$server" "$idle"
    _count_held
    [ "$held" -le 32 ] || fail "expected the work to end soon, not after $held blocks"
}

answers_are_those_of_wari_query() {
    _positions 40 >"$WORK/some"
    _post /api/positions text/plain "$WORK/some"
    expect_code 200
    same_file <("$WARI" query --db "$all" --format json <"$WORK/some") <(sed '1d; $d; s/,$//' "$out")
}

# The time limit applies to clients that do not read: the answer is larger than the buffer of a
# socket.
clients_that_do_not_read_are_disconnected() {
    local idle end=$((SECONDS + safety))
    _positions 2000 >"$WORK/few"
    cat "$WORK/few" "$WORK/few" "$WORK/few" "$WORK/few" "$WORK/few" >"$WORK/unread"
    {
        printf 'POST /api/positions?detail=moves HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n'
        printf 'Content-Length: %d\r\n\r\n' "$(stat -c %s "$WORK/unread")"
        cat "$WORK/unread"
    } >"$WORK/request"
    _start_still --db "$all" --seconds 1 || exit 1
    trap _end_server EXIT
    idle=$(_descriptors)
    _client open unread "$port" 1 --small-buffers
    _client send unread "@$WORK/request"
    _client settle unread
    while [ "$(_descriptors)" -gt "$idle" ]; do # its time begins when the server has sent what it could
        [ $SECONDS -lt $end ] || fail "timed out: who does not read is not cut"
        _pass 1000
        _pause
    done
    _client gather unread "$WORK/cut"
    _expect_reply 1x200
    [ "$(tail -c 2 "$WORK/cut" | head -c 1)" != "]" ] || fail "expected the answer to be cut"
    _still_serves
}

bytes_that_are_not_text_have_the_reason_in_their_place() {
    local lines
    printf '1 1 \377 1\n\303\n1 0 0 0 0 0 0 0 0 0 0 0\n' >"$WORK/bytes"
    _post "/api/positions?detail=value" text/plain "$WORK/bytes"
    expect_code 200
    mapfile -t lines <"$out"
    [ ${#lines[@]} -eq 5 ] || fail "expected three answers"
    [[ ${lines[1]} == *'"status":400}'* && ${lines[2]} == *'"status":400}'* ]] || fail "expected two bad ones"
    [[ ${lines[3]} == *'"seeds":1,'* ]] || fail "expected the third answer"
}

# ---- JSON -----------------------------------------------------------------------------------------

_json() { # TEXT
    printf '%s' "$1" >"$WORK/json"
    _post "/api/positions?detail=value" application/json "$WORK/json"
}

strings_are_read_as_json_has_them() {
    local lines i
    _json ' [ "1 0 0 0 0 0 0 0 0 0 0 0" ,
        "\u0032,0,0,0,0,0\u002C0 0 0 0 0 0\t","3 0 0 0 0 0 \/ 0 0 0 0 0 0",null,-1.5e+7,true,"\u0000","\u00e9","a\"b\\"] '
    expect_code 200
    mapfile -t lines <"$out"
    [ ${#lines[@]} -eq 11 ] || fail "expected nine answers"
    for i in 1 2 3; do
        [[ ${lines[i]} == *"\"seeds\":$i,"* ]] || fail "expected three positions"
    done
    for i in {4..9}; do
        [[ ${lines[i]} == *'"status":400}'* ]] || fail "expected six that are none"
    done
}

json_that_is_wrong_is_refused_with_the_place() {
    local text
    while IFS='|' read -r text reason; do
        _json "$(printf '%b' "$text")"
        expect_code 400
        expect_output_has "invalid JSON at $reason"
    done <<'END'
{"a":1}|line 1 column 1: an array of positions
[|line 1 column 2: a position must be a string
["x"|line 1 column 5: a comma or the end
["x",]|line 1 column 6: a position must be a string
["x"\n"y"]|line 2 column 1: a comma
["x\n"]|line 1 column 4: this string is not terminated
["x|line 1 column 4: this string is not terminated
["\\x"]|line 1 column 5: this escape is not valid
["\\u12G4"]|line 1 column 7: this escape is not valid
["x", ["y"]]|line 1 column 7: a position must be a string
["x", {}]|line 1 column 7: a position must be a string
[nul]|line 1 column 2: a position must be a string
[01]|line 1 column 3: a comma
[1.]|line 1 column 4: this number is not valid
[1] x|line 1 column 5: nothing may follow the array
END
    _json '[]'
    expect_code 400
    expect_output_has "no positions"
}

run_tests
