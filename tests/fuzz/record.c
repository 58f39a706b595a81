/* Gives arbitrary bytes to the reader of game records. Every game that is read must be legal, and
 * its written form must be read as the same game. The first byte selects the available variants. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "play/record/record.h"
#include "play/record/record_read.h"
#include "tests/fuzz/edits.h"

static void check_complaint(void *context, const struct wari_complaint *complaint)
{
    const struct wari_record_reader *reader = context;
    fuzz_must(complaint->line >= 1 && complaint->column >= 1 && complaint->text[0],
              "a complaint has a place and words");
    fuzz_must(complaint->game_line >= 1 && complaint->game_line <= complaint->line,
              "a complaint is about its game");
    for (const char *c = complaint->text; *c; c++)
        fuzz_must(wari_text_control(c) == 0, "a complaint does not command a terminal");
    fuzz_must(reader->at <= reader->length, "a reader stays in its text");
}

static void check_game(const struct wari_game *game)
{
    int seeds = wari_seeds(&game->now.position) + game->now.stores[0] + game->now.stores[1];
    fuzz_must(seeds == WARI_SEEDS_MAX, "seeds on the board and in stores are those of a game");
    fuzz_must(wari_position_valid(&game->now.position), "a game ends in a position");
    for (int i = 0; i < game->count; i++)
        fuzz_must(game->plies[i].before.position.pits[game->plies[i].move.pit] > 0,
                  "a pit with seeds is played");
}

static void write_and_read(const struct wari_record *record)
{
    struct wari_text text = {.host = wari_host_system()};
    struct wari_record again;
    struct wari_score score;
    bool found;

    fuzz_must(wari_record_write(record, &text, NULL) == WARI_OK, "a record can be written");
    struct wari_record_reader reader = {
        .host = text.host,
        .text = text.bytes,
        .length = text.length,
        .variants = &record->game.variant,
        .variant_count = 1,
        .insist = true,
        .complain = check_complaint,
    };
    reader.context = &reader;
    fuzz_must(wari_record_next(&reader, &again, &found, NULL) == WARI_OK && found,
              "a record that is written can be read");
    fuzz_must(again.game.count == record->game.count &&
                  memcmp(&again.game.now, &record->game.now, sizeof again.game.now) == 0,
              "a record that is written is read as the same game");
    if (!wari_game_score(&record->game, &score))
        fuzz_must(again.result && strcmp(again.result, record->result ? record->result : "*") == 0,
                  "a result that the game does not tell is kept");
    for (int i = 0; i < record->comment_count; i++)
        if (record->comments[i])
            fuzz_must(i < again.comment_count && again.comments[i] &&
                          strcmp(again.comments[i], record->comments[i]) == 0,
                      "comments are kept");
    wari_record_free(&again);
    fuzz_must(wari_record_next(&reader, &again, &found, NULL) == WARI_OK && !found,
              "one record is written, not two");
    wari_record_end(&reader);
    wari_text_free(&text);
}

void fuzz_record(const uint8_t *data, size_t size)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    bool found = true;

    if (size == 0)
        return;
    for (int i = 0; i < WARI_VARIANT_COUNT; i++)
        variants[i] = (struct wari_variant){(enum wari_rules)(i / 2), (enum wari_cycle)(i % 2)};
    char *text = malloc(size); /* exactly as large as the text, so that the address sanitizer
                                * detects a read beyond its end */
    fuzz_must(text != NULL, "there is memory");
    memcpy(text, data + 1, size - 1);
    struct wari_record_reader reader = {
        .host = wari_host_system(),
        .text = text,
        .length = size - 1,
        .variants = variants + data[0] % WARI_VARIANT_COUNT,
        .variant_count = data[0] < 128 ? 1 : WARI_VARIANT_COUNT - data[0] % WARI_VARIANT_COUNT,
        .insist = data[0] & 64,
        .moves = data[0] & 32 ? WARI_MOVES_DIGITS : WARI_MOVES_LETTERS,
        .complain = check_complaint,
    };
    reader.context = &reader;
    while (found) {
        struct wari_record record;
        fuzz_must(wari_record_next(&reader, &record, &found, NULL) == WARI_OK,
                  "any text is read or complained of");
        if (!found)
            break;
        check_game(&record.game);
        write_and_read(&record);
        wari_record_free(&record);
    }
    wari_record_end(&reader);
    free(text);
}
