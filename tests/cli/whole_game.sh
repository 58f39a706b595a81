#!/usr/bin/env bash
# Every command that looks up positions, with a database of all levels up to 48 seeds. The database has
# sparse files and made-up values (tests/support/huge_tables.h): each position is worth all seeds on the
# board. In $slam that is true: F captures all seeds of the opponent, and by the rules `slam-wins` this
# wins everything. In the start position, whose value is not stored, it follows that the opponent gets
# all seeds after every move.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

db=$WORK/db
readonly start="4 4 4 4 4 4 / 4 4 4 4 4 4"
readonly slam="10 9 9 9 9 1 / 1 0 0 0 0 0"
readonly slam_fen="10-9-9-9-9-1-1-0-0-0-0-0-0-0-S"

# A build with sanitizers takes the program that writes the database from the build without them.
for huge in "${WARI%/*}/huge_tables" "${WARI%/*}/../huge_tables"; do
    [ ! -x "$huge" ] || break
done
mkdir "$db"
is_sanitized || "$huge" "$db" "$start" "$slam" || exit 1

# Prints the greatest amount of memory that `wari ARGUMENT...` uses at any time, in kB.
_most_memory() {
    python3 -I -S - "$WARI" "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

# Prints the value of a Python expression about the JSON object in $out, which it calls `it`.
_json() { # EXPRESSION
    python3 -I -S -c 'import json, sys; it = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$out" "$1"
}

the_files_take_little_disk() {
    is_sanitized && return 0
    local size
    size=$(du -sk "$db")
    [ "${size%%[!0-9]*}" -lt 100000 ] || fail "expected sparse files, not ${size%%[!0-9]*} kB"
    [ "$(stat -c %s "$db/slam-wins-even-48.wari")" -gt 100000000000 ] || fail "expected more than 100 GB"
}

positions_of_48_seeds_are_answered() {
    is_sanitized && return 0
    accepted query --db "$db" --format value "$start" "$slam"
    expect_output $'-48\n48'
    accepted query --db "$db" --json "$slam"
    [ "$(_json 'it["value"], it["moves"][0]["move"]')" = "(48, 'F')" ] || fail "expected 48 by F"
    accepted query --db "$db" --detail "$slam"
    expect_output_has "slam-wins-even-48.wari"
}

query_takes_less_than_300_megabytes() {
    is_sanitized && return 0
    local most
    most=$(_most_memory query --db "$db" "$slam") || fail "the command failed"
    [ "$most" -lt 300000 ] || fail "expected less than 300 MB, not $most kB"
}

a_game_is_judged() {
    is_sanitized && return 0
    printf '[FEN "%s"]\n\n1. F *\n' "$slam_fen" >"$WORK/game.ogn"
    accepted judge --db "$db" "$WORK/game.ogn"
    expect_no_message
    expect_output_has "F       +48     +48"
}

the_engine_plays() {
    is_sanitized && return 0
    # shellcheck source=tests/cli/conversing.sh
    . tests/cli/conversing.sh
    _ask_alone "position fen $slam_fen\ngo\n" engine --db "$db"
    expect_code 0
    expect_output_has "score cp 4800"
    expect_output_has "bestmove F"
}

the_server_answers_and_takes_less_than_300_megabytes() {
    is_sanitized && return 0
    local most
    _start --db "$db" || exit 1
    trap _end_server EXIT
    _position "rules=slam-wins" "$slam"
    expect_code 200
    [ "$(_json 'it["value"]')" = 48 ] || fail "expected 48"
    _ask "/api/stats?rules=slam-wins"
    expect_code 200
    [ "$(_json 'it["seeds_max"], len(it["levels"]), it["positions"]')" = "(48, 48, 889063398405)" ] ||
        fail "expected all levels"
    most=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$server/status")
    [ "$most" -lt 300000 ] || fail "expected less than 300 MB, not $most kB"
}

the_levels_are_listed() {
    is_sanitized && return 0
    accepted stats --db "$db"
    expect_output_has "slam-wins even, 0 to 48 seeds"
    accepted stats --db "$db" --seeds 48
    accepted pack --db "$db" # all levels are packed already
}

a_position_in_a_hole_is_refused() {
    is_sanitized && return 0
    refused 3 "slam-wins-even-48.wari: chunk " query --db "$db" --format value "40 0 0 0 0 0 / 8 0 0 0 0 0"
    expect_message "offset table at offset "
}

a_check_names_the_damaged_offset_tables() {
    is_sanitized && return 0
    run check --db "$db"
    expect_code 3
    [ "$(grep -c "damaged offset table at offset 128" "$out")" -eq 21 ] || fail "expected the levels 27 to 46, and 48"
}

run_tests
