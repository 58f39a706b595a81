/* The levels of a database as JSON, from the catalogue. No values are read.
 *
 * The histogram covers all placements of the seeds, including those that cannot arise in play, so
 * that it can be compared with published ones. */
#include "answer/answer.h"
#include "index/half.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t answer_count_between(const struct wari_level_info *level, int least, int most)
{
    uint64_t count = 0;
    for (int value = least; value <= most; value++)
        count += level->histogram[value + WARI_SEEDS_MAX];
    return count;
}

/* Adds a level to the array `levels`. Returns false if memory runs out. */
static bool add_level(json_t *levels, const struct wari_level_info *level)
{
    char hash[20];
    json_t *histogram = json_array();
    snprintf(hash, sizeof hash, "%016" PRIx64, level->payload_hash);
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        uint64_t count = level->histogram[value + WARI_SEEDS_MAX];
        if (count && json_array_append_new(histogram, json_pack("{sisI}", "value", value, "count",
                                                                (json_int_t)count)) != 0) {
            json_decref(histogram);
            return false;
        }
    }
    json_t *object = json_pack(
        "{si sI sI ss sI sI sI sI so}", "seeds", level->seeds, "positions",
        (json_int_t)level->positions, "placements", (json_int_t)level->placements, "hash", hash,
        "bytes", (json_int_t)level->file_bytes, "wins",
        (json_int_t)answer_count_between(level, 1, WARI_SEEDS_MAX), "draws",
        (json_int_t)answer_count_between(level, 0, 0), "losses",
        (json_int_t)answer_count_between(level, -WARI_SEEDS_MAX, -1), "histogram", histogram);
    return json_array_append_new(levels, object) == 0;
}

static enum wari_status add_levels(json_t *levels, struct wari_db *db, int first, int last,
                                   struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int seeds = first; seeds <= last && status == WARI_OK; seeds++) {
        struct wari_level_info level;
        if (!wari_level_exists(seeds))
            continue;
        status = wari_get_level_info(db, seeds, &level, error);
        if (status == WARI_OK && !add_level(levels, &level))
            status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
    }
    return status;
}

json_t *answer_missing_json(const struct wari_db *db)
{
    bool missing[WARI_SEEDS_MAX + 1];
    json_t *array = json_array();
    (void)wari_missing(db, missing);
    for (int seeds = 0; array && seeds <= WARI_SEEDS_MAX; seeds++) {
        if (!missing[seeds])
            continue;
        if (json_array_append_new(array, json_integer(seeds)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

enum wari_status answer_levels_json(struct wari_db *db, const struct answer_proof *proof, int first,
                                    int last, json_t **object, struct wari_error *error)
{
    struct wari_info info;
    json_t *levels = json_array();
    *object = NULL;
    wari_get_info(db, &info);
    enum wari_status status = add_levels(levels, db, first, last, error);
    if (status != WARI_OK) {
        json_decref(levels);
        return status;
    }
    *object = json_pack(
        "{ss ss si sI sI si ss so so}", "rules", wari_get_rules_info(info.variant.rules)->name,
        "cycle", wari_cycle_name(info.variant.cycle), "seeds_max", info.seeds_max, "positions",
        (json_int_t)info.positions, "bytes", (json_int_t)info.file_bytes, "proved",
        proof->seeds_max, "record", answer_proof_state(proof), "missing", answer_missing_json(db),
        "levels", levels);
    if (*object)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
}
