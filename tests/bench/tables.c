/* Compares searches with tables of different sizes. Each position is searched in all ways, one
 * after the other, so that other work on the machine affects all ways alike. Processor time is
 * measured, because it depends less on other work. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "db/probe/ahead.h"
#include "tests/bench/bench.h"

enum {
    HASH_MB = 64,
    FROM_SEEDS = 33,
    TO_SEEDS = 40,
    LEVELS = TO_SEEDS - FROM_SEEDS + 1,
    OF_EACH_MAX = 10, /* positions with each number of seeds */
    POSITIONS_MAX = OF_EACH_MAX * LEVELS,
    UNREAD_MAX = 4096,
};

static const size_t cache_bytes = (size_t)2 << 30;

/* The states of the cache in which tables are measured. EMPTY: nothing is cached.
 * AFTER_IDLE_TIME: the cache has what the search with the empty cache left in it, and what was
 * decoded in up to a second of idle time after that search. ALL_CACHED: the cache has as many
 * values as possible. */
enum state { EMPTY, AFTER_IDLE_TIME, ALL_CACHED, STATES };

enum { WAYS_MAX = 1 + BENCH_TABLES_MAX * STATES };

/* The results of one way to search: without tables, or with the tables of a folder and a state of
 * the cache. In an array of ways, way 0 has no tables. After it, each folder has STATES ways. */
struct way {
    double rates[POSITIONS_MAX];         /* nodes a second */
    double depths, nodes, probes, reads; /* sums over all positions */
};

struct tables {
    const char *folder;
    struct wari_db *cached; /* its cache has as many values as possible */
    struct wari_info info;
};

struct bench {
    int nodes, positions;
    int count;
    struct tables tables[BENCH_TABLES_MAX];
    struct way ways[WAYS_MAX];
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

static struct wari_search *new_search(const struct bench *bench, struct wari_db *db)
{
    const struct wari_search_settings settings = {.hash_mb = HASH_MB,
                                                  .variant = bench->tables[0].info.variant};
    struct wari_search *search;
    struct wari_error error;
    check(wari_search_new(&search, db, wari_host_system(), &settings, &error), &error);
    return search;
}

/* Searches a position, and stores the results as the sample with this number. */
static void measure(const struct bench *bench, struct wari_search *search,
                    const struct wari_game *game, int number, struct way *way)
{
    const struct wari_search_limits limits = {.depth = WARI_SEARCH_DEPTH_MAX,
                                              .milliseconds = -1,
                                              .nodes = bench->nodes,
                                              .probing = WARI_PROBING_CHEAP};
    struct wari_search_report report;
    struct wari_error error;
    wari_search_clear(search);
    const double start = processor_seconds();
    check(wari_search_run(search, game, &limits, NULL, &report, &error), &error);
    way->rates[number] = (double)report.nodes / (processor_seconds() - start);
    way->depths += report.depth;
    way->nodes += (double)report.nodes;
    way->probes += (double)report.probes;
    way->reads += (double)report.reads;
}

static void measure_tables(const struct bench *bench, const struct tables *tables,
                           const struct wari_game *game, int number, struct way ways[STATES])
{
    struct wari_db *db = open_tables(tables->folder);
    struct wari_search *search = new_search(bench, db);
    measure(bench, search, game, number, &ways[EMPTY]);
    decode_idly(db, search);
    measure(bench, search, game, number, &ways[AFTER_IDLE_TIME]);
    wari_search_free(search);
    wari_close(db);
    search = new_search(bench, tables->cached);
    measure(bench, search, game, number, &ways[ALL_CACHED]);
    wari_search_free(search);
}

static void measure_all(struct bench *bench, const struct wari_game *game, int number)
{
    struct wari_search *search = new_search(bench, NULL);
    measure(bench, search, game, number, &bench->ways[0]);
    wari_search_free(search);
    for (int i = 0; i < bench->count; i++)
        measure_tables(bench, &bench->tables[i], game, number, &bench->ways[1 + i * STATES]);
}

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(double *numbers, int count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return numbers[count / 2];
}

static void print_rates(const struct bench *bench, int ways)
{
    const int each = bench->positions / LEVELS;
    for (int level = 0; level < LEVELS; level++) {
        printf("%5d   ", FROM_SEEDS + level);
        for (int i = 0; i < ways; i++) {
            double sum = 0;
            for (int k = 0; k < each; k++)
                sum += bench->ways[i].rates[level * each + k];
            printf(" %7.2f", 1e-6 * sum / each);
        }
        printf("\n");
    }
}

/* Prints the rate of each way, divided by the rate with the first tables and a full cache. */
static void print_ratios(const struct bench *bench, int ways)
{
    printf("relative");
    for (int i = 0; i < ways; i++) {
        double ratios[POSITIONS_MAX];
        for (int k = 0; k < bench->positions; k++)
            ratios[k] = bench->ways[i].rates[k] / bench->ways[1 + ALL_CACHED].rates[k];
        printf(" %5.0f %%", 100 * median(ratios, bench->positions));
    }
    printf("\n");
}

static void print(const struct bench *bench)
{
    const int ways = 1 + bench->count * STATES;
    printf("\nsearch of %d positions, %d nodes each: millions of nodes a second by seeds; tables "
           "with an empty\ncache, after 1 s of idle time, and with a full cache; relative: to the "
           "first tables with a full\ncache; probes and reads for each 1000 nodes\n"
           "tables      none",
           bench->positions, bench->nodes);
    for (int i = 0; i < bench->count; i++)
        printf("   0..%-2d    idle  cached", bench->tables[i].info.seeds_max);
    printf("\n");
    print_rates(bench, ways);
    print_ratios(bench, ways);
    printf("depth   ");
    for (int i = 0; i < ways; i++)
        printf(" %7.1f", bench->ways[i].depths / bench->positions);
    printf("\nprobes/k");
    for (int i = 0; i < ways; i++)
        printf(" %7.1f", 1e3 * bench->ways[i].probes / bench->ways[i].nodes);
    printf("\nreads/k ");
    for (int i = 0; i < ways; i++)
        printf(" %7.2f", 1e3 * bench->ways[i].reads / bench->ways[i].nodes);
    printf("\n");
}

void bench_tables(int nodes, int of_each, char *const *folders, int count)
{
    const int each = of_each < 1 ? 1 : of_each > OF_EACH_MAX ? OF_EACH_MAX : of_each;
    static struct bench bench;
    const struct wari_setup start = wari_game_start_setup();
    uint64_t random = 0x9E3779B97F4A7C15;
    bench.nodes = nodes;
    bench.positions = each * LEVELS;
    bench.count = count < BENCH_TABLES_MAX ? count : BENCH_TABLES_MAX;
    for (int i = 0; i < bench.count; i++) {
        struct tables *tables = &bench.tables[i];
        tables->folder = folders[i];
        tables->cached = open_tables(folders[i]);
        wari_get_info(tables->cached, &tables->info);
        decode_all(tables->cached);
    }
    struct wari_search *search = new_search(&bench, NULL);
    for (int done = 0; done < bench.positions;) {
        struct wari_game game;
        wari_game_begin(&game, wari_host_system(), bench.tables[0].info.variant, &start);
        if (bench_play_to(search, FROM_SEEDS + done / each, &random, &game))
            measure_all(&bench, &game, done++);
        wari_game_free(&game);
    }
    print(&bench);
    wari_search_free(search);
    for (int i = 0; i < bench.count; i++)
        wari_close(bench.tables[i].cached);
}
