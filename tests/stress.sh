#!/usr/bin/env bash
# Runs all of `make test` ten times, each time under another kind of stress, and prints a line for
# each run. No test may depend on the speed of the machine, on its language, or on the place of
# files.
#
#   tests/stress.sh MAKE BUILD_FOLDER
#
# ONLY: a pattern for the names of kinds. The logs stay in BUILD_FOLDER/log/stress.
set -u
make=$1 build=$2
pick=${ONLY:-*}
unset ONLY TMPDIR
logs=$(realpath "$build")/log/stress
rm -rf "$logs" && mkdir -p "$logs" && : >"$logs/beside" || exit 1
top=$PWD
passed=0 failed=0

# Ends the processes that a kind of stress has started. Each kind runs in a subshell, which therefore
# writes their numbers to a file.
stop_stress() {
    local group
    while read -r group; do
        kill -s KILL -- "-$group"
    done <"$logs/beside"
    : >"$logs/beside"
    wait
} 2>/dev/null
trap 'stop_stress; rm -rf "$disk"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
disk=$(mktemp -d "$top/$build/stress.XXXXXX") || exit 1

beside() { # COMMAND... ; in the background, in a group of processes of its own
    setsid "$@" >/dev/null 2>&1 &
    echo $! >>"$logs/beside"
}

busy() { # HOW_MANY
    local i
    for ((i = 0; i < $1; i++)); do
        beside bash -c 'while :; do :; done'
    done
}

# Writes 4 MB and syncs them to disk, again and again.
writing() {
    beside bash -c "while :; do dd if=/dev/zero of='$disk/written' bs=64k count=64 conv=fsync; done"
}

# Copies the tree with everything that is built. Files keep their times, so nothing is compiled
# again.
copy() { # FOLDER
    mkdir -p "$1" && (cd "$top" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf -) |
        tar -xf - -C "$1" && tar -cf - --exclude="$build/log" --exclude="$build/stress.*" "$build" | tar -xf - -C "$1"
}

# `make` passes its own ONLY on, which names kinds of stress, not tests.
run() { # COMMAND... ; runs all of `make test` through this command
    "$@" "$make" --no-print-directory BUILD="$build" ONLY= test
}

# ---- The kinds of stress ------------------------------------------------------------------------

four_busy_processes() {
    busy 4
    run
}

one_processor() {
    run taskset -c 0
}

writes_and_syncs_beside() {
    writing
    run
}

# On the same processor, a process of lowest priority gets 1/70 of the time of one of normal
# priority. So one of two or more processors stays free of busy processes.
nice_19_beside_two_busy_processes() {
    beside taskset -c 0 bash -c 'while :; do :; done'
    beside taskset -c 0 bash -c 'while :; do :; done'
    run nice -n 19
}

temporary_files_on_a_disk() {
    run env TMPDIR="$disk"
}

a_locale_with_a_decimal_comma() {
    run env "${german[@]}"
}

# A folder of the kernel, in which even root cannot create a file.
a_home_folder_that_is_read_only() {
    run env HOME=/proc/sys
}

a_path_with_blanks_and_an_umlaut() {
    copy "$disk/a path with ü" && cd "$disk/a path with ü" && run
}

eight_jobs() {
    run env JOBS=8
}

everything_at_once() {
    busy 4
    writing
    copy "$disk/all of it, ü" && cd "$disk/all of it, ü" &&
        run env JOBS=8 HOME=/proc/sys TMPDIR="$disk" "${german[@]}" \
            taskset -c 0 nice -n 5
}

# ---- Running them -------------------------------------------------------------------------------

# The locale is made here, since few machines have it. The C library never frees the copy of LOCPATH
# that it makes, so the address sanitizer must not report this leak.
mkdir -p "$logs/locale" && localedef -i de_DE -f UTF-8 "$logs/locale/de_DE.UTF-8" &&
    echo 'leak:__argz_add_sep' >"$logs/leaks" || exit 1
german=(LOCPATH="$logs/locale" LC_ALL=de_DE.UTF-8 LSAN_OPTIONS="suppressions='$logs/leaks':print_suppressions=0")

for kind in four_busy_processes one_processor writes_and_syncs_beside nice_19_beside_two_busy_processes \
    temporary_files_on_a_disk a_locale_with_a_decimal_comma a_home_folder_that_is_read_only \
    a_path_with_blanks_and_an_umlaut eight_jobs everything_at_once; do
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $kind == $pick ]] || continue
    began=$SECONDS
    ( "$kind" ) >"$logs/$kind" 2>&1 </dev/null &
    run=$!
    wait $run
    status=$?
    total=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/$kind" | tail -n 1)
    stop_stress
    if [ $status -eq 0 ] && [ -n "$total" ]; then
        passed=$((passed + 1)) word=green
    else
        failed=$((failed + 1)) word="NOT GREEN: $logs/$kind"
    fi
    printf '%-36s %6d s   %s   %s\n' "${kind//_/ }" $((SECONDS - began)) "${total:-no test ran}" "$word"
    rm -rf "${disk:?}"/*
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
