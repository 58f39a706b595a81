#!/usr/bin/env bash
# Runs two commands of the shell side by side, so that one computes while the other waits, and prints
# what the second says when the first has ended. Fails if one of them does. What ends it ends both.
#
#   tests/together.sh COMMAND COMMAND
set -u
said=$(mktemp) || exit 1
bash -c "$1" &
first=$!
bash -c "$2" >"$said" 2>&1 &
second=$!
trap 'kill $first $second 2>/dev/null; rm -f "$said"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
failed=0
wait $first || failed=1
wait $second || failed=1
cat "$said"
exit $failed
