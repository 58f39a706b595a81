/* Codec 2 backwards: chunks to values.
 *
 * A value cannot be decoded before its neighbours are known, so one lane alone would wait for each
 * cell most of the time; the four lanes of a chunk are decoded in step, a cell of each in turn, and
 * share one stream of 16-bit words. A lane's state is 32 bits, at least 2^16, and takes in a word
 * when it falls below. The decoder never asks where the stream ends: there is room behind it for
 * whatever it may read, and at the end the place and the states must be those an encoder starts
 * with. So bytes that no encoder wrote do no harm, and nearly all of them are refused (the hash
 * refuses those that were not meant).
 *
 * Four lanes are few: what takes the time is the way from a value of a lane to the next one,
 * through sum, table and symbol, and it is kept short (NOTES.md).
 */
#include <stdatomic.h>
#include <string.h>

#include "db/format/context_decode.h"
#include "db/host/bytes.h"

enum {
    WORD_BITS = 16,
    FULL_LANE = WARI_CHUNK_POSITIONS / WARI_CODER_STREAMS,
    /* The least value less captures, -64 - 18, so that no place in `packed_of` is below 0. */
    LEAST = 82,
    MOST_UNEVEN = WARI_UNEVEN_ROOM - 1,
};

void wari_decode_room_init(struct wari_decode_room *room)
{
    memset(room, 0, sizeof *room); /* all of it: pages come from the system now, and not later */
    for (int i = 0; i < WARI_RAISED + 64; i++) {
        const int value = i - WARI_RAISED;
        room->packed_of_residue[i] = (uint32_t)(value * value) << 16 | (uint32_t)i;
    }
    for (int i = 0; i <= 6 * (63 + WARI_RAISED); i++) {
        const int sum = i - 6 * WARI_RAISED;
        room->square[i] = (uint16_t)(sum * sum / 6);
    }
    wari_neighbours_init(&room->neighbours);
}

/* A word is taken without a branch: whether it is needed cannot be foreseen. */
static inline __attribute__((always_inline)) uint32_t take_word(uint32_t state,
                                                                const uint16_t **words)
{
    const uint32_t more = state << WORD_BITS | **words;
#if defined(__x86_64__)
    /* Compilers make a branch of it, or compare twice. */
    const uint16_t *next = *words + 1;
    __asm__("cmpl %4, %0\n\tcmovb %2, %0\n\tcmovb %3, %1"
            : "+&r"(state), "+r"(*words)
            : "r"(more), "r"(next), "i"(WARI_LOWEST_STATE)
            : "cc");
    return state;
#else
    const uint32_t needed = state < WARI_LOWEST_STATE;
    *words += needed;
    return state ^ ((state ^ more) & -needed);
#endif
}

/* The packed values of a cell's neighbours but the one before, added up. */
static inline __attribute__((always_inline)) uint32_t
add_neighbours(const struct wari_decode_room *room, size_t cell)
{
    const struct wari_neighbours *near = &room->neighbours;
    return room->packed[near->target[0][cell]] + room->packed[near->target[1][cell]] +
           room->packed[near->target[2][cell]] + room->packed[near->target[3][cell]] +
           room->packed[near->target[4][cell]];
}

/* One cell of a lane with state `state`: its neighbours are known, and the one before it in its
 * lane is in place `before`. */
static inline __attribute__((always_inline)) uint32_t
decode_cell(const struct wari_model *restrict model, struct wari_decode_room *restrict room,
            size_t cell, size_t before, uint32_t state, const uint16_t **words)
{
    const ptrdiff_t capture = room->neighbours.rows.capture[cell];
    uint32_t sum = add_neighbours(room, cell);
    __asm__("" : "+r"(sum)); /* what is known last comes last */
    sum += room->packed[before];
    const ptrdiff_t raised = (uint16_t)sum;
    uint32_t uneven = (sum >> 16) - room->square[raised];
    if (__builtin_expect(uneven > MOST_UNEVEN, 0)) {
        __asm__(""); /* a branch, which nobody waits for, and not a conditional move */
        uneven = MOST_UNEVEN;
    }
    const uint8_t *address = model->at_sum[raised + 6 * capture] + model->at_spread[uneven];
    const struct wari_table *table = (const struct wari_table *)(const void *)address;
    ptrdiff_t symbol = table->symbol[state % WARI_FREQUENCY_SUM];
    const struct wari_range *range = &table->range[symbol];

    state -= (state >> WARI_FREQUENCY_BITS) * range->others + range->start;
    state = take_word(state, words);
    if (__builtin_expect(symbol == 0, 0)) {
        symbol = (int)(state % (1 << WARI_RAW_BITS)) - WARI_RAW_ZERO + model->seeds + 1;
        state = take_word(state >> WARI_RAW_BITS, words);
    }
    room->packed[cell + 1] = room->packed_of[symbol - capture + LEAST];
    return state;
}

static inline size_t less(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Lanes of `length` cells, of which the last ones may be shorter; the first `steps` of each.
 * Returns how many words it took. */
static inline __attribute__((always_inline)) size_t
decode_lanes(const struct wari_model *restrict model, struct wari_decode_room *restrict room,
             size_t count, size_t length, size_t steps, uint32_t lane[WARI_CODER_STREAMS])
{
    const size_t others = (WARI_CODER_STREAMS - 1) * length;
    /* Steps with a cell in each lane. */
    const size_t whole = less(count > others ? count - others : 0, steps);
    const size_t end = less(length, steps);
    const uint16_t *words = room->words;

    for (size_t i = 0; i < WARI_CODER_STREAMS && i * length < count; i++)
        lane[i] = decode_cell(model, room, i * length, 0, lane[i], &words);

    uint32_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    size_t step = 1;
    for (; step < whole; step++) {
        atomic_signal_fence(memory_order_seq_cst); /* values come from memory: registers are few */
        const size_t second = step + length, third = second + length, fourth = third + length;
        a = decode_cell(model, room, step, step, a, &words);
        b = decode_cell(model, room, second, second, b, &words);
        c = decode_cell(model, room, third, third, c, &words);
        d = decode_cell(model, room, fourth, fourth, d, &words);
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
    for (; step < end; step++) {
        for (size_t i = 0; i < WARI_CODER_STREAMS && i * length + step < count; i++)
            lane[i] =
                decode_cell(model, room, i * length + step, i * length + step, lane[i], &words);
    }
    return (size_t)(words - room->words);
}

/* What a chunk begins with, its words, and what depends on the level. */
static void prepare(const struct wari_model *model, struct wari_decode_room *room,
                    uint32_t lane[WARI_CODER_STREAMS], const uint8_t *in, size_t bytes)
{
    const uint32_t *packed = room->packed_of_residue + WARI_RAISED - LEAST;
    room->packed[0] = packed[LEAST];
    memcpy(room->packed_of + model->seeds + 1, packed, WARI_RESIDUES * sizeof *packed);
    for (size_t i = 0; i < WARI_CODER_STREAMS; i++)
        lane[i] = wari_load32(in + 4 * i);
    in += WARI_STATE_BYTES;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(room->words, in, bytes - WARI_STATE_BYTES);
#else
    for (size_t i = 0; i < (bytes - WARI_STATE_BYTES) / 2; i++)
        room->words[i] = (uint16_t)wari_load16(in + 2 * i);
#endif
}

/* Fetches the tables that most cells have, those of guesses nearer to 0 than to n, if the chunk
 * before was of another level: a decoder would wait for each line of them in turn. */
static void fetch_tables(const struct wari_model *model, struct wari_decode_room *room)
{
    const size_t least = (size_t)(model->seeds / 2) * model->table_bytes;
    const size_t bytes = (size_t)(model->seeds + 1) * model->table_bytes;
    if (room->fetched == model)
        return;
    room->fetched = model;
    for (size_t spread = 0; spread < 4; spread++) {
        const uint8_t *tables =
            model->table + spread * (size_t)model->classes * model->table_bytes + least;
        for (size_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(tables + at, 0, 2);
    }
}

/* Values out of what they are packed in. */
static void unpack(const struct wari_decode_room *room, size_t from, size_t to, int8_t *values)
{
    const uint8_t *capture = room->neighbours.rows.capture;
    const uint32_t *packed = room->packed + 1;
    for (size_t i = from; i < to; i++)
        values[i] = (int8_t)((int)(packed[i] % 256) - WARI_RAISED + capture[i]);
}

bool wari_context_decode(const struct wari_model *model, struct wari_decode_room *room,
                         const struct wari_section *section, const uint8_t *in, size_t bytes,
                         int8_t *values)
{
    const size_t count = section->count;
    const size_t steps = section->steps;
    const size_t length = wari_lane_cells(count);
    uint32_t lane[WARI_CODER_STREAMS];
    size_t taken;

    if (bytes < WARI_STATE_BYTES || bytes > WARI_CONTEXT_BYTES_MAX)
        return false;
    fetch_tables(model, room);
    wari_neighbours_of(&room->neighbours, section);
    prepare(model, room, lane, in, bytes);
    if (count == WARI_CHUNK_POSITIONS) /* nearly always, and known distances are quicker */
        taken = decode_lanes(model, room, WARI_CHUNK_POSITIONS, FULL_LANE, steps, lane);
    else
        taken = decode_lanes(model, room, count, length, steps, lane);
    if (steps < length) { /* the rest is not known */
        for (size_t i = 0; i < WARI_CODER_STREAMS && i * length < count; i++)
            unpack(room, i * length, less(i * length + steps, count), values);
        return WARI_STATE_BYTES + 2 * taken <= bytes;
    }
    for (int i = 0; i < WARI_CODER_STREAMS; i++)
        if (lane[i] != WARI_LOWEST_STATE)
            return false;
    unpack(room, 0, count, values);
    return WARI_STATE_BYTES + 2 * taken == bytes;
}
