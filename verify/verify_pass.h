/* Passes over a level with several threads, and the differences that they collect. */
#ifndef VERIFY_VERIFY_PASS_H
#define VERIFY_VERIFY_PASS_H

#include "index/level.h"
#include "verify/verify.h"
#include "verify/verify_level.h"

/* A difference in the current level. The fields mean the same as in struct wari_difference. */
struct wari_verify_difference {
    uint64_t cell;
    int value;
    int expected;
    bool ungrounded;
};

/* The number of differences of a level, and the first few of them. */
struct wari_verify_differences {
    uint64_t count;
    int kept;
    struct wari_verify_difference first[WARI_DIFFERENCES_KEPT]; /* in ascending order of `cell` */
};

void wari_verify_add_difference(struct wari_verify_differences *found,
                                struct wari_verify_difference difference);
void wari_verify_merge_differences(struct wari_verify_differences *into,
                                   const struct wari_verify_differences *from);

/* Copies the differences of a level into the report. Returns WARI_OK if there is none and
 * report->text is empty, otherwise WARI_DIFFERENT with the first difference in *error. */
WARI_MUST_CHECK enum wari_status
wari_verify_report_differences(struct wari_verify_report *report, const struct wari_layout *layout,
                               const struct wari_verify_differences *found,
                               struct wari_error *error);

/* ---- Passes ---- */

/* The results that one thread collects during a pass. */
struct wari_verify_pass_result {
    struct wari_verify_differences found;
    uint64_t changed;
    uint64_t histogram[2 * WARI_VERIFY_MIDDLE]; /* [value + MIDDLE] */
};

/* Processes one item of work. */
typedef void wari_verify_work(struct wari_verify_level *level, const void *context, uint64_t item,
                              struct wari_verify_pass_result *result);

/* Processes items 0..items-1 with all threads. *total, which the caller must set to zero,
 * receives the sum of the results of all threads. Reports progress as `phase` unless `phase` is
 * NULL. Returns WARI_INTERRUPTED if the caller set the stop flag. */
WARI_MUST_CHECK enum wari_status wari_verify_pass(struct wari_verify_level *level,
                                                  wari_verify_work *work, const void *context,
                                                  uint64_t items, const char *phase,
                                                  struct wari_verify_pass_result *total);

/* Calls `task` on all threads and waits for them. If there is only one item, calls it only on the
 * calling thread, so that small levels do not wait for other threads. */
void wari_verify_run(const struct wari_verify_proof *proof, uint64_t items,
                     wari_thread_pool_task *task, void *context);

void wari_verify_progress(const struct wari_verify *verify, int seeds, const char *phase,
                          double share_done);
bool wari_verify_stopped(const struct wari_verify *verify);

/* Fills in *error for a proof that was stopped at this level. Always returns WARI_INTERRUPTED. */
enum wari_status wari_verify_interrupted(int seeds, struct wari_error *error);

#endif
