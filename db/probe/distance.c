/* Who can force something to happen: a search over the quiet best moves of both sides.
 *
 * All positions that a search meets are worth the same, k, to X. X's opponent may also play worse
 * or capture; that is what X wants, so such moves count as reached. Of each position two bounds of
 * its distance are known: one as if everything that has not been expanded at were where X wants to
 * be, one as if none of it were. Where they meet, the distance is exact, whatever lies beyond.
 *
 * So the search looks, layer by layer, only at what can still change the distance it is for: not
 * behind positions whose distance is exact, nor behind moves that can no longer be the best of a
 * side. It ends when the distance is exact, and so is which move comes first among those that serve
 * it: then both depend on the position alone, and not on the way the graph has grown.
 */
#include "db/probe/distance.h"

#include "db/probe/distance_graph.h"

/* ---- Bounds ---- */

static int32_t *bound_of(struct wari_distance_node *node, bool lower)
{
    return lower ? &node->lower : &node->upper;
}

/* Puts what is so far away to begin with at the end of the queue; returns the new end. What has
 * not been expanded at is at 0, for the bound from below, or nowhere. */
static int queue_starts(struct wari_distance_search *search, bool lower, int distance, int end)
{
    for (int i = 0; i < search->count; i++) {
        struct wari_distance_node *node = &search->nodes[i];
        if (node->children == 0 && (node->expanded || lower) && *bound_of(node, lower) == distance)
            search->queue[end++] = i;
    }
    return end;
}

/* Works one of the bounds out for all nodes, in the order of distances: X's comes with the first of
 * X's children, X's opponent's with the last. */
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

/* Whether a node's answer takes the whole graph: who holds what is found for all of it. */
static bool needs_complete_graph(const struct wari_distance_search *search,
                                 const struct wari_distance_node *node)
{
    return node->lower == DISTANCE_INFINITE && node->x_to_move &&
           search->progress == WARI_PROGRESS_EVENT &&
           search->db->catalogue.variant.cycle == WARI_OWN;
}

/* ---- Which move ---- */

/* Whether the move to a child serves the distance of an exact node: X's lessens it, X's opponent's
 * keeps it. -1: that is not known yet. */
static int serves(const struct wari_distance_node *node, const struct wari_distance_node *child)
{
    const int32_t wanted = node->upper == DISTANCE_INFINITE ? DISTANCE_INFINITE : node->upper - 1;
    if (child->lower > wanted || child->upper < wanted ||
        (node->x_to_move && wanted == DISTANCE_INFINITE))
        return false;
    return child->lower == child->upper ? true : -1;
}

/* The index among its children of the one that has to be known before an exact node's move is; NONE
 * if that is known. */
static int undecided_child(const struct wari_distance_search *search,
                           const struct wari_distance_node *node)
{
    for (int i = 0; i < node->children; i++) {
        int does = serves(node, &search->nodes[node->child[i]]);
        if (does != false)
            return does == true ? DISTANCE_NONE : i;
    }
    return DISTANCE_NONE;
}

/* The quiet move of the side to move, which is in a hurry or wants to put it off. Where the search
 * came to its limit, by what it has found. */
static int best_pit(const struct wari_distance_search *search,
                    const struct wari_distance_node *node)
{
    const int32_t wanted = node->upper == DISTANCE_INFINITE ? DISTANCE_INFINITE : node->upper - 1;
    for (int i = 0; i < node->children; i++) {
        const struct wari_distance_node *child = &search->nodes[node->child[i]];
        if (is_exact(node)
                ? serves(node, child) == true
                : child->upper == wanted && !(node->x_to_move && wanted == DISTANCE_INFINITE))
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

/* Appends a node to the queue, once in a round; returns the new end. */
static int enqueue(struct wari_distance_search *search, int number, int end)
{
    if (search->nodes[number].round != search->round) {
        search->nodes[number].round = search->round;
        search->queue[end++] = number;
    }
    return end;
}

/* Whether the distance of a child may still change that of its parent. */
static bool can_change(const struct wari_distance_node *node,
                       const struct wari_distance_node *child)
{
    if (child->lower == child->upper)
        return false;
    return node->x_to_move ? child->lower + 1 < node->upper : child->upper + 1 > node->lower;
}

/* Collects the nodes that have to be expanded at next; returns how many. There is one as long as
 * the first node is not settled: where bounds differ, so do they in a child that can_change and has
 * a lower one from below, down to what has not been expanded at. */
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

/* Looks at what can_change until the first node is settled or the limit is reached. Between two
 * looks at the bounds the graph grows by a quarter: they take as long as looking at positions. */
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
