"""The sources as lint sees them: includes, functions, structs and declarations, read off the layout
that clang-format gives them; and what each object file defines and needs, from nm."""

import os
import re
import subprocess
from collections import defaultdict

PROGRAM = ["game", "index", "db", "system", "solver", "verify", "play", "answer", "serve", "tools"]
LANGUAGES = ["bindings/js", "bindings/python"]  # what is written in C for them; they come without objects


def folder(path):
    return os.path.dirname(path)


def unit(path):
    """Returns the unit of a file: a .c file and the header of the same name are one unit, such as "db/probe/cache"."""
    return path.rsplit(".", 1)[0]


def _blank(match):
    """Returns white space for a comment, and x for the inside of a string, so that lines and columns do not change."""
    text = match.group(0)
    if text[0] == "/":
        return re.sub(r"[^\n]", " ", text)
    return text[0] + re.sub(r"[^\n]", "x", text[1:-1]) + text[-1]


class Source:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.includes = re.findall(r'^ *# *include +"([^"]+)"', text, re.M)
        pattern = r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
        self.code = re.sub(pattern, _blank, text, flags=re.S)
        self.code = re.sub(r"^ *#(?:[^\n]*\\\n)*[^\n]*", _blank_all, self.code, flags=re.M)
        self.code = re.sub(r"^extern \"x\" {.*?^}$", _blank_braces, self.code, flags=re.M | re.S)

    def functions(self):
        """Returns the name of each function that is defined here."""
        lines = self.code.split("\n")
        for at, line in enumerate(lines):
            if line != "{":
                continue
            top = at
            while top > 0 and lines[top - 1].strip() and lines[top - 1][-1] not in ";}":
                top -= 1
            head = re.sub(r"__attribute__\(\(.*?\)\)+", "", " ".join(lines[top:at]))
            name = re.search(r"(\w+)\(", head)
            if name:
                yield name.group(1)

    def tags(self):
        """(kind, tag) of each struct, union and enum that is defined here."""
        return re.findall(r"\b(struct|union|enum) (\w+) \{", self.code)

    def enumerators(self):
        """(name, value) of each constant of an enum: the value as it is written, or the previous
        value and the number of steps from it."""
        for match in re.finditer(r"\benum(?: \w+)? \{([^}]*)\}", self.code):
            base, steps = "0", 0
            for entry in match.group(1).split(","):
                name, _, value = (" ".join(part.split()) for part in entry.partition("="))
                if value:
                    base, steps = value, 0
                if name:
                    yield name, f"{base} + {steps}" if steps else base
                steps += 1

    def declared(self):
        """Returns the names that are declared here and defined elsewhere."""
        code = _without_inner(self.code, "{", "}").replace("{}", ";")
        for declaration in code.split(";"):
            if re.search(r"\b(static|typedef)\b|^\s*(?:struct|enum|union) \w+\s*$", declaration):
                continue
            match = re.search(r"\b(\w+) *(?:\(|\[|$)", re.sub(r"__attribute__.*", "", declaration, flags=re.S).strip())
            if match:
                yield match.group(1)


def _blank_all(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def _blank_braces(match):
    """Removes the braces of extern "C", but not the declarations between them."""
    text = match.group(0)
    return " " * len('extern "x" {') + text[len('extern "x" {') : -1] + " "


def _without_inner(text, left, right):
    """Removes everything in brackets, at any depth; the empty brackets remain."""
    out, depth = [], 0
    for c in text:
        if c == right:
            depth -= 1
        if depth == 0:
            out.append(c)
        if c == left:
            depth += 1
    return "".join(out)


# Functions of other libraries in whose place tests put their own.
REPLACED = {
    "clock_gettime",
    "MHD_add_response_header",
    "MHD_create_response_from_buffer",
    "MHD_create_response_from_callback",
}


class Tree:
    def __init__(self, objects):
        paths = []
        for top in PROGRAM + LANGUAGES + ["tests"]:
            for place, _, names in os.walk(top):
                paths += [os.path.join(place, name) for name in names if name.endswith((".c", ".h"))]
        self.sources = {path: Source(path) for path in sorted(paths)}
        self.defines = defaultdict(list)  # name -> units
        self.needs = defaultdict(set)  # unit -> names
        self._read_objects(objects)

    def _read_objects(self, objects):
        made = {}
        for path in self.sources:
            made_from = os.path.join(objects, unit(path) + ".o")
            if path.endswith(".c") and os.path.exists(made_from):
                if os.path.getmtime(made_from) >= os.path.getmtime(path):
                    made[made_from] = unit(path)
        if not made:
            return
        for line in subprocess.check_output(["nm", "-A", *made], text=True).splitlines():
            file, rest = line.split(":", 1)
            words = rest.split()
            if words[0] in "Uw":
                self.needs[made[file]].add(words[1])
            elif len(words) == 3 and words[1] in "TDBRVWC":
                if words[2] not in REPLACED:
                    self.defines[words[2]].append(made[file])

    def resolve(self, path, included):
        """Returns the file that an #include refers to; None if it is outside of the tree."""
        for place in ("", folder(path) + "/", "game/", "db/", "db/book/", "db/host/"):
            if place + included in self.sources:
                return place + included
        return None

    def definer(self, name, user):
        """The unit that defines a name; where several do (MPI and what tests put in its place), the
        one in the user's part of the tree."""
        units = self.defines.get(name, [])
        if len(units) > 1:
            units = [one for one in units if one.split("/")[0] == user.split("/")[0]]
        return units[0] if len(units) == 1 and units[0] != user else None

    def arrows(self):
        """(file, file, why, name): the first file includes the second, a header, and `name` is None;
        or the first, a .c file, needs a name that the second defines."""
        for path, source in self.sources.items():
            for included in source.includes:
                found = self.resolve(path, included)
                if found:
                    yield path, found, f"{path} includes {found}", None
        for user, names in self.needs.items():
            for name in sorted(names):
                other = self.definer(name, user)
                if other:
                    yield user + ".c", other + ".c", f"{user}.c needs {name} of {other}.c", name
