/* Games played by threads, each of which has a pair of engines.
 *
 * A thread takes the next number, plays that game and puts it into its place, one of a ring; the
 * caller takes games out in order. What always holds, under the lock: places have the numbers from
 * `next` up to `begun`, number n the place n modulo `places`; so nobody runs ahead of a long game
 * by more than the ring. A game goes to the file of the match as soon as it has ended, whatever its
 * turn.
 */
#include "tools/match/games.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tools/common/interrupt.h"

enum {
    PLACES_EACH = 16, /* of the ring for a thread: the longest games last some ten mean ones */
    SLICE = 100,      /* milliseconds between looks at the interrupt flag */
};

struct place {
    bool ended;
    struct played_game game;
};

/* One thread, with what it plays with. */
struct referee {
    struct match_games *games;
    pthread_t thread;
    struct wari_player *player;
    struct wari_opponent opponents[MATCH_SIDES]; /* meaningful where words are */
};

struct match_games {
    struct games_wish wish;
    char **words[MATCH_SIDES];
    struct wari_processes processes; /* `stop` is set: engines are asked no more */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct place *ring;
    int places;
    int next, begun;
    struct wari_setup start; /* of the game begun last; the second of a pair has it again */
    int playing;             /* games that have begun and not ended */
    enum wari_status status;
    struct wari_error error; /* the first failure's */
    struct referee *referees;
    int referee_count; /* with a thread */
};

/* ---- A game ---- */

/* What an engine's random numbers start from: another start for each game and side, in the range of
 * the option Seed. */
static uint64_t seed_of(int seed, int number, int who)
{
    enum { APART = 2000003 }; /* more than a million games of two sides */
    return 1 +
           ((uint64_t)seed * APART + (uint64_t)number * MATCH_SIDES + (uint64_t)who) % INT32_MAX;
}

static enum wari_status play(struct referee *referee, struct played_game *game,
                             struct wari_error *error)
{
    const struct games_wish *wish = &referee->games->wish;
    struct wari_match_side sides[2];
    int first = game->number % 2; /* who is South */
    for (int side = 0; side < 2; side++) {
        int who = side == 0 ? first : 1 - first;
        sides[side].engine = referee->games->words[who] ? &referee->opponents[who] : NULL;
        sides[side].player = referee->player;
        /* Random moves differ from game to game, and do not depend on who plays it. */
        referee->opponents[who].seed.next = seed_of(wish->request->seed, game->number, who);
    }
    enum wari_status status =
        wari_match_play(&game->record.game, sides, wish->request->adjudicate ? wish->db : NULL,
                        &game->result, error);
    for (int i = 0; i < MATCH_SIDES; i++)
        memcpy(game->names[i],
               referee->games->words[i] ? referee->opponents[i].name : "perfect play",
               referee->games->words[i] ? WARI_OPPONENT_NAME : sizeof "perfect play");
    if (status == WARI_OK && game->result.fault != WARI_FAULT_NONE) {
        int who = game->result.side == 0 ? first : 1 - first;
        memcpy(game->fault_text, referee->opponents[who].fault_text, sizeof game->fault_text);
    }
    return status;
}

/* Takes a game that was played before out of the file of the match. */
static enum wari_status replay(struct match_games *games, struct played_game *game,
                               struct wari_error *error)
{
    int value;
    enum wari_status status = match_file_take(games->wish.file, game, error);
    if (status != WARI_OK || !game->result.adjudicated)
        return status;
    const struct wari_setup *now = &game->record.game.now;
    status = wari_probe(games->wish.db, &now->position, &value, error);
    if (status == WARI_OK)
        wari_game_score_at(now, value, &game->result.score);
    return status;
}

/* ---- The threads ---- */

/* Under the lock, as all below. */
static void fail(struct match_games *games, enum wari_status status, const struct wari_error *error)
{
    if (games->status == WARI_OK) {
        games->status = status;
        games->error = *error;
    }
    atomic_store(&games->processes.stop, true);
}

static bool is_over(const struct match_games *games)
{
    return atomic_load(&games->processes.stop) || games->begun == games->wish.request->games;
}

/* Begins the next game; NULL: none is left to begin. */
static struct place *begin_game(struct match_games *games)
{
    struct wari_error error;
    while (!is_over(games) && games->begun == games->next + games->places)
        pthread_cond_wait(&games->changed, &games->lock);
    if (is_over(games))
        return NULL;
    enum wari_status status = starts_next(games->wish.starts, games->begun, &games->start, &error);
    if (status != WARI_OK) {
        fail(games, status, &error);
        return NULL;
    }
    struct place *place = &games->ring[games->begun % games->places];
    *place = (struct place){.game = {.number = games->begun}};
    wari_record_begin(&place->game.record, wari_host_system(), games->wish.variant, &games->start);
    games->begun++;
    games->playing++;
    return place;
}

static void end_game(struct match_games *games, struct place *place, bool replayed,
                     enum wari_status status, struct wari_error *error)
{
    struct played_game *game = &place->game;
    games->playing--;
    if (status == WARI_OK && !game->result.interrupted) {
        place->ended = true;
        if (!replayed)
            status = match_file_add(games->wish.file, game, error);
    }
    if (status != WARI_OK)
        fail(games, status, error);
    if (!place->ended)
        wari_record_free(&game->record);
}

static void *referee_games(void *context)
{
    struct referee *referee = context;
    struct match_games *games = referee->games;
    struct place *place;
    pthread_mutex_lock(&games->lock);
    while ((place = begin_game(games)) != NULL) {
        struct wari_error error;
        enum wari_status status;
        bool replayed = match_file_has(games->wish.file, place->game.number);
        if (replayed) {
            status = replay(games, &place->game, &error);
        } else {
            pthread_mutex_unlock(&games->lock);
            status = play(referee, &place->game, &error);
            pthread_mutex_lock(&games->lock);
        }
        end_game(games, place, replayed, status, &error);
        pthread_cond_broadcast(&games->changed);
    }
    pthread_cond_broadcast(&games->changed);
    pthread_mutex_unlock(&games->lock);
    for (int i = 0; i < MATCH_SIDES; i++)
        if (games->words[i])
            wari_opponent_end(&referee->opponents[i]);
    return NULL;
}

/* ---- For the caller ---- */

static enum wari_status split_commands(struct match_games *games, struct wari_error *error)
{
    const struct request *request = games->wish.request;
    enum wari_status status = WARI_OK;
    for (int i = 0; i < request->engine_count && status == WARI_OK; i++) {
        int count;
        status = wari_split_command(wari_host_system(), request->engines[i], &games->words[i],
                                    &count, error);
        if (status != WARI_OK)
            games->words[i] = NULL;
    }
    return status;
}

static enum wari_status start_referee(struct match_games *games, struct wari_error *error)
{
    const struct request *request = games->wish.request;
    struct referee *referee = &games->referees[games->referee_count];
    referee->games = games;
    for (int i = 0; i < MATCH_SIDES; i++)
        if (games->words[i])
            wari_opponent_init(&referee->opponents[i], wari_host_system(), games->words[i],
                               games->wish.variant, &request->limits, &games->processes);
    enum wari_status status = wari_player_new(&referee->player, games->wish.db, error);
    if (status != WARI_OK)
        return status;
    int number = pthread_create(&referee->thread, NULL, referee_games, referee);
    if (number != 0) {
        wari_player_free(referee->player);
        return wari_fail(error, WARI_NO_MEMORY,
                         "cannot start a thread for game %d of --concurrency %d (%s)",
                         games->referee_count + 1, request->concurrency, strerror(number));
    }
    games->referee_count++;
    return WARI_OK;
}

static enum wari_status allocate(const struct games_wish *wish, struct match_games **games,
                                 struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    const size_t threads = (size_t)wish->request->concurrency, places = threads * PLACES_EACH;
    void *made = NULL, *ring = NULL, *referees = NULL;
    enum wari_status status = wari_allocate(host, sizeof **games, "a match", &made, error);
    if (status == WARI_OK)
        status = wari_allocate(host, places * sizeof(struct place), "games", &ring, error);
    if (status == WARI_OK)
        status = wari_allocate(host, threads * sizeof(struct referee), "engines", &referees, error);
    if (status != WARI_OK) {
        wari_release(host, made);
        wari_release(host, ring);
        return status;
    }
    *games = made;
    **games = (struct match_games){
        .wish = *wish, .ring = ring, .places = (int)places, .referees = referees};
    memset(ring, 0, places * sizeof(struct place));
    memset(referees, 0, threads * sizeof(struct referee));
    wari_processes_init(&(*games)->processes);
    pthread_mutex_init(&(*games)->lock, NULL); /* with the system's defaults these cannot fail */
    pthread_cond_init(&(*games)->changed, NULL);
    return WARI_OK;
}

enum wari_status games_begin(struct match_games **games, const struct games_wish *wish,
                             struct wari_error *error)
{
    *games = NULL;
    enum wari_status status = allocate(wish, games, error);
    if (status == WARI_OK)
        status = split_commands(*games, error);
    for (int i = 0; i < wish->request->concurrency && status == WARI_OK; i++)
        status = start_referee(*games, error);
    return status;
}

static void wait_a_slice(struct match_games *games)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SLICE * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&games->changed, &games->lock, &until);
}

/* The next place in order, once its game has ended; NULL: there is none. */
static struct place *wait_for_next(struct match_games *games)
{
    while (games->next < games->wish.request->games) {
        struct place *place = &games->ring[games->next % games->places];
        bool begun = games->next < games->begun;
        if (begun && place->ended)
            return place;
        if (atomic_load(interrupt_flag()))
            atomic_store(&games->processes.stop, true);
        if (!atomic_load(&games->processes.stop) || games->playing > 0)
            wait_a_slice(games);
        else if (begun)
            games->next++; /* broken off */
        else
            return NULL;
    }
    return NULL;
}

enum wari_status games_next(struct match_games *games, struct played_game *game, bool *any,
                            struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    pthread_mutex_lock(&games->lock);
    struct place *place = wait_for_next(games);
    *any = place != NULL;
    if (place) {
        *game = place->game;
        place->ended = false;
        games->next++;
        pthread_cond_broadcast(&games->changed);
    } else if (games->status != WARI_OK) {
        *error = games->error;
        status = games->status;
    } else if (games->next < games->wish.request->games) {
        status = wari_fail(error, WARI_INTERRUPTED, "interrupted");
    }
    pthread_mutex_unlock(&games->lock);
    return status;
}

void games_end(struct match_games *games, int starts[MATCH_SIDES], uint64_t nonsense[MATCH_SIDES])
{
    const struct wari_host *host = wari_host_system();
    if (!games)
        return;
    pthread_mutex_lock(&games->lock);
    atomic_store(&games->processes.stop, true);
    pthread_cond_broadcast(&games->changed);
    pthread_mutex_unlock(&games->lock);
    for (int i = 0; i < games->referee_count; i++) {
        struct referee *referee = &games->referees[i];
        pthread_join(referee->thread, NULL);
        wari_player_free(referee->player);
        for (int side = 0; side < MATCH_SIDES; side++) {
            starts[side] += referee->opponents[side].starts;
            nonsense[side] += referee->opponents[side].nonsense;
        }
    }
    for (int i = 0; i < games->places; i++)
        if (games->ring[i].ended)
            wari_record_free(&games->ring[i].game.record);
    for (int i = 0; i < MATCH_SIDES; i++)
        wari_release(host, games->words[i]);
    pthread_cond_destroy(&games->changed);
    pthread_mutex_destroy(&games->lock);
    wari_processes_free(&games->processes);
    wari_release(host, games->referees);
    wari_release(host, games->ring);
    wari_release(host, games);
}
