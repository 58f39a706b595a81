/* Prints the value of a position and its best move: probe FOLDER "1 1 1 1 1 1 / 1 1 1 1 1 1"
 *     cc -o probe probe.c $(pkg-config --cflags --libs wari)
 * FOLDER must contain one database; level.c shows how to choose one of several.
 */
#include <stdio.h>

#include <wari.h>

int main(int argc, char **argv)
{
    struct wari_db *db = NULL;
    struct wari_setup setup;
    struct wari_analysis analysis;
    struct wari_error error;

    if (argc != 3) {
        fprintf(stderr, "usage: probe FOLDER POSITION\n");
        return 2;
    }
    if (wari_open(&db, argv[1], NULL, NULL, &error) != WARI_OK ||
        wari_setup_parse(argv[2], &setup, &error) != WARI_OK ||
        wari_analyse(db, &setup.position, &analysis, &error) != WARI_OK) {
        fprintf(stderr, "%s\n", error.text);
        wari_close(db);
        return 1;
    }
    printf("value %d", analysis.value);
    if (analysis.count > 0)
        printf(", best move %c", wari_move_letter(analysis.moves[0].move.pit, setup.north_to_move));
    printf("\n");
    wari_close(db);
    return 0;
}
