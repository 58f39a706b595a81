/* Measures how good the search is for positions with more seeds than the database has: it finds
 * moves for random positions with a small database, and a larger database judges them. Also
 * measures the time of perfect play inside a database, and the gain from several threads. */
#include "tests/bench/bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play/engine/match.h"
#include "play/search/search.h"
#include "system/clock.h"

enum { POSITIONS = 1000 };

static void check(enum wari_status status, const struct wari_error *error)
{
    if (status == WARI_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static struct wari_db *open_database(const char *folder, struct wari_info *info)
{
    struct wari_error error;
    struct wari_db *db;
    check(wari_open(&db, folder, NULL, NULL, &error), &error);
    wari_get_info(db, info);
    return db;
}

static int loss_of(struct wari_db *judge, const struct wari_position *position, int pit)
{
    struct wari_analysis analysis;
    struct wari_error error;
    check(wari_analyse(judge, position, &analysis, &error), &error);
    for (int i = 0; i < analysis.count; i++)
        if (analysis.moves[i].move.pit == pit)
            return analysis.value - analysis.moves[i].value;
    fprintf(stderr, "bench: the search gave an illegal move\n");
    exit(1);
}

static void bench_moves(struct wari_db *small, struct wari_db *large, int seeds, int milliseconds)
{
    const struct wari_host *host = wari_host_system();
    const struct wari_search_limits limits = {.depth = WARI_SEARCH_DEPTH_MAX,
                                              .milliseconds = milliseconds};
    struct wari_info info;
    struct wari_search *search;
    struct wari_error error;
    uint64_t random = 0x9E3779B97F4A7C15, nodes = 0;
    int without_loss = 0, lost = 0, proven = 0, depth = 0;
    double seconds = 0;

    wari_get_info(large, &info);
    const struct wari_search_settings settings = {.hash_mb = WARI_SEARCH_HASH_MB};
    check(wari_search_new(&search, small, host, &settings, &error), &error);
    for (int i = 0; i < POSITIONS; i++) {
        struct wari_setup setup;
        struct wari_search_report report;
        struct wari_game game;
        if (!wari_match_position(&random, info.variant.rules, seeds, &setup))
            exit(1);
        wari_game_begin(&game, host, info.variant, &setup);
        wari_search_clear(search);
        const double start = wari_seconds_now();
        check(wari_search_run(search, &game, &limits, NULL, &report, &error), &error);
        seconds += wari_seconds_now() - start;
        const int loss = loss_of(large, &setup.position, report.pit);
        without_loss += loss == 0;
        lost += loss;
        proven += report.proven;
        depth += report.depth;
        nodes += report.nodes;
    }
    wari_search_free(search);
    printf("%5d %6d ms  %7.1f %%   %6.3f  %7.1f %%   %5.1f   %8.2f\n", seeds, milliseconds,
           100.0 * without_loss / POSITIONS, (double)lost / POSITIONS, 100.0 * proven / POSITIONS,
           (double)depth / POSITIONS, (double)nodes / seconds * 1e-6);
}

static void bench_player(struct wari_db *db, int seeds)
{
    struct wari_info info;
    struct wari_player *player;
    struct wari_error error;
    uint64_t random = 0x9E3779B97F4A7C15;
    int aims[WARI_AIM_LOST + 1] = {0}, farthest = 0;
    double longest = 0, seconds = 0;

    wari_get_info(db, &info);
    for (int i = 0; i < POSITIONS; i++) {
        struct wari_setup setup;
        struct wari_choice choice;
        if (!wari_match_position(&random, info.variant.rules, seeds, &setup))
            exit(1);
        check(wari_player_new(&player, db, &error), &error);
        const double start = wari_seconds_now();
        check(wari_player_choose(player, &setup.position, &choice, &error), &error);
        const double took = wari_seconds_now() - start;
        wari_player_free(player);
        seconds += took;
        longest = took > longest ? took : longest;
        farthest = choice.distance > farthest ? choice.distance : farthest;
        aims[choice.aim]++;
    }
    printf("%5d   %8.3f ms   %8.3f ms   %4d   %4d   %4d   %4d   %4d   %4d   %4d   %4d\n", seeds,
           seconds * 1e3 / POSITIONS, longest * 1e3, aims[WARI_AIM_EVENT], aims[WARI_AIM_FORCE],
           aims[WARI_AIM_DELAY], aims[WARI_AIM_HOLD], aims[WARI_AIM_ROW], aims[WARI_AIM_NONE],
           aims[WARI_AIM_LOST], farthest);
}

/* ---- Threads ---- */

/* A search from the start of a game. */
struct timed_search {
    struct wari_db *db;
    struct wari_variant variant;
    int threads;
    double rate; /* positions a second */
};

static void *find_rate(void *context)
{
    enum { HASH_MB = 64, MILLISECONDS = 1000 };
    struct timed_search *search_run = context;
    const struct wari_search_settings settings = {.hash_mb = HASH_MB,
                                                  .threads = search_run->threads};
    const struct wari_search_limits limits = {.depth = WARI_SEARCH_DEPTH_MAX,
                                              .milliseconds = MILLISECONDS};
    const struct wari_setup start = wari_game_start_setup();
    struct wari_search_report report;
    struct wari_search *search;
    struct wari_error error;
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), search_run->variant, &start);
    check(wari_search_new(&search, search_run->db, wari_host_system(), &settings, &error), &error);
    const double before = wari_seconds_now();
    check(wari_search_run(search, &game, &limits, NULL, &report, &error), &error);
    search_run->rate = (double)report.nodes / (wari_seconds_now() - before);
    wari_search_free(search);
    return NULL;
}

/* Runs `count` searches with one thread each at the same time. Returns the number of positions that
 * all of them together search in a second. */
static double rate_side_by_side(const struct timed_search *alone, int count)
{
    struct timed_search searches[WARI_SEARCH_THREADS_MAX];
    pthread_t threads[WARI_SEARCH_THREADS_MAX];
    double sum = 0;
    for (int i = 0; i < count; i++) {
        searches[i] = *alone;
        if (pthread_create(&threads[i], NULL, find_rate, &searches[i]) != 0) {
            fprintf(stderr, "bench: cannot start a thread\n");
            exit(1);
        }
    }
    for (int i = 0; i < count; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += searches[i].rate;
    }
    return sum;
}

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void bench_threads(struct wari_db *db, struct wari_variant variant)
{
    enum { ROUNDS = 9 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads =
        processors < WARI_SEARCH_THREADS_MAX ? (int)processors : WARI_SEARCH_THREADS_MAX;
    double ratios[ROUNDS], limits[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct timed_search alone = {db, variant, 1, 0}, together = {db, variant, threads, 0};
        find_rate(&alone);
        find_rate(&together);
        ratios[i] = together.rate / alone.rate;
        limits[i] = rate_side_by_side(&alone, threads) / alone.rate;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, by_size);
    qsort(limits, ROUNDS, sizeof *limits, by_size);
    printf("\nsearch from the start, %d threads: %.2f times the positions of one (median; %.2f to "
           "%.2f);\n  the machine's limit, so many searches side by side: %.2f (%.2f to %.2f)\n",
           threads, ratios[ROUNDS / 2], ratios[0], ratios[ROUNDS - 1], limits[ROUNDS / 2],
           limits[0], limits[ROUNDS - 1]);
}

void bench_search(const char *small_folder, const char *large_folder)
{
    static const int times[] = {10, 100};
    struct wari_info small_info, large_info;
    struct wari_db *small = open_database(small_folder, &small_info);
    struct wari_db *large = open_database(large_folder, &large_info);

    printf("\nsearch with 0..%d seeds, judged with 0..%d, rules %s %s, %d random positions\n"
           "seeds      time   no loss     lost    proven   depth   M nodes/s\n",
           small_info.seeds_max, large_info.seeds_max,
           wari_get_rules_info(large_info.variant.rules)->name,
           wari_cycle_name(large_info.variant.cycle), POSITIONS);
    for (int seeds = small_info.seeds_max + 2; seeds <= large_info.seeds_max; seeds += 2)
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            bench_moves(small, large, seeds, times[i]);
    printf(
        "\nmoves of perfect play inside the database: time, and how many of %d positions\n"
        "seeds        mean      longest   take  force  delay  hold   row   none  lost  farthest\n",
        POSITIONS);
    for (int seeds = 6; seeds <= large_info.seeds_max; seeds += 4)
        bench_player(large, seeds);
    bench_threads(large, large_info.variant);
    wari_close(small);
    wari_close(large);
}
