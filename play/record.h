/* Records of games: reading and writing OGN, the format of Oware programs, and plain lists of
 * moves. play/README.md describes both as they are accepted and written.
 *
 * A reader takes a whole text and hands out its games one by one. A game that cannot be read costs
 * a complaint with line and column, not the games behind it.
 */
#ifndef PLAY_RECORD_H
#define PLAY_RECORD_H

#include "play/game.h"
#include "play/text.h"

/* More tags than any game has, beside the few that are known: each is compared with all before it,
 * so that a file of nothing else would take endless time. The reader gives a game with more up. The
 * known ones do not count, because the writer adds those that are missing. */
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
    int comment_count;     /* places in the list below, game.count at most */
    char **comments;       /* [i]: behind move i; NULL where there is none */
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

/* ---- Reading ---- */

/* Something about the text that somebody should know. `lost`: the game that starts at `game_line`
 * could not be read because of it; otherwise it is a remark (a tag nobody knows), and the game is
 * handed out. */
struct wari_complaint {
    int line, column; /* from 1; a column is a character (UTF-8) */
    int game_line;
    bool lost;
    bool undecided;   /* lost, but a caller who names the rules (`insist`) could have it read */
    const char *text; /* one line, without place; valid during the call */
};

/* A byte of the text, and where that is for people. */
struct wari_place {
    size_t at;
    int line, column; /* as in a complaint; line 0: no place yet */
};

struct wari_record_reader {
    /* Set by the caller. */
    const struct wari_host *host;
    const char *text; /* need not end with 0; zero bytes are complained of */
    size_t length;
    /* The variants that a game may be played under. The tags Variant and Cycle of a game choose
     * among them; where exactly one is left it is that one, otherwise the game is lost. */
    const struct wari_variant *variants;
    int variant_count;
    bool insist; /* take a game whose Variant has a name that nobody knows for that one, too */
    void (*complain)(void *context, const struct wari_complaint *complaint);
    void *context;

    /* The reader's own; zeros at first. */
    size_t at;
    bool begun;
    bool plain;             /* a list of moves, a game on each line */
    struct wari_place game; /* where the game at work starts */
    struct wari_place last; /* what was asked for last */
    bool no_brace;          /* there is no } any more */
};

/* The next game that can be read; *found is false at the end of the text, and *record then holds
 * nothing. Otherwise the record is the caller's, to be given to wari_record_free(). Only
 * WARI_NO_MEMORY is a failure (*record then holds nothing). */
WARI_MUST_CHECK enum wari_status wari_record_next(struct wari_record_reader *reader,
                                                  struct wari_record *record, bool *found,
                                                  struct wari_error *error);

/* ---- Writing ---- */

/* Appends the record as OGN: tags (the roster first), a blank line, moves with captures and
 * comments, the result, a blank line. Result is, in this order, what the game's end says, what the
 * record says if that is a score, "*". */
WARI_MUST_CHECK enum wari_status wari_record_write(const struct wari_record *record,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

/* Appends the record as one line of a plain list: the diagram, unless it is the start position, and
 * the moves joined. */
WARI_MUST_CHECK enum wari_status wari_record_write_plain(const struct wari_record *record,
                                                         struct wari_text *text,
                                                         struct wari_error *error);

#endif
