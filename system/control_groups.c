/* Finds the folders of the control groups of this process. */
#include "system/control_groups.h"

#include <stdio.h>
#include <string.h>

#include "db/host/host.h"

struct wari_system_folders wari_system_folders(void)
{
    return (struct wari_system_folders){"/proc/self", "/sys/fs/cgroup"};
}

/* Visits the group `path` below `root`, and its ancestors up to `root` itself. */
static void visit_ancestors(const char *root, const char *path, bool version2,
                            wari_control_group_visit *visit, void *context)
{
    char folder[WARI_PATH_MAX];

    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder)
        return;
    while (strlen(folder) >= strlen(root)) {
        visit(context, folder, version2);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

/* Returns true if `controller` is one of the words in a comma-separated list. */
static bool lists(const char *list, const char *controller)
{
    const size_t length = strlen(controller);

    for (const char *word = list; word; word = strchr(word, ',')) {
        word += *word == ',';
        if (strncmp(word, controller, length) == 0 && (word[length] == ',' || word[length] == '\0'))
            return true;
    }
    return false;
}

/* Visits the groups of one line of the file "cgroup": "number:controllers:path". The list of
 * controllers is empty for version 2. */
static void visit_line(char *line, const struct wari_system_folders *folders,
                       const char *controller, wari_control_group_visit *visit, void *context)
{
    char root[WARI_PATH_MAX];
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!path)
        return;
    controllers++;
    *path++ = '\0';
    if (controllers[0] == '\0')
        visit_ancestors(folders->control_groups, path, true, visit, context);
    else if (lists(controllers, controller) &&
             snprintf(root, sizeof root, "%s/%s", folders->control_groups, controller) <
                 (int)sizeof root)
        visit_ancestors(root, path, false, visit, context);
}

void wari_control_groups_visit(const struct wari_system_folders *folders, const char *controller,
                               wari_control_group_visit *visit, void *context)
{
    char line[WARI_PATH_MAX];

    if (snprintf(line, sizeof line, "%s/cgroup", folders->process) >= (int)sizeof line)
        return;
    FILE *file = fopen(line, "re");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        visit_line(line, folders, controller, visit, context);
    }
    (void)fclose(file); /* cannot lose data, since the file was only read */
}
