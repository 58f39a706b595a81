/* Gives arbitrary bytes to the parsers of the engine protocol, line by line, as an engine and a
 * match read it. The first byte selects the rules. A position that is accepted must be read as the
 * same position after it was written again. A position that is refused must leave the game
 * unchanged. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "play/engine/uci.h"
#include "tests/fuzz/edits.h"

static void check_game(const struct wari_game *game)
{
    fuzz_must(wari_position_valid(&game->now.position), "a game stands at a position");
    fuzz_must(wari_seeds(&game->now.position) + game->now.stores[0] + game->now.stores[1] ==
                  WARI_SEEDS_MAX,
              "seeds on the board and in stores are those of a game");
}

/* Writes the position of a game in the protocol and reads it again. If `bare` is true, writes only
 * the board, without the moves that led to it. */
static void say_and_read(const struct wari_game *game, bool bare)
{
    struct wari_text said = {.host = wari_host_system()};
    struct wari_game again;
    const char *rest;

    wari_game_begin(&again, said.host, game->variant, &game->start);
    fuzz_must(wari_uci_position(game, bare, &said, NULL) == WARI_OK &&
                  wari_uci_word(said.bytes, "position", &rest) &&
                  wari_uci_read_position(rest, &again, NULL) == WARI_OK,
              "a position that is said is understood");
    check_game(&again);
    fuzz_must(memcmp(&again.now.position, &game->now.position, sizeof again.now.position) == 0 &&
                  again.now.north_to_move == game->now.north_to_move,
              "the position and the side to move are kept");
    fuzz_must(bare || (again.times == game->times &&
                       memcmp(again.now.stores, game->now.stores, sizeof again.now.stores) == 0),
              "so are stores, and how often it has stood");
    wari_game_free(&again);
    wari_text_free(&said);
}

static void hear_position(const char *line, struct wari_game *game)
{
    const struct wari_game before = *game;
    struct wari_error error;
    if (wari_uci_read_position(line, game, &error) != WARI_OK) {
        fuzz_must(memcmp(&before, game, sizeof before) == 0, "a refused position changes nothing");
        fuzz_must(error.text[0], "a refusal has a reason");
        return;
    }
    check_game(game);
    say_and_read(game, false);
    say_and_read(game, true);
}

static void hear_go(const char *line)
{
    const int64_t most = 1000000000000; /* the largest number, as uci.h says */
    for (int north = 0; north < 2; north++) {
        struct wari_uci_go go;
        if (wari_uci_read_go(line, north, &go, NULL) != WARI_OK)
            continue;
        fuzz_must(go.depth >= 0 && go.depth <= 1000, "a depth is one");
        fuzz_must(go.nodes >= 0 && go.nodes <= most, "so is a number of nodes");
        fuzz_must(go.pits > 0 && go.pits < 1 << WARI_HALF_PITS, "there are pits to choose from");
        fuzz_must(go.milliseconds >= -1 && go.milliseconds <= most, "so is a time");
    }
}

static void hear_bestmove(const char *line)
{
    for (int north = 0; north < 2; north++) {
        int pit;
        if (wari_uci_read_bestmove(line, north, &pit) == WARI_UCI_MOVE)
            fuzz_must(pit >= 0 && pit < WARI_HALF_PITS &&
                          strchr(line, wari_move_letter(pit, north)),
                      "a move that is read was said");
    }
}

/* Quotes each word and splits the line again. */
static void quote_and_split(char **words, int count)
{
    const struct wari_host *host = wari_host_system();
    struct wari_text line = {.host = host};
    char **again;
    int found;

    for (int i = 0; i < count; i++) {
        fuzz_must(wari_text_add(&line, NULL, i ? " \"" : "\"") == WARI_OK, "there is memory");
        for (const char *c = words[i]; *c; c++)
            fuzz_must(wari_text_add(&line, NULL, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c) ==
                          WARI_OK,
                      "there is memory");
        fuzz_must(wari_text_add(&line, NULL, "\"") == WARI_OK, "there is memory");
    }
    fuzz_must(wari_split_command(host, line.bytes, &again, &found, NULL) == WARI_OK &&
                  found == count,
              "a quoted command is split into as many words");
    for (int i = 0; i < count; i++)
        fuzz_must(strcmp(words[i], again[i]) == 0, "quotes keep a word");
    wari_release(host, again);
    wari_text_free(&line);
}

static void split(const char *line)
{
    char **words;
    int count;
    if (wari_split_command(wari_host_system(), line, &words, &count, NULL) != WARI_OK)
        return;
    fuzz_must(count > 0 && words[count] == NULL, "words are counted");
    quote_and_split(words, count);
    wari_release(wari_host_system(), words);
}

static void hear(const char *line, struct wari_game *game)
{
    const char *rest;
    if (wari_uci_word(line, "position", &rest)) {
        hear_position(rest, game);
    } else if (wari_uci_word(line, "go", &rest)) {
        hear_go(rest);
    } else if (wari_uci_word(line, "bestmove", &rest)) {
        hear_bestmove(rest);
    } else if (wari_uci_word(line, "setoption", &rest)) {
        const char *value;
        fuzz_must(!wari_uci_option(rest, "Hash", &value) ||
                      (value >= rest && value <= rest + strlen(rest)),
                  "a value stands in its line");
    } else {
        split(line);
    }
}

void fuzz_protocol(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    const struct wari_setup start = wari_game_start_setup();
    const struct wari_variant variant = {(enum wari_rules)(data[0] / 2 % WARI_RULES_COUNT),
                                         (enum wari_cycle)(data[0] % 2)};
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), variant, &start);
    for (size_t at = 1; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end ? (size_t)(end - data) - at : size - at;
        char *line = malloc(length + 1); /* exactly as large as the line, so that the address
                                          * sanitizer detects a read beyond its end */
        fuzz_must(line != NULL, "there is memory");
        memcpy(line, data + at, length);
        line[length] = '\0';
        hear(line, &game);
        free(line);
        at += length + 1;
    }
    wari_game_free(&game);
}
