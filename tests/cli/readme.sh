#!/usr/bin/env bash
# What the README shows is what happens. Runs each command of its ```console blocks ("$ " in
# front) and compares standard output with the lines below it; compiles and runs its ```c block
# against the library. Commands run in an empty folder that has build/wari and data/.
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

# The lines of all blocks of one kind.
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

# The example of embedding: its first line says what it prints.
blocks c >"$WORK/example.c"
promise=$(sed -n '1s,^/\* prints: \(.*\) \*/$,\1,p' "$WORK/example.c")
# shellcheck disable=SC2086 # flags are lists of words
if ${CC:-cc} ${CFLAGS:-} -I"$top/db" -I"$top/game" -o "$WORK/example" "$WORK/example.c" \
    "$(dirname "$WARI")/libwari.a" ${LDFLAGS:-} -lzstd -lxxhash; then
    check "README: the example of embedding prints what it says" "$promise" \
        "$(cd "$WORK" && ./example)"
else
    echo "not ok - the README's example of embedding compiles"
    failed=1
fi

exit "$failed"
