#!/usr/bin/env python3
"""Fifty wrong solvers, and whether the proof refuses what each of them builds.

    run.py BUILD_FOLDER COMPILE LINK LIBRARIES [NAME_PART]

Each line of mutants.txt changes one place of the solver's sources (README.md). The objects that the
file has a part in are compiled anew, into a folder of their own, and linked with all others as they
are: so `wari build` is wrong, while `wari check` and `wari verify` are the ones under test. What the
mutant builds must have right hashes and wrong values, by what is published, or it is no mutant; and
`wari verify` has to find that. STEP=N takes one in N, JOBS says how many at a time, LIST is another
list, KEEP keeps what was made.
"""
import concurrent.futures
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SEPARATOR = " :: "
SECONDS = 600  # more than any takes, on a busy machine and under an emulator, too


class NoMutant(Exception):
    """The line is about nothing, or about something that the proof cannot judge."""


class Mutant:
    def __init__(self, line):
        fields = line.split(SEPARATOR)
        if len(fields) != 5:
            raise NoMutant(f"{line}: five fields, divided by ' :: '")
        self.name, self.path, build, self.right, self.wrong = fields
        rules, cycle, seeds, *self.options = build.split()
        self.variant = ["--rules", rules, "--cycle", cycle]
        self.build = [*self.variant, "--seeds", seeds, *self.options]

    def source(self):
        text = pathlib.Path(self.path).read_text()
        if text.count(self.right) != 1:
            raise NoMutant(f"{text.count(self.right)} places of {self.path} read {self.right}")
        return text.replace(self.right, self.wrong)


def run(*command):
    """The exit code and all that was said."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def must(*command):
    code, said = run(*command)
    if code != 0:
        raise NoMutant(f"{' '.join(command[:2])} ends with {code}: {said[-1000:]}")
    return said


class Tree:
    """Objects, and what they are made of."""

    def __init__(self, build, compiler, linker, libraries):
        self.build, self.compiler = pathlib.Path(build), shlex.split(compiler)
        self.linker, self.libraries = shlex.split(linker), shlex.split(libraries)
        self.wari = str(self.build / "wari")
        self.objects = {}
        for folder in ("game", "index", "db", "system", "solver"):
            for needs in (self.build / "obj" / folder).rglob("*.d"):
                line = needs.read_text().replace("\\\n", " ").split("\n")[0]
                parts = line.partition(":")[2].split()
                if pathlib.Path(parts[0]).exists():  # else the object is one of long ago
                    for part in parts:
                        self.objects.setdefault(part, []).append(parts[0])

    def make(self, mutant, folder):
        """The program with the mutant in it."""
        changed = folder / "sources" / mutant.path
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.source())
        made = []
        for source in self.objects.get(mutant.path, []):
            if any(f"/{folder_}/" in source for folder_ in ("mpi", "ranks", "cluster", "deal")):
                continue  # of wari-mpi
            at = changed if source == mutant.path else source
            made.append(str(folder / f"{len(made)}.o"))
            must(*self.compiler, f"-iquote{folder}/sources", f"-iquote{pathlib.Path(source).parent}",
                 "-O1", "-g0", "-c", "-o", made[-1], str(at))
        if not made:
            raise NoMutant(f"no object has a part of {mutant.path}")
        program = str(folder / "wari")
        must(*self.linker, "-o", program, *made, *self.libraries)
        return program


def judge(tree, mutant, folder):
    """True if the proof refuses it."""
    program, database = tree.make(mutant, folder), str(folder / "db")
    must(program, "build", "--db", database, "--kernel", "portable", "--threads", "1", *mutant.build)
    must(tree.wari, "check", "--db", database)
    code, said = run(tree.wari, "check", "--db", database, "--published")
    if code == 0 and "differs" not in said:
        raise NoMutant("its values are right")
    code, said = run(tree.wari, "verify", "--db", database, "--threads", "1")
    return code == 1 and "WRONG" in said


def attempt(tree, mutant, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        return "refused" if judge(tree, mutant, folder) else "NOT REFUSED"
    except NoMutant as reason:
        return f"NO MUTANT: {reason}"
    except subprocess.TimeoutExpired:
        return f"NO MUTANT: takes more than {SECONDS} s"
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def main():
    tree = Tree(*sys.argv[1:5])
    pick = sys.argv[5] if len(sys.argv) > 5 else ""
    lines = pathlib.Path(os.environ.get("LIST") or HERE / "mutants.txt").read_text().splitlines()
    mutants = [Mutant(line) for line in lines if line and not line.startswith("#")]
    mutants = [m for m in mutants if pick in m.name][:: int(os.environ.get("STEP") or 1)]
    folder = tree.build / "mutants"
    jobs = int(os.environ.get("JOBS", os.cpu_count() or 1))
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        found = [workers.submit(attempt, tree, m, folder / str(i)) for i, m in enumerate(mutants)]
        for mutant, result in zip(mutants, found):
            refused += result.result() == "refused"
            print(f"{result.result()}: {mutant.name}", flush=True)
    print(f"{refused} of {len(mutants)} refused")
    return 0 if mutants and refused == len(mutants) else 1


sys.exit(main())
