/* The build lock of a folder: one builder at a time.
 *
 * An flock() on "build.lock", so the kernel drops it with the process, however that ends. The file
 * itself stays: removing it would let two processes lock two files of the same name. The holder's
 * process number is written into it, for the message alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "db/catalogue.h"

/* Always as many bytes, so that a new number covers the old one completely. */
enum { PID_TEXT = 21 };

/* A folder is on disk only when its entry in the parent folder is. */
static enum wari_status make_folder(const struct wari_host *host, const char *folder,
                                    struct wari_error *error)
{
    char parent[WARI_PATH_MAX];
    int fd;
    enum wari_status status = wari_path(parent, error, folder, "..");
    if (status != WARI_OK)
        return status;
    if (host->mkdir(host->context, folder, 0777) != 0)
        return errno == EEXIST ? WARI_OK : wari_fail_errno(error, folder, "create the folder");

    status = wari_open_file(host, parent, O_RDONLY | O_DIRECTORY, &fd, error);
    if (status != WARI_OK)
        return status;
    status = wari_sync_file(host, fd, parent, error);
    host->close(host->context, fd);
    return status;
}

static enum wari_status busy(const struct wari_host *host, int fd, const char *folder,
                             const char *path, struct wari_error *error)
{
    char text[PID_TEXT + 1] = "";
    long pid = 0;
    if (wari_read_at(host, fd, path, text, PID_TEXT, 0, NULL) == WARI_OK)
        pid = strtol(text, NULL, 10);
    if (pid > 0)
        return wari_fail(error, WARI_BUSY,
                         "%s: process %ld is building here; wait for it or stop it", folder, pid);
    return wari_fail(error, WARI_BUSY,
                     "%s: another process is building here; wait for it or stop it", folder);
}

enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder, int *lock,
                                  struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    char text[PID_TEXT + 1];
    int fd = -1;

    *lock = -1;
    enum wari_status status = wari_path(path, error, folder, "build.lock");
    if (status == WARI_OK)
        status = make_folder(host, folder, error);
    if (status == WARI_OK)
        status = wari_open_file(host, path, O_RDWR | O_CREAT, &fd, error);
    if (status != WARI_OK)
        return status;

    int result;
    do
        result = host->lock(host->context, fd);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK)
        status = busy(host, fd, folder, path, error);
    else if (result != 0)
        status = wari_fail_errno(error, path, "lock");
    else {
        snprintf(text, sizeof text, "%-*ld\n", PID_TEXT - 1, (long)getpid());
        status = wari_write_at(host, fd, path, text, PID_TEXT, 0, error);
    }

    if (status == WARI_OK)
        *lock = fd;
    else
        host->close(host->context, fd);
    return status;
}

void wari_folder_unlock(const struct wari_host *host, int lock)
{
    if (lock >= 0)
        host->close(host->context, lock);
}
