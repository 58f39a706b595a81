/* The cache of moves: tests of the table itself, and tests that lines are the same with and
 * without it.
 *
 * The lines without the cache come from wari_line_within(): with a limit other than
 * WARI_DISTANCE_POSITIONS_MAX, it does not use the cache and searches for each move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "db/probe/distance.h"
#include "db/probe/move_cache.h"
#include "db/probe/player.h"
#include "tests/support/counting_host.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { THREADS = 4 };

/* ---- The table ---- */

static struct wari_move_cache *make(size_t bytes)
{
    struct wari_move_cache *cache;
    assert_int_equal(wari_move_cache_create(&cache, wari_host_system(), bytes, NULL), WARI_OK);
    return cache;
}

static void a_choice_is_found_under_its_own_place_alone(void **state)
{
    static const uint64_t places[] = {0, 1, 2, 889063398406, (uint64_t)1 << 60};
    struct wari_move_cache *cache = make(1 << 16);

    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(wari_move_cache_find(cache, places[i]), -1);
        wari_move_cache_insert(cache, places[i], i);
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(wari_move_cache_find(cache, places[i]), i);
    wari_move_cache_insert(cache, 0, 5);
    assert_int_equal(wari_move_cache_find(cache, 0), 5);
    wari_move_cache_destroy(cache);
    wari_move_cache_destroy(NULL);
}

/* If the number of inserted moves is half of the capacity, the table keeps nearly all of them.
 * After inserting a hundred times the capacity, the table is full. */
static void new_moves_replace_others_but_no_look_up_finds_a_wrong_move(void **state)
{
    enum { CAPACITY = 1024 };
    struct wari_move_cache *cache = make(8 * CAPACITY + 1000);
    int found = 0;

    (void)state;
    for (int i = 0; i < CAPACITY / 2; i++)
        wari_move_cache_insert(cache, (uint64_t)i, i % 6);
    for (int i = 0; i < CAPACITY / 2; i++)
        found += wari_move_cache_find(cache, (uint64_t)i) == i % 6;
    assert_true(found > CAPACITY / 2 * 9 / 10);
    for (int i = 0; i < 100 * CAPACITY; i++) {
        wari_move_cache_insert(cache, (uint64_t)i, i % 6);
        assert_int_equal(wari_move_cache_find(cache, (uint64_t)i), i % 6);
    }
    found = 0;
    for (int i = 0; i < 100 * CAPACITY; i++) {
        int pit = wari_move_cache_find(cache, (uint64_t)i);
        assert_true(pit == -1 || pit == i % 6);
        found += pit >= 0;
    }
    assert_int_equal(found, CAPACITY);
    wari_move_cache_destroy(cache);
}

static void all_memory_stays_within_what_was_given(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < 1 << 20; bytes = 2 * bytes + 1) {
        struct counting_host host;
        struct wari_move_cache *cache;
        counting_host_init(&host);
        assert_int_equal(wari_move_cache_create(&cache, &host.host, bytes, NULL), WARI_OK);
        wari_move_cache_insert(cache, 7, 3);
        assert_int_equal(wari_move_cache_find(cache, 7), bytes < 255 ? -1 : 3);
        assert_true(bytes < 255 || atomic_load(&host.peak) <= bytes);
        assert_true(2 * atomic_load(&host.peak) + 256 > bytes); /* most of the allowed memory is
                                                                 * used */
        wari_move_cache_destroy(cache);
        assert_int_equal(atomic_load(&host.bytes), 0);
    }
}

static void without_memory_there_is_no_table(void **state)
{
    struct fault_host host;
    struct wari_move_cache *cache;

    (void)state;
    for (long k = 1; k <= 3; k++) {
        fault_host_init(&host, FAULT_ALLOCATE, k);
        enum wari_status status = wari_move_cache_create(&cache, &host.host, 1000, NULL);
        assert_int_equal(status, k <= 2 ? WARI_NO_MEMORY : WARI_OK);
        assert_true((cache == NULL) == (k <= 2));
        wari_move_cache_destroy(cache);
        assert_true(fault_host_clean(&host));
    }
}

/* ---- Lines ---- */

/* Computes a line without the cache: a limit that is lower by one than the maximum disables it,
 * and no search of this test reaches the limit. */
static enum wari_status search_line(struct wari_db *db, const struct wari_position *position,
                                    struct wari_line *line)
{
    return wari_line_within(db, WARI_DISTANCE_POSITIONS_MAX - 1, position, line, NULL);
}

struct asker {
    const struct solved *solved;
    struct wari_db *db;
    int seeds, step, first; /* every step-th position of a level, beginning with `first` */
    int wrong;
};

static void *ask_for_lines(void *context)
{
    struct asker *asker = context;
    struct wari_position position;
    int number = 0;
    ref_first(asker->seeds, position.pits);
    do {
        struct wari_line line, searched;
        if (number++ % asker->step != asker->first)
            continue;
        if (wari_find_line(asker->db, &position, &line, NULL) != WARI_OK ||
            search_line(asker->solved->db, &position, &searched) != WARI_OK ||
            line.count != searched.count || line.end != searched.end ||
            line.rest != searched.rest || line.repeats_from != searched.repeats_from ||
            memcmp(line.moves, searched.moves, (size_t)line.count * sizeof *line.moves) != 0)
            asker->wrong++;
    } while (ref_next(position.pits));
    return NULL;
}

/* The database of all tests that use only one. */
static const struct solved *six_seeds(void)
{
    const struct solved *solved = solved_of(WARI_AWARI, WARI_EVEN, 6);
    assert_non_null(solved);
    return solved;
}

static const struct wari_variant variants[] = {
    {WARI_AWARI, WARI_EVEN},
    {WARI_ABAPA, WARI_OWN},
    {WARI_WARRI, WARI_EVEN},
    {WARI_WARE, WARI_OWN},
};

/* Tests two sizes of the cache: one has capacity for all moves, the other so little that entries
 * are evicted. */
static void a_remembered_line_is_the_one_that_a_search_finds(void **state)
{
    static const size_t budgets[] = {0, 1 << 16};
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct solved solved;
        int seeds = test_scale(4, 3);
        assert_true(solved_make(&solved, variants[i].rules, variants[i].cycle, seeds));
        for (int b = 0; b < 2; b++) {
            const struct wari_options options = {.cache_bytes = budgets[b]};
            struct asker asker = {.solved = &solved, .step = 1};
            assert_int_equal(wari_open(&asker.db, solved.folder, NULL, &options, NULL), WARI_OK);
            for (asker.seeds = 0; asker.seeds <= seeds; asker.seeds++)
                ask_for_lines(&asker);
            asker.step = test_scale(1, 3); /* a second pass; the larger cache now has all moves */
            for (asker.seeds = 0; asker.seeds <= seeds; asker.seeds++)
                ask_for_lines(&asker);
            assert_int_equal(asker.wrong, 0);
            wari_close(asker.db);
        }
        assert_true(solved_discard(&solved));
    }
}

static void threads_that_share_a_memory_get_right_lines(void **state)
{
    const struct wari_options options = {.cache_bytes = 1 << 16};
    const struct solved *solved = six_seeds();
    struct asker askers[THREADS];
    pthread_t threads[THREADS];
    struct wari_db *db;

    (void)state;
    assert_int_equal(wari_open(&db, solved->folder, NULL, &options, NULL), WARI_OK);
    for (int t = 0; t < THREADS; t++) {
        askers[t] = (struct asker){.solved = solved,
                                   .db = db,
                                   .seeds = 6,
                                   .step = test_scale(21, 420),
                                   .first = t % 2}; /* two threads each look up the same
                                                     * positions */
        assert_int_equal(pthread_create(&threads[t], NULL, ask_for_lines, &askers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(askers[t].wrong, 0);
    }
    wari_close(db);
}

/* Chooses a move with a new player. */
static int choose_anew(struct wari_db *db, const struct wari_position *position)
{
    struct wari_player *player;
    struct wari_choice choice;
    assert_int_equal(wari_player_new(&player, db, NULL), WARI_OK);
    assert_int_equal(wari_player_choose(player, position, &choice, NULL), WARI_OK);
    wari_player_free(player);
    return choice.analysis.moves[choice.move].move.pit;
}

/* Fixed bug: if two moves delayed progress equally long, a wari_player that had already searched
 * from an earlier position could choose a different move than a new wari_player. (This happened in
 * each of these lines.) */
static void a_line_does_not_depend_on_where_it_began(void **state)
{
    static const struct wari_position starts[] = {
        {{0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0}}, {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}},
        {{0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0}}, {{1, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0}},
        {{0, 0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0}}, {{1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1}},
    };
    const struct solved *solved = six_seeds();

    (void)state;
    for (size_t start = 0; start < sizeof starts / sizeof *starts; start++) {
        struct wari_position now = starts[start];
        struct wari_line line;
        assert_int_equal(search_line(solved->db, &now, &line), WARI_OK);
        for (int i = 0; i < line.count; i++) {
            struct ref_move moves[REF_ROW];
            int end_value;
            assert_int_equal(choose_anew(solved->db, &now), line.moves[i].pit);
            ref_moves((int)solved->variant.rules, now.pits, moves, &end_value);
            memcpy(now.pits, moves[line.moves[i].pit].next, sizeof now.pits);
        }
    }
}

TEST_GROUP(test_db_move_cache)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_is_found_under_its_own_place_alone),
        cmocka_unit_test(new_moves_replace_others_but_no_look_up_finds_a_wrong_move),
        cmocka_unit_test(all_memory_stays_within_what_was_given),
        cmocka_unit_test(without_memory_there_is_no_table),
        cmocka_unit_test(a_remembered_line_is_the_one_that_a_search_finds),
        cmocka_unit_test(threads_that_share_a_memory_get_right_lines),
        cmocka_unit_test(a_line_does_not_depend_on_where_it_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
