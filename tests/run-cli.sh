#!/usr/bin/env bash
# Runs the command-line tests of tests/cli/ in parallel and ends with the line "N passed, N failed".
# The arguments and the expected output of a script: tests/README.md.
#
#   tests/run-cli.sh FOLDER_FOR_LOGS PROGRAM
#
# JOBS: number of scripts at a time (2). ONLY: a pattern for their names. MORE_SCRIPTS: further
# scripts, from other folders. LIMIT: time limit for a script, in seconds; it ends only scripts that
# hang (6000). AGAIN: the make target that runs these tests.
set -u
# shellcheck source=tests/runner.sh
. tests/runner.sh

logs=$1
WARI=$(realpath "$2") || exit 1
export WARI
make_work_folder || exit 1
export SHARED=$work/shared

scripts=()
for script in tests/cli/*.sh ${MORE_SCRIPTS:-}; do
    name=${script##*/}
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $name != @(lib|ranks|asking|conversing|engines).sh && ${name%.sh} == ${ONLY:-*} ]] && scripts+=("$script")
done

takes_long='@(amalgamation|build|errors|figures|install|js|kill|manual|match*|mpi*|pack|plan|serve*|site).sh'

# A command that the shell starts with & ignores Ctrl-C; env undoes that, since scripts test Ctrl-C.
run_one() { # SCRIPT LOG
    local folder
    folder=$work/$(basename "$1" .sh)
    mkdir "$folder" &&
        WORK=$folder timeout --kill-after=10 "$limit" \
            env --default-signal=INT,QUIT bash "$1" >"$2" 2>&1 </dev/null
    echo "$?" >"$2.status"
    rm -rf "$folder"
}

count_one() { # SCRIPT LOG ; sets good, bad, note
    local status
    status=$(cat "$2.status")
    good=$(grep -c '^ok' "$2")
    bad=$(grep -c '^not ok' "$2")
    note=
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        note="timed out after $limit seconds"
    elif [ "$status" -ne 0 ]; then
        note="ended with status $status"
    elif [ $((good + bad)) -eq 0 ]; then
        note="checked nothing"
    fi
    [ -z "$note" ] || [ "$bad" -gt 0 ] || bad=1
}

run_all "$logs" "${scripts[@]}"
