/* Memory of a run: all of it is there before the first level is begun. */
#ifndef VERIFY_VERIFY_MEMORY_H
#define VERIFY_VERIFY_MEMORY_H

#include "verify/verify_level.h"

/* Bytes that a proof of levels 0..seeds_max takes, libraries and the program itself included: at
 * least, where it reads the levels below in many small pieces, and at most. */
struct wari_verify_need {
    uint64_t least, most;
};
struct wari_verify_need wari_verify_need(struct wari_variant variant, int seeds_max,
                                         enum wari_verify_mode mode, int threads);

struct wari_verify_memory {
    void *block;  /* everything but the decoders */
    void *level;  /* for wari_verify_level_begin(), of any level of the catalogue */
    int decoders; /* made so far */
};

/* For a proof of the levels in run->catalogue: sets what `run` has of it. WARI_NO_MEMORY says how
 * much it takes. */
WARI_MUST_CHECK enum wari_status wari_verify_memory_take(struct wari_verify_memory *memory,
                                                         struct wari_verify_run *run);
void wari_verify_memory_release(struct wari_verify_memory *memory,
                                const struct wari_verify_run *run);

#endif
