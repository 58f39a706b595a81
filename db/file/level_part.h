/* Writing into a level file that another process has begun (level_writer.h). */
#ifndef DB_FILE_LEVEL_PART_H
#define DB_FILE_LEVEL_PART_H

#include "db/file/level_record.h"

/* A file that a writer has begun, for another process or place to write into. */
struct wari_level_part;

WARI_MUST_CHECK enum wari_status wari_level_part_open(struct wari_level_part **part,
                                                      const struct wari_level_address *address,
                                                      struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_level_part_write(struct wari_level_part *part,
                                                       const void *encoded, size_t bytes,
                                                       uint64_t offset, struct wari_error *error);

/* Brings to disk what was written. The part is gone in any case. */
WARI_MUST_CHECK enum wari_status wari_level_part_close(struct wari_level_part *part,
                                                       struct wari_error *error);

/* Lets go of a file that is given up; NULL is allowed. */
void wari_level_part_abandon(struct wari_level_part *part);

#endif
