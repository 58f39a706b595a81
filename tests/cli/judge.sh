#!/usr/bin/env bash
# `wari judge`: games written by hand. Values of positions are those of the rules page and of the
# tests of other commands; the game with a repetition was found by the reference solver. (For
# positions above the database see judge_search.sh.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

one=$(shared_awari 12) || exit 1 # one database alone
many=$WORK/many                  # several
build "$many" 5 || exit 1
build "$many" 5 --rules tournament || exit 1
build "$many" 5 --rules warri || exit 1

_file() { # NAME TEXT ; sets $file
    file=$WORK/$1
    printf '%b' "$2" >"$file"
}

# `1 1 1 1 1 1 / 1 1 1 1 1 1`: published, A..F are worth -1 -8 -2 -2 -2 0.
readonly even_board='[FEN "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"]'
readonly even_north='[FEN "1-1-1-1-1-1-1-1-1-1-1-1-18-18-N"]'
# Worth -3 under `abapa` and `own`; a repetition leaves only 1 of these seeds.
readonly circle='0-0-0-0-0-1-0-1-0-0-0-1-23-22-S FfAbBcCaDdEeFfAbBcCdDaEe'

a_mistake_is_drawn_with_an_arrow() {
    _file game.ogn "[South \"Ama\"]\n[North \"Kofi\"]\n$even_board\n\n1. B *\n"
    run judge --db "$one" "$file"
    expect_code 1
    expect_no_message
    expect_output "$file:1: game 1, Ama - Kofi   (rules awari even)

            mover's                             South-North
  move         value  played  loss  best         score with best play
     1  B         0      -8     8  F            24-24

         f   e   d   c   b   a
 North   1   1   1   1   1   1   store 18
 South   1   1   1   1   1   1   store 18   to move
         A   B   C   D   E   F
             ^   B loses 8 seeds; best: F

The game stops; with best play it ends South-North 20-28.

        moves  judged  lossless    lost    mean   worst
South       1       1     0.0 %       8   8.000       8   first mistake 1, worst 1
North       0       0         -       0       -       0
both        1       1     0.0 %       8   8.000       8   first mistake 1, worst 1"
}

north_has_its_own_letters_and_stores() {
    _file game.ogn "$even_north\n\na"
    run judge --db "$one" "$file"
    expect_code 1
    expect_output_has "     1  a         0      -1     1  f            24-24"
    expect_output_has "                             v   a loses 1 seed; best: f"
    expect_output_has "with best play it ends South-North 24.5-23.5."
}

a_perfect_game_ends_with_0() {
    # Published: +3, by B and by E.
    _file game.txt '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n'
    accepted judge --db "$one" "$file"
    expect_output_has "     1  B        +3      +3        B E          26-22"
    expect_output_has "both        1       1   100.0 %       0   0.000       0"
}

positions_beyond_the_database_are_not_judged() {
    _file game.txt 'FfEe\n'
    accepted judge --db "$one" "$file"
    expect_output_has "   1-4  not covered: more than 12 seeds"
    expect_output_has "The game stops in a position that is not covered."
    expect_output_has "both        4       0         -       0       -       0"
    accepted judge --db "$one" --json "$file"
    expect_output_has '{"move":"F","captured":0,"times":1,"covered":false}'
    expect_output_has '"score":null'
}

giving_up_a_surplus_by_repetition_loses_it() {
    _file game.txt "$circle\n"
    run judge --db "$many" --rules tournament "$file"
    expect_code 1
    expect_output_has "    13  F        -3      -3        F            23-25   same position as before move 1 (2 times so far)"
    expect_output_has "The position before move 1 has occurred 3 times, which ends the game: the cycle rule pays South -1."
    expect_output_has "North lost 2 seeds by repeating: the position is worth -3 to South."
    expect_output_has "The game ends South-North 24-24."
    expect_output_has "North      12      12   100.0 %       0   0.000       0   and 2 by repeating"
    run judge --db "$many" --rules tournament --json "$file"
    expect_code 1
    expect_output_has '"end":"repetition","score":[24,24],"winner":null,"repetition":{"times":3,"after_move":0,"pays":-1,"value":-3,"loser":"North","cost":2}'
    run judge --db "$many" --rules tournament --annotate "$file"
    expect_code 1
    expect_output_has '+3 third repetition: North'
    expect_output_has '[Result "24-24"]'
}

a_second_repetition_does_not_lose_yet() {
    _file game.txt "${circle::-12}\n"
    accepted judge --db "$many" --rules tournament "$file"
    expect_output_has "has occurred 2 times: the cycle rule would pay South -1."
    expect_output_has "North would lose 2 seeds by repeating"
}

json_has_an_object_for_each_game_and_the_totals() {
    _file game.ogn "[Event \"E\"]\n$even_board\n\nB f *\n\n$even_board\n\nF *\n"
    run judge --db "$one" --format json "$file"
    expect_code 1
    [ "$(wc -l <"$out")" -eq 3 ] || fail "expected three lines"
    expect_output_has "{\"file\":\"$file\",\"game\":1,\"line\":1,\"tags\":{\"Event\":\"E\",\"FEN\":\"1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\"},\"rules\":\"awari\",\"cycle\":\"even\",\"start\":\"1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\",\"moves\":[{\"move\":\"B\",\"captured\":0,\"times\":1,\"covered\":true,\"value\":0,\"played\":-8,\"loss\":8,\"best\":[\"F\"],\"score\":[24,24]},"
    expect_output_has '"South":{"moves":1,"judged":1,"perfect":0,"lost":8,"mean":8.0,"first":1,"worst":1,"worst_loss":8,"cycle_lost":0}'
    expect_output_has '{"games":2,"summary":{"South":{"moves":2,"judged":2,"perfect":1,"lost":8,"mean":4.0,"worst_loss":8,"cycle_lost":0}'
}

annotated_games_can_be_judged_again() {
    _file game.ogn "$even_board\n\n1. B { hm } f *\n"
    run judge --db "$one" --annotate "$file"
    expect_code 1
    expect_output_has '1. B { hm -8, loses 8: best is F with 0 } f'
    expect_output_has '[Annotator "wari '
    cp "$out" "$WORK/annotated.ogn"
    run judge --db "$one" --json "$WORK/annotated.ogn"
    expect_code 1
    expect_no_message
    expect_output_has '"lost":8'
}

a_broken_game_gets_a_message_with_its_line() {
    _file game.ogn "[South \"x\"]\n$even_board\n\nB b b\n\n[South \"y\"]\n$even_board\nF\n\n[Sauth \"z\"]\nF"
    run judge --db "$one" "$file"
    expect_code 2
    expect_message "wari judge: $file:4:5: move 3: 'b' is not a move of South, whose pits are A to F; this game is skipped"
    expect_message "wari judge: $file:10:2: unknown tag Sauth"
    expect_output_has "$file:6: game 1   (rules"
    expect_output_has "all 2 games"
}

if_a_file_cannot_be_read_the_others_are_judged() {
    _file game.txt '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n'
    run judge --db "$one" "$file" "$WORK/none" "$WORK" "$file"
    expect_code 4
    expect_message "wari judge: $WORK/none: cannot open this file"
    expect_message "wari judge: $WORK: cannot read"
    expect_output_has "all 2 games"
    # There is also an empty line between games from two files.
    grep -B 1 '^[^ ]*game.txt' "$out" | grep -qx '' || fail "expected an empty line between two games"
}

a_name_cannot_control_a_terminal() {
    _file game.ogn '[South "x\033[2J\0302\0233\t\0303\0251"]\n[North "\177\0233"]\n\nF *\n'
    accepted judge --db "$one" "$file"
    expect_output_has "game 1, x?[2J??$(printf '\303\251') - ?$(printf '\342\200\272')   (rules"
    _file "$(printf 'b\033[2J.ogn')" "$even_board\n\nF *\n"
    accepted judge --db "$one" "$file"
    expect_output_has "/b?[2J.ogn:1: game 1   (rules"
}

a_file_name_that_is_not_utf8_is_null_in_json() {
    _file "$(printf 'a\377.txt')" '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n'
    accepted judge --db "$one" --json "$file"
    expect_output_has '{"file":null,"game":1,'
}

a_slam_that_decides_the_game_is_in_the_json() {
    # Rules page: under ware a slam loses. F captures 3 of 3 seeds, so South would have 26.
    build "$WORK/ware" 3 --rules ware || fail "no database"
    _file game.txt '0-0-0-0-0-1-2-0-0-0-0-0-25-20-S F\n'
    run judge --db "$WORK/ware" --json "$file"
    expect_output_has '"end":"slam",'
    expect_output_has '"winner":"North"'
}

a_file_that_cannot_be_read_is_named() {
    refused 4 "$WORK/none: cannot open this file" judge --db "$one" "$WORK/none"
    refused 4 "$WORK: cannot read" judge --db "$one" "$WORK"
    _file empty ''
    refused 2 "$file: there is no game in this file" judge --db "$one" "$file"
}

tags_choose_the_database() {
    _file game.ogn '[Variant "warri"]\n[FEN "0-0-0-0-2-1-2-0-0-0-0-0-22-21-S"]\n\n1. F+3 E *\n'
    accepted judge --db "$many" "$file"
    expect_output_has "(rules warri even)"
    expect_output_has "     1  F+3      +1      +1        E F          25-23"
    expect_output_has "     2  E "
    refused 2 "the rules of this game are not available here; available: abapa own" \
        judge --db "$many" --rules tournament "$file"
    _file open.ogn '[South "x"]\n\nF *\n'
    _file open.txt 'F\n'
    _file frisian.ogn '[Variant "frisian"]\n\nF *\n'
    refused 2 "do not say under which rules this game was played; available: awari even, abapa own, warri even" \
        judge --db "$many" "$WORK/open.ogn" "$WORK/open.txt" "$file"
    expect_message "abapa own, warri even; choose with --rules and --cycle; this game is skipped"
    expect_message "a list does not say under which rules"
    grep -q "^wari judge: $WORK/open.txt.*; choose with --rules and --cycle; this game is skipped" "$err" ||
        fail "expected advice for the list"
    expect_message 'no rule set is called "frisian"; available: awari even, abapa own, warri even; choose with --rules'
    accepted judge --db "$many" --rules warri "$file"
    expect_message 'no rule set is called "frisian"; this game is read under warri even'
    ! _has "$err" choose || fail "expected no advice to do what was done"
    refused 6 "has no database of ware" judge --db "$many" --rules ware "$file"
}

standard_input_is_read_as_well() {
    run_with_input '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n' judge --db "$one" -
    expect_code 0
    expect_output_has "standard input:1: game 1"
}

bad_usage_is_refused() {
    refused 2 "the games are missing" judge --db "$one"
    refused 2 "--db DIR is missing" judge --db "" game.ogn
    refused 2 "--html: the name of the file is empty" judge --html "" game.ogn # fixed bug: called --output
    refused 2 "choose one of text, json" judge --db "$one" --format csv game.ogn
    refused 2 "--format json does not; give only one of them" judge --db "$one" --annotate --json game.ogn
}

damage_is_never_taken_for_a_value() {
    local copy
    copy=$(copy_of "$one")
    flip_byte "$copy/awari-even-3.wari" -1
    _file game.txt '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n'
    refused 3 "awari-even-3.wari" judge --db "$copy" "$file"
}

colour_is_for_terminals() {
    _file game.ogn "$even_board\n\nB *\n"
    local escape
    escape=$(printf '\033')
    out=$WORK/typed err=$WORK/err code=0
    : >"$err"
    TERM=xterm script -qec "'$WARI' judge --db '$one' '$file'" /dev/null >"$out"
    expect_output_has "${escape}[1;31mB loses 8 seeds${escape}[0m; best: F"
    NO_COLOR=1 TERM=xterm script -qec "'$WARI' judge --db '$one' '$file'" /dev/null >"$out"
    ! _has "$out" "$escape" || fail "expected no colour with NO_COLOR"
    run judge --db "$one" "$file"
    ! _has "$out" "$escape" || fail "expected no colour in a file"
}

# Fixed bug: a stopped run printed half an object at the end. Here it has more to print than a pipe
# holds, and nobody reads more than the first byte before the signal arrives.
a_stopped_run_has_printed_whole_games() {
    local signal pid from
    _file many.txt ""
    yes '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B' | head -n 2000 >"$file"
    mkfifo "$WORK/games"
    for signal in HUP:129 INT:130 TERM:143; do
        out=$WORK/stopped.${signal%:*} err=$WORK/stopped.err
        "$WARI" judge --db "$one" --json "$file" >"$WORK/games" 2>"$err" &
        pid=$!
        exec {from}<"$WORK/games"
        head -c 1 <&"$from" >"$out"
        kill -s "${signal%:*}" "$pid"
        cat <&"$from" >>"$out"
        exec {from}<&-
        wait "$pid"
        code=$?
        expect_code "${signal#*:}"
        expect_message "stopped after game"
        [ "$(tail -c 1 "$out" | od -An -c | tr -d ' ')" = '\n' ] || fail "expected a whole line at the end"
        ! grep -q '^{"games":' "$out" || fail "expected to stop before the totals"
    done
    python3 -I -S -c 'import json, sys
for path in sys.argv[1:]:
    json.loads(open(path, "rb").readlines()[-1])' "$WORK"/stopped.[A-Z]* 2>"$err" || fail "expected objects at the end"
}

# The program judges another file first, because it handles signals only from its first game on. (A second after the signal, a
# timer interrupts the read that waits for more input.)
stopping_while_standard_input_is_read_prints_no_totals() {
    local typed held_input=$WORK/typed.pipe
    mkfifo "$held_input"
    exec {typed}<>"$held_input"
    _file first.txt '0-1-0-0-1-0-0-0-0-0-0-1-23-22-S B\n'
    start_held read "$held_input" judge --db "$one" --json "$file" -
    kill -s INT "$pid"
    end_held
    exec {typed}<&-
    expect_code 130
    expect_message "stopped before all of standard input was read"
    ! _has "$out" '"games":' || fail "expected no totals"
}

# Fixed bug: each run added the same comments again.
a_game_that_is_annotated_again_stays_the_same() {
    _file game.ogn "$even_board\n\n1. B { a remark } e 2. A *\n"
    run judge --db "$one" --annotate "$file"
    expect_code 1
    expect_output_has "1. B { a remark -8, loses 8: best is F with 0 }"
    cp "$out" "$WORK/again.ogn"
    run judge --db "$one" --annotate "$WORK/again.ogn"
    same_file "$WORK/again.ogn" "$out"
    # The last move has two comments.
    _file circle.txt "$circle\n"
    run judge --db "$many" --rules tournament --annotate "$file"
    expect_output_has "third repetition"
    cp "$out" "$WORK/again.ogn"
    run judge --db "$many" --rules tournament --annotate "$WORK/again.ogn"
    same_file "$WORK/again.ogn" "$out"
}

# By hand: D slams, which ends the game, and nobody gets the six seeds.
seeds_that_count_for_nobody_are_counted() {
    build "$WORK/ends" 6 --rules slam-ends || exit 1
    _file ends.txt '0-0-0-3-2-0-1-0-0-0-0-0-20-22-S D\n'
    run judge --db "$WORK/ends" --json "$file"
    expect_code 0
    expect_output_has '"score":[20,22],"winner":"North",'
    expect_output_has '"nobody":6}'
    run judge --db "$WORK/ends" "$file"
    expect_output_has "6 for nobody"
}

# Each of these games took time in proportion to the square of its length, or a thousand times as
# long as other games. The limit only ends runs that would never end: done properly, each takes less
# than a second.
_ends() { # ; $file is judged in a minute of processor time
    ulimit -t 60
    run judge --db "$many" "$file"
    [ "$code" -lt 128 ] || fail "timed out: $file"
}

no_text_takes_unlimited_time() {
    # A slow algorithm shows in the plain build. With sanitizers, a shorter text also shows wrong
    # accesses.
    local x="" i bytes=1000000
    ! is_sanitized || bytes=100000
    _file braces.ogn ''
    yes '({' | head -c $bytes | tr -d '\n' >"$file"
    _ends
    yes $'[A ""]\n{' | head -c $bytes >"$file"
    _ends
    printf '[A ""]\n(' >"$file"
    yes $'{\n[A ""]\n(}' | head -n $((bytes * 3 / 10)) | tr -d '\r' >>"$file"
    _ends
    for i in {1..999}; do x+="[A$i \"\"]"$'\n'; done
    printf '%s' "$x" >"$file"
    yes '[A999 ""]' | head -n $((bytes / 10)) >>"$file"
    _ends
    expect_message "more messages are not shown"
}

after_1000_messages_about_a_file_further_ones_are_only_counted() {
    local i text='' # 600 games of 2 complaints: a tag that nobody knows, and the comment
    for i in {1..600}; do text+='[A ""]\n{\n'; done
    _file many.ogn "$text"
    run judge --db "$one" "$file"
    expect_code 2
    [ "$(grep -c "$file:" "$err")" -eq 1001 ] || fail "expected 1000 complaints and a sum"
    expect_message "$file: 200 more messages are not shown; 600 games could not be read and were skipped"
}

run_tests
