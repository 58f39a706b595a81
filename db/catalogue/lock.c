/* The build lock of a folder, which admits one builder at a time.
 *
 * The lock is an flock() on the file "build.lock", so the kernel releases it when the process
 * ends, for any reason. The file itself stays, because removing it would allow two processes to
 * lock two different files with this name. The process that holds the lock writes its process
 * number and its activity into the file; they are used in messages only. A file that has this
 * name but is not a lock is never changed. */
#include "db/catalogue/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text always has this length, so that a new text replaces the old one completely. */
enum { LOCK_TEXT_BYTES = 21 };

static const char *const activities[] = {[WARI_BUILDING] = "building", [WARI_PACKING] = "packing"};

/* Syncs the parent folder as well, since a new folder is durable only after its entry in the
 * parent folder is on disk. */
enum wari_status wari_make_folder(const struct wari_host *host, const char *folder,
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

/* Parses the text of a lock: process number, blank, activity, blanks, newline. `*work` is set to
 * a string with static storage. Older versions of the program did not write the activity. */
static bool read_text(const char text[LOCK_TEXT_BYTES + 1], long *pid, const char **work)
{
    char word[LOCK_TEXT_BYTES + 1] = "building";
    int end = 0;

    *pid = 0;
    if (sscanf(text, "%9ld%n", pid, &end) != 1 || *pid < 1)
        return false;
    if (sscanf(text + end, " %20[a-z]", word) == 1)
        end = (int)(strstr(text + end, word) - text) + (int)strlen(word);
    *work = activities[WARI_PACKING];
    if (strcmp(word, *work) != 0)
        *work = activities[WARI_BUILDING];
    return strcmp(word, *work) == 0 && strspn(text + end, " \n") == strlen(text + end);
}

static enum wari_status busy(const struct wari_host *host, int fd, const char *folder,
                             const char *path, struct wari_error *error)
{
    char text[LOCK_TEXT_BYTES + 1] = "";
    const char *work;
    long pid;
    if (wari_read_at(host, fd, path, text, LOCK_TEXT_BYTES, 0, NULL) == WARI_OK &&
        read_text(text, &pid, &work))
        return wari_fail(error, WARI_BUSY, "%s: process %ld is %s here; wait for it or stop it",
                         folder, pid, work);
    return wari_fail(error, WARI_BUSY,
                     "%s: another process is building here; wait for it or stop it", folder);
}

static enum wari_status no_lock(const char *path, struct wari_error *error)
{
    return wari_fail(error, WARI_IO,
                     "%s: this file is not a lock or has a second name, so it was not changed; "
                     "move it out of the folder",
                     path);
}

/* Checks that the file is a lock: it is empty or contains the text of a lock. */
static enum wari_status check_text(const struct wari_host *host, int fd, const char *path,
                                   struct wari_error *error)
{
    char text[LOCK_TEXT_BYTES + 1] = "";
    const char *work;
    long pid;
    const off_t size = host->size(host->context, fd);
    enum wari_status status = WARI_OK;
    if (size < 0)
        return wari_fail_errno(error, path, "find the size");
    if (size == LOCK_TEXT_BYTES)
        status = wari_read_at(host, fd, path, text, LOCK_TEXT_BYTES, 0, error);
    if (status != WARI_OK || size == 0 || (size == LOCK_TEXT_BYTES && read_text(text, &pid, &work)))
        return status;
    return no_lock(path, error);
}

/* Opens the lock without following links, and creates it only if the name is free. */
static enum wari_status open_lock(const struct wari_host *host, const char *path, int *fd,
                                  struct wari_error *error)
{
    struct wari_error why;
    enum wari_status status;
    do {
        status = wari_open_file(host, path, O_RDWR | O_NOFOLLOW, fd, &why);
        if (status == WARI_OK || errno != ENOENT)
            break;
        status = wari_create_file(host, path, NULL, fd, &why);
    } while (status != WARI_OK && errno == EEXIST); /* another process was faster */
    return status == WARI_OK ? WARI_OK : wari_fail(error, status, "%s", why.text);
}

static enum wari_status take_lock(const struct wari_host *host, int fd, const char *folder,
                                  const char *path, struct wari_error *error)
{
    int result;
    do
        result = host->lock(host->context, fd);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return WARI_OK;
    if (errno == EWOULDBLOCK)
        return busy(host, fd, folder, path, error);
    return errno == EMLINK ? no_lock(path, error) : wari_fail_errno(error, path, "lock");
}

enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                  enum wari_lock_work work, int *lock, struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    char text[LOCK_TEXT_BYTES + 1], who[LOCK_TEXT_BYTES];
    int fd = -1;

    *lock = -1;
    enum wari_status status = wari_path(path, error, folder, "build.lock");
    if (status == WARI_OK)
        status = wari_make_folder(host, folder, error);
    if (status == WARI_OK)
        status = open_lock(host, path, &fd, error);
    if (status != WARI_OK)
        return status;

    status = take_lock(host, fd, folder, path, error);
    if (status == WARI_OK)
        status = check_text(host, fd, path, error);
    if (status == WARI_OK) {
        snprintf(who, sizeof who, "%ld %s", (long)getpid(), activities[work]);
        snprintf(text, sizeof text, "%-*s\n", LOCK_TEXT_BYTES - 1, who);
        status = wari_write_at(host, fd, path, text, LOCK_TEXT_BYTES, 0, error);
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
