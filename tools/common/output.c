/* Output to a file or to standard output.
 *
 * A file is written under a temporary name in the same folder, synced to disk and renamed. So no
 * command, however it ends, leaves an incomplete file under the final name. The temporary name
 * contains the host and the process id (db/host/temporary_file.h). So two processes never write to
 * the same file, and no file of the user is overwritten. If a process is killed, the next command
 * that writes the same output removes the file that was left.
 */
#include "tools/common/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/host/temporary_file.h"

enum { BUFFER_BYTES = 1 << 18 };

enum wari_status output_check_path(const char *path, struct wari_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT ? WARI_OK : wari_fail_errno(error, path, "examine this file");
    if (S_ISREG(found.st_mode))
        return WARI_OK;
    return wari_fail(error, WARI_IO, "%s: this is not a regular file; give the output another name",
                     path);
}

/* ---- Files that a command reads ---- */

static bool same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Returns true if a file with this name in a database folder belongs to the databases: for example
 * "awari-even-6.wari", "awari-even.catalogue" or "build.lock". FORMAT.md lists the names. */
static bool is_database_name(const char *name)
{
    static const char *const kinds[] = {".wari", ".catalogue", ".proof", ".checkpoint", ".scratch"};
    if (strncmp(name, "build.", strlen("build.")) == 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *at = strstr(name, kinds[i]);
        if (at && (at[strlen(kinds[i])] == '\0' || at[strlen(kinds[i])] == '.'))
            return true;
    }
    return false;
}

/* Returns true if one of the database files in an open folder is `file`. */
static bool holds_file(DIR *entries, const struct stat *file)
{
    const struct dirent *entry;
    struct stat found;
    while ((entry = readdir(entries)) != NULL)
        if (is_database_name(entry->d_name) &&
            fstatat(dirfd(entries), entry->d_name, &found, 0) == 0 && same_file(&found, file))
            return true;
    return false;
}

/* Returns true if the parent folder of `path` is `folder`. */
static bool is_in_folder(const char *path, const char *folder)
{
    char parent[WARI_PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 0;
    struct stat one, other;
    return snprintf(parent, sizeof parent, "%.*s.", length, path) < (int)sizeof parent &&
           stat(parent, &one) == 0 && stat(folder, &other) == 0 && same_file(&one, &other);
}

static bool belongs_to_folder(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    struct stat target;
    DIR *entries;
    if (is_database_name(slash ? slash + 1 : path) && is_in_folder(path, folder))
        return true;
    if (stat(path, &target) != 0 || (entries = opendir(folder)) == NULL)
        return false; /* a folder that cannot be read is reported when it is opened */
    const bool found = holds_file(entries, &target);
    (void)closedir(entries);
    return found;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns true if both paths are the same name in the same folder, even if no file has it yet. */
static bool same_entry(const char *path, const char *other)
{
    char folder[WARI_PATH_MAX];
    const char *name = last_name(other);
    return strcmp(last_name(path), name) == 0 &&
           snprintf(folder, sizeof folder, "%.*s.", (int)(name - other), other) <
               (int)sizeof folder &&
           is_in_folder(path, folder);
}

/* Returns true if `source`, "-" for standard input, is a name of the file `path`. */
static bool is_source(const char *path, const char *source)
{
    struct stat target, read;
    const bool standard = strcmp(source, "-") == 0;
    if (!standard && same_entry(path, source))
        return true;
    return stat(path, &target) == 0 &&
           (standard ? fstat(STDIN_FILENO, &read) : stat(source, &read)) == 0 &&
           same_file(&target, &read);
}

static enum wari_status refuse_file(const char *path, const char *source, struct wari_error *error)
{
    return wari_fail(error, WARI_BAD_INPUT,
                     "%s: this command also reads this file (as %s); give the output another name",
                     path, strcmp(source, "-") == 0 ? "standard input" : source);
}

enum wari_status output_refuse_source(const char *path, const struct output_sources *sources,
                                      struct wari_error *error)
{
    if (sources->folder && belongs_to_folder(path, sources->folder))
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s: this file belongs to the databases in %s, which this command reads; "
                         "give the output another name",
                         path, sources->folder);
    if (sources->book && is_source(path, sources->book))
        return refuse_file(path, sources->book, error);
    for (int i = 0; i < sources->file_count; i++)
        if (is_source(path, sources->files[i]))
            return refuse_file(path, sources->files[i], error);
    return WARI_OK;
}

/* ---- Output ---- */

static enum wari_status set_names(struct output *output, struct wari_error *error)
{
    const char *slash = strrchr(output->path, '/');
    size_t folder = slash ? (size_t)(slash - output->path) + 1 : 0;
    enum wari_status status = wari_unfinished_path(output->temporary, output->path, error);
    if (status != WARI_OK)
        return status;
    memcpy(output->folder, output->path, folder);
    strcpy(output->folder + folder, ".");
    return WARI_OK;
}

enum wari_status output_open(struct output *output, const char *path, struct wari_error *error)
{
    *output = (struct output){.path = path, .fd = -1};
    if (!path)
        return WARI_OK;
    enum wari_status status = set_names(output, error);
    if (status == WARI_OK)
        status = output_check_path(path, error);
    if (status != WARI_OK)
        return status;
    output->buffer = malloc(BUFFER_BYTES);
    if (!output->buffer)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory to write %s", path);
    wari_unfinished_files_clean(wari_host_system(), path);
    status = wari_create_anew(wari_host_system(), output->temporary, path, &output->fd, error);
    if (status != WARI_OK)
        free(output->buffer);
    return status;
}

enum wari_status output_try(const char *path, struct wari_error *error)
{
    struct output output;
    enum wari_status status = output_open(&output, path, error);
    if (status == WARI_OK)
        (void)!output_finish(&output, WARI_INTERRUPTED, error); /* removes the temporary file */
    return status;
}

static enum wari_status flush(struct output *output, struct wari_error *error)
{
    enum wari_status status =
        wari_write_at(wari_host_system(), output->fd, output->temporary, output->buffer,
                      output->buffered, output->written, error);
    output->written += output->buffered;
    output->buffered = 0;
    return status;
}

enum wari_status output_write(struct output *output, const void *bytes, size_t count,
                              struct wari_error *error)
{
    const uint8_t *from = bytes;
    if (!output->path) {
        fwrite(from, 1, count, stdout);
        return WARI_OK;
    }
    while (count > 0) {
        size_t space = BUFFER_BYTES - output->buffered;
        size_t bytes_now = count < space ? count : space;
        memcpy(output->buffer + output->buffered, from, bytes_now);
        output->buffered += bytes_now;
        from += bytes_now;
        count -= bytes_now;
        if (output->buffered == BUFFER_BYTES) {
            enum wari_status status = flush(output, error);
            if (status != WARI_OK)
                return status;
        }
    }
    return WARI_OK;
}

enum wari_status output_finish(struct output *output, enum wari_status status,
                               struct wari_error *error)
{
    if (!output->path)
        return status;
    if (status == WARI_OK)
        status = flush(output, error);
    if (status == WARI_OK) {
        status = wari_publish(wari_host_system(), output->fd, output->temporary, output->folder,
                              output->path, error);
    } else {
        (void)close(output->fd);
        (void)unlink(output->temporary);
    }
    free(output->buffer);
    return status;
}
