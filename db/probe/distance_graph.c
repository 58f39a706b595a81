/* The graph of a search: an array of nodes, with a hash table to find them. The memory doubles
 * when it is full. Then the addresses of the nodes change, but not their numbers. */
#include "db/probe/distance_graph.h"

#include <string.h>
#include <xxhash.h>

#include "index/half.h"

enum { NODES_AT_FIRST = 1024 }; /* number of nodes at first; a power of two */

/* ---- Memory ---- */

static void free_arrays(struct wari_distance_search *search)
{
    const struct wari_host *host = search->db->host;
    wari_release(host, search->nodes);
    wari_release(host, search->table);
    wari_release(host, search->queue);
    wari_release(host, search->frontier);
}

static enum wari_status allocate(struct wari_distance_search *search, size_t count, size_t size,
                                 void **memory, struct wari_error *error)
{
    return wari_allocate(search->db->host, count * size, "the search for distances", memory, error);
}

/* Increases the capacity to `capacity` nodes. The nodes are kept; the contents of the table become
 * invalid. */
static enum wari_status grow_to(struct wari_distance_search *search, int capacity,
                                struct wari_error *error)
{
    struct wari_distance_search more = *search;
    void *nodes = NULL, *table = NULL, *queue = NULL, *frontier = NULL;
    size_t count = (size_t)capacity;
    enum wari_status status = allocate(search, count, sizeof *more.nodes, &nodes, error);
    if (status == WARI_OK)
        status = allocate(search, 2 * count, sizeof *more.table, &table, error);
    if (status == WARI_OK)
        status = allocate(search, count, sizeof *more.queue, &queue, error);
    if (status == WARI_OK)
        status = allocate(search, count, sizeof *more.frontier, &frontier, error);
    more.nodes = nodes;
    more.table = table;
    more.queue = queue;
    more.frontier = frontier;
    more.capacity = capacity;
    if (status != WARI_OK) {
        free_arrays(&more);
        return status;
    }
    if (search->count > 0) {
        memcpy(nodes, search->nodes, (size_t)search->count * sizeof *more.nodes);
        memcpy(frontier, search->frontier, (size_t)search->capacity * sizeof *more.frontier);
    }
    free_arrays(search);
    *search = more;
    return WARI_OK;
}

enum wari_status wari_distance_search_new(struct wari_distance_search **search, struct wari_db *db,
                                          int positions, struct wari_error *error)
{
    void *memory;
    *search = NULL;
    enum wari_status status =
        wari_allocate(db->host, sizeof **search, "the search for distances", &memory, error);
    if (status != WARI_OK)
        return status;
    *search = memory;
    **search = (struct wari_distance_search){.db = db, .limit = positions};
    status = grow_to(*search, NODES_AT_FIRST, error);
    if (status != WARI_OK) {
        wari_release(db->host, memory);
        *search = NULL;
    }
    return status;
}

void wari_distance_search_free(struct wari_distance_search *search)
{
    if (!search)
        return;
    const struct wari_host *host = search->db->host;
    free_arrays(search);
    wari_release(host, search);
}

/* ---- Nodes ---- */

/* Returns the table index of a node, or the index of the free element where the node belongs. */
static size_t find_index(const struct wari_distance_search *search,
                         const struct wari_position *position, bool x_to_move)
{
    size_t indices = 2 * (size_t)search->capacity;
    size_t index = XXH3_64bits_withSeed(position, sizeof *position, x_to_move) & (indices - 1);
    for (; search->table[index] != 0; index = (index + 1) & (indices - 1)) {
        const struct wari_distance_node *known = &search->nodes[search->table[index] - 1];
        if (known->x_to_move == x_to_move &&
            memcmp(&known->position, position, sizeof *position) == 0)
            break;
    }
    return index;
}

static enum wari_status grow(struct wari_distance_search *search, struct wari_error *error)
{
    enum wari_status status = grow_to(search, 2 * search->capacity, error);
    if (status != WARI_OK)
        return status;
    memset(search->table, 0, 2 * (size_t)search->capacity * sizeof *search->table);
    for (int i = 0; i < search->count; i++) {
        const struct wari_distance_node *node = &search->nodes[i];
        search->table[find_index(search, &node->position, node->x_to_move)] = i + 1;
    }
    return WARI_OK;
}

/* Finds or adds a node. Sets *number to DISTANCE_NONE if the search has reached its limit. */
static enum wari_status add_node(struct wari_distance_search *search,
                                 const struct wari_position *position, bool x_to_move,
                                 int32_t *number, struct wari_error *error)
{
    size_t index = find_index(search, position, x_to_move);
    if (search->table[index] != 0) {
        *number = search->table[index] - 1;
        return WARI_OK;
    }
    *number = DISTANCE_NONE;
    if (search->count == search->limit)
        return WARI_OK;
    if (search->count == search->capacity) {
        enum wari_status status = grow(search, error);
        if (status != WARI_OK)
            return status;
        index = find_index(search, position, x_to_move);
    }
    *number = search->count++;
    search->nodes[*number] = (struct wari_distance_node){
        .position = *position,
        .x_to_move = x_to_move,
        .parents = DISTANCE_NONE,
        .upper = DISTANCE_INFINITE,
    };
    search->table[index] = search->count;
    return WARI_OK;
}

enum wari_status wari_distance_graph_start(struct wari_distance_search *search,
                                           const struct wari_distance_query *query,
                                           struct wari_error *error)
{
    int32_t first;
    search->progress = query->progress;
    search->k = query->k;
    search->count = search->expanded = search->round = 0;
    search->staged = false;
    memset(search->table, 0, 2 * (size_t)search->capacity * sizeof *search->table);
    return add_node(search, query->position, query->x_to_move, &first, error);
}

int wari_distance_graph_find(const struct wari_distance_search *search,
                             const struct wari_position *position, bool x_to_move)
{
    return search->count > 0 ? search->table[find_index(search, position, x_to_move)] - 1
                             : DISTANCE_NONE;
}

/* ---- Moves ---- */

/* In some rule sets a grand slam decides the game whatever the score, so the value of such a
 * move does not show whether it wins or loses. A slam that wins the game is played at once. A
 * slam that loses the game is played only if every best move is such a slam. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis)
{
    enum wari_slam slam_does = wari_get_rules_info(rules)->slam;
    int slam = -1, capture = -1, quiet = -1; /* the first best move of each kind; -1 if there is
                                              * none */
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

int wari_distance_surplus(const struct wari_distance_node *node)
{
    const uint8_t *pits = node->position.pits;
    int more = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
    return node->x_to_move ? more : -more;
}

/* Adds the nodes that the quiet best moves lead to, and then the moves themselves. */
static enum wari_status add_children(struct wari_distance_search *search, int number,
                                     const struct wari_analysis *analysis, bool *full,
                                     struct wari_error *error)
{
    const bool x_moves_next = !search->nodes[number].x_to_move;
    int children = 0;
    int32_t child[WARI_HALF_PITS];
    uint8_t pit[WARI_HALF_PITS];
    for (int i = 0; i < analysis->count && analysis->moves[i].value == analysis->value; i++) {
        const struct wari_move *move = &analysis->moves[i].move;
        if (move->captured > 0 || move->ends)
            continue;
        enum wari_status status =
            add_node(search, &move->next, x_moves_next, &child[children], error);
        if (status != WARI_OK)
            return status;
        if (child[children] == DISTANCE_NONE) {
            *full = true;
            return WARI_OK;
        }
        pit[children++] = move->pit;
    }

    struct wari_distance_node *node = &search->nodes[number];
    node->children = (uint8_t)children;
    for (int i = 0; i < children; i++) {
        struct wari_distance_node *next = &search->nodes[child[i]];
        node->pit[i] = pit[i];
        node->child[i] = child[i];
        node->next_parent[i] = next->parents;
        next->parents = number * WARI_HALF_PITS + i;
    }
    return WARI_OK;
}

static void set_distance(struct wari_distance_search *search, int number, int distance)
{
    struct wari_distance_node *node = &search->nodes[number];
    node->lower = node->upper = distance;
    node->expanded = true;
    search->expanded++;
}

enum wari_status wari_distance_graph_expand(struct wari_distance_search *search, int number,
                                            bool *full, struct wari_error *error)
{
    const struct wari_distance_node *node = &search->nodes[number];
    enum wari_rules rules = search->db->catalogue.variant.rules;
    struct wari_analysis analysis;
    if (search->progress == WARI_PROGRESS_ROW && wari_distance_surplus(node) >= search->k) {
        set_distance(search, number, 0);
        return WARI_OK;
    }
    if (search->stop && atomic_load(search->stop))
        return wari_fail(error, WARI_INTERRUPTED, "the search for distances was stopped");
    enum wari_status status = wari_analyse(search->db, &node->position, &analysis, error);
    if (status != WARI_OK)
        return status;
    if (analysis.count == 0) {
        set_distance(search, number, 0);
    } else if (node->x_to_move && wari_event_move(rules, &analysis) >= 0) {
        set_distance(search, number, 1);
    } else {
        status = add_children(search, number, &analysis, full, error);
        if (status != WARI_OK || *full)
            return status;
        if (search->nodes[number].children == 0) {
            set_distance(search, number, 1); /* every best move of the opponent is progress for X */
        } else {
            search->nodes[number].expanded = true;
            search->expanded++;
        }
    }
    return WARI_OK;
}
