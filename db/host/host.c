/* The operations of db/ on memory and files, which all go through a host table.
 *
 * Transfers are always completed here: a caller never sees a short read, a short write or EINTR.
 */
#include "db/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Memory and messages -------------------------------------------------------------------- */

enum wari_status wari_allocate(const struct wari_host *host, size_t bytes, const char *what,
                               void **memory, struct wari_error *error)
{
    *memory = host->allocate(host->context, bytes);
    if (*memory == NULL)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for %s (%zu bytes)", what,
                         bytes);
    return WARI_OK;
}

void wari_release(const struct wari_host *host, void *memory)
{
    host->release(host->context, memory);
}

/* With _GNU_SOURCE, glibc declares a strerror_r() that returns the text, unlike that of POSIX. */
const char *wari_reason(int number, char buffer[WARI_REASON])
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    return strerror_r(number, buffer, WARI_REASON);
#else
    if (strerror_r(number, buffer, WARI_REASON) != 0)
        snprintf(buffer, WARI_REASON, "error %d", number);
    return buffer;
#endif
}

enum wari_status wari_fail_errno(struct wari_error *error, const char *path, const char *action)
{
    int reason = errno;
    char buffer[WARI_REASON];
    const char *hint = "";
    if (reason == ENOSPC || reason == EDQUOT)
        hint = "; free some space and start again";
    if (reason == ESPIPE)
        hint = "; this is not a regular file";
    if (reason == ELOOP) /* O_NOFOLLOW reports ELOOP, too, if the file to be written is a
                          * symbolic link */
        hint = "; remove the symbolic link";
    wari_fail(error, WARI_IO, "%s: cannot %s: %s%s", path, action, wari_reason(reason, buffer),
              hint);
    errno = reason;
    return WARI_IO;
}

enum wari_status wari_path(char path[WARI_PATH_MAX], struct wari_error *error, const char *folder,
                           const char *format, ...)
{
    if (folder == NULL || folder[0] == '\0')
        return wari_fail(error, WARI_BAD_INPUT, "the name of the database folder is empty");

    int used = snprintf(path, WARI_PATH_MAX, "%s/", folder);
    if (used > 0 && used < WARI_PATH_MAX) {
        va_list arguments;
        va_start(arguments, format);
        int more = vsnprintf(path + used, (size_t)(WARI_PATH_MAX - used), format, arguments);
        va_end(arguments);
        if (more > 0 && more < WARI_PATH_MAX - used)
            return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT, "%.200s...: the path is longer than %d bytes", folder,
                     WARI_PATH_MAX - 1);
}

/* ---- Files ---------------------------------------------------------------------------------- */

enum wari_status wari_open_file(const struct wari_host *host, const char *path, int flags, int *fd,
                                struct wari_error *error)
{
    /* O_NONBLOCK is set so that the call does not wait for another process if the path is that of a
     * pipe. For regular files and folders the flag has no effect. */
    do
        *fd = host->open(host->context, path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    while (*fd < 0 && errno == EINTR);
    if (*fd >= 0)
        return WARI_OK;
    *fd = -1;
    return wari_fail_errno(error, path, flags & O_CREAT ? "create" : "open");
}

enum wari_status wari_create_file(const struct wari_host *host, const char *path, const char *like,
                                  int *fd, struct wari_error *error)
{
    do
        *fd = host->create(host->context, path, like);
    while (*fd < 0 && errno == EINTR);
    return *fd >= 0 ? WARI_OK : wari_fail_errno(error, path, "create");
}

enum wari_status wari_create_anew(const struct wari_host *host, const char *path, const char *like,
                                  int *fd, struct wari_error *error)
{
    *fd = -1;
    if (host->unlink(host->context, path) != 0 && errno != ENOENT && errno != EROFS)
        return wari_fail_errno(error, path, "remove");
    return wari_create_file(host, path, like, fd, error);
}

enum wari_status wari_read_at(const struct wari_host *host, int fd, const char *path, void *buffer,
                              size_t bytes, uint64_t offset, struct wari_error *error)
{
    uint8_t *to = buffer;
    while (bytes > 0) {
        ssize_t got = host->pread(host->context, fd, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return wari_fail_errno(error, path, "read");
        if (got == 0)
            return wari_fail(error, WARI_CORRUPT, "%s: the file ends at offset %llu, too early",
                             path, (unsigned long long)offset);
        to += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return WARI_OK;
}

enum wari_status wari_write_at(const struct wari_host *host, int fd, const char *path,
                               const void *buffer, size_t bytes, uint64_t offset,
                               struct wari_error *error)
{
    const uint8_t *from = buffer;
    while (bytes > 0) {
        ssize_t put = host->pwrite(host->context, fd, from, bytes, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = EIO; /* no progress and no reason: repeating the call might never end */
        if (put <= 0)
            return wari_fail_errno(error, path, "write");
        from += put;
        offset += (uint64_t)put;
        bytes -= (size_t)put;
    }
    return WARI_OK;
}

static int sync_descriptor(const struct wari_host *host, int fd)
{
    int result;
    do
        result = host->fsync(host->context, fd);
    while (result != 0 && errno == EINTR);
    return result;
}

enum wari_status wari_sync_file(const struct wari_host *host, int fd, const char *path,
                                struct wari_error *error)
{
    return sync_descriptor(host, fd) == 0 ? WARI_OK : wari_fail_errno(error, path, "flush to disk");
}

/* Returns true if `reason`, the errno of fsync() on a folder, says that the file system does not
 * support the call for folders. */
static bool is_unsupported_sync(int reason)
{
    return reason == EINVAL || reason == ENOTSUP;
}

static enum wari_status sync_open_folder(const struct wari_host *host, int fd, const char *folder,
                                         struct wari_error *error)
{
    if (sync_descriptor(host, fd) == 0 || is_unsupported_sync(errno))
        return WARI_OK;
    return wari_fail_errno(error, folder, "flush to disk");
}

static enum wari_status sync_and_close(const struct wari_host *host, int fd, const char *path,
                                       struct wari_error *error)
{
    enum wari_status status = wari_sync_file(host, fd, path, error);

    /* Linux closes the descriptor whatever close() returns. After EINTR there is nothing to repeat,
     * because the data is on disk already. Other failures are reported. */
    if (host->close(host->context, fd) != 0 && errno != EINTR && status == WARI_OK)
        status = wari_fail_errno(error, path, "close");
    return status;
}

static enum wari_status give_name(const struct wari_host *host, const char *temporary,
                                  const char *path, struct wari_error *error)
{
    if (host->rename(host->context, temporary, path) == 0)
        return WARI_OK;
    return wari_fail_errno(error, path, "rename the finished file to this name");
}

enum wari_status wari_put_in_place(const struct wari_host *host, int fd, const char *temporary,
                                   const char *path, struct wari_error *error)
{
    enum wari_status status = sync_and_close(host, fd, temporary, error);

    if (status == WARI_OK)
        status = give_name(host, temporary, path, error);
    if (status != WARI_OK)
        host->unlink(host->context, temporary);
    return status;
}

enum wari_status wari_sync_folder(const struct wari_host *host, const char *folder,
                                  struct wari_error *error)
{
    int fd;
    enum wari_status status = wari_open_file(host, folder, O_RDONLY | O_DIRECTORY, &fd, error);

    if (status != WARI_OK)
        return status;
    status = sync_open_folder(host, fd, folder, error);
    host->close(host->context, fd);
    return status;
}

bool wari_folder_syncs(const struct wari_host *host, const char *folder)
{
    int fd;

    if (wari_open_file(host, folder, O_RDONLY | O_DIRECTORY, &fd, NULL) != WARI_OK)
        return true;
    const bool syncs = sync_descriptor(host, fd) == 0 || !is_unsupported_sync(errno);
    host->close(host->context, fd);
    return syncs;
}

enum wari_status wari_publish(const struct wari_host *host, int fd, const char *temporary,
                              const char *folder, const char *path, struct wari_error *error)
{
    int folder_fd = -1;
    bool renamed = false;
    enum wari_status status = sync_and_close(host, fd, temporary, error);

    /* The folder is opened before the rename, so that only its fsync can fail after the rename. */
    if (status == WARI_OK)
        status = wari_open_file(host, folder, O_RDONLY | O_DIRECTORY, &folder_fd, error);
    if (status == WARI_OK) {
        status = give_name(host, temporary, path, error);
        renamed = status == WARI_OK;
    }
    if (renamed)
        status = sync_open_folder(host, folder_fd, folder, error);
    if (folder_fd >= 0)
        host->close(host->context, folder_fd);
    if (!renamed)
        host->unlink(host->context, temporary);
    return status;
}
