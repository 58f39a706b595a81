#!/usr/bin/env bash
# Runs several test targets of the Makefile, all of them even if one fails. The last line is the sum
# of their counts: "N passed, N failed".
#
# The times are printed before that line: for each target, for compiling and for the tests in it, and
# for the ten slowest groups of unit tests and scripts, in seconds of elapsed time and of processor
# time. On a machine that runs other programs too, only the processor time can be compared.
#
#   tests/all.sh MAKE BUILD_FOLDER TARGET...
set -u
make=$1
build=$2
shift 2

# Prints the processor time of all processes that have ended, in seconds.
processor() {
    awk -v ticks="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.0f", ($14 + $15) / ticks }' /proc/$$/stat
}

# Prints the processor time of the tests alone, in seconds, from the files *.time that they leave.
tested() {
    find "$build" -path '*/log/*.time' -exec cat {} + | awk '{ sum += $2 } END { printf "%.0f", sum }'
}

mkdir -p "$build"
find "$build" -path '*/log/*' \( -name total -o -name '*.time' \) -delete
broken=() times=()
for target in "$@"; do
    echo "==== $target"
    began=$SECONDS processor=$(processor) tested=$(tested)
    "$make" --no-print-directory "$target" || broken+=("$target")
    processor=$(($(processor) - processor)) tested=$(($(tested) - tested))
    times+=("$(printf '%-14s %6d %12d %12d %8d' "$target" $((SECONDS - began)) $processor $((processor - tested)) $tested)")
done

echo "==== times"
printf '%-14s %6s %12s %12s %8s\n' seconds clock processors "of building" "of tests"
printf '%s\n' "${times[@]}"
printf '%-14s %6d %12d\n' "all of it" $SECONDS "$(processor)"
echo "slowest by processor time, seconds:"
find "$build" -path '*/log/*.time' -exec awk '{ print $2, FILENAME }' {} + | sort -rn | head -n 10 |
    sed 's/\.log\.time$//; s/^/    /'

echo "==== total"
mapfile -t totals < <(find "$build" -path '*/log/*/total' | sort)
passed=0
failed=0
for total in "${totals[@]}"; do
    read -r good _ bad _ <"$total"
    passed=$((passed + good))
    failed=$((failed + bad))
    echo "${total%/total}: $(cat "$total")"
done
# A target may fail before it counts anything (it did not compile, or a tool was missing).
if [ "${#broken[@]}" -gt 0 ]; then
    echo "Failed: ${broken[*]}"
    [ "$failed" -gt 0 ] || failed=${#broken[@]}
fi
if [ "$passed" -eq 0 ]; then
    echo "No test ran."
    [ "$failed" -gt 0 ] || failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
