/* The parts of the benchmark program. Every measurement runs in a child process, so that its peak
 * memory does not include that of others, and so that no thread pool exists when the program forks.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "play/search/search.h"
#include "solver/build.h"
#include "solver/plan/cost.h"

/* ---- Measurements (measure.c) ---- */

/* One build. The caller sets the first five fields; bench_build() fills in the others. */
struct bench_build {
    struct wari_variant variant;
    int seeds, threads;
    enum wari_kernel kernel;
    uint64_t memory; /* limit on resident memory, in bytes; 0 means no limit */

    double seconds;
    uint64_t peak_bytes; /* peak resident memory of the whole process */
    uint64_t file_bytes;
    struct wari_level_statistics level[WARI_SEEDS_MAX + 1];
    uint64_t level_bytes[WARI_SEEDS_MAX + 1]; /* sizes of the level files */
};

/* Builds levels 0..seeds of a variant in a new folder inside `scratch`, and removes the folder.
 * Exits with a message on failure. */
void bench_build(const char *scratch, struct bench_build *build);

/* Measures the time, in seconds, that `count` simultaneous builds take, each with one thread and in
 * a process that shares nothing with the others. This shows how much work all processors of the
 * machine can do together. */
double bench_side_by_side(const char *scratch, int seeds, int count);

/* Returns the speed of the reference solver on one core, in positions a second. The positions are
 * all placements of levels 0..seeds. If `plain` is true the solver sweeps over single positions and
 * sows anew each time; otherwise it first makes a graph of all moves. Stores the time in *seconds.
 */
double bench_reference(int seeds, bool plain, double *seconds);

/* Returns the bytes a second at which `threads` threads read `bytes` of memory, the best of three
 * measurements. */
double bench_bandwidth(uint64_t bytes, int threads);

/* Returns the number of stored positions of levels 0..seeds. */
uint64_t bench_positions(int seeds);

/* Measures the speeds that the cost model needs to plan a build like `like`. */
void bench_calibrate(const char *scratch, const struct bench_build *like, struct wari_speed *speed);

/* ---- Reports (report.c) ---- */

/* Prints a table of the last levels. `one` was built with one thread, `all` with all of them. */
void bench_print_levels(const struct bench_build *one, const struct bench_build *all,
                        double bandwidth);

/* Prints a build as a JSON object, on a line of its own. */
void bench_print_json(const struct bench_build *build, double bandwidth);

/* ---- Plans (plan.c) ---- */

/* Prints what a plan with the given speeds predicts for a measured build, next to the measurement.
 */
void bench_print_plan(const struct bench_build *build, const struct wari_speed *speed);

/* Returns a memory limit, in bytes, with which a build has to read lower levels more than once. */
uint64_t bench_tight_memory(const struct bench_build *like);

/* ---- Inner loops of dense sweeps (loops.c) ---- */

/* Nanoseconds for each cell, the best of several runs on one processor. */
struct bench_loops {
    double worst;          /* smallest children, in a block of many strips */
    double worst_of_strip; /* smallest children, in a block of few strips */
    double transpose, merge;
};

/* Measures each loop of a kernel by itself. Returns false if there is not enough memory. */
bool bench_loops(enum wari_kernel kernel, struct bench_loops *loops);

/* ---- The codec (codec.c, measure.c) ---- */

/* Nanoseconds for each position of a level, the best of several runs of one thread. */
struct bench_codec {
    double survey; /* counting the values of all chunks, from which the model is computed */
    double encode, decode;
};

/* Measures the codec with the values of level `seeds` of `awari`, `even` in `folder`, which has to
 * be built. Returns false on failure. */
bool bench_codec_of_level(const char *folder, int seeds, struct bench_codec *result);

/* Builds levels 0..seeds in a new folder inside `scratch`, measures the codec with the last one,
 * and removes the folder. Exits with a message on failure. */
void bench_codec(const char *scratch, int seeds, struct bench_codec *result);

/* ---- Play (search.c, prove.c, tables.c) ---- */

/* Plays a game with a search of a few milliseconds for each move, and some random moves, until
 * `seeds` seeds are left. Returns false if the game never has exactly that number of seeds. The
 * caller has called wari_game_begin(). */
bool bench_play_to(struct wari_search *search, int seeds, uint64_t *random, struct wari_game *game);

enum { BENCH_TABLES_MAX = 4 };

/* Runs searches of `nodes` positions, without tables and with the tables of each folder. Prints how
 * many positions a second the searches examine, how deep they search, and how often they probe and
 * read. `count` is the number of folders, from 1 to BENCH_TABLES_MAX. There are `of_each` searches,
 * at most 10, for each number of seeds from 33 to 40. */
void bench_tables(int nodes, int of_each, char *const *folders, int count);

/* Prints three comparisons: how often a search with the database in the first folder finds a move
 * without loss, judged by the larger database in the second folder; how long perfect play inside
 * the larger database takes for a move; and how many times as many positions all threads search in
 * the same time as one thread. */
void bench_search(const char *small_folder, const char *large_folder);

/* Prints how often a search of `milliseconds` with the database in the folder proves who wins. The
 * `positions` positions have `seeds` seeds and come from games that searches play. */
void bench_prove(const char *folder, int seeds, int positions, int milliseconds);

#endif
