/* Runs an engine in a match, and turns everything that the engine can do wrong into a fault.
 *
 * The caller always gets an answer within the limits. A process that does not answer in time is
 * ended: its late answer could be mistaken for the answer to another query. */
#include "play/engine/opponent.h"

#include <stdio.h>
#include <string.h>

#include "system/clock.h"

enum {
    EXIT_MS = 500,      /* milliseconds for a program to exit by itself */
    START_ATTEMPTS = 3, /* number of consecutive failed starts that end the match */
};

const char *wari_fault_text(enum wari_fault fault)
{
    static const char *const texts[] = {
        [WARI_FAULT_NONE] = "none",        [WARI_FAULT_START] = "failed start",
        [WARI_FAULT_TIMEOUT] = "time-out", [WARI_FAULT_GONE] = "crash",
        [WARI_FAULT_ILLEGAL] = "illegal",  [WARI_FAULT_NONSENSE] = "nonsense",
        [WARI_FAULT_PASS] = "gave up",
    };
    return texts[fault];
}

void wari_opponent_init(struct wari_opponent *opponent, const struct wari_host *host, char **words,
                        struct wari_variant variant, const struct wari_opponent_limits *limits,
                        struct wari_processes *processes)
{
    *opponent = (struct wari_opponent){.host = host,
                                       .words = words,
                                       .variant = variant,
                                       .limits = *limits,
                                       .processes = processes};
    wari_text_clean(opponent->name, sizeof opponent->name, words[0]);
}

static enum wari_fault record_fault(struct wari_opponent *opponent, enum wari_fault fault,
                                    const char *detail)
{
    wari_text_clean(opponent->fault_text, sizeof opponent->fault_text, detail);
    return fault;
}

/* Ends the process after failed communication and records the reason. */
static enum wari_fault end_after_failure(struct wari_opponent *opponent, enum wari_fault fault,
                                         enum wari_process_result result, const char *expected)
{
    char ending[WARI_PROCESS_ENDING];
    char detail[WARI_FAULT_DETAIL];
    wari_process_end(&opponent->process, result == WARI_PROCESS_GONE ? EXIT_MS : 0, ending);
    opponent->ready = false;
    if (result == WARI_PROCESS_TIMEOUT)
        snprintf(detail, sizeof detail, "it did not send %s in time", expected);
    else
        snprintf(detail, sizeof detail, "it ended before it sent %s: %s", expected, ending);
    return record_fault(opponent, fault, detail);
}

void wari_opponent_end(struct wari_opponent *opponent)
{
    char ending[WARI_PROCESS_ENDING];
    if (opponent->process.pid == 0)
        return;
    (void)!wari_process_write(&opponent->process, "quit\n", wari_milliseconds_now() + EXIT_MS);
    wari_process_end(&opponent->process, EXIT_MS, ending);
    opponent->ready = false;
}

/* ---- Starting ---- */

enum { OPTION_TEXT = 96 };

static void format_seed_option(const struct wari_opponent *opponent, char text[OPTION_TEXT])
{
    snprintf(text, OPTION_TEXT, "setoption name Seed value %llu\n",
             (unsigned long long)opponent->seed.next);
}

/* Handles an option that the engine announces: sets the options that a match uses. */
static enum wari_process_result set_option(struct wari_opponent *opponent, const char *option,
                                           int64_t deadline)
{
    const char *value;
    char text[OPTION_TEXT];
    if (wari_uci_word(option, "Rules", &value)) {
        snprintf(text, sizeof text, "setoption name Rules value %s\n",
                 wari_get_rules_info(opponent->variant.rules)->name);
        return wari_process_write(&opponent->process, text, deadline);
    }
    /* A match ends a game at the third occurrence of a position, by the cycle rule. */
    if (wari_uci_word(option, "Repetition", &value))
        return wari_process_write(&opponent->process, "setoption name Repetition value third\n",
                                  deadline);
    if (wari_uci_word(option, "RepetitionScore", &value))
        return wari_process_write(&opponent->process,
                                  "setoption name RepetitionScore value cycle\n", deadline);
    if (wari_uci_word(option, "Seed", &value) && opponent->seed.next > 0) {
        opponent->seed.supported = true;
        format_seed_option(opponent, text);
        return wari_process_write(&opponent->process, text, deadline);
    }
    return WARI_PROCESS_OK;
}

/* Handles a line that the engine sends before it is ready. However many lines there are, the
 * deadline of the wait applies to all of them together. */
static enum wari_process_result handle_line(struct wari_opponent *opponent, const char *line,
                                            int64_t deadline)
{
    const char *rest, *value;
    if (wari_uci_word(line, "id", &rest)) {
        if (wari_uci_word(rest, "name", &value) && *value)
            wari_text_clean(opponent->name, sizeof opponent->name, value);
        return WARI_PROCESS_OK;
    }
    if (wari_uci_word(line, "option", &rest) && wari_uci_word(rest, "name", &rest))
        return opponent->ready ? WARI_PROCESS_OK : set_option(opponent, rest, deadline);
    if (!wari_uci_word(line, "info", &rest) && line[strspn(line, " \t\r")])
        opponent->nonsense++;
    return WARI_PROCESS_OK;
}

/* Sends a text and waits for a word. */
static enum wari_process_result exchange(struct wari_opponent *opponent, const char *text,
                                         const char *word)
{
    int64_t deadline = wari_milliseconds_now() + opponent->limits.start;
    const char *line, *rest;
    enum wari_process_result result = wari_process_write(&opponent->process, text, deadline);
    while (result == WARI_PROCESS_OK) {
        result = wari_process_read(&opponent->process, &line, deadline);
        if (result == WARI_PROCESS_OK && wari_uci_word(line, word, &rest))
            return WARI_PROCESS_OK;
        if (result == WARI_PROCESS_OK)
            result = handle_line(opponent, line, deadline);
    }
    return result;
}

/* Starts the program and waits until it is ready. If it does not get ready, opponent->ready stays
 * false and opponent->fault_text says why. */
static enum wari_status start_once(struct wari_opponent *opponent, bool *interrupted,
                                   struct wari_error *error)
{
    const char *expected = "uciok";
    enum wari_status status =
        wari_process_start(&opponent->process, opponent->processes, opponent->words, error);
    if (status == WARI_IO)
        return status; /* this is not the fault of the program */
    opponent->starts++;
    if (status != WARI_OK) {
        opponent->failed_starts++;
        (void)record_fault(opponent, WARI_FAULT_START, error->text);
        return WARI_OK;
    }
    opponent->seed.supported = false;
    enum wari_process_result result = exchange(opponent, "uci\n", expected);
    if (result == WARI_PROCESS_OK)
        result = exchange(opponent, "isready\n", expected = "readyok");
    *interrupted = result == WARI_PROCESS_INTERRUPTED;
    opponent->ready = result == WARI_PROCESS_OK;
    if (!opponent->ready && !*interrupted) {
        opponent->failed_starts++;
        (void)end_after_failure(opponent, WARI_FAULT_START, result, expected);
    }
    return WARI_OK;
}

static enum wari_status start(struct wari_opponent *opponent, bool *interrupted,
                              struct wari_error *error)
{
    char command[WARI_FAULT_DETAIL];
    for (int i = 0; i < START_ATTEMPTS; i++) {
        enum wari_status status = start_once(opponent, interrupted, error);
        if (status != WARI_OK || opponent->ready || *interrupted)
            return status;
    }
    wari_text_clean(command, sizeof command, opponent->words[0]);
    return wari_fail(error, WARI_IO, "the engine %s did not start in %d attempts: %s", command,
                     START_ATTEMPTS, opponent->fault_text);
}

enum wari_status wari_opponent_new_game(struct wari_opponent *opponent, bool *interrupted,
                                        struct wari_error *error)
{
    *interrupted = false;
    if (opponent->ready) {
        char text[OPTION_TEXT + 32] = "";
        if (opponent->seed.supported)
            format_seed_option(opponent, text);
        strcat(text, "ucinewgame\nisready\n");
        enum wari_process_result result = exchange(opponent, text, "readyok");
        *interrupted = result == WARI_PROCESS_INTERRUPTED;
        if (result == WARI_PROCESS_OK || *interrupted)
            return WARI_OK;
        char ending[WARI_PROCESS_ENDING]; /* it exited between two games, so start it again */
        wari_process_end(&opponent->process, 0, ending);
        opponent->ready = false;
    }
    return start(opponent, interrupted, error);
}

/* ---- Moves ---- */

static bool is_legal(const struct wari_game *game, int pit)
{
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (moves.list[i].pit == pit)
            return true;
    return false;
}

/* Waits for "bestmove". *answer is a copy of the text after it. */
static enum wari_process_result wait_for_move(struct wari_opponent *opponent, int64_t deadline,
                                              char answer[WARI_FAULT_DETAIL])
{
    for (;;) {
        const char *line, *rest;
        enum wari_process_result result = wari_process_read(&opponent->process, &line, deadline);
        if (result != WARI_PROCESS_OK)
            return result;
        if (wari_uci_word(line, "bestmove", &rest)) {
            snprintf(answer, WARI_FAULT_DETAIL, "%s", rest);
            return WARI_PROCESS_OK;
        }
        result = handle_line(opponent, line, deadline);
        if (result != WARI_PROCESS_OK)
            return result;
    }
}

/* Returns the milliseconds for a move, without the grace period. */
static int64_t time_for_move(const struct wari_opponent *opponent, bool north)
{
    enum { HOUR_MS = 3600000 };
    const int64_t most = opponent->limits.move > 0 ? opponent->limits.move : HOUR_MS;
    return opponent->limits.clock > 0 && opponent->left[north] < most ? opponent->left[north]
                                                                      : most;
}

static long long at_least(long long least, long long number)
{
    return number < least ? least : number;
}

/* Appends "go" with its limits. An earlier query for the same move took `spent` milliseconds. */
static enum wari_status add_go(const struct wari_opponent *opponent, bool north, int64_t spent,
                               struct wari_text *text, struct wari_error *error)
{
    const struct wari_opponent_limits *limits = &opponent->limits;
    enum wari_status status = wari_text_add(text, error, "\ngo");
    if (status == WARI_OK && limits->move > 0)
        status = wari_text_add(text, error, " movetime %lld", at_least(1, limits->move - spent));
    if (status == WARI_OK && limits->depth > 0)
        status = wari_text_add(text, error, " depth %d", limits->depth);
    if (status == WARI_OK && limits->nodes > 0)
        status = wari_text_add(text, error, " nodes %d", limits->nodes);
    if (status == WARI_OK && limits->clock > 0) {
        long long left[] = {opponent->left[0], opponent->left[1]};
        left[north] = at_least(0, left[north] - spent);
        status = wari_text_add(text, error, " wtime %lld winc %d btime %lld binc %d", left[0],
                               limits->increment, left[1], limits->increment);
    }
    return status == WARI_OK ? wari_text_add(text, error, "\n") : status;
}

/* The outcome of a request for a move. */
struct reply {
    int pit;
    bool passes; /* the engine answered 0000 */
    bool interrupted;
    enum wari_fault fault;
};

/* Requests a move once. The time for the move began at `began`. */
static enum wari_status request_move(struct wari_opponent *opponent, const struct wari_game *game,
                                     bool bare, int64_t began, struct reply *reply,
                                     struct wari_error *error)
{
    const bool north = game->now.north_to_move;
    const int64_t spent = bare ? wari_milliseconds_now() - began : 0;
    const int64_t deadline = began + time_for_move(opponent, north) + opponent->limits.grace;
    struct wari_text text = {.host = opponent->host};
    char answer[WARI_FAULT_DETAIL], detail[WARI_FAULT_DETAIL + 16];
    *reply = (struct reply){.pit = -1, .fault = WARI_FAULT_NONE};
    enum wari_status status = wari_uci_position(game, bare, &text, error);
    if (status == WARI_OK)
        status = add_go(opponent, north, spent, &text, error);
    if (status != WARI_OK) {
        wari_text_free(&text);
        return status;
    }
    enum wari_process_result result = wari_process_write(&opponent->process, text.bytes, deadline);
    wari_text_free(&text);
    if (result == WARI_PROCESS_OK)
        result = wait_for_move(opponent, deadline, answer);
    reply->interrupted = result == WARI_PROCESS_INTERRUPTED;
    if (result == WARI_PROCESS_TIMEOUT)
        reply->fault = end_after_failure(opponent, WARI_FAULT_TIMEOUT, result, "its move");
    else if (result == WARI_PROCESS_GONE)
        reply->fault = end_after_failure(opponent, WARI_FAULT_GONE, result, "its move");
    if (result != WARI_PROCESS_OK)
        return WARI_OK;
    enum wari_uci_answer kind = wari_uci_read_bestmove(answer, north, &reply->pit);
    reply->passes = kind == WARI_UCI_NO_MOVE;
    snprintf(detail, sizeof detail, "bestmove %s", answer);
    if (kind == WARI_UCI_NONSENSE)
        reply->fault = record_fault(opponent, WARI_FAULT_NONSENSE, detail);
    else if (kind == WARI_UCI_MOVE && !is_legal(game, reply->pit))
        reply->fault = record_fault(opponent, WARI_FAULT_ILLEGAL, detail);
    return WARI_OK;
}

enum wari_status wari_opponent_move(struct wari_opponent *opponent, const struct wari_game *game,
                                    int *pit, enum wari_fault *fault, bool *interrupted,
                                    struct wari_error *error)
{
    struct reply reply;
    const int64_t began = wari_milliseconds_now();
    enum wari_status status = request_move(opponent, game, false, began, &reply, error);
    if (status == WARI_OK && reply.passes)
        status = request_move(opponent, game, true, began, &reply, error);
    if (status == WARI_OK && reply.passes)
        reply.fault =
            record_fault(opponent, WARI_FAULT_PASS, "bestmove 0000 while the game goes on");
    *pit = reply.pit;
    *fault = reply.fault;
    *interrupted = reply.interrupted;
    return status;
}
