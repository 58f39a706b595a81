/* The protocol that Oware engines speak: reading and writing its lines.
 *
 * Lines come from programs that nobody here knows. So nothing is assumed of them but that they end
 * with a 0; what is not understood is passed over where the protocol asks for that, and refused
 * with a reason elsewhere.
 */
#include "play/uci.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *skip_blanks(const char *text)
{
    while (is_blank(*text))
        text++;
    return text;
}

static const char *skip_word(const char *text)
{
    while (*text && !is_blank(*text))
        text++;
    return text;
}

bool wari_uci_word(const char *text, const char *word, const char **rest)
{
    text = skip_blanks(text);
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] && !is_blank(text[length])))
        return false;
    *rest = skip_blanks(text + length);
    return true;
}

/* ---- Command lines ---- */

/* Copies the word at *text to *to, without its quotes; false if one has no end. */
static bool copy_word(const char **text, char **to)
{
    const char *at = *text;
    char quote = 0;
    for (; *at && (quote || !is_blank(*at)); at++) {
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
    size_t most = length / 2 + 2; /* words, and the NULL behind them */
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
                             "the command \"%.200s\" has a quote that does not end", command);
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

/* Reads "startpos" or "fen DIAGRAM" and passes it. */
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
    enum wari_status status = wari_setup_parse(diagram, setup, &reason);
    if (status == WARI_OK && !setup->diagram)
        return wari_fail(error, WARI_BAD_INPUT,
                         "position: a diagram is expected behind fen, such as "
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
        if (is_blank(*text))
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

static int64_t read_number(const char *text)
{
    int64_t number = strtoll(text, NULL, 10);
    return number < 0 ? 0 : number;
}

void wari_uci_read_go(const char *text, bool north_to_move, struct wari_uci_go *go)
{
    int64_t left = -1, more = 0, moves = 30; /* a game is about as long */
    *go = (struct wari_uci_go){.milliseconds = -1};
    for (; *text; text = skip_blanks(skip_word(text))) {
        const char *value;
        if (wari_uci_word(text, "infinite", &value) || wari_uci_word(text, "ponder", &value))
            go->infinite = true;
        else if (wari_uci_word(text, "depth", &value))
            go->depth = (int)(read_number(value) < 1000 ? read_number(value) : 1000);
        else if (wari_uci_word(text, "movetime", &value))
            go->milliseconds = read_number(value);
        else if (wari_uci_word(text, north_to_move ? "btime" : "wtime", &value))
            left = read_number(value);
        else if (wari_uci_word(text, north_to_move ? "binc" : "winc", &value))
            more = read_number(value);
        else if (wari_uci_word(text, "movestogo", &value) && read_number(value) > 0)
            moves = read_number(value) + 1;
    }
    if (go->milliseconds < 0 && left >= 0) {
        go->milliseconds = left / moves + more;
        go->milliseconds = go->milliseconds < left / 2 ? go->milliseconds : left / 2;
    }
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
