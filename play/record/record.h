/* Records of games: moves, tags and comments. Supports OGN, the format of Oware programs, and
 * plain lists of moves. wari-judge(1) describes both formats as they are read and written. */
#ifndef PLAY_RECORD_RECORD_H
#define PLAY_RECORD_RECORD_H

#include "play/game.h"
#include "play/text.h"

/* Maximum number of unknown tags in a game, more than any real game has. The reader rejects a
 * game with more. Known tags do not count: the writer adds those that are missing, and the reader
 * must accept what the writer has written. */
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
    char *result; /* the score at the end of the record or in its tag, such as "25-23", or "*"; NULL
                     if there is none, or if it does not count seeds */
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

/* Returns true if the complete text is a score in the usual form, such as 25-23 or 23.5-24.5. */
bool wari_record_is_score(const char *text);

/* A result as people write it: 25-23, 25 - 23, 24.5:23.5, 1-0, 1/2-1/2. */
struct wari_written_result {
    size_t length; /* bytes of the text; 0 if there is no result */
    bool score; /* true: the result counts seeds. false: it counts points of a match, which add up
                   to 1 */
    bool usual; /* it has the usual form of a score, such as 25-23 or 23.5-24.5 */
    struct wari_written_side {
        size_t at, digits; /* offset and number of the digits of the whole number */
        bool half;         /* a half is added to the whole number */
    } side[2];             /* South's and North's */
};

/* Reads the result at the start of `text`. The numbers may be followed by a half (.5, ,5 or the
 * half sign), a half point may be 1/2, and there may be blanks around the separator, which is a
 * hyphen, a dash or a colon. */
struct wari_written_result wari_record_written_result(const char *text, size_t length);

/* Makes the usual form of a score, such as 25-23, from a result and its text. */
WARI_MUST_CHECK enum wari_status wari_record_usual_score(const struct wari_written_result *result,
                                                         const char *text,
                                                         const struct wari_host *host, char **score,
                                                         struct wari_error *error);

/* Appends the record as OGN: tags (the standard ones first), a blank line, moves with captures and
 * comments, the result, a blank line. The result is the score if the game has ended, otherwise the
 * record's result if that is a score, otherwise "*". */
WARI_MUST_CHECK enum wari_status wari_record_write(const struct wari_record *record,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

#endif
