/* Books, in memory or in a file.
 *
 * A file is read with pread() and not mapped, because truncating a mapped file kills the programs
 * that use it. A book is not closed while a call uses it.
 */
#include "binding.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct book_object {
    PyObject_HEAD struct wari_book book; /* for a book in a file, it reads through this object */
    Py_buffer bytes; /* the bytes of a book in memory; .obj is NULL if the book is closed or in
                      * a file */
    int fd;          /* descriptor of a book in a file; -1 if the book is closed or in memory */
    PyObject *path;  /* path of the file, as a bytes object; or NULL */
    struct binding_calls calls;
};

/* ---- Opening and closing -------------------------------------------------------------------- */

static int read_file(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    const struct book_object *self = context;
    char *to = buffer;
    while (bytes > 0) {
        const ssize_t got = pread(self->fd, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        to += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return 0;
}

/* Opens the file. Uses O_NONBLOCK, because otherwise, if the path is that of a pipe, open() would
 * wait until somebody opens its other end. */
static enum wari_status open_file(struct book_object *self, struct wari_error *error)
{
    const char *path = PyBytes_AS_STRING(self->path);
    struct stat file;
    do
        self->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (self->fd < 0 && errno == EINTR);
    if (self->fd < 0 || fstat(self->fd, &file) != 0)
        return wari_fail(error, WARI_IO, "%s: cannot open the book: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return wari_fail(error, WARI_BAD_INPUT, "%s: this is not a regular file", path);
    const struct wari_book_source source = {read_file, self, (uint64_t)file.st_size, path};
    return wari_book_open(&self->book, &source, error);
}

static enum wari_status open_bytes(struct book_object *self, struct wari_error *error)
{
    const size_t size = (size_t)self->bytes.len;
    return wari_book_open_memory(&self->book, self->bytes.buf, size, error);
}

/* Frees everything that has been opened so far. */
static void release(struct book_object *self)
{
    PyBuffer_Release(&self->bytes);
    if (self->fd >= 0)
        (void)close(self->fd);
    self->fd = -1;
}

static PyObject *book_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    struct wari_error error;
    enum wari_status status;
    PyObject *from;
    int in_file;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "Op", &from, &in_file))
        return NULL;
    struct book_object *self = (struct book_object *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->fd = -1;
    if (in_file ? !binding_path(from, &self->path)
                : PyObject_GetBuffer(from, &self->bytes, PyBUF_SIMPLE) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = in_file ? open_file(self, &error) : open_bytes(self, &error);
    Py_END_ALLOW_THREADS;
    if (status == WARI_OK)
        return (PyObject *)self;
    Py_DECREF(self);
    return binding_raise(&error);
}

static void book_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    release((struct book_object *)object);
    Py_XDECREF(((struct book_object *)object)->path);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *book_close(PyObject *object, PyObject *arguments)
{
    struct book_object *self = (struct book_object *)object;
    (void)arguments;
    if (binding_calls_running(&self->calls)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this book cannot be closed, because another thread is using it");
        return NULL;
    }
    release(self);
    Py_RETURN_NONE;
}

/* Starts a call: counts it and returns the object, or returns NULL with an exception if it is
 * closed. */
static struct book_object *begin(PyObject *object)
{
    struct book_object *self = (struct book_object *)object;
    if (self->bytes.obj == NULL && self->fd < 0) {
        PyErr_SetString(PyExc_ValueError, "this book is closed; open it again");
        return NULL;
    }
    binding_calls_begin(&self->calls);
    return self;
}

/* ---- Values --------------------------------------------------------------------------------- */

static PyObject *book_info(PyObject *object, PyObject *arguments)
{
    const struct wari_book *book = &((struct book_object *)object)->book;
    (void)arguments;
    return Py_BuildValue("(ssi)", wari_get_rules_info(book->variant.rules)->name,
                         wari_cycle_name(book->variant.cycle), book->seeds);
}

static PyObject *book_value(PyObject *object, PyObject *arguments)
{
    struct wari_position position;
    struct wari_error error;
    enum wari_status status;
    int value;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    struct book_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_book_value(&self->book, &position, &value, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    return status == WARI_OK ? PyLong_FromLong(value) : binding_raise(&error);
}

static PyObject *book_analyse(PyObject *object, PyObject *arguments)
{
    struct wari_position position;
    struct wari_analysis analysis;
    struct wari_error error;
    enum wari_status status;
    if (!PyArg_ParseTuple(arguments, "O&", binding_position, &position))
        return NULL;
    struct book_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_book_analyse(&self->book, &position, &analysis, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    return status == WARI_OK ? binding_analysis(&analysis) : binding_raise(&error);
}

static PyObject *book_probe_many(PyObject *object, PyObject *arguments)
{
    struct binding_array array;
    struct wari_error error;
    enum wari_status status = WARI_OK;
    if (!binding_array_take(arguments, &array))
        return NULL;
    struct book_object *self = begin(object);
    if (self == NULL) {
        binding_array_release(&array);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS for (Py_ssize_t i = 0; i < array.values.len && status == WARI_OK; i++)
    {
        /* Copied, because another thread may write to the array in the meantime. */
        struct wari_position position;
        struct wari_error why;
        int value = 0;
        memcpy(&position, (const char *)array.positions.buf + i * WARI_PITS, sizeof position);
        status = wari_book_value(&self->book, &position, &value, &why);
        ((int8_t *)array.values.buf)[i] = (int8_t)value;
        /* As in the errors of wari_probe_many(), the text begins with the index of the position. */
        if (status == WARI_NOT_COVERED || status == WARI_BAD_INPUT)
            (void)wari_fail(&error, status, "positions[%zd]: %s", i, why.text);
        else if (status != WARI_OK)
            error = why;
    }
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    binding_array_release(&array);
    if (status != WARI_OK)
        return binding_raise(&error);
    Py_RETURN_NONE;
}

static PyObject *book_check(PyObject *object, PyObject *arguments)
{
    struct wari_error error;
    enum wari_status status;
    uint64_t hash;
    (void)arguments;
    struct book_object *self = begin(object);
    if (self == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = wari_book_check(&self->book, &hash, &error);
    Py_END_ALLOW_THREADS binding_calls_end(&self->calls);
    return status == WARI_OK ? PyLong_FromUnsignedLongLong(hash) : binding_raise(&error);
}

static PyMethodDef book_methods[] = {
    {"close", book_close, METH_NOARGS, NULL},
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
    return binding_add_type(module, "Book", &book_spec);
}
