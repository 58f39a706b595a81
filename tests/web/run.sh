#!/usr/bin/env bash
# Runs the browser tests and leaves their total where tests/all.sh looks for it.
#
#   tests/web/run.sh FOLDER_FOR_LOGS PROGRAM
set -u -o pipefail
logs=$1
program=$(realpath "$2") || exit 1
rm -rf "$logs"
mkdir -p "$logs/pictures" || exit 1
timeout --kill-after=10 "${LIMIT:-900}" /usr/bin/python3 tests/web/test_page.py "$program" "$logs/pictures" 2>&1 |
    tee "$logs/page.log"
status=$?
rm -rf "$logs/pictures/db"
grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/page.log" | tail -n 1 >"$logs/total"
[ -s "$logs/total" ] || { echo "0 passed, 1 failed" | tee "$logs/total"; }
exit "$status"
