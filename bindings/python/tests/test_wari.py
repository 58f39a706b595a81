"""The package answers as the published figures in data/ do, and refuses what it must.

WARI names the program that makes tables and books; run by `make test-python` from the top folder."""

import array
import csv
import fractions
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
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
            positions, values = wari.positions(seeds), database.level(seeds)
            # By hand: C(n+11,11) - C(n+5,11), which is 12,376 - 1 with 6 seeds.
            assert len(values) == len(positions) == wari.level_size(seeds) == {0: 1, 1: 12, 6: 12375}[seeds]
            assert (database.probe_many(positions) == values).all()
            assert wari.Position(positions[-1]).number == len(positions) - 1
        assert (database.level(6, 100, 50) == values[100:150]).all()
        assert (wari.positions(6, 100, 50) == positions[100:150]).all()


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
    assert [move.letter for move in wari.moves(slam)] == ["E"]
    again = wari.moves(slam, "warri")[1]
    assert (again.letter, again.captured, again.again, again.value) == ("F", 4, True, None)
    loss = wari.moves(slam, "ware")[1]
    assert (loss.ends, loss.value, loss.captured) == (True, -5, 0)


# Fixed bug: for a game that was over, the list of moves was empty, and the value was missing.
def test_a_game_that_is_over_has_a_value(source):
    # By hand: the side that has seeds left takes them, where the other has none to move with.
    over = "0 0 0 0 0 0 / 1 1 1 1 1 1"
    assert wari.moves(over) == [] and wari.end_value(over) == -6
    assert wari.end_value("1 0 0 0 0 0 / 0 0 0 0 0 0", "oware") == 1  # A cannot feed
    assert wari.end_value([0] * 12) == 0
    assert wari.end_value(ONES) is None
    for position in (over, "1 0 0 0 0 0 / 0 0 0 0 0 0"):
        assert wari.end_value(position) == source.value(position)
    with pytest.raises(wari.BadInput):
        wari.end_value(ONES, "frisian")


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
    assert database.probe_many(wari.positions(2)) == values
    assert database.probe_many([{POSITION!r}] * 3).tolist() == [3, 3, 3]
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
    for wrong in (numpy.zeros((2, 12)), numpy.zeros((4, 12), numpy.uint8)[::2]):
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
                wari.positions(1, first, count)
        for numbers in ((1.0,), (1, 0.0), (1, 0, 1.0)):
            with pytest.raises(TypeError):
                database.level(*numbers)
            with pytest.raises(TypeError):
                wari.positions(*numbers)
    for seeds in (49, -1, 1 << 31, -1 << 64):
        assert wari.level_size(seeds) == 0
        for count in (0, None, 1 << 50):
            with pytest.raises(wari.BadInput, match="no level"):
                wari.positions(seeds, 0, count)
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
