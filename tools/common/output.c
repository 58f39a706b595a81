/* Output to a file or to standard output.
 *
 * A file is written under a temporary name in the same folder, synced to disk and renamed. So no
 * command, however it ends, leaves an incomplete file under the final name. The temporary name
 * contains the process id: two processes never write to the same file, and no file of the user is
 * overwritten.
 */
#include "tools/common/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

enum wari_status output_check_path(const char *path, struct wari_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT ? WARI_OK : wari_fail_errno(error, path, "examine this file");
    if (S_ISREG(found.st_mode))
        return WARI_OK;
    return wari_fail(error, WARI_IO, "%s: exists and is not a regular file; give another name",
                     path);
}

static enum wari_status set_names(struct output *output, struct wari_error *error)
{
    const char *slash = strrchr(output->path, '/');
    size_t folder = slash ? (size_t)(slash - output->path) + 1 : 0;
    int length = snprintf(output->temporary, sizeof output->temporary, "%s.%ld.tmp", output->path,
                          (long)getpid());
    if (length < 0 || length >= (int)sizeof output->temporary)
        return wari_fail(error, WARI_BAD_INPUT, "%.200s...: the path is longer than %d bytes",
                         output->path, WARI_PATH_MAX - 1);
    memcpy(output->folder, output->path, folder);
    strcpy(output->folder + folder, ".");
    return WARI_OK;
}

enum wari_status output_open(struct output *output, const char *path, struct wari_error *error)
{
    *output = (struct output){.path = path, .fd = -1};
    if (!path)
        return WARI_OK;
    if (!path[0])
        return wari_fail(error, WARI_BAD_INPUT, "--output: the name of the file is empty");
    enum wari_status status = set_names(output, error);
    if (status == WARI_OK)
        status = output_check_path(path, error);
    if (status != WARI_OK)
        return status;
    output->buffer = malloc(BUFFER_BYTES);
    if (!output->buffer)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory to write %s", path);
    status = wari_create_file(wari_host_system(), output->temporary, path, &output->fd, error);
    if (status != WARI_OK)
        free(output->buffer);
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

enum wari_status json_print(json_t *value, struct wari_error *error)
{
    /* Formatted in memory first, so that a value is printed completely or not at all. */
    char *text;
    enum wari_status status = json_text(value, &text, error);
    if (status != WARI_OK)
        return status;
    puts(text);
    free(text);
    return WARI_OK;
}
