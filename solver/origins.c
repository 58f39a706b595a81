/* The inverse of sowing: from a mover half that a move left behind to the halves and pits that it
 * can have come from, and from a child's column to its parent's row. */
#include <string.h>

#include "solver/tables.h"

static enum wari_status allocate_first(struct wari_tables *tables, int seeds,
                                       struct wari_error *error)
{
    void *memory;
    const size_t bytes = ((size_t)wari_row_count(seeds) + 2) * sizeof(uint32_t);
    const enum wari_status status =
        wari_allocate(tables->host, bytes, "the list of sown halves", &memory, error);

    if (status != WARI_OK)
        return status;
    memset(memory, 0, bytes);
    tables->origins[seeds].first = memory;
    return WARI_OK;
}

/* Turns first[row + 2], the number of a row's origins, into first[row + 1], where they begin. */
static enum wari_status allocate_origins(struct wari_tables *tables, int seeds,
                                         struct wari_error *error)
{
    struct wari_origins *origins = &tables->origins[seeds];
    const uint32_t rows = wari_row_count(seeds);
    void *memory;
    enum wari_status status;

    for (uint32_t row = 2; row < rows + 2; row++)
        origins->first[row] += origins->first[row - 1];
    status = wari_allocate(tables->host, (size_t)origins->first[rows + 1] * sizeof(wari_sowing) + 1,
                           "the origins of all halves", &memory, error);
    if (status == WARI_OK)
        origins->origin = memory;
    return status;
}

/* Goes through all sowings of halves with `seeds` seeds: counts them, or enters them. */
static void add_origins(struct wari_tables *tables, int seeds, bool count)
{
    const uint32_t halves = wari_half_count(seeds);
    const wari_sowing *sowing = tables->sowings[seeds];

    for (uint32_t half = 0; half < halves; half++) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++, sowing++) {
            if (*sowing == WARI_NO_SOWING)
                continue;
            struct wari_origins *origins = &tables->origins[seeds - wari_sowing_sown(*sowing)];
            const uint32_t row = wari_sowing_row(*sowing);
            if (count)
                origins->first[row + 2]++;
            else
                origins->origin[origins->first[row + 1]++] = half | (*sowing & ~WARI_SOWING_ROW);
        }
    }
}

/* The pattern of t seeds gives t / 6 to every pit and one more to the first t % 6, so it fits into
 * a half up to the first pit that holds least. */
static int most_sown_on(const uint8_t half[WARI_HALF_PITS])
{
    int least = 0;

    for (int pit = 1; pit < WARI_HALF_PITS; pit++)
        if (half[pit] < half[least])
            least = pit;
    return WARI_HALF_PITS * half[least] + least;
}

static enum wari_status make_most_sown(struct wari_tables *tables, int seeds,
                                       struct wari_error *error)
{
    const uint32_t halves = wari_half_count(seeds);
    uint8_t half[WARI_HALF_PITS], *most;
    void *memory;
    const enum wari_status status =
        wari_allocate(tables->host, halves, "what halves can have been sown on", &memory, error);

    if (status != WARI_OK)
        return status;
    tables->origins[seeds].most_sown = most = memory;
    wari_half_unrank(seeds, 0, half);
    for (uint32_t i = 0; i < halves; i++, wari_half_next(half))
        most[i] = (uint8_t)most_sown_on(half);
    return WARI_OK;
}

enum wari_status wari_origins_create(struct wari_tables *tables, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int seeds = 0; seeds <= tables->seeds && status == WARI_OK; seeds++) {
        status = make_most_sown(tables, seeds, error);
        if (status == WARI_OK)
            status = allocate_first(tables, seeds, error);
    }
    if (status != WARI_OK)
        return status;
    for (int seeds = 0; seeds <= tables->seeds; seeds++)
        add_origins(tables, seeds, true);
    for (int seeds = 0; seeds <= tables->seeds && status == WARI_OK; seeds++)
        status = allocate_origins(tables, seeds, error);
    if (status != WARI_OK)
        return status;
    for (int seeds = 0; seeds <= tables->seeds; seeds++)
        add_origins(tables, seeds, false);
    return WARI_OK;
}

void wari_origins_destroy(struct wari_tables *tables)
{
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        wari_release(tables->host, tables->origins[seeds].first);
        wari_release(tables->host, tables->origins[seeds].origin);
        wari_release(tables->host, tables->origins[seeds].most_sown);
    }
}

bool wari_gather_parent(const struct wari_gather *gather, uint32_t column, bool last,
                        uint32_t *parent)
{
    for (uint32_t w = gather->word_of[column / 64]; w < gather->words; w++) {
        const struct wari_word *word = &gather->word[w];
        const uint32_t bit = column - word->column;
        if (column < word->column)
            return false;
        if (bit >= 64 || !(word->mask >> bit & 1))
            continue;
        const uint32_t place =
            word->start + (uint32_t)__builtin_popcountll(word->mask & ((UINT64_C(1) << bit) - 1));
        *parent = word->strip * WARI_STRIP + place;
        return !last || (gather->quiet[word->strip] >> place & 1) != 0;
    }
    return false;
}
