/* The search of play/ in the static page. A book replaces the database. Each call searches for a
 * short time, and the results of all calls for a position are combined.
 *
 * Memory is allocated at the end of the module's memory and never freed, since a single search is
 * used while the page is open.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "db/book/wari_book.h"
#include "db/host/host.h"
#include "play/review/evaluate.h"
#include "play/search/strength.h"

#define EXPORT(name) __attribute__((export_name(name)))

enum { PAGE = 65536 };

__attribute__((import_module("host"), import_name("now"))) double host_now(void);

struct wari_book *js_book(void);
struct wari_error *js_failure(void);
uint8_t *js_pits(void);
char *js_text(void);

static struct wari_search *search;
static struct wari_position_result found;
static bool has_result; /* `found` is of the current position */

/* ---- Functions that the search calls ---- */

int clock_gettime(int clock, struct timespec *now)
{
    const double milliseconds = host_now();
    (void)clock;
    now->tv_sec = (long long)(milliseconds / 1000);
    now->tv_nsec = (long)((milliseconds - 1000.0 * (double)now->tv_sec) * 1000000);
    return 0;
}

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    return 1;
}

int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 1;
}

enum wari_status wari_allocate(const struct wari_host *host, size_t bytes, const char *what,
                               void **memory, struct wari_error *error)
{
    const size_t pages = (bytes + PAGE - 1) / PAGE;
    const size_t before = __builtin_wasm_memory_grow(0, pages);
    (void)host;
    if (before == SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for %s", what);
    *memory = (void *)(before * PAGE);
    return WARI_OK;
}

void wari_release(const struct wari_host *host, void *memory)
{
    (void)host, (void)memory;
}

void wari_get_info(const struct wari_db *db, struct wari_info *info)
{
    (void)db;
    memset(info, 0, sizeof *info);
    info->variant = js_book()->variant;
    info->seeds_max = js_book()->seeds;
}

enum wari_status wari_probe(struct wari_db *db, const struct wari_position *position, int *value,
                            struct wari_error *error)
{
    (void)db;
    return wari_book_value(js_book(), position, value, error);
}

bool wari_probe_cached(struct wari_db *db, const struct wari_position *position, int *value)
{
    return wari_probe(db, position, value, NULL) == WARI_OK; /* the book is in memory */
}

enum wari_status wari_analyse(struct wari_db *db, const struct wari_position *position,
                              struct wari_analysis *analysis, struct wari_error *error)
{
    (void)db;
    return wari_book_analyse(js_book(), position, analysis, error);
}

/* ---- Functions that the page calls ---- */

static struct wari_db *as_database(void)
{
    return (struct wari_db *)(void *)js_book();
}

static enum wari_status look(const struct wari_setup *setup, int milliseconds)
{
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = milliseconds, .lines = WARI_HALF_PITS};
    static struct wari_position_result more;
    struct wari_game game;
    wari_game_begin(&game, NULL, js_book()->variant, setup);
    enum wari_status status =
        wari_evaluate_position(as_database(), search, &game, &limits, &more, js_failure());
    if (status != WARI_OK)
        return status;
    if (has_result)
        wari_position_result_merge(&found, &more, wari_seeds(&setup->position));
    else
        found = more;
    has_result = true;
    return WARI_OK;
}

/* Searches the current position, which must have a legal move, for some milliseconds. `anew` means
 * that the position differs from that of the previous call. */
EXPORT("search")
int js_search(int milliseconds, int anew, int north, int south_store, int north_store)
{
    struct wari_setup setup = {.diagram = true, .north_to_move = north};
    memcpy(setup.position.pits, js_pits(), sizeof setup.position.pits);
    setup.stores[0] = (uint8_t)south_store;
    setup.stores[1] = (uint8_t)north_store;
    has_result = has_result && !anew;
    if (search == NULL) {
        const struct wari_search_settings settings = {
            .hash_mb = WARI_SEARCH_HASH_MB, .threads = 1, .variant = js_book()->variant};
        enum wari_status status =
            wari_search_new(&search, as_database(), NULL, &settings, js_failure());
        if (status != WARI_OK)
            return (int)status;
    }
    return (int)look(&setup, milliseconds);
}

EXPORT("version") const char *js_version(void)
{
    return WARI_VERSION;
}

/* Returns the pit that the playing strength named in `text` chooses in the current position; -1 if
 * there is no such strength, and -2 if it is the full strength. `seed` must be an integer. */
EXPORT("levelMove") int js_level_move(double seed)
{
    struct wari_position position;
    const struct wari_strength *level = wari_strength_find(js_text());
    if (level == NULL || level->depth == 0)
        return level == NULL ? -1 : -2;
    memcpy(position.pits, js_pits(), sizeof position.pits);
    return wari_strength_move(level, js_book()->variant, &position, (uint64_t)seed);
}

/* Returns the value of the position (-1) or of a move; moves are sorted best first. */
static const struct wari_value_result *value_of(int i)
{
    return i < 0 ? &found.value : &found.moves[i].value;
}

EXPORT("foundCount") int js_found_count(void)
{
    return found.count;
}

EXPORT("foundPit") int js_found_pit(int i)
{
    return found.moves[i].move.pit;
}

EXPORT("foundCaptured") int js_found_captured(int i)
{
    return found.moves[i].move.captured;
}

EXPORT("foundKind") int js_found_kind(int i)
{
    return (int)value_of(i)->kind;
}

EXPORT("foundScore") double js_found_score(int i)
{
    return value_of(i)->score / (double)WARI_SEED_SCORE;
}

EXPORT("foundError") double js_found_error(int i)
{
    return value_of(i)->error / (double)WARI_SEED_SCORE;
}

EXPORT("foundLeast") int js_found_least(int i)
{
    return value_of(i)->least;
}

EXPORT("foundMost") int js_found_most(int i)
{
    return value_of(i)->most;
}

EXPORT("foundDepth") int js_found_depth(void)
{
    return found.last.depth;
}

EXPORT("foundNodes") double js_found_nodes(void)
{
    return (double)found.last.nodes;
}

EXPORT("lineCount") int js_line_count(void)
{
    return found.last.line_count;
}

EXPORT("linePit") int js_line_pit(int i)
{
    return found.last.line[i].pit;
}

EXPORT("lineOpponent") int js_line_opponent(int i)
{
    return found.last.line[i].opponent;
}
