/* An engine in a match, and everything that it may do wrong.
 *
 * Whatever happens, the caller gets an answer within the limits. A process that has not answered in
 * time is ended: its answer might come later and be taken for that to another question.
 */
#include "play/opponent.h"

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
                        const atomic_bool *stop)
{
    *opponent = (struct wari_opponent){
        .host = host, .words = words, .variant = variant, .limits = *limits, .stop = stop};
    snprintf(opponent->name, sizeof opponent->name, "%s", words[0]);
}

/* Text from an engine, for people: no control characters. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static enum wari_fault note(struct wari_opponent *opponent, enum wari_fault fault,
                            const char *detail)
{
    opponent->faults[fault]++;
    snprintf(opponent->what, sizeof opponent->what, "%.*s", WARI_OPPONENT_WHAT - 1, detail);
    make_printable(opponent->what);
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

/* What an engine says of itself before uciok, or in between. */
static enum wari_talk listen(struct wari_opponent *opponent, const char *line)
{
    const char *rest, *value;
    char text[96];
    int64_t deadline = wari_process_clock() + opponent->limits.start;
    if (wari_uci_word(line, "id", &rest)) {
        if (wari_uci_word(rest, "name", &value) && *value) {
            snprintf(opponent->name, sizeof opponent->name, "%s", value);
            make_printable(opponent->name);
        }
        return WARI_TALK_OK;
    }
    if (wari_uci_word(line, "option", &rest) && wari_uci_word(rest, "name", &rest)) {
        if (wari_uci_word(rest, "Rules", &value)) {
            snprintf(text, sizeof text, "setoption name Rules value %s\n",
                     wari_rules_info(opponent->variant.rules)->name);
            return wari_process_write(&opponent->process, text, deadline);
        }
        if (wari_uci_word(rest, "Seed", &value) && opponent->seed > 0) {
            snprintf(text, sizeof text, "setoption name Seed value %llu\n",
                     (unsigned long long)opponent->seed);
            return wari_process_write(&opponent->process, text, deadline);
        }
        return WARI_TALK_OK;
    }
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
            talk = listen(opponent, line);
    }
    return talk;
}

static enum wari_fault start(struct wari_opponent *opponent, bool *interrupted)
{
    struct wari_error error = {0};
    if (opponent->failed_starts >= STARTS_IN_A_ROW)
        return note(opponent, WARI_FAULT_START, "not started any more");
    opponent->starts++;
    enum wari_status status =
        wari_process_start(&opponent->process, opponent->words, opponent->stop, &error);
    if (status != WARI_OK) {
        opponent->failed_starts++;
        return note(opponent, WARI_FAULT_START, error.text);
    }
    const char *wanted = "uciok";
    enum wari_talk talk = exchange(opponent, "uci\n", wanted);
    if (talk == WARI_TALK_OK)
        talk = exchange(opponent, "isready\n", wanted = "readyok");
    if (talk == WARI_TALK_OK) {
        opponent->failed_starts = 0;
        opponent->ready = true;
        return WARI_FAULT_NONE;
    }
    *interrupted = talk == WARI_TALK_INTERRUPTED;
    if (*interrupted)
        return WARI_FAULT_NONE;
    opponent->failed_starts++;
    return break_off(opponent, WARI_FAULT_START, talk, wanted);
}

enum wari_fault wari_opponent_new_game(struct wari_opponent *opponent, bool *interrupted)
{
    *interrupted = false;
    if (opponent->ready) {
        enum wari_talk talk = exchange(opponent, "ucinewgame\nisready\n", "readyok");
        *interrupted = talk == WARI_TALK_INTERRUPTED;
        if (talk == WARI_TALK_OK || *interrupted)
            return WARI_FAULT_NONE;
        char ending[WARI_PROCESS_ENDING]; /* it went between two games: start it again */
        wari_process_end(&opponent->process, 0, ending);
        opponent->ready = false;
    }
    return start(opponent, interrupted);
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
        talk = listen(opponent, line);
        if (talk != WARI_TALK_OK)
            return talk;
    }
}

/* Asks once; *passes: the engine says 0000. */
static enum wari_status ask(struct wari_opponent *opponent, const struct wari_game *game, bool bare,
                            int *pit, bool *passes, enum wari_fault *fault, bool *interrupted,
                            struct wari_error *error)
{
    struct wari_text text = {.host = opponent->host};
    char answer[WARI_OPPONENT_WHAT], detail[WARI_OPPONENT_WHAT];
    int64_t deadline = wari_process_clock() + opponent->limits.move + opponent->limits.grace;
    *passes = false;
    *fault = WARI_FAULT_NONE;
    enum wari_status status = wari_uci_position(game, bare, &text, error);
    if (status == WARI_OK)
        status = wari_text_add(&text, error, "\ngo movetime %d\n", opponent->limits.move);
    if (status != WARI_OK) {
        wari_text_free(&text);
        return status;
    }
    enum wari_talk talk = wari_process_write(&opponent->process, text.bytes, deadline);
    wari_text_free(&text);
    if (talk == WARI_TALK_OK)
        talk = wait_for_move(opponent, deadline, answer);
    *interrupted = talk == WARI_TALK_INTERRUPTED;
    if (talk == WARI_TALK_TIMEOUT)
        *fault = break_off(opponent, WARI_FAULT_TIMEOUT, talk, "move");
    else if (talk == WARI_TALK_GONE)
        *fault = break_off(opponent, WARI_FAULT_GONE, talk, "its move");
    if (talk != WARI_TALK_OK)
        return WARI_OK;
    enum wari_uci_answer kind = wari_uci_read_bestmove(answer, game->now.north_to_move, pit);
    *passes = kind == WARI_UCI_NO_MOVE;
    snprintf(detail, sizeof detail, "bestmove %.100s", answer);
    if (kind == WARI_UCI_NONSENSE)
        *fault = note(opponent, WARI_FAULT_NONSENSE, detail);
    else if (kind == WARI_UCI_MOVE && !is_legal(game, *pit))
        *fault = note(opponent, WARI_FAULT_ILLEGAL, detail);
    return WARI_OK;
}

enum wari_status wari_opponent_move(struct wari_opponent *opponent, const struct wari_game *game,
                                    int *pit, enum wari_fault *fault, bool *interrupted,
                                    struct wari_error *error)
{
    bool passes;
    enum wari_status status = ask(opponent, game, false, pit, &passes, fault, interrupted, error);
    if (status == WARI_OK && passes)
        status = ask(opponent, game, true, pit, &passes, fault, interrupted, error);
    if (status == WARI_OK && passes)
        *fault = note(opponent, WARI_FAULT_PASS, "bestmove 0000 while the game goes on");
    return status;
}
