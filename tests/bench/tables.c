/* Compares searches with small and large tables. Each position is searched in all ways, one after
 * the other, so that other work on the machine affects all ways alike. Processor time is measured,
 * because it depends less on other work. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "db/probe/ahead.h"
#include "tests/bench/bench.h"

enum {
    HASH_MB = 64,
    FROM_SEEDS = 33,
    TO_SEEDS = 40,
    OF_EACH_MAX = 10, /* positions with each number of seeds */
    POSITIONS_MAX = OF_EACH_MAX * (TO_SEEDS - FROM_SEEDS + 1),
    UNREAD_MAX = 4096,
};

static const size_t cache_bytes = (size_t)2 << 30;

/* The ways to search. LARGE_ALWAYS and LARGE_CHEAP start with an empty cache, LARGE_AGAIN with the
 * cache that LARGE_CHEAP has left and that a second of idle time has filled, and LARGE_AHEAD with a
 * cache that holds as much as possible. */
enum way { SMALL_ALWAYS, LARGE_ALWAYS, LARGE_CHEAP, LARGE_AGAIN, LARGE_AHEAD, WAYS };

static const char *const way_names[WAYS] = {
    "small, every value", "large, every value, new cache", "large, cheap values, new cache",
    "same, after idle time of 1 s", "large, cheap values, all cached"};

struct samples {
    double rates[POSITIONS_MAX], depths, nodes, probes, reads;
};

static void check(enum wari_status status, const struct wari_error *error)
{
    if (status == WARI_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct wari_db *open_tables(const char *folder)
{
    const struct wari_options options = {.cache_bytes = cache_bytes};
    struct wari_error error;
    struct wari_db *db;
    check(wari_open(&db, folder, NULL, &options, &error), &error);
    return db;
}

/* Decodes chunks until the cache is full. */
static void decode_all(struct wari_db *db)
{
    struct wari_decoding_ahead ahead = {.seeds = WARI_SEEDS_MAX};
    struct wari_error error;
    bool more = true;
    while (more)
        check(wari_decode_ahead(db, &ahead, &more, &error), &error);
}

/* Decodes for a second, as an engine does between two commands. */
static void decode_idly(struct wari_db *db, const struct wari_search *search)
{
    static struct wari_position positions[UNREAD_MAX];
    struct wari_decoding_ahead ahead = {.seeds = WARI_SEEDS_MAX};
    struct wari_error error;
    bool more = true;
    int value;
    const double until = processor_seconds() + 1;
    const int count = wari_search_unread(search, positions, UNREAD_MAX);
    for (int i = 0; i < count && processor_seconds() < until; i++)
        check(wari_probe(db, &positions[i], &value, &error), &error);
    while (more && processor_seconds() < until)
        check(wari_decode_ahead(db, &ahead, &more, &error), &error);
}

static struct wari_search *new_search(struct wari_db *db)
{
    const struct wari_search_settings settings = {.hash_mb = HASH_MB};
    struct wari_search *search;
    struct wari_error error;
    check(wari_search_new(&search, db, wari_host_system(), &settings, &error), &error);
    return search;
}

/* Searches a position, and stores the results as the sample with this number. */
static void measure(struct wari_search *search, const struct wari_game *game,
                    enum wari_probing probing, int nodes, int number, struct samples *samples)
{
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = -1, .nodes = nodes, .probing = probing};
    struct wari_search_report report;
    struct wari_error error;
    wari_search_clear(search);
    const double start = processor_seconds();
    check(wari_search_run(search, game, &limits, NULL, &report, &error), &error);
    samples->rates[number] = (double)report.nodes / (processor_seconds() - start);
    samples->depths += report.depth;
    samples->nodes += (double)report.nodes;
    samples->probes += (double)report.probes;
    samples->reads += (double)report.reads;
}

static void measure_all(struct wari_db *small, const char *large_folder, struct wari_db *cached,
                        const struct wari_game *game, int nodes, int number,
                        struct samples samples[WAYS])
{
    for (int way = 0; way < WAYS; way++) {
        const bool is_small = way == SMALL_ALWAYS, is_cached = way == LARGE_AHEAD;
        struct wari_db *db = is_small ? small : is_cached ? cached : open_tables(large_folder);
        struct wari_search *search = new_search(db);
        const enum wari_probing probing =
            is_small || way == LARGE_ALWAYS ? WARI_PROBING_ALWAYS : WARI_PROBING_CHEAP;
        measure(search, game, probing, nodes, number, &samples[way]);
        if (way == LARGE_CHEAP) {
            decode_idly(db, search);
            measure(search, game, probing, nodes, number, &samples[++way]);
        }
        wari_search_free(search);
        if (!is_small && !is_cached)
            wari_close(db);
    }
}

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void print(const struct samples samples[WAYS], int positions)
{
    double ratios[POSITIONS_MAX];
    for (int way = 0; way < WAYS; way++) {
        const struct samples *mine = &samples[way];
        double rates[POSITIONS_MAX];
        for (int i = 0; i < positions; i++) {
            rates[i] = mine->rates[i];
            ratios[i] = mine->rates[i] / samples[SMALL_ALWAYS].rates[i];
        }
        qsort(rates, (size_t)positions, sizeof *rates, by_size);
        qsort(ratios, (size_t)positions, sizeof *ratios, by_size);
        printf("%-34s %6.3f   %5.0f %%   %5.1f   %9.1f   %8.2f\n", way_names[way],
               rates[positions / 2] * 1e-6, 100 * ratios[positions / 2], mine->depths / positions,
               1e3 * mine->probes / mine->nodes, 1e3 * mine->reads / mine->nodes);
    }
}

void bench_tables(const char *small_folder, const char *large_folder, int nodes, int of_each)
{
    const int each = of_each < 1 ? 1 : of_each > OF_EACH_MAX ? OF_EACH_MAX : of_each;
    const int positions = each * (TO_SEEDS - FROM_SEEDS + 1);
    static struct samples samples[WAYS];
    const struct wari_setup start = wari_game_start_setup();
    struct wari_db *small = open_tables(small_folder), *cached = open_tables(large_folder);
    struct wari_search *search = new_search(small);
    struct wari_info info, large;
    uint64_t random = 0x9E3779B97F4A7C15;
    wari_get_info(small, &info);
    wari_get_info(cached, &large);
    decode_all(cached);
    for (int done = 0; done < positions;) {
        struct wari_game game;
        wari_game_begin(&game, wari_host_system(), info.variant, &start);
        if (bench_play_to(search, FROM_SEEDS + done / each, &random, &game))
            measure_all(small, large_folder, cached, &game, nodes, done++, samples);
        wari_game_free(&game);
    }
    printf("\nsearch of %d positions of %d to %d seeds with tables of %d (small) and %d seeds "
           "(large), %d nodes each\n"
           "                                    M nodes/s  by small  depth   probes/k    reads/k\n",
           positions, FROM_SEEDS, TO_SEEDS, info.seeds_max, large.seeds_max, nodes);
    print(samples, positions);
    wari_search_free(search);
    wari_close(small);
    wari_close(cached);
}
