/* Implements platform.h for Windows, and functions of POSIX that the program calls, but that
 * Windows' C library lacks or defines differently. packaging/windows/include/ has the headers that
 * declare them. If the C library has a function of the same name, the linker uses the one in this
 * file.
 *
 * Paths are in UTF-8, with slashes or backslashes. Files are always binary. */
#include "system/platform.h"

#if WARI_SYSTEM_WINDOWS

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <winioctl.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <poll.h>
#include <shellapi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295L
#endif

enum {
    PATH_UNITS = 4096,            /* size of a buffer for a path, in units of UTF-16 */
    TRANSFER_BYTES_MAX = 1 << 30, /* maximum number of bytes that one call reads or writes */
};

/* ---- Errors and texts ---- */

/* Sets errno to the number of POSIX for an error of Windows. Always returns -1. */
static int fail(DWORD reason)
{
    switch (reason) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_NOT_READY:
        errno = ENOENT;
        break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
    case ERROR_PRIVILEGE_NOT_HELD:
        errno = EACCES;
        break;
    case ERROR_LOCK_VIOLATION:
        errno = EWOULDBLOCK;
        break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        errno = EEXIST;
        break;
    case ERROR_DIRECTORY:
        errno = ENOTDIR;
        break;
    case ERROR_DIR_NOT_EMPTY:
        errno = ENOTEMPTY;
        break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        errno = ENOSPC;
        break;
    case ERROR_DISK_QUOTA_EXCEEDED:
        errno = EDQUOT;
        break;
    case ERROR_TOO_MANY_OPEN_FILES:
        errno = EMFILE;
        break;
    case ERROR_NOT_SAME_DEVICE:
        errno = EXDEV;
        break;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
        errno = ENAMETOOLONG;
        break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        errno = ENOMEM;
        break;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        errno = EPIPE;
        break;
    case ERROR_INVALID_HANDLE:
        errno = EBADF;
        break;
    case ERROR_NO_UNICODE_TRANSLATION:
        errno = EILSEQ;
        break;
    case ERROR_NOT_SUPPORTED:
        errno = ENOTSUP;
        break;
    case ERROR_INVALID_PARAMETER:
    case ERROR_INVALID_FUNCTION:
        errno = EINVAL;
        break;
    default:
        errno = EIO;
    }
    return -1;
}

static int fail_last(void)
{
    return fail(GetLastError());
}

/* Converts a path to UTF-16. Returns false and sets errno if it is not valid UTF-8 or too long. */
static bool widen(const char *path, wchar_t wide[PATH_UNITS])
{
    if (strcmp(path, "/dev/null") == 0)
        path = "NUL";
    if (path[0] == '\0') {
        errno = ENOENT;
        return false;
    }
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, PATH_UNITS) > 0)
        return true;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
    return false;
}

int strerror_r(int number, char *buffer, size_t bytes)
{
    if (number == EDQUOT)
        (void)snprintf(buffer, bytes, "Disk quota exceeded");
    else if (number == EWOULDBLOCK)
        (void)snprintf(buffer, bytes, "Resource temporarily unavailable");
    else
        return strerror_s(buffer, bytes, number);
    return 0;
}

void *memmem(const void *bytes, size_t count, const void *part, size_t part_count)
{
    const char *at = bytes;

    for (; count >= part_count; at++, count--)
        if (memcmp(at, part, part_count) == 0)
            return (void *)at;
    return NULL;
}

/* ---- Open files ---- */

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* Returns the argument by which CreateFileW() handles existing and missing files as the flags say.
 */
static DWORD disposition(int flags)
{
    if ((flags & O_CREAT) == 0)
        return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
    if (flags & O_EXCL)
        return CREATE_NEW;
    return flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
}

static HANDLE open_handle(const wchar_t *path, DWORD access, DWORD creation, bool follow)
{
    /* As on other systems, other programs may read, write, rename and remove the file meanwhile.
     * FILE_FLAG_BACKUP_SEMANTICS is needed to open folders. */
    return CreateFileW(
        path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, creation,
        FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
}

/* Checks that an open file is of the kind that the flags demand. Returns 0 or an error number. */
static int check_kind(HANDLE handle, int flags)
{
    BY_HANDLE_FILE_INFORMATION found;

    if (GetFileType(handle) != FILE_TYPE_DISK)
        return flags & O_DIRECTORY ? ENOTDIR : 0;
    if (!GetFileInformationByHandle(handle, &found))
        return EIO;
    if ((flags & O_NOFOLLOW) && (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return ELOOP;
    if ((flags & O_DIRECTORY) && !(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return ENOTDIR;
    return 0;
}

int open(const char *path, int flags, ...)
{
    const int kind = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    const DWORD access = kind == O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                         : kind == O_WRONLY ? GENERIC_WRITE
                                            : GENERIC_READ;
    wchar_t wide[PATH_UNITS];

    if (!widen(path, wide))
        return -1;
    const HANDLE handle = open_handle(wide, access, disposition(flags), (flags & O_NOFOLLOW) == 0);
    if (handle == INVALID_HANDLE_VALUE) {
        const DWORD reason = GetLastError(), attributes = GetFileAttributesW(wide);
        if (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_DIRECTORY))
            return fail(reason);
        errno = (flags & O_CREAT) && (flags & O_EXCL) ? EEXIST : EISDIR;
        return -1;
    }
    int fd = -1;
    const int wrong = check_kind(handle, flags);
    if (wrong == 0)
        fd = _open_osfhandle((intptr_t)handle, (flags & O_APPEND) | kind | _O_BINARY);
    if (fd < 0) {
        const int reason = wrong != 0 ? wrong : errno;
        (void)CloseHandle(handle);
        errno = reason;
    }
    return fd;
}

/* Opens every file as a binary file, so the mode "b" is not needed. "e" is not needed either,
 * because child processes never inherit a file. */
FILE *fopen(const char *path, const char *mode)
{
    const wchar_t wide_mode[] = {(wchar_t)mode[0], L'b', strchr(mode, '+') ? L'+' : L'\0', L'\0'};
    wchar_t wide[PATH_UNITS];

    return widen(path, wide) ? _wfopen(wide, wide_mode) : NULL;
}

int fcntl(int fd, int command, ...)
{
    if (command == F_GETFD && handle_of(fd) != INVALID_HANDLE_VALUE)
        return 0;
    errno = command == F_GETFD ? EBADF : EINVAL;
    return -1;
}

/* Returns an offset in the form that ReadFile() and WriteFile() expect. */
static OVERLAPPED position(off_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)((uint64_t)offset & UINT32_MAX),
                        .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    OVERLAPPED at = position(offset);
    DWORD count = 0;

    if (ReadFile(handle_of(fd), buffer,
                 (DWORD)(bytes < TRANSFER_BYTES_MAX ? bytes : TRANSFER_BYTES_MAX), &count, &at) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)count;
    return fail_last();
}

ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    OVERLAPPED at = position(offset);
    DWORD count = 0;

    if (WriteFile(handle_of(fd), buffer,
                  (DWORD)(bytes < TRANSFER_BYTES_MAX ? bytes : TRANSFER_BYTES_MAX), &count, &at))
        return (ssize_t)count;
    return fail_last();
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
    return _write(fd, buffer, (unsigned)(bytes < TRANSFER_BYTES_MAX ? bytes : TRANSFER_BYTES_MAX));
}

/* Replaces the ftruncate() of mingw-w64, which refuses sizes for which the disk has no space. Makes
 * the file sparse if the file system supports that, so that added bytes need no disk space. */
int ftruncate(int fd, off_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = bytes};
    DWORD count;

    (void)DeviceIoControl(handle_of(fd), FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &count, NULL);
    return SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof end)
               ? 0
               : fail_last();
}

/* A folder needs no fsync(), because rename() waits until the new name is on disk. */
int fsync(int fd)
{
    BY_HANDLE_FILE_INFORMATION found;
    const HANDLE handle = handle_of(fd);

    if (FlushFileBuffers(handle))
        return 0;
    const DWORD reason = GetLastError();
    if (GetFileInformationByHandle(handle, &found) &&
        (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return 0;
    return fail(reason);
}

int wari_sync_data(int fd)
{
    return fsync(fd);
}

void wari_drop_cached_data(int fd)
{
    (void)fd;
}

/* Windows locks a range of bytes, and then does not let other processes read these bytes. So this
 * function locks a byte far beyond the end of the file, and the file can still be read. */
int flock(int fd, int operation)
{
    OVERLAPPED at = position(INT64_MAX - 1);

    (void)operation;
    if (LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &at))
        return 0;
    return fail(GetLastError() == ERROR_IO_PENDING ? ERROR_LOCK_VIOLATION : GetLastError());
}

/* ---- Properties of files ---- */

/* Returns seconds since 1970. Windows counts units of 100 nanoseconds since 1601. */
static int64_t seconds_of(FILETIME time)
{
    const uint64_t units = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;

    return (int64_t)(units / 10000000) - INT64_C(11644473600);
}

static int examine(HANDLE handle, bool follow, struct stat *found)
{
    BY_HANDLE_FILE_INFORMATION file;
    const DWORD type = GetFileType(handle);

    memset(found, 0, sizeof *found);
    found->st_nlink = 1;
    if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) {
        found->st_mode = type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
        found->st_ino = (uint64_t)(uintptr_t)handle;
        return 0;
    }
    if (!GetFileInformationByHandle(handle, &file))
        return fail_last();
    const bool read_only = file.dwFileAttributes & FILE_ATTRIBUTE_READONLY;
    if (!follow && (file.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        found->st_mode = S_IFLNK | 0777;
    else if (file.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        found->st_mode = S_IFDIR | 0755;
    else
        found->st_mode = S_IFREG | (read_only ? 0444 : 0644);
    found->st_dev = file.dwVolumeSerialNumber;
    found->st_ino = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow;
    found->st_nlink = file.nNumberOfLinks;
    found->st_size = (int64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow;
    found->st_mtime = seconds_of(file.ftLastWriteTime);
    return 0;
}

static int examine_path(const wchar_t *path, bool follow, struct stat *found)
{
    const HANDLE handle = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, follow);

    if (handle == INVALID_HANDLE_VALUE)
        return fail_last();
    const int result = examine(handle, follow, found);
    (void)CloseHandle(handle);
    return result;
}

int stat(const char *path, struct stat *found)
{
    wchar_t wide[PATH_UNITS];

    return widen(path, wide) ? examine_path(wide, true, found) : -1;
}

int lstat(const char *path, struct stat *found)
{
    wchar_t wide[PATH_UNITS];

    return widen(path, wide) ? examine_path(wide, false, found) : -1;
}

int fstat(int fd, struct stat *found)
{
    return examine(handle_of(fd), true, found);
}

/* Joins the path of an open folder and a name. Returns false and sets errno on failure. */
static bool join(int folder, const char *name, wchar_t path[PATH_UNITS])
{
    const DWORD length = GetFinalPathNameByHandleW(handle_of(folder), path, PATH_UNITS, 0);

    if (length == 0 || length + 1 >= PATH_UNITS) {
        (void)fail(length == 0 ? GetLastError() : ERROR_FILENAME_EXCED_RANGE);
        return false;
    }
    path[length] = L'\\';
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, path + length + 1,
                            (int)(PATH_UNITS - length - 1)) > 0)
        return true;
    (void)fail_last();
    return false;
}

int fstatat(int folder, const char *name, struct stat *found, int flags)
{
    wchar_t path[PATH_UNITS];

    (void)flags;
    return join(folder, name, path) ? examine_path(path, true, found) : -1;
}

uint64_t wari_data_changed_at(const struct stat *status)
{
    return (uint64_t)status->st_mtime * 1000000000;
}

uint64_t wari_status_changed_at(const struct stat *status)
{
    return (uint64_t)status->st_mtime * 1000000000;
}

int fchmod(int fd, unsigned mode)
{
    (void)fd;
    (void)mode;
    return 0;
}

int fchown(int fd, int owner, int group)
{
    (void)fd;
    (void)owner;
    (void)group;
    return 0;
}

int access(const char *path, int mode)
{
    wchar_t wide[PATH_UNITS];

    if (!widen(path, wide))
        return -1;
    const DWORD attributes = GetFileAttributesW(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return fail_last();
    if ((mode & W_OK) && (attributes & FILE_ATTRIBUTE_READONLY) &&
        !(attributes & FILE_ATTRIBUTE_DIRECTORY))
        return fail(ERROR_ACCESS_DENIED);
    return 0;
}

int statvfs(const char *path, struct statvfs *found)
{
    ULARGE_INTEGER available;
    wchar_t wide[PATH_UNITS];

    if (!widen(path, wide))
        return -1;
    if (!GetDiskFreeSpaceExW(wide, &available, NULL, NULL))
        return fail_last();
    *found = (struct statvfs){.f_bavail = available.QuadPart, .f_frsize = 1};
    return 0;
}

/* ---- Names ---- */

/* Constants of Windows 10 that the headers of mingw-w64 may lack. */
enum {
    RENAME_INFO_EX = 22, /* FileRenameInfoEx */
    RENAME_REPLACES = 1, /* FILE_RENAME_FLAG_REPLACE_IF_EXISTS */
    RENAME_AS_POSIX = 2, /* FILE_RENAME_FLAG_POSIX_SEMANTICS: the replaced file may be open */
};

/* Renames a file as POSIX does, even if a file with the new name is open. NTFS supports this since
 * Windows 10; wine 8 and some file systems do not. */
static bool rename_as_posix(const wchar_t *from, const wchar_t *to)
{
    union {
        FILE_RENAME_INFO info;
        char bytes[sizeof(FILE_RENAME_INFO) + PATH_UNITS * sizeof(wchar_t)];
    } target = {.info = {.Flags = RENAME_REPLACES | RENAME_AS_POSIX}};
    const DWORD length = GetFullPathNameW(to, PATH_UNITS, target.info.FileName, NULL);

    if (length == 0 || length >= PATH_UNITS)
        return false;
    target.info.FileNameLength = length * sizeof(wchar_t);
    /* FILE_FLAG_WRITE_THROUGH: the new name is on disk when this function returns. */
    const HANDLE file = CreateFileW(
        from, DELETE | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
        OPEN_EXISTING,
        FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_WRITE_THROUGH, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    const bool renamed = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)RENAME_INFO_EX,
                                                    &target, sizeof target);
    (void)CloseHandle(file);
    return renamed;
}

static bool move(const wchar_t *from, const wchar_t *to)
{
    return MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
}

/* Returns true if the path is that of a file (not of a folder) that may be written. */
static bool is_writable_file(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);

    return attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY)) == 0;
}

/* Renames a file to the name of an open file. First the open file gets another name; it is removed
 * when it is closed. So for a moment no file has the name. */
static bool replace_open_file(const wchar_t *from, const wchar_t *to)
{
    static unsigned count; /* makes the names different; the lock of rename() protects it */
    wchar_t old[PATH_UNITS] = L"";

    if (!is_writable_file(from) || !is_writable_file(to) ||
        _snwprintf(old, PATH_UNITS - 1, L"%ls.%lu.%u.old", to, GetCurrentProcessId(), count++) <
            0 ||
        !MoveFileExW(to, old, 0))
        return false;
    const bool moved = move(from, to);
    if (moved)
        (void)DeleteFileW(old);
    else
        (void)MoveFileExW(old, to, 0); /* fails if another process has used the name meanwhile */
    return moved;
}

/* Renames a file by the first of three ways that works. Returns 0 or an error of Windows. */
static DWORD replace(const wchar_t *from, const wchar_t *to)
{
    if (rename_as_posix(from, to) || move(from, to))
        return 0;
    const DWORD reason = GetLastError();
    const bool may_be_open = reason == ERROR_ACCESS_DENIED || reason == ERROR_SHARING_VIOLATION;
    return may_be_open && replace_open_file(from, to) ? 0 : reason;
}

int rename(const char *from, const char *to)
{
    /* MoveFileExW() opens the file that it replaces. If two threads replace the same file at the
     * same time, one of them fails because the other one has opened the file. So only one thread
     * renames at a time. */
    static SRWLOCK lock = SRWLOCK_INIT;
    wchar_t wide_from[PATH_UNITS], wide_to[PATH_UNITS];

    if (!widen(from, wide_from) || !widen(to, wide_to))
        return -1;
    AcquireSRWLockExclusive(&lock);
    const DWORD reason = replace(wide_from, wide_to);
    ReleaseSRWLockExclusive(&lock);
    return reason == 0 ? 0 : fail(reason);
}

int unlink(const char *path)
{
    wchar_t wide[PATH_UNITS];

    if (!widen(path, wide))
        return -1;
    return DeleteFileW(wide) ? 0 : fail_last();
}

int unlinkat(int folder, const char *name, int flags)
{
    wchar_t path[PATH_UNITS];

    (void)flags;
    if (!join(folder, name, path))
        return -1;
    return DeleteFileW(path) ? 0 : fail_last();
}

int mkdir(const char *path, mode_t mode)
{
    wchar_t wide[PATH_UNITS];

    (void)mode;
    if (!widen(path, wide))
        return -1;
    return CreateDirectoryW(wide, NULL) ? 0 : fail_last();
}

int rmdir(const char *path)
{
    wchar_t wide[PATH_UNITS];

    if (!widen(path, wide))
        return -1;
    return RemoveDirectoryW(wide) ? 0 : fail_last();
}

int remove(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) ? rmdir(path) : unlink(path);
}

/* The pattern ends with "XXXXXX", which this function replaces. */
char *mkdtemp(char *pattern)
{
    const size_t length = strlen(pattern);
    unsigned attempt = (unsigned)GetCurrentProcessId() << 8;

    for (int i = 0; length >= 6 && i < 256; i++, attempt++) {
        (void)snprintf(pattern + length - 6, 7, "%06x", attempt & 0xFFFFFF);
        if (mkdir(pattern, 0700) == 0)
            return pattern;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

/* ---- Folders ---- */

struct windows_folder {
    HANDLE search;
    bool fresh; /* `found` is the first entry, and has not been returned yet */
    int fd;     /* the descriptor that dirfd() returned; -1 before the first call */
    WIN32_FIND_DATAW found;
    struct dirent entry;
    char path[];
};

DIR *opendir(const char *path)
{
    wchar_t pattern[PATH_UNITS + 2];
    const size_t length = strlen(path);
    DIR *folder;

    if (!widen(path, pattern))
        return NULL;
    const DWORD attributes = GetFileAttributesW(pattern);
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
        (void)fail(attributes == INVALID_FILE_ATTRIBUTES ? GetLastError() : ERROR_DIRECTORY);
        return NULL;
    }
    folder = malloc(sizeof *folder + length + 1);
    if (folder == NULL)
        return NULL;
    memcpy(folder->path, path, length + 1);
    folder->fd = -1;
    folder->fresh = true;
    wcscat(pattern, L"\\*");
    folder->search = FindFirstFileW(pattern, &folder->found);
    if (folder->search == INVALID_HANDLE_VALUE) {
        (void)fail_last();
        free(folder);
        return NULL;
    }
    return folder;
}

struct dirent *readdir(DIR *folder)
{
    for (;;) {
        if (!folder->fresh && !FindNextFileW(folder->search, &folder->found)) {
            if (GetLastError() != ERROR_NO_MORE_FILES)
                (void)fail_last();
            return NULL;
        }
        folder->fresh = false;
        /* A name that is not valid UTF-16 is left out: the program gives no file such a name. */
        if (WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, folder->found.cFileName, -1,
                                folder->entry.d_name, sizeof folder->entry.d_name, NULL, NULL) > 0)
            return &folder->entry;
    }
}

int dirfd(DIR *folder)
{
    if (folder->fd < 0)
        folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY);
    return folder->fd;
}

int closedir(DIR *folder)
{
    (void)FindClose(folder->search);
    if (folder->fd >= 0)
        (void)_close(folder->fd);
    free(folder);
    return 0;
}

/* ---- Standard input ----
 *
 * Windows cannot wait for input and for events at once. So when poll() waits for standard input for
 * the first time, it starts a thread that reads into a buffer and sets an event. From then on,
 * read() takes the bytes from the buffer. */

static struct {
    HANDLE thread;  /* NULL until the thread has been started */
    HANDLE filled;  /* an event, set while the buffer has bytes, and at the end of the input */
    HANDLE emptied; /* an event, set when the thread may fill the buffer again */
    DWORD count, at;
    DWORD reason; /* the error that ended the input; ERROR_SUCCESS if it ended without an error */
    bool ended;
    char bytes[4096];
} input;

/* Returns true for the errors by which ReadFile() reports the end of the input. */
static bool is_end(DWORD reason)
{
    return reason == ERROR_BROKEN_PIPE || reason == ERROR_HANDLE_EOF;
}

static DWORD WINAPI read_ahead(void *context)
{
    const HANDLE from = handle_of(STDIN_FILENO);

    (void)context;
    for (;;) {
        DWORD count = 0;
        const bool read_well = ReadFile(from, input.bytes, sizeof input.bytes, &count, NULL);
        const DWORD reason = read_well ? ERROR_SUCCESS : GetLastError();
        if (reason == ERROR_OPERATION_ABORTED) /* Ctrl-C */
            continue;
        input.ended = !read_well || count == 0;
        input.reason = is_end(reason) ? ERROR_SUCCESS : reason;
        input.count = count;
        input.at = 0;
        (void)SetEvent(input.filled);
        if (input.ended)
            return 0;
        (void)WaitForSingleObject(input.emptied, INFINITE);
    }
}

/* Returns false if the thread cannot be started. */
static bool start_reading_ahead(void)
{
    if (input.thread != NULL)
        return true;
    if (input.filled == NULL)
        input.filled = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (input.emptied == NULL)
        input.emptied = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (input.filled != NULL && input.emptied != NULL)
        input.thread = CreateThread(NULL, 0, read_ahead, NULL, 0, NULL);
    return input.thread != NULL;
}

static ssize_t read_from_buffer(void *buffer, size_t bytes)
{
    (void)WaitForSingleObject(input.filled, INFINITE);
    if (input.ended)
        return input.reason == ERROR_SUCCESS ? 0 : fail(input.reason);
    const size_t left = input.count - input.at, count = bytes < left ? bytes : left;
    memcpy(buffer, input.bytes + input.at, count);
    input.at += (DWORD)count;
    if (input.at == input.count) {
        (void)ResetEvent(input.filled);
        (void)SetEvent(input.emptied);
    }
    return (ssize_t)count;
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
    DWORD count = 0;

    if (fd == STDIN_FILENO && input.thread != NULL)
        return read_from_buffer(buffer, bytes);
    SetLastError(ERROR_SUCCESS);
    if (ReadFile(handle_of(fd), buffer,
                 (DWORD)(bytes < TRANSFER_BYTES_MAX ? bytes : TRANSFER_BYTES_MAX), &count, NULL)) {
        /* This is how Ctrl-C ends reading from a console. Another thread calls the handler. */
        if (count > 0 || bytes == 0 || GetLastError() != ERROR_OPERATION_ABORTED)
            return (ssize_t)count;
    } else if (is_end(GetLastError())) {
        return 0;
    } else if (GetLastError() != ERROR_OPERATION_ABORTED) {
        return fail_last();
    }
    Sleep(20); /* the time that the handler needs to start */
    errno = EINTR;
    return -1;
}

/* Returns true if reading from standard input would not wait. */
static bool has_input(void)
{
    const HANDLE from = handle_of(STDIN_FILENO);
    DWORD available = 0;

    if (input.thread != NULL)
        return WaitForSingleObject(input.filled, 0) == WAIT_OBJECT_0;
    switch (GetFileType(from)) {
    case FILE_TYPE_PIPE:
        if (PeekNamedPipe(from, NULL, 0, NULL, &available, NULL))
            return available > 0;
        /* If no process can write to the pipe any more, reading does not wait. With another error,
         * as for sockets and some pipes of wine, it is not known whether reading would wait. */
        return GetLastError() == ERROR_BROKEN_PIPE;
    case FILE_TYPE_CHAR:
        /* Reading the device NUL never waits. A console may have events that are not characters, so
         * it is not known whether reading from it would wait. */
        return !isatty(STDIN_FILENO);
    default:
        return true;
    }
}

/* ---- Events, and waiting for them ---- */

/* Each event has a descriptor of the file NUL, only so that no other file gets the same number. */
static struct {
    SRWLOCK lock;
    struct {
        HANDLE event; /* NULL if the entry is free */
        int fd;
    } entries[16];
} events = {.lock = SRWLOCK_INIT};

enum { EVENTS_MAX = sizeof events.entries / sizeof events.entries[0] };

static HANDLE find_event(int fd)
{
    HANDLE found = NULL;

    AcquireSRWLockShared(&events.lock);
    for (int i = 0; i < EVENTS_MAX; i++)
        if (events.entries[i].event != NULL && events.entries[i].fd == fd)
            found = events.entries[i].event;
    ReleaseSRWLockShared(&events.lock);
    return found;
}

/* Adds an event to the table. Returns false if the table is full. */
static bool add_event(HANDLE event, int fd)
{
    bool added = false;

    AcquireSRWLockExclusive(&events.lock);
    for (int i = 0; i < EVENTS_MAX && !added; i++)
        if (events.entries[i].event == NULL) {
            events.entries[i].event = event;
            events.entries[i].fd = fd;
            added = true;
        }
    ReleaseSRWLockExclusive(&events.lock);
    return added;
}

int wari_event_open(struct wari_event *event)
{
    const HANDLE handle = CreateEventW(NULL, TRUE, FALSE, NULL);

    event->receiver = event->sender = -1;
    if (handle == NULL)
        return fail_last();
    const int fd = open("NUL", O_RDONLY);
    if (fd < 0 || !add_event(handle, fd)) {
        (void)CloseHandle(handle);
        if (fd >= 0) {
            (void)_close(fd);
            errno = EMFILE;
        }
        return -1;
    }
    event->receiver = event->sender = fd;
    return 0;
}

void wari_event_close(struct wari_event *event)
{
    AcquireSRWLockExclusive(&events.lock);
    for (int i = 0; i < EVENTS_MAX && event->receiver >= 0; i++)
        if (events.entries[i].event != NULL && events.entries[i].fd == event->receiver) {
            (void)CloseHandle(events.entries[i].event);
            events.entries[i].event = NULL;
        }
    ReleaseSRWLockExclusive(&events.lock);
    if (event->receiver >= 0)
        (void)_close(event->receiver);
    event->receiver = event->sender = -1;
}

void wari_event_set(const struct wari_event *event)
{
    (void)SetEvent(find_event(event->sender));
}

void wari_event_clear(const struct wari_event *event)
{
    (void)ResetEvent(find_event(event->receiver));
}

/* Returns true if this is a pipe that no process can read any more. */
static bool has_no_reader(int fd)
{
    DWORD count;

    return GetFileType(handle_of(fd)) == FILE_TYPE_PIPE &&
           !WriteFile(handle_of(fd), "", 0, &count, NULL);
}

static short check_file(const struct pollfd *file)
{
    const HANDLE event = file->fd >= 0 ? find_event(file->fd) : NULL;

    if (event != NULL)
        return WaitForSingleObject(event, 0) == WAIT_OBJECT_0 ? POLLIN : 0;
    if (file->fd == STDIN_FILENO && (file->events & POLLIN))
        return has_input() ? POLLIN : 0;
    if (file->fd >= 0 && (file->events & POLLOUT))
        return has_no_reader(file->fd) ? POLLERR : POLLOUT;
    return 0;
}

static int check_files(struct pollfd *files, nfds_t count)
{
    int ready = 0;

    for (nfds_t i = 0; i < count; i++) {
        files[i].revents = check_file(&files[i]);
        ready += files[i].revents != 0;
    }
    return ready;
}

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    HANDLE handles[EVENTS_MAX + 1];
    DWORD waiting = 0;

    if (milliseconds == 0)
        return check_files(files, count);
    for (nfds_t i = 0; i < count && waiting <= EVENTS_MAX; i++) {
        const HANDLE event = files[i].fd >= 0 ? find_event(files[i].fd) : NULL;
        if (event != NULL)
            handles[waiting++] = event;
        if (files[i].fd == STDIN_FILENO && (files[i].events & POLLIN)) {
            if (!start_reading_ahead())
                return fail(ERROR_NOT_ENOUGH_MEMORY);
            handles[waiting++] = input.filled;
        }
    }
    const DWORD time = milliseconds < 0 ? INFINITE : (DWORD)milliseconds;
    if (waiting == 0)
        Sleep(time);
    else if (WaitForMultipleObjects(waiting, handles, FALSE, time) == WAIT_FAILED)
        return fail_last();
    return check_files(files, count);
}

/* ---- Streams and the console ---- */

static CRITICAL_SECTION *stream_lock(void)
{
    static CRITICAL_SECTION lock;
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    BOOL pending = FALSE;

    if (InitOnceBeginInitialize(&once, 0, &pending, NULL) && pending) {
        InitializeCriticalSection(&lock);
        (void)InitOnceComplete(&once, 0, NULL);
    }
    return &lock;
}

void flockfile(FILE *stream)
{
    (void)stream;
    EnterCriticalSection(stream_lock());
}

int ftrylockfile(FILE *stream)
{
    (void)stream;
    return TryEnterCriticalSection(stream_lock()) ? 0 : -1;
}

void funlockfile(FILE *stream)
{
    (void)stream;
    LeaveCriticalSection(stream_lock());
}

int isatty(int fd)
{
    DWORD mode;

    return GetConsoleMode(handle_of(fd), &mode) != 0;
}

int wari_terminal_columns(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO screen;

    if (!GetConsoleScreenBufferInfo(handle_of(fd), &screen))
        return 0;
    return screen.srWindow.Right - screen.srWindow.Left + 1;
}

/* ---- Processes and signals ---- */

static void (*_Atomic interrupt_handler)(int number) = SIG_DFL;
static void (*_Atomic end_handler)(int number) = SIG_DFL;

/* Windows calls this function in a new thread. If the console was closed, Windows ends the process
 * when the function returns, or after five seconds. In that case the function therefore never
 * returns, to give the program time to stop by itself. */
static BOOL WINAPI handle_control(DWORD event)
{
    const bool is_interrupt = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    void (*const handler)(int) = is_interrupt ? interrupt_handler : end_handler;

    if (handler == SIG_DFL)
        return FALSE;
    if (handler != SIG_IGN)
        handler(is_interrupt ? SIGINT : SIGTERM);
    if (!is_interrupt)
        Sleep(INFINITE);
    return TRUE;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    static atomic_flag installed = ATOMIC_FLAG_INIT;

    if (number != SIGINT && number != SIGTERM) {
        errno = EINVAL;
        return -1;
    }
    if (previous != NULL)
        *previous =
            (struct sigaction){.sa_handler = number == SIGINT ? interrupt_handler : end_handler};
    if (action == NULL)
        return 0;
    if (number == SIGINT)
        interrupt_handler = action->sa_handler;
    else
        end_handler = action->sa_handler;
    if (!atomic_flag_test_and_set(&installed) && !SetConsoleCtrlHandler(handle_control, TRUE))
        return fail_last();
    return 0;
}

int kill(pid_t pid, int number)
{
    if (number != 0) {
        errno = EINVAL;
        return -1;
    }
    const HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)pid);
    if (process == NULL && GetLastError() == ERROR_ACCESS_DENIED)
        return 0;
    /* A process that has ended exists as long as another process refers to it. */
    const bool runs = process != NULL && WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
    if (process != NULL)
        (void)CloseHandle(process);
    if (runs)
        return 0;
    errno = ESRCH;
    return -1;
}

_Noreturn void wari_exit_now(int code)
{
    (void)TerminateProcess(GetCurrentProcess(), (UINT)code);
    abort();
}

/* ---- The machine ---- */

int gethostname(char *name, size_t bytes)
{
    DWORD length = (DWORD)bytes;

    return GetComputerNameA(name, &length) ? 0 : fail_last();
}

long sysconf(int name)
{
    SYSTEM_INFO machine;

    GetSystemInfo(&machine);
    return (long)(name == _SC_PAGESIZE ? machine.dwPageSize : machine.dwNumberOfProcessors);
}

/* Reads the monotonic clock. */
int syscall(int number, int clock, struct timespec *time)
{
    LARGE_INTEGER now, frequency;

    (void)number;
    (void)clock;
    (void)QueryPerformanceCounter(&now); /* neither call can fail */
    (void)QueryPerformanceFrequency(&frequency);
    const int64_t rest = now.QuadPart % frequency.QuadPart;
    time->tv_sec = (time_t)(now.QuadPart / frequency.QuadPart);
    time->tv_nsec = (long)(rest * 1000000000 / frequency.QuadPart);
    return 0;
}

int wari_allowed_processors(int online)
{
    DWORD_PTR allowed, existing;

    return GetProcessAffinityMask(GetCurrentProcess(), &allowed, &existing) && allowed != 0
               ? __builtin_popcountll(allowed)
               : online;
}

bool wari_available_memory(uint64_t *bytes)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};

    if (!GlobalMemoryStatusEx(&memory))
        return false;
    *bytes = memory.ullAvailPhys;
    return true;
}

uint64_t wari_used_address_space(void)
{
    return 0;
}

void wari_pause_precisely(void)
{
}

/* ---- The start of a program ---- */

/* With the option --wrap=main of the linker, the program starts with __wrap_main(), and main() is
 * called __real_main(). */
int __wrap_main(int count, char **arguments);
int __real_main(int count, char **arguments);

static UINT old_code_page;

static void restore_code_page(void)
{
    (void)SetConsoleOutputCP(old_code_page);
}

/* Makes a console understand UTF-8 and escape sequences. */
static void prepare_console(void)
{
    bool escapes = true;
    DWORD mode;

    if (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO)) {
        old_code_page = GetConsoleOutputCP();
        if (SetConsoleOutputCP(CP_UTF8))
            (void)atexit(restore_code_page);
    }
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (GetConsoleMode(handle_of(fd), &mode))
            escapes =
                SetConsoleMode(handle_of(fd), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) && escapes;
    if (escapes && isatty(STDOUT_FILENO) && getenv("TERM") == NULL)
        (void)_putenv("TERM=xterm"); /* so that the program uses colours */
}

/* Returns the arguments of this program in UTF-8, with slashes in place of backslashes, so that the
 * program finds the parts of paths. Returns NULL if there is not enough memory. */
static char **find_arguments(int *count)
{
    wchar_t **const wide = CommandLineToArgvW(GetCommandLineW(), count);
    char **const arguments = wide ? calloc((size_t)*count + 1, sizeof *arguments) : NULL;

    for (int i = 0; arguments != NULL && i < *count; i++) {
        const int bytes = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        arguments[i] = malloc((size_t)bytes + 1);
        if (arguments[i] == NULL)
            return NULL;
        (void)WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, arguments[i], bytes, NULL, NULL);
        for (char *at = strchr(arguments[i], '\\'); at != NULL; at = strchr(at, '\\'))
            *at = '/';
    }
    return arguments;
}

int __wrap_main(int count, char **arguments)
{
    char **const own = find_arguments(&count);

    (void)arguments;
    if (own == NULL) {
        (void)fputs("not enough memory to start\n", stderr);
        return 5;
    }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        (void)_setmode(fd, _O_BINARY);
    prepare_console();
    return __real_main(count, own);
}

#endif
