/* `wari compare`: compares the values of two variants, or of a variant with score files.
 *
 * Reads the level files themselves, not position by position, so that every stored position of
 * every level is examined exactly once. Two databases store a level in the same order and in chunks
 * of the same size. So both are read in step, with one chunk of each in memory at a time. Score
 * files are read in the same order, several chunks at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/level_reader.h"
#include "db/scores/score_file.h"
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
    const char *scores; /* folder of the score files on the second side; NULL means a database */
    int side;           /* 0 or 1: index of the rule set that was named last */
    int first;          /* lowest level to compare */
    int seeds;          /* highest level to compare; -1 means all levels that both sides have */
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
    case 'S':
        request->scores = optarg;
        return WARI_OK;
    default:
        if (strchr(optarg, '-'))
            return options_seed_range(optarg, &request->first, &request->seeds, error);
        request->first = 0;
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
        {"scores", required_argument, NULL, 'S'},
        {"seeds", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request = (struct request){.seeds = -1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && request->scores) {
        if (request->choice[1].rules || request->choice[1].cycle)
            return wari_fail(
                error, WARI_BAD_INPUT,
                "--with and --scores both name what to compare with; give one of them");
        return options_require_scores(request->scores, error);
    }
    if (status == WARI_OK && (!request->choice[0].rules || !request->choice[1].rules))
        status =
            wari_fail(error, WARI_BAD_INPUT,
                      "two rule sets are needed: --rules R1 [--cycle C1] --with R2 [--cycle C2]; "
                      "or score files: --scores DIR");
    return status;
}

/* ---- Comparing a level ---- */

/* Number of chunks of a score file that are read at once. It is more than one because a row of a
 * score file is read as a whole. */
enum { CHUNKS_READ = 32 };

/* The open files of one level on one side of the comparison. A side is a database or a folder of
 * score files. */
struct side {
    struct wari_level_reader *reader; /* NULL for score files */
    struct wari_decoder *decoder;     /* NULL for score files */
    struct wari_score_file file;      /* its host is NULL if it is not open */
    struct wari_score_reader scores;
    int8_t *values; /* the current chunk, in `chunks` */
    int8_t chunks[CHUNKS_READ * WARI_CHUNK_POSITIONS];
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

static enum wari_status open_scores(struct side *side, const char *folder, int seeds,
                                    struct wari_error *error)
{
    enum wari_status status =
        wari_score_file_open(&side->file, wari_host_system(), folder, seeds, error);
    if (status == WARI_OK)
        status = wari_score_reader_create(&side->scores, &side->file, error);
    return status;
}

/* Closes the files that open_side() or open_scores() has opened. Does nothing for a side whose
 * fields are all zero. */
static void close_side(struct side *side)
{
    if (side->decoder)
        wari_decoder_destroy(side->decoder);
    wari_level_reader_close(side->reader);
    wari_score_reader_destroy(&side->scores);
    if (side->file.host)
        wari_score_file_close(&side->file);
}

/* Reads a chunk of a level with `positions` positions. The chunks have to be read in order. */
static enum wari_status read_side(struct side *side, uint64_t chunk, uint64_t positions,
                                  struct wari_error *error)
{
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS, left = positions - first;
    const size_t most = sizeof side->chunks;
    side->values = side->chunks;
    if (side->reader)
        return wari_level_reader_chunk(side->reader, side->decoder, chunk, side->values, error);
    side->values += chunk % CHUNKS_READ * WARI_CHUNK_POSITIONS;
    if (chunk % CHUNKS_READ != 0)
        return WARI_OK;
    return wari_score_read(&side->scores, first, left < most ? (size_t)left : most, side->chunks,
                           error);
}

/* Reads both files of a level from beginning to end and compares them. The hash of each chunk is
 * checked. `record` holds the entries of the level in both catalogues. */
static enum wari_status compare_level(const struct request *request, int seeds,
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
        struct wari_level_key key = {request->variant[i], seeds};
        status = i == 1 && request->scores
                     ? open_scores(&sides[i], request->scores, seeds, error)
                     : open_side(&sides[i], request->options.folder, key, record[i], error);
    }
    const uint64_t positions = wari_level_positions(seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    for (uint64_t chunk = 0; chunk < chunks && status == WARI_OK; chunk++) {
        for (int i = 0; i < 2 && status == WARI_OK; i++)
            status = read_side(&sides[i], chunk, positions, error);
        if (status == WARI_OK)
            compare_chunk(sides, wari_chunk_size(chunk, positions), chunk * WARI_CHUNK_POSITIONS,
                          &layout, level);
    }
    for (int i = 0; i < 2; i++)
        close_side(&sides[i]);
    free(sides);
    return status;
}

/* ---- Text ---- */

static double mean_distance(const struct level_comparison *level)
{
    return level->positions ? (double)level->distance / (double)level->positions : 0.0;
}

/* Writes the name of the second side into `text`, and returns it. */
static const char *other_name(const struct request *request, char text[VARIANT_TEXT])
{
    if (request->scores)
        return "the score files";
    variant_text(request->variant[1], text);
    return text;
}

static void print_heading(const struct request *request)
{
    char one[VARIANT_TEXT], other[VARIANT_TEXT], folder[TEXT_PATH], scores[TEXT_PATH];
    variant_text(request->variant[0], one);
    printf(
        "%s%s%s compared with %s in %s\n\n"
        "differ: positions with different values; mean, max: absolute difference of the values,\n"
        "the mean taken over all positions; outcome: positions that are won, drawn or lost in\n"
        "one but not in the other\n\n"
        "%5s %17s %17s %9s %7s %4s %15s\n",
        one, request->scores ? " in " : "",
        request->scores ? text_path(request->options.folder, folder) : "",
        other_name(request, other),
        request->scores ? text_path(request->scores, scores)
                        : text_path(request->options.folder, folder),
        "seeds", "positions", "differ", "", "mean", "max", "outcome");
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
    for (int i = 0; i < count; i++)
        differ += levels[i].differ;
    if (differ == 0) {
        printf("\nno value differs\n");
        return;
    }
    printf("\nthe first positions of each level that differ: value by %s, by %s\n", one,
           other_name(request, other));
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
    json_t *with = request->scores
                       ? json_pack("{so}", "scores", json_message(request->scores))
                       : json_pack("{ss ss}", "rules", wari_get_rules_info(variant[1].rules)->name,
                                   "cycle", wari_cycle_name(variant[1].cycle));
    return json_print(json_pack("{ss ss so so}", "rules",
                                wari_get_rules_info(variant[0].rules)->name, "cycle",
                                wari_cycle_name(variant[0].cycle), "with", with, "levels", array),
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

/* Reads the catalogue of the database that is compared with score files. Checks that the requested
 * score files can be opened. */
static enum wari_status read_catalogue(struct request *request, struct wari_catalogue *catalogue,
                                       struct wari_error *error)
{
    enum wari_status status = variant_in_folder(&request->choice[0], request->options.folder,
                                                &request->variant[0], error);
    if (status == WARI_OK)
        status = options_read_catalogue("compare", request->options.folder, request->variant[0],
                                        catalogue, error);
    if (status == WARI_OK && request->seeds > catalogue->seeds_max)
        return wari_fail(error, WARI_NOT_COVERED,
                         "%s has levels up to %d seeds, not %d; compare fewer levels",
                         request->options.folder, catalogue->seeds_max, request->seeds);
    for (int n = request->first; n <= request->seeds && status == WARI_OK;
         n = wari_catalogue_next(n)) {
        struct wari_score_file file;
        status = wari_score_file_open(&file, wari_host_system(), request->scores, n, error);
        wari_score_file_close(&file);
    }
    return status;
}

/* Returns true if there is a score file of the level. */
static bool has_scores(const char *folder, int seeds)
{
    char path[WARI_PATH_MAX];
    return wari_score_path(path, folder, seeds, NULL) == WARI_OK && access(path, F_OK) == 0;
}

/* Returns true if the level has to be compared. If the user named no last level, levels without a
 * score file are left out. */
static bool is_compared(const struct request *request, const struct wari_catalogue catalogue[2],
                        int seeds)
{
    if (!wari_catalogue_has(&catalogue[0], seeds))
        return false;
    if (request->scores)
        return request->seeds >= 0 ? seeds >= request->first && seeds <= request->seeds
                                   : has_scores(request->scores, seeds);
    return wari_catalogue_has(&catalogue[1], seeds) && seeds >= request->first &&
           seeds <= request->seeds;
}

/* Returns true if there is a level to compare. Without score files there always is one, because
 * the levels of both databases were checked before. */
static bool is_any_compared(const struct request *request, const struct wari_catalogue catalogue[2])
{
    bool any = request->scores == NULL;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX && !any; seeds++)
        any = is_compared(request, catalogue, seeds);
    return any;
}

/* Prints a note for each level that is left out although a higher one is compared. */
static void note_missing_scores(const struct request *request,
                                const struct wari_catalogue catalogue[2])
{
    int last = WARI_SEEDS_MAX;
    while (last > 0 && !is_compared(request, catalogue, last))
        last--;
    for (int n = 0; n < last; n = wari_catalogue_next(n))
        if (wari_catalogue_has(&catalogue[0], n) && !is_compared(request, catalogue, n))
            report_note("compare", "%s has no scores.%d; level %d is not compared", request->scores,
                        n, n);
}

static enum wari_status fail_without_scores(const struct request *request, struct wari_error *error)
{
    struct stat folder;
    if (stat(request->scores, &folder) != 0)
        return wari_fail(error, WARI_IO, "%s: %s", request->scores, strerror(errno));
    if (!S_ISDIR(folder.st_mode))
        return wari_fail(error, WARI_IO, "%s is not a folder", request->scores);
    return wari_fail(error, WARI_IO, "%s has no score file, scores.0 and so on, of a level in %s",
                     request->scores, request->options.folder);
}

static enum wari_status compare(struct request *request, struct wari_error *error)
{
    struct wari_catalogue catalogue[2];
    struct level_comparison levels[WARI_SEEDS_MAX + 1];
    int count = 0;
    enum wari_status status = request->scores ? read_catalogue(request, catalogue, error)
                                              : read_catalogues(request, catalogue, error);
    if (status != WARI_OK)
        return status;
    if (!is_any_compared(request, catalogue))
        return fail_without_scores(request, error);
    if (request->scores && request->seeds < 0)
        note_missing_scores(request, catalogue);
    if (request->options.format == FORMAT_TEXT)
        print_heading(request);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX && !report_output_lost(); seeds++) {
        if (!is_compared(request, catalogue, seeds))
            continue;
        const struct wari_level_record *records[2] = {&catalogue[0].level[seeds],
                                                      &catalogue[1].level[seeds]};
        status = compare_level(request, seeds, records, &levels[count], error);
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
    .summary = "show how two rule sets, or a database and score files, differ",
    .run = run,
    .help =
        "usage: wari compare --db DIR --rules R1 [--cycle C1] --with R2 [--cycle C2]\n"
        "                    [--seeds N] [--format text|json]\n"
        "       wari compare --db DIR --scores DIR [--rules R1] [--cycle C1]\n"
        "                    [--seeds A-B] [--format text|json]\n"
        "\n"
        "Compares two databases in one folder over all positions that can arise in play. Prints\n"
        "how many values differ and by how much, how many positions change between won, drawn\n"
        "and lost, and the first few positions of each level that differ. With --scores, compares\n"
        "a database with score files (see 'wari help import'), without importing them.\n"
        "\n"
        "  --db DIR       folder with both databases\n"
        "  --rules R1     rule set or preset of the first\n"
        "  --with R2      rule set or preset of the second\n"
        "  --cycle C      even or own, for the rule set named before it; needed if the folder\n"
        "                 holds both (--with-cycle C2 always applies to the second one)\n"
        "  --scores DIR   folder of score files, scores.0, scores.1, ...\n"
        "  --seeds N      last level, or A-B, first and last; default: all levels that both have\n"
        "  --format F     text (default), json (--json for short)\n"
        "\n"
        "example\n"
        "  wari compare --db tables --rules awari --cycle even --with abapa --cycle own\n"
        "\n"
        "exit codes: 0 compared, with or without differences; 1 a level is missing; 2 bad usage;\n"
        "3 a file is damaged; 4 reading or writing failed; 5 not enough memory; 6 the folder\n"
        "does not contain one of the rule sets, or has another format version\n",
};
