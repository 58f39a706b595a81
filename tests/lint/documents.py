#!/usr/bin/env python3
"""Checks the spelling of the documents and the links between them.

    tests/lint/documents.py         run from the top folder

Prints each place where a rule is broken, and fails if there is one. words.txt lists correct words that
aspell does not know."""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUTSIDE = ("build", "node_modules", ".git")


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def documents():
    paths = glob.glob("**/*.md", recursive=True)
    return sorted(path for path in paths if not set(path.split(os.sep)) & set(OUTSIDE))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def prose(text):
    """Returns the prose, without examples, names in code and targets of links. Line numbers do not change."""
    text = re.sub(r"(?ms)^```.*?^```", lambda found: "\n" * found.group().count("\n"), text)
    text = re.sub(r"(?m)^ {4,}(?![-*] ).*$", "", text)
    text = re.sub(r"`[^`]*`", lambda found: "x" + "\n" * found.group().count("\n"), text)
    return re.sub(r"\]\([^)]*\)", "]", text)


# ---- The rules: each gives lines of text ----------------------------------------------------------


def misspelt(texts):
    known = set(lines_of("words.txt"))
    said = {path: prose(text) for path, text in texts.items()}
    unknown = subprocess.run(["aspell", "list", "--lang=en", "--encoding=utf-8"], check=True, text=True,
                          input="\n".join(said.values()), capture_output=True).stdout.split()
    for word in sorted(set(unknown) - known):
        if not (word.endswith("'s") and word[:-2] in known):
            places = [path for path, text in said.items() if re.search(rf"\b{re.escape(word)}\b", text)]
            yield f"{', '.join(places)}: {word}"


def anchors(text):
    headings = re.findall(r"(?m)^#+ +(.*)$", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# [text](target), [text](target "title"), and [name]: target on a line of its own
LINK = re.compile(r"(?:\]\(|^ {0,3}\[[^\]]+\]: +)<?([^)\s>]+)>?(?=\)|[ \t]+\"|[ \t]*$)", re.M)


def dead_links(texts):
    for path, text in texts.items():
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(place):
                yield f"{path}: {target}: there is no such file"
            elif anchor and anchor not in anchors(texts.get(place) or read(place)):
                yield f"{path}: {target}: there is no such heading"


RULES = {
    "words are spelt as aspell or tests/lint/words.txt have them": misspelt,
    "links between documents lead somewhere": dead_links,
}


def main():
    texts = {path: read(path) for path in documents()}
    failed = False
    for rule, check in RULES.items():
        places = list(check(texts))
        if places:
            failed = True
            print(f"lint: {rule}:", *places, sep="\n    ")
    return 1 if failed or not texts else 0


sys.exit(main())
