# Sourced by run-unit.sh and run-cli.sh: runs things side by side and counts.
#
# The caller defines
#   run_one ITEM LOG      runs one item; writes its output to LOG, its exit code to LOG.status
#   count_one ITEM LOG    sets good, bad (numbers) and note (what went wrong, or nothing)
#   takes_long            a pattern: names of items that begin first, so that none of them is left to
#                         run alone in the end, with a processor that has nothing to do

# No test comes near this limit, on a busy machine either.
limit=${LIMIT:-6000}

# Threads that wait in a busy loop would starve the other programs.
export OMP_WAIT_POLICY=passive

# Where `python3` is a script that looks for the interpreter, as pyenv's is, each start took ten times as
# long: the interpreter itself comes first.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ -z "$python" ] || PATH=${python%/*}:$PATH
unset python

# Makes an empty folder, $work, for all temporary files of the run, which anybody may enter; it goes
# when the run ends. It lies in memory if there is plenty, unless TMPDIR is set: tests write and
# sync some ten thousand files, and would wait for the disk half of the time.
make_work_folder() {
    work=
    if [ -n "${TMPDIR:-}" ] || ! work=$(mktemp -d -p /dev/shm 2>/dev/null) || ! _has_room "$work"; then
        [ -z "$work" ] || rm -rf "$work"
        work=$(mktemp -d) || return 1
    fi
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work" && mkdir "$work/tmp" && chmod 1777 "$work/tmp"
    export TMPDIR=$work/tmp
}

# 2 GB in the folder and 4 GB of memory, and programs in it can be run.
_has_room() { # FOLDER
    [ "$(df --output=avail -k "$1" | tail -n 1)" -ge 2000000 ] &&
        awk '/^MemAvailable:/ { exit $2 < 4000000 }' /proc/meminfo &&
        cp "$(type -P true)" "$1/true" && "$1/true" && rm "$1/true"
}

# Leaves in LOG.time how long it took: seconds that went by, and of processor time.
time_one() { # ITEM LOG
    local TIMEFORMAT='%R %U %S'
    { time run_one "$1" "$2"; } 2>"$2.time.new"
    awk 'NF == 3 { line = $1 " " $2 + $3 } END { print line }' "$2.time.new" >"$2.time"
    rm "$2.time.new"
    touch "$2.done"
}

report_one() { # ITEM LOG ; prints and adds to passed and failed
    local elapsed processor
    count_one "$1" "$2"
    passed=$((passed + good))
    failed=$((failed + bad))
    read -r elapsed processor <"$2.time"
    echo "== ${1##*/}: $good passed, $bad failed${note:+ ($note)}; $elapsed s, processors $processor s"
    sed 's/^/   /' "$2"
    local name=${1##*/}
    [ "$bad" -eq 0 ] || echo "   To run it again: make ${AGAIN:-test} ONLY=${name%.sh}"
}

# Runs the items, prints what each one printed, and ends with the total line, which it also leaves
# in LOGS/total. Fails if anything failed or nothing ran.
run_all() { # LOGS ITEM...
    local logs=$1 passed=0 failed=0 good bad note item next=0 jobs=${JOBS:-2}
    shift
    rm -rf "$logs"
    mkdir -p "$logs" || return 1
    local items=("$@") long=() short=()
    for item in "${items[@]}"; do
        # shellcheck disable=SC2053 # a pattern on purpose
        if [[ ${item##*/} == $takes_long ]]; then long+=("$item"); else short+=("$item"); fi
    done
    for item in "${long[@]}" "${short[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n
        done
        time_one "$item" "$logs/${item##*/}.log" &
        # What has ended is printed in order, so that logs can be compared.
        while [ "$next" -lt "${#items[@]}" ] &&
            [ -e "$logs/${items[$next]##*/}.log.done" ]; do
            report_one "${items[$next]}" "$logs/${items[$next]##*/}.log"
            next=$((next + 1))
        done
    done
    wait
    for item in "${items[@]:$next}"; do
        report_one "$item" "$logs/${item##*/}.log"
    done
    if [ $((passed + failed)) -eq 0 ]; then
        echo "No test ran." >&2
        failed=1
    fi
    echo "$passed passed, $failed failed" | tee "$logs/total"
    [ "$failed" -eq 0 ]
}
