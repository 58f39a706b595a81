/* Codec 2: range coding in the asymmetric-numeral-systems way (rANS), four lanes side by side.
 *
 * A value cannot be decoded before its neighbours are known, so one lane alone would wait for each
 * cell most of the time; the four lanes of a chunk are decoded in step, a cell of each in turn, and
 * share one stream of 16-bit words. A lane's state is 32 bits, at least 2^16, and takes in a word
 * when it falls below. The decoder never asks where the stream ends: there is room behind it for
 * whatever it may read, and at the end the place and the states must be those an encoder starts
 * with. So bytes that no encoder wrote do no harm, and nearly all of them are refused (the hash
 * refuses those that were not meant).
 *
 * The encoder goes from the last cell to the first and writes words from the end: what is put in
 * last comes out first.
 */
#include "db/context_codec.h"

#include <string.h>

#include "db/bytes.h"

enum {
    WORD_BITS = 16,
    RAW_BITS = 7, /* of a value behind an escape: v + 64 */
    RAW_ZERO = 64,
    STATE_BYTES = 4 * WARI_LANES,
    /* State x is below 2^22 f when it is divided by f <= 2^10: then x * reciprocal stays below
     * 2^64, and what is added to the reciprocal does not show in the quotient. */
    RECIPROCAL_BITS = 42,
};

static const uint32_t lowest_state = UINT32_C(1) << WORD_BITS;

void wari_context_room_init(struct wari_context_room *room)
{
    wari_contexts_init(&room->contexts);
    wari_neighbours_init(&room->neighbours);
    room->reciprocal[0] = 0;
    for (uint32_t i = 1; i <= WARI_FREQUENCY_SUM; i++)
        room->reciprocal[i] = (UINT64_C(1) << RECIPROCAL_BITS) / i + 1;
}

/* Steps in which every lane has a cell. */
static size_t whole_steps(size_t count)
{
    const size_t others = (WARI_LANES - 1) * wari_lane_cells(count);
    return count > others ? count - others : 0;
}

/* ---- Contexts of known values ---------------------------------------------------------------- */

static inline uint32_t add_neighbours(const struct wari_neighbours *near, const uint32_t *packed,
                                      size_t cell)
{
    return packed[near->target[0][cell]] + packed[near->target[1][cell]] +
           packed[near->target[2][cell]] + packed[near->target[3][cell]] +
           packed[near->target[4][cell]];
}

static inline __attribute__((always_inline)) uint16_t
table_of(const struct wari_model *model, const struct wari_contexts *contexts,
         const struct wari_neighbours *near, const uint32_t *packed, size_t cell, uint32_t before)
{
    const uint32_t sum = before + add_neighbours(near, packed, cell);
    return (uint16_t)wari_model_table(model, contexts, sum, near->capture[cell]);
}

static void find_tables(const struct wari_model *model, struct wari_context_room *room,
                        const struct wari_layout *layout, uint64_t first, const int8_t *values,
                        size_t count)
{
    const struct wari_neighbours *near = &room->neighbours;
    const struct wari_contexts *contexts = &room->contexts;
    const uint32_t *packed = room->packed;
    const size_t lane = wari_lane_cells(count);

    wari_neighbours_of(&room->neighbours, layout, first, count);
    room->packed[0] = contexts->packed[WARI_RAISED];
    for (size_t i = 0; i < count; i++)
        room->packed[i + 1] = contexts->packed[values[i] - near->capture[i] + WARI_RAISED];
    for (size_t i = 0; i < count; i++)
        room->table[i] = table_of(model, contexts, near, packed, i, packed[i]);
    for (size_t i = 0; i < count; i += lane) /* no cell comes before a lane's first one */
        room->table[i] = table_of(model, contexts, near, packed, i, packed[0]);
}

void wari_context_count(struct wari_counts *counts, struct wari_context_room *room,
                        const struct wari_layout *layout, uint64_t first, const int8_t *values,
                        size_t count)
{
    const int symbols = counts->shape->symbols;
    const int zero = layout->seeds + 1;
    find_tables(counts->shape, room, layout, first, values, count);
    for (size_t i = 0; i < count; i++)
        counts->count[room->table[i] * symbols + zero + values[i]]++;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* A word goes out where the state has no room for what comes, of so many bits in 1 / frequency.
 * Whether it does cannot be predicted, so it is always written. */
static inline __attribute__((always_inline)) uint32_t make_room(uint32_t state, uint32_t frequency,
                                                                int bits, uint8_t **out)
{
    const bool full = state >> (2 * WORD_BITS - bits) >= frequency;
    (*out)[-2] = (uint8_t)state;
    (*out)[-1] = (uint8_t)(state >> 8);
    *out -= 2 * full;
    return full ? state >> WORD_BITS : state;
}

/* What a symbol of this range makes of a lane's state. */
static inline __attribute__((always_inline)) uint32_t
put(const uint64_t *reciprocal, uint32_t state, wari_range range, uint8_t **out)
{
    const uint32_t frequency = wari_range_frequency(range);
    state = make_room(state, frequency, WARI_FREQUENCY_BITS, out);
    const uint32_t quotient =
        (uint32_t)(state * reciprocal[frequency] >> RECIPROCAL_BITS); /* state / frequency */
    return (quotient << WARI_FREQUENCY_BITS) + (state - quotient * frequency) +
           wari_range_start(range);
}

static inline __attribute__((always_inline)) uint32_t put_cell(const struct wari_model *model,
                                                               const struct wari_context_room *room,
                                                               size_t cell, const int8_t *values,
                                                               uint32_t state, uint8_t **out)
{
    const wari_range *range = model->table[room->table[cell]].range;
    const int value = values[cell];
    const wari_range its = range[value + model->seeds + 1];
    if (__builtin_expect(wari_range_frequency(its) == 0, 0)) {
        state = make_room(state, 1, RAW_BITS, out);
        state = state << RAW_BITS | (uint32_t)(value + RAW_ZERO);
        return put(room->reciprocal, state, range[0], out);
    }
    return put(room->reciprocal, state, its, out);
}

size_t wari_context_encode(const struct wari_model *model, struct wari_context_room *room,
                           const struct wari_layout *layout, uint64_t first, const int8_t *values,
                           size_t count, uint8_t *out)
{
    const size_t length = wari_lane_cells(count);
    const size_t whole = whole_steps(count);
    uint8_t *const end = out + WARI_CONTEXT_BYTES_MAX;
    uint8_t *at = end;
    uint32_t lane[WARI_LANES] = {lowest_state, lowest_state, lowest_state, lowest_state};
    size_t step = length;

    find_tables(model, room, layout, first, values, count);
    while (step-- > whole) {
        for (size_t i = WARI_LANES; i-- > 0;)
            if (i * length + step < count)
                lane[i] = put_cell(model, room, i * length + step, values, lane[i], &at);
    }
    uint32_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (step = whole; step-- > 0;) {
        d = put_cell(model, room, step + 3 * length, values, d, &at);
        c = put_cell(model, room, step + 2 * length, values, c, &at);
        b = put_cell(model, room, step + length, values, b, &at);
        a = put_cell(model, room, step, values, a, &at);
    }
    at -= STATE_BYTES;
    wari_store32(at, a);
    wari_store32(at + 4, b);
    wari_store32(at + 8, c);
    wari_store32(at + 12, d);
    memmove(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* A word is taken without a branch: whether it is needed cannot be foreseen. */
static inline __attribute__((always_inline)) uint32_t take_word(uint32_t state, const uint8_t **in)
{
    const uint32_t more = state << WORD_BITS | wari_load16(*in);
    const uint32_t needed = state < lowest_state;

    *in += 2 * needed;
    return state ^ ((state ^ more) & -needed);
}

/* One cell of a lane with state `state`: its neighbours are known. All tables are reached from two
 * pointers, so that little has to be kept in registers beside the four lanes. */
static inline __attribute__((always_inline)) uint32_t
decode_cell(const struct wari_model *restrict model, struct wari_context_room *restrict room,
            const uint32_t *packed_of, int zero, size_t cell, uint32_t state, uint32_t *before,
            const uint8_t **in, int8_t *restrict values)
{
    const uint32_t sum = add_neighbours(&room->neighbours, room->packed, cell) + *before;
    const ptrdiff_t capture = room->neighbours.capture[cell];
    const struct wari_table *table =
        &model->table[wari_model_table(model, &room->contexts, sum, (uint32_t)capture)];
    const uint32_t place = state % WARI_FREQUENCY_SUM;
    ptrdiff_t symbol = table->symbol[place];
    const wari_range range = table->range[symbol];

    state = wari_range_frequency(range) * (state >> WARI_FREQUENCY_BITS) + place -
            wari_range_start(range);
    state = take_word(state, in);
    if (__builtin_expect(symbol == 0, 0)) {
        symbol = (int)(state & ((1 << RAW_BITS) - 1)) - RAW_ZERO + zero;
        state = take_word(state >> RAW_BITS, in);
    }
    *before = packed_of[symbol - capture];
    room->packed[cell + 1] = *before;
    values[cell] = (int8_t)(symbol - zero);
    return state;
}

bool wari_context_decode(const struct wari_model *model, struct wari_context_room *room,
                         const struct wari_layout *layout, uint64_t first, int8_t *values,
                         size_t count, const uint8_t *in, size_t bytes)
{
    const int zero = model->seeds + 1; /* the symbol of value 0 */
    const uint32_t *packed_of = room->contexts.packed + WARI_RAISED - zero;
    const size_t length = wari_lane_cells(count);
    const size_t whole = whole_steps(count);
    const uint8_t *const end = in + bytes;
    uint32_t lane[WARI_LANES], before[WARI_LANES];

    if (bytes < STATE_BYTES)
        return false;
    wari_neighbours_of(&room->neighbours, layout, first, count);
    room->packed[0] = room->contexts.packed[WARI_RAISED];
    for (size_t i = 0; i < WARI_LANES; i++) {
        lane[i] = wari_load32(in + 4 * i);
        before[i] = room->packed[0];
    }
    in += STATE_BYTES;

    size_t step = 0;
    uint32_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (; step < whole; step++) {
        a = decode_cell(model, room, packed_of, zero, step, a, &before[0], &in, values);
        b = decode_cell(model, room, packed_of, zero, step + length, b, &before[1], &in, values);
        c = decode_cell(model, room, packed_of, zero, step + 2 * length, c, &before[2], &in,
                        values);
        d = decode_cell(model, room, packed_of, zero, step + 3 * length, d, &before[3], &in,
                        values);
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
    for (; step < length; step++) {
        for (size_t i = 0; i < WARI_LANES && i * length + step < count; i++)
            lane[i] = decode_cell(model, room, packed_of, zero, i * length + step, lane[i],
                                  &before[i], &in, values);
    }
    for (int i = 0; i < WARI_LANES; i++)
        if (lane[i] != lowest_state)
            return false;
    return in == end;
}
