/* Writes into a level file that another process has begun (level_writer.c).
 *
 * Where each run of chunks goes is agreed on by the processes, so nothing here looks at what is in
 * the file. Its bytes are on disk when a part is closed, before the writer gives the file its name.
 */
#include "db/file/level_part.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct wari_level_part {
    const struct wari_host *host;
    int fd;
    char temporary[WARI_PATH_MAX];
};

enum wari_status wari_level_part_open(struct wari_level_part **part,
                                      const struct wari_level_address *address,
                                      struct wari_error *error)
{
    const struct wari_host *host = address->host;
    char path[WARI_PATH_MAX];
    void *memory;
    *part = NULL;
    enum wari_status status = wari_level_path(path, address->folder, address->key, error);
    if (status == WARI_OK)
        status = wari_allocate(host, sizeof **part, "a part of a level file", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_level_part *new = memory;
    *new = (struct wari_level_part){.host = host, .fd = -1};
    status = wari_path(new->temporary, error, address->folder, "%s.tmp", strrchr(path, '/') + 1);
    if (status == WARI_OK)
        status = wari_open_file(host, new->temporary, O_WRONLY | O_NOFOLLOW, &new->fd, error);
    if (status == WARI_OK)
        *part = new;
    else
        wari_release(host, new);
    return status;
}

enum wari_status wari_level_part_write(struct wari_level_part *part, const void *encoded,
                                       size_t bytes, uint64_t offset, struct wari_error *error)
{
    return wari_write_at(part->host, part->fd, part->temporary, encoded, bytes, offset, error);
}

enum wari_status wari_level_part_close(struct wari_level_part *part, struct wari_error *error)
{
    enum wari_status status = wari_sync_file(part->host, part->fd, part->temporary, error);
    if (part->host->close(part->host->context, part->fd) != 0 && errno != EINTR &&
        status == WARI_OK)
        status = wari_fail_errno(error, part->temporary, "close");
    wari_release(part->host, part);
    return status;
}

void wari_level_part_abandon(struct wari_level_part *part)
{
    if (part == NULL)
        return;
    part->host->close(part->host->context, part->fd);
    wari_release(part->host, part);
}
