/* The kernel for x86-64 with AVX2. Its byte permutations are limited to lanes of 16 bytes, and it
 * has no mask registers. The kernel does without them as follows:
 *
 *     gathers    Children are in ascending columns, so 16 of them usually lie within 32 bytes.
 *                Two loads of 16 bytes are each shuffled; for each child, one shuffle gives the
 *                child and the other one gives zero. If a strip is gathered from many rows, its
 *                shuffles are computed once beforehand.
 *     masks      Bits are expanded to bytes in registers.
 *     tables     Look-ups in 64 bytes take four shuffles, those in 256 bytes sixteen. Growing
 *                avoids the latter: it finds the cells that change by comparisons, and merges
 *                these cells one by one.
 *     bits       PEXT compacts bits on processors that have it in hardware (choice.c). */
#if defined(__x86_64__)

#include <immintrin.h>

#include "solver/kernel/bytes.h"
#include "solver/kernel/vectors.h"

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define TARGET_INLINE TARGET static inline __attribute__((always_inline))

TARGET_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

TARGET_INLINE __m256i load_pair(const int8_t *low, const int8_t *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)low)),
                                   _mm_loadu_si128((const void *)high), 1);
}

/* Returns a word whose bit i is set if byte i is below 0. */
TARGET_INLINE uint64_t signs(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

/* ---- Spans ---------------------------------------------------------------------------------- */

/* The shuffles that gather the children of a strip, for use with many rows. The children of each 16
 * parents are divided into **spans** that lie within 16 bytes of the child row. A round loads one
 * span for each 16 parents, or adds nothing where there are no spans left. The strip is the OR of
 * its rounds. In this drawing, x marks the children of 16 parents:
 *
 *     child row     . x x . . x . x x . . . . . . . . . . x x . . . x . x
 *     spans             |<------ 16 bytes ------->|         |<------ 16 bytes ... */
struct shuffles {
    uint8_t shuffle[WARI_STRIP];
    uint32_t column[4]; /* [i]: first column of the span of parents 16 * i to 16 * i + 15 */
};

enum {
    ROUNDS_MAX = 16, /* maximum number of rounds of a strip */
    NO_CHILD = 0x80, /* shuffle index that gives zero */
};

/* The rounds of a strip. */
struct rounds {
    struct shuffles round[ROUNDS_MAX];
    int count[4]; /* [i]: number of spans of parents 16 * i to 16 * i + 15 */
};

/* Divides some children into spans: those of the parents with offsets `place` to `end` - 1. The
 * caller guarantees that these children lie in one word, and that the parents are among the 16
 * parents from offset 16 * `group` on. */
TARGET static void find_spans(struct rounds *rounds, int group, int place, int end, uint32_t column,
                              const uint8_t *index)
{
    struct shuffles *round = rounds->round + rounds->count[group];
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i high = _mm_set1_epi8((char)0xf0), none = _mm_set1_epi8((char)NO_CHILD);
    const int first = 16 * group;
    const __m128i all = _mm_loadu_si128((const void *)(index + first));

    for (; place < end; round++) {
        const __m128i distance = _mm_sub_epi8(all, _mm_set1_epi8((char)index[place]));
        const __m128i near = _mm_cmpeq_epi8(_mm_and_si128(distance, high), _mm_setzero_si128());
        const uint32_t run = ~((uint32_t)_mm_movemask_epi8(near) >> (place - first));
        const int next = place + __builtin_ctz(run), stop = next < end ? next : end;
        const __m128i here =
            _mm_andnot_si128(_mm_cmpgt_epi8(_mm_set1_epi8((char)(place - first)), lane),
                             _mm_cmpgt_epi8(_mm_set1_epi8((char)(stop - first)), lane));
        _mm_storeu_si128((void *)(round->shuffle + first), _mm_blendv_epi8(none, distance, here));
        round->column[group] = column + index[place];
        place = stop;
    }
    rounds->count[group] = (int)(round - rounds->round);
}

/* Computes the rounds of shuffles that gather the children of a strip. Returns the number of
 * rounds. */
TARGET static int find_rounds(const struct wari_gather *gather, uint32_t strip,
                              struct rounds *rounds)
{
    const struct wari_word *words = gather->word + gather->first_word[strip];
    const struct wari_word *end = gather->word + gather->first_word[strip + 1];
    const uint8_t *index = gather->index + (size_t)strip * WARI_STRIP;
    const uint32_t left = gather->parents - strip * WARI_STRIP;
    const int parents = left < WARI_STRIP ? (int)left : WARI_STRIP;
    int most = 0;

    memset(rounds->count, 0, sizeof rounds->count);
    for (const struct wari_word *word = words; word < end; word++) {
        const int stop = word + 1 < end ? word[1].start : parents;
        for (int group = word->start / 16; 16 * group < stop; group++) {
            const int from = word->start > 16 * group ? word->start : 16 * group;
            const int to = stop < 16 * group + 16 ? stop : 16 * group + 16;
            find_spans(rounds, group, from, to, word->column, index);
        }
    }
    for (int group = 0; group < 4; group++)
        most = rounds->count[group] > most ? rounds->count[group] : most;
    for (int group = 0; group < 4; group++)
        for (int i = rounds->count[group]; i < most; i++) {
            memset(rounds->round[i].shuffle + 16 * group, NO_CHILD, 16);
            rounds->round[i].column[group] = words->column;
        }
    return most;
}

/* ---- Gathers -------------------------------------------------------------------------------- */

/* Returns a byte for each of 32 bits; the caller takes the maximum of a child and its byte. The
 * byte is INT8_MIN if the bit is set, which leaves the child unchanged, and otherwise
 * WARI_NO_QUIET, which replaces the child. */
TARGET_INLINE __m256i least_where(uint32_t bits)
{
    return _mm256_add_epi8(_mm256_and_si256(wari_spread_to_bytes(bits), _mm256_set1_epi8(1)),
                           _mm256_set1_epi8(WARI_NO_QUIET));
}

/* Returns the distance of each of 32 columns from the first column of its lane of 16. */
TARGET_INLINE __m256i distance_from_first(__m256i column)
{
    return _mm256_sub_epi8(column, _mm256_shuffle_epi8(column, _mm256_setzero_si256()));
}

/* The children of a strip, in two registers. */
struct strip {
    __m256i cells[2];
};

/* Returns true if the 16 columns of each lane lie within 32 bytes, so that two loads reach them. */
TARGET_INLINE bool all_near(__m256i low_distance, __m256i high_distance)
{
    return _mm256_testz_si256(_mm256_or_si256(low_distance, high_distance),
                              _mm256_set1_epi8((char)0xe0));
}

/* Gathers 32 children. `low` and `high` are the addresses of the first child in each lane of 16
 * children, and `distance` has the distance of each child from the first child in its lane. */
TARGET_INLINE __m256i near_children(const int8_t *low, const int8_t *high, __m256i distance)
{
    const __m256i first = _mm256_adds_epu8(distance, _mm256_set1_epi8(0x70)); /* zero from 16 on */
    const __m256i second = _mm256_sub_epi8(distance, _mm256_set1_epi8(16));   /* zero below 16 */

    return _mm256_or_si256(_mm256_shuffle_epi8(load_pair(low, high), first),
                           _mm256_shuffle_epi8(load_pair(low + 16, high + 16), second));
}

/* Gathers 32 children, which may be anywhere in the 64 columns of one word (struct wari_word).
 * `from` is the address of the first of these columns. */
TARGET_INLINE __m256i far_children(const int8_t *from, __m256i index)
{
    const __m256i none = _mm256_set1_epi8(0x70);
    __m256i cells = _mm256_shuffle_epi8(wari_load_twice(from), _mm256_adds_epu8(index, none));

    for (int i = 16; i < 64; i += 16) {
        const __m256i part = _mm256_xor_si256(index, _mm256_set1_epi8((char)i));
        cells = _mm256_or_si256(
            cells, _mm256_shuffle_epi8(wari_load_twice(from + i), _mm256_adds_epu8(part, none)));
    }
    return cells;
}

/* Returns a mask whose byte i is -1 if 32 * half + i, an offset in a strip, is at least `start`. */
TARGET_INLINE __m256i offsets_from(int start, int half)
{
    const __m256i place =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);

    return _mm256_cmpgt_epi8(place, _mm256_set1_epi8((char)(start - 32 * half - 1)));
}

/* Gathers the children of a strip that has any number of words (struct wari_word). The result of
 * each word is stored from the word's offset `start` on. It may extend beyond the children of the
 * word; there the results of later words replace it. */
TARGET static __attribute__((noinline)) struct strip strip_of_words(const int8_t *row,
                                                                    const struct wari_word *word,
                                                                    const struct wari_word *end,
                                                                    const uint8_t *index)
{
    struct strip strip = {{_mm256_setzero_si256(), _mm256_setzero_si256()}};

    for (; word < end; word++) {
        const int start = word->start, stop = word + 1 < end ? word[1].start : WARI_STRIP;
        for (int half = start / 32; half < 2 && 32 * half < stop; half++)
            strip.cells[half] = _mm256_blendv_epi8(
                strip.cells[half], far_children(row + word->column, load(index + 32 * half)),
                offsets_from(start, half));
    }
    return strip;
}

TARGET_INLINE struct strip strip_of(const int8_t *row, const struct wari_word *word,
                                    const struct wari_word *end, const uint8_t *index)
{
    /* If the distance of two words is less than this, the distances of all columns fit into
     * bytes. */
    enum { DISTANCE = 256 - 64 };
    const int8_t *from = row + word->column;
    __m256i low = load(index), high = load(index + 32);
    size_t first[4] = {index[0], index[16], index[32], index[48]};
    struct strip strip;

    if (end - word == 2 && word[1].column - word->column < DISTANCE) {
        const uint32_t apart = word[1].column - word->column, start = word[1].start;
        const __m256i more = _mm256_set1_epi8((char)apart);
        low = _mm256_add_epi8(low, _mm256_and_si256(offsets_from((int)start, 0), more));
        high = _mm256_add_epi8(high, _mm256_and_si256(offsets_from((int)start, 1), more));
        for (uint32_t i = 1; i < 4; i++)
            first[i] += 16 * i >= start ? apart : 0;
    } else if (end - word != 1) {
        return strip_of_words(row, word, end, index);
    }
    low = distance_from_first(low);
    high = distance_from_first(high);
    if (!all_near(low, high))
        return strip_of_words(row, word, end, index);
    strip.cells[0] = near_children(from + first[0], from + first[1], low);
    strip.cells[1] = near_children(from + first[2], from + first[3], high);
    return strip;
}

/* Replaces each entry of `least` by the cell of the same parent if the cell is smaller. */
TARGET_INLINE void take_smaller(int8_t *least, __m256i low, __m256i high)
{
    __m256i *at = (__m256i *)least;

    _mm256_store_si256(at, _mm256_min_epi8(_mm256_load_si256(at), low));
    _mm256_store_si256(at + 1, _mm256_min_epi8(_mm256_load_si256(at + 1), high));
}

/* Loads everything that the loop needs from the gather before the loop: the compiler must assume
 * that a store of cells may change the gather. */
TARGET_INLINE void lower_by_source(const struct wari_source *source, bool last,
                                   struct wari_strips strips, int8_t *least)
{
    const struct wari_gather *gather = source->gather;
    const int8_t *row = source->row;
    const uint8_t *index = gather->index + (size_t)strips.first * WARI_STRIP;
    const uint64_t *quiet = gather->quiet + strips.first;
    const uint32_t *first_word = gather->first_word + strips.first;
    const struct wari_word *words = gather->word, *word = words + first_word[0];
    struct wari_ahead ahead = wari_ahead_of(source, strips.first, strips.count);

    for (uint32_t i = 0; i < strips.count; i++, index += WARI_STRIP, least += WARI_STRIP) {
        const struct wari_word *end = words + first_word[i + 1];
        struct strip strip = strip_of(row, word, end, index);

        wari_fetch_two_lines(&ahead);
        if (last) {
            strip.cells[0] = _mm256_max_epi8(strip.cells[0], least_where((uint32_t)quiet[i]));
            strip.cells[1] =
                _mm256_max_epi8(strip.cells[1], least_where((uint32_t)(quiet[i] >> 32)));
        }
        take_smaller(least, strip.cells[0], strip.cells[1]);
        word = end;
    }
}

TARGET_INLINE void worst_of_source(const struct wari_source *source, struct wari_strips strips,
                                   int8_t *least)
{
    if (source->last)
        lower_by_source(source, true, strips, least);
    else
        lower_by_source(source, false, strips, least);
}

TARGET static void worst_avx2(const struct wari_source *sources, int count, uint32_t first_strip,
                              uint32_t strips, int8_t *out, size_t pitch)
{
    wari_worst_by_bands(sources, count, (struct wari_strips){first_strip, strips}, out, pitch,
                        worst_of_source);
}

/* Loads the spans of 32 parents and shuffles the children to their parents. */
TARGET_INLINE __m256i span_of(const int8_t *from, const struct shuffles *round, int half)
{
    return _mm256_shuffle_epi8(
        load_pair(from + round->column[2 * half], from + round->column[2 * half + 1]),
        load(round->shuffle + 32 * half));
}

/* Most strips have one or two rounds. For these two numbers the function is called with a constant,
 * so that the compiler generates a separate loop for each. */
TARGET_INLINE void worst_of_rounds(const struct shuffles *rounds, int count, uint64_t quiet,
                                   const struct wari_child *child, int children, int8_t *tile)
{
    __m256i least[2][2];

    least[false][0] = least[false][1] = _mm256_set1_epi8(INT8_MIN);
    least[true][0] = least_where((uint32_t)quiet);
    least[true][1] = least_where((uint32_t)(quiet >> 32));
    for (int i = 0; i < children; i++) {
        const int8_t *from = child[i].row;
        __m256i low = span_of(from, rounds, 0), high = span_of(from, rounds, 1);
        for (int round = 1; round < count; round++) {
            low = _mm256_or_si256(low, span_of(from, &rounds[round], 0));
            high = _mm256_or_si256(high, span_of(from, &rounds[round], 1));
        }
        take_smaller(tile + child[i].column * WARI_STRIP,
                     _mm256_max_epi8(low, least[child[i].last][0]),
                     _mm256_max_epi8(high, least[child[i].last][1]));
    }
}

TARGET static void worst_of_strip_avx2(const struct wari_gather *gather, uint32_t strip,
                                       const struct wari_child *child, int count, int8_t *tile)
{
    struct rounds rounds;
    const int most = find_rounds(gather, strip, &rounds);
    const uint64_t quiet = gather->quiet[strip];

    if (most == 1)
        worst_of_rounds(rounds.round, 1, quiet, child, count, tile);
    else if (most == 2)
        worst_of_rounds(rounds.round, 2, quiet, child, count, tile);
    else
        worst_of_rounds(rounds.round, most, quiet, child, count, tile);
}

/* ---- Tables --------------------------------------------------------------------------------- */

TARGET static void look_up_avx2(const int8_t table[256], const int8_t *from, size_t count,
                                int8_t *to)
{
    size_t i = 0;

    if (count >= 256) { /* from this number of bytes on, loading the table into registers pays
                         * off: an estimate, not measured */
        const struct wari_look_up_avx2 loaded = wari_look_up_load(table);
        for (; i + 32 <= count; i += 32)
            _mm256_storeu_si256((void *)(to + i), wari_look_up(&loaded, load(from + i)));
    }
    wari_look_up_plain(table, from + i, count - i, to + i);
}

/* ---- Merging -------------------------------------------------------------------------------- */

/* Transposes 16 rows by 32 columns. Lane q of a[i] is loaded from column 16 * q + i. Each round
 * interleaves register i with register i + 8, which rotates the combined index of register and byte
 * by one bit. After four rounds, lane q of a[k] has row k of the 16 columns from 16 * q on. */
TARGET_INLINE void transpose_rows(const int8_t *in, int8_t *out)
{
    __m256i a[16], b[16];

    for (int i = 0; i < 16; i++)
        a[i] = load_pair(in + i * WARI_STRIP, in + (16 + i) * WARI_STRIP);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            b[2 * i] = _mm256_unpacklo_epi8(a[i], a[i + 8]);
            b[2 * i + 1] = _mm256_unpackhi_epi8(a[i], a[i + 8]);
        }
        memcpy(a, b, sizeof a);
    }
    for (int k = 0; k < 16; k++)
        _mm256_storeu_si256((void *)(out + k * WARI_ITEM_COLUMNS), a[k]);
}

/* Transposes `rows` rows, rounded up to a multiple of 16. */
TARGET_INLINE void transpose(const int8_t *in, int8_t *out, int rows)
{
    for (int row = 0; row < rows; row += 16)
        for (int column = 0; column < WARI_ITEM_COLUMNS; column += 32)
            transpose_rows(in + column * WARI_STRIP + row, out + row * WARI_ITEM_COLUMNS + column);
}

TARGET static void transpose_avx2(const int8_t *in, int8_t *out)
{
    transpose(in, out, WARI_STRIP);
}

/* The limits that decide by comparison which cells change. Entries of tables that are indexed
 * by a value (0 to 63) are stored with their highest bit inverted, so that 0, the result for values
 * beyond the table, is below every code. */
struct thresholds {
    __m256i zero;
    int parts;        /* number of vectors of 16 entries in a table that is indexed by a value */
    __m256i lift[4];  /* [value of a cell]: the cell rises if the code of its smallest child is
                       * not above this limit */
    __m256i first[4]; /* [value of a child]: a cell whose code is above this limit falls, unless
                       * the cell is firm */
    __m256i firm[2];  /* [1 if the code is below 0]: bit h of byte l is set if the low seven bits of
                       * the code of a firm cell are 16 * h + l */
    struct wari_look_up_avx2 bound; /* [code of an upper bound]: an upper bound above 0 falls if
                                     * its smallest child is above this limit; any other upper
                                     * bound rises if its smallest child is below this limit */
};

/* Returns -1 for the cells that change or whose best capture has to be looked up. */
typedef __m256i cells_that_change(const struct thresholds *thresholds, __m256i cells,
                                  __m256i worst);

/* Merges the cells that change. Whole rows are examined. Rows of a strip with fewer than 64 columns
 * are copied first, since other threads may be writing the cells after them. */
TARGET_INLINE void merge(const struct wari_item_strip *strip, const struct thresholds *thresholds,
                         cells_that_change *changes, wari_merge_cell *merge_cell,
                         struct wari_merge_result *merged)
{
    const uint64_t all = UINT64_MAX >> (64 - strip->width);
    int8_t transposed[WARI_ITEM_STRIP_CELLS], copy[WARI_ITEM_COLUMNS] = {0};

    wari_nothing_merged(merged);
    transpose(strip->worst, transposed, strip->rows);
    for (int row = 0; row < strip->rows; row++) {
        const int8_t *cells = strip->cells + (size_t)row * strip->pitch;
        const int8_t *worst = transposed + row * WARI_ITEM_COLUMNS;

        __builtin_prefetch(cells + WARI_STRIP * strip->pitch);
        if (strip->width < WARI_ITEM_COLUMNS)
            cells = memcpy(copy, cells, (size_t)strip->width);
        const uint64_t columns =
            all & signs(changes(thresholds, load(cells), load(worst)),
                        changes(thresholds, load(cells + 32), load(worst + 32)));
        if (columns != 0)
            wari_merge_columns(strip, row, columns, worst, merge_cell, merged);
    }
}

/* Returns the values of the cells above 0, and 0 for all other cells. */
TARGET_INLINE __m256i values_above(__m256i codes, __m256i zero)
{
    return _mm256_sub_epi8(_mm256_max_epi8(codes, zero), zero);
}

/* Looks up values from 0 to 63 in a table of `parts` vectors. */
TARGET_INLINE __m256i by_value(const __m256i table[4], int parts, __m256i value)
{
    const __m256i none = _mm256_set1_epi8(0x70);
    __m256i found = _mm256_shuffle_epi8(table[0], _mm256_adds_epu8(value, none));

    for (int i = 1; i < parts; i++) {
        const __m256i part = _mm256_xor_si256(value, _mm256_set1_epi8((char)(16 * i)));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(table[i], _mm256_adds_epu8(part, none)));
    }
    return _mm256_xor_si256(found, _mm256_set1_epi8(INT8_MIN));
}

/* Returns -1 for each code of a firm cell, that is, of a cell that cannot fall because its value is
 * equal to its best capture (cell.h). Returns 0 for all other codes. */
TARGET_INLINE __m256i are_firm(const __m256i firm[2], __m256i codes)
{
    const __m256i bit = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m256i row = _mm256_and_si256(_mm256_srli_epi16(codes, 4), _mm256_set1_epi8(15));
    const __m256i which = _mm256_shuffle_epi8(bit, row);
    const __m256i upper = _mm256_xor_si256(codes, _mm256_set1_epi8(INT8_MIN));
    const __m256i bits =
        _mm256_or_si256(_mm256_shuffle_epi8(firm[0], codes), _mm256_shuffle_epi8(firm[1], upper));

    return _mm256_cmpeq_epi8(_mm256_and_si256(bits, which), which);
}

/* Finds the cells that wari_cell_grown() changes, or for which it needs the best capture: a cell of
 * value v rises if the value of the child is below -v, and a cell that is not above 0 may fall if
 * the value of the child is above -v. */
TARGET_INLINE __m256i growing_cells(const struct thresholds *t, __m256i cells, __m256i worst)
{
    const __m256i lift = by_value(t->lift, t->parts, values_above(cells, t->zero));
    const __m256i first = by_value(t->first, t->parts, values_above(worst, t->zero));
    const __m256i stays =
        _mm256_or_si256(_mm256_cmpgt_epi8(cells, t->zero), are_firm(t->firm, cells));
    const __m256i falls = _mm256_andnot_si256(stays, _mm256_cmpgt_epi8(cells, first));

    return _mm256_or_si256(falls,
                           _mm256_xor_si256(_mm256_cmpgt_epi8(worst, lift), _mm256_set1_epi8(-1)));
}

TARGET static void grow_avx2(const struct wari_item_strip *strip, struct wari_merge_result *merged)
{
    const struct wari_cells *codes = strip->codes;
    struct thresholds thresholds = {.zero = _mm256_set1_epi8(codes->zero),
                                    .parts = codes->seeds / 16 + 1};
    uint8_t first[64], firm[2][16] = {{0}};

    first[0] = (uint8_t)codes->zero ^ 0x80;
    for (int i = 0; i < 63; i++)
        first[i + 1] = (uint8_t)codes->lift[i] ^ 0x80;
    for (int size = 0; size <= codes->seeds; size++) {
        const uint8_t code = (uint8_t)codes->low.first[size];
        firm[code >> 7][code & 15] |= (uint8_t)(1 << (code >> 4 & 7));
    }
    for (int i = 0; i < 4; i++) {
        const __m256i lift = wari_load_twice(codes->lift + 16 * i);
        thresholds.lift[i] = _mm256_xor_si256(lift, _mm256_set1_epi8(INT8_MIN));
        thresholds.first[i] = wari_load_twice(first + 16 * i);
    }
    thresholds.firm[0] = wari_load_twice(firm[0]);
    thresholds.firm[1] = wari_load_twice(firm[1]);
    merge(strip, &thresholds, growing_cells, wari_cell_grown, merged);
}

/* Finds the cells that wari_upper_shrunk() changes, or for which it needs the best capture. */
TARGET_INLINE __m256i shrinking_cells(const struct thresholds *t, __m256i cells, __m256i worst)
{
    const __m256i bound = wari_look_up(&t->bound, cells);

    return _mm256_blendv_epi8(_mm256_cmpgt_epi8(bound, worst), _mm256_cmpgt_epi8(worst, bound),
                              _mm256_cmpgt_epi8(cells, t->zero));
}

TARGET static void shrink_avx2(const struct wari_item_strip *strip,
                               struct wari_merge_result *merged)
{
    const struct wari_cells *codes = strip->codes;
    struct thresholds thresholds = {.zero = _mm256_set1_epi8(codes->zero)};
    int8_t bound[256];

    wari_shrink_limits(codes, bound);
    thresholds.bound = wari_look_up_load(bound);
    merge(strip, &thresholds, shrinking_cells, wari_upper_shrunk, merged);
}

/* ---- Bits ----------------------------------------------------------------------------------- */

WARI_BITS_LOOPS(TARGET, avx2, wari_close_up_pext)
WARI_BITS_LOOPS(TARGET, avx2_runs, wari_close_up_runs)

TARGET WARI_BITS_RACY static bool bits_fold_avx2(const struct wari_fold_tables *tables,
                                                 const struct wari_fold_range *range)
{
    return wari_bits_fold_plain(tables, range);
}

#define OPS(bits_of_column_ops, bits_decide_ops)                                                   \
    {                                                                                              \
        .name = "avx2", .worst = worst_avx2, .worst_of_strip = worst_of_strip_avx2,                \
        .grow = grow_avx2, .shrink = shrink_avx2, .transpose = transpose_avx2,                     \
        .look_up = look_up_avx2, .to_halves = wari_to_halves_avx2,                                 \
        .from_halves = wari_from_halves_avx2, .bits_of_column = (bits_of_column_ops),              \
        .bits_decide = (bits_decide_ops), .bits_fold = bits_fold_avx2,                             \
    }

const struct wari_kernel_ops wari_kernel_avx2 = OPS(bits_of_column_avx2, bits_decide_avx2);
const struct wari_kernel_ops wari_kernel_avx2_runs =
    OPS(bits_of_column_avx2_runs, bits_decide_avx2_runs);

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
