/* Gradient descent on the squared error, averaged over batches (Adam: Kingma and Ba, 2015).
 * Everything happens in one thread and in a fixed order, so that the same samples give the same
 * weights. */
#include "tools/learn/network.h"

#include <math.h>
#include <string.h>

#include "play/engine/match.h"

enum { MINIBATCH = 512, ACTIVE = WARI_PITS + 1 };

/* A value of one seed is 1/8 in the network, so that its outputs are of the order of 1. */
static const float seed_size = 1.0F / 8;

static float random_number(uint64_t *state, float size)
{
    return size * ((float)(wari_match_random(state) % 65536) / 32768 - 1);
}

void network_begin(struct network *network, uint64_t seed)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15;
    memset(network, 0, sizeof *network);
    for (int i = 0; i < NETWORK_PITS; i++)
        network->numbers[i] = random_number(&state, 0.1F);
    for (int i = 0; i < NETWORK_LEVELS; i++)
        network->numbers[NETWORK_PITS + i] = 0.4F;
    for (int i = 0; i < WARI_UNITS; i++)
        network->numbers[NETWORK_PITS + NETWORK_LEVELS + i] = random_number(&state, 0.5F);
}

/* Computes the offsets of the weights for a position's pits and level. */
static void find_rows(const struct wari_position *position, int rows[ACTIVE])
{
    for (int pit = 0; pit < WARI_PITS; pit++) {
        int count = position->pits[pit];
        count = count < WARI_UNIT_COUNTS ? count : WARI_UNIT_COUNTS - 1;
        rows[pit] = (pit * WARI_UNIT_COUNTS + count) * WARI_UNITS;
    }
    rows[WARI_PITS] = NETWORK_PITS + wari_seeds(position) / 2 * WARI_UNITS;
}

/* Adds the gradient of a sample to that of its batch. */
static void add_slope(const struct network *network, const struct sample *sample, float *slopes)
{
    const float *out = network->numbers + NETWORK_PITS + NETWORK_LEVELS;
    float *out_slopes = slopes + NETWORK_PITS + NETWORK_LEVELS;
    float units[WARI_UNITS] = {0}, back[WARI_UNITS];
    int rows[ACTIVE];
    float sum = network->numbers[NETWORK_NUMBERS - 1];
    find_rows(&sample->position, rows);
    for (int k = 0; k < ACTIVE; k++)
        for (int i = 0; i < WARI_UNITS; i++)
            units[i] += network->numbers[rows[k] + i];
    for (int i = 0; i < WARI_UNITS; i++) {
        back[i] = units[i] > 0 && units[i] < 1 ? out[i] : 0;
        units[i] = units[i] < 0 ? 0 : units[i] > 1 ? 1 : units[i];
        sum += units[i] * out[i];
    }
    float absolute_error = sum - sample->value * seed_size;
    slopes[NETWORK_NUMBERS - 1] += absolute_error;
    for (int i = 0; i < WARI_UNITS; i++) {
        out_slopes[i] += absolute_error * units[i];
        back[i] *= absolute_error;
    }
    for (int k = 0; k < ACTIVE; k++)
        for (int i = 0; i < WARI_UNITS; i++)
            slopes[rows[k] + i] += back[i];
}

/* Makes one step of Adam and clears the gradient. */
static void make_step(struct network *network, float *slopes, float rate)
{
    const float keep_mean = 0.9F, keep_square = 0.999F, least = 1e-8F;
    network->steps++;
    float mean_share = 1 - powf(keep_mean, (float)network->steps);
    float square_share = 1 - powf(keep_square, (float)network->steps);
    for (int i = 0; i < NETWORK_NUMBERS; i++) {
        float slope = slopes[i] / MINIBATCH;
        slopes[i] = 0;
        network->means[i] = keep_mean * network->means[i] + (1 - keep_mean) * slope;
        network->squares[i] = keep_square * network->squares[i] + (1 - keep_square) * slope * slope;
        network->numbers[i] -= rate * (network->means[i] / mean_share) /
                               (sqrtf(network->squares[i] / square_share) + least);
    }
}

void network_learn(struct network *network, const struct sample *samples, const uint32_t *order,
                   size_t count, float rate)
{
    float slopes[NETWORK_NUMBERS] = {0};
    for (size_t i = 0; i < count; i++) {
        add_slope(network, &samples[order[i]], slopes);
        if ((i + 1) % MINIBATCH == 0)
            make_step(network, slopes, rate);
    }
}

static int16_t whole(float number)
{
    float most = 32000.0F / (WARI_PITS + 1);
    number = number > most ? most : number < -most ? -most : number;
    return (int16_t)lrintf(number);
}

void network_round(const struct network *network, struct wari_evaluation *evaluation)
{
    const float *numbers = network->numbers;
    int16_t *pits = evaluation->pits, *levels = evaluation->levels;
    const int first_learned = SAMPLE_SEEDS_MIN / 2 * WARI_UNITS;
    const float hundredths = 100 / seed_size;
    for (int i = 0; i < NETWORK_PITS; i++)
        pits[i] = whole(numbers[i] * WARI_UNIT_ONE);
    for (int i = 0; i < NETWORK_LEVELS; i++) {
        const int learned = i >= first_learned ? i : first_learned + i % WARI_UNITS;
        levels[i] = whole(numbers[NETWORK_PITS + learned] * WARI_UNIT_ONE);
    }
    for (int i = 0; i < WARI_UNITS; i++)
        evaluation->out[i] = (int16_t)lrintf(numbers[NETWORK_PITS + NETWORK_LEVELS + i] *
                                             hundredths * WARI_OUTPUT_ONE / WARI_UNIT_ONE);
    evaluation->bias = (int16_t)lrintf(numbers[NETWORK_NUMBERS - 1] * hundredths);
}
