/* A level's file as the catalogue of its folder has it, while `wari pack` replaces both. */
#ifndef DB_CATALOGUE_LEVEL_OPEN_H
#define DB_CATALOGUE_LEVEL_OPEN_H

#include "db/catalogue/catalogue.h"
#include "db/format/level_file.h"

/* Opens a level's file like wari_level_file_inspect(). *record is what the catalogue said when it
 * was read. Where the file is another one, the catalogue is read again, and as long as it says
 * something new of this level, the file is tried again: so an intact folder is never refused, and
 * *record is then what the catalogue says of the file that was opened. *place says "catalogue"
 * where that could not be read again. */
WARI_MUST_CHECK enum wari_status wari_catalogue_inspect_level(
    struct wari_level_file **file, const struct wari_level_address *address,
    struct wari_level_record *record, struct wari_file_location *place, struct wari_error *error);

/* The same for those whom the place does not interest. *record is then of this file alone, even
 * where the catalogue means either of two, as `wari pack` leaves it when it is ended. */
WARI_MUST_CHECK enum wari_status wari_catalogue_open_level(struct wari_level_file **file,
                                                           const struct wari_level_address *address,
                                                           struct wari_level_record *record,
                                                           struct wari_error *error);

#endif
