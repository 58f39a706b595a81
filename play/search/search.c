/* Iterative deepening: the first position of a search, its moves in order of what they are worth,
 * threads, and reports. tree.c looks deeper.
 *
 * Threads search the same position by themselves and share the table, so that each finds what the
 * others have done; the caller's own reports. What always holds: when wari_search_run() returns, no
 * other thread is at work.
 */
#include "play/search/search.h"

#include <pthread.h>
#include <string.h>

#include "play/search/tree.h"

enum { SEED = WARI_SEED_SCORE };

struct root_move {
    struct wari_step step;
    int score;
    int least, most; /* proven, in seeds */
};

/* The first position, as a thread sees it. */
struct root {
    struct wari_node node;
    int ahead; /* seeds that the mover has captured, less the opponent's */
    int count;
    struct root_move moves[WARI_HALF_PITS]; /* best first */
};

struct worker {
    struct wari_tree tree;
    struct root root;
    int number;       /* 0: the caller's */
    pthread_t thread; /* of the others */
};

struct wari_search {
    const struct wari_host *host;
    struct wari_tree_shared shared;
    int seeds_max; /* of the database */
    int worker_count;
    struct worker *workers;
    struct wari_station *stations; /* of all workers */
    int station_room;              /* for each */
};

enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                 const struct wari_host *host,
                                 const struct wari_search_settings *settings,
                                 struct wari_error *error)
{
    struct wari_info info;
    void *memory;
    int threads = settings->threads > 1 ? settings->threads : 1;
    *search = NULL;
    enum wari_status status = wari_allocate(host, sizeof **search, "a search", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_search *made = memory;
    info = (struct wari_info){.variant = settings->variant, .seeds_max = -1};
    if (db)
        wari_info(db, &info);
    *made = (struct wari_search){.host = host, .seeds_max = info.seeds_max};
    made->shared.db = db;
    made->shared.variant = info.variant;
    made->shared.evaluation =
        settings->evaluation ? settings->evaluation : wari_evaluation_for(info.variant);
    status = wari_search_table_make(&made->shared.table, host, (size_t)settings->hash_mb * 1000000,
                                    error);
    if (status == WARI_OK)
        status = wari_allocate(host, (size_t)threads * sizeof *made->workers,
                               "the threads of a search", &memory, error);
    if (status != WARI_OK) {
        wari_search_free(made);
        return status;
    }
    made->workers = memory;
    memset(made->workers, 0, (size_t)threads * sizeof *made->workers);
    made->worker_count = threads;
    *search = made;
    return WARI_OK;
}

void wari_search_free(struct wari_search *search)
{
    if (!search)
        return;
    wari_search_table_free(&search->shared.table, search->host);
    wari_release(search->host, search->workers);
    wari_release(search->host, search->stations);
    wari_release(search->host, search);
}

size_t wari_search_table_bytes(const struct wari_search *search)
{
    return search ? search->shared.table.bytes : 0;
}

void wari_search_clear(struct wari_search *search)
{
    wari_search_table_clear(&search->shared.table);
    for (int i = 0; i < search->worker_count; i++)
        memset(search->workers[i].tree.history, 0, sizeof search->workers[i].tree.history);
}

/* ---- The first position ---- */

static bool has_stopped(const struct worker *worker)
{
    return atomic_load(&worker->tree.shared->stopped);
}

/* Brings a move forward to `place`; the others keep their order. */
static void move_forward(struct root *root, int from, int place)
{
    struct root_move move = root->moves[from];
    memmove(&root->moves[place + 1], &root->moves[place],
            (size_t)(from - place) * sizeof root->moves[0]);
    root->moves[place] = move;
}

/* Looks at the moves from `first` on; the best is then at `first`. Its score. */
static int look_at_moves(struct worker *worker, int first, int depth, struct wari_window window)
{
    struct root *root = &worker->root;
    int best = -WARI_INFINITE;
    root->node.depth = depth;
    for (int i = first; i < root->count && !has_stopped(worker); i++) {
        struct root_move *move = &root->moves[i];
        struct wari_window rest = {best > window.alpha ? best : window.alpha, window.beta};
        struct wari_known known =
            wari_tree_try(&worker->tree, &root->node, &move->step, i - first, rest);
        if (has_stopped(worker))
            break;
        move->least = known.least > move->least ? known.least : move->least;
        move->most = known.most < move->most ? known.most : move->most;
        move->score = known.score;
        if (known.score <= best)
            continue;
        best = known.score;
        /* With no score above alpha the order says nothing. */
        if (best > window.alpha)
            move_forward(root, i, first);
        if (best >= window.beta)
            break;
    }
    return best;
}

/* Asks who wins, one question after the other: can the mover be proven to win, or not to lose; and
 * the same for the other side. */
static void look_for_proofs(struct worker *worker, int depth)
{
    int even = -SEED * worker->root.ahead;
    for (int question = 0; question < 4 && !has_stopped(worker); question++) {
        int beta = question % 3 == 0 ? even + SEED / 2 : even - SEED / 2;
        worker->tree.prover = question < 2 ? 1 : -1;
        (void)look_at_moves(worker, 0, depth, (struct wari_window){beta - 1, beta});
    }
}

/* The same with a window round what the last iteration found, widened until it holds the score. */
static void look_at_rank(struct worker *worker, int first, int depth)
{
    enum { WIDTH = 60, DEEP = 4 };
    int middle = worker->root.moves[first].score;
    int below = depth < DEEP ? 2 * WARI_INFINITE : WIDTH, above = below;
    while (!has_stopped(worker)) {
        struct wari_window window = {
            middle - below > -WARI_INFINITE ? middle - below : -WARI_INFINITE,
            middle + above < WARI_INFINITE ? middle + above : WARI_INFINITE};
        int score = look_at_moves(worker, first, depth, window);
        if (score <= window.alpha && window.alpha > -WARI_INFINITE)
            below *= 4;
        else if (score >= window.beta && window.beta < WARI_INFINITE)
            above *= 4;
        else
            return;
    }
}

/* The bounds of the position; true if a move gets it, which is then the first. */
static bool prove(struct root *root, int *least, int *most)
{
    int best = 0;
    *least = *most = -WARI_SEEDS_MAX;
    for (int i = 0; i < root->count; i++) {
        if (root->moves[i].least > *least) {
            *least = root->moves[i].least;
            best = i;
        }
        *most = root->moves[i].most > *most ? root->moves[i].most : *most;
    }
    if (*least < *most)
        return false;
    move_forward(root, best, 0);
    root->moves[0].score = SEED * *least;
    return true;
}

/* ---- Reports ---- */

/* Follows the table from the move of the report on. */
static void find_line(const struct wari_tree_shared *shared, const struct root *root,
                      const struct wari_step *first, struct wari_search_report *report)
{
    struct wari_steps steps;
    struct wari_step step = *first;
    bool opponent = root->node.opponent;
    report->line_count = 0;
    for (;;) {
        struct wari_memory memory;
        report->line[report->line_count].pit = step.pit;
        report->line[report->line_count++].opponent = opponent;
        if (step.ends || report->line_count >= report->depth ||
            !wari_search_table_find(&shared->table, wari_search_board_key(&step.next, 0),
                                    &memory) ||
            memory.bound != WARI_BOUND_EXACT || memory.pit < 0)
            return;
        opponent = step.again ? opponent : !opponent;
        wari_search_board_steps(shared->variant.rules, &step.next, &steps);
        int i = 0;
        while (i < steps.count && steps.list[i].pit != memory.pit)
            i++;
        if (i == steps.count)
            return;
        step = steps.list[i];
    }
}

static uint64_t count_nodes(const struct wari_search *search)
{
    const struct wari_tree *mine = &search->workers[0].tree;
    return atomic_load(&search->shared.nodes) + mine->nodes - mine->counted;
}

/* The score, not beyond what is proven of the move. */
static int within_proofs(int score, const struct root_move *move)
{
    const int least = SEED * move->least, most = SEED * move->most;
    return score < least ? least : score > most ? most : score;
}

/* Of the moves as they are told, see tell(). */
static void make_report(const struct wari_search *search, const struct root *told, int rank,
                        int depth, struct wari_search_report *report)
{
    const struct wari_tree_shared *shared = &search->shared;
    const struct root_move *move = &told->moves[rank - 1];
    int seeds = wari_search_board_seeds(&told->node.board);
    *report = (struct wari_search_report){
        .depth = depth,
        .score = within_proofs(move->score, move),
        .pit = move->step.pit,
        .rank = rank,
        .nodes = count_nodes(search),
        .look_ups = atomic_load(&shared->look_ups),
        .milliseconds = wari_tree_elapsed(shared),
    };
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        report->moves[pit].least = -seeds;
        report->moves[pit].most = seeds;
    }
    for (int i = 0; i < told->count; i++) {
        report->moves[told->moves[i].step.pit].least = told->moves[i].least;
        report->moves[told->moves[i].step.pit].most = told->moves[i].most;
    }
    struct root root = *told;
    (void)prove(&root, &report->least, &report->most);
    report->proven = rank == 1 ? report->least == report->most : move->least == move->most;
    report->error = report->proven ? 0 : wari_evaluation_error(shared->variant, seeds);
    find_line(shared, told, &move->step, report);
}

/* ---- Iterations ---- */

/* Whether the question is who wins. */
static bool asks_who_wins(const struct worker *worker)
{
    const struct wari_tree_shared *shared = worker->tree.shared;
    return shared->limits->prove && !wari_game_slam_decides(shared->variant.rules);
}

/* What is proven of a move for the choice of one: less than all else if it loses. */
static int promise(const struct root *root, const struct root_move *move)
{
    return move->most < -root->ahead ? move->least - 2 * WARI_SEEDS_MAX : move->least;
}

/* The moves as they are told: where it is asked who wins, that of which most is proven comes first.
 * The search itself goes on in its own order. */
static void tell(const struct worker *worker, struct root *told)
{
    int best = 0;
    *told = worker->root;
    if (!asks_who_wins(worker))
        return;
    for (int i = 1; i < told->count; i++)
        if (promise(told, &told->moves[i]) > promise(told, &told->moves[best]))
            best = i;
    move_forward(told, best, 0);
}

/* Whether it is proven who wins. */
static bool is_decided(const struct worker *worker, const struct wari_search_report *report)
{
    int even = -worker->root.ahead;
    return report->least > even || report->most < even ||
           (report->least == even && report->most == even);
}

/* One iteration, of the caller's thread; true if there is no need for another. */
static bool iterate_and_say(struct wari_search *search, int depth,
                            const struct wari_search_listener *listener,
                            struct wari_search_report *last)
{
    struct worker *worker = &search->workers[0];
    const struct wari_search_limits *limits = search->shared.limits;
    int lines = limits->lines > 1 ? limits->lines : 1;
    bool proofs = asks_who_wins(worker);
    int least, most;
    lines = lines < worker->root.count ? lines : worker->root.count;
    if (proofs)
        look_for_proofs(worker, depth);
    for (int rank = 1; rank <= lines && !proofs && !has_stopped(worker); rank++)
        look_at_rank(worker, rank - 1, depth);
    bool proven = prove(&worker->root, &least, &most);
    bool stopped = has_stopped(worker);
    struct wari_search_report before = *last;
    struct root told;
    tell(worker, &told);
    make_report(search, &told, 1, depth, last);
    if (stopped && depth > 1) {
        /* Scores of this iteration may be bounds; a better move that was found counts. */
        last->depth = before.depth;
        last->score = proven ? last->score : within_proofs(before.score, &told.moves[0]);
    }
    if (stopped)
        return true;
    for (int rank = 1; rank <= lines && listener; rank++) {
        struct wari_search_report report;
        make_report(search, &told, rank, depth, &report);
        report.full = wari_search_table_full(&search->shared.table);
        listener->say(listener->context, &report);
    }
    atomic_store(&search->shared.may_stop, true);
    return (proven && lines == 1) || (proofs && is_decided(worker, last)) ||
           (limits->obvious && worker->root.count == 1);
}

/* What the other threads do. */
static void *iterate(void *context)
{
    struct worker *worker = context;
    int deepest = worker->tree.shared->limits->depth;
    for (int depth = 1 + worker->number % 2; depth <= deepest && !has_stopped(worker); depth++) {
        if (asks_who_wins(worker))
            look_for_proofs(worker, depth);
        else
            look_at_rank(worker, 0, depth);
    }
    return NULL;
}

/* Starts the other threads, as many as there can be; returns how many there are, with this one. */
static int start_threads(struct wari_search *search)
{
    int count = 1;
    while (count < search->worker_count && pthread_create(&search->workers[count].thread, NULL,
                                                          iterate, &search->workers[count]) == 0)
        count++;
    return count;
}

static void end_threads(struct wari_search *search, int count)
{
    atomic_store(&search->shared.stopped, true);
    for (int i = 1; i < count; i++)
        (void)pthread_join(search->workers[i].thread, NULL);
}

/* ---- Beginning ---- */

static enum wari_status make_stations(struct wari_search *search, int room,
                                      struct wari_error *error)
{
    void *memory;
    if (room <= search->station_room)
        return WARI_OK;
    size_t bytes = (size_t)room * (size_t)search->worker_count * sizeof *search->stations;
    enum wari_status status =
        wari_allocate(search->host, bytes, "the positions on the way of a search", &memory, error);
    if (status != WARI_OK)
        return status;
    wari_release(search->host, search->stations);
    search->stations = memory;
    search->station_room = room;
    return WARI_OK;
}

/* The positions of the game since its last capture, without the one at hand. */
static int load_game(const struct wari_game *game, int first, struct wari_station *stations)
{
    for (int i = first; i < game->count; i++) {
        const struct wari_setup *before = &game->plies[i].before;
        stations[i - first] =
            (struct wari_station){.board = wari_search_board_of(&before->position),
                                  .opponent = before->north_to_move != game->now.north_to_move};
    }
    return game->count - first;
}

static void begin_root(const struct wari_tree_shared *shared, const struct wari_game *game,
                       struct root *root)
{
    struct wari_steps steps;
    int pits = shared->limits->pits;
    int seeds = wari_seeds(&game->now.position);
    int mover = game->now.north_to_move;
    root->ahead = game->now.stores[mover] - game->now.stores[!mover];
    root->node = (struct wari_node){.board = wari_search_board_of(&game->now.position)};
    wari_search_board_steps(shared->variant.rules, &root->node.board, &steps);
    root->count = 0;
    for (int i = 0; i < steps.count; i++)
        if (pits == 0 || (pits >> steps.list[i].pit & 1))
            root->moves[root->count++] =
                (struct root_move){.step = steps.list[i], .least = -seeds, .most = seeds};
}

static enum wari_status begin(struct wari_search *search, const struct wari_game *game,
                              const struct wari_search_limits *limits, struct wari_error *error)
{
    struct wari_tree_shared *shared = &search->shared;
    int first = game->count;
    while (first > 0 && game->plies[first - 1].move.captured == 0)
        first--;
    enum wari_status status =
        make_stations(search, game->count - first + 1 + WARI_TREE_PLIES, error);
    if (status != WARI_OK)
        return status;
    (void)clock_gettime(CLOCK_MONOTONIC, &shared->began); /* cannot fail: this clock exists */
    shared->limits = limits;
    shared->failure.status = WARI_OK;
    atomic_store(&shared->seeds_max, search->seeds_max);
    atomic_store(&shared->may_stop, false);
    atomic_store(&shared->stopped, false);
    atomic_store(&shared->nodes, 0);
    atomic_store(&shared->look_ups, 0);
    atomic_flag_clear(&shared->failing);
    wari_search_table_next_age(&shared->table);
    for (int i = 0; i < search->worker_count; i++) {
        struct worker *worker = &search->workers[i];
        worker->number = i;
        wari_tree_fade(&worker->tree);
        worker->tree.shared = shared;
        worker->tree.nodes = worker->tree.counted = 0;
        worker->tree.prover = 0;
        worker->tree.stations = search->stations + (ptrdiff_t)i * search->station_room;
        worker->tree.root_stations = load_game(game, first, worker->tree.stations);
        begin_root(shared, game, &worker->root);
        worker->tree.station_count = worker->tree.root_stations;
        worker->tree.stations[worker->tree.station_count++] =
            (struct wari_station){.board = worker->root.node.board, .opponent = false};
    }
    return WARI_OK;
}

enum wari_status wari_search_run(struct wari_search *search, const struct wari_game *game,
                                 const struct wari_search_limits *limits,
                                 const struct wari_search_listener *listener,
                                 struct wari_search_report *last, struct wari_error *error)
{
    *last = (struct wari_search_report){.depth = -1};
    enum wari_status status = begin(search, game, limits, error);
    if (status != WARI_OK)
        return status;
    /* Where there are more threads than processors, the first iteration would have to wait for all
     * of them, and there would be no move that anybody has looked at. */
    bool done = iterate_and_say(search, 1, listener, last);
    int threads = done ? 1 : start_threads(search);
    for (int depth = 2; depth <= limits->depth && !done; depth++)
        done = iterate_and_say(search, depth, listener, last);
    end_threads(search, threads);
    if (search->shared.failure.status != WARI_OK && error)
        *error = search->shared.failure;
    return search->shared.failure.status;
}
