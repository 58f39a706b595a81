#!/usr/bin/env python3
"""Measures how late the engine answers `go movetime`, as a user interface sees it. The engine plays
against itself from random openings to the end of the game, with one thread and with one thread for
each processor. Then it does the same with tables that are opened again before each move and whose
files are not in the page cache. It has no pass or fail.

    tests/bench/times.py PROGRAM [MOVES [MILLISECONDS [SEEDS or FOLDER]]]

Each of these four runs has MOVES (default 100) moves of MILLISECONDS (200). The tables have SEEDS (20)
seeds, or are those of a folder with the rules `tournament`. Moves of positions inside the tables are
printed on lines of their own. A move that is answered more than 10 ms early, because it is decided,
the only one, or read from tables, counts as early and is left out of the distribution.

The last column is the longest delay in processor time: the time that all threads used, divided by their number, minus
MILLISECONDS. A move is late by the clock, but not in processor time, if the engine waited for a file, or for a processor
that other programs used."""

import os
import subprocess
import sys
import tempfile
import time

LATE = 10  # milliseconds; a move that is answered more than this before its time counts as early
OPENING = 4  # random moves at the beginning of each game
QUANTILES = (0.5, 0.99, 0.999, 1)


class Engine:
    def __init__(self, *words):
        self.process = subprocess.Popen([*words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.request("isready", "readyok")

    def send(self, text):
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()

    def request(self, text, word):
        """Sends `text`; returns the output up to the line that begins with `word`, and the seconds."""
        before = time.monotonic()
        self.send(text)
        lines = []
        for line in self.process.stdout:
            lines.append(line.decode())
            if line.startswith(word.encode()):
                return lines, time.monotonic() - before
        sys.exit("times: the engine ended")

    def move(self, played, go="go"):
        self.send("position startpos moves " + played if played else "position startpos")
        lines, seconds = self.request(go, "bestmove")
        letter = lines[-1].split()[1]
        return letter if letter != "0000" else None, any(": the exact" in line for line in lines), seconds

    def processor_seconds(self):
        """Returns the processor time that all threads of the engine have used."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # the clock of another process, see clock_getcpuclockid(3)

    def end(self):
        self.send("quit")
        self.process.wait()


def drop_from_cache(folder):
    """Drops the files of a folder from the page cache."""
    for name in os.listdir(folder):
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def measure(program, folder, threads, cold, moves, milliseconds):
    """Returns two lists, of positions above the tables and of those inside them. Each element is the delay of a move in
    milliseconds, by the clock and in processor time for each thread."""
    options = ("--rules", "tournament", "--db", folder)
    engine = Engine(program, "engine", *options, "--hash", "64", "--threads", str(threads))
    random_player = Engine(program, "engine", "--random", "--rules", "tournament")
    late, game = ([], []), ""
    while len(late[0]) + len(late[1]) < moves:
        if cold:
            drop_from_cache(folder)
            engine.send("setoption name DatabasePath value " + folder)
        engine.request("isready", "readyok")
        if len(game) < OPENING:
            letter = random_player.move(game)[0]
        else:
            before = engine.processor_seconds()
            letter, inside, seconds = engine.move(game, f"go movetime {milliseconds}")
            used = (engine.processor_seconds() - before) / threads
            if letter:
                late[inside].append((1000 * seconds - milliseconds, 1000 * used - milliseconds))
        game = game + letter if letter and len(game) < 200 else ""
    engine.end()
    random_player.end()
    return late


def show(name, late):
    if not late:
        return
    timed = sorted(clock for clock, _ in late if clock >= -LATE)
    places = [timed[min(len(timed) - 1, int(quantile * len(timed)))] for quantile in QUANTILES if timed]
    over = sum(each > LATE for each in timed)
    print(f"  {name:26}{len(late):6}{len(late) - len(timed):8}{over:8}"
          + "".join(f"{each:10.1f}" for each in places) + f"{max(processor for _, processor in late):14.1f}", flush=True)


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
        print(f"\ngo movetime {milliseconds}: delay in milliseconds, and moves more than {LATE} late\n"
              f"  {'':26}{'moves':>6}{'early':>8}{'late':>8}{'half':>10}{'99 %':>10}{'99.9 %':>10}{'longest':>10}{'in processor':>14}")
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
