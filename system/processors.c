/* Takes the smallest of three limits: the processors of the machine, the affinity of the process,
 * and the quota of its control groups. */
#include "system/processors.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "db/host/host.h"
#include "system/platform.h"

/* ---- The quota ----
 *
 * A control group with a quota may use `quota` microseconds of processor time in each period of
 * `period` microseconds:
 *
 *     version 2   cpu.max             "150000 100000" (quota and period) or "max 100000"
 *     version 1   cpu.cfs_quota_us    "150000", or "-1" for no limit
 *                 cpu.cfs_period_us   "100000"
 */

enum { LINE = 64 };

/* Reads the first line of a file of a control group. */
static bool read_line(const char *folder, const char *name, char line[LINE])
{
    char path[WARI_PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const bool found = fgets(line, LINE, file);
    (void)fclose(file); /* cannot lose data, since the file was only read */
    return found;
}

/* Parses a positive number, and moves *text to the character after it. Returns 0 if there is no
 * positive number. */
static long long parse(char **text)
{
    char *end;
    const long long number = strtoll(*text, &end, 10);
    const bool valid = end != *text && number > 0 && number < LLONG_MAX &&
                       (*end == '\0' || *end == '\n' || *end == ' ');

    *text = end;
    return valid ? number : 0;
}

static void apply_quota(void *context, const char *folder, bool version2)
{
    char first[LINE], second[LINE], *text = first;
    int *least = context;

    if (!read_line(folder, version2 ? "cpu.max" : "cpu.cfs_quota_us", first))
        return;
    const long long quota = parse(&text);
    if (!version2) {
        if (!read_line(folder, "cpu.cfs_period_us", second))
            return;
        text = second;
    }
    const long long period = parse(&text);
    if (quota == 0 || period == 0)
        return;
    const long long processors = quota / period + (quota % period != 0);
    if (processors < INT_MAX && (*least == 0 || processors < *least))
        *least = (int)processors;
}

int wari_processor_quota(const struct wari_system_folders *folders)
{
    int least = 0;

    wari_control_groups_visit(folders, "cpu", apply_quota, &least);
    return least;
}

/* ---- All limits ------------------------------------------------------------------------------ */

struct wari_processors wari_processors(void)
{
    const struct wari_system_folders folders = wari_system_folders();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    struct wari_processors found = {.online = online > 0 ? (int)online : 1,
                                    .quota = wari_processor_quota(&folders)};

    found.allowed = wari_allowed_processors(found.online);
    return found;
}

int wari_processors_usable(const struct wari_processors *processors)
{
    int least = processors->online;

    if (processors->allowed < least)
        least = processors->allowed;
    if (processors->quota > 0 && processors->quota < least)
        least = processors->quota;
    return least > 0 ? least : 1;
}
