#!/usr/bin/env bash
# Runs two shell commands at the same time, so that one computes while the other waits. The output of
# the second command is printed after both have ended. Fails if one of the commands fails. A signal
# that ends this script ends both commands.
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
