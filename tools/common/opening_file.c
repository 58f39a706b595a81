/* Reads the file of an opening book: first its bytes into memory, then the book from them. */
#include "tools/common/opening_file.h"

#include <fcntl.h>

/* Determines the size of the file. */
static enum wari_status find_size(const struct wari_host *host, int fd, const char *path,
                                  size_t *size, struct wari_error *error)
{
    const off_t bytes = host->size(host->context, fd);
    if (bytes < 0)
        return wari_fail_errno(error, path, "read its size");
    if (bytes > WARI_OPENING_BYTES_MAX)
        return wari_fail(error, WARI_CORRUPT, "%s: this file is too large for an opening book",
                         path);
    *size = (size_t)bytes;
    return WARI_OK;
}

enum wari_status opening_file_read(const char *path, struct wari_opening_book *book,
                                   struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    void *text = NULL;
    size_t size = 0;
    int fd;
    enum wari_status status = wari_open_file(host, path, O_RDONLY | O_CLOEXEC, &fd, error);
    if (status != WARI_OK)
        return status;
    status = find_size(host, fd, path, &size, error);
    if (status == WARI_OK)
        status = wari_allocate(host, size + 1, "the text of an opening book", &text, error);
    if (status == WARI_OK)
        status = wari_read_at(host, fd, path, text, size, 0, error);
    if (status == WARI_OK)
        status = wari_opening_book_read(book, text, size, path, error);
    wari_release(host, text);
    (void)host->close(host->context, fd);
    return status;
}
