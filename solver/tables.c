/* Makes the gathers and sowings of tables.h by plain enumeration of halves.
 *
 * Every gather is made twice: once to count, once to fill, by the same function. What always holds:
 * columns of a gather strictly increase, every parent half is in exactly one word, and a half is
 * quiet, in the capture list or in the slam list (a capture needs the last seed there).
 */
#include "solver/tables.h"

#include <string.h>

int wari_seeds_to_sow(int sown)
{
    return sown == 0 ? 0 : sown + 5 * ((sown - 1) / WARI_HALF_PITS);
}

/* ---- Sowings of mover halves ---------------------------------------------------------------- */

wari_sowing wari_sow_half(const uint8_t half[WARI_HALF_PITS], int pit)
{
    uint8_t after[WARI_HALF_PITS];
    int sown = 0;
    bool last = false;

    if (half[pit] == 0)
        return WARI_NO_SOWING;
    memcpy(after, half, sizeof after);
    after[pit] = 0;
    for (int left = half[pit], at = pit; left > 0;) {
        at = (at + 1) % WARI_PITS;
        if (at == pit)
            continue;
        last = at >= WARI_HALF_PITS;
        if (last)
            sown++;
        else
            after[at]++;
        left--;
    }
    return wari_row_rank(after) | (uint32_t)last << 26 | (uint32_t)sown << 27;
}

static enum wari_status make_sowings(struct wari_tables *tables, int seeds,
                                     struct wari_error *error)
{
    const uint32_t count = wari_half_count(seeds);
    uint8_t half[WARI_HALF_PITS];
    void *memory;
    enum wari_status status =
        wari_allocate(tables->host, (size_t)count * WARI_HALF_PITS * sizeof(wari_sowing),
                      "the moves of all halves", &memory, error);

    if (status != WARI_OK)
        return status;
    tables->sowings[seeds] = memory;
    wari_half_unrank(seeds, 0, half);
    for (uint32_t i = 0; i < count; i++, wari_half_next(half)) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            tables->sowings[seeds][(size_t)i * WARI_HALF_PITS + (size_t)pit] =
                wari_sow_half(half, pit);
    }
    return WARI_OK;
}

/* ---- Gathers -------------------------------------------------------------------------------- */

/* What a move that drops its last seed on the opponent's side does to his half. */
struct landing {
    int captured;
    bool slam;
    uint32_t column; /* of what is left, for a capture that is no slam */
};

/* `half` is the opponent's after `sown` seeds, the last of them in pit (sown - 1) % 6. */
static struct landing land(const uint8_t half[WARI_HALF_PITS], int sown)
{
    struct landing landing = {0, false, 0};
    uint8_t left[WARI_HALF_PITS];

    memcpy(left, half, sizeof left);
    for (int pit = (sown - 1) % WARI_HALF_PITS; pit >= 0 && (left[pit] == 2 || left[pit] == 3);
         pit--) {
        landing.captured += left[pit];
        left[pit] = 0;
    }
    if (landing.captured > 0) {
        landing.slam = wari_half_seeds(left) == 0;
        landing.column = wari_half_rank(left);
    }
    return landing;
}

/* A gather while it is made. The arrays are NULL in the counting pass. */
struct maker {
    uint32_t parents, words, captures, slams;
    uint32_t word_end; /* first column behind the last word */
    uint32_t *first_word, *column, *first_capture, *first_slam;
    uint64_t *mask, *quiet;
    struct wari_capture *capture;
    uint16_t *slam;
    struct wari_span *span;
};

static void add_column(struct maker *maker, uint32_t column, bool new_segment)
{
    if (new_segment || column >= maker->word_end) {
        maker->word_end = column + 64;
        if (maker->column) {
            maker->column[maker->words] = column;
            maker->mask[maker->words] = 0;
        }
        maker->words++;
    }
    if (maker->column) {
        const uint32_t word = maker->words - 1;
        struct wari_span *span = &maker->span[maker->parents / WARI_SEGMENT];
        maker->mask[word] |= UINT64_C(1) << (column - maker->column[word]);
        if (new_segment)
            span->first = column / 64;
        span->last = column / 64;
    }
}

/* Keeps the captures of a segment sorted by what they capture (insertion from the back: lists are
 * short and arrive nearly sorted). */
static void add_capture(struct maker *maker, struct wari_capture capture, uint32_t segment)
{
    if (maker->capture) {
        uint32_t at = maker->captures;
        for (; at > maker->first_capture[segment] &&
               maker->capture[at - 1].captured > capture.captured;
             at--)
            maker->capture[at] = maker->capture[at - 1];
        maker->capture[at] = capture;
    }
    maker->captures++;
}

static void add_parent(struct maker *maker, const uint8_t half[WARI_HALF_PITS], int sown,
                       enum wari_slam slam_rule)
{
    const uint32_t segment = maker->parents / WARI_SEGMENT;
    const uint32_t place = maker->parents % WARI_SEGMENT;
    struct landing landing = {0, false, 0};
    uint8_t child[WARI_HALF_PITS];

    if (place == 0 && maker->first_word) {
        maker->first_word[segment] = maker->words;
        maker->first_capture[segment] = maker->captures;
        maker->first_slam[segment] = maker->slams;
    }
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        child[pit] = (uint8_t)(half[pit] + (sown + WARI_HALF_PITS - 1 - pit) / WARI_HALF_PITS);
    add_column(maker, wari_half_rank(child), place == 0);
    if (sown > 0)
        landing = land(child, sown);
    if (landing.captured == 0 || (landing.slam && slam_rule == WARI_SLAM_NO_CAPTURE)) {
        if (maker->quiet)
            maker->quiet[maker->parents / 64] |= UINT64_C(1) << maker->parents % 64;
    } else if (landing.slam) {
        if (maker->slam)
            maker->slam[maker->slams] = (uint16_t)place;
        maker->slams++;
    } else {
        add_capture(
            maker,
            (struct wari_capture){landing.column, (uint16_t)place, (uint8_t)landing.captured},
            segment);
    }
    maker->parents++;
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
}

/* Lays the arrays of a counted gather out in one piece of memory, widest elements first. */
static enum wari_status allocate_gather(struct maker *filled, const struct maker *counted,
                                        void **memory, const struct wari_host *host,
                                        struct wari_error *error)
{
    const size_t segments = (counted->parents + WARI_SEGMENT - 1) / WARI_SEGMENT;
    const size_t quiet_words = segments * WARI_SEGMENT_WORDS;
    const size_t bytes = (counted->words + quiet_words) * sizeof(uint64_t) +
                         counted->captures * sizeof(struct wari_capture) +
                         segments * sizeof(struct wari_span) +
                         (counted->words + 3 * (segments + 1)) * sizeof(uint32_t) +
                         counted->slams * sizeof(uint16_t);
    enum wari_status status = wari_allocate(host, bytes, "the sowing maps", memory, error);

    if (status != WARI_OK)
        return status;
    *filled = (struct maker){0};
    filled->mask = *memory;
    filled->quiet = filled->mask + counted->words;
    memset(filled->quiet, 0, quiet_words * sizeof(uint64_t));
    filled->capture = (void *)(filled->quiet + quiet_words);
    filled->span = (void *)(filled->capture + counted->captures);
    filled->column = (void *)(filled->span + segments);
    filled->first_word = filled->column + counted->words;
    filled->first_capture = filled->first_word + segments + 1;
    filled->first_slam = filled->first_capture + segments + 1;
    filled->slam = (void *)(filled->first_slam + segments + 1);
    return WARI_OK;
}

enum wari_status wari_gather_create(struct wari_gather *gather, const struct wari_host *host,
                                    enum wari_rules rules, enum wari_parents kind, int seeds,
                                    int sown, struct wari_error *error)
{
    const enum wari_slam slam_rule = wari_rules_info(rules)->slam;
    struct maker counted = {0}, filled;
    enum wari_status status;

    add_parents(&counted, kind, seeds, sown, slam_rule);
    status = allocate_gather(&filled, &counted, &gather->memory, host, error);
    if (status != WARI_OK)
        return status;
    add_parents(&filled, kind, seeds, sown, slam_rule);
    gather->parents = filled.parents;
    gather->segments = (filled.parents + WARI_SEGMENT - 1) / WARI_SEGMENT;
    filled.first_word[gather->segments] = filled.words;
    filled.first_capture[gather->segments] = filled.captures;
    filled.first_slam[gather->segments] = filled.slams;
    gather->first_word = filled.first_word;
    gather->column = filled.column;
    gather->mask = filled.mask;
    gather->span = filled.span;
    gather->quiet = filled.quiet;
    gather->first_capture = filled.first_capture;
    gather->capture = filled.capture;
    gather->first_slam = filled.first_slam;
    gather->slam = filled.slam;
    return WARI_OK;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Whether some position of a level up to `seeds` has s seeds on the opponent's side and a pit that
 * drops `sown` more there. */
static bool pair_occurs(int seeds, int s, int sown)
{
    return s + wari_seeds_to_sow(sown) <= seeds;
}

uint64_t wari_tables_bytes(int seeds)
{
    uint64_t bytes = sizeof(struct wari_tables);

    for (int s = 0; s <= seeds; s++) {
        bytes += (uint64_t)wari_half_count(s) * WARI_HALF_PITS * sizeof(wari_sowing);
        /* measured at 20 and 30 seeds: 4.4 bytes for each half and pair */
        for (int sown = 0; sown <= WARI_SOWN_MAX && pair_occurs(seeds, s, sown); sown++)
            bytes += (uint64_t)wari_half_count(s) * 5 + 512;
    }
    return bytes;
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
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int pair = pairs - 1; pair >= 0; pair--) {
        const int s = pair / (WARI_SOWN_MAX + 1), sown = pair % (WARI_SOWN_MAX + 1);
        enum wari_status mine = WARI_OK;
        struct wari_error my_error;
        if (s > seeds)
            continue;
        if (sown == 0)
            mine = make_sowings(tables, s, &my_error);
        for (int kind = 0; kind < WARI_PARENTS_KINDS && mine == WARI_OK; kind++)
            if (pair_occurs(seeds, s, sown))
                mine = wari_gather_create(&tables->gather[kind][s][sown], host, rules,
                                          (enum wari_parents)kind, s, sown, &my_error);
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
        wari_release(tables->host, tables->sowings[s]);
        for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
            for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++)
                wari_release(tables->host, tables->gather[kind][s][sown].memory);
    }
    wari_release(tables->host, tables);
}
