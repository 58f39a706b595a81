#!/usr/bin/env python3
"""An HTTP client that executes the commands of a test one after the other, so that a test needs only one process
for all of its requests. tests/cli/asking.sh starts it.

A command on standard input is the number of its words, and the words, each followed by a zero byte. The reply is a
line on standard output; "error: ..." if the command failed.

    ask URL BODY HEADERS [OPTION...]
        Sends a request on a connection of its own, and writes the body and the headers of the response into these
        files. The reply is the status; 000 if not all of the request could be sent, or the response was incomplete.
        These options are those of curl: -I, -X METHOD, -H "NAME: VALUE" ("NAME:" leaves the header out, "NAME;" sends it empty), -d TEXT, --data-binary
        @FILE, --request-target TARGET. Others: --small-buffers sets small buffers for the connection;
        --no-empty-lines removes the empty lines that the server sends in a bulk response while it works.
    ask-until PATTERN URL BODY HEADERS [OPTION...]
        Repeats the request until the body of the response matches the regular expression, or the status is not 200.
    begin-ask NAME URL [OPTION...], end-ask NAME BODY HEADERS
        The same as `ask` in two steps: sending, on a connection with this name, and reading.
    raw PORT TEXT FILE
        Sends the text, with escapes such as \\r, and writes everything that is received into the file.
    malformed PORT COUNT SEED
        Sends COUNT malformed requests, each on a connection of its own.
    leave PORT COUNT TEXT|@FILE
        Connects, sends the text or the content of the file, and closes, COUNT times.

A name stands for one or more connections:

    open NAME PORT COUNT [--small-buffers]
    send NAME TEXT|@FILE        on each connection
    settle NAME                 waits until the server has read all that was sent, also from the socket
    request NAME PATH           sends a request on each connection, which stays open; replies "29x200"
    gather NAME [FILE]          reads each connection to its end, into the file; replies "2x200 1x503", where status
                                0 is a connection that ended without a response
    receive NAME COUNT          reads COUNT bytes from each connection
    is-open NAME                replies "open", or "closed" if the connection has ended; reads nothing
    close NAME
    crowd PORT COUNT PATH TYPE FILE
        Posts the file on COUNT connections. All connections send the first half before any sends the second half.
        Replies as `gather` does.

    descriptors PID COUNT       waits until the process has at most COUNT open files and sockets
"""

import array
import collections
import fcntl
import os
import re
import select
import socket
import sys
import termios
import time

SAFETY = 600  # seconds; no result depends on it
connections = {}  # lists, by name
questions = {}


def connect(host, port, small_buffers=False):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    client = socket.socket(family)
    client.settimeout(SAFETY)
    if small_buffers:  # set before connecting, so that the other end buffers little, too
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.connect((host, port))
    return client


def until(is_so, what):
    """Waits until the condition is true. Raises TimeoutError if that takes too long."""
    end = time.monotonic() + SAFETY
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"timed out: {what}")
        time.sleep(0.005)


def unescaped(text):
    return text.encode("ascii").decode("unicode_escape").encode("latin-1")


def content(word):
    if word.startswith("@"):
        with open(word[1:], "rb") as file:
            return file.read()
    return unescaped(word)


# ---- Responses ------------------------------------------------------------------------------------


class Answer:
    """Reads a response: status, headers and body. `whole` is false if the response is incomplete."""

    def __init__(self, client, has_body=True):
        self.client, self.bytes = client, b""
        self.status, self.headers, self.body, self.whole = "000", "", b"", False
        self.head()
        while self.status == "100":
            self.head()
        if self.status != "000":
            self.read_body(has_body)

    def more(self):
        try:
            more = self.client.recv(1 << 16)
        except ConnectionError:
            more = b""
        self.bytes += more
        return more != b""

    def cut(self, end):
        """Returns the bytes before `end`; None if the connection ends without it."""
        searched = 0
        while (at := self.bytes.find(end, searched)) < 0:
            searched = max(0, len(self.bytes) - len(end))
            if not self.more():
                return None
        part, self.bytes = self.bytes[:at], self.bytes[at + len(end) :]
        return part

    def take(self, count):
        while len(self.bytes) < count and self.more():
            pass
        part, self.bytes = self.bytes[:count], self.bytes[count:]
        return part

    def head(self):
        self.status = "000"
        head = self.cut(b"\r\n\r\n")
        if head is None or not re.match(rb"HTTP/1\.1 [0-9]{3} ", head):
            return
        self.headers = head.decode("latin-1").replace("\r\n", "\n") + "\n"
        self.status = self.headers[9:12]

    def header(self, name):
        found = re.search(rf"^{name}: (.*)$", self.headers, re.MULTILINE | re.IGNORECASE)
        return found and found[1]

    def read_body(self, has_body):
        length = self.header("Content-Length")
        if not has_body or self.status in ("204", "304"):
            self.whole = True
        elif self.header("Transfer-Encoding") == "chunked":
            self.read_chunks()
        elif length:
            self.body = self.take(int(length))
            self.whole = len(self.body) == int(length)
        else:
            while self.more():
                pass
            self.body, self.whole = self.bytes, True

    def read_chunks(self):
        chunks = []
        while size := self.cut(b"\r\n"):
            chunks.append(self.take(int(size, 16)))
            self.whole = self.take(2) == b"\r\n" and not chunks[-1]
            if not chunks[-1]:
                break
        self.body = b"".join(chunks)


def request_bytes(host, target, options):
    """Returns the bytes of a request: method, headers and body."""
    method, body, headers = None, None, {"host": f"Host: {host}", "accept": "Accept: */*"}
    words = iter(options)
    for word in words:
        if word == "-I":
            method = "HEAD"
        elif word == "-X":
            method = next(words)
        elif word == "--request-target":
            target = next(words)
        elif word == "-H":
            header = next(words)
            name = re.match("[^:;]*", header)[0]
            value = header[len(name) :]
            headers[name.lower()] = None if value == ":" else f"{name}:" if value == ";" else header
        elif word in ("-d", "--data-binary"):
            body = next(words)
            body = content(body) if word == "--data-binary" else body.encode()
            headers.setdefault("content-type", "Content-Type: application/x-www-form-urlencoded")
    if body is not None:
        method = method or "POST"
        if "transfer-encoding" in headers:
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body, b"") if part) + b"0\r\n\r\n"
        else:
            headers["content-length"] = f"Content-Length: {len(body)}"
    lines = [f"{method or 'GET'} {target} HTTP/1.1"] + [header for header in headers.values() if header]
    return method, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"), body or b""


def split_url(url):
    host, path = re.fullmatch("http://([^/]*)(.*)", url).groups()
    name, port = host.rsplit(":", 1)
    return host, name.strip("[]"), int(port), path


class Question:
    """A request that was sent and whose response is still to be read."""

    def __init__(self, url, options):
        host, name, port, path = split_url(url)
        method, head, body = request_bytes(host, path, options)
        self.client = connect(name, port, "--small-buffers" in options)
        self.has_body, self.options, self.is_sent = method != "HEAD", options, True
        try:
            if b"\nExpect: 100-continue\r" in head:  # sends the body only after 100 Continue
                self.client.sendall(head)
                while len(start := self.client.recv(12, socket.MSG_PEEK)) in range(1, 12):
                    pass
                if start == b"HTTP/1.1 100":
                    self.client.sendall(body)
            else:
                self.client.sendall(head + body)
        except ConnectionError:
            self.is_sent = False

    def answer(self, body_file, headers_file):
        with self.client:
            answer = Answer(self.client, self.has_body)
        body = answer.body
        if "--no-empty-lines" in self.options:
            body = re.sub(rb"\n\n+", b"\n", body.lstrip(b"\n"))
        with open(body_file, "wb") as file:
            file.write(body)
        with open(headers_file, "w", encoding="latin-1") as file:
            file.write(answer.headers)
            file.write("" if answer.whole else "(the answer broke off)\n")
            file.write("" if self.is_sent else "(the request could not be sent)\n")
        return answer.status if answer.whole and self.is_sent else "000"


def ask(url, body_file, headers_file, *options):
    return Question(url, options).answer(body_file, headers_file)


def begin_ask(name, url, *options):
    questions[name] = Question(url, options)
    connections[name] = [questions[name].client]
    return "ok"


def end_ask(name, body_file, headers_file):
    return questions.pop(name).answer(body_file, headers_file)


def ask_until(pattern, url, body_file, headers_file, *options):
    status = "000"

    def fits():
        nonlocal status
        status = ask(url, body_file, headers_file, *options)
        with open(body_file, "rb") as file:
            return status != "200" or re.search(pattern.encode(), file.read())

    until(fits, f"no answer with {pattern}")
    return status


# ---- Raw bytes -----------------------------------------------------------------------------------


def send(client, words):
    try:
        client.sendall(words)
    except ConnectionError:
        pass


def read_to_end(client):
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def raw(port, text, file_name):
    with connect("127.0.0.1", int(port)) as client, open(file_name, "wb") as file:
        send(client, unescaped(text))
        file.write(read_to_end(client))
    return "ok"


def leave(port, count, what):
    words = content(what)
    for _ in range(int(count)):
        with connect("127.0.0.1", int(port)) as client:
            client.sendall(words)
    return "ok"


def malformed(port, count, seed):
    """Sends requests made from a correct one by cutting it, changing bytes, and adding random bytes. Every second
    client leaves at once; the others read their response, so that the number of connections stays within the limit."""
    import random  # slow to load

    chance = random.Random(int(seed))
    good = b"GET /api/position?rules=awari&p=1+1+1+1+1+1/1+1+1+1+1+1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    post = "POST /api/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n%s\r\n\r\n%s"
    for i in range(int(count)):
        words = (
            good[: chance.randrange(len(good))],
            good[:20] + chance.randbytes(1) + good[21:],
            chance.randbytes(2) + b"\r\n\r\n",
            (post % ("positions?rules=awari", f"Content-Length: {chance.randrange(-16000, 16768)}", "1 1")).encode(),
            (post % ("game", "Transfer-Encoding: chunked", f"{chance.randrange(32768):x}z\r\n{i}")).encode(),
        )[i % 5]
        with connect("127.0.0.1", int(port)) as client:
            send(client, words)
            if i // 5 % 2:
                client.shutdown(socket.SHUT_WR)
                read_to_end(client)
    return "ok"


# ---- Connections with names -----------------------------------------------------------------------


def open_some(name, port, count, *options):
    connections[name] = [connect("127.0.0.1", int(port), "--small-buffers" in options) for _ in range(int(count))]
    return "ok"


def send_some(name, what):
    words = content(what)
    for client in connections[name]:
        send(client, words)
    return "ok"


def unread(client_ports):
    """Returns true if the system still buffers bytes for the other ends of these connections."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        next(table)
        for line in table:
            _, _, remote, _, queues = line.split()[:5]
            if int(remote.split(":")[1], 16) in client_ports and int(queues.split(":")[1], 16) > 0:
                return True
    return False


def settle(name):
    clients = connections[name]
    ports = {client.getsockname()[1] for client in clients}

    def is_sent(client):
        count = array.array("i", [0])
        fcntl.ioctl(client, termios.TIOCOUTQ, count)
        return count[0] == 0

    until(lambda: all(map(is_sent, clients)) and not unread(ports), "the server does not read")
    return "ok"


def counts(statuses):
    return " ".join(f"{count}x{status}" for status, count in sorted(collections.Counter(statuses).items()))


def request(name, path):
    statuses = []
    for client in connections[name]:
        send(client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        statuses.append(Answer(client).status.lstrip("0") or "0")
    return counts(statuses)


def gather(name, file_name=os.devnull):
    statuses = []
    with open(file_name, "wb") as file:
        for client in connections[name]:
            words = read_to_end(client)
            file.write(words)
            statuses.append(words[9:12].decode("latin-1") if words.startswith(b"HTTP/1.1 ") else "0")
    return counts(statuses)


def receive(name, count):
    for client in connections[name]:
        left = int(count)
        while left > 0 and (part := client.recv(min(left, 1 << 16))):
            left -= len(part)
    return "ok"


def crowd(port, count, path, kind, file_name):
    body = content("@" + file_name)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n"
    words = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    open_some("crowd", port, count)
    for part in words[: len(words) // 2], words[len(words) // 2 :]:
        for client in connections["crowd"]:
            send(client, part)
        settle("crowd")
    result = gather("crowd")
    close_some("crowd")
    return result


def is_open(name):
    polled = select.poll()
    polled.register(connections[name][0], select.POLLRDHUP)
    return "closed" if polled.poll(0) else "open"


def close_some(name):
    for client in connections.pop(name):
        client.close()
    return "ok"


def descriptors(pid, count):
    until(lambda: len(os.listdir(f"/proc/{pid}/fd")) <= int(count), "the server keeps connections")
    return "ok"


commands = {
    "ask": ask,
    "ask-until": ask_until,
    "begin-ask": begin_ask,
    "end-ask": end_ask,
    "raw": raw,
    "malformed": malformed,
    "leave": leave,
    "open": open_some,
    "send": send_some,
    "settle": settle,
    "request": request,
    "gather": gather,
    "is-open": is_open,
    "close": close_some,
    "crowd": crowd,
    "receive": receive,
    "descriptors": descriptors,
}


def words_of(stream):
    """Yields the commands, each a list of words."""
    kept = b""
    words = []
    while more := stream.read1(1 << 16):
        *ended, kept = (kept + more).split(b"\0")
        words += ended
        while words and len(words) > int(words[0]):
            count = int(words[0])
            yield [os.fsdecode(word) for word in words[1 : count + 1]]
            del words[: count + 1]


for command, *arguments in words_of(sys.stdin.buffer):
    try:
        print(commands[command](*arguments), flush=True)
    except Exception as error:  # the test reports the failed command
        print(f"error: {command}: {error!r}".replace("\n", " "), flush=True)
