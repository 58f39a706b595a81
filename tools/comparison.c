/* Two databases of one folder, value by value. Both store a level in the same order and in chunks
 * of the same size, so that they are read in step, one chunk of each in memory at a time.
 */
#include "tools/comparison.h"

#include <stdlib.h>

#include "db/probe/level_reader.h"
#include "index/level.h"

/* One database while a level of it is read. */
struct side {
    struct wari_level_reader *reader;
    struct wari_decoder *decoder;
    int8_t values[WARI_CHUNK_POSITIONS];
};

static int outcome_of(int value)
{
    return (value > 0) - (value < 0) + 1;
}

uint64_t comparison_outcomes(const struct level_comparison *level)
{
    uint64_t same = level->outcome[0][0] + level->outcome[1][1] + level->outcome[2][2];
    return level->positions - same;
}

static void keep_example(const struct wari_layout *layout, uint64_t number, int one, int other,
                         struct level_comparison *level)
{
    struct example *example = &level->example[level->kept++];
    wari_layout_unrank(layout, number, &example->position);
    example->value[0] = one;
    example->value[1] = other;
}

/* Adds a chunk whose first position has the number `first`. */
static void count_chunk(const struct side sides[2], size_t count, uint64_t first,
                        const struct wari_layout *layout, struct level_comparison *level)
{
    for (size_t i = 0; i < count; i++) {
        int one = sides[0].values[i];
        int other = sides[1].values[i];
        int apart = abs(one - other);
        level->outcome[outcome_of(one)][outcome_of(other)]++;
        if (apart == 0)
            continue;
        if (level->kept < EXAMPLES_KEPT)
            keep_example(layout, first + i, one, other, level);
        level->differ++;
        level->distance += (uint64_t)apart;
        if (apart > level->largest)
            level->largest = apart;
    }
    level->positions += count;
}

static enum wari_status open_side(struct side *side, const char *folder, struct wari_level_key key,
                                  const struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    enum wari_status status = wari_level_reader_open(
        &side->reader, &(struct wari_level_address){host, folder, key}, record, error);
    if (status == WARI_OK)
        status = wari_decoder_create(&side->decoder, host, error);
    return status;
}

enum wari_status comparison_level(const char *folder, int seeds,
                                  const struct wari_variant variant[2],
                                  const struct wari_level_record *const record[2],
                                  struct level_comparison *level, struct wari_error *error)
{
    struct wari_layout layout;
    enum wari_status status = WARI_OK;
    struct side *sides = calloc(2, sizeof *sides);
    if (!sides)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for two blocks of values");

    *level = (struct level_comparison){.seeds = seeds};
    wari_layout_init(&layout, seeds);
    for (int i = 0; i < 2 && status == WARI_OK; i++) {
        struct wari_level_key key = {variant[i], seeds};
        status = open_side(&sides[i], folder, key, record[i], error);
    }
    const uint64_t positions = wari_level_positions(seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    for (uint64_t chunk = 0; chunk < chunks && status == WARI_OK; chunk++) {
        for (int i = 0; i < 2 && status == WARI_OK; i++)
            status = wari_level_reader_chunk(sides[i].reader, sides[i].decoder, chunk,
                                             sides[i].values, error);
        if (status == WARI_OK)
            count_chunk(sides, wari_chunk_size(chunk, positions), chunk * WARI_CHUNK_POSITIONS,
                        &layout, level);
    }
    for (int i = 0; i < 2; i++) {
        if (sides[i].decoder)
            wari_decoder_destroy(sides[i].decoder);
        wari_level_reader_close(sides[i].reader);
    }
    free(sides);
    return status;
}
