#!/usr/bin/env bash
# The API of `wari serve` for other programs: its versioned paths, its description, and pages of
# other sites.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$(_tables) || exit 1
_begin_client
twelve="1 1 1 1 1 1 / 1 1 1 1 1 1"
page=http://games.example:8000
printf '%s\n' "$twelve" >"$WORK/one"

_has_no_header() { # NAME
    ! grep -qi "^$1:" "$err" || fail "expected no header $1: $(grep -i "^$1:" "$err")"
}

# Sends the request with which a browser asks before a page of another site may send its own.
_preflight() { # PATH METHOD [OPTION...]
    _ask "$1" -X OPTIONS -H "Origin: $page" -H "Access-Control-Request-Method: $2" \
        -H "Access-Control-Request-Headers: content-type" "${@:3}"
}

every_path_has_a_version() {
    local path other
    _start --db "$all" || exit 1
    trap _end_server EXIT
    for path in info "stats?rules=awari" "moves?rules=awari&p=4,4,4,4,4,4,4,4,4,4,4,4" "position?rules=awari&p=x" "info?x=1"; do
        _ask "/api/$path"
        other=$code
        cp "$out" "$WORK/unversioned"
        _ask "/api/v1/$path"
        expect_code "$other"
        same_file "$WORK/unversioned" "$out"
    done
    _post "/api/v1/positions?rules=awari" text/plain "$WORK/one"
    expect_code 200
    for path in /api/v2/info /api/v1/ /api/v1 /api/v1/v1/info /api/v1/healthz /api/v1/positionss /api/v1//info; do
        _ask "$path"
        expect_code 404
    done
    _ask /api/v1/positions
    expect_code 405
    _expect_header "Allow: POST"
}

answers_are_as_the_description_says() {
    _start --db "$all" || exit 1
    trap _end_server EXIT
    _ask /api/v1/openapi.json
    same_file serve/openapi.json "$out"
    _expect_header "Content-Type: application/json"
    /usr/bin/python3 -B tests/support/check_openapi.py "$url" awari even >"$WORK/out" 2>&1 || fail "$(cat "$WORK/out")"
    python3 -B - serve/openapi.json serve/API.md <<'END' >"$WORK/out" 2>&1 || fail "$(cat "$WORK/out")"
# The page for readers describes every member of /api/game and /api/review.
import json, sys
schemas = json.load(open(sys.argv[1]))["components"]["schemas"]
text = open(sys.argv[2]).read()
names = ["GameMembers", "JudgedGame", "ReviewedGame", "ReviewedSide", "PlyMembers", "JudgedPly", "ReviewedPly"]
members = {key for name in names for key in schemas[name]["properties"]} | set(schemas["Repetition"]["oneOf"][1]["properties"])
missing = sorted(key for key in members if f"| `{key}` |" not in text)
assert not missing, f"serve/API.md does not describe {missing}"
END
}

pages_of_an_allowed_origin_use_the_api() {
    _start --db "$all" --allow-origin "$page" --allow-origin https://other.example || exit 1
    trap _end_server EXIT
    _ask "/api/info" -H "Origin: $page" -H "Sec-Fetch-Site: cross-site"
    expect_code 200
    _expect_header "Access-Control-Allow-Origin: $page"
    _expect_header "Access-Control-Expose-Headers: ETag, Retry-After"
    _expect_header "Vary: Origin"
    _post "/api/v1/positions?rules=awari" text/plain "$WORK/one" -H "Origin: https://other.example"
    expect_code 200
    _expect_header "Access-Control-Allow-Origin: https://other.example"
    _position rules=awari "1 1" "" -H "Origin: $page"
    _ask "/api/position?rules=awari&p=1" -H "Origin: $page" # the page can read what is wrong
    expect_code 400
    _expect_header "Access-Control-Allow-Origin: $page"
    _ask /api/v1/openapi.json -H "Origin: $page"
    _expect_header "Access-Control-Allow-Origin: $page"

    _ask /api/info # a cache may not give this answer to a page
    _expect_header "Vary: Origin"
    _has_no_header Access-Control-Allow-Origin
    for origin in http://games.example https://games.example:8000 http://a.games.example:8000 null; do
        _ask /api/info -H "Origin: $origin"
        expect_code 403
        expect_output_has "--allow-origin"
        _has_no_header Access-Control-Allow-Origin
    done
    _ask /api/info -H "Sec-Fetch-Site: cross-site"
    expect_code 403
    _ask / -H "Origin: $page" # the API alone
    expect_code 403
}

browsers_may_ask_before_they_send() {
    _start --db "$all" --allow-origin "$page" || exit 1
    trap _end_server EXIT
    _preflight /api/positions POST
    expect_code 204
    _expect_header "Access-Control-Allow-Origin: $page"
    _expect_header "Access-Control-Allow-Methods: POST"
    _expect_header "Access-Control-Allow-Headers: Content-Type, If-None-Match"
    _expect_header "Access-Control-Max-Age: 86400"
    _has_no_header Access-Control-Allow-Private-Network
    _preflight /api/v1/info GET -H "Access-Control-Request-Private-Network: true"
    expect_code 204
    _expect_header "Access-Control-Allow-Methods: GET, HEAD"
    _expect_header "Access-Control-Allow-Private-Network: true"
    _preflight / GET
    expect_code 403
    page=http://strange.example
    _preflight /api/positions POST
    expect_code 403
    _ask /api/positions -X OPTIONS
    expect_code 405
}

a_star_allows_every_page() {
    _start --db "$all" --allow-origin '*' || exit 1
    trap _end_server EXIT
    for origin in "$page" null https://x.example; do
        _ask /api/info -H "Origin: $origin" -H "Sec-Fetch-Site: cross-site"
        expect_code 200
        _expect_header "Access-Control-Allow-Origin: *"
        ! _has "$err" "Vary: Origin" || fail "expected one answer for all origins"
    done
    _preflight /api/game POST
    expect_code 204
    _ask /api/info # so that a cache may give it to a page
    _expect_header "Access-Control-Allow-Origin: *"
    _ask /api/info -H "Host: other.example" # names of the server are another matter
    expect_code 421
}

what_is_no_origin_is_refused() {
    local origin
    for origin in games.example https://games.example/ https:// "https://a b" ftp://a.example http://a:b http://a: 'https://*' null "" \
        "https://[::1" "https://[]"; do
        "$WARI" serve --port 0 --allow-origin "$origin" >"$WORK/out" 2>"$WORK/err" </dev/null
        [ $? -eq 2 ] || fail "accepted: $origin"
        grep -qF -e "--allow-origin: \"$origin\" is not an origin" "$WORK/err" || fail "$origin: $(cat "$WORK/err")"
    done
}

run_tests
