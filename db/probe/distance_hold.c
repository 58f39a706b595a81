/* Under `own`, X may be unable to force progress, but able to stay ahead by k in X's own row
 * for ever. This file finds out where.
 *
 * In a complete graph, stage 1 consists of the nodes from which X can force progress. The next
 * stage is the region where X can hold the surplus for ever. The following stages consist of the
 * nodes from which X can reach this region in 1, 2, ... moves. Then another region may follow: X
 * may be able to hold the surplus there only because the moves that leave it lead to lower
 * stages. This continues until no region is found. X moves to a lower stage, or within a region.
 * Stages do not depend on the order of the nodes. */
#include "db/probe/distance_graph.h"

static bool reached(const struct wari_distance_node *node, int stage)
{
    return node->stage != 0 && node->stage <= stage;
}

/* Returns true if X can get from a node to a node that was given a stage up to `stage`: by one
 * of X's moves, or by all moves of X's opponent. (A node without moves has progress; it is in
 * stage 1 and never passed to this function.) */
static bool leads(const struct wari_distance_search *search, const struct wari_distance_node *node,
                  int stage)
{
    for (int i = 0; i < node->children; i++)
        if (reached(&search->nodes[node->child[i]], stage) == node->x_to_move)
            return node->x_to_move;
    return !node->x_to_move;
}

/* Finds the next region where X can hold the surplus: the nodes without a stage in which X's row is
 * ahead by at least k, and from which X can stay in the region or get to a node that already has a
 * stage. Gives these nodes the stage `stage`. Returns false if there is no such node. */
static bool find_hold(struct wari_distance_search *search, int stage)
{
    bool changed = true, any = false;
    for (int i = 0; i < search->count; i++)
        if (search->nodes[i].stage == 0 && wari_distance_surplus(&search->nodes[i]) >= search->k)
            search->nodes[i].stage = stage;
    while (changed) {
        changed = any = false;
        for (int i = 0; i < search->count; i++) {
            struct wari_distance_node *node = &search->nodes[i];
            if (node->stage != stage)
                continue;
            bool stays = leads(search, node, stage);
            node->stage = stays ? stage : 0;
            changed |= !stays;
            any |= stays;
        }
    }
    return any;
}

static void find_stages(struct wari_distance_search *search)
{
    int stage = 2;
    for (int i = 0; i < search->count; i++)
        search->nodes[i].stage = search->nodes[i].upper != DISTANCE_INFINITE;
    while (find_hold(search, stage)) {
        bool any = true;
        for (stage++; any; stage++) {
            any = false;
            for (int i = 0; i < search->count; i++) {
                struct wari_distance_node *node = &search->nodes[i];
                if (node->stage == 0 && leads(search, node, stage - 1)) {
                    node->stage = stage;
                    any = true;
                }
            }
        }
    }
    search->staged = true;
}

int wari_distance_hold_pit(struct wari_distance_search *search, int number)
{
    if (!search->staged)
        find_stages(search);
    const struct wari_distance_node *node = &search->nodes[number];
    for (int i = 0; i < node->children; i++) {
        int next = search->nodes[node->child[i]].stage;
        bool in_region = next == node->stage && wari_distance_surplus(node) >= search->k;
        if (next != 0 && (next < node->stage || in_region))
            return node->pit[i];
    }
    return DISTANCE_NONE;
}
