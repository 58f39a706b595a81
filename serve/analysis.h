/* Searches of positions above the tables, shared by all clients.
 *
 * A client polls: it repeats its query, and each time gets the result so far. A position is
 * searched once, however many clients query it. The search runs in slices, each twice as long as
 * the one before, but ends a slice after a second if other positions are waiting, so that all take
 * turns. A position that nobody has queried for a second is paused, and resumed by the next query.
 */
#ifndef SERVE_ANALYSIS_H
#define SERVE_ANALYSIS_H

#include "play/review/evaluate.h"

enum {
    ANALYSIS_THREADS_MAX = 64,
    ANALYSIS_JOBS_MAX = 1024,   /* positions that are waiting or remembered: 3 MB */
    ANALYSIS_CLIENT_MAX = 512,  /* positions of one client: half of ANALYSIS_JOBS_MAX, so that other
                                 * clients can use the rest */
    ANALYSIS_HASH_MB = 64,      /* size of the hash table of each thread */
    ANALYSIS_TIMEOUT_MS = 1000, /* Time after the last query until a search is paused, and until its
                                   result may be discarded in favour of another position. */
};

struct analysis;

/* Starts `threads` threads, 1..ANALYSIS_THREADS_MAX. On WARI_NO_MEMORY *analysis is NULL. */
WARI_MUST_CHECK enum wari_status analysis_start(struct analysis **analysis, unsigned threads,
                                                struct wari_error *error);

/* Ends slices whose time is up or whose position nobody is waiting for. Call it about twenty times
 * a second. */
void analysis_tick(struct analysis *analysis);

/* Stops all searches. Later queries get the results found so far. */
void analysis_stop(struct analysis *analysis);

/* Stops all searches, joins the threads and frees the analysis. No other thread may use the
 * analysis during or after this call. NULL is allowed. */
void analysis_end(struct analysis *analysis);

/* A query for a position in which the side to move has a legal move. */
struct analysis_query {
    struct wari_db *db; /* stays open while the analysis exists; NULL if there are no tables */
    struct wari_variant variant;
    struct wari_setup setup;
    int64_t enough_ms;  /* search time after which the result suffices; 0 means as long as
                         * possible */
    uint64_t client;    /* the client that ANALYSIS_CLIENT_MAX limits; CLIENT_UNIDENTIFIED
                         * (connections.h) means that this limit does not apply */
    bool count_earlier; /* also compute result.jobs_before */
    bool defer;         /* reserve an entry for the position, but do not search it yet */
};

enum analysis_state {
    ANALYSIS_WAITING,
    ANALYSIS_SEARCHING,
    ANALYSIS_DONE, /* exact, or the limit of search time or depth was reached */
};

struct analysis_result {
    enum analysis_state state;
    unsigned jobs_before; /* number of waiting jobs that will be searched earlier; 0 unless the job
                           * is waiting and `count_earlier` was set */
    int64_t milliseconds; /* search time so far; 0 means that `result` is undefined */
    struct wari_position_result result;
};

/* Returns the result so far, and has the position searched further unless the result suffices. May
 * be called by any thread.
 *   WARI_NO_MEMORY   too many positions are waiting, in all or of this client; or the search had
 *                    not enough memory
 *   WARI_CORRUPT, WARI_IO   a table could not be read */
WARI_MUST_CHECK enum wari_status analysis_poll(struct analysis *analysis,
                                               const struct analysis_query *query,
                                               struct analysis_result *result,
                                               struct wari_error *error);

/* Returns the name of a state: "waiting", "searching" or "done". */
const char *analysis_state_name(enum analysis_state state);

#endif
