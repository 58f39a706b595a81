#!/usr/bin/env bash
# Runs the browser tests and leaves their total where tests/all.sh looks for it.
#
# Prints the processor time of each part before the total. About half of the time is missing, because a browser does not wait
# for all of its processes, for example those that draw the pages.
#
#   tests/web/run.sh FOLDER_FOR_LOGS PROGRAM SITE CALLS
set -u -o pipefail
logs=$1
program=$(realpath "$2") || exit 1
CALLS=$(realpath "$4") || exit 1 # the library of tests/calls, which makes the clock of the server run faster
export CALLS
rm -rf "$logs"
mkdir -p "$logs/pictures" || exit 1
status=0

run() { # LOG COMMAND...
    local log=$logs/$1 TIMEFORMAT='%U %S'
    shift
    { time timeout --kill-after=10 "${LIMIT:-6000}" "$@" 2>&1 | tee "$log" || status=1; } 2>"$log.seconds"
    grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || echo "0 passed, 1 failed" | tee -a "$log"
}

# The packages of package-lock.json, once for each state of it.
modules=$logs/../web-modules
if ! cmp -s tests/web/package-lock.json "$modules/done.json"; then
    rm -rf "$modules"
    mkdir -p "$modules" && cp tests/web/package.json tests/web/package-lock.json "$modules" &&
        (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund) &&
        cp "$modules/package-lock.json" "$modules/done.json" || exit 1
fi

run page.log /usr/bin/python3 -B tests/web/test_page.py "$program" "$logs/pictures"
run browsers.log node tests/web/browsers.mjs "$program" "$logs/pictures" "$modules"
rm -rf "$logs"/pictures/db*
run site.log /usr/bin/python3 -B tests/web/test_site.py "$3"
run package.log /usr/bin/python3 -B tests/web/test_package.py bindings/js "$3/oware.book"
echo "seconds of processor time:"
for part in "$logs"/*.log; do
    awk -v part="$(basename "$part" .log)" '{ gsub(",", "."); printf "    %-10s %6.1f\n", part, $1 + $2 }' "$part.seconds"
done
cat "$logs"/*.log | awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
    END { print passed + 0 " passed, " failed + 0 " failed" }' | tee "$logs/total"
! grep -q "^0 passed" "$logs/total" || status=1 # ONLY may leave a part without tests, but not all
exit "$status"
