/* Alpha-beta search with principal variation windows: good moves first, reduced depth for late
 * quiet moves, ProbCut, captures searched beyond the last move, the database at the leaves.
 *
 * Besides its score each position has **proven** bounds of its exact value, in seeds. They come
 * from the database, from ends of the game, from the number of seeds, and from the bounds of all
 * its moves, or of one move that is good enough. An estimate never makes a bound. Neither does a
 * position that repeats on the path, because that depends on the path. So a bound is valid if no
 * repetition ends the game. This follows by induction over the order in which bounds were found, no
 * matter which moves were left out or which paths were mixed. A score is always within the
 * bounds. */
#include "play/search/tree.h"

#include <string.h>

#include "index/half.h"
#include "system/clock.h"

enum {
    SEED = WARI_SEED_SCORE,
    /* The clock is checked after this many nodes: about every 0.05 ms if nothing is read from
       files. */
    NODES_BETWEEN_CHECKS = 64,
    MEMORY_DEPTH_MAX = 127,            /* greatest depth that is stored with a position */
    HISTORY_MAX = 1 << 14,             /* greatest history score of a move */
    SHALLOW_FIRST = 6,                 /* least depth at which a shallower search comes first */
    NEVER = WARI_SEARCH_DEPTH_MAX + 1, /* a depth that no position has */
    SMALL_SEEDS = 12, /* levels 0..12 together have 300 chunks, which are used so often that reading
                       * them always saves time */
};

/* ---- Constants of weigh_reads() ---- */

/* Expected time of a read, before any read has been measured. */
static const double USUAL_READ_SECONDS = 50e-6;

/* All reads of a search together may take READ_SECONDS_AT_FIRST, plus the share READ_SHARE of the
 * time since the search began. */
static const double READ_SECONDS_AT_FIRST = 1e-3;
static const double READ_SHARE = 0.08;

/* Factor by which each further move of depth increases the number of positions; measured with 12
 * seeds. */
static const double GROWTH_OF_TREE = 1.75;

/* ---- Clock and limits ---- */

int64_t wari_tree_elapsed(const struct wari_tree_shared *shared)
{
    return (int64_t)(1e3 * (wari_seconds_now() - shared->began));
}

/* Adds the counts of this thread to those of all threads. Returns the number of nodes of all
 * threads. */
static uint64_t add_counts(struct wari_tree *tree)
{
    struct wari_tree_shared *shared = tree->shared;
    const struct wari_tree_counts *counts = &tree->counts, *added = &tree->added;
    const uint64_t nodes = counts->nodes - added->nodes;
    (void)atomic_fetch_add_explicit(&shared->probes, counts->probes - added->probes,
                                    memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&shared->reads, counts->reads - added->reads,
                                    memory_order_relaxed);
    tree->added = *counts;
    return nodes + atomic_fetch_add_explicit(&shared->nodes, nodes, memory_order_relaxed);
}

static bool is_cheap(const struct wari_tree *tree)
{
    return tree->shared->limits->probing == WARI_PROBING_CHEAP && tree->prover == 0;
}

/* Determines tree->read_depth: the least depth at which searching a position takes longer than
 * reading its value. All reads together may take only a small share of the time, however slow the
 * disk is; when they have taken more, nothing is read. */
static void weigh_reads(struct wari_tree *tree, double elapsed)
{
    const double read = tree->counts.reads > 0 ? tree->read_seconds / (double)tree->counts.reads
                                               : USUAL_READ_SECONDS;
    double search = (elapsed - tree->read_seconds) / (double)tree->counts.nodes;
    tree->read_depth = 0;
    while (tree->read_depth < WARI_SEARCH_DEPTH_MAX && search < read) {
        search *= GROWTH_OF_TREE;
        tree->read_depth++;
    }
    if (tree->read_seconds > READ_SHARE * elapsed + READ_SECONDS_AT_FIRST)
        tree->read_depth = NEVER;
}

static bool is_over(struct wari_tree *tree)
{
    const struct wari_tree_shared *shared = tree->shared;
    const struct wari_search_limits *limits = shared->limits;
    const uint64_t nodes = add_counts(tree);
    const bool timed = limits->milliseconds >= 0;
    const double elapsed = timed || is_cheap(tree) ? wari_seconds_now() - shared->began : 0;
    if (is_cheap(tree))
        weigh_reads(tree, elapsed);
    if (!atomic_load_explicit(&shared->may_stop, memory_order_relaxed))
        return false;
    return (limits->nodes > 0 && nodes >= (uint64_t)limits->nodes) ||
           (limits->stop && atomic_load(limits->stop)) ||
           (timed && 1e3 * elapsed >= (double)limits->milliseconds);
}

static bool has_stopped(const struct wari_tree *tree)
{
    return atomic_load_explicit(&tree->shared->stopped, memory_order_relaxed);
}

static void count_node(struct wari_tree *tree)
{
    uint64_t limit = (uint64_t)tree->shared->limits->nodes;
    const uint64_t nodes = ++tree->counts.nodes;
    if ((nodes % NODES_BETWEEN_CHECKS == 0 || (limit > 0 && nodes >= limit)) && is_over(tree))
        atomic_store(&tree->shared->stopped, true);
}

/* ---- Results without searching moves ---- */

/* Reads a value. Returns false if the read fails; afterwards no thread tries to read again. */
static bool read_value(struct wari_tree *tree, const struct wari_position *position, int *value)
{
    struct wari_tree_shared *shared = tree->shared;
    struct wari_error error;
    if (is_over(tree)) /* reading and decoding a chunk may take 0.2 ms or more */
        atomic_store(&shared->stopped, true);
    const double began = is_cheap(tree) ? wari_seconds_now() : 0;
    const enum wari_status status = wari_probe(shared->db, position, value, &error);
    tree->counts.reads++;
    tree->counts.probes++;
    if (is_cheap(tree)) {
        const double now = wari_seconds_now();
        tree->read_seconds += now - began;
        weigh_reads(tree, now - shared->began);
    }
    if (status == WARI_OK)
        return true;
    if (!atomic_flag_test_and_set(&shared->failing))
        shared->failure = error;
    atomic_store(&shared->seeds_max, -1);
    return false;
}

/* Adds a position to the sample of positions whose values were not read, by reservoir sampling: all
 * such positions are in the sample with the same probability. */
static void note_unread(struct wari_unread *unread, const struct wari_search_board *board)
{
    uint64_t index = unread->count++;
    if (index >= WARI_UNREAD_MAX) {
        unread->random ^= unread->random << 13;
        unread->random ^= unread->random >> 7;
        unread->random ^= unread->random << 17;
        index = (unread->random >> 32) * unread->count >> 32;
    }
    if (index < WARI_UNREAD_MAX)
        unread->boards[index] = *board;
}

/* Returns true if a look-up in the cache is likely to save time. A look-up that fails takes about
 * as long as searching a position of depth 0 or 1. So if the cache has few values of a level, only
 * some of these positions are looked up. */
static bool should_look_up(const struct wari_tree *tree, int seeds, int depth)
{
    enum { LOOKUPS_AT_FIRST = 64, RARE = 16 };
    const uint64_t lookups = tree->cached[seeds].lookups, hits = tree->cached[seeds].hits;
    return !is_cheap(tree) || depth >= 2 || lookups < LOOKUPS_AT_FIRST || RARE * hits >= lookups ||
           tree->counts.nodes % RARE == 0;
}

/* Finds the value of a covered position. Returns false if the value is not in the cache and reading
 * it would not save time, or if the read fails. `answered` is true if the search already has a
 * result for the position. */
static bool probe(struct wari_tree *tree, const struct wari_node *node, bool answered, int *value)
{
    const int seeds = wari_search_board_seeds(&node->board);
    if (!should_look_up(tree, seeds, node->depth))
        return false;
    const struct wari_position position = wari_search_board_position(&node->board);
    tree->cached[seeds].lookups++;
    if (wari_probe_cached(tree->shared->db, &position, value)) {
        tree->cached[seeds].hits++;
        tree->counts.probes++;
        return true;
    }
    const int depth = seeds <= SMALL_SEEDS && tree->read_depth < NEVER ? 0 : tree->read_depth;
    if (!is_cheap(tree) || (!answered && node->depth >= depth))
        return read_value(tree, &position, value);
    note_unread(&tree->unread, &node->board);
    return false;
}

static bool is_covered(const struct wari_tree *tree, int seeds)
{
    int most = atomic_load_explicit(&tree->shared->seeds_max, memory_order_relaxed);
    return seeds <= most && wari_level_exists(seeds);
}

/* Returns the utility of a node whose value is known, for its mover. */
static int utility_of(const struct wari_tree *tree, const struct wari_node *node, int value)
{
    return wari_utility_of_value(&tree->shared->utility, node->lead, value);
}

static struct wari_tree_result exact_result(const struct wari_tree *tree,
                                            const struct wari_node *node, int value)
{
    return (struct wari_tree_result){utility_of(tree, node, value), value, value};
}

static int utility_of_estimate(const struct wari_tree *tree, const struct wari_node *node)
{
    return wari_utility_of_estimate(&tree->shared->utility, node->lead,
                                    wari_search_board_seeds(&node->board),
                                    wari_evaluate(tree->shared->evaluation, &node->board));
}

static int surplus(const struct wari_search_board *board)
{
    return wari_row_seeds(board->rows[0]) - wari_row_seeds(board->rows[1]);
}

/* Returns true if the position has occurred so often, on the path and in the game, that the game
 * ends. Then sets *score to what the rule of repetition gives the mover of the position. */
static bool repeats(const struct wari_tree *tree, const struct wari_node *node, int *score)
{
    const struct wari_repetition *repetition = &tree->shared->limits->repetition;
    const int earlier = repetition->times > 2 ? repetition->times - 1 : 1;
    int least = surplus(&node->board), most = least, pays = 0, found = 0;
    for (int i = tree->path_length - 1; i >= node->since; i--) {
        const struct wari_path_entry *entry = &tree->path[i];
        int mine = surplus(&entry->board);
        mine = entry->opponent == node->opponent ? mine : -mine;
        least = mine < least ? mine : least;
        most = mine > most ? mine : most;
        if (entry->opponent != node->opponent ||
            memcmp(&entry->board, &node->board, sizeof node->board) != 0)
            continue;
        found++;
        pays = least > 0 ? least : most < 0 ? most : 0; /* by the cycle since this occurrence */
    }
    if (found < earlier)
        return false;
    *score = utility_of(tree, node, tree->shared->variant.cycle == WARI_OWN ? pays : 0);
    if (repetition->times > 0 && repetition->rows)
        *score = utility_of(tree, node, surplus(&node->board));
    return true;
}

static int within(const struct wari_tree *tree, const struct wari_node *node, int score, int least,
                  int most)
{
    const int low = utility_of(tree, node, least), high = utility_of(tree, node, most);
    return score < low ? low : score > high ? high : score;
}

/* Returns the score of a position whose value is unknown. A search for a proof takes the worst case
 * for the side that needs the proof. Other searches take `utility`, which is the utility of an
 * estimate or of a repetition. */
static int score_without_value(const struct wari_tree *tree, const struct wari_node *node,
                               const struct wari_tree_result *known, int utility)
{
    int mine = node->opponent ? -tree->prover : tree->prover;
    return mine > 0   ? utility_of(tree, node, known->least)
           : mine < 0 ? utility_of(tree, node, known->most)
                      : within(tree, node, utility, known->least, known->most);
}

uint64_t wari_tree_key(const struct wari_tree_shared *shared, const struct wari_search_board *board,
                       int prover)
{
    enum { RESULT = 2 }; /* `prover` & 3 is 0, 1 or 3, so 2 is free */
    const bool result = prover == 0 && shared->utility.win != 0;
    return wari_search_board_key(board, result ? RESULT : (unsigned)prover & 3);
}

bool wari_tree_score_is_valid(const struct wari_tree_shared *shared,
                              const struct wari_stored_result *stored, int lead)
{
    return shared->utility.win == 0 || stored->lead == lead;
}

/* ---- Move ordering ---- */

struct order {
    int first;          /* the pit to try first; -1 if there is none */
    unsigned in_danger; /* pits that the opponent could capture */
    int ply;
};

static int move_key(const struct wari_tree *tree, const struct wari_search_board *board,
                    const struct wari_step *step, const struct order *order)
{
    enum { TABLE_MOVE = 1 << 28, CAPTURE = 1 << 20, KILLER = 1 << 17, ESCAPE = 1 << 12 };
    int seeds = wari_row_pit(board->rows[0], step->pit);
    if (step->pit == order->first)
        return TABLE_MOVE;
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
        int index = i;
        for (; index > 0 && keys[index - 1] < key; index--) {
            keys[index] = keys[index - 1];
            steps->list[index] = steps->list[index - 1];
        }
        keys[index] = key;
        steps->list[index] = step;
    }
}

/* Records a quiet move that caused a cutoff at this depth. */
static void reward_quiet_move(struct wari_tree *tree, const struct wari_search_board *board,
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

void wari_tree_age_history(struct wari_tree *tree)
{
    memset(tree->killers, 0, sizeof tree->killers);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
            tree->history[pit][seeds] /= 8;
}

/* ---- Moves ---- */

/* Searches a position. The result is invalid once shared->stopped is set. */
static struct wari_tree_result search_node(struct wari_tree *tree, const struct wari_node *node,
                                           struct wari_window window);

static struct wari_tree_result try_step(struct wari_tree *tree, const struct wari_node *node,
                                        const struct wari_step *step, int depth,
                                        struct wari_window window)
{
    if (step->ends)
        return exact_result(tree, node, step->end_value);
    const int lead = node->lead + step->captured;
    int taken = SEED * step->captured;
    struct wari_node next = {.board = step->next,
                             .opponent = step->again ? node->opponent : !node->opponent,
                             .lead = step->again ? lead : -lead,
                             .depth = depth - 1,
                             .since = step->captured > 0 ? tree->path_length : node->since};
    struct wari_window after = {window.alpha - taken, window.beta - taken};
    if (!step->again)
        after = (struct wari_window){-after.beta, -after.alpha};
    struct wari_tree_result known = search_node(tree, &next, after);
    if (step->again)
        return (struct wari_tree_result){taken + known.score, step->captured + known.least,
                                         step->captured + known.most};
    return (struct wari_tree_result){taken - known.score, step->captured - known.most,
                                     step->captured - known.least};
}

/* Returns the depth reduction of a quiet move that is the `number`th to be tried. */
static int reduction(const struct wari_tree *tree, const struct wari_node *node,
                     const struct wari_step *step, int number)
{
    if (tree->prover != 0 || node->depth < 3 || number < 2 || step->captured > 0 || step->ends)
        return 0;
    return 1 + (number >= 3 && node->depth >= 6) + (number >= 4 && node->depth >= 10);
}

/* Searches with reduced depth first, then with a null window, then with the full window, as long
 * as the result makes the next step necessary. */
struct wari_tree_result wari_tree_search_move(struct wari_tree *tree, const struct wari_node *node,
                                              const struct wari_step *step, int number,
                                              struct wari_window window)
{
    if (number == 0)
        return try_step(tree, node, step, node->depth, window);
    struct wari_window narrow = {window.alpha, window.alpha + 1};
    int less = reduction(tree, node, step, number);
    struct wari_tree_result known = try_step(tree, node, step, node->depth - less, narrow);
    if (less > 0 && known.score > window.alpha && !has_stopped(tree))
        known = try_step(tree, node, step, node->depth, narrow);
    if (known.score > window.alpha && known.score < window.beta && !has_stopped(tree))
        known = try_step(tree, node, step, node->depth, window);
    return known;
}

/* Searches a position whose depth is 0. Only captures and moves that end the game are searched. The
 * side to move need not make any of them, so the score is at least score_without_value(). Most
 * positions of a search have depth 0, and most of these positions need only the estimate; so moves
 * are computed as late as possible. For this reason, a position whose only moves are illegal slams
 * gets an estimate, although its game has ended. */
static struct wari_tree_result search_captures(struct wari_tree *tree, const struct wari_node *node,
                                               struct wari_tree_result known,
                                               struct wari_window window)
{
    const enum wari_rules rules = tree->shared->variant.rules;
    const struct wari_search_board *board = &node->board;
    const bool may_end = board->rows[0] == 0 || board->rows[1] == 0;
    struct order order = {.first = -1, .ply = WARI_TREE_PLIES};
    struct wari_steps steps;
    if (may_end)
        wari_search_board_steps(rules, board, &steps);
    if (may_end && steps.count == 0)
        return exact_result(tree, node, steps.end_value);
    known.score = score_without_value(tree, node, &known, utility_of_estimate(tree, node));
    if (known.score >= window.beta)
        return known;
    if (!may_end)
        wari_search_board_captures(rules, board, &steps);
    order_steps(tree, board, &steps, &order);
    for (int i = 0; i < steps.count && known.score < window.beta && !has_stopped(tree); i++) {
        const struct wari_step *step = &steps.list[i];
        if (!step->ends && step->captured == 0)
            continue;
        window.alpha = known.score > window.alpha ? known.score : window.alpha;
        struct wari_tree_result after = try_step(tree, node, step, 0, window);
        known.least = after.least > known.least ? after.least : known.least;
        if (after.score > known.score)
            known.score = after.score;
    }
    return known;
}

/* Returns true if the first move is singular: an earlier search found it good, and a search to half
 * the depth finds that every other move is clearly worse. Where only one move is good, an error in
 * its score matters most, so the caller searches it deeper. */
static bool is_singular(struct wari_tree *tree, const struct wari_node *node,
                        const struct wari_steps *steps, const struct wari_stored_result *stored)
{
    enum { LEAST_DEPTH = 6, DEPTH_MISSING = 3, MUCH_WORSE = 80 };
    const int ply = tree->path_length - tree->root_path_length;
    const int target = stored->score - MUCH_WORSE;
    const bool good = stored->bound == WARI_BOUND_LOWER || stored->bound == WARI_BOUND_EXACT;
    if (tree->prover != 0 || node->depth < LEAST_DEPTH || ply >= WARI_SEARCH_DEPTH_MAX ||
        steps->count < 2 || !good || stored->depth < node->depth - DEPTH_MISSING ||
        stored->pit != steps->list[0].pit ||
        !wari_tree_score_is_valid(tree->shared, stored, node->lead))
        return false;
    for (int i = 1; i < steps->count; i++) {
        const struct wari_window narrow = {target - 1, target};
        const struct wari_tree_result known =
            try_step(tree, node, &steps->list[i], node->depth / 2, narrow);
        if (has_stopped(tree) || known.score >= target)
            return false;
    }
    return true;
}

/* Searches all moves of a position, the most promising first. `stored` is the result that the table
 * had for the position; its pit is replaced by that of the best move. */
static struct wari_tree_result search_steps(struct wari_tree *tree, const struct wari_node *node,
                                            struct wari_steps *steps, struct wari_window window,
                                            struct wari_stored_result *stored)
{
    int ply = tree->path_length - tree->root_path_length;
    struct order order = {stored->pit, wari_search_board_endangered(&node->board), ply};
    struct wari_tree_result best = {-WARI_INFINITE, -WARI_SEEDS_MAX, -WARI_SEEDS_MAX};
    order_steps(tree, &node->board, steps, &order);
    tree->path[tree->path_length++] =
        (struct wari_path_entry){.board = node->board, .opponent = node->opponent};
    struct wari_node first = *node;
    first.depth += is_singular(tree, node, steps, stored);
    for (int i = 0; i < steps->count && !has_stopped(tree); i++) {
        const struct wari_step *step = &steps->list[i];
        struct wari_window rest = {best.score > window.alpha ? best.score : window.alpha,
                                   window.beta};
        struct wari_tree_result known =
            wari_tree_search_move(tree, i == 0 ? &first : node, step, i, rest);
        best.least = known.least > best.least ? known.least : best.least;
        best.most = known.most > best.most ? known.most : best.most;
        if (known.score <= best.score)
            continue;
        best.score = known.score;
        stored->pit = step->pit;
        if (best.score < window.beta)
            continue;
        if (i + 1 < steps->count)
            best.most = WARI_SEEDS_MAX;
        if (step->captured == 0 && !step->ends && !has_stopped(tree))
            reward_quiet_move(tree, &node->board, step, node->depth, ply);
        break;
    }
    tree->path_length--;
    return best;
}

/* ---- A position ---- */

/* Applies a stored result: narrows the bounds of *known in any case, and returns true if the
 * stored score is sufficient. */
static bool apply_stored(const struct wari_tree *tree, const struct wari_stored_result *stored,
                         const struct wari_node *node, struct wari_window window,
                         struct wari_tree_result *known)
{
    known->least = stored->least > known->least ? stored->least : known->least;
    known->most = stored->most < known->most ? stored->most : known->most;
    known->score = within(tree, node, stored->score, known->least, known->most);
    if (known->least == known->most)
        return true;
    if (stored->depth < node->depth || !wari_tree_score_is_valid(tree->shared, stored, node->lead))
        return false;
    return stored->bound == WARI_BOUND_EXACT ||
           (stored->bound == WARI_BOUND_LOWER && known->score >= window.beta) ||
           (stored->bound == WARI_BOUND_UPPER && known->score <= window.alpha);
}

/* Returns true, and sets the score, if the proven bounds are equal or lie outside of the window,
 * so that no search is needed. */
static bool is_decided(const struct wari_tree *tree, const struct wari_node *node,
                       struct wari_tree_result *known, struct wari_window window)
{
    const int low = utility_of(tree, node, known->least),
              high = utility_of(tree, node, known->most);
    if (known->least == known->most || low >= window.beta)
        known->score = low;
    else if (high <= window.alpha)
        known->score = high;
    else
        return false;
    return true;
}

static void remember(struct wari_tree *tree, uint64_t key, const struct wari_node *node, int pit,
                     struct wari_tree_result known, struct wari_window window)
{
    struct wari_stored_result stored = {
        .score = known.score,
        .lead = node->lead,
        .depth = node->depth < MEMORY_DEPTH_MAX ? node->depth : MEMORY_DEPTH_MAX,
        .bound = known.score >= window.beta    ? WARI_BOUND_LOWER
                 : known.score <= window.alpha ? WARI_BOUND_UPPER
                                               : WARI_BOUND_EXACT,
        .pit = pit,
        .least = known.least,
        .most = known.most,
    };
    if (known.least == known.most)
        stored.depth = MEMORY_DEPTH_MAX;
    wari_search_table_store(&tree->shared->table, key, &stored);
}

/* Probes the database and stores the value in the table. */
static bool probe_database(struct wari_tree *tree, uint64_t key, const struct wari_node *node,
                           bool answered, struct wari_tree_result *known)
{
    int value;
    if (!probe(tree, node, answered, &value))
        return false;
    *known = exact_result(tree, node, value);
    remember(tree, key, node, -1, *known, (struct wari_window){-WARI_INFINITE, WARI_INFINITE});
    return true;
}

/* Searches the moves of a position and clamps the result to the bounds known before. */
static struct wari_tree_result search_deeper(struct wari_tree *tree, const struct wari_node *node,
                                             struct wari_steps *steps,
                                             struct wari_tree_result before,
                                             struct wari_window window,
                                             struct wari_stored_result *stored)
{
    struct wari_node deeper = *node;
    int ply = tree->path_length - tree->root_path_length;
    if (steps->count == 1 && ply < WARI_SEARCH_DEPTH_MAX)
        deeper.depth++;
    struct wari_tree_result known = search_steps(tree, &deeper, steps, window, stored);
    known.least = before.least > known.least ? before.least : known.least;
    known.most = before.most < known.most ? before.most : known.most;
    known.score = within(tree, node, known.score, known.least, known.most);
    return known;
}

/* Returns true if the estimate is so far above a null window that a few moves will not bring it
 * down. Then sets the score to the nearest bound of the window. Only depths of 1 to DEEPEST are
 * tested, and only if both rows have seeds, so that the game has hardly ever ended. */
static bool is_far_above(const struct wari_tree *tree, const struct wari_node *node,
                         struct wari_window window, struct wari_tree_result *known)
{
    enum { DEEPEST = 4, PLY_MARGIN = 150 };
    if (tree->prover != 0 || node->depth > DEEPEST || window.beta - window.alpha > 1 ||
        node->depth < 1 || node->board.rows[0] == 0 || node->board.rows[1] == 0)
        return false;
    if (utility_of_estimate(tree, node) - PLY_MARGIN * (node->depth + 1) < window.beta)
        return false;
    known->score = within(tree, node, window.beta, known->least, known->most);
    return known->score >= window.beta;
}

/* Returns true if a search to a smaller depth finds a score so far outside of a null window that
 * the search to the full depth is likely to end on the same side (ProbCut: M. Buro, 1995). Then
 * sets the score to the nearest bound of the window. The search to the smaller depth tests only the
 * side of the window on which the estimate is. The function narrows the proven bounds of *known
 * even if it returns false; if these bounds decide the position, it returns true.
 *
 * When the depth increases by 4, estimates change by 1.1 to 1.7 seeds (standard deviation). */
static bool is_likely_outside(struct wari_tree *tree, const struct wari_node *node,
                              struct wari_window window, struct wari_tree_result *known)
{
    enum { LESS = 4, MARGIN = 200 };
    if (tree->prover != 0 || node->depth < SHALLOW_FIRST || window.beta - window.alpha > 1)
        return false;
    const bool above = utility_of_estimate(tree, node) >= window.beta;
    const int limit = above ? window.beta + MARGIN : window.alpha - MARGIN;
    const struct wari_window beyond = {above ? limit - 1 : limit, above ? limit : limit + 1};
    struct wari_node shallow = *node;
    shallow.depth -= LESS;
    const struct wari_tree_result found = search_node(tree, &shallow, beyond);
    known->least = found.least > known->least ? found.least : known->least;
    known->most = found.most < known->most ? found.most : known->most;
    if (is_decided(tree, node, known, window))
        return true;
    if (above ? found.score < limit : found.score > limit)
        return false;
    known->score =
        within(tree, node, above ? window.beta : window.alpha, known->least, known->most);
    return above == (known->score >= window.beta);
}

/* Returns true if the proven bounds in the transposition table decide the position. Otherwise, if
 * the table has an entry, narrows the bounds of *known and sets *answered to true if the stored
 * score is sufficient, or to false. */
static bool find_stored(struct wari_tree *tree, uint64_t key, const struct wari_node *node,
                        struct wari_window window, struct wari_stored_result *stored,
                        struct wari_tree_result *known, bool *answered)
{
    if (!wari_search_table_find(&tree->shared->table, key, stored))
        return false;
    *answered = apply_stored(tree, stored, node, window, known);
    return is_decided(tree, node, known, window);
}

/* Searches a position. The steps that are most likely to make further work unnecessary come first.
 * Most positions outside of the database need only their estimate. So for these positions the
 * estimate comes before the transposition table, even though the table may have a proven bound. An
 * entry of this table takes long to arrive from memory, so it is prefetched, and the moves are
 * computed in the meantime. */
static struct wari_tree_result search_node(struct wari_tree *tree, const struct wari_node *node,
                                           struct wari_window window)
{
    const int seeds = wari_search_board_seeds(&node->board);
    struct wari_tree_result known = {0, -seeds, seeds};
    struct wari_stored_result stored = {.pit = -1};
    struct wari_steps steps;
    bool answered = false;
    int pays = 0;

    count_node(tree);
    if (has_stopped(tree) || is_decided(tree, node, &known, window))
        return known;
    const bool covered = is_covered(tree, seeds), returned = repeats(tree, node, &pays);
    const bool table_first = covered || tree->prover != 0;
    if (returned)
        known.score = score_without_value(tree, node, &known, pays);
    if (returned && tree->shared->limits->repetition.times > 0)
        return known;
    const uint64_t key = wari_tree_key(tree->shared, &node->board, tree->prover);
    if (table_first || returned || node->depth > 0)
        wari_search_table_prefetch(&tree->shared->table, key);
    if (table_first && find_stored(tree, key, node, window, &stored, &known, &answered))
        return known;
    if (covered && probe_database(tree, key, node, answered, &known))
        return known;
    if (!returned && !answered && is_far_above(tree, node, window, &known))
        return known;
    if (!returned && !answered && node->depth <= 0)
        return search_captures(tree, node, known, window);
    wari_search_board_steps(tree->shared->variant.rules, &node->board, &steps);
    if (!table_first && find_stored(tree, key, node, window, &stored, &known, &answered))
        return known;
    if (returned)
        known.score = score_without_value(tree, node, &known, pays);
    if (returned || answered)
        return known;
    if (steps.count == 0)
        return exact_result(tree, node, steps.end_value);
    if (is_likely_outside(tree, node, window, &known))
        return known;
    if (stored.pit < 0 &&
        node->depth >= SHALLOW_FIRST) /* the shallower search may have stored a move */
        (void)wari_search_table_find(&tree->shared->table, key, &stored);
    known = search_deeper(tree, node, &steps, known, window, &stored);
    if (!has_stopped(tree))
        remember(tree, key, node, stored.pit, known, window);
    return known;
}
