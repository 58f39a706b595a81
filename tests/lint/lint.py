#!/usr/bin/env python3
"""Checks how the sources depend on each other, by reading them and their object files.

    tests/lint/lint.py OBJECTS      run from the top folder; OBJECTS is a folder such as build/gcc/obj

Prints each place where a rule is broken, and fails if there is one. arrows.txt lists what each folder
may include, public.txt the headers whose functions are defined in several folders, and exceptions.txt
the places that break a rule on purpose."""

import os
import re
import sys
from collections import defaultdict, deque

from tree import PROGRAM, Tree, folder, unit

HERE = os.path.dirname(os.path.abspath(__file__))

RULES = {
    "arrow": "includes follow tests/lint/arrows.txt",
    "circle": "no files need each other in a circle",
    "twice": "a name that begins with wari_ stands for one thing",
    "value": "an enumerator has one value in the whole program",
    "version": "every stated version is that of db/wari.h",
    "exception": "every exception is needed",
}

# Files that state the version, beside db/wari.h.
VERSIONS = {
    "CITATION.cff": r"^version: (.*)",
    "packaging/debian/changelog": r"\Awari \(([\d.]+)",
    "bindings/js/package.json": r'^  "version": "(.*)"',
    "bindings/python/wari/__init__.py": r'^__version__ = "(.*)"',
}


def table(name):
    """Returns the lines of a table as lists of words, without comments."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        lines = [line.split("#")[0].split() for line in file]
    return [words for words in lines if words]


class Findings:
    """The places where rules are broken, except files and folders that exceptions.txt allows."""

    def __init__(self):
        self.found = []
        self.allowed = {tuple(words[:2]) for words in table("exceptions.txt")}
        self.used = set()

    def add(self, rule, places, text):
        """`places` are the files, or "file:name", where the rule is broken."""
        entries = {(rule, name) for place in places for name in (place, folder(place))}
        if all({(rule, place), (rule, folder(place))} & self.allowed for place in places):
            self.used |= entries & self.allowed
        else:
            self.found.append((rule, text))

    def report(self):
        for rule, place in self.allowed - self.used:
            self.found.append(("exception", f"{rule} {place}: nothing there breaks the rule any more"))
        for rule, what in RULES.items():
            texts = sorted({text for name, text in self.found if name == rule})
            if texts:
                print(f"lint: {what}:")
                print("".join(f"    {text}\n" for text in texts), end="")
        return not self.found


# ---- Arrows ------------------------------------------------------------------------------------


def below(name, folders):
    """Returns the folders that "FOLDER" or "FOLDER/..." stands for."""
    if not name.endswith("/..."):
        return {name}
    top = name[:-4]
    return {one for one in folders if one == top or one.startswith(top + "/")}


def reach(folders):
    """Returns a dictionary: folder -> all folders that it may include."""
    direct = {}
    for words in table("arrows.txt"):
        for one in below(words[0], folders):
            direct[one] = set().union(*(below(name, folders) for name in words[1:]))
    allowed = {}
    for one in direct:
        allowed[one], todo = {one}, [one]
        while todo:
            for other in direct.get(todo.pop(), ()):
                if other not in allowed[one]:
                    allowed[one].add(other)
                    todo.append(other)
    return allowed


def check_arrows(tree, findings):
    folders = {folder(path) for path in tree.sources}
    allowed = reach(folders)
    public = {words[0] for words in table("public.txt")}
    spoken = set()  # names of public headers: for those only the #include counts
    for path, source in tree.sources.items():
        if path in public:
            spoken.update(source.declared())
    for one in sorted(folders):
        if one not in allowed:
            findings.add("arrow", [one + "/"], f"{one}/ has no line in tests/lint/arrows.txt")
        for other in allowed.get(one, ()):
            if other != one and one in allowed.get(other, ()):
                findings.add("arrow", [one + "/"], f"{one} and {other} may include each other")
    for user, other, why, name in tree.arrows():
        if name not in spoken and folder(other) not in allowed.get(folder(user), {folder(user)}):
            findings.add("arrow", [user], why)


# ---- Circles -----------------------------------------------------------------------------------


def shortest_circle(graph):
    """The shortest list of files of which each needs the next one and the last the first; [] if there
    is none."""
    best = []
    for start in sorted(graph):
        before, todo = {start: None}, deque([start])
        while todo:
            node = todo.popleft()
            if start in graph[node]:
                way = [node]
                while before[way[-1]] is not None:
                    way.append(before[way[-1]])
                if not best or len(way) < len(best):
                    best = way[::-1]
                break
            for other in sorted(graph[node]):
                if other in graph and other not in before:
                    before[other] = node
                    todo.append(other)
    return best


def check_circles(tree, findings):
    """Headers must not include each other in a circle, nor .c files call each other in one. Reports the
    shortest circle, removes its files, and looks again."""
    graph = defaultdict(dict)
    for user, other, why, _ in tree.arrows():
        graph[user].setdefault(other, why)
    while way := shortest_circle(graph):
        text = ", ".join(graph[way[i]][way[(i + 1) % len(way)]] for i in range(len(way)))
        findings.add("circle", way, text)
        for node in way:
            del graph[node]


# ---- Names -------------------------------------------------------------------------------------


def check_names(tree, findings):
    places = defaultdict(list)
    for path, source in tree.sources.items():
        for kind, tag in source.tags():
            places[f"{kind} {tag}"].append(path)
        for name in source.functions():
            places[name + "()"].append(path)
    for name, paths in places.items():
        if len(paths) > 1 and name.split()[-1].startswith("wari_"):
            paths.sort(key=lambda path: path.split("/")[0] not in PROGRAM)
            findings.add("twice", paths[1:], f"{name}: {', '.join(paths)}")


def check_enumerators(tree, findings):
    values = defaultdict(dict)
    for path, source in tree.sources.items():
        if path.split("/")[0] in PROGRAM:
            for name, value in source.enumerators():
                values[name].setdefault(value, path)
    for name, found in values.items():
        if len(found) > 1:
            text = ", ".join(f"{value} in {path}" for value, path in found.items())
            findings.add("value", list(found.values()), f"{name}: {text}")


def check_versions(_, findings):
    def stated(path, pattern):
        with open(path, encoding="utf-8") as file:
            return next(iter(re.findall(pattern, file.read(), re.M)), None)

    version = stated("db/wari.h", r'^#define WARI_VERSION "(.*?)"')
    for path, pattern in VERSIONS.items():
        found = stated(path, pattern)
        if found != version:
            findings.add("version", [path], f"{path}: {found}, not {version}")


def main():
    tree = Tree(sys.argv[1])
    findings = Findings()
    for check in (check_arrows, check_circles, check_names, check_enumerators, check_versions):
        check(tree, findings)
    if not findings.report():
        sys.exit(1)


if __name__ == "__main__":
    main()
