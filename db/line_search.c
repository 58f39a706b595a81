/* The shortest way to the next event of a line of play.
 *
 * A breadth-first search over the quiet best moves of both sides. All positions it meets are worth
 * the same (to the same side), so wherever it ends, the line still comes to the value. A value
 * other than 0 that is not held for ever (`own`) can be forced by captures and ends, so one is in
 * reach.
 */
#include <string.h>
#include <xxhash.h>

#include "db/handle.h"
#include "db/line_search.h"

enum {
    NONE = -1,
    TABLE_SIZE = 4096, /* a power of two */
};
_Static_assert(TABLE_SIZE >= 2 * WARI_LINE_SEARCH_MAX, "free places end a look-up soon");

struct node {
    struct wari_position position;
    int16_t parent; /* the node from which it was found first; NONE for node 0 */
    uint8_t pit;    /* the move that led here from there */
};

struct wari_line_search {
    int count;
    struct node nodes[WARI_LINE_SEARCH_MAX]; /* in the order in which they were found */
    int16_t table[TABLE_SIZE];               /* a node's number + 1 by hash; 0: free */
    uint8_t pits[WARI_LINE_SEARCH_MAX];
};

/* Where a grand slam decides a game whatever the score, the value does not tell all: a slam that
 * wins is played at once, one that loses only where every best move is one. */
int wari_line_event(enum wari_rules rules, const struct wari_analysis *analysis)
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

enum wari_status wari_line_search_new(struct wari_line_search **search, struct wari_db *db,
                                      struct wari_error *error)
{
    void *memory;
    enum wari_status status =
        wari_allocate(db->host, sizeof **search, "the search for a line of play", &memory, error);
    *search = memory;
    return status;
}

void wari_line_search_free(struct wari_line_search *search, struct wari_db *db)
{
    wari_release(db->host, search);
}

/* Adds a node unless the position has one or there is no room. */
static void add_node(struct wari_line_search *search, int positions,
                     const struct wari_position *position, int parent, uint8_t pit)
{
    size_t place = XXH3_64bits(position, sizeof *position) % TABLE_SIZE;
    for (; search->table[place] != 0; place = (place + 1) % TABLE_SIZE) {
        const struct node *known = &search->nodes[search->table[place] - 1];
        if (memcmp(&known->position, position, sizeof *position) == 0)
            return;
    }
    if (search->count == positions)
        return;
    search->nodes[search->count++] = (struct node){*position, (int16_t)parent, pit};
    search->table[place] = (int16_t)search->count;
}

/* The nearest node where there is an event or the game is over; NONE if there is none. */
static enum wari_status find_event(struct wari_line_search *search, struct wari_db *db,
                                   int positions, const struct wari_position *position, int *found,
                                   struct wari_error *error)
{
    struct wari_analysis analysis;

    memset(search->table, 0, sizeof search->table);
    search->count = 0;
    add_node(search, positions, position, NONE, 0);
    for (int i = 0; i < search->count; i++) {
        enum wari_status status = wari_analyse(db, &search->nodes[i].position, &analysis, error);
        if (status != WARI_OK)
            return status;
        if (analysis.count == 0 || wari_line_event(db->catalogue.variant.rules, &analysis) >= 0) {
            *found = i;
            return WARI_OK;
        }
        for (int k = 0; k < analysis.count; k++) {
            const struct wari_move *move = &analysis.moves[k].move;
            if (analysis.moves[k].value == analysis.value && !move->ends)
                add_node(search, positions, &move->next, i, move->pit);
        }
    }
    *found = NONE;
    return WARI_OK;
}

enum wari_status wari_line_search(struct wari_line_search *search, struct wari_db *db,
                                  int positions, const struct wari_position *position,
                                  const uint8_t **pits, int *length, struct wari_error *error)
{
    int found;
    *length = 0;
    *pits = search->pits;
    enum wari_status status = find_event(search, db, positions, position, &found, error);
    if (status != WARI_OK || found == NONE)
        return status;
    for (int i = found; search->nodes[i].parent != NONE; i = search->nodes[i].parent)
        ++*length;
    for (int at = *length; at > 0; found = search->nodes[found].parent)
        search->pits[--at] = search->nodes[found].pit;
    return WARI_OK;
}
