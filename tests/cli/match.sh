#!/usr/bin/env bash
# `wari match`: who plays without loss, engines that fail in every way, positions, records, Ctrl-C.
# Engines that fail are small scripts. What perfect play must come to is what the rules of the match
# say: no seed lost, never less than the values of the starts.
. tests/cli/lib.sh

seeds=8
build "$WORK/db" $seeds --rules tournament || exit 1
build "$WORK/awari" 6 || exit 1
perfect="'$WARI' engine --db $WORK/db --rules tournament"
random="'$WARI' engine --random"
short=(--movetime 20 --grace 500 --start-time 3000) # milliseconds

# An engine that is sane up to a point: what it does at each "go" is the script's argument.
_engine() { # NAME ACTION [ACTION-AT-uci]
    cat >"$WORK/$1" <<EOF
#!/bin/bash
while read -r word rest; do
    case \$word in
    uci) ${3:-echo "id name $1"; echo uciok} ;;
    isready) echo readyok ;;
    go) $2 ;;
    quit) exit 0 ;;
    esac
done
EOF
    chmod +x "$WORK/$1"
}

# Four games of a failing engine against perfect play: it loses all of them, for this reason.
_fails() { # NAME FAULT MESSAGE
    run match --db "$WORK/db" --engine "$WORK/$1" --games 4 --json "${short[@]}"
    expect_code 1
    expect_message "$3"
    expect_output_has "\"lost\":4,\"forfeited\":4"
    expect_output_has "\"$2\":4"
    grep -qF '"games":4' "$out" || fail "expected four games"
}

# ---- Good engines ----

_no_loss() { # the first engine's object in $out
    python_free=$(sed 's/.*"engines":\[//; s/},{"name".*//' "$out")
    [[ $python_free == *'"seeds_lost":0,"seeds_lost_by_cycles":0'* ]] ||
        fail "expected no seed lost by the first engine"
    [[ $python_free != *'"beyond_value":-'* ]] || fail "expected no less than the values"
}

perfect_play_loses_nothing_to_random_moves() {
    accepted match --db "$WORK/db" --engine "$perfect" --engine "$random" --games 60 --json
    _no_loss
    grep -q '"perfect":[0-9]*,"seeds_lost":[1-9]' "$out" || fail "random moves lose something"
}

perfect_play_against_itself_scores_the_values() {
    accepted match --db "$WORK/db" --engine "$perfect" --games 40 --json
    [ "$(grep -o '"beyond_value":0,' "$out" | wc -l)" -eq 2 ] || fail "expected the values"
    [ "$(grep -o '"seeds_lost":0,"seeds_lost_by_cycles":0' "$out" | wc -l)" -eq 2 ] ||
        fail "expected no loss"
}

the_rules_of_the_match_reach_the_random_engine() {
    accepted match --db "$WORK/awari" --engine "$random" --engine "$random" --games 60
    expect_output_has "fault: illegal                 "
    expect_no_message
}

the_same_seed_gives_the_same_games() {
    accepted match --db "$WORK/db" --engine "$random" --games 6 --seed 7 --ogn "$WORK/a.ogn"
    accepted match --db "$WORK/db" --engine "$random" --games 6 --seed 7 --ogn "$WORK/b.ogn"
    same_file "$WORK/a.ogn" "$WORK/b.ogn"
    accepted match --db "$WORK/db" --engine "$random" --games 6 --seed 8 --ogn "$WORK/b.ogn"
    ! cmp -s "$WORK/a.ogn" "$WORK/b.ogn" || fail "another seed gives other games"
}

games_start_from_the_positions_of_a_file_with_sides_changed() {
    printf '# two\n\n1 0 1 0 0 0 / 1 0 0 0 0 0\n0-0-0-3-2-0-1-0-0-0-0-1-20-21-N\n' >"$WORK/start"
    accepted match --db "$WORK/db" --engine "$random" --games 4 --start "$WORK/start" \
        --ogn "$WORK/start.ogn"
    [ "$(grep -c '1-0-1-0-0-0-1-0-0-0-0-0-23-22-S' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected the first position twice"
    [ "$(grep -c '0-0-0-3-2-0-1-0-0-0-0-1-20-21-N' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected the second position twice"
    [ "$(grep -c '^\[South "perfect play"\]' "$WORK/start.ogn")" -eq 2 ] ||
        fail "expected each side to be South twice"
}

# ---- Engines that fail ----

an_engine_that_hangs_runs_out_of_time() {
    _engine hangs 'sleep 600'
    _fails hangs time-out "no move in time"
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

an_engine_that_closes_its_output_is_gone() {
    _engine closes 'exec >&-; sleep 600'
    _fails closes crash "gone before its move"
}

an_engine_that_closes_its_input_is_gone_or_late() {
    _engine deaf 'exec <&-; sleep 600'
    run match --db "$WORK/db" --engine "$WORK/deaf" --games 2 --json "${short[@]}"
    expect_code 1
    expect_output_has '"forfeited":2'
}

illegal_moves_lose_the_game() {
    _engine illegal 'echo "bestmove A"; echo "bestmove a"'
    printf '0 0 0 0 1 0 / 1 0 0 0 0 0\n' >"$WORK/one"
    run match --db "$WORK/db" --engine "$WORK/illegal" --games 1 --start "$WORK/one" \
        --engine "$random" "${short[@]}"
    expect_code 1
    expect_message "illegal: bestmove A"
}

garbage_instead_of_a_move_loses_the_game() {
    _engine garbage 'printf "bestmove \\001\\377 what\\n"'
    _fails garbage nonsense "bestmove"
    ! LC_ALL=C grep -q "$(printf '\001')" "$err" || fail "control characters reach the terminal"
}

garbage_before_a_move_is_passed_over() {
    _engine noisy 'head -c 20000 /dev/urandom; head -c 9000 /dev/zero; echo; echo "bestmove 0000"'
    _fails noisy "gave up" "while the game goes on"
    grep -q '"lines_not_understood":[1-9]' "$out" || fail "expected lines not understood"
}

an_engine_that_never_says_uciok_is_given_up_after_three_times() {
    _engine mute ':' ':'
    run match --db "$WORK/db" --engine "$WORK/mute" --games 5 --json --start-time 200
    expect_code 1
    expect_message "no uciok in time"
    expect_message "not started any more"
    expect_output_has '"starts":3'
    expect_output_has '"forfeited":5'
}

an_engine_that_writes_without_end_runs_out_of_time() {
    _engine endless 'exec cat /dev/zero'
    _fails endless time-out "no move in time"
    _engine lines 'exec yes info'
    _fails lines time-out "no move in time"
}

an_engine_that_is_late_once_does_not_answer_the_wrong_question() {
    _engine late 'sleep 1; echo "bestmove A"; echo "bestmove a"'
    _fails late time-out "no move in time"
    expect_output_has '"starts":4'
}

an_engine_that_cannot_be_run_is_reported() {
    run match --db "$WORK/db" --engine "$WORK/nowhere" --games 2
    expect_code 1
    expect_message "No such file or directory"
}

nothing_that_an_engine_started_is_left() {
    _engine parent 'sleep 4321 & sleep 600'
    _fails parent time-out "no move in time"
    ! pgrep -f "^sleep 4321" >/dev/null || fail "a process was left"
}

# ---- The command line ----

commands_are_split_without_a_shell() {
    _engine "with blank" 'echo "bestmove \$(touch '"$WORK"'/shell)"'
    run match --db "$WORK/db" --games 1 "${short[@]}" \
        --engine "'$WORK/with blank' ; touch $WORK/shell" --engine "$random"
    expect_code 1
    [ ! -e "$WORK/shell" ] || fail "a shell has run"
}

bad_usage_is_refused() {
    refused 2 "--engine" match --db "$WORK/db"
    refused 2 "third time" match --db "$WORK/db" --engine a --engine b --engine c
    refused 2 "contradict" match --db "$WORK/db" --engine a --start x --from-seeds 3
    refused 2 "does not end" match --db "$WORK/db" --engine "'a"
    refused 2 "is empty" match --db "$WORK/db" --engine "  "
    refused 2 "--games" match --db "$WORK/db" --engine a --games 0
    refused 1 "goes up to $seeds" match --db "$WORK/db" --engine a --from-seeds 9
    refused 4 "cannot open" match --db "$WORK/db" --engine a --start "$WORK/none"
    printf '0 0 0 0 0 0 / 0 0 0 0 0 1\n' >"$WORK/over"
    refused 2 "line 1: nobody can move" match --db "$WORK/db" --engine a --start "$WORK/over"
    printf '\n1 2 3\n' >"$WORK/bad"
    refused 2 "line 2: column" match --db "$WORK/db" --engine a --start "$WORK/bad"
}

ctrl_c_ends_the_match_with_a_report() {
    _engine slow 'sleep 0.2; echo "bestmove 0000"'
    out=$WORK/out err=$WORK/err
    "$WARI" match --db "$WORK/db" --engine "$WORK/slow" --games 1000 --ogn "$WORK/cut.ogn" \
        >"$out" 2>"$err" &
    local match=$!
    for _ in $(seq 100); do
        grep -q "game 2" "$err" && break
        sleep 0.1
    done
    kill -INT $match
    wait $match
    code=$?
    expect_code 130
    expect_message "interrupted after"
    expect_output_has "fault: gave up"
    [ -s "$WORK/cut.ogn" ] || fail "expected the games so far"
    ! pgrep -f "$WORK/slow" >/dev/null || fail "an engine was left"
}

run_tests
