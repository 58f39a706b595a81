#!/usr/bin/env bash
# The part of `make bench` that measures the server: requests a second, latency, and if its memory
# grows. wrk runs on the same machine, so it shares the processors with the server. It has no pass or
# fail.
#
#   tests/bench/serve.sh PROGRAM [SEEDS [SECONDS]]
set -eu
wari=$(realpath "$1")
clients=$(realpath tests/support/clients.py)
seeds=${2:-18}
seconds=${3:-60}
if ! command -v wrk >/dev/null || "$wari" serve 2>&1 | grep -q "without a server"; then
    printf '\nwari serve: not measured (it needs libmicrohttpd-dev and wrk: make setup)\n'
    exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-serve-XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"

"$wari" build --db db --seeds "$seeds" 2>build.log || { cat build.log >&2; exit 4; }
: >log
"$wari" serve --db db --port 0 --seconds 600 2>>log &
server=$!
until grep -q listening log; do
    kill -0 "$server" 2>/dev/null || { cat log >&2; server=; exit 4; }
    sleep 0.1
done
url=$(sed -n 's/.*listening on //p' log)

# 10,000 positions with up to SEEDS seeds; each request asks for another one.
"$wari" export --db db --seeds "$seeds" --format csv |
    awk -F, 'NR > 1 && rand() < 0.001 && n < 10000 { n++; gsub(/ /, "+", $1); print $1 }' >positions
cat >ask.lua <<'END'
local positions, next = {}, 0
for line in io.lines("positions") do positions[#positions + 1] = line end
function init(args) next = math.random(#positions) end
request = function()
    next = next % #positions + 1
    return wrk.format("GET", "/api/position?p=" .. positions[next] .. (os.getenv("MORE") or ""))
end
END
tr '+' ' ' <positions >bulk
cat >bulk.lua <<'END'
wrk.method, wrk.headers["Content-Type"] = "POST", "text/plain"
local file = io.open("bulk")
wrk.body = file:read("*a")
END

memory() { # resident, of the server
    awk '/^VmRSS/ { printf "%.1f MB", $2 / 1000 }' "/proc/$server/status"
}

figures() { # NAME LOG
    awk -v name="$1" '
        /^ *50%/ { half = $2 } /^ *99%/ { most = $2 }
        /Requests\/sec/ { rate = $2 } /Non-2xx|Socket errors/ { trouble = trouble " " $0 }
        END { printf "  %-34s %8d a second   half in %s, 99 %% in %s%s\n", name, rate, half, most, trouble }' "$2"
}

measure() { # NAME SECONDS WRK_ARGUMENT...
    local name=$1 time=$2
    shift 2
    wrk -t2 -c64 -d"$time" --latency "$@" >wrk.log
    figures "$name" wrk.log
}

printf '\nwari serve, %d seeds, 64 connections, wrk on the same machine\n' "$seeds"
# Request every position once, which fills the caches of values and of moves.
start=$(date +%s%N)
curl -sf -o /dev/null -H "Content-Type: text/plain" --data-binary @bulk "${url}api/positions"
awk -v count="$(wc -l <bulk)" -v time=$(($(date +%s%N) - start)) \
    'BEGIN { printf "  %-34s %8d positions a second (one connection)\n", "lines never asked for before", count / time * 1e9 }'
before=$(memory)
measure "GET /api/position" "$seconds" -s ask.lua "$url"
printf '  memory before and after that minute: %s, %s\n' "$before" "$(memory)"
MORE="&detail=moves" measure "  detail=moves" 10 -s ask.lua "$url"
MORE="&detail=value" measure "  detail=value" 10 -s ask.lua "$url"
wrk -t1 -c2 -d10 --latency -s bulk.lua "${url}api/positions?detail=value" >wrk.log
awk -v count="$(wc -l <bulk)" '/Requests\/sec/ { printf "  %-34s %8d positions a second\n", "POST /api/positions, detail=value", $2 * count }' wrk.log

ulimit -Sn "$(ulimit -Hn)" # for 2,000 clients
# Normal requests, each on a new connection, while other clients misbehave.
port=${url##*:}
beside() { # NAME COMMAND [ARGUMENT...]
    printf '  %-34s ' "GET /api/position beside $1"
    python3 "$clients" "${port%/}" "${@:2}" >said < <(sleep 15) &
    sleep 5
    python3 "$clients" "${port%/}" ask 200 "/api/position?p=$(head -n 1 positions)"
    wait $!
}
beside "200 slow clients" slow 200
beside "150 a second that leave" leave 1500 150
python3 "$clients" "${port%/}" idle 2000 </dev/null | sed 's/^/  of 2000 idle connections:            /'
