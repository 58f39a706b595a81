/* Creates, closes and cleans up temporary files, and names unfinished files. */
#include "db/host/temporary_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/host/process.h"

static const char suffix[] = ".scratch"; /* follows <name> in the name of a temporary file */

/* Returns true if `reason`, the errno of unlink(), can mean that the file cannot be removed because
 * it is open. */
static bool is_open_file(int reason)
{
    return reason == EBUSY || reason == ETXTBSY || reason == EACCES || reason == EPERM;
}

/* Creates the file under a name that no other file has. */
static enum wari_status create_named(struct wari_temporary_file *file, const struct wari_host *host,
                                     const char *folder, const char *name, struct wari_error *error)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    char this_host[WARI_HOST_NAME];
    int number = 0;

    wari_host_name(this_host);
    do {
        enum wari_status status = wari_path(file->path, error, folder, "%s%s.%s.%ld.%d", name,
                                            suffix, this_host, (long)getpid(), number++);
        if (status != WARI_OK)
            return status;
        file->fd = host->open(host->context, file->path, flags, 0600);
    } while (file->fd < 0 && (errno == EINTR || errno == EEXIST));
    return file->fd >= 0 ? WARI_OK : wari_fail_errno(error, file->path, "create");
}

static enum wari_status create_and_unname(struct wari_temporary_file *file,
                                          const struct wari_host *host, const char *folder,
                                          const char *name, struct wari_error *error)
{
    enum wari_status status = create_named(file, host, folder, name, error);

    if (status != WARI_OK || host->unlink(host->context, file->path) == 0)
        return status;
    if (is_open_file(errno)) {
        file->named = true;
        return WARI_OK;
    }
    status = wari_fail_errno(error, file->path, "remove the name of this open file");
    (void)host->close(host->context, file->fd);
    (void)host->unlink(host->context, file->path);
    return status;
}

enum wari_status wari_temporary_file_open(struct wari_temporary_file *file,
                                          const struct wari_host *host, const char *folder,
                                          const char *name, struct wari_error *error)
{
    file->host = NULL;
    file->fd = -1;
    file->named = false;
    enum wari_status status = wari_path(file->path, error, folder, "%s%s", name, suffix);
    if (status != WARI_OK)
        return status;
#ifdef O_TMPFILE
    do
        file->fd = host->open(host->context, folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    while (file->fd < 0 && errno == EINTR);
    /* The errors of file systems and kernels that do not support O_TMPFILE. */
    if (file->fd < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return wari_fail_errno(error, file->path, "create");
#endif
    if (file->fd < 0)
        status = create_and_unname(file, host, folder, name, error);
    if (status == WARI_OK)
        file->host = host;
    return status;
}

void wari_temporary_file_close(struct wari_temporary_file *file)
{
    if (file->host == NULL)
        return;
    (void)file->host->close(file->host->context, file->fd);
    if (file->named)
        (void)file->host->unlink(file->host->context, file->path);
    file->host = NULL;
}

/* Returns true if the file was left behind by a process of this host that no longer exists. */
static bool is_left_behind(const char *name, const char *this_host)
{
    char before[sizeof suffix + WARI_HOST_NAME + 2];
    long process = 0;
    int number, end = 0;

    snprintf(before, sizeof before, "%s.%s.", suffix, this_host);
    const char *at = strstr(name, before);
    if (at == NULL)
        return false;
    at += strlen(before);
    return sscanf(at, "%9ld.%9d%n", &process, &number, &end) == 2 && at[end] == '\0' &&
           process > 0 && wari_process_is_gone(process);
}

void wari_temporary_files_clean(const struct wari_host *host, const char *folder)
{
    DIR *entries = opendir(folder);
    char this_host[WARI_HOST_NAME], path[WARI_PATH_MAX];
    const struct dirent *entry;

    wari_host_name(this_host);
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (is_left_behind(entry->d_name, this_host) &&
            wari_path(path, NULL, folder, "%s", entry->d_name) == WARI_OK)
            (void)host->unlink(host->context, path);
    if (entries != NULL)
        (void)closedir(entries);
}

/* ---- Unfinished files ---- */

enum wari_status wari_unfinished_path(char unfinished[WARI_PATH_MAX], const char *path,
                                      struct wari_error *error)
{
    char this_host[WARI_HOST_NAME];

    wari_host_name(this_host);
    const int length =
        snprintf(unfinished, WARI_PATH_MAX, "%s.%s.%ld.tmp", path, this_host, (long)getpid());
    if (length > 0 && length < WARI_PATH_MAX)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "%.200s...: the path is longer than %d bytes", path,
                     WARI_PATH_MAX - 1);
}

/* Returns true if a file with the name "<path>.<host>.<rest>" is an unfinished file whose process
 * no longer exists. */
static bool is_abandoned(const char *rest)
{
    long process = 0;
    int end = 0;

    return sscanf(rest, "%9ld.tmp%n", &process, &end) == 1 && end > 0 && rest[end] == '\0' &&
           process > 0 && wari_process_is_gone(process);
}

void wari_unfinished_files_clean(const struct wari_host *host, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char folder[WARI_PATH_MAX], begin[WARI_PATH_MAX], this_host[WARI_HOST_NAME];
    char abandoned[WARI_PATH_MAX];
    const struct dirent *entry;

    wari_host_name(this_host);
    if (snprintf(begin, sizeof begin, "%s.%s.", name, this_host) >= (int)sizeof begin ||
        snprintf(folder, sizeof folder, "%.*s.", (int)(name - path), path) >= (int)sizeof folder)
        return;
    DIR *entries = opendir(folder);
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
            is_abandoned(entry->d_name + strlen(begin)) &&
            wari_path(abandoned, NULL, folder, "%s", entry->d_name) == WARI_OK)
            (void)host->unlink(host->context, abandoned);
    if (entries != NULL)
        (void)closedir(entries);
}
