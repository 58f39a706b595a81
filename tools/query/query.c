/* `wari query`: answers positions from the command line or from standard input.
 *
 * A position that cannot be read or that the database does not cover costs a message, not the run:
 * the others are still answered, and the exit code tells at the end.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/common/variant.h"
#include "tools/query/answer_text.h"
#include "tools/query/query_count.h"
#include "tools/query/query_values.h"
#include "tools/text/json.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_VALUE };

struct request {
    struct database_options options;
    char **positions; /* from the command line */
    int count;        /* 0: read standard input */
};

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", "value", NULL};
    static const struct option accepted[] = {OPTIONS_DB, OPTIONS_VARIANT, {NULL, 0, NULL, 0}};
    const struct command_line line = {argc, argv, accepted, formats, argc, NULL, NULL};

    *request = (struct request){0};
    enum wari_status status = options_read_database(&line, &request->options, error);
    request->positions = argv + optind;
    request->count = argc - optind;
    return status;
}

/* ---- One position ---- */

/* Answers one position; *first is whether none has been answered before it. */
static enum wari_status answer_one(struct wari_db *db, const struct wari_setup *setup, int format,
                                   bool *first, struct wari_error *error)
{
    struct answer answer;
    enum wari_status status;
    if (format == FORMAT_VALUE) {
        int value;
        status = wari_probe(db, &setup->position, &value, error);
        if (status == WARI_OK)
            printf("%d\n", value);
        return status;
    }
    status = answer_find(db, setup, ANSWER_FULL, &answer, error);
    if (status != WARI_OK)
        return status;
    if (format == FORMAT_JSON)
        return json_print(answer_json(&answer), error);
    if (!*first)
        putchar('\n');
    *first = false;
    answer_print_text(&answer);
    return WARI_OK;
}

/* ---- All of them ---- */

static enum wari_status answer_arguments(struct wari_db *db, const struct request *request,
                                         struct query_count *count, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    bool first = true;
    for (int i = 0; i < request->count && status == WARI_OK; i++) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        status = wari_setup_parse(request->positions[i], &setup, &reason);
        if (status == WARI_OK)
            status = answer_one(db, &setup, request->options.format, &first, &reason);
        if (status != WARI_OK && request->options.format == FORMAT_VALUE &&
            (status == WARI_BAD_INPUT || status == WARI_NOT_COVERED))
            puts("?");
        status = query_forgive(status, "position", (uint64_t)i + 1, &reason, count, error);
    }
    return status;
}

static enum wari_status answer_lines(struct wari_db *db, struct line_reader *reader, int format,
                                     struct query_count *count, struct wari_error *error)
{
    struct line line;
    bool found = true, present, first = true;
    while (!report_output_lost()) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        if (lines_would_wait(reader))
            fflush(stdout); /* somebody may be waiting for the answers; a failure is seen above */
        enum wari_status status = lines_next(reader, &line, &found, error);
        if (status != WARI_OK || !found)
            return status;
        status = line_position(&line, &setup, &present, &reason);
        if (status == WARI_OK && present)
            status = answer_one(db, &setup, format, &first, &reason);
        status = query_forgive(status, "line", reader->number, &reason, count, error);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

static enum wari_status answer_input(struct wari_db *db, int format, struct query_count *count,
                                     struct wari_error *error)
{
    struct line_reader reader;
    enum wari_status status = lines_open(&reader, STDIN_FILENO, "standard input", error);
    if (status != WARI_OK)
        return status;
    if (format == FORMAT_VALUE)
        status = query_values(db, &reader, count, error);
    else
        status = answer_lines(db, &reader, format, count, error);
    lines_close(&reader);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_db *db = NULL;
    struct query_count count = {0};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = options_open(&request.options, &db, &error);
    if (status == WARI_OK && request.count > 0)
        status = answer_arguments(db, &request, &count, &error);
    else if (status == WARI_OK)
        status = answer_input(db, request.options.format, &count, &error);
    wari_close(db);
    if (status != WARI_OK)
        return report_result(argv[0], status, &error);
    if (count.bad)
        return report_exit_code(WARI_BAD_INPUT);
    return report_exit_code(count.uncovered ? WARI_NOT_COVERED : WARI_OK);
}

const struct command command_query = {
    .name = "query",
    .summary = "answer positions",
    .run = run,
    .help =
        "usage: wari query --db DIR [OPTION...] [POSITION...]\n"
        "\n"
        "Answers each POSITION, or each line of standard input if none is given: its exact\n"
        "value (seeds that the mover will still capture minus those of the opponent), the\n"
        "moves, best first, and a line of best play.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R      rule set or preset, and\n"
        "  --cycle C      even or own: which database, if the folder holds several\n"
        "  --format F     text (default): for people, with the board drawn\n"
        "                 json (--json for short): an object on a line for each\n"
        "                 position\n"
        "                 value: the number alone, for bulk use; \"?\" where a position is\n"
        "                 bad or not covered, so that output and input stay in step\n"
        "\n"
        "A POSITION is twelve counts, A to F of the mover and a to f of the opponent,\n"
        "separated by blanks, commas or slashes, or a diagram: South's pits A to F, North's\n"
        "pits a to f, South's store, North's store, side to move (S or N), all joined by\n"
        "dashes, 48 seeds in all. For a diagram the final score is given, too. Moves of\n"
        "South (and of the mover of twelve counts) are A to F, those of North a to f; +2\n"
        "behind a move in a line of play: it captures 2. In standard input, empty lines and\n"
        "lines that start with # are passed over.\n"
        "\n"
        "A JSON object has position (twelve counts from the mover), seeds, rules, cycle,\n"
        "value, moves (each with move, captured and value), line, and end: over, slam,\n"
        "repetition (repeats_from tells how many moves of the line come before the position\n"
        "that repeats) or cut. A diagram adds diagram, stores, score (South's, North's), nobody\n"
        "(the seeds that count for nobody, where a slam of slam-ends leaves some) and result:\n"
        "South, North or draw.\n"
        "\n"
        "examples\n"
        "  wari query --db tables \"1 1 1 1 1 2 / 4 2 3 0 0 0\"\n"
        "  wari query --db tables 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S\n"
        "  wari query --db tables --format value <positions.txt >values.txt\n"
        "\n"
        "exit codes: 0 all answered; 1 some have more seeds than the database; 2 bad usage,\n"
        "or some are no positions; 3 a file is damaged; 4 reading or writing failed; 5 not\n"
        "enough memory; 6 the folder lacks that rule set, or another format version\n",
};
