/* Creates the gathers of tables.h by enumerating all halves.
 *
 * Each gather is made twice by the same function: first to count the entries, then to fill them in.
 * Invariants: the columns of a gather strictly increase; each parent half is in exactly one word;
 * and each half is either quiet or in one of the two lists, captures and slams, which are for moves
 * whose last seed falls on the opponent's side.
 */
#include "solver/rows/tables.h"

#include <string.h>

/* ---- Gathers ------------------------------------------------------------------------------ */

/* The state of creating one gather (tables.h). The arrays of the gather are NULL in the pass that
 * only counts their entries. */
struct maker {
    struct wari_gather *gather;
    uint32_t captures, slams;
    uint32_t word_end; /* first column that the words made so far do not contain */
};

static void add_column(struct maker *maker, uint32_t column)
{
    struct wari_gather *gather = maker->gather;
    const uint32_t row = gather->parents % WARI_STRIP;

    if (row == 0 || column >= maker->word_end) {
        maker->word_end = column + 64;
        if (gather->word)
            gather->word[gather->words] = (struct wari_word){
                .column = column,
                .start = row & (WARI_STRIP - 1),
                .strip = gather->parents / WARI_STRIP & 0x3ffffff,
            };
        gather->words++;
    }
    if (gather->word) {
        struct wari_word *word = &gather->word[gather->words - 1];
        word->mask |= UINT64_C(1) << (column - word->column);
        gather->index[gather->parents] = (uint8_t)(column - word->column);
    }
}

/* Sorts the captures of the last band (rows/tables.h) by the number of seeds captured. Called when
 * the band is complete. The sort is stable.
 */
static void end_band(struct maker *maker)
{
    const struct wari_gather *gather = maker->gather;
    uint32_t start[WARI_CAPTURE_MAX + 2] = {0};
    struct wari_capture unsorted[WARI_BAND_ROWS];
    struct wari_capture *list;
    uint32_t count;

    if (!gather->capture || gather->parents == 0)
        return;
    list = gather->capture + gather->first_capture[(gather->parents - 1) / WARI_BAND_ROWS];
    count = (uint32_t)(gather->capture + maker->captures - list);
    memcpy(unsorted, list, count * sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        start[unsorted[i].captured + 1]++;
    for (int captured = 1; captured <= WARI_CAPTURE_MAX; captured++)
        start[captured] += start[captured - 1];
    for (uint32_t i = 0; i < count; i++)
        list[start[unsorted[i].captured]++] = unsorted[i];
}

static void add_parent(struct maker *maker, const uint8_t half[WARI_HALF_PITS], int sown,
                       enum wari_slam slam_rule)
{
    struct wari_gather *gather = maker->gather;
    const uint32_t strip = gather->parents / WARI_STRIP;
    const uint32_t band = gather->parents / WARI_BAND_ROWS;
    const uint32_t row = gather->parents % WARI_BAND_ROWS;
    struct wari_landing landing = {0, false, 0};
    uint8_t child[WARI_HALF_PITS];

    if (row % WARI_STRIP == 0 && gather->first_word)
        gather->first_word[strip] = gather->words;
    if (row == 0)
        end_band(maker);
    if (row == 0 && gather->first_capture) {
        gather->first_capture[band] = maker->captures;
        gather->first_slam[band] = maker->slams;
    }
    memcpy(child, half, sizeof child);
    wari_drop(child, sown);
    add_column(maker, wari_half_rank(child));
    if (sown > 0)
        landing = wari_land(child, sown);
    if (landing.captured == 0 || (landing.slam && slam_rule == WARI_SLAM_NO_CAPTURE)) {
        if (gather->quiet)
            gather->quiet[strip] |= UINT64_C(1) << row % WARI_STRIP;
    } else if (landing.slam) {
        if (gather->slam)
            gather->slam[maker->slams] = (uint16_t)row;
        maker->slams++;
    } else {
        if (gather->capture)
            gather->capture[maker->captures] =
                (struct wari_capture){landing.column, (uint16_t)row, (uint8_t)landing.captured};
        maker->captures++;
    }
    gather->parents++;
}

static void add_parents(struct maker *maker, enum wari_parents kind, int seeds, int sown,
                        enum wari_slam slam_rule)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_unrank(seeds, 0, half);
    do {
        if (wari_half_full(half) == (kind == WARI_PARENTS_FULL))
            add_parent(maker, half, sown, slam_rule);
    } while (wari_half_next(half));
    end_band(maker);
}

/* Allocates the arrays of a gather as one block of memory, those with the widest elements first. */
static enum wari_status allocate_gather(struct wari_gather *gather, const struct maker *counted,
                                        const struct wari_host *host, struct wari_error *error)
{
    const uint32_t words = counted->gather->words, parents = counted->gather->parents;
    const size_t strips = (parents + WARI_STRIP - 1) / WARI_STRIP;
    const size_t bands = (parents + WARI_BAND_ROWS - 1) / WARI_BAND_ROWS;
    const size_t bytes = words * sizeof(struct wari_word) + strips * sizeof(uint64_t) +
                         counted->captures * sizeof(struct wari_capture) +
                         (strips + 1 + 2 * (bands + 1)) * sizeof(uint32_t) +
                         counted->slams * sizeof(uint16_t) + strips * WARI_STRIP;
    void *memory;
    enum wari_status status = wari_allocate(host, bytes, "the sowing maps", &memory, error);

    *gather = (struct wari_gather){
        .strips = (uint32_t)strips, .bands = (uint32_t)bands, .memory = memory};
    if (status != WARI_OK)
        return status;
    gather->word = memory;
    gather->quiet = (void *)(gather->word + words);
    memset(gather->quiet, 0, strips * sizeof(uint64_t));
    gather->capture = (void *)(gather->quiet + strips);
    gather->first_word = (void *)(gather->capture + counted->captures);
    gather->first_capture = gather->first_word + strips + 1;
    gather->first_slam = gather->first_capture + bands + 1;
    gather->slam = (void *)(gather->first_slam + bands + 1);
    gather->index = (void *)(gather->slam + counted->slams);
    memset(gather->index, 0, strips * WARI_STRIP);
    return WARI_OK;
}

enum wari_status wari_gather_create(struct wari_gather *gather, const struct wari_host *host,
                                    struct wari_gather_key key, struct wari_error *error)
{
    const enum wari_slam slam_rule = wari_get_rules_info(key.rules)->slam;
    struct wari_gather numbers = {0};
    struct maker counted = {.gather = &numbers}, filled = {.gather = gather};
    enum wari_status status;

    add_parents(&counted, key.kind, key.seeds, key.sown, slam_rule);
    status = allocate_gather(gather, &counted, host, error);
    if (status != WARI_OK)
        return status;
    add_parents(&filled, key.kind, key.seeds, key.sown, slam_rule);
    gather->first_word[gather->strips] = gather->words;
    gather->first_capture[gather->bands] = filled.captures;
    gather->first_slam[gather->bands] = filled.slams;
    return WARI_OK;
}

/* ---- All gathers -------------------------------------------------------------------------- */

/* Returns the number of halves with s seeds that have `count` seeds in a given pit. */
static uint64_t halves_with(int s, int count)
{
    if (count < 0 || count > s)
        return 0;
    return wari_half_count(s - count) - (count < s ? wari_half_count(s - count - 1) : 0);
}

/* Returns the number of opponent halves with s seeds in which a move that drops `sown` seeds ends
 * in a pit that then holds 2 or 3 seeds, so that the move is a capture or a slam. */
static uint64_t captures_of(int s, int sown)
{
    const int dropped = (sown + WARI_HALF_PITS - 1) / WARI_HALF_PITS;

    return sown == 0 ? 0 : halves_with(s, 2 - dropped) + halves_with(s, 3 - dropped);
}

/* Adds up the arrays of all gathers. The number of words is estimated: over all gathers of all
 * levels there are from 1.7 (10 seeds) to 2.4 (48 seeds) words a strip. */
uint64_t wari_tables_bytes(int seeds)
{
    const uint64_t words = sizeof(struct wari_word) * 25 / 10;
    const uint64_t a_strip = WARI_STRIP + words + sizeof(uint64_t) + sizeof(uint32_t);
    const uint64_t a_pair = 128; /* estimate for each pair (s, t): the overhead of two allocations,
                                  * the last entries of first_* arrays, and incomplete strips */
    uint64_t bytes = sizeof(struct wari_tables) + 4096; /* the size of the struct is rounded up to
                                                         * pages */

    for (int s = 0; s <= seeds; s++) {
        const uint64_t halves = wari_half_count(s);
        for (int sown = 0; sown <= WARI_SOWN_MAX && wari_pair_occurs(seeds, s, sown); sown++)
            bytes += halves * a_strip / WARI_STRIP +
                     halves / WARI_BAND_ROWS * 2 * sizeof(uint32_t) +
                     captures_of(s, sown) * sizeof(struct wari_capture) + a_pair;
    }
    return bytes;
}

/* Creates the gathers for opponent halves of `seeds` seeds and moves that drop `sown` seeds, for
 * both kinds of parents. Does nothing if no move of the level has this pair of numbers. */
static enum wari_status make_gathers(struct wari_tables *tables, int seeds, int sown,
                                     struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    if (seeds > tables->seeds || !wari_pair_occurs(tables->seeds, seeds, sown))
        return WARI_OK;
    for (int kind = 0; kind < WARI_PARENTS_KINDS && status == WARI_OK; kind++) {
        const struct wari_gather_key key = {tables->rules, (enum wari_parents)kind, seeds, sown};
        status = wari_gather_create(&tables->gather[kind][seeds][sown], tables->host, key, error);
    }
    return status;
}

enum wari_status wari_tables_create(struct wari_tables **result, const struct wari_host *host,
                                    enum wari_rules rules, int seeds, int threads,
                                    struct wari_error *error)
{
    const int pairs = (WARI_SEEDS_MAX + 1) * (WARI_SOWN_MAX + 1);
    struct wari_tables *tables;
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof *tables, "the table of sowing maps", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    tables = memory;
    memset(tables, 0, sizeof *tables);
    tables->rules = rules;
    tables->seeds = seeds;
    tables->host = host;
    wari_halves_init(&tables->halves);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int pair = pairs - 1; pair >= 0; pair--) {
        struct wari_error my_error;
        const enum wari_status mine =
            make_gathers(tables, pair / (WARI_SOWN_MAX + 1), pair % (WARI_SOWN_MAX + 1), &my_error);
        if (mine != WARI_OK) {
#pragma omp critical
            {
                status = mine;
                if (error)
                    *error = my_error;
            }
        }
    }
    if (status != WARI_OK) {
        wari_tables_destroy(tables);
        return status;
    }
    *result = tables;
    return WARI_OK;
}

void wari_tables_destroy(struct wari_tables *tables)
{
    if (!tables)
        return;
    for (int s = 0; s <= WARI_SEEDS_MAX; s++) {
        for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
            for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++)
                wari_release(tables->host, tables->gather[kind][s][sown].memory);
    }
    wari_release(tables->host, tables);
}

enum wari_status wari_check_seeds(int seeds, struct wari_error *error)
{
    if (seeds < 0 || seeds > WARI_SEEDS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%d seeds: a board has 0 to %d", seeds,
                         WARI_SEEDS_MAX);
    if (!wari_level_exists(seeds))
        return wari_fail(error, WARI_BAD_INPUT,
                         "47 seeds cannot arise in a game (a capture takes at least 2 of 48); "
                         "ask for 46 or 48");
    return WARI_OK;
}
