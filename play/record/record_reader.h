/* A text with records: what is asked of it, what is said about it, and where it is being read. */
#ifndef PLAY_RECORD_RECORD_READER_H
#define PLAY_RECORD_RECORD_READER_H

#include "play/record/record.h"

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
struct wari_text_place {
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
    bool plain;                  /* a list of moves, a game on each line */
    struct wari_text_place game; /* where the game at work starts */
    struct wari_text_place last; /* what was asked for last */
    bool no_brace;               /* there is no } any more */
    size_t again;                /* bytes of lost games that were looked at for another time */
};

#endif
