/* Transfers of the scratch file, see file.h. */
#include "solver/scratch/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/vfs.h>

#include "system/sum.h"

/* A second way into the file, past the page cache; by its number, since it has no name. */
static void open_direct(struct wari_scratch_file *file)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    if (wari_open_file(file->host, path, O_RDWR | O_DIRECT, &file->direct, NULL) != WARI_OK)
        file->direct = -1; /* as on a file system in memory: through the page cache, then */
}

enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                        const struct wari_host *host, const char *folder,
                                        const char *name, struct wari_error *error)
{
    enum wari_status status;

    file->fd = file->direct = -1;
    atomic_init(&file->bytes_read, 0);
    atomic_init(&file->bytes_written, 0);
    status = wari_create_nameless(host, folder, name, file->path, &file->fd, error);
    if (status != WARI_OK)
        return status;
    file->host = host;
    open_direct(file);
    return WARI_OK;
}

enum { IN_MEMORY = 0x01021994 }; /* the kernel's number of tmpfs */

/* For a file on the machine's own disk alone: one in memory would only take more of that, and the
 * table of functions has no call for it. */
void wari_scratch_file_reserve(const struct wari_scratch_file *file, uint64_t place, uint64_t bytes)
{
    const off_t from = (off_t)place, length = (off_t)bytes;
    struct statfs system;

    if (file->host != wari_host_system() || fstatfs(file->fd, &system) != 0 ||
        system.f_type == IN_MEMORY)
        return;
    if (fallocate(file->fd, 0, from, length) != 0)
        (void)fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, length);
}

/* Nothing in the file is needed any more: a close that fails loses nothing. */
void wari_scratch_file_close(struct wari_scratch_file *file)
{
    if (!file->host)
        return;
    if (file->direct >= 0)
        (void)file->host->close(file->host->context, file->direct);
    (void)file->host->close(file->host->context, file->fd);
    file->host = NULL;
}

/* What goes past the page cache has to go in one go: the rest of a short transfer need not be
 * aligned, and some file systems allow such files but not their use. Then everything goes through
 * the page cache. */
enum wari_status wari_scratch_file_bytes(struct wari_scratch_file *file, void *memory, size_t bytes,
                                         uint64_t place, bool write, struct wari_error *error)
{
    const struct wari_host *host = file->host;

    atomic_fetch_add_explicit(write ? &file->bytes_written : &file->bytes_read, bytes,
                              memory_order_relaxed);
    if (file->direct >= 0) {
        const ssize_t done =
            write ? host->pwrite(host->context, file->direct, memory, bytes, (off_t)place)
                  : host->pread(host->context, file->direct, memory, bytes, (off_t)place);
        if (done == (ssize_t)bytes)
            return WARI_OK;
        if (done < 0 && errno != EINTR && errno != EINVAL)
            return wari_fail_errno(error, file->path, write ? "write" : "read");
    }
    const enum wari_status status =
        write ? wari_write_at(host, file->fd, file->path, memory, bytes, place, error)
              : wari_read_at(host, file->fd, file->path, memory, bytes, place, error);
    /* it ends too early: somebody cut it */
    return status == WARI_CORRUPT ? wari_sum_is_wrong(error, file->path, place, bytes) : status;
}
