#!/usr/bin/env python3
"""Changes one line of the sources and checks that the proof or a test notices: README.md.

    run.py BUILD_FOLDER COMPILE LINK LIBRARIES [NAME_PART]
    run.py --tests BUILD_FOLDER COMPILE LINK UNIT_OBJECTS PROGRAM_OBJECTS LIBRARIES [NAME_PART]

A list has one mutant on each line: its name, the file, how it is judged, the old text, the new text. The objects that
depend on the file are compiled again into a separate folder and linked with all other objects.

Without --tests the proof is the judge. Only `wari build` is wrong; `wari check` and `wari verify` come from the build
folder. The database that a mutant builds must have correct hashes and wrong values according to the published values,
otherwise it is no mutant; and `wari verify` must reject it.

With --tests the tests are the judge. They run in the same way as in `make test`: the groups of unit tests and scripts
named on the line, or, if the line says what to build instead, all tests that the file can break, until one fails. A
test counts only if it passes with the unchanged program.

STEP=N takes every Nth mutant, JOBS sets the number of jobs, LIST selects another list, KEEP keeps the files.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))
sys.dont_write_bytecode = True
import changed as changes  # noqa: E402 (tests/changed.py)

SEPARATOR = " :: "
SECONDS = 600  # more than any takes, on a busy machine and under an emulator, too
MPI_FOLDERS = ("cluster", "mpi")  # of wari-mpi


class NoMutant(Exception):
    """The line describes no mutant, or one that cannot be judged."""


class Mutant:
    def __init__(self, line):
        fields = line.split(SEPARATOR)
        if len(fields) != 5:
            raise NoMutant(f"{line}: five fields, divided by ' :: '")
        self.name, self.path, self.judges, self.right, self.wrong = fields

    def tests(self):
        """Returns the tests that the line names; none if it says what to build."""
        words = self.judges.split()
        return words if all(word.startswith("test_") or word.endswith(".sh") for word in words) else []

    def source(self):
        text = pathlib.Path(self.path).read_text()
        if text.count(self.right) != 1:
            raise NoMutant(f"{text.count(self.right)} places of {self.path} read {self.right}")
        return text.replace(self.right, self.wrong)


def run(*command, **settings):
    """Returns the exit code and the whole output."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                          env={**os.environ, **settings})
    return done.returncode, done.stdout.decode(errors="replace")


def must(*command):
    code, said = run(*command)
    if code != 0:
        raise NoMutant(f"{' '.join(command[:2])} ends with {code}: {said[-1000:]}")
    return said


class Tree:
    """The objects, and the sources of each."""

    def __init__(self, build, compiler, linker, folders):
        self.build, self.compiler, self.linker = pathlib.Path(build), shlex.split(compiler), shlex.split(linker)
        self.wari = str(self.build / "wari")
        self.objects = {}  # file -> sources of the objects that it has a part in
        for folder in folders:
            for needs in (self.build / "obj" / folder).rglob("*.d"):
                line = needs.read_text().replace("\\\n", " ").split("\n")[0]
                parts = line.partition(":")[2].split()
                if pathlib.Path(parts[0]).exists():  # else the object is one of long ago
                    for part in parts:
                        self.objects.setdefault(part, []).append(parts[0])

    def compile(self, mutant, folder, is_wanted):
        """Compiles the objects that contain the mutant. Returns a dictionary: source -> object file."""
        changed = folder / "sources" / mutant.path
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.source())
        made = {}
        for source in filter(is_wanted, self.objects.get(mutant.path, [])):
            at = changed if source == mutant.path else source
            made[source] = str(folder / f"{len(made)}.o")
            must(*self.compiler, f"-iquote{folder}/sources", f"-iquote{pathlib.Path(source).parent}",
                 "-O1", "-g0", "-c", "-o", made[source], str(at))
        if not made:
            raise NoMutant(f"no object has a part of {mutant.path}")
        return made


class Proof:
    """Judges by the verdict of `wari verify` on a database that the mutant has built."""
    killed = "refused"
    survived = "NOT REFUSED"

    def __init__(self, build, compiler, linker, libraries):
        self.tree = Tree(build, compiler, linker, ("game", "index", "db", "system", "solver"))
        self.libraries = shlex.split(libraries)

    def is_wanted(self, source):
        return not any(f"/{folder}/" in source for folder in MPI_FOLDERS)

    def judge(self, mutant, folder):
        """Returns a text that names what rejects the mutant; None if nothing does."""
        made = self.tree.compile(mutant, folder, self.is_wanted)
        program, database = str(folder / "wari"), str(folder / "db")
        rules, cycle, seeds, *options = mutant.judges.split()
        must(*self.tree.linker, "-o", program, *made.values(), *self.libraries)
        must(program, "build", "--db", database, "--kernel", "portable", "--threads", "1",
             "--rules", rules, "--cycle", cycle, "--seeds", seeds, *options)
        must(self.tree.wari, "check", "--db", database)
        code, said = run(self.tree.wari, "check", "--db", database, "--published")
        if code == 0 and "differs" not in said:
            raise NoMutant("its values are right")
        code, said = run(self.tree.wari, "verify", "--db", database, "--threads", "1")
        return "" if code == 1 and "WRONG" in said else None


class Tests:
    """Judges by groups of unit tests ("test_judge") and scripts ("judge.sh")."""
    killed = "killed"
    survived = "NOT KILLED"
    # Scripts about texts, and those that compile the sources themselves, which are not the mutant's.
    NO_JUDGES = {"amalgamation", "documents", "figures", "install", "js", "lint", "mutants", "site"}

    def __init__(self, build, compiler, linker, units, program, libraries):
        self.tree = Tree(build, compiler, linker, [""])
        self.objects = {"unit": shlex.split(units), "wari": shlex.split(program)}
        self.libraries = shlex.split(libraries)
        self.right = {"wari": self.tree.wari}  # program -> the one without a mutant
        self.passes = {}  # test -> whether it passes with the right program
        self.lock = threading.Lock()
        self.graph = None

    def object_of(self, source):
        return str((self.tree.build / "obj" / source).with_suffix(".o"))

    def is_wanted(self, source):
        return any(self.object_of(source) in objects for objects in self.objects.values())

    def link(self, which, made, file):
        """Links a program with the mutant's objects instead of those of the build."""
        new = {self.object_of(source): at for source, at in made.items()}
        must(*self.tree.linker, "-Wl,-S", "-o", str(file), *(new.get(at, at) for at in self.objects[which]),
             *self.libraries)
        return str(file)

    def affected(self, mutant):
        """All tests that a changed file can break: groups of the same folder first, and of these the ones
        that reach the fewest objects."""
        objects = self.tree.build / "obj"
        with self.lock:
            self.graph = self.graph or changes.symbols(objects)
        broken = changes.changed_objects(objects, {mutant.path})
        linked = set(self.objects["unit"])
        near = str(objects / "tests/unit" / mutant.path.split("/")[0])
        units = sorted(((not str(file).startswith(f"{near}/"), count, file.stem)
                        for file, count in changes.affected_units(objects, broken, self.graph)
                        if str(file) in linked))
        scripts = changes.affected_scripts({mutant.path}, changes.affected_commands(objects, broken, self.graph))
        return [name for *_, name in units] + [f"{name}.sh" for name in scripts if name not in self.NO_JUDGES]

    def run_test(self, test, program, folder):
        """Runs a test as `make test` does. Returns the name of what failed in it; None if all passed."""
        settings = {"JOBS": "1", "LIMIT": str(SECONDS // 2), "WARI_TEST_SCALE": "small", "LIST": "", "STEP": "",
                    "ONLY": test.removesuffix(".sh")}
        runner = ["tests/run-cli.sh"] if test.endswith(".sh") else ["tests/run-unit.sh"]
        groups = [] if test.endswith(".sh") else [test]
        code, said = run(*runner, str(folder / "log"), program, *groups, **settings)
        if code == 0:
            return None
        if code < 0:
            raise NoMutant(f"{test} was ended by signal {-code}")
        failed = re.search(r"^ *(?:not ok - |\[  FAILED  \] )(\w+)$", said, re.MULTILINE)
        note = re.search(r"^== .* failed \((.*)\);", said, re.MULTILINE)
        return failed[1] if failed else note[1] if note else f"exit code {code}"

    def check_right(self, test):
        """Checks that a test passes with the unchanged program; otherwise it proves nothing about a mutant."""
        which = "wari" if test.endswith(".sh") else "unit"
        with self.lock:
            folder = self.tree.build / "mutants-right"
            if which not in self.right:
                folder.mkdir(exist_ok=True)
                self.right[which] = self.link(which, {}, folder / which)
            if test not in self.passes:
                self.passes[test] = self.run_test(test, self.right[which], folder)
        if self.passes[test]:
            raise NoMutant(f"{test} fails without it, too: {self.passes[test]}")

    def judge(self, mutant, folder):
        """Returns the name of a test that notices the mutant; None if none does."""
        made = self.tree.compile(mutant, folder, self.is_wanted)
        for file in self.tree.build.iterdir():  # what scripts look for beside the program
            if file.is_file() and file.name != "wari":
                (folder / file.name).symlink_to(file.resolve())
        programs = {}
        for test in mutant.tests() or self.affected(mutant):
            which = "wari" if test.endswith(".sh") else "unit"
            if which not in programs:
                programs[which] = self.link(which, made, folder / which)
            failed = self.run_test(test, programs[which], folder)
            if failed:
                self.check_right(test)
                return f" by {test} ({failed})"
        return None


def attempt(judge, mutant, folder):
    """Returns whether the mutant is killed, and a line about it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        words = judge.judge(mutant, folder)
        return words is not None, f"{judge.survived if words is None else judge.killed}: {mutant.name}{words or ''}"
    except NoMutant as reason:
        return False, f"NO MUTANT: {reason}: {mutant.name}"
    except subprocess.TimeoutExpired:
        return False, f"NO MUTANT: takes more than {SECONDS} s: {mutant.name}"
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def main():
    arguments = sys.argv[1:]
    by_tests = arguments[:1] == ["--tests"]
    count = 6 if by_tests else 4
    judge = Tests(*arguments[1:count + 1]) if by_tests else Proof(*arguments[:count])
    pick = "".join(arguments[count + by_tests:])
    lists = [HERE / "mutants.txt"] + [HERE / "program.txt"] * by_tests
    lists = [pathlib.Path(os.environ["LIST"])] if os.environ.get("LIST") else lists
    lines = [line for file in lists for line in file.read_text().splitlines()]
    mutants = [Mutant(line) for line in lines if line and not line.startswith("#")]
    mutants = [m for m in mutants if pick in m.name][:: int(os.environ.get("STEP") or 1)]
    folder = judge.tree.build / "mutants"
    jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    killed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        for result in [workers.submit(attempt, judge, m, folder / str(i)) for i, m in enumerate(mutants)]:
            is_killed, words = result.result()
            killed += is_killed
            print(words, flush=True)
    print(f"{killed} of {len(mutants)} {judge.killed}")
    return 0 if mutants and killed == len(mutants) else 1


sys.exit(main())
