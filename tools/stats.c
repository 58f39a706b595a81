/* `wari stats`: the value histograms of a database, as the catalogue keeps them. Reads no values.
 *
 * The histogram is over all placements of the seeds, those included that cannot arise in play, so
 * that it compares with published ones line by line.
 */
#include <inttypes.h>
#include <stdio.h>

#include "db/wari.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/report.h"
#include "tools/text.h"
#include "tools/variant.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

static enum wari_status read_options(int argc, char **argv, struct database_options *options,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "csv", "json", NULL};
    static const struct option accepted[] = {OPTIONS_DB, OPTIONS_VARIANT, {NULL, 0, NULL, 0}};
    int key; /* there is no option but those */

    *options = (struct database_options){0};
    return options_database(argc, argv, accepted, formats, 0, &key, options, error);
}

/* Placements with values from `least` to `most`. */
static uint64_t count_between(const struct wari_level_info *level, int least, int most)
{
    uint64_t count = 0;
    for (int value = least; value <= most; value++)
        count += level->histogram[value + WARI_SEEDS_MAX];
    return count;
}

/* ---- Text ---- */

static double bits_per_position(uint64_t bytes, uint64_t positions)
{
    return positions ? 8.0 * (double)bytes / (double)positions : 0.0;
}

static void print_heading(const struct wari_info *info, const char *folder)
{
    char name[VARIANT_TEXT], positions[TEXT_NUMBER], bytes[TEXT_NUMBER];
    variant_text(info->variant, name);
    printf("%s, 0 to %d seeds in %s\n%s positions in %s bytes: %.2f bits a position\n", name,
           info->seeds_max, folder, text_number(info->positions, positions),
           text_number(info->file_bytes, bytes),
           bits_per_position(info->file_bytes, info->positions));
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
           text_percent(count_between(level, 1, WARI_SEEDS_MAX), all),
           text_percent(count_between(level, 0, 0), all),
           text_percent(count_between(level, -WARI_SEEDS_MAX, -1), all));
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

/* ---- JSON ---- */

/* Adds a level to the array `levels`; false if memory runs out. */
static bool add_level(json_t *levels, const struct wari_level_info *level)
{
    char hash[20];
    json_t *histogram = json_array();
    snprintf(hash, sizeof hash, "%016" PRIx64, level->payload_hash);
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        uint64_t count = level->histogram[value + WARI_SEEDS_MAX];
        if (count && json_array_append_new(histogram, json_pack("{sisI}", "value", value, "count",
                                                                (json_int_t)count)) != 0) {
            json_decref(histogram);
            return false;
        }
    }
    json_t *object =
        json_pack("{si sI sI ss sI sI sI sI so}", "seeds", level->seeds, "positions",
                  (json_int_t)level->positions, "placements", (json_int_t)level->placements, "hash",
                  hash, "bytes", (json_int_t)level->file_bytes, "wins",
                  (json_int_t)count_between(level, 1, WARI_SEEDS_MAX), "draws",
                  (json_int_t)count_between(level, 0, 0), "losses",
                  (json_int_t)count_between(level, -WARI_SEEDS_MAX, -1), "histogram", histogram);
    return json_array_append_new(levels, object) == 0;
}

static enum wari_status print_json(const struct wari_info *info, json_t *levels,
                                   struct wari_error *error)
{
    return json_print(json_pack("{ss ss si sI sI so}", "rules",
                                wari_rules_info(info->variant.rules)->name, "cycle",
                                wari_cycle_name(info->variant.cycle), "seeds_max", info->seeds_max,
                                "positions", (json_int_t)info->positions, "bytes",
                                (json_int_t)info->file_bytes, "levels", levels),
                      error);
}

/* ---- The run ---- */

static enum wari_status print_levels(struct wari_db *db, const struct database_options *options,
                                     struct wari_error *error)
{
    struct wari_info info;
    enum wari_status status = WARI_OK;
    json_t *levels = options->format == FORMAT_JSON ? json_array() : NULL;

    wari_info(db, &info);
    if (options->format == FORMAT_TEXT)
        print_heading(&info, options->folder);
    if (options->format == FORMAT_CSV)
        puts("seeds,value,count");
    for (int seeds = 0; seeds <= info.seeds_max && status == WARI_OK; seeds++) {
        struct wari_level_info level;
        if (seeds == WARI_SEEDS_MAX - 1)
            continue; /* 47 seeds cannot arise and are in no database */
        status = wari_level_info(db, seeds, &level, error);
        if (status != WARI_OK)
            break;
        if (options->format == FORMAT_TEXT)
            print_text(&level);
        else if (options->format == FORMAT_CSV)
            print_csv(&level);
        else if (!add_level(levels, &level))
            status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
    }
    if (status == WARI_OK && options->format == FORMAT_JSON)
        return print_json(&info, levels, error);
    json_decref(levels);
    return status;
}

static int run(int argc, char **argv)
{
    struct database_options options;
    struct wari_variant variant;
    struct wari_db *db = NULL;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &options, &error);
    if (status == WARI_OK)
        status = variant_in_folder(&options.choice, options.folder, &variant, &error);
    if (status == WARI_OK)
        status = wari_open(&db, options.folder, &variant, NULL, &error);
    if (status == WARI_OK)
        status = print_levels(db, &options, &error);
    wari_close(db);
    return report_result(argv[0], status, &error);
}

const struct command command_stats = {
    .name = "stats",
    .summary = "print how often each value occurs, level by level",
    .run = run,
    .help = "usage: wari stats --db DIR [--rules R] [--cycle C] [--format text|csv|json]\n"
            "\n"
            "Prints what the catalogue knows of each level: positions, size, a hash of the\n"
            "values, and how often each value occurs, seen by the mover, over all C(n+11,11)\n"
            "placements of n seeds.\n"
            "\n"
            "  --db DIR       folder of the database\n"
            "  --rules R, --cycle C\n"
            "                 which database, if the folder holds several\n"
            "  --format F     text (default); csv: the columns seeds,value,count, only values\n"
            "                 that occur; json (--json for short): one object\n"
            "\n"
            "example\n"
            "  wari stats --db tables --format csv\n"
            "\n"
            "exit codes: 0 done; 2 bad usage; 3 a file is damaged; 4 reading or writing failed;\n"
            "6 the folder lacks that rule set, or another format version\n",
};
