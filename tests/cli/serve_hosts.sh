#!/usr/bin/env bash
# Which requests `wari serve` answers: its host names, pages from other sites, and its base path.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$(shared_awari 12) || exit 1
_begin_client
_start --db "$all" || exit 1
trap _end_server EXIT

twelve="1 1 1 1 1 1 / 1 1 1 1 1 1"

# A page can read private data if it uses a name that points to this server without its knowledge.
only_requests_to_known_hosts_are_answered() {
    local host header
    for host in localhost LOCALHOST:99 "127.0.0.1:$port" "[::1]:80"; do
        _ask /healthz -H "Host: $host"
        expect_code 200
    done
    for host in example.com "localhost.example.com:$port" localhost:1.example.com "[::1].example.com" "[::1]:x" 127.0.0.2 10.0.0.1 "[::2]" ""; do
        header="Host: $host"
        _ask /api/info -H "${header/%: /;}" # of an empty name, too
        expect_code 421
        _post "/api/positions?rules=awari" text/plain tests/cli/serve.sh -H "Host: ${host:-x}"
        expect_code 421
    done
    _ask /healthz -H "Host: localhost" --request-target "http://example.com/healthz"
    expect_code 421
    expect_output_has "--allow-host"
    _raw "GET /healthz HTTP/1.0\r\n\r\n" # where no host is needed
    expect_output_has '"status":"ok"'
    _raw "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    _expect_status 400
}

pages_of_other_sites_cannot_use_the_server() {
    local origin
    printf '%s\n' "$twelve" >"$WORK/one"
    for origin in "http://localhost:$port" "http://127.0.0.1:$port" http://localhost "http://[::1]:1"; do
        _post "/api/positions?rules=awari" text/plain "$WORK/one" -H "Origin: $origin"
        expect_code 200
    done
    for origin in http://example.com "https://localhost.example.com:$port" http://127.0.0.1.example.com \
        http://127.0.0.1:80.example.com http://localhost:1@example.com "http://[::1]example.com" null localhost; do
        _post "/api/positions?rules=awari" text/plain "$WORK/one" -H "Origin: $origin"
        expect_code 403
        _ask /api/info -H "Origin: $origin"
        expect_code 403
    done
    # A request for an image or a script does not name its origin.
    _ask "/api/info" -H "Sec-Fetch-Site: cross-site"
    expect_code 403
    _ask "/api/info" -H "Sec-Fetch-Site: same-origin"
    expect_code 200
    _ask "/" -H "Sec-Fetch-Site: cross-site" # a link to the page
    expect_code 200
}

names_can_be_allowed() {
    _start --db "$all" --allow-host wari.example --allow-host 10.1.1.1 || exit 1
    trap _end_server EXIT
    _ask /healthz -H "Host: Wari.example:80" -H "Origin: https://wari.example"
    expect_code 200
    _ask /healthz -H "Host: 10.1.1.1"
    expect_code 200
    _ask /healthz -H "Host: localhost"
    expect_code 200
    _ask /healthz -H "Host: other.example"
    expect_code 421
}

# As documented in wari-serve(1), BEHIND A PROXY. A bug: it was not documented that the public name
# is required.
a_proxied_site_needs_its_public_name() {
    local allowed
    printf '%s\n' "$twelve" >"$WORK/proxied"
    for allowed in "421 403" "200 200 --allow-host games.example.org"; do
        read -r handed_on replaced options <<<"$allowed"
        # shellcheck disable=SC2086 # words on purpose
        _start --db "$all" $options || exit 1
        trap _end_server EXIT
        _post "/api/positions" text/plain "$WORK/proxied" -H "Host: games.example.org" -H "Origin: https://games.example.org"
        expect_code "$handed_on"
        _post "/api/positions" text/plain "$WORK/proxied" -H "Origin: https://games.example.org"
        expect_code "$replaced"
        _ask "/" -H "Sec-Fetch-Site: same-origin"
        _stop
        expect_code 200
    done
    tools/manual/command.sh "$WARI" serve | sed 's/\\-/-/g; s/\\f[BP]//g' >"$WORK/page"
    grep -A 8 '^.Sh BEHIND A PROXY' "$WORK/page" | grep -q "wari serve --db tables --base /wari/ --allow-host games.example.org" ||
        fail "expected the manual to say so"
}

# As behind a proxy that forwards /wari/... unchanged. A bug: a link to the base without its slash
# lost its position. All URLs of the page are relative.
all_addresses_are_below_the_base() {
    local from to code_wanted ones='1-1-1-1-1-1-1-1-1-1-1-1-18-18-S' long
    long=/$(printf '%0198d' 0)/ # 200 bytes, the most
    _start --db "$all" --base "$long" || exit 1
    _ask "${long}healthz"
    _stop
    expect_code 200
    _start --db "$all" --base /games/wari-1.0/ || exit 1
    trap _end_server EXIT
    grep -q ":$port/games/wari-1.0/\$" "$WORK/server.err.$BASHPID" || fail "expected the base in the address"
    while read -r from code_wanted to; do
        _ask "$from"
        expect_code "$code_wanted"
        [ -z "$to" ] || _expect_header "Location: $to"
    done <<END
/games/wari-1.0/ 200
/games/wari-1.0/main.js 200
/games/wari-1.0/messages/fr.json 200
/games/wari-1.0/healthz 200
/games/wari-1.0/api/moves?rules=awari&p=$ones 200
/games/wari-1.0 308 wari-1.0/
/games/wari-1.0?rules=oware&p=4-4,1 308 wari-1.0/?rules=oware&p=4-4,1
/games/wari-1.0?p=1+1%202&&x=%3d%26&%c3%a9&y= 308 wari-1.0/?p=1%201%202&&x=%3D%26&%C3%A9&y=
/games/wari-1.0?a=%0d%0aSet-Cookie:%20b 308 wari-1.0/?a=%0D%0ASet-Cookie:%20b
/games/wari-1.0?a=${long:1:-1}$(printf "%08000d" 0) 414
/ 404
/main.js 404
/api/info 404
/games/wari-1.0main.js 404
/games/wari-1.0/games/wari-1.0/ 404
/games/ 404
END
    _ask /games/wari-1.0/
    expect_output_has 'data-t="section.play">Play</a>'
    _ask /api/info
    expect_output_has "/games/wari-1.0/"
    _ask /games/wari-1.0/api/info -H "Sec-Fetch-Site: cross-site"
    expect_code 403
    echo "$ones" >"$WORK/ones"
    _post "/games/wari-1.0/api/positions?rules=awari" text/plain "$WORK/ones"
    expect_code 200
    # Relative: none begins with a slash.
    ! grep -rnE "(src|href)=\"/|(fetch|ask|import)\(?[\"'\`(]/|from \"/" serve/page || fail "expected relative addresses"
}

# Fixed bug: "http://0.0.0.0:PORT/" was printed, and requests to that address were refused.
the_address_that_is_printed_answers() {
    local address said=$WORK/server.err.$BASHPID
    for address in 127.0.0.1 0.0.0.0 0 :: ::ffff:0.0.0.0; do
        _start --db "$all" --bind "$address" >"$WORK/starts" || {
            [[ $address == *:* ]] && continue # a machine without IPv6
            fail "$address: $(cat "$WORK/starts")"
        }
        trap _end_server EXIT
        [[ $(<"$said") =~ listening\ on\ (http:[^\ $'\n']*)/ ]] || fail "$address: expected an address"
        url=${BASH_REMATCH[1]}
        _ask /healthz
        expect_code 200
        [ "$address" = 127.0.0.1 ] || _has "$said" "listening on http://localhost:$port/ and all addresses" ||
            fail "$address: expected to be told where it listens"
        [ "$address" != :: ] || _expect_all_addresses
        _stop
    done
}

# IPv4 connections reach an IPv6 address, unless the system separates them.
_expect_all_addresses() {
    local address
    [ "$(</proc/sys/net/ipv6/bindv6only)" -eq 0 ] || return 0
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
