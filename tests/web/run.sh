#!/usr/bin/env bash
# Runs the browser tests and leaves their total where tests/all.sh looks for it.
#
#   tests/web/run.sh FOLDER_FOR_LOGS PROGRAM SITE
set -u -o pipefail
logs=$1
program=$(realpath "$2") || exit 1
rm -rf "$logs"
mkdir -p "$logs/pictures" || exit 1
status=0

run() { # LOG SCRIPT ARGUMENT...
    local log=$logs/$1
    shift
    timeout --kill-after=10 "${LIMIT:-900}" /usr/bin/python3 -B "$@" 2>&1 | tee "$log" || status=1
    grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || echo "0 passed, 1 failed" | tee -a "$log"
}

run page.log tests/web/test_page.py "$program" "$logs/pictures"
rm -rf "$logs/pictures/db"
run site.log tests/web/test_site.py "$3"
cat "$logs"/*.log | awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
    END { print passed " passed, " failed " failed" }' | tee "$logs/total"
exit "$status"
