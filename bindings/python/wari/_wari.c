/* The extension module, and its functions for the game. Books are in book.c, database folders in
 * database.c.
 *
 * Positions are passed as bytes objects of twelve counts. Names, defaults and documentation are in
 * the Python modules. Functions that take long release the interpreter's lock.
 */
#include "binding.h"

#include <unistd.h>

/* ---- Shared --------------------------------------------------------------------------------- */

PyObject *binding_raise(const struct wari_error *error)
{
    PyObject *module = PyImport_ImportModule("wari.errors");
    PyObject *kind = NULL, *text = NULL;
    if (module != NULL)
        kind = PyObject_CallMethod(module, "of_status", "i", (int)error->status);
    /* The text may quote a file name, which is arbitrary bytes, or end within a character. */
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
    (void)wari_fail(&error, WARI_BAD_INPUT,
                    "a position must have twelve counts and at most %d seeds in all",
                    WARI_SEEDS_MAX);
    (void)binding_raise(&error);
    return 0;
}

/* Raises an exception for a text that C would read incompletely, because it contains a NUL. */
static int refuse_text(const char *what)
{
    struct wari_error error;
    PyErr_Clear();
    (void)wari_fail(&error, WARI_BAD_INPUT,
                    "a %s must not contain NUL characters or lone surrogates", what);
    (void)binding_raise(&error);
    return 0;
}

int binding_path(PyObject *object, void *path)
{
    const int converted = PyUnicode_FSConverter(object, path);
    return converted == 0 && PyErr_ExceptionMatches(PyExc_ValueError) ? refuse_text("path")
                                                                      : converted;
}

void binding_calls_begin(struct binding_calls *calls)
{
    const long process = (long)getpid();
    if (calls->process != process)
        *calls = (struct binding_calls){0, process};
    calls->count++;
}

void binding_calls_end(struct binding_calls *calls)
{
    calls->count--;
}

bool binding_calls_running(const struct binding_calls *calls)
{
    return calls->count > 0 && calls->process == (long)getpid();
}

/* Converts a str to a const char *, for PyArg_ParseTuple's "O&". */
static int take_text(PyObject *object, void *text)
{
    Py_ssize_t length = 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "this argument must be str, not %s",
                     Py_TYPE(object)->tp_name);
        return 0;
    }
    const char *found = PyUnicode_AsUTF8AndSize(object, &length);
    if (found == NULL ? PyErr_ExceptionMatches(PyExc_ValueError) : strlen(found) < (size_t)length)
        return refuse_text("text");
    *(const char **)text = found;
    return found != NULL;
}

/* Converts a str or None, which becomes NULL. */
static int take_text_or_none(PyObject *object, void *text)
{
    if (object != Py_None)
        return take_text(object, text);
    *(const char **)text = NULL;
    return 1;
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
    PyErr_SetString(PyExc_ValueError, "the array of positions must have twelve counts for each "
                                      "position, and the array of values one value");
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
    if (!PyArg_ParseTuple(arguments, "O&", take_text, &text))
        return NULL;
    if (wari_setup_parse(text, &setup, &error) != WARI_OK)
        return binding_raise(&error);
    const char *side = setup.north_to_move ? "North" : "South";
    return Py_BuildValue("(y#z)", (const char *)setup.position.pits, (Py_ssize_t)WARI_PITS,
                         setup.diagram ? side : NULL);
}

static PyObject *variant(PyObject *module, PyObject *arguments)
{
    const char *rules, *cycle;
    struct wari_variant chosen;
    struct wari_error error;
    bool fixed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&O&", take_text, &rules, take_text_or_none, &cycle))
        return NULL;
    if (wari_variant_parse(rules, cycle, &chosen, &fixed, &error) != WARI_OK)
        return binding_raise(&error);
    return Py_BuildValue("(sz)", wari_get_rules_info(chosen.rules)->name,
                         fixed ? wari_cycle_name(chosen.cycle) : NULL);
}

static PyObject *moves(PyObject *module, PyObject *arguments)
{
    const char *rules;
    struct wari_position position;
    struct wari_variant chosen;
    struct wari_moves found;
    struct wari_analysis analysis = {0};
    struct wari_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&O&", binding_position, &position, take_text, &rules))
        return NULL;
    if (wari_variant_parse(rules, NULL, &chosen, NULL, &error) != WARI_OK)
        return binding_raise(&error);
    wari_find_moves(chosen.rules, &position, &found);
    analysis.value = found.end_value;
    analysis.count = found.count;
    for (int i = 0; i < found.count; i++)
        analysis.moves[i].move = found.list[i];
    return binding_analysis(&analysis);
}

/* ---- Placements ----------------------------------------------------------------------------- */

/* Returns the number of ways to put seeds into pits: C(seeds + pits - 1, pits - 1). */
static uint64_t count_ways(int seeds, int pits)
{
    uint64_t result = 1;
    for (int i = 1; i < pits; i++)
        result = result * (uint64_t)(seeds + i) / (uint64_t)i;
    return result;
}

/* Sets *position to the placement of `seeds` seeds with this number in lexicographic order. */
static void find_placement(int seeds, uint64_t number, struct wari_position *position)
{
    for (int pit = 0; pit < WARI_PITS - 1; pit++) {
        int here = 0;
        while (here < seeds && number >= count_ways(seeds - here, WARI_PITS - 1 - pit)) {
            number -= count_ways(seeds - here, WARI_PITS - 1 - pit);
            here++;
        }
        position->pits[pit] = (uint8_t)here;
        seeds -= here;
    }
    position->pits[WARI_PITS - 1] = (uint8_t)seeds;
}

/* Replaces a placement by the next one in lexicographic order; the last one stays as it is. */
static void go_to_next_placement(struct wari_position *position)
{
    int last = WARI_PITS - 1;
    while (last > 0 && position->pits[last] == 0)
        last--;
    if (last == 0)
        return;
    const uint8_t seeds = position->pits[last];
    position->pits[last] = 0;
    position->pits[last - 1]++;
    position->pits[WARI_PITS - 1] = (uint8_t)(seeds - 1);
}

/* Fills a buffer with consecutive placements. */
static PyObject *placements(PyObject *module, PyObject *arguments)
{
    int seeds;
    unsigned long long first;
    Py_buffer buffer;
    struct wari_position position;
    struct wari_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "iKw*", &seeds, &first, &buffer))
        return NULL;
    const size_t count = (size_t)buffer.len / WARI_PITS;
    const uint64_t size = seeds < 0 || seeds > WARI_SEEDS_MAX ? 0 : count_ways(seeds, WARI_PITS);
    if (first > size || count > size - first) {
        PyBuffer_Release(&buffer);
        (void)wari_fail(&error, WARI_BAD_INPUT, "level %d has %llu placements", seeds,
                        (unsigned long long)size);
        return binding_raise(&error);
    }
    if (count > 0)
        find_placement(seeds, first, &position);
    for (size_t i = 0; i < count; i++) {
        memcpy((char *)buffer.buf + i * WARI_PITS, position.pits, WARI_PITS);
        go_to_next_placement(&position);
    }
    PyBuffer_Release(&buffer);
    Py_RETURN_NONE;
}

/* ---- The module ----------------------------------------------------------------------------- */

int binding_add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type != NULL && PyModule_AddObject(module, name, type) == 0)
        return 0;
    Py_XDECREF(type);
    return -1;
}

static int fill(PyObject *module)
{
    if (binding_add_book(module) != 0)
        return -1;
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
    {"placements", placements, METH_VARARGS, NULL},
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

/* Before Python 3.9, PyMODINIT_FUNC does not export the function, so -fvisibility=hidden would hide
 * it without this attribute. */
__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__wari(void)
{
    return PyModuleDef_Init(&definition);
}
