#!/usr/bin/env bash
# Prints the manual page wari(1), which is wari.1.in with the list of commands that the program prints.
#
#   tools/manual/wari.sh PROGRAM VERSION
set -eu -o pipefail
wari=$1 version=$2
here=$(dirname "$0")

# "name summary" for each command. The list ends at the first blank line.
summaries=$("$wari" --help | awk '/^commands$/ { on = 1; next } /^$/ { on = 0 } on { $1 = $1; print }')
[ -n "$summaries" ] || { echo "manual: $wari --help lists no commands" >&2 && exit 1; }

print_summaries() {
    echo ".Bl -tag -width \"wari-bench-probe(1)\" -compact"
    while read -r name summary; do
        printf '.It Xr wari-%s 1\n%s\n' "$name" "$summary"
    done <<<"$summaries"
    echo ".El"
}

print_pages() {
    while read -r name _; do
        echo ".Xr wari-$name 1 ,"
    done < <(sort <<<"$summaries")
}

while IFS= read -r line; do
    case $line in
    @SUMMARIES@) print_summaries ;;
    @PAGES@) print_pages ;;
    *) printf '%s\n' "${line//@VERSION@/$version}" ;;
    esac
done <"$here/wari.1.in"
