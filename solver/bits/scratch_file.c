/* Transfers of the scratch file, see file.h. */
#include "solver/bits/scratch_file.h"

#include "system/sum.h"

enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                        const struct wari_host *host, const char *folder,
                                        const char *name, struct wari_error *error)
{
    enum wari_status status;

    file->fd = -1;
    atomic_init(&file->bytes_read, 0);
    atomic_init(&file->bytes_written, 0);
    status = wari_create_nameless(host, folder, name, file->path, &file->fd, error);
    if (status != WARI_OK)
        return status;
    file->host = host;
    return WARI_OK;
}

/* Nothing in the file is needed any more: a close that fails loses nothing. */
void wari_scratch_file_close(struct wari_scratch_file *file)
{
    if (!file->host)
        return;
    (void)file->host->close(file->host->context, file->fd);
    file->host = NULL;
}

enum wari_status wari_scratch_file_bytes(struct wari_scratch_file *file, void *memory, size_t bytes,
                                         uint64_t place, bool write, struct wari_error *error)
{
    const struct wari_host *host = file->host;

    atomic_fetch_add_explicit(write ? &file->bytes_written : &file->bytes_read, bytes,
                              memory_order_relaxed);
    const enum wari_status status =
        write ? wari_write_at(host, file->fd, file->path, memory, bytes, place, error)
              : wari_read_at(host, file->fd, file->path, memory, bytes, place, error);
    /* it ends too early: somebody cut it */
    return status == WARI_CORRUPT ? wari_sum_is_wrong(error, file->path, place, bytes) : status;
}
