/* Finding moves. What always holds: a database that fails is closed and not asked again; there is a
 * move all the same.
 */
#include "tools/engine/brain.h"

#include <stdio.h>

#include "db/probe/player.h"
#include "tools/common/machine.h"

enum { LETTERS = WARI_SEARCH_DEPTH_MAX + 1 };

/* What is being thought of, for who hears of it. */
struct thinking {
    struct brain *brain;
    bool north;
    bool proofs; /* it is who wins, and no score */
    int ahead;   /* the side to move, of the seeds captured */
};

/* ---- What there is to think with ---- */

/* The system would promise memory that it does not have, and kill those who use it. */
static enum wari_status check_memory(const struct brain *brain, struct wari_error *error)
{
    enum { MEGABYTE = 1000000 };
    const int hash_mb = brain->hash_mb;
    const char *limit;
    /* The table that there is goes first. */
    uint64_t available =
        (machine_memory(1, &limit) + wari_search_table_bytes(brain->search)) / MEGABYTE;
    if ((uint64_t)hash_mb <= available)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY,
                     "Hash: %d MB are more than the %llu MB that are free (%s); give less", hash_mb,
                     (unsigned long long)available, limit);
}

enum wari_status brain_make_search(struct brain *brain, struct wari_error *error)
{
    const struct wari_search_settings settings = {
        .hash_mb = brain->hash_mb, .threads = brain->threads, .variant = brain->variant};
    struct wari_search *search;
    enum wari_status status = check_memory(brain, error);
    if (status != WARI_OK)
        return status;
    wari_search_free(brain->search);
    brain->search = NULL;
    status = wari_search_new(&search, brain->db, &brain->host, &settings, error);
    if (status != WARI_OK)
        return status;
    brain->search = search;
    return WARI_OK;
}

void brain_make_some_search(struct brain *brain)
{
    struct wari_error error;
    const int wanted = brain->hash_mb;
    while (!brain->search && brain_make_search(brain, &error) != WARI_OK && brain->hash_mb > 1)
        brain->hash_mb /= 2;
    if (!brain->search)
        conversation_say(brain->talk, "info string %s; playing without looking ahead", error.text);
    else if (brain->hash_mb < wanted)
        conversation_say(brain->talk, "info string Hash: %d MB are no longer free; it is %d MB now",
                         wanted, brain->hash_mb);
}

static void close_database(struct brain *brain)
{
    wari_search_free(brain->search); /* it uses the database */
    wari_player_free(brain->player);
    wari_close(brain->db);
    brain->search = NULL;
    brain->player = NULL;
    brain->db = NULL;
}

enum wari_status brain_open(struct brain *brain, struct wari_error *error)
{
    enum { CACHE = 128 << 20 }; /* bytes of decoded values: leaves of searches are all over */
    const struct wari_options options = {.cache_bytes = CACHE, .host = &brain->host};
    close_database(brain);
    enum wari_status status =
        brain->book ? wari_open_book(&brain->db, brain->folder, &brain->variant, &options, error)
                    : wari_open(&brain->db, brain->folder, &brain->variant, &options, error);
    if (status == WARI_OK)
        status = wari_player_new(&brain->player, brain->db, error);
    if (status == WARI_OK) {
        wari_player_stop_at(brain->player, &brain->talk->stop);
    } else {
        close_database(brain);
    }
    enum wari_status made = brain_make_search(brain, status == WARI_OK ? error : NULL);
    return status == WARI_OK ? made : status;
}

void brain_close(struct brain *brain)
{
    close_database(brain);
}

static bool is_covered(const struct brain *brain, const struct wari_game *game)
{
    struct wari_info info;
    int seeds = wari_seeds(&game->now.position);
    if (!brain->db)
        return false;
    wari_info(brain->db, &info);
    return seeds <= info.seeds_max && seeds != WARI_SEEDS_MAX - 1;
}

/* ---- What it says ---- */

static const char *aim_text(const struct wari_choice *choice, char text[80])
{
    static const char *const aims[] = {
        [WARI_AIM_OVER] = "the game is over",
        [WARI_AIM_EVENT] = "takes at once",
        [WARI_AIM_FORCE] = "forces a capture, the end or more",
        [WARI_AIM_DELAY] = "puts off a capture or the end",
        [WARI_AIM_HOLD] = "keeps its row ahead for ever",
        [WARI_AIM_ROW] = "fills its row",
        [WARI_AIM_NONE] = "nothing to be gained",
        [WARI_AIM_LOST] = "no plan was found",
    };
    if (choice->distance > 0)
        snprintf(text, 80, "%s, %d moves at most", aims[choice->aim], choice->distance);
    else
        snprintf(text, 80, "%s", aims[choice->aim]);
    return text;
}

static void say_report(const struct thinking *thinking, const struct wari_search_report *report)
{
    const struct brain *brain = thinking->brain;
    bool north = thinking->north;
    char letters[LETTERS], rank[24] = "", score[24] = "";
    for (int i = 0; i < report->line_count; i++)
        letters[i] = wari_move_letter(report->line[i].pit, north != report->line[i].opponent);
    letters[report->line_count] = '\0';
    bool replied = report->line_count > 1 && report->line[1].opponent;
    if (report->rank == 1)
        conversation_improve(brain->talk, letters[0], (char)(replied ? letters[1] : 0));
    if (brain->lines > 1)
        snprintf(rank, sizeof rank, "multipv %d ", report->rank);
    if (!thinking->proofs || report->proven)
        snprintf(score, sizeof score, "score cp %d ", report->score);
    unsigned long long nodes = report->nodes, probes = report->probes;
    long long time = report->milliseconds;
    conversation_say(brain->talk,
                     "info depth %d %s%snodes %llu nps %llu hashfull %d tbhits %llu "
                     "time %lld pv %s",
                     report->depth, rank, score, nodes,
                     nodes * 1000 / (unsigned long long)(time > 0 ? time : 1), report->full, probes,
                     time, letters);
}

static void say_iteration(void *context, const struct wari_search_report *report)
{
    say_report(context, report);
}

/* The chosen move first, then the others, best first, as many as are shown. */
static void say_values(const struct thinking *thinking, const struct wari_choice *choice)
{
    const struct wari_analysis *analysis = &choice->analysis;
    const uint64_t count = (uint64_t)analysis->count;
    int rank = 0;
    for (int i = -1; i < analysis->count && rank < thinking->brain->lines; i++) {
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
        say_report(thinking, &report);
    }
}

/* Who wins, as far as it follows from what is proven: "; North wins". */
static const char *winner_text(const struct thinking *thinking, int least, int most, char text[32])
{
    const char *mover = thinking->north ? "North" : "South";
    const char *other = thinking->north ? "South" : "North";
    least += thinking->ahead;
    most += thinking->ahead;
    text[0] = '\0';
    if (least > 0 || most < 0)
        snprintf(text, 32, "; %s wins", least > 0 ? mover : other);
    else if (least == 0 && most == 0)
        snprintf(text, 32, "; a draw");
    else if (least == 0 || most == 0)
        snprintf(text, 32, "; %s does not lose", least == 0 ? mover : other);
    return text;
}

/* What is proven of the position, and how sure the rest is; of a proof, what the move proves. */
static void say_result(const struct thinking *thinking, const struct wari_search_report *report)
{
    const double seed = WARI_SEED_SCORE;
    const int least = thinking->proofs ? report->moves[report->pit].least : report->least;
    char winner[32] = "";
    if (thinking->proofs)
        (void)winner_text(thinking, least, report->most, winner);
    if (report->proven)
        conversation_say(thinking->brain->talk, "info string proven: the exact value is %+d%s",
                         report->least, winner);
    else if (thinking->proofs)
        conversation_say(thinking->brain->talk, "info string proven: %+d to %+d%s", least,
                         report->most, winner);
    else
        conversation_say(thinking->brain->talk,
                         "info string estimate: about %+.1f, give or take %.1f; proven: %+d to %+d",
                         report->score / seed, report->error / seed, report->least, report->most);
}

/* ---- Thinking ---- */

static bool is_among(int pits, int pit)
{
    return pits >> pit & 1;
}

/* Leaves the moves of these pits, of which there are some; false if the chosen one goes: the best
 * one that is left is then chosen. */
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

static enum wari_status find_in_database(struct brain *brain, const struct wari_game *game,
                                         int pits, int *pit, struct wari_error *error)
{
    struct wari_choice choice;
    char text[80];
    const char *aim = "there was no time to see what it forces";
    const struct wari_position *position = &game->now.position;
    enum wari_status status = wari_player_choose(brain->player, position, &choice, error);
    if (status == WARI_OK) {
        aim = aim_text(&choice, text);
    } else if (status == WARI_INTERRUPTED) {
        choice.move = 0;
        status = wari_analyse(brain->db, position, &choice.analysis, error);
    }
    if (status != WARI_OK)
        return status;
    if (!keep_moves(&choice, pits))
        aim = "the best of these moves";
    *pit = choice.analysis.moves[choice.move].move.pit;
    say_values(&(struct thinking){.brain = brain, .north = game->now.north_to_move}, &choice);
    conversation_say(brain->talk, "info string database: the exact value is %+d; %s",
                     choice.analysis.value, aim);
    return WARI_OK;
}

/* Says what is wrong with the database and goes on without. */
static void give_up_database(struct brain *brain, const struct wari_error *reason)
{
    conversation_say(brain->talk, "info string the database fails: %s; going on without it",
                     reason->text);
    close_database(brain);
    brain_make_some_search(brain);
}

/* Nothing is to be found out but the move. */
static bool has_clock_alone(const struct wari_uci_go *go)
{
    return !go->infinite && !go->ponder && !go->prove && go->depth == 0 && go->nodes == 0;
}

static enum wari_status find_by_search(struct brain *brain, const struct wari_game *game,
                                       const struct wari_uci_go *go, int64_t milliseconds, int *pit,
                                       struct wari_error *error)
{
    struct wari_search_report report;
    struct wari_error reason;
    const int mover = game->now.north_to_move;
    struct thinking thinking = {
        .brain = brain,
        .north = mover,
        .proofs = go->prove && !wari_game_slam_decides(brain->variant.rules),
        .ahead = game->now.stores[mover] - game->now.stores[!mover],
    };
    const struct wari_search_listener listener = {say_iteration, &thinking};
    const struct wari_search_limits limits = {
        .depth =
            go->depth > 0 && go->depth < WARI_SEARCH_DEPTH_MAX ? go->depth : WARI_SEARCH_DEPTH_MAX,
        .nodes = go->nodes,
        .milliseconds = go->infinite || go->ponder ? -1 : milliseconds,
        .stop = &brain->talk->stop,
        .lines = brain->lines,
        .pits = go->pits,
        .prove = go->prove,
        .obvious = has_clock_alone(go) && !brain->analyse,
    };
    enum wari_status status =
        wari_search_run(brain->search, game, &limits, &listener, &report, &reason);
    if (report.depth < 0)
        return wari_fail(error, status, "%s", reason.text);
    *pit = report.pit;
    say_result(&thinking, &report);
    if (status != WARI_OK)
        give_up_database(brain, &reason);
    return WARI_OK;
}

/* Marsaglia's xorshift: good enough to play badly. */
static int find_random(struct brain *brain, const struct wari_game *game, int pits)
{
    struct wari_moves moves;
    int kept = 0;
    wari_moves(brain->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (is_among(pits, moves.list[i].pit))
            moves.list[kept++] = moves.list[i];
    brain->chance ^= brain->chance << 13;
    brain->chance ^= brain->chance >> 7;
    brain->chance ^= brain->chance << 17;
    return moves.list[(brain->chance >> 32) % (uint64_t)kept].pit;
}

int brain_first_move(struct brain *brain, const struct wari_game *game, int pits)
{
    struct wari_analysis analysis = {.count = 0};
    struct wari_moves moves;
    if (game->end == WARI_GAME_NO_MOVE || game->end == WARI_GAME_SLAM)
        return -1;
    if (!brain->random && is_covered(brain, game) &&
        wari_analyse(brain->db, &game->now.position, &analysis, NULL) != WARI_OK)
        analysis.count = 0;
    for (int i = 0; i < analysis.count; i++)
        if (is_among(pits, analysis.moves[i].move.pit))
            return analysis.moves[i].move.pit;
    wari_moves(brain->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (is_among(pits, moves.list[i].pit))
            return moves.list[i].pit;
    return -1;
}

enum wari_status brain_think(struct brain *brain, const struct wari_game *game,
                             const struct wari_uci_go *go, int64_t milliseconds, int *pit,
                             struct wari_error *error)
{
    struct wari_error reason;
    if (brain->random) {
        *pit = find_random(brain, game, go->pits);
        return WARI_OK;
    }
    if (is_covered(brain, game)) {
        if (find_in_database(brain, game, go->pits, pit, &reason) == WARI_OK)
            return WARI_OK;
        give_up_database(brain, &reason);
    }
    if (!brain->search) /* it was told */
        return WARI_OK;
    return find_by_search(brain, game, go, milliseconds, pit, error);
}
