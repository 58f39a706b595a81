/* Opens level files that match the catalogue of their folder, even while `wari pack` replaces both.
 */
#ifndef DB_CATALOGUE_LEVEL_OPEN_H
#define DB_CATALOGUE_LEVEL_OPEN_H

#include "db/catalogue/catalogue.h"
#include "db/format/level_file.h"

/* Opens a level's file like wari_level_file_inspect(). *record is the record that the caller
 * read from the catalogue. If the file does not match the record, the function reads the
 * catalogue again, and tries again as long as the record changes. So files of an intact folder
 * are never refused, and *record is then the record of the opened file. *location is "catalogue"
 * if the catalogue could not be read again. */
WARI_MUST_CHECK enum wari_status
wari_catalogue_inspect_level(struct wari_level_file **file,
                             const struct wari_level_address *address,
                             struct wari_level_record *record, struct wari_file_location *location,
                             struct wari_error *error);

/* Opens a level's file in the same way, without reporting the location of a failure. On success
 * *record describes only the opened file, even if the catalogue allows two files. (A `wari pack`
 * that was stopped leaves such a catalogue.) */
WARI_MUST_CHECK enum wari_status wari_catalogue_open_level(struct wari_level_file **file,
                                                           const struct wari_level_address *address,
                                                           struct wari_level_record *record,
                                                           struct wari_error *error);

#endif
