#!/usr/bin/env bash
# Puts `wari serve` under load and measures normal requests meanwhile. Fails if a guarantee of serve/README.md is broken
# that does not depend on the machine: every request is answered, clients beyond the limit get 503, all positions of bulk
# requests are answered, memory is released, and the server shuts down correctly. Times are only printed, with their targets.
#
#   tests/attack/soak.sh PROGRAM [REQUESTS]      REQUESTS: 500,000, which takes half a minute or more
set -eu
wari=$(realpath "$1")
requests=${2:-500000}
clients=$(realpath tests/support/clients.py)
bulk=$(realpath tests/attack/bulk.py)
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-soak-XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
ulimit -Sn "$(ulimit -Hn)" # for 2,000 clients
good=0 bad=0
path="/api/position?p=1,1,1,0,0,0,1,1,0,0,0,0&detail=moves"

says() { # TRUE_OR_FALSE TEXT
    if [ "$1" = true ]; then
        good=$((good + 1))
        printf '  %s\n' "$2"
    else
        bad=$((bad + 1))
        printf '  BROKEN: %s\n' "$2"
    fi
}

holds() { # PATTERN TEXT
    grep -qE "$1" <<<"$2" && says true "$2" || says false "$2"
}

serve() { # OPTION...
    : >log
    "$wari" serve --db db --port 0 "$@" 2>>log </dev/null >/dev/null &
    server=$!
    until grep -q listening log; do
        kill -0 "$server" 2>/dev/null || { cat log >&2; server=; exit 4; }
        sleep 0.1
    done
    port=$(sed -n 's/.*listening on .*:\([0-9]*\)\/$/\1/p' log)
}

end() {
    local code=0
    kill "$server"
    wait "$server" || code=$?
    server=
    says "$([ $code -eq 143 ] && echo true || echo false)" "SIGTERM: ended with $code, $(tail -n 1 log | cut -d: -f2-)"
}

memory() {
    awk '/^VmRSS/ { printf "%d", $2 / 1000 }' "/proc/$server/status"
}

"$wari" build --db db --seeds 10 2>build.log || { cat build.log >&2; exit 4; }
serve --seconds 600

before=$(memory)
said=$(python3 "$bulk" "$port" load "$requests" 64 "$path")
holds ' 0 failed' "$said (target with wrk, 64 clients: 11,000 a second)"
says "$([ "$(memory)" -lt $((before + 64)) ] && echo true || echo false)" \
    "resident memory before and after: $before MB, $(memory) MB"

beside() { # NAME COMMAND [ARGUMENT...]
    local name=$1 said
    shift
    python3 "$clients" "$port" "$@" >others < <(sleep 12) &
    local others=$!
    sleep 4
    said=$(python3 "$clients" "$port" ask 100 "$path")
    wait "$others"
    holds ' 0 failed' "a request beside $name: $said (target: 50 ms)"
}
beside "200 slow clients" slow 200
beside "150 clients a second that leave" leave 1500 150
holds ' 0 closed$' "of 2,000 idle connections: $(python3 "$clients" "$port" idle 2000 </dev/null)"
end

serve --seconds 15 --cache 1
said=$(python3 "$bulk" "$port" bulk 1 10000 10)
holds '^10000 of 10000 ' "$said (one request, --cache 1)"
end

serve --seconds 15
python3 "$bulk" "$port" bulk 8 10000 10 >eight &
eight=$!
sleep 0.5
said=$(python3 "$clients" "$port" ask 50 "$path")
wait "$eight"
holds '^80000 of 80000 ' "$(cat eight) (eight requests at once)"
holds ' 0 failed' "a request beside them: $said (target: 50 ms)"
before=$(memory)
python3 "$bulk" "$port" bodies 10 >bodies
holds '^10 answered' "$(cat bodies)"
says "$([ "$(memory)" -lt $((before + 64)) ] && echo true || echo false)" \
    "resident memory before and after 10 bodies of 1 MB of JSON: $before MB, $(memory) MB"
end
echo "soak: $good guarantees kept, $bad broken"
[ "$bad" -eq 0 ]
