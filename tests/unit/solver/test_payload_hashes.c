/* The published hashes of all values, data/payload_hashes.csv. They must equal the hashes of the
 * reference solver's values, for as many levels as the reference can solve, and the hashes of the
 * files that every kernel builds, for every rule set and cycle rule. (tests/cli/stats.sh checks one
 * variant up to the last level of the list, and all variants in `make test-long`.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/catalogue/variants.h"
#include "db/wari.h"
#include "solver/build.h"
#include "tests/support/memory_host.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

enum { PUBLISHED = 16 };

static uint64_t published[WARI_RULES_COUNT][WARI_CYCLE_COUNT][PUBLISHED + 1];

static int read_published(void **state)
{
    char line[80];
    int lines = 0;
    FILE *file = fopen("data/payload_hashes.csv", "r");

    (void)state;
    if (file == NULL || fgets(line, sizeof line, file) == NULL ||
        strcmp(line, "rules,cycle,seeds,hash\n") != 0)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        char rules[16], cycle[16];
        struct wari_variant variant;
        int seeds;
        uint64_t hash;
        if (sscanf(line, "%15[^,],%15[^,],%d,%" SCNx64, rules, cycle, &seeds, &hash) != 4 ||
            wari_variant_parse(rules, cycle, &variant, NULL, NULL) != WARI_OK || seeds < 0 ||
            seeds > PUBLISHED)
            return -1;
        published[variant.rules][variant.cycle][seeds] = hash;
        lines++;
    }
    fclose(file);
    return lines == WARI_VARIANT_COUNT * (PUBLISHED + 1) ? 0 : -1;
}

static struct wari_variant variant_number(int i)
{
    return (struct wari_variant){(enum wari_rules)(i / WARI_CYCLE_COUNT),
                                 (enum wari_cycle)(i % WARI_CYCLE_COUNT)};
}

static void assert_published(struct wari_variant variant, int seeds, uint64_t hash)
{
    if (hash != published[variant.rules][variant.cycle][seeds])
        fail_msg("%s %s, %d seeds: %016" PRIx64, wari_get_rules_info(variant.rules)->name,
                 wari_cycle_name(variant.cycle), seeds, hash);
}

static void hashes_are_those_of_the_reference_solvers_values(void **state)
{
    const int last = test_scale(5, 3);

    (void)state;
    for (int i = 0; i < WARI_VARIANT_COUNT; i++) {
        const struct wari_variant variant = variant_number(i);
        struct table table;
        assert_int_equal(table_solve(&table, variant, last), WARI_OK);
        for (int n = 0; n <= last; n++)
            assert_published(variant, n,
                             XXH3_64bits(table.values[n], (size_t)wari_level_positions(n)));
        table_free(&table);
    }
}

static void build_and_compare(enum wari_kernel kernel, struct wari_variant variant, int last)
{
    struct memory_host *memory = memory_host_create();
    const struct wari_options options = {.host = &memory->host};
    const struct wari_build build = {.folder = "folder",
                                     .variant = variant,
                                     .seeds = last,
                                     .threads = 1,
                                     .kernel = kernel,
                                     .host = &memory->host};
    struct wari_level_info info;
    struct wari_db *db;

    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_int_equal(wari_open(&db, "folder", &variant, &options, NULL), WARI_OK);
    for (int n = 0; n <= last; n++) {
        assert_int_equal(wari_get_level_info(db, n, &info, NULL), WARI_OK);
        assert_published(variant, n, info.payload_hash);
    }
    wari_close(db);
    memory_host_destroy(memory);
}

static void every_kernel_builds_the_values_that_have_these_hashes(void **state)
{
    const char *name;
    int kernels = 0;
    bool here;

    (void)state;
    for (int i = 0; (name = wari_kernel_listed(i, &here)) != NULL; i++) {
        enum wari_kernel kernel;
        if (!here) /* this machine does not support the instructions */
            continue;
        assert_int_equal(wari_kernel_parse(name, &kernel, NULL), WARI_OK);
        for (int v = 0; v < WARI_VARIANT_COUNT; v++)
            build_and_compare(kernel, variant_number(v), test_scale(8, 6));
        kernels++;
    }
    assert_true(kernels >= 1);
}

TEST_GROUP(test_payload_hashes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_reference_solvers_values),
        cmocka_unit_test(every_kernel_builds_the_values_that_have_these_hashes),
    };
    return cmocka_run_group_tests(tests, read_published, NULL);
}
