/* Proves results of games that end when a position returns.
 *
 * X is the side to move at the root, and Y is the other side. A target is the number of seeds by
 * which X must outscore Y from a position on; captures change the target. For a root and two
 * targets (for a win and for a draw), the module decides which moves reach the target.
 *
 * A node is a position with a side to move and a target. No path of the graph of nodes leads back
 * over a capture, so a position can return only within its level. A return ends the game with a
 * score. If each side takes the seeds in its row (`rows` of struct wari_repetition), or if the
 * cycle rule is `even`, the score depends only on the node that returns. Otherwise it depends on
 * all nodes of the cycle.
 *
 * Two regions of the graph are computed: one where X reaches the target, and one where Y prevents
 * this. X's region consists of the nodes where X can force a final node that reaches the target, or
 * can stay for ever on nodes where a return reaches the target. X's moves in the region depend on
 * the node alone, so every cycle in the region consists of nodes where a return reaches the target,
 * and X reaches the target wherever in the cycle the game ends. A position of the game's history is
 * a final node if a return to it would end the game.
 *
 * If the score depends on all nodes of a cycle, a target above 0 is reached only if a return to
 * each of these nodes would reach it; a target of 0 or less is missed only if a return to each of
 * them would miss it. So one of the sides needs good nodes everywhere in the cycle. If a position
 * of the history returns, the cycle includes all positions since its first occurrence, and these
 * may be bad for that side. So in the region of that side, the nodes where the side stays for ever
 * do not include positions of the history. The *held* nodes of that side are a second set, which
 * may include positions of the history if all positions since their first occurrence are good. The
 * side can stay on held nodes for ever, or enter its region. Held nodes decide only moves of the
 * root that lead to one of them directly, because a search could reach a held node over bad nodes.
 *
 * Nodes in neither region are undecided: their results depend on the path. They are searched
 * depth-first, with the path as part of the history. The path ends where it enters a region. From
 * there the side of the region can stay in the region and never returns to the path, so the path
 * does not invalidate regions. */
#include "play/engine/endgame.h"

#include <string.h>

#include "index/half.h"
#include "system/clock.h"

enum {
    PATH_MAX_NODES = 600,    /* positions that a path may have in addition to those of a game */
    PATH_STEPS_MAX = 100000, /* steps of the depth-first search for each move of the root */
    NODES_BETWEEN_CHECKS = 64,
    OCCURRENCES_MAX = 9, /* occurrences are counted up to this number; no rule needs more */
    NO_NODE = -1,
    X_REGION = 1,
    Y_REGION = 2,
    CANDIDATE = 4,
    HELD = 8,
};

/* The result for X of reaching a node. */
enum verdict { UNKNOWN, REACHED, MISSED };

struct node {
    struct wari_position position; /* seen by its mover */
    bool x_to_move;
    int8_t target;
    int8_t value;   /* exact value for X if the game never ends by repetition */
    int8_t surplus; /* seeds in X's row minus seeds in Y's row */
    uint8_t seeds;  /* seeds on the board */
    uint8_t children;
    uint8_t pit[WARI_HALF_PITS];
    bool captures[WARI_HALF_PITS]; /* [i]: the move to child[i] captures */
    int32_t child[WARI_HALF_PITS];
    bool expanded; /* its moves are known, or it is final */
    uint8_t final; /* enum verdict if the game is over or the target is certain; UNKNOWN if not */
    uint8_t returned; /* enum verdict of a game that ends by a return to this node; UNKNOWN if this
                       * verdict depends on the whole cycle, by the rule of repetition */
    bool holds;       /* a game that ends in a cycle of nodes reaches the target if all of them have
                       * this flag, and misses it if none of them has it */
    uint8_t fresh;    /* enum verdict of the node without a history, as after a capture; UNKNOWN if
                       * it is not proven */

    /* The fields below belong to the call of wari_endgame_choose() with the number `call`. */
    int32_t call;
    bool followed;   /* the moves that keep the likely result (is_likely()) have been followed */
    bool all;        /* all moves have been followed */
    bool closed;     /* a return to this position of the history ends the game */
    bool mixed;      /* since the first occurrence in the history, a return to some positions would
                      * reach the target, and a return to others would miss it */
    uint8_t past;    /* number of occurrences in the history */
    uint8_t on_path; /* number of occurrences on the path of the depth-first search */
    int32_t path;   /* index in `path` of the first occurrence; valid if past or on_path is not 0 */
    uint8_t region; /* set of X_REGION, Y_REGION, CANDIDATE */
};

struct wari_endgame {
    struct wari_db *db;
    const struct wari_host *host;
    const atomic_bool *stop;
    struct wari_variant variant;
    struct wari_repetition repetition; /* the rule by which the nodes were computed */
    int limit;
    int count; /* number of nodes */
    struct node *nodes;
    int32_t *table; /* [hash]: number of the node + 1; 0 means a free element. It has 2 * limit
                     * elements */
    int32_t *order; /* the nodes of this call */
    int32_t *later; /* nodes of lower levels, which are expanded after all nodes of the root's level
                     */
    int call;
    int active;    /* number of elements of `order` */
    int64_t until; /* time after which no more nodes are collected, by wari_milliseconds_now(); -1
                    * means no limit */
    bool full;     /* there is no capacity, or no time, for all nodes */
    bool stopped;
    int steps;        /* steps of the current depth-first search */
    bool second_ends; /* in the depth-first search, the game ends when a position occurs on the path
                       * for the second time, whatever the rule says */
    int path_length;
    int8_t path[WARI_GAME_MOVES_MAX + PATH_MAX_NODES]; /* surplus of each position of the history
                                                        * and of the path */
};

/* ---- Workspace ---- */

enum wari_status wari_endgame_new(struct wari_endgame **endgame, struct wari_db *db,
                                  const struct wari_host *host, int positions,
                                  struct wari_error *error)
{
    void *memory;
    struct wari_info info;
    *endgame = NULL;
    enum wari_status status = wari_allocate(host, sizeof **endgame, "an endgame", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_endgame *created = memory;
    wari_get_info(db, &info);
    *created =
        (struct wari_endgame){.db = db, .host = host, .variant = info.variant, .limit = positions};
    const size_t count = (size_t)positions;
    const size_t bytes = count * (sizeof *created->nodes + 4 * sizeof *created->table);
    status = wari_allocate(host, bytes, "the positions of an endgame", &memory, error);
    if (status != WARI_OK) {
        wari_release(host, created);
        return status;
    }
    created->nodes = memory;
    created->table = (int32_t *)(created->nodes + count);
    created->order = created->table + 2 * count;
    created->later = created->order + count;
    memset(created->table, 0, 2 * count * sizeof *created->table);
    *endgame = created;
    return WARI_OK;
}

void wari_endgame_free(struct wari_endgame *endgame)
{
    if (!endgame)
        return;
    const struct wari_host *host = endgame->host;
    wari_release(host, endgame->nodes);
    wari_release(host, endgame);
}

void wari_endgame_stop_at(struct wari_endgame *endgame, const atomic_bool *stop)
{
    endgame->stop = stop;
}

static bool is_stopped(struct wari_endgame *endgame)
{
    endgame->stopped |= endgame->stop && atomic_load(endgame->stop);
    return endgame->stopped;
}

/* ---- Nodes ---- */

static bool depends_on_cycle(const struct wari_endgame *endgame)
{
    return !endgame->repetition.rows && endgame->variant.cycle == WARI_OWN;
}

static size_t find_index(const struct wari_endgame *endgame, const struct wari_position *position,
                         bool x_to_move, int target)
{
    uint64_t first, last = 0;
    memcpy(&first, position->pits, sizeof first);
    memcpy(&last, position->pits + sizeof first, WARI_PITS - sizeof first);
    last = (last << 8 | (uint8_t)target) << 1 | x_to_move;
    uint64_t mixed = (first ^ last * 0xD6E8FEB86659FD93) * 0x9E3779B97F4A7C15;
    const size_t size = 2 * (size_t)endgame->limit;
    for (size_t index = (size_t)((mixed >> 32) % size);; index = (index + 1) % size) {
        if (endgame->table[index] == 0)
            return index;
        const struct node *node = &endgame->nodes[endgame->table[index] - 1];
        if (node->x_to_move == x_to_move && node->target == target &&
            memcmp(&node->position, position, sizeof *position) == 0)
            return index;
    }
}

static enum verdict verdict_of(bool reached)
{
    return reached ? REACHED : MISSED;
}

/* Finds or adds a node. Returns NO_NODE, and sets endgame->full, if there is no capacity. */
static int32_t add_node(struct wari_endgame *endgame, const struct wari_position *position,
                        bool x_to_move, int target, int value)
{
    const size_t index = find_index(endgame, position, x_to_move, target);
    if (endgame->table[index] != 0)
        return endgame->table[index] - 1;
    if (endgame->count == endgame->limit) {
        endgame->full = true;
        return NO_NODE;
    }
    const int mine = wari_half_seeds(position->pits);
    const int others = wari_half_seeds(position->pits + WARI_HALF_PITS);
    const int surplus = x_to_move ? mine - others : others - mine;
    struct node *node = &endgame->nodes[endgame->count];
    *node = (struct node){.position = *position,
                          .x_to_move = x_to_move,
                          .target = (int8_t)target,
                          .value = (int8_t)value,
                          .surplus = (int8_t)surplus,
                          .seeds = (uint8_t)(mine + others)};
    if (endgame->repetition.rows || endgame->variant.cycle == WARI_OWN)
        node->holds = surplus >= target;
    else
        node->holds = target <= 0;
    node->returned = (uint8_t)(depends_on_cycle(endgame) ? UNKNOWN : verdict_of(node->holds));
    if (target <= -(mine + others) || target > mine + others) {
        node->final = (uint8_t)verdict_of(target <= 0);
        node->expanded = true;
    }
    endgame->table[index] = ++endgame->count;
    return endgame->count - 1;
}

/* Adds the node that a move leads to. A move that ends the game leads to a final node, which has
 * an empty board. */
static int32_t add_child(struct wari_endgame *endgame, const struct node *parent,
                         const struct wari_move *move, int value)
{
    const bool x_moves = parent->x_to_move;
    const int captured = x_moves ? move->captured : -move->captured;
    const int for_x = x_moves ? value : -value;
    const int target = parent->target;
    if (move->ends) {
        static const struct wari_position empty = {{0}};
        return add_node(endgame, &empty, x_moves, for_x >= target ? 0 : 1, 0);
    }
    const int32_t child = add_node(endgame, &move->next, move->again ? x_moves : !x_moves,
                                   target - captured, for_x - captured);
    /* After a capture there is no history. If the cycle rule scores a return, the value in the
     * database is then exact, because it assumes the same rule. */
    if (child != NO_NODE && captured != 0 && !endgame->repetition.rows) {
        struct node *next = &endgame->nodes[child];
        next->fresh = (uint8_t)verdict_of(next->value >= next->target);
    }
    return child;
}

/* Finds the moves of a node. If there is no capacity for them, the node stays as it is. */
static enum wari_status expand(struct wari_endgame *endgame, int32_t number,
                               struct wari_error *error)
{
    struct node *node = &endgame->nodes[number];
    struct wari_analysis analysis;
    enum wari_status status = wari_analyse(endgame->db, &node->position, &analysis, error);
    if (status != WARI_OK)
        return status;
    if (analysis.count == 0) {
        const int value = node->x_to_move ? analysis.value : -analysis.value;
        node->final = (uint8_t)verdict_of(value >= node->target);
        node->expanded = true;
        return WARI_OK;
    }
    for (int i = 0; i < analysis.count; i++) {
        const struct wari_move *move = &analysis.moves[i].move;
        node->child[i] = add_child(endgame, node, move, analysis.moves[i].value);
        node->pit[i] = move->pit;
        node->captures[i] = move->captured > 0;
        if (node->child[i] == NO_NODE)
            return WARI_OK;
    }
    node->children = (uint8_t)analysis.count;
    node->expanded = true;
    return WARI_OK;
}

/* ---- The nodes of a call ---- */

/* Returns true if the likely result is that X reaches the target. The likely result is the result
 * of the game that no repetition ends. */
static bool is_likely(const struct node *node)
{
    return node->value >= node->target;
}

static bool is_late(struct wari_endgame *endgame)
{
    endgame->full |= endgame->until >= 0 && wari_milliseconds_now() >= endgame->until;
    return endgame->full;
}

/* Adds a node to the nodes of this call. Returns false if the node was already one of them. */
static bool activate(struct wari_endgame *endgame, int32_t number)
{
    struct node *node = &endgame->nodes[number];
    if (node->call == endgame->call)
        return false;
    node->call = endgame->call;
    node->followed = node->all = node->closed = node->mixed = false;
    node->past = node->on_path = 0;
    node->region = 0;
    return true;
}

/* Follows the moves of the nodes in `list` from index `begin` on. Appends each node that a move
 * leads to and that is not yet a node of this call: after a capture to endgame->later (unless its
 * verdict is known, see `fresh`), otherwise to `list`, so that its moves are followed, too. If
 * `all` is false, follows only moves that keep the likely result (is_likely()). */
static enum wari_status follow(struct wari_endgame *endgame, int32_t *list, int begin, int *end,
                               int *later, bool all, struct wari_error *error)
{
    for (int i = begin; i < *end && !endgame->full && !is_stopped(endgame); i++) {
        struct node *node = &endgame->nodes[list[i]];
        if (i % NODES_BETWEEN_CHECKS == 0 && is_late(endgame))
            break;
        if (!node->expanded) {
            enum wari_status status = expand(endgame, list[i], error);
            if (status != WARI_OK)
                return status;
        }
        if (!node->expanded)
            break;
        node->followed = true;
        node->all |= all;
        for (int k = 0; k < node->children; k++) {
            const struct node *child = &endgame->nodes[node->child[k]];
            if ((!all && is_likely(node) != is_likely(child)) ||
                (node->captures[k] && child->fresh != UNKNOWN))
                continue;
            if (!activate(endgame, node->child[k]))
                continue;
            if (node->captures[k])
                endgame->later[(*later)++] = node->child[k];
            else
                list[(*end)++] = node->child[k];
        }
    }
    return WARI_OK;
}

/* Collects the nodes of this call that can be reached from those in `order`: first those of the
 * root's level, then those of lower levels, level by level. */
static enum wari_status collect(struct wari_endgame *endgame, bool all, struct wari_error *error)
{
    int later = 0, taken = 0, begin = 0;
    enum wari_status status =
        follow(endgame, endgame->order, 0, &endgame->active, &later, all, error);
    while (status == WARI_OK && taken < later) {
        begin = endgame->active;
        while (taken < later)
            endgame->order[endgame->active++] = endgame->later[taken++];
        later = taken = 0;
        status = follow(endgame, endgame->order, begin, &endgame->active, &later, all, error);
    }
    return status;
}

/* ---- Regions ---- */

/* Returns the verdict of a node if the verdict depends neither on the path nor on the regions;
 * otherwise UNKNOWN. If the moves of the node were not followed for lack of capacity or time,
 * assumes the likely result. */
static enum verdict verdict_at(const struct wari_endgame *endgame, const struct node *node)
{
    if (node->final != UNKNOWN)
        return (enum verdict)node->final;
    if (node->call == endgame->call && node->closed)
        return (enum verdict)node->returned;
    if (!node->followed && endgame->full && node->call == endgame->call)
        return verdict_of(is_likely(node));
    return UNKNOWN;
}

/* `regions` is X_REGION or Y_REGION, optionally with CANDIDATE. Returns true if the side of this
 * region is to move and can move into `regions`, or if the other side is to move and all of its
 * moves lead into `regions`. */
static bool leads(const struct wari_endgame *endgame, const struct node *node, uint8_t regions)
{
    const bool for_x = regions & X_REGION;
    const bool chooses = node->x_to_move == for_x;
    for (int i = 0; i < node->children; i++) {
        const struct node *child = &endgame->nodes[node->child[i]];
        const enum verdict verdict = node->captures[i] && child->fresh != UNKNOWN
                                         ? (enum verdict)child->fresh
                                         : verdict_at(endgame, child);
        const bool inside = verdict != UNKNOWN ? verdict == verdict_of(for_x)
                                               : child->call == endgame->call && !child->closed &&
                                                     (child->region & regions);
        if (inside == chooses)
            return chooses;
    }
    return !chooses;
}

static bool is_open(const struct wari_endgame *endgame, const struct node *node)
{
    return node->followed && !node->closed && verdict_at(endgame, node) == UNKNOWN;
}

/* Adds the nodes from which the region can be forced. */
static void attract(struct wari_endgame *endgame, uint8_t region)
{
    bool changed = true;
    while (changed && !is_stopped(endgame)) {
        changed = false;
        for (int i = endgame->active - 1; i >= 0; i--) {
            struct node *node = &endgame->nodes[endgame->order[i]];
            if ((node->region & region) || !is_open(endgame, node) || !leads(endgame, node, region))
                continue;
            node->region |= region;
            changed = true;
        }
    }
}

/* Returns true if the side of the region needs good nodes everywhere in a cycle: nodes to which a
 * return is good for this side. */
static bool needs_all(const struct wari_endgame *endgame, const struct node *node, uint8_t region)
{
    return depends_on_cycle(endgame) && (node->target > 0) == (region == X_REGION);
}

/* Returns true if a return to the node is good for the side of the region, to which the node does
 * not belong yet. */
static bool is_good(const struct wari_endgame *endgame, const struct node *node, uint8_t region)
{
    return !(node->region & region) && is_open(endgame, node) &&
           node->holds == (region == X_REGION);
}

/* Removes the candidates from which the side cannot move to another candidate or into the region,
 * until none is left to be removed. Adds `mark` to the other candidates. Returns false if there are
 * none. */
static bool mark_holds(struct wari_endgame *endgame, uint8_t region, uint8_t mark)
{
    bool changed = true, any = false;
    while (changed && !is_stopped(endgame)) {
        changed = false;
        for (int i = endgame->active - 1; i >= 0; i--) {
            struct node *node = &endgame->nodes[endgame->order[i]];
            if (!(node->region & CANDIDATE) || leads(endgame, node, (uint8_t)(region | CANDIDATE)))
                continue;
            node->region &= (uint8_t)~CANDIDATE;
            changed = true;
        }
    }
    for (int i = 0; i < endgame->active; i++) {
        struct node *node = &endgame->nodes[endgame->order[i]];
        if (!(node->region & CANDIDATE))
            continue;
        node->region = (uint8_t)((node->region & ~CANDIDATE) | mark);
        any = true;
    }
    return any;
}

/* Adds the nodes where the side can stay for ever on nodes at which a return is good for the side,
 * or enter the region. Returns false if there is no such node. */
static bool add_holds(struct wari_endgame *endgame, uint8_t region)
{
    for (int i = 0; i < endgame->active; i++) {
        struct node *node = &endgame->nodes[endgame->order[i]];
        if (is_good(endgame, node, region) && !(node->past > 0 && needs_all(endgame, node, region)))
            node->region |= CANDIDATE;
    }
    return mark_holds(endgame, region, region);
}

/* Finds the held nodes of a side that needs all nodes of a cycle. */
static void find_held(struct wari_endgame *endgame, uint8_t region)
{
    for (int i = 0; i < endgame->active; i++) {
        struct node *node = &endgame->nodes[endgame->order[i]];
        if (is_good(endgame, node, region) && !node->mixed && needs_all(endgame, node, region))
            node->region |= CANDIDATE;
    }
    (void)mark_holds(endgame, region, HELD);
}

/* Computes both regions and the held nodes. They are invalid if the call is stopped. What they say
 * about nodes of lower levels holds for later calls, too, since only the root's level has a
 * history. */
static void find_regions(struct wari_endgame *endgame, int seeds)
{
    for (int i = 0; i < endgame->active; i++)
        endgame->nodes[endgame->order[i]].region = 0;
    for (uint8_t region = X_REGION; region <= Y_REGION; region++) {
        do
            attract(endgame, region);
        while (add_holds(endgame, region) && !is_stopped(endgame));
    }
    find_held(endgame, X_REGION);
    find_held(endgame, Y_REGION);
    for (int i = 0; i < endgame->active && !endgame->full && !endgame->stopped; i++) {
        struct node *node = &endgame->nodes[endgame->order[i]];
        if (node->seeds < seeds && (node->region & (X_REGION | Y_REGION)))
            node->fresh = (uint8_t)verdict_of(node->region & X_REGION);
    }
}

/* ---- Depth-first search of undecided nodes ---- */

/* Returns the verdict of a return to a node that occurs in the history or on the path. */
static enum verdict verdict_of_return(const struct wari_endgame *endgame, const struct node *node)
{
    int least = node->surplus, most = node->surplus;
    if (!depends_on_cycle(endgame))
        return verdict_of(node->holds);
    for (int i = node->path; i < endgame->path_length; i++) {
        least = endgame->path[i] < least ? endgame->path[i] : least;
        most = endgame->path[i] > most ? endgame->path[i] : most;
    }
    return verdict_of((least > 0 ? least : most < 0 ? most : 0) >= node->target);
}

/* Returns true if a node of this call has occurred so often that one more occurrence ends the
 * game. */
static bool ends_by_return(const struct wari_endgame *endgame, const struct node *node)
{
    return node->closed ||
           (node->on_path > 0 &&
            (endgame->second_ends || node->past + node->on_path + 1 >= endgame->repetition.times));
}

/* Returns the verdict of a node; UNKNOWN if the node has to be searched. */
static enum verdict verdict_without_search(const struct wari_endgame *endgame,
                                           const struct node *node, bool after_capture)
{
    const bool current = node->call == endgame->call;
    if (current && ends_by_return(endgame, node))
        return verdict_of_return(endgame, node);
    if (verdict_at(endgame, node) != UNKNOWN)
        return verdict_at(endgame, node);
    if (current && (node->region & (X_REGION | Y_REGION)))
        return verdict_of(node->region & X_REGION);
    return after_capture ? (enum verdict)node->fresh : UNKNOWN;
}

static enum verdict search(struct wari_endgame *endgame, int32_t number, bool after_capture);

/* Searches the moves of a node that is on the path. */
static enum verdict search_moves(struct wari_endgame *endgame, const struct node *node)
{
    const enum verdict wanted = verdict_of(node->x_to_move);
    enum verdict found = verdict_of(!node->x_to_move);
    for (int i = 0; i < node->children; i++)
        if (verdict_without_search(endgame, &endgame->nodes[node->child[i]], node->captures[i]) ==
            wanted)
            return wanted;
    for (int i = 0; i < node->children; i++) {
        const enum verdict verdict = search(endgame, node->child[i], node->captures[i]);
        if (verdict == wanted)
            return wanted;
        if (verdict == UNKNOWN)
            found = UNKNOWN;
    }
    return found;
}

/* Decides a node with the path as its history. */
static enum verdict search(struct wari_endgame *endgame, int32_t number, bool after_capture)
{
    struct node *node = &endgame->nodes[number];
    enum verdict verdict = verdict_without_search(endgame, node, after_capture);
    if (verdict != UNKNOWN || node->call != endgame->call || !node->all ||
        endgame->steps >= PATH_STEPS_MAX ||
        endgame->path_length == WARI_GAME_MOVES_MAX + PATH_MAX_NODES || is_stopped(endgame))
        return verdict;
    endgame->steps++;
    if (node->past == 0 && node->on_path == 0)
        node->path = endgame->path_length;
    node->on_path++;
    endgame->path[endgame->path_length++] = node->surplus;
    verdict = search_moves(endgame, node);
    endgame->path_length--;
    node->on_path--;
    if (after_capture && !endgame->full && !endgame->second_ends)
        node->fresh = (uint8_t)verdict;
    return verdict;
}

/* ---- The root ---- */

/* The verdicts of the moves of the root for one target. */
struct verdicts {
    int target;
    enum verdict of[WARI_HALF_PITS]; /* [pit] */
    bool proven; /* false if a verdict may rest on an assumption: nodes are missing for lack of
                  * capacity or time, or lines were searched only up to a second occurrence */
};

/* For each position of the game since the last capture: puts its surplus on the path, counts its
 * occurrences, and marks it if a return to it would end the game. */
static void close_history(struct wari_endgame *endgame, const struct wari_game *game, int target)
{
    const bool north = game->now.north_to_move;
    endgame->path_length = 0;
    for (int i = game->since; i <= game->count; i++) {
        const struct wari_setup *setup = i < game->count ? &game->plies[i].before : &game->now;
        const int times = i < game->count ? game->plies[i].times : game->times;
        const bool x_to_move = setup->north_to_move == north;
        const uint8_t *pits = setup->position.pits;
        const int surplus = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
        endgame->path[endgame->path_length++] = (int8_t)(x_to_move ? surplus : -surplus);
        const int32_t found =
            endgame->table[find_index(endgame, &setup->position, x_to_move, target)];
        const bool closes = times + 1 >= endgame->repetition.times;
        /* A node that this call has not collected yet is activated only if a return to it ends the
         * game. Otherwise it must stay inactive, so that collect() can still collect it. */
        if (found == 0 || (!closes && endgame->nodes[found - 1].call != endgame->call))
            continue;
        struct node *node = &endgame->nodes[found - 1];
        (void)activate(endgame, found - 1);
        node->closed = closes;
        node->past = (uint8_t)(times < OCCURRENCES_MAX ? times : OCCURRENCES_MAX);
        node->path = (i < game->count ? game->plies[i].first : game->first) - game->since;
    }
}

/* Marks the nodes of the history that are `mixed`. Matters only if the cycle since the first
 * occurrence of a position determines the score of a return. close_history() has put the surpluses
 * on the path. */
static void mark_mixed(struct wari_endgame *endgame, const struct wari_game *game, int target)
{
    int least = WARI_SEEDS_MAX, most = -WARI_SEEDS_MAX;
    for (int i = game->count; i >= game->since && depends_on_cycle(endgame); i--) {
        const struct wari_setup *setup = i < game->count ? &game->plies[i].before : &game->now;
        const bool x_to_move = setup->north_to_move == game->now.north_to_move;
        const int surplus = endgame->path[i - game->since];
        least = surplus < least ? surplus : least;
        most = surplus > most ? surplus : most;
        const int32_t found =
            endgame->table[find_index(endgame, &setup->position, x_to_move, target)];
        if (found > 0 && endgame->nodes[found - 1].call == endgame->call)
            endgame->nodes[found - 1].mixed = least < target && most >= target;
    }
}

/* Returns the verdict of a node to which a move of the root leads, if no search is needed. */
static enum verdict verdict_of_child(const struct wari_endgame *endgame, const struct node *child,
                                     bool after_capture)
{
    const enum verdict verdict = verdict_without_search(endgame, child, after_capture);
    const bool held = child->call == endgame->call && (child->region & HELD);
    return verdict == UNKNOWN && held ? verdict_of(child->target > 0) : verdict;
}

/* Computes the unknown verdicts of the root's moves: by a search of each move if `searches` is
 * true, otherwise without a search. Returns true if no verdict is unknown any more. */
static bool take_verdicts(struct wari_endgame *endgame, const struct node *root, bool searches,
                          struct verdicts *verdicts)
{
    bool complete = true;
    for (int i = 0; i < root->children; i++) {
        enum verdict *verdict = &verdicts->of[root->pit[i]];
        endgame->steps = 0;
        if (*verdict == UNKNOWN)
            *verdict = searches ? search(endgame, root->child[i], root->captures[i])
                                : verdict_of_child(endgame, &endgame->nodes[root->child[i]],
                                                   root->captures[i]);
        complete &= *verdict != UNKNOWN;
    }
    return complete;
}

static void reset(struct wari_endgame *endgame)
{
    endgame->count = 0;
    memset(endgame->table, 0, 2 * (size_t)endgame->limit * sizeof *endgame->table);
}

/* Begins a call of wari_endgame_choose(). Discards the nodes of earlier calls if they take more
 * than half of the limit. Finds or adds the root, stores its number in *root, expands it, and makes
 * it the only active node of the call. */
static enum wari_status start(struct wari_endgame *endgame, const struct wari_game *game,
                              int target, int value, int32_t *root, struct wari_error *error)
{
    if (endgame->count > endgame->limit / 2)
        reset(endgame);
    endgame->call++;
    endgame->full = false;
    *root = add_node(endgame, &game->now.position, true, target, value);
    struct node *node = &endgame->nodes[*root];
    enum wari_status status = node->expanded ? WARI_OK : expand(endgame, *root, error);
    (void)activate(endgame, *root);
    endgame->order[0] = *root;
    endgame->active = 1;
    return status;
}

/* Finds out which moves of the root reach a target; stops as soon as the preferred one does. First
 * follows only the moves that keep the likely result, which is sufficient in most positions; then,
 * if a verdict is still unknown, follows all moves; and then searches with the path as history. */
static enum wari_status find_verdicts(struct wari_endgame *endgame, const struct wari_game *game,
                                      int value, int preferred, struct verdicts *verdicts,
                                      struct wari_error *error)
{
    int32_t root;
    const int seeds = wari_seeds(&game->now.position);
    const int target = verdicts->target;
    verdicts->proven = true;
    if (target <= -seeds || target > seeds) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            verdicts->of[pit] = verdict_of(target <= 0);
        return WARI_OK;
    }
    enum wari_status status = start(endgame, game, target, value, &root, error);
    const struct node *node = &endgame->nodes[root];
    bool complete = false;
    for (int stage = 0; stage < 2 && status == WARI_OK && !complete; stage++) {
        /* All moves of the root are followed, because each of them gets a verdict. */
        for (int i = 0; i < node->children && stage == 0; i++)
            if (activate(endgame, node->child[i]))
                endgame->order[endgame->active++] = node->child[i];
        status = collect(endgame, stage == 1, error);
        if (status != WARI_OK || is_stopped(endgame))
            break;
        close_history(endgame, game, target);
        mark_mixed(endgame, game, target);
        find_regions(endgame, seeds);
        if (is_stopped(endgame))
            break;
        complete =
            take_verdicts(endgame, node, false, verdicts) || verdicts->of[preferred] == REACHED;
        if (complete || stage == 0)
            continue;
        if (take_verdicts(endgame, node, true, verdicts) || endgame->repetition.times == 2)
            continue;
        /* Lines of moves may be too long to be searched up to the third occurrence of a position. A
         * search that ends at the second one finds the likely verdicts, but proves nothing. */
        endgame->second_ends = true;
        (void)take_verdicts(endgame, node, true, verdicts);
        endgame->second_ends = false;
        verdicts->proven = false;
    }
    verdicts->proven &= !endgame->full;
    return status;
}

/* ---- The choice ---- */

static bool reaches(const struct verdicts *verdicts, int pit, int value)
{
    return verdicts->of[pit] == UNKNOWN ? value >= verdicts->target : verdicts->of[pit] == REACHED;
}

/* Returns the result of the game after a move. Sets *proven to true if this result is proven,
 * otherwise to false. */
static enum wari_endgame_outcome outcome_of(const struct verdicts verdicts[2], int pit, int value,
                                            bool *proven)
{
    const bool wins = reaches(&verdicts[1], pit, value), draws = reaches(&verdicts[0], pit, value);
    const enum wari_endgame_outcome outcome = wins    ? WARI_ENDGAME_WIN
                                              : draws ? WARI_ENDGAME_DRAW
                                                      : WARI_ENDGAME_LOSS;
    *proven = (outcome == WARI_ENDGAME_LOSS ||
               (verdicts[wins].of[pit] == REACHED && verdicts[wins].proven)) &&
              (outcome == WARI_ENDGAME_WIN ||
               (verdicts[draws].of[pit] == MISSED && verdicts[draws].proven));
    return outcome;
}

/* Sets *count to the number of the opponent's replies to this move that keep the value, or to a
 * number above six if every reply keeps it or the opponent does not reply. The smaller the number,
 * the easier it is for the opponent to make a mistake. */
static enum wari_status count_good_replies(struct wari_endgame *endgame,
                                           const struct wari_move *move, int *count,
                                           struct wari_error *error)
{
    struct wari_analysis replies;
    *count = WARI_HALF_PITS + 1;
    if (move->ends || move->again)
        return WARI_OK;
    enum wari_status status = wari_analyse(endgame->db, &move->next, &replies, error);
    if (status != WARI_OK || replies.count == 0)
        return status;
    int good = 0;
    while (good < replies.count && replies.moves[good].value == replies.value)
        good++;
    if (good < replies.count)
        *count = good;
    return WARI_OK;
}

/* Returns true if a move is proven to reach the target. */
static bool is_won(const struct verdicts *verdicts)
{
    bool won = false;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        won |= verdicts->proven && verdicts->of[pit] == REACHED;
    return won;
}

static bool makes_progress(enum wari_aim aim)
{
    return aim == WARI_AIM_FORCE || aim == WARI_AIM_HOLD || aim == WARI_AIM_ROW;
}

/* Chooses the best move by the verdicts on the moves for both targets, and then by the other
 * criteria of wari_endgame_choose(), in their order. */
static enum wari_status choose_by_results(struct wari_endgame *endgame,
                                          const struct verdicts verdicts[2],
                                          struct wari_choice *choice,
                                          struct wari_endgame_result *result,
                                          struct wari_error *error)
{
    const struct wari_analysis *analysis = &choice->analysis;
    const bool moves_on = choice->aim == WARI_AIM_EVENT;
    int best = -1, best_rank = -1, best_value = 0, best_replies = 0;
    int usual_rank = -1;
    for (int i = 0; i < analysis->count; i++) {
        const struct wari_move *move = &analysis->moves[i].move;
        const int value = analysis->moves[i].value;
        bool proven;
        const enum wari_endgame_outcome outcome = outcome_of(verdicts, move->pit, value, &proven);
        const int rank = 4 * (int)outcome + 2 * (proven == (outcome != WARI_ENDGAME_LOSS)) +
                         (verdicts[0].of[move->pit] == REACHED);
        int replies = 0;
        if (i == choice->move)
            usual_rank = rank;
        if (rank < best_rank || (rank == best_rank && value < best_value))
            continue;
        if (i != choice->move || !makes_progress(choice->aim)) {
            enum wari_status status = count_good_replies(endgame, move, &replies, error);
            if (status != WARI_OK)
                return status;
            if (moves_on && move->captured == 0 && !move->ends)
                replies += 2 * WARI_HALF_PITS;
            replies = 2 * replies + (i != choice->move) + 1;
        }
        if (rank == best_rank && value == best_value && replies >= best_replies)
            continue;
        best = i;
        best_rank = rank;
        best_value = value;
        best_replies = replies;
        result->outcome = outcome;
        result->proven = proven;
    }
    result->changed = best != choice->move && usual_rank < best_rank;
    choice->move = best;
    return WARI_OK;
}

void wari_endgame_forget(struct wari_endgame *endgame)
{
    reset(endgame);
}

enum wari_status wari_endgame_choose(struct wari_endgame *endgame, const struct wari_game *game,
                                     const struct wari_repetition *repetition, int64_t milliseconds,
                                     struct wari_choice *choice, struct wari_endgame_result *result,
                                     struct wari_error *error)
{
    const int mover = game->now.north_to_move;
    const int ahead = game->now.stores[mover] - game->now.stores[!mover];
    struct verdicts verdicts[2] = {{.target = -ahead}, {.target = 1 - ahead}};
    enum wari_status status = WARI_OK;
    if (endgame->repetition.times != repetition->times ||
        endgame->repetition.rows != repetition->rows)
        reset(endgame);
    endgame->repetition = *repetition;
    endgame->stopped = false;
    endgame->until = milliseconds < 0 ? -1 : wari_milliseconds_now() + milliseconds;
    *result = (struct wari_endgame_result){.outcome = WARI_ENDGAME_LOSS};
    if (wari_game_slam_decides(endgame->variant.rules))
        return WARI_OK;
    const int preferred = choice->analysis.moves[choice->move].move.pit;
    const int value = choice->analysis.value;
    for (int i = 1; i >= 0 && repetition->times > 0 && status == WARI_OK && !is_won(&verdicts[1]);
         i--)
        status = find_verdicts(endgame, game, value, preferred, &verdicts[i], error);
    return status == WARI_OK ? choose_by_results(endgame, verdicts, choice, result, error) : status;
}
