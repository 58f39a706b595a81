#!/usr/bin/env bash
# `POST /api/game`: the answer for a pasted game is that of `wari judge`, or the reason for a
# refusal.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$(_tables) || exit 1
_begin_client
_start --db "$all" || exit 1
trap _end_server EXIT

readonly ones='1-1-1-1-1-1-1-1-1-1-1-1-18-18-S'

# Sends a text.
_game() { # TEXT [ARGUMENTS]
    printf '%b' "$1" >"$WORK/game"
    _post "/api/game?${2-rules=awari}" text/plain "$WORK/game"
}

_refused() { # TEXT REASON [ARGUMENTS]
    _game "$1" "${3-rules=awari}"
    expect_code 400
    expect_output_has "$2"
}

# The values of the six moves are published: A..F are worth -1 -8 -2 -2 -2 0.
a_game_is_judged_move_by_move() {
    _game '[Event "x [y"]\n[FEN "'$ones'"]\n1. B! {a (comment} (F (f) {)} e) ; more\n $2 f? 20-28\n'
    expect_code 200
    expect_output_has '"plies":[{"move":"B","position":"'$ones'","captured":0,"value":0,"played":-8,"cost":8,"best":["F"]},'
    expect_output_has '{"move":"f","position":"1-0-2-1-1-1-1-1-1-1-1-1-18-18-N"'
    # Above the database there are no values.
    _game 'Cf'
    expect_output_has '"plies":[{"move":"C","position":"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S","captured":0},{"move":"f",'
    expect_output_has '"score":null,"repetition":null,"remarks":[]}'
}

# Fixed bugs: each of these was answered as a game from the start position, or as one with other moves.
the_game_that_was_sent_is_the_one_that_is_judged() {
    local fen
    for fen in '[FEN  "' '[FEN\t"' '[ FEN "' '[FEN "'; do
        _game "$fen$ones\"]\n1. B *"
        expect_code 200
        expect_output_has '"position":"'$ones'","captured":0,"value":0,"played":-8,"cost":8,"best":["F"]'
    done
    _game '[fen "'$ones'"]\n1. B *'
    expect_output_has '"plies":[{"move":"B","position":"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"'
    expect_output_has '"remarks":["line 1 column 2: unknown tag fen"]'
    _game '[Event "Final [A]"]\n[FEN "'$ones'"]\nB *'
    expect_code 200
    _refused '[Variant "Oware Abapa"]\n[Cycle "own"]\nF *' "the rules of this game are not available here; available: awari even"
    _refused 'B\n[FEN "'$ones'"]\n' "line 2 column 1"
    _refused '[Event "1"]\n[FEN "'$ones'"]\nB\n\n[FEN "'$ones'"]\n' "a second game starts at line 5; send one at a time"
    _refused "$ones"' B\n'"$ones"' F\n' "a second game starts at line 2"
    _refused '[FEN "'$ones'"]\nB f 25-23 A' "the game continues after its result"
    _refused '[FEN "'$ones'"]\nF+17 f' "move 1 captures 2 under the rules awari, not 17"
}

games_that_cannot_be_are_refused_with_the_place() {
    _refused "A A" "line 1 column 3: move 2: 'A' is not a move of North"
    _refused "A a B C" "line 1 column 7: move 4: 'C' is not a move of North"
    _refused "A a A" "move 3: A cannot be played: it is empty"
    _refused '[Event "x"]\nA\n x' "line 3 column 2: "
    _refused '[Event "x"]\nA {' "line 2 column 3: the } that ends this comment is missing"
    _refused "" "no body"
    _refused " \n# nothing\n" "there is no game in this text"
    _refused '[FEN "1-1"] A' "line 1 column 10: "
    _refused 'A\0B' "line 1 column 2: a move, a comment or a result is expected, but here is the byte 0x00"
    printf '["A"]' >"$WORK/game"
    _post "/api/game?rules=awari" application/json "$WORK/game"
    expect_code 415
}

tags_choose_the_database() {
    local game='[Variant "Warri"]\n[FEN "0-0-0-0-2-1-2-0-0-0-0-0-22-21-S"]\n\n1. F+3 E *\n'
    _game "$game" ""
    expect_code 200
    expect_output_has '{"rules":"warri","cycle":"even",'
    _refused "F" "available: awari even, abapa own, warri even; choose with rules and cycle" ""
    _refused '[Variant "Oware Nam-nam"]\nF *' 'no rule set is called \"Oware Nam-nam\"; available: awari even, abapa own, warri even; choose' ""
    # Rules in the request take precedence over the record.
    _game '[Variant "Oware Nam-nam"]\nF *'
    expect_code 200
    expect_output_has '"remarks":["line 1 column 11: no rule set is called \"Oware Nam-nam\"; this game is read under awari even"]'
    _game "F" "rules=ware"
    expect_code 404
    _game "F" "rules=frisian"
    expect_code 400
}

# The remark quotes 40 bytes, which end inside a letter of two bytes.
a_remark_may_quote_a_part_of_a_character() {
    _game '[Result "Победа южной стороны по очкам"]\nC *'
    expect_code 200
    expect_output_has $'"remarks":["line 1 column 10: \\"Победа южной стороны \xef\xbf\xbd\\" is not a score such as 25-23'
}

# The cost of the repetition is that of tests/cli/judge.sh, found by the reference solver.
giving_up_a_surplus_by_repetition_is_reported() {
    _game '0-0-0-0-0-1-0-1-0-0-0-1-23-22-S FfAbBcCaDdEeFfAbBcCdDaEe' rules=tournament
    expect_code 200
    expect_output_has '"score":[24,24],"repetition":{"times":3,"after_move":0,"pays":-1,"value":-3,"loser":"North","cost":2}'
}

# Compares the judge's output and messages for each record with the server's answers, and prints
# where they differ. FOLDER has the files judged, said, NUMBER.answer and NUMBER.code; NUMBER is a
# line number of the list `names`.
_compare() { # FOLDER
    python3 -I -S - "$@" <<'END'
import json, re, sys
folder = sys.argv[1]
names = open(f"{folder}/names").read().splitlines()
judged = [game for game in map(json.loads, open(f"{folder}/judged")) if "game" in game]
messages = open(f"{folder}/said", errors="replace").read().split("\n")

def compare(number, name):
    games = [game for game in judged if game["file"] == name]
    said, lost = [], []
    for line in messages:
        place = re.fullmatch(rf"wari judge: {re.escape(name)}:(\d+):(\d+): (.*)", line)
        text = place and f"line {place[1]} column {place[2]}: {place[3]}".replace("--", "")
        if text and text.endswith("; this game is skipped"):
            lost.append(text[: text.rindex(";")])
        elif text:
            said.append(text)
    code, got = open(f"{folder}/{number}.code").read().strip(), json.load(open(f"{folder}/{number}.answer"))
    if len(games) == 1 and not lost:
        expected = {key: games[0][key] for key in ("rules", "cycle", "score", "repetition")}
        expected["remarks"] = said[:20]
        expected["plies"] = [{"cost" if key == "loss" else key: value for key, value in move.items()
                              if key not in ("times", "covered", "score")} for move in games[0]["moves"]]
        for ply in got.get("plies", []):
            del ply["position"]
        got.pop("end", None)
        fits = code == "200" and got == expected
    else:
        expected = lost or (f"a second game starts at line {games[1]['line']}" if games else "no ")
        reason = got.get("error", "")
        fits = code == "400" and (reason == lost[0].encode("ascii", "replace").decode() if lost else expected in reason)
    if not fits:
        print(f"{name}: expected {expected}\nnot {code} {got}")

for number, name in enumerate(names, 1):
    compare(number, name)
END
}

# All records of tests and documents; those of the fuzzers both complete and without the byte for
# the rules.
each_record_gets_the_answer_of_the_judge() {
    local file rules here number files choices=("" awari tournament)
    ! is_small || choices=(awari)
    mkdir "$WORK/plain"
    for file in tests/fuzz/corpus/record/*; do
        tail -c +2 "$file" >"$WORK/plain/${file##*/}"
    done
    files=(data/games/*.ogn tests/fuzz/corpus/record/* "$WORK"/plain/*)
    [ "${#files[@]}" -ge 41 ] || fail "expected more than ${#files[@]} records"
    for rules in "${choices[@]}"; do
        here=$WORK/records$rules number=0
        mkdir "$here"
        printf '%s\n' "${files[@]}" >"$here/names"
        "$WARI" judge --db "$all" ${rules:+--rules $rules} --json "${files[@]}" >"$here/judged" 2>"$here/said" </dev/null
        for file in "${files[@]}"; do
            number=$((number + 1))
            _post "/api/game${rules:+?rules=$rules}" text/plain "$file"
            mv "$out" "$here/$number.answer"
            echo "$code" >"$here/$number.code"
        done
        _compare "$here" >"$WORK/differs" || fail "expected to compare the records"
        [ ! -s "$WORK/differs" ] || { cat "$WORK/differs"; fail "expected the judge's answer"; }
    done
}

run_tests
