/* The words of gathers, cut at whole bytes. */
#include "solver/bits/bits.h"

/* Words there are for each hundred strips, at most: 2.2 at 24 seeds, 2.5 at 36, 2.8 at 48, taken
 * over all gathers of a level. Each of a small one may take one more. */
enum { WORDS_A_HUNDRED_STRIPS = 290 };

/* Words, and their ends. */
static uint64_t words_at_most(const struct wari_layout *layout, uint64_t *ends)
{
    uint64_t words = 0;

    *ends = 0;
    for (int block = 0; block <= layout->seeds; block++) {
        const uint32_t strips = wari_bits_strips(layout, block);
        for (int sown = 0; sown <= WARI_SOWN_MAX && wari_pair_occurs(layout->seeds, block, sown);
             sown++) {
            words += (uint64_t)strips * WORDS_A_HUNDRED_STRIPS / 100 + 2;
            *ends += wari_bits_runs(layout, block) + 1;
        }
    }
    return words;
}

#define GATHERS_BYTES ((WARI_SEEDS_MAX + 1) * sizeof(struct wari_bit_gather[WARI_SOWN_MAX + 1]))

uint64_t wari_bits_words_bytes(const struct wari_layout *layout)
{
    uint64_t ends;
    const uint64_t words = words_at_most(layout, &ends);

    return GATHERS_BYTES + words * sizeof(struct wari_bit_word) + ends * sizeof(uint32_t);
}

/* Cuts one strip; returns the number of words. */
static uint32_t cut_strip(const struct wari_gather *gather, uint32_t strip,
                          struct wari_bit_word *words)
{
    struct wari_bit_word *word = words - 1;
    uint16_t place = 0;

    for (uint32_t i = gather->first_word[strip]; i < gather->first_word[strip + 1]; i++) {
        for (uint64_t mask = gather->word[i].mask; mask != 0; mask &= mask - 1, place++) {
            const uint32_t column = gather->word[i].column + (uint32_t)__builtin_ctzll(mask);
            if (word < words || column - 8 * word->byte >= 64)
                *++word = (struct wari_bit_word){.byte = column / 8,
                                                 .start = place,
                                                 .strip = (uint16_t)(strip % WARI_BITS_STRIPS)};
            word->mask |= UINT64_C(1) << (column - 8 * word->byte);
        }
    }
    return (uint32_t)(word + 1 - words);
}

enum wari_status wari_bits_make_words(struct wari_bits *bits, struct wari_error *error)
{
    const struct wari_level *level = bits->level;
    const struct wari_layout *layout = &level->layout;
    uint64_t ends, words = words_at_most(layout, &ends);
    struct wari_bit_word *word;
    uint32_t *end;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, (size_t)wari_bits_words_bytes(layout),
                      "the sowing maps of a level that is solved by bits", &memory, error);

    if (status != WARI_OK)
        return status;
    bits->gather = memory;
    word = (void *)((char *)memory + GATHERS_BYTES);
    end = (void *)(word + words);
    for (int block = 0; block <= layout->seeds; block++)
        for (int sown = 0; sown <= WARI_SOWN_MAX && wari_pair_occurs(layout->seeds, block, sown);
             sown++) {
            const struct wari_gather *gather =
                &level->tables->gather[WARI_PARENTS_ROWS][block][sown];
            uint32_t count = 0;
            bits->gather[block][sown] = (struct wari_bit_gather){end, word};
            for (uint32_t strip = 0; strip < gather->strips; strip++) {
                if (strip % WARI_BITS_STRIPS == 0)
                    *end++ = count;
                count += cut_strip(gather, strip, word + count);
            }
            *end++ = count;
            word += count;
        }
    return WARI_OK;
}
