/* The extension: the game, and books in memory. database.c has folders of tables.
 *
 * Positions come and go as bytes objects of twelve counts; names, defaults and documentation are
 * Python's (__init__.py). What takes time runs without the interpreter's lock.
 */
#include "binding.h"

/* ---- Shared --------------------------------------------------------------------------------- */

PyObject *binding_raise(const struct wari_error *error)
{
    PyObject *module = PyImport_ImportModule("wari.errors");
    PyObject *kind = NULL, *text = NULL;
    if (module != NULL)
        kind = PyObject_CallMethod(module, "of_status", "i", (int)error->status);
    /* It may quote the name of a file, which is any bytes, or cut a character. */
    if (kind != NULL)
        text =
            PyUnicode_DecodeUTF8(error->text, (Py_ssize_t)strlen(error->text), "backslashreplace");
    if (text != NULL)
        PyErr_SetObject(kind, text);
    Py_XDECREF(text);
    Py_XDECREF(kind);
    Py_XDECREF(module);
    return NULL;
}

int binding_position(PyObject *object, void *position)
{
    struct wari_error error;
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0)
        return 0;
    const bool fits = view.len == WARI_PITS;
    if (fits)
        memcpy(position, view.buf, WARI_PITS);
    PyBuffer_Release(&view);
    if (fits && wari_position_valid(position))
        return 1;
    (void)wari_fail(&error, WARI_BAD_INPUT, "a position has twelve counts, at most %d seeds in all",
                    WARI_SEEDS_MAX);
    (void)binding_raise(&error);
    return 0;
}

static PyObject *move_tuple(const struct wari_move *move, int value)
{
    return Py_BuildValue("(iiOOiy#i)", move->pit, move->captured, move->ends ? Py_True : Py_False,
                         move->again ? Py_True : Py_False, move->end_value,
                         (const char *)move->next.pits, (Py_ssize_t)WARI_PITS, value);
}

PyObject *binding_analysis(const struct wari_analysis *analysis)
{
    PyObject *moves = PyTuple_New(analysis->count);
    for (int i = 0; i < analysis->count && moves != NULL; i++) {
        PyObject *move = move_tuple(&analysis->moves[i].move, analysis->moves[i].value);
        if (move == NULL)
            Py_CLEAR(moves);
        else
            PyTuple_SET_ITEM(moves, i, move);
    }
    return moves == NULL ? NULL : Py_BuildValue("(iN)", analysis->value, moves);
}

int binding_array_take(PyObject *arguments, struct binding_array *array)
{
    if (!PyArg_ParseTuple(arguments, "y*w*", &array->positions, &array->values))
        return 0;
    if (array->positions.len % WARI_PITS == 0 &&
        array->values.len == array->positions.len / WARI_PITS)
        return 1;
    PyErr_SetString(PyExc_ValueError, "there must be twelve counts and one value a position");
    binding_array_release(array);
    return 0;
}

void binding_array_release(struct binding_array *array)
{
    PyBuffer_Release(&array->positions);
    PyBuffer_Release(&array->values);
}

/* ---- The game ------------------------------------------------------------------------------- */

static PyObject *parse(PyObject *module, PyObject *arguments)
{
    const char *text;
    struct wari_setup setup;
    struct wari_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s", &text))
        return NULL;
    if (wari_setup_parse(text, &setup, &error) != WARI_OK)
        return binding_raise(&error);
    return PyBytes_FromStringAndSize((const char *)setup.position.pits, WARI_PITS);
}

static PyObject *variant(PyObject *module, PyObject *arguments)
{
    const char *rules, *cycle;
    struct wari_variant chosen = {WARI_AWARI, WARI_EVEN};
    struct wari_error error;
    bool fixed = false;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sz", &rules, &cycle))
        return NULL;
    enum wari_status status = wari_rules_parse(rules, &chosen, &fixed, &error);
    if (status == WARI_OK && cycle != NULL)
        status = wari_cycle_parse(cycle, &chosen.cycle, &error);
    if (status != WARI_OK)
        return binding_raise(&error);
    const bool named = fixed || cycle != NULL;
    return Py_BuildValue("(sz)", wari_rules_info(chosen.rules)->name,
                         named ? wari_cycle_name(chosen.cycle) : NULL);
}

static PyObject *moves(PyObject *module, PyObject *arguments)
{
    const char *rules;
    struct wari_position position;
    struct wari_variant chosen;
    struct wari_moves found;
    struct wari_analysis analysis = {0};
    struct wari_error error;
    bool fixed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&s", binding_position, &position, &rules))
        return NULL;
    if (wari_rules_parse(rules, &chosen, &fixed, &error) != WARI_OK)
        return binding_raise(&error);
    wari_moves(chosen.rules, &position, &found);
    analysis.value = found.end_value;
    analysis.count = found.count;
    for (int i = 0; i < found.count; i++)
        analysis.moves[i].move = found.list[i];
    return binding_analysis(&analysis);
}

/* ---- Books ---------------------------------------------------------------------------------- */

struct book_object {
    PyObject_HEAD struct wari_book book;
    Py_buffer bytes; /* .obj NULL: not open */
};

static PyObject *book_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    struct wari_error error;
    PyObject *bytes;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O", &bytes))
        return NULL;
    struct book_object *self = (struct book_object *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    if (PyObject_GetBuffer(bytes, &self->bytes, PyBUF_SIMPLE) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (wari_book_open_memory(&self->book, self->bytes.buf, (size_t)self->bytes.len, &error) !=
        WARI_OK) {
        Py_DECREF(self);
        return binding_raise(&error);
    }
    return (PyObject *)self;
}

static void book_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyBuffer_Release(&((struct book_object *)object)->bytes);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *book_info(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    (void)arguments;
    return Py_BuildValue("(ssi)", wari_rules_info(book->variant.rules)->name,
                         wari_cycle_name(book->variant.cycle), book->seeds);
}

static PyObject *book_value(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    struct wari_position position;
    struct wari_error error;
    enum wari_status status;
    int value;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_book_value(book, &position, &value, &error);
    Py_END_ALLOW_THREADS return status == WARI_OK ? PyLong_FromLong(value) : binding_raise(&error);
}

static PyObject *book_analyse(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    struct wari_position position;
    struct wari_analysis analysis;
    struct wari_error error;
    enum wari_status status;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_book_analyse(book, &position, &analysis, &error);
    Py_END_ALLOW_THREADS return status == WARI_OK ? binding_analysis(&analysis)
                                                  : binding_raise(&error);
}

static PyObject *book_probe_many(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    struct binding_array array;
    struct wari_error error;
    enum wari_status status = WARI_OK;
    if (!binding_array_take(arguments, &array))
        return NULL;
    Py_BEGIN_ALLOW_THREADS for (Py_ssize_t i = 0; i < array.values.len && status == WARI_OK; i++)
    {
        /* A copy: other threads may write to the array meanwhile. */
        struct wari_position position;
        int value = 0;
        memcpy(&position, (const char *)array.positions.buf + i * WARI_PITS, sizeof position);
        status = wari_book_value(book, &position, &value, &error);
        ((int8_t *)array.values.buf)[i] = (int8_t)value;
    }
    Py_END_ALLOW_THREADS binding_array_release(&array);
    if (status != WARI_OK)
        return binding_raise(&error);
    Py_RETURN_NONE;
}

static PyObject *book_check(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    struct wari_error error;
    enum wari_status status;
    uint64_t hash;
    (void)arguments;
    Py_BEGIN_ALLOW_THREADS status = wari_book_check(book, &hash, &error);
    Py_END_ALLOW_THREADS return status == WARI_OK ? PyLong_FromUnsignedLongLong(hash)
                                                  : binding_raise(&error);
}

static PyMethodDef book_methods[] = {
    {"info", book_info, METH_NOARGS, NULL},
    {"value", book_value, METH_VARARGS, NULL},
    {"analyse", book_analyse, METH_VARARGS, NULL},
    {"probe_many", book_probe_many, METH_VARARGS, NULL},
    {"check", book_check, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot book_slots[] = {
    {Py_tp_new, (void *)book_new},
    {Py_tp_dealloc, (void *)book_dealloc},
    {Py_tp_methods, book_methods},
    {0, NULL},
};

static PyType_Spec book_spec = {
    .name = "wari._wari.Book",
    .basicsize = sizeof(struct book_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = book_slots,
};

/* ---- The module ----------------------------------------------------------------------------- */

static int fill(PyObject *module)
{
    PyObject *book = PyType_FromSpec(&book_spec);
    if (book == NULL || PyModule_AddObject(module, "Book", book) != 0) {
        Py_XDECREF(book);
        return -1;
    }
#ifdef WITH_DATABASE
    return binding_add_database(module);
#else
    return 0;
#endif
}

static PyMethodDef functions[] = {
    {"parse", parse, METH_VARARGS, NULL},
    {"variant", variant, METH_VARARGS, NULL},
    {"moves", moves, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)fill},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "wari._wari",
    .m_methods = functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__wari(void)
{
    return PyModuleDef_Init(&definition);
}
