#!/usr/bin/env python3
"""Rules about the documents: their length, their words, their links.

    tests/lint/documents.py         from the top folder

Prints each place where a rule is broken, and fails then. documents.txt has the limits, banned.txt what
is said in other words, words.txt the words that aspell does not know and people do."""

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
    """What is said: no examples, no names of things, no targets of links. Lines stay in place."""
    text = re.sub(r"(?ms)^```.*?^```", lambda found: "\n" * found.group().count("\n"), text)
    text = re.sub(r"(?m)^ {4,}(?![-*] ).*$", "", text)
    text = re.sub(r"`[^`]*`", lambda found: "x" + "\n" * found.group().count("\n"), text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def sentences(text):
    """Of paragraphs and lists; tables and headings have none."""
    text = re.sub(r"(?m)^(\||#).*$", "", prose(text))
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    pieces = [piece for block in blocks for piece in re.split(r"(?<=[.?!])\s+", block)]
    return [piece for piece in pieces if len(piece.split()) > 2]


# ---- The rules: each gives lines of text ----------------------------------------------------------


def too_long(texts):
    total, counted = 0, {path: len(text.split()) for path, text in texts.items()}
    apart = set()
    for line in lines_of("documents.txt"):
        name, limit = line.split()[:2]
        if name == "total":
            total = int(limit)
            continue
        if limit == "apart":
            apart.add(name)
        elif name not in counted:
            yield f"{name}: has a limit and is not there"
        elif counted[name] > int(limit):
            yield f"{name}: {counted[name]} words, at most {limit}"
    together = sum(count for path, count in counted.items() if path not in apart)
    if together > total:
        yield f"all documents: {together} words, at most {total}"


def long_sentences(texts):
    for line in lines_of("documents.txt"):
        name, *rest = line.split()
        if "sentences" not in rest or name not in texts:
            continue
        limit = int(rest[rest.index("sentences") + 1])
        found = sentences(texts[name])
        mean = sum(len(sentence.split()) for sentence in found) / max(1, len(found))
        if mean > limit:
            longest = max(found, key=lambda sentence: len(sentence.split()))
            start = " ".join(longest.split()[:8])
            yield f"{name}: {mean:.1f} words a sentence, at most {limit}; the longest: \"{start} ...\""


def banned_words(texts):
    banned = [line.split("  ", 1) for line in lines_of("banned.txt")]
    for path, text in texts.items():
        for number, line in enumerate(prose(text).split("\n"), 1):
            for pattern, instead in banned:
                found = re.search(rf"\b(?:{pattern})\b", line, re.IGNORECASE)
                if found:
                    yield f"{path}:{number}: \"{found.group()}\"; {instead.strip()}"


def misspelt(texts):
    known = set(lines_of("words.txt"))
    said = {path: prose(text) for path, text in texts.items()}
    told = subprocess.run(["aspell", "list", "--lang=en", "--encoding=utf-8"], check=True, text=True,
                          input="\n".join(said.values()), capture_output=True).stdout.split()
    for word in sorted(set(told) - known):
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


COMMAND = re.compile(r"(?:^ {4}|\$ |`)(?:build/)?(?:wari(?:-mpi)?|make) [a-z-]+", re.M)
FIGURE = re.compile(r"(?<![\w.,-])\d[\d,.]*\d(?![\w-])|(?<![\w.,-])\d+ (?:%|s|ms|h|kB|MB|GB|TB|bits?)\b")


def figures_without_command(texts):
    """In the top README: a paragraph or table with figures has a command in it, or next to it."""
    text = re.sub(r"(?ms)^```.*?^```$", lambda code: re.sub(r"\n\s*\n", "\n", code.group()), texts["README.md"])
    blocks = re.split(r"\n\s*\n", text)
    for at, block in enumerate(blocks):
        figure = FIGURE.search(re.sub(r"(?m)^\d+\. |<[^>]*>|\([^()]* \d{4}\)", "", prose(block)))
        if figure and not any(COMMAND.search(near) for near in blocks[max(0, at - 1) : at + 2]):
            yield f"README.md: \"{figure.group()}\" in \"{' '.join(block.split()[:6])} ...\""


RULES = {
    "documents keep to their limits of tests/lint/documents.txt": too_long,
    "sentences are short": long_sentences,
    "documents have no word of tests/lint/banned.txt": banned_words,
    "words are spelt as aspell or tests/lint/words.txt have them": misspelt,
    "links between documents lead somewhere": dead_links,
    "a figure of README.md has the command that gives it in its paragraph or the next one": figures_without_command,
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
