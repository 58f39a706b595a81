/* `wari bench-probe`: measures the speed of look-ups in a database. Prints figures and does not
 * judge them, because what is fast enough depends on the use.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/level.h"
#include "system/threads.h"
#include "tools/common/command.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/probe_speed.h"

enum { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options;
    struct speed_request speed; /* seeds -1 and cache_bytes 0 mean that the option was not given */
};

/* ---- Command line ---- */

static enum wari_status read_seconds(const char *text, double *seconds, struct wari_error *error)
{
    char *end;
    bool digits = text[0] != '\0' && strspn(text, "0123456789.") == strlen(text);
    double number = strtod(text, &end);
    if (digits && *end == '\0' && number >= 0.001 && number <= 3600) {
        *seconds = number;
        return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "--seconds: \"%s\" is not a number from 0.001 to 3600, such as 2 or 0.5",
                     text);
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 's':
        return options_seeds(optarg, &request->speed.seeds, error);
    case 't':
        return options_threads(&request->speed.threads, error);
    case 'm':
        return options_size("--cache", optarg, &request->speed.cache_bytes, error);
    default:
        return read_seconds(optarg, &request->speed.seconds, error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"cache", required_argument, NULL, 'm'},
        {"threads", required_argument, NULL, 't'},
        {"seconds", required_argument, NULL, 'w'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request =
        (struct request){.speed = {.seeds = -1, .threads = machine_processors(), .seconds = 1}};
    enum wari_status status = options_read_database(&line, &request->options, error);
    request->speed.folder = request->options.folder;
    return status;
}

/* Sets the defaults of options that were not given: the highest level, and a cache that holds the
 * whole level, but takes at most half of the available memory. */
static enum wari_status set_defaults(struct speed_request *speed, struct wari_error *error)
{
    struct wari_db *db;
    struct wari_info info;
    const char *limit;
    enum wari_status status = wari_open(&db, speed->folder, &speed->variant, NULL, error);
    if (status != WARI_OK)
        return status;
    options_note_missing("bench-probe", speed->folder, db);
    wari_get_info(db, &info);
    wari_close(db);
    if (speed->seeds < 0)
        speed->seeds = info.seeds_max;
    if (speed->cache_bytes > 0)
        return WARI_OK;

    uint64_t cache_max = machine_memory(1, &limit) / 2;
    uint64_t level = wari_level_positions(speed->seeds);
    /* More than the level, because a cache does not use all of its bytes; see probe_speed.c. */
    uint64_t cache = level + level / 4 + 1000000;
    speed->cache_bytes = (size_t)(cache < cache_max ? cache : cache_max);
    return WARI_OK;
}

/* ---- Output ---- */

static void print_rate(const char *what, const struct speed_rate rate[2], bool several)
{
    char number[3][TEXT_NUMBER];
    printf("  %-28s %14s", what, text_number((uint64_t)rate[0].all, number[0]));
    if (several)
        printf(" %14s %14s", text_number((uint64_t)rate[1].each, number[1]),
               text_number((uint64_t)rate[1].all, number[2]));
    putchar('\n');
}

static void print_times(const char *what, const struct speed_times *times)
{
    char calls[TEXT_NUMBER];
    printf("  %-28s %9.1f %9.1f %9s %9.1f %9" PRIu64 "\n", what, times->median, times->percentile99,
           text_number(times->calls, calls), times->chunks, times->most_chunks);
}

static void print_array(const struct speed_report *report)
{
    const struct speed_array *array = &report->array;
    char what[40], number[3][TEXT_NUMBER];
    snprintf(what, sizeof what, "%s random positions", text_number(array->positions, number[0]));
    puts("\nan array, cache of one chunk: values a second  one by one        at once");
    printf("  %-40s %14s %14s  (%.1f times; %.1f positions a chunk)\n", what,
           text_number((uint64_t)array->one_by_one, number[1]),
           text_number((uint64_t)array->at_once, number[2]), array->at_once / array->one_by_one,
           (double)array->positions / (double)report->chunks);
}

static void print_text(const struct speed_request *speed, const struct speed_report *report)
{
    char name[VARIANT_TEXT], number[3][TEXT_NUMBER], bytes[TEXT_NUMBER], heading[40];
    char folder[TEXT_PATH];
    bool several = speed->threads > 1;
    variant_text(speed->variant, name);
    printf("%s, %d seeds in %s: %s positions in %s chunks; cache of %s for %s of them\n\n", name,
           speed->seeds, text_path(speed->folder, folder),
           text_number(report->positions, number[0]), text_number(report->chunks, number[1]),
           text_bytes(speed->cache_bytes, bytes),
           report->cached_chunks == report->chunks ? "all"
                                                   : text_number(report->cached_chunks, number[2]));
    printf("cached: values a second             1 thread");
    snprintf(heading, sizeof heading, "%d threads each", speed->threads);
    if (several)
        printf(" %14s %14s", heading, "together");
    putchar('\n');
    print_rate("random positions", report->rate[SPEED_RANDOM], several);
    print_rate("in index order", report->rate[SPEED_SORTED], several);
    print_rate("in index order, in bulk", report->rate[SPEED_BULK], several);
    if (report->chunks_read > 0)
        printf("  (not always cached: %s chunks were read)\n",
               text_number(report->chunks_read, number[0]));
    puts("\nmicroseconds a call               median      99 %     calls    chunks      most");
    print_times("value, first of its chunk", &report->chunk_cold);
    print_times("all moves, nothing cached", &report->moves_cold);
    print_times("all moves, cached", &report->moves_cached);
    puts("(chunks: chunks read per call, on average and at most, from files in the page cache)");
    print_array(report);
}

static json_t *json_rate(const struct speed_rate rate[2])
{
    return json_pack("{sfsfsf}", "one_thread", rate[0].all, "each", rate[1].each, "all",
                     rate[1].all);
}

static json_t *json_times(const struct speed_times *times)
{
    return json_pack("{sfsfsIsfsI}", "median_us", times->median, "percentile99_us",
                     times->percentile99, "calls", (json_int_t)times->calls, "chunks",
                     times->chunks, "most_chunks", (json_int_t)times->most_chunks);
}

static enum wari_status print_json(const struct speed_request *speed,
                                   const struct speed_report *report, struct wari_error *error)
{
    return json_print(
        json_pack("{sssssi sIsIsIsI sisf sosososososos{sIsfsf}sI}", "rules",
                  wari_get_rules_info(speed->variant.rules)->name, "cycle",
                  wari_cycle_name(speed->variant.cycle), "seeds", speed->seeds, "positions",
                  (json_int_t)report->positions, "chunks", (json_int_t)report->chunks,
                  "cache_bytes", (json_int_t)speed->cache_bytes, "cached_chunks",
                  (json_int_t)report->cached_chunks, "threads", speed->threads, "seconds",
                  speed->seconds, "random", json_rate(report->rate[SPEED_RANDOM]), "sorted",
                  json_rate(report->rate[SPEED_SORTED]), "bulk",
                  json_rate(report->rate[SPEED_BULK]), "value_cold",
                  json_times(&report->chunk_cold), "moves_cold", json_times(&report->moves_cold),
                  "moves_cached", json_times(&report->moves_cached), "array", "positions",
                  (json_int_t)report->array.positions, "one_by_one", report->array.one_by_one,
                  "at_once", report->array.at_once, "chunks_read", (json_int_t)report->chunks_read),
        error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct speed_request *speed = &request.speed;
    struct speed_report report;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = variant_in_folder(&request.options.choice, request.options.folder, &speed->variant,
                                   &error);
    if (status == WARI_OK)
        status = set_defaults(speed, &error);
    if (status == WARI_OK)
        status = wari_start_threads(speed->threads, &error);
    if (status == WARI_OK)
        status = speed_measure(speed, &report, &error);
    if (status == WARI_OK && request.options.format == FORMAT_JSON)
        status = print_json(speed, &report, &error);
    else if (status == WARI_OK)
        print_text(speed, &report);
    return report_result(argv[0], status, &error);
}

const struct command command_bench_probe = {
    .name = "bench-probe",
    .summary = "measure the speed of look-ups",
    .run = run,
    .help =
        "usage: wari bench-probe --db DIR [OPTION...]\n"
        "\n"
        "Measures the speed of look-ups in one level:\n"
        "  (a) values per second if all chunks are in the cache of the handle, for random\n"
        "      positions and for positions in index order, one by one and in bulk, with one\n"
        "      thread and with several threads that share a handle;\n"
        "  (b) the time of single calls if no chunk is in the cache;\n"
        "  (c) values per second for an array of positions, one by one and in one call, with a\n"
        "      cache of one chunk.\n"
        "The files are always in the page cache, so the speed of the disk is not measured.\n"
        "Nothing is written.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds N      the level; default: the highest one\n"
        "  --cache SIZE   bytes for the cache, such as 64M; default: as much as the whole level\n"
        "                 needs, but at most half of the memory. If the cache is too small for\n"
        "                 the level, measurement (a) uses the chunks that fit\n"
        "  --threads T    default: one for each processor that the program may use\n"
        "  --seconds S    time for each of eleven measurements, such as 0.5; default 1\n"
        "  --format F     text (default), json (--json for short)\n"
        "\n"
        "example\n"
        "  wari bench-probe --db tables --seconds 0.1\n"
        "\n"
        "exit codes: 0 done; 1 the database does not have that level; 2 bad usage; 3 a file is\n"
        "damaged; 4 reading failed; 5 not enough memory; 6 the folder does not contain that rule\n"
        "set, or has another format version\n",
};
