#!/usr/bin/env bash
# Tests that are only about Windows: the program writes the same files as on other systems; names of
# files, line ends and locks work as on Windows; and the program and the library need no libraries but
# those of Windows. Expected values come from the program for this machine, which other scripts test.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

db=$(shared_awari 9) || exit 1
folder=$(dirname "$WARI")
readonly position='1 0 1 0 1 0 / 1 0 2 0 0 1'

# Prints the name that Windows has for a path: C:\folder\file for instance.
_windows_path() { # PATH
    wine winepath -w "$1" | tr -d '\r'
}

# Runs the program for this machine. The file $expected gets its output, which the program for Windows must print, too.
_expected() { # ARGUMENT...
    expected=$WORK/expected
    "$builder" "$@" >"$expected" </dev/null || fail "expected the program of this machine to work"
}

_same_output() {
    expect_code 0
    cmp "$expected" "$out" || fail "expected the same output as on this machine"
}

# ---- Files ----

levels_have_the_same_bytes() {
    accepted build --db "$WORK/built" --seeds 9 --threads 2
    same_database "$db" "$WORK/built"
}

books_have_the_same_bytes() {
    "$builder" book --db "$db" --seeds 8 --output "$WORK/here.book" 2>"$WORK/messages" || fail "expected a book"
    accepted book --db "$db" --seeds 8 --output "$WORK/there.book"
    same_file "$WORK/here.book" "$WORK/there.book"
}

values_are_the_same() {
    _expected export --db "$db" --seeds 6 --format csv
    accepted export --db "$db" --seeds 6 --format csv
    _same_output
}

levels_are_checked() {
    accepted check --db "$db"
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-7.wari" 200
    run check --db "$copy"
    expect_code 3
}

# ---- Names of files, and text ----

folders_have_names_in_unicode() {
    local name=$WORK/Öwarè-日本
    local -x LC_ALL=C.UTF-8 # in which wine understands arguments and names of files
    cp -r "$db" "$name"
    _expected query --db "$db" --format json "$position"
    accepted query --db "$name" --format json "$position"
    _same_output
    accepted export --db "$name" --seeds 3 --output "$WORK/weiß"
    [ -s "$WORK/weiß" ] || fail "expected the file weiß"
    accepted export --db "$name" --seeds 3 --output "$WORK/weiß"
    expect_no_file "$WORK/weiß*tmp"
}

paths_have_drives_and_backslashes() {
    local path
    path=$(_windows_path "$db")
    [[ $path == ?:\\* ]] || fail "expected a path of Windows, not $path"
    _expected query --db "$db" --format json "$position"
    accepted query --db "$path" --format json "$position"
    _same_output
    accepted book --db "$path" --seeds 5 --output "$(_windows_path "$WORK")\\small.book"
    [ -s "$WORK/small.book" ] || fail "expected the file small.book"
}

lines_may_end_as_on_windows() {
    _expected query --db "$db" --format value "$position" "$position"
    run_with_input "$position\r\n$position\r\n" query --db "$db" --format value
    _same_output
    printf 'uci\r\nposition fen 1-0-1-0-1-0-1-0-2-0-0-1-20-21-S\r\ngo depth 4\r\nquit\r\n' >"$WORK/input"
    out=$WORK/out err=$WORK/err
    "$WARI" engine --db "$db" <"$WORK/input" >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output_has uciok
}

lines_of_output_end_in_a_newline_alone() {
    accepted rules
    ! grep -q $'\r' "$out" || fail "expected no carriage return"
}

engine_answers_through_pipes() {
    local line from to
    coproc engine { exec "$WARI" engine --db "$db" 2>"$WORK/err"; }
    from=${engine[0]} to=${engine[1]} out=$WORK/out err=$WORK/err code=0
    : >"$out"
    printf 'isready\nposition startpos\ngo infinite\n' >&"$to"
    IFS= read -r -t $safety line <&"$from" && [ "${line%$'\r'}" = readyok ] || fail "expected readyok"
    printf 'stop\n' >&"$to"
    while IFS= read -r -t $safety line <&"$from" && [[ $line != bestmove* ]]; do
        continue
    done
    [[ $line == bestmove\ [A-F]* ]] || fail "expected a move after stop, not: $line"
    printf 'quit\n' >&"$to"
    wait "$engine_PID" || fail "expected exit code 0"
}

# ---- Locks ----

# `kill -0` works because wine runs each program of Windows as a process of this machine.
_wait_for_lock() { # FOLDER
    until [ -s "$1/build.lock" ]; do
        kill -0 "$pid" 2>/dev/null || fail "the build ended early"
        read -r -t 0.1 <>"$WORK/never"
    done
}

one_build_at_a_time_has_a_folder() {
    mkfifo "$WORK/never"
    out=$WORK/first.out err=$WORK/first.err code=0
    "$WARI" build --db "$WORK/locked" --seeds 30 --threads 1 >"$out" 2>"$err" </dev/null &
    pid=$!
    _wait_for_lock "$WORK/locked"
    refused 4 "is building here" build --db "$WORK/locked" --seeds 5
    kill -s KILL "$pid"
    wait "$pid" 2>/dev/null
    accepted build --db "$WORK/locked" --seeds 5
}

# ---- What is not there ----

commands_that_start_programs_or_serve_are_missing() {
    refused 2 "this command does not exist on Windows" match --engine x --engine y
    refused 2 "this command does not exist on Windows" serve --db "$db"
}

missing_folders_are_named() {
    refused 4 "missing/db: there is no such folder" query --db "$WORK/missing/db" --rules awari "$position"
}

# ---- The program and the library ----

_libraries_of() { # FILE
    x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' | sort -u
}

only_libraries_of_windows_are_needed() {
    local file name
    out=/dev/null err=/dev/null code=0
    for file in wari.exe wari.dll; do
        for name in $(_libraries_of "$folder/$file"); do
            [[ $name == @(kernel32|msvcrt|shell32|advapi32|user32).dll ]] || fail "$file needs $name"
        done
        [ -n "$name" ] || fail "expected $file to need libraries"
    done
}

# Fixed bug: the command in the README lacked a folder.
programs_use_the_dll() {
    local command
    out=$WORK/messages err=$WORK/messages
    mkdir "$WORK/program" && cp "$folder/wari.dll" "$WORK/program/" || fail "no folder"
    command=$(sed -n "s|build/windows|$folder|; s|probe\.exe|$WORK/program/&|; s|^ *\(x86_64.*-gcc-posix\) |\1 -Wall -Wextra -Werror |p" \
        packaging/windows/README.md)
    [ -n "$command" ] || fail "expected a command in the README"
    bash -c "$command" >"$out" 2>&1
    code=$?
    expect_code 0
    wine "$WORK/program/probe.exe" "$db" "$position" >"$WORK/out" 2>"$err"
    code=$? out=$WORK/out
    expect_code 0
    _expected query --db "$db" --format value "$position"
    expect_output_has "value $(cat "$expected"), best move"
}

run_tests
