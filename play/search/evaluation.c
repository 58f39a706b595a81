/* The network, computed in integers. Loops over units have a fixed length, so that the compiler
 * can vectorise them. */
#include "play/search/evaluation.h"

#include <string.h>

#include "play/search/search.h"

enum { SEED = WARI_SEED_SCORE };

int wari_evaluate(const struct wari_evaluation *evaluation, const struct wari_search_board *board)
{
    int16_t units[WARI_UNITS];
    int seeds = wari_search_board_seeds(board);
    int sum = 0;
    memcpy(units, evaluation->levels + seeds / 2 * WARI_UNITS, sizeof units);
    for (int pit = 0; pit < WARI_PITS; pit++) {
        int count = wari_row_pit(board->rows[pit / WARI_HALF_PITS], pit % WARI_HALF_PITS);
        count = count < WARI_UNIT_COUNTS ? count : WARI_UNIT_COUNTS - 1;
        const int16_t *numbers = evaluation->pits + (pit * WARI_UNIT_COUNTS + count) * WARI_UNITS;
        for (int i = 0; i < WARI_UNITS; i++)
            units[i] = (int16_t)(units[i] + numbers[i]);
    }
    for (int i = 0; i < WARI_UNITS; i++) {
        int16_t unit = units[i] > 0 ? units[i] : 0;
        unit = unit < WARI_UNIT_ONE ? unit : WARI_UNIT_ONE;
        sum += unit * evaluation->out[i];
    }
    int score = sum / WARI_OUTPUT_ONE + evaluation->bias;
    int most = SEED * seeds;
    return score > most ? most : score < -most ? -most : score;
}
