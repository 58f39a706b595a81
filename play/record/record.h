/* Records of games: moves, tags and comments. Supports OGN, the format of Oware programs, and
 * plain lists of moves. wari-judge(1) describes both formats as they are read and written. */
#ifndef PLAY_RECORD_RECORD_H
#define PLAY_RECORD_RECORD_H

#include "play/game.h"
#include "play/text.h"

/* Maximum number of unknown tags in a game, more than any real game has. The reader rejects a
 * game with more. Known tags do not count, because the writer adds the missing ones. */
enum { WARI_RECORD_TAGS_MAX = 1000 };

struct wari_tag {
    char *name;
    char *value; /* without escapes */
};

/* A game with its tags, comments and result. The record owns all of its strings, which end with
 * 0. wari_record_begin() makes a record to be written; the reader makes records, too. */
struct wari_record {
    struct wari_game game; /* variant, start position, moves */
    int line; /* first line of the record, starting with 1; 0 if it was not read from a text */
    int tag_count;
    struct wari_tag *tags; /* all tags in their order, including Variant, Cycle, FEN and Result */
    int *tag_hash; /* hash table of the tags by name, if there are many; private to record.c */
    int tag_hash_mask;
    int comment_count; /* length of the list below; at most game.count */
    char **comments;   /* comments[i] follows move i; NULL if the move has no comment */
    int comment_capacity;
    char *result; /* the result at the end of the record or in its tag, such as "25-23" or "*";
                   * NULL if there is none */
};

/* Starts an empty record without tags for a game from `start`, a diagram. */
void wari_record_begin(struct wari_record *record, const struct wari_host *host,
                       struct wari_variant variant, const struct wari_setup *start);
/* Frees the record. A zeroed record is allowed. */
void wari_record_free(struct wari_record *record);

/* Returns the value of a tag; NULL if there is no tag of that name. */
const char *wari_record_tag(const struct wari_record *record, const char *name);
/* Sets or replaces a tag. The name consists of letters, digits and _; the value is arbitrary.
 * Variant, Cycle, FEN and Result need not be set: the writer derives them from the game. */
WARI_MUST_CHECK enum wari_status wari_record_set_tag(struct wari_record *record, const char *name,
                                                     const char *value, struct wari_error *error);
/* Sets the comment after move `ply` (0..game.count-1), or appends to it, separated by a blank.
 * Replaces '}' by ')' and each run of white space by one blank. */
WARI_MUST_CHECK enum wari_status wari_record_comment(struct wari_record *record, int ply,
                                                     const char *comment, struct wari_error *error);

/* Returns the length of the score, such as 25-23 or 23.5-24.5, at the start of `text`; 0 if there
 * is none. */
size_t wari_record_score_length(const char *text, size_t length);

/* Appends the record as OGN: tags (the standard ones first), a blank line, moves with captures and
 * comments, the result, a blank line. The result is the score if the game has ended, otherwise the
 * record's result if that is a score, otherwise "*". */
WARI_MUST_CHECK enum wari_status wari_record_write(const struct wari_record *record,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

#endif
