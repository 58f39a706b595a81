#!/usr/bin/env bash
# Runs several test targets of the Makefile, all of them even if one fails, and ends with the sum
# of what they counted: "N passed, N failed".
#
# Before that come the times: of each target, and of the ten slowest programs and scripts.
#
#   tests/all.sh MAKE BUILD_FOLDER TARGET...
set -u
make=$1
build=$2
shift 2

mkdir -p "$build"
find "$build" -path '*/log/*' \( -name total -o -name '*.time' \) -delete
broken=() times=()
for target in "$@"; do
    echo "==== $target"
    began=$SECONDS
    "$make" --no-print-directory "$target" || broken+=("$target")
    times+=("$target $((SECONDS - began)) s")
done

echo "==== times"
printf '%s\n' "${times[@]}"
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
# A target that broke before it counted anything (it did not compile, a tool was missing).
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
