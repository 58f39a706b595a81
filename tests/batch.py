#!/usr/bin/env python3
"""Puts source files together, so that a build for tests starts the compiler once for a dozen of them.

    tests/batch.py FOLDER SOURCE...

Most of the time that a compiler needs for a small file goes into starting and into system headers. Each
file of FOLDER includes up to a dozen sources in which no name at file scope stands for two things. A file
that would not change is not written again, so that make leaves its object alone. Prints the names of the
files."""
import collections
import os
import pathlib
import re
import subprocess
import sys

AT_ONCE = 12
# These words come before a parenthesis without being names: every group of unit tests opens with TEST_GROUP(...), and
# attributes follow some types.
NO_NAMES = {"TEST_GROUP", "__attribute__"}
# Where headers are looked for, as the Makefile tells the compiler.
FOLDERS = [pathlib.Path(folder) for folder in (".", "game", "db", "db/book", "db/host")]


def included(file, seen):
    """Adds to `seen` a source and all headers of this project that it includes, directly or not."""
    if file in seen:
        return seen
    seen.add(file)
    for name in re.findall(r'^ *# *include "(.*)"', file.read_text(), re.MULTILINE):
        for folder in (file.parent, *FOLDERS):
            header = pathlib.Path(os.path.normpath(folder / name))
            if header.exists():
                included(header, seen)
                break
    return seen


def names_of(files):
    """File -> the names that it defines or declares at file scope: functions, variables, types, enumerators, macros."""
    tags = subprocess.run(["ctags", "-x", "--_xformat=%F\t%N", "--language-force=C", "--kinds-C=defgpstuvx", "-f", "-",
                           *map(str, files)], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = collections.defaultdict(set)
    for line in tags.splitlines():
        file, name = line.split("\t")
        names[pathlib.Path(file)].add(name)
    for file in files:  # ctags misses functions that follow a typedef of a function type
        names[file].update(re.findall(r"^static [\w *]*?\b(\w+)\(", file.read_text(), re.MULTILINE))
    return {file: names[file] - NO_NAMES for file in files}


def batches_of(sources):
    files = {source: included(source, set()) for source in sources}
    names = names_of(sorted(set().union(*files.values())))
    batches = []  # (sources, name -> file that defines or declares it)
    for source in sorted(sources, key=lambda source: (-len(names[source]), source)):
        # If a source defines a name that a header declares, the name belongs to the header.
        by_kind = sorted(files[source], key=lambda file: (file.suffix == ".h", file))
        mine = {name: file for file in by_kind for name in names[file]}
        for batch, taken in batches:
            if len(batch) < AT_ONCE and all(taken.get(name, file) == file for name, file in mine.items()):
                batch.append(source)
                taken.update(mine)
                break
        else:
            batches.append(([source], mine))
    return [sorted(batch) for batch, _ in batches]


def main():
    folder, sources = pathlib.Path(sys.argv[1]), [pathlib.Path(source) for source in sys.argv[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    wanted = []
    for number, batch in enumerate(batches_of(sources)):
        file = folder / f"{number}.c"
        text = "".join(f'#include "{source}"\n' for source in batch)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        wanted.append(file)
    for file in folder.glob("*.c"):
        if file not in wanted:
            file.unlink()
    print(*wanted)


main()
