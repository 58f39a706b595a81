/* `wari query`: answers positions from the command line or from standard input.
 *
 * A position that cannot be read or that the database does not cover costs a message, not the run:
 * the others are still answered, and the exit code tells at the end.
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
#include "tools/query/answer_text.h"
#include "tools/query/query_count.h"
#include "tools/query/query_values.h"
#include "tools/query/searched.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_VALUE };

struct request {
    struct database_options options;
    char **positions; /* from the command line */
    int count;        /* 0: read standard input */
    bool detail;      /* name where values come from */
    int search;       /* seconds for each position that is not covered; 0: it gets no answer */
};

/* What answers are made with. */
struct means {
    struct wari_db *db;
    struct answer_proof proof;
    struct wari_search *search; /* NULL: not asked for */
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
                         "--search: --format value has numbers for exact values alone; use json");
    if (status == WARI_OK && request->detail && request->options.format == FORMAT_VALUE)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--detail: --format value has numbers alone; use json");
    return status;
}

/* ---- One position ---- */

static void print_origin(const struct wari_origin *origin, bool proved)
{
    char path[TEXT_PATH];
    printf("from    %s, ", text_path(origin->path, path));
    if (origin->held)
        printf("block %" PRIu64, origin->block);
    else
        printf("which leaves it out: the best of its moves");
    puts(proved ? "; proved" : "; not on record as proved");
}

static json_t *json_origin(const struct wari_origin *origin)
{
    return origin->held ? json_pack("{sosI}", "file", json_message(origin->path), "block",
                                    (json_int_t)origin->block)
                        : json_pack("{so}", "file", json_message(origin->path));
}

/* `origin`: NULL where it is not told. */
static enum wari_status print_answer(const struct means *means, const struct answer *answer,
                                     const struct wari_origin *origin, bool *first,
                                     struct wari_error *error)
{
    if (means->request->options.format == FORMAT_JSON) {
        json_t *object = answer_json(answer);
        if (object && origin && json_object_set_new(object, "from", json_origin(origin)) != 0) {
            json_decref(object);
            object = NULL;
        }
        if (object && means->search &&
            json_object_set_new(object, "kind", json_string("exact")) != 0) {
            json_decref(object);
            object = NULL;
        }
        return json_print(object, error);
    }
    if (!*first)
        putchar('\n');
    *first = false;
    answer_print_text(answer);
    if (origin)
        print_origin(origin, answer->proved);
    return WARI_OK;
}

/* Answers a position that the database does not cover. */
static enum wari_status search_one(const struct means *means, const struct wari_setup *setup,
                                   bool *first, struct wari_error *error)
{
    enum { MILLISECONDS = 1000 };
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX,
        .milliseconds = (int64_t)MILLISECONDS * means->request->search,
        .stop = interrupt_flag(),
        .lines = WARI_HALF_PITS,
    };
    struct wari_position_result result;
    struct wari_moves moves;
    struct wari_info info;
    struct wari_game game;
    wari_info(means->db, &info);
    wari_moves(info.variant.rules, &setup->position, &moves);
    if (moves.count == 0) {
        struct answer over;
        answer_game_over(info.variant, setup, moves.end_value, &over);
        return print_answer(means, &over, NULL, first, error);
    }
    wari_game_begin(&game, wari_host_system(), info.variant, setup);
    enum wari_status status =
        wari_evaluate_position(means->db, means->search, &game, &limits, &result, error);
    if (status == WARI_OK && atomic_load(interrupt_flag()))
        status = wari_fail(error, WARI_INTERRUPTED, "interrupted during a search");
    if (status != WARI_OK)
        return status;
    if (means->request->options.format == FORMAT_JSON)
        return json_print(answer_searched_json(setup, info.variant, &result), error);
    if (!*first)
        putchar('\n');
    *first = false;
    searched_print(&game, &result);
    return WARI_OK;
}

/* Answers one position; *first is whether none has been answered before it. */
static enum wari_status answer_one(const struct means *means, const struct wari_setup *setup,
                                   bool *first, struct wari_error *error)
{
    struct answer answer;
    struct wari_origin origin;
    enum wari_status status;
    if (means->request->options.format == FORMAT_VALUE) {
        int value;
        status = wari_probe(means->db, &setup->position, &value, error);
        if (status == WARI_OK)
            printf("%d\n", value);
        return status;
    }
    status = answer_find(means->db, &means->proof, setup, ANSWER_FULL, &answer, error);
    if (status == WARI_NOT_COVERED && means->search)
        return search_one(means, setup, first, error);
    if (status == WARI_OK && means->request->detail)
        status = wari_probe_origin(means->db, &setup->position, &origin, error);
    return status != WARI_OK ? status
                             : print_answer(means, &answer, means->request->detail ? &origin : NULL,
                                            first, error);
}

/* ---- All of them ---- */

/* Whether the run goes on: a search may be asked to stop. */
static enum wari_status look_around(struct wari_error *error)
{
    if (!atomic_load(interrupt_flag()))
        return WARI_OK;
    return wari_fail(error, WARI_INTERRUPTED, "stopped; what was printed before is whole");
}

static enum wari_status answer_arguments(const struct means *means, struct query_count *count,
                                         struct wari_error *error)
{
    const struct request *request = means->request;
    enum wari_status status = WARI_OK;
    bool first = true;
    for (int i = 0; i < request->count && status == WARI_OK; i++) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        status = look_around(error);
        if (status != WARI_OK)
            return status;
        status = wari_setup_parse(request->positions[i], &setup, &reason);
        if (status == WARI_OK)
            status = answer_one(means, &setup, &first, &reason);
        if (status != WARI_OK && request->options.format == FORMAT_VALUE &&
            (status == WARI_BAD_INPUT || status == WARI_NOT_COVERED))
            puts("?");
        status = query_forgive(status, "position", (uint64_t)i + 1, &reason, count, error);
    }
    return status;
}

static enum wari_status answer_lines(const struct means *means, struct line_reader *reader,
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
        if (status == WARI_OK && found)
            status = look_around(error);
        if (status != WARI_OK || !found)
            return status;
        status = line_position(&line, &setup, &present, &reason);
        if (status == WARI_OK && present)
            status = answer_one(means, &setup, &first, &reason);
        status = query_forgive(status, "line", reader->number, &reason, count, error);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

static enum wari_status answer_input(const struct means *means, struct query_count *count,
                                     struct wari_error *error)
{
    struct line_reader reader;
    enum wari_status status = lines_open(&reader, STDIN_FILENO, "standard input", error);
    if (status != WARI_OK)
        return status;
    if (means->request->options.format == FORMAT_VALUE)
        status = query_values(means->db, &reader, count, error);
    else
        status = answer_lines(means, &reader, count, error);
    lines_close(&reader);
    return status;
}

/* A record that cannot be trusted is named. Values alone say nothing of what is proved, and no
 * record lies beside a book. */
static void name_proof(const struct request *request, struct means *means)
{
    means->proof.seeds_max = -1;
    if (request->options.format == FORMAT_VALUE || request->options.book)
        return;
    answer_proof_find(means->db, request->options.folder, &means->proof);
    if (means->proof.status != WARI_OK)
        report_note("query", "%s", means->proof.error.text);
}

static enum wari_status open_means(const struct request *request, struct means *means,
                                   struct wari_error *error)
{
    enum { HASH_MB = 64 };
    const struct wari_search_settings settings = {.hash_mb = HASH_MB};
    *means = (struct means){.request = request};
    enum wari_status status = options_open(&request->options, &means->db, error);
    if (status != WARI_OK)
        return status;
    name_proof(request, means);
    if (request->search == 0)
        return WARI_OK;
    interrupt_catch();
    return wari_search_new(&means->search, means->db, wari_host_system(), &settings, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct means means = {.db = NULL};
    struct query_count count = {0};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = open_means(&request, &means, &error);
    if (status == WARI_OK && request.count > 0)
        status = answer_arguments(&means, &count, &error);
    else if (status == WARI_OK)
        status = answer_input(&means, &count, &error);
    wari_search_free(means.search);
    wari_close(means.db);
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
        "       wari query --book FILE [OPTION...] [POSITION...]\n"
        "\n"
        "Answers each POSITION, or each line of standard input if none is given: its exact\n"
        "value (seeds that the mover will still capture minus those of the opponent), the\n"
        "moves, best first, and a line of best play.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --rules R      rule set or preset, and\n"
        "  --cycle C      even or own: which database, if the folder holds several\n"
        "  --format F     text (default): for people, with the board drawn\n"
        "                 json (--json for short): an object on a line for each\n"
        "                 position that has an answer\n"
        "                 value: the number alone, for bulk use; \"?\" where a position is\n"
        "                 bad or not covered, so that output and input stay in step\n"
        "  --detail       name the file and the block that each value comes from, and say\n"
        "                 whether the level is on record as proved; in JSON: from\n"
        "  --search S     answer positions with more seeds than the database, too, by a search\n"
        "                 of S seconds for each. Values are then named: exact (database or\n"
        "                 proof), bound (proven bounds, and an estimate within them), estimate\n"
        "\n"
        "A POSITION is twelve counts, A to F of the mover and a to f of the opponent,\n"
        "separated by blanks, commas or slashes, or a diagram: South's pits A to F, North's\n"
        "pits a to f, South's store, North's store, side to move (S or N), all joined by\n"
        "dashes, 48 seeds in all. For a diagram the final score is given, too. Moves of\n"
        "South (and of the mover of twelve counts) are A to F, those of North a to f; +2\n"
        "behind a move in a line of play: it captures 2. \"proved\" behind the rules: the\n"
        "level is on record as proved ('wari verify'); a damaged record is named. In\n"
        "standard input, empty lines and lines that start with # are passed over.\n"
        "\n"
        "A JSON object has position (twelve counts from the mover), seeds, rules, cycle,\n"
        "value, proved (true; only where the level is on record as proved), moves (each\n"
        "with move, captured and value), line, and end: over, slam,\n"
        "repetition (repeats_from tells how many moves of the line come before the position\n"
        "that repeats) or cut. A diagram adds diagram, stores, score (South's, North's), nobody\n"
        "(the seeds that count for nobody, where a slam of slam-ends leaves some) and result:\n"
        "South, North or draw. With --search, kind says how the value is known; what is not\n"
        "exact has error (a standard deviation, seeds) and bounds (least and most), and a\n"
        "searched position its depth and nodes, its moves with the same, and no end, score or\n"
        "result.\n"
        "\n"
        "examples\n"
        "  wari query --db tables \"1 1 1 1 1 1 / 1 1 1 1 1 1\"\n"
        "  wari query --db tables 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S\n"
        "  wari query --db tables --format value <positions.txt >values.txt\n"
        "\n"
        "exit codes: 0 all answered; 1 some have more seeds than the database; 2 bad usage,\n"
        "or some are no positions; 3 a file is damaged; 4 reading or writing failed; 5 not\n"
        "enough memory; 6 the folder lacks that rule set, or another format version; 129, 130 or\n"
        "143 stopped\n",
};
