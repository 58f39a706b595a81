/* Passes over a level with several threads, and what threads bring back from them. */
#ifndef VERIFY_LEVEL_VERIFY_PASS_H
#define VERIFY_LEVEL_VERIFY_PASS_H

#include "verify/verify_found.h"
#include "verify/verify_level.h"

/* What a thread gathers in a pass. */
struct wari_verify_tally {
    struct wari_verify_found found;
    uint64_t changed;
    uint64_t histogram[2 * WARI_VERIFY_MIDDLE]; /* [v + MIDDLE] */
};

/* Does one piece of work. */
typedef void wari_verify_work(struct wari_verify_level *level, const void *context, uint64_t piece,
                              struct wari_verify_tally *tally);

/* Does pieces 0..pieces-1 with all threads; *total, zeroed by the caller, receives the sum of the
 * tallies. Reports progress as `phase` unless that is NULL. WARI_INTERRUPTED if told to stop. */
WARI_MUST_CHECK enum wari_status wari_verify_pass(struct wari_verify_level *level,
                                                  wari_verify_work *work, const void *context,
                                                  uint64_t pieces, const char *phase,
                                                  struct wari_verify_tally *total);

/* How many of the threads to wake for so many pieces of work: small levels are done by one, without
 * waiting for others. Never some of them: OpenMP would end the others, and end the process should
 * there be no room for new ones later. */
int wari_verify_team(int threads, uint64_t pieces);

void wari_verify_progress(const struct wari_verify *verify, int seeds, const char *phase,
                          double share_done);
bool wari_verify_stopped(const struct wari_verify *verify);

/* What a stopped proof says. */
enum wari_status wari_verify_interrupted(int seeds, struct wari_error *error);

#endif
