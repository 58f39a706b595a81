/* The levels that a catalogue lists, and the check before it is written. */
#include "db/catalogue/catalogue.h"

#include <stdio.h>

#include "index/half.h"
#include "index/level.h"

int wari_catalogue_next(int seeds)
{
    seeds++;
    return seeds > WARI_SEEDS_MAX || wari_level_exists(seeds) ? seeds : seeds + 1;
}

bool wari_catalogue_lists(const struct wari_catalogue *catalogue, int seeds)
{
    return wari_level_exists(seeds) && seeds <= catalogue->seeds_max;
}

bool wari_catalogue_has(const struct wari_catalogue *catalogue, int seeds)
{
    return wari_catalogue_lists(catalogue, seeds) && !catalogue->missing[seeds];
}

int wari_catalogue_usable(const struct wari_catalogue *catalogue)
{
    int last = -1;
    for (int n = 0; wari_catalogue_has(catalogue, n); n = wari_catalogue_next(n))
        last = n;
    return last;
}

int wari_catalogue_next_lacking(const struct wari_catalogue *catalogue, int seeds)
{
    do
        seeds = wari_catalogue_next(seeds);
    while (wari_catalogue_has(catalogue, seeds));
    return seeds;
}

const char *wari_missing_text(const bool missing[WARI_SEEDS_MAX + 1], char text[WARI_MISSING_TEXT])
{
    char ranges[WARI_MISSING_TEXT - 40] = "";
    int used = 0, count = 0;
    for (int n = 0; n <= WARI_SEEDS_MAX; n = wari_catalogue_next(n)) {
        const int first = n;
        if (!missing[n])
            continue;
        count++;
        for (int next = wari_catalogue_next(n); next <= WARI_SEEDS_MAX && missing[next];
             next = wari_catalogue_next(n)) {
            n = next;
            count++;
        }
        used += snprintf(ranges + used, sizeof ranges - (size_t)used,
                         n > first ? "%s%d to %d" : "%s%d", used > 0 ? ", " : "", first, n);
    }
    snprintf(text, WARI_MISSING_TEXT, "level%s %s %s listed but missing", count > 1 ? "s" : "",
             ranges, count > 1 ? "are" : "is");
    return text;
}

enum wari_status wari_catalogue_check(const struct wari_catalogue *catalogue,
                                      struct wari_error *error)
{
    int last = catalogue->seeds_max;
    if (wari_get_rules_info(catalogue->variant.rules) == NULL ||
        wari_cycle_name(catalogue->variant.cycle) == NULL)
        return wari_fail(error, WARI_BAD_INPUT,
                         "the catalogue is of a rule set or cycle rule that does not exist");
    if (!wari_level_exists(last))
        return wari_fail(error, WARI_BAD_INPUT,
                         "the last level of a catalogue is 0 to 46 or 48, not %d", last);

    for (int n = 0; n <= last; n = wari_catalogue_next(n)) {
        uint64_t left = wari_level_placements(n);
        for (int v = -WARI_SEEDS_MAX; v <= WARI_SEEDS_MAX; v++) {
            uint64_t count = catalogue->level[n].histogram[v + WARI_SEEDS_MAX];
            if ((count > 0 && (v < -n || v > n)) || count > left)
                return wari_fail(error, WARI_BAD_INPUT,
                                 "the histogram of level %d: value %d cannot occur %llu times", n,
                                 v, (unsigned long long)count);
            left -= count;
        }
        if (left != 0)
            return wari_fail(error, WARI_BAD_INPUT,
                             "the histogram of level %d is short of %llu placements", n,
                             (unsigned long long)left);
    }
    return WARI_OK;
}
