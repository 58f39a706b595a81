/* Calls every function that wari_probe.h declares, as C or C++, with wari_probe.c compiled by
 * itself or, with INCLUDED_AS_STATIC, included as `static`. tests/cli/amalgamation.sh checks that
 * no function is missing here.
 *
 *     every_function BOOK       BOOK: a book of `abapa own`
 */
#ifdef INCLUDED_AS_STATIC
#define WARI_API static
#include "wari_probe.c"
#else
#include "wari_probe.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wari_error error;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    printf("not so: %s (last error: %s)\n", what, error.text);
    exit(1);
}

static void call_names(void)
{
    struct wari_variant variant;
    enum wari_cycle cycle;
    bool fixes_cycle;
    must(wari_rules_parse("oware", &variant, &fixes_cycle, &error) == WARI_OK && fixes_cycle,
         "oware");
    must(wari_cycle_parse("even", &cycle, &error) == WARI_OK && cycle == WARI_EVEN, "even");
    must(wari_variant_parse("abapa own", NULL, &variant, NULL, &error) == WARI_OK, "abapa own");
    must(strcmp(wari_get_rules_info(variant.rules)->name, "abapa") == 0, "the name of a rule set");
    must(strcmp(wari_cycle_name(variant.cycle), "own") == 0, "the name of a cycle rule");
    must(wari_presets()[0].name != NULL, "there are presets");
    must(wari_status_text(WARI_CORRUPT)[0] != 0, "words for a status");
    must(wari_fail(&error, WARI_BUSY, "%d", 7) == WARI_BUSY && error.text[0] == '7', "an error");
}

static void call_notation(void)
{
    struct wari_setup setup;
    char text[WARI_PLAYSTRATEGY_TEXT];
    int pit = -1;
    struct wari_position start = wari_start_position();
    must(wari_seeds(&start) == WARI_SEEDS_MAX && wari_position_valid(&start), "the start");
    wari_position_text(&start, text);
    must(wari_setup_parse(text, &setup, &error) == WARI_OK && !setup.diagram, "twelve counts");
    must(wari_setup_parse("1-0-0-0-0-0-0-0-0-0-0-1-20-26-N", &setup, &error) == WARI_OK,
         "a diagram");
    wari_diagram_text(&setup, text);
    must(strcmp(text, "1-0-0-0-0-0-0-0-0-0-0-1-20-26-N") == 0, "a diagram is written");
    wari_playstrategy_text(&setup, text);
    must(strcmp(text, "1S,5/1S,5 20 26 N 1") == 0, "the site's notation is written");
    must(wari_move_letter(5, true) == 'f', "the letter of a move");
    must(wari_move_parse('f', true, &pit, &error) == WARI_OK && pit == 5, "a move is read");
    must(wari_playstrategy_move_parse("a2a1", &setup, &pit, &error) == WARI_OK,
         "a move by squares");
}

static void call_moves(void)
{
    struct wari_position start = wari_start_position();
    struct wari_moves moves;
    struct wari_analysis analysis;
    wari_find_moves(WARI_AWARI, &start, &moves);
    must(moves.count == 6 && wari_perft(WARI_AWARI, &start, 1) == 6, "six moves");
    must(wari_move_value(&moves.list[0], 3) == -3, "the value of a move");
    analysis.count = 0;
    wari_analysis_add(&analysis, &moves.list[0], 2);
    must(analysis.count == 1 && analysis.moves[0].value == 2, "a move is added");
}

static const uint8_t *bytes_of_book;

static int read_bytes(void *context, uint64_t offset, void *buffer, size_t count)
{
    (void)context;
    memcpy(buffer, bytes_of_book + offset, count);
    return 0;
}

static void call_book(const char *path)
{
    static uint8_t bytes[1 << 20];
    static struct wari_book book;
    static const struct wari_variant own = {WARI_ABAPA, WARI_OWN};
    struct wari_book_source source;
    struct wari_setup setup;
    struct wari_analysis analysis;
    int8_t values[WARI_BOOK_CELLS];
    int value = 99;
    FILE *file = fopen(path, "rb");
    must(file != NULL, "the book can be read");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    bytes_of_book = bytes;
    source.read = read_bytes;
    source.context = NULL;
    source.size = size;
    source.name = path;
    must(wari_book_open(&book, &source, &error) == WARI_OK, "a book from a source");
    must(wari_book_open_memory(&book, bytes, size, &error) == WARI_OK, "a book in memory");
    must(wari_book_expect(&book, own, &error) == WARI_OK, "the book's variant");
    must(wari_setup_parse("1 1 0 0 0 0 / 1 0 0 0 0 0", &setup, &error) == WARI_OK, "a position");
    must(wari_book_value(&book, &setup.position, &value, &error) == WARI_OK && value == 3,
         "3, by hand");
    must(wari_book_analyse(&book, &setup.position, &analysis, &error) == WARI_OK, "the moves");
    must(analysis.moves[0].move.pit == 1, "the best move is B");
    must(wari_book_held(&book, 1) > 0, "level 1 is held");
    must(wari_book_block(&book, 1, 0, values, &error) == WARI_OK, "its first block");
    must(wari_book_check(&book, NULL, &error) == WARI_OK, "the book is intact");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    call_names();
    call_notation();
    call_moves();
    call_book(argv[1]);
    return 0;
}
