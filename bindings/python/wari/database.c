/* Database folders, read by libwari. A handle is not closed while a call uses it. */
#include "binding.h"

#include <limits.h>

#include "wari.h"

struct database_object {
    PyObject_HEAD struct wari_db *db; /* NULL if it is closed */
    struct binding_calls calls;
};

/* ---- Opening and closing -------------------------------------------------------------------- */

static PyObject *database_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *folder;
    const char *rules, *cycle;
    Py_ssize_t cache;
    struct wari_options options = {0};
    struct wari_variant variant;
    struct wari_error error;
    enum wari_status status;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O&ssn", binding_path, &folder, &rules, &cycle, &cache))
        return NULL;
    struct database_object *self = (struct database_object *)type->tp_alloc(type, 0);
    if (self == NULL || wari_variant_parse(rules, cycle, &variant, NULL, &error) != WARI_OK) {
        Py_DECREF(folder);
        Py_XDECREF(self);
        return self == NULL ? NULL : binding_raise(&error);
    }
    options.cache_bytes = (size_t)cache;
    Py_BEGIN_ALLOW_THREADS status =
        wari_open(&self->db, PyBytes_AS_STRING(folder), &variant, &options, &error);
    Py_END_ALLOW_THREADS Py_DECREF(folder);
    if (status == WARI_OK)
        return (PyObject *)self;
    Py_DECREF(self);
    return binding_raise(&error);
}

static void database_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    wari_close(((struct database_object *)object)->db);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *database_close(PyObject *object, PyObject *arguments)
{
    struct database_object *self = (struct database_object *)object;
    (void)arguments;
    if (binding_calls_running(&self->calls)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this database cannot be closed, because another thread is using it");
        return NULL;
    }
    wari_close(self->db);
    self->db = NULL;
    Py_RETURN_NONE;
}

/* Starts a call: counts it and returns the object, or returns NULL with an exception if it is
 * closed. */
static struct database_object *begin(PyObject *object)
{
    struct database_object *self = (struct database_object *)object;
    if (self->db == NULL) {
        PyErr_SetString(PyExc_ValueError, "this database is closed; open it again");
        return NULL;
    }
    binding_calls_begin(&self->calls);
    return self;
}

/* Converts a number of seeds, for PyArg_ParseTuple's "O&". A Python int that exceeds a C int
 * becomes the nearest C int, which is not a level either. */
static int take_seeds(PyObject *object, void *seeds)
{
    const Py_ssize_t number = PyNumber_AsSsize_t(object, NULL);
    if (number == -1 && PyErr_Occurred())
        return 0;
    *(int *)seeds = number < INT_MIN ? INT_MIN : number > INT_MAX ? INT_MAX : (int)number;
    return 1;
}

/* ---- Values --------------------------------------------------------------------------------- */

static PyObject *database_info(PyObject *object, PyObject *arguments)
{
    struct database_object *self = begin(object);
    struct wari_info info;
    (void)arguments;
    if (self == NULL)
        return NULL;
    wari_get_info(self->db, &info);
    binding_calls_end(&self->calls);
    return Py_BuildValue("(ssiKK)", wari_get_rules_info(info.variant.rules)->name,
                         wari_cycle_name(info.variant.cycle), info.seeds_max,
                         (unsigned long long)info.positions, (unsigned long long)info.file_bytes);
}

static PyObject *database_missing(PyObject *object, PyObject *arguments)
{
    struct database_object *self = begin(object);
    bool missing[WARI_SEEDS_MAX + 1];
    (void)arguments;
    if (self == NULL)
        return NULL;
    PyObject *levels = PyTuple_New(wari_missing(self->db, missing));
    binding_calls_end(&self->calls);
    Py_ssize_t count = 0;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX && levels != NULL; seeds++) {
        if (!missing[seeds])
            continue;
        PyObject *level = PyLong_FromLong(seeds);
        if (level == NULL)
            Py_CLEAR(levels);
        else
            PyTuple_SET_ITEM(levels, count++, level);
    }
    return levels;
}

static PyObject *database_proved(PyObject *object, PyObject *arguments)
{
    PyObject *folder;
    struct wari_error error;
    enum wari_status status;
    int seeds_max;
    if (!PyArg_ParseTuple(arguments, "O&", binding_path, &folder))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL) {
        Py_DECREF(folder);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        wari_proved(self->db, PyBytes_AS_STRING(folder), &seeds_max, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    Py_DECREF(folder);
    return status == WARI_OK ? PyLong_FromLong(seeds_max) : binding_raise(&error);
}

static PyObject *database_value(PyObject *object, PyObject *arguments)
{
    struct wari_position position;
    struct wari_error error;
    enum wari_status status;
    int value;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_probe(self->db, &position, &value, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    return status == WARI_OK ? PyLong_FromLong(value) : binding_raise(&error);
}

static PyObject *database_analyse(PyObject *object, PyObject *arguments)
{
    struct wari_position position;
    struct wari_analysis analysis;
    struct wari_error error;
    enum wari_status status;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_analyse(self->db, &position, &analysis, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    return status == WARI_OK ? binding_analysis(&analysis) : binding_raise(&error);
}

static PyObject *database_probe_many(PyObject *object, PyObject *arguments)
{
    struct binding_array array;
    struct wari_error error;
    enum wari_status status;
    if (!binding_array_take(arguments, &array))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL) {
        binding_array_release(&array);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = wari_probe_many(
        self->db, array.positions.buf, (size_t)array.values.len, array.values.buf, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    binding_array_release(&array);
    if (status != WARI_OK)
        return binding_raise(&error);
    Py_RETURN_NONE;
}

static PyObject *database_values(PyObject *object, PyObject *arguments)
{
    int seeds;
    unsigned long long first;
    Py_buffer values;
    struct wari_error error;
    enum wari_status status;
    if (!PyArg_ParseTuple(arguments, "O&Kw*", take_seeds, &seeds, &first, &values))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL) {
        PyBuffer_Release(&values);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        wari_values(self->db, seeds, first, (size_t)values.len, values.buf, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    PyBuffer_Release(&values);
    if (status != WARI_OK)
        return binding_raise(&error);
    Py_RETURN_NONE;
}

/* Gets the information about the level that the arguments name. Returns false and raises an
 * exception if there is no such level. */
static bool get_level_info(PyObject *object, PyObject *arguments, struct wari_level_info *info)
{
    int seeds;
    struct wari_error error;
    if (!PyArg_ParseTuple(arguments, "O&", take_seeds, &seeds))
        return false;
    struct database_object *self = begin(object);
    if (self == NULL)
        return false;
    const enum wari_status status = wari_get_level_info(self->db, seeds, info, &error);
    binding_calls_end(&self->calls);
    if (status != WARI_OK)
        (void)binding_raise(&error);
    return status == WARI_OK;
}

static PyObject *database_histogram(PyObject *object, PyObject *arguments)
{
    struct wari_level_info info;
    if (!get_level_info(object, arguments, &info))
        return NULL;
    PyObject *counts = PyDict_New();
    for (int value = -info.seeds; value <= info.seeds && counts != NULL; value++) {
        const uint64_t count = info.histogram[value + WARI_SEEDS_MAX];
        if (count == 0)
            continue;
        PyObject *key = PyLong_FromLong(value), *number = PyLong_FromUnsignedLongLong(count);
        if (key == NULL || number == NULL || PyDict_SetItem(counts, key, number) != 0)
            Py_CLEAR(counts);
        Py_XDECREF(key);
        Py_XDECREF(number);
    }
    return counts;
}

static PyObject *database_payload_hash(PyObject *object, PyObject *arguments)
{
    struct wari_level_info info;
    if (!get_level_info(object, arguments, &info))
        return NULL;
    return PyLong_FromUnsignedLongLong(info.payload_hash);
}

static PyObject *database_line(PyObject *object, PyObject *arguments)
{
    struct wari_position position;
    struct wari_line line;
    struct wari_error error;
    enum wari_status status;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    struct database_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_find_line(self->db, &position, &line, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    if (status != WARI_OK)
        return binding_raise(&error);
    PyObject *moves = PyTuple_New(line.count);
    for (int i = 0; i < line.count && moves != NULL; i++) {
        PyObject *move =
            Py_BuildValue("(iOi)", line.moves[i].pit, line.moves[i].opponent ? Py_True : Py_False,
                          line.moves[i].captured);
        if (move == NULL)
            Py_CLEAR(moves);
        else
            PyTuple_SET_ITEM(moves, i, move);
    }
    return moves == NULL ? NULL : Py_BuildValue("(Nii)", moves, (int)line.end, line.rest);
}

static PyMethodDef database_methods[] = {
    {"close", database_close, METH_NOARGS, NULL},
    {"info", database_info, METH_NOARGS, NULL},
    {"missing", database_missing, METH_NOARGS, NULL},
    {"proved", database_proved, METH_VARARGS, NULL},
    {"value", database_value, METH_VARARGS, NULL},
    {"analyse", database_analyse, METH_VARARGS, NULL},
    {"probe_many", database_probe_many, METH_VARARGS, NULL},
    {"values", database_values, METH_VARARGS, NULL},
    {"histogram", database_histogram, METH_VARARGS, NULL},
    {"payload_hash", database_payload_hash, METH_VARARGS, NULL},
    {"line", database_line, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot database_slots[] = {
    {Py_tp_new, (void *)database_new},
    {Py_tp_dealloc, (void *)database_dealloc},
    {Py_tp_methods, database_methods},
    {0, NULL},
};

static PyType_Spec database_spec = {
    .name = "wari._wari.Database",
    .basicsize = sizeof(struct database_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = database_slots,
};

/* ---- Folders and numbers -------------------------------------------------------------------- */

static PyObject *variants(PyObject *module, PyObject *arguments)
{
    struct wari_variant found[WARI_VARIANT_COUNT];
    struct wari_error error;
    PyObject *folder;
    int count;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&", binding_path, &folder))
        return NULL;
    const enum wari_status status =
        wari_list(PyBytes_AS_STRING(folder), NULL, found, &count, &error);
    Py_DECREF(folder);
    if (status != WARI_OK)
        return binding_raise(&error);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; i < count && names != NULL; i++) {
        PyObject *name = Py_BuildValue("(ss)", wari_get_rules_info(found[i].rules)->name,
                                       wari_cycle_name(found[i].cycle));
        if (name == NULL)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

static PyObject *level_size(PyObject *module, PyObject *arguments)
{
    int seeds;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&", take_seeds, &seeds))
        return NULL;
    return PyLong_FromUnsignedLongLong(wari_level_size(seeds));
}

static PyObject *number(PyObject *module, PyObject *arguments)
{
    struct wari_position position;
    struct wari_error error;
    uint64_t found;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    if (wari_position_number(&position, &found, &error) != WARI_OK)
        return binding_raise(&error);
    return PyLong_FromUnsignedLongLong(found);
}

/* Writes consecutive positions of a level to a buffer, as many as it has capacity for. */
static PyObject *numbered(PyObject *module, PyObject *arguments)
{
    int seeds;
    unsigned long long first;
    Py_buffer buffer;
    struct wari_position position;
    struct wari_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&Kw*", take_seeds, &seeds, &first, &buffer))
        return NULL;
    const size_t count = (size_t)buffer.len / WARI_PITS;
    const uint64_t size = wari_level_size(seeds);
    enum wari_status status = WARI_OK;
    if (first > size || count > size - first)
        status = wari_fail(&error, WARI_BAD_INPUT, "level %d has %llu stored positions", seeds,
                           (unsigned long long)size);
    else if (count > 0)
        status = wari_position_numbered(seeds, first, &position, &error);
    for (size_t i = 0; i < count && status == WARI_OK; i++) {
        memcpy((char *)buffer.buf + i * WARI_PITS, position.pits, WARI_PITS);
        (void)wari_position_next(&position);
    }
    PyBuffer_Release(&buffer);
    if (status != WARI_OK)
        return binding_raise(&error);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"variants", variants, METH_VARARGS, NULL},
    {"level_size", level_size, METH_VARARGS, NULL},
    {"number", number, METH_VARARGS, NULL},
    {"numbered", numbered, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int binding_add_database(PyObject *module)
{
    if (binding_add_type(module, "Database", &database_spec) != 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
