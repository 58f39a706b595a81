/* Databases with all levels up to 48 seeds, as files that take a few megabytes of disk.
 *
 * A real database of this size takes 170 GB. Here the files of large levels are sparse: they have
 * their full length, but only those parts exist that are read when certain positions are looked up.
 * Everything else is a hole, which reads as zeros. The files of levels with small offset tables are
 * complete. All files are packed.
 *
 * All values are made up: those of level n are n, as if the side to move always got all seeds. In
 * nearly every position, the value contradicts the values after the moves, but not where a grand
 * slam wins all seeds. */
#ifndef TESTS_SUPPORT_HUGE_TABLES_H
#define TESTS_SUPPORT_HUGE_TABLES_H

#include "db/catalogue/catalogue.h"
#include "db/format/model.h"

/* Creates a model of a level in which every value is `value`, so that a chunk needs no bytes except
 * for its four states. The caller destroys it. */
WARI_MUST_CHECK enum wari_status huge_tables_model(struct wari_model **model, int seeds, int value,
                                                   struct wari_error *error);

/* The bytes of every chunk of a level that has such a model: FORMAT.md, "Bytes of a chunk". */
enum { HUGE_CHUNK_BYTES = 16 };
extern const uint8_t huge_chunk[HUGE_CHUNK_BYTES];

/* Writes a complete packed file of a level in which every value is `value`. */
WARI_MUST_CHECK enum wari_status huge_tables_write_level(const char *folder,
                                                         struct wari_level_key key, int value,
                                                         struct wari_level_record *record,
                                                         struct wari_error *error);

/* Writes the catalogue and the files of all levels. The values of the given positions, and of all
 * positions after their moves, can be looked up. */
WARI_MUST_CHECK enum wari_status huge_tables_write(const char *folder, struct wari_variant variant,
                                                   const struct wari_position *positions,
                                                   size_t count, struct wari_error *error);

#endif
