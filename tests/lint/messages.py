#!/usr/bin/env python3
"""Rules about messages: each is the end of a line that began with the program's name.

    tests/lint/messages.py          from the top folder

Prints each message that begins with a capital letter (the name of an engine's option may, before a
colon) or ends with a full stop, and each text of the program, help and answers too, with a word of
banned.txt; fails then, or if it found no message."""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("game", "index", "db", "system", "solver", "verify", "play", "answer", "serve", "tools")
TEXT = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(r"\b(?:wari_fail|wari_fail_errno|wari_team_fail|wari_reading_complain|reply_error|"
                  r"report_note)\s*\((?:[^\"();]|\([^()\"]*\))*?((?:" + TEXT + r"\s*(?:PRI\w+\s*)?)+)")


def banned():
    with open(os.path.join(HERE, "banned.txt"), encoding="utf-8") as file:
        patterns = [line.split("  ", 1)[0] for line in file if line.strip() and line[0] != "#"]
    return re.compile(r"\b(?:" + "|".join(patterns) + r")\b", re.IGNORECASE)


def sources():
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/**/*.c", recursive=True)):
            with open(path, encoding="utf-8") as file:
                yield path, file.read()


def place(path, source, at):
    return f"{path}:{source.count(chr(10), 0, at) + 1}"


def messages():
    for path, source in sources():
        for call in CALL.finditer(source):
            pieces = re.findall(TEXT, call.group(1))
            yield place(path, source, call.start()), "".join(t[1:-1] for t in pieces)


def texts():
    """All literals but names of headers, line by line as they stand."""
    for path, source in sources():
        plain = re.sub(r"/\*.*?\*/|^ *#.*?$", lambda found: "\n" * found.group().count("\n"), source, flags=re.S | re.M)
        for found in re.finditer(TEXT, plain):
            yield place(path, plain, found.start()), found.group()[1:-1].removesuffix("\\n")


def main():
    words, wrong, count = banned(), [], 0
    for where, text in messages():
        count += 1
        if re.match(r"[A-Z](?!\w*:)", text):
            wrong.append(f"{where}: begins with a capital letter: {text}")
        if text.endswith("."):
            wrong.append(f"{where}: ends with a full stop: {text}")
    for where, text in texts():
        if words.search(text):
            wrong.append(f"{where}: \"{words.search(text).group()}\" is a word of banned.txt: {text}")
    if wrong:
        print("lint: messages begin in lower case, have no full stop and no banned word:", *wrong, sep="\n    ")
    return 1 if wrong or not count else 0


sys.exit(main())
