/* Who can force something to happen: breadth-first over the quiet best moves of both sides.
 *
 * All positions that a search meets are worth the same, k, to X. His opponent may also play worse
 * or capture; that is what X wants, so such moves count as reached. The graph grows by whole
 * layers, and after each of them distances are worked out as if nothing could be forced from what
 * has not been looked at yet. A distance no larger than the number of layers below a position is
 * exact: no shorter way could have left them.
 *
 * A value other than 0 that is not held for ever (`own`) comes from captures and ends that can be
 * forced, so there the search ends. Otherwise it ends when the graph is complete.
 */
#include "db/force.h"

#include <string.h>
#include <xxhash.h>

#include "db/handle.h"
#include "index/half.h"

enum {
    NONE = -1,
    FIRST_ROOM = 1024, /* nodes; a power of two */
};

struct node {
    struct wari_position position;
    bool x_to_move;
    uint8_t kids; /* quiet best moves; 0 before it is looked at */
    uint8_t pit[WARI_HALF_PITS];
    int32_t kid[WARI_HALF_PITS]; /* where they lead: numbers of nodes */
    /* The moves that lead here, as a list: 6 * node + place among its kids; NONE ends it. */
    int32_t parents;
    int32_t next_parent[WARI_HALF_PITS]; /* behind the move to kid[i] */
    uint8_t waiting;                     /* kids without a distance, while these are worked out */
    int32_t layer;                       /* moves from the first node */
    int32_t distance;
    int32_t stage; /* see find_stages(); 0: none */
};

struct wari_force_search {
    struct wari_db *db;
    int limit;

    /* The graph at hand: of no use if count is 0. */
    enum wari_goal goal;
    int k;
    int count, expanded; /* nodes, and how many of them have been looked at */
    int layers;          /* wholly looked at when distances were worked out last */
    bool staged;

    int room; /* for nodes; the table has twice as many places */
    struct node *nodes;
    int32_t *table; /* a node's number + 1 by hash; 0: free */
    int32_t *queue; /* as many as nodes */
};

/* Where a grand slam decides a game whatever the score, the value does not tell all: a slam that
 * wins is played at once, one that loses only where every best move is one. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis)
{
    enum wari_slam slam_does = wari_rules_info(rules)->slam;
    int slam = -1, capture = -1, quiet = -1; /* the first of each */
    for (int i = analysis->count - 1; i >= 0; i--) {
        if (analysis->moves[i].value != analysis->value)
            continue;
        if (analysis->moves[i].move.ends)
            slam = i;
        else if (analysis->moves[i].move.captured > 0)
            capture = i;
        else
            quiet = i;
    }
    if (slam >= 0 && slam_does == WARI_SLAM_WINS_ALL)
        return slam;
    if (capture >= 0)
        return capture;
    return slam_does == WARI_SLAM_LOSES && quiet >= 0 ? -1 : slam;
}

/* ---- Memory ---- */

static void free_room(struct wari_force_search *search)
{
    const struct wari_host *host = search->db->host;
    wari_release(host, search->nodes);
    wari_release(host, search->table);
    wari_release(host, search->queue);
}

/* Gives room for so many nodes; those there are stay, but the table's contents mean nothing. */
static enum wari_status make_room(struct wari_force_search *search, int room,
                                  struct wari_error *error)
{
    static const char what[] = "the search for what can be forced";
    const struct wari_host *host = search->db->host;
    struct wari_force_search more = *search;
    void *nodes, *table = NULL, *queue = NULL;
    size_t count = (size_t)room;
    enum wari_status status = wari_allocate(host, count * sizeof *more.nodes, what, &nodes, error);
    if (status == WARI_OK)
        status = wari_allocate(host, 2 * count * sizeof *more.table, what, &table, error);
    if (status == WARI_OK)
        status = wari_allocate(host, count * sizeof *more.queue, what, &queue, error);
    more.nodes = nodes;
    more.table = table;
    more.queue = queue;
    more.room = room;
    if (status != WARI_OK) {
        free_room(&more);
        return status;
    }
    if (search->count > 0)
        memcpy(nodes, search->nodes, (size_t)search->count * sizeof *more.nodes);
    free_room(search);
    *search = more;
    return WARI_OK;
}

enum wari_status wari_force_new(struct wari_force_search **search, struct wari_db *db,
                                int positions, struct wari_error *error)
{
    void *memory;
    *search = NULL;
    enum wari_status status = wari_allocate(db->host, sizeof **search,
                                            "the search for what can be forced", &memory, error);
    if (status != WARI_OK)
        return status;
    *search = memory;
    **search = (struct wari_force_search){.db = db, .limit = positions};
    status = make_room(*search, FIRST_ROOM, error);
    if (status != WARI_OK) {
        wari_release(db->host, memory);
        *search = NULL;
    }
    return status;
}

void wari_force_free(struct wari_force_search *search)
{
    if (!search)
        return;
    const struct wari_host *host = search->db->host;
    free_room(search);
    wari_release(host, search);
}

/* ---- The graph ---- */

/* The place in the table of a node, or the free one where it belongs. */
static size_t find_place(const struct wari_force_search *search,
                         const struct wari_position *position, bool x_to_move)
{
    size_t places = 2 * (size_t)search->room;
    size_t place = XXH3_64bits_withSeed(position, sizeof *position, x_to_move) & (places - 1);
    for (; search->table[place] != 0; place = (place + 1) & (places - 1)) {
        const struct node *known = &search->nodes[search->table[place] - 1];
        if (known->x_to_move == x_to_move &&
            memcmp(&known->position, position, sizeof *position) == 0)
            break;
    }
    return place;
}

static enum wari_status grow(struct wari_force_search *search, struct wari_error *error)
{
    enum wari_status status = make_room(search, 2 * search->room, error);
    if (status != WARI_OK)
        return status;
    memset(search->table, 0, 2 * (size_t)search->room * sizeof *search->table);
    for (int i = 0; i < search->count; i++) {
        const struct node *node = &search->nodes[i];
        search->table[find_place(search, &node->position, node->x_to_move)] = i + 1;
    }
    return WARI_OK;
}

/* Finds or adds a node; *number is NONE if that would be one too many. */
static enum wari_status add_node(struct wari_force_search *search,
                                 const struct wari_position *position, bool x_to_move, int layer,
                                 int32_t *number, struct wari_error *error)
{
    size_t place = find_place(search, position, x_to_move);
    if (search->table[place] != 0) {
        *number = search->table[place] - 1;
        return WARI_OK;
    }
    *number = NONE;
    if (search->count == search->limit)
        return WARI_OK;
    if (search->count == search->room) {
        enum wari_status status = grow(search, error);
        if (status != WARI_OK)
            return status;
        place = find_place(search, position, x_to_move);
    }
    *number = search->count++;
    search->nodes[*number] = (struct node){
        .position = *position,
        .x_to_move = x_to_move,
        .parents = NONE,
        .layer = layer,
        .distance = NONE,
    };
    search->table[place] = search->count;
    return WARI_OK;
}

/* By how many seeds X's row is ahead. */
static int surplus(const struct node *node)
{
    const uint8_t *pits = node->position.pits;
    int more = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
    return node->x_to_move ? more : -more;
}

/* Looks at a node: whether the goal is there or one move away, else where its quiet best moves
 * lead. *full: there was no room for all of these; the node then counts as not looked at. */
static enum wari_status expand(struct wari_force_search *search, int number, bool *full,
                               struct wari_error *error)
{
    struct node *node = &search->nodes[number];
    struct wari_analysis analysis;
    if (search->goal == WARI_GOAL_ROW && surplus(node) >= search->k) {
        node->distance = 0;
        return WARI_OK;
    }
    enum wari_status status = wari_analyse(search->db, &node->position, &analysis, error);
    if (status != WARI_OK)
        return status;
    if (analysis.count == 0) {
        node->distance = 0;
        return WARI_OK;
    }
    if (node->x_to_move && wari_event_move(search->db->catalogue.variant.rules, &analysis) >= 0) {
        node->distance = 1;
        return WARI_OK;
    }
    int kids = 0;
    for (int i = 0; i < analysis.count; i++) {
        const struct wari_move *move = &analysis.moves[i].move;
        int32_t kid;
        if (analysis.moves[i].value != analysis.value || move->captured > 0 || move->ends)
            continue;
        node = &search->nodes[number];
        status = add_node(search, &move->next, !node->x_to_move, node->layer + 1, &kid, error);
        if (status != WARI_OK)
            return status;
        if (kid == NONE) {
            *full = true;
            return WARI_OK;
        }
        node = &search->nodes[number]; /* they may have moved */
        node->pit[kids] = move->pit;
        node->kid[kids++] = kid;
    }
    node->kids = (uint8_t)kids;
    for (int i = 0; i < kids; i++) {
        struct node *kid = &search->nodes[node->kid[i]];
        node->next_parent[i] = kid->parents;
        kid->parents = number * WARI_HALF_PITS + i;
    }
    if (kids == 0) /* the opponent has nothing but what X is after */
        node->distance = 1;
    return WARI_OK;
}

/* Appends the nodes that the goal was found to be `distance` moves away from; returns the new end
 * of the queue. */
static int queue_goals(struct wari_force_search *search, int distance, int end)
{
    for (int i = 0; i < search->expanded; i++)
        if (search->nodes[i].kids == 0 && search->nodes[i].distance == distance)
            search->queue[end++] = i;
    return end;
}

/* Works all distances out, in their order: X's comes with the first of his kids, his opponent's
 * with the last. */
static void find_distances(struct wari_force_search *search)
{
    int end = 0;
    for (int i = 0; i < search->expanded; i++) {
        struct node *node = &search->nodes[i];
        node->waiting = node->kids;
        if (node->kids > 0)
            node->distance = NONE;
    }
    end = queue_goals(search, 0, end);
    end = queue_goals(search, 1, end);
    for (int at = 0; at < end; at++) {
        const struct node *node = &search->nodes[search->queue[at]];
        for (int edge = node->parents; edge != NONE;) {
            int number = edge / WARI_HALF_PITS;
            struct node *parent = &search->nodes[number];
            edge = parent->next_parent[edge % WARI_HALF_PITS];
            parent->waiting--;
            if (parent->distance != NONE || (!parent->x_to_move && parent->waiting > 0))
                continue;
            parent->distance = node->distance + 1;
            search->queue[end++] = number;
        }
    }
}

static bool is_complete(const struct wari_force_search *search)
{
    return search->expanded == search->count;
}

static bool is_exact(const struct wari_force_search *search, const struct node *node)
{
    return is_complete(search) ||
           (node->distance != NONE && node->layer + node->distance <= search->layers);
}

/* Grows the graph layer by layer until the first node's distance is exact, the graph is complete or
 * the limit is reached. Distances are worked out when it has grown by a quarter: to do it for each
 * layer would take longer than looking at positions. */
static enum wari_status grow_graph(struct wari_force_search *search, struct wari_error *error)
{
    bool full = false;
    int layers = 0, worked_out = 0; /* nodes the last time */
    while (!full && !is_exact(search, &search->nodes[0])) {
        int end = search->count;
        while (!full && search->expanded < end) {
            enum wari_status status = expand(search, search->expanded, &full, error);
            if (status != WARI_OK)
                return status;
            search->expanded += !full;
        }
        layers += !full;
        if (!full && !is_complete(search) && search->expanded < worked_out + worked_out / 4)
            continue;
        find_distances(search);
        worked_out = search->expanded;
        search->layers = layers;
    }
    return WARI_OK;
}

/* ---- Holding ---- */

static bool reached(const struct node *node, int stage)
{
    return node->stage != 0 && node->stage <= stage;
}

/* Whether X gets from a node to one that is reached by `stage`: by one of his moves, or by all of
 * his opponent's. */
static bool leads(const struct wari_force_search *search, const struct node *node, int stage)
{
    for (int i = 0; i < node->kids; i++)
        if (reached(&search->nodes[node->kid[i]], stage) == node->x_to_move)
            return node->x_to_move;
    return !node->x_to_move && node->kids > 0;
}

/* Where X can stay for ever with his row ahead by k, or go on to what was reached before, gets the
 * stage; false if there is no such node. */
static bool find_hold(struct wari_force_search *search, int stage)
{
    bool changed = true, any = false;
    for (int i = 0; i < search->count; i++)
        if (search->nodes[i].stage == 0 && surplus(&search->nodes[i]) >= search->k)
            search->nodes[i].stage = stage;
    while (changed) {
        changed = any = false;
        for (int i = 0; i < search->count; i++) {
            struct node *node = &search->nodes[i];
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

/* In a complete graph: what X can force when the goal is out of reach. Stage 1 is where it is not.
 * The next stage is where he can hold his surplus for ever; the following ones are 1, 2, ... moves
 * away from that; and so on, since to have such a region at hand may make another one safe. X moves
 * to a lower stage, or within a region. */
static void find_stages(struct wari_force_search *search)
{
    int stage = 2;
    for (int i = 0; i < search->count; i++)
        search->nodes[i].stage = search->nodes[i].distance != NONE;
    while (find_hold(search, stage)) {
        bool any = true;
        for (stage++; any; stage++) {
            any = false;
            for (int i = 0; i < search->count; i++) {
                struct node *node = &search->nodes[i];
                if (node->stage == 0 && leads(search, node, stage - 1)) {
                    node->stage = stage;
                    any = true;
                }
            }
        }
    }
    search->staged = true;
}

static int hold_pit(const struct wari_force_search *search, const struct node *node)
{
    for (int i = 0; i < node->kids; i++) {
        int next = search->nodes[node->kid[i]].stage;
        bool in_region = next == node->stage && surplus(node) >= search->k;
        if (node->stage != 0 && next != 0 && (next < node->stage || in_region))
            return node->pit[i];
    }
    return NONE;
}

/* ---- Answers ---- */

/* The quiet move of whoever is to move, who is in a hurry or wants to put it off. */
static int best_pit(const struct wari_force_search *search, const struct node *node)
{
    for (int i = 0; i < node->kids; i++) {
        int next = search->nodes[node->kid[i]].distance;
        if (node->distance == NONE ? !node->x_to_move && next == NONE : next == node->distance - 1)
            return node->pit[i];
    }
    return NONE;
}

/* A node of the graph at hand whose answer is known; NULL if it is to be searched for. */
static const struct node *find_known(const struct wari_force_search *search,
                                     const struct wari_position *position, bool x_to_move, int k,
                                     enum wari_goal goal)
{
    if (search->count == 0 || search->goal != goal || search->k != k)
        return NULL;
    size_t place = find_place(search, position, x_to_move);
    if (search->table[place] == 0)
        return NULL;
    const struct node *node = &search->nodes[search->table[place] - 1];
    return is_exact(search, node) ? node : NULL;
}

/* The number of the first node is 0. */
static enum wari_status start_graph(struct wari_force_search *search,
                                    const struct wari_position *position, bool x_to_move, int k,
                                    enum wari_goal goal, struct wari_error *error)
{
    int32_t first;
    search->goal = goal;
    search->k = k;
    search->count = search->expanded = search->layers = 0;
    search->staged = false;
    memset(search->table, 0, 2 * (size_t)search->room * sizeof *search->table);
    enum wari_status status = add_node(search, position, x_to_move, 0, &first, error);
    if (status == WARI_OK)
        status = grow_graph(search, error);
    if (status != WARI_OK)
        search->count = 0;
    return status;
}

enum wari_status wari_force_find(struct wari_force_search *search,
                                 const struct wari_position *position, bool x_to_move, int k,
                                 enum wari_goal goal, struct wari_force *found,
                                 struct wari_error *error)
{
    const struct node *node = find_known(search, position, x_to_move, k, goal);
    if (!node) {
        enum wari_status status = start_graph(search, position, x_to_move, k, goal, error);
        if (status != WARI_OK)
            return status;
        node = &search->nodes[0];
    }
    *found = (struct wari_force){
        .distance = node->distance,
        .complete = is_exact(search, node),
        .pit = best_pit(search, node),
        .hold_pit = NONE,
    };
    if (node->distance == NONE && is_complete(search) && node->x_to_move &&
        goal == WARI_GOAL_EVENT && search->db->catalogue.variant.cycle == WARI_OWN) {
        if (!search->staged)
            find_stages(search);
        found->hold_pit = hold_pit(search, node);
    }
    return WARI_OK;
}
