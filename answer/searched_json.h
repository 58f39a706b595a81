/* What a search found of a position. */
#ifndef ANSWER_SEARCHED_JSON_H
#define ANSWER_SEARCHED_JSON_H

#include "answer/json.h"
#include "play/review/appraise.h"

/* What an answer begins with, whatever is known of the position: its counts, seeds and variant.
 * NULL if memory runs out. */
json_t *answer_searched_head(const struct wari_setup *setup, struct wari_variant variant);

/* The object that `wari query --search --format json` prints. NULL if memory runs out. */
json_t *answer_searched_json(const struct wari_setup *setup, struct wari_variant variant,
                             const struct wari_appraisal *appraisal);

#endif
