/* Reads and writes the lines of the protocol of Oware engines.
 *
 * Lines come from unknown programs, so the only assumption is that they end with 0. What is not
 * understood is skipped where the protocol requires that, and rejected with a reason elsewhere. */
#include "play/engine/uci.h"

#include <string.h>

static const char *skip_blanks(const char *text)
{
    while (wari_text_is_blank(*text))
        text++;
    return text;
}

static const char *skip_word(const char *text)
{
    while (*text && !wari_text_is_blank(*text))
        text++;
    return text;
}

bool wari_uci_word(const char *text, const char *word, const char **rest)
{
    text = skip_blanks(text);
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] && !wari_text_is_blank(text[length])))
        return false;
    *rest = skip_blanks(text + length);
    return true;
}

/* Like wari_uci_word(), but ignores case. */
static bool is_word(const char *text, const char *word, const char **rest)
{
    while (*word && wari_text_lower(*text) == wari_text_lower(*word)) {
        text++;
        word++;
    }
    *rest = skip_blanks(text);
    return !*word && (!*text || wari_text_is_blank(*text));
}

bool wari_uci_option(const char *text, const char *name, const char **value)
{
    text = skip_blanks(text);
    if (!is_word(text, "name", &text) || !is_word(text, name, &text) ||
        (*text && !is_word(text, "value", &text)))
        return false;
    *value = text;
    return true;
}

/* ---- Command lines ---- */

/* Copies the word at *text to *to without its quotes. Returns false if a quote is not closed. */
static bool copy_word(const char **text, char **to)
{
    const char *at = *text;
    char quote = 0;
    for (; *at && (quote || !wari_text_is_blank(*at)); at++) {
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            *(*to)++ = *at;
        }
    }
    *(*to)++ = '\0';
    *text = at;
    return quote == 0;
}

enum wari_status wari_split_command(const struct wari_host *host, const char *command,
                                    char ***words, int *count, struct wari_error *error)
{
    size_t length = strlen(command);
    size_t most = length / 2 + 2; /* maximum number of words, and the final NULL */
    void *memory;
    enum wari_status status = wari_allocate(host, most * sizeof(char *) + length + 1,
                                            "the words of a command", &memory, error);
    if (status != WARI_OK)
        return status;
    *words = memory;
    char *to = (char *)memory + most * sizeof(char *);
    const char *at = skip_blanks(command);
    *count = 0;
    while (*at) {
        (*words)[(*count)++] = to;
        if (!copy_word(&at, &to)) {
            wari_release(host, memory);
            return wari_fail(error, WARI_BAD_INPUT,
                             "the command \"%.200s\" has a quote that is not closed", command);
        }
        at = skip_blanks(at);
    }
    (*words)[*count] = NULL;
    if (*count > 0)
        return WARI_OK;
    wari_release(host, memory);
    return wari_fail(error, WARI_BAD_INPUT, "the command of an engine is empty");
}

/* ---- Positions ---- */

static bool is_start(const struct wari_setup *setup)
{
    struct wari_setup start = wari_game_start_setup();
    return !setup->north_to_move &&
           memcmp(&setup->position, &start.position, sizeof start.position) == 0;
}

enum wari_status wari_uci_position(const struct wari_game *game, bool bare, struct wari_text *text,
                                   struct wari_error *error)
{
    char diagram[WARI_DIAGRAM_TEXT];
    int first = game->count;
    while (!bare && first > 0 && game->plies[first - 1].move.captured == 0)
        first--;
    struct wari_setup setup = first < game->count ? game->plies[first].before : game->now;
    if (bare) {
        int captured = WARI_SEEDS_MAX - wari_seeds(&setup.position);
        setup.stores[0] = (uint8_t)(captured - captured / 2);
        setup.stores[1] = (uint8_t)(captured / 2);
    }
    wari_diagram_text(&setup, diagram);
    enum wari_status status = is_start(&setup)
                                  ? wari_text_add(text, error, "position startpos")
                                  : wari_text_add(text, error, "position fen %s", diagram);
    if (status == WARI_OK && first < game->count)
        status = wari_text_add(text, error, " moves ");
    for (int i = first; i < game->count && status == WARI_OK; i++) {
        char letter =
            wari_move_letter(game->plies[i].move.pit, game->plies[i].before.north_to_move);
        status = wari_text_add_bytes(text, &letter, 1, error);
    }
    return status;
}

/* Reads "startpos" or "fen DIAGRAM" and advances *text. */
static enum wari_status read_setup(const char **text, struct wari_setup *setup,
                                   struct wari_error *error)
{
    char diagram[WARI_DIAGRAM_TEXT];
    *setup = wari_game_start_setup();
    if (wari_uci_word(*text, "startpos", text))
        return WARI_OK;
    if (!wari_uci_word(*text, "fen", text))
        return wari_fail(error, WARI_BAD_INPUT,
                         "position: \"startpos\" or \"fen DIAGRAM\" is expected");
    size_t length = (size_t)(skip_word(*text) - *text);
    if (length >= sizeof diagram)
        return wari_fail(error, WARI_BAD_INPUT, "position: the diagram is too long");
    memcpy(diagram, *text, length);
    diagram[length] = '\0';
    *text = skip_blanks(*text + length);
    struct wari_error reason = {0};
    enum wari_status status = WARI_OK;
    setup->diagram = false;
    if (strchr(diagram, '-')) /* otherwise wari_setup_parse() would expect twelve counts, which are
                                 not a single word */
        status = wari_setup_parse(diagram, setup, &reason);
    if (status == WARI_OK && !setup->diagram)
        return wari_fail(error, WARI_BAD_INPUT,
                         "position: a diagram is expected after fen, such as "
                         "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    if (status != WARI_OK)
        return wari_fail(error, status, "position: %s", reason.text);
    return WARI_OK;
}

enum wari_status wari_uci_read_position(const char *text, struct wari_game *game,
                                        struct wari_error *error)
{
    struct wari_setup setup;
    struct wari_game read;
    enum wari_status status = read_setup(&text, &setup, error);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&read, game->host, game->variant, &setup);
    if (*text && !wari_uci_word(text, "moves", &text))
        status = wari_fail(error, WARI_BAD_INPUT,
                           "position: \"moves\" is expected, but here is \"%.40s\"", text);
    for (; *text && status == WARI_OK; text++) {
        struct wari_error reason = {0};
        if (wari_text_is_blank(*text))
            continue;
        status = wari_game_play_letter(&read, *text, &reason);
        if (status != WARI_OK)
            status = wari_fail(error, status, "position: move %d: %s", read.count + 1, reason.text);
    }
    if (status != WARI_OK) {
        wari_game_free(&read);
        return status;
    }
    wari_game_free(game);
    *game = read;
    return WARI_OK;
}

/* ---- go and bestmove ---- */

/* More than the time of any clock, and small enough that sums of a few such numbers do not
 * overflow. */
static const int64_t number_max = 1000000000000;

/* Reads a number, which must be a complete word. */
static bool read_number(const char *text, int64_t *number)
{
    bool negative = *text == '-';
    const char *digits = text + negative;
    *number = 0;
    for (text = digits; *text >= '0' && *text <= '9'; text++)
        *number = *number < number_max / 10 ? 10 * *number + (*text - '0') : number_max;
    if (negative)
        *number = 0;
    return text > digits && (!*text || wari_text_is_blank(*text));
}

/* Returns the mover's pits named by the following words that consist only of letters of moves. */
static int read_pits(const char *text, bool north)
{
    int pits = 0, pit;
    for (size_t length; (length = (size_t)(skip_word(text) - text)) > 0;
         text = skip_blanks(text + length)) {
        if (strspn(text, "ABCDEFabcdef") < length)
            break;
        for (size_t i = 0; i < length; i++)
            if (wari_move_parse(text[i], north, &pit, NULL) == WARI_OK)
                pits |= 1 << pit;
    }
    return pits;
}

/* The numbers of a "go". */
enum { DEPTH, NODES, MOVETIME, TIME_LEFT, INCREMENT, MOVES_TO_GO, NUMBERS };

static void share_clock(const int64_t *numbers, struct wari_uci_go *go)
{
    enum {
        TYPICAL_MOVES = 30, /* typical number of moves of a game */
        RESERVE = 200,      /* milliseconds, for a machine that is busy with something else */
        LONGEST = 3,        /* a difficult move may take up to three times the usual time */
    };
    int64_t left = numbers[TIME_LEFT];
    int64_t moves = numbers[MOVES_TO_GO] > 0 ? numbers[MOVES_TO_GO] + 1 : TYPICAL_MOVES;
    int64_t more = numbers[INCREMENT] > 0 ? numbers[INCREMENT] : 0;
    if (go->milliseconds >= 0 || left < 0)
        return;
    /* A quarter of the increment covers the time between the end of the search and the stop of
     * the clock. */
    int64_t reserve = left / 2 < RESERVE ? left / 2 : RESERVE;
    go->usual = (left - reserve) / moves + more - more / 4;
    go->usual = go->usual < left / 4 ? go->usual : left / 4;
    go->milliseconds = LONGEST * go->usual < left / 4 ? LONGEST * go->usual : left / 4;
}

static int64_t at_least_one(int64_t number)
{
    return number == 0 ? 1 : number < 0 ? 0 : number;
}

static const struct wari_uci_go no_limits = {
    .milliseconds = -1, .usual = -1, .pits = (1 << WARI_HALF_PITS) - 1};

enum wari_status wari_uci_read_go(const char *text, bool north_to_move, struct wari_uci_go *go,
                                  struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    enum { UCI_DEPTH_MAX = 1000 };
    const char *const words[NUMBERS] = {
        "depth",
        "nodes",
        "movetime",
        north_to_move ? "btime" : "wtime",
        north_to_move ? "binc" : "winc",
        "movestogo",
    };
    int64_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = -1;
    *go = no_limits;
    for (; *text; text = skip_blanks(skip_word(text))) {
        const char *value;
        go->infinite |= wari_uci_word(text, "infinite", &value);
        go->ponder |= wari_uci_word(text, "ponder", &value);
        go->prove |= wari_uci_word(text, "prove", &value);
        go->mate |= wari_uci_word(text, "mate", &value);
        if (wari_uci_word(text, "searchmoves", &value))
            go->pits = read_pits(value, north_to_move);
        for (int i = 0; i < NUMBERS; i++) {
            if (!wari_uci_word(text, words[i], &value) || read_number(value, &numbers[i]))
                continue;
            numbers[i] = -1;
            if (status == WARI_OK)
                status = wari_fail(error, WARI_BAD_INPUT, "go: a number is expected after \"%s\"",
                                   words[i]);
        }
    }
    if (go->pits == 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "go: a move of the side to move is expected after \"searchmoves\"");
    go->depth = (int)at_least_one(numbers[DEPTH] < UCI_DEPTH_MAX ? numbers[DEPTH] : UCI_DEPTH_MAX);
    go->nodes = at_least_one(numbers[NODES]);
    go->milliseconds = numbers[MOVETIME];
    share_clock(numbers, go);
    return status;
}

enum wari_uci_answer wari_uci_read_bestmove(const char *text, bool north_to_move, int *pit)
{
    const char *rest;
    if (wari_uci_word(text, "0000", &rest))
        return WARI_UCI_NO_MOVE;
    text = skip_blanks(text);
    if (*text && skip_word(text) == text + 1 &&
        wari_move_parse(*text, north_to_move, pit, NULL) == WARI_OK)
        return WARI_UCI_MOVE;
    return WARI_UCI_NONSENSE;
}
