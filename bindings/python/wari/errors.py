"""What can go wrong. Each class is an Error, and what Python calls such a thing."""


class Error(Exception):
    """Anything that the library refuses; the text says what was wrong, where, and what to do."""


class NotCovered(Error, LookupError):
    """A position with more seeds than the tables reach, or a level that is not there."""


class BadInput(Error, ValueError):
    """A position, name or number that makes no sense."""


class Damaged(Error):
    """A file is damaged, or no such file at all: the text names it and the offset."""


class Unreadable(Error, OSError):
    """A file or folder cannot be read."""


class Mismatch(Error, ValueError):
    """Another rule set, cycle rule or format version than asked for."""


def of_status(status: int) -> type:
    """The class for a number of `enum wari_status` (wari_game.h)."""
    return {2: NotCovered, 3: BadInput, 4: Damaged, 5: Unreadable, 6: MemoryError, 7: Mismatch}.get(status, Error)
