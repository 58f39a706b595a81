#!/usr/bin/env python3
"""Reads and writes score files, from the description of their order alone.

The positions with N seeds whose opponent half has an empty pit, sorted by the counts of
f, e, d, c, b, a, F, E, D, C, B, A; one signed byte for each. A position is written as twelve
counts: A to F of the mover, then a to f of the opponent.

    scores.py number POSITION          the number of the position in its file
    scores.py value FOLDER POSITION    its value
    scores.py write CSV FILE           a score file, from lines "POSITION,VALUE" in any order
    scores.py holes FILE SEEDS [POSITION VALUE]...
                                       a file of zeros without disk space, apart from these values
"""
import re
import sys


def pits_of(text):
    return [int(word) for word in re.findall(r"\d+", text)]


def key_of(pits):
    return tuple(reversed(pits[6:])) + tuple(reversed(pits[:6]))


def count(pits, seeds, known={}):
    """The ways to distribute the seeds over the pits: one pit after the other."""
    if pits == 0:
        return 1 if seeds == 0 else 0
    if (pits, seeds) not in known:
        known[pits, seeds] = sum(count(pits - 1, seeds - first) for first in range(seeds + 1))
    return known[pits, seeds]


def completions(prefix, seeds, known={}):
    """The positions whose sorted counts begin with `prefix` and that have an empty opponent pit."""
    left = seeds - sum(prefix)
    if left < 0:
        return 0
    if 0 in prefix[:6]:
        return count(12 - len(prefix), left)
    if len(prefix) == 6:
        return 0
    key = (len(prefix), left)
    if key not in known:
        known[key] = sum(completions(prefix + (each,), seeds) for each in range(left + 1))
    return known[key]


def number(pits):
    key, seeds = key_of(pits), sum(pits)
    if 0 not in pits[6:]:
        sys.exit("the opponent half has no empty pit")
    return sum(completions(key[:at] + (fewer,), seeds)
               for at in range(12) for fewer in range(key[at]))


def value(folder, pits):
    with open("%s/scores.%d" % (folder, sum(pits)), "rb") as file:
        file.seek(number(pits))
        return int.from_bytes(file.read(1), "big", signed=True)


def write(csv, path):
    rows = []
    with open(csv) as lines:
        next(lines)
        for line in lines:
            position, worth = line.rsplit(",", 1)
            rows.append((key_of(pits_of(position)), int(worth) & 255))
    rows.sort()
    with open(path, "wb") as file:
        file.write(bytes(worth for _, worth in rows))


def holes(path, seeds, values):
    with open(path, "wb") as file:
        file.truncate(completions((), seeds))
        for position, worth in zip(values[::2], values[1::2]):
            file.seek(number(pits_of(position)))
            file.write(bytes([int(worth) & 255]))


if __name__ == "__main__":
    command, rest = sys.argv[1], sys.argv[2:]
    if command == "number":
        print(number(pits_of(rest[0])))
    elif command == "value":
        print(value(rest[0], pits_of(rest[1])))
    elif command == "write":
        write(*rest)
    elif command == "holes":
        holes(rest[0], int(rest[1]), rest[2:])
    else:
        sys.exit(__doc__)
