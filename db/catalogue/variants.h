/* Which variants a folder has a catalogue for, and which of them is meant. The catalogues are
 * looked for, not read. */
#ifndef DB_CATALOGUE_VARIANTS_H
#define DB_CATALOGUE_VARIANTS_H

#include "db/host/host.h"

enum { WARI_VARIANTS = WARI_RULES_COUNT * WARI_CYCLE_COUNT };

/* The variants in the order of the enums. An empty folder has 0; one that does not exist is
 * WARI_IO, and *count is left alone then. */
WARI_MUST_CHECK enum wari_status wari_variants(const struct wari_host *host, const char *folder,
                                               struct wari_variant variants[WARI_VARIANTS],
                                               int *count, struct wari_error *error);

/* What is asked of a folder. Zeros: whatever there is. */
struct wari_wanted {
    struct wari_variant variant;
    bool rules; /* variant.rules matters */
    bool cycle; /* variant.cycle matters */
};

/* All variants in the folder that fit, in the order of the enums. WARI_MISMATCH says what the
 * folder has if none does. */
WARI_MUST_CHECK enum wari_status wari_variants_wanted(const struct wari_host *host,
                                                      const char *folder,
                                                      const struct wari_wanted *wanted,
                                                      struct wari_variant variants[WARI_VARIANTS],
                                                      int *count, struct wari_error *error);

/* The only variant in the folder that fits. WARI_MISMATCH says what the folder has if none does;
 * WARI_BAD_INPUT lists those that do if there are several, and says what to do: `advice`, a few
 * words such as "name one". */
WARI_MUST_CHECK enum wari_status
wari_variant_choose(const struct wari_host *host, const char *folder,
                    const struct wari_wanted *wanted, const char *advice,
                    struct wari_variant *variant, struct wari_error *error);

/* Says what the folder has instead of a variant known to be missing. Never WARI_OK: WARI_MISMATCH,
 * or why the folder cannot be read. */
enum wari_status wari_variant_missing(const struct wari_host *host, const char *folder,
                                      struct wari_variant variant, struct wari_error *error);

#endif
