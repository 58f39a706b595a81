"""The exceptions, and the warning MissingLevels. Each exception is an Error, and most are built-in exceptions, too."""

from typing import Optional


class Error(Exception):
    """Base of all errors; the text says what is wrong, where, and what to do."""

    #: if a call for many positions refused one, the number of this position, counted from 0; otherwise None
    row: Optional[int] = None


class NotCovered(Error, LookupError):
    """A position with more seeds than the tables cover, or a level that does not exist."""


class BadInput(Error, ValueError):
    """A position, name or number that is not valid."""


class Damaged(Error):
    """A file is damaged, or is not of the expected kind; the text gives its name and the offset."""


class Unreadable(Error, OSError):
    """A file or folder cannot be read or written, or another process is using it."""


class Mismatch(Error, ValueError):
    """A rule set, cycle rule or format version other than the requested one."""


class WrongValues(Error):
    """A proof found values that are wrong; the text names the first one."""


class MissingLevels(UserWarning):
    """The folder lacks files of levels that its catalogue lists. The levels below them can be used."""


def of_status(status: int) -> type:
    """Returns the class for a value of `enum wari_status` (wari_game.h)."""
    return {2: NotCovered, 3: BadInput, 4: Damaged, 5: Unreadable, 6: MemoryError, 7: Mismatch}.get(status, Error)
