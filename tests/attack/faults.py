#!/usr/bin/env python3
"""Lets the k-th system call fail, for every command of `wari` and many k.

    tests/attack/faults.py PROGRAM CALLS FOLDER [TRIALS [SEED]]

PROGRAM is `wari`, CALLS the library built from ../calls/calls.c, and FOLDER a new folder for all files.
Of the calls of each kind that a command makes, TRIALS are selected at random (all, if there are fewer);
each fails once, or it and all later calls fail. Commands that write also run on a file system that
lacks locks and more. ATTACK_COMMANDS is a pattern for commands.

The command must terminate by itself, either with an exit code that describes the failure (4 or 5) and a
message, or with the same exit code and output as without a failure. A server must answer correctly,
refuse, or close the connection. The database must stay intact.

Prints the number of runs for each command. A violation is kept as FOLDER/finding-COMMAND-KIND-K.sh, a
script that repeats it."""

import fnmatch
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys

games = os.path.abspath("data/games/village.ogn")
program, library, folder = (os.path.abspath(path) for path in sys.argv[1:4])
pattern = os.environ.get("ATTACK_COMMANDS", "*")
trials = int(sys.argv[4]) if len(sys.argv) > 4 else 12
seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
chance = random.Random(seed)
poor = "sync flock fcntl unlink rename"  # what a file system can lack, see ../calls/calls.c
failures = {"memory": {4, 5}, "file": {4}, "thread": {5}}
position = "1 1 1 1 1 0 / 0 0 0 1 0 0"

os.makedirs(folder)
os.chdir(folder)


def wari(*arguments):
    subprocess.run([program, *arguments], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


wari("build", "--db", "db", "--seeds", "7")
wari("build", "--db", "own", "--seeds", "6", "--rules", "tournament")
for rules in ("awari", "abapa"):
    wari("build", "--db", "both", "--seeds", "5", "--rules", rules)
wari("build", "--db", "packed", "--seeds", "7")
wari("pack", "--db", "packed")
wari("book", "--db", "own", "--seeds", "5", "--output", "own.book")
with open("positions", "w", encoding="ascii") as file:
    file.write((position + "\n") * 3)
with open("engine", "w", encoding="ascii") as file:
    file.write("uci\nsetoption name DatabasePath value packed\nisready\nposition startpos\ngo depth 3\nquit\n")

# Name, arguments, input, and the folder of which a command that writes gets a copy named "work".
commands = [
    ("build", "build --db work --seeds 8 --threads 2", None, "db"),
    ("build-own", "build --db work --seeds 7 --rules tournament --threads 2", None, "own"),
    ("pack", "pack --db work --threads 2", None, "db"),
    ("check", "check --db packed --threads 2", None, None),
    ("check-json", "check --db packed --json --threads 2", None, None),
    ("verify", "verify --db db --local --threads 2", None, None),
    ("verify-record", "verify --db work --anew --threads 2", None, "db"),
    ("book", "book --db work --seeds 4 --output work/some.book", None, "db"),
    ("book-check", "check --book own.book --json", None, None),
    ("book-query", "query --book own.book --json", "positions", None),
    ("query", "query --db packed", "positions", None),
    ("query-json", "query --db packed --format json", "positions", None),
    ("stats", "stats --db db --format csv", None, None),
    ("stats-json", "stats --db db --json", None, None),
    ("export", "export --db packed --seeds 5 --format csv", None, None),
    ("export-file", "export --db packed --seeds 5 --output work/values", None, "db"),
    ("compare", "compare --db both --rules awari --with abapa --seeds 4", None, None),
    ("judge", f"judge --db own {games}", None, None),
    ("judge-json", f"judge --db own --json {games}", None, None),
    ("judge-review", f"judge --db own --movetime 20 --json {games}", None, None),
    ("puzzles", "puzzles --db packed --count 2 --depth 4", None, None),
    ("puzzles-json", "puzzles --db packed --count 2 --depth 4 --json", None, None),
    ("engine", "engine --db packed", "engine", None),
    ("learn-book", "learn-book --db packed --nodes 50 --positions 5 --output work/openings", None, "db"),
    ("perft", "perft --depth 4", None, None),
    ("rules", "rules", None, None),
    ("plan", "plan --seeds 9 --threads 2", None, None),
    ("bench-probe", "bench-probe --db packed --seconds 0.1 --threads 2", None, None),
    ("match", f"match --db packed --engine '{program} engine --random' --games 2 --nodes 9", None, None),
    ("match-beside", f"match --db packed --engine '{program} engine --random' --games 4 --nodes 9 --concurrency 2", None, None),
    ("serve-book", "serve --book own.book --port 0 --threads 2", None, None),
    ("serve", "serve --db packed --port 0 --threads 2", None, None),
]


right = {}  # the server's answer without failures, by the arguments of the server


def wrong_answer(answer, arguments):
    """Returns the answer if it is complete, but neither correct nor a refusal; else nothing."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if not length or len(body) != int(length[1]):
        return b""  # the connection was cut
    if re.match(rb"HTTP/1.1 [45]\d\d ", head) and b'"error"' in body:
        return b""
    right.setdefault(arguments, body)
    assert b'"value":3' in right[arguments], "published for awari, and the same under abapa"
    return b"" if head.startswith(b"HTTP/1.1 200 ") and body == right[arguments] else answer


def use_server(process, arguments):
    """Sends requests to a new server, if it starts, and stops it. Returns the exit code (0 for 143), wrong answers, and messages."""
    said, wrong, port = b"", b"", None
    for line in process.stderr:
        said += line
        port = re.search(rb"listening on .*:(\d+)/", line)
        if port:
            break
    if port:
        for _ in range(3):
            try:
                with socket.create_connection(("127.0.0.1", int(port.group(1))), timeout=20) as client:
                    client.sendall(b"GET /api/position?p=0,1,0,0,1,0,0,0,0,0,0,1 HTTP/1.1\r\n"
                                   b"Host: localhost\r\nConnection: close\r\n\r\n")
                    answer = b""
                    while part := client.recv(65536):
                        answer += part
                    wrong += wrong_answer(answer, arguments)
            except ConnectionError:
                pass  # a system call of this connection failed
        process.terminate()
    try:
        _, more = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, b"", said
    return 0 if process.returncode == 143 else process.returncode, wrong, said + more


def run(arguments, source, original, environment):
    """Returns exit code, output and messages; the code is None if the command does not terminate."""
    if original:
        subprocess.run(["rm", "-rf", "work"], check=True)
        subprocess.run(["cp", "-r", original, "work"], check=True)
    with open(source or os.devnull, "rb") as stdin:
        process = subprocess.Popen([program, *shlex.split(arguments)], stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **environment})
        if arguments.startswith("serve"):
            return use_server(process, arguments)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err
    return process.returncode, out, err


def what_is_wrong(kind, result, usual, original):
    code, out, err = result
    if code is None:
        return "it does not terminate"
    if code != usual[0] and code not in failures[kind]:
        return f"it ends with {code}"
    if code != usual[0] and not err.strip():
        return f"it ends with {code} without a message"
    if code == usual[0] and usual[1] is not None and out != usual[1]:
        return f"it ends with {code} and prints something else"
    if original:
        checked = subprocess.run([program, "check", "--db", "work"], stdin=subprocess.DEVNULL,
                                 capture_output=True, check=False)
        if checked.returncode != 0:
            return f"check of what it leaves ends with {checked.returncode}: {checked.stdout}"
    return None


def leave(name, command, kind, lacking, k, forever, reason):
    _, arguments, source, original = command
    path = f"finding-{name}-{kind}{'-poor' if lacking else ''}-{k}.sh"
    with open(path, "w", encoding="utf-8") as script:
        copy = f"rm -rf work && cp -r {original} work\n" if original else ""
        script.write(f"#!/bin/sh\n# {reason}\ncd {shlex.quote(folder)} || exit\n{copy}"
                     f"LD_PRELOAD={shlex.quote(library)} FAIL_KIND={kind} FAIL_AT={k} "
                     f"FAIL_ON={'1' if forever else ''} FILES_LACK='{lacking}' {shlex.quote(program)} {arguments} "
                     f"<{source or '/dev/null'}\n")
    print(f"FINDING {name}: call {k} of {kind} fails{' and all after it' if forever else ''}: "
          f"{reason} ({path})", flush=True)


def attack(command):
    """Attacks a command. Returns the number of runs and of findings."""
    name, arguments, source, original = command
    code, out, err = run(arguments, source, original, {})
    if code not in (0, 1):
        sys.exit(f"faults: {arguments}: ends with {code} by itself: {err.decode()}")
    assert arguments in right or not name.startswith("serve"), "a server has to answer when nothing fails"
    if name in ("engine", "judge-review", "match", "match-beside") or run(arguments, source, original, {})[1] != out:
        out = None  # the output contains times
    usual = code, out
    runs = findings = made = 0
    for kind, lacking in [(kind, "") for kind in failures] + [("file", poor)] * bool(original):
        common = {"LD_PRELOAD": library, "FAIL_KIND": kind, "FILES_LACK": lacking}
        run(arguments, source, original, {**common, "FAIL_AT": "0", "FAIL_COUNT": folder + "/count"})
        with open("count", encoding="ascii") as file:
            calls = int(file.read())
        made += calls
        picked = range(1, calls + 1)
        if calls > trials:
            picked = sorted(chance.sample(picked, trials))
        for k in picked:
            forever = chance.random() < 0.5
            result = run(arguments, source, original,
                         {**common, "FAIL_AT": str(k), "FAIL_ON": "1" if forever else ""})
            reason = what_is_wrong(kind, result, usual, original)
            runs += 1
            if reason:
                findings += 1
                leave(name, command, kind, lacking, k, forever, reason)
    print(f"{name}: {made} calls, {runs} runs, {findings} findings", flush=True)
    return runs, findings


counts = [attack(command) for command in commands if fnmatch.fnmatch(command[0], pattern)]
print(f"faults: {sum(runs for runs, _ in counts)} runs of {len(counts)} commands (seed {seed}), "
      f"{sum(findings for _, findings in counts)} findings")
sys.exit(not counts or any(findings for _, findings in counts))
