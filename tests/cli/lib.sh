# What the command-line tests share. A script sources this file, builds what it needs, defines its
# tests and ends with `run_tests`. Every function of the script is a test, and its name says what
# must hold; only names that start with an underscore are helpers.
#
# A test runs the program with `run` and looks at what came of it with the `expect_...` functions,
# which end the test at the first thing that is wrong. Expected values come from the rules and from
# published tables, never from the program.
#
# Given by tests/run-cli.sh; a script also runs on its own, in the top folder:
#   WARI  the program       WORK  an empty folder       SHARED  a folder for all scripts of a run
#   WARI_TEST_SCALE  `small` under sanitizers, `long` in `make test-long`
# shellcheck shell=bash
set -u

WARI=$(realpath "${WARI:-build/wari}") || exit 2
if [ -z "${WORK:-}" ]; then
    WORK=$(mktemp -d) || exit 2
    trap 'rm -rf "$WORK"' EXIT
fi
SHARED=${SHARED:-$WORK/shared}
unset WARI_KERNEL
export LC_ALL=C

# ---- Running the program ------------------------------------------------------------------------

# Runs `wari ARGUMENT...`; leaves $out and $err (files) and $code.
run() {
    out=$WORK/out err=$WORK/err
    "$WARI" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# The same with the rest of the arguments, and the first one (a text) as standard input.
run_with_input() {
    local text=$1
    shift
    out=$WORK/out err=$WORK/err
    printf '%b' "$text" | "$WARI" "$@" >"$out" 2>"$err"
    code=$?
}

# Builds a database and fails with what the program said if that does not work.
build() { # FOLDER SEEDS [OPTION...]
    local folder=$1 seeds=$2
    shift 2
    run build --db "$folder" --seeds "$seeds" "$@"
    [ "$code" -eq 0 ] && return 0
    echo "not ok - set-up: build --db $folder --seeds $seeds $*: exit code $code"
    sed 's/^/    /' "$err"
    return 1
}

# Makes sure that a database of `awari` with so many seeds lies in a folder that all scripts of a run
# share, and none changes; prints its name. Building it takes seconds, once.
shared_awari() { # SEEDS
    local folder=$SHARED/awari-$1
    mkdir -p "$SHARED"
    (
        flock 9
        "$WARI" build --db "$folder" --seeds "$1" 2>"$folder.messages" </dev/null
    ) 9>"$folder.lock" || { cat "$folder.messages" >&2; return 1; }
    echo "$folder"
}

# Starts a build on one thread in the background and stops it (SIGSTOP) in the middle: the folder has
# the file THERE, and ABSENT not yet. Where this shell slept so long that it missed that, it begins
# again. Leaves $pid and, as `run` does, $out and $err.
hold_build() { # FOLDER SEEDS THERE ABSENT [OPTION...]
    local folder=$1 seeds=$2 there=$1/$3 absent=$1/$4
    shift 4
    out=$WORK/background.out err=$WORK/background.err
    for _ in {1..50}; do
        "$WARI" build --db "$folder" --seeds "$seeds" --threads 1 "$@" \
            >"$out" 2>"$err" </dev/null &
        pid=$!
        until [ -e "$there" ] || ! kill -0 "$pid" 2>/dev/null; do
            sleep 0.01
        done
        if stop_process "$pid" && [ ! -e "$absent" ]; then
            return 0
        fi
        kill -s KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        rm -r "$folder"
    done
    code=0
    fail "expected to stop a build between $there and $absent"
}

# Stops a process, all threads of it; fails if it has ended.
stop_process() { # PID
    kill -s STOP "$1" 2>/dev/null
    until [ -z "$(_states "$1" | tr -d 'TZ\n')" ]; do # it takes a moment
        sleep 0.01
    done
    [ "$(_states "$1" | head -c 1)" = T ]
}

# The states of all threads of a process, a letter a line: T is stopped. None if there is no process.
_states() { # PID
    sed 's/.*) //; s/ .*//' /proc/"$1"/task/*/stat 2>/dev/null
}

# ---- Looking at what came of it -------------------------------------------------------------------

fail() {
    echo "    $*"
    echo "    exit code $code; standard output and error:"
    head -20 "$out" | sed 's/^/      | /'
    head -20 "$err" | sed 's/^/      ! /'
    exit 1
}

expect_code() {
    [ "$code" -eq "$1" ] || fail "expected exit code $1"
}

# The whole of standard output is this text (a final newline is added).
expect_output() {
    printf '%s\n' "$1" | cmp -s - "$out" || fail "expected on standard output: $1"
}

expect_no_output() {
    [ ! -s "$out" ] || fail "expected nothing on standard output"
}

# Standard output has this text (no pattern) somewhere; standard error likewise.
expect_output_has() {
    grep -qF -e "$1" "$out" || fail "expected in the output: $1"
}

expect_message() {
    grep -qF -e "$1" "$err" || fail "expected in the messages: $1"
}

expect_no_message() {
    [ ! -s "$err" ] || fail "expected nothing on standard error"
}

# `accepted ARGUMENT...`: ends with 0.
accepted() {
    run "$@"
    expect_code 0
}

# `refused CODE MESSAGE ARGUMENT...`: ends with this code, a message that has this text and starts
# with the program's name, and without output.
refused() {
    local expected=$1 message=$2
    shift 2
    run "$@"
    expect_code "$expected"
    expect_no_output
    expect_message "$message"
    grep -q '^wari' "$err" || fail "expected a message that starts with the program's name"
}

same_file() {
    cmp "$1" "$2" || fail "expected the same bytes: $1 $2"
}

# All levels and the catalogue of two folders are the same to the last byte.
same_database() {
    local file
    (cd "$1" && ls ./*.wari ./*.catalogue) >"$WORK/one" || fail "no database in $1"
    (cd "$2" && ls ./*.wari ./*.catalogue) >"$WORK/other" || fail "no database in $2"
    same_file "$WORK/one" "$WORK/other"
    while read -r file; do
        same_file "$1/$file" "$2/$file"
    done <"$WORK/one"
}

# ---- Things to do to files ------------------------------------------------------------------------

# Copies a database to a folder that may be damaged; prints its name.
copy_of() {
    rm -rf "$WORK/copy"
    cp -r "$1" "$WORK/copy"
    echo "$WORK/copy"
}

# Changes one byte of a file. A negative offset counts from the end.
flip_byte() { # FILE OFFSET
    local at=$2 byte
    [ "$at" -ge 0 ] || at=$(($(stat -c %s "$1") + at))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    printf '%b' "\\0$(printf %o $((byte ^ 1)))" |
        dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

# Runs a command as somebody who is bound by permissions, which root is not.
as_ordinary_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# Makes a folder $shared that anybody may enter, removed when the test ends, with the program in it:
# for tests of permissions.
ordinary_program() {
    readonly shared=$(mktemp -d)
    chmod 755 "$shared"
    cp "$WARI" "$shared/wari"
    trap 'chmod -R u+w "$shared"; rm -rf "$shared"' EXIT
    out=$WORK/out err=$WORK/err
}

is_small() {
    [ "${WARI_TEST_SCALE:-}" = small ]
}

# ---- Running the tests ----------------------------------------------------------------------------

# Runs every function of the script that is not a helper, each in a shell of its own.
run_tests() {
    local test tests passed=0 failed=0 details
    mapfile -t tests < <(compgen -A function)
    for test in "${tests[@]}"; do
        [[ $test != _* ]] && ! grep -qxF "$test" <<<"$shared_functions" || continue
        if details=$("$test" 2>&1 </dev/null); then
            echo "ok - $test"
            passed=$((passed + 1))
        else
            echo "not ok - $test"
            [ -z "$details" ] || printf '%s\n' "$details"
            failed=$((failed + 1))
        fi
    done
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

shared_functions=$(compgen -A function)
