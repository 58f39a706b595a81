/* The processors, memory and disk space that this machine has available for a build.
 *
 * Memory is limited by the system (MemAvailable), by control groups (containers), and by the
 * address space limit of the process (ulimit -v). A source that cannot be read counts as no limit.
 * The usage of a control group includes cached files, which the kernel drops when a program needs
 * memory; therefore they count as available here.
 */
#include "tools/common/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "db/host/host.h"
#include "solver/bits/scratch.h"
#include "system/thread_pool.h"

int machine_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* ---- Memory ---- */

/* Reads the number that follows `key` at the start of a line of a small text file; an empty `key`
 * means the file's first number. Returns false if there is none. */
static bool read_number(const char *path, const char *key, uint64_t *number)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0)
            continue;
        const char *digits = line + length + strspn(line + length, ": \t");
        char *end;
        unsigned long long value = strtoull(digits, &end, 10);
        found = end != digits;
        *number = value;
    }
    (void)fclose(file); /* only read from */
    return found;
}

/* Lowers the minimum to `available` if that is smaller, and notes the name of the limit. */
static void apply_limit(uint64_t available, const char *name, uint64_t *least, const char **limit)
{
    if (available < *least) {
        *least = available;
        *limit = name;
    }
}

static uint64_t subtract_to_zero(uint64_t total, uint64_t used)
{
    return total > used ? total - used : 0;
}

/* Applies the limits of the control group `path` (from /proc/self/cgroup) and of all its ancestors.
 * Versions 1 and 2 of control groups have different file names for the same figures. */
static void apply_group_limits(const char *root, const char *path, bool version2, uint64_t *least,
                               const char **limit)
{
    char folder[WARI_PATH_MAX];
    char file[WARI_PATH_MAX + 32];
    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder)
        return;
    while (strlen(folder) >= strlen(root)) {
        uint64_t max, used, cached = 0;
        snprintf(file, sizeof file, "%s/%s", folder,
                 version2 ? "memory.max" : "memory.limit_in_bytes");
        bool limited = read_number(file, "", &max);
        snprintf(file, sizeof file, "%s/%s", folder,
                 version2 ? "memory.current" : "memory.usage_in_bytes");
        if (limited && read_number(file, "", &used)) {
            snprintf(file, sizeof file, "%s/memory.stat", folder);
            if (!read_number(file, version2 ? "file " : "total_cache ", &cached))
                cached = 0;
            apply_limit(subtract_to_zero(max, subtract_to_zero(used, cached)),
                        "the limit of its control group", least, limit);
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

static void apply_all_group_limits(uint64_t *least, const char **limit)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return;
    char line[WARI_PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (strcmp(controllers, ":") == 0)
            apply_group_limits("/sys/fs/cgroup", path, true, least, limit);
        else if (strstr(controllers, "memory"))
            apply_group_limits("/sys/fs/cgroup/memory", path, false, least, limit);
    }
    (void)fclose(file); /* only read from */
}

/* Returns the usable part of an address space of `space` bytes. The rest is reserved, but hardly
 * used: the stack of each thread but the first, and the 64 MiB in which the C library allocates the
 * small blocks of such a thread; the small stacks of the threads that solve a level with the bit
 * backend; and an eighth of the remainder for gaps. */
static uint64_t usable_space(uint64_t space, int threads)
{
    const uint64_t heap = UINT64_C(64) << 20;
    struct rlimit stack;
    uint64_t per_thread = heap + (UINT64_C(8) << 20);

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        per_thread = heap + stack.rlim_cur;
    space = subtract_to_zero(space, (uint64_t)(threads - 1) * per_thread +
                                        (uint64_t)(threads + WARI_IO_THREADS_EXTRA) *
                                            WARI_THREAD_POOL_STACK);
    return space - space / 8;
}

uint64_t machine_memory(int threads, const char **limit)
{
    uint64_t least = UINT64_MAX;
    uint64_t kilobytes, pages;
    struct rlimit space;

    *limit = "no known limit";
    if (read_number("/proc/meminfo", "MemAvailable", &kilobytes))
        apply_limit(kilobytes * 1024, "what the system has available", &least, limit);
    apply_all_group_limits(&least, limit);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        if (!read_number("/proc/self/statm", "", &pages))
            pages = 0;
        const uint64_t rest =
            subtract_to_zero(space.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
        apply_limit(usable_space(rest, threads), "its address space limit (ulimit -v)", &least,
                    limit);
    }
    return least;
}

/* ---- Disk ---- */

/* Replaces a path by the path of its parent folder. Returns false if there is no parent. */
static bool parent_folder(char path[WARI_PATH_MAX])
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    char *slash = strrchr(path, '/');
    if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
        return false;
    if (!slash)
        strcpy(path, ".");
    else if (slash == path)
        slash[1] = '\0';
    else
        *slash = '\0';
    return true;
}

enum wari_status machine_disk(const char *folder, uint64_t *bytes, struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    struct statvfs file_system;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return wari_fail(error, WARI_BAD_INPUT, "--db: the path is longer than %d characters",
                         WARI_PATH_MAX - 1);
    while (statvfs(path, &file_system) != 0) {
        if (errno != ENOENT || !parent_folder(path))
            return wari_fail(error, WARI_IO, "%s: cannot determine the free disk space: %s", path,
                             strerror(errno));
    }
    *bytes = (uint64_t)file_system.f_bavail * file_system.f_frsize;
    return WARI_OK;
}
