/* A reader of game records with all that it complains of. */
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

/* A reader of a text under `abapa`, `own`, that tells `complain`. */
struct wari_record_reader listener_reader(const char *text,
                                          void (*complain)(void *context,
                                                           const struct wari_complaint *complaint),
                                          void *context);

/* For a text read under `abapa`, `own`; variants and host may be changed before the first game. */
void listener_start(struct listener *listener, const char *text);

/* The next game; false if there is none. Fails the test if memory runs out. */
bool listener_next(struct listener *listener, struct wari_record *record);

/* A record as a line of a list: the diagram of its start, and the moves behind a blank. */
enum { PLAIN_MAX = 4096 };
void plain_record(const struct wari_record *record, char text[PLAIN_MAX]);

/* A record as Aualé writes it (joansalasoler/auale, src/auale/serialize/ogn.py and game/match.py).
 */
extern const char auale_record[];

#endif
