#!/usr/bin/env bash
# Runs the tests that may be affected by the changes since a commit, at small size, as `make test`
# does. It says which changes it cannot judge; run `make test` for those.
#
#   tests/changed.sh BUILD_FOLDER [COMMIT]       COMMIT is the last one (HEAD) if not given
#
# RUN_UNITS and RUN_SCRIPTS: the commands that run groups of unit tests and scripts.
set -u
began=$SECONDS
{ read -r files && read -r units && read -r scripts; } < <(tests/changed.py "$1" "${2:-HEAD}") || exit 2
if [ -z "$files" ]; then
    echo "No file differs from ${2:-HEAD}."
    exit 0
fi
echo "changed: $files"
echo "unit tests: ${units:-none}"
echo "scripts: ${scripts:-none}"
for file in $files; do
    case $file in
    Makefile | *.mk | .ci/* | tests/*.sh) echo "What $file can break is more than this: run \`make test\`." ;;
    serve/page/* | bindings/js/*) echo "For $file run \`make test-web\`, too." ;;
    bindings/python/* | bindings/java/* | packaging/debian/*) echo "For $file run \`make test-python test-java test-packages\`, too." ;;
    esac
done
[ -n "$units$scripts" ] || exit 0
export WARI_TEST_SCALE=small
tests/together.sh "$([ -z "$units" ] && echo true || echo "$RUN_UNITS $units")" \
    "$([ -z "$scripts" ] && echo true || echo "AGAIN=test-cli ONLY='@(${scripts// /|})' $RUN_SCRIPTS")"
status=$?
echo "test-changed took $((SECONDS - began)) s"
exit $status
