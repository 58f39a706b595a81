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
#   WARI_TEST_SCALE  `small` in `make test` and under sanitizers, `long` in `make test-long`
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

# Runs `wari ARGUMENT...` and kills it at a random moment. These are spread over $whole, microseconds
# that all of it takes, by what it took when it last came to its end: machines get faster and slower.
# Leaves $code: 137, or 0 if it was done before; then the next run should begin anew.
run_and_kill() { # ARGUMENT...
    local began=${EPOCHREALTIME/./} wait=$((whole * (RANDOM % 1000) / 1000))
    out=$WORK/out err=$WORK/err
    [ -p "$WORK/alive" ] || mkfifo "$WORK/alive"
    "$WARI" "$@" >"$out" 2>"$err" </dev/null 9>"$WORK/alive" &
    pid=$!
    exec 8<"$WORK/alive"
    printf -v wait '%d.%06d' $((wait / 1000000)) $((wait % 1000000))
    IFS= read -r -t "$wait" -u 8 # until its end at most
    kill -s KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    code=$?
    exec 8<&-
    spent=$((${spent:-0} + ${EPOCHREALTIME/./} - began))
    [ $code -ne 0 ] || { whole=$spent spent=0; }
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

# Reads a file into $_text, and says whether that is all of it: not where there is a byte 0, or very
# much. (A process takes longer than all else that a test does, and tests look some thousand times.)
_read_text() { # FILE
    ! IFS= read -r -d '' -n 100000 _text <"$1"
}

# Whether a file has this text (no pattern) somewhere.
_has() { # FILE TEXT
    local _text
    { _read_text "$1" && [[ -n $_text && $_text == *"$2"* ]]; } || grep -qF -e "$2" "$1"
}

# The whole of standard output is this text (a final newline is added).
expect_output() {
    local _text
    { _read_text "$out" && [ "$_text" = "$1"$'\n' ]; } || printf '%s\n' "$1" | cmp -s - "$out" ||
        fail "expected on standard output: $1"
}

expect_no_output() {
    [ ! -s "$out" ] || fail "expected nothing on standard output"
}

# Standard output has this text (no pattern) somewhere; standard error likewise.
expect_output_has() {
    _has "$out" "$1" || fail "expected in the output: $1"
}

expect_message() {
    _has "$err" "$1" || fail "expected in the messages: $1"
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
    local expected=$1 message=$2 _text
    shift 2
    run "$@"
    expect_code "$expected"
    expect_no_output
    expect_message "$message"
    { _read_text "$err" && [[ $_text == wari* ]]; } || grep -q '^wari' "$err" ||
        fail "expected a message that starts with the program's name"
}

same_file() {
    cmp "$1" "$2" || fail "expected the same bytes: $1 $2"
}

# All levels and the catalogue of two folders are the same to the last byte.
same_database() {
    local one other
    one=$(cd "$1" && sha256sum ./*.wari ./*.catalogue) || fail "no database in $1"
    other=$(cd "$2" && sha256sum ./*.wari ./*.catalogue) || fail "no database in $2"
    [ "$one" = "$other" ] || fail "expected the same bytes: $1 $2" "$(diff <(echo "$one") <(echo "$other"))"
}

# ---- Things to do to files ------------------------------------------------------------------------

# Copies a database to a folder that may be damaged; prints its name.
copy_of() {
    rm -rf "$WORK/copy"
    cp -r "$1" "$WORK/copy"
    echo "$WORK/copy"
}

# Changes bytes of a file. A negative offset counts from the end.
flip_byte() { # FILE OFFSET...
    python3 -I -S -c 'import sys
with open(sys.argv[1], "r+b") as file:
    for at in map(int, sys.argv[2:]):
        place = file.seek(at, 2 if at < 0 else 0)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))' "$@"
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

# For what sanitizers themselves make impossible. CFLAGS: how the program was built (the runner's).
is_sanitized() {
    [[ ${CFLAGS:-} == *-fsanitize* ]]
}

# ---- Running the tests ----------------------------------------------------------------------------

# Runs every function of the script that is not a helper, each in a shell of its own.
run_tests() {
    local test tests passed=0 failed=0 details
    mapfile -t tests < <(compgen -A function)
    for test in "${tests[@]}"; do
        [[ $test != _* && $'\n'$shared_functions$'\n' != *$'\n'"$test"$'\n'* ]] || continue
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
