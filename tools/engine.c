/* `wari engine`: an engine for Oware interfaces and matches, perfect inside the database.
 *
 * One thread reads commands, so that "stop" and "isready" are answered at any time; a second one
 * thinks, one "go" at a time, and is joined before anything it uses is touched: other commands wait
 * for its move. Every line is written whole and at once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "play/search.h"
#include "play/uci.h"
#include "tools/command.h"
#include "tools/lines.h"
#include "tools/options.h"
#include "tools/report.h"
#include "tools/variant.h"

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

    /* The thread that thinks. */
    pthread_t thread;
    bool thinking; /* it was started and not joined */
    struct wari_uci_go go;
    atomic_bool stop;
    pthread_mutex_t mutex; /* for waking it when stop is set */
    pthread_cond_t woken;
    enum wari_status status; /* what became of it */
    struct wari_error error;
};

/* ---- Output ---- */

/* One line, out at once. That it did not arrive is noticed by report_output_lost(). */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stdout);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    funlockfile(stdout);
    va_end(arguments);
}

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
    const struct engine *engine = context;
    bool north = engine->game.now.north_to_move;
    char letters[LETTERS];
    for (int i = 0; i < report->line_count; i++)
        letters[i] = wari_move_letter(report->line[i].pit, north != report->line[i].opponent);
    letters[report->line_count] = '\0';
    unsigned long long nodes = report->nodes;
    long long time = report->milliseconds;
    say("info depth %d score cp %d nodes %llu nps %llu time %lld pv %s", report->depth,
        report->score, nodes, nodes * 1000 / (unsigned long long)(time > 0 ? time : 1), time,
        letters);
    if (report->proven)
        say("info string proven: the exact value is %+d", report->score / WARI_SEED_SCORE);
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
    say("info depth 1 score cp %d pv %c", WARI_SEED_SCORE * choice.analysis.value,
        wari_move_letter(*pit, engine->game.now.north_to_move));
    say("info string database: the exact value is %+d; %s", choice.analysis.value,
        aim_text(&choice, text));
    return WARI_OK;
}

static enum wari_status find_by_search(struct engine *engine, int *pit, struct wari_error *error)
{
    struct wari_search_report report;
    bool limited = engine->go.infinite || engine->go.depth > 0;
    struct wari_search_limits limits = {
        .depth = engine->go.depth > 0 && engine->go.depth < WARI_SEARCH_DEPTH_MAX
                     ? engine->go.depth
                     : WARI_SEARCH_DEPTH_MAX,
        .milliseconds = engine->go.milliseconds,
        .stop = &engine->stop,
    };
    if (engine->go.infinite)
        limits.milliseconds = -1;
    else if (limits.milliseconds < 0 && !limited)
        limits.milliseconds = GO_MILLISECONDS;
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

static enum wari_status find_move(struct engine *engine, int *pit, struct wari_error *error)
{
    int seeds = wari_seeds(&engine->game.now.position);
    if (!engine->db) {
        *pit = find_random(engine);
        return WARI_OK;
    }
    if (seeds <= engine->seeds_max && seeds != WARI_SEEDS_MAX - 1)
        return find_in_database(engine, pit, error);
    return find_by_search(engine, pit, error);
}

static void *think(void *context)
{
    struct engine *engine = context;
    int pit = -1;
    if (engine->game.end == WARI_GAME_OPEN)
        engine->status = find_move(engine, &pit, &engine->error);
    pthread_mutex_lock(&engine->mutex);
    while (engine->go.infinite && !atomic_load(&engine->stop))
        pthread_cond_wait(&engine->woken, &engine->mutex);
    pthread_mutex_unlock(&engine->mutex);
    if (engine->status != WARI_OK)
        say("info string %s", engine->error.text);
    if (engine->status != WARI_OK || pit < 0)
        say("bestmove 0000");
    else
        say("bestmove %c", wari_move_letter(pit, engine->game.now.north_to_move));
    return NULL;
}

static void ask_to_stop(struct engine *engine)
{
    pthread_mutex_lock(&engine->mutex);
    atomic_store(&engine->stop, true);
    pthread_cond_signal(&engine->woken);
    pthread_mutex_unlock(&engine->mutex);
}

/* Waits until nothing is being thought of; what became of it is the result. */
static enum wari_status finish_thinking(struct engine *engine, struct wari_error *error)
{
    if (!engine->thinking)
        return WARI_OK;
    pthread_join(engine->thread, NULL);
    engine->thinking = false;
    if (engine->status != WARI_OK)
        *error = engine->error;
    return engine->status;
}

static enum wari_status start_thinking(struct engine *engine, const char *text,
                                       struct wari_error *error)
{
    wari_uci_read_go(text, engine->game.now.north_to_move, &engine->go);
    atomic_store(&engine->stop, false);
    engine->status = WARI_OK;
    int problem = pthread_create(&engine->thread, NULL, think, engine);
    if (problem != 0)
        return wari_fail(error, WARI_NO_MEMORY, "cannot start a thread: %s", strerror(problem));
    engine->thinking = true;
    return WARI_OK;
}

/* ---- Commands ---- */

static void introduce(const struct engine *engine)
{
    say("id name Wari %s%s", wari_version(), engine->db ? "" : " (random moves)");
    say("id author the Wari project");
    if (engine->db) {
        say("option name Hash type spin default %d min 1 max %d", engine->hash_mb,
            WARI_SEARCH_HASH_MB_MAX);
    } else {
        flockfile(stdout);
        printf("option name Rules type combo default %s",
               wari_rules_info(engine->variant.rules)->name);
        for (int i = 0; i < WARI_RULES_COUNT; i++)
            printf(" var %s", wari_rules_info((enum wari_rules)i)->name);
        say("%s", "");
        funlockfile(stdout);
        say("option name Seed type spin default 1 min 1 max 2147483647");
    }
    say("uciok");
}

static enum wari_status new_search(struct engine *engine, int hash_mb, struct wari_error *error)
{
    struct wari_search *search;
    enum wari_status status =
        wari_search_new(&search, engine->db, wari_host_system(), hash_mb, error);
    if (status != WARI_OK)
        return status;
    wari_search_free(engine->search);
    engine->search = search;
    engine->hash_mb = hash_mb;
    return WARI_OK;
}

/* "name N value V"; unknown names and bad values cost a remark. */
static void set_option(struct engine *engine, const char *text)
{
    const char *name, *value;
    struct wari_error error;
    enum wari_status status = WARI_OK;
    int number;
    if (!wari_uci_word(text, "name", &name)) {
        say("info string setoption: \"name\" is expected");
    } else if (engine->db && wari_uci_word(name, "Hash", &value) &&
               wari_uci_word(value, "value", &value)) {
        status = options_int("Hash", value, 1, WARI_SEARCH_HASH_MB_MAX, &number, &error);
        if (status == WARI_OK)
            status = new_search(engine, number, &error);
    } else if (!engine->db && wari_uci_word(name, "Seed", &value) &&
               wari_uci_word(value, "value", &value)) {
        status = options_int("Seed", value, 1, INT32_MAX, &number, &error);
        if (status == WARI_OK)
            engine->random = (uint64_t)number * 0x9E3779B97F4A7C15;
    } else if (!engine->db && wari_uci_word(name, "Rules", &value) &&
               wari_uci_word(value, "value", &value)) {
        struct wari_variant variant = engine->variant;
        bool fixes_cycle;
        status = wari_rules_parse(value, &variant, &fixes_cycle, &error);
        if (status == WARI_OK)
            engine->game.variant = engine->variant = variant;
    } else {
        say("info string setoption: there is no such option");
    }
    if (status != WARI_OK)
        say("info string %s", error.text);
}

/* Carries out one line; *quit says that it was the last one. */
static enum wari_status obey(struct engine *engine, const char *line, bool *quit,
                             struct wari_error *error)
{
    const char *rest;
    enum wari_status status;
    if (wari_uci_word(line, "isready", &rest)) {
        say("readyok");
        return WARI_OK;
    }
    if (wari_uci_word(line, "debug", &rest) || !line[strspn(line, " \t\r")])
        return WARI_OK;
    if (wari_uci_word(line, "ponderhit", &rest) || wari_uci_word(line, "stop", &rest)) {
        ask_to_stop(engine);
        return finish_thinking(engine, error);
    }
    *quit = wari_uci_word(line, "quit", &rest);
    if (engine->thinking && (*quit || engine->go.infinite))
        ask_to_stop(engine);
    status = finish_thinking(engine, error);
    if (status != WARI_OK || *quit)
        return status;

    struct wari_error reason;
    if (wari_uci_word(line, "uci", &rest))
        introduce(engine);
    else if (wari_uci_word(line, "ucinewgame", &rest) && engine->db)
        wari_search_clear(engine->search);
    else if (wari_uci_word(line, "setoption", &rest))
        set_option(engine, rest);
    else if (wari_uci_word(line, "go", &rest))
        return start_thinking(engine, rest, error);
    else if (wari_uci_word(line, "position", &rest)) {
        status = wari_uci_read_position(rest, &engine->game, &reason);
        if (status != WARI_OK)
            say("info string %s", reason.text);
        return status == WARI_NO_MEMORY ? wari_fail(error, status, "%s", reason.text) : WARI_OK;
    } else if (!wari_uci_word(line, "ucinewgame", &rest))
        say("info string unknown command: %.60s", line);
    return WARI_OK;
}

/* At the end of the input, a move that is being thought of is still given. */
static enum wari_status obey_all(struct engine *engine, struct wari_error *error)
{
    struct line_reader reader;
    struct line line;
    bool found = true, quit = false;
    enum wari_status status = lines_open(&reader, STDIN_FILENO, "standard input", error);
    if (status != WARI_OK)
        return status;
    while (status == WARI_OK && !quit && !report_output_lost()) {
        status = lines_next(&reader, &line, &found, error);
        if (status != WARI_OK || !found)
            break;
        if (line.too_long || strlen(line.text) != line.length)
            say("info string a line that is too long or holds a zero byte was passed over");
        else
            status = obey(engine, line.text, &quit, error);
    }
    lines_close(&reader);
    if (engine->thinking && (engine->go.infinite || status != WARI_OK))
        ask_to_stop(engine);
    struct wari_error last;
    enum wari_status end = finish_thinking(engine, &last);
    if (status == WARI_OK && end != WARI_OK)
        *error = last;
    return status == WARI_OK ? end : status;
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
    struct engine engine = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .woken = PTHREAD_COND_INITIALIZER,
    };
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = prepare(&engine, &request, &error);
    if (status == WARI_OK) {
        struct wari_setup start = wari_game_start_setup();
        wari_game_begin(&engine.game, wari_host_system(), engine.variant, &start);
        status = obey_all(&engine, &error);
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
            "fen DIAGRAM [moves LETTERS], go [depth N] [movetime MS] [infinite] [wtime ...],\n"
            "stop, quit. Moves are A to F for South, a to f for North, joined; an extra move\n"
            "(rules warri) is one more letter of the same side. \"bestmove 0000\": the game is\n"
            "over. Scores are hundredths of a seed: what the side to move gets from here on,\n"
            "less what the other gets. play/README.md has the details.\n"
            "\n"
            "example\n"
            "  wari engine --db tables --rules tournament\n"
            "\n"
            "exit codes: 0 done; 2 bad usage; 3 a file is damaged; 4 reading or writing failed;\n"
            "5 not enough memory; 6 the folder lacks that rule set, or another format version\n",
};
