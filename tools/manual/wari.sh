#!/usr/bin/env bash
# Prints the manual page wari(1): wari.1.in with what the program itself says of its commands, so
# that a new command or option has its place in the manual as soon as its help text has it, and with
# the table of exit codes of the README.
#
#   tools/manual/wari.sh PROGRAM VERSION README
set -eu -o pipefail
wari=$1 version=$2 readme=$3
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

# "| 0 | done |" as an item of a list.
print_exit_codes() {
    echo '.Bl -tag -width "129, 130, 143" -compact'
    sed -n '/^| exit code /,/^$/s/^| \([0-9][0-9, ]*\) | \(.*\) |$/.It \1\n\2/p' "$readme" |
        fold -s -w 78 | sed 's/ *$//'
    echo ".El"
}

while IFS= read -r line; do
    case $line in
    @SUMMARIES@) print_summaries ;;
    @EXIT_CODES@) print_exit_codes ;;
    @COMMANDS@) print_commands ;;
    *) printf '%s\n' "${line//@VERSION@/$version}" ;;
    esac
done <"$here/wari.1.in"
