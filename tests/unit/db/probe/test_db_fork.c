/* Handles in a child process that was created by fork() while other threads of the parent used
 * them.
 *
 * The values of the database are those of the reference solver; the values in the cache follow
 * a formula. A child that hangs is ended by its alarm, whose time limit is only a safety net. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/format/chunk.h"
#include "db/probe/cache.h"
#include "db/wari.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum {
    SAFETY_SECONDS = 300,
    FORKS = 400,
    THREADS = 3,
    SEEDS = 6,
    PROBES = 4,        /* probes of each child */
    ROUND_PROBES = 10, /* probes of each thread while a fork is awaited; on a busy machine more
                        * probes would only make the test longer */
};

/* Exit codes of a child. */
enum { CHILD_OK, CHILD_FAILED, CHILD_WRONG };

/* Waits for a child, and fails the test unless it ended with CHILD_OK. */
static void expect_ok(pid_t child)
{
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fail_msg("%s", "timed out: the child hangs");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CHILD_OK);
}

/* ---- A thread is in the middle of an insertion ----------------------------------------------- */

/* The first half of these values can be read; reading the second half raises SIGSEGV. */
static int8_t *half_readable;
static struct wari_cache *cache;
static pid_t child_of_handler;

static bool insert_and_find(uint64_t chunk)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    int8_t found[WARI_CHUNK_POSITIONS];
    for (size_t i = 0; i < WARI_CHUNK_POSITIONS; i++)
        values[i] = (int8_t)((31 * chunk + i) % 97);
    wari_cache_insert(cache, chunk, values, WARI_CHUNK_POSITIONS, WARI_STREAM_POSITIONS);
    return wari_cache_find(cache, chunk, 0, found, WARI_CHUNK_POSITIONS) &&
           memcmp(values, found, WARI_CHUNK_POSITIONS) == 0;
}

/* Runs in the middle of wari_cache_insert(), when the first half of a chunk is copied. */
static void fork_in_the_middle(int signal)
{
    (void)signal;
    child_of_handler = fork();
    if (child_of_handler == 0) {
        int8_t value;
        (void)alarm(SAFETY_SECONDS);
        if (wari_cache_find(cache, 1, 0, &value, 1))
            _exit(CHILD_WRONG); /* chunk 1 is only half copied */
        _exit(insert_and_find(2) && insert_and_find(3) ? CHILD_OK : CHILD_FAILED);
    }
    (void)mprotect(half_readable, WARI_CHUNK_POSITIONS, PROT_READ | PROT_WRITE);
}

static void a_child_can_insert_where_its_parent_was_inserting(void **state)
{
    const struct sigaction action = {.sa_handler = fork_in_the_middle};
    struct sigaction before;
    const size_t half = WARI_CHUNK_POSITIONS / 2;
    (void)state;
    assert_int_equal(half % (size_t)sysconf(_SC_PAGESIZE), 0);
    half_readable = mmap(NULL, WARI_CHUNK_POSITIONS, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(half_readable != MAP_FAILED);
    memset(half_readable, 5, WARI_CHUNK_POSITIONS);
    /* A cache of one chunk, so that all chunks use the same lock. */
    assert_int_equal(wari_cache_create(&cache, wari_host_system(), 1, 100, NULL), WARI_OK);
    assert_int_equal(mprotect(half_readable + half, half, PROT_NONE), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    child_of_handler = 0;
    wari_cache_insert(cache, 1, half_readable, WARI_CHUNK_POSITIONS, WARI_STREAM_POSITIONS);
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    expect_ok(child_of_handler);

    /* After the fork, the parent completed its insertion, undisturbed by the child. */
    int8_t found[WARI_CHUNK_POSITIONS];
    assert_true(wari_cache_find(cache, 1, 0, found, WARI_CHUNK_POSITIONS));
    assert_memory_equal(found, half_readable, WARI_CHUNK_POSITIONS);
    wari_cache_destroy(cache);
    assert_int_equal(munmap(half_readable, WARI_CHUNK_POSITIONS), 0);
}

/* ---- Threads probe --------------------------------------------------------------------------- */

/* Three threads that probe while the main thread forks, and rest while it waits for the child. */
struct probers {
    struct wari_db *db;
    const struct solved *solved;
    pthread_barrier_t start; /* start of each round */
    atomic_int ready;        /* number of threads, in all rounds, that have started to probe */
    atomic_int forks;        /* number of rounds whose fork is done */
    atomic_int wrong;
};

static bool probe_one(struct wari_db *db, const struct solved *solved, uint64_t *random)
{
    struct wari_position position;
    int value;
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t number = (*random >> 20) % wari_level_size(SEEDS);
    return wari_position_numbered(SEEDS, number, &position, NULL) == WARI_OK &&
           wari_probe(db, &position, &value, NULL) == WARI_OK &&
           value == solved->table.values[SEEDS][number];
}

static void *probe_in_rounds(void *context)
{
    struct probers *probers = context;
    uint64_t random = (uint64_t)(uintptr_t)&random;
    for (int round = 0; round < FORKS; round++) {
        (void)pthread_barrier_wait(&probers->start);
        for (int i = 0; i < ROUND_PROBES && atomic_load(&probers->forks) <= round; i++) {
            if (!probe_one(probers->db, probers->solved, &random))
                atomic_fetch_add(&probers->wrong, 1);
            if (i == 0)
                atomic_fetch_add(&probers->ready, 1);
        }
    }
    return NULL;
}

/* The work of a child: single values, many values at once, and the memory of the handle. */
static int probe_in_child(struct wari_db *db, const struct solved *solved, uint64_t random)
{
    struct wari_position positions[PROBES];
    int8_t values[PROBES], expected[PROBES];
    (void)alarm(SAFETY_SECONDS);
    for (int i = 0; i < PROBES; i++) {
        if (!probe_one(db, solved, &random))
            return CHILD_WRONG;
        const uint64_t number = random % wari_level_size(SEEDS);
        if (wari_position_numbered(SEEDS, number, &positions[i], NULL) != WARI_OK)
            return CHILD_FAILED;
        expected[i] = solved->table.values[SEEDS][number];
    }
    if (wari_probe_many(db, positions, PROBES, values, NULL) != WARI_OK)
        return CHILD_FAILED;
    wari_close(db);
    return memcmp(values, expected, PROBES) == 0 ? CHILD_OK : CHILD_WRONG;
}

/* No child may fail. It depends on chance how many of the forks interrupt a probe, but a correct
 * handle passes in any case. */
static void a_handle_works_in_children_forked_while_threads_probe(void **state)
{
    const struct solved *solved = solved_of(WARI_AWARI, WARI_EVEN, SEEDS);
    const struct wari_options options = {.cache_bytes = 1}; /* every probe replaces a chunk */
    struct probers probers = {.solved = solved};
    pthread_t threads[THREADS];
    (void)state;
    assert_non_null(solved);
    assert_int_equal(wari_open(&probers.db, solved->folder, NULL, &options, NULL), WARI_OK);
    assert_int_equal(pthread_barrier_init(&probers.start, NULL, THREADS + 1), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, probe_in_rounds, &probers), 0);
    for (int i = 0; i < FORKS; i++) {
        (void)pthread_barrier_wait(&probers.start);
        while (atomic_load(&probers.ready) < (i + 1) * THREADS)
            (void)sched_yield();
        const pid_t child = fork();
        if (child == 0)
            _exit(probe_in_child(probers.db, solved, (uint64_t)i));
        atomic_store(&probers.forks, i + 1);
        expect_ok(child);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    assert_int_equal(atomic_load(&probers.wrong), 0);
    assert_int_equal(pthread_barrier_destroy(&probers.start), 0);
    wari_close(probers.db);
}

TEST_GROUP(test_db_fork)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_can_insert_where_its_parent_was_inserting),
        cmocka_unit_test(a_handle_works_in_children_forked_while_threads_probe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
