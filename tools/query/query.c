/* `wari query`: answers positions from the command line or from standard input.
 *
 * The path to a value is: answer_arguments() or answer_lines() parses a position, answer_one() gets
 * its values from the database by answer_find() (answer/), and print_answer() prints them. For
 * --format value, query_values.c looks the values up in bulk instead. Positions that the database
 * does not cover go to search_one() if a search is requested.
 *
 * A position that cannot be parsed or is not covered gives a message, but does not end the command:
 * the other positions are still answered, and the exit code reports the failure.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answer/answer.h"
#include "db/probe/probe.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/query/query_text.h"
#include "tools/query/query_values.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_VALUE };

struct request {
    struct database_options options;
    char **positions; /* positions from the command line */
    int count;        /* number of positions on the command line; 0 means that standard input is
                       * read */
    bool detail;      /* print the file and the chunk that each value comes from */
    int search;       /* seconds of search for each position that is not covered; 0 means no
                       * search */
};

struct context {
    struct wari_db *db;
    struct answer_proof proof;
    struct wari_search *search; /* NULL means that no search was requested */
    const struct request *request;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    enum { DAY = 86400 };
    struct request *request = context;
    if (key == 'o') {
        request->detail = true;
        return WARI_OK;
    }
    return options_int("--search", optarg, 1, DAY, &request->search, error);
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", "value", NULL};
    static const struct option accepted[] = {OPTIONS_DB,
                                             OPTIONS_BOOK,
                                             OPTIONS_VARIANT,
                                             {"search", required_argument, NULL, 's'},
                                             {"detail", no_argument, NULL, 'o'},
                                             {NULL, 0, NULL, 0}};
    const struct command_line line = {argc, argv, accepted, formats, argc, handle_option, request};

    *request = (struct request){0};
    enum wari_status status = options_read_database(&line, &request->options, error);
    request->positions = argv + optind;
    request->count = argc - optind;
    if (status == WARI_OK && request->search > 0 && request->options.format == FORMAT_VALUE)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--search: --format value prints only exact values; use --format json");
    if (status == WARI_OK && request->detail && request->options.format == FORMAT_VALUE)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--detail: --format value prints only values; use --format json");
    return status;
}

/* ---- One position ---- */

static const char *part_name(const struct wari_origin *origin)
{
    return origin->is_book ? "block" : "chunk";
}

static void print_origin(const struct wari_origin *origin, bool proved)
{
    char path[TEXT_PATH];
    printf("from    %s, ", text_path(origin->path, path));
    if (origin->held)
        printf("%s %" PRIu64, part_name(origin), origin->part);
    else
        printf("which does not store this position: its value is that of its best move");
    puts(proved ? "; proved" : "; not on record as proved");
}

static json_t *json_origin(const struct wari_origin *origin)
{
    return origin->held ? json_pack("{sosI}", "file", json_message(origin->path), part_name(origin),
                                    (json_int_t)origin->part)
                        : json_pack("{so}", "file", json_message(origin->path));
}

/* Prints an answer in the requested format. NULL for `origin` means that it is not printed. */
static enum wari_status print_answer(const struct context *context, const struct answer *answer,
                                     const struct wari_origin *origin, bool *first,
                                     struct wari_error *error)
{
    if (context->request->options.format == FORMAT_JSON) {
        json_t *object = answer_json(answer);
        if (object && origin && json_object_set_new(object, "from", json_origin(origin)) != 0) {
            json_decref(object);
            object = NULL;
        }
        if (object && context->search &&
            json_object_set_new(object, "kind", json_string("exact")) != 0) {
            json_decref(object);
            object = NULL;
        }
        return json_print(object, error);
    }
    if (!*first)
        putchar('\n');
    *first = false;
    query_print_answer(answer);
    if (origin)
        print_origin(origin, answer->proved);
    return WARI_OK;
}

/* Answers a position that the database does not cover by a search. */
static enum wari_status search_one(const struct context *context, const struct wari_setup *setup,
                                   bool *first, struct wari_error *error)
{
    enum { MILLISECONDS = 1000 };
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX,
        .milliseconds = (int64_t)MILLISECONDS * context->request->search,
        .stop = interrupt_flag(),
        .lines = WARI_HALF_PITS,
    };
    struct wari_position_result result;
    struct wari_moves moves;
    struct wari_info info;
    struct wari_game game;
    wari_get_info(context->db, &info);
    wari_find_moves(info.variant.rules, &setup->position, &moves);
    if (moves.count == 0) {
        struct answer over;
        answer_game_over(info.variant, setup, moves.end_value, &over);
        return print_answer(context, &over, NULL, first, error);
    }
    wari_game_begin(&game, wari_host_system(), info.variant, setup);
    enum wari_status status =
        wari_evaluate_position(context->db, context->search, &game, &limits, &result, error);
    if (status == WARI_OK && atomic_load(interrupt_flag()))
        status = wari_fail(error, WARI_INTERRUPTED, "interrupted during a search");
    if (status != WARI_OK)
        return status;
    if (context->request->options.format == FORMAT_JSON)
        return json_print(answer_searched_json(setup, info.variant, &result), error);
    if (!*first)
        putchar('\n');
    *first = false;
    query_print_searched(&game, &result);
    return WARI_OK;
}

/* Answers one position. *first is true if no position has been answered before. */
static enum wari_status answer_one(const struct context *context, const struct wari_setup *setup,
                                   bool *first, struct wari_error *error)
{
    struct answer answer;
    struct wari_origin origin;
    enum wari_status status;
    if (context->request->options.format == FORMAT_VALUE) {
        int value;
        status = wari_probe(context->db, &setup->position, &value, error);
        if (status == WARI_OK)
            printf("%d\n", value);
        return status;
    }
    status = answer_find(context->db, &context->proof, setup, ANSWER_FULL, &answer, error);
    if (status == WARI_NOT_COVERED && context->search)
        return search_one(context, setup, first, error);
    if (status == WARI_OK && context->request->detail)
        status = wari_probe_origin(context->db, &setup->position, &origin, error);
    return status != WARI_OK
               ? status
               : print_answer(context, &answer, context->request->detail ? &origin : NULL, first,
                              error);
}

/* ---- All positions ---- */

static enum wari_status check_interrupt(struct wari_error *error)
{
    if (!atomic_load(interrupt_flag()))
        return WARI_OK;
    return wari_fail(error, WARI_INTERRUPTED, "stopped; the answers printed so far are complete");
}

static enum wari_status answer_arguments(const struct context *context,
                                         struct query_failures *failures, struct wari_error *error)
{
    const struct request *request = context->request;
    enum wari_status status = WARI_OK;
    bool first = true;
    for (int i = 0; i < request->count && status == WARI_OK; i++) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        status = check_interrupt(error);
        if (status != WARI_OK)
            return status;
        status = wari_setup_parse(request->positions[i], &setup, &reason);
        if (status == WARI_OK)
            status = answer_one(context, &setup, &first, &reason);
        if (status != WARI_OK && request->options.format == FORMAT_VALUE &&
            (status == WARI_BAD_INPUT || status == WARI_NOT_COVERED))
            puts("?");
        status =
            query_report_failure(status, "position", (uint64_t)i + 1, &reason, failures, error);
    }
    return status;
}

static enum wari_status answer_lines(const struct context *context, struct line_reader *reader,
                                     struct query_failures *failures, struct wari_error *error)
{
    struct line line;
    bool found = true, present, first = true;
    while (!report_output_lost()) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        if (lines_would_wait(reader))
            fflush(stdout); /* a program may be waiting; report_output_lost() detects a failure */
        enum wari_status status = lines_next(reader, &line, &found, error);
        if (status == WARI_OK && found)
            status = check_interrupt(error);
        if (status != WARI_OK || !found)
            return status;
        status = line_position(&line, &setup, &present, &reason);
        if (status == WARI_OK && present)
            status = answer_one(context, &setup, &first, &reason);
        status = query_report_failure(status, "line", reader->number, &reason, failures, error);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

static enum wari_status answer_input(const struct context *context, struct query_failures *failures,
                                     struct wari_error *error)
{
    struct line_reader reader;
    enum wari_status status = lines_open(&reader, STDIN_FILENO, "standard input", error);
    if (status != WARI_OK)
        return status;
    if (context->request->options.format == FORMAT_VALUE)
        status = query_values(context->db, &reader, failures, error);
    else
        status = answer_lines(context, &reader, failures, error);
    lines_close(&reader);
    return status;
}

/* Reads the proof record, and prints a message if the record cannot be trusted. The record is not
 * needed for plain values, which are printed without saying whether they are proved, and a book has
 * no record. */
static void read_proof(const struct request *request, struct context *context)
{
    context->proof.seeds_max = -1;
    if (request->options.format == FORMAT_VALUE || request->options.book)
        return;
    answer_proof_find(context->db, request->options.folder, &context->proof);
    if (context->proof.status != WARI_OK)
        report_note("query", "%s", context->proof.error.text);
}

static enum wari_status open_context(const struct request *request, struct context *context,
                                     struct wari_error *error)
{
    enum { HASH_MB = 64 };
    const struct wari_search_settings settings = {.hash_mb = HASH_MB};
    *context = (struct context){.request = request};
    enum wari_status status = options_open(&request->options, &context->db, error);
    if (status != WARI_OK)
        return status;
    read_proof(request, context);
    if (request->search == 0)
        return WARI_OK;
    interrupt_catch();
    return wari_search_new(&context->search, context->db, wari_host_system(), &settings, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct context context = {.db = NULL};
    struct query_failures failures = {0};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = open_context(&request, &context, &error);
    if (request.options.format != FORMAT_VALUE) /* which excludes --search */
        failures.hint = "; --search S answers such positions by a search of S seconds for each";
    if (status == WARI_OK && request.count > 0)
        status = answer_arguments(&context, &failures, &error);
    else if (status == WARI_OK)
        status = answer_input(&context, &failures, &error);
    wari_search_free(context.search);
    wari_close(context.db);
    if (status != WARI_OK)
        return report_result(argv[0], status, &error);
    if (failures.bad)
        return report_exit_code(WARI_BAD_INPUT);
    return report_exit_code(failures.uncovered ? WARI_NOT_COVERED : WARI_OK);
}

const struct command command_query = {
    .name = "query",
    .summary = "answer positions",
    .run = run,
    .help =
        "usage: wari query --db DIR [OPTION...] [POSITION...]\n"
        "       wari query --book FILE [OPTION...] [POSITION...]\n"
        "\n"
        "Answers each POSITION, or each line of standard input if none is given. The answer is\n"
        "the exact value (seeds that the mover will still capture minus those that the opponent\n"
        "will), the moves, best first, and a line of best play.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    read a book ('wari book') instead of a folder\n"
        "  --rules R, --cycle C\n"
        "                 rule set or preset, and cycle rule (even or own): the database to read,\n"
        "                 if the folder holds several\n"
        "  --format F     text (default): for people, with a drawing of the board\n"
        "                 json (--json for short): one object per line, for each position\n"
        "                 that has an answer\n"
        "                 value: nothing but values, for bulk use; \"?\" for a position that is\n"
        "                 invalid or not covered, so that there is one line for each position\n"
        "  --detail       print the file that each value comes from, the number of its chunk (in\n"
        "                 a level file) or block (in a book), and whether the level is on record\n"
        "                 as proved; in JSON: from\n"
        "  --search S     also answer positions with more seeds than the database covers, by a\n"
        "                 search of S seconds for each. Each value is then marked as exact\n"
        "                 (database or proof), bound (proven bounds, and an estimate between\n"
        "                 them) or estimate\n"
        "\n"
        "A POSITION is either twelve counts, A to F of the mover and a to f of the opponent,\n"
        "separated by blanks, commas or slashes; or a diagram: South's pits A to F, North's\n"
        "pits a to f, South's store, North's store, and the side to move (S or N), joined by\n"
        "dashes, with 48 seeds in total; or the same as the site PlayStrategy writes it, such as\n"
        "\"3,2S,1S,2S/1S,3,2S,3S 20 17 S 50\": North's row f to a, South's row A to F, each\n"
        "count followed by an S and each run of empty pits a bare number, both stores, the side\n"
        "to move, and optionally the number of the move. If the stores are given, the final\n"
        "score is printed as well. Moves of South (and of the mover in twelve counts) are A to\n"
        "F, moves of North a to f. In a line of play, +2 after a move means that it captures 2\n"
        "seeds. \"proved\" after the rules means that the level is on record as proved ('wari\n"
        "verify'); a damaged record gives a message. Empty lines and lines that start with # in\n"
        "standard input are ignored.\n"
        "\n"
        "A JSON object has position (twelve counts from the mover), seeds, rules, cycle,\n"
        "value, proved (true; only if the level is on record as proved), moves (each with\n"
        "move, captured and value), line, and end: over, slam, repetition (repeats_from is the\n"
        "number of moves in the line before the position that repeats) or cut. A diagram adds\n"
        "diagram, stores, score (South's, North's), nobody (the seeds that count for nobody,\n"
        "which a slam under slam-ends can leave) and result: South, North or draw. With\n"
        "--search, kind says how the value is known. A value that is not exact has error (a\n"
        "standard deviation, in seeds) and bounds (least and most). A searched position has\n"
        "depth and nodes, its moves have kind, error and bounds, and there is no end, score or\n"
        "result.\n"
        "\n"
        "examples\n"
        "  wari query --db tables \"1 1 1 1 1 1 / 1 1 1 1 1 1\"\n"
        "  wari query --db tables 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S\n"
        "  wari query --db tables --format value <positions.txt >values.txt\n"
        "\n"
        "exit codes: 0 all positions were answered; 1 some positions have more seeds than the\n"
        "database covers; 2 bad usage, or some positions are invalid; 3 a file is damaged; 4\n"
        "reading or writing failed; 5 not enough memory; 6 the folder does not contain that rule\n"
        "set, or has another format version; 129, 130 or 143 stopped by a signal\n",
};
