# Functions that the command-line tests share. A script sources this file, builds the tables that it
# needs, defines its tests and ends with `run_tests`. Every function of the script is a test, and its
# name states what must hold. Functions whose names start with an underscore are helpers, not tests.
#
# A test runs the program with `run` and checks the results with the `expect_...` functions, which end
# the test at the first failure. Expected values come from the rules and from published tables, never
# from the program itself.
#
# tests/run-cli.sh sets these variables; a script also runs on its own, in the top folder:
#   WARI  the program       WORK  an empty folder       SHARED  a folder for all scripts of a run
#   PLATFORM  `posix` if the program was built by `make PLATFORM=posix`
#   WARI_BUILDER  the program that builds databases for the tests; default: WARI
#   WARI_TESTS_LEFT_OUT  names of tests that are left out
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

# The program that builds the tables which tests only read. Sanitizers make building ten times as slow, and the
# bytes are the same; so beside a build with sanitizers this is the plain program, unless a source is newer.
builder=${WARI_BUILDER:-$WARI}
if [[ ${CFLAGS:-} == *-fsanitize* && -x ${WARI%/*}/../wari ]] &&
    [ -z "$(find db game index solver system tools verify -name '*.[ch]' -newer "${WARI%/*}/../wari" -print -quit)" ]; then
    builder=$(realpath "${WARI%/*}/../wari")
fi

# Returns true if the program was built by `make PLATFORM=posix`. It cannot pass some tests. A script removes them with
# is_posix && unset -f NAME...
is_posix() {
    [ "${PLATFORM-}" = posix ]
}

# ---- Running the program ------------------------------------------------------------------------

# Runs `wari ARGUMENT...`. Sets $out and $err, the names of files with its output and messages, and $code, its exit code.
run() {
    out=$WORK/out err=$WORK/err
    "$WARI" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# Like `run`, with the first argument as the text of standard input.
run_with_input() {
    local text=$1
    shift
    out=$WORK/out err=$WORK/err
    printf '%b' "$text" | "$WARI" "$@" >"$out" 2>"$err"
    code=$?
}

# Builds a database. If that fails, prints the program's messages and returns false.
build() { # FOLDER SEEDS [OPTION...]
    local folder=$1 seeds=$2
    shift 2
    WARI=$builder run build --db "$folder" --seeds "$seeds" "$@"
    [ "$code" -eq 0 ] && return 0
    echo "not ok - set-up: build --db $folder --seeds $seeds $*: exit code $code"
    sed 's/^/    /' "$err"
    return 1
}

# Prints the name of a folder with the levels of `awari` up to SEEDS. All scripts of a run share the folder, and
# none of them may change it. The first caller builds it, which takes seconds.
shared_awari() { # SEEDS
    local folder=$SHARED/awari-$1
    mkdir -p "$SHARED"
    (
        flock 9
        "$builder" build --db "$folder" --seeds "$1" 2>"$folder.messages" </dev/null
    ) 9>"$folder.lock" || { cat "$folder.messages" >&2; return 1; }
    echo "$folder"
}

# ---- Stopping the program at an exact point -------------------------------------------------------
# A library of the tests (tests/calls/calls.c) is loaded before the C library. The variables HOLD_..., FAIL_...,
# FILES_LACK and CLOCK_... tell it at which call to stop the program, which call to let fail, what the file system lacks,
# and how time passes. So no test depends on timing.

# The library. An empty value means that the program is for another system and cannot load it.
CALLS=${CALLS-${WARI%/*}/calls.so}
# The loader divides the list of libraries at blanks and colons.
if [[ $CALLS == *[[:blank:]:]* ]]; then
    cp "$CALLS" "$WORK/calls.so" || exit 1
    CALLS=$WORK/calls.so
fi

# Time limit, in seconds, for a test that waits for an event. No result depends on it: it only ends a test that
# would otherwise wait forever.
readonly safety=600

# Runs a command with that library: `with_calls VARIABLE=VALUE... COMMAND ARGUMENT...`.
with_calls() {
    [ -z "$CALLS" ] || export LD_PRELOAD=$CALLS
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
    while [[ $1 == +([A-Z_])=* ]]; do
        export "${1?}"
        shift
    done
    exec "$@"
}

# Starts `wari ARGUMENT...` in the background, and waits until it is held (stopped) before a call, for instance
# `start_held rename '*/awari-even-5.wari' build --db FOLDER ...`. PATTERN is compared with a path; tests/calls/calls.c
# lists the calls, and the path of each. Sets $pid and, like `run`, $out and $err.
# Only the thread that makes the call is held; with `--threads 1` that is the whole program.
# $held_settings contains more settings for the library, and $held_input is the file of standard input.
held_settings=() held_input=/dev/null
start_held() { # CALL PATTERN ARGUMENT...
    local call=$1 pattern=$2
    shift 2
    out=$WORK/background.out err=$WORK/background.err
    [ -z "${hold_go:-}" ] || exec {hold_go}>&- {hold_reports}<&-
    local told=$WORK/told.${EPOCHREALTIME/./} go=$WORK/go.${EPOCHREALTIME/./}
    mkfifo "$told" "$go"
    exec {hold_go}<>"$go"
    (with_calls HOLD_CALL="$call" HOLD_PATH="$pattern" HOLD_REPORT=9 HOLD_GO=8 "${held_settings[@]}" "$WARI" "$@") \
        >"$out" 2>"$err" <"$held_input" 9>"$told" 8<"$go" {hold_go}>&- &
    pid=$!
    exec {hold_reports}<"$told"
    wait_until_held
}

# Waits until the program is held, for the first time or again. If the program ends instead, the test fails.
wait_until_held() {
    local line status
    IFS= read -r -t $safety -u "$hold_reports" line
    status=$?
    [ $status -ne 0 ] || return 0
    [ $status -le 128 ] || { kill -s KILL "$pid"; code=0 && fail "timed out: the program did not come to the call"; }
    wait "$pid"
    code=$?
    fail "expected the program to be held before its end"
}

# Lets the held program continue until the next such call, where it is held again.
let_go() {
    printf . >&"$hold_go"
}

# Lets the held program continue to its end. `end_held` also waits for the end and sets $code.
let_run() {
    printf '!' >&"$hold_go"
}

end_held() {
    let_run
    wait "$pid"
    code=$?
}

# A clock that does not depend on the machine: it advances by a tenth of a second whenever the program reads it,
# and at no other time. So a build publishes each level separately, and `--checkpoint 1` writes several checkpoints
# within a level.
readonly steady_clock=(CLOCK_STEP=100000000 CLOCK_FROZEN=1)

# Starts a build on one thread, with that clock, and holds it when LEVEL is solved but not yet published. The lower
# levels are published.
hold_build() { # FOLDER SEEDS LEVEL [OPTION...]
    local folder=$1 seeds=$2 level=$3
    local held_settings=("${steady_clock[@]}")
    shift 3
    start_held rename "*-$level.wari" build --db "$folder" --seeds "$seeds" --threads 1 "$@"
}

# Ends the held program by SIGKILL, as `kill -9` does.
kill_held() {
    kill -s KILL "$pid"
    wait "$pid" 2>/dev/null
}

# Prints the number of file operations (calls) that `wari ARGUMENT...` makes.
count_calls() {
    (with_calls FAIL_KIND=file FAIL_COUNT="$WORK/calls" "$WARI" "$@") >"$WORK/out" 2>"$WORK/err" </dev/null &&
        cat "$WORK/calls"
}

# Runs `wari ARGUMENT...` and kills it before its K-th file operation. Sets $code: 137, or the program's exit code
# if it made fewer calls.
run_and_kill() { # K ARGUMENT...
    local k=$1
    shift
    out=$WORK/out err=$WORK/err
    (with_calls FAIL_KIND=file FAIL_AT="$k" FAIL_KILL=1 "$WARI" "$@") >"$out" 2>"$err" </dev/null
    code=$?
}

# ---- Checking the results --------------------------------------------------------------------------

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

# Reads a file into $_text. Returns true if $_text is the complete file, false if the file contains a zero byte or
# more than 100,000 characters. (To start a process such as grep takes longer than anything else that a check does,
# and the tests make some thousand checks.)
_read_text() { # FILE
    ! IFS= read -r -d '' -n 100000 _text <"$1"
}

# Returns true if a file contains this text, which is not a pattern.
_has() { # FILE TEXT
    local _text=
    if _read_text "$1"; then
        [[ -n $_text && $_text == *"$2"* ]]
    else
        grep -qF -e "$2" "$1"
    fi
}

# Expects standard output to be exactly this text and a newline.
expect_output() {
    local _text=
    { _read_text "$out" && [ "$_text" = "$1"$'\n' ]; } || printf '%s\n' "$1" | cmp -s - "$out" ||
        fail "expected on standard output: $1"
}

expect_no_output() {
    [ ! -s "$out" ] || fail "expected nothing on standard output"
}

# Expects standard output to contain this text, which is not a pattern; expect_message does so for standard error.
expect_output_has() {
    _has "$out" "$1" || fail "expected in the output: $1"
}

expect_message() {
    _has "$err" "$1" || fail "expected in the messages: $1"
}

expect_no_message() {
    [ ! -s "$err" ] || fail "expected nothing on standard error"
}

# `accepted ARGUMENT...`: runs the program and expects exit code 0.
accepted() {
    run "$@"
    expect_code 0
}

# `refused CODE MESSAGE ARGUMENT...`: runs the program and expects this exit code, no output, and a message that
# contains this text and starts with the program's name.
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

# Expects all levels and the catalogue of two folders to have the same bytes.
same_database() {
    local files=("$1"/*.wari "$1"/*.catalogue) others=("$2"/*.wari "$2"/*.catalogue) hashes i
    local count=${#files[@]}
    mapfile -t hashes < <(sha256sum "${files[@]}" "${others[@]}")
    [ ${#hashes[@]} -eq $((2 * count)) ] && [ ${#others[@]} -eq "$count" ] ||
        fail "expected databases with the same levels: $1 $2" "${hashes[*]}"
    for ((i = 0; i < count; i++)); do
        [ "${files[i]##*/}${hashes[i]%% *}" = "${others[i]##*/}${hashes[i + count]%% *}" ] ||
            fail "expected the same bytes: ${files[i]} ${others[i]}"
    done
}

# Expects that no file name matches this pattern.
expect_no_file() { # PATTERN
    ! compgen -G "$1" || fail "expected no file: $1"
}

# ---- Changing files --------------------------------------------------------------------------------

# Copies a database to a new folder, which the test may damage, and prints the folder's name.
copy_of() {
    local copy=$WORK/copy.${EPOCHREALTIME/./}
    cp -r "$1" "$copy"
    echo "$copy"
}

# Flips a bit of each byte at these offsets. A negative offset counts from the end of the file.
flip_byte() { # FILE OFFSET... [FILE OFFSET...]...
    python3 -I -S -c 'import sys
for word in sys.argv[1:]:
    if not word.lstrip("-").isdigit():
        file = open(word, "r+b")
        continue
    place = file.seek(int(word), 2 if word[0] == "-" else 0)
    byte = file.read(1)[0]
    file.seek(place)
    file.write(bytes([byte ^ 1]))' "$@"
}

# Runs a command as an ordinary user, because root may read and write every file.
as_ordinary_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# For tests of permissions: creates a folder $shared that every user may enter, with a copy of the program in it.
# The folder is removed when the test ends.
ordinary_program() {
    shared=$(mktemp -d) && chmod 755 "$shared"
    if ! as_ordinary_user test -d "$shared/."; then # TMPDIR is below a folder that only root may enter
        rmdir "$shared"
        shared=$(mktemp -d -p /tmp) && chmod 755 "$shared"
    fi
    readonly shared
    cp "$WARI" "$shared/wari"
    trap 'chmod -R u+w "$shared"; rm -rf "$shared"' EXIT
    out=$WORK/out err=$WORK/err
}

is_small() {
    [ "${WARI_TEST_SCALE:-}" = small ]
}

# Returns true in a build with sanitizers, where some tests are impossible. The runner sets CFLAGS to the flags of the
# build.
is_sanitized() {
    [[ ${CFLAGS:-} == *-fsanitize* ]]
}

# ---- Running the tests ----------------------------------------------------------------------------

# Runs every function of the script that is not a helper, each in its own subshell.
run_tests() {
    local test tests passed=0 failed=0 details
    mapfile -t tests < <(compgen -A function)
    for test in "${tests[@]}"; do
        [[ $test != _* && $'\n'$shared_functions$'\n' != *$'\n'"$test"$'\n'* ]] || continue
        [[ " ${WARI_TESTS_LEFT_OUT:-} " != *" $test "* ]] || continue
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
