#!/usr/bin/env python3
"""Clients that behave badly, and one that behaves well, for tests and measurements of `wari serve`.

    tests/support/clients.py PORT leave COUNT RATE [FILE]   COUNT connections, RATE a second (0 means
                             no limit): each sends the file, or 15 bytes of a request, and closes
    tests/support/clients.py PORT idle COUNT         COUNT connections that send nothing: prints how
                             many stay open and how many were refused with 503, and keeps the others open
    tests/support/clients.py PORT slow COUNT         COUNT connections that send a byte of a header
                             every half second, and connect again when they are closed
    tests/support/clients.py PORT ask COUNT PATH     COUNT requests, each on a connection of its own:
                             prints the median and the longest time in ms, and how many failed

idle and slow run until standard input ends; they print a line when all clients are connected."""

import http.client
import select
import socket
import statistics
import sys
import time

port = int(sys.argv[1])


def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def leave(count, rate, path=None):
    words = open(path, "rb").read() if path else b"GET /healthz HT"
    start = time.monotonic()
    for i in range(count):
        with connect() as client:
            client.sendall(words)
        if rate:
            time.sleep(max(0, start + (i + 1) / rate - time.monotonic()))


def read_until_quiet(clients, quiet):
    """Returns the bytes that each client has received, and the set of clients whose connection has ended."""
    said, ended = {client: b"" for client in clients}, set()
    while True:
        ready = select.poll()
        places = {}
        for client in clients:
            if client not in ended:
                ready.register(client, select.POLLIN)
                places[client.fileno()] = client
        events = ready.poll(quiet * 1000)
        if not events:
            return said, ended
        for number, _ in events:
            try:
                more = places[number].recv(65536)
            except OSError:
                more = b""
            said[places[number]] += more
            if not more:
                ended.add(places[number])


def idle(count):
    clients = [connect() for _ in range(count)]
    said, ended = read_until_quiet(clients, 1)
    refused = sum(said[client].startswith(b"HTTP/1.1 503 ") and b"Retry-After" in said[client] for client in ended)
    print(f"{count - len(ended)} held, {refused} told 503, {len(ended) - refused} closed", flush=True)
    sys.stdin.read()


def slow(count):
    clients = [connect() for _ in range(count)]
    for client in clients:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    print(f"{count} connected", flush=True)
    while not select.select([sys.stdin], [], [], 0.5)[0]:
        for i, client in enumerate(clients):
            try:
                client.sendall(b"a")
            except OSError:
                clients[i] = connect()
                clients[i].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")


def ask(count, path):
    times, failed = [], 0
    for _ in range(count):
        start = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            failed += answer.status != 200
        except OSError:
            failed += 1
        times.append((time.monotonic() - start) * 1000)
        connection.close()
    print(f"half in {statistics.median(times):.1f} ms, longest {max(times):.1f} ms, {failed} failed")


commands = {"leave": leave, "idle": idle, "slow": slow, "ask": ask}
commands[sys.argv[2]](*(int(word) if word.isdigit() else word for word in sys.argv[3:]))
