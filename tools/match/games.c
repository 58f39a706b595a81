/* Games are played by threads, each of which has a pair of engines.
 *
 * A thread takes the next number, plays that game and stores it in its entry of a ring; the
 * caller takes games out in order. Invariant (under the lock): the entries in use have the
 * numbers from `next` up to but not including `begun`, and game n has entry n modulo
 * `ring_size`; so no thread is further ahead of a long game than the size of the ring. A game is
 * written to the file of the match as soon as it has ended, whatever its number. */
#include "tools/match/games.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tools/common/interrupt.h"

enum {
    RING_PER_THREAD = 16, /* ring entries for each thread: the longest games last about ten times as
                             long as the mean */
    WAIT_MS = 100,        /* milliseconds between checks of the interrupt flag */
};

struct ring_entry {
    bool ended;
    struct played_game game;
};

/* A thread with its player and engines. */
struct referee {
    struct match_games *games;
    pthread_t thread;
    struct wari_player *player;
    struct wari_endgame *endgame;
    struct wari_opponent opponents[MATCH_SIDES]; /* valid for engines that have a command */
};

struct match_games {
    struct games_settings settings;
    char **words[MATCH_SIDES];
    struct wari_processes processes; /* shared state of all engine processes; its `stop` flag
                                      * ends all games */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ring_entry *ring;
    int ring_size;
    int next, begun;
    struct wari_setup start; /* start position of the game begun last; the second game of a pair
                              * uses it again */
    bool closed;             /* no further game may begin */
    int playing;             /* number of games begun but not ended */
    enum wari_status status;
    struct wari_error error; /* error text of the first failure */
    struct referee *referees;
    int referee_count; /* number of threads started */
};

/* ---- A game ---- */

/* Returns the seed of an engine's random numbers: a different one for each game and side, within
 * the range of the option Seed. */
static uint64_t seed_of(int seed, int number, int engine)
{
    /* Larger than the number of random seeds that a million games with two sides need. */
    enum { SEED_STEP = 2000003 };
    return 1 + ((uint64_t)seed * SEED_STEP + (uint64_t)number * MATCH_SIDES + (uint64_t)engine) %
                   INT32_MAX;
}

static enum wari_status play(struct referee *referee, struct played_game *game,
                             struct wari_error *error)
{
    const struct games_settings *settings = &referee->games->settings;
    struct wari_match_side sides[2];
    int first = game->number % 2; /* index of the engine that plays South */
    for (int side = 0; side < 2; side++) {
        int engine = side == 0 ? first : 1 - first;
        sides[side].engine = referee->games->words[engine] ? &referee->opponents[engine] : NULL;
        sides[side].player = referee->player;
        sides[side].endgame = referee->endgame;
        /* Random moves differ from game to game, but do not depend on the thread that plays it. */
        referee->opponents[engine].seed.next =
            seed_of(settings->request->seed, game->number, engine);
    }
    enum wari_status status =
        wari_match_play(&game->record.game, sides,
                        settings->request->adjudicate ? settings->db : NULL, &game->result, error);
    for (int i = 0; i < MATCH_SIDES; i++)
        memcpy(game->names[i],
               referee->games->words[i] ? referee->opponents[i].name : "perfect play",
               referee->games->words[i] ? WARI_OPPONENT_NAME : sizeof "perfect play");
    if (status == WARI_OK && game->result.fault != WARI_FAULT_NONE) {
        int engine = game->result.side == 0 ? first : 1 - first;
        memcpy(game->fault_text, referee->opponents[engine].fault_text, sizeof game->fault_text);
    }
    return status;
}

/* Replays a game from the file of the match. */
static enum wari_status replay(struct match_games *games, struct played_game *game,
                               struct wari_error *error)
{
    int value;
    enum wari_status status = match_file_replay(games->settings.file, game, error);
    if (status != WARI_OK || !game->result.adjudicated)
        return status;
    const struct wari_setup *now = &game->record.game.now;
    status = wari_probe(games->settings.db, &now->position, &value, error);
    if (status == WARI_OK)
        wari_game_score_at(now, value, &game->result.score);
    return status;
}

/* ---- The threads ---- */

/* Records the first failure and stops all games. The callers of fail(), is_over(), begin_game() and
 * end_game() hold the lock. */
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
    return games->closed || atomic_load(&games->processes.stop) ||
           games->begun == games->settings.request->games;
}

/* Begins the next game. Returns NULL if there is none left. */
static struct ring_entry *begin_game(struct match_games *games)
{
    struct wari_error error;
    while (!is_over(games) && games->begun == games->next + games->ring_size)
        pthread_cond_wait(&games->changed, &games->lock);
    if (is_over(games))
        return NULL;
    enum wari_status status =
        starts_next(games->settings.starts, games->begun, &games->start, &error);
    if (status != WARI_OK) {
        fail(games, status, &error);
        return NULL;
    }
    struct ring_entry *entry = &games->ring[games->begun % games->ring_size];
    *entry = (struct ring_entry){.game = {.number = games->begun}};
    wari_record_begin(&entry->game.record, wari_host_system(), games->settings.variant,
                      &games->start);
    games->begun++;
    games->playing++;
    return entry;
}

static void end_game(struct match_games *games, struct ring_entry *entry, bool replayed,
                     enum wari_status status, struct wari_error *error)
{
    struct played_game *game = &entry->game;
    games->playing--;
    if (status == WARI_OK && !game->result.interrupted) {
        entry->ended = true;
        if (!replayed)
            status = match_file_add(games->settings.file, game, error);
    }
    if (status != WARI_OK)
        fail(games, status, error);
    if (!entry->ended)
        wari_record_free(&game->record);
}

static void *run_games(void *context)
{
    struct referee *referee = context;
    struct match_games *games = referee->games;
    struct ring_entry *entry;
    pthread_mutex_lock(&games->lock);
    while ((entry = begin_game(games)) != NULL) {
        struct wari_error error;
        enum wari_status status;
        bool replayed = match_file_has(games->settings.file, entry->game.number);
        if (replayed) {
            status = replay(games, &entry->game, &error);
        } else {
            pthread_mutex_unlock(&games->lock);
            status = play(referee, &entry->game, &error);
            pthread_mutex_lock(&games->lock);
        }
        end_game(games, entry, replayed, status, &error);
        pthread_cond_broadcast(&games->changed);
    }
    pthread_cond_broadcast(&games->changed);
    pthread_mutex_unlock(&games->lock);
    for (int i = 0; i < MATCH_SIDES; i++)
        if (games->words[i])
            wari_opponent_end(&referee->opponents[i]);
    return NULL;
}

/* ---- Functions for the caller ---- */

static enum wari_status split_commands(struct match_games *games, struct wari_error *error)
{
    const struct request *request = games->settings.request;
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
    const struct request *request = games->settings.request;
    struct referee *referee = &games->referees[games->referee_count];
    referee->games = games;
    for (int i = 0; i < MATCH_SIDES; i++)
        if (games->words[i])
            wari_opponent_init(&referee->opponents[i], wari_host_system(), games->words[i],
                               games->settings.variant, &request->limits, &games->processes);
    enum wari_status status = wari_player_new(&referee->player, games->settings.db, error);
    if (status == WARI_OK)
        status = wari_endgame_new(&referee->endgame, games->settings.db, wari_host_system(),
                                  WARI_MATCH_POSITIONS, error);
    if (status != WARI_OK) {
        wari_player_free(referee->player);
        return status;
    }
    int number = pthread_create(&referee->thread, NULL, run_games, referee);
    if (number != 0) {
        wari_endgame_free(referee->endgame);
        wari_player_free(referee->player);
        return wari_fail(error, WARI_NO_MEMORY,
                         "cannot start a thread for game %d of --concurrency %d (%s)",
                         games->referee_count + 1, request->concurrency, strerror(number));
    }
    games->referee_count++;
    return WARI_OK;
}

static enum wari_status allocate(const struct games_settings *settings, struct match_games **games,
                                 struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    const size_t threads = (size_t)settings->request->concurrency,
                 ring_size = threads * RING_PER_THREAD;
    void *created = NULL, *ring = NULL, *referees = NULL;
    enum wari_status status = wari_allocate(host, sizeof **games, "a match", &created, error);
    if (status == WARI_OK)
        status = wari_allocate(host, ring_size * sizeof(struct ring_entry), "games", &ring, error);
    if (status == WARI_OK)
        status = wari_allocate(host, threads * sizeof(struct referee), "engines", &referees, error);
    if (status != WARI_OK) {
        wari_release(host, created);
        wari_release(host, ring);
        return status;
    }
    *games = created;
    **games = (struct match_games){
        .settings = *settings, .ring = ring, .ring_size = (int)ring_size, .referees = referees};
    memset(ring, 0, ring_size * sizeof(struct ring_entry));
    memset(referees, 0, threads * sizeof(struct referee));
    wari_processes_init(&(*games)->processes);
    pthread_mutex_init(&(*games)->lock, NULL); /* cannot fail with default attributes */
    pthread_cond_init(&(*games)->changed, NULL);
    return WARI_OK;
}

enum wari_status games_begin(struct match_games **games, const struct games_settings *settings,
                             struct wari_error *error)
{
    *games = NULL;
    enum wari_status status = allocate(settings, games, error);
    if (status == WARI_OK)
        status = split_commands(*games, error);
    for (int i = 0; i < settings->request->concurrency && status == WARI_OK; i++)
        status = start_referee(*games, error);
    return status;
}

static void wait_briefly(struct match_games *games)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&games->changed, &games->lock, &until);
}

/* Waits until the next game in order has ended. Returns its entry; NULL if there is none. */
static struct ring_entry *wait_for_next(struct match_games *games)
{
    while (games->next < games->settings.request->games) {
        struct ring_entry *entry = &games->ring[games->next % games->ring_size];
        bool begun = games->next < games->begun;
        if (begun && entry->ended)
            return entry;
        if (atomic_load(interrupt_flag()))
            atomic_store(&games->processes.stop, true);
        if (!atomic_load(&games->processes.stop) || games->playing > 0)
            wait_briefly(games);
        else if (begun)
            games->next++; /* this game was aborted */
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
    struct ring_entry *entry = wait_for_next(games);
    *any = entry != NULL;
    if (entry) {
        *game = entry->game;
        entry->ended = false;
        games->next++;
        pthread_cond_broadcast(&games->changed);
    } else if (games->status != WARI_OK) {
        *error = games->error;
        status = games->status;
    } else if (games->next < games->settings.request->games) {
        status = wari_fail(error, WARI_INTERRUPTED, "interrupted");
    }
    pthread_mutex_unlock(&games->lock);
    return status;
}

void games_end(struct match_games *games, struct match_statistics statistics[MATCH_SIDES])
{
    const struct wari_host *host = wari_host_system();
    if (!games)
        return;
    pthread_mutex_lock(&games->lock);
    games->closed = true;
    if (games->playing > 0)
        atomic_store(&games->processes.stop, true);
    pthread_cond_broadcast(&games->changed);
    pthread_mutex_unlock(&games->lock);
    for (int i = 0; i < games->referee_count; i++) {
        struct referee *referee = &games->referees[i];
        pthread_join(referee->thread, NULL);
        wari_endgame_free(referee->endgame);
        wari_player_free(referee->player);
        for (int side = 0; side < MATCH_SIDES; side++) {
            const struct wari_opponent *opponent = &referee->opponents[side];
            statistics[side].starts += opponent->starts;
            statistics[side].faults[WARI_FAULT_START] += opponent->failed_starts;
            statistics[side].nonsense += opponent->nonsense;
        }
    }
    for (int i = 0; i < games->ring_size; i++)
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
