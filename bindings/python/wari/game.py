"""Positions and moves, without tables."""

import operator
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _wari
from .errors import BadInput, Error

PITS = "ABCDEFabcdef"  #: the names of the twelve counts of a position, in their order
SIDES = (None, "South", "North")

_BOOKS_ONLY = "this installation can only read books: it was built without zstd and xxHash"


def database_part(name: str) -> Any:
    """Returns a part of the extension module that exists only together with Database."""
    if not hasattr(_wari, name):
        raise Error(_BOOKS_ONLY)
    return getattr(_wari, name)


class Position:
    """Twelve counts, seen by the player to move; at most 48 seeds in all. Immutable and hashable.

    A position is made from a text, from numbers or from bytes: Position("1 1 1 1 1 1 / 1 1 1 1 1 1"),
    Position([1] * 12), Position(bytes([1] * 12)). The text may also have stores and a side to move
    ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"). `side` is "South" or "North"; only the letters of the moves depend on
    it, so positions are equal if their counts are equal. Raises BadInput if the position is not valid, or if
    the text names another side than `side`.

    Iteration gives the twelve counts, and numpy.array(position) is an array of them.
    """

    __slots__ = ("_pits", "_side")

    def __init__(self, pits: "PositionLike", side: Optional[str] = None) -> None:
        self._pits: bytes
        given: Optional[str] = None
        if isinstance(pits, Position):
            self._pits, given = pits._pits, pits.side
        elif isinstance(pits, str):
            self._pits, given = _wari.parse(pits)
        else:
            if isinstance(pits, memoryview) and pits.itemsize != 1:
                raise TypeError("the counts of a position must be bytes, or an iterable of whole numbers")
            if not hasattr(pits, "__iter__"):
                raise TypeError(f"a position is a text, twelve bytes or twelve whole numbers, not {type(pits).__name__}")
            try:
                bytelike = isinstance(pits, (bytes, bytearray, memoryview))
                self._pits = bytes(pits) if bytelike else bytes(map(operator.index, pits))
            except ValueError:
                raise BadInput("a pit must have 0 to 48 seeds") from None
            if len(self._pits) != 12 or sum(self._pits) > 48:
                raise BadInput("a position must have twelve counts and at most 48 seeds in all")
        if side not in SIDES:
            raise BadInput(f"the side to move must be 'South', 'North' or None, not {side!r}")
        if side is not None and given not in (None, side):
            raise BadInput(f"{given} is to move in this position, not {side}")
        self._side: Optional[str] = given if side is None else side

    @property
    def pits(self) -> Tuple[int, ...]:
        """The seeds in A..F and a..f."""
        return tuple(self._pits)

    @property
    def side(self) -> Optional[str]:
        """The side to move, "South" or "North"; None if it is not known. Moves of North have the letters a to f."""
        return self._side

    @property
    def seeds(self) -> int:
        """The number of seeds on the board."""
        return sum(self._pits)

    @property
    def number(self) -> int:
        """The index of the position in level(seeds). Raises BadInput if the position is not stored, because no pit of the opponent
        is empty."""
        return int(database_part("number")(self._pits))

    def moves(self, rules: str) -> "List[Move]":
        """The legal moves in the order A..F; see moves()."""
        return moves(self, rules)

    def __iter__(self) -> Iterator[int]:
        return iter(self._pits)

    def __len__(self) -> int:
        return 12

    def __getitem__(self, at: Any) -> Any:
        return self.pits[at]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        if copy is False:
            raise ValueError("an array of the counts of a position is always a copy")
        return numpy.array(bytearray(self._pits), dtype=numpy.uint8 if dtype is None else dtype)

    def __bytes__(self) -> bytes:
        return self._pits

    def __str__(self) -> str:
        return " / ".join(" ".join(map(str, half)) for half in (self._pits[:6], self._pits[6:]))

    def __repr__(self) -> str:
        return f"Position('{self}')" if self._side is None else f"Position('{self}', side='{self._side}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._pits == other._pits

    def __hash__(self) -> int:
        return hash(self._pits)


PositionLike = Union[Position, str, bytes, Iterable[int]]


def _letter(pit: int, north: bool) -> str:
    return PITS[pit + 6 if north else pit]


class Move(NamedTuple):
    """A legal move."""

    pit: int  #: 0..5 for A..F
    captured: int  #: the number of captured seeds; 0 if the move is a grand slam that ends the game
    ends: bool  #: the move itself ends the game
    again: bool  #: the same player moves next
    next: Position  #: the position after the move, seen by the player to move next; undefined if the move ends the game
    value: Optional[int]  #: the value for the mover if this move is played; None without tables
    north: bool = False  #: North makes the move

    @property
    def letter(self) -> str:
        """'A' to 'F'; 'a' to 'f' for a move of North."""
        return _letter(self.pit, self.north)


class Analysis(NamedTuple):
    """A position with all its moves."""

    value: int  #: the value of the position for the mover
    moves: Tuple[Move, ...]  #: best first; empty if the game is over


class LineMove(NamedTuple):
    """A move of a line of best play."""

    pit: int  #: 0..5 for A..F
    opponent: bool  #: played by the opponent of the side to move first
    captured: int  #: the number of captured seeds
    north: bool  #: North makes the move; South moves first if the sides are not known

    @property
    def letter(self) -> str:
        """'A' to 'F'; 'a' to 'f' for a move of North."""
        return _letter(self.pit, self.north)


class Line(NamedTuple):
    """A line of best play by both sides.

    The value of its first position is the number of seeds that the side to move first captures in the line, minus the number
    that its opponent captures, plus `rest`.
    """

    moves: Tuple[LineMove, ...]
    end: str  #: "over", "slam", "repeats" (the move leads back to an earlier position) or "cut"
    rest: int  #: seeds that the end of the line adds for the side to move first


def analysis_of(position: Position, found: Any, valued: bool = True) -> Analysis:
    """Converts the result of the extension module for a position. `valued` is true if the result has values of moves."""
    value, list_of_moves = found
    side = position.side
    other = {None: None, "South": "North", "North": "South"}[side]
    return Analysis(value, tuple(
        Move(pit, captured, ends, again, Position(after, side if again else other),
             worth if valued else (end_value if ends else None), side == "North")
        for pit, captured, ends, again, end_value, after, worth in list_of_moves))


def line_of(position: Position, found: Any) -> Line:
    """Converts the line that the extension module found for a position."""
    list_of_moves, end, rest = found
    first = position.side == "North"
    return Line(tuple(LineMove(pit, opponent, captured, first != opponent) for pit, opponent, captured in list_of_moves),
                ("over", "slam", "repeats", "cut")[end], rest)


def moves(position: PositionLike, rules: str) -> List[Move]:
    """Returns the legal moves in the order A..F, without tables. Only moves that end the game have a `value`.

    `rules` is a rule set or preset, such as "awari" or "oware". Database.moves() uses the rules of the
    database. If there are no moves, the game is over, and end_value() returns its value.
    """
    position = Position(position)
    return list(analysis_of(position, _wari.moves(bytes(position), rules), valued=False).moves)


def end_value(position: PositionLike, rules: str) -> Optional[int]:
    """Returns the value of the end of the game for the side to move; None if it has a legal move."""
    value, list_of_moves = _wari.moves(bytes(Position(position)), rules)
    return None if list_of_moves else value
