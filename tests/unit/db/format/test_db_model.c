/* Frequencies of a model: whatever the counts are, the frequencies of each table add up to 1024
 * (FORMAT.md, "Model"), and each of the 1024 entries has the symbol whose range contains the
 * entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/format/model.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* Returns how often symbol `symbol` occurred in a context. */
typedef uint32_t count_of(struct random_positions *random, int symbol, int symbols);

static uint32_t equally_often(struct random_positions *random, int symbol, int symbols)
{
    (void)random;
    (void)symbols;
    return symbol == 0 ? 0 : 1000;
}

/* Makes each of the rare symbols just frequent enough to get a frequency. */
static uint32_t one_often_others_seldom(struct random_positions *random, int symbol, int symbols)
{
    (void)random;
    return symbol == symbols / 2 ? 100000 : symbol == 0 ? 0 : 60;
}

static uint32_t at_random(struct random_positions *random, int symbol, int symbols)
{
    (void)symbols;
    return symbol == 0 || random_below(random, 3) == 0 ? 0 : random_below(random, 1 << symbol % 20);
}

static void check_table(const struct wari_model *model, uint32_t table)
{
    uint32_t sum = 0;

    for (int symbol = 0; symbol < model->symbols; symbol++) {
        const struct wari_symbol_range range = wari_model_table(model, table)->range[symbol];
        assert_int_equal(range.start, sum);
        sum += wari_symbol_frequency(range);
        assert_true(sum <= WARI_FREQUENCY_SUM);
        for (uint32_t place = range.start; place < sum; place++)
            assert_int_equal(wari_model_table(model, table)->symbol[place], symbol);
    }
    assert_int_equal(sum, WARI_FREQUENCY_SUM);
    /* the escape must exist, because other symbols may have none */
    assert_true(wari_symbol_frequency(wari_model_table(model, table)->range[0]) > 0);
}

static void check_counts(int seeds, count_of *count, struct random_positions *random)
{
    struct wari_counts *counts;
    struct wari_model *model;

    assert_int_equal(wari_counts_create(&counts, wari_host_system(), seeds, NULL), WARI_OK);
    const int symbols = counts->shape->symbols;
    assert_int_equal(symbols, 2 * seeds + 2);
    for (int table = 0; table < counts->shape->tables; table++)
        for (int symbol = 0; symbol < symbols; symbol++)
            counts->count[table * symbols + symbol] = count(random, symbol, symbols);
    assert_int_equal(wari_model_create(&model, counts, NULL), WARI_OK);
    assert_true(model->tables > 0);
    for (int table = 0; table < model->tables; table++)
        check_table(model, (uint32_t)table);
    wari_model_destroy(model);
    wari_counts_destroy(counts);
}

static void frequencies_add_up(void **state)
{
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 11);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds += test_scale(1, 4)) {
        check_counts(seeds, equally_often, &random);
        check_counts(seeds, one_often_others_seldom, &random);
        check_counts(seeds, at_random, &random);
    }
}

TEST_GROUP(test_db_model)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
