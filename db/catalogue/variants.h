/* The variants that a folder has a catalogue for, and the selection of one of them. Catalogues are
 * located, but not read. */
#ifndef DB_CATALOGUE_VARIANTS_H
#define DB_CATALOGUE_VARIANTS_H

#include "db/host/host.h"

enum { WARI_VARIANTS = WARI_RULES_COUNT * WARI_CYCLE_COUNT };

/* Lists the variants of a folder in the order of the enums. An empty folder has 0. If the folder
 * does not exist, the result is WARI_IO and *count is unchanged. */
WARI_MUST_CHECK enum wari_status wari_variants(const struct wari_host *host, const char *folder,
                                               struct wari_variant variants[WARI_VARIANTS],
                                               int *count, struct wari_error *error);

/* A request for variants. All zeros means any variant. */
struct wari_variant_request {
    struct wari_variant variant;
    bool rules; /* variant.rules is requested */
    bool cycle; /* variant.cycle is requested */
};

/* Lists all variants of the folder that match the request, in the order of the enums.
 * WARI_MISMATCH, with a list of the folder's variants, if there is none. */
WARI_MUST_CHECK enum wari_status wari_variants_matching(const struct wari_host *host,
                                                        const char *folder,
                                                        const struct wari_variant_request *request,
                                                        struct wari_variant variants[WARI_VARIANTS],
                                                        int *count, struct wari_error *error);

/* Finds the only variant of the folder that matches the request. WARI_MISMATCH, with a list of the
 * folder's variants, if there is none. WARI_BAD_INPUT if there are several; the text then lists
 * them and ends with `advice`, a few words such as "name one". */
WARI_MUST_CHECK enum wari_status
wari_variant_choose(const struct wari_host *host, const char *folder,
                    const struct wari_variant_request *request, const char *advice,
                    struct wari_variant *variant, struct wari_error *error);

/* Reports that a variant is missing and lists those that the folder has. Never returns WARI_OK: the
 * result is WARI_MISMATCH, or a status that says why the folder cannot be read. */
enum wari_status wari_variant_missing(const struct wari_host *host, const char *folder,
                                      struct wari_variant variant, struct wari_error *error);

#endif
