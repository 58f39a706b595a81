/* Converts counts to frequencies. The most frequent symbols of a context come first, because a
 * decoder compares with one symbol after the other. Symbols whose frequency would be less than
 * 1/2 are left out. Their values are written with the escape, which every context has, so any
 * value can be written. */
#include "db/maintain/bind_model.h"

#include <stdlib.h>
#include <string.h>

#include "db/book/block.h"
#include "db/host/bytes.h"

enum {
    WHOLE = 1 << WARI_BOOK_SCALE,
    SYMBOLS = 31, /* maximum number of symbols of a context, not counting the escape */
};

struct symbol {
    int difference;
    uint64_t count;
};

/* Sorts by count, larger counts first. Equal counts are sorted by difference, so that the result is
 * unique. */
static int compare(const void *left, const void *right)
{
    const struct symbol *one = left, *other = right;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return one->difference - other->difference;
}

/* Chooses the symbols that get a frequency. Sets *all to the number of all occurrences, and
 * *rest to the number of occurrences of symbols that get no frequency. */
static int choose(const uint64_t *count, struct symbol *symbols, uint64_t *all, uint64_t *rest)
{
    int chosen = 0;
    *all = 0;
    for (int i = 0; i < WARI_DIFFERENCES; i++) {
        symbols[i].difference = i - WARI_DIFFERENCE_MAX;
        symbols[i].count = count[i];
        *all += count[i];
    }
    qsort(symbols, WARI_DIFFERENCES, sizeof *symbols, compare);
    *rest = *all;
    while (chosen < SYMBOLS && symbols[chosen].count > 0 &&
           symbols[chosen].count * (2 * WHOLE) >= *all)
        *rest -= symbols[chosen++].count;
    return chosen;
}

/* Returns the frequency count / all in units of 1/4096, rounded, at least 1. Counts are below
 * 2^39, so nothing overflows. */
static uint32_t share(uint64_t count, uint64_t all)
{
    const uint64_t rounded = (count * WHOLE + all / 2) / all;
    return rounded > 0 ? (uint32_t)rounded : 1;
}

static void make_context(const uint64_t *count, struct wari_book_symbol *of,
                         struct wari_book_symbol *escape, uint8_t *symbols_of, uint8_t **at)
{
    struct symbol symbols[WARI_DIFFERENCES];
    uint32_t frequency[SYMBOLS + 1];
    uint64_t all, rest;
    const int chosen = choose(count, symbols, &all, &rest);
    uint32_t sum = frequency[chosen] = chosen > 0 ? share(rest, all) : WHOLE;
    uint32_t start = 0;
    for (int i = 0; i < chosen; i++)
        sum += frequency[i] = share(symbols[i].count, all);
    /* Corrects the rounding error, beginning with the largest frequency, for which the relative
     * change is smallest. */
    for (int i = 0; sum != WHOLE; i = (i + 1) % chosen) {
        if (sum < WHOLE) {
            frequency[i] += WHOLE - sum;
            sum = WHOLE;
        } else if (frequency[i] > 1) {
            frequency[i]--;
            sum--;
        }
    }
    *symbols_of = (uint8_t)(chosen + 1);
    for (int i = 0; i <= chosen; i++) {
        struct wari_book_symbol *to =
            i < chosen ? &of[symbols[i].difference + WARI_DIFFERENCE_MAX] : escape;
        *to = (struct wari_book_symbol){(uint16_t)frequency[i], (uint16_t)start};
        start += frequency[i];
        (*at)[0] = i < chosen ? (uint8_t)symbols[i].difference : (uint8_t)WARI_BOOK_ESCAPE;
        wari_store16(*at + 1, (uint16_t)frequency[i]);
        *at += WARI_SYMBOL_BYTES;
    }
}

void wari_book_model(const struct wari_book_counts *counts, struct wari_book_symbols *shares,
                     uint8_t bytes[WARI_BOOK_MODEL], size_t *size)
{
    uint8_t *at = bytes + WARI_BOOK_CONTEXTS;
    memset(shares, 0, sizeof *shares);
    for (int i = 0; i < WARI_BOOK_CONTEXTS; i++)
        make_context(counts->count[i], shares->of[i], &shares->escape[i], &bytes[i], &at);
    *size = (size_t)(at - bytes);
}
