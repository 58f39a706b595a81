/* The graph of a search: nodes in an array, found by a hash table beside it, with memory that
 * doubles. Numbers of nodes stay what they are; addresses do not.
 */
#include "db/probe/distance_graph.h"

#include <string.h>
#include <xxhash.h>

#include "index/half.h"

enum { FIRST_ROOM = 1024 }; /* nodes; a power of two */

/* ---- Memory ---- */

static void free_room(struct wari_force_search *search)
{
    const struct wari_host *host = search->db->host;
    wari_release(host, search->nodes);
    wari_release(host, search->table);
    wari_release(host, search->queue);
    wari_release(host, search->frontier);
}

static enum wari_status allocate(struct wari_force_search *search, size_t count, size_t size,
                                 void **memory, struct wari_error *error)
{
    return wari_allocate(search->db->host, count * size, "the search for what can be forced",
                         memory, error);
}

/* Gives room for so many nodes; those there are stay, but the table's contents mean nothing. */
static enum wari_status make_room(struct wari_force_search *search, int room,
                                  struct wari_error *error)
{
    struct wari_force_search more = *search;
    void *nodes = NULL, *table = NULL, *queue = NULL, *frontier = NULL;
    size_t count = (size_t)room;
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
    more.room = room;
    if (status != WARI_OK) {
        free_room(&more);
        return status;
    }
    if (search->count > 0) {
        memcpy(nodes, search->nodes, (size_t)search->count * sizeof *more.nodes);
        memcpy(frontier, search->frontier, (size_t)search->room * sizeof *more.frontier);
    }
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

/* ---- Nodes ---- */

/* The place in the table of a node, or the free one where it belongs. */
static size_t find_place(const struct wari_force_search *search,
                         const struct wari_position *position, bool x_to_move)
{
    size_t places = 2 * (size_t)search->room;
    size_t place = XXH3_64bits_withSeed(position, sizeof *position, x_to_move) & (places - 1);
    for (; search->table[place] != 0; place = (place + 1) & (places - 1)) {
        const struct wari_force_node *known = &search->nodes[search->table[place] - 1];
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
        const struct wari_force_node *node = &search->nodes[i];
        search->table[find_place(search, &node->position, node->x_to_move)] = i + 1;
    }
    return WARI_OK;
}

/* Finds or adds a node; *number is FORCE_NONE if that would be one too many. */
static enum wari_status add_node(struct wari_force_search *search,
                                 const struct wari_position *position, bool x_to_move,
                                 int32_t *number, struct wari_error *error)
{
    size_t place = find_place(search, position, x_to_move);
    if (search->table[place] != 0) {
        *number = search->table[place] - 1;
        return WARI_OK;
    }
    *number = FORCE_NONE;
    if (search->count == search->limit)
        return WARI_OK;
    if (search->count == search->room) {
        enum wari_status status = grow(search, error);
        if (status != WARI_OK)
            return status;
        place = find_place(search, position, x_to_move);
    }
    *number = search->count++;
    search->nodes[*number] = (struct wari_force_node){
        .position = *position,
        .x_to_move = x_to_move,
        .parents = FORCE_NONE,
        .most = FORCE_FAR,
    };
    search->table[place] = search->count;
    return WARI_OK;
}

enum wari_status wari_force_graph_start(struct wari_force_search *search,
                                        const struct wari_force_asked *asked,
                                        struct wari_error *error)
{
    int32_t first;
    search->goal = asked->goal;
    search->k = asked->k;
    search->count = search->looked = search->round = 0;
    search->staged = false;
    memset(search->table, 0, 2 * (size_t)search->room * sizeof *search->table);
    return add_node(search, asked->position, asked->x_to_move, &first, error);
}

int wari_force_graph_find(const struct wari_force_search *search,
                          const struct wari_position *position, bool x_to_move)
{
    return search->count > 0 ? search->table[find_place(search, position, x_to_move)] - 1
                             : FORCE_NONE;
}

/* ---- Moves ---- */

int wari_force_surplus(const struct wari_force_node *node)
{
    const uint8_t *pits = node->position.pits;
    int more = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
    return node->x_to_move ? more : -more;
}

/* Adds where the quiet best moves lead, and then the moves themselves. */
static enum wari_status add_kids(struct wari_force_search *search, int number,
                                 const struct wari_analysis *analysis, bool *full,
                                 struct wari_error *error)
{
    const bool x_moves_next = !search->nodes[number].x_to_move;
    int kids = 0;
    int32_t kid[WARI_HALF_PITS];
    uint8_t pit[WARI_HALF_PITS];
    for (int i = 0; i < analysis->count && analysis->moves[i].value == analysis->value; i++) {
        const struct wari_move *move = &analysis->moves[i].move;
        if (move->captured > 0 || move->ends)
            continue;
        enum wari_status status = add_node(search, &move->next, x_moves_next, &kid[kids], error);
        if (status != WARI_OK)
            return status;
        if (kid[kids] == FORCE_NONE) {
            *full = true;
            return WARI_OK;
        }
        pit[kids++] = move->pit;
    }

    struct wari_force_node *node = &search->nodes[number];
    node->kids = (uint8_t)kids;
    for (int i = 0; i < kids; i++) {
        struct wari_force_node *next = &search->nodes[kid[i]];
        node->pit[i] = pit[i];
        node->kid[i] = kid[i];
        node->next_parent[i] = next->parents;
        next->parents = number * WARI_HALF_PITS + i;
    }
    return WARI_OK;
}

static void settle(struct wari_force_search *search, int number, int distance)
{
    struct wari_force_node *node = &search->nodes[number];
    node->least = node->most = distance;
    node->looked = true;
    search->looked++;
}

enum wari_status wari_force_graph_look(struct wari_force_search *search, int number, bool *full,
                                       struct wari_error *error)
{
    const struct wari_force_node *node = &search->nodes[number];
    enum wari_rules rules = search->db->catalogue.variant.rules;
    struct wari_analysis analysis;
    if (search->goal == WARI_GOAL_ROW && wari_force_surplus(node) >= search->k) {
        settle(search, number, 0);
        return WARI_OK;
    }
    if (search->stop && atomic_load(search->stop))
        return wari_fail(error, WARI_INTERRUPTED, "the search for what can be forced was stopped");
    enum wari_status status = wari_analyse(search->db, &node->position, &analysis, error);
    if (status != WARI_OK)
        return status;
    if (analysis.count == 0) {
        settle(search, number, 0);
    } else if (node->x_to_move && wari_event_move(rules, &analysis) >= 0) {
        settle(search, number, 1);
    } else {
        status = add_kids(search, number, &analysis, full, error);
        if (status != WARI_OK || *full)
            return status;
        if (search->nodes[number].kids == 0) {
            settle(search, number, 1); /* the opponent has nothing but what X is after */
        } else {
            search->nodes[number].looked = true;
            search->looked++;
        }
    }
    return WARI_OK;
}
