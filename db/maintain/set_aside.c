/* Renames damaged level files. The build lock is held meanwhile, so no other process builds or
 * packs in the folder. */
#include "db/maintain/set_aside.h"

#include <stdio.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"

struct set_aside {
    const struct wari_check *check; /* the request of the caller */
    const struct wari_host *host;
    int seeds; /* damage of higher levels is reported, but nothing is renamed */
    bool damaged[WARI_SEEDS_MAX + 1];
    struct wari_error catalogue; /* the damage of the catalogue; WARI_OK if there is none */
};

static void note_damage(void *context, const struct wari_damage *damage)
{
    struct set_aside *work = context;
    if (damage->status == WARI_CORRUPT && damage->seeds >= 0 && damage->seeds <= work->seeds)
        work->damaged[damage->seeds] = true;
    if (damage->status == WARI_CORRUPT && damage->seeds < 0)
        wari_fail(&work->catalogue, damage->status, "%s", damage->text);
    work->check->found(work->check->context, damage);
}

static void report_progress(void *context, uint64_t done, uint64_t all)
{
    const struct set_aside *work = context;
    if (work->check->progress != NULL)
        work->check->progress(work->check->context, done, all);
}

static enum wari_status rename_level(const struct set_aside *work, int seeds,
                                     struct wari_error *error)
{
    const char *folder = work->check->folder;
    char path[WARI_PATH_MAX], bad[WARI_PATH_MAX + 8];
    enum wari_status status =
        wari_level_path(path, folder, (struct wari_level_key){work->check->variant, seeds}, error);
    if (status != WARI_OK)
        return status;
    snprintf(bad, sizeof bad, "%s.bad", path);
    return work->host->rename(work->host->context, path, bad) == 0
               ? WARI_OK
               : wari_fail_errno(error, path, "rename");
}

static enum wari_status rename_damaged(const struct set_aside *work, int *count,
                                       struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int n = 0; n <= WARI_SEEDS_MAX && status == WARI_OK; n++) {
        if (!work->damaged[n])
            continue;
        status = rename_level(work, n, error);
        *count += status == WARI_OK;
    }
    if (status == WARI_OK && *count > 0)
        status = wari_sync_folder(work->host, work->check->folder, error);
    return status;
}

static enum wari_status check_and_rename(struct set_aside *work, int *count,
                                         struct wari_error *error)
{
    struct wari_check_report report;
    struct wari_check check = *work->check;
    check.found = note_damage;
    check.progress = report_progress;
    check.context = work;
    enum wari_status status = wari_check(&check, &report, error);
    if (status == WARI_OK && work->catalogue.status != WARI_OK)
        status = wari_fail(error, work->catalogue.status, "%s", work->catalogue.text);
    return status == WARI_OK ? rename_damaged(work, count, error) : status;
}

enum wari_status wari_set_aside_damaged(const struct wari_check *check, int seeds, bool no_lock,
                                        int *count, struct wari_error *error)
{
    struct set_aside work = {.check = check,
                             .seeds = seeds,
                             .host = check->host != NULL ? check->host : wari_host_system()};
    struct wari_catalogue catalogue;
    struct wari_error why;
    struct wari_lock lock = {0};

    *count = 0;
    /* The catalogue is read first, because taking the lock would create a missing folder. */
    enum wari_status status =
        wari_catalogue_read(&catalogue, work.host, check->folder, check->variant, &why);
    if (status == WARI_OK && catalogue.seeds_max < 0)
        return WARI_OK;
    if (!no_lock) {
        status = wari_folder_lock(work.host, check->folder, WARI_BUILDING, &lock, error);
        if (status != WARI_OK)
            return status;
    }
    status = check_and_rename(&work, count, error);
    wari_folder_unlock(&lock);
    return status;
}
