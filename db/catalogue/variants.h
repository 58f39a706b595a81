/* The variants that a folder has a catalogue for, and the selection of one of them. Catalogues are
 * located, but not read. */
#ifndef DB_CATALOGUE_VARIANTS_H
#define DB_CATALOGUE_VARIANTS_H

#include "db/host/host.h"

/* Lists the variants of a folder, sorted by enum wari_rules and then by enum wari_cycle. An empty
 * folder has 0 variants. If the folder does not exist, returns WARI_IO and leaves *count unchanged.
 */
WARI_MUST_CHECK enum wari_status wari_variants(const struct wari_host *host, const char *folder,
                                               struct wari_variant variants[WARI_VARIANT_COUNT],
                                               int *count, struct wari_error *error);

/* A request for variants. All zeros means any variant. */
struct wari_variant_request {
    struct wari_variant variant;
    bool rules; /* variant.rules is requested */
    bool cycle; /* variant.cycle is requested */
};

/* Parses a request: `rules` and `cycle` are names as for wari_variant_parse(), and each may be
 * NULL, which leaves this part open. A preset requests a cycle rule, too. Fails like
 * wari_variant_parse(); *request is then unchanged. */
WARI_MUST_CHECK enum wari_status wari_variant_request_parse(const char *rules, const char *cycle,
                                                            struct wari_variant_request *request,
                                                            struct wari_error *error);

/* Lists all variants of the folder that match the request, in the order of wari_variants(). If no
 * variant matches, returns WARI_MISMATCH with a text that lists the folder's variants. If the
 * folder has no catalogue at all, returns WARI_IO if it has level files or the lock file of a
 * build, and WARI_MISMATCH otherwise. */
WARI_MUST_CHECK enum wari_status wari_variants_matching(
    const struct wari_host *host, const char *folder, const struct wari_variant_request *request,
    struct wari_variant variants[WARI_VARIANT_COUNT], int *count, struct wari_error *error);

/* Finds the only variant of the folder that matches the request. If no variant matches, fails like
 * wari_variants_matching(). If several match, returns WARI_BAD_INPUT with a text that lists the
 * matching variants and gives one of them as an example: as options of the command line
 * ("--rules abapa --cycle own") if `as_options`, otherwise by its name ("abapa own"). */
WARI_MUST_CHECK enum wari_status wari_variant_choose(const struct wari_host *host,
                                                     const char *folder,
                                                     const struct wari_variant_request *request,
                                                     bool as_options, struct wari_variant *variant,
                                                     struct wari_error *error);

/* Reports that a variant is missing and lists the variants of the folder. Never returns WARI_OK:
 * the result is that of wari_variants_matching(), or a status that says why the folder cannot be
 * read. */
enum wari_status wari_variant_missing(const struct wari_host *host, const char *folder,
                                      struct wari_variant variant, struct wari_error *error);

#endif
