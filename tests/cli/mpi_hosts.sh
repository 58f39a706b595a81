#!/usr/bin/env bash
# `wari-mpi` on several hosts without a shared folder. The hosts are network namespaces that have
# their own addresses, names and disks, and are connected only by TCP.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/ranks.sh
. tests/cli/ranks.sh
skip_without_mpi

trap 'hosts_down; rm -rf "$WORK/disk"' EXIT
if ! hosts_up 3 2>"$WORK/why"; then
    echo "ok - nothing to test: this machine allows no network namespaces" \
        "($(head -1 "$WORK/why" | cut -c 1-80))"
    exit 0
fi

seeds=10
! is_small || seeds=8
build "$WORK/whole" $seeds || exit 1

_expect_whole_copies() {
    local host
    for host in 1 2 3; do
        same_database "$WORK/whole" "$WORK/host$host/db"
        accepted check --db "$WORK/host$host/db"
    done
}

# Two hosts have two ranks each, which share the host's disk.
every_host_gets_a_whole_database() {
    ranks 5 build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
    expect_code 0
    _expect_whole_copies
    rm -rf "$WORK"/host?/db
}

folders_that_are_not_shared_are_refused() {
    ranks 3 build --db "$WORK/disk/db" --seeds 5 --threads 1
    expect_code 2
    expect_one_message "is not the folder of this name that rank 0 on host1 sees"
    expect_message "--local-disks"
    rm -rf "$WORK"/host?/db
}

# One host has a new disk, and one has the disk of a job that did not complete.
hosts_without_some_levels_receive_them() {
    ranks 3 build --db "$WORK/disk/db" --seeds 6 --threads 1 --local-disks
    expect_code 0
    rm -rf "$WORK/host2/db" "$WORK/host3/db"
    build "$WORK/host3/db" 3
    accepted pack --db "$WORK/host3/db"
    ranks 3 build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
    expect_code 0
    for level in 4 6 $seeds; do
        same_file "$WORK/whole/awari-even-$level.wari" "$WORK/host2/db/awari-even-$level.wari"
        same_file "$WORK/whole/awari-even-$level.wari" "$WORK/host3/db/awari-even-$level.wari"
    done
    accepted check --db "$WORK/host2/db"
    accepted check --db "$WORK/host3/db"
    rm -rf "$WORK"/host?/db
}

# The catalogues list all levels. Level 5 is copied, level 7 is solved, and so is the highest one, which only one host lacks.
levels_whose_files_are_missing_are_copied_or_solved_again() {
    local host
    for host in 1 2 3; do
        cp -r "$WORK/whole" "$WORK/host$host/db"
        rm "$WORK/host$host/db/awari-even-7.wari"
    done
    rm "$WORK/host1/db/awari-even-5.wari" "$WORK/host3/db/awari-even-$seeds.wari"
    ranks 3 build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
    expect_code 0
    _expect_whole_copies
    rm -rf "$WORK"/host?/db
}

# Packed files, and a catalogue from which `wari pack` had no time to remove the old files.
a_host_whose_pack_was_killed_still_provides_its_levels() {
    rm -rf "$WORK/packed"
    build "$WORK/host1/db" 5
    cp -r "$WORK/host1/db" "$WORK/packed"
    accepted pack --db "$WORK/packed"
    python3 - "$WORK/host1/db/awari-even.catalogue" "$WORK/packed/awari-even.catalogue" <<'PYTHON'
import ctypes, re, sys
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
old, new = (open(path, "rb").read().splitlines(keepends=True) for path in sys.argv[1:])
text = b""
for before, after in zip(old, new):
    text += b"" if before.startswith(b"hash ") else before
    if before.startswith(b"level ") and before != after:
        text += b"or " + re.search(rb"bytes \d+ header [0-9a-f]+", after)[0] + b"\n"
assert b"\nor bytes" in text
text += b"hash %016x\n" % xxhash.XXH3_64bits(text, ctypes.c_size_t(len(text)))
open(sys.argv[1], "wb").write(text)
PYTHON
    cp "$WORK"/packed/*.wari "$WORK/host1/db"
    accepted check --db "$WORK/host1/db"
    ranks 3 build --db "$WORK/disk/db" --seeds 6 --threads 1 --local-disks
    expect_code 0
    same_file "$WORK/packed/awari-even-5.wari" "$WORK/host2/db/awari-even-5.wari"
    accepted check --db "$WORK/host2/db"
    accepted check --db "$WORK/host3/db"
    rm -rf "$WORK"/host?/db
}

# A catalogue is complete, but says that level 3 has other values.
a_host_with_other_values_is_named() {
    local host
    for host in 1 2 3; do
        build "$WORK/host$host/db" 4
    done
    python3 - "$WORK/host2/db/awari-even.catalogue" <<'PYTHON'
import ctypes, re, sys
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
text = open(sys.argv[1], "rb").read()
text = re.sub(rb"(level 3 .* payload )[0-9a-f]{16}", rb"\g<1>0123456789abcdef", text)
text = text[: text.rindex(b"hash ")]
text += b"hash %016x\n" % xxhash.XXH3_64bits(text, ctypes.c_size_t(len(text)))
open(sys.argv[1], "wb").write(text)
PYTHON
    ranks 3 build --db "$WORK/disk/db" --seeds 5 --threads 1 --local-disks
    expect_code 6
    expect_one_message "rank 1 on host2 has other values for level 3 than rank 0 on host1"
    expect_message "0123456789abcdef"
    [ ! -e "$WORK/host1/db/awari-even-5.wari" ] || fail "expected no new level"
    rm -rf "$WORK"/host?/db
}

# A disk becomes full when level 6 is about to be published.
a_full_disk_on_one_host_ends_the_job() {
    mount -t tmpfs -o size=16m none "$WORK/host2" || fail "no tmpfs"
    (
        start_ranks_held 3 rename '*-6.wari' build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
        cat /dev/zero >"$WORK/host2/filler" 2>/dev/null
        let_run
        finish_ranks
        rm "$WORK/host2/filler"
        expect_code 4
        expect_one_message "rank 1 on host2"
        expect_message "No space left on device"
        accepted check --db "$WORK/host1/db"
        accepted check --db "$WORK/host2/db"
        ranks 3 build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
        expect_code 0
        _expect_whole_copies
    )
    local result=$?
    umount "$WORK/host2"
    rm -rf "$WORK"/host?/db
    return $result
}

# As if a machine failed: all its processes are killed at once.
a_host_that_fails_ends_the_job() {
    start_ranks_held 3 rename '*-6.wari' build --db "$WORK/disk/db" --seeds 16 --threads 1 --local-disks
    # shellcheck disable=SC2046 # numbers
    kill -s KILL $(ip netns pids "$_prefix-3")
    finish_ranks
    [ "$code" -ne 0 ] || fail "expected an exit code other than 0"
    ! grep -q '^wari' "$err" || fail "expected no message of the other ranks"
    ranks 3 build --db "$WORK/disk/db" --seeds $seeds --threads 1 --local-disks
    expect_code 0
    _expect_whole_copies
    rm -rf "$WORK"/host?/db
}

run_tests
