/* Feeds arbitrary bytes to the parsers of text that people type: a position or a diagram, the
 * letter of a move, the name of a rule set. A text that is accepted must be a position of the game,
 * and must be read as the same position after it was written again. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "game/wari_game.h"
#include "tests/fuzz/edits.h"

static void write_and_read(const struct wari_setup *setup)
{
    char position_text[WARI_POSITION_TEXT], diagram_text[WARI_DIAGRAM_TEXT];
    struct wari_setup again;

    wari_position_text(&setup->position, position_text);
    fuzz_must(wari_setup_parse(position_text, &again, NULL) == WARI_OK && !again.diagram &&
                  memcmp(&again.position, &setup->position, sizeof again.position) == 0,
              "a position that is written can be read");
    wari_diagram_text(setup, diagram_text);
    fuzz_must(wari_setup_parse(diagram_text, &again, NULL) == WARI_OK &&
                  again.diagram == setup->diagram &&
                  memcmp(&again.position, &setup->position, sizeof again.position) == 0,
              "a diagram that is written can be read");
    fuzz_must(!setup->diagram || (again.north_to_move == setup->north_to_move &&
                                  memcmp(again.stores, setup->stores, sizeof again.stores) == 0),
              "a diagram keeps its stores and the side to move");
}

static void read_setup(const char *text)
{
    const struct wari_setup before = {.stores = {77, 78}};
    struct wari_setup setup = before;
    struct wari_error error;
    const enum wari_status status = wari_setup_parse(text, &setup, &error);
    if (status != WARI_OK) {
        fuzz_must(status == WARI_BAD_INPUT && strncmp(error.text, "column ", 7) == 0,
                  "a text that is no position is refused with its column");
        fuzz_must(memcmp(&setup, &before, sizeof setup) == 0, "a setup is left alone");
        return;
    }
    fuzz_must(wari_position_valid(&setup.position), "what is read is a position");
    fuzz_must(!setup.diagram ||
                  wari_seeds(&setup.position) + setup.stores[0] + setup.stores[1] == WARI_SEEDS_MAX,
              "a diagram holds all seeds of a game");
    write_and_read(&setup);
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_moves moves;
        wari_find_moves((enum wari_rules)rules, &setup.position, &moves);
        fuzz_must(moves.count >= 0 && moves.count <= WARI_HALF_PITS, "six moves at most");
        for (int i = 0; i < moves.count; i++)
            fuzz_must(wari_position_valid(&moves.list[i].next), "a move leads to a position");
    }
}

static void read_names(const char *text)
{
    struct wari_variant variant;
    struct wari_error error;
    bool fixed;
    int pit;

    for (int north = 0; north < 2; north++)
        fuzz_must(wari_move_parse(text[0], north, &pit, &error) != WARI_OK ||
                      wari_move_letter(pit, north) == text[0],
                  "a move that is read is written with the same letter");
    fuzz_must(wari_rules_parse(text, &variant, &fixed, &error) != WARI_OK ||
                  wari_get_rules_info(variant.rules) != NULL,
              "a name is that of a rule set");
    fuzz_must(wari_variant_parse(text, NULL, &variant, NULL, &error) != WARI_OK ||
                  (wari_get_rules_info(variant.rules) != NULL && wari_cycle_name(variant.cycle)),
              "names are those of a variant");
    fuzz_must(wari_cycle_parse(text, &variant.cycle, &error) != WARI_OK ||
                  strcmp(wari_cycle_name(variant.cycle), text) == 0,
              "a name is that of a cycle rule");
}

void fuzz_notation(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* exactly as large as the text, so that the address sanitizer
                                    * detects a read beyond its end */
    fuzz_must(text != NULL, "there is memory");
    memcpy(text, data, size);
    text[size] = '\0';
    read_setup(text);
    read_names(text);
    free(text);
}
