/* Files in memory. Names, descriptors and files are three small tables. A file exists as long as
 * a name or a descriptor refers to it, so a file that is replaced by rename() stays readable
 * through its open descriptors, as on a real system. */
#include "tests/support/memory_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { FREE = -1, FOLDER = -2 }; /* values of a descriptor that is no file */

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void resize(uint8_t **bytes, size_t *size, size_t wanted)
{
    uint8_t *larger = realloc(*bytes, wanted + 1); /* one byte more, so that it never allocates 0
                                                    * bytes */
    must(larger != NULL);
    if (wanted > *size)
        memset(larger + *size, 0, wanted - *size);
    *bytes = larger;
    *size = wanted;
}

static bool in_use(const struct memory_host *memory, int file)
{
    for (int i = 0; i < MEMORY_FILES; i++)
        if (memory->name[i].now == file || memory->name[i].durable == file ||
            memory->descriptor[i] == file)
            return true;
    return false;
}

static int new_file(struct memory_host *memory)
{
    int number = 0;
    while (number < MEMORY_FILES && in_use(memory, number))
        number++;
    must(number < MEMORY_FILES);
    struct memory_file *file = &memory->file[number];
    file->size = file->durable_size = 0;
    resize(&file->bytes, &file->size, 0);
    return number;
}

static void make_durable(struct memory_file *file)
{
    resize(&file->durable_bytes, &file->durable_size, file->size);
    memcpy(file->durable_bytes, file->bytes, file->size);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static struct memory_name *find_name(const struct memory_host *memory, const char *path)
{
    const char *text = base_name(path);
    for (int i = 0; i < MEMORY_FILES; i++) {
        const struct memory_name *name = &memory->name[i];
        if ((name->now != MEMORY_NONE || name->durable != MEMORY_NONE) &&
            strcmp(name->text, text) == 0)
            return (struct memory_name *)name;
    }
    return NULL;
}

static struct memory_name *make_name(struct memory_host *memory, const char *path)
{
    struct memory_name *name = find_name(memory, path);
    if (name != NULL)
        return name;
    for (int i = 0; name == NULL && i < MEMORY_FILES; i++)
        if (memory->name[i].now == MEMORY_NONE && memory->name[i].durable == MEMORY_NONE)
            name = &memory->name[i];
    must(name != NULL && strlen(base_name(path)) < MEMORY_NAME);
    strcpy(name->text, base_name(path));
    return name;
}

/* ---- The host's functions ------------------------------------------------------------------- */

static struct memory_host *begin(void *context)
{
    struct memory_host *memory = context;
    if (memory->before != NULL)
        memory->before(memory->context, memory);
    memory->calls++;
    return memory;
}

static void *memory_allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void memory_release(void *context, void *block)
{
    (void)context;
    free(block);
}

static int memory_open(void *context, const char *path, int flags, mode_t mode)
{
    struct memory_host *memory = begin(context);
    struct memory_name *name = find_name(memory, path);
    int fd = 0;
    (void)mode;
#ifdef O_TMPFILE
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
#endif
    while (fd < MEMORY_FILES && memory->descriptor[fd] != FREE)
        fd++;
    must(fd < MEMORY_FILES);
    if (flags & O_DIRECTORY) {
        memory->descriptor[fd] = FOLDER;
        return fd;
    }
    if (name == NULL || name->now == MEMORY_NONE) {
        if (!(flags & O_CREAT)) {
            errno = ENOENT;
            return -1;
        }
        name = make_name(memory, path);
        name->now = new_file(memory);
    } else if (flags & O_EXCL) {
        errno = EEXIST;
        return -1;
    }
    if (flags & O_TRUNC)
        memory->file[name->now].size = 0;
    memory->descriptor[fd] = name->now;
    return fd;
}

static int memory_create(void *context, const char *path, const char *like)
{
    (void)like;
    return memory_open(context, path, O_CREAT | O_EXCL, 0);
}

static ssize_t memory_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    struct memory_host *memory = begin(context);
    const struct memory_file *file = &memory->file[memory->descriptor[fd]];
    if ((size_t)offset >= file->size)
        return 0;
    if (bytes > file->size - (size_t)offset)
        bytes = file->size - (size_t)offset;
    memcpy(buffer, file->bytes + offset, bytes);
    return (ssize_t)bytes;
}

static ssize_t memory_pwrite(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct memory_host *memory = begin(context);
    struct memory_file *file = &memory->file[memory->descriptor[fd]];
    if ((size_t)offset + bytes > file->size)
        resize(&file->bytes, &file->size, (size_t)offset + bytes);
    memcpy(file->bytes + offset, buffer, bytes);
    return (ssize_t)bytes;
}

static off_t memory_size(void *context, int fd)
{
    struct memory_host *memory = begin(context);
    return (off_t)memory->file[memory->descriptor[fd]].size;
}

static int memory_fsync(void *context, int fd)
{
    struct memory_host *memory = begin(context);
    if (memory->descriptor[fd] != FOLDER) {
        make_durable(&memory->file[memory->descriptor[fd]]);
        return 0;
    }
    for (int i = 0; i < MEMORY_FILES; i++)
        memory->name[i].durable = memory->name[i].now;
    return 0;
}

static int memory_close(void *context, int fd)
{
    struct memory_host *memory = begin(context);
    memory->descriptor[fd] = FREE;
    return 0;
}

static int memory_unlink(void *context, const char *path)
{
    struct memory_host *memory = begin(context);
    struct memory_name *name = find_name(memory, path);
    if (name == NULL || name->now == MEMORY_NONE) {
        errno = ENOENT;
        return -1;
    }
    name->now = MEMORY_NONE;
    return 0;
}

static int memory_rename(void *context, const char *from, const char *to)
{
    struct memory_host *memory = begin(context);
    struct memory_name *source = find_name(memory, from);
    if (source == NULL || source->now == MEMORY_NONE) {
        errno = ENOENT;
        return -1;
    }
    struct memory_name *name = make_name(memory, to);
    name->now = source->now;
    source->now = MEMORY_NONE;
    memory->renamed = (int)(name - memory->name);
    return 0;
}

static int memory_mkdir(void *context, const char *path, mode_t mode)
{
    begin(context);
    (void)path;
    (void)mode;
    errno = EEXIST;
    return -1;
}

static int memory_lock(void *context, int fd)
{
    begin(context);
    (void)fd;
    return 0;
}

/* ---- Functions for tests --------------------------------------------------------------------- */

struct memory_host *memory_host_create(void)
{
    struct memory_host *memory = calloc(1, sizeof *memory);
    must(memory != NULL);
    memory->host = (struct wari_host){
        .context = memory,
        .allocate = memory_allocate,
        .release = memory_release,
        .open = memory_open,
        .create = memory_create,
        .pread = memory_pread,
        .pwrite = memory_pwrite,
        .size = memory_size,
        .fsync = memory_fsync,
        .close = memory_close,
        .rename = memory_rename,
        .unlink = memory_unlink,
        .mkdir = memory_mkdir,
        .lock = memory_lock,
    };
    for (int i = 0; i < MEMORY_FILES; i++) {
        memory->name[i].now = memory->name[i].durable = MEMORY_NONE;
        memory->descriptor[i] = FREE;
    }
    memory->renamed = MEMORY_NONE;
    return memory;
}

void memory_host_destroy(struct memory_host *memory)
{
    for (int i = 0; i < MEMORY_FILES; i++) {
        free(memory->file[i].bytes);
        free(memory->file[i].durable_bytes);
    }
    free(memory);
}

struct memory_file *memory_host_file(struct memory_host *memory, const char *text)
{
    struct memory_name *name = find_name(memory, text);
    return name != NULL && name->now != MEMORY_NONE ? &memory->file[name->now] : NULL;
}

void memory_host_store(struct memory_host *memory, const char *text, const void *bytes, size_t size)
{
    struct memory_name *name = make_name(memory, text);
    if (name->now == MEMORY_NONE)
        name->now = new_file(memory);
    struct memory_file *file = &memory->file[name->now];
    resize(&file->bytes, &file->size, size);
    if (size > 0)
        memcpy(file->bytes, bytes, size);
    make_durable(file);
    name->durable = name->now;
}

static void clear_names(struct memory_host *memory)
{
    for (int i = 0; i < MEMORY_FILES; i++)
        memory->name[i].now = memory->name[i].durable = MEMORY_NONE;
}

static void copy_file(struct memory_host *to, const struct memory_host *from, int name,
                      bool durable_name, bool durable_bytes)
{
    const struct memory_name *source = &from->name[name];
    const int number = durable_name ? source->durable : source->now;
    if (number == MEMORY_NONE)
        return;
    const struct memory_file *file = &from->file[number];
    if (durable_bytes)
        memory_host_store(to, source->text, file->durable_bytes, file->durable_size);
    else
        memory_host_store(to, source->text, file->bytes, file->size);
}

void memory_host_copy(struct memory_host *to, const struct memory_host *from, bool durable_names,
                      bool durable_bytes)
{
    clear_names(to);
    for (int i = 0; i < MEMORY_FILES; i++)
        copy_file(to, from, i, durable_names, durable_bytes);
}

void memory_host_copy_renamed(struct memory_host *to, const struct memory_host *from,
                              bool durable_bytes)
{
    clear_names(to);
    for (int i = 0; i < MEMORY_FILES; i++)
        copy_file(to, from, i, i != from->renamed, durable_bytes);
}

int memory_host_count(const struct memory_host *memory)
{
    int count = 0;
    for (int i = 0; i < MEMORY_FILES; i++)
        count += memory->name[i].now != MEMORY_NONE;
    return count;
}

/* Returns the name of a file of `one` that does not exist in `other` or has other bytes in
 * `other`. */
static const char *lacks(struct memory_host *one, struct memory_host *other)
{
    for (int i = 0; i < MEMORY_FILES; i++) {
        const char *name = one->name[i].text;
        if (one->name[i].now == MEMORY_NONE || strcmp(name, "build.lock") == 0)
            continue;
        const struct memory_file *here = memory_host_file(one, name);
        const struct memory_file *there = memory_host_file(other, name);
        if (there == NULL || here->size != there->size ||
            (here->size > 0 && memcmp(here->bytes, there->bytes, here->size) != 0))
            return name;
    }
    return NULL;
}

const char *memory_host_difference(struct memory_host *one, struct memory_host *other)
{
    const char *name = lacks(one, other);
    return name != NULL ? name : lacks(other, one);
}

bool memory_host_is_new(const struct memory_host *memory, struct memory_images *before)
{
    uint64_t hash = 0;
    for (int i = 0; i < MEMORY_FILES; i++) {
        const struct memory_name *name = &memory->name[i];
        if (name->now == MEMORY_NONE)
            continue;
        const struct memory_file *file = &memory->file[name->now];
        hash = XXH3_64bits_withSeed(name->text, strlen(name->text) + 1, hash);
        hash = XXH3_64bits_withSeed(file->bytes, file->size, hash);
    }
    for (int i = 0; i < before->count; i++)
        if (before->hash[i] == hash)
            return false;
    must(before->count < MEMORY_IMAGES);
    before->hash[before->count++] = hash;
    return true;
}
