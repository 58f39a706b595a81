/* Writes the file of a book through a buffer. */
#include "db/maintain/bind_output.h"

#include <stdio.h>
#include <string.h>

#include "db/book/header.h"
#include "db/host/temporary_file.h"

enum wari_status wari_output_name(struct wari_output *output, const struct wari_host *host,
                                  const char *path, struct wari_error *error)
{
    const char *slash = strrchr(path, '/');
    output->host = host;
    output->fd = -1;
    if (path[0] == '\0' || (slash != NULL && slash[1] == '\0') ||
        wari_unfinished_path(output->temporary, path, NULL) != WARI_OK)
        return wari_fail(error, WARI_BAD_INPUT,
                         "\"%.100s\" is not the name of a file, or is too long", path);
    snprintf(output->path, sizeof output->path, "%s", path);
    if (slash == NULL)
        snprintf(output->folder, sizeof output->folder, ".");
    else
        snprintf(output->folder, sizeof output->folder, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
    return WARI_OK;
}

enum wari_status wari_output_open(struct wari_output *output, uint64_t at, struct wari_error *error)
{
    output->at = at;
    output->waiting = 0;
    wari_unfinished_files_clean(output->host, output->path);
    return wari_create_anew(output->host, output->temporary, output->path, &output->fd, error);
}

enum wari_status wari_output_flush(struct wari_output *output, struct wari_error *error)
{
    enum wari_status status = wari_write_at(output->host, output->fd, output->temporary,
                                            output->buffer, output->waiting, output->at, error);
    output->at += output->waiting;
    output->waiting = 0;
    return status;
}

enum wari_status wari_output_add(struct wari_output *output, const void *bytes, size_t count,
                                 struct wari_error *error)
{
    const uint8_t *from = bytes;
    enum wari_status status = WARI_OK;
    while (count > 0 && status == WARI_OK) {
        const size_t free_bytes = sizeof output->buffer - output->waiting;
        const size_t bytes_now = count < free_bytes ? count : free_bytes;
        memcpy(output->buffer + output->waiting, from, bytes_now);
        output->waiting += bytes_now;
        from += bytes_now;
        count -= bytes_now;
        if (output->waiting == sizeof output->buffer)
            status = wari_output_flush(output, error);
    }
    return status;
}

enum wari_status wari_output_hash(struct wari_output *output, uint64_t bytes, uint64_t *hash,
                                  struct wari_error *error)
{
    *hash = WARI_FNV64_BEGIN;
    for (uint64_t at = 0; at < bytes; at += sizeof output->buffer) {
        const size_t bytes_now =
            bytes - at < sizeof output->buffer ? (size_t)(bytes - at) : sizeof output->buffer;
        enum wari_status status = wari_read_at(output->host, output->fd, output->temporary,
                                               output->buffer, bytes_now, at, error);
        if (status != WARI_OK)
            return status;
        *hash = wari_fnv64(*hash, output->buffer, bytes_now);
    }
    return WARI_OK;
}

enum wari_status wari_output_publish(struct wari_output *output, struct wari_error *error)
{
    const int fd = output->fd;
    output->fd = -1;
    return wari_publish(output->host, fd, output->temporary, output->folder, output->path, error);
}

void wari_output_drop(struct wari_output *output)
{
    if (output->fd < 0)
        return;
    output->host->close(output->host->context, output->fd);
    output->host->unlink(output->host->context, output->temporary);
    output->fd = -1;
}
