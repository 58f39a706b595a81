/* `wari engine`: an engine for Oware interfaces and matches, perfect inside the database.
 *
 * The first thread listens (hearing.c); a second one obeys, one command after the other, and
 * thinks. Every line is written whole and at once.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "system/huge_pages.h"
#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/engine/brain.h"

enum { GO_MILLISECONDS = 2000 }; /* for "go" without a limit, as other engines have it */

struct engine {
    struct brain brain;
    struct wari_game game;
    bool refused; /* the last position was: there is none to think of */
    struct conversation talk;
    enum wari_status status; /* what ended the thread that obeys */
    struct wari_error error;
};

/* ---- Thinking ---- */

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
    if (understood && !engine->refused)
        pit = brain_first_move(&engine->brain, &engine->game, go.pits);
    int64_t left = conversation_think(&engine->talk, &go, limit, answer_letter(engine, pit));
    if (!understood)
        conversation_say(&engine->talk, "info string %s", reason.text);
    else if (engine->refused)
        conversation_say(&engine->talk,
                         "info string go: the last position was refused, so there is none");
    else if (pit >= 0)
        status = brain_think(&engine->brain, &engine->game, &go, left, &pit, error);
    else if (engine->game.end != WARI_GAME_NO_MOVE && engine->game.end != WARI_GAME_SLAM)
        conversation_say(&engine->talk,
                         "info string go: of the moves behind \"searchmoves\" none is legal");
    if (status != WARI_OK) {
        conversation_say(&engine->talk, "info string %s", error->text);
        pit = -1;
    }
    conversation_answer(&engine->talk, answer_letter(engine, pit));
    return status;
}

/* ---- Commands ---- */

static void introduce(struct engine *engine)
{
    conversation_say(&engine->talk, "id name Wari %s%s", wari_version(),
                     engine->brain.random ? " (random moves)" : "");
    conversation_say(&engine->talk, "id author the Wari project");
    brain_print_options(&engine->brain);
    conversation_say(&engine->talk, "uciok");
}

static void set_option(struct engine *engine, const char *text)
{
    brain_set_option(&engine->brain, text);
    engine->game.variant = engine->brain.variant;
}

static enum wari_status set_position(struct engine *engine, const char *text,
                                     struct wari_error *error)
{
    struct wari_error reason;
    enum wari_status status = wari_uci_read_position(text, &engine->game, &reason);
    engine->refused = status != WARI_OK;
    if (engine->refused)
        conversation_say(&engine->talk, "info string %s", reason.text);
    return status == WARI_NO_MEMORY ? wari_fail(error, status, "%s", reason.text) : WARI_OK;
}

/* Carries out one line; "stop", "ponderhit" and "quit" never come here. */
static enum wari_status obey(struct engine *engine, const char *line, struct wari_error *error)
{
    const char *rest;
    if (wari_uci_word(line, "isready", &rest))
        conversation_say(&engine->talk, "readyok");
    else if (wari_uci_word(line, "uci", &rest))
        introduce(engine);
    else if (wari_uci_word(line, "ucinewgame", &rest) && engine->brain.search)
        wari_search_clear(engine->brain.search);
    else if (wari_uci_word(line, "setoption", &rest))
        set_option(engine, rest);
    else if (wari_uci_word(line, "go", &rest))
        return think(engine, rest, error);
    else if (wari_uci_word(line, "position", &rest))
        return set_position(engine, rest, error);
    else if (!wari_uci_word(line, "ucinewgame", &rest) && !wari_uci_word(line, "debug", &rest))
        conversation_say(&engine->talk, "info string unknown command: %.60s", line);
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

/* Whether another thread waits to print what nobody takes, and does not just print. */
static bool waits_to_print(void)
{
    for (int i = 0; i < 10; i++) {
        if (ftrylockfile(stdout) == 0)
            return false;
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

/* Leaves the thread that obeys as it is: it may hold anything. */
static void leave_at_once(enum wari_status status, struct wari_error *error)
{
    struct pollfd errors = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (status == WARI_OK && (waits_to_print() || report_output_lost()))
        status = wari_fail(error, WARI_IO, "standard output: not all answers were taken");
    if (poll(&errors, 1, 0) == 1) /* a message does not have to wait, either */
        (void)report_result("engine", status, error);
    /* What _exit() does, without the flush that the thread sanitizer adds to it. */
    (void)syscall(SYS_exit_group, report_exit_code(status));
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
    if (!obeyed)
        leave_at_once(status, error);
    (void)pthread_join(thread, NULL);
    conversation_free(&engine->talk);
    if (engine->status != WARI_OK) {
        *error = engine->error;
        status = engine->status;
    }
    return status;
}

/* ---- The command ---- */

struct request {
    const char *folder;
    const char *book;
    struct variant_choice choice;
    bool random;
    int hash_mb;
    int threads;
    int seed;
};

static enum wari_status check_place(const struct request *request, struct wari_error *error)
{
    if (request->random && (request->folder || request->book))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--random plays without a database; leave out --db and --book");
    return request->random ? WARI_OK
                           : options_require_source(request->folder, request->book, error);
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"random", no_argument, NULL, 'n'},
        {"hash", required_argument, NULL, 'h'},
        {"seed", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    enum wari_status status;
    int key;
    *request = (struct request){.hash_mb = WARI_SEARCH_HASH_MB, .threads = 1, .seed = 1};
    while ((status = options_next(argc, argv, accepted, &key, error)) == WARI_OK && key != -1) {
        if (key == 'd')
            request->folder = optarg;
        else if (key == 'B')
            request->book = optarg;
        else if (key == 'r')
            request->choice.rules = optarg;
        else if (key == 'c')
            request->choice.cycle = optarg;
        else if (key == 'n')
            request->random = true;
        else if (key == 'h')
            status =
                options_int("--hash", optarg, 1, WARI_SEARCH_HASH_MB_MAX, &request->hash_mb, error);
        else if (key == 't')
            status = options_int("--threads", optarg, 1, WARI_SEARCH_THREADS_MAX, &request->threads,
                                 error);
        else
            status = options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
        if (status != WARI_OK)
            return status;
    }
    if (status == WARI_OK)
        status = options_check_arguments(argc, argv, 0, error);
    return status == WARI_OK ? check_place(request, error) : status;
}

static bool fixes_cycle(const struct variant_choice *choice)
{
    struct wari_variant variant;
    bool fixed = false;
    if (choice->rules && wari_rules_parse(choice->rules, &variant, &fixed, NULL) != WARI_OK)
        return false; /* whoever reads it next says so */
    return fixed || choice->cycle;
}

/* Which variant it is of, the book itself says. */
static enum wari_status open_book(struct brain *brain, const struct request *request,
                                  struct wari_error *error)
{
    struct wari_info info;
    struct wari_db *db;
    enum wari_status status = options_open_book(&request->choice, request->book, NULL, &db, error);
    if (status != WARI_OK)
        return status;
    wari_info(db, &info);
    wari_close(db);
    brain->variant = info.variant;
    return brain_open(brain, error);
}

static enum wari_status prepare(struct engine *engine, const struct request *request,
                                struct wari_error *error)
{
    struct brain *brain = &engine->brain;
    *brain = (struct brain){.random = request->random,
                            .host = wari_huge_page_host(),
                            .chance = (uint64_t)request->seed * 0x9E3779B97F4A7C15,
                            .hash_mb = request->hash_mb,
                            .threads = request->threads,
                            .lines = 1,
                            .talk = &engine->talk};
    if (request->random)
        return variant_to_build(&request->choice, &brain->variant, error);
    const char *place = request->book ? request->book : request->folder;
    if (strlen(place) >= sizeof brain->folder)
        return wari_fail(error, WARI_BAD_INPUT, "--db or --book: the name is too long");
    strcpy(brain->folder, place);
    brain->book = request->book != NULL;
    brain->cycle_fixed = fixes_cycle(&request->choice);
    if (brain->book)
        return open_book(brain, request, error);
    enum wari_status status =
        variant_in_folder(&request->choice, request->folder, &brain->variant, error);
    return status == WARI_OK ? brain_open(brain, error) : status;
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
        wari_game_begin(&engine.game, wari_host_system(), engine.brain.variant, &start);
        status = converse(&engine, &error);
        wari_game_free(&engine.game);
    }
    brain_close(&engine.brain);
    return report_result(argv[0], status, &error);
}

const struct command command_engine = {
    .name = "engine",
    .summary = "play, for Oware interfaces and matches",
    .run = run,
    .help = "usage: wari engine --db DIR [OPTION...]\n"
            "       wari engine --book FILE [OPTION...]\n"
            "       wari engine --random [OPTION...]\n"
            "\n"
            "Speaks the protocol of Oware engines (UCI as Auale and Aalina have it) on standard\n"
            "input and output. Within the database it plays perfectly and makes headway; above\n"
            "it, it searches with the database at the leaves and says when a value is proven.\n"
            "\n"
            "  --db DIR       folder of the database\n"
            "  --book FILE    a book ('wari book') in place of a folder\n"
            "  --rules R      rule set or preset, and\n"
            "  --cycle C      even or own: which database, if the folder holds several\n"
            "  --hash MB      memory for the search (default 16); also the option Hash\n"
            "  --threads N    of that search, 1 (the default) to 256; also the option Threads\n"
            "  --random       legal moves at random, for tests; needs no database\n"
            "  --seed S       of these moves, from 1 (the default) up; also the option Seed\n"
            "\n"
            "Commands: uci, isready, ucinewgame, setoption name N value V, position startpos or\n"
            "fen DIAGRAM [moves LETTERS], go [depth N] [nodes N] [movetime MS] [infinite]\n"
            "[ponder] [wtime ...] [searchmoves LETTERS] [prove], ponderhit, stop, quit. Moves\n"
            "are A to F for South, a to f for North, joined; an extra move (rules warri) is one\n"
            "more letter of the same side. 'go prove' asks who wins: it says what is proven, and\n"
            "gives no other score.\n"
            "\"bestmove 0000\": the game is over, or the position was refused. Scores are\n"
            "hundredths of a seed: what the side to move gets from here on, less what the other\n"
            "gets. The end of the input ends it at once, with the best move found so far.\n"
            "The manual page wari-engine(1) has the details.\n"
            "\n"
            "example\n"
            "  wari engine --db tables --rules tournament\n"
            "\n"
            "exit codes: 0 done; 2 bad usage; 3 a file is damaged; 4 reading or writing failed;\n"
            "5 not enough memory; 6 the folder lacks that rule set, or another format version\n",
};
