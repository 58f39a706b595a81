/* Collects samples from games and random positions, in several threads. Each game has its own
 * seed and its own list of samples, so the result does not depend on the thread that plays it. */
#include "tools/learn/collect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "play/engine/match.h"
#include "play/game.h"
#include "play/search/search.h"

enum {
    GAME_MOVES = 160,
    GAME_SAMPLES = GAME_MOVES + GAME_MOVES / 4,
    COLLECT_HASH_MB = 2,
};

struct game_samples {
    struct sample samples[GAME_SAMPLES];
    int count;
};

struct work {
    const struct collection *collection;
    struct game_samples *games;
    int first, step; /* this thread plays the games first, first + step, first + 2 * step, ... */
    struct wari_search *search;
    int seeds_max;
    pthread_t thread;
    enum wari_status status;
    struct wari_error error;
};

/* Computes the value of the current position in seeds, and the move to play. Returns false if it
 * is unknown. */
static bool evaluate_position(struct work *work, const struct wari_game *game,
                              struct sample *sample, int *pit)
{
    const struct wari_search_limits limits = {.depth = work->collection->depth, .milliseconds = -1};
    struct wari_search_report report;
    struct wari_analysis analysis;
    sample->position = game->now.position;
    sample->exact = wari_seeds(&game->now.position) <= work->seeds_max;
    if (sample->exact) {
        work->status =
            wari_analyse(work->collection->db, &game->now.position, &analysis, &work->error);
        if (work->status != WARI_OK || analysis.count == 0)
            return false;
        sample->value = (float)analysis.value;
        *pit = analysis.moves[0].move.pit;
        return true;
    }
    if (!work->collection->evaluation)
        return false;
    work->status = wari_search_run(work->search, game, &limits, NULL, &report, &work->error);
    sample->value = (float)report.score / WARI_SEED_SCORE;
    sample->exact = report.proven;
    *pit = report.pit;
    return work->status == WARI_OK;
}

static int any_pit(const struct wari_game *game, uint64_t *random)
{
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    return moves.list[wari_match_random(random) % (uint64_t)moves.count].pit;
}

static void take_random_position(struct work *work, const struct wari_game *like, uint64_t *random,
                                 struct game_samples *game_samples)
{
    int pit, seeds = SAMPLE_SEEDS_MIN +
                     (int)(wari_match_random(random) % (WARI_SEEDS_MAX - 1 - SAMPLE_SEEDS_MIN));
    struct wari_setup setup = {.diagram = true, .stores = {(uint8_t)(WARI_SEEDS_MAX - seeds), 0}};
    struct wari_moves moves;
    struct wari_game game;
    wari_match_placement(random, seeds, &setup.position);
    wari_find_moves(like->variant.rules, &setup.position, &moves);
    wari_game_begin(&game, like->host, like->variant, &setup);
    if (moves.count > 0 && game_samples->count < GAME_SAMPLES &&
        evaluate_position(work, &game, &game_samples->samples[game_samples->count], &pit))
        game_samples->count++;
    wari_game_free(&game);
}

/* Plays a move: the best one, if it is known, five times out of six. */
static void play_on(struct work *work, struct wari_game *game, int pit, uint64_t *random)
{
    bool any = pit < 0 || wari_match_random(random) % 6 == 0;
    work->status = wari_game_play(game, any ? any_pit(game, random) : pit, &work->error);
}

static void play(struct work *work, int number)
{
    const struct collection *collection = work->collection;
    struct game_samples *game_samples = &work->games[number];
    uint64_t random = (collection->seed << 32 | (uint64_t)(number + 1)) * 0x9E3779B97F4A7C15;
    struct wari_setup start = wari_game_start_setup();
    struct wari_info info;
    struct wari_game game;
    wari_get_info(collection->db, &info);
    wari_game_begin(&game, wari_host_system(), info.variant, &start);
    int opening = 2 + (int)(wari_match_random(&random) % 12);
    if (work->search)
        wari_search_clear(work->search);
    game_samples->count = 0;
    while (work->status == WARI_OK && game.end == WARI_GAME_OPEN && game.count < GAME_MOVES &&
           wari_seeds(&game.now.position) >= SAMPLE_SEEDS_MIN && game.times < 2) {
        int pit = -1;
        if (game.count >= opening &&
            evaluate_position(work, &game, &game_samples->samples[game_samples->count], &pit))
            game_samples->count++;
        if (game.count % 4 == 0 && work->status == WARI_OK)
            take_random_position(work, &game, &random, game_samples);
        if (work->status == WARI_OK)
            play_on(work, &game, pit, &random);
    }
    wari_game_free(&game);
}

static void *play_all(void *context)
{
    struct work *work = context;
    for (int i = work->first; i < work->collection->games && work->status == WARI_OK;
         i += work->step)
        play(work, i);
    return NULL;
}

static enum wari_status begin(struct work *work, const struct collection *collection, int number,
                              struct game_samples *games)
{
    const struct wari_search_settings settings = {.hash_mb = COLLECT_HASH_MB,
                                                  .evaluation = collection->evaluation};
    struct wari_info info;
    wari_get_info(collection->db, &info);
    *work = (struct work){.collection = collection,
                          .games = games,
                          .first = number,
                          .step = collection->threads,
                          .seeds_max = info.seeds_max};
    if (collection->evaluation)
        work->status = wari_search_new(&work->search, collection->db, wari_host_system(), &settings,
                                       &work->error);
    return work->status;
}

/* Joins the samples of all games in the order of their numbers. */
static enum wari_status join(const struct game_samples *games, int count, struct sample **samples,
                             size_t *total, struct wari_error *error)
{
    *total = 0;
    for (int i = 0; i < count; i++)
        *total += (size_t)games[i].count;
    *samples = malloc((*total + 1) * sizeof **samples);
    if (!*samples)
        return wari_fail(error, WARI_NO_MEMORY, "no memory for %zu samples", *total);
    struct sample *to = *samples;
    for (int i = 0; i < count; i++) {
        memcpy(to, games[i].samples, (size_t)games[i].count * sizeof *to);
        to += games[i].count;
    }
    return WARI_OK;
}

enum wari_status collect(const struct collection *collection, struct sample **samples,
                         size_t *count, struct wari_error *error)
{
    int threads = collection->threads, started = 0;
    struct game_samples *games = calloc((size_t)collection->games, sizeof *games);
    struct work *works = calloc((size_t)threads, sizeof *works);
    enum wari_status status =
        games && works
            ? WARI_OK
            : wari_fail(error, WARI_NO_MEMORY, "no memory for %d games", collection->games);
    for (; status == WARI_OK && started < threads; started++) {
        struct work *work = &works[started];
        status = begin(work, collection, started, games);
        if (status != WARI_OK)
            *error = work->error;
        if (status == WARI_OK && pthread_create(&work->thread, NULL, play_all, work) != 0)
            status = wari_fail(error, WARI_NO_MEMORY, "cannot start a thread");
        if (status != WARI_OK)
            break;
    }
    for (int i = 0; i < started; i++) {
        (void)pthread_join(works[i].thread, NULL);
        wari_search_free(works[i].search);
        if (works[i].status != WARI_OK && status == WARI_OK)
            status = wari_fail(error, works[i].status, "%s", works[i].error.text);
    }
    if (status == WARI_OK)
        status = join(games, collection->games, samples, count, error);
    free(works);
    free(games);
    return status;
}
