/* Prints the value of a position and its best move, from a book and without any library:
 * book FILE "1 1 1 1 1 1 / 1 1 1 1 1 1"
 *     make amalgamation
 *     cc -Ibuild/amalgamation -o book book.c build/amalgamation/wari_probe.c
 */
#include <stdio.h>

#include "wari_probe.h"

static int read_file(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    FILE *file = context;
    return fseek(file, (long)offset, SEEK_SET) != 0 || fread(buffer, 1, bytes, file) != bytes;
}

int main(int argc, char **argv)
{
    static struct wari_book book;
    struct wari_book_source source = {read_file, NULL, 0, argv[argc - 1]};
    struct wari_setup setup;
    struct wari_analysis analysis;
    struct wari_error error;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "usage: book FILE POSITION\n");
        return 2;
    }
    source.context = file;
    source.size = (uint64_t)ftell(file);
    source.name = argv[1];
    if (wari_book_open(&book, &source, &error) != WARI_OK ||
        wari_setup_parse(argv[2], &setup, &error) != WARI_OK ||
        wari_book_analyse(&book, &setup.position, &analysis, &error) != WARI_OK) {
        fprintf(stderr, "%s\n", error.text);
        fclose(file);
        return 1;
    }
    printf("value %d", analysis.value);
    if (analysis.count > 0)
        printf(", best move %c", wari_move_letter(analysis.moves[0].move.pit, setup.north_to_move));
    printf("\n");
    fclose(file);
    return 0;
}
