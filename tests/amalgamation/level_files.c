/* Prints the values of positions from the level files of a folder, with wari_levels.h.
 *
 *     level_files FOLDER VARIANT SEEDS <POSITIONS
 *
 * The functions of wari_levels.h are in another file of the program or, with INCLUDED_AS_STATIC,
 * in this one. For each position, also checks that the value is that of its best move. */
#ifdef INCLUDED_AS_STATIC
#define WARI_API static
#define WARI_LEVELS_IMPLEMENTATION
#endif
#include "wari_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVELS = 10, FILE_MAX = 1 << 20 };

static struct wari_open_level levels[LEVELS];
static uint8_t *bytes_of_level[LEVELS];
static char names[LEVELS][WARI_LEVELS_NAME];
static struct wari_error error;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s (last error: %s)\n", what, error.text);
    exit(1);
}

static int read_bytes(void *context, uint64_t offset, void *buffer, size_t count)
{
    memcpy(buffer, (const uint8_t *)context + offset, count);
    return 0;
}

static void open_file(const char *folder, struct wari_variant variant, int seeds)
{
    char path[1024];
    struct wari_book_source source;
    FILE *file;
    wari_levels_name(variant, seeds, names[seeds]);
    snprintf(path, sizeof path, "%s/%s", folder, names[seeds]);
    file = fopen(path, "rb");
    bytes_of_level[seeds] = (uint8_t *)malloc(FILE_MAX);
    must(file != NULL && bytes_of_level[seeds] != NULL, path);
    source.read = read_bytes;
    source.context = bytes_of_level[seeds];
    source.size = fread(bytes_of_level[seeds], 1, FILE_MAX, file);
    source.name = names[seeds];
    fclose(file);
    must(wari_levels_open(levels, seeds, variant, &source, NULL, &error) == WARI_MISMATCH,
         "no level file is read without zstd");
    must(strstr(error.text, "need zstd") != NULL, "the text names zstd");
    must(wari_levels_open(levels, seeds, variant, &source, ZSTD_decompress, &error) == WARI_OK,
         "the file is opened");
}

static void print_value(const struct wari_position *position, int count)
{
    struct wari_analysis analysis;
    int value = 99;
    must(wari_levels_value(levels, count, position, &value, &error) == WARI_OK, "a value");
    must(wari_levels_analyse(levels, count, position, &analysis, &error) == WARI_OK, "moves");
    must(analysis.value == value, "the value is that of the best move");
    printf("%d\n", value);
}

int main(int argc, char **argv)
{
    struct wari_variant variant;
    char line[128];
    const int count = argc == 4 ? atoi(argv[3]) + 1 : 0;
    if (count < 1 || count > LEVELS)
        return 2;
    must(wari_variant_parse(argv[2], NULL, &variant, NULL, &error) == WARI_OK, "the variant");
    for (int seeds = 0; seeds < count; seeds++)
        open_file(argv[1], variant, seeds);
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct wari_setup setup;
        must(wari_setup_parse(line, &setup, &error) == WARI_OK, line);
        print_value(&setup.position, count);
    }
    for (int seeds = 0; seeds < count; seeds++)
        free(bytes_of_level[seeds]);
    return 0;
}
