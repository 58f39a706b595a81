/* `wari engine`: an engine for Oware interfaces and matches, perfect inside the database.
 *
 * The first thread listens (hearing.c); a second one obeys, one command after the other, and
 * thinks. Every line is written whole and at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "play/search/search.h"
#include "tools/common/command.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/common/variant.h"
#include "tools/engine/hearing.h"

enum {
    GO_MILLISECONDS = 2000, /* for "go" without a limit, as other engines have it */
    LETTERS = WARI_SEARCH_DEPTH_MAX + 1,
};

struct engine {
    struct wari_db *db; /* NULL: random moves */
    int seeds_max;
    struct wari_variant variant;
    struct wari_player *player;
    struct wari_search *search;
    int hash_mb;
    uint64_t random; /* the state of the generator; never 0 */
    struct wari_game game;
    bool refused; /* the last position was: there is none to think of */
    struct conversation talk;
    enum wari_status status; /* what ended the thread that obeys */
    struct wari_error error;
};

/* ---- Output ---- */

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

static void say_iteration(void *context, const struct wari_search_report *report)
{
    struct engine *engine = context;
    bool north = engine->game.now.north_to_move;
    char letters[LETTERS];
    for (int i = 0; i < report->line_count; i++)
        letters[i] = wari_move_letter(report->line[i].pit, north != report->line[i].opponent);
    letters[report->line_count] = '\0';
    conversation_improve(&engine->talk, wari_move_letter(report->pit, north));
    unsigned long long nodes = report->nodes;
    long long time = report->milliseconds;
    conversation_say("info depth %d score cp %d nodes %llu nps %llu time %lld pv %s", report->depth,
                     report->score, nodes, nodes * 1000 / (unsigned long long)(time > 0 ? time : 1),
                     time, letters);
    if (report->proven)
        conversation_say("info string proven: the exact value is %+d",
                         report->score / WARI_SEED_SCORE);
}

/* ---- Thinking ---- */

static enum wari_status find_in_database(struct engine *engine, int *pit, struct wari_error *error)
{
    struct wari_choice choice;
    char text[80];
    enum wari_status status =
        wari_player_choose(engine->player, &engine->game.now.position, &choice, error);
    if (status != WARI_OK)
        return status;
    *pit = choice.analysis.moves[choice.move].move.pit;
    conversation_say("info depth 1 score cp %d pv %c", WARI_SEED_SCORE * choice.analysis.value,
                     wari_move_letter(*pit, engine->game.now.north_to_move));
    conversation_say("info string database: the exact value is %+d; %s", choice.analysis.value,
                     aim_text(&choice, text));
    return WARI_OK;
}

static enum wari_status find_by_search(struct engine *engine, const struct wari_uci_go *go,
                                       int64_t milliseconds, int *pit, struct wari_error *error)
{
    struct wari_search_report report;
    struct wari_search_limits limits = {
        .depth =
            go->depth > 0 && go->depth < WARI_SEARCH_DEPTH_MAX ? go->depth : WARI_SEARCH_DEPTH_MAX,
        .nodes = go->nodes,
        .milliseconds = go->infinite || go->ponder ? -1 : milliseconds,
        .stop = &engine->talk.stop,
    };
    enum wari_status status = wari_search_run(engine->search, &engine->game, &limits, say_iteration,
                                              engine, &report, error);
    *pit = report.pit;
    return status;
}

/* Marsaglia's xorshift: good enough to play badly. */
static int find_random(struct engine *engine)
{
    struct wari_moves moves;
    wari_moves(engine->variant.rules, &engine->game.now.position, &moves);
    engine->random ^= engine->random << 13;
    engine->random ^= engine->random >> 7;
    engine->random ^= engine->random << 17;
    return moves.list[(engine->random >> 32) % (uint64_t)moves.count].pit;
}

static enum wari_status find_move(struct engine *engine, const struct wari_uci_go *go,
                                  int64_t milliseconds, int *pit, struct wari_error *error)
{
    int seeds = wari_seeds(&engine->game.now.position);
    if (!engine->db) {
        *pit = find_random(engine);
        return WARI_OK;
    }
    if (seeds <= engine->seeds_max && seeds != WARI_SEEDS_MAX - 1)
        return find_in_database(engine, pit, error);
    return find_by_search(engine, go, milliseconds, pit, error);
}

/* A move for the case that thinking does not come to an end: one of the best in the database, which
 * a few look-ups find where progress may take a second; otherwise the first legal one. */
static enum wari_status find_first_move(struct engine *engine, int *pit, struct wari_error *error)
{
    const struct wari_position *position = &engine->game.now.position;
    struct wari_analysis analysis;
    struct wari_moves moves;
    int seeds = wari_seeds(position);
    *pit = -1;
    if (engine->refused || engine->game.end == WARI_GAME_NO_MOVE ||
        engine->game.end == WARI_GAME_SLAM)
        return WARI_OK;
    wari_moves(engine->variant.rules, position, &moves);
    *pit = moves.list[0].pit;
    if (!engine->db || seeds > engine->seeds_max || seeds == WARI_SEEDS_MAX - 1)
        return WARI_OK;
    enum wari_status status = wari_analyse(engine->db, position, &analysis, error);
    if (status == WARI_OK)
        *pit = analysis.moves[0].move.pit;
    return status;
}

static char answer_letter(const struct engine *engine, int pit)
{
    return pit < 0 ? '0' : wari_move_letter(pit, engine->game.now.north_to_move);
}

/* Carries out "go". Whatever it says, there is an answer. */
static enum wari_status think(struct engine *engine, const char *text, struct wari_error *error)
{
    struct wari_uci_go go;
    struct wari_error reason;
    int pit = -1;
    enum wari_status status = WARI_OK;
    bool understood =
        wari_uci_read_go(text, engine->game.now.north_to_move, &go, &reason) == WARI_OK;
    bool limited = go.milliseconds >= 0 || go.infinite || go.depth > 0 || go.nodes > 0;
    int64_t limit = limited ? go.milliseconds : GO_MILLISECONDS;
    if (understood && engine->game.end == WARI_GAME_OPEN)
        status = find_first_move(engine, &pit, error);
    conversation_think(&engine->talk, &go, limit, answer_letter(engine, pit));
    if (!understood)
        conversation_say("info string %s", reason.text);
    else if (engine->refused)
        conversation_say("info string go: the last position was refused, so there is none");
    else if (pit >= 0 && status == WARI_OK)
        status = find_move(engine, &go, limit, &pit, error);
    if (status != WARI_OK) {
        conversation_say("info string %s", error->text);
        pit = -1;
    }
    conversation_answer(&engine->talk, answer_letter(engine, pit));
    return status;
}

/* ---- Commands ---- */

static void introduce(const struct engine *engine)
{
    conversation_say("id name Wari %s%s", wari_version(), engine->db ? "" : " (random moves)");
    conversation_say("id author the Wari project");
    if (engine->db) {
        conversation_say("option name Hash type spin default %d min 1 max %d", engine->hash_mb,
                         WARI_SEARCH_HASH_MB_MAX);
    } else {
        flockfile(stdout);
        printf("option name Rules type combo default %s",
               wari_rules_info(engine->variant.rules)->name);
        for (int i = 0; i < WARI_RULES_COUNT; i++)
            printf(" var %s", wari_rules_info((enum wari_rules)i)->name);
        conversation_say("%s", "");
        funlockfile(stdout);
        conversation_say("option name Seed type spin default 1 min 1 max 2147483647");
    }
    conversation_say("uciok");
}

/* The system would promise memory that it does not have, and kill whoever uses it. */
static enum wari_status check_memory(int hash_mb, struct wari_error *error)
{
    enum { MEGABYTE = 1000000 };
    const char *limit;
    uint64_t available = machine_memory(1, &limit) / MEGABYTE;
    if ((uint64_t)hash_mb <= available)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY,
                     "Hash: %d MB are more than the %llu MB that are free (%s); give less", hash_mb,
                     (unsigned long long)available, limit);
}

static enum wari_status new_search(struct engine *engine, int hash_mb, struct wari_error *error)
{
    struct wari_search *search;
    enum wari_status status = check_memory(hash_mb, error);
    if (status == WARI_OK)
        status = wari_search_new(&search, engine->db, wari_host_system(), hash_mb, error);
    if (status != WARI_OK)
        return status;
    wari_search_free(engine->search);
    engine->search = search;
    engine->hash_mb = hash_mb;
    return WARI_OK;
}

static enum wari_status set_rules(struct engine *engine, const char *value,
                                  struct wari_error *error)
{
    struct wari_variant variant = engine->variant;
    bool fixes_cycle;
    enum wari_status status = wari_rules_parse(value, &variant, &fixes_cycle, error);
    if (status == WARI_OK)
        engine->game.variant = engine->variant = variant;
    return status;
}

/* "name N value V"; unknown names and bad values cost a remark. */
static void set_option(struct engine *engine, const char *text)
{
    const char *value;
    struct wari_error error;
    enum wari_status status = WARI_OK;
    int number;
    if (engine->db && wari_uci_option(text, "Hash", &value)) {
        status = options_int("Hash", value, 1, WARI_SEARCH_HASH_MB_MAX, &number, &error);
        if (status == WARI_OK)
            status = new_search(engine, number, &error);
    } else if (!engine->db && wari_uci_option(text, "Seed", &value)) {
        status = options_int("Seed", value, 1, INT32_MAX, &number, &error);
        if (status == WARI_OK)
            engine->random = (uint64_t)number * 0x9E3779B97F4A7C15;
    } else if (!engine->db && wari_uci_option(text, "Rules", &value)) {
        status = set_rules(engine, value, &error);
    } else {
        conversation_say("info string setoption: there is no such option");
    }
    if (status != WARI_OK)
        conversation_say("info string %s", error.text);
}

static enum wari_status set_position(struct engine *engine, const char *text,
                                     struct wari_error *error)
{
    struct wari_error reason;
    enum wari_status status = wari_uci_read_position(text, &engine->game, &reason);
    engine->refused = status != WARI_OK;
    if (engine->refused)
        conversation_say("info string %s", reason.text);
    return status == WARI_NO_MEMORY ? wari_fail(error, status, "%s", reason.text) : WARI_OK;
}

/* Carries out one line; "stop", "ponderhit" and "quit" never come here. */
static enum wari_status obey(struct engine *engine, const char *line, struct wari_error *error)
{
    const char *rest;
    if (wari_uci_word(line, "isready", &rest))
        conversation_say("readyok");
    else if (wari_uci_word(line, "uci", &rest))
        introduce(engine);
    else if (wari_uci_word(line, "ucinewgame", &rest) && engine->db)
        wari_search_clear(engine->search);
    else if (wari_uci_word(line, "setoption", &rest))
        set_option(engine, rest);
    else if (wari_uci_word(line, "go", &rest))
        return think(engine, rest, error);
    else if (wari_uci_word(line, "position", &rest))
        return set_position(engine, rest, error);
    else if (!wari_uci_word(line, "ucinewgame", &rest) && !wari_uci_word(line, "debug", &rest))
        conversation_say("info string unknown command: %.60s", line);
    return WARI_OK;
}

static void *obey_all(void *context)
{
    struct engine *engine = context;
    struct heard_line *line;
    while (engine->status == WARI_OK && (line = conversation_next(&engine->talk))) {
        engine->status = obey(engine, line->text, &engine->error);
        free(line);
    }
    conversation_end(&engine->talk);
    return NULL;
}

/* Does not come back where the thread that obeys does not end. */
static enum wari_status converse(struct engine *engine, struct wari_error *error)
{
    pthread_t thread;
    bool obeyed;
    enum wari_status status = conversation_begin(&engine->talk, error);
    if (status != WARI_OK)
        return status;
    int problem = pthread_create(&thread, NULL, obey_all, engine);
    if (problem != 0) {
        conversation_free(&engine->talk);
        return wari_fail(error, WARI_NO_MEMORY, "cannot start a thread: %s", strerror(problem));
    }
    status = conversation_listen(&engine->talk, &obeyed, error);
    if (!obeyed) {
        bool lost = ftrylockfile(stdout) != 0 || report_output_lost(); /* somebody waits to print */
        /* What _exit() does, without the flush that the thread sanitizer adds to it. */
        (void)syscall(SYS_exit_group, report_exit_code(lost ? WARI_IO : status));
    }
    (void)pthread_join(thread, NULL);
    conversation_free(&engine->talk);
    if (status == WARI_OK && engine->status != WARI_OK) {
        *error = engine->error;
        status = engine->status;
    }
    return status;
}

/* ---- The command ---- */

struct request {
    const char *folder;
    struct variant_choice choice;
    bool random;
    int hash_mb;
    int seed;
};

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},   OPTIONS_VARIANT,
        {"random", no_argument, NULL, 'n'},     {"hash", required_argument, NULL, 'h'},
        {"seed", required_argument, NULL, 's'}, {NULL, 0, NULL, 0},
    };
    enum wari_status status;
    int key;
    *request = (struct request){.hash_mb = WARI_SEARCH_HASH_MB, .seed = 1};
    while ((status = options_next(argc, argv, accepted, &key, error)) == WARI_OK && key != -1) {
        if (key == 'd')
            request->folder = optarg;
        else if (key == 'r')
            request->choice.rules = optarg;
        else if (key == 'c')
            request->choice.cycle = optarg;
        else if (key == 'n')
            request->random = true;
        else if (key == 'h')
            status =
                options_int("--hash", optarg, 1, WARI_SEARCH_HASH_MB_MAX, &request->hash_mb, error);
        else
            status = options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
        if (status != WARI_OK)
            return status;
    }
    if (status == WARI_OK)
        status = options_end(argc, argv, 0, error);
    if (status == WARI_OK && request->random && request->folder)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--random plays without a database; leave out --db");
    if (status == WARI_OK && !request->random)
        status = options_folder(request->folder, error);
    return status;
}

static enum wari_status prepare(struct engine *engine, const struct request *request,
                                struct wari_error *error)
{
    struct wari_info info;
    engine->random = (uint64_t)request->seed * 0x9E3779B97F4A7C15;
    engine->hash_mb = request->hash_mb;
    if (request->random)
        return variant_to_build(&request->choice, &engine->variant, error);
    enum wari_status status =
        variant_in_folder(&request->choice, request->folder, &engine->variant, error);
    if (status == WARI_OK)
        status = wari_open(&engine->db, request->folder, &engine->variant, NULL, error);
    if (status == WARI_OK)
        status = wari_player_new(&engine->player, engine->db, error);
    if (status == WARI_OK)
        status = new_search(engine, request->hash_mb, error);
    if (status != WARI_OK)
        return status;
    wari_info(engine->db, &info);
    engine->seeds_max = info.seeds_max;
    return WARI_OK;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct engine engine = {.status = WARI_OK};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = prepare(&engine, &request, &error);
    if (status == WARI_OK) {
        struct wari_setup start = wari_game_start_setup();
        wari_game_begin(&engine.game, wari_host_system(), engine.variant, &start);
        status = converse(&engine, &error);
        wari_game_free(&engine.game);
    }
    wari_search_free(engine.search);
    wari_player_free(engine.player);
    wari_close(engine.db);
    return report_result(argv[0], status, &error);
}

const struct command command_engine = {
    .name = "engine",
    .summary = "play, for Oware interfaces and matches",
    .run = run,
    .help = "usage: wari engine --db DIR [OPTION...]\n"
            "       wari engine --random [OPTION...]\n"
            "\n"
            "Speaks the protocol of Oware engines (UCI as Auale and Aalina have it) on standard\n"
            "input and output. Within the database it plays perfectly and makes headway; above\n"
            "it, it searches with the database at the leaves and says when a value is proven.\n"
            "\n"
            "  --db DIR       folder of the database\n"
            "  --rules R      rule set or preset, and\n"
            "  --cycle C      even or own: which database, if the folder holds several\n"
            "  --hash MB      memory for the search (default 16); also the option Hash\n"
            "  --random       legal moves at random, for tests; needs no database\n"
            "  --seed S       of these moves, from 1 (the default) up; also the option Seed\n"
            "\n"
            "Commands: uci, isready, ucinewgame, setoption name N value V, position startpos or\n"
            "fen DIAGRAM [moves LETTERS], go [depth N] [nodes N] [movetime MS] [infinite]\n"
            "[ponder] [wtime ...], ponderhit, stop, quit. Moves are A to F for South, a to f for\n"
            "North, joined; an extra move (rules warri) is one more letter of the same side.\n"
            "\"bestmove 0000\": the game is over, or the position was refused. Scores are\n"
            "hundredths of a seed: what the side to move gets from here on, less what the other\n"
            "gets. The end of the input ends it at once, with the best move found so far.\n"
            "play/README.md has the details.\n"
            "\n"
            "example\n"
            "  wari engine --db tables --rules tournament\n"
            "\n"
            "exit codes: 0 done; 2 bad usage; 3 a file is damaged; 4 reading or writing failed;\n"
            "5 not enough memory; 6 the folder lacks that rule set, or another format version\n",
};
