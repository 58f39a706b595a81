/* The processors, memory and disk space that this machine has available for a build.
 *
 * Memory is limited by the system, by control groups (containers), and by the address space limit
 * of the process (ulimit -v). A limit that cannot be read counts as no limit. The usage of a
 * control group includes cached files, which the kernel drops when a program needs memory;
 * therefore they count as available here.
 */
#include "tools/common/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "db/host/host.h"
#include "solver/bits/scratch.h"
#include "system/platform.h"
#include "system/processors.h"
#include "system/thread_pool.h"

int machine_processors(void)
{
    const struct wari_processors processors = wari_processors();
    return wari_processors_usable(&processors);
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

struct least_memory {
    uint64_t bytes;
    const char **limit; /* the name of the limit */
};

static void apply_group_limit(void *context, const char *folder, bool version2)
{
    const struct wari_group_files {
        const char *max, *used, *cached;
    } names = version2 ? (struct wari_group_files){"memory.max", "memory.current", "file "}
                       : (struct wari_group_files){"memory.limit_in_bytes", "memory.usage_in_bytes",
                                                   "total_cache "};
    struct least_memory *least = context;
    char file[WARI_PATH_MAX + 32];
    uint64_t max, used, cached = 0;
    snprintf(file, sizeof file, "%s/%s", folder, names.max);
    if (!read_number(file, "", &max))
        return;
    snprintf(file, sizeof file, "%s/%s", folder, names.used);
    if (!read_number(file, "", &used))
        return;
    snprintf(file, sizeof file, "%s/memory.stat", folder);
    if (!read_number(file, names.cached, &cached))
        cached = 0;
    apply_limit(subtract_to_zero(max, subtract_to_zero(used, cached)),
                "the limit of its control group", &least->bytes, least->limit);
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
    const struct wari_system_folders folders = wari_system_folders();
    struct least_memory least = {UINT64_MAX, limit};
    uint64_t available;
    struct rlimit space;

    *limit = "no known limit";
    if (wari_available_memory(&available))
        apply_limit(available, "what the system has available", &least.bytes, limit);
    wari_control_groups_visit(&folders, "memory", apply_group_limit, &least);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        const uint64_t rest = subtract_to_zero(space.rlim_cur, wari_used_address_space());
        apply_limit(usable_space(rest, threads), "its address space limit (ulimit -v)",
                    &least.bytes, limit);
    }
    return least.bytes;
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

bool machine_syncs_folder(const char *path)
{
    char folder[WARI_PATH_MAX];
    struct stat found;
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return true;
    while (stat(folder, &found) != 0 || !S_ISDIR(found.st_mode))
        if (!parent_folder(folder))
            return true;
    return wari_folder_syncs(wari_host_system(), folder);
}
