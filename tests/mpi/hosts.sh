# Hosts made of network namespaces: each has an address, a name and a folder of its own. Sourced by
# tests/cli/mpi_hosts.sh.
#
#   hosts_up N         makes hosts 1..N; false if this machine does not allow it
#   hosts_down         removes them
#   $hosts_run         options for mpirun to start ranks there
#   host_folder I      the folder that host I has under the name $WORK/disk
# shellcheck shell=bash

_net=10.213.77
_prefix=wari$$

host_folder() {
    echo "$WORK/host$1"
}

hosts_up() { # NUMBER
    local i
    hosts_count=$1
    trap 'hosts_down; rm -rf "$WORK"' EXIT
    ip link add "$_prefix" type bridge 2>/dev/null &&
        ip addr add "$_net.254/24" dev "$_prefix" && ip link set "$_prefix" up || return 1
    for ((i = 1; i <= hosts_count; i++)); do
        mkdir -p "$WORK/host$i" "$WORK/disk"
        ip netns add "$_prefix-$i" &&
            ip link add "$_prefix.$i" type veth peer name eth0 netns "$_prefix-$i" &&
            ip link set "$_prefix.$i" master "$_prefix" up &&
            ip -n "$_prefix-$i" addr add "$_net.$i/24" dev eth0 &&
            ip -n "$_prefix-$i" link set lo up &&
            ip -n "$_prefix-$i" link set eth0 up || return 1
    done
    # What mpirun calls in place of ssh: enters the namespace, with a name and a disk of its own.
    cat >"$WORK/agent" <<AGENT
#!/usr/bin/env bash
number=\${1##*.}
shift
exec ip netns exec "$_prefix-\$number" unshare --uts bash -c '
    hostname "host'\$number'" && { [ ! -e "$WORK/host'\$number'" ] ||
        mount --bind "$WORK/host'\$number'" "$WORK/disk"; } && exec bash -c "\$*"' - "\$@"
AGENT
    chmod +x "$WORK/agent"
    local list=""
    for ((i = 1; i <= hosts_count; i++)); do
        list+=",$_net.$i:8"
    done
    hosts_run=(--host "${list#,}" --mca plm_rsh_agent "$WORK/agent" --mca btl self,tcp
        --mca btl_tcp_if_include "$_net.0/24" --mca oob_tcp_if_include "$_net.0/24"
        --map-by node --bind-to none)
}

hosts_down() {
    local i
    for ((i = 1; i <= hosts_count; i++)); do
        ip netns del "$_prefix-$i" 2>/dev/null
    done
    ip link del "$_prefix" 2>/dev/null
    return 0
}
