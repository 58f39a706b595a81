/* `wari puzzles`: makes puzzles from a database, as play/review/puzzle.h describes them. */
#include <stdio.h>
#include <string.h>

#include "answer/puzzle_json.h"
#include "play/review/puzzle.h"
#include "play/search/search.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"

enum {
    COUNT_MAX = 100000, /* number of puzzles */
    TRIES_MAX = 20000,  /* number of positions that are drawn for one puzzle */
    DEPTH_DEFAULT = 12,
};

enum format { PUZZLES_TEXT, PUZZLES_JSON };

struct request {
    struct database_options options;
    int first, last; /* the levels to draw from */
    int count;
    int seed;
    int depth;
    int easiest, hardest; /* range of difficulties */
};

/* ---- Options --------------------------------------------------------------------------------- */

/* Parses "A-B", or "A", which means A-A. */
static enum wari_status read_range(const char *name, int min, int max, int *first, int *last,
                                   struct wari_error *error)
{
    char text[16];
    const char *dash = strchr(optarg, '-');
    size_t length = dash ? (size_t)(dash - optarg) : strlen(optarg);
    if (length >= sizeof text)
        length = sizeof text - 1; /* too long for a number, which options_int() reports */
    memcpy(text, optarg, length);
    text[length] = '\0';
    enum wari_status status = options_int(name, text, min, max, first, error);
    if (status == WARI_OK)
        status = options_int(name, dash ? dash + 1 : text, min, max, last, error);
    if (status == WARI_OK && *first > *last)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "%s: the range %d-%d is empty; give the smaller number first", name,
                           *first, *last);
    return status;
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 's':
        return read_range("--seeds", WARI_PUZZLE_SEEDS_MIN, WARI_SEEDS_MAX, &request->first,
                          &request->last, error);
    case 'n':
        return options_int("--count", optarg, 1, COUNT_MAX, &request->count, error);
    case 'x':
        return options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
    case 'p':
        return options_int("--depth", optarg, 1, WARI_PUZZLE_DEPTH_MAX, &request->depth, error);
    default:
        return read_range("--difficulty", 1, WARI_PUZZLE_DEPTH_MAX + 1, &request->easiest,
                          &request->hardest, error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"count", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 'x'},
        {"depth", required_argument, NULL, 'p'},
        {"difficulty", required_argument, NULL, 'y'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};

    *request =
        (struct request){.first = -1, .count = 10, .seed = 1, .depth = DEPTH_DEFAULT, .easiest = 1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status != WARI_OK)
        return status;
    if (request->hardest == 0)
        request->hardest = request->depth + 1;
    if (request->easiest > request->depth + 1)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--difficulty: with --depth %d no puzzle is harder than %d; give a larger "
                         "--depth",
                         request->depth, request->depth + 1);
    return WARI_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static enum wari_status print_text(struct wari_db *db, const struct wari_puzzle *puzzle,
                                   struct wari_error *error)
{
    char diagram[WARI_DIAGRAM_TEXT];
    struct wari_line line;
    enum wari_status status = wari_puzzle_line(db, puzzle, &line, error);
    if (status != WARI_OK)
        return status;
    wari_diagram_text(&puzzle->setup, diagram);
    printf("%s  %-4s  difficulty %2d  ", diagram, wari_goal_name(puzzle->goal), puzzle->difficulty);
    for (int i = 0; i < line.count; i++)
        putchar(wari_move_letter(line.moves[i].pit, line.moves[i].opponent));
    printf(" %+d;", wari_puzzle_lead(puzzle, 0));
    for (int i = 1; i < puzzle->analysis.count; i++)
        printf(" %c %+d", wari_move_letter(puzzle->analysis.moves[i].move.pit, false),
               wari_puzzle_lead(puzzle, i));
    putchar('\n');
    return WARI_OK;
}

static enum wari_status print_puzzle(struct wari_db *db, const struct wari_puzzle *puzzle,
                                     int format, struct wari_error *error)
{
    json_t *object;
    enum wari_status status;
    if (format == PUZZLES_JSON) {
        status = answer_puzzle_json(db, puzzle, &object, error);
        if (status == WARI_OK)
            status = json_print(object, error);
    } else {
        status = print_text(db, puzzle, error);
    }
    fflush(stdout); /* the next puzzle may take long */
    return status;
}

/* ---- Command --------------------------------------------------------------------------------- */

/* Sets the levels if the user gave none: to the upper half of the levels that the database has, but
 * not below WARI_PUZZLE_SEEDS_MIN. Then checks the levels, and that the rules allow puzzles. */
static enum wari_status check_levels(struct request *request, const struct wari_info *info,
                                     struct wari_error *error)
{
    if (request->first < 0) {
        request->last = info->seeds_max;
        request->first = info->seeds_max / 2 > WARI_PUZZLE_SEEDS_MIN ? info->seeds_max / 2
                                                                     : WARI_PUZZLE_SEEDS_MIN;
    }
    if (request->last > info->seeds_max || request->first > request->last)
        return wari_fail(error, WARI_NOT_COVERED,
                         "--seeds: the database goes up to %d seeds, and puzzles need at least 2",
                         info->seeds_max);
    if (!wari_puzzle_rules(info->variant.rules))
        return wari_fail(error, WARI_BAD_INPUT,
                         "there are no puzzles for the rules %s, because a grand slam decides the "
                         "game whatever the score",
                         wari_get_rules_info(info->variant.rules)->name);
    return WARI_OK;
}

static enum wari_status make_all(struct wari_puzzle_maker *maker, struct wari_db *db,
                                 const struct request *request, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < request->count && status == WARI_OK && !report_output_lost(); i++) {
        struct wari_puzzle puzzle;
        bool found;
        status = wari_puzzle_make(maker, &puzzle, &found, error);
        if (status == WARI_OK && !found)
            status = wari_fail(error, WARI_NOT_COVERED,
                               "only %d of %d puzzles were found: none of %d further positions "
                               "fits; allow other numbers of seeds or other difficulties",
                               i, request->count, TRIES_MAX);
        if (status == WARI_OK)
            status = print_puzzle(db, &puzzle, request->options.format, error);
    }
    return status;
}

static enum wari_status new_maker(struct wari_puzzle_maker **maker, struct wari_db *db,
                                  struct request *request, struct wari_error *error)
{
    struct wari_info info;
    wari_get_info(db, &info);
    enum wari_status status = check_levels(request, &info, error);
    if (status != WARI_OK)
        return status;
    const struct wari_puzzle_settings settings = {.first = request->first,
                                                  .last = request->last,
                                                  .depth = request->depth,
                                                  .easiest = request->easiest,
                                                  .hardest = request->hardest,
                                                  .count = request->count,
                                                  .tries = TRIES_MAX,
                                                  .searches = TRIES_MAX,
                                                  .hash_mb = WARI_SEARCH_HASH_MB,
                                                  .seed = (uint64_t)request->seed,
                                                  .stop = interrupt_flag()};
    return wari_puzzle_maker_new(maker, db, &settings, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_db *db = NULL;
    struct wari_puzzle_maker *maker = NULL;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = options_open(&request.options, &db, &error);
    if (status == WARI_OK)
        status = new_maker(&maker, db, &request, &error);
    if (status == WARI_OK) {
        interrupt_catch();
        status = make_all(maker, db, &request, &error);
    }
    wari_puzzle_maker_free(maker);
    wari_close(db);
    return report_result(argv[0], status, &error);
}

const struct command command_puzzles = {
    .name = "puzzles",
    .summary = "make puzzles: positions with exactly one good move",
    .run = run,
    .help =
        "usage: wari puzzles --db DIR [--seeds A-B] [--count N] [OPTION...]\n"
        "       wari puzzles --book FILE [--seeds A-B] [--count N] [OPTION...]\n"
        "\n"
        "Draws positions at random in which South has exactly one move that wins, or draws, or\n"
        "takes all seeds on the board. The stores are chosen so that nobody has won yet. The\n"
        "difficulty is the number of moves that a search without tables looks ahead until it\n"
        "settles on the move; 1 means that it is seen at once.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds A-B    numbers of seeds on the board; default: the upper half of the levels\n"
        "  --count N      number of puzzles (default 10)\n"
        "  --seed S       seed of the random numbers, from 1 (the default). The same options\n"
        "                 make the same puzzles on every machine\n"
        "  --difficulty A-B\n"
        "                 only puzzles of these difficulties\n"
        "  --depth D      the search looks at most D moves ahead (1 to 30, default 12); puzzles\n"
        "                 that it does not solve have the difficulty D + 1\n"
        "  --format F     text (default), or json (--json for short): one object per line\n"
        "\n"
        "Text: the position, the goal (win, draw, or all: all seeds on the board), the\n"
        "difficulty, the solution with best replies, South's final lead, and the final lead\n"
        "after each other move. JSON: position (a diagram), rules, cycle, seeds, goal,\n"
        "difficulty, move, lead (South's seeds minus North's at the end), line (the solution)\n"
        "and others: for each other move its move, lead, result (win, draw or loss) and reply,\n"
        "the best reply to it (null if the game is over).\n"
        "\n"
        "example\n"
        "  wari puzzles --db tables --seeds 8-12 --count 20 --json\n"
        "\n"
        "exit codes: 0 done; 1 the database or the chosen range has too few such positions; 2\n"
        "bad usage; 3 a file is damaged; 4 reading or writing failed; 5 not enough memory; 6 the\n"
        "folder does not contain that rule set, or has another format version; 129, 130, 143\n"
        "stopped by SIGHUP, Ctrl-C or SIGTERM\n",
};
