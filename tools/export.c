/* `wari export`: the values of a level as plain bytes or text, for other programs.
 *
 * In the order of the files, blocks of values are read and written as they come. The order of the
 * Amsterdam score files goes through the opponent's halves in another way, so there the level is
 * held in memory and read row by row: in both orders the positions that share an opponent half
 * stand together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/wari.h"
#include "index/half.h"
#include "index/level.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum format { FORMAT_RAW, FORMAT_CSV, FORMAT_VU };

enum { PIECE = 1 << 16 }; /* values read at a time */

struct request {
    struct database_options options;
    int seeds; /* -1: not given */
    const char *output;
};

/* One run. */
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
    if (key == 's')
        return options_seeds(optarg, &request->seeds, error);
    request->output = optarg;
    return WARI_OK;
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"raw", "csv", "vu", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request = (struct request){.seeds = -1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && request->seeds < 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--seeds N is missing: the level to export, 0 to 46 or 48");
    if (status == WARI_OK && request->options.format != FORMAT_CSV && !request->output &&
        isatty(STDOUT_FILENO))
        status = wari_fail(error, WARI_BAD_INPUT,
                           "bytes mean nothing on a terminal; give --output FILE, or --format csv");
    return status;
}

/* Whether the run goes on: somebody may have asked to stop, or nobody may be reading any more. */
static enum wari_status look_around(const struct output *output, bool *goes_on,
                                    struct wari_error *error)
{
    *goes_on = !report_output_lost();
    if (*interrupt_flag())
        return wari_fail(error, WARI_INTERRUPTED,
                         output->path ? "stopped; nothing was left in the output file"
                                      : "stopped; what was written is not all of the level");
    return WARI_OK;
}

/* ---- In the order of the files ---- */

static enum wari_status export_raw(const struct export *export, struct wari_error *error)
{
    int8_t values[PIECE];
    bool goes_on = true;
    enum wari_status status = WARI_OK;
    for (uint64_t first = 0; first < export->positions && goes_on && status == WARI_OK;) {
        uint64_t left = export->positions - first;
        size_t count = left < PIECE ? (size_t)left : PIECE;
        status = wari_values(export->db, export->layout.seeds, first, count, values, error);
        if (status == WARI_OK)
            status = output_write(export->output, values, count, error);
        if (status == WARI_OK)
            status = look_around(export->output, &goes_on, error);
        first += count;
    }
    return status;
}

/* Writes a count and the character behind it; returns where the text ends. */
static char *write_count(char *text, int count, char behind)
{
    if (count >= 10)
        *text++ = (char)('0' + count / 10);
    *text++ = (char)('0' + count % 10);
    *text++ = behind;
    return text;
}

/* Writes "0 1 0 0 1 0 / 0 0 0 0 0 1,3" and a newline. A hundred million lines are common, so the
 * text is made here and not by the functions for one position. */
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

/* The next position in the order of the files; `number` is its number. */
static void next_position(const struct wari_layout *layout, uint64_t number,
                          struct wari_position *position)
{
    if (!wari_half_next(position->pits)) /* on to the next row, or block */
        wari_layout_unrank(layout, number, position);
}

static enum wari_status export_csv(const struct export *export, struct wari_error *error)
{
    enum { LONGEST = 48 }; /* of a line */
    int8_t values[PIECE / 16];
    char text[sizeof values * LONGEST];
    struct wari_position position;
    bool goes_on = true;
    static const char heading[] = "position,value\n";
    enum wari_status status = output_write(export->output, heading, strlen(heading), error);

    wari_layout_unrank(&export->layout, 0, &position);
    for (uint64_t first = 0; first < export->positions && goes_on && status == WARI_OK;) {
        uint64_t left = export->positions - first;
        size_t count = left < sizeof values ? (size_t)left : sizeof values;
        char *end = text;
        status = wari_values(export->db, export->layout.seeds, first, count, values, error);
        for (size_t i = 0; i < count && status == WARI_OK; i++) {
            end = write_line(end, &position, values[i]);
            if (++first < export->positions)
                next_position(&export->layout, first, &position);
        }
        if (status == WARI_OK)
            status = output_write(export->output, text, (size_t)(end - text), error);
        if (status == WARI_OK)
            status = look_around(export->output, &goes_on, error);
    }
    return status;
}

/* ---- In the order of the Amsterdam score files ---- */

static void reverse(const uint8_t pits[WARI_HALF_PITS], uint8_t reversed[WARI_HALF_PITS])
{
    for (int i = 0; i < WARI_HALF_PITS; i++)
        reversed[i] = pits[WARI_HALF_PITS - 1 - i];
}

/* The next half, whose last pit counts most, among those with up to `most` seeds; false after the
 * last one. `reversed` holds its pits from f to a. */
static bool next_up_to(uint8_t reversed[WARI_HALF_PITS], int most)
{
    int last = WARI_HALF_PITS - 1;
    if (wari_half_seeds(reversed) < most) {
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

/* The values of a level in memory, and what it takes to read its rows backwards. */
struct backwards {
    int8_t *values;
    int8_t *row;
    uint32_t *columns[WARI_SEEDS_MAX + 1]; /* [m]: the mover halves of m seeds, F counting most */
};

static void free_backwards(struct backwards *backwards)
{
    for (int m = 0; m <= WARI_SEEDS_MAX; m++)
        free(backwards->columns[m]);
    free(backwards->row);
    free(backwards->values);
}

static enum wari_status prepare_backwards(const struct export *export, struct backwards *backwards,
                                          struct wari_error *error)
{
    char needed[TEXT_NUMBER], there[TEXT_NUMBER];
    const char *limit;
    int seeds = export->layout.seeds;
    uint64_t memory = machine_memory(1, &limit);
    if (memory < export->positions)
        return wari_fail(error, WARI_NO_MEMORY,
                         "in this order the level is held in memory: %s, but only %s can be had "
                         "(%s); --format raw needs next to none",
                         text_bytes(export->positions, needed), text_bytes(memory, there), limit);

    bool enough = (backwards->values = malloc(export->positions)) != NULL;
    enough = enough && (backwards->row = malloc(wari_half_count(seeds))) != NULL;
    for (int m = 0; m <= seeds && enough; m++) {
        backwards->columns[m] = malloc(wari_half_count(m) * sizeof *backwards->columns[m]);
        enough = backwards->columns[m] != NULL;
    }
    if (!enough)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the values of a level");

    for (int m = 0; m <= seeds; m++) {
        uint8_t reversed[WARI_HALF_PITS], half[WARI_HALF_PITS];
        wari_half_unrank(m, 0, reversed);
        uint32_t *column = backwards->columns[m];
        do {
            reverse(reversed, half);
            *column++ = wari_half_rank(half);
        } while (wari_half_next(reversed));
    }
    return wari_values(export->db, seeds, 0, export->positions, backwards->values, error);
}

static enum wari_status write_backwards(const struct export *export,
                                        const struct backwards *backwards, struct wari_error *error)
{
    const struct wari_layout *layout = &export->layout;
    uint8_t reversed[WARI_HALF_PITS] = {0}, half[WARI_HALF_PITS];
    bool goes_on = true;
    enum wari_status status = WARI_OK;
    do {
        reverse(reversed, half);
        if (wari_half_full(half))
            continue;
        int s = wari_half_seeds(half);
        const uint32_t *columns = backwards->columns[layout->seeds - s];
        const int8_t *values = backwards->values + layout->block_offset[s] +
                               (uint64_t)wari_row_rank(half) * layout->columns[s];
        for (uint32_t i = 0; i < layout->columns[s]; i++)
            backwards->row[i] = values[columns[i]];
        status = output_write(export->output, backwards->row, layout->columns[s], error);
        if (status == WARI_OK)
            status = look_around(export->output, &goes_on, error);
    } while (status == WARI_OK && goes_on && next_up_to(reversed, layout->seeds));
    return status;
}

static enum wari_status export_vu(const struct export *export, struct wari_error *error)
{
    struct backwards backwards = {0};
    enum wari_status status = prepare_backwards(export, &backwards, error);
    if (status == WARI_OK)
        status = write_backwards(export, &backwards, error);
    free_backwards(&backwards);
    return status;
}

/* ---- The run ---- */

static enum wari_status write_level(const struct request *request, struct wari_db *db,
                                    struct wari_error *error)
{
    struct wari_level_info info;
    struct output output;
    enum wari_status status = wari_level_info(db, request->seeds, &info, error);
    if (status == WARI_OK)
        status = output_open(&output, request->output, error);
    if (status != WARI_OK)
        return status;

    struct export export = {.db = db, .output = &output, .positions = info.positions};
    wari_layout_init(&export.layout, request->seeds);
    if (request->options.format == FORMAT_RAW)
        status = export_raw(&export, error);
    else if (request->options.format == FORMAT_CSV)
        status = export_csv(&export, error);
    else
        status = export_vu(&export, error);
    return output_finish(&output, status, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_db *db = NULL;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = options_open(&request.options, &db, &error);
    interrupt_catch();
    if (status == WARI_OK)
        status = write_level(&request, db, &error);
    wari_close(db);
    return report_result(argv[0], status, &error);
}

const struct command command_export = {
    .name = "export",
    .summary = "write the values of a level as plain bytes or text",
    .run = run,
    .help = "usage: wari export --db DIR --seeds N [OPTION...]\n"
            "\n"
            "Writes the values of all stored positions with N seeds (those whose opponent row has\n"
            "an empty pit: all that can arise from a move) in a form that other programs read.\n"
            "\n"
            "  --db DIR       folder of the database\n"
            "  --rules R, --cycle C\n"
            "                 which database, if the folder holds several\n"
            "  --seeds N      the level\n"
            "  --format F     raw (default): one signed byte a position, in the order of the\n"
            "                 database files (wari-format(5) shows how to number a position)\n"
            "                 csv: the columns position,value, a line for each, in that order\n"
            "                 vu: as raw, in the order of the score files that the Vrije\n"
            "                 Universiteit Amsterdam published: by the counts of f, e, d, c, b,\n"
            "                 a, F, E, D, C, B, A, ascending; holds the level in memory\n"
            "  --output FILE  a file, which appears when it is complete; standard output without\n"
            "\n"
            "examples\n"
            "  wari export --db tables --seeds 12 --output 12.raw\n"
            "  wari export --db tables --seeds 3 --format csv\n"
            "\n"
            "exit codes: 0 done; 1 the database has no such level; 2 bad usage; 3 a file is\n"
            "damaged; 4 reading or writing failed; 5 not enough memory; 6 the folder lacks that\n"
            "rule set, or another format version; 129, 130 or 143\n"
            "stopped\n",
};
