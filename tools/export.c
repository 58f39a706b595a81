/* `wari export`: writes the values of a level as plain bytes or text, for other programs.
 *
 * In the order of the level files, values are read and written sequentially. The score files that
 * the Vrije Universiteit Amsterdam published have a different order of opponent halves. For that
 * order the level is read into memory and written row by row, because in both orders the positions
 * with the same opponent half are contiguous.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/catalogue/lock.h"
#include "db/maintain/score_export.h"
#include "db/scores/score_order.h"
#include "db/wari.h"
#include "index/half.h"
#include "index/level.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum format { FORMAT_RAW, FORMAT_CSV, FORMAT_VU, FORMAT_PLAYSTRATEGY };

enum { VALUES_AT_A_TIME = 1 << 16 };

struct request {
    struct database_options options;
    int seeds; /* the level to export, or the first of several; -1 means not given */
    int last;  /* the last level to export */
    const char *output;
    const char *scores; /* folder of the score files to write; NULL means that one level is written
                         * in the format of --format */
};

struct export
{
    struct wari_db *db;
    struct output *output;
    struct wari_layout layout;
    uint64_t positions;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 's':
        return options_seed_range(optarg, &request->seeds, &request->last, error);
    case 'S':
        request->scores = optarg;
        return WARI_OK;
    default:
        request->output = optarg;
        return options_require_file("--output", optarg, error);
    }
}

/* Checks the options for writing one level. */
static enum wari_status check_format(const struct request *request, struct wari_error *error)
{
    const bool binary =
        request->options.format == FORMAT_RAW || request->options.format == FORMAT_VU;
    if (request->seeds < 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--seeds N is missing; N is the level to export, 0 to 46 or 48");
    if (request->seeds != request->last)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--seeds: one level is written at a time; several need --scores DIR");
    if (binary && !request->output && isatty(STDOUT_FILENO))
        return wari_fail(error, WARI_BAD_INPUT,
                         "this format is binary and cannot be shown on a terminal; use --output "
                         "FILE, or --format csv");
    return WARI_OK;
}

/* Checks the options for writing score files. */
static enum wari_status check_scores(const struct request *request, struct wari_error *error)
{
    struct stat found;
    const enum wari_status status = options_require_scores(request->scores, error);
    if (status == WARI_OK && stat(request->scores, &found) == 0 && !S_ISDIR(found.st_mode))
        return wari_fail(error, WARI_IO,
                         "%s: this is not a folder; --scores DIR is the folder of the score files",
                         request->scores);
    if (status == WARI_OK && (request->output || request->options.format != FORMAT_RAW))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--scores writes files of its own; use it without --output and --format");
    return status;
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"raw", "csv", "vu", "playstrategy", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},
        {"scores", required_argument, NULL, 'S'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request = (struct request){.seeds = -1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK)
        status = request->scores ? check_scores(request, error) : check_format(request, error);
    return status;
}

/* Sets *continues to false if the output cannot be written any more. Fails with WARI_INTERRUPTED
 * after a signal. */
static enum wari_status check_interrupt(const struct output *output, bool *continues,
                                        struct wari_error *error)
{
    *continues = !report_output_lost();
    if (*interrupt_flag())
        return wari_fail(error, WARI_INTERRUPTED,
                         output->path ? "stopped; no output file was written"
                                      : "stopped; the output is incomplete");
    return WARI_OK;
}

/* ---- In the order of the files ---- */

static enum wari_status export_raw(const struct export *export, struct wari_error *error)
{
    int8_t values[VALUES_AT_A_TIME];
    bool continues = true;
    enum wari_status status = WARI_OK;
    for (uint64_t first = 0; first < export->positions && continues && status == WARI_OK;) {
        uint64_t left = export->positions - first;
        size_t count = left < VALUES_AT_A_TIME ? (size_t)left : VALUES_AT_A_TIME;
        status = wari_values(export->db, export->layout.seeds, first, count, values, error);
        if (status == WARI_OK)
            status = output_write(export->output, values, count, error);
        if (status == WARI_OK)
            status = check_interrupt(export->output, &continues, error);
        first += count;
    }
    return status;
}

/* Writes a count and one character after it. Returns the end of the text. */
static char *write_count(char *text, int count, char suffix)
{
    if (count >= 10)
        *text++ = (char)('0' + count / 10);
    *text++ = (char)('0' + count % 10);
    *text++ = suffix;
    return text;
}

/* Writes a line such as "0 1 0 0 1 0 / 0 0 0 0 0 1,3". This function is faster than
 * wari_position_text(), because a hundred million lines are common. */
static char *write_line(char *text, const struct wari_position *position, int value)
{
    for (int pit = 0; pit < WARI_PITS; pit++) {
        text = write_count(text, position->pits[pit], pit == WARI_PITS - 1 ? ',' : ' ');
        if (pit == WARI_HALF_PITS - 1) {
            *text++ = '/';
            *text++ = ' ';
        }
    }
    if (value < 0)
        *text++ = '-';
    return write_count(text, value < 0 ? -value : value, '\n');
}

/* Writes a line such as "\"1S,5/1,1S,2,1S,1 45 0 S 1\",3", in the notation of PlayStrategy. This
 * notation includes stores: South's store gets all seeds that are missing from 48. The position is
 * in quotes because it contains commas. */
static char *write_playstrategy_line(char *text, const struct wari_position *position, int value)
{
    const struct wari_setup setup = {
        .position = *position,
        .diagram = true,
        .stores = {(uint8_t)(WARI_SEEDS_MAX - wari_seeds(position)), 0},
    };
    *text++ = '"';
    wari_playstrategy_text(&setup, text);
    text += strlen(text);
    *text++ = '"';
    *text++ = ',';
    if (value < 0)
        *text++ = '-';
    return write_count(text, value < 0 ? -value : value, '\n');
}

/* Advances to the next position in the order of the level files. `number` is the number of that
 * next position. */
static void next_position(const struct wari_layout *layout, uint64_t number,
                          struct wari_position *position)
{
    if (!wari_half_next(position->pits)) /* the next row or block begins */
        wari_layout_unrank(layout, number, position);
}

static enum wari_status export_csv(const struct export *export, enum format format,
                                   struct wari_error *error)
{
    enum { LINE_BYTES_MAX = WARI_PLAYSTRATEGY_TEXT + 8 };
    char *(*write_position)(char *text, const struct wari_position *position, int value) =
        format == FORMAT_CSV ? write_line : write_playstrategy_line;
    int8_t values[VALUES_AT_A_TIME / 16];
    char text[sizeof values * LINE_BYTES_MAX];
    struct wari_position position;
    bool continues = true;
    static const char heading[] = "position,value\n";
    enum wari_status status = output_write(export->output, heading, strlen(heading), error);

    wari_layout_unrank(&export->layout, 0, &position);
    for (uint64_t first = 0; first < export->positions && continues && status == WARI_OK;) {
        uint64_t left = export->positions - first;
        size_t count = left < sizeof values ? (size_t)left : sizeof values;
        char *end = text;
        status = wari_values(export->db, export->layout.seeds, first, count, values, error);
        for (size_t i = 0; i < count && status == WARI_OK; i++) {
            end = write_position(end, &position, values[i]);
            if (++first < export->positions)
                next_position(&export->layout, first, &position);
        }
        if (status == WARI_OK)
            status = output_write(export->output, text, (size_t)(end - text), error);
        if (status == WARI_OK)
            status = check_interrupt(export->output, &continues, error);
    }
    return status;
}

/* ---- In the order of the Amsterdam score files ---- */

/* Advances to the next half with at most `seeds_max` seeds, in the order in which the last pit is
 * the most significant digit. `reversed` holds the pits from f to a. Returns false after the last
 * half. */
static bool next_half(uint8_t reversed[WARI_HALF_PITS], int seeds_max)
{
    int last = WARI_HALF_PITS - 1;
    if (wari_half_seeds(reversed) < seeds_max) {
        reversed[last]++;
        return true;
    }
    while (last > 0 && reversed[last] == 0)
        last--;
    reversed[last] = 0;
    if (last == 0)
        return false;
    reversed[last - 1]++;
    return true;
}

/* Data for --format vu: the values of a level in memory, and the order of columns in that format.
 */
struct vu_order {
    int8_t *values;
    int8_t *row; /* buffer for one row */
    /* [seeds of the mover half][column]: the place of the column in a row that is written
     * (score_order.h). */
    uint32_t *places[WARI_SEEDS_MAX + 1];
};

static void free_vu_order(struct vu_order *order)
{
    for (int m = 0; m <= WARI_SEEDS_MAX; m++)
        free(order->places[m]);
    free(order->row);
    free(order->values);
}

static enum wari_status prepare_vu_order(const struct export *export, struct vu_order *order,
                                         struct wari_error *error)
{
    char needed[TEXT_NUMBER], available[TEXT_NUMBER];
    const char *limit;
    int seeds = export->layout.seeds;
    uint64_t memory = machine_memory(1, &limit);
    if (memory < export->positions)
        return wari_fail(error, WARI_NO_MEMORY,
                         "--format vu needs %s of memory for the level, but only %s is available "
                         "(%s); --format raw needs hardly any memory",
                         text_bytes(export->positions, needed), text_bytes(memory, available),
                         limit);

    bool enough = (order->values = malloc(export->positions)) != NULL;
    enough = enough && (order->row = malloc(wari_half_count(seeds))) != NULL;
    for (int m = 0; m <= seeds && enough; m++) {
        order->places[m] = malloc(wari_half_count(m) * sizeof *order->places[m]);
        enough = order->places[m] != NULL;
    }
    if (!enough)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the values of a level");

    for (int m = 0; m <= seeds; m++)
        wari_score_places(m, order->places[m]);
    return wari_values(export->db, seeds, 0, export->positions, order->values, error);
}

static enum wari_status write_vu_order(const struct export *export, const struct vu_order *order,
                                       struct wari_error *error)
{
    const struct wari_layout *layout = &export->layout;
    uint8_t reversed[WARI_HALF_PITS] = {0}, half[WARI_HALF_PITS];
    bool continues = true;
    enum wari_status status = WARI_OK;
    do {
        for (int i = 0; i < WARI_HALF_PITS; i++)
            half[i] = reversed[WARI_HALF_PITS - 1 - i];
        if (wari_half_full(half))
            continue;
        int s = wari_half_seeds(half);
        const uint32_t *places = order->places[layout->seeds - s];
        const int8_t *values = order->values + layout->block_offset[s] +
                               (uint64_t)wari_row_rank(half) * layout->columns[s];
        for (uint32_t i = 0; i < layout->columns[s]; i++)
            order->row[places[i]] = values[i];
        status = output_write(export->output, order->row, layout->columns[s], error);
        if (status == WARI_OK)
            status = check_interrupt(export->output, &continues, error);
    } while (status == WARI_OK && continues && next_half(reversed, layout->seeds));
    return status;
}

static enum wari_status export_vu(const struct export *export, struct wari_error *error)
{
    struct vu_order order = {0};
    enum wari_status status = prepare_vu_order(export, &order, error);
    if (status == WARI_OK)
        status = write_vu_order(export, &order, error);
    free_vu_order(&order);
    return status;
}

/* ---- Score files ---- */

static void show_progress(void *context, int seeds, uint64_t done, uint64_t all)
{
    struct progress_line *line = context;
    if (progress_due(line))
        progress_show(line, "", "level %d: %.0f %%", seeds, text_percent(done, all));
}

/* Writes the score files of the levels first to last, one after the other. */
static enum wari_status write_score_files(const struct wari_score_export *export, int first,
                                          int last, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    uint64_t bytes = 0, disk = 0;
    for (int n = first; n <= last; n = wari_catalogue_next(n))
        bytes += wari_level_positions(n);
    status = machine_disk(export->folder, &disk, error);
    if (status == WARI_OK && bytes > disk) {
        char needed[TEXT_NUMBER], available[TEXT_NUMBER], levels[TEXT_NUMBER];
        return wari_fail(error, WARI_IO,
                         "%s: %s of disk space are needed for the score files of %s, but only %s "
                         "are free; choose another folder or fewer levels",
                         export->folder, text_bytes(bytes, needed),
                         text_levels(first, last, levels), text_bytes(disk, available));
    }
    if (status == WARI_OK)
        status = wari_make_folder(wari_host_system(), export->folder, error);
    for (int n = first; n <= last && status == WARI_OK; n = wari_catalogue_next(n))
        status = wari_score_export(export, n, error);
    return status;
}

static enum wari_status export_scores(const struct request *request, struct wari_db *db,
                                      struct wari_error *error)
{
    struct progress_line line;
    const struct wari_score_export export = {.db = db,
                                             .folder = request->scores,
                                             .progress = show_progress,
                                             .context = &line,
                                             .stop = interrupt_flag()};
    struct wari_info info;
    char folder[TEXT_PATH];
    wari_get_info(db, &info);
    const int first = request->seeds < 0 ? 0 : request->seeds;
    const int last = request->seeds < 0 ? info.seeds_max : request->last;
    if (last > info.seeds_max)
        return wari_fail(error, WARI_NOT_COVERED,
                         "there is no level %d in this database, which goes up to %d", last,
                         info.seeds_max);
    report_folder_sync("export", request->scores);
    progress_begin(&line);
    const enum wari_status status = write_score_files(&export, first, last, error);
    progress_clear(&line);
    text_path(request->scores, folder);
    if (status == WARI_OK && first == last)
        printf("scores.%d written in %s\n", first, folder);
    else if (status == WARI_OK)
        printf("scores.%d to scores.%d written in %s\n", first, last, folder);
    return status;
}

/* ---- Command ---- */

static enum wari_status write_level(const struct request *request, struct wari_db *db,
                                    struct wari_error *error)
{
    struct wari_level_info info;
    struct output output;
    enum wari_status status = wari_get_level_info(db, request->seeds, &info, error);
    if (status == WARI_OK)
        status = output_open(&output, request->output, error);
    if (status != WARI_OK)
        return status;

    struct export export = {.db = db, .output = &output, .positions = info.positions};
    wari_layout_init(&export.layout, request->seeds);
    if (request->options.format == FORMAT_RAW)
        status = export_raw(&export, error);
    else if (request->options.format == FORMAT_VU)
        status = export_vu(&export, error);
    else
        status = export_csv(&export, request->options.format, error);
    return output_finish(&output, status, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_db *db = NULL;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK && request.output)
        status = output_refuse_source(
            request.output, &(struct output_sources){.folder = request.options.folder}, &error);
    if (status == WARI_OK)
        status = options_open(&request.options, &db, &error);
    interrupt_catch();
    if (status == WARI_OK)
        status = request.scores ? export_scores(&request, db, &error)
                                : write_level(&request, db, &error);
    wari_close(db);
    return report_result(argv[0], status, &error);
}

const struct command command_export = {
    .name = "export",
    .summary = "write the values of a level as plain bytes or text",
    .run = run,
    .help =
        "usage: wari export --db DIR --seeds N [OPTION...]\n"
        "       wari export --db DIR --scores DIR [--seeds A-B]\n"
        "\n"
        "Writes the values of all stored positions with N seeds in a form that other programs\n"
        "can read. The stored positions are those with an empty pit in the opponent's row: all\n"
        "positions that can arise from a move.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds N      the level\n"
        "  --format F     raw (default): one signed byte a position, in the order of the\n"
        "                 level files (wari-format(5) explains how positions are numbered)\n"
        "                 csv: the columns position,value, one line a position, in that order\n"
        "                 playstrategy: like csv, but the position as the site PlayStrategy\n"
        "                 writes it, in quotes: \"3,2S,1S,2S/1S,3,2S,3S 37 0 S 1\"; South is\n"
        "                 to move, and the seeds that are not on the board are South's\n"
        "                 vu: like raw, but in the order of the score files published by the\n"
        "                 Vrije Universiteit Amsterdam: ascending by the counts of f, e, d, c,\n"
        "                 b, a, F, E, D, C, B, A; needs memory for the whole level\n"
        "  --output FILE  write to a file, which appears when it is complete; -o for short.\n"
        "                 Default: standard output\n"
        "  --scores DIR   write a score file for each level, scores.0, scores.1, ..., in the "
        "format\n"
        "                 of vu, into a folder, which is created if it does not exist. --seeds "
        "A-B\n"
        "                 are the first and the last level; default: all. Needs little memory;\n"
        "                 'wari import' reads such files. They do not name the rules, so give it\n"
        "                 the same --rules and --cycle\n"
        "\n"
        "examples\n"
        "  wari export --db tables --seeds 12 --output 12.raw\n"
        "  wari export --db tables --seeds 3 --format csv\n"
        "  wari export --db tables --scores amsterdam\n"
        "\n"
        "exit codes: 0 done; 1 the database does not have that level; 2 bad usage; 3 a file is\n"
        "damaged; 4 reading or writing failed; 5 not enough memory; 6 the folder does not contain\n"
        "that rule set, or has another format version; 129, 130 or 143 stopped by a signal\n",
};
