/* Records of games: moves, tags and comments. record_read.h and record_write.h know OGN, the format
 * of Oware programs, and plain lists of moves; wari-judge(1) describes both as they are accepted
 * and written. */
#ifndef PLAY_RECORD_RECORD_H
#define PLAY_RECORD_RECORD_H

#include "play/game.h"
#include "play/text.h"

/* More tags than any game has, beside the few that are known. The reader gives a game with more up.
 * The known ones do not count, because the writer adds those that are missing. */
enum { WARI_RECORD_TAGS_MAX = 1000 };

struct wari_tag {
    char *name;
    char *value; /* without its escapes */
};

/* One game with what its record says beside the moves. Strings are the record's own, ended by 0.
 * wari_record_begin() makes one to be written; the reader makes them, too. */
struct wari_record {
    struct wari_game game; /* variant, start, moves */
    int line;              /* where the record starts, from 1; 0 if it was not read */
    int tag_count;
    struct wari_tag *tags; /* in their order, Variant, Cycle, FEN and Result among them */
    int *tag_places;       /* of tags by their names, once there are many; record.c's own */
    int tag_mask;
    int comment_count; /* places in the list below, game.count at most */
    char **comments;   /* [i]: behind move i; NULL where there is none */
    int comment_room;
    char *result; /* as written at the end or in the tag: "25-23", "*"; NULL: neither */
};

/* An empty record of a game from `start`, a diagram, without tags. */
void wari_record_begin(struct wari_record *record, const struct wari_host *host,
                       struct wari_variant variant, const struct wari_setup *start);
/* Gives back everything; zeros are allowed. */
void wari_record_free(struct wari_record *record);

/* The value of a tag; NULL if there is none of that name. */
const char *wari_record_tag(const struct wari_record *record, const char *name);
/* Sets or replaces a tag: a name of letters, digits and _, any value. Variant, Cycle, FEN and
 * Result need not be set: the writer knows them from the game. */
WARI_MUST_CHECK enum wari_status wari_record_set_tag(struct wari_record *record, const char *name,
                                                     const char *value, struct wari_error *error);
/* Sets the comment behind move `ply` (0..game.count-1), or adds to it, with a blank between. '}'
 * becomes ')', and runs of white space one blank. */
WARI_MUST_CHECK enum wari_status wari_record_comment(struct wari_record *record, int ply,
                                                     const char *comment, struct wari_error *error);

#endif
