#!/usr/bin/env python3
"""A slow reader of the output of `wari engine`. The reader controls the engine's clock, so the speed of the
machine does not matter: time passes only in the poll() of the engine (POLL_GO in tests/calls/calls.c).

    tests/support/slow_reader.py pipe|socket BYTES MILLISECONDS COMMAND...
        reads BYTES bytes every MILLISECONDS milliseconds, until the engine ends
    tests/support/slow_reader.py pipe|socket full MILLISECONDS COMMAND...
        first fills the pipe or socket, and reads nothing; the engine must end exactly MILLISECONDS
        milliseconds after it has read the end of its input

Standard input is a file, which the engine reads; its output is copied. The variable CALLS has the path of
the library of tests/calls. The exit status is that of the engine; 100 with a message if it ends early or late."""

import os
import select
import socket
import subprocess
import sys


class Engine:
    def __init__(self, writer, command):
        notified, notify = os.pipe()
        go, self.go = os.pipe()
        sanitizer = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
        settings = {"LD_PRELOAD": os.environ["CALLS"], "ASAN_OPTIONS": sanitizer, "POLL_REPORT": str(notify), "POLL_GO": str(go)}
        self.process = subprocess.Popen(command, stdout=writer, stderr=subprocess.DEVNULL,
                                        env={**os.environ, **settings}, pass_fds=(notify, go))
        os.close(notify)
        os.close(go)
        self.notified = open(notified)
        self.lives = self._is_held()

    def _is_held(self):
        return self.notified.readline() != ""

    def let_pass(self, milliseconds):
        """Returns when the engine has done all work that is due by then, or has ended."""
        try:
            os.write(self.go, b"%d\n" % milliseconds)
        except BrokenPipeError:
            pass
        self.lives = self._is_held()


def fill(writer):
    """Fills the buffer of the pipe or socket completely."""
    os.set_blocking(writer, False)
    for size in 4096, 1:
        try:
            while True:
                os.write(writer, b"-" * size)
        except BlockingIOError:
            pass
    os.set_blocking(writer, True)


def read_slowly(engine, reader, size, pause):
    ready = select.poll()
    ready.register(reader, select.POLLIN)
    taken = 0
    while True:
        # If fewer bytes are available, the engine is busy, and no time passes.
        if not engine.lives or ready.poll(5):
            text = os.read(reader, size - taken)
            if not text:
                return
            os.write(1, text)
            taken += len(text)
        if engine.lives:
            engine.let_pass(pause if taken == size else 0)
        taken %= size


def read_nothing(engine, patience):
    while os.lseek(0, 0, os.SEEK_CUR) < os.fstat(0).st_size:
        engine.let_pass(0)
    engine.let_pass(0)
    engine.let_pass(patience - 1)
    if not engine.lives:
        return f"the engine ended before {patience} milliseconds were over"
    engine.let_pass(1)
    if engine.lives:
        return f"the engine did not end after {patience} milliseconds"
    return None


def main():
    kind, size, pause, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    reader, writer = os.pipe() if kind == "pipe" else [end.detach() for end in socket.socketpair()]
    if size == "full":
        fill(writer)
    engine = Engine(writer, command)
    os.close(writer)
    message = read_nothing(engine, pause) if size == "full" else read_slowly(engine, reader, int(size), pause)
    if message:
        print(message, file=sys.stderr)
        engine.process.kill()
        return 100
    return engine.process.wait()


sys.exit(main())
