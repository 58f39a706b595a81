"""Arrays of positions and of values, and the conversion of lists and tables to such arrays.

An array of positions has the shape (n, 12) and the type uint8. Arrays are NumPy arrays if NumPy is
installed; otherwise they are memoryviews of the same bytes.
"""

import numbers
import operator
import re
from math import comb
from typing import TYPE_CHECKING, Any, Optional, Tuple

from . import _wari
from .errors import BadInput, Error
from .game import PITS, Position, database_part

try:
    import numpy
except ImportError:  # only the type of arrays differs
    numpy = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import numpy.typing

    PositionArray = numpy.typing.NDArray[numpy.uint8]
    ValueArray = numpy.typing.NDArray[numpy.int8]


ROWS = 1 << 20  #: positions that are handled at a time, so that memory suffices and Ctrl-C is noticed soon


def new_array(shape: Tuple[int, ...], kind: str) -> Any:
    """Returns a new array of bytes, from NumPy or as a memoryview; `kind` is "b" (signed) or "B"."""
    if numpy is not None:
        return numpy.zeros(shape, dtype=numpy.int8 if kind == "b" else numpy.uint8)
    count = 1
    for length in shape:
        count *= length
    array = memoryview(bytearray(count))
    return array.cast(kind) if len(shape) == 1 or count == 0 else array.cast(kind, shape)


# ---- The positions of a level ------------------------------------------------------------------


def level_size(seeds: int) -> int:
    """Returns the number of stored positions with `seeds` seeds: those that a move can lead to. 0 if `seeds` is not 0 to 48.

    Positions with 47 seeds have numbers, too, but they do not occur in a game, and no database has their values.
    """
    return int(database_part("level_size")(seeds))


def placements_size(seeds: int) -> int:
    """Returns the number of placements of `seeds` seeds, C(seeds + 11, 11). 0 if `seeds` is not 0 to 48."""
    seeds = operator.index(seeds)
    return comb(seeds + 11, 11) if 0 <= seeds <= 48 else 0


def requested(seeds: int, size: int, kind: str, first: int, count: Optional[int]) -> int:
    """Returns the number of requested positions, and checks it before any memory is allocated."""
    if size == 0:
        raise BadInput(f"there is no level {seeds}; a board has 0 to 48 seeds")
    first = operator.index(first)
    asked = size - first if count is None else operator.index(count)
    if not (0 <= first <= size and 0 <= asked <= size - first):
        wanted = "all" if count is None else count
        raise BadInput(f"level {seeds} has {size} {kind}; requested were {wanted} from number {first} on")
    return asked


def level(seeds: int, first: int = 0, count: Optional[int] = None) -> "PositionArray":
    """Returns stored positions of a level in their order: an array of shape (count, 12) and type uint8.

    A position is stored if a pit of the opponent is empty, as it is after every move.
    Database.level() returns the values of these positions. Raises BadInput if the numbers are out of range.
    """
    count = requested(seeds, level_size(seeds), "stored positions", first, count)
    array = new_array((count, 12), "B")
    for at in range(0, count, ROWS):
        database_part("numbered")(seeds, first + at, array[at:at + ROWS])
    return array  # type: ignore[no-any-return]


def placements(seeds: int, first: int = 0, count: Optional[int] = None) -> "PositionArray":
    """Returns placements, all ways to put `seeds` seeds into the twelve pits: an array of shape (count, 12) and type uint8.

    They are in lexicographic order. Database.placements() returns their values, and
    Database.histogram() counts them. Raises BadInput if the numbers are out of range.
    """
    count = requested(seeds, placements_size(seeds), "placements", first, count)
    array = new_array((count, 12), "B")
    for at in range(0, count, ROWS):
        _wari.placements(seeds, first + at, array[at:at + ROWS])
    return array  # type: ignore[no-any-return]


# ---- Conversion of positions ----------------------------------------------------------------------


def in_row(problem: Exception, row: Optional[int] = None) -> Exception:
    """Returns a copy of the error that names the refused row. If `row` is None, the number is the one in the library's text."""
    text = str(problem)
    if row is None:
        found = re.match(r"positions\[(\d+)\]: ", text)
        if found is None:
            return problem
        row, text = int(found.group(1)), text[found.end():]
    named = type(problem)(f"row {row}: {text}")
    if isinstance(named, Error):
        named.row = row
    return named


_TOO_MANY = "a position must have twelve counts and at most 48 seeds in all"


def _refuse(row: int, text: str) -> None:
    raise in_row(BadInput(text), row)


def _each(many: Any) -> bytes:
    """Converts an iterable of positions in any form."""
    found = []
    for row, position in enumerate(many):
        try:
            found.append(bytes(Position(position)))
        except (BadInput, TypeError) as problem:
            raise in_row(problem, row) from None
    return b"".join(found)


def _checked(array: Any) -> Any:
    """Converts an array of whole numbers that has the shape (n, 12)."""
    wrong = ((array < 0) | (array > 48)).any(axis=1)
    if wrong.any():
        _refuse(int(wrong.argmax()), "a pit must have 0 to 48 seeds")
    return numpy.ascontiguousarray(array, dtype=numpy.uint8)


def _table(many: Any, names: Any) -> Any:
    """Converts a DataFrame or an Arrow table with the columns `names`."""
    names = list(names)
    missing = [pit for pit in PITS if names.count(pit) != 1]
    if len(names) == 1 and missing:
        column = many[names[0]]
        return _each(column.to_pylist() if hasattr(column, "to_pylist") else column)
    if missing:
        raise BadInput("a table of positions must have each of the columns A to F and a to f once, or a single column of "
                       f"texts; these columns do not occur once: {', '.join(missing)}")
    columns = [numpy.asarray(many[pit]) for pit in PITS]
    kinds = {column.dtype.kind for column in columns}
    if kinds <= set("iu"):
        return _checked(numpy.stack(columns, axis=1))
    for pit, column in zip(PITS, columns):
        if column.dtype.kind not in "iuO":  # floating-point numbers, which may be a sign of missing counts
            missing_rows = numpy.flatnonzero(column != column) if column.dtype.kind == "f" else ()
            where = f" (row {missing_rows[0]} has no count)" if len(missing_rows) else ""
            raise TypeError(f"column {pit} has the type {column.dtype}, but counts are whole numbers, such as those of "
                            f".astype('uint8'){where}")
    return _each(zip(*(column.tolist() for column in columns)))  # Python objects, or integers of pandas that may be missing


def _array(many: Any) -> Any:
    """Converts a NumPy array."""
    if numpy.ma.is_masked(many):
        raise BadInput("positions with masked counts have no value; leave out their rows")
    if many.dtype.kind in "OU":
        return _each(many.tolist())
    if many.dtype.kind not in "iub":
        raise TypeError(f"the counts of positions must be whole numbers, such as those of an array of type uint8, not {many.dtype}")
    flat = many.ndim == 1 and many.itemsize == 1 and many.size % 12 == 0  # twelve bytes for each position
    if not flat and (many.ndim != 2 or many.shape[1] != 12):
        raise ValueError(f"an array of positions must have the shape (n, 12), not {many.shape}")
    return many if many.itemsize == 1 and many.flags.c_contiguous else _checked(many.reshape(-1, 12))


def counts(many: Any) -> Any:
    """Returns positions as a contiguous array with twelve bytes for each. If `many` is such an array, it is not copied.

    `many` is a DataFrame or Arrow table with columns A to F and a to f, an array of whole numbers of the
    shape (n, 12), or an iterable of positions. If a position is refused, the error names its row. (A
    position in an array of bytes is refused only when it is looked up.)
    """
    if isinstance(many, (str, Position)):
        raise TypeError("this is one position, not a sequence of positions: use value() or analyse()")
    names = getattr(many, "column_names", getattr(many, "columns", None))
    if names is not None and numpy is not None:
        return _table(many, names)
    if numpy is not None and isinstance(many, numpy.ndarray):
        return _array(many)
    try:
        view = memoryview(many)
    except TypeError:
        return _each(many)
    if view.itemsize != 1 or not view.c_contiguous:
        raise TypeError("positions must be a contiguous array of shape (n, 12) and type uint8, such as "
                        "numpy.ascontiguousarray(array, dtype=numpy.uint8)")
    if view.nbytes % 12 != 0 or (view.shape is not None and view.ndim > 1 and view.shape[-1] != 12):
        raise ValueError(f"positions must have the shape (n, 12), not {view.shape}")
    return view


def covered_rows(many: Any, seeds_max: int) -> Tuple[Any, Any]:
    """Finds the positions that tables of up to `seeds_max` seeds cover, in a result of counts(). Returns an array of these
    positions, and one of booleans with an element for each row: true if it is covered."""
    if numpy is None:
        view = memoryview(many)
        flat = view.tobytes() if view.nbytes == 0 else view.cast("B")
        rows = [bytes(flat[at:at + 12]) for at in range(0, view.nbytes, 12)]
        for row, pits in enumerate(rows):
            if sum(pits) > 48:
                _refuse(row, _TOO_MANY)
        covered = [sum(pits) <= seeds_max and sum(pits) != 47 for pits in rows]
        return b"".join(pits for pits, fits in zip(rows, covered) if fits), covered
    array = numpy.asarray(memoryview(many)).view(numpy.uint8).reshape(-1, 12)
    seeds = array.sum(axis=1, dtype=numpy.int64)
    if (seeds > 48).any():
        _refuse(int((seeds > 48).argmax()), _TOO_MANY)
    fits = (seeds <= seeds_max) & (seeds != 47)
    return numpy.ascontiguousarray(array[fits]), fits


def check_default(default: Any) -> None:
    """Refuses a default that cannot take the place of a value."""
    if default is not None and (isinstance(default, bool) or not isinstance(default, numbers.Real)):
        raise TypeError(f"default must be None or a number, not {type(default).__name__}")


def marked(known: Any, covered: Any, default: Any) -> Any:
    """Returns an array with the values `known` in the covered rows and with `default` in the others; None masks the others."""
    if numpy is None:
        left = iter(known)
        return [next(left) if fits else default for fits in covered]
    if default is None:
        values = numpy.ma.masked_all(len(covered), numpy.int8)  # type: ignore[no-untyped-call]
    else:
        small = isinstance(default, numbers.Integral) and -128 <= int(default) <= 127
        values = numpy.full(len(covered), default, dtype=numpy.int8 if small else numpy.float64)
    values[covered] = known
    return values
