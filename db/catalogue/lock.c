/* The build lock of a folder; see lock.h.
 *
 * The file "build.lock" stays when the lock is released, because otherwise two processes could each
 * lock a different file of this name. The process that holds the lock writes its process number and
 * its activity into the file; they are used in messages only. A file that has one of the names of
 * the lock but is not a lock is never changed. */
#include "db/catalogue/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/host/process.h"

/* The text in "build.lock" always has this length, so that a new text replaces the old one
 * completely. */
enum { LOCK_TEXT_BYTES = 21 };

static const char *const activities[] = {[WARI_BUILDING] = "building", [WARI_PACKING] = "packing"};

/* Syncs the parent folder as well, since a new folder is durable only after its entry in the
 * parent folder is on disk. */
enum wari_status wari_make_folder(const struct wari_host *host, const char *folder,
                                  struct wari_error *error)
{
    char parent[WARI_PATH_MAX];
    enum wari_status status = wari_path(parent, error, folder, "..");
    if (status != WARI_OK)
        return status;
    if (host->mkdir(host->context, folder, 0777) != 0)
        return errno == EEXIST ? WARI_OK : wari_fail_errno(error, folder, "create the folder");
    return wari_sync_folder(host, parent, error);
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

/* ---- The file "build.owner" ----
 *
 * Only two processes may remove the file: its owner, and a process that has created the file
 * "build.owner.removal". Only one process at a time can create that file, so no process removes the
 * file of a new owner by mistake. */

enum {
    OWNER_BYTES_MAX = 128, /* size of the text: host, blank, process number, blank, activity */
    CREATE_ATTEMPTS = 3, /* an attempt fails if another process creates the file first; usually the
                          * next attempt then reports that the other process is the owner */
};

struct owner {
    bool exists;
    char host[WARI_HOST_NAME]; /* "" if the file is empty, because its process has not written the
                                * text yet or was killed before */
    long process;
    char work[16];
};

static enum wari_status read_owner(const struct wari_host *host, const char *path,
                                   struct owner *owner, struct wari_error *error)
{
    char text[OWNER_BYTES_MAX + 1] = "", newline = '\0';
    struct wari_error why;
    int fd;

    *owner = (struct owner){0};
    enum wari_status status = wari_open_file(host, path, O_RDONLY | O_NOFOLLOW, &fd, &why);
    if (status != WARI_OK && errno == ENOENT)
        return WARI_OK;
    if (status != WARI_OK)
        return wari_fail(error, status, "%s", why.text);
    owner->exists = true;
    const int64_t size = host->size(host->context, fd);
    if (size > 0 && size <= OWNER_BYTES_MAX)
        status = wari_read_at(host, fd, path, text, (size_t)size, 0, error);
    host->close(host->context, fd);
    if (status == WARI_OK && size != 0 &&
        (sscanf(text, "%64s %9ld %15[a-z]%c", owner->host, &owner->process, owner->work,
                &newline) != 4 ||
         newline != '\n' || owner->process < 1))
        return no_lock(path, error);
    return status;
}

static bool is_owner_gone(const struct owner *owner)
{
    char here[WARI_HOST_NAME];

    wari_host_name(here);
    return strcmp(owner->host, here) == 0 && wari_process_is_gone(owner->process);
}

static enum wari_status owned(const struct owner *owner, const char *folder, const char *path,
                              struct wari_error *error)
{
    if (owner->host[0] == '\0')
        return wari_fail(error, WARI_BUSY,
                         "%s: another process is building here; if none is, delete %s", folder,
                         path);
    return wari_fail(error, WARI_BUSY,
                     "%s: process %ld on host %s is %s here; wait for it or stop it; if it is no "
                     "longer running, delete %s",
                     folder, owner->process, owner->host, owner->work, path);
}

/* Makes sure that no other process owns the folder: removes the file of an owner that was killed,
 * and fails with WARI_BUSY if the owner still runs. */
static enum wari_status remove_dead_owner(const struct wari_host *host, const char *folder,
                                          const char *path, struct wari_error *error)
{
    char removal[WARI_PATH_MAX];
    struct owner owner;
    int fd;
    enum wari_status status = read_owner(host, path, &owner, error);

    if (status != WARI_OK || !owner.exists)
        return status;
    if (!is_owner_gone(&owner))
        return owned(&owner, folder, path, error);
    status = wari_path(removal, error, folder, "build.owner.removal");
    if (status != WARI_OK)
        return status;
    status = wari_create_file(host, removal, NULL, &fd, error);
    if (status != WARI_OK && errno == EEXIST)
        return wari_fail(error, WARI_BUSY,
                         "%s: another process is starting a build here; if none is, delete %s",
                         folder, removal);
    if (status != WARI_OK)
        return status;
    host->close(host->context, fd);
    status = read_owner(host, path, &owner, error);
    if (status == WARI_OK && owner.exists && !is_owner_gone(&owner))
        status = owned(&owner, folder, path, error);
    else if (status == WARI_OK && owner.exists && host->unlink(host->context, path) != 0)
        status = wari_fail_errno(error, path, "remove");
    host->unlink(host->context, removal);
    return status;
}

static enum wari_status write_owner(const struct wari_host *host, int fd, const char *path,
                                    enum wari_lock_work work, struct wari_error *error)
{
    char here[WARI_HOST_NAME], text[OWNER_BYTES_MAX];

    wari_host_name(here);
    const int bytes =
        snprintf(text, sizeof text, "%s %ld %s\n", here, (long)getpid(), activities[work]);
    enum wari_status status = wari_write_at(host, fd, path, text, (size_t)bytes, 0, error);
    if (host->close(host->context, fd) != 0 && status == WARI_OK)
        status = wari_fail_errno(error, path, "close");
    if (status != WARI_OK)
        host->unlink(host->context, path);
    return status;
}

/* Makes this process the owner of the folder, because locking failed for the reason `unsupported`.
 */
static enum wari_status become_owner(const struct wari_host *host, const char *folder,
                                     const char *path, enum wari_lock_work work, int unsupported,
                                     struct wari_error *error)
{
    struct wari_error why;
    char buffer[WARI_REASON];
    int fd = -1;
    enum wari_status status = WARI_IO;

    for (int attempt = 0; attempt < CREATE_ATTEMPTS && fd < 0; attempt++) {
        status = remove_dead_owner(host, folder, path, error);
        if (status != WARI_OK)
            return status;
        status = wari_create_file(host, path, NULL, &fd, &why);
        if (status != WARI_OK && errno != EEXIST)
            break;
    }
    if (status == WARI_OK)
        status = write_owner(host, fd, path, work, &why);
    if (status == WARI_OK)
        return WARI_OK;
    return wari_fail(error, WARI_IO,
                     "%s: this file system has no locks (%s), and a file in place of a lock does "
                     "not work either (%s); two builds at once would damage the database, so make "
                     "sure that there is no other and give --no-lock",
                     folder, wari_reason(unsupported, buffer), why.text);
}

/* ---- Both files ------------------------------------------------------------------------------ */

/* Sets lock->owner if the process had to become the owner. Even if this process has the lock, the
 * folder may have an owner on another host, where the same file system does not support locks. */
static enum wari_status take_lock(struct wari_lock *lock, const char *folder, const char *path,
                                  enum wari_lock_work work, struct wari_error *error)
{
    const struct wari_host *host = lock->host;
    char owner[WARI_PATH_MAX];
    int result;
    enum wari_status status = wari_path(owner, error, folder, "build.owner");

    if (status != WARI_OK)
        return status;
    do
        result = host->lock(host->context, lock->fd);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return remove_dead_owner(host, folder, owner, error);
    if (errno == EWOULDBLOCK)
        return busy(host, lock->fd, folder, path, error);
    if (errno == EMLINK)
        return no_lock(path, error);
    if (!wari_locks_unsupported(errno))
        return wari_fail_errno(error, path, "lock");
    status = become_owner(host, folder, owner, work, errno, error);
    if (status == WARI_OK)
        memcpy(lock->owner, owner, sizeof owner);
    return status;
}

enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                  enum wari_lock_work work, struct wari_lock *lock,
                                  struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    char text[LOCK_TEXT_BYTES + 1], who[LOCK_TEXT_BYTES];
    struct wari_lock taken = {.host = host};

    *lock = (struct wari_lock){0};
    enum wari_status status = wari_path(path, error, folder, WARI_LOCK_NAME);
    if (status == WARI_OK)
        status = wari_make_folder(host, folder, error);
    if (status == WARI_OK)
        status = open_lock(host, path, &taken.fd, error);
    if (status != WARI_OK)
        return status;

    status = take_lock(&taken, folder, path, work, error);
    if (status == WARI_OK)
        status = check_text(host, taken.fd, path, error);
    if (status == WARI_OK) {
        snprintf(who, sizeof who, "%ld %s", (long)getpid(), activities[work]);
        snprintf(text, sizeof text, "%-*s\n", LOCK_TEXT_BYTES - 1, who);
        status = wari_write_at(host, taken.fd, path, text, LOCK_TEXT_BYTES, 0, error);
    }
    if (status == WARI_OK)
        *lock = taken;
    else
        wari_folder_unlock(&taken);
    return status;
}

void wari_folder_unlock(struct wari_lock *lock)
{
    if (lock->host == NULL)
        return;
    lock->host->close(lock->host->context, lock->fd);
    if (lock->owner[0] != '\0')
        lock->host->unlink(lock->host->context, lock->owner);
    lock->host = NULL;
}
