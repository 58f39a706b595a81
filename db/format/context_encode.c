/* Codec 2: range coding in the asymmetric-numeral-systems way (rANS), four lanes side by side. This
 * is the encoder; context_decode.c goes the other way.
 *
 * It goes from the last cell to the first and writes words from the end: what is put in last comes
 * out first.
 */
#include "db/format/context_encode.h"

#include <string.h>

#include "db/host/bytes.h"

enum {
    WORD_BITS = 16,
    /* State x is below 2^22 f when it is divided by f <= 2^10: then x * reciprocal stays below
     * 2^64, and what is added to the reciprocal does not show in the quotient. */
    RECIPROCAL_BITS = 42,
};

void wari_encode_room_init(struct wari_encode_room *room)
{
    wari_cell_tables_init(&room->tables);
    for (uint32_t i = 0; i < WARI_FREQUENCY_SUM; i++)
        room->reciprocal[i] = (UINT64_C(1) << RECIPROCAL_BITS) / (WARI_FREQUENCY_SUM - i) + 1;
}

/* Steps in which every lane has a cell. */
static size_t whole_steps(size_t count)
{
    const size_t others = (WARI_CODER_STREAMS - 1) * wari_lane_cells(count);
    return count > others ? count - others : 0;
}

void wari_context_count(struct wari_counts *counts, struct wari_encode_room *room,
                        const struct wari_section *section, const int8_t *values)
{
    wari_cell_tables_of(&room->tables, section, values);
    for (size_t i = 0; i < section->count; i++)
        counts->count[room->tables.slot[i]]++;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* A word goes out where the state has no room for what comes: where its upper bits are not less
 * than 2^bits - others, out of 2^bits. Whether it does cannot be predicted, so it is always
 * written. */
static inline __attribute__((always_inline)) uint32_t make_room(uint32_t state, uint32_t others,
                                                                int bits, uint8_t **out)
{
    const uint32_t full = ((state >> (2 * WORD_BITS - bits)) + others) >> bits; /* 0 or 1 */
    wari_store16(*out - 2, (uint16_t)state);
    *out -= 2 * full;
    return state >> WORD_BITS * full;
}

/* What a symbol of this range makes of a lane's state x = q f + r: 1024 q + start + r. */
static inline __attribute__((always_inline)) uint32_t
put(const uint64_t *reciprocal, uint32_t state, struct wari_range range, uint8_t **out)
{
    state = make_room(state, range.others, WARI_FREQUENCY_BITS, out);
    const uint32_t quotient = (uint32_t)(state * reciprocal[range.others] >> RECIPROCAL_BITS);
    return state + quotient * range.others + range.start;
}

static inline __attribute__((always_inline)) uint32_t
put_cell(const struct wari_model *model, const struct wari_range *ranges,
         const struct wari_encode_room *room, size_t cell, uint32_t state, uint8_t **out)
{
    const uint32_t slot = room->tables.slot[cell];
    const struct wari_range range = ranges[slot];
    if (__builtin_expect(range.others == WARI_FREQUENCY_SUM, 0)) {
        const uint32_t symbol = slot % (uint32_t)model->symbols;
        state = make_room(state, (1 << WARI_RAW_BITS) - 1, WARI_RAW_BITS, out);
        state = state << WARI_RAW_BITS | (uint32_t)((int)symbol - model->seeds - 1 + WARI_RAW_ZERO);
        return put(room->reciprocal, state, ranges[slot - symbol], out);
    }
    return put(room->reciprocal, state, range, out);
}

size_t wari_context_encode(const struct wari_model *model, struct wari_encode_room *room,
                           const struct wari_section *section, const int8_t *values, uint8_t *out)
{
    const size_t count = section->count;
    const size_t length = wari_lane_cells(count);
    const size_t whole = whole_steps(count);
    const struct wari_range *const ranges = model->range; /* bytes of `out` might be a model's */
    uint8_t *const end = out + WARI_CONTEXT_BYTES_MAX;
    uint8_t *at = end;
    uint32_t lane[WARI_CODER_STREAMS] = {WARI_LOWEST_STATE, WARI_LOWEST_STATE, WARI_LOWEST_STATE,
                                         WARI_LOWEST_STATE};
    size_t step = length;

    wari_cell_tables_of(&room->tables, section, values);
    while (step-- > whole) {
        for (size_t i = WARI_CODER_STREAMS; i-- > 0;)
            if (i * length + step < count)
                lane[i] = put_cell(model, ranges, room, i * length + step, lane[i], &at);
    }
    uint32_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (step = whole; step-- > 0;) {
        d = put_cell(model, ranges, room, step + 3 * length, d, &at);
        c = put_cell(model, ranges, room, step + 2 * length, c, &at);
        b = put_cell(model, ranges, room, step + length, b, &at);
        a = put_cell(model, ranges, room, step, a, &at);
    }
    at -= WARI_STATE_BYTES;
    wari_store32(at, a);
    wari_store32(at + 4, b);
    wari_store32(at + 8, c);
    wari_store32(at + 12, d);
    memmove(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}
