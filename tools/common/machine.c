/* What this machine has left for a build.
 *
 * Memory has several owners: the system (MemAvailable), control groups (containers), and the
 * address space limit of the process (ulimit -v). A source that cannot be read sets no limit. In a
 * control group, cached files count as used, but give way to a program that asks for memory.
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
#include "system/crew.h"

int machine_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* ---- Memory ---- */

/* The number behind `key` (at the start of a line) in a small text file, or the file's first number
 * if key is "". False if there is none. */
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

/* Takes `available` into account if it is the least so far. */
static void narrow(uint64_t available, const char *name, uint64_t *least, const char **limit)
{
    if (available < *least) {
        *least = available;
        *limit = name;
    }
}

static uint64_t rest_of(uint64_t most, uint64_t used)
{
    return most > used ? most - used : 0;
}

/* Looks at the group `path` of /proc/self/cgroup and at all groups above it. Version 2 and version
 * 1 have other file names for the same figures. */
static void narrow_by_group(const char *root, const char *path, bool second, uint64_t *least,
                            const char **limit)
{
    char folder[WARI_PATH_MAX];
    char file[WARI_PATH_MAX + 32];
    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder)
        return;
    while (strlen(folder) >= strlen(root)) {
        uint64_t most, used, cached = 0;
        snprintf(file, sizeof file, "%s/%s", folder,
                 second ? "memory.max" : "memory.limit_in_bytes");
        bool limited = read_number(file, "", &most);
        snprintf(file, sizeof file, "%s/%s", folder,
                 second ? "memory.current" : "memory.usage_in_bytes");
        if (limited && read_number(file, "", &used)) {
            snprintf(file, sizeof file, "%s/memory.stat", folder);
            if (!read_number(file, second ? "file " : "total_cache ", &cached))
                cached = 0;
            narrow(rest_of(most, rest_of(used, cached)), "the limit of its control group", least,
                   limit);
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

static void narrow_by_groups(uint64_t *least, const char **limit)
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
            narrow_by_group("/sys/fs/cgroup", path, true, least, limit);
        else if (strstr(controllers, "memory"))
            narrow_by_group("/sys/fs/cgroup/memory", path, false, least, limit);
    }
    (void)fclose(file); /* only read from */
}

/* Address space that is set aside and hardly used: for each thread but the first its stack, and the
 * 64 MiB in which the C library keeps a thread's small blocks; the small stacks of those that
 * solve a level by bits; an eighth of the rest for gaps. */
static uint64_t usable_space(uint64_t space, int threads)
{
    const uint64_t blocks = UINT64_C(64) << 20;
    struct rlimit stack;
    uint64_t a_thread = blocks + (UINT64_C(8) << 20);

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        a_thread = blocks + stack.rlim_cur;
    space = rest_of(space, (uint64_t)(threads - 1) * a_thread +
                               (uint64_t)(threads + WARI_LANES_WAITING) * WARI_CREW_STACK);
    return space - space / 8;
}

uint64_t machine_memory(int threads, const char **limit)
{
    uint64_t least = UINT64_MAX;
    uint64_t kilobytes, pages;
    struct rlimit space;

    *limit = "no known limit";
    if (read_number("/proc/meminfo", "MemAvailable", &kilobytes))
        narrow(kilobytes * 1024, "what the system has available", &least, limit);
    narrow_by_groups(&least, limit);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        if (!read_number("/proc/self/statm", "", &pages))
            pages = 0;
        const uint64_t rest = rest_of(space.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
        narrow(usable_space(rest, threads), "its address space limit (ulimit -v)", &least, limit);
    }
    return least;
}

/* ---- Disk ---- */

/* Turns a path into that of the folder above; false where there is none. */
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
    struct statvfs room;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return wari_fail(error, WARI_BAD_INPUT, "--db: the path is longer than %d characters",
                         WARI_PATH_MAX - 1);
    while (statvfs(path, &room) != 0) {
        if (errno != ENOENT || !parent_folder(path))
            return wari_fail(error, WARI_IO, "%s: cannot find out how much room there is: %s", path,
                             strerror(errno));
    }
    *bytes = (uint64_t)room.f_bavail * room.f_frsize;
    return WARI_OK;
}
