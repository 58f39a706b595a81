/* Iterative deepening: searches the root position and its moves, best first, manages the
 * threads, and makes the reports. tree.c searches the positions after the root moves.
 *
 * Each thread searches the same position on its own, but they share the table, so each thread
 * profits from the results of the others. The caller's thread makes the reports. Invariant: no
 * other thread is running when wari_search_run() returns. */
#include "play/search/search.h"

#include <pthread.h>
#include <string.h>

#include "play/search/tree.h"
#include "system/clock.h"

enum { SEED = WARI_SEED_SCORE };

struct root_move {
    struct wari_step step;
    int score;
    int least, most; /* proven bounds, in seeds */
    uint64_t nodes;  /* number of positions that this thread has searched for the move */
};

/* The root position of a thread. */
struct root {
    struct wari_node node;
    int count;
    struct root_move moves[WARI_HALF_PITS]; /* best first */
};

struct worker {
    struct wari_tree tree;
    struct root root;
    int number;       /* 0 for the caller's thread */
    pthread_t thread; /* not used for the caller's thread */
};

struct wari_search {
    const struct wari_host *host;
    struct wari_tree_shared shared;
    int seeds_max; /* maximum number of seeds in the database */
    int worker_count;
    struct worker *workers;
    struct wari_path_entry *path; /* the paths of all workers */
    int path_capacity;            /* number of entries of each worker's path */
    struct {
        int pit;     /* best move of the last iteration; -1 before the first one */
        int score;   /* weighted mean of the scores of all iterations; later ones weigh more */
        int changed; /* depth of the last iteration that changed the best move */
    } trend;         /* trend of the current search */
};

enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                 const struct wari_host *host,
                                 const struct wari_search_settings *settings,
                                 struct wari_error *error)
{
    struct wari_info info;
    void *stored;
    int threads = settings->threads > 1 ? settings->threads : 1;
    *search = NULL;
    enum wari_status status = wari_allocate(host, sizeof **search, "a search", &stored, error);
    if (status != WARI_OK)
        return status;
    struct wari_search *created = stored;
    info = (struct wari_info){.variant = settings->variant, .seeds_max = -1};
    if (db)
        wari_get_info(db, &info);
    *created = (struct wari_search){.host = host, .seeds_max = info.seeds_max};
    created->shared.db = db;
    created->shared.variant = info.variant;
    created->shared.evaluation =
        settings->evaluation ? settings->evaluation : wari_evaluation_for(info.variant);
    status = wari_search_table_make(&created->shared.table, host,
                                    (size_t)settings->hash_mb * 1000000, error);
    if (status == WARI_OK)
        status = wari_allocate(host, (size_t)threads * sizeof *created->workers,
                               "the threads of a search", &stored, error);
    if (status != WARI_OK) {
        wari_search_free(created);
        return status;
    }
    created->workers = stored;
    memset(created->workers, 0, (size_t)threads * sizeof *created->workers);
    created->worker_count = threads;
    *search = created;
    return WARI_OK;
}

void wari_search_free(struct wari_search *search)
{
    if (!search)
        return;
    wari_search_table_free(&search->shared.table, search->host);
    wari_release(search->host, search->workers);
    wari_release(search->host, search->path);
    wari_release(search->host, search);
}

int wari_search_unread(const struct wari_search *search, struct wari_position *positions, int most)
{
    int count = 0;
    for (int i = 0; i < WARI_UNREAD_MAX && count < most; i++)
        for (int k = 0; k < search->worker_count && count < most; k++) {
            const struct wari_unread *unread = &search->workers[k].tree.unread;
            if ((uint64_t)i < unread->count)
                positions[count++] = wari_search_board_position(&unread->boards[i]);
        }
    return count;
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

/* ---- Root position ---- */

static bool has_stopped(const struct worker *worker)
{
    return atomic_load(&worker->tree.shared->stopped);
}

/* Moves a root move forward to `index`; the others keep their order. */
static void move_forward(struct root *root, int from, int index)
{
    struct root_move move = root->moves[from];
    memmove(&root->moves[index + 1], &root->moves[index],
            (size_t)(from - index) * sizeof root->moves[0]);
    root->moves[index] = move;
}

/* Searches the moves from `first` on and puts the best one at `first`. Returns its score. */
static int search_moves(struct worker *worker, int first, int depth, struct wari_window window)
{
    struct root *root = &worker->root;
    int best = -WARI_INFINITE;
    root->node.depth = depth;
    for (int i = first; i < root->count && !has_stopped(worker); i++) {
        struct root_move *move = &root->moves[i];
        struct wari_window rest = {best > window.alpha ? best : window.alpha, window.beta};
        const uint64_t before = worker->tree.counts.nodes;
        struct wari_tree_result known =
            wari_tree_search_move(&worker->tree, &root->node, &move->step, i - first, rest);
        move->nodes += worker->tree.counts.nodes - before;
        if (has_stopped(worker))
            break;
        move->least = known.least > move->least ? known.least : move->least;
        move->most = known.most < move->most ? known.most : move->most;
        move->score = known.score;
        if (known.score <= best)
            continue;
        best = known.score;
        /* If no score is above alpha, all scores are only upper bounds, so their order means
         * nothing. */
        if (best > window.alpha)
            move_forward(root, i, first);
        if (best >= window.beta)
            break;
    }
    return best;
}

/* Searches for the winner with four queries, one after the other: whether it can be proven that
 * the mover wins; that the mover does not lose; that the opponent wins; and that the opponent
 * does not lose. */
static void search_for_proofs(struct worker *worker, int depth)
{
    int even = -SEED * worker->root.node.lead;
    for (int question = 0; question < 4 && !has_stopped(worker); question++) {
        int beta = question % 3 == 0 ? even + SEED / 2 : even - SEED / 2;
        worker->tree.prover = question < 2 ? 1 : -1;
        (void)search_moves(worker, 0, depth, (struct wari_window){beta - 1, beta});
    }
}

/* Searches with a window around the score of the last iteration, and widens the window until it
 * contains the score. */
static void search_rank(struct worker *worker, int first, int depth)
{
    enum { FIRST_WIDTH = 60, DEEP = 4 };
    int middle = worker->root.moves[first].score;
    int below = depth < DEEP ? 2 * WARI_INFINITE : FIRST_WIDTH, above = below;
    while (!has_stopped(worker)) {
        struct wari_window window = {
            middle - below > -WARI_INFINITE ? middle - below : -WARI_INFINITE,
            middle + above < WARI_INFINITE ? middle + above : WARI_INFINITE};
        int score = search_moves(worker, first, depth, window);
        if (score <= window.alpha && window.alpha > -WARI_INFINITE)
            below *= 4;
        else if (score >= window.beta && window.beta < WARI_INFINITE)
            above *= 4;
        else
            return;
    }
}

/* Sorts the first `count` moves, which were found by one search for each rank, by their scores. The
 * search of a later rank may find a higher score than the search of an earlier rank, because it
 * searches its first move to the full depth, which the earlier search may have reduced, and because
 * the table holds more positions by then. */
static void sort_ranks(struct root *root, int count)
{
    for (int i = 1; i < count; i++) {
        int index = i;
        while (index > 0 && root->moves[index - 1].score < root->moves[i].score)
            index--;
        move_forward(root, i, index);
    }
}

/* Computes the proven bounds of the root position from those of its moves. If the bounds are equal,
 * they are the value of the position. In this case the function moves the move that attains the
 * value to the front, sets the score of this move, and returns true. */
static bool prove(const struct wari_tree_shared *shared, struct root *root, int *least, int *most)
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
    root->moves[0].score = wari_utility_of_value(&shared->utility, root->node.lead, *least);
    return true;
}

/* ---- Reports ---- */

/* Follows the best moves in the table, starting with the move of the report. */
static void find_line(const struct wari_tree_shared *shared, const struct root *root,
                      const struct wari_step *first, struct wari_search_report *report)
{
    struct wari_steps steps;
    struct wari_step step = *first;
    bool opponent = root->node.opponent;
    int lead = root->node.lead;
    report->line_count = 0;
    for (;;) {
        struct wari_stored_result stored;
        report->line[report->line_count].pit = step.pit;
        report->line[report->line_count++].opponent = opponent;
        lead += step.captured;
        if (!step.again)
            lead = -lead;
        if (step.ends || report->line_count >= report->depth ||
            !wari_search_table_find(&shared->table, wari_tree_key(shared, &step.next, 0),
                                    &stored) ||
            stored.bound != WARI_BOUND_EXACT || stored.pit < 0 ||
            !wari_tree_score_is_valid(shared, &stored, lead))
            return;
        opponent = step.again ? opponent : !opponent;
        wari_search_board_steps(shared->variant.rules, &step.next, &steps);
        int i = 0;
        while (i < steps.count && steps.list[i].pit != stored.pit)
            i++;
        if (i == steps.count)
            return;
        step = steps.list[i];
    }
}

static uint64_t count_nodes(const struct wari_search *search)
{
    const struct wari_tree *mine = &search->workers[0].tree;
    return atomic_load(&search->shared.nodes) + mine->counts.nodes - mine->added.nodes;
}

/* Returns true if a move is proven to win. */
static bool is_win(const struct root *root, const struct root_move *move)
{
    return move->least > -root->node.lead;
}

static bool is_loss(const struct root *root, const struct root_move *move)
{
    return move->most < -root->node.lead;
}

/* Converts the score of a move, which is a utility, to an estimate in hundredths of a seed. The
 * estimate is approximate if the winner is not proven and the score comes from an exact value. */
static int estimate_of(const struct wari_tree_shared *shared, const struct root *root,
                       const struct root_move *move)
{
    const struct wari_utility *utility = &shared->utility;
    if (is_win(root, move))
        return move->score - utility->win;
    if (is_loss(root, move))
        return move->score + utility->win;
    return wari_utility_to_estimate(utility, root->node.lead,
                                    wari_search_board_seeds(&root->node.board), move->score);
}

/* Clamps an estimate to the proven bounds of its move. */
static int within_proofs(int estimate, const struct root_move *move)
{
    const int least = SEED * move->least, most = SEED * move->most;
    return estimate < least ? least : estimate > most ? most : estimate;
}

/* Fills a report from the moves in the order of order_for_report(). */
static void make_report(const struct wari_search *search, const struct root *reported, int rank,
                        int depth, struct wari_search_report *report)
{
    const struct wari_tree_shared *shared = &search->shared;
    const struct wari_tree *mine = &search->workers[0].tree;
    const struct root_move *move = &reported->moves[rank - 1];
    int seeds = wari_search_board_seeds(&reported->node.board);
    *report = (struct wari_search_report){
        .depth = depth,
        .score = within_proofs(estimate_of(shared, reported, move), move),
        .pit = move->step.pit,
        .rank = rank,
        .nodes = count_nodes(search),
        .probes = atomic_load(&shared->probes) + mine->counts.probes - mine->added.probes,
        .reads = atomic_load(&shared->reads) + mine->counts.reads - mine->added.reads,
        .milliseconds = wari_tree_elapsed(shared),
    };
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        report->moves[pit].least = -seeds;
        report->moves[pit].most = seeds;
    }
    for (int i = 0; i < reported->count; i++) {
        report->moves[reported->moves[i].step.pit].least = reported->moves[i].least;
        report->moves[reported->moves[i].step.pit].most = reported->moves[i].most;
    }
    struct root root = *reported;
    (void)prove(shared, &root, &report->least, &report->most);
    report->proven = rank == 1 ? report->least == report->most : move->least == move->most;
    report->error = report->proven ? 0 : wari_evaluation_error(shared->variant, seeds);
    find_line(shared, reported, &move->step, report);
}

/* ---- Iterations ---- */

/* Returns true if the search has to prove who wins. */
static bool proves_winner(const struct worker *worker)
{
    const struct wari_tree_shared *shared = worker->tree.shared;
    return shared->limits->prove && !wari_game_slam_decides(shared->variant.rules);
}

/* Returns the proven bound by which moves are compared; a move that loses ranks below all
 * others. */
static int proven_for_choice(const struct root *root, const struct root_move *move)
{
    return move->most < -root->node.lead ? move->least - 2 * WARI_SEEDS_MAX : move->least;
}

/* Returns the index of the move to play for the result of the game. This is the first move, with
 * two exceptions. If the first move is neither proven to win nor, by its estimate, very likely to
 * win, and other moves are proven to win, it is the one of these with the highest score. Otherwise,
 * if the first move is proven to lose, it is the next move that is not proven to lose, if any. */
static int best_for_result(const struct worker *worker, const struct root *root)
{
    const struct root_move *first = &root->moves[0];
    const int seeds = wari_search_board_seeds(&root->node.board);
    const int error = wari_evaluation_error(worker->tree.shared->variant, seeds);
    int best = 0;
    if (is_win(root, first) ||
        estimate_of(worker->tree.shared, root, first) + SEED * root->node.lead > 2 * error)
        return 0;
    for (int i = 1; i < root->count; i++)
        if (is_win(root, &root->moves[i]) &&
            (best == 0 || root->moves[i].score > root->moves[best].score))
            best = i;
    for (int i = 1; i < root->count && best == 0 && is_loss(root, first); i++)
        if (!is_loss(root, &root->moves[i]))
            best = i;
    return best;
}

/* Copies the root with its moves in the order of the report: when the search has to prove who
 * wins, the move with the highest proven bound comes first. The search itself keeps its own
 * order. */
static void order_for_report(const struct worker *worker, struct root *reported)
{
    int best = 0;
    const struct wari_tree_shared *shared = worker->tree.shared;
    *reported = worker->root;
    if (shared->limits->result && !wari_game_slam_decides(shared->variant.rules))
        move_forward(reported, best_for_result(worker, reported), 0);
    if (!proves_winner(worker))
        return;
    for (int i = 1; i < reported->count; i++)
        if (proven_for_choice(reported, &reported->moves[i]) >
            proven_for_choice(reported, &reported->moves[best]))
            best = i;
    move_forward(reported, best, 0);
}

/* Returns true if it is proven who wins. */
static bool is_decided(const struct worker *worker, const struct wari_search_report *report)
{
    int even = -worker->root.node.lead;
    return report->least > even || report->most < even ||
           (report->least == even && report->most == even);
}

/* Returns true if the score of the only move is useful enough to stop. */
static bool is_obvious(const struct worker *worker, int depth)
{
    enum { USEFUL_DEPTH = 10, USEFUL_PART = 20 };
    const struct wari_search_limits *limits = worker->tree.shared->limits;
    const int64_t time = limits->usual > 0 ? limits->usual : limits->milliseconds;
    return limits->obvious && worker->root.count == 1 &&
           (depth >= USEFUL_DEPTH ||
            (time >= 0 && USEFUL_PART * wari_tree_elapsed(worker->tree.shared) >= time));
}

/* Records the result of an iteration in search->trend. Returns true if the search has taken its
 * usual time (limits->usual). A wrong choice costs most where the choice is uncertain. So such a
 * search may take longer, and a search whose choice is certain ends earlier. */
static bool has_searched_enough(struct wari_search *search, const struct wari_search_report *report)
{
    enum {
        /* The choice is certain if this percentage of the positions was searched for the best move,
         * and uncertain if the best move has changed in the last STEADY iterations. */
        CERTAIN_SHARE = 90,
        STEADY = 3,
        /* The time for each of these cases, in percent of the usual time. */
        CERTAIN = 50,
        NORMAL = 100,
        UNCERTAIN = 130,
        /* Each hundredth of a seed by which the score has fallen adds one percent. */
        DROP_IGNORED = 20, /* no time is added for a smaller fall */
        DROP_MAX = 100,    /* a larger fall adds no more time */
    };
    const struct worker *worker = &search->workers[0];
    const struct root_move *best = &worker->root.moves[0];
    int percent = NORMAL;
    if (report->pit != search->trend.pit)
        search->trend.changed = report->depth;
    const int drop = search->trend.pit < 0 ? 0 : search->trend.score - report->score;
    search->trend.score =
        search->trend.pit < 0 ? report->score : (search->trend.score + report->score) / 2;
    search->trend.pit = report->pit;
    if (search->shared.limits->usual <= 0)
        return false;
    if (report->depth - search->trend.changed < STEADY)
        percent = UNCERTAIN;
    else if (100 * best->nodes >= CERTAIN_SHARE * worker->tree.counts.nodes)
        percent = CERTAIN;
    if (drop > DROP_IGNORED)
        percent += drop < DROP_MAX ? drop : DROP_MAX;
    return 100 * wari_tree_elapsed(&search->shared) >= percent * search->shared.limits->usual;
}

/* Runs one iteration in the caller's thread and reports it. Returns true if no further iteration
 * is needed. */
static bool iterate_and_report(struct wari_search *search, int depth,
                               const struct wari_search_listener *listener,
                               struct wari_search_report *last)
{
    struct worker *worker = &search->workers[0];
    const struct wari_search_limits *limits = search->shared.limits;
    int lines = limits->lines > 1 ? limits->lines : 1;
    bool proofs = proves_winner(worker);
    int least, most;
    lines = lines < worker->root.count ? lines : worker->root.count;
    if (proofs)
        search_for_proofs(worker, depth);
    for (int rank = 1; rank <= lines && !proofs && !has_stopped(worker); rank++)
        search_rank(worker, rank - 1, depth);
    if (lines > 1 && !proofs && !has_stopped(worker))
        sort_ranks(&worker->root, lines);
    bool proven = prove(&search->shared, &worker->root, &least, &most);
    bool stopped = has_stopped(worker);
    struct wari_search_report before = *last;
    struct root reported;
    order_for_report(worker, &reported);
    make_report(search, &reported, 1, depth, last);
    if (stopped && depth > 1) {
        /* Scores of this iteration may be bounds only, but a better move that was found is used. */
        last->depth = before.depth;
        last->score = proven ? last->score : within_proofs(before.score, &reported.moves[0]);
    }
    if (stopped)
        return true;
    for (int rank = 1; rank <= lines && listener; rank++) {
        struct wari_search_report report;
        make_report(search, &reported, rank, depth, &report);
        report.full = wari_search_table_full(&search->shared.table);
        listener->report(listener->context, &report);
    }
    atomic_store(&search->shared.may_stop, true);
    return (proven && lines == 1) || (proofs && is_decided(worker, last)) ||
           is_obvious(worker, depth) || has_searched_enough(search, last);
}

/* Main function of the other threads. */
static void *iterate(void *context)
{
    struct worker *worker = context;
    int deepest = worker->tree.shared->limits->depth;
    for (int depth = 1 + worker->number % 2; depth <= deepest && !has_stopped(worker); depth++) {
        if (proves_winner(worker))
            search_for_proofs(worker, depth);
        else
            search_rank(worker, 0, depth);
    }
    return NULL;
}

/* Starts as many of the other threads as possible. Returns the number of threads including the
 * caller's. */
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

/* ---- Setup ---- */

/* Makes the path of each worker at least `capacity` entries long. The contents are lost. */
static enum wari_status reserve_path(struct wari_search *search, int capacity,
                                     struct wari_error *error)
{
    void *stored;
    if (capacity <= search->path_capacity)
        return WARI_OK;
    size_t bytes = (size_t)capacity * (size_t)search->worker_count * sizeof *search->path;
    enum wari_status status =
        wari_allocate(search->host, bytes, "the positions on the path of a search", &stored, error);
    if (status != WARI_OK)
        return status;
    wari_release(search->host, search->path);
    search->path = stored;
    search->path_capacity = capacity;
    return WARI_OK;
}

/* Loads the positions of the game since its last capture, without the current position. Returns
 * their number. */
static int load_game(const struct wari_game *game, int first, struct wari_path_entry *path)
{
    for (int i = first; i < game->count; i++) {
        const struct wari_setup *before = &game->plies[i].before;
        path[i - first] =
            (struct wari_path_entry){.board = wari_search_board_of(&before->position),
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
    root->node = (struct wari_node){.board = wari_search_board_of(&game->now.position),
                                    .lead = game->now.stores[mover] - game->now.stores[!mover]};
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
        reserve_path(search, game->count - first + 1 + WARI_TREE_PLIES, error);
    if (status != WARI_OK)
        return status;
    shared->began = wari_seconds_now();
    shared->limits = limits;
    wari_utility_init(&shared->utility, shared->variant, limits->result && !limits->prove);
    shared->failure.status = WARI_OK;
    atomic_store(&shared->seeds_max, search->seeds_max);
    atomic_store(&shared->may_stop, false);
    atomic_store(&shared->stopped, false);
    atomic_store(&shared->nodes, 0);
    atomic_store(&shared->probes, 0);
    atomic_store(&shared->reads, 0);
    atomic_flag_clear(&shared->failing);
    wari_search_table_next_age(&shared->table);
    for (int i = 0; i < search->worker_count; i++) {
        struct worker *worker = &search->workers[i];
        worker->number = i;
        wari_tree_age_history(&worker->tree);
        worker->tree.shared = shared;
        worker->tree.counts = worker->tree.added = (struct wari_tree_counts){0};
        worker->tree.read_seconds = 0;
        worker->tree.read_depth = WARI_SEARCH_DEPTH_MAX;
        memset(worker->tree.cached, 0, sizeof worker->tree.cached);
        worker->tree.unread.count = 0;
        worker->tree.unread.random = (uint64_t)i + 1;
        worker->tree.prover = 0;
        worker->tree.path = search->path + (ptrdiff_t)i * search->path_capacity;
        worker->tree.root_path_length = load_game(game, first, worker->tree.path);
        begin_root(shared, game, &worker->root);
        worker->tree.path_length = worker->tree.root_path_length;
        worker->tree.path[worker->tree.path_length++] =
            (struct wari_path_entry){.board = worker->root.node.board, .opponent = false};
    }
    return WARI_OK;
}

enum wari_status wari_search_run(struct wari_search *search, const struct wari_game *game,
                                 const struct wari_search_limits *limits,
                                 const struct wari_search_listener *listener,
                                 struct wari_search_report *last, struct wari_error *error)
{
    *last = (struct wari_search_report){.depth = -1};
    search->trend.pit = -1;
    enum wari_status status = begin(search, game, limits, error);
    if (status != WARI_OK)
        return status;
    /* The first iteration runs alone: with more threads than processors it would have to wait
     * for all of them, and there would be no result for any move. */
    bool done = iterate_and_report(search, 1, listener, last);
    int threads = done ? 1 : start_threads(search);
    for (int depth = 2; depth <= limits->depth && !done; depth++)
        done = iterate_and_report(search, depth, listener, last);
    end_threads(search, threads);
    if (search->shared.failure.status != WARI_OK && error)
        *error = search->shared.failure;
    return search->shared.failure.status;
}
