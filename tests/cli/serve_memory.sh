#!/usr/bin/env bash
# The memory of `wari serve`: requests with many positions take little memory and give it back. This
# cannot be tested with sanitizers, which keep freed memory.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

is_sanitized || build "$WORK/all" 2 || exit 1

# Prints the server's memory in kB: VmRSS is the current size, RssAnon the part of it without files,
# VmHWM the maximum so far.
_memory() { # WHAT
    awk -v what="$1:" '$1 == what { print $2 }' "/proc/$server/status"
}

# Starts a server with a small cache, and waits until it answers; makes bodies of a megabyte. Sets
# $idle to the number of descriptors that are open without clients.
_start_for_large_bodies() {
    _start --db "$WORK/all" --cache 1 || exit 1
    trap _end_server EXIT
    idle=$(_descriptors)
    _still_serves
    _until_cleared
    python3 -I -S - "$WORK" <<'END'
import sys
for name, text in (("numbers", "[" + "1," * 524280 + "1]"), ("brackets", "[" * 1048571),
                   ("strings", "[" + ",".join(['"' + "1" * 100 + '"'] * 9900) + "]")):
    open(f"{sys.argv[1]}/{name}", "w").write(text)
END
}

# A client has its answer before the memory of the request is freed.
_until_cleared() {
    _client descriptors "$server" "$idle"
}

# Fixed bug: 1 MB of JSON took 64 MB, which were not freed.
a_megabyte_of_json_takes_little_memory() {
    local before most i name idle
    is_sanitized && return 0
    _start_for_large_bodies
    before=$(_memory VmRSS)
    for i in {1..10}; do
        for name in 413:numbers 400:brackets 200:strings; do
            _post /api/positions application/json "$WORK/${name#*:}"
            expect_code "${name%:*}"
            _until_cleared
        done
    done
    # 2 MB for a body whose buffer grows, and some for the answers of a window.
    most=$(_memory VmHWM)
    [ $((most - before)) -lt 8000 ] || fail "expected less than 8 MB more at any time, not $((most - before)) kB"
}

# Fixed bug: each arena of the allocator kept 1.5 MB of the bodies that it had held. Ten bodies exist at
# a time.
memory_is_given_back() {
    local before name kept idle
    is_sanitized && return 0
    _start_for_large_bodies
    before=$(_memory RssAnon)
    for name in 413:numbers 400:brackets 200:strings; do
        _client crowd "$port" 10 /api/positions application/json "$WORK/${name#*:}"
        _expect_reply "10x${name%:*}"
    done
    _until_cleared
    kept=$(($(_memory RssAnon) - before))
    [ "$kept" -lt 4000 ] || fail "expected the memory of ten clients to be given back, but for $kept kB"
}

run_tests
