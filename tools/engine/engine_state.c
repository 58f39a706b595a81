/* Finds moves. Invariant: a database that fails is closed and not used again; the engine still
 * makes a move. */
#include "tools/engine/engine_state.h"

#include <stdio.h>

#include "db/probe/player.h"
#include "index/half.h"
#include "system/clock.h"
#include "tools/common/machine.h"

enum { LETTERS = WARI_SEARCH_DEPTH_MAX + 1, MEGABYTE = 1000000 };

/* The context for printing the results of a search. */
struct reporter {
    struct engine_state *state;
    bool north;
    bool proofs; /* the search proves who wins and gives no score */
    int ahead;   /* seeds captured by the side to move minus those of the other side */
};

/* ---- Tables and search ---- */

/* Checks that enough memory is free. The system would promise memory that it does not have, and
 * then kill a process that uses it. */
static enum wari_status check_memory(const struct engine_state *state, struct wari_error *error)
{
    const int hash_mb = state->hash_mb;
    const char *limit;
    /* the current table will be freed first */
    uint64_t available =
        (machine_memory(1, &limit) + wari_search_table_bytes(state->search)) / MEGABYTE;
    if ((uint64_t)hash_mb <= available)
        return WARI_OK;
    return wari_fail(
        error, WARI_NO_MEMORY,
        "Hash: %d MB is more than the %llu MB that is free (%s); choose a smaller size", hash_mb,
        (unsigned long long)available, limit);
}

enum wari_status engine_make_search(struct engine_state *state, struct wari_error *error)
{
    const struct wari_search_settings settings = {
        .hash_mb = state->hash_mb, .threads = state->threads, .variant = state->variant};
    struct wari_search *search;
    enum wari_status status = check_memory(state, error);
    if (status != WARI_OK)
        return status;
    wari_search_free(state->search);
    state->search = NULL;
    status = wari_search_new(&search, state->db, wari_host_system(), &settings, error);
    if (status != WARI_OK)
        return status;
    state->search = search;
    return WARI_OK;
}

void engine_make_largest_search(struct engine_state *state)
{
    struct wari_error error;
    const int requested = state->hash_mb;
    while (!state->search && engine_make_search(state, &error) != WARI_OK && state->hash_mb > 1)
        state->hash_mb /= 2;
    if (!state->search)
        engine_io_print(state->io, "info string %s; playing without search", error.text);
    else if (state->hash_mb < requested)
        engine_io_print(state->io,
                        "info string Hash: %d MB is no longer free, so the size is %d MB now",
                        requested, state->hash_mb);
}

static void close_database(struct engine_state *state)
{
    engine_ahead_end(&state->ahead);
    wari_search_free(state->search); /* it uses the database */
    wari_player_free(state->player);
    wari_endgame_free(state->endgame);
    wari_close(state->db);
    state->search = NULL;
    state->endgame = NULL;
    state->player = NULL;
    state->db = NULL;
    state->note[0] = '\0';
}

/* Prepares the note about levels whose files are missing. */
static void note_missing(struct engine_state *state)
{
    bool missing[WARI_SEEDS_MAX + 1];
    char text[WARI_MISSING_TEXT];
    struct wari_info info;
    if (wari_missing(state->db, missing) == 0)
        return;
    wari_get_info(state->db, &info);
    snprintf(state->note, sizeof state->note, "%s; only levels up to %d are used",
             wari_missing_text(missing, text), info.seeds_max);
}

/* The cache is large, because the leaves of searches are scattered over the database: with tables
 * of 24 seeds, a larger cache once raised the speed of a search from 179 to 277 thousand nodes a
 * second. The cache never exceeds what all values of the database need, and it takes memory only
 * as it fills. */
int engine_default_cache(void)
{
    enum { SHARE = 8, LEAST_MB = 64, MOST_MB = 2048 };
    const char *limit;
    const uint64_t share = machine_memory(1, &limit) / SHARE / MEGABYTE;
    return share < LEAST_MB ? LEAST_MB : share > MOST_MB ? MOST_MB : (int)share;
}

static enum wari_status open_database(struct engine_state *state, struct wari_error *error)
{
    const struct wari_options options = {.cache_bytes = (size_t)state->cache_mb * MEGABYTE};
    enum wari_status status =
        state->book ? wari_open_book(&state->db, state->folder, &state->variant, &options, error)
                    : wari_open(&state->db, state->folder, &state->variant, &options, error);
    if (status == WARI_OK)
        status = wari_player_new(&state->player, state->db, error);
    if (status == WARI_OK)
        status = wari_endgame_new(&state->endgame, state->db, wari_host_system(),
                                  WARI_ENDGAME_POSITIONS, error);
    if (status == WARI_OK) {
        wari_endgame_stop_at(state->endgame, &state->io->stop);
        wari_player_stop_at(state->player, &state->io->stop);
        note_missing(state);
    } else {
        close_database(state);
    }
    return status;
}

enum wari_status engine_open_tables(struct engine_state *state, struct wari_error *error)
{
    close_database(state);
    enum wari_status status = state->folder[0] ? open_database(state, error) : WARI_OK;
    state->told_no_tables = false;
    enum wari_status made = engine_make_search(state, status == WARI_OK ? error : NULL);
    return status == WARI_OK ? made : status;
}

void engine_close_tables(struct engine_state *state)
{
    close_database(state);
    wari_opening_book_free(&state->opening_book);
}

static bool is_covered(const struct engine_state *state, const struct wari_game *game)
{
    struct wari_info info;
    int seeds = wari_seeds(&game->now.position);
    if (!state->db)
        return false;
    wari_get_info(state->db, &info);
    return seeds <= info.seeds_max && wari_level_exists(seeds);
}

/* ---- Output ---- */

static const char *aim_text(const struct wari_choice *choice, char text[112])
{
    static const char *const aims[] = {
        [WARI_AIM_OVER] = "the game is over",
        [WARI_AIM_EVENT] = "this move captures, or ends the game",
        [WARI_AIM_FORCE] = "this move brings a capture, the end of the game or a gain nearer",
        [WARI_AIM_DELAY] = "this move delays a capture or the end of the game as long as possible",
        [WARI_AIM_HOLD] = "this side can keep its surplus of seeds in its own row for ever",
        [WARI_AIM_ROW] = "this move adds to the surplus of its own row",
        [WARI_AIM_NONE] = "no move gains more than another",
        [WARI_AIM_LOST] = "no plan was found",
    };
    if (choice->distance > 0)
        snprintf(text, 112, "%s (at most %d move%s)", aims[choice->aim], choice->distance,
                 choice->distance == 1 ? "" : "s");
    else
        snprintf(text, 112, "%s", aims[choice->aim]);
    return text;
}

static struct reporter make_reporter(struct engine_state *state, const struct wari_game *game,
                                     bool proofs)
{
    const bool north = game->now.north_to_move;
    return (struct reporter){.state = state,
                             .north = north,
                             .proofs = proofs,
                             .ahead = game->now.stores[north] - game->now.stores[!north]};
}

static void print_report(const struct reporter *reporter, const struct wari_search_report *report)
{
    const struct engine_state *state = reporter->state;
    bool north = reporter->north;
    char letters[LETTERS], rank[24] = "", score[24] = "";
    for (int i = 0; i < report->line_count; i++)
        letters[i] = wari_move_letter(report->line[i].pit, north != report->line[i].opponent);
    letters[report->line_count] = '\0';
    bool replied = report->line_count > 1 && report->line[1].opponent;
    if (report->rank == 1)
        engine_io_set_best_move(state->io, letters[0], (char)(replied ? letters[1] : 0));
    if (state->lines > 1)
        snprintf(rank, sizeof rank, "multipv %d ", report->rank);
    if (!reporter->proofs || report->proven)
        snprintf(score, sizeof score, "score cp %d ",
                 report->score +
                     (state->score_with_stores ? WARI_SEED_SCORE * reporter->ahead : 0));
    unsigned long long nodes = report->nodes, probes = report->probes;
    long long time = report->milliseconds;
    engine_io_print(state->io,
                    "info depth %d %s%snodes %llu nps %llu hashfull %d tbhits %llu "
                    "time %lld pv %s",
                    report->depth, rank, score, nodes,
                    nodes * 1000 / (unsigned long long)(time > 0 ? time : 1), report->full, probes,
                    time, letters);
}

static void print_iteration(void *context, const struct wari_search_report *report)
{
    print_report(context, report);
}

/* Prints the value of the chosen move, and then the values of the other moves, best first: at most
 * as many moves as the option MultiPV says. */
static void print_values(const struct reporter *reporter, const struct wari_choice *choice)
{
    const struct wari_analysis *analysis = &choice->analysis;
    const uint64_t count = (uint64_t)analysis->count;
    int rank = 0;
    for (int i = -1; i < analysis->count && rank < reporter->state->lines; i++) {
        if (i == choice->move)
            continue;
        int number = i < 0 ? choice->move : i;
        uint8_t pit = analysis->moves[number].move.pit;
        struct wari_search_report report = {.depth = 1,
                                            .score =
                                                WARI_SEED_SCORE * analysis->moves[number].value,
                                            .rank = ++rank,
                                            .nodes = count,
                                            .probes = count,
                                            .line_count = 1,
                                            .line = {{.pit = pit}}};
        print_report(reporter, &report);
    }
}

/* Describes who wins, as far as the proven bounds determine it: "; North wins". */
static const char *winner_text(const struct reporter *reporter, int least, int most, char text[32])
{
    const char *mover = reporter->north ? "North" : "South";
    const char *other = reporter->north ? "South" : "North";
    least += reporter->ahead;
    most += reporter->ahead;
    text[0] = '\0';
    if (least > 0 || most < 0)
        snprintf(text, 32, "; %s wins", least > 0 ? mover : other);
    else if (least == 0 && most == 0)
        snprintf(text, 32, "; a draw");
    else if (least == 0 || most == 0)
        snprintf(text, 32, "; %s does not lose", least == 0 ? mover : other);
    return text;
}

/* Prints the proven bounds of the position and the uncertainty of the estimate. After a search for
 * a proof, prints the proven bounds of the move. */
static void print_result(const struct reporter *reporter, const struct wari_search_report *report)
{
    const double seed = WARI_SEED_SCORE;
    const int least = reporter->proofs ? report->moves[report->pit].least : report->least;
    char winner[32] = "";
    if (reporter->proofs)
        (void)winner_text(reporter, least, report->most, winner);
    if (report->proven)
        engine_io_print(reporter->state->io, "info string proven: the exact value is %+d%s",
                        report->least, winner);
    else if (reporter->proofs)
        engine_io_print(reporter->state->io, "info string proven: %+d to %+d%s", least,
                        report->most, winner);
    else
        engine_io_print(reporter->state->io,
                        "info string estimate: about %+.1f, give or take %.1f; proven: %+d to %+d",
                        report->score / seed, report->error / seed, report->least, report->most);
}

/* ---- Choosing a move ---- */

static bool is_among(int pits, int pit)
{
    return pits >> pit & 1;
}

/* Keeps only the moves of these pits, of which there is at least one. Returns false if the
 * chosen move is removed; the best remaining one is then chosen. */
static bool keep_moves(struct wari_choice *choice, int pits)
{
    struct wari_analysis *analysis = &choice->analysis;
    int kept = 0, chosen = -1;
    for (int i = 0; i < analysis->count; i++) {
        if (!is_among(pits, analysis->moves[i].move.pit))
            continue;
        if (i == choice->move)
            chosen = kept;
        analysis->moves[kept++] = analysis->moves[i];
    }
    analysis->count = kept;
    analysis->value = analysis->moves[0].value;
    choice->move = chosen < 0 ? 0 : chosen;
    return chosen >= 0;
}

struct wari_repetition engine_repetition(const struct engine_state *state)
{
    const bool usual = state->repetition_score == REPETITION_USUAL;
    const bool rows =
        usual ? state->variant.cycle == WARI_OWN : state->repetition_score == REPETITION_ROWS;
    return (struct wari_repetition){.times = state->repetition_times, .rows = rows};
}

/* Replaces the chosen move if another move gets a better result of the game, or has the same value
 * and leaves the opponent fewer good replies. Sets *aim to a text about the new move; leaves *aim
 * as it is if the move stays the same. */
static enum wari_status choose_for_result(struct engine_state *state, const struct wari_game *game,
                                          int64_t milliseconds, struct wari_choice *choice,
                                          const char **aim, struct wari_endgame_result *result,
                                          struct wari_error *error)
{
    const struct wari_repetition repetition = engine_repetition(state);
    const int before = choice->move;
    enum wari_status status =
        wari_endgame_choose(state->endgame, game, &repetition, milliseconds, choice, result, error);
    if (status == WARI_OK && choice->move != before)
        *aim = result->changed ? "this move gets the best result if a position returns"
                               : "this move leaves the fewest replies that keep the value";
    return status;
}

/* Describes the result of the game, if it is proven: "; South wins". */
static const char *result_text(const struct wari_game *game,
                               const struct wari_endgame_result *result, char text[32])
{
    const bool mover_wins = result->outcome == WARI_ENDGAME_WIN;
    text[0] = '\0';
    if (result->proven && result->outcome == WARI_ENDGAME_DRAW)
        snprintf(text, 32, "; a draw");
    else if (result->proven)
        snprintf(text, 32, "; %s wins", game->now.north_to_move == mover_wins ? "North" : "South");
    return text;
}

static enum wari_status find_in_database(struct engine_state *state, const struct wari_game *game,
                                         int pits, int64_t milliseconds, int *pit,
                                         struct wari_error *error)
{
    enum { SECOND_MS = 1000 };
    struct wari_choice choice;
    struct wari_endgame_result result;
    char text[112], winner[32];
    const int64_t began = wari_milliseconds_now();
    const char *aim = "there was no time to see what it forces";
    const struct wari_position *position = &game->now.position;
    enum wari_status status = wari_player_choose(state->player, position, &choice, error);
    if (status == WARI_OK) {
        aim = aim_text(&choice, text);
    } else if (status == WARI_INTERRUPTED) {
        choice.move = 0;
        choice.aim = WARI_AIM_NONE;
        status = wari_analyse(state->db, position, &choice.analysis, error);
    }
    if (status != WARI_OK)
        return status;
    if (!keep_moves(&choice, pits)) {
        aim = "the best of these moves";
        choice.aim = WARI_AIM_NONE;
    }
    /* This move is the answer if the next step takes too long. */
    *pit = choice.analysis.moves[choice.move].move.pit;
    engine_io_set_best_move(state->io, wari_move_letter(*pit, game->now.north_to_move), 0);
    const int64_t left =
        milliseconds < 0 ? SECOND_MS : milliseconds / 2 - wari_milliseconds_now() + began;
    status = choose_for_result(state, game, left > 0 ? left : 0, &choice, &aim, &result, error);
    if (status != WARI_OK)
        return status;
    *pit = choice.analysis.moves[choice.move].move.pit;
    const struct reporter reporter = make_reporter(state, game, false);
    print_values(&reporter, &choice);
    engine_io_print(state->io, "info string database: the exact value is %+d; %s%s",
                    choice.analysis.value, aim, result_text(game, &result, winner));
    return WARI_OK;
}

static bool find_in_opening_book(struct engine_state *state, const struct wari_game *game,
                                 const struct wari_uci_go *go, int *pit)
{
    struct wari_search_report report;
    const struct reporter reporter = make_reporter(state, game, false);
    if (!engine_find_opening(state, game, go, &report))
        return false;
    *pit = report.pit;
    print_report(&reporter, &report);
    engine_io_print(state->io, "info string opening book: about %+.2f",
                    (double)report.score / WARI_SEED_SCORE);
    return true;
}

/* Reports a failure of the database and continues without it. */
static void drop_database(struct engine_state *state, const struct wari_error *reason)
{
    bool told = engine_io_print(
        state->io, "info string the database fails: %s; continuing without it", reason->text);
    close_database(state);
    engine_make_largest_search(state);
    state->told_no_tables = told;
}

static enum wari_probing choose_probing(const struct engine_state *state,
                                        const struct wari_search_limits *limits, bool endless)
{
    if (state->probing == TABLES_AUTO)
        return endless || limits->milliseconds >= 0 ? WARI_PROBING_CHEAP : WARI_PROBING_ALWAYS;
    return state->probing == TABLES_CHEAP ? WARI_PROBING_CHEAP : WARI_PROBING_ALWAYS;
}

/* Chooses the blocks that are decoded until the next command comes. */
static void plan_ahead(struct engine_state *state, const struct wari_game *game,
                       const struct wari_search *search)
{
    if (state->db && state->decode_ahead)
        engine_ahead_plan(&state->ahead, state->db, search, wari_seeds(&game->now.position));
}

/* Returns true if the clock or a fixed time is the only limit of the search: the interface requests
 * a move and no analysis. */
static bool has_clock_alone(const struct wari_uci_go *go)
{
    return !go->infinite && !go->ponder && !go->prove && go->depth == 0 && go->nodes == 0;
}

static enum wari_status find_by_search(struct engine_state *state, const struct wari_game *game,
                                       const struct wari_uci_go *go, int64_t milliseconds, int *pit,
                                       struct wari_error *error)
{
    struct wari_search_report report;
    struct wari_error reason;
    struct reporter reporter =
        make_reporter(state, game, go->prove && !wari_game_slam_decides(state->variant.rules));
    const struct wari_search_listener listener = {print_iteration, &reporter};
    struct wari_search_limits limits = {
        .depth =
            go->depth > 0 && go->depth < WARI_SEARCH_DEPTH_MAX ? go->depth : WARI_SEARCH_DEPTH_MAX,
        .nodes = go->nodes,
        .milliseconds = go->infinite || go->ponder ? -1 : milliseconds,
        .usual = has_clock_alone(go) && !state->analyse ? go->usual : 0,
        .stop = &state->io->stop,
        .lines = state->lines,
        .pits = go->pits,
        .prove = go->prove,
        .obvious = has_clock_alone(go) && !state->analyse,
        .result = true,
        .repetition = engine_repetition(state),
    };
    limits.probing = choose_probing(state, &limits, go->infinite || go->ponder);
    enum wari_status status =
        wari_search_run(state->search, game, &limits, &listener, &report, &reason);
    plan_ahead(state, game, state->search);
    if (report.depth < 0)
        return wari_fail(error, status, "%s", reason.text);
    *pit = report.pit;
    print_result(&reporter, &report);
    if (status != WARI_OK)
        drop_database(state, &reason);
    return WARI_OK;
}

/* Returns a random legal move of these pits. Marsaglia's xorshift is good enough for playing
 * badly. */
static int find_random(struct engine_state *state, const struct wari_game *game, int pits)
{
    struct wari_moves moves;
    int kept = 0;
    wari_find_moves(state->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (is_among(pits, moves.list[i].pit))
            moves.list[kept++] = moves.list[i];
    state->random_state ^= state->random_state << 13;
    state->random_state ^= state->random_state >> 7;
    state->random_state ^= state->random_state << 17;
    return moves.list[(state->random_state >> 32) % (uint64_t)kept].pit;
}

int engine_first_move(struct engine_state *state, const struct wari_game *game, int pits)
{
    struct wari_analysis analysis = {.count = 0};
    struct wari_moves moves;
    if (game->end == WARI_GAME_NO_MOVE || game->end == WARI_GAME_SLAM)
        return -1;
    if (!state->random && is_covered(state, game) &&
        wari_analyse(state->db, &game->now.position, &analysis, NULL) != WARI_OK)
        analysis.count = 0;
    for (int i = 0; i < analysis.count; i++)
        if (is_among(pits, analysis.moves[i].move.pit))
            return analysis.moves[i].move.pit;
    wari_find_moves(state->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (is_among(pits, moves.list[i].pit))
            return moves.list[i].pit;
    return -1;
}

enum wari_status engine_find_move(struct engine_state *state, const struct wari_game *game,
                                  const struct wari_uci_go *go, int64_t milliseconds, int *pit,
                                  struct wari_error *error)
{
    struct wari_error reason;
    if (state->random) {
        *pit = find_random(state, game, go->pits);
        return WARI_OK;
    }
    if (state->note[0]) {
        engine_io_print(state->io, "info string %s", state->note);
        state->note[0] = '\0';
    }
    if (is_covered(state, game)) {
        const bool endless = go->infinite || go->ponder;
        const int64_t most = go->usual >= 0 && go->usual < milliseconds ? go->usual : milliseconds;
        if (find_in_database(state, game, go->pits, endless ? -1 : most, pit, &reason) == WARI_OK)
            return WARI_OK;
        drop_database(state, &reason);
    }
    if (find_in_opening_book(state, game, go, pit))
        return WARI_OK;
    if (!state->db && !state->told_no_tables) {
        engine_io_print(state->io, "info string there are no tables: every move is searched; "
                                   "\"setoption name DatabasePath value FOLDER\" opens some");
        state->told_no_tables = true;
    }
    if (!state->search) /* this was reported before */
        return WARI_OK;
    return find_by_search(state, game, go, milliseconds, pit, error);
}
