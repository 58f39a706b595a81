/* Alpha-beta with iterative deepening, principal variation windows, a table of positions and the
 * database at the leaves.
 *
 * Every score comes with whether it is **proven**: whether it bounds the exact value of its
 * position as the window asked. Values from the database and ends of the game are proven; estimates
 * are not, and neither is what a repeated position on the way is taken for, because that depends on
 * the way. A move that is good enough hands on its own proof; otherwise a score is proven if those
 * of all moves are. So a proven score of the first position is its value in the game without end,
 * by induction, whatever the table mixed up of different ways.
 *
 * Where the depth ends, captures are followed on, since they lead towards the database.
 */
#include "play/search/search.h"

#include <string.h>
#include <time.h>

#include "index/half.h"
#include "play/search/search_table.h"

enum {
    INFINITE = 32000,
    PLIES = WARI_SEARCH_DEPTH_MAX + WARI_SEEDS_MAX / 2 + 2, /* each capture takes two seeds */
    NODES_BETWEEN_LOOKS = 128,                              /* at the clock: 0.1 ms or so */
    ROW_WEIGHT = 20, /* of a seed that is in the own row and not in the other */
    PROVEN_DEPTH = 120,
};

struct score {
    int score;
    bool proven;
};

/* A position on the way, or one of the game before it. */
struct station {
    struct wari_position position;
    bool opponent; /* of the side to move in the first position of the search is to move */
};

struct wari_search {
    const struct wari_host *host;
    struct wari_db *db;
    struct wari_variant variant;
    int seeds_max; /* of the database */
    struct wari_search_table table;
    uint8_t age;

    /* The search at hand. */
    const struct wari_search_limits *limits;
    struct timespec began;
    bool may_stop; /* an iteration has been finished */
    bool stopped;
    uint64_t nodes;
    enum wari_status status;
    struct wari_error *error;

    struct station *stations; /* those of the game since its last capture, then those on the way */
    int station_count, station_room;
};

enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                 const struct wari_host *host, int hash_mb,
                                 struct wari_error *error)
{
    struct wari_info info;
    void *memory;
    *search = NULL;
    enum wari_status status = wari_allocate(host, sizeof **search, "a search", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_search *made = memory;
    wari_info(db, &info);
    *made = (struct wari_search){
        .host = host, .db = db, .variant = info.variant, .seeds_max = info.seeds_max};
    status = wari_search_table_make(&made->table, host, (size_t)hash_mb * 1000000, error);
    if (status != WARI_OK)
        wari_search_free(made);
    else
        *search = made;
    return status;
}

void wari_search_free(struct wari_search *search)
{
    if (!search)
        return;
    wari_release(search->host, search->table.entries);
    wari_release(search->host, search->stations);
    wari_release(search->host, search);
}

void wari_search_clear(struct wari_search *search)
{
    wari_search_table_clear(&search->table);
}

/* ---- Clock ---- */

static int64_t elapsed(const struct wari_search *search)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: this clock exists */
    return (int64_t)(now.tv_sec - search->began.tv_sec) * 1000 +
           (now.tv_nsec - search->began.tv_nsec) / 1000000;
}

static void look_at_clock(struct wari_search *search)
{
    const struct wari_search_limits *limits = search->limits;
    if (!search->may_stop)
        return;
    search->stopped |= limits->nodes > 0 && search->nodes > (uint64_t)limits->nodes;
    if (search->nodes % NODES_BETWEEN_LOOKS != 0)
        return;
    search->stopped = search->stopped || (limits->stop && atomic_load(limits->stop)) ||
                      (limits->milliseconds >= 0 && elapsed(search) >= limits->milliseconds);
}

/* ---- What a position is worth at a glance ---- */

static bool is_covered(const struct wari_search *search, int seeds)
{
    return seeds <= search->seeds_max && seeds != WARI_SEEDS_MAX - 1;
}

static struct score look_up(struct wari_search *search, const struct wari_position *position)
{
    int value = 0;
    enum wari_status status = wari_probe(search->db, position, &value, search->error);
    if (status != WARI_OK) {
        search->status = status;
        search->stopped = true;
    }
    return (struct score){WARI_SEED_SCORE * value, true};
}

static int surplus(const struct wari_position *position)
{
    return wari_half_seeds(position->pits) - wari_half_seeds(position->pits + WARI_HALF_PITS);
}

/* An estimate where the game goes on and nothing is known. */
static int estimate(const struct wari_position *position)
{
    return ROW_WEIGHT * surplus(position);
}

/* Whether the position stood before since the last capture, with the same side to move; *score is
 * then what the cycle rule pays that side. */
static bool repeats(const struct wari_search *search, const struct wari_position *position,
                    bool opponent, int since, struct score *score)
{
    int least = surplus(position), most = least;
    for (int i = search->station_count - 1; i >= since; i--) {
        const struct station *station = &search->stations[i];
        int mine = surplus(&station->position);
        mine = station->opponent == opponent ? mine : -mine;
        least = mine < least ? mine : least;
        most = mine > most ? mine : most;
        if (station->opponent == opponent &&
            memcmp(&station->position, position, sizeof *position) == 0) {
            int pays = least > 0 ? least : most < 0 ? most : 0;
            score->score = search->variant.cycle == WARI_OWN ? WARI_SEED_SCORE * pays : 0;
            score->proven = false;
            return true;
        }
    }
    return false;
}

/* ---- The search ---- */

/* The order in which moves are tried: `first` (a pit, or -1), then the largest captures, then those
 * nearest to the opponent's row, which have fewer seeds to lose. */
static void order_moves(const struct wari_moves *moves, int first, int order[WARI_HALF_PITS])
{
    int keys[WARI_HALF_PITS];
    for (int i = 0; i < moves->count; i++) {
        const struct wari_move *move = &moves->list[i];
        int key = 16 * (move->ends ? move->end_value : move->captured) + move->pit;
        if (move->pit == first)
            key = INFINITE;
        int place = i;
        for (; place > 0 && keys[place - 1] < key; place--) {
            keys[place] = keys[place - 1];
            order[place] = order[place - 1];
        }
        keys[place] = key;
        order[place] = i;
    }
}

struct window {
    int alpha, beta;
};

static struct score look(struct wari_search *search, const struct wari_position *position,
                         bool opponent, int depth, int since, struct window window);

/* The score of a move for whoever makes it. */
static struct score try_move(struct wari_search *search, const struct wari_move *move,
                             bool opponent, int depth, int since, struct window window)
{
    if (move->ends)
        return (struct score){WARI_SEED_SCORE * move->end_value, true};
    int taken = WARI_SEED_SCORE * move->captured;
    int behind = move->captured > 0 ? search->station_count : since;
    struct window next = {window.alpha - taken, window.beta - taken};
    if (move->again) {
        struct score score = look(search, &move->next, opponent, depth - 1, behind, next);
        score.score += taken;
        return score;
    }
    next = (struct window){-next.beta, -next.alpha};
    struct score score = look(search, &move->next, !opponent, depth - 1, behind, next);
    score.score = taken - score.score;
    return score;
}

/* The same with a narrow window first, unless it is the first move. */
static struct score try_in_turn(struct wari_search *search, const struct wari_move *move,
                                bool opponent, int depth, int since, struct window window,
                                bool first)
{
    if (first || window.beta - window.alpha <= 1)
        return try_move(search, move, opponent, depth, since, window);
    struct window narrow = {window.alpha, window.alpha + 1};
    struct score score = try_move(search, move, opponent, depth, since, narrow);
    if (score.score > window.alpha && score.score < window.beta && !search->stopped)
        score = try_move(search, move, opponent, depth, since, window);
    return score;
}

/* Behind the last move of the depth: only captures and ends are tried, and nobody has to. */
static struct score look_at_captures(struct wari_search *search, const struct wari_moves *moves,
                                     const struct wari_position *position, bool opponent, int since,
                                     struct window window)
{
    struct score best = {estimate(position), false};
    int order[WARI_HALF_PITS];
    order_moves(moves, -1, order);
    for (int i = 0; i < moves->count && best.score < window.beta && !search->stopped; i++) {
        const struct wari_move *move = &moves->list[order[i]];
        if (!move->ends && move->captured == 0)
            continue;
        window.alpha = best.score > window.alpha ? best.score : window.alpha;
        struct score score = try_move(search, move, opponent, 0, since, window);
        if (score.score > best.score)
            best = (struct score){score.score, score.proven && score.score >= window.beta};
    }
    return best;
}

/* What the table says: true if that is an answer. *pit is the move to try first, or -1. */
static bool recall(const struct wari_search *search, uint64_t key, int depth, struct window window,
                   struct score *score, int *pit)
{
    const struct wari_search_entry *entry = wari_search_table_find(&search->table, key);
    *pit = -1;
    if (!entry)
        return false;
    *pit = entry->pit;
    *score = (struct score){entry->score, entry->proven};
    if (entry->depth < depth && !entry->proven)
        return false;
    return entry->bound == WARI_BOUND_EXACT ||
           (entry->bound == WARI_BOUND_LOWER && entry->score >= window.beta) ||
           (entry->bound == WARI_BOUND_UPPER && entry->score <= window.alpha);
}

static void remember(struct wari_search *search, uint64_t key, int depth, int pit,
                     struct score score, struct window window)
{
    struct wari_search_entry entry = {
        .key = key,
        .score = (int16_t)score.score,
        .depth = (int8_t)(score.proven ? PROVEN_DEPTH : depth),
        .pit = (int8_t)pit,
        .bound = score.score >= window.beta    ? WARI_BOUND_LOWER
                 : score.score <= window.alpha ? WARI_BOUND_UPPER
                                               : WARI_BOUND_EXACT,
        .proven = score.proven,
        .age = search->age,
    };
    wari_search_table_keep(&search->table, &entry);
}

/* All moves of a position, best first as far as anybody knows. */
static struct score look_at_moves(struct wari_search *search, const struct wari_moves *moves,
                                  bool opponent, int depth, int since, struct window window,
                                  int *pit)
{
    struct score best = {-INFINITE, true};
    bool all_proven = true;
    int order[WARI_HALF_PITS];
    order_moves(moves, *pit, order);
    for (int i = 0; i < moves->count && !search->stopped; i++) {
        const struct wari_move *move = &moves->list[order[i]];
        struct window rest = {best.score > window.alpha ? best.score : window.alpha, window.beta};
        struct score score = try_in_turn(search, move, opponent, depth, since, rest, i == 0);
        all_proven &= score.proven;
        if (search->stopped || score.score <= best.score)
            continue;
        best = score;
        *pit = move->pit;
        if (best.score >= window.beta)
            return best;
    }
    best.proven = all_proven;
    return best;
}

/* The score of a position for its mover; fail-soft. Meaningless once search->stopped. */
static struct score look(struct wari_search *search, const struct wari_position *position,
                         bool opponent, int depth, int since, struct window window)
{
    struct wari_moves moves;
    struct score score;
    int seeds = wari_seeds(position);
    int pit;

    search->nodes++;
    look_at_clock(search);
    if (search->stopped)
        return (struct score){0, false};
    if (is_covered(search, seeds))
        return look_up(search, position);
    if (window.alpha >= WARI_SEED_SCORE * seeds)
        return (struct score){WARI_SEED_SCORE * seeds, true};
    if (window.beta <= -WARI_SEED_SCORE * seeds)
        return (struct score){-WARI_SEED_SCORE * seeds, true};
    wari_moves(search->variant.rules, position, &moves);
    if (moves.count == 0)
        return (struct score){WARI_SEED_SCORE * moves.end_value, true};
    if (repeats(search, position, opponent, since, &score))
        return score;
    if (depth <= 0)
        return look_at_captures(search, &moves, position, opponent, since, window);
    uint64_t key = wari_search_key(position);
    if (recall(search, key, depth, window, &score, &pit))
        return score;
    search->stations[search->station_count++] = (struct station){*position, opponent};
    score = look_at_moves(search, &moves, opponent, depth, since, window, &pit);
    search->station_count--;
    if (!search->stopped)
        remember(search, key, depth, pit, score, window);
    return score;
}

/* ---- Iterations ---- */

/* The positions of the game since its last capture, without the one at hand. */
static enum wari_status load_game(struct wari_search *search, const struct wari_game *game,
                                  struct wari_error *error)
{
    int first = game->count;
    while (first > 0 && game->plies[first - 1].move.captured == 0)
        first--;
    int room = game->count - first + PLIES;
    if (room > search->station_room) {
        void *memory;
        enum wari_status status =
            wari_allocate(search->host, (size_t)room * sizeof *search->stations,
                          "the positions on the way of a search", &memory, error);
        if (status != WARI_OK)
            return status;
        wari_release(search->host, search->stations);
        search->stations = memory;
        search->station_room = room;
    }
    search->station_count = 0;
    for (int i = first; i < game->count; i++) {
        const struct wari_setup *before = &game->plies[i].before;
        search->stations[search->station_count++] =
            (struct station){before->position, before->north_to_move != game->now.north_to_move};
    }
    return WARI_OK;
}

/* Follows the table from the move of the report on. */
static void find_line(struct wari_search *search, const struct wari_position *start,
                      struct wari_search_report *report)
{
    struct wari_position now = *start;
    bool opponent = false;
    int pit = report->pit;
    report->line_count = 0;
    while (pit >= 0 && report->line_count < report->depth) {
        struct wari_moves moves;
        int i = 0;
        wari_moves(search->variant.rules, &now, &moves);
        while (i < moves.count && moves.list[i].pit != pit)
            i++;
        if (i == moves.count)
            return; /* two positions with one key */
        report->line[report->line_count].pit = (uint8_t)pit;
        report->line[report->line_count++].opponent = opponent;
        if (moves.list[i].ends)
            return;
        opponent = moves.list[i].again ? opponent : !opponent;
        now = moves.list[i].next;
        const struct wari_search_entry *entry =
            wari_search_table_find(&search->table, wari_search_key(&now));
        pit = entry && entry->bound == WARI_BOUND_EXACT ? entry->pit : -1;
    }
}

enum wari_status
wari_search_run(struct wari_search *search, const struct wari_game *game,
                const struct wari_search_limits *limits,
                void (*say)(void *context, const struct wari_search_report *report), void *context,
                struct wari_search_report *last, struct wari_error *error)
{
    const struct wari_position *position = &game->now.position;
    struct wari_moves moves;
    enum wari_status status = load_game(search, game, error);
    if (status != WARI_OK)
        return status;
    (void)clock_gettime(CLOCK_MONOTONIC, &search->began);
    search->limits = limits;
    search->error = error;
    search->status = WARI_OK;
    search->may_stop = search->stopped = false;
    search->nodes = 0;
    search->age++;
    wari_moves(search->variant.rules, position, &moves);
    search->stations[search->station_count++] = (struct station){*position, false};
    *last = (struct wari_search_report){.pit = moves.list[0].pit};
    for (int depth = 1; depth <= limits->depth && !search->stopped && !last->proven; depth++) {
        struct window all = {-INFINITE, INFINITE};
        int pit = last->pit;
        struct score score = look_at_moves(search, &moves, false, depth, 0, all, &pit);
        if (search->stopped) {
            /* The first move is the best one so far: a better one that was found counts. */
            last->pit = score.score > -INFINITE ? pit : last->pit;
            break;
        }
        *last = (struct wari_search_report){.depth = depth,
                                            .score = score.score,
                                            .pit = pit,
                                            .proven = score.proven,
                                            .nodes = search->nodes,
                                            .milliseconds = elapsed(search)};
        find_line(search, position, last);
        if (say)
            say(context, last);
        search->may_stop = true;
    }
    return search->status;
}
