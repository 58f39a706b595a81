/* Contexts, and the frequencies of values in them.
 *
 * Which context a cell has is settled by the level's number of seeds, and laid out in tables, so
 * that coding looks it up. Frequencies come from counts by integer arithmetic, so the same values
 * give the same model everywhere. A context that seldom comes has none of its own and takes those
 * of the next one towards a guess of 0, which the counts are added to as well.
 */
#include "db/model.h"

#include <string.h>

#include "db/bytes.h"

enum {
    FINE_SPREADS = 4, /* those below tell guesses apart by one seed, the others by two */
    SELDOM = 256,     /* counts that do not pay for a table in the file */
    WORTH_A_SLOT = 2 * WARI_FREQUENCY_SUM, /* one count in so many; rarer ones are escaped */
};

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Of six times the variance: 0, up to 4, 20, 84, 169, more. */
static const uint16_t spread_from[WARI_SPREADS] = {0, 1, 5, 21, 85, 170};

static int classes(int seeds, int spread)
{
    return spread < FINE_SPREADS ? 2 * seeds + 1 : seeds + 1;
}

/* The context of a spread's first class. */
static int first_context(int seeds, int spread)
{
    int context = 0;
    for (int i = 0; i < spread; i++)
        context += classes(seeds, i);
    return context;
}

/* The class of a sum of six guesses; its middle is that of 0. */
static int class_of(int seeds, int spread, int sum)
{
    const int most = 6 * seeds;
    const int guess = ((sum > most ? most : sum < -most ? -most : sum) + most + 3) / 6;
    return spread < FINE_SPREADS ? guess : guess / 2;
}

void wari_contexts_init(struct wari_contexts *contexts)
{
    int spread = 0;
    for (int i = 0; i < WARI_RAISED + 64; i++) {
        const int value = i - WARI_RAISED;
        contexts->packed[i] = (uint32_t)(value * value) << 12 | (uint32_t)i;
    }
    for (int i = 0; i <= 6 * (63 + WARI_RAISED); i++) {
        const int sum = i - 6 * WARI_RAISED;
        contexts->square[i] = (uint16_t)(sum * sum / 6);
    }
    for (int i = 0; i <= 6 * 82 * 82; i++) {
        while (spread < WARI_SPREADS - 1 && i >= spread_from[spread + 1])
            spread++;
        contexts->spread[i] = (uint16_t)(spread * WARI_SUMS);
    }
}

static void lay_out_contexts(struct wari_model *model)
{
    for (int spread = 0; spread < WARI_SPREADS; spread++) {
        const int first = first_context(model->seeds, spread);
        for (int sum = 0; sum < WARI_SUMS; sum++) {
            const int context = first + class_of(model->seeds, spread, sum - 6 * WARI_RAISED);
            model->table_of[spread * WARI_SUMS + sum] = model->context_table[context];
        }
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum wari_status create(struct wari_model **model, const struct wari_host *host, int seeds,
                               struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **model, "a model", &memory, error);
    *model = NULL;
    if (status != WARI_OK)
        return status;
    memset(memory, 0, sizeof **model);
    *model = memory;
    (*model)->host = host;
    (*model)->seeds = seeds;
    (*model)->symbols = 2 * seeds + 2;
    (*model)->contexts = first_context(seeds, WARI_SPREADS);
    return WARI_OK;
}

size_t wari_model_memory(int seeds)
{
    return sizeof(struct wari_model) +
           (size_t)first_context(seeds, WARI_SPREADS) * sizeof(struct wari_table);
}

void wari_model_destroy(struct wari_model *model)
{
    if (model == NULL)
        return;
    wari_release(model->host, model->table);
    wari_release(model->host, model);
}

/* Tables for the contexts that have one of their own, and for the others the one next to them
 * towards the middle. */
static enum wari_status create_tables(struct wari_model *model, struct wari_error *error)
{
    void *memory;
    for (int spread = 0; spread < WARI_SPREADS; spread++) {
        const int first = first_context(model->seeds, spread);
        const int middle = first + class_of(model->seeds, spread, 0);
        const int last = first + classes(model->seeds, spread) - 1;
        for (int i = middle; i >= first; i--)
            model->context_table[i] =
                (uint16_t)(model->own_table[i] ? model->tables++ : model->context_table[i + 1]);
        for (int i = middle + 1; i <= last; i++)
            model->context_table[i] =
                (uint16_t)(model->own_table[i] ? model->tables++ : model->context_table[i - 1]);
    }
    const size_t bytes = (size_t)model->tables * sizeof *model->table;
    enum wari_status status =
        wari_allocate(model->host, bytes, "tables of frequencies", &memory, error);
    if (status != WARI_OK)
        return status;
    model->table = memory;
    memset(memory, 0, bytes);
    return WARI_OK;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static size_t cells_of(const struct wari_model *shape)
{
    return (size_t)shape->contexts * (size_t)shape->symbols;
}

enum wari_status wari_counts_create(struct wari_counts **counts, const struct wari_host *host,
                                    int seeds, struct wari_error *error)
{
    struct wari_model *shape;
    void *memory;
    *counts = NULL;
    enum wari_status status = create(&shape, host, seeds, error);
    if (status != WARI_OK)
        return status;
    for (int i = 0; i < shape->contexts; i++)
        shape->context_table[i] = (uint16_t)i;
    lay_out_contexts(shape);
    const size_t bytes = sizeof **counts + cells_of(shape) * sizeof(uint32_t);
    status = wari_allocate(host, bytes, "counts of values", &memory, error);
    if (status != WARI_OK) {
        wari_model_destroy(shape);
        return status;
    }
    memset(memory, 0, bytes);
    *counts = memory;
    (*counts)->host = host;
    (*counts)->shape = shape;
    return WARI_OK;
}

void wari_counts_destroy(struct wari_counts *counts)
{
    if (counts == NULL)
        return;
    wari_model_destroy(counts->shape);
    wari_release(counts->host, counts);
}

size_t wari_counts_size(const struct wari_counts *counts)
{
    return cells_of(counts->shape);
}

void wari_counts_add(struct wari_counts *to, const struct wari_counts *more)
{
    for (size_t i = 0; i < cells_of(to->shape); i++)
        to->count[i] += more->count[i];
}

/* ---- Frequencies ----------------------------------------------------------------------------- */

static uint64_t add_up(const uint64_t *count, int symbols)
{
    uint64_t sum = 0;
    for (int i = 0; i < symbols; i++)
        sum += count[i];
    return sum;
}

/* Frequencies in proportion to counts, none of those that stay below 1; the escape takes what was
 * left out, and the largest what rounding left. */
static void set_frequencies(const uint64_t *count, int symbols, uint32_t *frequency)
{
    const uint64_t sum = add_up(count, symbols);
    uint64_t escaped = 0;
    int left = WARI_FREQUENCY_SUM;
    int largest = 0;
    memset(frequency, 0, (size_t)symbols * sizeof *frequency);
    for (int i = 1; i < symbols; i++) {
        if (count[i] * WORTH_A_SLOT < sum || count[i] == 0) {
            escaped += count[i];
            continue;
        }
        const uint64_t share = (count[i] * WARI_FREQUENCY_SUM + sum / 2) / sum;
        frequency[i] = share > 0 ? (uint32_t)share : 1;
        left -= (int)frequency[i];
        largest = largest == 0 || frequency[i] > frequency[largest] ? i : largest;
    }
    const uint64_t share = sum > 0 ? (escaped * WARI_FREQUENCY_SUM + sum / 2) / sum : 0;
    frequency[0] = share > 0 ? (uint32_t)share : 1;
    left -= (int)frequency[0];
    /* Many values that come about as often as each other: one from each until the rest fits. */
    for (int i = 1; left < 0 && (int)frequency[largest] + left < 1; i = i % (symbols - 1) + 1) {
        if (frequency[i] > 1) {
            frequency[i]--;
            left++;
        }
    }
    frequency[largest] += (uint32_t)left;
}

/* Adds the counts of a context that seldom comes to its neighbour; true if it did. */
static bool hand_over(uint64_t *count, int symbols, int from, int to)
{
    uint64_t *mine = count + (size_t)from * (size_t)symbols;
    uint64_t *other = count + (size_t)to * (size_t)symbols;
    if (add_up(mine, symbols) >= SELDOM)
        return false;
    for (int i = 0; i < symbols; i++)
        other[i] += mine[i];
    return true;
}

static void choose_tables(struct wari_model *model, uint64_t *count)
{
    for (int spread = 0; spread < WARI_SPREADS; spread++) {
        const int first = first_context(model->seeds, spread);
        const int middle = first + class_of(model->seeds, spread, 0);
        const int last = first + classes(model->seeds, spread) - 1;
        for (int i = first; i < middle; i++)
            model->own_table[i] = !hand_over(count, model->symbols, i, i + 1);
        for (int i = last; i > middle; i--)
            model->own_table[i] = !hand_over(count, model->symbols, i, i - 1);
        model->own_table[middle] = true;
    }
}

/* What follows from the frequencies, which stand where the ranges will. */
static void complete(struct wari_model *model)
{
    for (int i = 0; i < model->tables; i++) {
        struct wari_table *table = &model->table[i];
        uint32_t start = 0;
        for (int symbol = 0; symbol < model->symbols; symbol++) {
            const uint32_t frequency = table->range[symbol];
            memset(table->symbol + start, symbol, frequency);
            table->range[symbol] = start << 16 | frequency;
            start += frequency;
        }
    }
    lay_out_contexts(model);
}

enum wari_status wari_model_create(struct wari_model **model, const struct wari_counts *counts,
                                   struct wari_error *error)
{
    struct wari_model *new;
    void *memory;
    *model = NULL;
    enum wari_status status = create(&new, counts->host, counts->shape->seeds, error);
    if (status != WARI_OK)
        return status;
    status = wari_allocate(counts->host, cells_of(new) * sizeof(uint64_t), "counts of values",
                           &memory, error);
    if (status != WARI_OK)
        goto out;

    uint64_t *count = memory;
    for (size_t i = 0; i < cells_of(new); i++)
        count[i] = counts->count[i];
    choose_tables(new, count);
    status = create_tables(new, error);
    if (status == WARI_OK) {
        for (int i = 0; i < new->contexts; i++)
            if (new->own_table[i])
                set_frequencies(count + (size_t)i * (size_t) new->symbols, new->symbols,
                                new->table[new->context_table[i]].range);
        complete(new);
    }
    wari_release(counts->host, count);
out:
    if (status == WARI_OK)
        *model = new;
    else
        wari_model_destroy(new);
    return status;
}

/* ---- In files -------------------------------------------------------------------------------- */

size_t wari_model_plain_bytes(int seeds)
{
    return 2 * (size_t)first_context(seeds, WARI_SPREADS) * (size_t)(2 * seeds + 2);
}

void wari_model_store(const struct wari_model *model, uint8_t *bytes)
{
    for (int context = 0; context < model->contexts; context++) {
        const wari_range *range = model->table[model->context_table[context]].range;
        for (int symbol = 0; symbol < model->symbols; symbol++, bytes += 2) {
            const uint32_t stored =
                model->own_table[context] ? wari_range_frequency(range[symbol]) : 0;
            bytes[0] = (uint8_t)stored;
            bytes[1] = (uint8_t)(stored >> 8);
        }
    }
}

static uint32_t stored_frequency(const struct wari_model *model, const uint8_t *bytes, int context,
                                 int symbol)
{
    bytes += 2 * ((size_t)context * (size_t)model->symbols + (size_t)symbol);
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static bool find_own_tables(struct wari_model *model, const uint8_t *bytes)
{
    for (int context = 0; context < model->contexts; context++) {
        uint32_t sum = 0;
        for (int symbol = 0; symbol < model->symbols; symbol++)
            sum += stored_frequency(model, bytes, context, symbol);
        if (sum != 0 && sum != WARI_FREQUENCY_SUM)
            return false;
        model->own_table[context] = sum != 0;
    }
    for (int spread = 0; spread < WARI_SPREADS; spread++)
        if (!model->own_table[first_context(model->seeds, spread) +
                              class_of(model->seeds, spread, 0)])
            return false;
    return true;
}

enum wari_status wari_model_load(struct wari_model **model, const struct wari_host *host, int seeds,
                                 const uint8_t *bytes, struct wari_error *error)
{
    struct wari_model *new;
    *model = NULL;
    enum wari_status status = create(&new, host, seeds, error);
    if (status != WARI_OK)
        return status;
    if (!find_own_tables(new, bytes))
        status = wari_fail(error, WARI_CORRUPT, "frequencies that do not add up");
    if (status == WARI_OK)
        status = create_tables(new, error);
    if (status != WARI_OK) {
        wari_model_destroy(new);
        return status;
    }
    for (int context = 0; context < new->contexts; context++)
        for (int symbol = 0; symbol < new->symbols &&new->own_table[context]; symbol++)
            new->table[new->context_table[context]].range[symbol] =
                stored_frequency(new, bytes, context, symbol);
    complete(new);
    *model = new;
    return WARI_OK;
}
