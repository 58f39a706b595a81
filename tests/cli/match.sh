#!/usr/bin/env bash
# `wari match`: perfect play, engines that fail in every way, positions, records, Ctrl-C. Engines
# that fail are small scripts (engines.sh). The expected results of perfect play follow from the
# rules of the match: it loses no seed, and never gets less than the values of the start positions.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/engines.sh
. tests/cli/engines.sh

seeds=8
build "$WORK/db" $seeds --rules tournament || exit 1
build "$WORK/awari" 6 || exit 1
# Even if `wari match` has sanitizers, its engines are the plain program, because engine.sh tests `wari engine` with
# sanitizers.
perfect="'$builder' engine --db $WORK/db --rules tournament"
random="'$builder' engine --random"
played=(match "${patient[@]}" --db "$WORK/db")

# ---- Good engines ----

_no_loss() { # the first engine's object in $out
    python_free=$(sed 's/.*"engines":\[//; s/},{"name".*//' "$out")
    [[ $python_free == *'"seeds_lost":0,"seeds_lost_by_cycles":0'* ]] ||
        fail "expected no seed lost by the first engine"
    [[ $python_free != *'"beyond_value":-'* ]] || fail "expected no less than the values"
}

perfect_play_loses_nothing_to_random_moves() {
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --games "$(is_small && echo 4 || echo 60)" --json
    _no_loss
    grep -q '"perfect":[0-9]*,"seeds_lost":[1-9]' "$out" || fail "random moves lose something"
}

perfect_play_against_itself_scores_the_values() {
    accepted "${played[@]}" --engine "$perfect" --games "$(is_small && echo 4 || echo 40)" --json
    [ "$(grep -o '"beyond_value":0,' "$out" | wc -l)" -eq 2 ] || fail "expected the values"
    [ "$(grep -o '"seeds_lost":0,"seeds_lost_by_cycles":0' "$out" | wc -l)" -eq 2 ] ||
        fail "expected no loss"
}

the_rules_of_the_match_reach_the_random_engine() {
    accepted match --db "$WORK/awari" --engine "$random" --engine "$random" --games 30
    expect_output_has "fault: illegal                 "
    expect_no_message
}

the_same_seed_gives_the_same_games() {
    accepted "${played[@]}" --engine "$random" --games 6 --seed 7 --ogn "$WORK/a.ogn"
    accepted "${played[@]}" --engine "$random" --games 6 --seed 7 --ogn "$WORK/b.ogn"
    same_file "$WORK/a.ogn" "$WORK/b.ogn"
    accepted "${played[@]}" --engine "$random" --games 6 --seed 8 --ogn "$WORK/b.ogn"
    ! cmp -s "$WORK/a.ogn" "$WORK/b.ogn" || fail "another seed gives other games"
}

games_start_from_the_positions_of_a_file_with_sides_changed() {
    printf '# two\n\n1 0 1 0 0 0 / 1 0 0 0 0 0\n0-0-0-3-2-0-1-0-0-0-0-1-20-21-N\n' >"$WORK/start"
    accepted "${played[@]}" --engine "$random" --games 4 --start "$WORK/start" \
        --ogn "$WORK/start.ogn"
    [ "$(grep -c '1-0-1-0-0-0-1-0-0-0-0-0-23-22-S' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected the first position twice"
    [ "$(grep -c '0-0-0-3-2-0-1-0-0-0-0-1-20-21-N' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected the second position twice"
    [ "$(grep -c '^\[South "perfect play"\]' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected each side to be South twice"
}

# ---- Engines that fail ----

an_engine_that_hangs_loses_on_time() {
    _engine hangs 'pass_time 120; wait_for_ever'
    _fails hangs time-out "it did not send its move in time"
}

an_engine_that_crashes_is_started_again() {
    _engine crashes 'kill -SEGV $$'
    _fails crashes crash "signal 11"
    expect_output_has '"starts":4'
}

an_engine_that_exits_is_reported_with_its_exit_code() {
    _engine exits 'exit 3'
    _fails exits crash "exit code 3"
}

an_engine_that_closes_its_output_has_left() {
    _engine closes 'exec >&-; wait_for_ever'
    # In each game, half a second passes on the clock before the engine is killed.
    run match --db "$WORK/db" --engine "$WORK/closes" --games 4 --json "${patient[@]}"
    _expect_lost 4 crash "it ended before it sent its move"
}

an_engine_that_closes_its_input_loses_on_time() {
    _engine deaf 'exec <&-; pass_time 120; wait_for_ever'
    _fails deaf time-out "it did not send its move in time"
}

an_engine_that_closed_its_input_has_left() {
    _engine closed : 'echo uciok; read -r word; exec <&-; echo readyok; wait_for_ever'
    run match --db "$WORK/db" --engine "$WORK/closed" --games 2 --json "${patient[@]}"
    _expect_lost 2 crash "it ended before it sent its move"
}

illegal_moves_lose_the_game() {
    _engine illegal 'echo "bestmove A"; echo "bestmove a"'
    printf '0 0 0 0 1 0 / 1 0 0 0 0 0\n' >"$WORK/one"
    _match --db "$WORK/db" --engine "$WORK/illegal" --games 1 --start "$WORK/one" --engine "$random"
    expect_code 1
    expect_message "illegal (bestmove A)"
}

garbage_instead_of_a_move_loses_the_game() {
    _engine garbage 'printf "bestmove \\001\\377 what\\n"'
    _fails garbage nonsense "bestmove"
    ! LC_ALL=C grep -q "$(printf '\001')" "$err" || fail "control characters reach the terminal"
}

garbage_before_a_move_is_ignored() {
    cat "$WORK"/db/*.wari | head -c 20000 >"$WORK/noise" # as good as random
    [ "$(wc -l <"$WORK/noise")" -gt 10 ] || fail "expected lines"
    _engine noisy "cat $WORK/noise"'; head -c 9000 /dev/zero; echo; echo "bestmove 0000"'
    _fails noisy "gave up" "while the game goes on"
    grep -q '"lines_not_understood":[1-9]' "$out" || fail "expected lines not understood"
}

an_engine_that_never_sends_uciok_is_given_up_after_three_starts() {
    _engine mute : 'pass_time 200; echo started >>"$0.starts"; wait_for_ever'
    _match --db "$WORK/db" --engine "$WORK/mute" --games 5 --json --start-time 200
    expect_code 4
    expect_message "did not start in 3 attempts: it did not send uciok in time"
    [ "$(wc -l <"$WORK/mute.starts")" -eq 3 ] || fail "expected three starts"
    expect_no_output
}

# The match reads much more than a pipe holds before the clock moves.
an_engine_that_writes_endlessly_loses_on_time() {
    _engine endless 'head -c 1000000 /dev/zero; pass_time 120; exec cat /dev/zero'
    _fails endless time-out "it did not send its move in time"
    _engine lines 'yes info | head -n 200000; pass_time 120; exec yes info'
    _fails lines time-out "it did not send its move in time"
}

# After the time-out the engine is started again. If the same process were asked a second time, it would give its answer to
# the first question.
the_late_reply_of_an_engine_is_not_taken_for_the_next_move() {
    _engine late 'if [ -n "${asked:-}" ]; then echo "bestmove A"; echo "bestmove a"; fi; asked=1; pass_time 120'
    _fails late time-out "it did not send its move in time"
    expect_output_has '"starts":4'
}

an_engine_that_cannot_be_run_is_reported() {
    run match --db "$WORK/db" --engine "$WORK/nowhere" --games 2
    expect_code 4
    expect_message "No such file or directory"
    expect_no_output
}

# Fixed bug: each option was answered, and the match waited up to --start-time for each answer to be
# taken.
an_engine_that_writes_endlessly_and_never_reads_loses_on_time() {
    _engine floods 'yes "option name Seed" | head -n 20000; pass_time 120; exec yes "option name Seed"'
    _fails floods time-out "it did not send its move in time"
}

# An engine may have any name. \200 to \237 after \302 are U+0080 to U+009F.
names_cannot_control_a_terminal() {
    local long
    long=$(printf 'x%.0s' {1..62})
    printf 'id name a\377\303(\302\233\033[2J\355\240\200\303\237\n' >"$WORK/name"
    _engine bad 'echo "bestmove 0000"' "cat $WORK/name; echo uciok"
    _match --db "$WORK/db" --engine "$WORK/bad" --games 1 --json
    expect_code 1
    # One U+FFFD for each byte that does not belong to a character.
    expect_output_has "$(printf '"name":"a\357\277\275\357\277\275(??[2J\357\277\275\357\277\275\357\277\275\303\237"')"
    printf 'id name %s\303\237\n' "$long" >"$WORK/cut_name"
    _engine cut 'echo "bestmove 0000"' "cat $WORK/cut_name; echo uciok"
    _match --db "$WORK/db" --engine "$WORK/cut" --games 1 --json
    expect_code 1
    expect_output_has "\"name\":\"$long\""
    _match --db "$WORK/db" --engine "$WORK/bad" --engine "$WORK/bad" --games 1
    ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$out" || fail "control characters in the table"
    ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$err" || fail "control characters in messages"
    _match --db "$WORK/db" --engine "$WORK/cut" --engine "$WORK/cut" --games 1 --json
    expect_output_has "xxx (2)\""
}

too_few_descriptors_do_not_count_against_an_engine() {
    local limit said=0
    for limit in {12..42..5}; do # until one is enough
        out=$WORK/out err=$WORK/err
        (ulimit -n "$limit"; exec "$WARI" match --db "$WORK/db" --engine "$random" \
            --engine "$random" --games 2) >"$out" 2>"$err" </dev/null
        code=$?
        [ "$code" -ne 1 ] || fail "an engine was blamed with ulimit -n $limit"
        [ "$code" -ne 0 ] || break
        expect_code 4
        expect_message "Too many open files"
        said=$((said + 1))
    done
    [ "$said" -gt 0 ] && [ "$code" -eq 0 ] || fail "expected some limits to be too low, and not all"
}

games_played_before_a_match_fails_are_reported() {
    local copy
    copy=$(copy_of "$WORK/db")
    # The first game starts from 1 seed, the second position has 8, whose level is damaged.
    local file=$copy/abapa-own-8.wari
    # shellcheck disable=SC2046 # numbers
    flip_byte "$file" $(seq $((-$(stat -c %s "$file") / 2)) 20 -21)
    printf '0 0 0 0 0 1 / 0 0 0 0 0 0\n1 0 1 0 1 0 / 1 1 1 1 1 0\n' >"$WORK/starts"
    run match --db "$copy" --engine "$random" --games 4 --start "$WORK/starts" --json \
        --ogn "$WORK/kept.ogn"
    expect_code 3
    expect_output_has '"games":2'
    [ "$(grep -c '^\[Round' "$WORK/kept.ogn")" -eq 2 ] || fail "expected two games"
}

# ---- Several games at once ----

# The number of a game decides how it is played; the order in which games end does not matter.
games_at_once_are_the_games_one_after_the_other() {
    local at_once
    for at_once in 1 3; do
        accepted "${played[@]}" --engine "$perfect" --engine "$random" --start --openings 4 \
            --nodes 100 --concurrency $at_once --ogn "$WORK/once$at_once.ogn" --json \
            --match "$WORK/once$at_once.match"
        sed 's/"starts":[0-9]*/"starts":0/g' "$out" >"$WORK/once$at_once.json"
    done
    same_file "$WORK/once1.ogn" "$WORK/once3.ogn"
    same_file "$WORK/once1.json" "$WORK/once3.json"
    sort "$WORK/once1.match" >"$WORK/sorted"
    sort "$WORK/once3.match" | cmp -s - "$WORK/sorted" || fail "expected these games in the file"
    # The file lists games in the order in which they end.
    { head -n 2 "$WORK/once1.match"; tail -n 8 "$WORK/once1.match" | tac; } >"$WORK/turned.match"
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --start --openings 4 \
        --nodes 100 --match "$WORK/turned.match" --json
    same_file "$out" "$WORK/once1.json"
}

# Fixed bug: if no moves were judged, 0.00 % of them were called perfect.
where_no_move_is_judged_none_is_called_imperfect() {
    build "$WORK/tiny" 1 --rules tournament || fail "no database"
    _engine resigns 'echo "bestmove 0000"'
    run match "${patient[@]}" --db "$WORK/tiny" --engine "$WORK/resigns" --engine "$random" --start --games 2
    grep -qE '^moves judged +0 +0$' "$out" || fail "expected no move judged"
    grep -qE '^perfect moves +- +-$' "$out" || fail "expected nothing said of perfect moves"
    grep -qE '^seeds lost per move +- +-$' "$out" || fail "expected nothing said of losses by moves"
    grep -qE '^seeds lost per game +- +-$' "$out" || fail "expected nothing said of losses by games"
}

# Fixed bug: the sum of the limits overflowed, and each move had only 100 ms.
limits_as_large_as_can_be_are_no_time() {
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --games 2 --nodes 2147483647 --depth 1 \
        --match "$WORK/limits.match"
    grep -q "movetime=0 .* nodes=2147483647 " "$WORK/limits.match" || fail "$(head -n 2 "$WORK/limits.match")"
}

# Each engine plays three games, and is in the middle of its fourth game when Ctrl-C arrives.
games_at_once_end_at_ctrl_c_and_go_on() {
    _stops_after dozes 3
    local kept=(--db "$WORK/db" --engine "$WORK/dozes" --concurrency 3 --match "$WORK/dozed")
    out=$WORK/out err=$WORK/err code=-
    _start_match "${kept[@]}" --games 1000 --json
    _wait_for_reports 3
    kill -s INT "$match"
    _end_match
    expect_code 130
    expect_message "interrupted after 9 games"
    expect_output_has '"games":9,'
    _expect_nobody
    : >"$WORK/free"
    _match "${kept[@]}" --games 21 --json
    expect_code 1
    expect_output_has '"gave up":21}'
    [ "$(wc -l <"$WORK/dozed")" -eq 23 ] || fail "expected each game once"
}

# Makes an engine that resigns this many games and then thinks until there is a file "free". (It is
# asked twice in each game.)
_stops_after() { # NAME GAMES
    rm -f "$WORK/free"
    _engine "$1" '[ $((asked += 1)) -le '$((2 * $2))" ] || [ -e $WORK/free ] || { report; wait_for_ever; }"'
        echo "bestmove 0000"'
}

without_threads_no_game_is_played() {
    is_sanitized && return # sanitizers replace pthread_create() themselves
    out=$WORK/out err=$WORK/err
    (with_calls FAIL_KIND=thread FAIL_AT=1 FAIL_ON=1 "$WARI" match --db "$WORK/db" --engine "$random" \
        --concurrency 64) >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 5
    expect_message "of --concurrency 64"
    [ ! -s "$out" ] || fail "expected no report"
}

# ---- From the start of the game ----

games_start_from_openings_that_are_played_from_both_sides() {
    accepted "${played[@]}" --engine "$random" --engine "$perfect" --start --openings 5 --plies 4 \
        --depth 1 --seed 3 --ogn "$WORK/openings.ogn" --json
    expect_output_has '"games":10'
    grep '^\[FEN' "$WORK/openings.ogn" >"$WORK/fens"
    [ "$(wc -l <"$WORK/fens")" -eq 10 ] || fail "expected ten games from diagrams"
    [ "$(sort -u "$WORK/fens" | wc -l)" -eq 5 ] || fail "expected five openings"
    [ "$(uniq -c "$WORK/fens" | awk '{print $1}' | sort -u)" = 2 ] || fail "expected pairs"
    # Four moves: it is South's turn, and all 48 seeds are on the board.
    while IFS= read -r fen; do
        [[ $fen == *-S\"\] ]] || fail "expected South to move: $fen"
        fen=${fen#*\"}
        [ $(($(tr - + <<<"${fen%-S*}"))) -eq 48 ] || fail "expected 48 seeds: $fen"
    done <"$WORK/fens"
    [ "$(grep -c '^\[South "Wari .*random moves' "$WORK/openings.ogn")" -eq 5 ] || fail "expected both sides"
    accepted "${played[@]}" --engine "$random" --engine "$perfect" --start --openings 5 --plies 4 \
        --depth 1 --seed 3 --ogn "$WORK/again.ogn"
    grep '^\[FEN' "$WORK/again.ogn" | cmp -s - "$WORK/fens" || fail "expected these openings again"
}

# All games are won, so no Elo difference is known. By the formula in test_elo.c, 5 pairs with 2
# points each suffice for these differences, and 6 if fewer errors are allowed; a bug: two sufficed.
strength_is_reported_and_a_clear_test_ends_the_match() {
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --start --games 40 --depth 3 \
        --sprt elo0=0 elo1=200 --json
    expect_output_has '"games":10,"strength":{"elo":null,"error":null,"los":null,"pairs":[0,0,0,0,5],'
    expect_output_has '"accepted":"elo1"}'
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --start --games 12 --depth 3 \
        --sprt "elo0=0, elo1=200" alpha=0.01,beta=0.01 # a bug: in one argument they were refused
    expect_output_has "Elo difference unknown (fewer than 10 pairs), pairs 0 0 0 0 6"
    expect_output_has "SPRT elo0 0 elo1 200: LLR 4.79 (-4.60, 4.60), elo1 is accepted"
}

limits_are_sent_to_the_engines() {
    # The engine writes down each "go" and resigns.
    _engine notes 'echo "go $rest" >>"$0.go"; pass_time 1000; echo "bestmove 0000"'
    _match --db "$WORK/db" --engine "$WORK/notes" --engine "$random" --start --games 2 --tc 7.5+0.25
    # As South, the engine is asked twice for its move; as North, it is asked after a move that took
    # no time. Fixed bug: the second question for the same move did not subtract the second that the
    # first answer took from the clock.
    out=$WORK/notes.go
    expect_output "go wtime 7500 winc 250 btime 7500 binc 250
go wtime 6500 winc 250 btime 7500 binc 250
go wtime 7750 winc 250 btime 7500 binc 250
go wtime 7750 winc 250 btime 6500 binc 250"
    rm "$WORK/notes.go"
    _match --db "$WORK/db" --engine "$WORK/notes" --engine "$random" --start --games 2 --depth 3 --nodes 40
    grep -qx 'go depth 3 nodes 40' "$WORK/notes.go" || fail "expected depth and nodes"
}

running_out_of_time_loses_the_game() {
    _engine sleeps 'pass_time 3050; wait_for_ever'
    _match --db "$WORK/db" --engine "$WORK/sleeps" --engine "$random" --start --games 2 --tc 3 --grace 50 \
        --json --ogn "$WORK/late.ogn"
    expect_code 1
    expect_output_has '"time-out":2'
    grep -A9 '"1"' "$WORK/late.ogn" | grep -qx '\[Termination "time-out: South loses"\]' || fail "expected who lost"
    grep -qx '\[Termination "time-out: North loses"\]' "$WORK/late.ogn" || fail "expected who lost"
    [ "$(grep -cxF '[Result "*"]' "$WORK/late.ogn")" -eq 2 ] || fail "expected no score"
    run judge --db "$WORK/db" "$WORK/late.ogn"
    expect_no_message # a result such as 1-0, which is no score, would cause a remark
}

the_tables_end_games_where_asked() {
    accepted "${played[@]}" --engine "$perfect" --engine "$random" --start --games 4 --depth 2 \
        --adjudicate --ogn "$WORK/short.ogn"
    [ "$(grep -c '^\[Termination "adjudication"\]' "$WORK/short.ogn")" -ge 1 ] || fail "expected adjudication"
    # The result is the judge's value of the last position, and no move inside the database was
    # played.
    run judge --db "$WORK/db" --json "$WORK/short.ogn"
    ! grep -q '"covered":true' "$out" || fail "expected no move in the tables"
    ! grep -q "the record says" "$err" || fail "expected the results of the judge"
}

an_impossible_start_is_refused() {
    local both=(match --db "$WORK/db" --engine a --engine b)
    refused 2 "second --engine" match --db "$WORK/db" --engine a --start
    refused 2 "only 36 different ones" "${both[@]}" --start --openings 37 --plies 2
    refused 2 "--openings" "${both[@]}" --start --openings 0
    refused 2 "need --start" "${both[@]}" --openings 3
    refused 2 "need --start" "${both[@]}" --plies 3
    refused 2 "contradict" "${both[@]}" --start --from-seeds 3
    refused 2 "needs --start" "${both[@]}" --sprt elo0=0 elo1=5
    refused 2 "elo1 must be more" "${both[@]}" --start --sprt elo0=5 elo1=5
    refused 2 "\"elo2=5\"" "${both[@]}" --start --sprt elo2=5
    refused 2 "\"elo2=5\"" "${both[@]}" --start --sprt "elo0=0 elo2=5"
    refused 2 "--sprt: \"\"" "${both[@]}" --start --sprt " , "
    refused 2 "\"elo1=$(printf '%040d' 7)\"" "${both[@]}" --start --sprt "elo0=0 elo1=$(printf '%040d' 7)"
    refused 2 "\"elo1=x\"" "${both[@]}" --start --sprt elo0=0 elo1=x
    refused 2 "--tc" "${both[@]}" --start --tc 5+
    refused 2 "--tc" "${both[@]}" --start --tc -5
    refused 2 "--tc" "${both[@]}" --start --tc 1e9
    refused 2 "--tc and --movetime contradict" "${both[@]}" --start --tc 5 --movetime 100
    refused 2 "--nodes" "${both[@]}" --start --nodes 0
    refused 2 "--depth" "${both[@]}" --start --depth 100
}

# ---- A match in a file ----

a_match_is_resumed_from_its_file() {
    local kept=("${played[@]}" --engine "$random" --engine "$perfect" --start --openings 4 --plies 4
        --depth 1 --match "$WORK/kept.match")
    accepted "${kept[@]}" --games 3 --json
    expect_output_has '"games":3,'
    cp "$WORK/kept.match" "$WORK/three"
    accepted "${kept[@]}" --games 8 --json --ogn "$WORK/eight.ogn"
    expect_output_has '"games":8,'
    head -n 5 "$WORK/kept.match" | cmp -s - "$WORK/three" || fail "expected the first three games to stay"
    [ "$(wc -l <"$WORK/kept.match")" -eq 10 ] || fail "expected two lines and eight games"
    [ "$(grep -c '^\[Round' "$WORK/eight.ogn")" -eq 8 ] || fail "expected all games as OGN"
    grep '^\[FEN' "$WORK/eight.ogn" | uniq -c | grep -qv '^ *2 ' && fail "expected pairs"
    cp "$out" "$WORK/first.json"
    accepted "${kept[@]}" --games 8 --json # nothing is left to play, no engine is started
    sed 's/"starts":[0-9]*/"starts":0/g' "$WORK/first.json" | cmp -s - "$out" ||
        fail "expected that report again"
}

a_killed_match_is_resumed() {
    _stops_after naps 3
    local kept=(--db "$WORK/db" --engine "$WORK/naps" --match "$WORK/killed.match")
    out=$WORK/match.out err=$WORK/match.err code=-
    _start_match "${kept[@]}" --games 1000
    _wait_for_reports 1
    refused 4 "another match uses this file" match "${kept[@]}" --games 1
    kill -s KILL "$match"
    _end_match
    printf '4\tgave up\t0' >>"$WORK/killed.match" # a line that was being written
    : >"$WORK/free"
    _match "${kept[@]}" --games 5 --json
    expect_code 1
    expect_output_has '"games":5,'
    expect_output_has '"gave up":5}'
    [ "$(wc -l <"$WORK/killed.match")" -eq 7 ] || fail "expected three games and two more"
}

games_ended_by_the_tables_end_again() {
    local kept=("${played[@]}" --engine "$random" --engine "$perfect" --start --openings 2 --depth 1
        --adjudicate --json --match "$WORK/tables.match")
    accepted "${kept[@]}"
    grep -qP '^\d\tnone\t[01]\t1\t' "$WORK/tables.match" || fail "expected a game that the tables ended"
    sed 's/"starts":[0-9]*/"starts":0/g' "$out" >"$WORK/tables.json"
    accepted "${kept[@]}"
    same_file "$out" "$WORK/tables.json"
}

a_file_that_is_not_a_match_is_refused_and_not_changed() {
    local file=$WORK/other both=("${played[@]}" --engine "$random" --engine "$perfect" --depth 1)
    printf 'a letter\n' >"$file"
    refused 2 "is not the file of a match" "${both[@]}" --match "$file"
    printf 'a letter\n' | cmp -s - "$file" || fail "the file was changed"
    refused 2 "is not a regular file" "${both[@]}" --match /dev/null
    refused 4 "cannot" "${both[@]}" --match "$WORK/none/file"
    refused 2 "--match with --start needs --openings" "${both[@]}" --start --match "$WORK/none/file"
    refused 2 "--match: the name of the file is empty" "${both[@]}" --match ""
    refused 2 "--ogn: the name of the file is empty" "${both[@]}" --ogn "" # fixed bug: called --output
    rm "$file"
    accepted "${both[@]}" --games 2 --match "$file"
    cp "$file" "$WORK/copy_of_match"
    refused 2 "contains a match with other options, \"rules=" "${both[@]}" --games 2 --seed 2 --match "$file"
    refused 2 "contains a match with other options" "${played[@]}" --engine "$random" --depth 1 --match "$file"
    same_file "$file" "$WORK/copy_of_match"
    sed -i '4s/^2/3/' "$file"
    run "${both[@]}" --games 2 --match "$file"
    expect_code 2
    expect_message "line 4 is not a game of this match"
    sed '3s/\t[A-Fa-f]*\t\(Wari[^\t]*\t\)/\tAA\t\1/' "$WORK/copy_of_match" >"$file"
    run "${both[@]}" --games 2 --match "$file"
    expect_code 2
    expect_message "line 3 is not a game of this match"
    { cat "$WORK/copy_of_match"; tail -n 1 "$WORK/copy_of_match"; } >"$file" # a game twice
    refused 2 "line 5 is not a game of this match" "${both[@]}" --games 5 --match "$file"
    { cat "$WORK/copy_of_match"; printf '3\0\n'; } >"$file"
    run "${both[@]}" --games 3 --match "$file"
    expect_code 2
    expect_message "line 5 is not a game of this match"
}

# Fixed bugs: after a misspelt engine, the file of a match without a game was refused; and a first line
# without a second one was called other options.
a_file_without_a_game_is_begun_again() {
    local file=$WORK/begun both=("${played[@]}" --engine "$random" --depth 1 --games 2) begin
    refused 4 "did not start" "${both[@]}" --engine "$WORK/misspelt" --match "$file"
    for begin in '' 'rules=ab' $'rules=awari\n' $'rules=awari\n1\tnone'; do
        accepted "${both[@]}" --engine "$perfect" --match "$file"
        [ "$(wc -l <"$file")" -eq 4 ] || fail "expected two lines and two games"
        accepted "${both[@]}" --engine "$perfect" --match "$file"
        printf 'wari match 1\n%s' "$begin" >"$file"
    done
}

# The limit on the size of a file simulates a full disk, which has space for some games and a part of another.
# Fixed bug: with --concurrency, another game could be added to the unfinished line.
a_full_disk_leaves_complete_games() {
    local kept=("${played[@]}" --engine "$random" --engine "$perfect" --depth 1 --games 40 --json
        --match "$WORK/full.match")
    out=$WORK/out err=$WORK/err
    (ulimit -f 3; exec "$WARI" "${kept[@]}") >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 4
    expect_message "full.match: cannot write"
    [ -z "$(tail -c 1 "$WORK/full.match")" ] || fail "expected no unfinished line"
    [ "$(wc -l <"$WORK/full.match")" -gt 2 ] || fail "expected some games"
    accepted "${kept[@]}"
    expect_output_has '"games":40,'
    [ "$(wc -l <"$WORK/full.match")" -eq 42 ] || fail "expected each game once"
}

# Fixed bug: if the file did not exist yet, the records replaced the games of the match.
records_do_not_replace_the_file_of_the_match() {
    local name
    mkdir "$WORK/place"
    ln -s place "$WORK/other_name"
    for name in "$WORK/place/new" "$WORK/place/./new" "$WORK/other_name/new"; do
        refused 2 "this command also reads this file (as $WORK/place/new)" "${played[@]}" --engine "$random" \
            --games 2 --match "$WORK/place/new" --ogn "$name"
        expect_no_file "$WORK/place/*"
    done
}

# ---- The command line ----

commands_are_split_without_a_shell() {
    _engine "with blank" 'echo "bestmove \$(touch '"$WORK"'/shell)"'
    _match --db "$WORK/db" --games 1 --engine "'$WORK/with blank' ; touch $WORK/shell" --engine "$random"
    expect_code 1
    [ ! -e "$WORK/shell" ] || fail "a shell has run"
}

# The command line, file names and file contents contain commands for terminals: ESC, U+009B, and
# the single byte.
messages_cannot_control_a_terminal() {
    local bad=$'x\033[2J\302\2332J\2332J\177' both=("${played[@]}" --engine "$random" --games 1)
    : >"$WORK/messages"
    printf 'wari match 1\n%s\n1\n' "$bad" >"$WORK/other_match"
    printf '%s\n' "$bad" >"$WORK/$bad"
    _no_commands match --db "$WORK/none$bad" --engine a
    _no_commands "${both[@]}" "--$bad"
    _no_commands "${both[@]}" "$bad"
    _no_commands "${both[@]}" --sprt "$bad"
    _no_commands "${both[@]}" --tc "$bad"
    _no_commands "${both[@]}" --rules "$bad"
    _no_commands "${both[@]}" --format "$bad"
    _no_commands "${both[@]}" --start "$WORK/none$bad"
    _no_commands "${both[@]}" --start "$WORK/$bad"
    _no_commands "${both[@]}" --match "$WORK/other_match"
    _no_commands "${both[@]}" --match "$WORK/none$bad/$bad"
    _no_commands "${both[@]}" --ogn "$WORK/none$bad/$bad"
    _no_commands "${both[@]}" --engine "'$bad"
    _no_commands "${both[@]}" --engine "$bad" --start
    _no_commands "${both[@]}" --engine "$bad" --json
    _no_commands help match "$bad"
    _no_commands "$bad"
    [ "$(grep -c '^---' "$WORK/messages")" -eq 17 ] || fail "expected the messages"
    ! grep -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|[\x00-\x7f][\x80-\x9f]' "$WORK/messages" >"$WORK/commands" ||
        fail "control characters: $(cat -v "$WORK/commands")"
}

_no_commands() { # ARGUMENT... ; adds all that the program prints to $WORK/messages
    run "$@"
    [ "$code" -ne 0 ] && [ -s "$err" ] || fail "expected a message"
    { echo "--- ${*@Q}"; cat "$out" "$err"; } >>"$WORK/messages"
}

bad_usage_is_refused() {
    refused 2 "--engine" match --db "$WORK/db"
    refused 2 "three times" match --db "$WORK/db" --engine a --engine b --engine c
    refused 2 "contradict" match --db "$WORK/db" --engine a --start x --from-seeds 3
    refused 2 "is not closed" match --db "$WORK/db" --engine "'a"
    refused 2 "is empty" match --db "$WORK/db" --engine "  "
    refused 2 "--games" match --db "$WORK/db" --engine a --games 0
    refused 2 "--concurrency" match --db "$WORK/db" --engine a --concurrency 0
    refused 2 "--concurrency" match --db "$WORK/db" --engine a --concurrency 65
    build "$WORK/slams" 2 --rules ware || fail "no database"
    refused 2 "a slam decides the game" match --db "$WORK/slams" --engine a --engine b --adjudicate
    refused 1 "goes up to $seeds" match --db "$WORK/db" --engine a --from-seeds 9
    refused 4 "cannot open" match --db "$WORK/db" --engine a --start "$WORK/none"
    printf '0 0 0 0 0 0 / 0 0 0 0 0 1\n' >"$WORK/over"
    refused 2 "line 1: nobody can move" match --db "$WORK/db" --engine a --start "$WORK/over"
    printf '\n1 2 3\n' >"$WORK/bad"
    refused 2 "line 2: column" match --db "$WORK/db" --engine a --start "$WORK/bad"
}

ctrl_c_ends_the_match_with_a_report() {
    _stops_after slow 2
    out=$WORK/out err=$WORK/err code=-
    _start_match --db "$WORK/db" --engine "$WORK/slow" --games 1000 --ogn "$WORK/cut.ogn"
    _wait_for_reports 1
    kill -s INT "$match"
    _end_match
    expect_code 130
    expect_message "interrupted after 2 games"
    expect_output_has "fault: gave up"
    [ "$(grep -c '^\[Round' "$WORK/cut.ogn")" -eq 2 ] || fail "expected the games so far"
    _expect_nobody
}

run_tests
