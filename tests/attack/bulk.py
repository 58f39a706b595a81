#!/usr/bin/env python3
"""Sends large numbers of requests, for tests/attack/soak.sh.

    tests/attack/bulk.py PORT load COUNT CLIENTS PATH     COUNT requests over CLIENTS persistent connections:
                                  prints the rate per second, and how many failed
    tests/attack/bulk.py PORT bulk COUNT POSITIONS SEEDS  COUNT simultaneous requests, each for POSITIONS
                                  random positions with SEEDS seeds: prints how many were answered
    tests/attack/bulk.py PORT bodies COUNT                COUNT bodies of 1 MB of JSON, one after the
                                  other: prints how many got any response"""

import http.client
import json
import random
import select
import socket
import sys
import threading
import time

port = int(sys.argv[1])


def load(count, clients, path):
    """Sends the requests from one thread; each connection always has one request in progress."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    ready, places = select.epoll(), {}
    for _ in range(clients):
        client = socket.create_connection(("127.0.0.1", port), timeout=60)
        places[client.fileno()] = client
        ready.register(client, select.EPOLLIN)
        client.sendall(request)
    asked, done, failed, start = clients, 0, 0, time.monotonic()
    while places:
        events = ready.poll(60)
        if not events:
            failed += len(places)
            break
        for number, _ in events:
            client = places[number]
            answer = client.recv(65536)
            done += 1
            failed += not (answer.startswith(b"HTTP/1.1 200 ") and answer.rstrip().endswith(b"}"))
            if answer and asked < count:
                client.sendall(request)
                asked += 1
            else:
                ready.unregister(client)
                del places[number]
                client.close()
    rate = done / (time.monotonic() - start)
    print(f"{done} requests from {clients} clients: {rate:.0f} a second, {failed + count - done} failed")


def ask(body, kind, query=""):
    """Posts a body; returns the status and the body of the response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1800)
    connection.request("POST", "/api/positions" + query, body, {"Content-Type": kind})
    answer = connection.getresponse()
    return answer.status, answer.read()


def random_position(chance, seeds):
    pits = [0] * 12
    for _ in range(seeds):
        pits[chance.randrange(12)] += 1
    return ",".join(map(str, pits))


def bulk(count, positions, seeds):
    answered, lock = [0], threading.Lock()

    def one(seed):
        chance = random.Random(seed)
        body = "\n".join(random_position(chance, seeds) for _ in range(positions))
        try:
            status, answer = ask(body, "text/plain")
            found = sum("value" in element for element in json.loads(answer)) if status == 200 else 0
        except (OSError, http.client.HTTPException, ValueError):
            found = 0
        with lock:
            answered[0] += found

    start = time.monotonic()
    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{answered[0]} of {count * positions} positions answered in {time.monotonic() - start:.1f} s")


def bodies(count):
    body = "[" + ",".join(["[]"] * 340_000) + "]"
    answered = 0
    for _ in range(count):
        try:
            ask(body[:1_000_000], "application/json")
            answered += 1
        except (OSError, http.client.HTTPException):
            pass
    print(f"{answered} answered of {count} bodies of 1 MB of JSON")


commands = {"load": load, "bulk": bulk, "bodies": bodies}
commands[sys.argv[2]](*(int(word) if word.isdigit() else word for word in sys.argv[3:]))
