#!/usr/bin/env python3
"""Sends random sessions to `wari engine` and random requests to `wari serve`.

    tests/attack/protocols.py engine PROGRAM DB FOLDER SECONDS [SEED]
    tests/attack/protocols.py http   PROGRAM DB FOLDER SECONDS [SEED]
    tests/attack/protocols.py engine PROGRAM DB FOLDER replay FILE      repeats a session
    tests/attack/protocols.py http   PROGRAM DB FOLDER replay FILE      repeats a batch of requests

PROGRAM is `wari`, preferably built with a sanitizer, and DB a database. An engine must exit with 0 soon
after the end of its input, whatever the input was. A server must answer every valid request, answer
/healthz after each batch, and exit with 143 when terminated. Neither may be killed by a signal or cause a
sanitizer report. Prints the number of sessions or requests. A violation is kept as FOLDER/finding-engine-N
or FOLDER/finding-http-N, for replay.

A session file has the lines of the session. A batch file has requests, each preceded by its length in 4
bytes, little-endian."""

import os
import random
import re
import select
import socket
import struct
import subprocess
import sys
import time

what, program, database, folder, length = sys.argv[1:6]
seed = int(sys.argv[6]) if len(sys.argv) > 6 and length != "replay" else 1
chance = random.Random(seed)
COMPLAINT = re.compile(rb"Sanitizer|runtime error")
BATCH = 25

positions = ["1,1,1,1,1,0,0,0,0,1,0,0", "1 1 1 1 1 1 / 1 0 0 0 0 0", "4,4,4,4,4,4,4,4,4,4,4,4",
             "0,0,0,0,0,0,0,0,0,0,0,0", "48,0,0,0,0,0,0,0,0,0,0,0", "1,1", "-1,0,0,0,0,0,0,0,0,0,0,1"]
fens = ["0-1-0-0-1-0-0-0-0-0-0-1-23-22-S", "1-1-1-1-0-0-1-1-1-0-0-0-20-21-N", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S",
        "9-9-9-9-9-9-0-0-0-0-0-0-0-0-N", "1-1"]
rules = ["awari", "abapa", "warri", "slam-ends", "slam-gives", "slam-wins", "ware", "wari", "tournament", "oware",
         "even", "own", "", "x" * 300]
levels = ["first-steps", "beginner", "easy", "medium", "hard", "expert", "master", "", "full"]
numbers = ["0", "1", "2", "7", "100", "-1", "9223372036854775807", "99999999999999999999", "1e9", ""]


def mutated(data):
    """Returns the data with some bytes changed, inserted, removed or repeated."""
    data = bytearray(data)
    for _ in range(chance.choice((0, 0, 1, 1, 2, 8))):
        at = chance.randrange(len(data) + 1)
        action = chance.randrange(5)
        if action == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif action == 1:
            data[at:at] = bytes([chance.choice((0, 10, 13, 32, 34, 127, 195, 255))])
        elif action == 2:
            del data[at:at + chance.choice((1, 4, 40))]
        elif action == 3:
            data[at:at] = data[at:at + 20] * chance.choice((1, 50))
        else:
            data[at:at] = chance.choice(numbers).encode()
    return bytes(data)


def keep(data):
    number = 0
    while os.path.exists(name := f"{folder}/finding-{what}-{number}"):
        number += 1
    with open(name, "wb") as file:
        file.write(data)
    return name


# ---- The engine ----------------------------------------------------------------------------------


def engine_line():
    number, moves = chance.choice(numbers), " ".join(chance.choices("ABCDEFabcdef", k=chance.randrange(6)))
    return chance.choice([
        "uci", "isready", "ucinewgame", "stop", "ponderhit", "", "quit",
        f"setoption name Hash value {number}", f"setoption name Rules value {chance.choice(['awari', 'x', ''])}",
        f"position startpos moves {moves}", f"position fen {chance.choice(fens)} moves {moves}",
        f"position {chance.choice(positions)}", f"go depth {chance.choice('123')}",
        f"go movetime {chance.choice(['0', '1', '5'])}", f"go nodes {number[:3]}",
        f"go wtime {number} btime {chance.choice(numbers)} winc {chance.choice(numbers)} movestogo {number}",
        f"setoption name {chance.choice(['Threads', 'MultiPV', 'UCI_Elo'])} value {number[:3]}",
        f"go prove {chance.choice(['', 'movetime 5', 'nodes 9', 'infinite', 'prove', 'depth 2'])}",
        f"go searchmoves {moves} {chance.choice(['', 'depth 2', 'infinite', 'movetime 5'])}",
        "go infinite", "go ponder", "go", "debug on", "x" * chance.choice((10, 5000))])


def engine_session():
    lines = [engine_line() for _ in range(chance.randrange(1, 15))]
    return mutated("\n".join(lines).encode("latin-1") + b"\n")


def run_engine(session):
    """What is wrong with how it ends, or None."""
    process = subprocess.Popen([program, "engine", "--db", database], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, messages = process.communicate(session, timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "it does not end"
    if process.returncode != 0:
        return f"it ends with {process.returncode}: {messages[-400:]!r}"
    return repr(messages[:400]) if COMPLAINT.search(messages) else None


# ---- The server ----------------------------------------------------------------------------------


def http_body():
    kind = chance.choice(("text/plain", "application/json", "text/plain; charset=utf-8", "x/y"))
    some = [chance.choice(positions) for _ in range(chance.choice((0, 1, 3, 60)))]
    if "json" in kind:
        text = "[" + ",".join(chance.choice((f'"{p}"', f'"{p}"', "7", "null", '{"a":[', '"\\u12')) for p in some) + "]"
    elif chance.random() < 0.3:
        tags = "".join(chance.sample([f'[FEN "{chance.choice(fens)}"]\n', f'[Variant "{chance.choice(rules)}"]\n',
                                      f'[FEN "{chance.choice(positions)}"]\n', '[Event "Final [A]"]\n'], chance.randrange(4)))
        moves = " ".join(chance.choices("ABCDEFabcdef", k=chance.choice((0, 1, 4, 40))))
        text = tags + "\n" + moves + chance.choice((" 1-0", " *", " {", " (d {x}) *", "", " [FEN"))
    else:
        text = "\n".join(some)
    return kind, mutated(text.encode())


def valid_request():
    """Returns a well-formed request: a position, or a game cut at any place, under any rules."""
    head = "Host: localhost\r\n\r\n"
    if chance.random() < 0.3:
        with open("data/games/village.ogn", "rb") as file:
            game = file.read()
        game = game[:chance.choice((len(game), len(game), chance.randrange(len(game))))]
        path = chance.choice(("/api/review", "/api/review?rules=awari", "/api/game"))
        return f"POST {path} HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: {len(game)}\r\n{head}".encode() + game
    seeds, pits = chance.choice((chance.randrange(12), 48)), [0] * 12
    for _ in range(seeds):
        pits[chance.randrange(12)] += 1
    arguments = [f"p={','.join(map(str, pits))}", f"rules={chance.choice(rules[:8])}", f"cycle={chance.choice(('even', 'own'))}"]
    path = chance.choice(("analysis", "analysis", "move", "moves", "position"))
    if path == "move":
        arguments += [f"level={chance.choice(levels[:6])}", f"seed={chance.randrange(1 << 64)}"]
    return f"GET /api/{path}?{'&'.join(arguments)} HTTP/1.1\r\n{head}".encode()


def http_request():
    if chance.random() < 0.4:
        return valid_request()
    path = chance.choice(("/", "/healthz", "/api/info", "/api/stats", "/api/position", "/api/positions",
                          "/api/moves", "/api/game", "/api/analysis", "/api/analysis", "/api/move", "/api/move", "/api/puzzle",
                          "/api/review", "/api/review", "/x", "/%00", "/api/../"))
    arguments = [chance.choice((f"{chance.choice(('p', 'rules', 'cycle', 'detail', 'level', 'seed', 'easiest', 'x'))}="
                                f"{chance.choice(positions + rules + ['value', 'moves', '%', '%zz', ''])}",
                                f"p={chance.choice(positions + fens)}", f"rules={chance.choice(rules)}",
                                f"cycle={chance.choice(('even', 'own'))}",
                                f"level={chance.choice(levels)}", f"seed={chance.choice(numbers)}")).replace(" ", "+")
                 for _ in range(chance.randrange(6))]
    method = chance.choice(("GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "GARBAGE"))
    target = path + ("?" + "&".join(arguments) if arguments else "")
    kind, body = http_body() if method in ("POST", "PUT") else ("", b"")
    headers = ["Host: " + chance.choice(("localhost", "localhost", "127.0.0.1", "evil.example", ""))]
    if kind:
        headers += [f"Content-Type: {kind}",
                    f"Content-Length: {chance.choice((len(body), len(body), len(body), 0, 10**7, -1))}"]
    headers += chance.sample(["Connection: close", "Transfer-Encoding: chunked", "Expect: 100-continue",
                              "Origin: http://evil.example", 'If-None-Match: "x"', "X-Long: " + "a" * 3000,
                              "Content-Length: 3"], chance.choice((0, 0, 1, 2)))
    head = "\r\n".join([f"{method} {target} HTTP/{chance.choice(('1.1', '1.1', '1.0', '9'))}", *headers, "", ""])
    return mutated(head.encode()) + body


class Server:
    def __init__(self):
        self.messages = open(f"{folder}/server.log", "w+b")
        self.process = subprocess.Popen([program, "serve", "--db", database, "--port", "0", "--seconds", "5",
                                         "--threads", "2"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.messages)
        self.port = None
        while self.port is None and self.process.poll() is None:
            time.sleep(0.05)
            found = re.search(rb"listening on .*:(\d+)/", self.said())
            self.port = found and int(found.group(1))
        if self.port is None:
            sys.exit(f"protocols: no server: {self.said()!r}")

    def said(self):
        self.messages.seek(0)
        return self.messages.read()

    def answer(self, request, seconds):
        """Sends a request. Returns what arrives until the end, or until nothing has arrived for `seconds`."""
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
                client.sendall(request)
                while select.select([client], [], [], seconds)[0]:
                    more = client.recv(65536)
                    if not more:
                        break
                    answer += more
        except ConnectionError:
            pass  # the server closes the connection of an invalid request
        return answer

    def ask(self, requests):
        """Sends a batch. Returns what is wrong with the responses, or None."""
        for request in requests:
            answer = self.answer(request, 0.02)
            if answer and not answer.startswith(b"HTTP/1.1 ") and not answer.startswith(b"HTTP/1.0 "):
                return f"not an HTTP response: {answer[:100]!r}"
        healthy = self.answer(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 20)
        if b" 200 OK" not in healthy[:20] or b'"status":"ok"' not in healthy:
            return f"/healthz is answered {healthy[:200]!r}; the server says {self.said()[-400:]!r}"
        return repr(self.said()[-2000:]) if COMPLAINT.search(self.said()) else None

    def end(self):
        self.process.terminate()
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        complaint = COMPLAINT.search(self.said())
        return None if code in (143, -15) and not complaint else f"it ends with {code}: {self.said()[-2000:]!r}"


def pack(requests):
    return b"".join(struct.pack("<I", len(request)) + request for request in requests)


def unpack(data):
    requests = []
    while data:
        size = struct.unpack("<I", data[:4])[0]
        requests.append(data[4:4 + size])
        data = data[4 + size:]
    return requests


# ---- Runs ----------------------------------------------------------------------------------------


def fuzz_engine(seconds):
    sessions = findings = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session = engine_session()
        reason = run_engine(session)
        sessions += 1
        if reason:
            findings += 1
            print(f"FINDING engine: {reason} ({keep(session)})", flush=True)
    return sessions, "sessions", findings


def fuzz_http(seconds):
    server, count, findings, requests = Server(), 0, 0, []
    end = time.monotonic() + seconds
    while time.monotonic() < end and findings < 10:
        requests = [http_request() for _ in range(BATCH)]
        reason = server.ask(requests)
        count += len(requests)
        if reason:
            findings += 1
            print(f"FINDING http: {reason} ({keep(pack(requests))})", flush=True)
            server.end()
            server = Server()
    reason = server.end()
    if reason:
        findings += 1
        print(f"FINDING http: {reason} ({keep(pack(requests))})", flush=True)
    return count, "requests", findings


os.makedirs(folder, exist_ok=True)
if length == "replay":
    with open(sys.argv[6], "rb") as file:
        data = file.read()
    if what == "engine":
        wrong = run_engine(data)
    else:
        server = Server()
        wrong = server.ask(unpack(data)) or server.end()
    print(wrong or "nothing wrong")
    sys.exit(wrong is not None)
count, unit, findings = (fuzz_engine if what == "engine" else fuzz_http)(float(length))
print(f"{what}: {count} {unit} in {length} s (seed {seed}), {findings} findings")
sys.exit(findings > 0)
