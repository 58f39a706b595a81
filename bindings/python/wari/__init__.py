"""Exact values of Wari (Oware, Awari, Warri) positions.

    >>> import wari
    >>> database = wari.Database("tables")            # made by `wari build --db tables`
    >>> database.value("1 1 1 1 1 1 / 1 1 1 1 1 1")
    0
    >>> database.analyse("1 1 1 1 1 1 / 1 1 1 1 1 1").moves[0].letter
    'F'

A position is twelve counts: the mover's pits A to F, then the opponent's a to f. Wherever one is
asked for, a Position will do, and so will its text, twelve numbers, or twelve bytes. A value is the
seeds the mover will still capture minus those the opponent will, if both play as well as can be.

Where there is numpy, arrays are numpy's; otherwise they are memoryviews of the same bytes.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, TypeVar, Union

import operator
import os

from . import _wari
from .errors import BadInput, Damaged, Error, Mismatch, NotCovered, Unreadable

try:
    import numpy
except ImportError:  # everything but the type of arrays is the same
    numpy = None

__all__ = ["Analysis", "BadInput", "Book", "Damaged", "Database", "Error", "Line", "LineMove", "Mismatch", "Move",
           "NotCovered", "Position", "Unreadable", "end_value", "level_size", "moves", "positions"]
__version__ = "0.1.0"

_BOOKS_ONLY = "this copy reads books only: it was built without zstd and xxHash"


def _numbers(name: str) -> Any:
    """What numbers positions: it comes with the tables."""
    if not hasattr(_wari, name):
        raise Error(_BOOKS_ONLY)
    return getattr(_wari, name)


class Position:
    """Twelve counts, seen by the player to move; at most 48 seeds. Does not change, and can be a key.

    Position("1 1 1 1 1 1 / 1 1 1 1 1 1"), Position([1] * 12), Position(bytes([1] * 12)), or a
    diagram with stores ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"). BadInput says what is wrong with a text.
    """

    __slots__ = ("_pits",)

    def __init__(self, pits: "PositionLike") -> None:
        if isinstance(pits, Position):
            self._pits = pits._pits
        elif isinstance(pits, str):
            self._pits = _wari.parse(pits)
        else:
            if isinstance(pits, memoryview) and pits.itemsize != 1:
                raise TypeError("the counts of a position are bytes, or any iterable of whole numbers")
            try:
                bytelike = isinstance(pits, (bytes, bytearray, memoryview))
                self._pits = bytes(pits) if bytelike else bytes(map(operator.index, pits))
            except ValueError:
                raise BadInput("a pit has 0 to 48 seeds") from None
            if len(self._pits) != 12 or sum(self._pits) > 48:
                raise BadInput("a position has twelve counts, at most 48 seeds in all")

    @property
    def pits(self) -> Tuple[int, ...]:
        """Seeds in A..F, a..f."""
        return tuple(self._pits)

    @property
    def seeds(self) -> int:
        """Seeds on the board."""
        return sum(self._pits)

    @property
    def number(self) -> int:
        """Its place in level(seeds). BadInput where it has none: no move leads to it."""
        return _numbers("number")(self._pits)

    def moves(self, rules: str = "awari") -> List["Move"]:
        """The legal moves in the order A..F; see moves()."""
        return moves(self, rules)

    def __bytes__(self) -> bytes:
        return self._pits

    def __str__(self) -> str:
        return " / ".join(" ".join(map(str, half)) for half in (self._pits[:6], self._pits[6:]))

    def __repr__(self) -> str:
        return f"Position('{self}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._pits == other._pits

    def __hash__(self) -> int:
        return hash(self._pits)


PositionLike = Union[Position, str, bytes, Iterable[int]]


class Move(NamedTuple):
    """A legal move."""

    pit: int  #: 0..5 for A..F
    captured: int  #: seeds; 0 where the move ends the game by a slam
    ends: bool  #: the move itself ends the game
    again: bool  #: the same player moves next
    next: Position  #: seen by the player to move next; of no meaning where the move ends the game
    value: Optional[int]  #: of the position before, if this is played; None without tables

    @property
    def letter(self) -> str:
        """'A' to 'F'."""
        return "ABCDEF"[self.pit]


class Analysis(NamedTuple):
    """A position with all its moves."""

    value: int  #: for the mover
    moves: Tuple[Move, ...]  #: best first; none: the game is over


class Line(NamedTuple):
    """Best play by both sides. Captures (minus those of the opponent) and `rest` make the value."""

    moves: Tuple["LineMove", ...]
    end: str  #: "over", "slam", "repeats" (the move leads back to an earlier position) or "cut"
    rest: int  #: what the end adds for the side to move first, seeds


class LineMove(NamedTuple):
    """A move of a line of best play."""

    pit: int  #: 0..5
    opponent: bool  #: played by the opponent of the side to move first
    captured: int  #: seeds

    @property
    def letter(self) -> str:
        """'A' to 'F', 'a' to 'f' for the opponent."""
        return ("abcdef" if self.opponent else "ABCDEF")[self.pit]


def _analysis(found: Any, valued: bool = True) -> Analysis:
    value, list_of_moves = found
    return Analysis(value, tuple(
        Move(pit, captured, ends, again, Position(after),
             worth if valued else (end_value if ends else None))
        for pit, captured, ends, again, end_value, after, worth in list_of_moves))


def moves(position: PositionLike, rules: str = "awari") -> List[Move]:
    """The legal moves in the order A..F, without tables: `value` is that of moves that end the game.

    Where there are none the game is over, and end_value() is what that is worth.
    """
    return list(_analysis(_wari.moves(bytes(Position(position)), rules), valued=False).moves)


def end_value(position: PositionLike, rules: str = "awari") -> Optional[int]:
    """What the end of the game is worth for the side that has no move; None while there is one."""
    value, list_of_moves = _wari.moves(bytes(Position(position)), rules)
    return None if list_of_moves else value


def _room(shape: Tuple[int, ...], kind: str) -> Any:
    """A new array of bytes: numpy's, or a memoryview; `kind` is "b" (signed) or "B"."""
    if numpy is not None:
        return numpy.zeros(shape, dtype=numpy.int8 if kind == "b" else numpy.uint8)
    count = 1
    for length in shape:
        count *= length
    room = memoryview(bytearray(count))
    return room.cast(kind) if len(shape) == 1 or count == 0 else room.cast(kind, shape)


def _counts(many: Any) -> Any:
    """An array of positions as bytes, twelve each; arrays of bytes are not copied."""
    try:
        view = memoryview(many)
    except TypeError:
        return b"".join(bytes(Position(each)) for each in many)
    if view.itemsize != 1 or not view.c_contiguous:
        raise TypeError("positions are arrays of bytes without gaps: shape (n, 12), uint8, such as "
                        "numpy.ascontiguousarray(array, dtype=numpy.uint8)")
    if view.nbytes % 12 != 0 or (view.ndim > 1 and view.shape[-1] != 12):
        raise ValueError(f"positions are arrays of shape (n, 12), not {view.shape}")
    return view


_CACHE_BYTES_MAX = 1 << 40  # more than machines have; what is beyond is a mistake
_Self = TypeVar("_Self", bound="_Tables")


class _Tables:
    """What databases and books have in common. Any number of threads may use one at once."""

    _tables: Any
    rules: str  #: the rule set, such as "awari"
    cycle: str  #: what play that never ends is worth: "even" or "own"
    seeds_max: int  #: positions with 0 to so many seeds are covered

    def value(self, position: PositionLike) -> int:
        """The exact value for the mover, -n..n for n seeds on the board.

        NotCovered: more seeds than the tables reach. Damaged: a block failed its hash.
        """
        return self._tables.value(bytes(Position(position)))

    def analyse(self, position: PositionLike) -> Analysis:
        """The value and all moves with theirs, best first. Fails like value()."""
        return _analysis(self._tables.analyse(bytes(Position(position))))

    def probe_many(self, positions: Any) -> Any:
        """Values of many positions: an array of n signed bytes, shape (n,), int8.

        `positions` is an array of shape (n, 12), uint8, which is not copied, or an iterable of
        positions. A database reads each block once, in whatever order they stand. Fails like
        value(), on the first position that cannot be answered.
        """
        counts = _counts(positions)
        values = _room((memoryview(counts).nbytes // 12,), "b")
        self._tables.probe_many(counts, values)
        return values

    def close(self) -> None:
        """Lets go of files and memory. RuntimeError while another thread is using them."""
        self._tables.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Database(_Tables):
    """The tables of one variant in a folder.

    `rules` and `cycle` choose among several: a rule set such as "abapa", or a name that people know,
    such as "tournament". `cache_bytes`, a TiB at most, bounds the cache of decoded blocks; 0: 64 MiB.
    Unreadable, Damaged, Mismatch where the folder has no such tables, or BadInput where the name
    means another cycle.

    A database is open until close(), or to the end of a `with`.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"], rules: Optional[str] = None,
                 cycle: Optional[str] = None, *, cache_bytes: int = 0) -> None:
        if not hasattr(_wari, "Database"):
            raise Error(_BOOKS_ONLY)
        if not 0 <= operator.index(cache_bytes) <= _CACHE_BYTES_MAX:
            raise BadInput(f"cache_bytes is 0 to {_CACHE_BYTES_MAX}, not {cache_bytes}")
        self.folder = os.fspath(folder)  #: as given
        self._tables = _wari.Database(self.folder, *self._choose(rules, cycle), cache_bytes)
        #: positions that are stored, in all levels; bytes of all files
        self.rules, self.cycle, self.seeds_max, self.positions, self.file_bytes = self._tables.info()

    def _choose(self, rules: Optional[str], cycle: Optional[str]) -> Tuple[str, str]:
        if rules is not None:
            rules, cycle = _wari.variant(rules, cycle)
        there = _wari.variants(self.folder)
        fits = [each for each in there if rules in (None, each[0]) and cycle in (None, each[1])]
        if len(fits) == 1:
            return fits[0]
        wanted = " ".join(filter(None, (rules, cycle))) or "any"
        names = ", ".join(map(" ".join, there)) or "none"
        raise Mismatch(f"{self.folder}: which tables? Asked for {wanted}, and there are: {names}")

    def level(self, seeds: int, first: int = 0, count: Optional[int] = None) -> Any:
        """Values of stored positions of a level: shape (count,), int8, in the order of positions().

        The array is filled by the library, nothing is copied. All of the level where `count` is
        None: level_size(seeds) bytes. NotCovered: no such level; BadInput: no such numbers.
        """
        self._tables.values(seeds, 0, bytearray())  # none: is the level there?
        values = _room((_count(seeds, first, count),), "b")
        self._tables.values(seeds, first, values)
        return values

    def histogram(self, seeds: int) -> Dict[int, int]:
        """How many of the C(seeds + 11, 11) placements have each value that occurs."""
        return self._tables.histogram(seeds)

    def line(self, position: PositionLike) -> Line:
        """Best play until the game is over, a position repeats, or 400 moves. Fails like value()."""
        found, end, rest = self._tables.line(bytes(Position(position)))
        return Line(tuple(LineMove(*move) for move in found), ("over", "slam", "repeats", "cut")[end], rest)


class Book(_Tables):
    """A book: all values of one variant in a file (`wari book`), or in bytes that are given.

    Of a file only what is asked for is read. Unreadable, Damaged, Mismatch for another format
    version, or BadInput for what is no regular file.

    A book is open until close(), or to the end of a `with`.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]) -> None:
        self._tables = _wari.Book(source, isinstance(source, (str, os.PathLike)))
        self.rules, self.cycle, self.seeds_max = self._tables.info()

    def check(self) -> int:
        """Reads the whole book; its hash, FNV-1a with 64 bits. Damaged where anything is wrong."""
        return self._tables.check()


def level_size(seeds: int) -> int:
    """Stored positions with so many seeds: those that a move can lead to. 0: no such level."""
    return _numbers("level_size")(seeds)


def _count(seeds: int, first: int, count: Optional[int]) -> int:
    """How many positions are asked for, of those that there are: nothing has to make room for others."""
    size = level_size(seeds)
    if size == 0:
        raise BadInput(f"there is no level {seeds}, only 0 to 48")
    first = operator.index(first)
    asked = size - first if count is None else operator.index(count)
    if not (0 <= first <= size and 0 <= asked <= size - first):
        wanted = "those" if count is None else count
        raise BadInput(f"level {seeds} has {size} stored positions, not {wanted} from number {first} on")
    return asked


def positions(seeds: int, first: int = 0, count: Optional[int] = None) -> Any:
    """Stored positions of a level in their order: shape (count, 12), uint8. BadInput: no such numbers."""
    room = _room((_count(seeds, first, count), 12), "B")
    _numbers("numbered")(seeds, first, room)
    return room
