# What the tests of `wari serve` share: starting a server, and asking it. Holds no tests; sourced
# behind lib.sh.
# shellcheck shell=bash

# Starts one on a free port; sets $server, $port and $url.
_start() { # [OPTION...]
    err=$WORK/server.err.$BASHPID
    : >"$err"
    "$WARI" serve --port 0 "$@" 2>>"$err" >/dev/null </dev/null &
    server=$!
    for _ in {1..600}; do
        port=$(sed -n 's/.*listening on .*:\([0-9]*\)\/.*$/\1/p' "$err")
        [ -z "$port" ] || break
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$port" ] || { echo "no server:"; cat "$err"; return 1; }
    url=http://127.0.0.1:$port
}

_stop() {
    kill "$server" && wait "$server"
    stopped=$?
}

# Asks; leaves $code (the HTTP status), $out (the body) and $err (the headers).
_ask() { # PATH [CURL_OPTION...]
    local path=$1
    shift
    out=$WORK/body.$BASHPID err=$WORK/headers.$BASHPID
    : >"$out"
    code=$(curl -s --max-time 100 -o "$out" -D "$err" -w '%{http_code}' "$@" "$url$path")
}

_position() { # VARIANT POSITION [MORE_ARGUMENTS]
    _ask "/api/position?$1&p=$(sed 's/ /%20/g; s/+/%2B/g' <<<"$2")${3:-}"
}

# Bulk: without the empty lines by which a slow machine says that it goes on.
_post() { # PATH TYPE FILE [CURL_OPTION...]
    _ask "$1" -H "Content-Type: $2" --data-binary "@$3" "${@:4}"
    [[ $1 != /api/positions* ]] || sed -i '/^$/d' "$out"
}

_expect_header() {
    tr -d '\r' <"$err" | grep -qixF -e "$1" || fail "expected the header $1"
}

_still_serves() {
    _ask /healthz
    expect_code 200
    expect_output '{"status":"ok"}'
}

# Sends bytes as they are and prints what comes back until the connection ends.
_raw() { # TEXT
    local fd
    exec {fd}<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf '%b' "$1" >&"$fd" 2>/dev/null
    timeout 60 cat <&"$fd" 2>/dev/null
    exec {fd}>&-
}
