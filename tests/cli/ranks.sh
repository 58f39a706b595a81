# What the tests of `wari-mpi` share: starting ranks, on this host or on several made of network
# namespaces. Holds no tests; sourced behind lib.sh.
#
#   $WARI_MPI          the program
#   skip_without_mpi   ends the script with a line that says why, where nothing can be tested
#   ranks N ARGUMENT...  runs `wari-mpi ARGUMENT...` in N processes; leaves $out, $err and $code
#   start_ranks N ARGUMENT...  the same in the background: $job; `finish_ranks` waits for it
# shellcheck shell=bash

WARI_MPI=$(dirname "$WARI")/wari-mpi

# mpirun refuses root unless told twice; its ranks share this machine's processors with others.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_tmpdir_base=${TMPDIR:-/tmp}
# The MPI library keeps what it allocated until the process ends.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
ulimit -c 0

skip_without_mpi() {
    if ! command -v mpirun >/dev/null || [ ! -x "$WARI_MPI" ]; then
        echo "ok - nothing to test: no mpirun here, so no wari-mpi (make setup installs it)"
        exit 0
    fi
}

_limit=120 # seconds; a job that hangs is a failure

ranks() {
    local number=$1
    shift
    out=$WORK/out err=$WORK/err
    timeout "$_limit" mpirun --oversubscribe -n "$number" "${hosts_run[@]}" "$WARI_MPI" "$@" \
        >"$out" 2>"$err" </dev/null
    code=$?
}

start_ranks() {
    local number=$1
    shift
    out=$WORK/out err=$WORK/err
    : >"$err" # or what an earlier job said would be taken for this one's
    timeout "$_limit" mpirun --oversubscribe -n "$number" "${hosts_run[@]}" "$WARI_MPI" "$@" \
        >"$out" 2>"$err" </dev/null &
    job=$!
}

finish_ranks() {
    wait "$job"
    code=$?
}

# The processes of a job that was started last, but for `timeout` and mpirun themselves.
rank_processes() {
    pgrep -P "$(pgrep -P "$job" -x mpirun)" -f "$WARI_MPI"
}

wait_for_level() { # LEVEL FILE_OF_MESSAGES
    local looks=0
    until grep -q "^level *$1:" "$2"; do
        kill -0 "$job" 2>/dev/null || fail "the job ended before level $1"
        sleep 0.05
        looks=$((looks + 1))
        [ "$looks" -lt 1200 ] || fail "no level $1 after a minute"
    done
}

# One message of the program, whatever mpirun says besides.
expect_one_message() {
    expect_message "$1"
    [ "$(grep -c '^wari' "$err")" -eq 1 ] || fail "expected one message of the program"
}

# ---- Several hosts ----------------------------------------------------------------------------------

# Each has an address, a name and, under the name $WORK/disk, a folder of its own: $WORK/host1 and
# so on. False if this machine does not allow it.
hosts_run=()
_network=10.213.77
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
    # What mpirun calls in place of ssh. A namespace entered this way has mounts of its own.
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
    # And whether all of that works.
    timeout 60 mpirun -n "$hosts_count" "${hosts_run[@]}" hostname >"$WORK/names" 2>/dev/null &&
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
