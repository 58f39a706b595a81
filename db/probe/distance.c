/* Who can force something to happen: a search over the quiet best moves of both sides.
 *
 * All positions that a search meets are worth the same, k, to X. X's opponent may also play worse
 * or capture; that is what X wants, so such moves count as reached. Of each position two bounds of
 * its distance are known: one as if everything that has not been looked at were where X wants to
 * be, one as if none of it were. Where they meet, the distance is exact, whatever lies beyond.
 *
 * So the search looks, layer by layer, only at what can still change the distance it is for: not
 * behind positions whose distance is exact, nor behind moves that can no longer be the best of a
 * side. It ends when the distance is exact, and so is which move comes first among those that serve
 * it: then both depend on the position alone, and not on the way the graph has grown.
 */
#include "db/probe/distance.h"

#include "db/probe/distance_hold.h"

/* ---- Bounds ---- */

static int32_t *bound_of(struct wari_force_node *node, bool least)
{
    return least ? &node->least : &node->most;
}

/* Puts what is so far away to begin with at the end of the queue; returns the new end. What has
 * not been looked at is at 0, for the bound from below, or nowhere. */
static int queue_starts(struct wari_force_search *search, bool least, int distance, int end)
{
    for (int i = 0; i < search->count; i++) {
        struct wari_force_node *node = &search->nodes[i];
        if (node->kids == 0 && (node->looked || least) && *bound_of(node, least) == distance)
            search->queue[end++] = i;
    }
    return end;
}

/* Works one of the bounds out for all nodes, in the order of distances: X's comes with the first of
 * X's kids, X's opponent's with the last. */
static void find_bound(struct wari_force_search *search, bool least)
{
    int end = 0;
    for (int i = 0; i < search->count; i++) {
        struct wari_force_node *node = &search->nodes[i];
        node->waiting = node->kids;
        if (node->kids > 0)
            *bound_of(node, least) = FORCE_FAR;
    }
    end = queue_starts(search, least, 0, end);
    end = queue_starts(search, least, 1, end);
    for (int at = 0; at < end; at++) {
        struct wari_force_node *node = &search->nodes[search->queue[at]];
        const int32_t distance = *bound_of(node, least);
        for (int edge = node->parents; edge != FORCE_NONE;) {
            int number = edge / WARI_HALF_PITS;
            struct wari_force_node *parent = &search->nodes[number];
            int32_t *bound = bound_of(parent, least);
            edge = parent->next_parent[edge % WARI_HALF_PITS];
            parent->waiting--;
            if (*bound != FORCE_FAR || (!parent->x_to_move && parent->waiting > 0))
                continue;
            *bound = distance + 1;
            search->queue[end++] = number;
        }
    }
}

static bool is_exact(const struct wari_force_node *node)
{
    return node->looked && node->least == node->most;
}

static bool is_complete(const struct wari_force_search *search)
{
    return search->looked == search->count;
}

/* Whether a node's answer takes the whole graph: who holds what is found for all of it. */
static bool wants_all(const struct wari_force_search *search, const struct wari_force_node *node)
{
    return node->least == FORCE_FAR && node->x_to_move && search->goal == WARI_GOAL_EVENT &&
           search->db->catalogue.variant.cycle == WARI_OWN;
}

/* ---- Which move ---- */

/* Whether the move to a kid serves the distance of an exact node: X's lessens it, X's opponent's
 * keeps it. -1: that is not known yet. */
static int serves(const struct wari_force_node *node, const struct wari_force_node *kid)
{
    const int32_t wanted = node->most == FORCE_FAR ? FORCE_FAR : node->most - 1;
    if (kid->least > wanted || kid->most < wanted || (node->x_to_move && wanted == FORCE_FAR))
        return false;
    return kid->least == kid->most ? true : -1;
}

/* The place among its kids of the one that has to be known before an exact node's move is; NONE if
 * that is known. */
static int undecided_kid(const struct wari_force_search *search, const struct wari_force_node *node)
{
    for (int i = 0; i < node->kids; i++) {
        int does = serves(node, &search->nodes[node->kid[i]]);
        if (does != false)
            return does == true ? FORCE_NONE : i;
    }
    return FORCE_NONE;
}

/* The quiet move of the side to move, which is in a hurry or wants to put it off. Where the search
 * came to its limit, by what it has found. */
static int best_pit(const struct wari_force_search *search, const struct wari_force_node *node)
{
    const int32_t wanted = node->most == FORCE_FAR ? FORCE_FAR : node->most - 1;
    for (int i = 0; i < node->kids; i++) {
        const struct wari_force_node *kid = &search->nodes[node->kid[i]];
        if (is_exact(node) ? serves(node, kid) == true
                           : kid->most == wanted && !(node->x_to_move && wanted == FORCE_FAR))
            return node->pit[i];
    }
    return FORCE_NONE;
}

static bool is_settled(const struct wari_force_search *search, const struct wari_force_node *node)
{
    return is_exact(node) && undecided_kid(search, node) == FORCE_NONE &&
           (is_complete(search) || !wants_all(search, node));
}

/* ---- The search ---- */

/* Appends a node to the queue, once in a round; returns the new end. */
static int enqueue(struct wari_force_search *search, int number, int end)
{
    if (search->nodes[number].round != search->round) {
        search->nodes[number].round = search->round;
        search->queue[end++] = number;
    }
    return end;
}

/* Whether the distance of a kid may still change that of its parent. */
static bool matters(const struct wari_force_node *node, const struct wari_force_node *kid)
{
    if (kid->least == kid->most)
        return false;
    return node->x_to_move ? kid->least + 1 < node->most : kid->most + 1 > node->least;
}

/* Collects the nodes that have to be looked at next; returns how many. There is one as long as the
 * first node is not settled: where bounds differ, so do they in a kid that matters and has a lower
 * one from below, down to what has not been looked at. */
static int find_frontier(struct wari_force_search *search)
{
    const struct wari_force_node *first = &search->nodes[0];
    int end = 0, found = 0;
    const bool all = is_exact(first) && undecided_kid(search, first) == FORCE_NONE;
    search->round++;
    if (all) {
        for (int i = 0; i < search->count; i++)
            if (!search->nodes[i].looked)
                search->frontier[found++] = i;
        return found;
    }
    end = enqueue(search, is_exact(first) ? first->kid[undecided_kid(search, first)] : 0, end);
    for (int at = 0; at < end; at++) {
        const struct wari_force_node *node = &search->nodes[search->queue[at]];
        if (!node->looked)
            search->frontier[found++] = search->queue[at];
        for (int i = 0; i < node->kids; i++)
            if (matters(node, &search->nodes[node->kid[i]]))
                end = enqueue(search, node->kid[i], end);
    }
    return found;
}

/* Looks at what matters until the first node is settled or the limit is reached. Between two looks
 * at the bounds the graph grows by a quarter: they take as long as looking at positions. */
static enum wari_status grow_graph(struct wari_force_search *search, struct wari_error *error)
{
    bool full = false;
    while (!full && !is_settled(search, &search->nodes[0])) {
        int frontier = find_frontier(search);
        int next = search->count;
        const int enough = next + next / 4;
        enum wari_status status = WARI_OK;
        for (int i = 0; i < frontier && !full && status == WARI_OK; i++)
            status = wari_force_graph_look(search, search->frontier[i], &full, error);
        for (; next < search->count && search->count < enough && !full && status == WARI_OK; next++)
            status = wari_force_graph_look(search, next, &full, error);
        if (status != WARI_OK)
            return status;
        find_bound(search, false);
        find_bound(search, true);
    }
    return WARI_OK;
}

enum wari_status wari_force_find(struct wari_force_search *search,
                                 const struct wari_force_asked *asked, struct wari_force *found,
                                 struct wari_error *error)
{
    int number = FORCE_NONE;
    if (search->goal == asked->goal && search->k == asked->k)
        number = wari_force_graph_find(search, asked->position, asked->x_to_move);
    if (number == FORCE_NONE || !is_settled(search, &search->nodes[number])) {
        enum wari_status status = wari_force_graph_start(search, asked, error);
        if (status == WARI_OK)
            status = grow_graph(search, error);
        if (status != WARI_OK) {
            search->count = 0;
            return status;
        }
        number = 0;
    }
    const struct wari_force_node *node = &search->nodes[number];
    *found = (struct wari_force){
        .distance = node->most == FORCE_FAR ? FORCE_NONE : node->most,
        .pit = best_pit(search, node),
        .hold_pit = FORCE_NONE,
    };
    if (wants_all(search, node) && is_complete(search))
        found->hold_pit = wari_force_hold_pit(search, number);
    return WARI_OK;
}
