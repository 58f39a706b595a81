/* What is known of the levels of a database. */
#ifndef ANSWER_LEVELS_JSON_H
#define ANSWER_LEVELS_JSON_H

#include "answer/json.h"
#include "answer/proof.h"
#include "db/wari.h"

/* What the catalogue knows of every level of a database: the object that `wari stats --format json`
 * prints; `proof` is that of `db`. On failure *object is NULL. */
WARI_MUST_CHECK enum wari_status answer_levels_json(struct wari_db *db,
                                                    const struct answer_proof *proof,
                                                    json_t **object, struct wari_error *error);

/* Placements with values from `least` to `most`, both in -48..48. */
uint64_t answer_count_between(const struct wari_level_info *level, int least, int most);

#endif
