/* The failing host: each function first checks if this call has to fail, and otherwise calls the
 * system. */
#include "tests/support/fault_host.h"

#include <errno.h>
#include <string.h>

#include "tests/support/scale.h"

/* At the small scale only the first bytes of a block are filled. Longer blocks are caches and
 * arrays of events. Most pages of these blocks are never used and take no memory unless they are
 * filled. Filling them took half of the processor time of the tests that let each call fail. */
enum { FILLED_IN_SMALL = 1 << 16 };

static bool fails(struct fault_host *fault, int kind)
{
    if (!(fault->kinds & kind) || fault->fail_at == 0)
        return false;
    long call = atomic_fetch_add(&fault->calls, 1) + 1;
    errno = fault->error;
    return fault->for_good ? call >= fault->fail_at : call == fault->fail_at;
}

/* Returns true in every second call. So if a host function returns EINTR whenever this is true, the
 * repeated call succeeds. */
static bool interrupted(struct fault_host *fault)
{
    if (!fault->interrupt)
        return false;
    errno = EINTR;
    return atomic_fetch_add(&fault->interruptions, 1) % 2 == 0;
}

static size_t shortened(const struct fault_host *fault, size_t bytes)
{
    return fault->longest > 0 && bytes > fault->longest ? fault->longest : bytes;
}

static void *fault_allocate(void *context, size_t bytes)
{
    struct fault_host *fault = context;
    void *memory = fails(fault, FAULT_ALLOCATE) ? NULL : wari_host_system()->allocate(NULL, bytes);
    if (memory != NULL) {
        atomic_fetch_add(&fault->blocks, 1);
        /* Fills the memory with a nonzero byte, because callers must not rely on zeros. The small
         * test size fills only the beginning of a large block. */
        memset(memory, 0xa5,
               bytes > FILLED_IN_SMALL && test_scale(1, 0) == 0 ? FILLED_IN_SMALL : bytes);
    }
    return memory;
}

static void fault_release(void *context, void *memory)
{
    struct fault_host *fault = context;
    if (memory != NULL)
        atomic_fetch_sub(&fault->blocks, 1);
    wari_host_system()->release(NULL, memory);
}

static int fault_open(void *context, const char *path, int flags, mode_t mode)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_OPEN))
        return -1;
    int fd = wari_host_system()->open(NULL, path, flags, mode);
    if (fd >= 0)
        atomic_fetch_add(&fault->files, 1);
    return fd;
}

static ssize_t fault_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_READ))
        return -1;
    return wari_host_system()->pread(NULL, fd, buffer, shortened(fault, bytes), offset);
}

static ssize_t fault_pwrite(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_WRITE))
        return -1;
    return wari_host_system()->pwrite(NULL, fd, buffer, shortened(fault, bytes), offset);
}

static off_t fault_size(void *context, int fd)
{
    struct fault_host *fault = context;
    return fails(fault, FAULT_READ) ? -1 : wari_host_system()->size(NULL, fd);
}

static int fault_fsync(void *context, int fd)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_SYNC))
        return -1;
    return wari_host_system()->fsync(NULL, fd);
}

static int fault_close(void *context, int fd)
{
    struct fault_host *fault = context;
    bool fail = fails(fault, FAULT_CLOSE);
    int error = errno;
    int result = wari_host_system()->close(NULL, fd);
    if (result == 0)
        atomic_fetch_sub(&fault->files, 1);
    errno = error;
    return fail ? -1 : result;
}

static int fault_rename(void *context, const char *from, const char *to)
{
    struct fault_host *fault = context;
    return fails(fault, FAULT_RENAME) ? -1 : wari_host_system()->rename(NULL, from, to);
}

static int fault_unlink(void *context, const char *path)
{
    struct fault_host *fault = context;
    return fails(fault, FAULT_UNLINK) ? -1 : wari_host_system()->unlink(NULL, path);
}

static int fault_create(void *context, const char *path, const char *like)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_OPEN))
        return -1;
    int fd = wari_host_system()->create(NULL, path, like);
    if (fd >= 0)
        atomic_fetch_add(&fault->files, 1);
    return fd;
}

static int fault_mkdir(void *context, const char *path, mode_t mode)
{
    struct fault_host *fault = context;
    return fails(fault, FAULT_FOLDER) ? -1 : wari_host_system()->mkdir(NULL, path, mode);
}

static int fault_lock(void *context, int fd)
{
    struct fault_host *fault = context;
    if (interrupted(fault) || fails(fault, FAULT_FOLDER))
        return -1;
    return wari_host_system()->lock(NULL, fd);
}

void fault_host_init(struct fault_host *fault, int kinds, long k)
{
    memset(fault, 0, sizeof *fault);
    fault->host = (struct wari_host){
        .context = fault,
        .allocate = fault_allocate,
        .release = fault_release,
        .open = fault_open,
        .create = fault_create,
        .pread = fault_pread,
        .pwrite = fault_pwrite,
        .size = fault_size,
        .fsync = fault_fsync,
        .close = fault_close,
        .rename = fault_rename,
        .unlink = fault_unlink,
        .mkdir = fault_mkdir,
        .lock = fault_lock,
    };
    fault->error = EIO;
    fault->kinds = kinds;
    fault->fail_at = k;
}

bool fault_host_fired(const struct fault_host *fault)
{
    return fault->fail_at > 0 && atomic_load(&fault->calls) >= fault->fail_at;
}

bool fault_host_clean(const struct fault_host *fault)
{
    return atomic_load(&fault->blocks) == 0 && atomic_load(&fault->files) == 0;
}
