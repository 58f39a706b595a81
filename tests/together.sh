#!/usr/bin/env bash
# Runs two commands of the shell side by side, so that one computes while the other waits, and prints
# what the second says when the first has ended. Fails if one of them does.
#
#   tests/together.sh COMMAND COMMAND
set -u
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
bash -c "$2" >"$said" 2>&1 &
failed=0
bash -c "$1" || failed=1
wait $! || failed=1
cat "$said"
exit $failed
