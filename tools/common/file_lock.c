/* Locks of files; see file_lock.h. */
#include "tools/common/file_lock.h"

#include <errno.h>
#include <string.h>

#include "tools/common/report.h"

enum wari_status file_lock(int fd, const char *path, const struct file_lock_texts *texts,
                           struct wari_error *error)
{
    if (wari_lock_descriptor(fd) == 0)
        return WARI_OK;
    if (errno == EWOULDBLOCK)
        return wari_fail(error, WARI_BUSY, "%s: %s", path, texts->in_use);
    if (!wari_locks_unsupported(errno))
        return wari_fail_errno(error, path, "lock");
    report_note(texts->command, "%s: this file system has no locks (%s); %s", path, strerror(errno),
                texts->advice);
    return WARI_OK;
}
