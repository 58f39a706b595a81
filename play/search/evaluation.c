/* The network, computed in integers, eight units at a time. The code uses the vector types of the
 * compiler, because the compiler does not vectorise plain loops over all pits and units. Vectors of
 * 32 bytes would save only another 2 % of the time of a search. */
#include "play/search/evaluation.h"

#include <string.h>

#include "play/search/search.h"

enum { SEED = WARI_SEED_SCORE };

/* Eight units fill 16 bytes, the size of vector registers that most processors have. Elsewhere the
 * compiler uses several registers. The type is unsigned, so that no sum is undefined. */
typedef uint16_t eight_units __attribute__((vector_size(16)));

enum { LANES = 8, VECTORS = WARI_UNITS / LANES };

/* Adds the weights of the pits of a row. `numbers` points to the weights of the row's first pit. */
static inline void add_row(eight_units units[VECTORS], const int16_t *numbers, uint64_t row)
{
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        unsigned count = row & 0xFF;
        count = count < WARI_UNIT_COUNTS ? count : WARI_UNIT_COUNTS - 1;
        for (int i = 0; i < VECTORS; i++) {
            eight_units weights;
            memcpy(&weights, numbers + count * WARI_UNITS + i * LANES, sizeof weights);
            units[i] += weights;
        }
        numbers += WARI_UNIT_COUNTS * WARI_UNITS;
        row >>= 8;
    }
}

/* Returns the sum of the clamped units multiplied by `out`. */
static inline int output(const int16_t units[WARI_UNITS], const int16_t out[WARI_UNITS])
{
    int sum = 0;
    for (int i = 0; i < WARI_UNITS; i++) {
        int16_t unit = units[i] > 0 ? units[i] : 0;
        unit = unit < WARI_UNIT_ONE ? unit : WARI_UNIT_ONE;
        sum += unit * out[i];
    }
    return sum;
}

int wari_evaluate(const struct wari_evaluation *evaluation, const struct wari_search_board *board)
{
    enum { ROW = WARI_HALF_PITS * WARI_UNIT_COUNTS * WARI_UNITS };
    eight_units units[VECTORS];
    int16_t values[WARI_UNITS];
    const int seeds = wari_search_board_seeds(board);
    memcpy(units, evaluation->levels + seeds / 2 * WARI_UNITS, sizeof units);
    add_row(units, evaluation->pits, board->rows[0]);
    add_row(units, evaluation->pits + ROW, board->rows[1]);
    memcpy(values, units, sizeof values);
    const int score = output(values, evaluation->out) / WARI_OUTPUT_ONE + evaluation->bias;
    const int most = SEED * seeds;
    return score > most ? most : score < -most ? -most : score;
}
