/* Makes puzzles: draws positions from a level at random, puts the other seeds into the stores so
 * that exactly one move reaches a goal, and measures how far a search must look ahead to find it.
 */
#include "play/review/puzzle.h"

#include <string.h>

#include "index/half.h"
#include "play/search/search.h"

enum { MAJORITY = 25 }; /* number of seeds that wins the game */

struct made_puzzle {
    int seeds;
    uint64_t number;
};

struct wari_puzzle_maker {
    struct wari_puzzle_settings settings;
    struct wari_db *db;
    struct wari_variant variant;
    struct wari_search *search;
    uint64_t random;
    int searches; /* number of searches for the current puzzle */
    int made_count;
    struct made_puzzle made[]; /* the earlier puzzles */
};

bool wari_puzzle_rules(enum wari_rules rules)
{
    return !wari_game_slam_decides(rules);
}

const char *wari_goal_name(enum wari_goal goal)
{
    static const char *const names[] = {"win", "draw", "all"};
    return names[goal];
}

/* ---- A maker --------------------------------------------------------------------------------- */

enum wari_status wari_puzzle_maker_new(struct wari_puzzle_maker **maker, struct wari_db *db,
                                       const struct wari_puzzle_settings *settings,
                                       struct wari_error *error)
{
    void *memory;
    struct wari_info info;
    const size_t bytes = sizeof **maker + (size_t)settings->count * sizeof(struct made_puzzle);
    *maker = NULL;
    enum wari_status status =
        wari_allocate(wari_host_system(), bytes, "the list of puzzles", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_puzzle_maker *fresh = memory;
    wari_get_info(db, &info);
    memset(fresh, 0, sizeof *fresh);
    fresh->settings = *settings;
    fresh->db = db;
    fresh->variant = info.variant;
    /* The multiplication makes the states of small seeds differ in many bits. The factor is odd,
     * so the state is not 0. */
    fresh->random = settings->seed * UINT64_C(0x9E3779B97F4A7C15);
    const struct wari_search_settings search = {.hash_mb = settings->hash_mb,
                                                .variant = info.variant};
    status = wari_search_new(&fresh->search, NULL, wari_host_system(), &search, error);
    if (status == WARI_OK)
        *maker = fresh;
    else
        wari_puzzle_maker_free(fresh);
    return status;
}

void wari_puzzle_maker_free(struct wari_puzzle_maker *maker)
{
    if (!maker)
        return;
    wari_search_free(maker->search);
    wari_release(wari_host_system(), maker);
}

/* ---- Making a puzzle ------------------------------------------------------------------------- */

/* Returns a random number below `limit` (xorshift64*). Its bias is below 2^-20 for every level. */
static uint64_t random_below(struct wari_puzzle_maker *maker, uint64_t limit)
{
    maker->random ^= maker->random >> 12;
    maker->random ^= maker->random << 25;
    maker->random ^= maker->random >> 27;
    return maker->random * UINT64_C(0x2545F4914F6CDD1D) % limit;
}

/* Chooses a goal, and stores with which the best move reaches it and no other move does. Neither
 * side has won yet. Returns false if there are no such stores. */
static bool choose_goal(struct wari_puzzle_maker *maker, struct wari_puzzle *puzzle)
{
    const struct wari_analysis *analysis = &puzzle->analysis;
    const int seeds = wari_seeds(&puzzle->setup.position), rest = WARI_SEEDS_MAX - seeds;
    struct choice {
        enum wari_goal goal;
        int store;
    } choices[3 * MAJORITY];
    int count = 0;
    for (int store = 0; store < MAJORITY; store++) {
        const int lead = store - (rest - store); /* South's lead at the start */
        const int best = lead + analysis->moves[0].value, next = lead + analysis->moves[1].value;
        if (store > rest || rest - store >= MAJORITY)
            continue;
        if (best > 0 && next <= 0)
            choices[count++] = (struct choice){WARI_GOAL_WIN, store};
        if (best == 0 && next < 0)
            choices[count++] = (struct choice){WARI_GOAL_DRAW, store};
        if (analysis->value == seeds && store == rest / 2)
            choices[count++] = (struct choice){WARI_GOAL_ALL, store};
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
static enum wari_status rate(struct wari_puzzle_maker *maker, struct wari_puzzle *puzzle,
                             struct wari_error *error)
{
    struct rating rating = {.solution = puzzle->analysis.moves[0].move.pit};
    const struct wari_search_limits limits = {.depth = maker->settings.depth,
                                              .milliseconds = -1,
                                              .nodes = maker->settings.nodes,
                                              .stop = maker->settings.stop};
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

static bool was_made(const struct wari_puzzle_maker *maker, int seeds, uint64_t number)
{
    for (int i = 0; i < maker->made_count; i++) {
        if (maker->made[i].seeds == seeds && maker->made[i].number == number)
            return true;
    }
    return false;
}

/* Draws a position, and makes a puzzle of it if that is possible. */
static enum wari_status try_position(struct wari_puzzle_maker *maker, struct wari_puzzle *puzzle,
                                     bool *fits, struct wari_error *error)
{
    const struct wari_puzzle_settings *settings = &maker->settings;
    const uint64_t levels = (uint64_t)(settings->last - settings->first + 1);
    const int seeds = settings->first + (int)random_below(maker, levels);
    *fits = false;
    *puzzle = (struct wari_puzzle){.variant = maker->variant, .setup = {.diagram = true}};
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
    maker->searches++;
    status = rate(maker, puzzle, error);
    *fits = puzzle->difficulty >= settings->easiest && puzzle->difficulty <= settings->hardest;
    return status;
}

/* Returns true after a stop, when a search may have ended too early. */
static bool is_stopped(const struct wari_puzzle_maker *maker)
{
    return maker->settings.stop && atomic_load(maker->settings.stop);
}

enum wari_status wari_puzzle_make(struct wari_puzzle_maker *maker, struct wari_puzzle *puzzle,
                                  bool *found, struct wari_error *error)
{
    const struct wari_puzzle_settings *settings = &maker->settings;
    *found = false;
    maker->searches = 0;
    for (int i = 0; i < settings->tries && maker->searches < settings->searches && !*found; i++) {
        if (settings->pause)
            settings->pause(settings->context);
        enum wari_status status = try_position(maker, puzzle, found, error);
        if (status == WARI_OK && is_stopped(maker))
            status = wari_fail(error, WARI_INTERRUPTED, "interrupted after %d puzzles",
                               maker->made_count);
        if (status != WARI_OK) {
            *found = false;
            return status;
        }
    }
    if (*found)
        maker->made[maker->made_count++] = (struct made_puzzle){
            .seeds = wari_seeds(&puzzle->setup.position), .number = puzzle->number};
    return WARI_OK;
}

/* ---- The solution ---------------------------------------------------------------------------- */

enum wari_status wari_puzzle_line(struct wari_db *db, const struct wari_puzzle *puzzle,
                                  struct wari_line *line, struct wari_error *error)
{
    enum wari_status status = wari_find_line(db, &puzzle->setup.position, line, error);
    if (status != WARI_OK)
        return status;
    int store = puzzle->setup.stores[0], length = 0;
    while (length < line->count && length < WARI_PUZZLE_LINE_MAX) {
        if (!line->moves[length].opponent)
            store += line->moves[length].captured;
        length++;
        if (puzzle->goal == WARI_GOAL_WIN && store >= MAJORITY)
            break;
    }
    line->count = length;
    return WARI_OK;
}

int wari_puzzle_lead(const struct wari_puzzle *puzzle, int move)
{
    return puzzle->setup.stores[0] - puzzle->setup.stores[1] + puzzle->analysis.moves[move].value;
}
