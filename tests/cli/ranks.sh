# Functions that the tests of `wari-mpi` share: they start ranks, on this host or on several hosts that are made of
# network namespaces. This file contains no tests; a script sources it after lib.sh.
#
#   $WARI_MPI          the program
#   skip_without_mpi   ends the script with a line that gives the reason if nothing can be tested here
#   ranks N ARGUMENT...  runs `wari-mpi ARGUMENT...` in N processes; sets $out, $err and $code
#   start_ranks_held N CALL PATTERN ARGUMENT...  the same in the background, until rank 0 is held
#                      before a call; `process_of RANK` prints a rank's process, `finish_ranks` waits
# shellcheck shell=bash

WARI_MPI=$(dirname "$WARI")/wari-mpi

# mpirun runs as root only if both variables allow it; the ranks share this machine's processors
# with other programs.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
# `ob1` with plain TCP is the network code for one machine; looking for other networks takes a
# while.
export OMPI_MCA_pml=ob1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_tmpdir_base=${TMPDIR:-/tmp}
# The MPI library keeps what it allocated until the process ends.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
ulimit -c 0

skip_without_mpi() {
    if ! command -v mpirun >/dev/null || [ ! -x "$WARI_MPI" ]; then
        echo "ok - nothing to test: no mpirun here, so no wari-mpi (make setup installs it)"
        exit 0
    fi
}

# Runs a command and sets $code. The test fails if the command takes longer than the time limit.
_run_job() { # COMMAND ARGUMENT...
    out=$WORK/out err=$WORK/err
    timeout $safety "$@" >"$out" 2>"$err" </dev/null
    code=$?
    [ $code -ne 124 ] || fail "timed out: the job did not end"
}

ranks() {
    local number=$1
    shift
    _run_job mpirun --oversubscribe -n "$number" "${hosts_run[@]}" "$WARI_MPI" "$@"
}

# Starts a job in the background, and waits until rank 0 is held before a call, as start_held of
# lib.sh does; `let_go` and `let_run` continue it. With `--threads 1` the other ranks can then only
# wait for rank 0.
start_ranks_held() { # RANKS CALL PATTERN ARGUMENT...
    local number=$1 call=$2 pattern=$3
    shift 3
    out=$WORK/background.out err=$WORK/background.err
    rm -f "$WORK/told" "$WORK/go" "$WORK"/process.*
    mkfifo "$WORK/told" "$WORK/go"
    # The program with its process noted, and rank 0 with the library of tests/calls/calls.c.
    cat >"$WORK/rank" <<RANK
#!/usr/bin/env bash
echo \$\$ >"$WORK/process.\$OMPI_COMM_WORLD_RANK"
[ "\$OMPI_COMM_WORLD_RANK" -ne 0 ] || exec env LD_PRELOAD="$CALLS" HOLD_CALL="$call" HOLD_PATH='$pattern' \\
    HOLD_REPORT=9 HOLD_GO=8 ASAN_OPTIONS="\$ASAN_OPTIONS:verify_asan_link_order=0" \\
    "$WARI_MPI" "\$@" 9>"$WORK/told" 8<"$WORK/go"
exec "$WARI_MPI" "\$@"
RANK
    chmod +x "$WORK/rank"
    exec {hold_go}<>"$WORK/go"
    # mpirun also has the pipe open, so that the pipe reaches its end if the job ends early.
    timeout $safety mpirun --oversubscribe -n "$number" "${hosts_run[@]}" "$WORK/rank" "$@" \
        >"$out" 2>"$err" </dev/null 9>"$WORK/told" {hold_go}>&- &
    pid=$!
    exec {hold_reports}<"$WORK/told"
    wait_until_held
}

process_of() { # RANK
    cat "$WORK/process.$1"
}

finish_ranks() {
    wait "$pid"
    code=$?
    exec {hold_go}>&- {hold_reports}<&-
    [ $code -ne 124 ] || fail "timed out: the job did not end"
}

# Expects exactly one message of the program; mpirun may print others.
expect_one_message() {
    expect_message "$1"
    [ "$(grep -c '^wari' "$err")" -eq 1 ] || fail "expected one message of the program"
}

# ---- Several hosts ----------------------------------------------------------------------------------

# Each host has an address, a name and its own folder, $WORK/host1 and so on, which appears to it as
# $WORK/disk. Returns false if this machine does not allow that.
hosts_run=()
# Each run has its own address range, since two runs may take place at the same time on one machine.
_network=10.$((64 + $$ / 250 % 128)).$(($$ % 250))
_prefix=w$$

hosts_up() { # NUMBER
    local i list=""
    hosts_count=$1
    mkdir -p "$WORK/disk"
    ip link add "$_prefix" type bridge && ip addr add "$_network.254/24" dev "$_prefix" &&
        ip link set "$_prefix" up || return 1
    for ((i = 1; i <= hosts_count; i++)); do
        mkdir -p "$WORK/host$i"
        ip netns add "$_prefix-$i" &&
            ip link add "$_prefix.$i" type veth peer name eth0 netns "$_prefix-$i" &&
            ip link set "$_prefix.$i" master "$_prefix" up &&
            ip -n "$_prefix-$i" addr add "$_network.$i/24" dev eth0 &&
            ip -n "$_prefix-$i" link set lo up && ip -n "$_prefix-$i" link set eth0 up || return 1
        list+=",$_network.$i:8"
    done
    # The command that mpirun calls instead of ssh. A namespace entered this way has its own mounts.
    cat >"$WORK/agent" <<AGENT
#!/usr/bin/env bash
number=\${1##*.}
shift
exec ip netns exec "$_prefix-\$number" unshare --uts bash -c '
    hostname "host\$0" && mount --bind "$WORK/host\$0" "$WORK/disk" && exec bash -c "\$*"
' "\$number" "\$@"
AGENT
    chmod +x "$WORK/agent"
    hosts_run=(--host "${list#,}" --mca plm_rsh_agent "$WORK/agent" --mca btl self,tcp
        --mca btl_tcp_if_include "$_network.0/24" --mca oob_tcp_if_include "$_network.0/24"
        --map-by node --bind-to none)
    # Checks that all of this works.
    timeout $safety mpirun -n "$hosts_count" "${hosts_run[@]}" hostname >"$WORK/names" 2>/dev/null &&
        [ "$(sort -u "$WORK/names" | grep -c '^host')" -eq "$hosts_count" ]
}

hosts_down() {
    local i
    for ((i = 1; i <= hosts_count; i++)); do
        ip netns del "$_prefix-$i"
    done
    ip link del "$_prefix"
} 2>/dev/null

shared_functions=$(compgen -A function)
