"""The package answers as the published figures in data/ do, and refuses what it must.

WARI names the program that makes tables and books; run by `make test-python` from the top folder."""

import array
import ast
import csv
import errno
import fractions
import importlib
import importlib.metadata
import inspect
import os
import pathlib
import pickle
import select
import shutil
import signal
import subprocess
import sys
import threading
import types
import warnings

import numpy
import pytest

import wari

TOP = pathlib.Path(__file__).resolve().parents[3]
SEEDS = 9
ONES = "1 1 1 1 1 1 / 1 1 1 1 1 1"
POSITION = "0 1 0 0 1 0 / 0 0 0 0 0 1"  # published: 3, by B and by E


def program(*arguments):
    subprocess.run([os.environ.get("WARI", str(TOP / "build" / "wari")), *map(str, arguments)], check=True,
                   stderr=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with two variants, and a book of one."""
    folder = tmp_path_factory.mktemp("tables")
    program("build", "--db", folder, "--rules", "awari", "--seeds", SEEDS)
    program("build", "--db", folder, "--rules", "tournament", "--seeds", 5)
    program("book", "--db", folder, "--rules", "awari", "--cycle", "even", "-o", folder / "awari.book")
    return folder


@pytest.fixture(params=["database", "book", "book in memory"])
def source(request, tables):
    """All sources of values."""
    if request.param == "database":
        with wari.Database(tables, "awari") as database:
            yield database
    else:
        path = tables / "awari.book"
        yield wari.Book(path if request.param == "book" else path.read_bytes())


def published_hashes(rules, cycle):
    with open(TOP / "data" / "payload_hashes.csv", encoding="utf-8") as file:
        return {int(line["seeds"]): line["hash"] for line in csv.DictReader(file)
                if (line["rules"], line["cycle"]) == (rules, cycle)}


def published(name="awari_histograms.csv"):
    counts = {}
    with open(TOP / "data" / name, encoding="utf-8") as file:
        for line in csv.DictReader(row for row in file if not row.startswith("#")):
            counts.setdefault(int(line["seeds"]), {})[int(line["value"])] = int(line["count"])
    return counts


def placements(seeds):
    """Returns all placements as an array, by enumeration."""
    def halves(pits, left):
        if pits == 1:
            yield (left,)
            return
        for here in range(left + 1):
            for rest in halves(pits - 1, left - here):
                yield (here, *rest)
    return numpy.array(list(halves(12, seeds)), dtype=numpy.uint8)


# ---- Values -----------------------------------------------------------------------------------------


def test_all_placements_have_the_published_counts_of_values(source):
    for seeds in range(7):
        values = source.probe_many(placements(seeds))
        assert values.dtype == numpy.int8
        found = dict(zip(*(part.tolist() for part in numpy.unique(values, return_counts=True))))
        assert found == published()[seeds]


def test_the_histogram_is_the_published_one(tables):
    with wari.Database(tables, "awari") as database:
        for seeds in range(SEEDS + 1):
            assert database.histogram(seeds) == published()[seeds]


def test_a_position_and_its_moves(source):
    assert (source.rules, source.cycle, source.seeds_max) == ("awari", "even", SEEDS)
    assert source.value(POSITION) == 3
    analysis = source.analyse(POSITION)
    assert analysis.value == 3
    assert [(move.letter, move.value) for move in analysis.moves] == [("B", 3), ("E", 3)]
    assert source.value(analysis.moves[0].next) == analysis.moves[0].captured - 3
    over = source.analyse([0] * 12)
    assert over.value == 0 and over.moves == ()


def test_a_level_is_the_values_of_its_positions(tables):
    with wari.Database(tables, "awari") as database:
        for seeds in (0, 1, 6):
            positions, values = wari.level(seeds), database.level(seeds)
            # By hand: C(n+11,11) - C(n+5,11), which is 12,376 - 1 with 6 seeds.
            assert len(values) == len(positions) == wari.level_size(seeds) == {0: 1, 1: 12, 6: 12375}[seeds]
            assert (database.probe_many(positions) == values).all()
            assert wari.Position(positions[-1]).number == len(positions) - 1
        assert (database.level(6, 100, 50) == values[100:150]).all()
        assert (wari.level(6, 100, 50) == positions[100:150]).all()


def test_levels_are_read_in_parts(tables, monkeypatch):
    with wari.Database(tables, "awari") as database:
        positions, values = wari.level(6), database.level(6)
        monkeypatch.setattr(wari.bulk, "ROWS", 700)
        assert (wari.level(6) == positions).all() and (database.level(6) == values).all()
        assert (wari.level(6, 600, 1500) == positions[600:2100]).all()
        assert (database.level(6, 600, 1500) == values[600:2100]).all()


def test_arrays_are_not_copied(tables):
    with wari.Database(tables, "awari") as database:
        values = database.level(6)
        assert values.flags.owndata and values.flags.c_contiguous and values.flags.writeable
    expected = values.copy()
    assert (values == expected).all()  # they outlive the database


def test_missing_levels_are_named_and_cause_a_warning(tables, tmp_path):
    some = tmp_path / "some"
    shutil.copytree(tables, some)
    for seeds in (5, 7, 8):
        (some / f"awari-even-{seeds}.wari").unlink()
    text = r"some: these levels are listed but missing: 5, 7, 8; only levels up to 4 are used"
    with pytest.warns(wari.MissingLevels, match=text) as seen, wari.Database(some, "awari") as database:
        assert database.missing == (5, 7, 8) and database.seeds_max == 4
        assert database.value(POSITION) == 3
        with pytest.raises(wari.NotCovered, match="goes up to 4"):
            database.value([5] + [0] * 11)
    assert [warning.filename for warning in seen] == [__file__]  # the place that opens the folder


def test_nothing_is_missing_in_a_whole_folder(tables):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with wari.Database(tables, "awari") as database:
            assert database.missing == ()


def test_placements_are_all_ways_to_place_the_seeds(source):
    for seeds in range(5):
        every = placements(seeds)
        assert (wari.placements(seeds) == every).all() and wari.placements_size(seeds) == len(every)
        assert (source.placements(seeds) == source.probe_many(every)).all()
    assert (wari.placements(4, 700, 9) == placements(4)[700:709]).all()
    assert (source.placements(4, 700, 9) == source.placements(4)[700:709]).all()
    # By hand: C(59, 11).
    assert wari.placements_size(48) == 279871768995
    assert wari.placements(48, 0, 1).tolist() == [[0] * 11 + [48]]
    assert wari.placements(48, 279871768993).tolist() == [[47, 1] + [0] * 10, [48] + [0] * 11]
    for seeds in (10, 47, -1):
        with pytest.raises(wari.NotCovered, match="no level"):
            source.placements(seeds)
    for first, count in ((0, 13), (12, 1), (-1, 1), (13, None), (0, -1), (0, 1 << 70)):
        with pytest.raises(wari.BadInput, match="level 1 has 12 placements"):
            wari.placements(1, first, count)
    with pytest.raises(wari.BadInput, match="no level"):
        wari.placements(1 << 40)


def test_placements_do_not_depend_on_the_rows_of_a_step(monkeypatch):
    monkeypatch.setattr(wari.bulk, "ROWS", 100)
    assert (wari.placements(4, 700, 250) == placements(4)[700:950]).all()


def test_hashes_are_the_published_ones(tables):
    for rules, cycle in (("awari", "even"), ("abapa", "own")):
        with wari.Database(tables, rules) as database:
            assert database.levels == tuple(range(database.seeds_max + 1)) == tuple(database.hashes)
            assert database.hashes.items() <= published_hashes(rules, cycle).items()


def test_objects_describe_themselves(source, tables):
    with wari.Book(tables / "awari.book") as book:
        assert repr(book) == f"<wari.Book {str(tables / 'awari.book')!r}: awari even, 0 to 9 seeds>"
    if isinstance(source, wari.Database):
        assert repr(source) == f"<wari.Database {str(tables)!r}: awari even, 0 to 9 seeds>"
    else:
        assert repr(source).endswith(": awari even, 0 to 9 seeds>")


def test_a_line_of_best_play_makes_the_value(tables):
    with wari.Database(tables, "awari") as database:
        line = database.line(POSITION)
    captured = sum(-move.captured if move.opponent else move.captured for move in line.moves)
    assert captured + line.rest == 3
    assert line.moves[0].letter in "BE" and line.end in ("over", "repeats")


def test_a_game_by_best_moves_is_worth_its_value(source):
    position, sign, won = wari.Position("0 0 0 3 2 0 / 1 0 0 0 0 0"), 1, 0  # published: 6
    for _ in range(100):
        analysis = source.analyse(position)
        if not analysis.moves:
            won += sign * analysis.value
            break
        won += sign * analysis.moves[0].captured
        position, sign = analysis.moves[0].next, -sign
    assert won == 6


def test_moves_follow_the_rules():
    # By hand: F drops two seeds and takes the whole row; `awari` forbids it, `warri` moves again.
    slam = "0 0 0 0 1 2 / 1 1 0 0 0 0"
    assert [move.letter for move in wari.moves(slam, "awari")] == ["E"]
    again = wari.moves(slam, "warri")[1]
    assert (again.letter, again.captured, again.again, again.value) == ("F", 4, True, None)
    loss = wari.moves(slam, "ware")[1]
    assert (loss.ends, loss.value, loss.captured) == (True, -5, 0)


# Fixed bug: for a game that was over, the list of moves was empty, and the value was missing.
def test_a_game_that_is_over_has_a_value(source):
    # By hand: the side that has seeds left takes them, where the other has none to move with.
    over = "0 0 0 0 0 0 / 1 1 1 1 1 1"
    assert source.moves(over) == [] and source.end_value(over) == -6
    assert wari.end_value("1 0 0 0 0 0 / 0 0 0 0 0 0", "oware") == 1  # A cannot feed
    assert wari.end_value([0] * 12, "oware") == 0
    assert wari.end_value(ONES, "awari") is None
    for position in (over, "1 0 0 0 0 0 / 0 0 0 0 0 0"):
        assert source.end_value(position) == source.value(position)
    with pytest.raises(wari.BadInput):
        wari.end_value(ONES, "frisian")


# Fixed bug: the default was `awari`, even beside a database of other rules, and its answers looked right.
def test_rules_are_never_assumed(tables):
    slam = "0 0 0 0 1 2 / 1 1 0 0 0 0"  # by hand: F takes the whole row, which `awari` forbids, and captures nothing in `abapa`
    for call in (wari.moves, wari.end_value, lambda position: wari.Position(position).moves()):
        with pytest.raises(TypeError, match="rules"):
            call(slam)
    expected = {"awari": [("E", 0)], "tournament": [("E", 0), ("F", 0)]}
    for rules, moves in expected.items():
        with wari.Database(tables, rules) as database:
            assert [(move.letter, move.captured) for move in database.moves(slam)] == moves
            assert [(move.letter, move.captured) for move in wari.Position(slam).moves(rules)] == moves
            assert sorted(move.letter for move in database.analyse(slam).moves) == [letter for letter, _ in moves]


def test_moves_of_north_have_small_letters(source):
    # By hand: only B and E have seeds. Published: 3, by B and by E.
    text = "0-0-0-0-0-1-0-1-0-0-1-0-22-23-N"
    north = wari.Position(text)
    assert north == wari.Position(POSITION) and (north.side, wari.Position(POSITION).side) == ("North", None)
    assert [move.letter for move in north.moves("awari")] == ["b", "e"]
    assert [move.letter for move in source.moves(text)] == ["b", "e"]
    analysis = source.analyse(text)
    assert [(move.letter, move.value) for move in analysis.moves] == [("b", 3), ("e", 3)]
    after = analysis.moves[0].next
    assert after.side == "South" and source.analyse(after).moves[0].letter == "F"
    assert eval(repr(north), {"Position": wari.Position}).side == "North"
    assert wari.Position("3,2S,1S,2S/1S,3,2S,3S 20 17 S 50").side == "South"
    slam = wari.Position("0 0 0 0 1 2 / 1 1 0 0 0 0", side="North").moves("warri")[1]
    assert (slam.letter, slam.again, slam.next.side) == ("f", True, "North")
    assert wari.Position(north).side == wari.Position(text, "North").side == "North"
    with pytest.raises(wari.BadInput, match="North is to move"):
        wari.Position(text, side="South")
    with pytest.raises(wari.BadInput, match="'North'"):
        wari.Position(POSITION, side="east")


def test_lines_name_the_moves_of_both_sides(tables):
    with wari.Database(tables, "awari") as database:
        south, north = database.line(POSITION), database.line(wari.Position(POSITION, side="North"))
    assert [move.letter.swapcase() for move in north.moves] == [move.letter for move in south.moves]
    assert north.moves[0].letter in "be" and south.moves[1].letter.islower()


def test_a_position_is_a_sequence_of_counts():
    position = wari.Position("1 2 3 4 5 6 / 0 0 0 0 0 7")
    assert list(position) == [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 7] and len(position) == 12
    assert position[0] == 1 and position[-1] == 7 and position[:2] == (1, 2)
    array = numpy.array(position)
    assert array.dtype == numpy.uint8 and array.tolist() == list(position)
    assert numpy.asarray(position, dtype=int).sum() == 28
    assert numpy.array([position, position]).shape == (2, 12)


def test_positions_come_in_many_forms():
    position = wari.Position(ONES)
    ones = bytes([1] * 12)
    for form in ([1] * 12, ones, bytearray(ones), memoryview(ones), numpy.ones(12, dtype=int),
                 numpy.ones(12, dtype=numpy.uint8), array.array("H", [1] * 12), position,
                 " 1,1,1,1,1,1,1,1,1,1,1,1 "):
        assert wari.Position(form) == position and hash(wari.Position(form)) == hash(position)
    assert str(position) == ONES and repr(position) == f"Position('{ONES}')"
    assert position.pits == (1,) * 12 and position.seeds == 12 and position != ONES
    assert wari.Position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S").seeds == 48


def test_without_numpy_arrays_are_memoryviews(tables):
    script = f"""import sys; sys.modules["numpy"] = None
import wari
with wari.Database({str(tables)!r}, "awari") as database:
    values = database.level(2)
    assert isinstance(values, memoryview) and values.format == "b" and values.tolist().count(-2) == 40
    assert database.probe_many(wari.level(2)) == values
    assert database.probe_many([{POSITION!r}] * 3).tolist() == [3, 3, 3]
    assert database.probe_many([{POSITION!r}, [10] + [0] * 11], default=None) == [3, None]
    assert (database.placements(2).tolist(), wari.placements(1).tolist()[0]) == (list(database.probe_many(wari.placements(2))), [0] * 11 + [1])
    assert len(database.probe_many([])) == 0 and len(database.level(2, 5, 0)) == 0"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_threads_share_a_database(tables):
    every = placements(6)
    found = []
    with wari.Database(tables, "awari", cache_bytes=1) as database:
        threads = [threading.Thread(target=lambda: found.append(database.probe_many(every))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 4 and all((values == found[0]).all() for values in found)


# Fixed bug: fork() copied a lock of the cache that another thread held, so the child waited for ever. In addition, the child
# could not close its copy, because the calls of its parent's threads seemed to be still running.
def test_a_forked_process_uses_and_closes_what_threads_of_its_parent_use(source):
    every = placements(4)
    stop = threading.Event()

    def use():
        while not stop.is_set():
            source.probe_many(every)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            child = os.fork()
            if child == 0:
                signal.alarm(300)  # kills a child that hangs
                right = source.value(POSITION) == 3 and source.probe_many([POSITION]).tolist() == [3]
                source.close()
                os._exit(0 if right else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert source.value(POSITION) == 3


# ---- Conversion of positions ------------------------------------------------------------------------


def test_many_positions_come_in_many_forms(source):
    texts = [POSITION, "0 0 0 3 2 0 / 1 0 0 0 0 0", ONES.replace("1", "0")]  # published: 3 and 6
    array = numpy.array([list(wari.Position(text)) for text in texts])
    wide = numpy.zeros((6, 24), numpy.uint8)
    wide[::2, ::2] = array
    for form in (texts, tuple(texts), iter(texts), [wari.Position(text) for text in texts], array.tolist(), array,
                 array.astype(numpy.uint16), array.astype(numpy.uint8), wide[::2, ::2], numpy.array(texts),
                 numpy.array(texts, dtype=object), array.astype(object), array.astype(numpy.uint8).tobytes()):
        assert source.probe_many(form).tolist() == [3, 6, 0]
    for empty in ([], numpy.zeros((0, 12), int), b""):
        assert source.probe_many(empty).tolist() == []
    for one in (POSITION, wari.Position(POSITION)):
        with pytest.raises(TypeError, match="one position"):
            source.probe_many(one)


def test_data_frames_are_positions(source):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(placements(3), columns=list("ABCDEFabcdef"), index=range(100, 464))
    values = source.probe_many(placements(3))
    assert (source.probe_many(frame) == values).all()
    mixed = frame.assign(value=1.5)[["value", *"fedcbaFEDCBA"]]
    assert (source.probe_many(mixed) == values).all()
    texts = pandas.Series([POSITION, ONES.replace("1", "0")], index=["x", "y"])
    assert source.probe_many(texts).tolist() == source.probe_many(texts.to_frame("position")).tolist() == [3, 0]
    with pytest.raises(wari.BadInput, match="once: F, f"):
        source.probe_many(frame.drop(columns=["F", "f"]))
    with pytest.raises(wari.BadInput, match="once: A"):
        source.probe_many(pandas.concat([frame, frame[["A"]]], axis=1))
    with pytest.raises(TypeError, match="column B has the type float64"):
        source.probe_many(frame.assign(B=0.5))
    with pytest.raises(wari.BadInput, match="^row 363: a pit must have 0 to 48 seeds") as refused:
        source.probe_many(frame.assign(c=[0] * 363 + [-1]))
    assert refused.value.row == 363
    for other in (frame.astype("Int64"), frame.astype(object)):
        assert (source.probe_many(other) == values).all()
        other.loc[107, "d"] = None
        with pytest.raises(TypeError, match="^row 7: "):
            source.probe_many(other)
    assert source.probe_many(pandas.DataFrame(columns=list("ABCDEFabcdef"))).tolist() == []
    with pytest.raises(TypeError, match=r"column e has the type float64.* \(row 9 has no count\)"):
        source.probe_many(frame.assign(e=frame["e"].where(frame.index != 109)))


def test_errors_name_the_row(source):
    whole = placements(2)
    uncovered = [10] + [0] * 11
    for many, row, kind, text in (
            ([POSITION, POSITION, "0 1 x"], 2, wari.BadInput, "column 5"),
            ([ONES, POSITION], 0, wari.NotCovered, "12 seeds"),
            ([POSITION, uncovered], 1, wari.NotCovered, "10 seeds"),
            (numpy.vstack([whole, [uncovered]]), len(whole), wari.NotCovered, "10 seeds"),
            (numpy.vstack([whole, [uncovered]]).astype(numpy.uint8), len(whole), wari.NotCovered, "10 seeds"),
            (numpy.vstack([whole, [[300] + [0] * 11]]), len(whole), wari.BadInput, "0 to 48"),
            (numpy.full((2, 12), 5, numpy.uint8), 0, wari.BadInput, "at most 48 seeds")):
        with pytest.raises(kind, match=f"^row {row}: .*{text}") as refused:
            source.probe_many(many)
        assert refused.value.row == row
    with pytest.raises(TypeError, match="^row 1: a position is a text, twelve bytes or twelve whole numbers, not int"):
        source.probe_many([POSITION, 12])
    with pytest.raises(wari.BadInput, match="masked"):
        source.probe_many(numpy.ma.masked_equal(whole, 1))
    with pytest.raises(wari.BadInput) as refused:
        source.value("x")
    assert refused.value.row is None


def test_what_is_not_covered_can_be_marked(source):
    some = [POSITION, ONES, "0 0 0 3 2 0 / 1 0 0 0 0 0", [47] + [0] * 11, [48] + [0] * 11]
    masked = source.probe_many(some, default=None)
    assert masked.tolist() == [3, None, 6, None, None] and masked.dtype == numpy.int8
    filled = source.probe_many(some, default=-128)
    assert filled.tolist() == [3, -128, 6, -128, -128] and filled.dtype == numpy.int8
    floats = source.probe_many(some, default=float("nan"))
    assert floats[[0, 2]].tolist() == [3, 6] and numpy.isnan(floats[[1, 3, 4]]).all()
    assert source.probe_many([POSITION], default=None).tolist() == [3]
    assert source.probe_many([ONES], default=1000).tolist() == [1000]
    assert source.probe_many([], default=None).tolist() == []
    with pytest.raises(wari.BadInput, match="^row 1: "):
        source.probe_many(numpy.array([[0] * 12, [255] * 12], numpy.uint8), default=None)
    for default in ("none", True):
        with pytest.raises(TypeError, match="default"):
            source.probe_many(some, default=default)


def test_a_level_as_a_data_frame(tables):
    pandas = pytest.importorskip("pandas")
    with wari.Database(tables, "awari") as database:
        frame = database.level_frame(6)
        assert list(frame.columns) == [*"ABCDEFabcdef", "value"] and len(frame) == 12375
        assert (frame["value"] == database.level(6)).all() and (frame[list("ABCDEFabcdef")] == wari.level(6)).all().all()
        assert set(map(str, frame.dtypes)) == {"uint8", "int8"}
        part = database.level_frame(6, 100, 3)
        pandas.testing.assert_frame_equal(part, frame[100:103])
        assert part.index.tolist() == [100, 101, 102]
        assert len(database.level_frame(6, 0, 0)) == 0
        with pytest.raises(wari.NotCovered):
            database.level_frame(10)


@pytest.fixture
def pyarrow(monkeypatch):
    """pyarrow; or, if it is not installed, a stand-in that keeps tables as dictionaries and files as pickles."""
    try:
        return __import__("pyarrow")
    except ImportError:
        pass

    class Table(dict):
        schema = property(list)
        column_names = property(list)

    class ParquetWriter:
        def __init__(self, path, schema):
            self.path, self.parts = path, [schema]
            pathlib.Path(path).touch()

        def write_table(self, table):
            assert table.schema == self.parts[0]
            self.parts.append(table)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            joined = {name: numpy.concatenate([part[name] for part in self.parts[1:]]) for name in self.parts[0]}
            pathlib.Path(self.path).write_bytes(pickle.dumps(joined))

    module, parquet = types.ModuleType("pyarrow"), types.ModuleType("pyarrow.parquet")
    module.table, module.parquet = Table, parquet
    parquet.ParquetWriter = ParquetWriter
    parquet.read_table = lambda path: Table(pickle.loads(pathlib.Path(path).read_bytes()))
    monkeypatch.setitem(sys.modules, "pyarrow", module)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    return module


def test_a_level_as_an_arrow_table_and_a_parquet_file(tables, tmp_path, pyarrow, monkeypatch):
    monkeypatch.setattr(wari.bulk, "ROWS", 5000)  # several parts
    with wari.Database(tables, "awari") as database:
        positions, values = wari.level(6), database.level(6)
        database.write_parquet(6, tmp_path / "six.parquet")
        parquet = __import__("pyarrow.parquet").parquet.read_table(tmp_path / "six.parquet")
        for table in (database.level_table(6), parquet):
            assert list(table.column_names) == [*"ABCDEFabcdef", "value"]
            assert (numpy.asarray(table["value"]) == values).all()
            assert (numpy.stack([numpy.asarray(table[pit]) for pit in "ABCDEFabcdef"], axis=1) == positions).all()
            assert (database.probe_many(table) == values).all()
        with pytest.raises(OSError):
            database.write_parquet(6, tmp_path / "nowhere" / "six.parquet")
        with pytest.raises(wari.NotCovered):
            database.write_parquet(10, tmp_path / "ten.parquet")
        monkeypatch.setattr(wari.Database, "level", stop)
        with pytest.raises(KeyboardInterrupt):
            database.write_parquet(5, tmp_path / "five.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["six.parquet"]


def stop(*_):
    raise KeyboardInterrupt


# ---- Building and proving ---------------------------------------------------------------------------


def test_a_database_is_built_and_proved(tmp_path, capfd):
    folder = tmp_path / "built"
    with wari.build(folder, 7, rules="awari") as database:
        assert (database.rules, database.cycle, database.seeds_max, database.proved) == ("awari", "even", 7, -1)
        assert database.histogram(7) == published()[7]
    shares, texts = [], []
    with wari.build(folder, 8, "awari", threads=1, memory="100M", progress=lambda *at: (shares.append(at[0]), texts.append(at[1]))) as database:
        assert database.hashes == {seeds: value for seeds, value in published_hashes("awari", "even").items() if seeds <= 8}
        # By hand: the stored positions of the levels 0 to 8 are the sums of C(n + 11, 11) - C(n + 5, 11).
        assert database.verify() == (8, 125879, -1) and database.proved == 8
        assert database.verify().by_record == 8
        assert database.verify(anew=True, threads=1).by_record == -1
    assert shares == sorted(shares) and shares[-1] == 1.0 and texts[-1] == "levels 0 to 8"
    with wari.build(folder, 3, rules="tournament") as database:
        assert (database.rules, database.cycle) == ("abapa", "own")
        assert database.verify(record=False).seeds_max == 3 and database.proved == -1
    assert tuple(capfd.readouterr()) == ("", "")  # a library prints nothing


def test_progress_is_a_line_on_standard_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    wari.build(tmp_path, 6, rules="awari", progress=True).verify(progress=True)
    said = capsys.readouterr().err
    assert "\rbuilding awari even: 100 % |##########| levels 0 to 6" in said
    assert "\rproving awari even: 100 % |##########| 18,563 position" in said
    assert said.count("\n") == 2 and said.endswith("\n")
    # No line is longer than the terminal, or it could not be written again.
    assert max(map(len, said.replace("\n", "\r").split("\r"))) < 60


def stand_in(path, script):
    """Makes a program that is run in place of `wari`."""
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def control_c():
    """Lets SIGINT raise KeyboardInterrupt, as in a terminal. A background command of a shell ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda *_: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_control_c_stops_the_program_in_good_order(tmp_path, monkeypatch, control_c):
    endless = stand_in(tmp_path / "endless", f"""trap 'echo stopped >{tmp_path}/said; exit 130' INT
echo "level  0: 1 position, 1 sweep" >&2
while :; do sleep 0.1; done""")
    monkeypatch.setenv("WARI_PROGRAM", endless)
    with pytest.raises(KeyboardInterrupt):
        wari.build(tmp_path / "db", 3, rules="awari", progress=control_c)
    assert (tmp_path / "said").read_text() == "stopped\n"
    with pytest.raises(ZeroDivisionError):
        wari.build(tmp_path / "db", 3, rules="awari", progress=lambda share, text: 1 / 0)
    monkeypatch.undo()
    with pytest.raises(KeyboardInterrupt):
        wari.build(tmp_path / "db", 9, rules="awari", progress=control_c)
    with wari.build(tmp_path / "db", 9, rules="awari") as database:
        assert database.histogram(9) == published()[9]


# Fixed bug: the pseudo-terminal stayed open. Each of these calls fails as it does if the process has too many open files.
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts the open files as Linux lists them")
@pytest.mark.parametrize("module, name", (("os", "pipe"), ("tty", "setraw"), ("fcntl", "ioctl"), ("subprocess", "Popen")))
def test_a_failure_before_the_program_starts_leaves_no_file_open(tmp_path, monkeypatch, module, name):
    def fail(*arguments, **named):
        raise OSError(errno.EMFILE, "too many open files")

    before = os.listdir("/proc/self/fd")
    with monkeypatch.context() as patched, pytest.raises((OSError, wari.Unreadable), match="too many open files"):
        patched.setattr(importlib.import_module(module), name, fail)
        wari.build(tmp_path / "db", 3, rules="awari")
    assert os.listdir("/proc/self/fd") == before


# The program holds a named pipe open, so that the pipe ends when the program ends.
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals that a process was killed")
def test_the_program_ends_with_a_process_that_is_killed(tmp_path):
    os.mkfifo(tmp_path / "runs")
    endless = stand_in(tmp_path / "endless", f"""exec 3>{tmp_path}/runs
echo "level  0: 1 position, 1 sweep" >&2
exec sleep 600""")
    script = 'import sys, wari; wari.build(sys.argv[1], 3, rules="awari", progress=lambda *_: print("builds", flush=True))'
    with subprocess.Popen([sys.executable, "-c", script, tmp_path / "db"], stdout=subprocess.PIPE,
                          env={**os.environ, "WARI_PROGRAM": endless}) as process:
        with open(tmp_path / "runs", "rb") as runs:
            assert process.stdout.readline() == b"builds\n"
            process.kill()
            assert select.select([runs], [], [], 300)[0], "timed out"
            assert runs.read() == b""


def test_the_program_says_why_it_refuses(tmp_path, tables, monkeypatch):
    (tmp_path / "file").touch()
    for folder, seeds, memory, kind, text in (
            (tmp_path, 47, None, wari.BadInput, "^seeds.*47"), (tmp_path, -1, None, wari.BadInput, "-1"),
            (tmp_path, 10**15, None, wari.BadInput, "^seeds"),
            (tmp_path / "file" / "db", 3, None, wari.Unreadable, "file/db"), ("", 3, None, wari.BadInput, "empty"),
            ("x\0", 3, None, wari.BadInput, "NUL"), (tmp_path / "db", 20, "2M", MemoryError, "memory"),
            (tmp_path / "db", 20, "2M\0", wari.BadInput, "NUL"), (tmp_path / "db", 3, "much", wari.BadInput, "much")):
        with pytest.raises(kind, match=text):
            wari.build(folder, seeds, rules="awari", memory=memory)
    with pytest.raises(wari.BadInput, match="tournament"):
        wari.build(tmp_path, 3, rules="chess")
    with pytest.raises(TypeError):
        wari.build(tmp_path, 3)
    some = tmp_path / "some"
    shutil.copytree(tables, some)
    with wari.Database(some, "awari") as database:
        damaged = some / "awari-even-9.wari"
        data = bytearray(damaged.read_bytes())
        data[-1] ^= 1
        damaged.write_bytes(data)
        with pytest.raises(wari.Damaged, match="awari-even-9"):
            database.verify()
        with wari.build(some, SEEDS, "awari", replace_damaged=True) as whole:
            assert whole.verify().seeds_max == SEEDS
        # The form of the output is that of `wari verify --json`.
        first = '{"position": [0,1,0,0,1,0,0,0,0,0,0,1], "value": 3, "expected": 2}'
        wrong = stand_in(tmp_path / "wrong", f"""echo '{{"levels": 3, "differences": 7, "first": [{first}], "text": ""}}'; exit 1""")
        monkeypatch.setenv("WARI_PROGRAM", wrong)
        with pytest.raises(wari.WrongValues, match=f"7 values with 3 seeds are wrong, such as that of {POSITION}: the table has 3, .* gives 2"):
            database.verify()
        monkeypatch.setenv("WARI_PROGRAM", stand_in(tmp_path / "killed", "kill -9 $$"))
        with pytest.raises(wari.Error, match="stopped by signal 9"):
            database.verify()
        monkeypatch.setenv("WARI_PROGRAM", str(tmp_path / "nowhere"))
        with pytest.raises(wari.Unreadable, match="nowhere"):
            database.verify()
        monkeypatch.delenv("WARI_PROGRAM")
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(wari.program, "OWN", str(tmp_path / "nowhere"))
        with pytest.raises(wari.Error, match="not installed.*make install.*WARI_PROGRAM"):
            database.verify()


# ---- The package ------------------------------------------------------------------------------------


def test_the_package_describes_itself():
    about = importlib.metadata.metadata("wari")
    assert about["Version"] == wari.__version__ and about["License"] == "MIT" and "The Wari authors" in about["Author-email"]
    assert about["Summary"] and "Homepage, https://wari.example/" in about.get_all("Project-URL")
    assert "License :: OSI Approved :: MIT License" in about.get_all("Classifier")
    files = {file.name: file for file in importlib.metadata.files("wari")}
    assert files["LICENSE"].read_text() == (TOP / "LICENSE").read_text(encoding="utf-8")
    assert {"py.typed", "_wari.pyi"} <= set(files)


def test_everything_public_has_types():
    for name in wari.__all__:
        thing = getattr(wari, name)
        members = [member for key, member in vars(thing).items() if not key.startswith("_")] if isinstance(thing, type) else [thing]
        if isinstance(thing, type) and issubclass(thing, (tuple, Exception)):
            continue  # fields with types, or no functions
        for function in [member.fget if isinstance(member, property) else member for member in members]:
            if inspect.isfunction(function):
                signature = inspect.signature(function)
                parameters = [each for key, each in signature.parameters.items() if key != "self"]
                assert all(each.annotation is not each.empty for each in [*parameters]), function
                assert signature.return_annotation is not signature.empty, function


def test_the_stub_has_what_the_extension_module_has():
    stub = ast.parse(pathlib.Path(wari.__file__).with_name("_wari.pyi").read_text(encoding="utf-8"))

    def names(module):
        return {name for name in dir(module) if not name.startswith("_")}

    assert {each.name for each in stub.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))} == names(wari._wari)
    for each in stub.body:
        if isinstance(each, ast.ClassDef):
            assert {member.name for member in each.body if member.name != "__new__"} == names(getattr(wari._wari, each.name))


# ---- Refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pits", ["1 1", [1] * 11, [1] * 13, [300] + [0] * 11, [-1] * 12, [5] * 12, b"", "x"])
def test_no_position(pits):
    with pytest.raises(wari.BadInput):
        wari.Position(pits)


# A memoryview of 6 numbers has twelve bytes.
@pytest.mark.parametrize("pits", [[1.9] + [0] * 11, [fractions.Fraction(3, 2)] * 12, ["1"] * 12, numpy.full(12, 1.0),
                                  memoryview(array.array("H", [1] * 6)), memoryview(numpy.full(12, 1.9)), 12, None])
def test_counts_are_whole_numbers(source, pits):
    with pytest.raises(TypeError):
        wari.Position(pits)
    for call in (source.value, lambda each: source.probe_many([each])):
        with pytest.raises(TypeError):
            call(pits)


def test_what_is_not_covered(source):
    for call in (source.value, source.analyse, lambda position: source.probe_many([position])):
        with pytest.raises(wari.NotCovered, match="10 seeds"):
            call([10] + [0] * 11)
        with pytest.raises(LookupError):
            call([47] + [0] * 11)


def test_arrays_of_another_shape(source):
    for wrong in (numpy.zeros(13, numpy.uint8), numpy.zeros((12, 1), numpy.uint8), numpy.zeros((2, 6), numpy.uint8)):
        with pytest.raises(ValueError):
            source.probe_many(wrong)
    for wrong in (numpy.zeros((2, 12)), numpy.zeros(12), numpy.zeros((2, 12), "M8[s]")):
        with pytest.raises(TypeError, match="uint8"):
            source.probe_many(wrong)
    with pytest.raises(wari.Error):
        source.probe_many(numpy.full((1, 12), 255, numpy.uint8))


def test_levels_and_numbers_that_are_not_there(tables):
    with wari.Database(tables, "awari") as database:
        for seeds in (10, 46, 47, 48, 49, -1, 1 << 31, -1 << 64):
            # Level 47 has numbers, enough for more bytes than machines have.
            for first, count in ((0, 1), (0, None), (1 << 62, None)):
                with pytest.raises(wari.NotCovered, match="no level"):
                    database.level(seeds, first, count)
            with pytest.raises(wari.NotCovered, match="no level"):
                database.histogram(seeds)
        for first, count in ((0, 13), (12, 1), (-1, 1), (13, None), (1 << 64, 1), (0, -1), (0, 1 << 50), (0, 1 << 70)):
            with pytest.raises(wari.BadInput, match="12 stored"):
                database.level(1, first, count)
            with pytest.raises(wari.BadInput, match="12 stored"):
                wari.level(1, first, count)
        for numbers in ((1.0,), (1, 0.0), (1, 0, 1.0)):
            with pytest.raises(TypeError):
                database.level(*numbers)
            with pytest.raises(TypeError):
                wari.level(*numbers)
    for seeds in (49, -1, 1 << 31, -1 << 64):
        assert wari.level_size(seeds) == 0
        for count in (0, None, 1 << 50):
            with pytest.raises(wari.BadInput, match="no level"):
                wari.level(seeds, 0, count)
    with pytest.raises(wari.BadInput, match="no pit of the opponent is empty"):
        wari.Position(ONES).number  # noqa: B018


def test_folders_that_do_not_fit(tables, tmp_path):
    with pytest.raises(wari.Mismatch, match="several databases here; name one, such as rules='awari', cycle='even' .*awari even, abapa own"):
        wari.Database(tables)
    with pytest.raises(wari.Mismatch, match="warri"):
        wari.Database(tables, "warri")
    with pytest.raises(wari.Mismatch, match="none"):
        wari.Database(tmp_path)
    with pytest.raises(OSError, match="nowhere"):
        wari.Database(tmp_path / "nowhere")
    with pytest.raises(wari.BadInput, match="tournament"):
        wari.Database(tables, "chess")
    with pytest.raises(wari.BadInput, match="tournament means the cycle rule own, which contradicts even"):
        wari.Database(tables, "tournament", "even")
    assert wari.Database(tables, "tournament", "own").cycle == "own"
    assert wari.Database(tables, "tournament").rules == "abapa"


@pytest.mark.parametrize("size", [-1, -1 << 63, (1 << 40) + 1, 1 << 63, 1 << 64])
def test_no_size_of_a_cache(tables, size):
    with pytest.raises(wari.BadInput, match=f"cache_bytes must be 0 to 1099511627776, not {size}"):
        wari.Database(tables, "awari", cache_bytes=size)
    with pytest.raises(TypeError):
        wari.Database(tables, "awari", cache_bytes=float(size))


def test_messages_may_quote_what_is_no_text(tables, tmp_path):
    with pytest.raises(OSError, match=r"nowhere\\xff"):
        wari.Database(os.fsencode(tmp_path) + b"/nowhere\xff")
    with pytest.raises(wari.BadInput, match="no rule set is called"):
        wari.Database(tables, "x" + 40 * "é")  # quoted up to the middle of a character


@pytest.mark.parametrize("tail", ["\0", "\0x", "\ud800"])
def test_nothing_hides_behind_a_text(tables, tail):
    for call in (lambda: wari.Position(ONES + tail), lambda: wari.moves(ONES, "awari" + tail),
                 lambda: wari.Database(tables, "awari" + tail), lambda: wari.Database(tables, "awari", "even" + tail),
                 lambda: wari.Database(str(tables) + tail, "awari"), lambda: wari.Database(pathlib.Path(f"x{tail}")),
                 lambda: wari.Book(str(tables / "awari.book") + tail), lambda: wari.Book(pathlib.Path(f"x{tail}"))):
        with pytest.raises(wari.BadInput, match="NUL"):
            call()
    with pytest.raises(wari.BadInput, match="NUL"):
        wari.Database(os.fsencode(tables) + b"\0x", "awari")
    for call in (lambda: wari.moves(ONES, None), lambda: wari.moves(ONES, b"awari"), lambda: wari.Database(tables, 1)):
        with pytest.raises(TypeError, match="must be str"):
            call()


def test_what_is_closed_stays_closed(tables):
    database = wari.Database(tables, "awari")
    database.close()
    database.close()
    for call in (lambda: database.value(POSITION), lambda: database.level(2), lambda: database.probe_many([POSITION])):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_damage_is_never_a_value(tables, tmp_path):
    whole = (tables / "awari.book").read_bytes()
    assert wari.Book(whole).check() > 0
    for at in range(0, len(whole), 1009):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        with pytest.raises((wari.Damaged, wari.Mismatch)):
            wari.Book(damaged).check()
    (tmp_path / "empty").touch()
    for source in (b"", whole[:100], tmp_path / "empty"):
        with pytest.raises(wari.Damaged):
            wari.Book(source)


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_a_book_that_is_cut_while_it_is_used(tables, tmp_path):
    path = tmp_path / "cut.book"
    path.write_bytes((tables / "awari.book").read_bytes())
    # In a process of its own: a book that is mapped ends it by SIGBUS.
    script = f"""import os, wari
book = wari.Book({str(path)!r})
assert book.value({POSITION!r}) == 3
os.truncate({str(path)!r}, 100)
for call in (lambda: book.value({POSITION!r}), lambda: book.analyse({POSITION!r}), book.check,
             lambda: book.probe_many([{POSITION!r}])):
    try:
        call()
    except wari.Unreadable as refusal:
        assert "cut.book: cannot read" in str(refusal)
    else:
        raise SystemExit("expected a refusal")"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_what_is_no_file_of_a_book(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("no book\n" * 100)
    before = open_files()
    # In a process of its own: it must not wait for the other end of the pipe.
    script = f"import wari; wari.Book({str(tmp_path / 'pipe')!r})"
    waited = subprocess.run([sys.executable, "-c", script], timeout=600, text=True, stderr=subprocess.PIPE, check=False)
    assert "BadInput" in waited.stderr and "pipe: this is not a regular file" in waited.stderr
    for path, kind in ((tmp_path, wari.BadInput), ("/dev/null", wari.BadInput), (tmp_path / "pipe", wari.BadInput),
                       (tmp_path / "text", wari.Damaged), (tmp_path / "nowhere", wari.Unreadable)):
        with pytest.raises(kind, match=os.path.basename(path)):
            wari.Book(path)
    assert open_files() == before


def test_a_book_lets_go_of_its_file(tables):
    before = open_files()
    with wari.Book(tables / "awari.book") as book:
        assert open_files() == before + 1
    assert open_files() == before
    opened = wari.Book(tables / "awari.book")
    assert opened.value(POSITION) == 3
    del opened
    assert open_files() == before
    data = bytearray((tables / "awari.book").read_bytes())
    in_memory = wari.Book(data)
    in_memory.close()
    data.clear()  # BufferError while somebody uses it
    for closed in (book, in_memory):
        closed.close()
        for call in (closed.value, closed.analyse, lambda _: closed.check(), lambda each: closed.probe_many([each])):
            with pytest.raises(ValueError, match="closed"):
                call(POSITION)


def test_the_example_prints_the_published_counts(tables, tmp_path):
    program("build", "--db", tmp_path, "--rules", "awari", "--seeds", 4)
    example = [sys.executable, str(TOP / "bindings" / "python" / "examples" / "histogram.py")]
    lines = subprocess.run([*example, str(tmp_path)], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    assert lines[0] == "1,365 positions of 4 seeds, awari even"
    found = {int(value): int(count.replace(",", "")) for value, count, *_ in map(str.split, lines[1:])}
    assert found == published()[4]
    failed = subprocess.run([*example, str(tmp_path / "nowhere")], text=True, stderr=subprocess.PIPE, check=False)
    assert failed.returncode == 1 and "nowhere" in failed.stderr


def test_the_version_is_that_of_the_library():
    header = (TOP / "db" / "wari.h").read_text(encoding="utf-8")
    assert f'#define WARI_VERSION "{wari.__version__}"' in header
