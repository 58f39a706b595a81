#!/usr/bin/env python3
"""Finds the tests that a change can break, for `make test-changed`.

    tests/changed.py BUILD_FOLDER COMMIT

Prints a line for the files that differ from COMMIT, one with the groups of unit tests to run, and one with
the scripts of tests/cli. It needs a build in BUILD_FOLDER that has the change in it.

 - An object is changed if the compiler read a changed file for it: that is in the object's .d file.
 - A group of unit tests, or a command of the program, is affected if the linker needs a changed object for
   it: directly, or for a symbol of another object that it needs.
 - A script is affected if it runs an affected command, if it or a file that it sources is changed, or if it
   names a changed file or a folder above that."""
import collections
import pathlib
import re
import subprocess
import sys

# Scripts about the texts of all documents and sources.
TEXTS = {".md": ["documents", "readme", "manual"], ".sh": ["lint"], ".py": ["lint"], ".in": ["install"]}


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def changed_files(commit):
    return set(lines_of("git", "diff", "--name-only", commit)) | set(
        lines_of("git", "ls-files", "--others", "--exclude-standard"))


def changed_objects(objects, changed):
    found = set()
    for needs in objects.rglob("*.d"):
        read = needs.read_text().replace("\\\n", " ").split("\n")[0].partition(":")[2].split()
        # An object of a source that is gone stays in the folder; nothing links it.
        if changed.intersection(read):
            found.add(str(needs.with_suffix(".o")))
    return found


def symbols(objects):
    """Symbol -> object that defines it; object -> symbols that it needs."""
    defines, needs = {}, collections.defaultdict(set)
    files = [str(file) for file in objects.rglob("*.o") if (file.relative_to(objects).with_suffix(".c")).exists()]
    for line in lines_of("nm", "-A", "-g", "--format=posix", *files):
        file, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind == "U":
            needs[file].add(name)
        else:
            defines.setdefault(name, file)
    return defines, needs


def linked(first, defines, needs):
    """Returns all objects that the linker needs for one object."""
    seen, left = set(), [first]
    while left:
        file = left.pop()
        if file not in seen:
            seen.add(file)
            left += [defines[name] for name in needs[file] if name in defines]
    return seen


def plain_text(script):
    """Returns the text of a script and of all files that it sources, without comments."""
    text = script.read_text()
    for name in re.findall(r"^\. (tests/cli/\w+\.sh)", text, re.MULTILINE):
        if not name.endswith("/lib.sh"):
            text += pathlib.Path(name).read_text()
    return re.sub(r"(^|\s)#.*", "", text)


def runs(text, command):
    """Returns true if a text runs a command: its name is a separate word, and not within a quoted sentence."""
    words = re.sub(r'"[^"\n]* [^"\n]*"', lambda quoted: quoted[0].split(" ")[0], text)
    return re.search(rf'(?<![\w./-]){re.escape(command)}(?![\w./=-])', words) is not None


def affected_scripts(changed, commands):
    for script in sorted(pathlib.Path("tests/cli").glob("*.sh")):
        text = plain_text(script)
        if not re.search(r"^run_tests$|^(not )?ok|echo .*ok -", text, re.MULTILINE):
            continue  # a file that others source
        sourced = re.findall(r"^\. (tests/cli/\w+\.sh)", script.read_text(), re.MULTILINE)
        named = {name for file in changed for name in [file, *map(str, pathlib.PurePath(file).parents)]
                 if "/" in name and len(name) > 5}
        if (changed.intersection([str(script), *sourced]) or any(runs(text, command) for command in commands)
                or any(name in text for name in named)
                or any(script.stem in TEXTS.get(pathlib.PurePath(file).suffix, []) for file in changed)):
            yield script.stem


def affected_units(objects, broken, graph):
    """Object file of a group that needs a changed object -> how many objects it needs."""
    for file in sorted((objects / "tests/unit").rglob("test_*.o")):
        if str(file) in graph[1]:
            needed = linked(str(file), *graph)
            if not broken.isdisjoint(needed):
                yield file, len(needed)


def affected_commands(objects, broken, graph):
    def is_affected(first):
        return not broken.isdisjoint(linked(first, *graph))

    commands = [name.removeprefix("command_").replace("_", "-") for name, file in graph[0].items()
                if name.startswith("command_") and is_affected(file)]
    ranks = [file for file in (objects / "tools/mpi").glob("main.o") if is_affected(str(file))]
    return commands + ["$WARI_MPI"] * len(ranks)


def main():
    objects, changed = pathlib.Path(sys.argv[1]) / "obj", changed_files(sys.argv[2])
    print(*sorted(changed))
    graph, broken = symbols(objects), changed_objects(objects, changed)
    print(*sorted(file.stem for file, _ in affected_units(objects, broken, graph)))
    print(*affected_scripts(changed, affected_commands(objects, broken, graph)))


if __name__ == "__main__":
    main()
