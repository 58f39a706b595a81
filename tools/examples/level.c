/* Reads a whole level in bulk: level FOLDER RULES CYCLE SEEDS
 *     cc -o level level.c $(pkg-config --cflags --libs wari)
 *
 * Prints how many of its positions are won, drawn and lost for the player to move, and the first
 * position with the highest value. wari_values() reads many values at a time; wari_position_next()
 * steps from each position to the next one.
 */
#include <stdio.h>

#include <wari.h>

struct statistics {
    uint64_t won, drawn, lost;
    int best;
    struct wari_position best_position;
};

static void count(struct statistics *statistics, int value, const struct wari_position *position)
{
    statistics->won += value > 0;
    statistics->drawn += value == 0;
    statistics->lost += value < 0;
    if (value > statistics->best) {
        statistics->best = value;
        statistics->best_position = *position;
    }
}

static enum wari_status read_level(struct wari_db *db, int seeds, struct statistics *statistics,
                                   struct wari_error *error)
{
    enum { VALUES_AT_A_TIME = 1 << 16 };
    static int8_t values[VALUES_AT_A_TIME];
    struct wari_position position;
    uint64_t size = wari_level_size(seeds);
    enum wari_status status = wari_position_numbered(seeds, 0, &position, error);

    for (uint64_t first = 0; first < size && status == WARI_OK; first += VALUES_AT_A_TIME) {
        uint64_t left = size - first;
        size_t read = left < VALUES_AT_A_TIME ? (size_t)left : VALUES_AT_A_TIME;
        status = wari_values(db, seeds, first, read, values, error);
        for (size_t i = 0; i < read && status == WARI_OK; i++) {
            count(statistics, values[i], &position);
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
    struct statistics statistics = {.best = -WARI_SEEDS_MAX - 1};
    int seeds = 0;

    if (argc != 5 || sscanf(argv[4], "%d", &seeds) != 1) {
        fprintf(stderr, "usage: level FOLDER RULES CYCLE SEEDS\n");
        return 2;
    }
    enum wari_status status = wari_variant_parse(argv[2], argv[3], &variant, NULL, &error);
    if (status == WARI_OK)
        status = wari_open(&db, argv[1], &variant, NULL, &error);
    if (status == WARI_OK)
        status = read_level(db, seeds, &statistics, &error);
    wari_close(db);
    if (status != WARI_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }

    char text[WARI_POSITION_TEXT];
    wari_position_text(&statistics.best_position, text);
    printf("won %llu, drawn %llu, lost %llu; first worth %d: %s\n",
           (unsigned long long)statistics.won, (unsigned long long)statistics.drawn,
           (unsigned long long)statistics.lost, statistics.best, text);
    return 0;
}
