#!/usr/bin/env bash
# The README shows what really happens. This script runs each command of its ```console blocks
# (after "$ ") and compares standard output with the lines below it; its ```c block is an example
# that is compiled by another script. Commands run in an empty folder with build/wari and data/.
set -u
shopt -s extglob # for +(...) below
top=$PWD
failed=0

check() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/    /'
        failed=1
    fi
}

# Prints the lines of all blocks in a language.
blocks() { # LANGUAGE
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' README.md
}

mkdir "$WORK/build" && ln -s "$WARI" "$WORK/build/wari" && ln -s "$top/data" "$WORK/data" || exit 1

commands=()
expected=()
while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
        commands+=("${line#'$ '}")
        expected+=("")
    elif [ "${#commands[@]}" -gt 0 ]; then
        expected[-1]+=$line$'\n'
    fi
done < <(blocks console)

for i in "${!commands[@]}"; do
    actual=$(cd "$WORK" && eval "${commands[$i]}" 2>/dev/null </dev/null)
    check "README: ${commands[$i]}" "${expected[$i]%%+($'\n')}" "$actual"
done
if [ "${#commands[@]}" -eq 0 ]; then
    echo "not ok - the README shows a session"
    failed=1
fi

# The example for embedding is compiled and run by cli/install.sh.
check "README: the example of embedding is tools/examples/probe.c" "$(cat tools/examples/probe.c)" "$(blocks c)"

exit "$failed"
