/* Opens level files that may be replaced at any moment.
 *
 * The catalogue and the level files are separate files. Between reading the catalogue and opening a
 * level file, another process may therefore replace the level file. The new file is recorded in the
 * catalogue before it gets its name (pack.c), so it is sufficient to read the catalogue again,
 * unless the file has been replaced once more. The loop continues only as long as the level's
 * record has changed, so it ends when no process replaces the file any more, however slow the disk
 * is. */
#include "db/catalogue/level_open.h"

#include <string.h>

#include "db/catalogue/catalogue_file.h"

/* Reads the current record of the level. *record is unchanged if the catalogue does not list the
 * level. */
static enum wari_status read_again(const struct wari_level_address *address,
                                   struct wari_level_record *record, struct wari_error *error)
{
    const int seeds = address->key.seeds;
    void *memory;
    enum wari_status status =
        wari_allocate(address->host, sizeof(struct wari_catalogue), "a catalogue", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_catalogue *catalogue = memory;
    status =
        wari_catalogue_read(catalogue, address->host, address->folder, address->key.variant, error);
    if (status == WARI_OK && wari_catalogue_has(catalogue, seeds))
        *record = catalogue->level[seeds];
    wari_release(address->host, memory);
    return status;
}

enum wari_status wari_catalogue_inspect_level(struct wari_level_file **file,
                                              const struct wari_level_address *address,
                                              struct wari_level_record *record,
                                              struct wari_file_location *location,
                                              struct wari_error *error)
{
    for (;;) {
        const struct wari_level_record tried = *record;
        enum wari_status status = wari_level_file_inspect(file, address, &tried, location, error);
        if (status != WARI_CORRUPT && status != WARI_MISMATCH)
            return status;

        struct wari_error why;
        const enum wari_status again = read_again(address, record, &why);
        if (again != WARI_OK) {
            *location = (struct wari_file_location){"catalogue", 0};
            return wari_fail(error, again, "%s", why.text);
        }
        if (memcmp(record, &tried, sizeof tried) == 0)
            return status;
    }
}

enum wari_status wari_catalogue_open_level(struct wari_level_file **file,
                                           const struct wari_level_address *address,
                                           struct wari_level_record *record,
                                           struct wari_error *error)
{
    struct wari_file_location location;
    const enum wari_status status =
        wari_catalogue_inspect_level(file, address, record, &location, error);
    if (status == WARI_OK)
        wari_level_file_record(*file, record);
    return status;
}
