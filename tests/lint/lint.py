#!/usr/bin/env python3
"""Rules about how the sources hang together, proved by reading them and their object files.

    tests/lint/lint.py OBJECTS      from the top folder; OBJECTS: such as build/gcc/obj

Prints each place where a rule is broken, and fails then. arrows.txt says what may include what;
exceptions.txt, what breaks a rule on purpose."""

import os
import re
import sys
from collections import defaultdict, deque

from tree import LANGUAGES, PROGRAM, Tree, folder, unit

HERE = os.path.dirname(os.path.abspath(__file__))
LINES, PARAMETERS, FIELDS, SOURCES, LONG_FUNCTIONS, FILE_LINES = 40, 6, 15, 15, 10, 600

RULES = {
    "arrow": "includes follow tests/lint/arrows.txt",
    "circle": "no files need each other in a circle",
    "header": "a header declares what a .c file of its name, or of a family named after it, defines",
    "twice": "a name that begins with wari_ stands for one thing",
    "lines": f"functions have at most {LINES} lines between their braces",
    "parameters": f"functions have at most {PARAMETERS} parameters",
    "fields": f"structs have at most {FIELDS} fields",
    "long": f"no file has more than {FILE_LINES} lines",
    "readme": "each folder has a README.md",
    "sources": f"no folder holds more than {SOURCES} sources",
    "version": "what states a version has that of db/wari.h",
    "exception": "exceptions are needed, and few",
}

# Where the version stands. Java asks the library, the rest is made from db/wari.h.
VERSIONS = {
    "CITATION.cff": r"^version: (.*)",
    "debian/changelog": r"\Awari \(([\d.]+)",
    "js/package.json": r'^  "version": "(.*)"',
    "python/wari/__init__.py": r'^__version__ = "(.*)"',
}


def table(name):
    """The lines of a table as lists of words, without remarks."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        lines = [line.split("#")[0].split() for line in file]
    return [words for words in lines if words]


class Findings:
    """What is broken, less what is allowed to be: by place, or by the folder of all its files."""

    def __init__(self):
        self.found = []
        self.allowed = {tuple(words[:2]) for words in table("exceptions.txt")}
        self.used = set()

    def add(self, rule, places, text):
        """`places`: the files that it takes to mend it, or "file:name"."""
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
    """The folders that "FOLDER" or "FOLDER/..." means."""
    if not name.endswith("/..."):
        return {name}
    top = name[:-4]
    return {one for one in folders if one == top or one.startswith(top + "/")}


def reach(folders):
    """folder -> all folders that it may include."""
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
    public = {place for rule, place in findings.allowed if rule == "header"}
    spoken = set()  # names that headers for others declare: there the #include tells
    for path, source in tree.sources.items():
        if path in public or folder(path) in public:
            spoken.update(source.declared())
    for one in sorted(folders):
        if one not in allowed:
            findings.add("arrow", [one + "/"], f"{one}/ has no line in tests/lint/arrows.txt")
        for other in allowed.get(one, ()):
            if other != one and one in allowed.get(other, ()):
                findings.add("arrow", [one + "/"], f"{one} and {other} may include each other")
    for user, other, why, name in tree.arrows():
        if name not in spoken and folder(other) not in allowed.get(folder(user), {folder(user)}):
            findings.add("arrow", [user + ".c"], why)


# ---- Circles -----------------------------------------------------------------------------------


def components(graph):
    """Sets of nodes that reach each other (Tarjan, without recursion)."""
    order, low, stack, on, found = {}, {}, [], set(), []
    for root in graph:
        if root in order:
            continue
        work = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(graph.get(other, ()))))
                    break
                if other in on:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    found.append(set(stack[at:]))
                    on -= found[-1]
                    del stack[at:]
    return [one for one in found if len(one) > 1]


def shortest_circle(graph, nodes):
    best = None
    for start in sorted(nodes):
        before, todo = {start: None}, deque([start])
        while todo:
            node = todo.popleft()
            if start in graph[node]:
                way = [node]
                while before[way[-1]] is not None:
                    way.append(before[way[-1]])
                if best is None or len(way) < len(best):
                    best = way[::-1]
                break
            for other in sorted(graph[node]):
                if other in nodes and other not in before:
                    before[other] = node
                    todo.append(other)
    return best


def check_circles(tree, findings):
    graph = defaultdict(dict)
    for user, other, why, _ in tree.arrows():
        graph[user].setdefault(other, why)
    for nodes in components(dict(graph)):
        way = shortest_circle(graph, nodes)
        text = ", ".join(graph[way[i]][way[(i + 1) % len(way)]] for i in range(len(way)))
        more = f" (one of the circles that {len(nodes)} files make)" if len(nodes) > len(way) else ""
        findings.add("circle", [node + ".c" for node in nodes], text + more)


# ---- Names -------------------------------------------------------------------------------------


def check_headers(tree, findings):
    for path, source in tree.sources.items():
        for name in source.declared() if path.endswith(".h") else ():
            units = tree.defines.get(name, [])
            if units and not any(one == unit(path) or one.startswith(unit(path) + "_") for one in units):
                findings.add("header", [path], f"{path}: {name} is defined in {units[0]}.c")


def check_names(tree, findings):
    places = defaultdict(list)
    for path, source in tree.sources.items():
        for kind, tag in source.tags():
            places[f"{kind} {tag}"].append(path)
        for name, _, _ in source.functions():
            places[name + "()"].append(path)
    for name, paths in places.items():
        if len(paths) > 1 and name.split()[-1].startswith("wari_"):
            findings.add("twice", paths[1:], f"{name}: {', '.join(paths)}")


# ---- Sizes -------------------------------------------------------------------------------------


def check_sizes(tree, findings):
    for path, source in tree.sources.items():
        for name, parameters, lines in source.functions():
            place = f"{path}:{name}"
            if lines > LINES:
                findings.add("lines", [place], f"{place}: {lines}")
            if parameters > PARAMETERS:
                findings.add("parameters", [place], f"{place}: {parameters}")
        for tag, fields in source.structs():
            if fields > FIELDS:
                findings.add("fields", [f"{path}:{tag}"], f"{path}: struct {tag}: {fields}")
    functions = [words for words in table("exceptions.txt") if words[0] in ("lines", "parameters")]
    if len(functions) > LONG_FUNCTIONS:
        findings.add("exception", ["all"], f"{len(functions)} functions, more than {LONG_FUNCTIONS}")


def check_files(tree, findings):
    """Of all that is written in C, or for the shell or make."""
    paths = [os.path.join(place, name) for top in [".ci", *PROGRAM, *LANGUAGES, "tests"] for place, _, names in os.walk(top)
             for name in names if place == ".ci" or name.endswith((".c", ".h", ".sh", ".mk"))]
    for path in [*paths, *(["Makefile"] if os.path.exists("Makefile") else [])]:
        with open(path, "rb") as file:
            lines = sum(1 for _ in file)
        if lines > FILE_LINES:
            findings.add("long", [path], f"{path}: {lines}")


def check_folders(tree, findings):
    for place, _, names in (found for top in [*PROGRAM, "tests"] for found in os.walk(top)):
        sources = sum(name.endswith((".c", ".h")) for name in names)
        scripts = sum(name.endswith((".sh", ".py", ".awk", ".js")) for name in names)
        # Folders of tests/unit are named after those they test, which have one.
        if sources + scripts and "README.md" not in names and not place.startswith("tests/unit/"):
            findings.add("readme", [place + "/"], place)
        if place.split("/")[0] in PROGRAM and sources > SOURCES:
            findings.add("sources", [place + "/"], f"{place}: {sources}")
    files = [name for name in os.listdir("solver") if os.path.isfile("solver/" + name)]
    if len(files) >= SOURCES:
        findings.add("sources", ["solver/"], f"solver: {len(files)} files, where fewer than {SOURCES} belong")


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
    for check in (check_arrows, check_circles, check_headers, check_names, check_sizes, check_files, check_folders,
                  check_versions):
        check(tree, findings)
    if not findings.report():
        sys.exit(1)


if __name__ == "__main__":
    main()
