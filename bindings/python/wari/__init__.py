"""Exact values of Wari (Oware, Awari, Warri) positions.

    >>> import wari
    >>> database = wari.build("tables", 12, rules="awari")      # or wari.Database("tables"), if it is built
    >>> database.value("1 1 1 1 1 1 / 1 1 1 1 1 1")
    0
    >>> database.analyse("1 1 1 1 1 1 / 1 1 1 1 1 1").moves[0].letter
    'F'

A position is twelve counts: the mover's pits A to F, then the opponent's a to f. Every function that
takes a position accepts a Position, its text, twelve numbers, or twelve bytes. A value is the number of
seeds that the mover will still capture minus those that the opponent will, with best play by both.

The tables of a variant (a rule set and a rule for endless play) are all its values up to some number of
seeds. A Database has them in the files of a folder, a Book in one file or in memory.

Stored positions and placements. A placement is any way to put n seeds into twelve pits; there are
C(n + 11, 11) of them. After a move, a pit of the player who moved is empty; only such positions are stored
and numbered. level() and Database.level() return the stored positions of a level and their values;
placements() and Database.placements() return all placements and their values. Database.histogram() counts
placements, as published figures do.

Arrays are NumPy arrays if NumPy is installed; otherwise they are memoryviews of the same bytes.
Database.level_frame() needs pandas, Database.level_table() and Database.write_parquet() need pyarrow.

Threads and processes: any number of threads may use a database or book at once. A child process that
os.fork() creates, such as a worker of multiprocessing with the start method "fork", may use and close
the databases and books of its parent, even if threads of the parent were using them at that moment.
Databases and books cannot be pickled, so a worker that is started in another way ("spawn",
"forkserver") must open its own.
"""

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple, TypeVar, Union

import json
import operator
import os
import warnings

from . import _wari, bulk, program
from .bulk import level, level_size, placements, placements_size
from .errors import BadInput, Damaged, Error, Mismatch, MissingLevels, NotCovered, Unreadable, WrongValues
from .game import (PITS, Analysis, Line, LineMove, Move, Position, PositionLike, analysis_of, database_part, end_value,
                   line_of, moves)

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    import pyarrow  # type: ignore[import]

    from .bulk import ValueArray

__all__ = ["Analysis", "BadInput", "Book", "Damaged", "Database", "Error", "Line", "LineMove", "Mismatch", "MissingLevels",
           "Move", "NotCovered", "Position", "Proof", "Unreadable", "WrongValues", "build", "end_value", "level",
           "level_size", "moves", "placements", "placements_size"]
__version__ = "0.1.0"

Folder = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_CACHE_BYTES_MAX = 1 << 40  # more memory than any machine has
_NO_DEFAULT: Any = object()  # the argument `default` if the caller gives none
_Self = TypeVar("_Self", bound="_Tables")


class _Tables:
    """Common base of databases and books. Any number of threads may use an object at once."""

    _tables: Any
    rules: str  #: the rule set, such as "awari"
    cycle: str  #: the rule for endless play: "even" or "own"
    seeds_max: int  #: the largest number of seeds covered

    def value(self, position: PositionLike) -> int:
        """Returns the exact value for the mover, -n..n for n seeds on the board.

        Raises NotCovered if the position has more seeds than the tables, and Damaged if the part of a file that
        has the value has the wrong hash.
        """
        return int(self._tables.value(bytes(Position(position))))

    def analyse(self, position: PositionLike) -> Analysis:
        """Returns the value, and all moves with their values, best first. Fails like value()."""
        position = Position(position)
        return analysis_of(position, self._tables.analyse(bytes(position)))

    def moves(self, position: PositionLike) -> List[Move]:
        """Returns the legal moves in the order A..F, by the rules of these tables but without their values; see moves()."""
        return moves(position, self.rules)

    def end_value(self, position: PositionLike) -> Optional[int]:
        """Returns the value of the end of the game by the rules of these tables; None if there is a legal move."""
        return end_value(position, self.rules)

    def probe_many(self, positions: Any, *, default: Any = _NO_DEFAULT) -> "ValueArray":
        """Returns the values of many positions: an array of shape (n,) and type int8.

        `positions` is an array of shape (n, 12) and type uint8, which is not copied, an array of other whole
        numbers, a DataFrame or Arrow table with columns A to F and a to f (further columns are ignored) or
        with one column of texts, or an iterable of positions, such as a list of texts. They may be in any
        order. Each chunk of a file is read only once.

        Fails like value() if a position has no value; the text of the error names the row of the position, and
        the attribute `row` is its number. If `default` is given, a position that the tables do not cover is no
        error. With None, the value is masked: the result is a numpy.ma.MaskedArray, whose tolist() has None
        there. Any whole number from -128 to 127 takes the place of the value; -128 can be told apart from all
        values. With another number, such as math.nan, the array has the type float64. (Without NumPy, the
        result of a call with `default` is a list.)
        """
        counts = bulk.counts(positions)
        if default is not _NO_DEFAULT:
            bulk.check_default(default)
            inside, covered = bulk.covered_rows(counts, self.seeds_max)
            return bulk.marked(self.probe_many(inside), covered, default)  # type: ignore[no-any-return]
        values = bulk.new_array((memoryview(counts).nbytes // 12,), "b")
        try:
            self._tables.probe_many(counts, values)
        except Error as problem:
            raise bulk.in_row(problem) from None
        return values  # type: ignore[no-any-return]

    def placements(self, seeds: int, first: int = 0, count: Optional[int] = None) -> "ValueArray":
        """Returns the values of placements, in the order of placements(): an array of shape (count,) and type int8.

        If `count` is None, the array has all placements from `first` on. Raises NotCovered if the level does
        not exist, and BadInput if the numbers are out of range.
        """
        self._check_level(seeds)
        count = bulk.requested(seeds, placements_size(seeds), "placements", first, count)
        values = bulk.new_array((count,), "b")
        for at in range(0, count, bulk.ROWS):
            rows = min(bulk.ROWS, count - at)
            self._tables.probe_many(placements(seeds, first + at, rows), values[at:at + rows])
        return values  # type: ignore[no-any-return]

    def _check_level(self, seeds: int) -> None:
        seeds = operator.index(seeds)
        if not 0 <= seeds <= self.seeds_max or seeds == 47:
            raise NotCovered(f"there is no level {seeds}; the tables have the levels up to {self.seeds_max}")

    def _describe(self, source: str) -> str:
        return f"<wari.{type(self).__name__} {source}: {self.rules} {self.cycle}, 0 to {self.seeds_max} seeds>"

    def close(self) -> None:
        """Closes the files and releases memory. Raises RuntimeError if another thread is using the object."""
        self._tables.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Proof(NamedTuple):
    """The result of Database.verify()."""

    seeds_max: int  #: all levels up to this one have exact values
    positions: int  #: the number of stored positions that were checked
    by_record: int  #: the levels up to this one were proved earlier, so only their hashes were compared; -1: no level was


class Database(_Tables):
    """The tables of one variant in a folder.

    If the folder has several variants, `rules` and `cycle` select one: a rule set such as "abapa", or a
    preset such as "tournament". `cache_bytes` limits the cache of decoded values, to a TiB at most; 0
    means 64 MiB. Raises Unreadable, Damaged, Mismatch if the folder has no such tables or several that
    match, or BadInput if the preset contradicts `cycle`.

    If the files of some levels that the folder's catalogue lists are missing, the database has all levels
    below the lowest missing one, and no others. `missing` names the missing levels, and opening such a
    folder issues the warning MissingLevels.

    A database stays open until close() is called or its `with` block ends.
    """

    def __init__(self, folder: Folder, rules: Optional[str] = None, cycle: Optional[str] = None, *,
                 cache_bytes: int = 0) -> None:
        opened = database_part("Database")
        if not 0 <= operator.index(cache_bytes) <= _CACHE_BYTES_MAX:
            raise BadInput(f"cache_bytes must be 0 to {_CACHE_BYTES_MAX}, not {cache_bytes}")
        self.folder = os.fspath(folder)  #: as given
        self._tables = opened(self.folder, *self._choose(rules, cycle), cache_bytes)
        self._path = os.path.abspath(self.folder)  # the working directory may change
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
            raise Mismatch(f"{self.folder!s}: several databases here; name one, such as "
                           f"rules={fits[0][0]!r}, cycle={fits[0][1]!r} (there are: {names})")
        names = ", ".join(map(" ".join, there)) or "none"
        raise Mismatch(f"{self.folder!s}: no tables for {wanted}; available are: {names}")

    def __repr__(self) -> str:
        return self._describe(repr(self.folder))

    @property
    def levels(self) -> Tuple[int, ...]:
        """The numbers of seeds of all levels: 0 to seeds_max, except 47, which does not occur in a game."""
        return tuple(seeds for seeds in range(self.seeds_max + 1) if seeds != 47)

    @property
    def hashes(self) -> Dict[int, str]:
        """The payload hash of each level: 16 hexadecimal digits, as in `wari stats` and in published lists."""
        return {seeds: f"{self._tables.payload_hash(seeds):016x}" for seeds in self.levels}

    @property
    def proved(self) -> int:
        """The last level that verify() or `wari verify` has proved, together with all levels below it; -1 if there is none.

        This number comes from the record of proofs in the folder, which is read each time. The record is not
        a signature: it is no protection against forgery. Raises Damaged, Mismatch or Unreadable if the record
        cannot be used.
        """
        return int(self._tables.proved(self._path))

    def verify(self, *, threads: Optional[int] = None, memory: Union[int, str, None] = None, anew: bool = False,
               record: bool = True, progress: program.Progress = False) -> Proof:
        """Proves the values of the levels that are in the folder now. Runs the program `wari`, whose code for proofs
        shares nothing with the code that solves levels.

        A record in the folder says which levels were proved before. For these levels, only hashes are
        compared, unless `anew` is true. With record=False, the record is neither read nor written, so that
        the folder may be read-only. `threads`, `memory`, `progress` and Ctrl-C have the same meaning as for
        build().

        Raises WrongValues if a value is wrong, and the same errors as build().
        """
        arguments = ["--db", self._path, "--rules", self.rules, "--cycle", self.cycle, "--json"]
        arguments += ["--anew"] * bool(anew) + ["--no-record"] * (not record) + _limits(threads, memory)
        bar = program.Bar(f"proving {self.rules} {self.cycle}", [level_size(seeds) for seeds in self.levels], progress)
        done = None
        try:
            code, output = program.run("verify", arguments, bar, (0, 1))
            found = json.loads(output)
            if code != 0:
                raise WrongValues(_difference(os.fsdecode(self.folder), found))
            done = f"{found['positions']:,} positions checked"
        finally:
            bar.end(done)
        seeds_max = found["levels"] - 1
        return Proof(seeds_max if seeds_max < 47 else 48, found["positions"], found["by_record"])

    def level(self, seeds: int, first: int = 0, count: Optional[int] = None) -> "ValueArray":
        """Returns the values of stored positions of a level, in the order of the function level(): an array of
        shape (count,) and type int8.

        The library fills the array directly. If `count` is None, the array has all positions from `first`
        on; the whole level takes level_size(seeds) bytes. Raises NotCovered if the level does not exist,
        and BadInput if the numbers are out of range.
        """
        self._tables.values(seeds, 0, bytearray())  # reads nothing, but checks that the level exists
        count = bulk.requested(seeds, level_size(seeds), "stored positions", first, count)
        values = bulk.new_array((count,), "b")
        for at in range(0, count, bulk.ROWS):
            self._tables.values(seeds, first + at, values[at:at + bulk.ROWS])
        return values  # type: ignore[no-any-return]

    def level_frame(self, seeds: int, first: int = 0, count: Optional[int] = None) -> "pandas.DataFrame":
        """Returns stored positions of a level and their values as a pandas DataFrame: the columns A to F and a to f (uint8)
        and `value` (int8). The index is the number of the position. Fails like level()."""
        import pandas

        values = self.level(seeds, first, count)
        frame = pandas.DataFrame(level(seeds, first, len(values)), columns=list(PITS))
        frame["value"] = values
        frame.index = pandas.RangeIndex(operator.index(first), first + len(values), name="number")
        return frame

    def level_table(self, seeds: int, first: int = 0, count: Optional[int] = None) -> "pyarrow.Table":
        """Returns what level_frame() returns as an Arrow table, without the numbers of the positions. Needs NumPy and pyarrow."""
        import pyarrow

        values = self.level(seeds, first, count)
        columns = dict(zip(PITS, level(seeds, first, len(values)).T.copy()))
        return pyarrow.table({**columns, "value": values})

    def write_parquet(self, seeds: int, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the stored positions of a level and their values to a Parquet file, with the columns of level_table().

        Handles a million positions at a time, so that memory suffices for any level. The file appears when it
        is complete. Needs NumPy and pyarrow. Fails like level(), and with the errors of pyarrow.
        """
        from pyarrow import parquet

        unfinished = os.fsdecode(path) + ".unfinished"
        size = level_size(seeds)
        table = self.level_table(seeds, 0, min(size, bulk.ROWS))
        try:
            with parquet.ParquetWriter(unfinished, table.schema) as writer:
                writer.write_table(table)
                for at in range(bulk.ROWS, size, bulk.ROWS):
                    writer.write_table(self.level_table(seeds, at, min(bulk.ROWS, size - at)))
            os.replace(unfinished, path)
        except BaseException:
            if os.path.exists(unfinished):
                os.remove(unfinished)
            raise

    def histogram(self, seeds: int) -> Dict[int, int]:
        """Returns how many of the C(seeds + 11, 11) placements have each value that occurs."""
        return self._tables.histogram(seeds)  # type: ignore[no-any-return]

    def line(self, position: PositionLike) -> Line:
        """Returns a line of best play until the game is over, a position repeats, or 400 moves. Fails like value()."""
        position = Position(position)
        return line_of(position, self._tables.line(bytes(position)))


class Book(_Tables):
    """A book: all values of one variant, in a file made by `wari book` or in bytes.

    Only the parts of a file that are needed are read. Raises Unreadable, Damaged, Mismatch if the book has
    another format version, or BadInput if the path is not a regular file.

    A book stays open until close() is called or its `with` block ends.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]) -> None:
        in_file = isinstance(source, (str, os.PathLike))
        self._tables = _wari.Book(source, in_file)
        self._source = repr(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "in memory"
        self.rules, self.cycle, self.seeds_max = self._tables.info()

    def __repr__(self) -> str:
        return self._describe(self._source)

    def check(self) -> int:
        """Reads the whole book and returns its hash (64-bit FNV-1a). Raises Damaged if anything is wrong."""
        return int(self._tables.check())


def _limits(threads: Optional[int], memory: Union[int, str, None]) -> List[str]:
    """Returns the options of the program that limit its threads and its memory."""
    options = [] if threads is None else ["--threads", str(operator.index(threads))]
    if memory is not None:
        options += ["--memory", memory if isinstance(memory, str) else str(operator.index(memory))]
    return options


def _difference(folder: str, found: Any) -> str:
    """Returns a message about the first wrong value that the program found."""
    if not found["first"]:
        return f"{folder}: {found['text']}"
    first = found["first"][0]
    position = Position(first["position"])
    why = "no play can force it" if first.get("ungrounded") else f"the best move gives {first['expected']}"
    return (f"{folder}: {found['differences']} values with {position.seeds} seeds are wrong, such as that of {position}: "
            f"the table has {first['value']}, but {why}")


def build(folder: Folder, seeds: int, rules: str, cycle: Optional[str] = None, *, threads: Optional[int] = None,
          memory: Union[int, str, None] = None, replace_damaged: bool = False, progress: program.Progress = False,
          cache_bytes: int = 0) -> Database:
    """Solves the levels 0 to `seeds` that the folder lacks, and returns the database, opened with `cache_bytes`.

    `rules` is a rule set or preset, such as "awari" or "oware". `cycle` is the rule for endless play, "even"
    or "own"; the default is the rule of the preset, or "even" without a preset. The folder is created if it does not exist.

    `threads` is the number of threads; by default, there is one for each processor. `memory` is a number of
    bytes, or a text such as "2G"; by default, the build may use the memory that the machine has available. A
    build that would not fit into memory or onto the disk is refused. With `replace_damaged`, all files are
    checked first, and damaged levels are solved again.

    If `progress` is True, a line on sys.stderr shows the progress and the time that is left. If it is a
    function, it is called as progress(share, text) about five times a second; `share` is the number of
    positions in finished levels, divided by the number of all positions. Ctrl-C (KeyboardInterrupt), or an
    exception in that function, stops the build within about a second: finished levels are kept, and the same
    call continues from there.

    A separate process does the work. It runs the program that WARI_PROGRAM in the environment names; if that
    is not set, the program that was installed with this package; or else the program `wari` on the PATH. On
    Linux, if this Python process is killed, the system interrupts the program, too. On other systems, the
    program then continues until it has finished.

    Raises BadInput; Damaged if an existing level is damaged; Unreadable if reading or writing fails, the disk
    is full or another build is running in the folder; MemoryError; or Mismatch.
    """
    database_part("Database")
    chosen, fixed = _wari.variant(rules, cycle)
    seeds = operator.index(seeds)
    path = os.fspath(folder)
    if not path:
        raise BadInput("the name of the folder is empty")
    arguments = ["--db", path, "--seeds", str(seeds), "--rules", chosen, "--cycle", fixed or "even"]
    arguments += ["--replace-damaged"] * bool(replace_damaged) + _limits(threads, memory)
    sizes = [level_size(n) if n != 47 else 0 for n in range(min(seeds, 48) + 1)]
    bar = program.Bar(f"building {chosen} {fixed or 'even'}", sizes, progress)
    done = None
    try:
        program.run("build", arguments, bar)
        done = f"levels 0 to {seeds}"
    finally:
        bar.end(done)
    return Database(path, chosen, fixed or "even", cache_bytes=cache_bytes)
