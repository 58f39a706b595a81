#!/usr/bin/env python3
"""Checks the puzzles of `wari puzzles --json` against exported values. Has its own code for the rules.

    tests/support/check_puzzles.py RULES PUZZLES VALUES...

RULES is awari or abapa. PUZZLES is a file with an object in each line, VALUES are the levels that
`wari export --format csv` wrote, from level 0 on. Prints the number of puzzles, or what is wrong with the
first bad one."""

import csv
import json
import sys

LINE_MOVES = 12  # longest solution, in moves

values = {}


def legal_moves(rules, pits):
    """Returns {pit: (captured seeds, the next position)}. Pits 0 to 5 are the mover's."""
    found = {}
    for pit in range(6):
        if pits[pit] == 0:
            continue
        board = list(pits)
        board[pit] = 0
        at = pit
        for _ in range(pits[pit]):
            at = (at + 1) % 12
            if at == pit:
                at = (at + 1) % 12
            board[at] += 1
        if sum(board[6:]) == 0:
            continue  # it must give a seed to an opponent who has none
        taken = []
        while at >= 6 and board[at] in (2, 3):
            taken.append(at)
            at -= 1
        captured = sum(board[each] for each in taken)
        if captured == sum(board[6:]):  # a grand slam
            if rules == "awari":
                continue
            captured, taken = 0, []
        for each in taken:
            board[each] = 0
        found[pit] = captured, tuple(board[6:] + board[:6])
    return found


def move_values(rules, pits):
    return {pit: captured - values[following] for pit, (captured, following) in legal_moves(rules, pits).items()}


def result(lead):
    return "win" if lead > 0 else "loss" if lead < 0 else "draw"


def check_line(rules, pits, puzzle, store):
    side = 0
    for number, letter in enumerate(puzzle["line"]):
        assert number == 0 or store < 25 or puzzle["goal"] != "win", "the line goes on after the win"
        pit = ("ABCDEF", "abcdef")[side].index(letter)
        found = move_values(rules, pits)
        assert found[pit] == max(found.values()), f"{letter} is no best move of {pits}"
        captured, pits = legal_moves(rules, pits)[pit]
        store += captured if side == 0 else 0
        side = 1 - side
    ended = not legal_moves(rules, pits) or len(puzzle["line"]) == LINE_MOVES
    assert ended or (puzzle["goal"] == "win" and store >= 25) or has_repeated(rules, puzzle), "the line stops early"


def has_repeated(rules, puzzle):
    """Returns true if the line leads back to a position on it."""
    pits = tuple(int(count) for count in puzzle["position"].split("-")[:12])
    seen, side = [(0, pits)], 0
    for letter in puzzle["line"]:
        pits = legal_moves(rules, pits)["abcdef".index(letter.lower())][1]
        side = 1 - side
        seen.append((side, pits))
    return seen[-1] in seen[:-1]


def check(rules, puzzle):
    parts = puzzle["position"].split("-")
    pits, stores = tuple(map(int, parts[:12])), tuple(map(int, parts[12:14]))
    assert parts[14] == "S" and sum(pits) + sum(stores) == 48 and max(stores) < 25, "the position"
    assert sum(pits) == puzzle["seeds"]
    found = move_values(rules, pits)
    leads = {"ABCDEF"[pit]: stores[0] - stores[1] + value for pit, value in found.items()}
    meets = {"win": lambda letter: leads[letter] > 0, "draw": lambda letter: leads[letter] >= 0,
             "all": lambda letter: found["ABCDEF".index(letter)] == sum(pits)}[puzzle["goal"]]
    assert [letter for letter in leads if meets(letter)] == [puzzle["move"]], f"leads {leads}"
    assert puzzle["goal"] != "draw" or leads[puzzle["move"]] == 0, "the goal is a draw"
    assert puzzle["lead"] == leads[puzzle["move"]] == max(leads.values())
    assert list(leads.values()).count(puzzle["lead"]) == 1, "there are two best moves"
    assert {each["move"]: each["lead"] for each in puzzle["others"]} | {puzzle["move"]: puzzle["lead"]} == leads
    for other in puzzle["others"]:
        assert other["result"] == result(other["lead"])
        replies = move_values(rules, legal_moves(rules, pits)["ABCDEF".index(other["move"])][1])
        if other["reply"] is None:
            assert not replies, "there is a reply"
        else:
            assert replies["abcdef".index(other["reply"])] == max(replies.values()), f"reply to {other['move']}"
    assert puzzle["line"][0] == puzzle["move"]
    check_line(rules, pits, puzzle, stores[0])


def main():
    rules, puzzles, *levels = sys.argv[1:]
    for level in levels:
        with open(level, encoding="ascii") as file:
            for row in csv.DictReader(file):
                values[tuple(int(count) for count in row["position"].replace("/", " ").split())] = int(row["value"])
    positions = set()
    with open(puzzles, encoding="utf-8") as file:
        for line in file:
            puzzle = json.loads(line)
            try:
                check(rules, puzzle)
            except AssertionError as wrong:
                sys.exit(f"{wrong}: {line}")
            positions.add("-".join(puzzle["position"].split("-")[:12]))
    print(len(positions))


main()
