#!/usr/bin/env python3
"""How late `go movetime` is answered, as an interface sees it: the engine plays itself from random
openings to the end, with one thread and with one for each processor; then with tables that are
opened anew before each move, from files that are not in memory. Figures, never a pass or a fail.

    tests/bench/times.py PROGRAM [MOVES [MILLISECONDS [SEEDS or FOLDER]]]

MOVES (100) of each of these four kinds, of MILLISECONDS (200), above tables of SEEDS (20) seeds, or
of a folder of the rules `tournament`. Moves inside the tables are in lines of their own. A move that
is there more than 10 ms early (decided, the only one, or read from tables) is in time, and has no
part in the distribution."""

import os
import subprocess
import sys
import tempfile
import time

LATE = 10  # milliseconds; so much ahead is early
OPENING = 4  # moves at random
SHARES = (0.5, 0.99, 0.999, 1)


class Engine:
    def __init__(self, *words):
        self.process = subprocess.Popen([*words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("isready", "readyok")

    def say(self, text):
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()

    def ask(self, text, word):
        """What is said up to the line with this word, and how many seconds that took."""
        before = time.monotonic()
        self.say(text)
        lines = []
        for line in self.process.stdout:
            lines.append(line.decode())
            if line.startswith(word.encode()):
                return lines, time.monotonic() - before
        sys.exit("times: the engine is gone")

    def move(self, played, go="go"):
        self.say("position startpos moves " + played if played else "position startpos")
        lines, seconds = self.ask(go, "bestmove")
        letter = lines[-1].split()[1]
        return letter if letter != "0000" else None, any(": the exact" in line for line in lines), seconds

    def end(self):
        self.say("quit")
        self.process.wait()


def forget(folder):
    """The files of a folder are to be read from the disk again."""
    for name in os.listdir(folder):
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def measure(program, folder, threads, cold, moves, milliseconds):
    """Milliseconds behind time, above the tables and inside."""
    place = ("--rules", "tournament", "--db", folder)
    engine = Engine(program, "engine", *place, "--hash", "64", "--threads", str(threads))
    chance = Engine(program, "engine", "--random", "--rules", "tournament")
    late, game = ([], []), ""
    while len(late[0]) + len(late[1]) < moves:
        if cold:
            forget(folder)
            engine.say("setoption name DatabasePath value " + folder)
        engine.ask("isready", "readyok")
        if len(game) < OPENING:
            letter = chance.move(game)[0]
        else:
            letter, inside, seconds = engine.move(game, f"go movetime {milliseconds}")
            if letter:
                late[inside].append(1000 * seconds - milliseconds)
        game = game + letter if letter and len(game) < 200 else ""
    engine.end()
    chance.end()
    return late


def show(name, late):
    if not late:
        return
    timed = sorted(each for each in late if each >= -LATE)
    places = [timed[min(len(timed) - 1, int(share * len(timed)))] for share in SHARES if timed]
    over = sum(each > LATE for each in timed)
    print(f"  {name:26}{len(late):6}{len(late) - len(timed):8}{over:8}"
          + "".join(f"{each:10.1f}" for each in places), flush=True)


def main():
    program = os.path.realpath(sys.argv[1])
    moves, milliseconds = (int(word) for word in (sys.argv[2:4] + ["100", "200"][len(sys.argv) - 2 :])[:2])
    tables = sys.argv[4] if len(sys.argv) > 4 else "20"
    with tempfile.TemporaryDirectory(prefix="wari-times-") as made:
        folder = tables
        if tables.isdigit():
            folder = made
            subprocess.run([program, "build", "--db", made, "--rules", "tournament", "--seeds", tables],
                           stderr=subprocess.DEVNULL, check=True)
        print(f"\ngo movetime {milliseconds}: milliseconds behind time, and moves more than {LATE} behind\n"
              f"  {'':26}{'moves':>6}{'early':>8}{'late':>8}{'half':>10}{'99 %':>10}{'99.9 %':>10}{'longest':>10}")
        every = []
        for cold in (False, True):
            for threads in sorted({1, os.cpu_count()}):
                late = measure(program, folder, threads, cold, moves, milliseconds)
                kind = f"{threads} thread{'s' if threads > 1 else ''}{', cold files' if cold else ''}"
                every += late[False] + late[True]
                for inside in (False, True):
                    show(("tables" if inside else "search") + ", " + kind, late[inside])
        show("all", every)


if __name__ == "__main__":
    main()
