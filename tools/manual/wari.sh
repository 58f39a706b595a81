#!/usr/bin/env bash
# Prints the manual page wari(1): wari.1.in with what the program itself says of its commands, so
# that a new command or option has its place in the manual as soon as its help text has it.
#
#   tools/manual/wari.sh PROGRAM VERSION
set -eu -o pipefail
wari=$1 version=$2
here=$(dirname "$0")

# "name summary" of each command; the lines behind the blank one are not about commands.
summaries=$("$wari" --help | awk '/^commands$/ { on = 1; next } /^$/ { on = 0 } on { $1 = $1; print }')
[ -n "$summaries" ] || { echo "manual: $wari --help lists no commands" >&2 && exit 1; }

print_summaries() {
    echo ".Bl -tag -width bench-probe -compact"
    while read -r name summary; do
        printf '.It Cm %s\n%s\n' "$name" "$summary"
    done <<<"$summaries"
    echo ".El"
}

print_commands() {
    while read -r name _; do
        "$wari" help "$name" | awk -v name="$name" -f "$here/mdoc.awk" -f "$here/commands.awk"
    done <<<"$summaries"
}

while IFS= read -r line; do
    case $line in
    @SUMMARIES@) print_summaries ;;
    @COMMANDS@) print_commands ;;
    *) printf '%s\n' "${line//@VERSION@/$version}" ;;
    esac
done <"$here/wari.1.in"
