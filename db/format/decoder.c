/* Decodes chunks.
 *
 * A value cannot be decoded before its neighbours are known, so a single stream would mostly wait
 * for the previous cell. A chunk therefore has four streams. They are decoded in lockstep, one cell
 * of each stream in turn, and share one sequence of 16-bit words. The state of a stream has 32 bits
 * and is at least 2^16; the stream reads a word whenever its state falls below 2^16. The decoder
 * never checks where the words end, because the buffer is large enough for all words that it could
 * read. After the last cell, it compares the number of words read with the size of the chunk, and
 * the states with those that an encoder starts with. So bytes that no encoder wrote do no harm, and
 * nearly all of them are refused. (The hash refuses bytes that are damaged.)
 *
 * With only four streams, most of the time is spent on the dependency chain from one value of a
 * stream to the next: sum, table, symbol. The code keeps this chain short (NOTES.md). */
#include "db/format/decoder.h"

#include <stdatomic.h>
#include <string.h>

#include "db/format/neighbours.h"
#include "db/host/bytes.h"

enum {
    WORD_BITS = 16,
    FULL_LANE = WARI_CHUNK_POSITIONS / WARI_CODER_STREAMS,
    /* the smallest residue is -64 - 18; adding 82 makes every index of `packed_of` non-negative */
    RESIDUE_OFFSET = 82,
    MOST_UNEVEN = WARI_VARIANCES - 1,
};

/* Upper bound on the number of words that a decoder reads, for any input: two words for each
 * cell. */
enum { WARI_WORDS_CAPACITY = 2 * WARI_CHUNK_POSITIONS };

/* The working memory of a decoder. Everything that it reads, except for the model, is at fixed
 * distances from one pointer. The residue R of a value, the value minus the capture at hand, is
 * packed as R * R << 16 | R + 96. */
struct decode_scratch {
    /* This is the first field, so that its address is the address of the struct. */
    uint32_t packed[WARI_CHUNK_POSITIONS + 1];              /* [cell + 1]; element [0] stands for
                                                             * an absent neighbour */
    uint32_t packed_of_residue[WARI_RESIDUE_BIAS + 64];     /* [R + 96]: the packed residue */
    uint16_t square[6 * (63 + WARI_RESIDUE_BIAS) + 1];      /* [S + 6 * 96]: S * S / 6 for a sum
                                                             * S of six residues */
    uint32_t packed_of[WARI_RESIDUES + WARI_SEEDS_MAX + 1]; /* [symbol - capture + 82]: the
                                                             * packed residue */
    struct wari_neighbours neighbours;
    uint16_t words[WARI_WORDS_CAPACITY];
    const struct wari_model *fetched; /* model of the previous chunk; only compared, never
                                       * dereferenced */
};

static void init_decode_scratch(struct decode_scratch *scratch)
{
    memset(scratch, 0, sizeof *scratch); /* clears the whole struct, so that the system provides
                                          * its pages now and not during decoding */
    for (int i = 0; i < WARI_RESIDUE_BIAS + 64; i++) {
        const int value = i - WARI_RESIDUE_BIAS;
        scratch->packed_of_residue[i] = (uint32_t)(value * value) << 16 | (uint32_t)i;
    }
    for (int i = 0; i <= 6 * (63 + WARI_RESIDUE_BIAS); i++) {
        const int sum = i - 6 * WARI_RESIDUE_BIAS;
        scratch->square[i] = (uint16_t)(sum * sum / 6);
    }
    wari_neighbours_init(&scratch->neighbours);
}

/* Reads a word if the state is too small, without a branch, since a branch would be
 * unpredictable. */
static inline __attribute__((always_inline)) uint32_t take_word(uint32_t state,
                                                                const uint16_t **words)
{
    const uint32_t more = state << WORD_BITS | **words;
#if defined(__x86_64__)
    /* From the portable code below, compilers produce a branch or a second comparison. */
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

/* Adds up the packed residues of a cell's neighbours, except for the cell before it. */
static inline __attribute__((always_inline)) uint32_t
add_neighbours(const struct decode_scratch *scratch, size_t cell)
{
    const struct wari_neighbours *near = &scratch->neighbours;
    return scratch->packed[near->target[0][cell]] + scratch->packed[near->target[1][cell]] +
           scratch->packed[near->target[2][cell]] + scratch->packed[near->target[3][cell]] +
           scratch->packed[near->target[4][cell]];
}

/* Decodes one cell of a stream with state `state`. The cell's neighbours are known.
 * packed[before] is the packed residue of the cell before it in its stream. */
static inline __attribute__((always_inline)) uint32_t
decode_cell(const struct wari_model *restrict model, struct decode_scratch *restrict scratch,
            size_t cell, size_t before, uint32_t state, const uint16_t **words)
{
    const ptrdiff_t capture = scratch->neighbours.rows.capture[cell];
    uint32_t sum = add_neighbours(scratch, cell);
    /* Keeps the order of the additions: packed[before], which has just been decoded, comes last. */
    __asm__("" : "+r"(sum));
    sum += scratch->packed[before];
    const ptrdiff_t raised = (uint16_t)sum;
    uint32_t variance = (sum >> 16) - scratch->square[raised];
    if (__builtin_expect(variance > MOST_UNEVEN, 0)) {
        __asm__(""); /* keeps this a predictable branch instead of a conditional move */
        variance = MOST_UNEVEN;
    }
    const uint8_t *address =
        model->table_of_sum[raised + 6 * capture] + model->offset_of_spread[variance];
    const struct wari_table *table = (const struct wari_table *)(const void *)address;
    ptrdiff_t symbol = table->symbol[state % WARI_FREQUENCY_SUM];
    const struct wari_symbol_range *range = &table->range[symbol];

    state -= (state >> WARI_FREQUENCY_BITS) * range->others + range->start;
    state = take_word(state, words);
    if (__builtin_expect(symbol == 0, 0)) {
        symbol = (int)(state % (1 << WARI_RAW_BITS)) - WARI_RAW_ZERO + model->seeds + 1;
        state = take_word(state >> WARI_RAW_BITS, words);
    }
    scratch->packed[cell + 1] = scratch->packed_of[symbol - capture + RESIDUE_OFFSET];
    return state;
}

static inline size_t less(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Decodes the first `steps` cells of each stream. Streams have `length` cells; the last streams
 * may be shorter. Returns the number of words that were read. */
static inline __attribute__((always_inline)) size_t
decode_streams(const struct wari_model *restrict model, struct decode_scratch *restrict scratch,
               size_t count, size_t length, size_t steps, uint32_t stream[WARI_CODER_STREAMS])
{
    const size_t others = (WARI_CODER_STREAMS - 1) * length;
    /* Number of steps in which every stream has a cell. */
    const size_t whole = less(count > others ? count - others : 0, steps);
    const size_t end = less(length, steps);
    const uint16_t *words = scratch->words;

    for (size_t i = 0; i < WARI_CODER_STREAMS && i * length < count; i++)
        stream[i] = decode_cell(model, scratch, i * length, 0, stream[i], &words);

    uint32_t a = stream[0], b = stream[1], c = stream[2], d = stream[3];
    size_t step = 1;
    for (; step < whole; step++) {
        atomic_signal_fence(memory_order_seq_cst); /* makes the compiler load values from memory
                                                    * again instead of keeping them, because
                                                    * there are few registers */
        const size_t second = step + length, third = second + length, fourth = third + length;
        a = decode_cell(model, scratch, step, step, a, &words);
        b = decode_cell(model, scratch, second, second, b, &words);
        c = decode_cell(model, scratch, third, third, c, &words);
        d = decode_cell(model, scratch, fourth, fourth, d, &words);
    }
    stream[0] = a;
    stream[1] = b;
    stream[2] = c;
    stream[3] = d;
    for (; step < end; step++) {
        for (size_t i = 0; i < WARI_CODER_STREAMS && i * length + step < count; i++)
            stream[i] = decode_cell(model, scratch, i * length + step, i * length + step, stream[i],
                                    &words);
    }
    return (size_t)(words - scratch->words);
}

/* Loads the states and words of a chunk, and the table that depends on the level. */
static void prepare(const struct wari_model *model, struct decode_scratch *scratch,
                    uint32_t stream[WARI_CODER_STREAMS], const uint8_t *in, size_t bytes)
{
    const uint32_t *packed = scratch->packed_of_residue + WARI_RESIDUE_BIAS - RESIDUE_OFFSET;
    scratch->packed[0] = packed[RESIDUE_OFFSET];
    memcpy(scratch->packed_of + model->seeds + 1, packed, WARI_RESIDUES * sizeof *packed);
    for (size_t i = 0; i < WARI_CODER_STREAMS; i++)
        stream[i] = wari_load32(in + 4 * i);
    in += WARI_STATE_BYTES;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(scratch->words, in, bytes - WARI_STATE_BYTES);
#else
    for (size_t i = 0; i < (bytes - WARI_STATE_BYTES) / 2; i++)
        scratch->words[i] = (uint16_t)wari_load16(in + 2 * i);
#endif
}

/* Prefetches the tables that most cells use, if the previous chunk was of another level. The model
 * (model.h) has tables for each guess of a cell's value; most cells use those of the guesses from
 * -n/2 to n/2, for a level of n seeds. Without the prefetch, the decoder would wait for each cache
 * line of these tables in turn. */
static void fetch_tables(const struct wari_model *model, struct decode_scratch *scratch)
{
    const size_t least = (size_t)(model->seeds / 2) * model->table_bytes;
    const size_t bytes = (size_t)(model->seeds + 1) * model->table_bytes;
    if (scratch->fetched == model)
        return;
    scratch->fetched = model;
    for (size_t spread = 0; spread < 4; spread++) {
        const uint8_t *tables =
            model->table + spread * (size_t)model->classes * model->table_bytes + least;
        for (size_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(tables + at, 0, 2);
    }
}

/* Unpacks values[from .. to - 1] from packed residues. */
static void unpack(const struct decode_scratch *scratch, size_t from, size_t to, int8_t *values)
{
    const uint8_t *capture = scratch->neighbours.rows.capture;
    const uint32_t *packed = scratch->packed + 1;
    for (size_t i = from; i < to; i++)
        values[i] = (int8_t)((int)(packed[i] % 256) - WARI_RESIDUE_BIAS + capture[i]);
}

static bool decode_chunk(const struct wari_model *model, struct decode_scratch *scratch,
                         const struct wari_chunk_range *range, const uint8_t *in, size_t bytes,
                         int8_t *values)
{
    const size_t count = range->count;
    const size_t steps = range->steps;
    const size_t length = wari_stream_cells(count);
    uint32_t stream[WARI_CODER_STREAMS];
    size_t taken;

    if (bytes < WARI_STATE_BYTES || bytes > WARI_CHUNK_BYTES_MAX)
        return false;
    fetch_tables(model, scratch);
    wari_neighbours_of(&scratch->neighbours, range);
    prepare(model, scratch, stream, in, bytes);
    if (count == WARI_CHUNK_POSITIONS) /* this is nearly always true, and with constant lengths
                                        * the code is faster */
        taken = decode_streams(model, scratch, WARI_CHUNK_POSITIONS, FULL_LANE, steps, stream);
    else
        taken = decode_streams(model, scratch, count, length, steps, stream);
    if (steps < length) { /* the end of the chunk is not decoded */
        for (size_t i = 0; i < WARI_CODER_STREAMS && i * length < count; i++)
            unpack(scratch, i * length, less(i * length + steps, count), values);
        return WARI_STATE_BYTES + 2 * taken <= bytes;
    }
    for (int i = 0; i < WARI_CODER_STREAMS; i++)
        if (stream[i] != WARI_LOWEST_STATE)
            return false;
    unpack(scratch, 0, count, values);
    return WARI_STATE_BYTES + 2 * taken == bytes;
}

/* ---- Decoders -------------------------------------------------------------------------------- */

struct wari_decoder {
    const struct wari_host *host;
    struct decode_scratch scratch;
    uint8_t buffer[WARI_CHUNK_BYTES_MAX]; /* one encoded chunk */
};

enum wari_status wari_decoder_create(struct wari_decoder **decoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **decoder, "a decoder", &memory, error);
    *decoder = memory;
    if (status != WARI_OK)
        return status;

    (*decoder)->host = host;
    init_decode_scratch(&(*decoder)->scratch);
    return WARI_OK;
}

void wari_decoder_destroy(struct wari_decoder *decoder)
{
    if (decoder != NULL)
        wari_release(decoder->host, decoder);
}

uint8_t *wari_decoder_buffer(struct wari_decoder *decoder)
{
    return decoder->buffer;
}

enum wari_status wari_chunk_decode(struct wari_decoder *decoder, const struct wari_model *model,
                                   const struct wari_chunk_range *range, size_t bytes,
                                   int8_t *values, struct wari_error *error)
{
    if (!decode_chunk(model, &decoder->scratch, range, decoder->buffer, bytes, values))
        return wari_fail(error, WARI_CORRUPT, "its %zu bytes do not decode to %zu values", bytes,
                         range->count);
    return WARI_OK;
}
