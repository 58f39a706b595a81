"""Exact values of Wari (Oware, Awari, Warri) positions.

    >>> import wari
    >>> database = wari.Database("tables")            # made by `wari build --db tables`
    >>> database.value("1 1 1 1 1 1 / 1 1 1 1 1 1")
    0
    >>> database.analyse("1 1 1 1 1 1 / 1 1 1 1 1 1").moves[0].letter
    'F'

A position is twelve counts: the mover's pits A to F, then the opponent's a to f. Every function that
takes a position accepts a Position, its text, twelve numbers, or twelve bytes. A value is the number of
seeds that the mover will still capture minus those that the opponent will, with best play by both.

Arrays are NumPy arrays if NumPy is installed; otherwise they are memoryviews of the same bytes.

Threads and processes: any number of threads may use a database or book at once. A child process that
os.fork() creates, such as a worker of multiprocessing with the start method "fork", may use and close
the databases and books of its parent, even if threads of the parent were using them at that moment.
Databases and books cannot be pickled, so a worker that is started in another way ("spawn",
"forkserver") must open its own.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, TypeVar, Union

import operator
import os
import warnings

from . import _wari
from .errors import BadInput, Damaged, Error, Mismatch, MissingLevels, NotCovered, Unreadable

try:
    import numpy
except ImportError:  # only the type of arrays differs
    numpy = None

__all__ = ["Analysis", "BadInput", "Book", "Damaged", "Database", "Error", "Line", "LineMove", "Mismatch",
           "MissingLevels", "Move", "NotCovered", "Position", "Unreadable", "end_value", "level_size", "moves", "positions"]
__version__ = "0.1.0"

_BOOKS_ONLY = "this installation can only read books: it was built without zstd and xxHash"


def _number_function(name: str) -> Any:
    """Returns a function that deals with the numbers of positions; they exist only together with Database."""
    if not hasattr(_wari, name):
        raise Error(_BOOKS_ONLY)
    return getattr(_wari, name)


class Position:
    """Twelve counts, seen by the player to move; at most 48 seeds in all. Immutable and hashable.

    Position("1 1 1 1 1 1 / 1 1 1 1 1 1"), Position([1] * 12), Position(bytes([1] * 12)), or a
    diagram with stores ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"). Raises BadInput if the position is not valid.
    """

    __slots__ = ("_pits",)

    def __init__(self, pits: "PositionLike") -> None:
        if isinstance(pits, Position):
            self._pits = pits._pits
        elif isinstance(pits, str):
            self._pits = _wari.parse(pits)
        else:
            if isinstance(pits, memoryview) and pits.itemsize != 1:
                raise TypeError("the counts of a position must be bytes, or an iterable of whole numbers")
            try:
                bytelike = isinstance(pits, (bytes, bytearray, memoryview))
                self._pits = bytes(pits) if bytelike else bytes(map(operator.index, pits))
            except ValueError:
                raise BadInput("a pit must have 0 to 48 seeds") from None
            if len(self._pits) != 12 or sum(self._pits) > 48:
                raise BadInput("a position must have twelve counts and at most 48 seeds in all")

    @property
    def pits(self) -> Tuple[int, ...]:
        """The seeds in A..F and a..f."""
        return tuple(self._pits)

    @property
    def seeds(self) -> int:
        """The number of seeds on the board."""
        return sum(self._pits)

    @property
    def number(self) -> int:
        """The index of the position in level(seeds). Raises BadInput if no move leads to the position, which is then not stored."""
        return _number_function("number")(self._pits)

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
    captured: int  #: seeds; 0 if the move ends the game by a slam
    ends: bool  #: the move itself ends the game
    again: bool  #: the same player moves next
    next: Position  #: seen by the player to move next; undefined if the move ends the game
    value: Optional[int]  #: of the position before the move, if it is played; None without tables

    @property
    def letter(self) -> str:
        """'A' to 'F'."""
        return "ABCDEF"[self.pit]


class Analysis(NamedTuple):
    """A position with all its moves."""

    value: int  #: for the mover
    moves: Tuple[Move, ...]  #: best first; empty if the game is over


class Line(NamedTuple):
    """A line of best play by both sides. The value is the captures, minus those of the opponent, plus `rest`."""

    moves: Tuple["LineMove", ...]
    end: str  #: "over", "slam", "repeats" (the move leads back to an earlier position) or "cut"
    rest: int  #: seeds that the end of the line adds for the side to move first


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
    """Returns the legal moves in the order A..F, without tables. Only moves that end the game have a `value`.

    If there are none, the game is over, and end_value() returns its value.
    """
    return list(_analysis(_wari.moves(bytes(Position(position)), rules), valued=False).moves)


def end_value(position: PositionLike, rules: str = "awari") -> Optional[int]:
    """Returns the value of the end of the game for the side to move; None if it has a legal move."""
    value, list_of_moves = _wari.moves(bytes(Position(position)), rules)
    return None if list_of_moves else value


def _new_array(shape: Tuple[int, ...], kind: str) -> Any:
    """Returns a new array of bytes, from NumPy or as a memoryview; `kind` is "b" (signed) or "B"."""
    if numpy is not None:
        return numpy.zeros(shape, dtype=numpy.int8 if kind == "b" else numpy.uint8)
    count = 1
    for length in shape:
        count *= length
    array = memoryview(bytearray(count))
    return array.cast(kind) if len(shape) == 1 or count == 0 else array.cast(kind, shape)


def _counts(many: Any) -> Any:
    """Returns positions as bytes, twelve each. Arrays of bytes are not copied."""
    try:
        view = memoryview(many)
    except TypeError:
        return b"".join(bytes(Position(each)) for each in many)
    if view.itemsize != 1 or not view.c_contiguous:
        raise TypeError("positions must be a contiguous array of shape (n, 12) and type uint8, such as "
                        "numpy.ascontiguousarray(array, dtype=numpy.uint8)")
    if view.nbytes % 12 != 0 or (view.ndim > 1 and view.shape[-1] != 12):
        raise ValueError(f"positions must have the shape (n, 12), not {view.shape}")
    return view


_CACHE_BYTES_MAX = 1 << 40  # more memory than any machine has
_Self = TypeVar("_Self", bound="_Tables")


class _Tables:
    """Common base of databases and books. Any number of threads may use an object at once."""

    _tables: Any
    rules: str  #: the rule set, such as "awari"
    cycle: str  #: the rule for endless play: "even" or "own"
    seeds_max: int  #: the largest number of seeds covered

    def value(self, position: PositionLike) -> int:
        """Returns the exact value for the mover, -n..n for n seeds on the board.

        Raises NotCovered if the position has more seeds than the tables, and Damaged if a block has the
        wrong hash.
        """
        return self._tables.value(bytes(Position(position)))

    def analyse(self, position: PositionLike) -> Analysis:
        """Returns the value, and all moves with their values, best first. Fails like value()."""
        return _analysis(self._tables.analyse(bytes(Position(position))))

    def probe_many(self, positions: Any) -> Any:
        """Returns the values of many positions: an array of shape (n,) and type int8.

        `positions` is an array of shape (n, 12) and type uint8, which is not copied, or an iterable of
        positions in any order. A database reads each block once. Fails like value() if a position has
        no value.
        """
        counts = _counts(positions)
        values = _new_array((memoryview(counts).nbytes // 12,), "b")
        self._tables.probe_many(counts, values)
        return values

    def close(self) -> None:
        """Closes the files and releases memory. Raises RuntimeError if another thread is using the object."""
        self._tables.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Database(_Tables):
    """The tables of one variant in a folder.

    If the folder has several variants, `rules` and `cycle` select one: a rule set such as "abapa", or a
    preset such as "tournament". `cache_bytes` limits the cache of decoded blocks, to a TiB at most; 0
    means 64 MiB. Raises Unreadable, Damaged, Mismatch if the folder has no such tables or several that
    match, or BadInput if the preset contradicts `cycle`.

    If the files of some levels that the folder's catalogue lists are missing, the database has all levels
    below the lowest missing one, and no others. `missing` names the missing levels, and opening such a
    folder issues the warning MissingLevels.

    A database stays open until close() is called or its `with` block ends.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"], rules: Optional[str] = None,
                 cycle: Optional[str] = None, *, cache_bytes: int = 0) -> None:
        if not hasattr(_wari, "Database"):
            raise Error(_BOOKS_ONLY)
        if not 0 <= operator.index(cache_bytes) <= _CACHE_BYTES_MAX:
            raise BadInput(f"cache_bytes must be 0 to {_CACHE_BYTES_MAX}, not {cache_bytes}")
        self.folder = os.fspath(folder)  #: as given
        self._tables = _wari.Database(self.folder, *self._choose(rules, cycle), cache_bytes)
        #: positions: stored positions of all levels; file_bytes: size of all files
        self.rules, self.cycle, self.seeds_max, self.positions, self.file_bytes = self._tables.info()
        #: levels that the catalogue lists and whose files were missing when the database was opened, in ascending order
        self.missing: Tuple[int, ...] = self._tables.missing()
        if self.missing:
            warnings.warn(f"{self.folder!s}: these levels are listed but missing: {', '.join(map(str, self.missing))}; only "
                          f"levels up to {self.seeds_max} are used ('wari build' solves missing levels)", MissingLevels,
                          stacklevel=2)

    def _choose(self, rules: Optional[str], cycle: Optional[str]) -> Tuple[str, str]:
        if rules is not None:
            rules, cycle = _wari.variant(rules, cycle)
        there = _wari.variants(self.folder)
        fits = [each for each in there if rules in (None, each[0]) and cycle in (None, each[1])]
        if len(fits) == 1:
            return fits[0]
        wanted = " ".join(filter(None, (rules, cycle))) or "any"
        if fits:
            names = ", ".join(map(" ".join, fits))
            raise Mismatch(f"{self.folder}: several databases here; name one, such as "
                           f"rules={fits[0][0]!r}, cycle={fits[0][1]!r} (there are: {names})")
        names = ", ".join(map(" ".join, there)) or "none"
        raise Mismatch(f"{self.folder}: no tables for {wanted}; available are: {names}")

    def level(self, seeds: int, first: int = 0, count: Optional[int] = None) -> Any:
        """Returns the values of stored positions of a level, in the order of positions(): an array of shape
        (count,) and type int8.

        The library fills the array directly. If `count` is None, the array has all positions from `first`
        on; the whole level takes level_size(seeds) bytes. Raises NotCovered if the level does not exist,
        and BadInput if the numbers are out of range.
        """
        self._tables.values(seeds, 0, bytearray())  # reads nothing, but checks that the level exists
        values = _new_array((_count(seeds, first, count),), "b")
        self._tables.values(seeds, first, values)
        return values

    def histogram(self, seeds: int) -> Dict[int, int]:
        """Returns how many of the C(seeds + 11, 11) placements have each value that occurs."""
        return self._tables.histogram(seeds)

    def line(self, position: PositionLike) -> Line:
        """Returns a line of best play until the game is over, a position repeats, or 400 moves. Fails like value()."""
        found, end, rest = self._tables.line(bytes(Position(position)))
        return Line(tuple(LineMove(*move) for move in found), ("over", "slam", "repeats", "cut")[end], rest)


class Book(_Tables):
    """A book: all values of one variant, in a file made by `wari book` or in bytes.

    Only the parts of a file that are needed are read. Raises Unreadable, Damaged, Mismatch if the book has
    another format version, or BadInput if the path is not a regular file.

    A book stays open until close() is called or its `with` block ends.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]) -> None:
        self._tables = _wari.Book(source, isinstance(source, (str, os.PathLike)))
        self.rules, self.cycle, self.seeds_max = self._tables.info()

    def check(self) -> int:
        """Reads the whole book and returns its hash (64-bit FNV-1a). Raises Damaged if anything is wrong."""
        return self._tables.check()


def level_size(seeds: int) -> int:
    """Returns the number of stored positions with `seeds` seeds: those that a move can lead to. 0 if there is no such level."""
    return _number_function("level_size")(seeds)


def _count(seeds: int, first: int, count: Optional[int]) -> int:
    """Returns the number of requested positions, and checks it before any memory is allocated."""
    size = level_size(seeds)
    if size == 0:
        raise BadInput(f"there is no level {seeds}; levels are 0 to 48")
    first = operator.index(first)
    asked = size - first if count is None else operator.index(count)
    if not (0 <= first <= size and 0 <= asked <= size - first):
        wanted = "those" if count is None else count
        raise BadInput(f"level {seeds} has {size} stored positions, not {wanted} from number {first} on")
    return asked


def positions(seeds: int, first: int = 0, count: Optional[int] = None) -> Any:
    """Returns stored positions of a level in their order: an array of shape (count, 12) and type uint8.

    Raises BadInput if the numbers are out of range.
    """
    array = _new_array((_count(seeds, first, count), 12), "B")
    _number_function("numbered")(seeds, first, array)
    return array
