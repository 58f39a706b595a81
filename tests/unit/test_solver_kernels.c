/* The kernels' first half, taking the worst child of each parent and asking for news: each kernel
 * that runs on this machine against plain loops written here from the contracts of solver/kernel.h,
 * with real gathers and random cells. Then they agree with each other as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"

enum { READ_BEHIND = 64 }; /* bytes behind a child row that may be read */

/* ---- Names ----------------------------------------------------------------------------------- */

static void kernels_have_names(void **state)
{
    struct wari_error error;
    enum wari_kernel kernel = WARI_KERNEL_AVX2;

    (void)state;
    assert_int_equal(wari_kernel_parse("auto", &kernel, &error), WARI_OK);
    assert_int_equal(kernel, WARI_KERNEL_AUTO);
    assert_int_equal(wari_kernel_parse("portable", &kernel, &error), WARI_OK);
    assert_int_equal(kernel, WARI_KERNEL_PORTABLE);
    assert_string_equal(wari_kernel_name(WARI_KERNEL_PORTABLE), "portable");
    /* what auto chooses has a name of its own, and runs here */
    assert_int_equal(wari_kernel_parse(wari_kernel_name(WARI_KERNEL_AUTO), &kernel, &error),
                     WARI_OK);
    assert_int_not_equal(kernel, WARI_KERNEL_AUTO);

    assert_int_equal(wari_kernel_parse("fast", &kernel, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "'fast'"));
    assert_non_null(strstr(error.text, "portable"));
    assert_int_equal(wari_kernel_parse("", &kernel, NULL), WARI_BAD_INPUT);
}

/* ---- Worst and news -------------------------------------------------------------------------- */

/* Sources for parents with `seeds` seeds: real gathers, random rows and stamps. */
struct sources {
    int count;
    struct wari_source list[WARI_HALF_PITS];
    struct wari_gather gather[WARI_HALF_PITS];
    int8_t *row[WARI_HALF_PITS];
    uint8_t *stamps[WARI_HALF_PITS];
};

static void make_sources(struct sources *sources, enum wari_parents kind, int seeds,
                         struct random_positions *random)
{
    sources->count = (int)random_below(random, WARI_HALF_PITS + 1);
    for (int i = 0; i < sources->count; i++) {
        const int sown = (int)random_below(random, WARI_SOWN_MAX - 8);
        const uint32_t columns = wari_half_count(seeds + sown);
        const uint32_t stamps = (columns + 63) / 64;
        assert_int_equal(wari_gather_create(&sources->gather[i], wari_host_system(), WARI_AWARI,
                                            kind, seeds, sown, NULL),
                         WARI_OK);
        sources->row[i] = random_cells(random, columns + READ_BEHIND, seeds + sown);
        sources->stamps[i] = malloc(stamps);
        assert_non_null(sources->stamps[i]);
        for (uint32_t j = 0; j < stamps; j++) /* few are news, or all segments would have some */
            sources->stamps[i][j] = (uint8_t)(random_below(random, 40) == 0 ? 200 : 100);
        sources->list[i] = (struct wari_source){
            .row = sources->row[i],
            .gather = &sources->gather[i],
            .last = random_below(random, 2),
            .since = (uint8_t)(random_below(random, 8) == 0 ? 201 : 200 - random_below(random, 99)),
            .stamps = random_below(random, 4) == 0 ? NULL : sources->stamps[i],
        };
    }
}

static void free_sources(struct sources *sources)
{
    for (int i = 0; i < sources->count; i++) {
        wari_release(wari_host_system(), sources->gather[i].memory);
        free(sources->row[i]);
        free(sources->stamps[i]);
    }
}

/* Columns of a segment's parents; returns how many parents there are. */
static uint32_t columns_of(const struct wari_gather *gather, uint32_t segment,
                           uint32_t columns[WARI_SEGMENT])
{
    uint32_t parents = 0;

    for (uint32_t word = gather->first_word[segment]; word < gather->first_word[segment + 1];
         word++)
        for (uint32_t bit = 0; bit < 64; bit++)
            if (gather->mask[word] >> bit & 1)
                columns[parents++] = gather->column[word] + bit;
    return parents;
}

static void worst_of_segment(const struct wari_kernel_ops *kernel, const struct sources *sources,
                             uint32_t segment, uint32_t parents)
{
    int8_t worst[WARI_SEGMENT], expected[WARI_SEGMENT];
    uint32_t words = 0;

    memset(expected, WARI_NO_QUIET, sizeof expected);
    for (int i = 0; i < sources->count; i++) {
        const struct wari_source *source = &sources->list[i];
        const struct wari_gather *gather = source->gather;
        uint32_t columns[WARI_SEGMENT];
        assert_int_equal(columns_of(gather, segment, columns), parents);
        words += gather->first_word[segment + 1] - gather->first_word[segment];
        for (uint32_t place = 0; place < parents; place++) {
            const uint32_t parent = segment * WARI_SEGMENT + place;
            const bool quiet = !source->last || (gather->quiet[parent / 64] >> parent % 64 & 1);
            if (quiet && source->row[columns[place]] < expected[place])
                expected[place] = source->row[columns[place]];
        }
    }
    const uint32_t loaded = kernel->worst(sources->list, sources->count, segment, worst);
    assert_memory_equal(worst, expected, parents);
    assert_int_equal(loaded, words * 64);
}

/* From the first to the last group of 64 columns that holds one of the segment's children. Returns
 * the widest span. */
static uint32_t news_of_segment(const struct wari_kernel_ops *kernel, const struct sources *sources,
                                uint32_t segment, int counts[2])
{
    uint32_t widest = 0;
    bool expected = false;

    for (int i = 0; i < sources->count; i++) {
        const struct wari_source *source = &sources->list[i];
        uint32_t columns[WARI_SEGMENT];
        const uint32_t last = columns_of(source->gather, segment, columns) - 1;
        const uint32_t groups = columns[last] / 64 - columns[0] / 64 + 1;
        widest = groups > widest ? groups : widest;
        for (uint32_t group = columns[0] / 64; source->stamps && group <= columns[last] / 64;
             group++)
            expected = expected || source->stamps[group] >= source->since;
    }
    assert_int_equal(kernel->news(sources->list, sources->count, segment), expected);
    counts[expected]++;
    return widest;
}

static void worst_and_news(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    int short_segments = 0, news[2] = {0, 0};
    uint32_t widest = 0;

    for (int round = 0; round < test_scale(300, 40); round++) {
        const enum wari_parents kind = (enum wari_parents)random_below(random, 2);
        const int seeds = (int)random_below(random, 8) + (kind == WARI_PARENTS_FULL ? 6 : 0);
        struct sources sources;
        make_sources(&sources, kind, seeds, random);
        const uint32_t rows = wari_row_count(seeds);
        const uint32_t parents = kind == WARI_PARENTS_ROWS ? rows : wari_half_count(seeds) - rows;
        for (uint32_t first = 0; first < parents; first += WARI_SEGMENT) {
            const uint32_t left = parents - first;
            worst_of_segment(kernel, &sources, first / WARI_SEGMENT,
                             left < WARI_SEGMENT ? left : WARI_SEGMENT);
            const uint32_t span = news_of_segment(kernel, &sources, first / WARI_SEGMENT, news);
            short_segments += left < WARI_SEGMENT;
            widest = span > widest ? span : widest;
        }
        free_sources(&sources);
    }
    assert_true(short_segments > 0 && widest > 64 && news[0] > 20 && news[1] > 20);
}

static void worst_and_news_are_those_of_plain_loops(void **state)
{
    (void)state;
    for_each_kernel(worst_and_news);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_names),
        cmocka_unit_test(worst_and_news_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
