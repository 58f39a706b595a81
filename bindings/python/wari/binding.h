/* Declarations that the files of the extension share. */
#ifndef BINDINGS_PYTHON_WARI_BINDING_H
#define BINDINGS_PYTHON_WARI_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wari_book.h"

/* Raises the exception that wari/errors.py defines for the status. Always returns NULL. */
PyObject *binding_raise(const struct wari_error *error);

/* Converts an object to the twelve counts of a position, for PyArg_ParseTuple's "O&". */
int binding_position(PyObject *object, void *position);

/* Converts a path to a new bytes object, for PyArg_ParseTuple's "O&". */
int binding_path(PyObject *object, void *path);

/* Returns (value, ((pit, captured, ends, again, end value, next position, value), ...)). */
PyObject *binding_analysis(const struct wari_analysis *analysis);

/* The running calls of an object, which must not be closed while there are any. The interpreter's
 * lock protects the count. A process that fork() has created does not have the other threads of its
 * parent, so calls that were counted in another process do not run here. */
struct binding_calls {
    Py_ssize_t count;
    long process; /* the process in which the calls were counted */
};
void binding_calls_begin(struct binding_calls *calls);
void binding_calls_end(struct binding_calls *calls);
bool binding_calls_running(const struct binding_calls *calls);

/* An array of positions, 12 bytes each, and an output array with one byte for each position.
 * binding_array_take() raises ValueError if their sizes do not match. */
struct binding_array {
    Py_buffer positions, values;
};
int binding_array_take(PyObject *arguments, struct binding_array *array);
void binding_array_release(struct binding_array *array);

/* Adds a type to the module. Returns 0, or -1 with an exception. */
int binding_add_type(PyObject *module, const char *name, PyType_Spec *spec);

/* Adds the type Book. Returns 0, or -1 with an exception. */
int binding_add_book(PyObject *module);

/* Adds the type Database and the functions for position numbers. Returns 0, or -1 with an
 * exception. */
int binding_add_database(PyObject *module);

#endif
