/* The control groups (containers) to which this process belongs. Their limits are in small text
 * files, whose names and formats differ between versions 1 and 2 of control groups. */
#ifndef SYSTEM_CONTROL_GROUPS_H
#define SYSTEM_CONTROL_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* The folders in which the operating system provides the files of control groups. */
struct wari_system_folders {
    const char *process;        /* has the file "cgroup" of this process */
    const char *control_groups; /* the control groups of version 2, or one folder for each
                                 * controller of version 1 */
};

/* Returns "/proc/self" and "/sys/fs/cgroup". Tests use other folders. */
struct wari_system_folders wari_system_folders(void);

typedef void wari_control_group_visit(void *context, const char *folder, bool version2);

/* Calls visit() with the folder of each control group of this process that the controller ("cpu",
 * "memory") may limit, from the innermost group to the outermost. A folder need not exist. */
void wari_control_groups_visit(const struct wari_system_folders *folders, const char *controller,
                               wari_control_group_visit *visit, void *context);

#endif
