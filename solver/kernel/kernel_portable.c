/* The kernel for any machine. The columns of children form runs of consecutive columns (long runs
 * where few seeds are sown), so a strip of children is gathered by a sequence of short copies of
 * fixed size. Loops over 64 adjacent bytes are vectorised by the compiler on machines with
 * vectors. */
#include "solver/kernel/plain.h"

enum { COPY = 16 };

/* The children of a strip, and space for the bytes that the last copy writes beyond them. */
struct strip {
    uint8_t cells[WARI_STRIP + COPY];
};

/* A copy of COPY bytes from a child row to the strip, at offset `to`. The run of children may be
 * shorter than COPY. The bytes copied beyond its end are not children, and later copies overwrite
 * them. */
struct copy {
    uint32_t from; /* first column of the child row */
    uint32_t to;
};

typedef void do_copy(void *context, struct copy copy);

/* Calls `copy` for each copy that gathers the children of a strip. The starts and ends of runs are
 * found by independent computations, so that neither waits for the other. */
WARI_INLINE void close_up(const struct wari_gather *gather, uint32_t strip, do_copy *copy,
                          void *context)
{
    const struct wari_word *word = gather->word + gather->first_word[strip];
    const struct wari_word *end = gather->word + gather->first_word[strip + 1];
    uint32_t to = 0;

    for (; word < end; word++) {
        uint64_t starts = word->mask & ~(word->mask << 1), ends = ~word->mask & word->mask << 1;
        for (; starts != 0; starts &= starts - 1, ends &= ends - 1) {
            const uint32_t start = (uint32_t)__builtin_ctzll(starts);
            const uint32_t stop = ends != 0 ? (uint32_t)__builtin_ctzll(ends) : 64;
            for (uint32_t at = start; at < stop; at += COPY)
                copy(context, (struct copy){word->column + at, to + at - start});
            to += stop - start;
        }
    }
}

/* Context of copy_children(), which performs each copy at once. All copies read the same row. */
struct gathering {
    const int8_t *row;
    struct strip strip;
};

WARI_INLINE void copy_children(void *context, struct copy copy)
{
    struct gathering *gathering = context;

    memcpy(gathering->strip.cells + copy.to, gathering->row + copy.from, COPY);
}

/* Context of list_copy(), which appends each copy to a list instead of performing it. The caller
 * then performs the copies of the list for many child rows. */
struct copies {
    int count;
    struct copy copy[WARI_STRIP];
};

WARI_INLINE void list_copy(void *context, struct copy copy)
{
    struct copies *copies = context;

    copies->copy[copies->count++] = copy;
}

/* Sets byte i to 0 if bit i is set, and to all ones otherwise. */
WARI_INLINE void hide_others(uint64_t bits, uint8_t hidden[WARI_STRIP])
{
    for (int i = 0; i < 8; i++) {
        const uint64_t eight =
            wari_bits_ordered(~(wari_spread_bits((uint8_t)(bits >> 8 * i)) * 0xff));
        memcpy(hidden + 8 * i, &eight, sizeof eight);
    }
}

/* Computes least = min(least, cells), except where `hidden` is all ones. Bytes are compared as
 * unsigned; inverting the highest bit gives them the order of the signed codes. */
WARI_INLINE void take_smaller(int8_t *restrict least, const struct strip *restrict strip,
                              const uint8_t *restrict hidden)
{
    for (int i = 0; i < WARI_STRIP; i++) {
        const uint8_t cell = (strip->cells[i] ^ 0x80) | (hidden ? hidden[i] : 0);
        const uint8_t old = (uint8_t)least[i] ^ 0x80;
        least[i] = (int8_t)((cell < old ? cell : old) ^ 0x80);
    }
}

static void worst_portable(const struct wari_source *sources, int count, uint32_t first_strip,
                           uint32_t strips, int8_t *out, size_t pitch)
{
    struct gathering gathering = {.row = NULL};
    uint8_t hidden[WARI_STRIP];

    for (uint32_t i = 0; i < strips; i++)
        memset(out + i * pitch, WARI_NO_QUIET, WARI_STRIP);
    for (int s = 0; s < count; s++) {
        const struct wari_gather *gather = sources[s].gather;
        gathering.row = sources[s].row;
        for (uint32_t i = 0; i < strips; i++) {
            const uint64_t quiet = gather->quiet[first_strip + i];
            close_up(gather, first_strip + i, copy_children, &gathering);
            if (sources[s].last && quiet != UINT64_MAX) {
                hide_others(quiet, hidden);
                take_smaller(out + i * pitch, &gathering.strip, hidden);
            } else {
                take_smaller(out + i * pitch, &gathering.strip, NULL);
            }
        }
    }
}

static void worst_of_strip_portable(const struct wari_gather *gather, uint32_t strip,
                                    const struct wari_child *child, int count, int8_t *tile)
{
    struct gathering gathering = {.row = NULL};
    struct copies copies = {.count = 0};
    uint8_t hidden[WARI_STRIP];

    close_up(gather, strip, list_copy, &copies);
    hide_others(gather->quiet[strip], hidden);
    for (int i = 0; i < count; i++) {
        int8_t *least = tile + child[i].column * WARI_STRIP;
        gathering.row = child[i].row;
        for (int j = 0; j < copies.count; j++)
            copy_children(&gathering, copies.copy[j]);
        if (child[i].last)
            take_smaller(least, &gathering.strip, hidden);
        else
            take_smaller(least, &gathering.strip, NULL);
    }
}

static void grow_portable(const struct wari_item_strip *strip, struct wari_merge_result *merged)
{
    int8_t limits[256];

    wari_grow_limits(strip->codes, limits);
    wari_merge_plain(strip, limits, merged, wari_grows, wari_cell_grown);
}

static void shrink_portable(const struct wari_item_strip *strip, struct wari_merge_result *merged)
{
    int8_t limits[256];

    wari_shrink_limits(strip->codes, limits);
    wari_merge_plain(strip, limits, merged, wari_shrinks, wari_upper_shrunk);
}

static void transpose_portable(const int8_t *in, int8_t *out)
{
    wari_transpose_plain(in, out, WARI_STRIP, WARI_ITEM_COLUMNS);
}

static void look_up_portable(const int8_t table[256], const int8_t *from, size_t count, int8_t *to)
{
    wari_look_up_plain(table, from, count, to);
}

WARI_BITS_LOOPS(, portable, wari_close_up_runs)

WARI_BITS_RACY static bool bits_fold_portable(const struct wari_fold_tables *tables,
                                              const struct wari_fold_range *range)
{
    return wari_bits_fold_plain(tables, range);
}

const struct wari_kernel_ops wari_kernel_portable = {
    .name = "portable",
    .worst = worst_portable,
    .worst_of_strip = worst_of_strip_portable,
    .grow = grow_portable,
    .shrink = shrink_portable,
    .transpose = transpose_portable,
    .look_up = look_up_portable,
    .to_halves = wari_to_halves_portable,
    .from_halves = wari_from_halves_portable,
    .bits_of_column = bits_of_column_portable,
    .bits_decide = bits_decide_portable,
    .bits_fold = bits_fold_portable,
};
