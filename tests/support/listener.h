/* Reads game records and stores all complaints of the reader. */
#ifndef TESTS_SUPPORT_LISTENER_H
#define TESTS_SUPPORT_LISTENER_H

#include "play/record/record_read.h"

enum { COMPLAINTS = 8 };

struct listener {
    struct wari_record_reader reader;
    int count;
    struct {
        int line, column, game_line;
        bool lost;
        char text[200];
    } heard[COMPLAINTS];
};

/* Returns a reader of the text under `abapa`, `own`, which reports complaints to `complain`. */
struct wari_record_reader listener_reader(const char *text,
                                          void (*complain)(void *context,
                                                           const struct wari_complaint *complaint),
                                          void *context);

/* Starts to read a text under `abapa`, `own`. The test may change the variants and the host
 * before the first game. */
void listener_start(struct listener *listener, const char *text);

/* Reads the next game. If there is none, ends the reader and returns false. Fails the test if there
 * is not enough memory. */
bool listener_next(struct listener *listener, struct wari_record *record);

/* Writes a record as one line: the diagram of its start, a blank, and the moves. */
enum { PLAIN_MAX = 4096 };
void plain_record(const struct wari_record *record, char text[PLAIN_MAX]);

/* A record in the form that Aualé writes (joansalasoler/auale, src/auale/serialize/ogn.py and
 * game/match.py). */
extern const char auale_record[];

#endif
