/* A record being read: the place in the text, and the complaints about it. Private to the files
 * record_read*.c; record_write.c asks what a score is. */
#ifndef PLAY_RECORD_READING_H
#define PLAY_RECORD_READING_H

#include "play/record/record_reader.h"

/* Where the values of tags start that a later complaint may be about; 0: there is no such tag (a
 * value never starts at 0). */
struct wari_tags_read {
    size_t variant_at, cycle_at, fen_at, result_at;
    int unknown; /* kept so far; WARI_RECORD_TAGS_MAX at most */
};

/* The last move's capture, where it is not what the rules say. */
struct wari_capture_read {
    size_t at; /* 0: there is none */
    int captured, said;
};

struct wari_reading {
    struct wari_record_reader *reader;
    struct wari_record *record;
    struct wari_error *error;
    const char *text; /* the reader's */
    size_t at;        /* the next byte */
    size_t end;       /* of the text, or of the line in a plain list */
    size_t seen;      /* behind the last byte that was looked at, if that is beyond `at` */
    size_t lost_at;   /* where the game was lost; meaningful after WARI_BAD_INPUT */
    int game_line;

    struct wari_tags_read tags;
    bool undecided;           /* so is the complaint that follows */
    bool begun;               /* record->game is */
    bool ended;               /* the result stands behind */
    struct wari_text comment; /* behind the last move, or before the first; kept with it later */
    struct wari_capture_read capture;
};

/* Makes a complaint about the byte at `at`. One that is `lost` ends the game: it returns
 * WARI_BAD_INPUT, to be handed on at once; others return WARI_OK. */
enum wari_status wari_reading_complain(struct wari_reading *reading, size_t at, bool lost,
                                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Where the byte at `at` stands, which must not be in front of the game at work. */
struct wari_text_place wari_reading_place(struct wari_record_reader *reader, size_t at);

bool wari_reading_is_digit(char c);

/* Passes white space and, at the beginning of a line, lines that start with '%'. */
void wari_reading_skip_blanks(struct wari_reading *reading);

/* What the byte at the cursor is, in words. */
const char *wari_reading_found(const struct wari_reading *reading, char words[24]);

/* The length of a score such as 25-23 or 23.5-24.5 that `text` starts with; 0 if there is none. */
size_t wari_reading_score_length(const char *text, size_t length);

#endif
