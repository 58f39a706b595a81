#!/usr/bin/env bash
# Readers during a build: they see finished levels, whole and right, and nothing else. The build is
# held by SIGSTOP in some places, so that it is certain to be in the middle of its work.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

last=17
! is_small || last=13
folder=$WORK/db

_position() { # SEEDS ; any with so many
    echo "0 0 0 0 0 1 / 0 0 0 0 0 $(($1 - 1))"
}

_seeds_max() {
    accepted stats --db "$folder" --json
    sed -n 's/.*"seeds_max":\([0-9]*\),.*/\1/p' "$out"
}

readers_see_finished_levels_only() {
    local there
    hold_build "$folder" $last awari-even.catalogue awari-even-$last.wari
    trap 'kill -s KILL $pid 2>/dev/null' EXIT
    there=$(_seeds_max)
    [ "$there" -ge 0 ] && [ "$there" -lt $last ] || fail "expected some levels, but not all"
    accepted check --db "$folder"
    expect_output_has "$((there + 1)) levels"
    accepted verify --db "$folder" --sample 200
    accepted query --db "$folder" --format value "$(_position "$there")"
    refused 1 "goes up to $there" query --db "$folder" "$(_position $last)"
    [ ! -e "$folder/awari-even-$last.wari" ] || fail "expected that the build is not over"

    # Another builder stays out, and says whom it waits for.
    refused 4 "process $pid is building here" build --db "$folder" --seeds $last
    kill -s CONT "$pid"

    # And now while it runs.
    local now
    while kill -0 "$pid" 2>/dev/null; do
        now=$(_seeds_max)
        [ "$now" -ge "$there" ] || fail "expected no fewer levels than before: $there"
        there=$now
        accepted check --db "$folder"
        accepted query --db "$folder" --format value "$(_position "$there")"
    done
    wait "$pid"
    code=$?
    expect_code 0
    [ "$(_seeds_max)" -eq $last ] || fail "expected all levels"
}

run_tests
