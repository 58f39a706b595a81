/* Contexts, and the frequencies of values in them.
 *
 * The context of a cell depends on the level's number of seeds, and on the sum and the variance
 * of the residues of its neighbours. Tables give the context for each sum and variance, so the
 * coder only looks it up. Frequencies are computed from counts by integer arithmetic, so equal
 * values give an equal model on every machine. A rare context has no frequencies of its own: it
 * uses those of the next context towards a guess of 0, and its counts are added to the counts of
 * that context. */
#include "db/format/model.h"

#include <string.h>

#include "db/host/bytes.h"

enum {
    FINE_SPREADS = 4,   /* spreads (model.h) less than this number have classes of guesses that are
                         * one seed wide; the other spreads have classes of two seeds */
    RARE_CONTEXT = 256, /* a context with fewer counts than this gets no frequencies of its own */
    /* A symbol rarer than 1 in this number is written as an escape. */
    RAREST_SYMBOL = 2 * WARI_FREQUENCY_SUM,
    LINE = 64, /* bytes of a cache line of the processor */
};

/* ---- Contexts -------------------------------------------------------------------------------- */

const uint16_t wari_spread_from[WARI_SPREADS] = {0, 1, 5, 21, 85, 170};

static int classes(int seeds, int spread)
{
    return spread < FINE_SPREADS ? 2 * seeds + 1 : seeds + 1;
}

/* Returns the first context of a spread. */
static int first_context(int seeds, int spread)
{
    int context = 0;
    for (int i = 0; i < spread; i++)
        context += classes(seeds, i);
    return context;
}

/* Returns the class of a sum of six guesses, for spreads with classes that are one seed wide.
 * The class of the sum 0 is in the middle. */
static int class_of(int seeds, int sum)
{
    const int most = 6 * seeds;
    return ((sum > most ? most : sum < -most ? -most : sum) + most + 3) / 6;
}

/* Returns the class in the middle of a spread's classes, which is the class of the sum 0. */
static int middle_class(int seeds, int spread)
{
    return spread < FINE_SPREADS ? seeds : seeds / 2;
}

/* Returns the context that a table belongs to. */
static int context_of(const struct wari_model *model, int table)
{
    const int spread = table / model->classes;
    const int fine = table % model->classes;
    return first_context(model->seeds, spread) + (spread < FINE_SPREADS ? fine : fine / 2);
}

/* Returns the first table of a context. */
static int table_of(const struct wari_model *model, int spread, int class)
{
    return spread * model->classes + (spread < FINE_SPREADS ? class : 2 * class);
}

/* Fills in the addresses by sum and the offsets by variance. */
static void lay_out_tables(struct wari_model *model)
{
    int spread = 0;
    for (int sum = 0; sum < WARI_SUMS; sum++) {
        const size_t class = (size_t)class_of(model->seeds, sum - 6 * WARI_RESIDUE_BIAS);
        model->table_of_sum[sum] = model->table + class * model->table_bytes;
    }
    for (int i = 0; i < WARI_VARIANCES; i++) {
        while (spread < WARI_SPREADS - 1 && i >= wari_spread_from[spread + 1])
            spread++;
        model->offset_of_spread[i] = (size_t)(spread * model->classes) * model->table_bytes;
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Returns the distance from one table to the next in bytes, a whole number of cache lines. */
static size_t table_bytes(int symbols)
{
    const size_t bytes =
        sizeof(struct wari_table) + (size_t)symbols * sizeof(struct wari_symbol_range);
    return (bytes + LINE - 1) / LINE * LINE;
}

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
    (*model)->classes = 2 * seeds + 1;
    (*model)->contexts = first_context(seeds, WARI_SPREADS);
    (*model)->tables = WARI_SPREADS * (*model)->classes;
    (*model)->table_bytes = table_bytes((*model)->symbols);
    return WARI_OK;
}

size_t wari_model_memory(int seeds)
{
    return sizeof(struct wari_model) +
           (size_t)(WARI_SPREADS * (2 * seeds + 1)) * table_bytes(2 * seeds + 2);
}

void wari_model_destroy(struct wari_model *model)
{
    if (model == NULL)
        return;
    wari_release(model->host, model->table);
    wari_release(model->host, model->range);
    wari_release(model->host, model);
}

/* Allocates an array with a frequency for each context and symbol. */
static enum wari_status create_frequencies(const struct wari_model *model, uint16_t **frequency,
                                           struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(model->host, wari_model_plain_bytes(model->seeds),
                                            "frequencies", &memory, error);
    *frequency = memory;
    return status;
}

/* Returns the context whose frequencies are used for the given context: the context itself, or
 * the next one towards the middle class that has frequencies. */
static int owner_of(const struct wari_model *model, int spread, int class)
{
    const int first = first_context(model->seeds, spread);
    const int step = class < middle_class(model->seeds, spread) ? 1 : -1;
    while (!model->own_table[first + class])
        class += step;
    return first + class;
}

static void fill_table(struct wari_table *table, const uint16_t *frequency, int symbols)
{
    uint32_t start = 0;
    for (int symbol = 0; symbol < symbols; symbol++) {
        memset(table->symbol + start, symbol, frequency[symbol]);
        table->range[symbol] =
            (struct wari_symbol_range){WARI_FREQUENCY_SUM - (uint32_t)frequency[symbol], start};
        start += frequency[symbol];
    }
}

/* Fills in the tables of all contexts from the frequencies of the contexts that have their own. */
static enum wari_status create_tables(struct wari_model *model, const uint16_t *frequency,
                                      struct wari_error *error)
{
    void *memory;
    const size_t bytes = (size_t)model->tables * model->table_bytes;
    enum wari_status status =
        wari_allocate(model->host, bytes, "tables of frequencies", &memory, error);
    if (status != WARI_OK)
        return status;
    model->table = memory;
    for (int i = 0; i < model->tables; i++) {
        const int spread = i / model->classes;
        const int class = context_of(model, i) - first_context(model->seeds, spread);
        const size_t owner = (size_t)owner_of(model, spread, class);
        fill_table((struct wari_table *)(void *)(model->table + (size_t)i * model->table_bytes),
                   frequency + owner * (size_t)model->symbols, model->symbols);
    }
    lay_out_tables(model);
    return WARI_OK;
}

/* Copies the data that an encoder needs from the tables to a denser array. */
static enum wari_status create_ranges(struct wari_model *model, struct wari_error *error)
{
    const size_t symbols = (size_t)model->symbols;
    void *memory;
    enum wari_status status =
        wari_allocate(model->host, (size_t)model->tables * symbols * sizeof *model->range,
                      "tables of frequencies", &memory, error);
    if (status != WARI_OK)
        return status;
    model->range = memory;
    for (int i = 0; i < model->tables; i++)
        memcpy(model->range + (size_t)i * symbols, wari_model_table(model, (uint32_t)i)->range,
               symbols * sizeof *model->range);
    return WARI_OK;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static size_t cells_of(const struct wari_model *shape)
{
    return (size_t)shape->tables * (size_t)shape->symbols;
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

/* Computes frequencies in proportion to counts. Symbols whose frequency would be much less than
 * 1 get none. The escape gets the frequency of all these symbols together, and the rounding
 * error is added to the most frequent symbol. */
static void set_frequencies(const uint64_t *count, int symbols, uint16_t *frequency)
{
    const uint64_t sum = add_up(count, symbols);
    uint64_t escaped = 0;
    int left = WARI_FREQUENCY_SUM;
    int largest = 0;
    memset(frequency, 0, (size_t)symbols * sizeof *frequency);
    for (int i = 1; i < symbols; i++) {
        if (count[i] * RAREST_SYMBOL < sum || count[i] == 0) {
            escaped += count[i];
            continue;
        }
        const uint64_t share = (count[i] * WARI_FREQUENCY_SUM + sum / 2) / sum;
        frequency[i] = share > 0 ? (uint16_t)share : 1;
        left -= (int)frequency[i];
        largest = largest == 0 || frequency[i] > frequency[largest] ? i : largest;
    }
    const uint64_t share = sum > 0 ? (escaped * WARI_FREQUENCY_SUM + sum / 2) / sum : 0;
    frequency[0] = share > 0 ? (uint16_t)share : 1;
    left -= (int)frequency[0];
    /* Adding the rounding error can make the largest frequency less than 1 if many values are about
     * equally frequent. Then 1 is first subtracted from each frequency in turn until the sum fits.
     */
    for (int i = 1; left < 0 && (int)frequency[largest] + left < 1; i = i % (symbols - 1) + 1) {
        if (frequency[i] > 1) {
            frequency[i]--;
            left++;
        }
    }
    frequency[largest] = (uint16_t)(frequency[largest] + left);
}

/* Adds the counts of a rare context to those of its neighbour. Returns true if the context is rare.
 */
static bool merge_if_rare(uint64_t *count, int symbols, int from, int to)
{
    uint64_t *mine = count + (size_t)from * (size_t)symbols;
    uint64_t *other = count + (size_t)to * (size_t)symbols;
    if (add_up(mine, symbols) >= RARE_CONTEXT)
        return false;
    for (int i = 0; i < symbols; i++)
        other[i] += mine[i];
    return true;
}

static void choose_tables(struct wari_model *model, uint64_t *count)
{
    for (int spread = 0; spread < WARI_SPREADS; spread++) {
        const int first = first_context(model->seeds, spread);
        const int middle = first + middle_class(model->seeds, spread);
        const int last = first + classes(model->seeds, spread) - 1;
        for (int i = first; i < middle; i++)
            model->own_table[i] = !merge_if_rare(count, model->symbols, i, i + 1);
        for (int i = last; i > middle; i--)
            model->own_table[i] = !merge_if_rare(count, model->symbols, i, i - 1);
        model->own_table[middle] = true;
    }
}

/* Adds up the counts of tables that belong to the same context. */
static void gather_counts(const struct wari_model *model, const uint32_t *counted, uint64_t *count)
{
    const size_t symbols = (size_t)model->symbols;
    memset(count, 0, (size_t)model->contexts * symbols * sizeof *count);
    for (int i = 0; i < model->tables; i++)
        for (size_t symbol = 0; symbol < symbols; symbol++)
            count[(size_t)context_of(model, i) * symbols + symbol] +=
                counted[(size_t)i * symbols + symbol];
}

enum wari_status wari_model_create(struct wari_model **model, const struct wari_counts *counts,
                                   struct wari_error *error)
{
    struct wari_model *new;
    uint16_t *frequency = NULL;
    void *count = NULL;
    *model = NULL;
    enum wari_status status = create(&new, counts->host, counts->shape->seeds, error);
    if (status != WARI_OK)
        return status;
    const size_t symbols = (size_t) new->symbols;
    status = wari_allocate(counts->host, (size_t) new->contexts *symbols * sizeof(uint64_t),
                           "counts of values", &count, error);
    if (status == WARI_OK)
        status = create_frequencies(new, &frequency, error);
    if (status == WARI_OK) {
        gather_counts(new, counts->count, count);
        choose_tables(new, count);
        for (size_t i = 0; i < (size_t) new->contexts; i++)
            if (new->own_table[i])
                set_frequencies((const uint64_t *)count + i * symbols, new->symbols,
                                frequency + i * symbols);
        status = create_tables(new, frequency, error);
    }
    if (status == WARI_OK)
        status = create_ranges(new, error);
    wari_release(counts->host, frequency);
    wari_release(counts->host, count);
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
    for (int spread = 0; spread < WARI_SPREADS; spread++) {
        for (int class = 0; class < classes(model->seeds, spread); class ++) {
            const int table = table_of(model, spread, class);
            const bool own = model->own_table[context_of(model, table)];
            const struct wari_symbol_range *range = wari_model_table(model, (uint32_t)table)->range;
            for (int symbol = 0; symbol < model->symbols; symbol++, bytes += 2) {
                const uint32_t stored = own ? wari_symbol_frequency(range[symbol]) : 0;
                bytes[0] = (uint8_t)stored;
                bytes[1] = (uint8_t)(stored >> 8);
            }
        }
    }
}

/* Returns false if the frequencies of a context add up to anything but 1024 or 0, or to 0 for a
 * context that must have frequencies. */
static bool load_frequencies(struct wari_model *model, const uint8_t *bytes, uint16_t *frequency)
{
    for (int context = 0; context < model->contexts; context++) {
        uint32_t sum = 0;
        for (int symbol = 0; symbol < model->symbols; symbol++, bytes += 2, frequency++) {
            *frequency = (uint16_t)wari_load16(bytes);
            sum += *frequency;
        }
        if (sum != 0 && sum != WARI_FREQUENCY_SUM)
            return false;
        model->own_table[context] = sum != 0;
    }
    for (int spread = 0; spread < WARI_SPREADS; spread++)
        if (!model->own_table[first_context(model->seeds, spread) +
                              middle_class(model->seeds, spread)])
            return false;
    return true;
}

enum wari_status wari_model_load(struct wari_model **model, const struct wari_host *host, int seeds,
                                 const uint8_t *bytes, struct wari_error *error)
{
    struct wari_model *new;
    uint16_t *frequency = NULL;
    *model = NULL;
    enum wari_status status = create(&new, host, seeds, error);
    if (status != WARI_OK)
        return status;
    status = create_frequencies(new, &frequency, error);
    if (status == WARI_OK && !load_frequencies(new, bytes, frequency))
        status = wari_fail(error, WARI_CORRUPT, "its frequencies do not add up");
    if (status == WARI_OK)
        status = create_tables(new, frequency, error);
    wari_release(host, frequency);
    if (status == WARI_OK)
        *model = new;
    else
        wari_model_destroy(new);
    return status;
}
