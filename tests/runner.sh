# Sourced by run-unit.sh and run-cli.sh: runs items in parallel and counts the results.
#
# The caller defines
#   run_one ITEM LOG      runs one item; writes its output to LOG, its exit code to LOG.status
#   count_one ITEM LOG    sets good and bad (numbers), and note (what went wrong; may be empty)
#   takes_long            a pattern for the names of items that are started first, so that none of
#                         them runs alone at the end while a processor has nothing to do

# No test comes near this limit, even on a busy machine.
limit=${LIMIT:-6000}

# Threads that wait in a busy loop would slow down the other programs.
export OMP_WAIT_POLICY=passive

# If `python3` is a script that finds the interpreter, as with pyenv, each start took ten times as
# long. So the folder of the interpreter itself is put first.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ -z "$python" ] || PATH=${python%/*}:$PATH
unset python

# Makes an empty folder, $work, for all temporary files of the run. Everybody may enter it, and it
# is removed when the run ends. It is in memory if there is plenty, unless TMPDIR is set: tests
# write and sync about ten thousand files, and would spend half of their time waiting for the disk.
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

# Succeeds if the folder has 2 GB of free space and may contain programs that are run, and if 4 GB of
# memory are available.
_has_room() { # FOLDER
    [ "$(df --output=avail -k "$1" | tail -n 1)" -ge 2000000 ] &&
        awk '/^MemAvailable:/ { exit $2 < 4000000 }' /proc/meminfo &&
        cp "$(type -P true)" "$1/true" && "$1/true" && rm "$1/true"
}

# Runs an item and writes to LOG.time the elapsed seconds and the seconds of processor time.
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

# Runs the items, prints the output of each, and ends with the total line, which is also written to
# LOGS/total. Fails if anything failed or nothing ran.
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
        # Items that have ended are printed in order, so that logs can be compared.
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
