/* Reads records. A reader is given a complete text and returns its games one by one. A game that
 * cannot be read causes a complaint with line and column, and the games after it are still read. */
#ifndef PLAY_RECORD_RECORD_READ_H
#define PLAY_RECORD_RECORD_READ_H

#include "play/record/record.h"

/* A message about the text. If `lost`, the game that starts at `game_line` could not be read.
 * Otherwise it is a remark (such as an unknown tag), and the game is returned. */
struct wari_complaint {
    int line, column; /* counted from 1; a column is a character (UTF-8) */
    int game_line;
    bool lost;
    bool undecided;   /* `lost` is true because the text does not name the rules, or names unknown
                       * ones; the caller can choose them (`variants`, `insist`) */
    bool pit_numbers; /* `lost` is true, but the game could be read with another value of `moves` */
    const char *text; /* one line without the location; valid during the call */
};

/* The meaning of a number among the moves that is not followed by a period. */
enum wari_record_moves {
    WARI_MOVES_LETTERS, /* such a number is not a move: moves are letters */
    WARI_MOVES_DIGITS,  /* each digit is a move. Pits are counted from 1 or, in a game with a pit 0,
                         * from 0. The pits of both sides have the same numbers */
    WARI_MOVES_DIGITS_FROM_0, /* each digit is a move. Pits are counted from 0 */
};

/* An offset in the text with its line and column. */
struct wari_text_location {
    size_t at;
    int line, column; /* as in struct wari_complaint; line 0 means unset */
};

struct wari_record_reader {
    /* Set by the caller. */
    const struct wari_host *host;
    const char *text; /* in UTF-8, Latin-1 or UTF-16 with a byte order mark; lines end in LF, CR or
                       * CRLF. Need not end with 0; zero bytes cause complaints. The reader changes
                       * `text` and `length`: it skips a byte order mark and, if the text has to be
                       * converted, reads its own copy */
    size_t length;
    enum wari_record_moves moves;
    /* The variants under which a game may have been played. The tags Variant and Cycle of a game
     * select among them. If exactly one remains, the game has that variant; otherwise the game
     * is lost. */
    const struct wari_variant *variants;
    int variant_count;
    /* One of `variants`: the rules, the cycle rule or both for games whose tags do not name them.
     * NULL means that there is no fallback. */
    const struct wari_variant *fallback;
    bool insist; /* read a game under the only variant even if its tag Variant has an unknown
                  * name */
    void (*complain)(void *context, const struct wari_complaint *complaint);
    void *context;

    /* Private to the reader; set to zero by the caller. */
    size_t at;
    bool begun;
    struct wari_text converted;     /* copy of the text in UTF-8; empty if the text is in UTF-8 */
    bool plain;                     /* the text is a list of moves with a game on each line */
    struct wari_text_location game; /* start of the current game */
    struct wari_text_location last; /* the last location that was computed */
    bool no_closing_brace;          /* no } follows in the text */
    size_t reread_bytes;            /* number of bytes of lost games that were read again */
};

/* Returns the next game that can be read. After the first call, even if it fails, the caller must
 * call wari_record_end() when it needs no more games. At the end of the text *found is false and
 * *record is empty. Otherwise the caller passes the record to wari_record_free(). Fails only with
 * WARI_NO_MEMORY; *record is then empty. */
WARI_MUST_CHECK enum wari_status wari_record_next(struct wari_record_reader *reader,
                                                  struct wari_record *record, bool *found,
                                                  struct wari_error *error);

/* Frees the memory of the reader. The records that it returned are not affected. */
void wari_record_end(struct wari_record_reader *reader);

/* Returns true if the value of a tag Variant names a rule set, as this program or as other Oware
 * programs write it. */
bool wari_record_knows_rules(const char *value);

#endif
