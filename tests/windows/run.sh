#!/usr/bin/env bash
# Runs the tests of `make test-windows` with wine. Ends with "N passed, N failed".
#
#   tests/windows/run.sh FOLDER PROGRAM GROUP...
#
# FOLDER contains wari.exe and unit-windows.exe. PROGRAM is the program `wari` for this machine; it
# builds the databases that the tests read. ONLY: a pattern for the names of groups and scripts.
set -u -o pipefail
folder=$(realpath "$1") || exit 1
WARI_BUILDER=$(realpath "$2") || exit 1
export WARI_BUILDER
shift 2

# wine gets a new Windows system for these tests. Its folder is not in the build folder, because it
# contains a link to the root of the file system. WINEDLLOVERRIDES keeps wine from asking whether to
# install parts that the program does not use.
system=$(mktemp -d) || exit 1
export WINEPREFIX=$system WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
wineboot=$(command -v wineboot || echo "wine wineboot")
$wineboot --init >"$folder/wine.log" 2>&1 || { cat "$folder/wine.log" >&2; exit 1; }
wineserver=$(command -v wineserver || compgen -G '/usr/lib/wine/wineserver*' | head -n 1)
"$wineserver" -w
trap 'rm -rf "$system"' EXIT

# The command $system/wine runs a program for Windows. The server of wine keeps running for 20 seconds after the
# last program, because it takes a second to start. Each TMPDIR has its own server, so this script cannot start
# one server for all programs. The command $folder/wari is what the scripts run as `wari`.
printf '#!/bin/sh\n"%s" -p20 </dev/null >/dev/null 2>&1\nexec wine "$@"\n' "$wineserver" >"$system/wine" &&
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$system/wine" "$folder/wari.exe" >"$folder/wari" &&
    chmod +x "$system/wine" "$folder/wari" || exit 1

# The scripts of the commands that exist on Windows; see left_out.txt for single tests.
scripts='@(book|check|engine|export|judge|perft|query|rules|stats|windows)'
WARI_TESTS_LEFT_OUT=$(sed -n 's/^\([a-z_0-9]*\) .*/\1/p' tests/windows/left_out.txt | tr '\n' ' ')
export WARI_TESTS_LEFT_OUT
# Programs for Windows cannot load the library of tests/calls/.
export CALLS=

rm -rf "$folder/log"
failed=0
if [[ ${ONLY:-test_} == test_* ]]; then
    AGAIN=test-windows LIMIT=18000 EMULATOR=$system/wine \
        tests/run-unit.sh "$folder/log/unit" "$folder/unit-windows.exe" "$@" || failed=1
fi
if [[ ${ONLY:-} != test_* ]]; then
    AGAIN=test-windows LIMIT=18000 MORE_SCRIPTS=tests/windows/windows.sh ONLY="${ONLY:-$scripts}" \
        tests/run-cli.sh "$folder/log/cli" "$folder/wari" || failed=1
fi
cat "$folder"/log/*/total | awk '{ good += $1; bad += $3 } END { printf "%d passed, %d failed\n", good, bad }'
exit $failed
