/* A reader of level files that follows db/FORMAT.md literally: it writes out every position,
 * searches for every neighbour among the positions themselves, and uses no tables. */
#include "tests/reference/plain_reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { CHUNK = 8192, LANES = 4, BEYOND = 1 << 20 };

struct level {
    int n;
    int64_t positions;
    uint8_t (*pits)[12]; /* the twelve counts of each position, in index order */
    int64_t *row_start;  /* number of the first position in the same row */
    int64_t *row_length;
    bool *first_row; /* true if the row is the first of its block */
};

static uint64_t number(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- Positions in order ---- */

static bool next_half(uint8_t *half, int seeds)
{
    /* Computes the next half in lexicographic order. Finds the last pit that is followed by a pit
     * with seeds, adds one of the seeds after it to this pit, and moves all others to the last pit.
     */
    int behind = half[5];
    for (int pit = 4; pit >= 0; pit--) {
        if (behind > 0) {
            half[pit]++;
            for (int i = pit + 1; i < 5; i++)
                half[i] = 0;
            half[5] = (uint8_t)(behind - 1);
            return true;
        }
        behind += half[pit];
    }
    (void)seeds;
    return false;
}

static bool is_full(const uint8_t *half)
{
    for (int i = 0; i < 6; i++)
        if (half[i] == 0)
            return false;
    return true;
}

static void add_row(struct level *level, const uint8_t *opponent, int seeds, bool first_row)
{
    uint8_t mover[6] = {0, 0, 0, 0, 0, (uint8_t)seeds};
    const int64_t start = level->positions;
    do {
        const int64_t i = level->positions++;
        memcpy(level->pits[i], mover, 6);
        memcpy(level->pits[i] + 6, opponent, 6);
        level->row_start[i] = start;
        level->first_row[i] = first_row;
    } while (next_half(mover, seeds));
    for (int64_t i = start; i < level->positions; i++)
        level->row_length[i] = level->positions - start;
}

static void list_positions(struct level *level)
{
    for (int s = 0; s <= level->n; s++) {
        uint8_t opponent[6] = {0, 0, 0, 0, 0, (uint8_t)s};
        bool first_row = true;
        do {
            if (is_full(opponent))
                continue;
            add_row(level, opponent, level->n - s, first_row);
            first_row = false;
        } while (next_half(opponent, s));
    }
}

/* ---- Properties of a cell ---- */

/* Returns the largest capture of a sowing of at most 11 seeds; a grand slam counts 0. */
static int capture_at_hand(const uint8_t *pits)
{
    int best = 0;
    for (int pit = 0; pit < 6; pit++) {
        uint8_t board[12];
        const int seeds = pits[pit];
        const int last = pit + seeds;
        int taken = 0, there = 0;
        if (seeds == 0 || seeds > 11 || last < 6 || last > 11)
            continue;
        memcpy(board, pits, 12);
        for (int i = pit + 1; i <= last; i++)
            board[i]++;
        for (int i = 6; i < 12; i++)
            there += board[i];
        for (int i = last; i >= 6 && (board[i] == 2 || board[i] == 3); i--)
            taken += board[i];
        if (taken != there && taken > best)
            best = taken;
    }
    return best;
}

/* Returns the distance, backwards in the row, to the position in which a seed of `pit` is in the
 * next pit. */
static int64_t distance_from(const struct level *level, int64_t cell, int pit)
{
    uint8_t required[12];
    memcpy(required, level->pits[cell], 12);
    if (required[pit] == 0)
        return BEYOND;
    required[pit]--;
    required[pit + 1]++;
    for (int64_t i = cell; i >= level->row_start[cell] && cell - i < CHUNK; i--)
        if (memcmp(level->pits[i], required, 12) == 0)
            return cell - i;
    return BEYOND;
}

static int64_t distance_up(const struct level *level, int64_t cell)
{
    const int64_t length = level->row_length[cell];
    return level->first_row[cell] || length >= CHUNK ? BEYOND : length;
}

/* ---- Decoding ---- */

struct model {
    int n;
    const uint8_t *bytes;
};

static int frequency(const struct model *model, int context, int symbol)
{
    return (int)number(model->bytes + 2 * (context * (2 * model->n + 2) + symbol), 2);
}

static int classes(int n, int spread)
{
    return spread < 4 ? 2 * n + 1 : n + 1;
}

static int find_context(const struct model *model, int sum, int squares, int capture)
{
    static const int from[] = {0, 1, 5, 21, 85, 170};
    const int n = model->n;
    const int variance = squares - sum * sum / 6;
    int spread = 0, first = 0;
    while (spread < 5 && variance >= from[spread + 1])
        first += classes(n, spread++);
    int guess = sum + 6 * capture;
    guess = guess > 6 * n ? 6 * n : guess < -6 * n ? -6 * n : guess;
    guess = (guess + 6 * n + 3) / 6;
    const int middle = spread < 4 ? n : n / 2;
    int class = spread < 4 ? guess : guess / 2;
    for (;;) {
        int all = 0;
        for (int symbol = 0; symbol < 2 * n + 2; symbol++)
            all += frequency(model, first + class, symbol);
        if (all > 0 || class == middle)
            return first + class;
        class += class < middle ? 1 : -1;
    }
}

struct stream {
    const uint8_t *bytes;
    size_t at, size;
};

static uint32_t refill(uint32_t state, struct stream *stream)
{
    if (state >= 65536 || stream->at + 2 > stream->size)
        return state;
    state = state << 16 | (uint32_t)number(stream->bytes + stream->at, 2);
    stream->at += 2;
    return state;
}

static int decode_value(const struct model *model, int context, uint32_t *state,
                        struct stream *stream)
{
    const int place = (int)(*state % 1024);
    int symbol = 0, start = 0;
    while (place >= start + frequency(model, context, symbol))
        start += frequency(model, context, symbol++);
    *state =
        (uint32_t)frequency(model, context, symbol) * (*state / 1024) + (uint32_t)(place - start);
    *state = refill(*state, stream);
    if (symbol > 0)
        return symbol - 1 - model->n;
    const int value = (int)(*state % 128) - 64;
    *state = refill(*state / 128, stream);
    return value;
}

/* Positions that are decoded together. */
struct chunk {
    const struct level *level;
    const struct model *model;
    int64_t first, count;
    int64_t lane_length;
};

static int decode_cell(const struct chunk *chunk, int64_t cell, const int8_t *values,
                       uint32_t *state, struct stream *stream)
{
    const struct level *level = chunk->level;
    const struct model *model = chunk->model;
    const int64_t lane_length = chunk->lane_length;
    const int64_t done = (cell - chunk->first) % lane_length;
    const bool first_lane = cell - chunk->first < lane_length;
    int64_t distance[5] = {0}, one_there = 0, last_there = 0;
    for (int k = 0; k < 4; k++)
        distance[k] = distance_from(level, cell, 3 - k);
    distance[4] = distance_up(level, cell);
    for (int k = 0; k < 5; k++) {
        const int64_t d = distance[k];
        const bool there =
            d <= done || (!first_lane && d >= lane_length && d <= lane_length + done);
        if (!there) {
            distance[k] = 0;
            continue;
        }
        one_there = one_there == 0 ? d : one_there;
        last_there = d;
    }
    const int64_t before = done > 0 ? 1 : 0;
    one_there = one_there == 0 ? before : one_there;
    last_there = last_there == 0 ? before : last_there;
    const int64_t instead[5] = {one_there, last_there, before, one_there, last_there};
    int sum = 0, squares = 0;
    for (int k = -1; k < 5; k++) {
        const int64_t d = k < 0 ? before : distance[k] > 0 ? distance[k] : instead[k];
        const int r = d == 0 ? 0 : values[cell - d] - capture_at_hand(level->pits[cell - d]);
        sum += r;
        squares += r * r;
    }
    const int capture = capture_at_hand(level->pits[cell]);
    return decode_value(model, find_context(model, sum, squares, capture), state, stream);
}

static bool decode_chunk(const struct chunk *chunk, const uint8_t *bytes, size_t size,
                         int8_t *values)
{
    struct stream stream = {bytes, 16, size};
    uint32_t state[LANES];
    for (int lane = 0; lane < LANES; lane++)
        state[lane] = (uint32_t)number(bytes + 4 * lane, 4);
    for (int64_t step = 0; step < chunk->lane_length; step++)
        for (int lane = 0; lane < LANES; lane++) {
            const int64_t cell = chunk->first + lane * chunk->lane_length + step;
            if (cell < chunk->first + chunk->count)
                values[cell] = (int8_t)decode_cell(chunk, cell, values, &state[lane], &stream);
        }
    for (int lane = 0; lane < LANES; lane++)
        if (state[lane] != 65536)
            return false;
    return stream.at == size;
}

/* ---- The file ---- */

static bool decode_file(const uint8_t *file, const struct level *level, const struct model *model,
                        int8_t *values)
{
    const uint64_t chunks = number(file + 48, 8);
    const int64_t stored = (int64_t)number(file + 96, 8);
    uint64_t start = 128 + 16 * chunks + number(file + 80, 8);
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t end = number(file + 128 + 16 * chunk, 8);
        struct chunk one = {.level = level, .model = model, .first = (int64_t)chunk * CHUNK};
        one.count = stored - one.first < CHUNK ? stored - one.first : CHUNK;
        one.lane_length = (one.count + LANES - 1) / LANES;
        if (!decode_chunk(&one, file + start, end - start, values))
            return false;
        start = end;
    }
    return true;
}

int64_t plain_read_level(const uint8_t *file, size_t size, int8_t *values)
{
    const size_t positions = number(file + 40, 8);
    struct level level = {.n = (int)number(file + 24, 4)};
    struct model model = {.n = level.n};
    const int contexts = 4 * (2 * level.n + 1) + 2 * (level.n + 1);
    const size_t plain_size = (size_t)contexts * (size_t)(2 * level.n + 2) * 2;
    uint8_t *plain = malloc(plain_size);
    int64_t result = -1;
    level.pits = malloc(positions * sizeof *level.pits);
    level.row_start = malloc(positions * sizeof *level.row_start);
    level.row_length = malloc(positions * sizeof *level.row_length);
    level.first_row = malloc(positions * sizeof *level.first_row);
    model.bytes = plain;
    if (plain && level.pits && level.row_start && level.row_length && level.first_row &&
        number(file + 8, 4) == 2 && number(file + 56, 8) == size) {
        const size_t got = ZSTD_decompress(
            plain, plain_size, file + 128 + 16 * number(file + 48, 8), number(file + 80, 8));
        list_positions(&level);
        if (got == plain_size && level.positions == (int64_t)positions &&
            decode_file(file, &level, &model, values))
            result = (int64_t)number(file + 96, 8);
    }
    free(plain);
    free(level.pits);
    free(level.row_start);
    free(level.row_length);
    free(level.first_row);
    return result;
}
