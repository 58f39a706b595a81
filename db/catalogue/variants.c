/* The variants that a folder has, and the messages for a variant that is missing or ambiguous. The
 * library and the program use the same messages. */
#include "db/catalogue/variants.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "db/catalogue/catalogue.h"
#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "db/format/level_record.h"

static enum wari_status has_catalogue(const struct wari_host *host, const char *folder,
                                      struct wari_variant variant, bool *has,
                                      struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    struct wari_error why;
    int fd;
    enum wari_status status = wari_catalogue_path(path, folder, variant, error);
    if (status != WARI_OK)
        return status;

    status = wari_open_file(host, path, O_RDONLY, &fd, &why);
    *has = status == WARI_OK;
    if (*has)
        host->close(host->context, fd);
    else if (errno != ENOENT)
        return wari_fail(error, status, "%s", why.text);
    return WARI_OK;
}

enum wari_status wari_variants(const struct wari_host *host, const char *folder,
                               struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                               struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    int found = 0;
    int fd = -1;

    /* An empty folder is valid; a missing folder is an error. */
    enum wari_status status = wari_path(path, error, folder, ".");
    if (status != WARI_OK)
        return status;
    status = wari_open_file(host, path, O_RDONLY | O_DIRECTORY, &fd, error);
    if (status != WARI_OK && (errno == ENOENT || errno == ENOTDIR))
        return wari_fail(error, status,
                         "%s: there is no such folder; build a database there or name another "
                         "folder",
                         folder);
    if (status != WARI_OK)
        return status;
    host->close(host->context, fd);

    for (int i = 0; i < WARI_VARIANT_COUNT; i++) {
        struct wari_variant variant = {(enum wari_rules)(i / WARI_CYCLE_COUNT),
                                       (enum wari_cycle)(i % WARI_CYCLE_COUNT)};
        bool has = false;
        status = has_catalogue(host, folder, variant, &has, error);
        if (status != WARI_OK)
            return status;
        if (has)
            variants[found++] = variant;
    }
    *count = found;
    return WARI_OK;
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Capacity for a list such as "awari even, abapa own": at most 16 names of at most 15 bytes, each
 * with a separator. */
enum { LIST_TEXT = 320 };

static void list_text(const struct wari_variant *variants, int count, char text[LIST_TEXT])
{
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        used += snprintf(text + used, (size_t)(LIST_TEXT - used), "%s%s %s", i > 0 ? ", " : "",
                         wari_get_rules_info(variants[i].rules)->name,
                         wari_cycle_name(variants[i].cycle));
}

static bool has_file(const struct wari_host *host, const char *path)
{
    int fd;
    if (wari_open_file(host, path, O_RDONLY, &fd, NULL) != WARI_OK)
        return false;
    host->close(host->context, fd);
    return true;
}

/* Finds a variant whose level 0 has a file in the folder. */
static bool find_level_0(const struct wari_host *host, const char *folder,
                         struct wari_variant *variant)
{
    char path[WARI_PATH_MAX];
    for (int i = 0; i < WARI_VARIANT_COUNT; i++) {
        *variant = (struct wari_variant){(enum wari_rules)(i / WARI_CYCLE_COUNT),
                                         (enum wari_cycle)(i % WARI_CYCLE_COUNT)};
        const struct wari_level_key level_0 = {.variant = *variant, .seeds = 0};
        if (wari_level_path(path, folder, level_0, NULL) == WARI_OK && has_file(host, path))
            return true;
    }
    return false;
}

/* Reports that the folder has no catalogue. If it has the lock file of a build but no level file,
 * the build has not finished any level. */
static enum wari_status no_catalogue(const struct wari_host *host, const char *folder,
                                     struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    struct wari_variant variant;
    enum wari_status status = wari_path(path, error, folder, WARI_LOCK_NAME);
    if (status != WARI_OK)
        return status;
    if (find_level_0(host, folder, &variant))
        return wari_fail(error, WARI_IO,
                         "%s holds level files of %s %s, and their catalogue is missing; copy the "
                         ".catalogue file, too, or run the same build again",
                         folder, wari_get_rules_info(variant.rules)->name,
                         wari_cycle_name(variant.cycle));
    if (!has_file(host, path))
        return wari_fail(error, WARI_MISMATCH,
                         "%s holds no database (no .catalogue file); build one there or name "
                         "another folder",
                         folder);
    return wari_fail(error, WARI_IO,
                     "%s: a build was started here and no level is finished; run the same build "
                     "again (or wait for it, if it is still running)",
                     folder);
}

enum wari_status wari_variant_request_parse(const char *rules, const char *cycle,
                                            struct wari_variant_request *request,
                                            struct wari_error *error)
{
    struct wari_variant_request parsed = {{WARI_AWARI, WARI_EVEN}, rules != NULL, cycle != NULL};
    enum wari_status status = WARI_OK;
    if (rules)
        status = wari_variant_parse(rules, cycle, &parsed.variant, &parsed.cycle, error);
    else if (cycle)
        status = wari_cycle_parse(cycle, &parsed.variant.cycle, error);
    if (status == WARI_OK)
        *request = parsed;
    return status;
}

static enum wari_status none_fits(const struct wari_host *host, const char *folder,
                                  const struct wari_variant_request *request,
                                  const struct wari_variant *has, int count,
                                  struct wari_error *error)
{
    char list[LIST_TEXT];
    if (count == 0)
        return no_catalogue(host, folder, error);
    list_text(has, count, list);
    return wari_fail(error, WARI_MISMATCH, "%s has no database of %s%s%s; it has: %s", folder,
                     request->rules ? wari_get_rules_info(request->variant.rules)->name
                                    : "cycle rule",
                     request->cycle ? " " : "",
                     request->cycle ? wari_cycle_name(request->variant.cycle) : "", list);
}

enum wari_status wari_variants_matching(const struct wari_host *host, const char *folder,
                                        const struct wari_variant_request *request,
                                        struct wari_variant variants[WARI_VARIANT_COUNT],
                                        int *count, struct wari_error *error)
{
    struct wari_variant has[WARI_VARIANT_COUNT];
    int all = 0;
    *count = 0;
    enum wari_status status = wari_variants(host, folder, has, &all, error);
    if (status != WARI_OK)
        return status;

    for (int i = 0; i < all; i++) {
        if ((!request->rules || has[i].rules == request->variant.rules) &&
            (!request->cycle || has[i].cycle == request->variant.cycle))
            variants[(*count)++] = has[i];
    }
    return *count > 0 ? WARI_OK : none_fits(host, folder, request, has, all, error);
}

enum wari_status wari_variant_choose(const struct wari_host *host, const char *folder,
                                     const struct wari_variant_request *request, bool as_options,
                                     struct wari_variant *variant, struct wari_error *error)
{
    struct wari_variant fits[WARI_VARIANT_COUNT];
    char list[LIST_TEXT];
    int count;
    enum wari_status status = wari_variants_matching(host, folder, request, fits, &count, error);
    if (status != WARI_OK)
        return status;
    if (count > 1) {
        list_text(fits, count, list);
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s: several databases here; name one, such as %s%s %s%s (there are: %s)",
                         folder, as_options ? "--rules " : "",
                         wari_get_rules_info(fits[0].rules)->name, as_options ? "--cycle " : "",
                         wari_cycle_name(fits[0].cycle), list);
    }
    *variant = fits[0];
    return WARI_OK;
}

enum wari_status wari_variant_missing(const struct wari_host *host, const char *folder,
                                      struct wari_variant variant, struct wari_error *error)
{
    const struct wari_variant_request request = {variant, true, true};
    struct wari_variant has[WARI_VARIANT_COUNT];
    int count = 0;
    enum wari_status status = wari_variants(host, folder, has, &count, error);
    return status == WARI_OK ? none_fits(host, folder, &request, has, count, error) : status;
}
