/* Measures how often a search proves who wins. The positions come from games from the start, which
 * the search plays against itself, with a random move now and then. Before each proof the hash
 * table of the search is cleared.
 */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "play/engine/match.h"
#include "play/search/search.h"
#include "system/clock.h"

enum {
    HASH_MB = 64,
    OPENING = 4,       /* random moves at the beginning of each game */
    MOVE_NODES = 3000, /* nodes of each search that chooses a move; it takes some 3 ms */
    RANDOM_MOVE = 6,   /* one move in 6 is random */
};

static void check(enum wari_status status, const struct wari_error *error)
{
    if (status == WARI_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static int random_pit(const struct wari_game *game, uint64_t *random)
{
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    return moves.list[wari_match_random(random) % (uint64_t)moves.count].pit;
}

bool bench_play_to(struct wari_search *search, int seeds, uint64_t *random, struct wari_game *game)
{
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = -1, .nodes = MOVE_NODES};
    struct wari_search_report report;
    struct wari_error error;
    while (game->end == WARI_GAME_OPEN && wari_seeds(&game->now.position) > seeds) {
        int pit = random_pit(game, random);
        if (game->count >= OPENING && wari_match_random(random) % RANDOM_MOVE != 0) {
            check(wari_search_run(search, game, &limits, NULL, &report, &error), &error);
            pit = report.pit;
        }
        check(wari_game_play(game, pit, &error), &error);
    }
    return game->end == WARI_GAME_OPEN && wari_seeds(&game->now.position) == seeds;
}

struct proofs {
    int sign, exact;
    double seconds; /* time of the searches that proved a sign */
};

static void prove(struct wari_search *search, const struct wari_game *game, int milliseconds,
                  struct proofs *proofs)
{
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = milliseconds, .prove = true};
    int mover = game->now.north_to_move;
    int even = game->now.stores[!mover] - game->now.stores[mover];
    struct wari_search_report report;
    struct wari_error error;
    wari_search_clear(search);
    const double start = wari_seconds_now();
    check(wari_search_run(search, game, &limits, NULL, &report, &error), &error);
    proofs->exact += report.least == report.most;
    if (report.least <= even && report.most >= even && report.least != report.most)
        return;
    proofs->sign++;
    proofs->seconds += wari_seconds_now() - start;
}

void bench_prove(const char *folder, int seeds, int positions, int milliseconds)
{
    const struct wari_search_settings settings = {.hash_mb = HASH_MB};
    const struct wari_setup start = wari_game_start_setup();
    uint64_t random = 0x9E3779B97F4A7C15;
    struct proofs proofs = {0};
    struct wari_search *search;
    struct wari_error error;
    struct wari_info info;
    struct wari_db *db;

    check(wari_open(&db, folder, NULL, NULL, &error), &error);
    wari_get_info(db, &info);
    check(wari_search_new(&search, db, wari_host_system(), &settings, &error), &error);
    for (int done = 0; done < positions;) {
        struct wari_game game;
        wari_game_begin(&game, wari_host_system(), info.variant, &start);
        if (bench_play_to(search, seeds, &random, &game)) {
            prove(search, &game, milliseconds, &proofs);
            done++;
        }
        wari_game_free(&game);
    }
    printf(
        "\nwho wins, with tables of %d seeds, %d positions of %d seeds out of games, %d ms each:\n"
        "  proven for %d (%.0f %%), in %.0f ms on average; the exact value for %d\n",
        info.seeds_max, positions, seeds, milliseconds, proofs.sign,
        100.0 * proofs.sign / positions, proofs.sign > 0 ? 1e3 * proofs.seconds / proofs.sign : 0,
        proofs.exact);
    wari_search_free(search);
    wari_close(db);
}
