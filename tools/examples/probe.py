#!/usr/bin/env python3
"""Looks up values of positions from Python, with only ctypes and libwari.so.

    probe.py FOLDER POSITION...
    probe.py FOLDER --level SEEDS       prints how often each value occurs in a level

FOLDER must contain one database. If the loader does not find the library, name it in the environment variable
WARI_LIBRARY.
"""
import ctypes
import os
import sys
from collections import Counter
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_int, c_int8, c_size_t
from ctypes import c_uint64, c_uint8, c_void_p


class Position(ctypes.Structure):  # the mover's pits A..F, then the opponent's a..f
    _fields_ = [("pits", c_uint8 * 12)]


class Setup(ctypes.Structure):
    _fields_ = [("position", Position), ("diagram", c_bool), ("north_to_move", c_bool),
                ("stores", c_uint8 * 2)]


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("text", c_char * 1536)]


# The number in the file name changes with the layout of the structs above: see wari.h, "What may change".
try:
    wari = ctypes.CDLL(os.environ.get("WARI_LIBRARY", "libwari.so.0"))
except OSError as problem:
    sys.exit(f"{problem}\nRun ldconfig after make install, or name the library in WARI_LIBRARY.")
wari.wari_open.argtypes = [POINTER(c_void_p), c_char_p, c_void_p, c_void_p, POINTER(Error)]
wari.wari_close.argtypes = [c_void_p]
wari.wari_setup_parse.argtypes = [c_char_p, POINTER(Setup), POINTER(Error)]
wari.wari_probe.argtypes = [c_void_p, POINTER(Position), POINTER(c_int), POINTER(Error)]
wari.wari_values.argtypes = [c_void_p, c_int, c_uint64, c_size_t, POINTER(c_int8), POINTER(Error)]
wari.wari_level_size.argtypes = [c_int]
wari.wari_level_size.restype = c_uint64


def call(function, *arguments):
    """Calls a function that returns a status and whose last parameter is an error. Raises the error."""
    error = Error()
    if function(*arguments, byref(error)) != 0:
        raise RuntimeError(error.text.decode(errors="replace"))


class Database:
    """An open folder that contains one database."""

    def __init__(self, folder):
        self.handle = c_void_p()
        call(wari.wari_open, byref(self.handle), os.fsencode(folder), None, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        wari.wari_close(self.handle)

    def value(self, text):
        setup, value = Setup(), c_int()
        call(wari.wari_setup_parse, text.encode(), byref(setup))
        call(wari.wari_probe, self.handle, byref(setup.position), byref(value))
        return value.value

    def values(self, seeds):
        """All values of a level in the order of its positions' numbers."""
        values = (c_int8 * wari.wari_level_size(seeds))()
        call(wari.wari_values, self.handle, seeds, 0, len(values), values)
        return values


def main(folder, *arguments):
    with Database(folder) as database:
        if arguments[0] == "--level":
            for value, count in sorted(Counter(database.values(int(arguments[1]))).items()):
                print(value, count)
        else:
            for text in arguments:
                print(text, "is worth", database.value(text))


if __name__ == "__main__":
    if len(sys.argv) < 3 or (sys.argv[2] == "--level" and len(sys.argv) != 4):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (RuntimeError, ValueError) as problem:
        sys.exit(str(problem))
