"""Runs the program `wari`, which builds and proves databases, in a process of its own.

So a build that exceeds the memory or is killed does not harm the Python process, and starts no threads
in it.
"""

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from .errors import BadInput, Damaged, Error, Mismatch, Unreadable

Progress = Union[bool, Callable[[float, str], None]]

OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "wari")
_ERRORS = {2: BadInput, 3: Damaged, 4: Unreadable, 5: MemoryError, 6: Mismatch}


def find() -> str:
    """Returns the path of the program: WARI_PROGRAM in the environment, or else the program that was installed with the
    package, or else the program that a shell would find."""
    named = os.environ.get("WARI_PROGRAM")
    if named:
        return named
    if os.access(OWN, os.X_OK):
        return OWN
    for folder in os.get_exec_path():
        path = os.path.join(folder, "wari")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise Error("the program 'wari', which builds and proves databases, is not installed: install it (Debian package wari, "
                "or `make install`), or name it in the environment variable WARI_PROGRAM")


@contextlib.contextmanager
def _closed_on_failure(*descriptors: int) -> Iterator[None]:
    """Closes the descriptors if the block raises an exception."""
    try:
        yield
    except BaseException:
        for descriptor in descriptors:
            os.close(descriptor)
        raise


def _channel(columns: int) -> Tuple[int, int]:
    """Returns two descriptors: one for reading what is written to the other.

    They belong to a pseudo-terminal if possible, because the program reports its progress to a terminal five
    times a second, but to a pipe only once a minute. `columns` is the width of the terminal, which limits the
    lines of progress.
    """
    try:
        import fcntl
        import struct
        import termios
        import tty

        reading, writing = os.openpty()
    except (ImportError, OSError):
        return os.pipe()
    with _closed_on_failure(reading, writing):
        tty.setraw(writing)
        fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns + 1, 0, 0))
    return reading, writing


def _end_together(reading: int, process: "subprocess.Popen[bytes]") -> None:
    """Makes the system send SIGTERM to the program when the other end of the pipe `reading` is closed, which also happens
    when this process is killed. Only Linux can do that; on other systems, the program then goes on until it has finished."""
    try:
        import fcntl

        fcntl.fcntl(reading, fcntl.F_SETOWN, process.pid)
        fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGTERM)  # AttributeError on systems other than Linux
        fcntl.fcntl(reading, fcntl.F_SETFL, fcntl.fcntl(reading, fcntl.F_GETFL) | os.O_ASYNC)
    except (ImportError, AttributeError, OSError):
        pass


def _lines(reading: int) -> Any:
    """Yields the lines that the program writes, without the characters that move the cursor."""
    rest = b""
    while True:
        try:
            piece = os.read(reading, 1 << 16)
        except OSError as problem:
            if problem.errno != errno.EIO:  # a pseudo-terminal reports the end of its input by this error
                raise
            piece = b""
        *lines, rest = re.split(rb"\r|\n|\x1b\[K", rest + piece)
        for line in lines if piece else [rest]:
            if line:
                yield line.decode("utf-8", "backslashreplace")
        if not piece:
            return


def run(command: str, arguments: Sequence[Union[str, bytes]], bar: "Bar", codes: Sequence[int] = (0,)) -> Tuple[int, bytes]:
    """Runs `wari COMMAND ARGUMENT...` and shows its progress on the bar. Returns its exit code and its standard output.

    Raises an exception unless the exit code is one of `codes`. An exception during the run, such as
    KeyboardInterrupt, first interrupts the program as Ctrl-C would; a second KeyboardInterrupt kills it.
    On Linux, the program is also interrupted if this process is killed.
    """
    program = find()
    process = None
    notes: List[str] = []
    prefix = f"wari {command}: "
    reading, writing = _channel(bar.columns)
    with _closed_on_failure(reading, writing):
        its_input, alive = os.pipe()  # nothing is ever written to `alive`, which is closed when the program has ended
    try:
        try:
            process = subprocess.Popen([program, command, *arguments], stdin=its_input, stdout=subprocess.PIPE,
                                       stderr=writing)
            _end_together(its_input, process)
        except OSError as problem:
            raise Unreadable(f"{program}: cannot run this program: {problem.strerror}") from None
        except ValueError:
            raise BadInput("a path or text must not contain NUL characters or lone surrogates") from None
        finally:
            os.close(writing)
            os.close(its_input)
        for line in _lines(reading):
            if line.startswith(prefix):
                notes.append(line[len(prefix):])
            else:
                bar.take(line)
        output = process.communicate()[0]
    except BaseException:
        if process is not None:
            os.close(reading)  # so that the program does not wait for a reader of its progress
            reading = -1
            _stop(process)
        raise
    finally:
        os.close(alive)
        if reading >= 0:
            os.close(reading)
    code = process.returncode
    if code in codes:
        return code, output
    if code in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    # The functions of this package have parameters with the names of the options.
    text = re.sub(r"(^|; )--(?=seeds|memory|threads)", r"\1", "; ".join(notes))
    if code < 0 or code > 128:
        text = f"{program} {command} was stopped by signal {abs(code) % 128}; finished levels are kept, and the same call continues"
    elif not text:
        text = f"{program} {command} ended with the exit code {code} and without a message"
    raise _ERRORS.get(code, Error)(text)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Interrupts the program, and waits for its end. If Ctrl-C was pressed in a terminal, the program has already got
    that signal. This does no harm, because the program treats two signals within half a second as one."""
    process.send_signal(signal.SIGINT)
    try:
        process.communicate()
    except KeyboardInterrupt:
        process.kill()
        process.communicate()
        raise


class Bar:
    """Shows progress as a line on sys.stderr that is overwritten at each update, or calls a function, or does nothing."""

    def __init__(self, title: str, sizes: Sequence[int], progress: Progress) -> None:
        """`sizes` are the numbers of positions of the levels 0, 1 and so on."""
        self._title = title
        self._sizes = sizes
        self._call = progress if callable(progress) else None
        self._to = sys.stderr if progress and not callable(progress) else None
        self._shown = 0  # the length of the line
        self._width = shutil.get_terminal_size().columns - 1
        #: the width that is left for a line of the program
        self.columns = 200 if self._to is None else max(20, self._width - len(self._line(0, "")))

    def _line(self, share: float, text: str) -> str:
        return f"{self._title}: {int(100 * share):3} % |{'#' * int(10 * share):<10}| {text}"

    def take(self, line: str) -> None:
        """Shows a line of the program, if it is about progress."""
        found = re.match(r"level +(\d+): ([\d,]+ positions?, )?", line)
        if found is None:
            return
        finished = int(found.group(1)) + (1 if found.group(2) else 0)
        self._show(min(1.0, sum(self._sizes[:finished]) / max(1, sum(self._sizes))), line)

    def _show(self, share: float, text: str) -> None:
        if self._call is not None:
            self._call(share, text)
        if self._to is None:
            return
        line = self._line(share, text)[:self._width]
        self._to.write("\r" + line.ljust(self._shown))
        self._to.flush()
        self._shown = len(line)

    def end(self, text: Optional[str]) -> None:
        """Shows that all is done, if `text` is not None, and ends the line."""
        if text is not None:
            self._show(1.0, text)
        if self._to is not None and self._shown > 0:
            self._to.write("\n")
            self._to.flush()
