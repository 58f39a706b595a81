/* Under `own`: what X can force when a capture, the end or a better value is out of reach, which is
 * to stay ahead by k in X's own row for ever.
 *
 * In a complete graph, stage 1 is where the progress can be reached. The next stage is where X can
 * hold X's surplus for ever; the following ones are 1, 2, ... moves away from that; and so on,
 * since to have such a region at hand may make another one safe. X moves to a lower stage, or
 * within a region. Stages do not depend on the order of the nodes.
 */
#include "db/probe/distance_graph.h"

static bool reached(const struct wari_distance_node *node, int stage)
{
    return node->stage != 0 && node->stage <= stage;
}

/* Whether X gets from a node to one that is reached by `stage`: by one of X's moves, or by all of
 * X's opponent's. (A node without moves is where the progress is: at stage 1, and not query about.)
 */
static bool leads(const struct wari_distance_search *search, const struct wari_distance_node *node,
                  int stage)
{
    for (int i = 0; i < node->children; i++)
        if (reached(&search->nodes[node->child[i]], stage) == node->x_to_move)
            return node->x_to_move;
    return !node->x_to_move;
}

/* Where X can stay for ever with X's row ahead by k, or go on to what was reached before, gets the
 * stage; false if there is no such node. */
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
