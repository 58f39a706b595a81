#!/usr/bin/env bash
# Readers during a build: they see finished levels, complete and correct, and nothing else. The
# build is held at each publication of a level, so it is certainly in progress.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

last=10
folder=$WORK/db

_position() { # SEEDS ; any with so many
    echo "0 0 0 0 0 1 / 0 0 0 0 0 $(($1 - 1))"
}

_expect_finished() { # LEVEL ; the last level that is finished
    accepted stats --db "$folder" --json
    expect_output_has "\"seeds_max\":$1,"
    accepted check --db "$folder"
    expect_output_has "$(($1 + 1)) levels"
    accepted verify --db "$folder" --sample 200
    accepted query --db "$folder" --format value "$(_position "$1")"
    refused 1 "goes up to $1" query --db "$folder" "$(_position $(($1 + 1)))"
}

readers_see_only_finished_levels() {
    local level
    hold_build "$folder" $last '*'
    trap 'kill -s KILL $pid 2>/dev/null' EXIT
    for ((level = 0; level < last; level++)); do
        let_go
        wait_until_held # before the level above is published
        [ $level -lt 3 ] || _expect_finished $level
    done
    # Another builder is refused, and names the process that is building.
    refused 4 "process $pid is building here" build --db "$folder" --seeds $last
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
    accepted stats --db "$folder" --json
    expect_output_has "\"seeds_max\":$last,"
}

run_tests
