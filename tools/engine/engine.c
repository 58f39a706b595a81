/* `wari engine`: an engine for Oware interfaces and matches, which plays perfectly inside the
 * database.
 *
 * The first thread reads the input (engine_io.c). The second one, the command thread, executes one
 * command after the other and searches. Every line is printed as a whole and flushed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/platform.h"
#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/engine/engine_state.h"

enum { GO_MILLISECONDS = 2000 }; /* time limit of a "go" without a limit, as in other engines */

struct engine {
    struct engine_state state;
    struct wari_game game;
    bool rejected; /* the last position was rejected, so there is none to search */
    struct engine_io io;
    enum wari_status status; /* the failure that ended the command thread */
    struct wari_error error;
};

/* ---- Search ---- */

static char answer_letter(const struct engine *engine, int pit)
{
    return pit < 0 ? '0' : wari_move_letter(pit, engine->game.now.north_to_move);
}

/* Executes "go". There is an answer in every case. */
static enum wari_status search_position(struct engine *engine, const char *text,
                                        struct wari_error *error)
{
    struct wari_uci_go go;
    struct wari_error reason;
    int pit = -1;
    enum wari_status status = WARI_OK;
    bool understood =
        wari_uci_read_go(text, engine->game.now.north_to_move, &go, &reason) == WARI_OK;
    bool limited = go.milliseconds >= 0 || go.infinite || go.depth > 0 || go.nodes > 0;
    int64_t limit = limited ? go.milliseconds : GO_MILLISECONDS;
    /* While the engine ponders, the search does not watch the clock. So after "ponderhit" the time
     * of the search is fixed: the usual time for a move. */
    if (go.ponder && go.usual >= 0)
        limit = go.usual;
    if (!engine->rejected)
        pit = engine_first_move(&engine->state, &engine->game, go.pits);
    int64_t left = engine_io_begin_search(&engine->io, &go, limit, answer_letter(engine, pit));
    engine_ahead_wake(&engine->state.ahead); /* the thread works only if there is no time limit */
    if (go.mate)
        engine_io_print(&engine->io,
                        "info string go: \"mate\" has no effect, because this game has "
                        "no mate; \"prove\" looks for a proof of who wins");
    if (!understood)
        engine_io_print(&engine->io, "info string %s", reason.text);
    if (engine->rejected)
        engine_io_print(
            &engine->io,
            "info string go: the last position was rejected, so there is none to search");
    else if (pit >= 0)
        status = engine_find_move(&engine->state, &engine->game, &go, left, &pit, error);
    else if (engine->game.end == WARI_GAME_NO_MOVE || engine->game.end == WARI_GAME_SLAM)
        engine_io_print(&engine->io, "info string go: the game is over");
    else if (understood)
        engine_io_print(&engine->io,
                        "info string go: none of the moves after \"searchmoves\" is legal");
    if (status != WARI_OK) {
        engine_io_print(&engine->io, "info string %s", error->text);
        pit = -1;
    }
    engine_io_answer(&engine->io, answer_letter(engine, pit));
    return status;
}

/* ---- Commands ---- */

static void print_identity(struct engine *engine)
{
    engine_io_print(&engine->io, "id name Wari %s%s", wari_version(),
                    engine->state.random ? " (random moves)" : "");
    engine_io_print(&engine->io, "id author the Wari project");
    engine_print_options(&engine->state);
    engine_io_print(&engine->io, "uciok");
}

static void set_option(struct engine *engine, const char *text)
{
    struct wari_game *game = &engine->game;
    engine_set_option(&engine->state, text);
    if (engine->state.variant.rules != game->variant.rules) {
        /* The moves were made, and the end of the game was found, under the former rules. */
        const struct wari_setup now = game->now;
        wari_game_free(game);
        wari_game_begin(game, game->host, engine->state.variant, &now);
    }
    game->variant = engine->state.variant;
}

static enum wari_status set_position(struct engine *engine, const char *text,
                                     struct wari_error *error)
{
    struct wari_error reason;
    enum wari_status status = wari_uci_read_position(text, &engine->game, &reason);
    engine->rejected = status != WARI_OK;
    if (engine->rejected)
        engine_io_print(&engine->io, "info string %s", reason.text);
    return status == WARI_NO_MEMORY ? wari_fail(error, status, "%s", reason.text) : WARI_OK;
}

static void forget_game(struct engine_state *state)
{
    if (state->search)
        wari_search_clear(state->search);
    if (state->endgame)
        wari_endgame_forget(state->endgame);
}

/* Executes one line. "stop", "ponderhit" and "quit" are handled by the input thread. */
static enum wari_status execute(struct engine *engine, const char *line, struct wari_error *error)
{
    const char *rest;
    if (wari_uci_word(line, "isready", &rest))
        engine_io_print(&engine->io, "readyok");
    else if (wari_uci_word(line, "uci", &rest))
        print_identity(engine);
    else if (wari_uci_word(line, "ucinewgame", &rest))
        forget_game(&engine->state);
    else if (wari_uci_word(line, "setoption", &rest))
        set_option(engine, rest);
    else if (wari_uci_word(line, "go", &rest))
        return search_position(engine, rest, error);
    else if (wari_uci_word(line, "position", &rest))
        return set_position(engine, rest, error);
    else if (!wari_uci_word(line, "debug", &rest))
        engine_io_print(&engine->io, "info string unknown command: %.60s", line);
    return WARI_OK;
}

/* Waits for the next command. Meanwhile, engine_ahead decodes blocks. */
static struct input_line *next_command(struct engine *engine)
{
    atomic_store(&engine->io.busy, false);
    engine_ahead_wake(&engine->state.ahead);
    struct input_line *line = engine_io_next_command(&engine->io);
    atomic_store(&engine->io.busy, true);
    return line;
}

static void *execute_commands(void *context)
{
    struct engine *engine = context;
    struct input_line *line;
    while (engine->status == WARI_OK && (line = next_command(engine))) {
        engine->status = execute(engine, line->text, &engine->error);
        free(line);
    }
    engine_io_end_commands(&engine->io);
    return NULL;
}

/* Exits without ending the command thread, which may hold any lock. */
static _Noreturn void exit_at_once(enum wari_status status, struct wari_error *error)
{
    if (status == WARI_OK && (ftrylockfile(stdout) != 0 || ferror(stdout)))
        status = wari_fail(error, WARI_IO,
                           "the interface has not read all replies from standard output");
    (void)report_result("engine", status, error);
    wari_exit_now(report_exit_code(status));
}

/* Runs both threads. Does not return if the command thread does not end. */
static enum wari_status run_threads(struct engine *engine, struct wari_error *error)
{
    pthread_t thread;
    bool finished;
    enum wari_status status = engine_io_init(&engine->io, error);
    if (status != WARI_OK)
        return status;
    int problem = pthread_create(&thread, NULL, execute_commands, engine);
    if (problem != 0) {
        engine_io_free(&engine->io);
        return wari_fail(error, WARI_NO_MEMORY, "cannot start a thread: %s", strerror(problem));
    }
    status = engine_io_read_input(&engine->io, &finished, error);
    if (!finished)
        exit_at_once(status, error);
    (void)pthread_join(thread, NULL);
    if (engine->status != WARI_OK) {
        *error = engine->error;
        status = engine->status;
    }
    if (!engine_ahead_end_soon(&engine->state.ahead))
        exit_at_once(status, error);
    engine_io_free(&engine->io);
    return status;
}

/* ---- The command ---- */

struct request {
    struct database_options options;
    const char *opening_book;
    bool random;
    int hash_mb;
    int threads;
    int seed;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 'o':
        request->opening_book = optarg;
        return WARI_OK;
    case 'n':
        request->random = true;
        return WARI_OK;
    case 'h':
        return options_int("--hash", optarg, 1, WARI_SEARCH_HASH_MB_MAX, &request->hash_mb, error);
    case 't':
        return options_int("--threads", optarg, 1, WARI_SEARCH_THREADS_MAX, &request->threads,
                           error);
    default:
        return options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"opening-book", required_argument, NULL, 'o'},
        {"random", no_argument, NULL, 'n'},
        {"hash", required_argument, NULL, 'h'},
        {"seed", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, request};

    *request = (struct request){.hash_mb = WARI_SEARCH_HASH_MB, .threads = 1, .seed = 1};
    /* The program that runs the engine may name the database later, with an option of the
     * protocol. */
    request->options.source_optional = true;
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status != WARI_OK || !request->random)
        return status;
    if (request->options.folder || request->options.book)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--random plays without a database; leave out --db and --book");
    if (request->opening_book)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--random plays without an opening book; leave out --opening-book");
    return WARI_OK;
}

static bool fixes_cycle(const struct variant_choice *choice)
{
    struct wari_variant_request request;
    return wari_variant_request_parse(choice->rules, choice->cycle, &request, NULL) == WARI_OK &&
           request.cycle; /* the function that reads the names next reports an error */
}

/* Opens a book. The book itself contains its variant. */
static enum wari_status open_book(struct engine_state *state, const struct request *request,
                                  struct wari_error *error)
{
    struct wari_info info;
    struct wari_db *db;
    enum wari_status status =
        options_open_book(&request->options.choice, request->options.book, NULL, &db, error);
    if (status != WARI_OK)
        return status;
    wari_get_info(db, &info);
    wari_close(db);
    state->variant = info.variant;
    return engine_open_tables(state, error);
}

/* Prepares an engine whose tables, if there are any, are named later. The rules are the chosen
 * ones, or those of the opening book. */
static enum wari_status prepare_without_tables(struct engine_state *state,
                                               const struct request *request,
                                               struct wari_error *error)
{
    enum wari_status status = variant_to_build(&request->options.choice, &state->variant, error);
    if (status != WARI_OK || request->random)
        return status;
    state->rules_open = !request->options.choice.rules;
    if (request->opening_book && state->rules_open && !request->options.choice.cycle)
        state->variant = state->opening_book.settings.variant;
    return engine_open_tables(state, error);
}

static enum wari_status prepare(struct engine *engine, const struct request *request,
                                struct wari_error *error)
{
    struct engine_state *state = &engine->state;
    *state = (struct engine_state){.random = request->random,
                                   .random_state = (uint64_t)request->seed * 0x9E3779B97F4A7C15,
                                   .hash_mb = request->hash_mb,
                                   .threads = request->threads,
                                   .lines = 1,
                                   .repetition_times = 2,
                                   .cache_mb = request->random ? 1 : engine_default_cache(),
                                   .decode_ahead = true,
                                   .own_book = true,
                                   .io = &engine->io};
    engine_ahead_init(&state->ahead, &engine->io.busy);
    state->cycle_fixed = fixes_cycle(&request->options.choice);
    if (request->opening_book) {
        enum wari_status opened = engine_open_opening_book(state, request->opening_book, error);
        if (opened != WARI_OK)
            return opened;
    }
    if (!request->options.folder && !request->options.book)
        return prepare_without_tables(state, request, error);
    const char *source = request->options.book ? request->options.book : request->options.folder;
    if (strlen(source) >= sizeof state->folder)
        return wari_fail(error, WARI_BAD_INPUT, "--db or --book: the name is too long");
    strcpy(state->folder, source);
    state->book = request->options.book != NULL;
    if (state->book)
        return open_book(state, request, error);
    enum wari_status status = variant_in_folder(&request->options.choice, request->options.folder,
                                                &state->variant, error);
    return status == WARI_OK ? engine_open_tables(state, error) : status;
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
        wari_game_begin(&engine.game, wari_host_system(), engine.state.variant, &start);
        status = run_threads(&engine, &error);
        wari_game_free(&engine.game);
    }
    engine_close_tables(&engine.state);
    return report_result(argv[0], status, &error);
}

const struct command command_engine = {
    .name = "engine",
    .summary = "play, for Oware interfaces and matches",
    .run = run,
    .help =
        "usage: wari engine [--db DIR] [OPTION...]\n"
        "       wari engine --book FILE [OPTION...]\n"
        "       wari engine --random [OPTION...]\n"
        "\n"
        "Speaks the protocol of Oware engines (UCI, as Auale and Aalina use it) on standard\n"
        "input and output. Within the database it plays perfectly and makes progress; above\n"
        "it, it searches with the database at the leaves and says when a value is proven.\n"
        "Without --db and --book it searches every move, until the option DatabasePath of the\n"
        "protocol names a folder or a book. Then the rules are those of that folder or book,\n"
        "unless --rules or the option Rules chose others. Until then they are those of\n"
        "--opening-book, or 'awari even'.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --opening-book FILE\n"
        "                 an opening book ('wari learn-book'); also the option BookFile\n"
        "  --rules R      rule set or preset, and\n"
        "  --cycle C      even or own: which database, if the folder holds several\n"
        "  --hash MB      memory for the search (default 16); also the option Hash\n"
        "  --threads N    threads of the search, 1 (the default) to 256; also the option Threads\n"
        "  --random       legal moves at random, for tests; needs no database\n"
        "  --seed S       seed of the random moves, from 1 (the default); also the option Seed\n"
        "\n"
        "In play, a game ends when a position returns. The options Repetition and RepetitionScore\n"
        "of the protocol say when, and who gets what; by default the second occurrence ends it,\n"
        "and each side takes its own row (under even, half of the seeds).\n"
        "\n"
        "Commands: uci, isready, ucinewgame, setoption name N value V, position startpos or\n"
        "fen DIAGRAM [moves LETTERS], go [depth N] [nodes N] [movetime MS] [infinite]\n"
        "[ponder] [wtime ...] [searchmoves LETTERS] [prove], ponderhit, stop, quit. A DIAGRAM\n"
        "is a position such as 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S (see 'wari help query'). Moves\n"
        "are A to F for South, a to f for North, joined; an extra move (rules warri) is one\n"
        "more letter of the same side. 'go prove' searches for a proof of who wins: it prints\n"
        "what is proven and no other score.\n"
        "\"bestmove 0000\" means that the game is over or the position was rejected. Scores are\n"
        "hundredths of a seed: what the side to move gets from here on, minus what the other\n"
        "side gets. The end of the input ends the engine at once, with the best move so far.\n"
        "The manual page wari-engine(1) has the details.\n"
        "\n"
        "example\n"
        "  wari engine --db tables --rules tournament\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a file is damaged; 4 reading or writing failed;\n"
        "5 not enough memory; 6 the folder does not contain that rule set, or has another format\n"
        "version\n",
};
