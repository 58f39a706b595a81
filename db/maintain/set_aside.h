/* Renames damaged level files, so that their levels count as missing and a build solves them again.
 */
#ifndef DB_MAINTAIN_SET_ASIDE_H
#define DB_MAINTAIN_SET_ASIDE_H

#include "db/maintain/check.h"

/* Checks a variant of a folder like wari_check(), and adds ".bad" to the name of each level file
 * that is damaged (WARI_CORRUPT) and has at most `seeds` seeds. An intact file that differs from
 * the one that the catalogue lists, for example a file from another folder, counts as damaged.
 * Files of higher levels, intact files of another level or variant, and files that cannot be read
 * keep their names. Calls check->found for every damaged part. *count receives the number of
 * renamed files.
 *
 * If `no_lock` is true, the folder is not locked, and the caller must ensure that no other process
 * builds or packs there. If the folder has no catalogue of the variant, nothing is renamed.
 *
 * Fails like wari_check(), and:
 *   WARI_CORRUPT   the catalogue is damaged; nothing is renamed
 *   WARI_BUSY      another process builds or packs there */
WARI_MUST_CHECK enum wari_status wari_set_aside_damaged(const struct wari_check *check, int seeds,
                                                        bool no_lock, int *count,
                                                        struct wari_error *error);

#endif
