/* Encodes chunks: range coding with asymmetric numeral systems (rANS), in four
 * interleaved streams.
 *
 * The encoder proceeds from the last cell to the first and writes words from the end of the
 * buffer towards its start, because the decoder reads first what was written last. The output
 * depends on the values and the model alone. */
#include "db/format/encoder.h"

#include <string.h>

#include "db/format/cell_tables.h"
#include "db/host/bytes.h"

enum {
    WORD_BITS = 16,
    /* When a state x is divided by f <= 2^10, x is below 2^22 f. Then x * reciprocal stays below
     * 2^64, and the rounding of the reciprocal does not change the quotient. */
    RECIPROCAL_BITS = 42,
};

struct encode_scratch {
    struct wari_cell_tables tables;
    uint64_t reciprocal[WARI_FREQUENCY_SUM]; /* [1024 - f]: 2^42 / f, rounded down, plus 1 */
};

static void init_encode_scratch(struct encode_scratch *scratch)
{
    wari_cell_tables_init(&scratch->tables);
    for (uint32_t i = 0; i < WARI_FREQUENCY_SUM; i++)
        scratch->reciprocal[i] = (UINT64_C(1) << RECIPROCAL_BITS) / (WARI_FREQUENCY_SUM - i) + 1;
}

/* A step encodes one cell of each stream. Returns the number of steps for which every stream has a
 * cell: this is the length of the last stream, which is the shortest. */
static size_t whole_steps(size_t count)
{
    const size_t others = (WARI_CODER_STREAMS - 1) * wari_stream_cells(count);
    return count > others ? count - others : 0;
}

static void count_values(struct wari_counts *counts, struct encode_scratch *scratch,
                         const struct wari_chunk_range *range, const int8_t *values)
{
    wari_cell_tables_of(&scratch->tables, range, values);
    for (size_t i = 0; i < range->count; i++)
        counts->count[scratch->tables.entry[i]]++;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Writes a word if the state is too large for the next symbol, that is, if its upper `bits` bits
 * are at least 2^bits - others. A branch on this condition would be unpredictable. So the word
 * is always stored, and the pointer moves only if the word is needed. */
static inline __attribute__((always_inline)) uint32_t make_room(uint32_t state, uint32_t others,
                                                                int bits, uint8_t **out)
{
    const uint32_t full = ((state >> (2 * WORD_BITS - bits)) + others) >> bits; /* 0 or 1 */
    wari_store16(*out - 2, (uint16_t)state);
    *out -= 2 * full;
    return state >> WORD_BITS * full;
}

/* Encodes a symbol of frequency f: turns the state x = q f + r of a stream into 1024 q + start + r.
 */
static inline __attribute__((always_inline)) uint32_t
put(const uint64_t *reciprocal, uint32_t state, struct wari_symbol_range range, uint8_t **out)
{
    state = make_room(state, range.others, WARI_FREQUENCY_BITS, out);
    const uint32_t quotient = (uint32_t)(state * reciprocal[range.others] >> RECIPROCAL_BITS);
    return state + quotient * range.others + range.start;
}

static inline __attribute__((always_inline)) uint32_t
put_cell(const struct wari_model *model, const struct wari_symbol_range *ranges,
         const struct encode_scratch *scratch, size_t cell, uint32_t state, uint8_t **out)
{
    const uint32_t entry = scratch->tables.entry[cell];
    const struct wari_symbol_range range = ranges[entry];
    if (__builtin_expect(range.others == WARI_FREQUENCY_SUM, 0)) {
        const uint32_t symbol = entry % (uint32_t)model->symbols;
        state = make_room(state, (1 << WARI_RAW_BITS) - 1, WARI_RAW_BITS, out);
        state = state << WARI_RAW_BITS | (uint32_t)((int)symbol - model->seeds - 1 + WARI_RAW_ZERO);
        return put(scratch->reciprocal, state, ranges[entry - symbol], out);
    }
    return put(scratch->reciprocal, state, range, out);
}

static size_t encode_values(const struct wari_model *model, struct encode_scratch *scratch,
                            const struct wari_chunk_range *range, const int8_t *values,
                            uint8_t *out)
{
    const size_t count = range->count;
    const size_t length = wari_stream_cells(count);
    const size_t whole = whole_steps(count);
    /* A local copy avoids loads, since the compiler must assume that `out` could point into the
     * model. */
    const struct wari_symbol_range *const ranges = model->range;
    uint8_t *const end = out + WARI_CHUNK_BYTES_MAX;
    uint8_t *at = end;
    uint32_t stream[WARI_CODER_STREAMS] = {WARI_LOWEST_STATE, WARI_LOWEST_STATE, WARI_LOWEST_STATE,
                                           WARI_LOWEST_STATE};
    size_t step = length;

    wari_cell_tables_of(&scratch->tables, range, values);
    while (step-- > whole) {
        for (size_t i = WARI_CODER_STREAMS; i-- > 0;)
            if (i * length + step < count)
                stream[i] = put_cell(model, ranges, scratch, i * length + step, stream[i], &at);
    }
    uint32_t a = stream[0], b = stream[1], c = stream[2], d = stream[3];
    for (step = whole; step-- > 0;) {
        d = put_cell(model, ranges, scratch, step + 3 * length, d, &at);
        c = put_cell(model, ranges, scratch, step + 2 * length, c, &at);
        b = put_cell(model, ranges, scratch, step + length, b, &at);
        a = put_cell(model, ranges, scratch, step, a, &at);
    }
    at -= WARI_STATE_BYTES;
    wari_store32(at, a);
    wari_store32(at + 4, b);
    wari_store32(at + 8, c);
    wari_store32(at + 12, d);
    memmove(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}

/* ---- Encoders -------------------------------------------------------------------------------- */

/* The model of a level is computed from the values of about 1024 chunks (8 million values), or
 * of all chunks if the level has fewer. */
enum { SURVEYED_CHUNKS = 1024 };

struct wari_encoder {
    const struct wari_host *host;
    struct wari_layout layout;
    struct wari_counts *counts; /* NULL before wari_encoder_begin() */
    struct encode_scratch scratch;
};

enum wari_status wari_encoder_create(struct wari_encoder **encoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **encoder, "an encoder", &memory, error);
    *encoder = memory;
    if (status != WARI_OK)
        return status;
    (*encoder)->host = host;
    (*encoder)->counts = NULL;
    init_encode_scratch(&(*encoder)->scratch);
    return WARI_OK;
}

void wari_encoder_destroy(struct wari_encoder *encoder)
{
    if (encoder == NULL)
        return;
    wari_counts_destroy(encoder->counts);
    wari_release(encoder->host, encoder);
}

enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                    struct wari_error *error)
{
    wari_counts_destroy(encoder->counts);
    encoder->counts = NULL;
    wari_layout_init(&encoder->layout, seeds);
    return wari_counts_create(&encoder->counts, encoder->host, seeds, error);
}

bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk)
{
    return chunks <= SURVEYED_CHUNKS || chunk % (chunks / SURVEYED_CHUNKS) == 0;
}

/* Checks the caller's values and counts, since a value outside the range would be used as an
 * index outside the tables. */
static enum wari_status check_chunk(const struct wari_encoder *encoder,
                                    const struct wari_chunk_values *chunk, struct wari_error *error)
{
    const int seeds = encoder->layout.seeds;
    const uint64_t positions = encoder->layout.block_offset[seeds + 1];
    uint8_t most = 0;
    if (chunk->count == 0 || chunk->count > WARI_CHUNK_POSITIONS ||
        chunk->number >= wari_chunk_count(positions) ||
        chunk->count > positions - chunk->number * WARI_CHUNK_POSITIONS)
        return wari_fail(error, WARI_BAD_INPUT, "chunk %llu of level %d cannot hold %zu values",
                         (unsigned long long)chunk->number, seeds, chunk->count);
    for (size_t i = 0; i < chunk->count; i++) { /* compilers vectorise this loop */
        const uint8_t raised = (uint8_t)(chunk->values[i] + seeds);
        most = raised > most ? raised : most;
    }
    if (most > 2 * seeds)
        return wari_fail(error, WARI_BAD_INPUT,
                         "a value is outside the range of a level with %d seeds", seeds);
    return WARI_OK;
}

enum wari_status wari_encoder_survey(struct wari_encoder *encoder,
                                     const struct wari_chunk_values *chunk,
                                     struct wari_error *error)
{
    const struct wari_chunk_range range =
        wari_whole_chunk_range(&encoder->layout, chunk->number, chunk->count);
    enum wari_status status = check_chunk(encoder, chunk, error);
    if (status == WARI_OK)
        count_values(encoder->counts, &encoder->scratch, &range, chunk->values);
    return status;
}

enum wari_status wari_encoder_model(struct wari_model **model, struct wari_encoder *const *encoder,
                                    int encoders, struct wari_error *error)
{
    for (int i = 1; i < encoders; i++)
        wari_counts_add(encoder[0]->counts, encoder[i]->counts);
    return wari_model_create(model, encoder[0]->counts, error);
}

uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count)
{
    struct wari_counts *counts = encoder[0]->counts;
    *count = wari_counts_size(counts);
    for (int i = 1; i < encoders; i++) {
        wari_counts_add(counts, encoder[i]->counts);
        memset(encoder[i]->counts->count, 0, *count * sizeof counts->count[0]);
    }
    return counts->count;
}

enum wari_status wari_chunk_encode(struct wari_encoder *encoder, const struct wari_model *model,
                                   const struct wari_chunk_values *chunk, void *out, size_t *bytes,
                                   struct wari_error *error)
{
    const struct wari_chunk_range range =
        wari_whole_chunk_range(&encoder->layout, chunk->number, chunk->count);
    enum wari_status status = check_chunk(encoder, chunk, error);
    if (status == WARI_OK)
        *bytes = encode_values(model, &encoder->scratch, &range, chunk->values, out);
    return status;
}
