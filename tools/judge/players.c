/* Players are looked up by name in a search tree of the C library (tsearch()), and listed in the
 * order of their first games. */
#include "tools/judge/players.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

const char *player_name(const struct wari_record *record, bool north)
{
    const char *name = wari_record_tag(record, north ? "North" : "South");
    if (!name)
        name = wari_record_tag(record, north ? "P2" : "P1");
    bool known = name && name[0] && strcmp(name, "?") != 0 && strcmp(name, "-") != 0;
    return known ? name : NULL;
}

static int compare_names(const void *left, const void *right)
{
    const struct player *first = left, *second = right;
    return strcmp(first->name, second->name);
}

/* Compares a name with that of a player, in the order of compare_names(). */
static int compare_with_name(const void *name, const void *player)
{
    const struct player *right = player;
    return strcmp(name, right->name);
}

static void free_player(struct player *player)
{
    if (player)
        free(player->name);
    free(player);
}

/* Appends a player without games. Returns NULL if there is no memory. */
static struct player *new_player(struct players *players, const char *name)
{
    enum { FIRST_PLAYERS = 16 };
    if (players->count == players->capacity) {
        size_t capacity = players->capacity ? 2 * players->capacity : FIRST_PLAYERS;
        void *list = realloc(players->list, capacity * sizeof players->list[0]);
        if (!list)
            return NULL;
        players->list = list;
        players->capacity = capacity;
    }
    struct player *player = calloc(1, sizeof *player);
    if (player) {
        player->name = strdup(name);
        player->review.accuracy = 100;
    }
    if (!player || !player->name || !tsearch(player, &players->tree, compare_names)) {
        free_player(player);
        return NULL;
    }
    players->list[players->count++] = player;
    return player;
}

static struct player *find_player(const struct players *players, const char *name)
{
    void *const *found = tfind(name, &players->tree, compare_with_name);
    return found ? *found : NULL;
}

enum wari_status players_add(struct players *players, const struct wari_record *record,
                             const struct wari_judgement *judgement,
                             const struct wari_review *review, struct wari_error *error)
{
    for (int side = 0; side < 2; side++) {
        const char *name = player_name(record, side == 1);
        struct player *player = name ? find_player(players, name) : NULL;
        if (name && !player)
            player = new_player(players, name);
        if (name && !player)
            return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the names of players");
        if (!player)
            continue;
        player->games++;
        wari_judged_add(&player->side, &judgement->side[side]);
        if (review)
            wari_reviewed_add(&player->review, &review->side[side]);
    }
    return WARI_OK;
}

void players_free(struct players *players)
{
    for (size_t i = 0; i < players->count; i++) {
        (void)tdelete(players->list[i], &players->tree, compare_names);
        free_player(players->list[i]);
    }
    free(players->list);
    *players = (struct players){.count = 0};
}
