/* Codec 2 forwards: the values of a chunk to bytes. */
#ifndef DB_CODEC_CONTEXT_ENCODE_H
#define DB_CODEC_CONTEXT_ENCODE_H

#include "db/format/cell_tables.h"
#include "db/format/context_codec.h"
#include "db/format/model.h"

struct wari_encode_room {
    struct wari_cell_tables tables;
    uint64_t reciprocal[WARI_FREQUENCY_SUM]; /* [1024 - f]: 2^42 / f, rounded down, + 1 */
};

void wari_encode_room_init(struct wari_encode_room *room);

/* Counts the values of a section, each in -n..n. */
void wari_context_count(struct wari_counts *counts, struct wari_encode_room *room,
                        const struct wari_section *section, const int8_t *values);

/* Into room for WARI_CONTEXT_BYTES_MAX bytes. Returns how many it took. Every value is in -n..n;
 * the model comes from counts. */
size_t wari_context_encode(const struct wari_model *model, struct wari_encode_room *room,
                           const struct wari_section *section, const int8_t *values, uint8_t *out);

#endif
