#!/usr/bin/env python3
"""Shows how often each value occurs in a level.

    histogram.py FOLDER [SEEDS [PICTURE]]

FOLDER has a database (`wari build --db FOLDER --seeds 20`). Prints the counts with bars on a logarithmic scale, or
with PICTURE (such as histogram.png) plots them with matplotlib.
"""
import math
import sys

import wari


def text(counts):
    for value, count in sorted(counts.items()):
        print(f"{value:4} {count:12,} {'#' * round(5 * math.log10(count))}".rstrip())


def plot(counts, title, picture):
    from matplotlib import pyplot

    pyplot.bar(list(counts), list(counts.values()), log=True)
    pyplot.title(title)
    pyplot.xlabel("value for the mover, seeds")
    pyplot.ylabel("positions")
    pyplot.savefig(picture)


def main(folder, seeds=None, picture=None):
    with wari.Database(folder) as database:
        seeds = int(seeds or database.seeds_max)
        counts = database.histogram(seeds)
        title = f"{sum(counts.values()):,} positions of {seeds} seeds, {database.rules} {database.cycle}"
    if picture:
        plot(counts, title, picture)
    else:
        print(title)
        text(counts)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (wari.Error, ImportError) as problem:
        sys.exit(str(problem))
