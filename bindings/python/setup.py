"""Compiles the package, and the program that it runs for wari.build(), with the Makefile of the surrounding source tree.

In a source archive, the folder `source` takes the place of that tree. If WARI_LIBRARY is set in the
environment, the package is linked with that library instead, and contains no program: "installed" means the
library that pkg-config calls wari; any other value is the path of a libwari.a.
"""

import glob
import os
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)  # pip and debhelper start in other folders
TOP = "source" if os.path.isdir("source") else "../.."

# The files of the tree that a source archive contains, in addition to the files that the Makefile includes.
FOLDERS = ["game", "index", "db", "system", "solver", "verify", "play", "answer", "tools", "data"]
ENDINGS = (".c", ".h", ".csv")
FILES = ["Makefile", "LICENSE", "CITATION.cff", "tests/setup.sh"]

# The sources of `make amalgamation`, which are enough for books.
READER = ["game/status.c", "game/position.c", "game/rules.c", "game/moves.c", "game/notation.c", "index/half.c",
          "db/book/cells.c", "db/book/block.c", "db/book/partial_file.c", "db/book/wari_book_read.c"]
INCLUDED = ["", "game", "db", "db/book", "db/host"]


def pkg_config(*arguments):
    try:
        found = subprocess.run(["pkg-config", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return None
    return found.stdout.split() if found.returncode == 0 else None


LIBRARY = os.environ.get("WARI_LIBRARY", "")
COMPRESSORS = pkg_config("--libs", "libzstd", "libxxhash")
MAKES_LIBRARY = not LIBRARY and COMPRESSORS is not None
BUILD = "build/python"  # the folder below TOP for the library and the program


def make():
    """Makes the library; and the program, if Jansson is installed. Returns true if it made the program."""
    with_program = pkg_config("--libs", "jansson") is not None
    # These variables leave out the parts that this package does not need. If pip was started by another make, the
    # settings that it passes in the environment are not for this make.
    variables = [f"BUILD={BUILD}", "BUILD_NEEDS=", "SERVE_NEEDS=", "SERVE_LIBS=", "PAGE_NEEDS=", "MPI_NEEDS=", "MPI_LIBS="]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    goals = [f"{BUILD}/libwari.a"] + [f"{BUILD}/wari"] * with_program
    try:
        subprocess.run(["make", f"-j{os.cpu_count() or 1}", *variables, *goals], cwd=TOP, env=environment, check=True)
    except FileNotFoundError:
        raise SystemExit("the package is compiled with `make`, which is not installed")
    except subprocess.CalledProcessError:
        raise SystemExit("the library could not be compiled; the messages of the compiler are above")
    if not with_program:
        print("pkg-config cannot find Jansson: building without the program, which wari.build() and verify() run.")
    return with_program


class Build(build_ext):
    def run(self):
        with_program = MAKES_LIBRARY and make()
        super().run()
        if with_program:
            os.makedirs(os.path.dirname(self._program()), exist_ok=True)
            shutil.copy2(f"{TOP}/{BUILD}/wari", self._program())

    def get_source_files(self):
        # Returns only the files of the package, because Archive adds the sources of the library.
        return [path for path in super().get_source_files() if path.startswith("wari/")]

    def get_outputs(self):
        program = self._program()
        return super().get_outputs() + [program] * os.path.exists(program)

    def _program(self):
        folder = "." if self.inplace else self.build_lib
        return os.path.join(folder, "wari", "bin", "wari")


class Archive(sdist):
    """Adds the sources of the library and the program."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        # LICENSE is a symbolic link, whose target is not in the archive. So it is replaced by a copy of the target.
        os.remove(os.path.join(base_dir, "LICENSE"))
        shutil.copy("LICENSE", base_dir)
        for path in files_of_the_tree():
            target = os.path.join(base_dir, "source", path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(TOP, path), target)


def files_of_the_tree():
    found = [os.path.relpath(path, TOP) for folder in FOLDERS for ending in ENDINGS
             for path in glob.glob(f"{TOP}/{folder}/**/*{ending}", recursive=True)]
    with open(f"{TOP}/Makefile", encoding="utf-8") as makefile:
        included = re.findall(r"(?m)^include (\S+)$", makefile.read())
    return sorted({*FILES, *included, *found})


def extension():
    own = ["wari/_wari.c", "wari/book.c", "wari/database.c"]
    macros = [("WITH_DATABASE", None)]
    settings = {"include_dirs": [f"{TOP}/{folder}" for folder in INCLUDED],
                "extra_compile_args": ["-std=c11", "-O3", "-fvisibility=hidden"]}
    if LIBRARY == "installed":
        flags, libraries = pkg_config("--cflags", "wari"), pkg_config("--libs", "wari")
        if flags is None:
            raise SystemExit("WARI_LIBRARY=installed: pkg-config cannot find wari; set PKG_CONFIG_PATH")
        settings["include_dirs"] = []
        settings["extra_compile_args"] += flags
        settings["extra_link_args"] = libraries
    elif LIBRARY or MAKES_LIBRARY:
        archive = os.path.abspath(LIBRARY or f"{TOP}/{BUILD}/libwari.a")
        settings["extra_link_args"] = [archive, *(COMPRESSORS or []), "-pthread"]
    else:
        print("pkg-config cannot find zstd and xxHash: building with Book, but without Database.")
        own = ["wari/_wari.c", "wari/book.c"] + [f"{TOP}/{path}" for path in READER]
        macros = []
    if LIBRARY != "installed":
        macros += [("_GNU_SOURCE", None), ("_FILE_OFFSET_BITS", "64")]
    headers = ["wari/binding.h"] + glob.glob(f"{TOP}/*/**/*.h", recursive=True)
    return Extension("wari._wari", own, define_macros=macros, depends=headers, **settings)


# pyproject.toml has the other settings. The licence is set here, because versions of setuptools expect it in different
# forms there.
setup(license="MIT", ext_modules=[extension()], cmdclass={"build_ext": Build, "sdist": Archive},
      # The sources that read books are in "../../game" and other folders, and setuptools puts their objects at the same
      # relative path below build_temp. A build_temp two folders deep keeps the objects in build/.
      options={"build_ext": {"build_temp": "build/objects/here"}})
