/* Output to a file or to standard output.
 *
 * A file is written under a temporary name beside the final one, brought to disk and renamed, so
 * that no run, however it ends, leaves half a file under the name that was asked for. The temporary
 * name has the number of the process in it: two runs never write to the same file, and a file of
 * the user's is never overwritten.
 */
#include "tools/common/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

enum wari_status output_place(const char *path, struct wari_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT ? WARI_OK : wari_fail_errno(error, path, "look at this file");
    if (S_ISREG(found.st_mode))
        return WARI_OK;
    return wari_fail(error, WARI_IO,
                     "%s: something else than a file stands there; give another name", path);
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
        status = output_place(path, error);
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
    enum wari_status status = wari_write_at(wari_host_system(), output->fd, output->temporary,
                                            output->buffer, output->held, output->written, error);
    output->written += output->held;
    output->held = 0;
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
        size_t room = BUFFER_BYTES - output->held;
        size_t part = count < room ? count : room;
        memcpy(output->buffer + output->held, from, part);
        output->held += part;
        from += part;
        count -= part;
        if (output->held == BUFFER_BYTES) {
            enum wari_status status = flush(output, error);
            if (status != WARI_OK)
                return status;
        }
    }
    return WARI_OK;
}

enum wari_status output_end(struct output *output, enum wari_status status,
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
