#!/usr/bin/env bash
# `wari serve`: its answers and refusals, and that nothing that is sent to it stops it.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$(_tables) || exit 1
build "$WORK/small" 6 || exit 1
_begin_client

twelve="1 1 1 1 1 1 / 1 1 1 1 1 1"

_start --db "$all" || exit 1
trap _end_server EXIT

# ---- Answers --------------------------------------------------------------------------------------

a_position_gets_the_bytes_of_wari_query() {
    local _text position
    local positions=("$twelve" "0 1 0 0 1 0 / 0 0 0 0 0 1" "0 0 0 0 0 0 / 2 0 0 0 0 1"
        0-0-0-3-2-0-1-0-0-0-0-0-20-22-S 1-0-0-0-0-0-0-0-0-3-2-0-22-20-N)
    for position in "${positions[@]}"; do
        _position "rules=awari" "$position"
        expect_code 200
        _read_text "$out" && printf %s "$_text" >>"$WORK/got"
    done
    "$WARI" query --db "$all" --rules awari --format json "${positions[@]}" >"$WORK/expected"
    same_file "$WORK/expected" "$WORK/got"
    _expect_header "Content-Type: application/json; charset=utf-8"
    # curl is a client that is not from this tree.
    code=$(curl -s --max-time $safety -o "$out" -w '%{http_code}' "$url/api/position?rules=awari&p=${positions[4]}")
    expect_code 200
    same_file <(tail -n 1 "$WORK/expected") "$out"
    _position "rules=tournament" "1 0 1 0 0 0 / 1 0 0 0 0 0"
    expect_output_has '"rules":"abapa","cycle":"own","value":1,' # the rules page's value
}

less_detail_can_be_requested() {
    _position "rules=awari" "$twelve" "&detail=value"
    expect_output '{"position":[1,1,1,1,1,1,1,1,1,1,1,1],"seeds":12,"rules":"awari","cycle":"even","value":0}'
    _position "rules=awari" "0 0 0 0 0 1 / 0 0 0 0 0 0" "&detail=moves"
    expect_output '{"position":[0,0,0,0,0,1,0,0,0,0,0,0],"seeds":1,"rules":"awari","cycle":"even","value":-1,"moves":[{"move":"F","captured":0,"value":-1}]}'
    _position "rules=awari" "$twelve" # all of it, as when it is asked for
    mv "$out" "$WORK/all"
    _position "rules=awari" "$twelve" "&detail=full"
    same_file "$WORK/all" "$out"
    _position "rules=awari" "$twelve" "&detail=all"
    expect_code 400
}

# By hand: D and E capture the opponent's only seed together with the seed that is sown into its
# pit.
moves_have_all_data_to_draw_them() {
    _ask "/api/moves?rules=warri&p=0,0,0,3,2,0,1,0,0,0,0,0"
    expect_code 200
    expect_output '{"position":[0,0,0,3,2,0,1,0,0,0,0,0],"seeds":6,"rules":"warri","moves":[{"move":"D","captured":2,"sown":[4,5,6],"taken":[6],"next":[0,0,0,0,3,1,0,0,0,0,0,0],"again":true},{"move":"E","captured":2,"sown":[5,6],"taken":[6],"next":[0,0,0,3,0,1,0,0,0,0,0,0],"again":true}],"refused":[]}'
    # Slams are illegal in awari, and then the mover takes all 6.
    _ask "/api/moves?rules=awari&p=0,0,0,3,2,0,1,0,0,0,0,0"
    expect_output_has '"moves":[],"refused":[{"move":"D","why":"slam"},{"move":"E","why":"slam"}],"end":{"mover":6,"opponent":0,"nobody":0}'
    # North has no seeds: C gives it one seed, D none, since its 2 seeds end in F.
    _ask "/api/moves?rules=awari&p=0,0,4,2,0,0,0,0,0,0,0,0"
    expect_output_has '"refused":[{"move":"D","why":"feed"}]'
    # Moves need no values, so the start position has them, too.
    _ask "/api/moves?rules=awari&p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"
    expect_output_has '{"move":"f","captured":0,"sown":[6,7,8,9],"taken":[],"next":[5,5,5,5,4,4,4,4,4,4,4,0],"again":false}'
}

an_answer_states_if_its_level_is_proved() {
    _position "rules=warri" "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output_has '"proved":true'
    _position "rules=awari" "0 1 0 0 1 0 / 0 0 0 0 0 1"
    ! _has "$out" '"proved":' || fail "expected nothing on record"
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
    expect_output_has '"presets":["awari","academic"],"proved":-1,"record":"none","missing":[]'
    expect_output_has '"presets":["tournament","oware","spanish"]'
    expect_output_has '"proved":8,"record":"fits"'
    expect_output_has '"limits":{"positions":10000,'
}

# ---- In bulk --------------------------------------------------------------------------------------

ten_thousand_positions_are_answered_in_order() {
    "$WARI" export --db "$all" --rules awari --seeds 7 --format csv |
        awk -F, 'NR > 1 && NR % 3 == 0 { print $1 }' | head -n 10000 >"$WORK/positions"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/positions"
    expect_code 200
    mv "$out" "$WORK/lines"
    "$WARI" query --db "$all" --rules awari --format value <"$WORK/positions" >"$WORK/expected"
    same_file "$WORK/expected" <(sed -n 's/.*"value":\(-\?[0-9]*\)}.*/\1/p' "$WORK/lines")
    # As JSON, the answer has the same bytes.
    sed '1s/^/["/; 1!s/^/"/; $!s/$/",/; $s/$/"]/' "$WORK/positions" >"$WORK/json"
    _post "/api/positions?rules=awari&detail=value" application/json "$WORK/json"
    same_file "$WORK/lines" "$out"
    # Lines may end as on other systems.
    tr '\n' '\r' <"$WORK/positions" >"$WORK/returns"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/returns"
    same_file "$WORK/lines" "$out"
    # One more position is too many.
    echo "$twelve" >>"$WORK/positions"
    _post "/api/positions?rules=awari" text/plain "$WORK/positions"
    expect_code 413
    expect_output_has "at most 10000 positions"
}

a_position_without_a_value_has_the_reason_in_its_place() {
    local lines i
    printf '0 1 0 0 1 0 / 0 0 0 0 0 1\nnonsense\n\n4 4 4 4 4 4 4 4 4 4 4 4\n1 1\0 1\n%s' "$twelve" >"$WORK/mixed"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/mixed"
    expect_code 200
    mapfile -t lines <"$out"
    [[ ${lines[1]} == *'"value":3}'* ]] || fail "expected the published 3"
    for i in 2 3 5; do
        [[ ${lines[i]} == '{"error":"'*'","status":400}'* ]] || fail "expected three bad ones"
    done
    [[ ${lines[4]} == *'"status":404}'* ]] || fail "expected one that is not covered"
    [[ ${lines[6]} == *'"value":0}'* ]] || fail "expected the last line's answer"
    printf '["%s",7,null,"x"]' "$twelve" >"$WORK/mixed"
    _post "/api/positions?rules=awari" application/json "$WORK/mixed"
    mapfile -t lines <"$out"
    for i in 2 3 4; do
        [[ ${lines[i]} == *'"status":400}'* ]] || fail "expected three bad ones"
    done
}

malformed_bodies_are_refused() {
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
    # A body of the maximum size is read: one line that is not a position.
    head -c 1048576 "$WORK/long" >"$WORK/limit"
    _post "/api/positions?rules=awari" text/plain "$WORK/limit" -H Expect:
    expect_code 200
    expect_output_has '"status":400}'
}

# If a connection is closed while the client sends, the client may lose the answer. So a refused
# body is read first, unless it is huge. With small buffers, it can be sent only if it is read.
a_refused_body_gets_a_response_with_the_reason() {
    local status path type
    head -c 2000000 /dev/zero >"$WORK/body"
    while read -r status path type; do
        _ask "$path" -H "Content-Type: $type" --data-binary "@$WORK/body" --small-buffers
        expect_code "$status"
    done <<'END'
404 /nothing text/html
405 /api/moves text/html
415 /api/positions text/html
400 /api/positions?x=1 text/html
413 /api/positions text/plain
END
    _raw 'POST /api/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 99000000\r\n\r\n'
    _expect_status 413 # at once
}

# ---- What is refused ------------------------------------------------------------------------------

bad_positions_get_400_with_the_reason() {
    local position _text
    local positions=("1 1 1" "1 x 1 1 1 1 1 1 1 1 1 1" "49 0 0 0 0 0 0 0 0 0 0 0" 0-0-0-3-2-0-1-0-0-0-0-0-20-21-S)
    for position in "${positions[@]}"; do
        _position "rules=awari" "$position"
        expect_code 400
        _read_text "$out" && printf %s "$_text" >>"$WORK/reasons"
    done
    "$WARI" query --db "$WORK/small" "${positions[@]}" 2>&1 >/dev/null |
        sed "s/^wari query: position [1-4]: //; s/\"/\\\\\"/g; s/.*/{\"error\":\"&\",\"status\":400}/" >"$WORK/expected"
    same_file "$WORK/expected" "$WORK/reasons"
    _expect_header "Cache-Control: no-store"
    _ask "/api/position?rules=awari"
    expect_code 400
    _ask "/api/position?rules=awari&p=%001"
    expect_code 400
    _ask "/api/position?rules=awari&p=%FF%FE"
    expect_code 400
}

positions_not_covered_get_404() {
    _position "rules=awari" "4 4 4 4 4 4 / 4 4 4 4 4 4"
    expect_code 404
    expect_output '{"error":"the position has 48 seeds; the database goes up to 12","status":404}'
    _position "rules=awari" "1 1 1 1 1 2 / 1 1 1 1 1 1"
    expect_code 404
    _position "rules=wari" "$twelve"
    expect_code 404
    expect_output_has "available are: awari even, abapa own, warri even"
    _ask /api/nothing
    expect_code 404
    _ask /../etc/passwd --path-as-is
    expect_code 404
}

an_ambiguous_request_is_refused() {
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

wrong_methods_and_types_are_refused() {
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

a_client_with_the_current_response_gets_304() {
    local tag path
    for path in "/api/position?rules=awari&p=${twelve// /+}" "/api/analysis?rules=awari&p=${twelve// /+}" \
        "/api/stats?rules=awari" /api/info / /main.js; do
        _ask "$path"
        expect_code 200
        [[ $(<"$err") =~ ETag:\ ([^$'\n']+) ]] || fail "expected a tag"
        tag=${BASH_REMATCH[1]}
        _ask "$path" -H "If-None-Match: \"x\", W/$tag"
        expect_code 304
        expect_no_output
        _ask "$path" -H "If-None-Match: \"x\", $tag"
        expect_code 304
        _expect_header "ETag: $tag"
        _ask "$path" -H 'If-None-Match: "x"'
        expect_code 200
    done
    # A position without an answer has no tag either.
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

every_response_has_the_security_headers() {
    local path
    for path in / /healthz /api/nothing "/api/position?p=1"; do
        _ask "$path"
        _expect_header "X-Content-Type-Options: nosniff"
        _expect_header "Referrer-Policy: no-referrer"
        _expect_policy
    done
}

# The library itself makes some pages, if it cannot read a request.
pages_of_the_library_have_them_too() {
    local request
    for request in "nonsense\r\n\r\n" "GET / HTTP/7.7\r\n\r\n" "GET / HTTP/1.1\r\n\r\n" "GET / HTTP/1.1\r\nHost localhost\r\n\r\n" \
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n" \
        "GET /$(printf '%040000d' 0) HTTP/1.1\r\nHost: localhost\r\n\r\n" \
        "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n"; do
        _raw "$request"
        [ -s "$out" ] || continue # cut off while it was still being sent
        _expect_status '400|414|505'
        err=$out
        _expect_header "X-Content-Type-Options: nosniff"
        _expect_header "Referrer-Policy: no-referrer"
        _expect_header "Cache-Control: no-store"
        _expect_policy
        _has "$err" "Content-Type: " || fail "expected a type"
    done
    _expect_status 400 # there is an answer to a bad chunk
}

# ---- The page --------------------------------------------------------------------------------------

the_page_is_complete_and_loads_nothing_from_other_sites() {
    local file here=$WORK/page
    mkdir -p "$here/messages"
    _ask /
    expect_code 200
    _expect_header "Content-Type: text/html; charset=utf-8"
    for file in serve/page/*.{js,css,svg} serve/page/messages/*.json; do
        _ask "/${file#serve/page/}"
        expect_code 200
        mv "$out" "$here/${file#serve/page/}"
    done
    diff -r -x main.js -x index.html -x README.md serve/page "$here" || fail "expected the page's files"
    ! grep -rnE '(https?:)?//[a-z0-9.-]+\.[a-z]{2,}' serve/page | grep -v 'www\.w3\.org/2000/svg' ||
        fail "expected no address of elsewhere"
}

the_page_is_compressed_for_those_who_accept_that() {
    local file encoding tags=()
    for file in / /main.js /style.css /icon.svg /messages/fr.json; do
        _ask "$file"
        expect_code 200
        mv "$out" "$WORK/plain"
        grep -qi '^vary: accept-encoding' "$err" || fail "expected $file to vary"
        ! grep -qi '^content-encoding' "$err" || fail "expected $file as it is"
        for encoding in gzip "br, GZIP;q=0.5" "deflate , gzip"; do
            _ask "$file" -H "Accept-Encoding: $encoding"
            expect_code 200
            _expect_header "Content-Encoding: gzip"
            grep -qi '^vary: accept-encoding' "$err" || fail "expected $file to vary"
            [ "$(wc -c <"$out")" -lt "$(wc -c <"$WORK/plain")" ] || fail "expected fewer bytes of $file"
            gzip -dc "$out" | cmp - "$WORK/plain" || fail "expected the bytes of $file"
        done
        for encoding in "br, gzip;q=0" "gzip; q=0.0" gzipped x; do
            _ask "$file" -H "Accept-Encoding: $encoding"
            same_file "$WORK/plain" "$out"
        done
    done
    # Each of the two has a tag of its own, and 304 has the headers of 200.
    for encoding in gzip identity; do
        _ask /main.js -H "Accept-Encoding: $encoding"
        tags+=("$(sed -n 's/^ETag: \([^\r]*\)\r*$/\1/p' "$err")")
    done
    [ "${tags[0]}" != "${tags[1]}" ] || fail "expected two tags"
    _ask /main.js -H "Accept-Encoding: gzip" -H "If-None-Match: ${tags[0]}"
    expect_code 304
    _expect_header "Vary: Accept-Encoding"
    _ask /main.js -H "Accept-Encoding: gzip" -H "If-None-Match: ${tags[1]}"
    expect_code 200
}

# The page must be index.html with its style, its script and its texts in it, so that a reader sees the texts before any script
# runs. The policy must allow exactly this style and this script, by their hashes. The check shares no code with
# serve/fill_in.sh and serve/page.sh.
the_page_has_its_style_its_script_and_its_texts_in_the_readers_language() {
    local language file
    for language in en es fr it nl; do
        _ask / -H "Accept-Language: $language"
        mv "$out" "$WORK/index.$language"
    done
    mv "$err" "$WORK/headers"
    for file in style.css main.js; do
        _ask "/$file"
        mv "$out" "$WORK/$file"
    done
    python3 -B - "$WORK" <<'END' || fail "expected the texts of each language in the page"
import base64, hashlib, html, json, re, sys
def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()
def allowed(text):
    return f"'self' 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}';"
element = re.compile(r'(<[^>]* data-t="([^"]*)"[^>]*>)(.*?)(?=</(?!kbd))')
bare, style, script, headers = (read(path) for path in ("serve/page/index.html", *(f"{sys.argv[1]}/{name}" for name in ("style.css", "main.js", "headers"))))
for language in ("en", "es", "fr", "it", "nl"):
    messages = read(f"serve/page/messages/{language}.json")
    texts = json.loads(messages)
    page = read(f"{sys.argv[1]}/index.{language}")
    for inside, reference in ((f"<style>{style}</style>", '<link rel="stylesheet" href="style.css">'),
                              (f'<script type="module">{script}</script>', '<script type="module" src="main.js"></script>'),
                              (f'<script type="application/json" id="texts" lang="{language}">{messages}</script>\n', "")):
        assert page.count(inside) == 1, (language, reference)
        page = page.replace(inside, reference)
    found = element.findall(page)
    assert len(found) == len(re.findall(r' data-t="', bare)) > 80, (language, len(found))
    for _, key, text in found:
        keys = re.sub(r"<kbd>(.*?)</kbd>", r"[\1]", text)
        assert html.unescape(keys) == texts[key], (language, key, text)
    assert f'<html lang="{language}">' in page, language
    assert element.sub(r"\1", page).replace(f'lang="{language}"', 'lang="en"', 1) == bare, language
policy = re.search("^Content-Security-Policy: (.*)$", headers, re.M)[1]
assert f"script-src {allowed(script)}" in policy and f"style-src {allowed(style)}" in policy and "unsafe" not in policy, policy
END
}

# curl decompresses the answers. Answers of less than 1 kB are not compressed.
long_answers_are_compressed_for_those_who_accept_that() {
    local path="/api/stats?rules=awari" tag
    _ask "$path"
    expect_code 200
    mv "$out" "$WORK/plain"
    [ "$(wc -c <"$WORK/plain")" -ge 1024 ] || fail "expected an answer that is long enough"
    _expect_header "Vary: Accept-Encoding"
    ! grep -qi '^content-encoding' "$err" || fail "expected the answer as it is"
    tag=$(sed -n 's/^ETag: \([^\r]*\)\r*$/\1/p' "$err")
    _ask "$path" -H "Accept-Encoding: gzip, deflate, br, ZSTD"
    _expect_header "Content-Encoding: zstd"
    _expect_header "Vary: Accept-Encoding"
    _expect_header "ETag: W/$tag"
    _expect_header "Content-Length: $(wc -c <"$out")"
    [ $((2 * $(wc -c <"$out"))) -lt "$(wc -c <"$WORK/plain")" ] || fail "expected half as many bytes"
    curl -s --max-time $safety --compressed -H "Accept-Encoding: zstd" "$url$path" | cmp - "$WORK/plain" ||
        fail "expected the same answer"
    _ask "$path" -H "Accept-Encoding: zstd" -H "If-None-Match: W/$tag"
    expect_code 304
    _expect_header "Vary: Accept-Encoding"
    _expect_header "ETag: W/$tag"
    _ask "$path" -H "Accept-Encoding: gzip, zstd;q=0"
    same_file "$WORK/plain" "$out"
    _ask "/api/position?rules=awari&p=${twelve// /+}" -H "Accept-Encoding: zstd"
    [ "$(wc -c <"$out")" -lt 1024 ] || fail "expected a short answer"
    ! grep -qi '^content-encoding' "$err" || fail "expected a short answer as it is"
}

# A browser that has got / asks at once for what the script will need. The first language that the page has is the reader's.
the_page_announces_its_request_and_comes_in_the_readers_language() {
    local language preferred
    while read -r language preferred; do
        _ask / -H "Accept-Language: $preferred"
        expect_output_has "<html lang=\"$language\">"
        _expect_header "Link: <api/info>; rel=preload; as=fetch; crossorigin=anonymous"
        _expect_header "Vary: Accept-Encoding, Accept-Language, Cookie"
    done <<END
en
en *
en zh-CN,zh;q=0.9
en english
fr fr
fr FR-ch, en;q=0.9
nl de-CH,de;q=0.9,nl-BE;q=0.8,it;q=0.7
es ,;-,es
END
    # A language that the reader selected comes first, if the page has it.
    _ask / -H "Accept-Language: fr" -H "Cookie: a=b; wari-language=it"
    expect_output_has '<html lang="it">'
    for language in de it-CH x ../x ""; do
        _ask / -H "Accept-Language: fr" -H "Cookie: wari-language=$language"
        expect_output_has '<html lang="fr">'
    done
    _ask /main.js -H "Accept-Language: fr"
    ! grep -qi '^link' "$err" || fail "expected no links with a script"
}

# ---- Robustness -----------------------------------------------------------------------------------

the_server_survives_malformed_requests() { # a thousand; in small 300
    _start --db "$all" || exit 1
    trap _end_server EXIT
    _client malformed "$port" "$(is_small && echo 300 || echo 1000)" 7
    _expect_reply ok
    _still_serves
    _stop # under sanitizers it ends with another code if it lost memory on the way
    [ "$stopped" -eq 143 ] || fail "expected it to end as it was asked to, not with $stopped"
}

# If a proxy and the server disagree on where a request ends, an attacker can smuggle one in.
requests_with_an_ambiguous_end_are_refused() {
    local headers _text
    for headers in "Content-Length: 5\r\nContent-Length: 9" "Content-Length: 5\r\nTransfer-Encoding: chunked"; do
        for request in "POST /api/positions?rules=awari" "GET /healthz"; do
            _raw "$request HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n$headers\r\n\r\n0\r\n\r\nGET /api/info HTTP/1.1\r\nHost: localhost\r\n\r\n"
            _expect_status 400
            _read_text "$out"
            [[ $_text != *$'\n'HTTP/* ]] || fail "expected the connection to end"
        done
    done
    _still_serves
}

a_path_is_taken_literally() {
    _ask "/healthz%00x"
    expect_code 404
    _ask "/%00"
    expect_code 404
    _ask "/%68ealthz"
    expect_code 200
    # The form that a proxy writes.
    _raw "GET http://localhost:1/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    expect_output_has '{"status":"ok"}'
}

# Clients get an answer, or are cut off while they are still sending.
huge_headers_are_refused() {
    local long
    printf -v long '%0100000d' 0
    _raw "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: $long\r\n\r\n"
    [ ! -s "$out" ] || _expect_status '431|400|413'
    _raw "GET /$long HTTP/1.1\r\nHost: localhost\r\n\r\n"
    [ ! -s "$out" ] || _expect_status '431|400|414'
    _still_serves
}

# Clients that are silent, send a byte from time to time, or send a body that never ends: each is
# cut off when its time is over, however much it sends, and other clients do not wait.
slow_senders_are_disconnected() {
    local kind
    _start_still --db "$WORK/small" --seconds 5 || exit 1
    trap _end_server EXIT
    for kind in silent dripping; do
        _client open $kind "$port" 1
    done
    _client send dripping 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
    _client settle dripping # so that its time has begun
    _pass 3000
    _client is-open dripping
    _expect_reply open
    _still_serves
    _client send dripping a
    _client settle dripping
    _pass 3000
    _client gather dripping
    _expect_reply 1x0
    _client open endless "$port" 1
    _client send endless 'POST /api/positions?rules=awari HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\n'
    _client settle endless
    _client send endless 1
    _client settle endless # so that the time of the request has begun: what follows the headers is read later
    _pass 3000
    _client send endless 1
    _client settle endless
    _pass 3000
    _client gather endless
    _expect_reply 1x0
    _pass_until_closed silent # whose time begins with its thread, and nothing shows when that is
    _client gather silent
    _expect_reply 1x0
    _still_serves
}

# Files are packed, levels are added, and at last the folder is removed: the answers remain those of
# the files that were opened, and so does their tag.
a_folder_may_change_under_a_server() {
    local copy tag step
    copy=$(copy_of "$WORK/small")
    "$WARI" export --db "$WORK/small" --seeds 6 --format csv | awk -F, 'NR > 1 && NR % 100 == 0 { print $1 }' >"$WORK/some"
    "$WARI" query --db "$WORK/small" --format json <"$WORK/some" >"$WORK/expected"
    _start --db "$copy" --rules awari --cache 1 --seconds 100 || exit 1
    trap _end_server EXIT
    for step in "" "pack --db $copy --rules awari" "build --db $copy --rules awari --seeds 7" gone; do
        # shellcheck disable=SC2086 # words on purpose
        case $step in
        gone) rm -rf "$copy" ;;
        ?*) "$WARI" $step >"$WORK/step" 2>&1 || fail "expected this to work: $step" ;;
        esac
        _post "/api/positions" text/plain "$WORK/some"
        sed '1d; $d; s/,$//' "$out" | cmp - "$WORK/expected" || fail "expected the same answers: $step"
        _ask "/api/stats"
        [[ $(<"$err") =~ ETag:\ ([^$'\n']+) && ${tag:=${BASH_REMATCH[1]}} == "${BASH_REMATCH[1]}" ]] ||
            fail "expected the same tag"
    done
    _position "rules=awari" "1 1 1 1 1 1 / 1 0 0 0 0 0"
    expect_code 404
}

# Answers include the size of files, which is different after `wari pack` and in a book.
files_of_another_size_have_another_tag() {
    local packed place tags=$WORK/tags.$BASHPID
    packed=$(copy_of "$WORK/small")
    accepted pack --db "$packed" --rules awari
    accepted book --db "$packed" --rules awari --output "$WORK/tag.book"
    for place in "--db $WORK/small" "--db $packed" "--book $WORK/tag.book"; do
        # shellcheck disable=SC2086 # words on purpose
        _start $place --rules awari || exit 1
        trap _end_server EXIT
        for path in /api/stats /api/info; do
            _ask $path
            expect_code 200
            [[ $(<"$err") =~ ETag:\ [^$'\n']+ ]] && echo "${BASH_REMATCH[0]}" >>"$tags"
        done
        _stop
    done
    [ "$(sort -u "$tags" | wc -l)" -eq 6 ] || fail "expected six tags"
}

damage_gives_no_value_and_is_reported_to_the_operator() {
    local copy
    copy=$(copy_of "$all")
    flip_byte "$copy/awari-even-9.wari" -20000
    _start --db "$copy" || exit 1
    trap _end_server EXIT
    "$WARI" export --db "$all" --rules awari --seeds 9 --format csv | awk -F, 'NR > 1 && NR % 150 == 0 { print $1 }' >"$WORK/many"
    _post "/api/positions?rules=awari&detail=value" text/plain "$WORK/many"
    expect_code 200
    grep -q '"status":500}' "$out" || fail "expected positions of the damaged block"
    expect_output_has "the database is damaged at this position"
    ! grep -q "$copy" "$out" || fail "expected no path in an answer"
    grep -q "awari-even-9.wari" "$WORK/server.err.$BASHPID" || fail "expected a line for the operator"
    # The answers that arrive are right.
    sed -n 's/.*"value":\(-\?[0-9]*\)}.*/\1/p; s/.*"status":500}.*/?/p' "$out" >"$WORK/values"
    "$WARI" query --db "$all" --rules awari --format value <"$WORK/many" | paste - "$WORK/values" |
        awk '$2 != "?" && $1 != $2' >"$WORK/wrong"
    [ ! -s "$WORK/wrong" ] || fail "expected no wrong value"
}

# ---- The command ----------------------------------------------------------------------------------

invalid_options_are_refused() {
    local all=$WORK/small name base
    local names=("" "*" "*.example.org" "a b" "a/b" "[::1]" "a%eth0" http://a) paths=("" wari /wari wari/ // /../ /./ "/a b/" /a//b/ /a%20/)
    ! is_sanitized || names=("" "a%eth0") paths=("" wari /a%20/) # a start takes ten times as long
    refused 4 "--port" serve --db "$all" --port "$port"
    refused 2 "--bind" serve --db "$all" --bind nowhere
    refused 2 "--port" serve --db "$all" --port 65536
    refused 2 "--connections" serve --db "$all" --connections 0
    refused 2 "--seconds" serve --db "$all" --seconds 0
    refused 2 "--threads" serve --db "$all" --threads 65
    refused 2 "--cache" serve --db "$all" --cache 0
    refused 2 "--allow-host" serve --db "$all" --port 0 --allow-host localhost:80
    # Fixed bug: patterns were accepted, but matched nothing.
    for name in "${names[@]}"; do
        refused 2 "--allow-host: \"$name\" is not a host name or address; give each one separately" serve --db "$all" --port 0 --allow-host "$name"
    done
    for base in "${paths[@]}" "/$(printf '%0199d' 0)/"; do
        refused 2 "--base" serve --db "$all" --port 0 --base "$base"
    done
    # shellcheck disable=SC2046 # words on purpose
    refused 2 "--allow-host can be given at most 16 times" serve --db "$all" --port 0 $(printf -- '--allow-host a%d ' {1..17})
    refused 4 "" serve --db "$WORK/nothing"
    refused 6 "awari even" serve --db "$all" --rules wari
}

only_what_was_asked_for_is_served() {
    _start --db "$all" --rules warri --bind ::1 2>/dev/null || _start --db "$all" --rules warri || exit 1
    trap _end_server EXIT
    ! grep -q "::1" "$WORK/server.err.$BASHPID" || url="http://[::1]:$port"
    _ask "/api/stats"
    expect_code 200
    expect_output_has '{"rules":"warri","cycle":"even",'
}

if ! is_small; then
    # Objects that do not depend on the server are taken from the existing build.
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

# POSIX has no way to add headers to these pages.
is_posix && unset -f pages_of_the_library_have_them_too

run_tests
