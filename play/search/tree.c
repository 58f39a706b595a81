/* Alpha-beta with principal variation windows: good moves first, late quiet ones less deep,
 * captures followed on behind the last move, the database at the leaves.
 *
 * Beside its score each position has bounds of its exact value, in seeds, that are **proven**: they
 * come from the database, from ends of the game, from the seeds there are, and from the bounds of
 * all its moves, or of one that is good enough. An estimate never makes one, nor does a position
 * that repeats on the way (that depends on the way). So a bound holds in the game without end, by
 * induction over the order in which bounds were found, whatever was left out or mixed up of
 * different ways; and a score never leaves its bounds.
 */
#include "play/search/tree.h"

#include <string.h>

enum {
    SEED = WARI_SEED_SCORE,
    NODES_BETWEEN_LOOKS = 64, /* at the clock: 0.05 ms or so where nothing is read */
    MEMORY_DEPTH_MAX = 127,
    HISTORY_MAX = 1 << 14,
};

/* ---- Clock ---- */

int64_t wari_tree_elapsed(const struct wari_tree_shared *shared)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: this clock exists */
    return (int64_t)(now.tv_sec - shared->began.tv_sec) * 1000 +
           (now.tv_nsec - shared->began.tv_nsec) / 1000000;
}

static bool is_over(struct wari_tree *tree)
{
    struct wari_tree_shared *shared = tree->shared;
    const struct wari_search_limits *limits = shared->limits;
    uint64_t nodes = atomic_fetch_add_explicit(&shared->nodes, tree->nodes - tree->counted,
                                               memory_order_relaxed);
    nodes += tree->nodes - tree->counted;
    tree->counted = tree->nodes;
    if (!atomic_load_explicit(&shared->may_stop, memory_order_relaxed))
        return false;
    return (limits->nodes > 0 && nodes >= (uint64_t)limits->nodes) ||
           (limits->stop && atomic_load(limits->stop)) ||
           (limits->milliseconds >= 0 && wari_tree_elapsed(shared) >= limits->milliseconds);
}

static bool has_stopped(const struct wari_tree *tree)
{
    return atomic_load_explicit(&tree->shared->stopped, memory_order_relaxed);
}

static void count_node(struct wari_tree *tree)
{
    uint64_t limit = (uint64_t)tree->shared->limits->nodes;
    tree->nodes++;
    if ((tree->nodes % NODES_BETWEEN_LOOKS == 0 || (limit > 0 && tree->nodes >= limit)) &&
        is_over(tree))
        atomic_store(&tree->shared->stopped, true);
}

/* ---- What is known without a move ---- */

/* Looks a position up; false where that fails, after which nobody tries again. */
static bool look_up(struct wari_tree *tree, const struct wari_search_board *board, int *value)
{
    struct wari_tree_shared *shared = tree->shared;
    struct wari_position position = wari_search_board_position(board);
    struct wari_error error;
    (void)atomic_fetch_add_explicit(&shared->look_ups, 1, memory_order_relaxed);
    if (is_over(tree)) /* it may take a block read and decoded, 0.2 ms or more */
        atomic_store(&tree->shared->stopped, true);
    if (wari_probe(shared->db, &position, value, &error) == WARI_OK)
        return true;
    if (!atomic_flag_test_and_set(&shared->failing))
        shared->failure = error;
    atomic_store(&shared->seeds_max, -1);
    return false;
}

static bool is_covered(const struct wari_tree *tree, int seeds)
{
    int most = atomic_load_explicit(&tree->shared->seeds_max, memory_order_relaxed);
    return seeds <= most && seeds != WARI_SEEDS_MAX - 1;
}

static int surplus(const struct wari_search_board *board)
{
    return wari_row_seeds(board->rows[0]) - wari_row_seeds(board->rows[1]);
}

/* Whether a position stands on the way here, and what going round then pays its mover. */
static bool repeats(const struct wari_tree *tree, const struct wari_node *node, int *score)
{
    int least = surplus(&node->board), most = least;
    for (int i = tree->station_count - 1; i >= node->since; i--) {
        const struct wari_station *station = &tree->stations[i];
        int mine = surplus(&station->board);
        mine = station->opponent == node->opponent ? mine : -mine;
        least = mine < least ? mine : least;
        most = mine > most ? mine : most;
        if (station->opponent != node->opponent ||
            memcmp(&station->board, &node->board, sizeof node->board) != 0)
            continue;
        int pays = least > 0 ? least : most < 0 ? most : 0;
        *score = tree->shared->variant.cycle == WARI_OWN ? SEED * pays : 0;
        return true;
    }
    return false;
}

static int within(int score, int least, int most)
{
    return score < SEED * least ? SEED * least : score > SEED * most ? SEED * most : score;
}

/* What a position counts whose value is not known: an estimate, or the worst for who needs a proof.
 */
static int guess(const struct wari_tree *tree, const struct wari_node *node,
                 const struct wari_known *known, int estimate)
{
    int mine = node->opponent ? -tree->prover : tree->prover;
    return mine > 0   ? SEED * known->least
           : mine < 0 ? SEED * known->most
                      : within(estimate, known->least, known->most);
}

/* Searches for proofs have entries of their own: what they found of depth and score is no answer to
 * others. */
static uint64_t key_of(const struct wari_tree *tree, const struct wari_search_board *board)
{
    return wari_search_board_key(board, (unsigned)tree->prover & 3);
}

/* ---- Order ---- */

struct order {
    int first;          /* the pit to try first, or -1 */
    unsigned in_danger; /* pits that the opponent could capture */
    int ply;
};

static int move_key(const struct wari_tree *tree, const struct wari_search_board *board,
                    const struct wari_step *step, const struct order *order)
{
    enum { FIRST = 1 << 28, CAPTURE = 1 << 20, KILLER = 1 << 17, ESCAPE = 1 << 12 };
    int seeds = wari_row_pit(board->rows[0], step->pit);
    if (step->pit == order->first)
        return FIRST;
    if (step->ends)
        return CAPTURE * step->end_value;
    int key = CAPTURE * step->captured + tree->history[step->pit][seeds] + step->pit;
    if (order->in_danger >> step->pit & 1)
        key += ESCAPE;
    if (step->captured == 0 && order->ply < WARI_TREE_PLIES) {
        const uint8_t *killers = tree->killers[order->ply];
        key += killers[0] == step->pit + 1 ? 2 * KILLER : killers[1] == step->pit + 1 ? KILLER : 0;
    }
    return key;
}

static void order_steps(const struct wari_tree *tree, const struct wari_search_board *board,
                        struct wari_steps *steps, const struct order *order)
{
    int keys[WARI_HALF_PITS];
    for (int i = 0; i < steps->count; i++) {
        struct wari_step step = steps->list[i];
        int key = move_key(tree, board, &step, order);
        int place = i;
        for (; place > 0 && keys[place - 1] < key; place--) {
            keys[place] = keys[place - 1];
            steps->list[place] = steps->list[place - 1];
        }
        keys[place] = key;
        steps->list[place] = step;
    }
}

/* A quiet move was good enough at this depth. */
static void praise(struct wari_tree *tree, const struct wari_search_board *board,
                   const struct wari_step *step, int depth, int ply)
{
    int *history = &tree->history[step->pit][wari_row_pit(board->rows[0], step->pit)];
    if (ply < WARI_TREE_PLIES && tree->killers[ply][0] != step->pit + 1) {
        tree->killers[ply][1] = tree->killers[ply][0];
        tree->killers[ply][0] = (uint8_t)(step->pit + 1);
    }
    *history += depth * depth;
    if (*history > HISTORY_MAX)
        *history = HISTORY_MAX;
}

void wari_tree_fade(struct wari_tree *tree)
{
    memset(tree->killers, 0, sizeof tree->killers);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
            tree->history[pit][seeds] /= 8;
}

/* ---- Moves ---- */

static struct wari_known try_step(struct wari_tree *tree, const struct wari_node *node,
                                  const struct wari_step *step, int depth,
                                  struct wari_window window)
{
    if (step->ends)
        return (struct wari_known){SEED * step->end_value, step->end_value, step->end_value};
    int taken = SEED * step->captured;
    struct wari_node next = {.board = step->next,
                             .opponent = step->again ? node->opponent : !node->opponent,
                             .depth = depth - 1,
                             .since = step->captured > 0 ? tree->station_count : node->since};
    struct wari_window behind = {window.alpha - taken, window.beta - taken};
    if (!step->again)
        behind = (struct wari_window){-behind.beta, -behind.alpha};
    struct wari_known known = wari_tree_look(tree, &next, behind);
    if (step->again)
        return (struct wari_known){taken + known.score, step->captured + known.least,
                                   step->captured + known.most};
    return (struct wari_known){taken - known.score, step->captured - known.most,
                               step->captured - known.least};
}

/* How much less deep a quiet move is looked at that stands so far behind. */
static int reduction(const struct wari_tree *tree, const struct wari_node *node,
                     const struct wari_step *step, int number)
{
    if (tree->prover != 0 || node->depth < 3 || number < 2 || step->captured > 0 || step->ends)
        return 0;
    return 1 + (number >= 3 && node->depth >= 6) + (number >= 4 && node->depth >= 10);
}

/* Less deep first, then with a narrow window, then in full, as far as each promises something. */
struct wari_known wari_tree_try(struct wari_tree *tree, const struct wari_node *node,
                                const struct wari_step *step, int number, struct wari_window window)
{
    if (number == 0)
        return try_step(tree, node, step, node->depth, window);
    struct wari_window narrow = {window.alpha, window.alpha + 1};
    int less = reduction(tree, node, step, number);
    struct wari_known known = try_step(tree, node, step, node->depth - less, narrow);
    if (less > 0 && known.score > window.alpha && !has_stopped(tree))
        known = try_step(tree, node, step, node->depth, narrow);
    if (known.score > window.alpha && known.score < window.beta && !has_stopped(tree))
        known = try_step(tree, node, step, node->depth, window);
    return known;
}

/* Behind the last move of the depth: only captures and ends are tried, and nobody has to. */
static struct wari_known look_at_captures(struct wari_tree *tree, const struct wari_node *node,
                                          struct wari_steps *steps, struct wari_known known,
                                          struct wari_window window)
{
    int estimate = wari_evaluate(tree->shared->evaluation, &node->board);
    struct order order = {.first = -1, .ply = WARI_TREE_PLIES};
    known.score = guess(tree, node, &known, estimate);
    if (known.score >= window.beta)
        return known;
    order_steps(tree, &node->board, steps, &order);
    for (int i = 0; i < steps->count && known.score < window.beta && !has_stopped(tree); i++) {
        const struct wari_step *step = &steps->list[i];
        if (!step->ends && step->captured == 0)
            continue;
        window.alpha = known.score > window.alpha ? known.score : window.alpha;
        struct wari_known behind = try_step(tree, node, step, 0, window);
        known.least = behind.least > known.least ? behind.least : known.least;
        if (behind.score > known.score)
            known.score = behind.score;
    }
    return known;
}

/* Half of the time of a search would be waiting for lines of the table one by one. */
static void expect_steps(const struct wari_tree *tree, const struct wari_steps *steps)
{
    for (int i = 0; i < steps->count; i++)
        wari_search_table_expect(&tree->shared->table, key_of(tree, &steps->list[i].next));
}

/* All moves of a position, best first as far as anybody knows. */
static struct wari_known look_at_steps(struct wari_tree *tree, const struct wari_node *node,
                                       struct wari_steps *steps, struct wari_window window,
                                       int *pit)
{
    int ply = tree->station_count - tree->root_stations;
    expect_steps(tree, steps);
    struct order order = {*pit, wari_search_board_endangered(&node->board), ply};
    struct wari_known best = {-WARI_INFINITE, -WARI_SEEDS_MAX, -WARI_SEEDS_MAX};
    order_steps(tree, &node->board, steps, &order);
    tree->stations[tree->station_count++] = (struct wari_station){node->board, node->opponent};
    for (int i = 0; i < steps->count && !has_stopped(tree); i++) {
        const struct wari_step *step = &steps->list[i];
        struct wari_window rest = {best.score > window.alpha ? best.score : window.alpha,
                                   window.beta};
        struct wari_known known = wari_tree_try(tree, node, step, i, rest);
        best.least = known.least > best.least ? known.least : best.least;
        best.most = known.most > best.most ? known.most : best.most;
        if (known.score <= best.score)
            continue;
        best.score = known.score;
        *pit = step->pit;
        if (best.score < window.beta)
            continue;
        if (i + 1 < steps->count)
            best.most = WARI_SEEDS_MAX;
        if (step->captured == 0 && !step->ends && !has_stopped(tree))
            praise(tree, &node->board, step, node->depth, ply);
        break;
    }
    tree->station_count--;
    return best;
}

/* ---- A position ---- */

/* Whether what is remembered answers the question; *known gets its bounds in any case. */
static bool recall(const struct wari_memory *memory, const struct wari_node *node,
                   struct wari_window window, struct wari_known *known)
{
    known->least = memory->least > known->least ? memory->least : known->least;
    known->most = memory->most < known->most ? memory->most : known->most;
    known->score = within(memory->score, known->least, known->most);
    if (known->least == known->most)
        return true;
    if (memory->depth < node->depth)
        return false;
    return memory->bound == WARI_BOUND_EXACT ||
           (memory->bound == WARI_BOUND_LOWER && known->score >= window.beta) ||
           (memory->bound == WARI_BOUND_UPPER && known->score <= window.alpha);
}

/* Whether the bounds lie outside of the window. */
static bool is_decided(struct wari_known *known, struct wari_window window)
{
    if (known->least == known->most || SEED * known->least >= window.beta)
        known->score = SEED * known->least;
    else if (SEED * known->most <= window.alpha)
        known->score = SEED * known->most;
    else
        return false;
    return true;
}

static void remember(struct wari_tree *tree, uint64_t key, const struct wari_node *node, int pit,
                     struct wari_known known, struct wari_window window)
{
    struct wari_memory memory = {
        .score = known.score,
        .depth = node->depth < MEMORY_DEPTH_MAX ? node->depth : MEMORY_DEPTH_MAX,
        .bound = known.score >= window.beta    ? WARI_BOUND_LOWER
                 : known.score <= window.alpha ? WARI_BOUND_UPPER
                                               : WARI_BOUND_EXACT,
        .pit = pit,
        .least = known.least,
        .most = known.most,
    };
    if (known.least == known.most)
        memory.depth = MEMORY_DEPTH_MAX;
    wari_search_table_keep(&tree->shared->table, key, &memory);
}

/* Leaves of the database are remembered, too: reading a block takes longer than all else. */
static bool look_in_database(struct wari_tree *tree, uint64_t key, const struct wari_node *node,
                             struct wari_known *known)
{
    int value;
    if (!look_up(tree, &node->board, &value))
        return false;
    *known = (struct wari_known){SEED * value, value, value};
    remember(tree, key, node, -1, *known, (struct wari_window){-WARI_INFINITE, WARI_INFINITE});
    return true;
}

/* Whether an estimate is so far above the window that a few moves will not bring it down. */
static bool is_far_above(const struct wari_tree *tree, const struct wari_node *node,
                         struct wari_window window, struct wari_known *known)
{
    enum { DEEPEST = 4, MARGIN = 150 };
    if (tree->prover != 0 || node->depth > DEEPEST || window.beta - window.alpha > 1)
        return false;
    int estimate = wari_evaluate(tree->shared->evaluation, &node->board);
    if (estimate - MARGIN * (node->depth + 1) < window.beta)
        return false;
    known->score = within(window.beta, known->least, known->most);
    return known->score >= window.beta;
}

/* With moves: what they are worth, within the bounds that were known before. */
static struct wari_known look_deeper(struct wari_tree *tree, const struct wari_node *node,
                                     struct wari_steps *steps, struct wari_known before,
                                     struct wari_window window, int *pit)
{
    struct wari_node deeper = *node;
    int ply = tree->station_count - tree->root_stations;
    if (steps->count == 1 && ply < WARI_SEARCH_DEPTH_MAX)
        deeper.depth++;
    struct wari_known known = look_at_steps(tree, &deeper, steps, window, pit);
    known.least = before.least > known.least ? before.least : known.least;
    known.most = before.most < known.most ? before.most : known.most;
    known.score = within(known.score, known.least, known.most);
    return known;
}

/* Whether a position is settled without looking at its moves: by its seeds, by what is remembered
 * of it, by the database, or because it stands on the way. */
static bool is_settled(struct wari_tree *tree, const struct wari_node *node, uint64_t key,
                       struct wari_window window, struct wari_memory *memory,
                       struct wari_known *known)
{
    bool found = wari_search_table_find(&tree->shared->table, key, memory);
    bool answered = found && recall(memory, node, window, known);
    if (found && is_decided(known, window))
        return true;
    if (is_covered(tree, wari_search_board_seeds(&node->board)) &&
        look_in_database(tree, key, node, known))
        return true;
    int pays;
    if (!repeats(tree, node, &pays))
        return answered;
    known->score = guess(tree, node, known, pays);
    return true;
}

struct wari_known wari_tree_look(struct wari_tree *tree, const struct wari_node *node,
                                 struct wari_window window)
{
    int seeds = wari_search_board_seeds(&node->board);
    struct wari_known known = {0, -seeds, seeds};
    struct wari_memory memory = {.pit = -1};
    struct wari_steps steps;

    count_node(tree);
    if (has_stopped(tree) || is_decided(&known, window))
        return known;
    uint64_t key = key_of(tree, &node->board);
    if (is_settled(tree, node, key, window, &memory, &known))
        return known;
    wari_search_board_steps(tree->shared->variant.rules, &node->board, &steps);
    if (steps.count == 0)
        return (struct wari_known){SEED * steps.end_value, steps.end_value, steps.end_value};
    if (node->depth <= 0)
        return look_at_captures(tree, node, &steps, known, window);
    if (is_far_above(tree, node, window, &known))
        return known;
    known = look_deeper(tree, node, &steps, known, window, &memory.pit);
    if (!has_stopped(tree))
        remember(tree, key, node, memory.pit, known, window);
    return known;
}
