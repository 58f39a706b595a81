/* The host table of this machine.
 *
 * All code in db/ uses memory and files through a host table. So a test that replaces the table
 * sees every such call and can make it fail. (temporary_file.c also lists folders, without the
 * table.) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/host/host.h"

/* Offsets in the file of level 48 exceed 32 bits. */
_Static_assert(sizeof(off_t) == 8, "compile with 64-bit file offsets");

static void *system_allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void system_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static int system_open(void *context, const char *path, int flags, mode_t mode)
{
    (void)context;
    return open(path, flags, mode);
}

/* Returns true if an error of fchmod() or fchown() means that the mode or the owner cannot be
 * changed at all, so that the file has to be accepted as it is. EPERM: only root may change owners,
 * and file systems such as CIFS and FAT may refuse to change modes. ENOSYS and EOPNOTSUPP: the file
 * system does not implement the call. EINVAL: the user namespace does not contain the owner or the
 * group. */
static bool is_refusal(int reason)
{
    return reason == EPERM || reason == ENOSYS || reason == EOPNOTSUPP || reason == EINVAL;
}

/* Gives a file the mode and the owner of `model`, as far as this is possible. */
static bool copy_access(int fd, const struct stat *model)
{
    return (fchmod(fd, model->st_mode & 0777) == 0 || is_refusal(errno)) &&
           (fchown(fd, model->st_uid, model->st_gid) == 0 || is_refusal(errno));
}

/* If the mode is to be copied from another file, the new file is at first accessible to its owner
 * only, so that no other user can open it before it has its final mode. */
static int system_create(void *context, const char *path, const char *like)
{
    struct stat model;
    const bool modelled = like != NULL && stat(like, &model) == 0 && S_ISREG(model.st_mode);
    const int fd =
        open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, modelled ? 0600 : 0666);
    (void)context;
    if (fd < 0 || !modelled)
        return fd;
    if (!copy_access(fd, &model)) {
        const int reason = errno;
        (void)close(fd); /* first, because some file systems cannot remove an open file */
        (void)unlink(path);
        errno = reason;
        return -1;
    }
    return fd;
}

static ssize_t system_pread(void *context, int fd, void *buffer, size_t bytes, int64_t offset)
{
    (void)context;
    return pread(fd, buffer, bytes, offset);
}

static ssize_t system_pwrite(void *context, int fd, const void *buffer, size_t bytes,
                             int64_t offset)
{
    (void)context;
    return pwrite(fd, buffer, bytes, offset);
}

static int64_t system_size(void *context, int fd)
{
    struct stat status;
    (void)context;
    if (fstat(fd, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
        return -1;
    }
    return status.st_size;
}

/* On macOS, fsync() does not wait for the disk, but F_FULLFSYNC does. Some file systems refuse it.
 */
static int system_fsync(void *context, int fd)
{
    (void)context;
#ifdef F_FULLFSYNC
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
#endif
    return fsync(fd);
}

static void system_begin_fsync(void *context, int fd, int64_t offset, int64_t bytes)
{
    (void)context;
#ifdef SYNC_FILE_RANGE_WRITE
    int result, reason = errno;
    result = sync_file_range(fd, offset, bytes, SYNC_FILE_RANGE_WRITE);
    (void)result; /* fsync will report a failure */
    errno = reason;
#else
    (void)fd;
    (void)offset;
    (void)bytes;
#endif
}

static int system_close(void *context, int fd)
{
    (void)context;
    return close(fd);
}

static int system_rename(void *context, const char *from, const char *to)
{
    (void)context;
    return rename(from, to);
}

static int system_unlink(void *context, const char *path)
{
    (void)context;
    return unlink(path);
}

static int system_mkdir(void *context, const char *path, mode_t mode)
{
    (void)context;
    return mkdir(path, mode);
}

/* ---- Locks ---- */

bool wari_locks_unsupported(int reason)
{
    enum {
        KERNEL_ENOTSUPP = 524
    }; /* an error that Lustre returns, and for which user space has no name */

    return reason == ENOSYS || reason == ENOTSUP || reason == EOPNOTSUPP || reason == ENOLCK ||
           reason == KERNEL_ENOTSUPP;
}

/* Locks of open files (F_OFD_SETLK) are released like flock(), when the descriptor is closed. The
 * older kind (F_SETLK) is for systems without F_OFD_SETLK. A lock of this kind ends when the
 * process closes any descriptor of the file, so the process must not open the file twice. */
static int lock_by_fcntl(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result = -1;

    errno = EINVAL;
#ifdef F_OFD_SETLK
    result = fcntl(fd, F_OFD_SETLK, &whole);
#endif
    if (result != 0 && errno == EINVAL)
        result = fcntl(fd, F_SETLK, &whole);
    if (result != 0 && errno == EACCES) /* POSIX allows EACCES and EAGAIN for a locked file */
        errno = EWOULDBLOCK;
    return result;
}

int wari_lock_descriptor(int fd)
{
    const int result = flock(fd, LOCK_EX | LOCK_NB);

    return result != 0 && wari_locks_unsupported(errno) ? lock_by_fcntl(fd) : result;
}

static int system_lock(void *context, int fd)
{
    struct stat status;
    (void)context;
    if (fstat(fd, &status) != 0)
        return -1;
    if (status.st_nlink > 1) {
        errno = EMLINK;
        return -1;
    }
    return wari_lock_descriptor(fd);
}

const struct wari_host *wari_host_system(void)
{
    static const struct wari_host host = {
        .allocate = system_allocate,
        .release = system_release,
        .open = system_open,
        .create = system_create,
        .pread = system_pread,
        .pwrite = system_pwrite,
        .size = system_size,
        .fsync = system_fsync,
        .begin_fsync = system_begin_fsync,
        .close = system_close,
        .rename = system_rename,
        .unlink = system_unlink,
        .mkdir = system_mkdir,
        .lock = system_lock,
    };
    return &host;
}
