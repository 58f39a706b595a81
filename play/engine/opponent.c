/* An engine in a match, and everything that it may do wrong.
 *
 * Whatever happens, the caller gets an answer within the limits. A process that has not answered in
 * time is ended: its answer might come later and be taken for that to another question.
 */
#include "play/engine/opponent.h"

#include <stdio.h>
#include <string.h>

enum {
    PATIENCE = 500,      /* milliseconds for a program to go by itself */
    STARTS_IN_A_ROW = 3, /* so often it may fail to come up before nobody tries any more */
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

static enum wari_fault note(struct wari_opponent *opponent, enum wari_fault fault,
                            const char *detail)
{
    wari_text_clean(opponent->what, sizeof opponent->what, detail);
    return fault;
}

/* Ends the process after a failed talk and notes why. */
static enum wari_fault break_off(struct wari_opponent *opponent, enum wari_fault fault,
                                 enum wari_talk talk, const char *wanted)
{
    char ending[WARI_PROCESS_ENDING];
    char detail[WARI_OPPONENT_WHAT];
    wari_process_end(&opponent->process, talk == WARI_TALK_GONE ? PATIENCE : 0, ending);
    opponent->ready = false;
    if (talk == WARI_TALK_TIMEOUT)
        snprintf(detail, sizeof detail, "no %s in time", wanted);
    else
        snprintf(detail, sizeof detail, "gone before %s: %s", wanted, ending);
    return note(opponent, fault, detail);
}

void wari_opponent_end(struct wari_opponent *opponent)
{
    char ending[WARI_PROCESS_ENDING];
    if (opponent->process.pid == 0)
        return;
    (void)!wari_process_write(&opponent->process, "quit\n", wari_process_clock() + PATIENCE);
    wari_process_end(&opponent->process, PATIENCE, ending);
    opponent->ready = false;
}

/* ---- Starting ---- */

enum { OPTION_TEXT = 96 };

static void say_seed(const struct wari_opponent *opponent, char text[OPTION_TEXT])
{
    snprintf(text, OPTION_TEXT, "setoption name Seed value %llu\n",
             (unsigned long long)opponent->seed.next);
}

/* An engine says that it has an option; those that a match knows are set. */
static enum wari_talk set_option(struct wari_opponent *opponent, const char *option,
                                 int64_t deadline)
{
    const char *value;
    char text[OPTION_TEXT];
    if (wari_uci_word(option, "Rules", &value)) {
        snprintf(text, sizeof text, "setoption name Rules value %s\n",
                 wari_rules_info(opponent->variant.rules)->name);
        return wari_process_write(&opponent->process, text, deadline);
    }
    if (wari_uci_word(option, "Seed", &value) && opponent->seed.next > 0) {
        opponent->seed.taken = true;
        say_seed(opponent, text);
        return wari_process_write(&opponent->process, text, deadline);
    }
    return WARI_TALK_OK;
}

/* What an engine says of itself before it is ready. Nothing takes longer than the wait it is part
 * of, however often it says that. */
static enum wari_talk hear_line(struct wari_opponent *opponent, const char *line, int64_t deadline)
{
    const char *rest, *value;
    if (wari_uci_word(line, "id", &rest)) {
        if (wari_uci_word(rest, "name", &value) && *value)
            wari_text_clean(opponent->name, sizeof opponent->name, value);
        return WARI_TALK_OK;
    }
    if (wari_uci_word(line, "option", &rest) && wari_uci_word(rest, "name", &rest))
        return opponent->ready ? WARI_TALK_OK : set_option(opponent, rest, deadline);
    if (!wari_uci_word(line, "info", &rest) && line[strspn(line, " \t\r")])
        opponent->nonsense++;
    return WARI_TALK_OK;
}

/* Says something and waits for a word. */
static enum wari_talk exchange(struct wari_opponent *opponent, const char *text, const char *word)
{
    int64_t deadline = wari_process_clock() + opponent->limits.start;
    const char *line, *rest;
    enum wari_talk talk = wari_process_write(&opponent->process, text, deadline);
    while (talk == WARI_TALK_OK) {
        talk = wari_process_read(&opponent->process, &line, deadline);
        if (talk == WARI_TALK_OK && wari_uci_word(line, word, &rest))
            return WARI_TALK_OK;
        if (talk == WARI_TALK_OK)
            talk = hear_line(opponent, line, deadline);
    }
    return talk;
}

/* Starts the program and waits until it is ready. */
static enum wari_status start(struct wari_opponent *opponent, enum wari_fault *fault,
                              bool *interrupted, struct wari_error *error)
{
    const char *wanted = "uciok";
    *fault = WARI_FAULT_NONE;
    if (opponent->failed_starts >= STARTS_IN_A_ROW) {
        *fault = note(opponent, WARI_FAULT_START, "not started any more");
        return WARI_OK;
    }
    enum wari_status status =
        wari_process_start(&opponent->process, opponent->processes, opponent->words, error);
    if (status == WARI_IO)
        return status; /* there is no fault of the program in that */
    opponent->starts++;
    if (status != WARI_OK) {
        opponent->failed_starts++;
        *fault = note(opponent, WARI_FAULT_START, error->text);
        return WARI_OK;
    }
    opponent->seed.taken = false;
    enum wari_talk talk = exchange(opponent, "uci\n", wanted);
    if (talk == WARI_TALK_OK)
        talk = exchange(opponent, "isready\n", wanted = "readyok");
    *interrupted = talk == WARI_TALK_INTERRUPTED;
    if (talk == WARI_TALK_OK) {
        opponent->failed_starts = 0;
        opponent->ready = true;
    } else if (!*interrupted) {
        opponent->failed_starts++;
        *fault = break_off(opponent, WARI_FAULT_START, talk, wanted);
    }
    return WARI_OK;
}

enum wari_status wari_opponent_new_game(struct wari_opponent *opponent, enum wari_fault *fault,
                                        bool *interrupted, struct wari_error *error)
{
    *interrupted = false;
    *fault = WARI_FAULT_NONE;
    if (opponent->ready) {
        char text[OPTION_TEXT + 32] = "";
        if (opponent->seed.taken)
            say_seed(opponent, text);
        strcat(text, "ucinewgame\nisready\n");
        enum wari_talk talk = exchange(opponent, text, "readyok");
        *interrupted = talk == WARI_TALK_INTERRUPTED;
        if (talk == WARI_TALK_OK || *interrupted)
            return WARI_OK;
        char ending[WARI_PROCESS_ENDING]; /* it went between two games: start it again */
        wari_process_end(&opponent->process, 0, ending);
        opponent->ready = false;
    }
    return start(opponent, fault, interrupted, error);
}

/* ---- Moves ---- */

static bool is_legal(const struct wari_game *game, int pit)
{
    struct wari_moves moves;
    wari_moves(game->variant.rules, &game->now.position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (moves.list[i].pit == pit)
            return true;
    return false;
}

/* Waits for "bestmove"; *answer is a copy of what follows. */
static enum wari_talk wait_for_move(struct wari_opponent *opponent, int64_t deadline,
                                    char answer[WARI_OPPONENT_WHAT])
{
    for (;;) {
        const char *line, *rest;
        enum wari_talk talk = wari_process_read(&opponent->process, &line, deadline);
        if (talk != WARI_TALK_OK)
            return talk;
        if (wari_uci_word(line, "bestmove", &rest)) {
            snprintf(answer, WARI_OPPONENT_WHAT, "%s", rest);
            return WARI_TALK_OK;
        }
        talk = hear_line(opponent, line, deadline);
        if (talk != WARI_TALK_OK)
            return talk;
    }
}

/* "go", with its limits; *most: milliseconds until there must be a move, without the grace. */
static enum wari_status add_go(const struct wari_opponent *opponent, bool north,
                               struct wari_text *text, int64_t *most, struct wari_error *error)
{
    const struct wari_opponent_limits *limits = &opponent->limits;
    enum { HOUR = 3600 * 1000 };
    enum wari_status status = wari_text_add(text, error, "\ngo");
    *most = limits->move > 0 ? limits->move : HOUR;
    if (status == WARI_OK && limits->move > 0)
        status = wari_text_add(text, error, " movetime %d", limits->move);
    if (status == WARI_OK && limits->depth > 0)
        status = wari_text_add(text, error, " depth %d", limits->depth);
    if (status == WARI_OK && limits->nodes > 0)
        status = wari_text_add(text, error, " nodes %d", limits->nodes);
    if (status == WARI_OK && limits->clock > 0) {
        const long long left[] = {opponent->left[0], opponent->left[1]};
        *most = *most < left[north] ? *most : left[north];
        status = wari_text_add(text, error, " wtime %lld winc %d btime %lld binc %d", left[0],
                               limits->increment, left[1], limits->increment);
    }
    return status == WARI_OK ? wari_text_add(text, error, "\n") : status;
}

/* What came of asking for a move. */
struct reply {
    int pit;
    bool passes; /* the engine says 0000 */
    bool interrupted;
    enum wari_fault fault;
};

/* Asks once. */
static enum wari_status ask(struct wari_opponent *opponent, const struct wari_game *game, bool bare,
                            struct reply *reply, struct wari_error *error)
{
    struct wari_text text = {.host = opponent->host};
    char answer[WARI_OPPONENT_WHAT], detail[WARI_OPPONENT_WHAT + 16];
    int64_t most = 0;
    *reply = (struct reply){.pit = -1, .fault = WARI_FAULT_NONE};
    enum wari_status status = wari_uci_position(game, bare, &text, error);
    if (status == WARI_OK)
        status = add_go(opponent, game->now.north_to_move, &text, &most, error);
    int64_t deadline = wari_process_clock() + most + opponent->limits.grace;
    if (status != WARI_OK) {
        wari_text_free(&text);
        return status;
    }
    enum wari_talk talk = wari_process_write(&opponent->process, text.bytes, deadline);
    wari_text_free(&text);
    if (talk == WARI_TALK_OK)
        talk = wait_for_move(opponent, deadline, answer);
    reply->interrupted = talk == WARI_TALK_INTERRUPTED;
    if (talk == WARI_TALK_TIMEOUT)
        reply->fault = break_off(opponent, WARI_FAULT_TIMEOUT, talk, "move");
    else if (talk == WARI_TALK_GONE)
        reply->fault = break_off(opponent, WARI_FAULT_GONE, talk, "its move");
    if (talk != WARI_TALK_OK)
        return WARI_OK;
    enum wari_uci_answer kind =
        wari_uci_read_bestmove(answer, game->now.north_to_move, &reply->pit);
    reply->passes = kind == WARI_UCI_NO_MOVE;
    snprintf(detail, sizeof detail, "bestmove %s", answer);
    if (kind == WARI_UCI_NONSENSE)
        reply->fault = note(opponent, WARI_FAULT_NONSENSE, detail);
    else if (kind == WARI_UCI_MOVE && !is_legal(game, reply->pit))
        reply->fault = note(opponent, WARI_FAULT_ILLEGAL, detail);
    return WARI_OK;
}

enum wari_status wari_opponent_move(struct wari_opponent *opponent, const struct wari_game *game,
                                    int *pit, enum wari_fault *fault, bool *interrupted,
                                    struct wari_error *error)
{
    struct reply reply;
    enum wari_status status = ask(opponent, game, false, &reply, error);
    if (status == WARI_OK && reply.passes)
        status = ask(opponent, game, true, &reply, error);
    if (status == WARI_OK && reply.passes)
        reply.fault = note(opponent, WARI_FAULT_PASS, "bestmove 0000 while the game goes on");
    *pit = reply.pit;
    *fault = reply.fault;
    *interrupted = reply.interrupted;
    return status;
}
