/* /api/puzzle: makes the puzzle of a number, always the same one from the same tables. */
#include "serve/api.h"

#include <errno.h>
#include <stdlib.h>

#include "answer/puzzle_json.h"
#include "serve/reply.h"

/* With these numbers of seeds a person can still calculate the moves. The other limits keep the
 * time of a request below about a second: in most cases, a search of depth PUZZLE_DEPTH visits a
 * few thousand positions. */
enum {
    PUZZLE_SEEDS_LEAST = 6, /* smallest number of seeds on the board; if the tables end below 12
                             * seeds, half of their largest number */
    PUZZLE_SEEDS_MOST = 20, /* largest number of seeds; less if the tables end earlier */
    PUZZLE_DEPTH = 12,      /* maximum number of moves that a search looks ahead */
    PUZZLE_TRIES = 4000,    /* maximum number of positions drawn at random */
    PUZZLE_SEARCHES = 100,  /* maximum number of positions searched */
    PUZZLE_NODES = 50000,   /* maximum number of positions that one search visits */
    PUZZLE_HASH_MB = 1,     /* size of the search's table of positions, in megabytes */
};

/* Parses a number in decimal digits. Returns false if an error response was queued. */
static bool read_number(struct request *request, const char *name, const char *text, int max,
                        int *number, enum MHD_Result *result)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    *number = (int)value;
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && value >= 1 && value <= max)
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                          "%s: \"%.40s\" is not a whole number from 1 to %d", name, text, max);
    return false;
}

static bool read_settings(struct request *request, struct wari_puzzle_settings *settings,
                          enum MHD_Result *result)
{
    const char *seed_text = request->arguments[ARGUMENT_SEED];
    const char *easiest = request->arguments[ARGUMENT_EASIEST];
    const char *hardest = request->arguments[ARGUMENT_HARDEST];
    int seed;
    settings->easiest = 1;
    settings->hardest = PUZZLE_DEPTH + 1;
    if (!seed_text) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                              "the argument seed is missing; it is the number of the puzzle");
        return false;
    }
    if (!read_number(request, "seed", seed_text, INT32_MAX, &seed, result) ||
        (easiest &&
         !read_number(request, "easiest", easiest, PUZZLE_DEPTH + 1, &settings->easiest, result)) ||
        (hardest &&
         !read_number(request, "hardest", hardest, PUZZLE_DEPTH + 1, &settings->hardest, result)))
        return false;
    settings->seed = (uint64_t)seed;
    if (settings->easiest <= settings->hardest)
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                          "easiest: %d is greater than hardest, which is %d", settings->easiest,
                          settings->hardest);
    return false;
}

static void let_others_go_first(void *context)
{
    permits_yield(context);
}

static enum wari_status make(const struct database *database,
                             const struct wari_puzzle_settings *settings, json_t **object,
                             struct wari_error *error)
{
    struct wari_puzzle_maker *maker;
    struct wari_puzzle puzzle;
    bool found = false;
    *object = NULL;
    enum wari_status status = wari_puzzle_maker_new(&maker, database->db, settings, error);
    if (status == WARI_OK)
        status = wari_puzzle_make(maker, &puzzle, &found, error);
    wari_puzzle_maker_free(maker);
    if (status == WARI_OK && found)
        status = answer_puzzle_json(database->db, &puzzle, object, error);
    else if (status == WARI_OK)
        status = wari_fail(error, WARI_NOT_COVERED,
                           "no puzzle was found among %d positions; choose another seed or other "
                           "difficulties",
                           PUZZLE_TRIES);
    return status;
}

enum MHD_Result api_puzzle(struct request *request)
{
    const struct database *database;
    struct wari_puzzle_settings settings = {.depth = PUZZLE_DEPTH,
                                            .count = 1,
                                            .tries = PUZZLE_TRIES,
                                            .searches = PUZZLE_SEARCHES,
                                            .nodes = PUZZLE_NODES,
                                            .hash_mb = PUZZLE_HASH_MB,
                                            .stop = &request->server->ending,
                                            .pause = let_others_go_first,
                                            .context = &request->server->permits};
    enum MHD_Result result;
    struct wari_error error;
    json_t *object;
    if (!request_database(request, &database, &result) ||
        !read_settings(request, &settings, &result))
        return result;
    const int most = database->info.seeds_max;
    if (most < WARI_PUZZLE_SEEDS_MIN)
        return reply_error(request, MHD_HTTP_NOT_FOUND,
                           "the database goes up to %d seeds, and puzzles need at least %d", most,
                           WARI_PUZZLE_SEEDS_MIN);
    if (!wari_puzzle_rules(database->info.variant.rules))
        return reply_error(request, MHD_HTTP_NOT_FOUND,
                           "there are no puzzles for the rules %s, because a grand slam decides "
                           "the game whatever the score",
                           wari_get_rules_info(database->info.variant.rules)->name);
    if (reply_not_modified(request, database->etag, CACHE_AN_HOUR, &result))
        return result;
    settings.last = most < PUZZLE_SEEDS_MOST ? most : PUZZLE_SEEDS_MOST;
    settings.first = most < 2 * PUZZLE_SEEDS_LEAST ? most / 2 : PUZZLE_SEEDS_LEAST;
    if (settings.first < WARI_PUZZLE_SEEDS_MIN)
        settings.first = WARI_PUZZLE_SEEDS_MIN;
    enum wari_status status = make(database, &settings, &object, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    return reply_json(request, object, database->etag, CACHE_AN_HOUR);
}
