"""Compiles the package from the surrounding source tree, unless WARI_LIBRARY in the environment names a library:
"installed" (the one that pkg-config calls wari), or the path of a libwari.a."""

import glob
import os
import re
import subprocess

from setuptools import Extension, setup

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)  # pip and debhelper start in other folders

# The sources of `make amalgamation`, which are enough for books.
READER = ["game/status.c", "game/position.c", "game/rules.c", "game/moves.c", "game/notation.c", "index/half.c",
          "db/book/cells.c", "db/book/block.c", "db/book/wari_book_read.c"]
INCLUDED = ["", "game", "db", "db/book", "db/host"]


def pkg_config(*arguments):
    try:
        found = subprocess.run(["pkg-config", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return None
    return found.stdout.split() if found.returncode == 0 else None


def sources(folders):
    return sorted(path for folder in folders for path in glob.glob(f"../../{folder}/**/*.c", recursive=True))


def extension():
    library = os.environ.get("WARI_LIBRARY", "")
    own = ["wari/_wari.c", "wari/book.c", "wari/database.c"]
    compressors = pkg_config("--libs", "libzstd", "libxxhash")
    macros = [("WITH_DATABASE", None)]
    settings = {"include_dirs": [f"../../{folder}" for folder in INCLUDED],
                "extra_compile_args": ["-std=c11", "-O3", "-fvisibility=hidden"]}
    if library == "installed":
        flags, libraries = pkg_config("--cflags", "wari"), pkg_config("--libs", "wari")
        if flags is None:
            raise SystemExit("WARI_LIBRARY=installed: pkg-config cannot find wari; set PKG_CONFIG_PATH")
        settings["include_dirs"] = []
        settings["extra_compile_args"] += flags
        settings["extra_link_args"] = libraries
    elif library:
        settings["extra_link_args"] = [os.path.abspath(library), *(compressors or []), "-pthread"]
    elif compressors:
        own += sources(["game", "index", "db"])
        settings["extra_link_args"] = [*compressors, "-pthread"]
        settings["extra_compile_args"] += pkg_config("--cflags", "libzstd", "libxxhash")
    else:
        print("pkg-config cannot find zstd and xxHash: building with Book, but without Database.")
        own = ["wari/_wari.c", "wari/book.c"] + [f"../../{path}" for path in READER]
        macros = []
    if library != "installed":
        macros += [("_GNU_SOURCE", None), ("_FILE_OFFSET_BITS", "64")]
    headers = ["wari/binding.h"] + glob.glob("../../*/**/*.h", recursive=True)
    return Extension("wari._wari", own, define_macros=macros, depends=headers, **settings)


with open("wari/__init__.py", encoding="utf-8") as text:
    version = re.search('__version__ = "(.*)"', text.read()).group(1)

setup(name="wari", version=version, description="Exact values of Wari (Oware, Awari) positions", license="MIT",
      python_requires=">=3.8", packages=["wari"], package_data={"wari": ["py.typed", "*.pyi"]},
      ext_modules=[extension()],
      # The sources are in "../../game" and so on, and setuptools puts their objects at the same relative path below
      # build_temp; a build_temp two folders deep keeps them in build/.
      options={"build_ext": {"build_temp": "build/objects/here"}})
