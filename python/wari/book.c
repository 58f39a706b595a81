/* Books in memory, through the reader of books. */
#include "binding.h"

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

int binding_add_book(PyObject *module)
{
    PyObject *book = PyType_FromSpec(&book_spec);
    if (book == NULL || PyModule_AddObject(module, "Book", book) != 0) {
        Py_XDECREF(book);
        return -1;
    }
    return 0;
}
