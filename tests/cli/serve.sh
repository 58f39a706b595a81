#!/usr/bin/env bash
# `wari serve`: what it answers, what it refuses, and that nothing that is sent to it stops it.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

trap '' PIPE # who sends nonsense finds the server gone
all=$WORK/all
cp -r "$(shared_awari 12)" "$all" || exit 1
build "$all" 8 --rules tournament || exit 1
build "$all" 8 --rules warri || exit 1
"$WARI" verify --db "$all" --rules warri >/dev/null 2>&1 || exit 1

twelve="1 1 1 1 1 1 / 1 1 1 1 1 1"

_start --db "$all" || exit 1
trap 'kill "$server" 2>/dev/null' EXIT

# ---- Answers --------------------------------------------------------------------------------------

a_position_gets_the_bytes_of_wari_query() {
    local position
    for position in "$twelve" "0 1 0 0 1 0 / 0 0 0 0 0 1" "0 0 0 0 0 0 / 2 0 0 0 0 1" \
        0-0-0-3-2-0-1-0-0-0-0-0-20-22-S 1-0-0-0-0-0-0-0-0-3-2-0-22-20-N; do
        _position "rules=awari" "$position"
        expect_code 200
        "$WARI" query --db "$all" --rules awari --format json "$position" >"$WORK/expected"
        same_file "$WORK/expected" "$out"
    done
    _expect_header "Content-Type: application/json; charset=utf-8"
    _position "rules=tournament" "1 0 1 0 0 0 / 1 0 0 0 0 0"
    expect_output_has '"rules":"abapa","cycle":"own","value":1,' # the rules page's value
}

less_can_be_asked_for() {
    _position "rules=awari" "$twelve" "&detail=value"
    expect_output '{"position":[1,1,1,1,1,1,1,1,1,1,1,1],"seeds":12,"rules":"awari","cycle":"even","value":0}'
    _position "rules=awari" "0 0 0 0 0 1 / 0 0 0 0 0 0" "&detail=moves"
    expect_output '{"position":[0,0,0,0,0,1,0,0,0,0,0,0],"seeds":1,"rules":"awari","cycle":"even","value":-1,"moves":[{"move":"F","captured":0,"value":-1}]}'
    _position "rules=awari" "$twelve" "&detail=all"
    expect_code 400
}

# By hand: D and E capture the only seed of the opponent with the one that falls on it.
moves_carry_all_that_it_takes_to_draw_them() {
    _ask "/api/moves?rules=warri&p=0,0,0,3,2,0,1,0,0,0,0,0"
    expect_code 200
    expect_output '{"position":[0,0,0,3,2,0,1,0,0,0,0,0],"seeds":6,"rules":"warri","moves":[{"move":"D","captured":2,"sown":[4,5,6],"taken":[6],"next":[0,0,0,0,3,1,0,0,0,0,0,0],"again":true},{"move":"E","captured":2,"sown":[5,6],"taken":[6],"next":[0,0,0,3,0,1,0,0,0,0,0,0],"again":true}],"refused":[]}'
    # Slams are illegal in awari, and then the mover takes all 6.
    _ask "/api/moves?rules=awari&p=0,0,0,3,2,0,1,0,0,0,0,0"
    expect_output_has '"moves":[],"refused":[{"move":"D","why":"slam"},{"move":"E","why":"slam"}],"end":{"mover":6,"opponent":0,"nobody":0}'
    # North has no seeds: C gives it one, D (its 2 end in F) none.
    _ask "/api/moves?rules=awari&p=0,0,4,2,0,0,0,0,0,0,0,0"
    expect_output_has '"refused":[{"move":"D","why":"feed"}]'
    # They need no values: the start position has them, too.
    _ask "/api/moves?rules=awari&p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"
    expect_output_has '{"move":"f","captured":0,"sown":[6,7,8,9],"taken":[],"next":[5,5,5,5,4,4,4,4,4,4,4,0],"again":false}'
}

an_answer_says_whether_its_level_is_proved() {
    _position "rules=warri" "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output_has '"proved":true'
    _position "rules=awari" "0 1 0 0 1 0 / 0 0 0 0 0 1"
    ! grep -q '"proved":' "$out" || fail "expected nothing on record"
}

statistics_are_those_of_wari_stats() {
    _ask "/api/stats?rules=warri"
    expect_code 200
    "$WARI" stats --db "$all" --rules warri --json >"$WORK/expected"
    same_file "$WORK/expected" "$out"
}

info_lists_the_databases() {
    _ask /api/info
    expect_code 200
    expect_output_has '{"rules":"awari","cycle":"even","seeds_max":12,"positions":2685592,'
    expect_output_has '{"rules":"abapa","cycle":"own","seeds_max":8,'
    expect_output_has '"presets":["awari","academic"],"proved":-1,"record":"none"'
    expect_output_has '"presets":["tournament","oware","spanish"]'
    expect_output_has '"proved":8,"record":"fits"'
    expect_output_has '"limits":{"positions":10000,'
}

# ---- In bulk --------------------------------------------------------------------------------------

ten_thousand_positions_are_answered_in_order() {
    "$WARI" export --db "$all" --rules awari --seeds 7 --format csv |
        awk -F, 'NR > 1 && NR % 3 == 0 { print $1 }' | head -n 10000 >"$WORK/positions"
    [ "$(wc -l <"$WORK/positions")" -eq 10000 ] || fail "expected 10000 positions"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/positions"
    expect_code 200
    sed -n 's/.*"value":\(-\?[0-9]*\)}.*/\1/p' "$out" >"$WORK/values"
    "$WARI" query --db "$all" --rules awari --format value <"$WORK/positions" >"$WORK/expected"
    same_file "$WORK/expected" "$WORK/values"
    # As JSON: the same bytes.
    cp "$out" "$WORK/lines"
    sed '1s/^/["/; 1!s/^/"/; $!s/$/",/; $s/$/"]/' "$WORK/positions" >"$WORK/json"
    _post "/api/positions?rules=awari&detail=value" application/json "$WORK/json"
    same_file "$WORK/lines" "$out"
    # One more is too many.
    echo "$twelve" >>"$WORK/positions"
    _post "/api/positions?rules=awari" text/plain "$WORK/positions"
    expect_code 413
}

a_position_without_an_answer_has_its_reason_in_its_place() {
    printf '0 1 0 0 1 0 / 0 0 0 0 0 1\nnonsense\n\n4 4 4 4 4 4 4 4 4 4 4 4\n1 1\0 1\n%s' "$twelve" >"$WORK/mixed"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/mixed"
    expect_code 200
    sed -n '2p' "$out" | grep -q '"value":3}' || fail "expected the published 3"
    sed -n '3p;4p;6p' "$out" | grep -c '^{"error":".*","status":400}' | grep -qx 3 || fail "expected three bad ones"
    sed -n '5p' "$out" | grep -q '"status":404}' || fail "expected one that is not covered"
    sed -n '7p' "$out" | grep -q '"value":0}' || fail "expected the last line's answer"
    printf '["%s",7,null,"x"]' "$twelve" >"$WORK/mixed"
    _post "/api/positions?rules=awari" application/json "$WORK/mixed"
    grep -c '"status":400' "$out" | grep -qx 3 || fail "expected three bad ones"
}

bodies_that_make_no_sense_are_refused() {
    local body
    for body in '{"a":1}' '[' '["x"' 'null' '7' '[]'; do
        printf '%s' "$body" >"$WORK/bad"
        _post "/api/positions?rules=awari" application/json "$WORK/bad"
        expect_code 400
    done
    : >"$WORK/bad"
    _post "/api/positions?rules=awari" text/plain "$WORK/bad"
    expect_code 400
}

long_bodies_are_refused() {
    head -c 1048577 /dev/zero | tr '\0' '1' >"$WORK/long"
    _post "/api/positions?rules=awari" text/plain "$WORK/long" -H Expect:
    expect_code 413
    _post "/api/positions?rules=awari" text/plain "$WORK/long" -H Expect: -H "Transfer-Encoding: chunked"
    expect_code 413
    # At the limit it is read: one line, and no position.
    head -c 1048576 "$WORK/long" >"$WORK/limit"
    _post "/api/positions?rules=awari" text/plain "$WORK/limit" -H Expect:
    expect_code 200
    expect_output_has '"status":400}'
}

# A connection that is closed while its client sends may lose the answer on the way: a body that is
# refused is read first, unless it is huge.
who_sends_a_body_hears_why_it_was_refused() {
    local first fd status
    for first in "404 /nothing" "405 /api/moves" "415 /api/positions" "400 /api/positions?x=1" "413 /api/positions"; do
        exec {fd}<>"/dev/tcp/127.0.0.1/$port"
        printf 'POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' \
            "${first#* }" "$([[ $first == 413* ]] && echo text/plain || echo text/html)" 2000000 >&"$fd"
        sleep 0.2 # an answer that is not held comes now, and ends the connection
        head -c 2000000 /dev/zero >&"$fd" || fail "$first: expected the body to be read"
        read -r -t 20 _ status _ <&"$fd"
        [ "$status" = "${first%% *}" ] || fail "expected $first after the body, seen: $status"
        exec {fd}>&-
    done
    _raw "POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 99000000\r\n\r\n" |
        grep -q "HTTP/1.1 413" || fail "expected a huge body to be refused at once"
}

# ---- What is refused ------------------------------------------------------------------------------

bad_positions_get_400_with_the_reason() {
    local position
    for position in "1 1 1" "1 x 1 1 1 1 1 1 1 1 1 1" "49 0 0 0 0 0 0 0 0 0 0 0" 0-0-0-3-2-0-1-0-0-0-0-0-20-21-S; do
        _position "rules=awari" "$position"
        expect_code 400
        "$WARI" query --db "$all" --rules awari "$position" 2>&1 >/dev/null |
            sed "s/^wari query: position 1: //; s/\"/\\\\\"/g; s/.*/{\"error\":\"&\",\"status\":400}/" >"$WORK/expected"
        same_file "$WORK/expected" "$out"
    done
    _expect_header "Cache-Control: no-store"
    _ask "/api/position?rules=awari"
    expect_code 400
    _ask "/api/position?rules=awari&p=%001"
    expect_code 400
    _ask "/api/position?rules=awari&p=%FF%FE"
    expect_code 400
}

what_is_not_covered_gets_404() {
    _position "rules=awari" "4 4 4 4 4 4 / 4 4 4 4 4 4"
    expect_code 404
    expect_output '{"error":"a position with 48 seeds: this database goes up to 12","status":404}'
    _position "rules=awari" "1 1 1 1 1 2 / 1 1 1 1 1 1"
    expect_code 404
    _position "rules=wari" "$twelve"
    expect_code 404
    expect_output_has "there are: awari even, abapa own, warri even"
    _ask /api/nothing
    expect_code 404
    _ask /../etc/passwd --path-as-is
    expect_code 404
}

a_question_that_may_mean_two_things_is_refused() {
    _position "cycle=even" "$twelve"
    expect_code 400
    expect_output_has "awari even, warri even"
    _position "rules=frisian" "$twelve"
    expect_code 400
    _position "rules=tournament&cycle=even" "$twelve"
    expect_code 400
    _position "rules=awari&rules=warri" "$twelve"
    expect_code 400
    _position "rules=awari&ruels=warri" "$twelve"
    expect_code 400
    _position "rules=" "$twelve"
    expect_code 400
}

methods_and_types_that_do_not_fit_are_refused() {
    _ask /api/positions
    expect_code 405
    _expect_header "Allow: POST"
    _ask /api/position -X DELETE
    expect_code 405
    _expect_header "Allow: GET, HEAD"
    _ask / -X PUT -d x
    expect_code 405
    _ask "/api/positions?rules=awari" -d x # as a form
    expect_code 415
    _ask "/api/positions?rules=awari" -d x -H "Content-Type: text/plainer"
    expect_code 415
    _ask "/api/positions?rules=awari" -d x -H Content-Type:
    expect_code 415
    _ask "/api/positions?rules=awari" -d x -H "Content-Type: text/plain; charset=utf-8"
    expect_code 200
}

# ---- Headers --------------------------------------------------------------------------------------

who_has_an_answer_already_is_told_so() {
    local tag path
    for path in "/api/position?rules=awari&p=${twelve// /+}" "/api/stats?rules=awari" /api/info / /main.js; do
        _ask "$path"
        expect_code 200
        tag=$(tr -d '\r' <"$err" | sed -n 's/^ETag: //p')
        [ -n "$tag" ] || fail "expected a tag"
        _ask "$path" -H "If-None-Match: \"x\", W/$tag"
        expect_code 304
        expect_no_output
        _expect_header "ETag: $tag"
        _ask "$path" -H 'If-None-Match: "x"'
        expect_code 200
    done
    # A position that has no answer has no tag either.
    _ask "/api/position?rules=awari&p=4,4,4,4,4,4,4,4,4,4,4,4" -H "If-None-Match: *"
    expect_code 404
    _position "rules=awari" "$twelve"
    _expect_header "Cache-Control: public, max-age=3600"
}

head_sends_headers_alone() {
    _ask "/api/position?rules=awari&p=${twelve// /+}" -I
    expect_code 200
    _expect_header "Content-Length: 496"
}

every_answer_has_the_headers_of_safety() {
    local path
    for path in / /healthz /api/nothing "/api/position?p=1"; do
        _ask "$path"
        _expect_header "X-Content-Type-Options: nosniff"
        _expect_header "Referrer-Policy: no-referrer"
        grep -q "^Content-Security-Policy: default-src 'none'" "$err" || fail "expected a policy"
    done
}

# The library makes some pages of itself, where it cannot read a request.
pages_of_the_library_have_them_too() {
    local request
    for request in "nonsense\r\n\r\n" "GET / HTTP/7.7\r\n\r\n" "GET / HTTP/1.1\r\n\r\n" "GET / HTTP/1.1\r\nHost localhost\r\n\r\n" \
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n" \
        "GET /$(printf '%040000d' 0) HTTP/1.1\r\nHost: localhost\r\n\r\n" \
        "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n"; do
        err=$WORK/page.$BASHPID out=/dev/null code=0
        _raw "$request" >"$err"
        [ -s "$err" ] || continue # cut off while it was still being sent
        head -n 1 "$err" | grep -qE ' (400|414|505) ' || fail "expected a refusal of ${request:0:40}"
        _expect_header "X-Content-Type-Options: nosniff"
        _expect_header "Referrer-Policy: no-referrer"
        _expect_header "Cache-Control: no-store"
        grep -q "^Content-Security-Policy: default-src 'none'" "$err" || fail "expected a policy"
        grep -q "^Content-Type: " "$err" || fail "expected a type"
    done
    head -n 1 "$err" | grep -q ' 400 ' || fail "expected an answer to a bad chunk"
}

# ---- The page --------------------------------------------------------------------------------------

the_page_is_whole_and_needs_nothing_from_elsewhere() {
    local file
    _ask /
    expect_code 200
    _expect_header "Content-Type: text/html; charset=utf-8"
    same_file serve/page/index.html "$out"
    for file in serve/page/*.{html,js,css,svg} serve/page/messages/*.json; do
        _ask "/${file#serve/page/}"
        [ "${file##*/}" = index.html ] || { expect_code 200 && same_file "$file" "$out"; }
    done
    ! grep -rnE '(https?:)?//[a-z0-9.-]+\.[a-z]{2,}' serve/page | grep -v 'www\.w3\.org/2000/svg' ||
        fail "expected no address of elsewhere"
}

# ---- Robustness -----------------------------------------------------------------------------------

# Lines made from a good request by cutting it, changing bytes, and sending bytes of chance.
a_thousand_malformed_requests_leave_it_serving() {
    local i text good="GET /api/position?rules=awari&p=1+1+1+1+1+1/1+1+1+1+1+1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    RANDOM=7
    _start --db "$all" || exit 1
    trap 'kill "$server" 2>/dev/null' EXIT
    for ((i = 0; i < 1000; i++)); do
        case $((i % 5)) in
        0) text=${good:0:RANDOM % ${#good}} ;;
        1) text=${good:0:20}\\x$(printf %02x $((RANDOM % 256)))${good:21} ;;
        2) text="\\x$(printf %02x $((RANDOM % 256)))\\x$(printf %02x $((RANDOM % 256)))\r\n\r\n" ;;
        3) text="POST /api/positions?rules=awari HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: $((RANDOM - 16000))\r\n\r\n1 1" ;;
        4) text="POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n$(printf %x $RANDOM)z\r\n$i" ;;
        esac
        { exec {fd}<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || fail "expected it to listen"
        printf '%b' "$text" >&"$fd" 2>/dev/null
        exec {fd}>&-
    done
    _still_serves
    _stop # under sanitizers it ends with another code if it lost memory on the way
    [ "$stopped" -eq 143 ] || fail "expected it to end as it was asked to, not with $stopped"
}

# Who could make a proxy and the server disagree on where a request ends could smuggle one in.
requests_whose_end_is_in_doubt_are_refused() {
    local headers
    for headers in "Content-Length: 5\r\nContent-Length: 9" "Content-Length: 5\r\nTransfer-Encoding: chunked"; do
        for request in "POST /api/positions?rules=awari" "GET /healthz"; do
            _raw "$request HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n$headers\r\n\r\n0\r\n\r\nGET /api/info HTTP/1.1\r\nHost: localhost\r\n\r\n" >"$WORK/doubt"
            head -n 1 "$WORK/doubt" | grep -q ' 400 ' || fail "expected 400: $(head -c 80 "$WORK/doubt")"
            [ "$(grep -c "^HTTP/" "$WORK/doubt")" -eq 1 ] || fail "expected the connection to end"
        done
    done
    _still_serves
}

a_path_means_what_it_says() {
    _ask "/healthz%00x"
    expect_code 404
    _ask "/%00"
    expect_code 404
    _ask "/%68ealthz"
    expect_code 200
    # As a proxy writes it.
    _raw "GET http://localhost:1/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" >"$WORK/absolute"
    grep -qx '{"status":"ok"}' "$WORK/absolute" || fail "expected an answer to a whole address"
}

# Told so, or cut off while they are still sending.
huge_headers_are_refused() {
    local long
    long=$(head -c 100000 /dev/zero | tr '\0' 'a')
    _raw "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: $long\r\n\r\n" >"$WORK/huge"
    [ ! -s "$WORK/huge" ] || head -n 1 "$WORK/huge" | grep -qE ' (431|400|413) ' || fail "expected a refusal: $(head -c 80 "$WORK/huge")"
    _raw "GET /$long HTTP/1.1\r\nHost: localhost\r\n\r\n" >"$WORK/huge"
    [ ! -s "$WORK/huge" ] || head -n 1 "$WORK/huge" | grep -qE ' (431|400|414) ' || fail "expected a refusal: $(head -c 80 "$WORK/huge")"
    _still_serves
}

# Silent, dripping, or with a body that never ends: each is cut, and nobody else waits.
slow_senders_are_cut() {
    local fd drip=0
    _start --db "$all" --seconds 5 || exit 1
    trap 'kill "$server"' EXIT
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' >&"$fd"
    while [ $drip -lt 600 ] && printf a >&"$fd" 2>/dev/null; do
        read -r -t 0.2 -n 1 -u "$fd"
        [ $? -gt 128 ] || break # not a time-out: the other end is closed
        drip=$((drip + 1))
        [ $drip -ne 2 ] || _still_serves
    done
    [ $drip -ge 2 ] || fail "expected it to wait a little"
    [ $drip -lt 600 ] || fail "expected the connection to be cut"
    _raw "POST /api/positions?rules=awari HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\n1" >/dev/null ||
        fail "expected the connection to end"
    _still_serves
}

# Files are packed, levels are added, and at last the folder is gone: answers stay those of the files
# that were opened, and so does their tag.
a_folder_may_change_under_a_server() {
    local copy tag step
    copy=$(copy_of "$all")
    "$WARI" export --db "$all" --rules warri --seeds 8 --format csv | awk -F, 'NR > 1 && NR % 500 == 0 { print $1 }' >"$WORK/some"
    "$WARI" query --db "$all" --rules warri --format json <"$WORK/some" >"$WORK/expected"
    _start --db "$copy" --rules warri --cache 1 --seconds 100 || exit 1
    trap 'kill "$server"' EXIT
    for step in "" "pack --db $copy --rules warri" "build --db $copy --rules warri --seeds 9" gone; do
        # shellcheck disable=SC2086 # words on purpose
        case $step in
        gone) rm -rf "$copy" ;;
        ?*) "$WARI" $step >"$WORK/step" 2>&1 || fail "expected this to work: $step" ;;
        esac
        _post "/api/positions" text/plain "$WORK/some"
        sed '1d; $d; s/,$//' "$out" | cmp - "$WORK/expected" || fail "expected the same answers: $step"
        _ask "/api/stats"
        [ "${tag:=$(grep -i '^ETag' "$err")}" = "$(grep -i '^ETag' "$err")" ] || fail "expected the same tag"
    done
    _position "rules=warri" "1 1 1 1 1 1 / 1 1 1 0 0 0"
    expect_code 404
}

damage_is_no_answer_and_the_operator_hears_of_it() {
    local copy
    copy=$(copy_of "$all")
    flip_byte "$copy/awari-even-12.wari" -20000
    _start --db "$copy" || exit 1
    trap 'kill "$server"' EXIT
    "$WARI" export --db "$all" --rules awari --seeds 12 --format csv | awk -F, 'NR > 1 && NR % 150 == 0 { print $1 }' >"$WORK/many"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/many"
    expect_code 200
    grep -q '"status":500}' "$out" || fail "expected positions of the damaged block"
    expect_output_has "the table is damaged here"
    ! grep -q "$copy" "$out" || fail "expected no path in an answer"
    grep -q "awari-even-12.wari" "$WORK/server.err.$BASHPID" || fail "expected a line for the operator"
    # Those that are answered are right.
    sed -n 's/.*"value":\(-\?[0-9]*\)}.*/\1/p; s/.*"status":500}.*/?/p' "$out" >"$WORK/values"
    "$WARI" query --db "$all" --rules awari --format value <"$WORK/many" | paste - "$WORK/values" |
        awk '$2 != "?" && $1 != $2' >"$WORK/wrong"
    [ ! -s "$WORK/wrong" ] || fail "expected no wrong value"
}

# ---- The command ----------------------------------------------------------------------------------

what_cannot_be_served_is_refused() {
    refused 4 "--port" serve --db "$all" --port "$port"
    refused 2 "--bind" serve --db "$all" --bind nowhere
    refused 2 "--port" serve --db "$all" --port 65536
    refused 2 "--connections" serve --db "$all" --connections 0
    refused 2 "--seconds" serve --db "$all" --seconds 0
    refused 2 "--threads" serve --db "$all" --threads 65
    refused 2 "--cache" serve --db "$all" --cache 0
    refused 2 "--allow-host" serve --db "$all" --port 0 --allow-host localhost:80
    local name # a bug: patterns were taken, and matched nothing
    for name in "" "*" "*.example.org" "a b" "a/b" "[::1]" "a%eth0" http://a; do
        refused 2 "--allow-host: \"$name\" is no name or address; give each by itself" serve --db "$all" --port 0 --allow-host "$name"
    done
    local base
    for base in "" wari /wari wari/ // /../ /./ "/a b/" /a//b/ /a%20/ "/$(printf '%0199d' 0)/"; do
        refused 2 "--base" serve --db "$all" --port 0 --base "$base"
    done
    # shellcheck disable=SC2046 # words on purpose
    refused 2 "--allow-host can be given 16 times" serve --db "$all" --port 0 $(printf -- '--allow-host a%d ' {1..17})
    refused 2 "--db" serve
    refused 4 "" serve --db "$WORK/nothing"
    refused 6 "awari even" serve --db "$all" --rules wari
}

only_what_was_asked_for_is_served() {
    _start --db "$all" --rules warri --bind ::1 2>/dev/null || _start --db "$all" --rules warri || exit 1
    trap 'kill "$server"' EXIT
    ! grep -q "::1" "$WORK/server.err.$BASHPID" || url="http://[::1]:$port"
    _ask "/api/stats"
    expect_code 200
    expect_output_has '{"rules":"warri","cycle":"even",'
}

if ! is_small; then
    # What does not know of the server is taken as it is built already.
    without_the_library_all_but_the_server_is_built() {
        local built source
        built=$(dirname "$WARI")
        mkdir -p "$WORK/without/obj"
        cp -a "$built"/*.a "$built"/flags "$WORK/without"
        for source in game index db system solver verify play answer tools; do
            cp -a "$built/obj/$source" "$WORK/without/obj"
        done
        for source in $(grep -rl WITH_SERVER tools); do
            rm "$WORK/without/obj/${source%.c}.o"
        done
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$WORK/without" -o "$WORK/without/flags" \
            CFLAGS=-O0 SERVE_LIBS= all >"$WORK/make.log" 2>&1 || { cat "$WORK/make.log"; exit 1; }
        ! ldd "$WORK/without/wari" | grep -q microhttpd || fail "expected no library"
        WARI=$WORK/without/wari
        refused 2 "libmicrohttpd-dev" serve --db "$all"
        accepted query --db "$all" --rules awari --format value "$twelve"
    }
fi

run_tests
