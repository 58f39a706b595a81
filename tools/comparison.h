/* Two databases of one folder, value by value. */
#ifndef TOOLS_COMPARE_COMPARISON_H
#define TOOLS_COMPARE_COMPARISON_H

#include <stdint.h>

#include "db/catalogue/catalogue.h"

enum { EXAMPLES_KEPT = 3 }; /* differing positions shown of each level */

struct example {
    struct wari_position position;
    int value[2];
};

/* How the values of one level differ, over its stored positions. */
struct level_comparison {
    int seeds;
    uint64_t positions;
    uint64_t differ;
    uint64_t distance;      /* sum of |value[0] - value[1]| */
    int largest;            /* largest |value[0] - value[1]| */
    uint64_t outcome[3][3]; /* positions lost, drawn, won in one and in the other */
    int kept;
    struct example example[EXAMPLES_KEPT]; /* the first in index order */
};

/* Positions whose outcome (lost, drawn, won) is not the same in both. */
uint64_t comparison_outcomes(const struct level_comparison *level);

/* Reads both level files from end to end, side by side, and checks each block's hash on the way.
 * `record` is what the two catalogues know of the level. */
WARI_MUST_CHECK enum wari_status comparison_level(const char *folder, int seeds,
                                                  const struct wari_variant variant[2],
                                                  const struct wari_level_record *const record[2],
                                                  struct level_comparison *level,
                                                  struct wari_error *error);

#endif
