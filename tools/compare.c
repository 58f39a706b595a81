/* `wari compare`: compares the values of two variants.
 *
 * Reads the level files themselves, not position by position, so that every stored position of
 * every level is examined exactly once. Two databases store a level in the same order and in chunks
 * of the same size. So both are read in step, with one chunk of each in memory at a time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/level_reader.h"
#include "index/level.h"
#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options; /* options of both databases; the choice of one variant in
                                      * them is not used */
    struct variant_choice choice[2];
    struct wari_variant variant[2];
    int side;  /* 0 or 1: index of the rule set that was named last */
    int seeds; /* highest level to compare; -1 means all levels that both databases have */
};

enum { EXAMPLES_KEPT = 3 }; /* number of differing positions that are printed for each level */

struct example {
    struct wari_position position;
    int value[2];
};

/* The differences between the values of one level, over its stored positions. */
struct level_comparison {
    int seeds;
    uint64_t positions;
    uint64_t differ;
    uint64_t distance; /* sum of |value[0] - value[1]| over the positions */
    int largest;       /* largest |value[0] - value[1]| */
    /* Number of positions by outcome (lost, drawn, won) in the first and in the second database. */
    uint64_t outcome[3][3];
    int kept;                              /* number of examples in `example` */
    struct example example[EXAMPLES_KEPT]; /* the first differing positions, in index order */
};

/* ---- Command line ---- */

/* --cycle applies to the rule set named before it: to the first one until --with is given. */
static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 'R':
    case 'w':
        request->side = key == 'w';
        request->choice[request->side].rules = optarg;
        return WARI_OK;
    case 'C':
        request->choice[request->side].cycle = optarg;
        return WARI_OK;
    case 'W':
        request->choice[1].cycle = optarg;
        return WARI_OK;
    default:
        return options_seeds(optarg, &request->seeds, error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        {"rules", required_argument, NULL, 'R'},
        {"cycle", required_argument, NULL, 'C'},
        {"with", required_argument, NULL, 'w'},
        {"with-cycle", required_argument, NULL, 'W'},
        {"seeds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request = (struct request){.seeds = -1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && (!request->choice[0].rules || !request->choice[1].rules))
        status =
            wari_fail(error, WARI_BAD_INPUT,
                      "two rule sets are needed: --rules R1 [--cycle C1] --with R2 [--cycle C2]");
    return status;
}

/* ---- Comparing a level ---- */

/* One of the two databases while a level of it is read. */
struct side {
    struct wari_level_reader *reader;
    struct wari_decoder *decoder;
    int8_t values[WARI_CHUNK_POSITIONS];
};

/* Returns 0, 1 or 2 for lost, drawn or won. */
static int outcome_of(int value)
{
    return (value > 0) - (value < 0) + 1;
}

/* Returns the number of positions whose outcome (lost, drawn, won) differs. */
static uint64_t count_outcomes(const struct level_comparison *level)
{
    uint64_t same = level->outcome[0][0] + level->outcome[1][1] + level->outcome[2][2];
    return level->positions - same;
}

static void keep_example(const struct wari_layout *layout, uint64_t number, int one, int other,
                         struct level_comparison *level)
{
    struct example *example = &level->example[level->kept++];
    wari_layout_unrank(layout, number, &example->position);
    example->value[0] = one;
    example->value[1] = other;
}

/* Compares two chunks and adds the result to `level`. `first` is the number of their first
 * position. */
static void compare_chunk(const struct side sides[2], size_t count, uint64_t first,
                          const struct wari_layout *layout, struct level_comparison *level)
{
    for (size_t i = 0; i < count; i++) {
        int one = sides[0].values[i];
        int other = sides[1].values[i];
        int distance = abs(one - other);
        level->outcome[outcome_of(one)][outcome_of(other)]++;
        if (distance == 0)
            continue;
        if (level->kept < EXAMPLES_KEPT)
            keep_example(layout, first + i, one, other, level);
        level->differ++;
        level->distance += (uint64_t)distance;
        if (distance > level->largest)
            level->largest = distance;
    }
    level->positions += count;
}

static enum wari_status open_side(struct side *side, const char *folder, struct wari_level_key key,
                                  const struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    enum wari_status status = wari_level_reader_open(
        &side->reader, &(struct wari_level_address){host, folder, key}, record, error);
    if (status == WARI_OK)
        status = wari_decoder_create(&side->decoder, host, error);
    return status;
}

/* Reads both files of a level from beginning to end and compares them. The hash of each chunk is
 * checked. `record` holds the entries of the level in both catalogues. */
static enum wari_status compare_level(const char *folder, int seeds,
                                      const struct wari_variant variant[2],
                                      const struct wari_level_record *const record[2],
                                      struct level_comparison *level, struct wari_error *error)
{
    struct wari_layout layout;
    enum wari_status status = WARI_OK;
    struct side *sides = calloc(2, sizeof *sides);
    if (!sides)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for two chunks of values");

    *level = (struct level_comparison){.seeds = seeds};
    wari_layout_init(&layout, seeds);
    for (int i = 0; i < 2 && status == WARI_OK; i++) {
        struct wari_level_key key = {variant[i], seeds};
        status = open_side(&sides[i], folder, key, record[i], error);
    }
    const uint64_t positions = wari_level_positions(seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    for (uint64_t chunk = 0; chunk < chunks && status == WARI_OK; chunk++) {
        for (int i = 0; i < 2 && status == WARI_OK; i++)
            status = wari_level_reader_chunk(sides[i].reader, sides[i].decoder, chunk,
                                             sides[i].values, error);
        if (status == WARI_OK)
            compare_chunk(sides, wari_chunk_size(chunk, positions), chunk * WARI_CHUNK_POSITIONS,
                          &layout, level);
    }
    for (int i = 0; i < 2; i++) {
        if (sides[i].decoder)
            wari_decoder_destroy(sides[i].decoder);
        wari_level_reader_close(sides[i].reader);
    }
    free(sides);
    return status;
}

/* ---- Text ---- */

static double mean_distance(const struct level_comparison *level)
{
    return level->positions ? (double)level->distance / (double)level->positions : 0.0;
}

static void print_heading(const struct request *request)
{
    char one[VARIANT_TEXT], other[VARIANT_TEXT], folder[TEXT_PATH];
    variant_text(request->variant[0], one);
    variant_text(request->variant[1], other);
    printf(
        "%s compared with %s in %s\n\n"
        "differ: positions with different values; mean, max: absolute difference of the values,\n"
        "the mean taken over all positions; outcome: positions that are won, drawn or lost in\n"
        "one but not in the other\n\n"
        "%5s %17s %17s %9s %7s %4s %15s\n",
        one, other, text_path(request->options.folder, folder), "seeds", "positions", "differ", "",
        "mean", "max", "outcome");
}

static void print_text(const struct level_comparison *level)
{
    char positions[TEXT_NUMBER], differ[TEXT_NUMBER], outcomes[TEXT_NUMBER];
    uint64_t changed = count_outcomes(level);
    printf("%5d %17s %17s %7.3f %% %7.4f %4d %15s %7.3f %%\n", level->seeds,
           text_number(level->positions, positions), text_number(level->differ, differ),
           text_percent(level->differ, level->positions), mean_distance(level), level->largest,
           text_number(changed, outcomes), text_percent(changed, level->positions));
}

static void print_examples(const struct request *request, const struct level_comparison *levels,
                           int count)
{
    char one[VARIANT_TEXT], other[VARIANT_TEXT];
    uint64_t differ = 0;
    variant_text(request->variant[0], one);
    variant_text(request->variant[1], other);
    for (int i = 0; i < count; i++)
        differ += levels[i].differ;
    if (differ == 0) {
        printf("\nno value differs\n");
        return;
    }
    printf("\nthe first positions of each level that differ: value by %s, by %s\n", one, other);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < levels[i].kept; j++) {
            const struct example *example = &levels[i].example[j];
            char position[WARI_POSITION_TEXT], value[2][TEXT_NUMBER];
            wari_position_text(&example->position, position);
            printf("  %-37s %4s %4s\n", position, text_value(example->value[0], value[0]),
                   text_value(example->value[1], value[1]));
        }
    }
}

/* ---- JSON ---- */

static json_t *json_examples(const struct level_comparison *level)
{
    json_t *array = json_array();
    for (int i = 0; array && i < level->kept; i++) {
        const struct example *example = &level->example[i];
        json_t *object = json_pack("{so s[ii]}", "position", json_position(&example->position),
                                   "values", example->value[0], example->value[1]);
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *json_level(const struct level_comparison *level)
{
    static const char *const names[] = {"loss", "draw", "win"};
    json_t *outcomes = json_object();
    for (int one = 0; outcomes && one < 3; one++) {
        for (int other = 0; other < 3; other++) {
            char name[20];
            snprintf(name, sizeof name, "%s_%s", names[one], names[other]);
            if (json_object_set_new(outcomes, name,
                                    json_integer((json_int_t)level->outcome[one][other])) != 0) {
                json_decref(outcomes);
                return NULL;
            }
        }
    }
    return json_pack("{si sI sI sf si sI so so}", "seeds", level->seeds, "positions",
                     (json_int_t)level->positions, "differ", (json_int_t)level->differ, "mean",
                     mean_distance(level), "max", level->largest, "outcome_differs",
                     (json_int_t)count_outcomes(level), "outcomes", outcomes, "first",
                     json_examples(level));
}

static enum wari_status print_json(const struct request *request,
                                   const struct level_comparison *levels, int count,
                                   struct wari_error *error)
{
    const struct wari_variant *variant = request->variant;
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        if (json_array_append_new(array, json_level(&levels[i])) != 0) {
            json_decref(array);
            return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
        }
    }
    return json_print(json_pack("{ss ss s{ss ss} so}", "rules",
                                wari_get_rules_info(variant[0].rules)->name, "cycle",
                                wari_cycle_name(variant[0].cycle), "with", "rules",
                                wari_get_rules_info(variant[1].rules)->name, "cycle",
                                wari_cycle_name(variant[1].cycle), "levels", array),
                      error);
}

/* ---- Command ---- */

static enum wari_status read_catalogues(struct request *request, struct wari_catalogue catalogue[2],
                                        struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < 2 && status == WARI_OK; i++) {
        status = variant_in_folder(&request->choice[i], request->options.folder,
                                   &request->variant[i], error);
        if (status == WARI_OK)
            status = options_read_catalogue("compare", request->options.folder, request->variant[i],
                                            &catalogue[i], error);
    }
    if (status != WARI_OK)
        return status;
    const struct wari_variant *variant = request->variant;
    if (variant[0].rules == variant[1].rules && variant[0].cycle == variant[1].cycle)
        return wari_fail(
            error, WARI_BAD_INPUT, "both variants are %s %s; name a different one after --with",
            wari_get_rules_info(variant[0].rules)->name, wari_cycle_name(variant[0].cycle));
    for (int i = 0; i < 2; i++) {
        if (request->seeds > catalogue[i].seeds_max)
            return wari_fail(error, WARI_NOT_COVERED,
                             "%s: %s %s has levels up to %d seeds, not %d; build more levels",
                             request->options.folder, wari_get_rules_info(variant[i].rules)->name,
                             wari_cycle_name(variant[i].cycle), catalogue[i].seeds_max,
                             request->seeds);
    }
    if (request->seeds < 0)
        request->seeds = catalogue[0].seeds_max < catalogue[1].seeds_max ? catalogue[0].seeds_max
                                                                         : catalogue[1].seeds_max;
    return WARI_OK;
}

static enum wari_status compare(struct request *request, struct wari_error *error)
{
    struct wari_catalogue catalogue[2];
    struct level_comparison levels[WARI_SEEDS_MAX + 1];
    int count = 0;
    enum wari_status status = read_catalogues(request, catalogue, error);
    if (status != WARI_OK)
        return status;
    if (request->options.format == FORMAT_TEXT)
        print_heading(request);
    for (int seeds = 0; seeds <= request->seeds && !report_output_lost(); seeds++) {
        if (!wari_catalogue_has(&catalogue[0], seeds) || !wari_catalogue_has(&catalogue[1], seeds))
            continue;
        const struct wari_level_record *records[2] = {&catalogue[0].level[seeds],
                                                      &catalogue[1].level[seeds]};
        status = compare_level(request->options.folder, seeds, request->variant, records,
                               &levels[count], error);
        if (status != WARI_OK)
            return status;
        if (request->options.format == FORMAT_TEXT) {
            print_text(&levels[count]);
            fflush(stdout); /* the next level takes longer */
        }
        count++;
    }
    if (request->options.format == FORMAT_JSON)
        return print_json(request, levels, count, error);
    print_examples(request, levels, count);
    return WARI_OK;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = compare(&request, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "show how the values of two rule sets differ",
    .run = run,
    .help =
        "usage: wari compare --db DIR --rules R1 [--cycle C1] --with R2 [--cycle C2]\n"
        "                    [--seeds N] [--format text|json]\n"
        "\n"
        "Compares two databases in one folder over all positions that can arise in play. Prints\n"
        "how many values differ and by how much, how many positions change between won, drawn\n"
        "and lost, and the first few positions of each level that differ.\n"
        "\n"
        "  --db DIR       folder with both databases\n"
        "  --rules R1     rule set or preset of the first\n"
        "  --with R2      rule set or preset of the second\n"
        "  --cycle C      even or own, for the rule set named before it; needed if the folder\n"
        "                 holds both (--with-cycle C2 always applies to the second one)\n"
        "  --seeds N      last level; default: all levels that both databases have\n"
        "  --format F     text (default), json (--json for short)\n"
        "\n"
        "example\n"
        "  wari compare --db tables --rules awari --cycle even --with abapa --cycle own\n"
        "\n"
        "exit codes: 0 compared, with or without differences; 1 a level is missing; 2 bad usage;\n"
        "3 a file is damaged; 4 reading or writing failed; 5 not enough memory; 6 the folder\n"
        "does not contain one of the rule sets, or has another format version\n",
};
