/* Reads books with the host's pread(), which any number of threads may call at once. */
#include "db/book/book_file.h"

#include <fcntl.h>
#include <string.h>

static int read_file(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    const struct wari_book_file *file = context;
    return wari_read_at(file->host, file->fd, file->path, buffer, bytes, offset, NULL) != WARI_OK;
}

enum wari_status wari_book_file_open(struct wari_book_file *file, const struct wari_host *host,
                                     const char *path, struct wari_error *error)
{
    if (strlen(path) >= sizeof file->path)
        return wari_fail(error, WARI_BAD_INPUT, "the path of the book is too long");
    file->host = host;
    memcpy(file->path, path, strlen(path) + 1);
    enum wari_status status = wari_open_file(host, path, O_RDONLY | O_CLOEXEC, &file->fd, error);
    if (status != WARI_OK)
        return status;
    const off_t size = host->size(host->context, file->fd);
    if (size < 0) {
        status = wari_fail_errno(error, path, "read its size");
    } else {
        const struct wari_book_source source = {read_file, file, (uint64_t)size, file->path};
        status = wari_book_open(&file->book, &source, error);
    }
    if (status != WARI_OK)
        wari_book_file_close(file);
    return status;
}

void wari_book_file_close(struct wari_book_file *file)
{
    file->host->close(file->host->context, file->fd);
}
