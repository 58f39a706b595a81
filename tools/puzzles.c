/* `wari puzzles`: makes puzzles from a database. A puzzle is a position in which exactly one move
 * reaches a goal: to win, to draw, or to get all seeds that are on the board.
 *
 * Positions are drawn at random from the stored positions of a level. The seeds that are not on the
 * board are put into the stores so that the best move reaches the goal and no other move does. The
 * difficulty of a puzzle is the number of moves that a search without tables has to look ahead
 * until it finds the move and does not change its mind any more.
 */
#include <stdio.h>
#include <string.h>

#include "answer/json.h"
#include "index/half.h"
#include "play/search/search.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"

enum {
    COUNT_MAX = 100000, /* number of puzzles */
    TRIES_MAX = 20000,  /* number of positions that are drawn for one puzzle */
    DEPTH_MAX = 30,     /* number of moves that the search looks ahead */
    DEPTH_DEFAULT = 12,
    LINE_MOVES = 12, /* longest solution, in moves */
    MAJORITY = 25,   /* number of seeds that wins the game */
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

enum goal { GOAL_WIN, GOAL_DRAW, GOAL_ALL };

static const char *const goal_names[] = {"win", "draw", "all"};

struct puzzle {
    uint64_t number;         /* number of the position in its level */
    struct wari_setup setup; /* South is to move */
    struct wari_analysis analysis;
    enum goal goal;
    int difficulty; /* 1..depth; depth + 1 if the search does not find the move */
};

/* The data for making puzzles, and the puzzles that were made. */
struct maker {
    const struct request *request;
    struct wari_db *db;
    struct wari_variant variant;
    struct wari_search *search;
    uint64_t random;
    struct {
        int seeds;
        uint64_t number;
    } * made;
    int made_count;
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
        return read_range("--seeds", 2, WARI_SEEDS_MAX, &request->first, &request->last, error);
    case 'n':
        return options_int("--count", optarg, 1, COUNT_MAX, &request->count, error);
    case 'x':
        return options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
    case 'p':
        return options_int("--depth", optarg, 1, DEPTH_MAX, &request->depth, error);
    default:
        return read_range("--difficulty", 1, DEPTH_MAX + 1, &request->easiest, &request->hardest,
                          error);
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

/* ---- Making a puzzle ------------------------------------------------------------------------- */

/* Returns a random number below `limit` (xorshift64*). Its bias is below 2^-20 for every level. */
static uint64_t random_below(struct maker *maker, uint64_t limit)
{
    maker->random ^= maker->random >> 12;
    maker->random ^= maker->random << 25;
    maker->random ^= maker->random >> 27;
    return maker->random * UINT64_C(0x2545F4914F6CDD1D) % limit;
}

/* Chooses a goal, and stores with which the best move reaches it and no other move does. Neither
 * side has won yet. Returns false if there are no such stores. */
static bool choose_goal(struct maker *maker, struct puzzle *puzzle)
{
    const struct wari_analysis *analysis = &puzzle->analysis;
    const int seeds = wari_seeds(&puzzle->setup.position), rest = WARI_SEEDS_MAX - seeds;
    struct choice {
        enum goal goal;
        int store;
    } choices[3 * MAJORITY];
    int count = 0;
    for (int store = 0; store < MAJORITY; store++) {
        const int lead = store - (rest - store); /* South's lead at the start */
        const int best = lead + analysis->moves[0].value, next = lead + analysis->moves[1].value;
        if (store > rest || rest - store >= MAJORITY)
            continue;
        if (best > 0 && next <= 0)
            choices[count++] = (struct choice){GOAL_WIN, store};
        if (best == 0 && next < 0)
            choices[count++] = (struct choice){GOAL_DRAW, store};
        if (analysis->value == seeds && store == rest / 2)
            choices[count++] = (struct choice){GOAL_ALL, store};
    }
    if (count == 0)
        return false;
    const int chosen = (int)random_below(maker, (uint64_t)count);
    puzzle->goal = choices[chosen].goal;
    puzzle->setup.stores[0] = (uint8_t)choices[chosen].store;
    puzzle->setup.stores[1] = (uint8_t)(rest - choices[chosen].store);
    return true;
}

struct rating {
    int solution;   /* pit of the best move */
    int wrong_last; /* the last depth at which the search preferred another move; 0 if there is none
                     */
};

static void note_iteration(void *context, const struct wari_search_report *report)
{
    struct rating *rating = context;
    if (report->pit != rating->solution)
        rating->wrong_last = report->depth;
}

/* Searches without tables, at every depth up to the limit. */
static enum wari_status rate(struct maker *maker, struct puzzle *puzzle, struct wari_error *error)
{
    struct rating rating = {.solution = puzzle->analysis.moves[0].move.pit};
    const struct wari_search_limits limits = {
        .depth = maker->request->depth, .milliseconds = -1, .stop = interrupt_flag()};
    const struct wari_search_listener listener = {note_iteration, &rating};
    struct wari_search_report last;
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), maker->variant, &puzzle->setup);
    wari_search_clear(maker->search);
    enum wari_status status =
        wari_search_run(maker->search, &game, &limits, &listener, &last, error);
    wari_game_free(&game);
    puzzle->difficulty = rating.wrong_last + 1;
    return status;
}

static bool was_made(const struct maker *maker, int seeds, uint64_t number)
{
    for (int i = 0; i < maker->made_count; i++) {
        if (maker->made[i].seeds == seeds && maker->made[i].number == number)
            return true;
    }
    return false;
}

/* Draws a position, and makes a puzzle of it if that is possible. */
static enum wari_status try_position(struct maker *maker, struct puzzle *puzzle, bool *fits,
                                     struct wari_error *error)
{
    const struct request *request = maker->request;
    const uint64_t levels = (uint64_t)(request->last - request->first + 1);
    const int seeds = request->first + (int)random_below(maker, levels);
    *fits = false;
    *puzzle = (struct puzzle){.setup = {.diagram = true}};
    if (!wari_level_exists(seeds))
        return WARI_OK;
    puzzle->number = random_below(maker, wari_level_size(seeds));
    if (was_made(maker, seeds, puzzle->number))
        return WARI_OK;
    enum wari_status status =
        wari_position_numbered(seeds, puzzle->number, &puzzle->setup.position, error);
    if (status == WARI_OK)
        status = wari_analyse(maker->db, &puzzle->setup.position, &puzzle->analysis, error);
    if (status != WARI_OK || puzzle->analysis.count < 2 ||
        puzzle->analysis.moves[1].value == puzzle->analysis.value || !choose_goal(maker, puzzle))
        return status;
    status = rate(maker, puzzle, error);
    *fits = puzzle->difficulty >= request->easiest && puzzle->difficulty <= request->hardest;
    return status;
}

static enum wari_status make_puzzle(struct maker *maker, struct puzzle *puzzle,
                                    struct wari_error *error)
{
    bool fits = false;
    for (int i = 0; i < TRIES_MAX && !fits; i++) {
        enum wari_status status = try_position(maker, puzzle, &fits, error);
        if (status != WARI_OK)
            return status;
        if (atomic_load(interrupt_flag()))
            return wari_fail(error, WARI_INTERRUPTED, "interrupted after %d puzzles",
                             maker->made_count);
    }
    if (!fits)
        return wari_fail(error, WARI_NOT_COVERED,
                         "only %d of %d puzzles were found: none of %d further positions fits; "
                         "allow other numbers of seeds or other difficulties",
                         maker->made_count, maker->request->count, TRIES_MAX);
    maker->made[maker->made_count].seeds = wari_seeds(&puzzle->setup.position);
    maker->made[maker->made_count++].number = puzzle->number;
    return WARI_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* Returns the number of moves of the line that belong to the solution: up to the move with which
 * South has won, if the goal is to win. */
static int solution_length(const struct puzzle *puzzle, const struct wari_line *line)
{
    int store = puzzle->setup.stores[0], length = 0;
    while (length < line->count && length < LINE_MOVES) {
        if (!line->moves[length].opponent)
            store += line->moves[length].captured;
        length++;
        if (puzzle->goal == GOAL_WIN && store >= MAJORITY)
            break;
    }
    return length;
}

/* Returns South's seeds minus North's seeds at the end of the game, if South begins with this
 * move. */
static int final_lead(const struct puzzle *puzzle, int move)
{
    return puzzle->setup.stores[0] - puzzle->setup.stores[1] + puzzle->analysis.moves[move].value;
}

static const char *result_of(int lead)
{
    return lead > 0 ? "win" : lead < 0 ? "loss" : "draw";
}

static json_t *line_json(const struct puzzle *puzzle, const struct wari_line *line)
{
    json_t *array = json_array();
    const int length = solution_length(puzzle, line);
    for (int i = 0; array && i < length; i++) {
        if (json_array_append_new(array,
                                  json_letter(line->moves[i].pit, line->moves[i].opponent)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Describes a move that does not reach the goal, with the best reply to it: null if the game is
 * over. */
static enum wari_status other_json(struct maker *maker, const struct puzzle *puzzle, int move,
                                   json_t **object, struct wari_error *error)
{
    const struct wari_move *played = &puzzle->analysis.moves[move].move;
    const int lead = final_lead(puzzle, move);
    struct wari_analysis after = {.count = 0};
    enum wari_status status = WARI_OK;
    *object = NULL;
    if (!played->ends)
        status = wari_analyse(maker->db, &played->next, &after, error);
    if (status != WARI_OK)
        return status;
    *object = json_pack("{s:o, s:i, s:s, s:o}", "move", json_letter(played->pit, false), "lead",
                        lead, "result", result_of(lead), "reply",
                        after.count > 0 ? json_letter(after.moves[0].move.pit, !played->again)
                                        : json_null());
    return *object ? WARI_OK : wari_fail(error, WARI_NO_MEMORY, "not enough memory for an answer");
}

static enum wari_status others_json(struct maker *maker, const struct puzzle *puzzle,
                                    json_t **array, struct wari_error *error)
{
    *array = json_array();
    for (int i = 1; i < puzzle->analysis.count; i++) {
        json_t *object;
        enum wari_status status = other_json(maker, puzzle, i, &object, error);
        if (status == WARI_OK && json_array_append_new(*array, object) != 0)
            status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for an answer");
        if (status != WARI_OK) {
            json_decref(*array);
            *array = NULL;
            return status;
        }
    }
    return WARI_OK;
}

static enum wari_status print_json(struct maker *maker, const struct puzzle *puzzle,
                                   const struct wari_line *line, struct wari_error *error)
{
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *others;
    wari_diagram_text(&puzzle->setup, diagram);
    enum wari_status status = others_json(maker, puzzle, &others, error);
    if (status != WARI_OK)
        return status;
    return json_print(json_pack("{s:s, s:s, s:s, s:i, s:s, s:i, s:o, s:i, s:o, s:o}", "position",
                                diagram, "rules", wari_rules_info(maker->variant.rules)->name,
                                "cycle", wari_cycle_name(maker->variant.cycle), "seeds",
                                wari_seeds(&puzzle->setup.position), "goal",
                                goal_names[puzzle->goal], "difficulty", puzzle->difficulty, "move",
                                json_letter(puzzle->analysis.moves[0].move.pit, false), "lead",
                                final_lead(puzzle, 0), "line", line_json(puzzle, line), "others",
                                others),
                      error);
}

static void print_text(const struct puzzle *puzzle, const struct wari_line *line)
{
    char diagram[WARI_DIAGRAM_TEXT];
    const int length = solution_length(puzzle, line);
    wari_diagram_text(&puzzle->setup, diagram);
    printf("%s  %-4s  difficulty %2d  ", diagram, goal_names[puzzle->goal], puzzle->difficulty);
    for (int i = 0; i < length; i++)
        putchar(wari_move_letter(line->moves[i].pit, line->moves[i].opponent));
    printf(" %+d;", final_lead(puzzle, 0));
    for (int i = 1; i < puzzle->analysis.count; i++)
        printf(" %c %+d", wari_move_letter(puzzle->analysis.moves[i].move.pit, false),
               final_lead(puzzle, i));
    putchar('\n');
}

static enum wari_status print_puzzle(struct maker *maker, const struct puzzle *puzzle,
                                     struct wari_error *error)
{
    struct wari_line line;
    enum wari_status status = wari_line(maker->db, &puzzle->setup.position, &line, error);
    if (status == WARI_OK && maker->request->options.format == PUZZLES_JSON)
        status = print_json(maker, puzzle, &line, error);
    else if (status == WARI_OK)
        print_text(puzzle, &line);
    fflush(stdout); /* the next puzzle may take long */
    return status;
}

/* ---- Command --------------------------------------------------------------------------------- */

/* Checks the levels, which by default are the upper half of those that the database has. */
static enum wari_status check_levels(struct request *request, const struct wari_info *info,
                                     struct wari_error *error)
{
    if (request->first < 0) {
        request->last = info->seeds_max;
        request->first = info->seeds_max / 2 > 2 ? info->seeds_max / 2 : 2;
    }
    if (request->last > info->seeds_max || request->first > request->last)
        return wari_fail(error, WARI_NOT_COVERED,
                         "--seeds: the database goes up to %d seeds, and puzzles need at least 2",
                         info->seeds_max);
    if (wari_game_slam_decides(info->variant.rules))
        return wari_fail(error, WARI_BAD_INPUT,
                         "there are no puzzles for the rules %s, because a grand slam decides the "
                         "game whatever the score",
                         wari_rules_info(info->variant.rules)->name);
    return WARI_OK;
}

static enum wari_status make_all(struct maker *maker, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < maker->request->count && status == WARI_OK && !report_output_lost(); i++) {
        struct puzzle puzzle;
        status = make_puzzle(maker, &puzzle, error);
        if (status == WARI_OK)
            status = print_puzzle(maker, &puzzle, error);
    }
    return status;
}

static enum wari_status open_maker(struct maker *maker, struct request *request,
                                   struct wari_error *error)
{
    struct wari_info info;
    void *made;
    enum wari_status status = options_open(&request->options, &maker->db, error);
    if (status != WARI_OK)
        return status;
    wari_info(maker->db, &info);
    status = check_levels(request, &info, error);
    if (status != WARI_OK)
        return status;
    maker->variant = info.variant;
    /* The multiplication makes the states of small seeds differ in many bits. The factor is odd,
     * so the state is not 0. */
    maker->random = (uint64_t)request->seed * UINT64_C(0x9E3779B97F4A7C15);
    const size_t bytes = (size_t)request->count * sizeof maker->made[0];
    status = wari_allocate(wari_host_system(), bytes, "the list of puzzles", &made, error);
    if (status != WARI_OK)
        return status;
    maker->made = made;
    const struct wari_search_settings settings = {.hash_mb = WARI_SEARCH_HASH_MB,
                                                  .variant = info.variant};
    return wari_search_new(&maker->search, NULL, wari_host_system(), &settings, error);
}

static int run(int argc, char **argv)
{
    struct request request;
    struct maker maker = {.request = &request};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = open_maker(&maker, &request, &error);
    if (status == WARI_OK) {
        interrupt_catch();
        status = make_all(&maker, &error);
    }
    wari_search_free(maker.search);
    if (maker.made)
        wari_release(wari_host_system(), maker.made);
    wari_close(maker.db);
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
        "gets all seeds on the board. The stores are chosen so that nobody has won yet. The\n"
        "difficulty is the number of moves that a search without tables looks ahead until it\n"
        "finds the move for good: 1 is seen at once.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds A-B    numbers of seeds on the board; default: the upper half of the levels\n"
        "  --count N      number of puzzles (default 10)\n"
        "  --seed S       seed of the random numbers, from 1 (the default). Equal options make\n"
        "                 equal puzzles on every machine\n"
        "  --difficulty A-B\n"
        "                 only puzzles as difficult as this\n"
        "  --depth D      the search looks at most D moves ahead (1 to 30, default 12); puzzles\n"
        "                 that it does not solve have the difficulty D + 1\n"
        "  --format F     text (default), or json (--json for short): an object in each line\n"
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
        "folder lacks that rule set, or another format version\n",
};
