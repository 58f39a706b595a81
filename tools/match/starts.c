/* Start positions.
 *
 * Random moves often lose seeds. So of all generated openings, those are selected in which neither
 * side has an advantage, according to the estimate of a short search. The quality of the estimate
 * matters little, because each engine plays both sides of each opening. */
#include "tools/match/starts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/half.h"
#include "play/engine/match.h"
#include "play/search/search.h"
#include "tools/common/lines.h"

static enum wari_status add(struct starts *starts, const struct wari_setup *setup,
                            struct wari_error *error)
{
    if (starts->count == starts->capacity) {
        void *more;
        int capacity = starts->capacity ? 2 * starts->capacity : 64;
        enum wari_status status =
            wari_allocate(wari_host_system(), (size_t)capacity * sizeof *setup,
                          "the list of positions", &more, error);
        if (status != WARI_OK)
            return status;
        if (starts->count > 0)
            memcpy(more, starts->list, (size_t)starts->count * sizeof *setup);
        wari_release(wari_host_system(), starts->list);
        starts->list = more;
        starts->capacity = capacity;
    }
    starts->list[starts->count++] = *setup;
    return WARI_OK;
}

void starts_free(struct starts *starts)
{
    wari_release(wari_host_system(), starts->list);
    starts->list = NULL;
    starts->count = starts->capacity = 0;
}

/* ---- A file ---- */

static enum wari_status check(const struct starts *starts, const struct wari_setup *setup,
                              struct wari_error *error)
{
    struct wari_game game;
    int seeds = wari_seeds(&setup->position);
    if (seeds > starts->most || (!wari_level_exists(seeds) && starts->most < WARI_SEEDS_MAX))
        return wari_fail(error, WARI_NOT_COVERED,
                         "the position has %d seeds; the database goes up to %d", seeds,
                         starts->most);
    wari_game_begin(&game, wari_host_system(), starts->variant, setup);
    if (game.end != WARI_GAME_OPEN)
        return wari_fail(error, WARI_BAD_INPUT, "nobody can move here: the game is over");
    return WARI_OK;
}

/* Completes a position without stores: both sides have captured the same number of seeds. */
static void give_stores(struct wari_setup *setup)
{
    int captured = WARI_SEEDS_MAX - wari_seeds(&setup->position);
    if (setup->diagram)
        return;
    setup->diagram = true;
    setup->stores[0] = (uint8_t)(captured - captured / 2);
    setup->stores[1] = (uint8_t)(captured / 2);
}

enum wari_status starts_read(struct starts *starts, const char *path, struct wari_error *error)
{
    struct line_reader reader;
    struct line line;
    bool found = true, present;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return wari_fail(error, WARI_IO, "cannot open %s: %s", path, strerror(errno));
    enum wari_status status = lines_open(&reader, file, path, error);
    while (status == WARI_OK) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        status = lines_next(&reader, &line, &found, error);
        if (status != WARI_OK || !found)
            break;
        status = line_position(&line, &setup, &present, &reason);
        if (status == WARI_OK && present) {
            give_stores(&setup);
            status = check(starts, &setup, &reason);
            if (status == WARI_OK)
                status = add(starts, &setup, &reason);
        }
        if (status != WARI_OK)
            status = wari_fail(error, status, "%s: line %llu: %s", path,
                               (unsigned long long)reader.number, reason.text);
    }
    lines_close(&reader);
    (void)close(file);
    if (status == WARI_OK && starts->count == 0)
        status = wari_fail(error, WARI_BAD_INPUT, "%s: this file contains no position", path);
    return status;
}

/* ---- Openings ---- */

struct candidate {
    struct wari_setup setup;
    int distance; /* distance of the expected score from a draw, in hundredths of a seed */
};

/* Plays random moves from the start. Returns false if the game ends on the way. */
static bool play_at_random(const struct starts *starts, uint64_t *state, int plies,
                           struct wari_setup *setup)
{
    *setup = wari_game_start_setup();
    for (int ply = 0; ply <= plies; ply++) {
        struct wari_moves moves;
        wari_find_moves(starts->variant.rules, &setup->position, &moves);
        if (moves.count == 0 || ply == plies)
            return moves.count > 0;
        const struct wari_move *move =
            &moves.list[wari_match_random(state) % (uint64_t)moves.count];
        if (move->ends)
            return false;
        uint8_t *store = &setup->stores[setup->north_to_move];
        *store = (uint8_t)(*store + move->captured);
        setup->position = move->next;
        setup->north_to_move = setup->north_to_move == move->again;
    }
    return false;
}

static bool contains(const struct candidate *list, int count, const struct wari_setup *setup)
{
    for (int i = 0; i < count; i++)
        if (list[i].setup.north_to_move == setup->north_to_move &&
            memcmp(&list[i].setup.position, &setup->position, sizeof setup->position) == 0)
            return true;
    return false;
}

/* Computes the distance of the expected score from a draw, with a short search. */
static enum wari_status find_distance(const struct starts *starts, struct wari_search *search,
                                      const struct opening_options *options,
                                      struct candidate *candidate, struct wari_error *error)
{
    enum { OPENING_NODES = 10000 }; /* about 10 ms, 7 moves deep */
    const struct wari_search_limits limits = {.depth = WARI_SEARCH_DEPTH_MAX,
                                              .milliseconds = -1,
                                              .nodes = OPENING_NODES,
                                              .stop = options->stop};
    const struct wari_setup *setup = &candidate->setup;
    struct wari_search_report report;
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), starts->variant, setup);
    wari_search_clear(search);
    enum wari_status status = wari_search_run(search, &game, &limits, NULL, &report, error);
    if (status != WARI_OK)
        return status;
    int mover = setup->north_to_move;
    candidate->distance =
        abs(report.score + WARI_SEED_SCORE * (setup->stores[mover] - setup->stores[!mover]));
    return WARI_OK;
}

static int by_distance(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    return a->distance != b->distance ? (a->distance > b->distance) - (a->distance < b->distance)
                                      : memcmp(&a->setup, &b->setup, sizeof a->setup);
}

/* Fills the list with candidates for openings, all of them different positions. Sets *count to
 * their number. */
static enum wari_status find_candidates(const struct starts *starts, struct wari_search *search,
                                        const struct opening_options *options,
                                        struct candidate *list, int *count,
                                        struct wari_error *error)
{
    /* Number of attempts for each opening; there are at most 36 openings of 2 moves. */
    enum { TRIES_PER_OPENING = 100 };
    uint64_t state = options->seed;
    const int candidates = 4 * options->count;
    *count = 0;
    for (int i = 0; i < TRIES_PER_OPENING * options->count && *count < candidates; i++) {
        struct candidate *next = &list[*count];
        memset(next, 0, sizeof *next);
        if (!play_at_random(starts, &state, options->plies, &next->setup) ||
            contains(list, *count, &next->setup))
            continue;
        enum wari_status status = find_distance(starts, search, options, next, error);
        if (status != WARI_OK)
            return status;
        if (atomic_load(options->stop))
            return wari_fail(error, WARI_INTERRUPTED, "interrupted while openings were made");
        ++*count;
    }
    return WARI_OK;
}

enum wari_status starts_make_openings(struct starts *starts, struct wari_db *db,
                                      const struct opening_options *options,
                                      struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    struct wari_search *search = NULL;
    void *list;
    int count = 0;
    enum wari_status status = wari_allocate(
        host, 4 * (size_t)options->count * sizeof(struct candidate), "openings", &list, error);
    if (status != WARI_OK)
        return status;
    const struct wari_search_settings settings = {.hash_mb = 1};
    status = wari_search_new(&search, db, host, &settings, error);
    if (status == WARI_OK)
        status = find_candidates(starts, search, options, list, &count, error);
    if (status == WARI_OK && count < options->count)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--openings: only %d different ones were found with --plies %d; give "
                           "fewer, or more plies",
                           count, options->plies);
    if (status == WARI_OK)
        qsort(list, (size_t)count, sizeof(struct candidate), by_distance);
    for (int i = 0; i < options->count && status == WARI_OK; i++)
        status = add(starts, &((struct candidate *)list)[i].setup, error);
    wari_search_free(search);
    wari_release(host, list);
    return status;
}

/* ---- Next position ---- */

enum wari_status starts_next(struct starts *starts, int game, struct wari_setup *setup,
                             struct wari_error *error)
{
    if (starts->count > 0) {
        *setup = starts->list[game / 2 % starts->count];
        return WARI_OK;
    }
    if (game % 2 == 1)
        return WARI_OK;
    if (wari_match_position(&starts->random, starts->variant.rules, starts->seeds, setup))
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "--from-seeds: no position with %d seeds to start from",
                     starts->seeds);
}
