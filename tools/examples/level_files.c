/* Prints the values of positions from the level files of a folder, without libwari:
 * level_files FOLDER VARIANT SEEDS <POSITIONS
 *     make amalgamation
 *     cc -Ibuild/amalgamation -o level_files level_files.c -lzstd
 *     echo "1 1 1 1 1 1 / 1 1 1 1 1 1" | ./level_files tables "awari even" 12
 * SEEDS is the highest level that is opened. wari_levels.h describes how to compile without -lzstd.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WARI_LEVELS_IMPLEMENTATION
#include "wari_levels.h"

static int read_file(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    FILE *file = (FILE *)context;
    return fseek(file, (long)offset, SEEK_SET) != 0 || fread(buffer, 1, bytes, file) != bytes;
}

/* Opens the file of a level. `path` must remain valid as long as the level is used. */
static enum wari_status open_file(struct wari_open_level *levels, int seeds,
                                  struct wari_variant variant, const char *path,
                                  struct wari_error *error)
{
    struct wari_book_source source;
    FILE *file = fopen(path, "rb"); /* stays open until the program ends */
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return wari_fail(error, WARI_IO, "%s: cannot open this file", path);
    source.read = read_file;
    source.context = file;
    source.size = (uint64_t)ftell(file);
    source.name = path;
    return wari_levels_open(levels, seeds, variant, &source, ZSTD_decompress, error);
}

static enum wari_status open_files(struct wari_open_level *levels, int count,
                                   struct wari_variant variant, const char *folder,
                                   struct wari_error *error)
{
    static char paths[WARI_SEEDS_MAX + 1][1024];
    enum wari_status status = WARI_OK;
    for (int seeds = 0; seeds < count && status == WARI_OK; seeds++) {
        char name[WARI_LEVELS_NAME];
        if (seeds == 47)
            continue; /* there is no such level */
        wari_levels_name(variant, seeds, name);
        snprintf(paths[seeds], sizeof paths[seeds], "%s/%s", folder, name);
        status = open_file(levels, seeds, variant, paths[seeds], error);
    }
    return status;
}

static enum wari_status print_values(struct wari_open_level *levels, int count,
                                     struct wari_error *error)
{
    char line[256];
    enum wari_status status = WARI_OK;
    while (status == WARI_OK && fgets(line, sizeof line, stdin) != NULL) {
        struct wari_setup setup;
        int value = 0;
        status = wari_setup_parse(line, &setup, error);
        if (status == WARI_OK)
            status = wari_levels_value(levels, count, &setup.position, &value, error);
        if (status == WARI_OK)
            printf("%d\n", value);
    }
    return status;
}

int main(int argc, char **argv)
{
    static struct wari_open_level levels[WARI_SEEDS_MAX + 1];
    struct wari_variant variant;
    struct wari_error error;
    const int count = argc == 4 ? atoi(argv[3]) + 1 : 0;
    if (count < 1 || count > WARI_SEEDS_MAX + 1) {
        fprintf(stderr, "usage: level_files FOLDER VARIANT SEEDS <POSITIONS\n");
        return 2;
    }
    if (wari_variant_parse(argv[2], NULL, &variant, NULL, &error) != WARI_OK ||
        open_files(levels, count, variant, argv[1], &error) != WARI_OK ||
        print_values(levels, count, &error) != WARI_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return 0;
}
