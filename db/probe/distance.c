/* Searches the quiet best moves of both sides for the distance to the next progress. distance.h
 * defines distance, progress, and the side X.
 *
 * All positions of a search have the same value k for X. X's opponent may also play a worse move
 * or capture; that would be progress for X, so such moves are not searched. The search keeps two
 * bounds of the distance of each position. The lower bound assumes that all positions not yet
 * expanded are progress; the upper bound assumes that none of them leads to progress. Where the
 * bounds are equal, the distance is exact, whatever the rest of the graph looks like.
 *
 * So the search proceeds in layers and expands only positions that can still change the distance
 * of the first position. It does not continue after positions with an exact distance, nor after
 * moves that can no longer be the best of a side. It ends when the distance is exact and the
 * first move that attains it is known. Distance and move then depend on the first position
 * alone, and not on the order in which the graph grew. */
#include "db/probe/distance.h"

#include "db/probe/distance_graph.h"

/* ---- Bounds ---- */

static int32_t *bound_of(struct wari_distance_node *node, bool lower)
{
    return lower ? &node->lower : &node->upper;
}

/* Appends to the queue the nodes whose distance does not depend on a child and is equal to
 * `distance`. Returns the new end of the queue. For the lower bound, nodes that are not expanded
 * have distance 0; for the upper bound they are not appended. */
static int queue_starts(struct wari_distance_search *search, bool lower, int distance, int end)
{
    for (int i = 0; i < search->count; i++) {
        struct wari_distance_node *node = &search->nodes[i];
        if (node->children == 0 && (node->expanded || lower) && *bound_of(node, lower) == distance)
            search->queue[end++] = i;
    }
    return end;
}

/* Computes one of the bounds for all nodes, in ascending order of distances. A node where X
 * moves gets its distance when the first of its children has one; a node where X's opponent
 * moves gets its distance when all of its children have one. */
static void find_bound(struct wari_distance_search *search, bool lower)
{
    int end = 0;
    for (int i = 0; i < search->count; i++) {
        struct wari_distance_node *node = &search->nodes[i];
        node->unresolved = node->children;
        if (node->children > 0)
            *bound_of(node, lower) = DISTANCE_INFINITE;
    }
    end = queue_starts(search, lower, 0, end);
    end = queue_starts(search, lower, 1, end);
    for (int at = 0; at < end; at++) {
        struct wari_distance_node *node = &search->nodes[search->queue[at]];
        const int32_t distance = *bound_of(node, lower);
        for (int edge = node->parents; edge != DISTANCE_NONE;) {
            int number = edge / WARI_HALF_PITS;
            struct wari_distance_node *parent = &search->nodes[number];
            int32_t *bound = bound_of(parent, lower);
            edge = parent->next_parent[edge % WARI_HALF_PITS];
            parent->unresolved--;
            if (*bound != DISTANCE_INFINITE || (!parent->x_to_move && parent->unresolved > 0))
                continue;
            *bound = distance + 1;
            search->queue[end++] = number;
        }
    }
}

static bool is_exact(const struct wari_distance_node *node)
{
    return node->expanded && node->lower == node->upper;
}

static bool is_complete(const struct wari_distance_search *search)
{
    return search->expanded == search->count;
}

/* Returns true if the result for a node requires the complete graph: if X cannot force progress,
 * but may be able to hold a surplus for ever. distance_hold.c finds out where X can do so, and
 * needs all nodes. */
static bool needs_complete_graph(const struct wari_distance_search *search,
                                 const struct wari_distance_node *node)
{
    return node->lower == DISTANCE_INFINITE && node->x_to_move &&
           search->progress == WARI_PROGRESS_EVENT &&
           search->db->catalogue.variant.cycle == WARI_OWN;
}

/* ---- The move ---- */

/* Returns 1 if the move to a child attains the distance of an exact node, 0 if not, and -1 if
 * this is not known yet. A move attains the distance if the child's distance is smaller by one;
 * this holds for X's moves and for the best moves of X's opponent. */
static int attains_distance(const struct wari_distance_node *node,
                            const struct wari_distance_node *child)
{
    const int32_t required = node->upper == DISTANCE_INFINITE ? DISTANCE_INFINITE : node->upper - 1;
    if (child->lower > required || child->upper < required ||
        (node->x_to_move && required == DISTANCE_INFINITE))
        return false;
    return child->lower == child->upper ? true : -1;
}

/* For a node whose distance is exact: returns the index of the first child whose distance still has
 * to be found, because the move to it may attain the node's distance. Returns DISTANCE_NONE if it
 * is already known which move attains the distance, or that no move attains it. */
static int undecided_child(const struct wari_distance_search *search,
                           const struct wari_distance_node *node)
{
    for (int i = 0; i < node->children; i++) {
        int attained = attains_distance(node, &search->nodes[node->child[i]]);
        if (attained != false)
            return attained == true ? DISTANCE_NONE : i;
    }
    return DISTANCE_NONE;
}

/* Returns the quiet move of the side to move: if X moves, the move that leads to progress
 * soonest; otherwise the move that delays progress longest. If the search reached its limit,
 * returns the best move known so far. */
static int best_pit(const struct wari_distance_search *search,
                    const struct wari_distance_node *node)
{
    const int32_t required = node->upper == DISTANCE_INFINITE ? DISTANCE_INFINITE : node->upper - 1;
    for (int i = 0; i < node->children; i++) {
        const struct wari_distance_node *child = &search->nodes[node->child[i]];
        if (is_exact(node)
                ? attains_distance(node, child) == true
                : child->upper == required && !(node->x_to_move && required == DISTANCE_INFINITE))
            return node->pit[i];
    }
    return DISTANCE_NONE;
}

static bool is_decided(const struct wari_distance_search *search,
                       const struct wari_distance_node *node)
{
    return is_exact(node) && undecided_child(search, node) == DISTANCE_NONE &&
           (is_complete(search) || !needs_complete_graph(search, node));
}

/* ---- The search ---- */

/* Appends a node to the queue unless it was already appended in this round. Returns the new end
 * of the queue. */
static int enqueue(struct wari_distance_search *search, int number, int end)
{
    if (search->nodes[number].round != search->round) {
        search->nodes[number].round = search->round;
        search->queue[end++] = number;
    }
    return end;
}

/* Returns true if the distance of a child can still change the distance of its parent. */
static bool can_change(const struct wari_distance_node *node,
                       const struct wari_distance_node *child)
{
    if (child->lower == child->upper)
        return false;
    return node->x_to_move ? child->lower + 1 < node->upper : child->upper + 1 > node->lower;
}

/* Collects the nodes to be expanded next and returns their number. The number is positive as
 * long as the first node is undecided, for this reason: a node whose bounds differ has a child
 * whose bounds differ, which can change the node, and whose lower bound is smaller. Repeating
 * this step leads to a node that is not expanded. */
static int find_frontier(struct wari_distance_search *search)
{
    const struct wari_distance_node *first = &search->nodes[0];
    int end = 0, found = 0;
    const bool all = is_exact(first) && undecided_child(search, first) == DISTANCE_NONE;
    search->round++;
    if (all) {
        for (int i = 0; i < search->count; i++)
            if (!search->nodes[i].expanded)
                search->frontier[found++] = i;
        return found;
    }
    end = enqueue(search, is_exact(first) ? first->child[undecided_child(search, first)] : 0, end);
    for (int at = 0; at < end; at++) {
        const struct wari_distance_node *node = &search->nodes[search->queue[at]];
        if (!node->expanded)
            search->frontier[found++] = search->queue[at];
        for (int i = 0; i < node->children; i++)
            if (can_change(node, &search->nodes[node->child[i]]))
                end = enqueue(search, node->child[i], end);
    }
    return found;
}

/* Expands nodes until the first node is decided or the limit is reached. Before the bounds are
 * computed again, the graph grows by a quarter, because computing bounds takes about as long as
 * expanding positions. */
static enum wari_status grow_graph(struct wari_distance_search *search, struct wari_error *error)
{
    bool full = false;
    while (!full && !is_decided(search, &search->nodes[0])) {
        int frontier = find_frontier(search);
        int next = search->count;
        const int enough = next + next / 4;
        enum wari_status status = WARI_OK;
        for (int i = 0; i < frontier && !full && status == WARI_OK; i++)
            status = wari_distance_graph_expand(search, search->frontier[i], &full, error);
        for (; next < search->count && search->count < enough && !full && status == WARI_OK; next++)
            status = wari_distance_graph_expand(search, next, &full, error);
        if (status != WARI_OK)
            return status;
        find_bound(search, false);
        find_bound(search, true);
    }
    return WARI_OK;
}

enum wari_status wari_distance_find(struct wari_distance_search *search,
                                    const struct wari_distance_query *query,
                                    struct wari_distance *found, struct wari_error *error)
{
    int number = DISTANCE_NONE;
    if (search->progress == query->progress && search->k == query->k)
        number = wari_distance_graph_find(search, query->position, query->x_to_move);
    if (number == DISTANCE_NONE || !is_decided(search, &search->nodes[number])) {
        enum wari_status status = wari_distance_graph_start(search, query, error);
        if (status == WARI_OK)
            status = grow_graph(search, error);
        if (status != WARI_OK) {
            search->count = 0;
            return status;
        }
        number = 0;
    }
    const struct wari_distance_node *node = &search->nodes[number];
    *found = (struct wari_distance){
        .distance = node->upper == DISTANCE_INFINITE ? DISTANCE_NONE : node->upper,
        .pit = best_pit(search, node),
        .hold_pit = DISTANCE_NONE,
    };
    if (needs_complete_graph(search, node) && is_complete(search))
        found->hold_pit = wari_distance_hold_pit(search, number);
    return WARI_OK;
}
