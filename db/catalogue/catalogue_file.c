/* Reads and replaces the catalogue file of a variant.
 *
 * The catalogue is small, so it is always read and written as a whole; catalogue_text.c defines
 * its contents. It is replaced by rename(): a reader sees the complete old catalogue or the
 * complete new one, even if the machine stops during the replacement. */
#include "db/catalogue/catalogue_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "db/catalogue/catalogue_text.h"

enum wari_status wari_variant_path(char path[WARI_PATH_MAX], const char *folder,
                                   struct wari_variant variant, const char *suffix,
                                   struct wari_error *error)
{
    const struct wari_rules_info *rules = wari_get_rules_info(variant.rules);
    const char *cycle = wari_cycle_name(variant.cycle);
    if (rules == NULL || cycle == NULL)
        return wari_fail(error, WARI_BAD_INPUT, "there is no rule set %d with cycle rule %d",
                         (int)variant.rules, (int)variant.cycle);
    return wari_path(path, error, folder, "%s-%s.%s", rules->name, cycle, suffix);
}

enum wari_status wari_catalogue_path(char path[WARI_PATH_MAX], const char *folder,
                                     struct wari_variant variant, struct wari_error *error)
{
    return wari_variant_path(path, folder, variant, "catalogue", error);
}

static enum wari_status read_text(struct wari_catalogue *catalogue, const struct wari_host *host,
                                  int fd, const char *path, struct wari_error *error)
{
    void *text;
    off_t size = host->size(host->context, fd);
    if (size < 0)
        return wari_fail_errno(error, path, "find the size");
    if (size == 0 || size > WARI_CATALOGUE_BYTES_MAX)
        return wari_fail(error, WARI_CORRUPT,
                         "%s: line 1: a file of %lld bytes is not a catalogue (offset 0); get it "
                         "again or rebuild the database",
                         path, (long long)size);

    enum wari_status status = wari_allocate(host, (size_t)size, "a catalogue", &text, error);
    if (status != WARI_OK)
        return status;
    status = wari_read_at(host, fd, path, text, (size_t)size, 0, error);
    if (status == WARI_OK)
        status = wari_catalogue_parse(catalogue, text, (size_t)size, path, error);
    wari_release(host, text);
    return status;
}

enum wari_status wari_catalogue_read(struct wari_catalogue *catalogue, const struct wari_host *host,
                                     const char *folder, struct wari_variant variant,
                                     struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    int fd;

    memset(catalogue, 0, sizeof *catalogue);
    catalogue->variant = variant;
    catalogue->seeds_max = -1;
    enum wari_status status = wari_catalogue_path(path, folder, variant, error);
    if (status != WARI_OK)
        return status;

    struct wari_error why;
    status = wari_open_file(host, path, O_RDONLY, &fd, &why);
    if (status != WARI_OK) {
        if (errno == ENOENT)
            return WARI_OK;
        return wari_fail(error, status, "%s", why.text);
    }
    status = read_text(catalogue, host, fd, path, error);
    host->close(host->context, fd);
    if (status != WARI_OK)
        catalogue->seeds_max = -1;
    return status;
}

enum wari_status wari_catalogue_find_missing(struct wari_catalogue *catalogue,
                                             const struct wari_host *host, const char *folder,
                                             struct wari_error *error)
{
    enum wari_status result = WARI_OK;
    for (int n = 0; n <= catalogue->seeds_max; n = wari_catalogue_next(n)) {
        char path[WARI_PATH_MAX];
        struct wari_error why;
        int fd;
        enum wari_status status =
            wari_level_path(path, folder, (struct wari_level_key){catalogue->variant, n}, error);
        if (status != WARI_OK)
            return status;
        status = wari_open_file(host, path, O_RDONLY, &fd, &why);
        catalogue->missing[n] = status != WARI_OK && errno == ENOENT;
        if (status == WARI_OK)
            host->close(host->context, fd);
        else if (!catalogue->missing[n] && result == WARI_OK)
            result = wari_fail(error, status, "%s", why.text);
    }
    return result;
}

enum wari_status wari_catalogue_drop_unusable(struct wari_catalogue *catalogue,
                                              const struct wari_host *host, const char *folder,
                                              struct wari_error *error)
{
    char path[WARI_PATH_MAX], text[WARI_MISSING_TEXT];
    enum wari_status status = wari_catalogue_find_missing(catalogue, host, folder, error);
    if (status == WARI_OK)
        status = wari_catalogue_path(path, folder, catalogue->variant, error);
    if (status != WARI_OK)
        return status;
    catalogue->seeds_max = wari_catalogue_usable(catalogue);
    if (catalogue->seeds_max >= 0)
        return WARI_OK;
    return wari_fail(error, WARI_IO,
                     "%s: %s; copy the files, or solve the levels with 'wari build'", path,
                     wari_missing_text(catalogue->missing, text));
}

enum wari_status wari_catalogue_write(const struct wari_catalogue *catalogue,
                                      const struct wari_host *host, const char *folder,
                                      struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
    void *text = NULL;
    int fd = -1;

    enum wari_status status = wari_catalogue_check(catalogue, error);
    if (status == WARI_OK)
        status = wari_catalogue_path(path, folder, catalogue->variant, error);
    if (status == WARI_OK)
        status = wari_path(temporary, error, folder, "%s.tmp", strrchr(path, '/') + 1);
    if (status == WARI_OK)
        status = wari_allocate(host, WARI_CATALOGUE_BYTES_MAX, "a catalogue", &text, error);
    if (status != WARI_OK)
        return status;

    size_t bytes = wari_catalogue_print(catalogue, text);
    status = wari_create_anew(host, temporary, path, &fd, error);
    if (status != WARI_OK)
        goto out;
    status = wari_write_at(host, fd, temporary, text, bytes, 0, error);
    if (status == WARI_OK) {
        status = wari_publish(host, fd, temporary, folder, path, error);
    } else {
        host->close(host->context, fd);
        host->unlink(host->context, temporary);
    }

out:
    wari_release(host, text);
    return status;
}
