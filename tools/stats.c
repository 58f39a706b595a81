/* `wari stats`: prints or draws the value histograms that the catalogue of a database contains. No
 * values are read.
 *
 * The histograms count all placements of the seeds, including those that cannot arise in play, so
 * that they can be compared with published histograms line by line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer/answer.h"
#include "index/half.h"
#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/stats_plot.h"

enum format { STATS_TEXT, STATS_CSV, STATS_JSON };

struct request {
    struct database_options options;
    int first; /* the first level to print; -1 means all levels */
    int last;
    const char *plot; /* the file of the picture to draw; NULL means that text is printed */
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    if (key == 's')
        return options_seed_range(optarg, &request->first, &request->last, error);
    request->plot = optarg;
    return options_require_file("--plot", optarg, error);
}

static enum wari_status check_plot(const struct request *request, struct wari_error *error)
{
    const struct output_sources sources = {.folder = request->options.folder};
    if (request->options.format != STATS_TEXT)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--plot draws a picture in SVG; use it without --format");
    return strcmp(request->plot, "-") == 0 ? WARI_OK
                                           : output_refuse_source(request->plot, &sources, error);
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "csv", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"plot", required_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request = (struct request){.first = -1};
    const enum wari_status status = options_read_database(&line, &request->options, error);
    return status == WARI_OK && request->plot ? check_plot(request, error) : status;
}

/* ---- Text ---- */

static double bits_per_position(uint64_t bytes, uint64_t positions)
{
    return positions ? 8.0 * (double)bytes / (double)positions : 0.0;
}

static void print_heading(const struct wari_info *info, const char *folder)
{
    char name[VARIANT_TEXT], positions[TEXT_NUMBER], bytes[TEXT_NUMBER], path[TEXT_PATH];
    variant_text(info->variant, name);
    printf("%s, 0 to %d seeds in %s\n%s positions in %s bytes: %.2f bits a position\n", name,
           info->seeds_max, text_path(folder, path), text_number(info->positions, positions),
           text_number(info->file_bytes, bytes),
           bits_per_position(info->file_bytes, info->positions));
}

/* Prints which levels are on record as proved, or why the record cannot be trusted. */
static void print_proved(const struct answer_proof *proof)
{
    if (proof->status != WARI_OK)
        printf("no proof on record: %s\n", proof->error.text);
    else if (proof->seeds_max < 0)
        puts("no proof on record ('wari verify' makes one)");
    else
        printf("levels 0 to %d are on record as proved\n", proof->seeds_max);
}

static void print_text(const struct wari_level_info *level)
{
    char positions[TEXT_NUMBER], placements[TEXT_NUMBER], bytes[TEXT_NUMBER];
    uint64_t all = level->placements;
    printf("\n%d seeds: %s placements, %s positions in %s bytes: %.2f bits a position\n"
           "  hash of the values %016" PRIx64 "\n"
           "  the mover wins %.2f %%, draws %.2f %%, loses %.2f %%\n",
           level->seeds, text_number(all, placements), text_number(level->positions, positions),
           text_number(level->file_bytes, bytes),
           bits_per_position(level->file_bytes, level->positions), level->payload_hash,
           text_percent(answer_count_between(level, 1, WARI_SEEDS_MAX), all),
           text_percent(answer_count_between(level, 0, 0), all),
           text_percent(answer_count_between(level, -WARI_SEEDS_MAX, -1), all));
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        uint64_t count = level->histogram[value + WARI_SEEDS_MAX];
        char text[2][TEXT_NUMBER];
        if (count)
            printf("  %4s %18s %7.3f %%\n", text_value(value, text[0]), text_number(count, text[1]),
                   text_percent(count, all));
    }
}

static void print_csv(const struct wari_level_info *level)
{
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        uint64_t count = level->histogram[value + WARI_SEEDS_MAX];
        if (count)
            printf("%d,%d,%" PRIu64 "\n", level->seeds, value, count);
    }
}

/* ---- Command ---- */

static enum wari_status print_levels(struct wari_db *db, const struct database_options *options,
                                     int first, int last, struct wari_error *error)
{
    struct answer_proof proof;
    struct wari_info info;
    enum wari_status status = WARI_OK;

    wari_get_info(db, &info);
    answer_proof_find(db, options->folder, &proof);
    if (options->format == STATS_TEXT) {
        print_heading(&info, options->folder);
        print_proved(&proof);
    }
    if (options->format == STATS_CSV)
        puts("seeds,value,count");
    for (int seeds = first; seeds <= last && status == WARI_OK; seeds++) {
        struct wari_level_info level;
        if (!wari_level_exists(seeds))
            continue;
        status = wari_get_level_info(db, seeds, &level, error);
        if (status != WARI_OK)
            break;
        if (options->format == STATS_TEXT)
            print_text(&level);
        else
            print_csv(&level);
    }
    return status;
}

static enum wari_status print_json(struct wari_db *db, const struct database_options *options,
                                   int first, int last, struct wari_error *error)
{
    struct answer_proof proof;
    json_t *levels;
    answer_proof_find(db, options->folder, &proof);
    if (proof.status != WARI_OK)
        report_note("stats", "%s", proof.error.text);
    enum wari_status status = answer_levels_json(db, &proof, first, last, &levels, error);
    return status == WARI_OK ? json_print(levels, error) : status;
}

/* Prints or draws all levels, or those that were requested. */
static enum wari_status print_statistics(struct wari_db *db, const struct request *request,
                                         struct wari_error *error)
{
    struct wari_level_info level;
    struct wari_info info;
    wari_get_info(db, &info);
    const int first = request->first < 0 ? 0 : request->first;
    const int last = request->first < 0 ? info.seeds_max : request->last;
    enum wari_status status = wari_get_level_info(db, last, &level, error);
    if (status != WARI_OK)
        return status;
    if (request->plot)
        return stats_plot(db, first, last, request->plot, error);
    return request->options.format == STATS_JSON
               ? print_json(db, &request->options, first, last, error)
               : print_levels(db, &request->options, first, last, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_db *db = NULL;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = options_open(&request.options, &db, &error);
    if (status == WARI_OK)
        status = print_statistics(db, &request, &error);
    wari_close(db);
    return report_result(argv[0], status, &error);
}

const struct command command_stats = {
    .name = "stats",
    .summary = "print or draw how often each value occurs, level by level",
    .run = run,
    .help =
        "usage: wari stats --db DIR [--rules R] [--cycle C] [--seeds N]\n"
        "                  [--format text|csv|json | --plot FILE]\n"
        "\n"
        "Prints the contents of the catalogue for each level: the number of positions, the\n"
        "size, a hash of the values, and how often each value (from the mover's point of view)\n"
        "occurs among all C(n+11,11) placements of n seeds.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds N      only the level with N seeds, or several levels: --seeds 8-12;\n"
        "                 default: all levels\n"
        "  --format F     text (default); csv: the columns seeds,value,count, with the values\n"
        "                 that occur; json (--json for short): one object\n"
        "  --plot FILE    print nothing, but draw a picture in SVG, with a diagram for each level\n"
        "                 whose bars show the share of each value; - writes it to standard\n"
        "                 output. The file appears when it is complete; an existing file is\n"
        "                 replaced\n"
        "\n"
        "The output also states which levels are on record as proved ('wari verify'). The\n"
        "counts come from the catalogue; 'wari check --published' compares them with published\n"
        "ones. In JSON, proved is the last level on record, or -1; record is fits, none,\n"
        "damaged, version (another format version) or unreadable; missing has the levels that\n"
        "the catalogue lists but whose files are missing.\n"
        "\n"
        "examples\n"
        "  wari stats --db tables --format csv\n"
        "  wari stats --db tables --seeds 8-12 --plot values.svg\n"
        "\n"
        "exit codes: 0 done; 1 the database does not have that level; 2 bad usage; 3 a file is\n"
        "damaged; 4 reading or writing failed, or no level is there yet; 5 not enough memory; 6\n"
        "the folder does not contain that rule set, or has another format version; 129, 130, 143\n"
        "stopped by SIGHUP, Ctrl-C or SIGTERM\n",
};
