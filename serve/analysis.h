/* Searches of positions above the tables, shared by all clients.
 *
 * Who wants an result asks again and again, and each time gets what is known by then. A position is
 * searched once, however many ask; in slices, each twice as long as the one before but of a second
 * where others wait, so that they take turns. What nobody has asked about for a second is put
 * aside, and goes on when somebody asks again.
 */
#ifndef SERVE_ANALYSIS_H
#define SERVE_ANALYSIS_H

#include "play/review/appraise.h"

enum {
    ANALYSIS_THREADS_MAX = 64,
    ANALYSIS_JOBS_MAX = 1024,   /* positions that are waited for or remembered: 3 MB */
    ANALYSIS_CLIENT_MAX = 512,  /* of these for one client: half, so that others have room */
    ANALYSIS_HASH_MB = 64,      /* for each thread */
    ANALYSIS_TIMEOUT_MS = 1000, /* milliseconds without a query until a search is put aside, and
                                 * what it found may make room for others */
};

struct analysis;

/* Starts so many threads, 1..ANALYSIS_THREADS_MAX. WARI_NO_MEMORY: *analysis is NULL. */
WARI_MUST_CHECK enum wari_status analysis_start(struct analysis **analysis, unsigned threads,
                                                struct wari_error *error);

/* Ends slices whose time is up or that nobody waits for; to be called some twenty times a second.
 */
void analysis_tick(struct analysis *analysis);

/* Stops all searches at once. From then on questions get what is known already. */
void analysis_stop(struct analysis *analysis);

/* Stops, waits for the threads and gives back the memory. Nobody asks any more. NULL is allowed. */
void analysis_end(struct analysis *analysis);

/* A position that somebody can move in. */
struct analysis_query {
    struct wari_db *db; /* which must stay open; NULL: there are no tables */
    struct wari_variant variant;
    struct wari_setup setup;
    int64_t enough_ms; /* milliseconds of search that are; 0: all that there are */
    uint64_t
        client; /* who asks; CLIENT_UNIDENTIFIED (connections.h): as many as there are places */
    bool count_earlier; /* whether result.jobs_before is asked for, too */
    bool defer;         /* nothing is searched yet, but there will be room for it */
};

enum analysis_state {
    ANALYSIS_WAITING,
    ANALYSIS_SEARCHING,
    ANALYSIS_DONE, /* exact, or as good as it gets here */
};

struct analysis_result {
    enum analysis_state state;
    unsigned jobs_before; /* with `place`, while it waits: so many others come first */
    int64_t
        milliseconds; /* searched so far; 0: nothing is known yet, and what follows says nothing */
    struct wari_appraisal appraisal;
};

/* What is known by now; makes sure that it becomes more, until it is enough. By any thread.
 *   WARI_NO_MEMORY   too many positions are waited for, in all or by this client; or there was
 *                    none for the search
 *   WARI_CORRUPT, WARI_IO   a table failed */
WARI_MUST_CHECK enum wari_status analysis_poll(struct analysis *analysis,
                                               const struct analysis_query *query,
                                               struct analysis_result *result,
                                               struct wari_error *error);

/* The word for a state. */
const char *analysis_state_name(enum analysis_state state);

#endif
