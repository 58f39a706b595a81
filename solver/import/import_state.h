/* The saved state of an import of a level: "<rules>-<cycle>-<seeds>.import" in the folder of the
 * database.
 *
 * The unfinished level file itself stays in the folder under its temporary name. It contains its
 * offset table (db/format/level_writer.h). The state belongs to one score file: the size
 * and two times of that file are part of the state. The time of the last change of its data is not
 * enough, because a program that unpacks an archive sets it to the time in the archive. A state
 * that does not belong to the import and to the present score file is ignored, and the level begins
 * anew. Numbers have 8 bytes unless noted.
 *
 *     0     "WARIIMPT"
 *     8     format, 4 bytes
 *     12    rules, cycle, seeds, 1 if packed: 1 byte each
 *     16    version of the hash function, 4 bytes
 *     20    size of the state of the hash function, 4 bytes
 *     24    items that are counted, 4 bytes
 *     28    1 if there is a level file, 4 bytes
 *     32    time of the last change of the status of the score file, in nanoseconds
 *     40    size of the score file
 *     48    time of the last change of its data, in nanoseconds
 *     56    chunks that are done
 *     64    struct wari_level_part of the level file: its five fields
 *     104   histogram of the stored positions, 97 numbers
 *     880   histogram of the positions with a full opponent half, 97 numbers
 *     1656  state of the payload hash
 *           hash of all bytes before
 */
#ifndef SOLVER_IMPORT_IMPORT_STATE_H
#define SOLVER_IMPORT_IMPORT_STATE_H

#define XXH_STATIC_LINKING_ONLY /* for a hash state that needs no memory of its own */
#include <xxhash.h>

#include "db/format/level_writer.h"
#include "db/scores/score_file.h"

enum { WARI_IMPORT_VALUES = 2 * WARI_SEEDS_MAX + 1 };

/* What shows that a score file was changed or replaced. All fields are 0 if the system does not
 * tell. */
struct wari_import_source {
    uint64_t size;           /* in bytes */
    uint64_t data_changed;   /* time of the last change of the data, in nanoseconds since 1970 */
    uint64_t status_changed; /* time of the last change of the file's status */
};

struct wari_import_source wari_import_source(const struct wari_score_file *file);

struct wari_import_state {
    uint64_t items;                      /* items whose full halves are counted (full_count.h) */
    uint64_t full[WARI_IMPORT_VALUES];   /* [v + 48]: positions with a full opponent half */
    uint64_t stored[WARI_IMPORT_VALUES]; /* [v + 48]: number of stored positions with value v in the
                                          * chunks that are done */
    uint64_t chunks;                     /* chunks of the level that are done */
    bool has_file;                       /* `part` and `hash` are set */
    struct wari_level_part part;
    XXH3_state_t hash; /* hash of the values of the chunks done */
};

/* Saves the state, atomically and durably. `source` describes the score file as it was when it was
 * opened. */
WARI_MUST_CHECK enum wari_status wari_import_save(const struct wari_import_state *state,
                                                  const struct wari_level_address *address,
                                                  const struct wari_import_source *source,
                                                  bool packed, struct wari_error *error);

/* Loads the state of a level. Returns false if there is none, or if it does not belong
 * to the arguments. */
bool wari_import_load(struct wari_import_state *state, const struct wari_level_address *address,
                      const struct wari_import_source *source, bool packed);

/* Removes the state of a level, if there is one. */
void wari_import_forget(const struct wari_level_address *address);

#endif
