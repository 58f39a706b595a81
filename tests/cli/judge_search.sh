#!/usr/bin/env bash
# `wari judge --movetime`: moves in positions above the database are judged by a search. Values are
# those of the rules page.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

one=$(shared_awari 12) || exit 1

_file() { # NAME TEXT ; sets $file
    file=$WORK/$1
    printf '%b' "$2" >"$file"
}

# `1 1 1 1 1 1 / 1 1 1 1 1 1`: published, A..F are worth -1 -8 -2 -2 -2 0.
readonly even_board='[FEN "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"]'

# The clock advances only when it is read, so a machine of any speed searches the same amount.
_judge_by_search() { # MILLISECONDS ARGUMENT...
    local movetime=$1
    shift
    out=$WORK/out err=$WORK/err
    (with_calls CLOCK_STEP=100000 CLOCK_FROZEN=1 "$WARI" judge --movetime "$movetime" "$@") >"$out" 2>"$err" </dev/null
    code=$?
}

# Judges two games as text and as JSON, once for two tests. In the first game B loses 8 seeds, so
# its accuracy is 100 / (1 + 4). The second game starts above the database.
_judge_two_games() {
    err=$WORK/err code=0
    [ ! -e "$WORK/two.json" ] || return
    _file two.ogn "$even_board\n\n1. B *\n"
    _file two.txt 'FfEeAcB\n'
    _judge_by_search 20 --db "$one" --rules awari --threads 2 "$WORK/two.ogn" "$file"
    expect_code 1
    expect_no_message
    cp "$out" "$WORK/two.text"
    _judge_by_search 20 --db "$one" --rules awari --json "$WORK/two.ogn" "$file"
    cp "$out" "$WORK/two.json"
}

a_move_that_changes_the_result_is_marked_and_counted() {
    _judge_two_games
    out=$WORK/two.text
    expect_output_has "     1  B         0      -8     8  F            24-24   changes the result: a draw becomes a win for North (proven)"
    expect_output_has "South       1    20.0 %       1     8.0      1"
    expect_output_has "North       0         -       0     0.0      0"
    out=$WORK/two.json
    expect_output_has '"kind":"exact","turns":true,"turn_proven":true}'
    expect_output_has '"review":{"South":{"moves":1,"accuracy":20.0,"proven":1,"lost":8.0,"turns":1}'
}

a_side_without_moves_has_no_accuracy() {
    _file short.txt 'F\n'
    _judge_by_search 20 --rules awari "$file"
    grep -qE '^North +0 +- +0 +0\.0 +0$' "$out" || fail "expected no accuracy of North"
}

every_move_of_a_whole_game_is_judged() {
    _judge_two_games
    out=$WORK/second
    sed "1,/two.txt:/d" "$WORK/two.text" >"$out"
    ! _has "$out" "not covered:" || fail "expected each move to be judged"
    [ "$(grep -cE '^ +[1-7]  [A-Fa-f].* (exact|bound|estimate)' "$out")" -eq 7 ] ||
        fail "expected seven moves, each named as what it is"
    [ "$(sed -n 2p "$WORK/two.json" | grep -o '"kind":"[a-z]*"' | wc -l)" -eq 7 ] || fail "expected 7 kinds"
}

# Fixed bug: a mistake that only a search proved was not counted. By hand: F gets 2 seeds and later 2
# more, E leaves all 4 to North.
a_mistake_that_a_search_proves_is_one() {
    build "$WORK/few" 2 || fail "no database"
    _file game.txt '0-0-0-0-1-1-1-1-0-0-0-0-22-22-S E\n'
    run judge --db "$WORK/few" --movetime 10000 "$file"
    expect_code 1
    expect_output_has "exact: loses 4   changes the result"
    expect_output_has "(proven)"
    build "$WORK/few" 2 --rules slam-wins || fail "no database"
    run judge --db "$WORK/few" --rules slam-wins --movetime 10000 "$file"
    expect_code 1
    ! _has "$out" "(proven)" || fail "a slam decides these games whatever the score"
}

# A report with values by search says how long each search was, or nobody could repeat it.
a_report_gives_the_limits_of_its_searches() {
    _judge_two_games
    out=$WORK/two.text
    [ "$(grep -cx "limit of each search: 20 ms, 2 threads" "$out")" -eq 3 ] || fail "expected the limit after each game and in the totals"
    out=$WORK/two.json
    [[ $(sed -n 3p "$out") == *'"search":{"movetime":20,"depth":null,"threads":1}}' ]] || fail "expected the limits in the totals"
    _file game.txt 'FfEe\n'
    _judge_by_search 20 --db "$one" --rules awari --depth 1 "$file"
    expect_output_has "limit of each search: 20 ms or 1 move, 1 thread"
    _judge_by_search 20 --db "$one" --rules awari --depth 3 --html "$WORK/limits.html" "$file"
    _has "$WORK/limits.html" "The limit of each search was 20 ms or 3 moves, 1 thread." || fail "expected the limits"
    run judge "$file" # without a database: the default, which is in the help text
    expect_output_has "limit of each search: 12 moves, 1 thread"
    run judge --db "$one" --rules awari "$file"
    ! _has "$out" "limit of each search" || fail "expected no search"
}

annotations_by_a_search_are_not_repeated() {
    _file game.txt 'FfEeAcB\n'
    _judge_by_search 10 --db "$one" --rules awari --annotate "$file"
    expect_output_has "by search }"
    cp "$out" "$WORK/once.ogn"
    _judge_by_search 10 --db "$one" --rules awari --annotate "$WORK/once.ogn"
    same_file "$out" "$WORK/once.ogn"
}

invalid_search_times_and_threads_are_refused() {
    _file game.txt 'FfEeAcB\n'
    refused 2 "--movetime" judge --db "$one" --movetime 0 "$file"
    refused 2 "--threads" judge --db "$one" --movetime 5 --threads 0 "$file"
}

run_tests
