/* Reads a whole level in bulk: level FOLDER RULES CYCLE SEEDS
 *     cc -o level level.c $(pkg-config --cflags --libs wari)
 *
 * Prints how many of its positions the player to move wins, draws and loses, and the first of those
 * where the mover wins the most. wari_values() hands over a piece of the level at a time;
 * wari_position_next() goes along from position to position.
 */
#include <stdio.h>

#include <wari.h>

struct tally {
    uint64_t won, drawn, lost;
    int best;
    struct wari_position where;
};

static void count(struct tally *tally, int value, const struct wari_position *position)
{
    tally->won += value > 0;
    tally->drawn += value == 0;
    tally->lost += value < 0;
    if (value > tally->best) {
        tally->best = value;
        tally->where = *position;
    }
}

static enum wari_status walk(struct wari_db *db, int seeds, struct tally *tally,
                             struct wari_error *error)
{
    enum { PIECE = 1 << 16 };
    static int8_t values[PIECE];
    struct wari_position position;
    uint64_t size = wari_level_size(seeds);
    enum wari_status status = wari_position_numbered(seeds, 0, &position, error);

    for (uint64_t first = 0; first < size && status == WARI_OK; first += PIECE) {
        size_t piece = size - first < PIECE ? (size_t)(size - first) : PIECE;
        status = wari_values(db, seeds, first, piece, values, error);
        for (size_t i = 0; i < piece && status == WARI_OK; i++) {
            count(tally, values[i], &position);
            wari_position_next(&position);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    struct wari_db *db = NULL;
    struct wari_variant variant;
    struct wari_error error;
    struct tally tally = {.best = -WARI_SEEDS_MAX - 1};
    bool fixed = false;
    int seeds = 0;

    if (argc != 5 || sscanf(argv[4], "%d", &seeds) != 1) {
        fprintf(stderr, "usage: level FOLDER RULES CYCLE SEEDS\n");
        return 2;
    }
    enum wari_status status = wari_rules_parse(argv[2], &variant, &fixed, &error);
    if (status == WARI_OK)
        status = wari_cycle_parse(argv[3], &variant.cycle, &error);
    if (status == WARI_OK)
        status = wari_open(&db, argv[1], &variant, NULL, &error);
    if (status == WARI_OK)
        status = walk(db, seeds, &tally, &error);
    wari_close(db);
    if (status != WARI_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }

    char text[WARI_POSITION_TEXT];
    wari_position_text(&tally.where, text);
    printf("won %llu, drawn %llu, lost %llu; first worth %d: %s\n", (unsigned long long)tally.won,
           (unsigned long long)tally.drawn, (unsigned long long)tally.lost, tally.best, text);
    return 0;
}
