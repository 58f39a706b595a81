#!/usr/bin/env bash
# Records of games from other programs, as `wari judge` reads them. Which texts are records, and what they
# contain, is checked with the files of tests/data/records/ by unit/play/record/test_record_files.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tables=$WORK/awari
build "$tables" 6 || exit 1
file=$WORK/game.ogn

_game() { # TEXT, with the escapes of printf
    printf '%b' "$1" >"$file"
}

_expect_moves() { # MOVE... of the only game
    expect_output_has '{"games":1,'
    [ "$(grep -o '"move":"[A-Fa-f]"' "$out" | cut -d '"' -f 4 | tr -d '\n')" = "$1" ] || fail "expected the moves $1"
}

# The pits of both sides have the numbers 1 to 6, so 6 6 5 5 is F f E e.
pit_numbers_are_refused_and_the_option_reads_them() {
    _game '6 6 5 5\n'
    refused 2 "$file:1:1: this game has numbers and no moves; moves are letters" judge --db "$tables" "$file"
    expect_message "; --moves digits reads pit numbers; this game is skipped"
    accepted judge --db "$tables" --json --moves digits "$file"
    _expect_moves FfEe
    _game '1. 6 6 2. 55\n'
    accepted judge --db "$tables" --json --moves digits "$file"
    _expect_moves FfEe
}

lists_of_numbers_and_json_are_refused() {
    _game '{"moves": [2, 5, 2, 1]}\n'
    refused 2 "$file:1:1: this is JSON, not the record of a game; moves are letters" judge --db "$tables" "$file"
    _game '[2, 5, 2, 1]\n'
    refused 2 "$file:1:2: a name is expected in a tag" judge --db "$tables" "$file"
    _game '2,5,2,1\n'
    refused 2 "here is ','; moves are letters" judge --db "$tables" "$file"
}

pits_are_counted_from_0_if_there_is_a_pit_0() {
    _game '5 5 4 4 0 { 6 } 10-10\n'
    accepted judge --db "$tables" --json --moves digits "$file"
    _expect_moves FfEeA
    _game '5 5 4 4\n'
    accepted judge --db "$tables" --json --moves digits-from-0 "$file"
    _expect_moves FfEe
    _game '5 6 0\n'
    refused 2 "$file:1:3: move 2: the pits have the numbers 0 to 5 (there is a pit 0), so 6 is not a move" \
        judge --db "$tables" --moves digits "$file"
    _game '7 6\n'
    refused 2 "the pits have the numbers 1 to 6, so 7 is not a move" judge --db "$tables" --moves digits "$file"
    refused 2 "--moves" judge --db "$tables" --moves numbers "$file"
}

remarks_do_not_lose_a_game() {
    _game '[South Ama]\n\n1. F 1. ... f 1-0\n'
    accepted judge --db "$tables" --json "$file"
    _expect_moves Ff
    expect_message "$file:1:8: the value of the tag South has no quotes"
    expect_message "$file:3:15: the result \"1-0\" is not a score such as 25-23 (South's seeds first)"
}

utf16_is_named_once_or_read() {
    printf 'F\0f\0\n\0E\0e\0' >"$file"
    refused 2 "$file:1:1: this text is in UTF-16 without a byte order mark" judge --db "$tables" "$file"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "expected one message"
    printf '\377\376F\0f\0\n\0' >"$file"
    accepted judge --db "$tables" --json "$file"
    _expect_moves Ff
}

a_missing_first_position_is_suspected() {
    _game '[South "Ama"]\n\n1. F f 2. F\n'
    refused 2 "the record may start from another position: a FEN tag is missing" judge --db "$tables" "$file"
}

a_last_capture_is_larger_only_by_the_end_of_the_game() {
    _game '0-0-0-0-1-0-0-0-0-0-0-1-23-23-S E+4\n'
    refused 2 "move 1 captures 0 under the rules awari, not 4, and the end of the game does not bring the rest" \
        judge --db "$tables" "$file"
}

# RULES.md: D and E are slams, and the mover gets all 6 seeds: 21 + 6 = 27.
a_slam_that_ends_an_academic_game_is_read() {
    _game '0-0-0-3-2-0-1-0-0-0-0-0-21-21-S D\n'
    accepted judge --db "$tables" "$file"
    expect_output_has "     1  D+2      +6      +6        D            27-21"
    expect_output_has "The game ends South-North 27-21."
    accepted judge --db "$tables" --movetime 10 --json "$file"
    expect_output_has '"value":6,"played":6,"loss":0'
    accepted judge --db "$tables" --annotate "$file"
    expect_output_has "1. D+2"
}

records_have_a_largest_size() {
    refused 2 "/dev/zero: more than 64000000 bytes, the limit for records; a larger --max-size allows more" \
        judge --db "$tables" /dev/zero
    _game 'Ff\n'
    accepted judge --db "$tables" --json --max-size 3 "$file"
    _expect_moves Ff
    refused 2 "$file: more than 2 bytes, the limit" judge --db "$tables" --max-size 2 "$file"
}

run_tests
