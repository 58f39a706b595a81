/* Which game the user means: --rules and --cycle, presets, and what a folder holds. */
#ifndef TOOLS_COMMON_VARIANT_H
#define TOOLS_COMMON_VARIANT_H

#include "db/catalogue/variants.h"

/* What the command line has said so far. Zeros: nothing. */
struct variant_choice {
    const char *rules; /* the names as given; NULL: not given */
    const char *cycle;
};

enum { VARIANT_TEXT = 64 };

/* "abapa own": how messages and answers name a variant. */
void variant_text(struct wari_variant variant, char text[VARIANT_TEXT]);

/* The variant to be built: `awari` and `even` unless said otherwise. WARI_BAD_INPUT for unknown
 * names and for a preset together with the other cycle rule. */
WARI_MUST_CHECK enum wari_status variant_to_build(const struct variant_choice *choice,
                                                  struct wari_variant *variant,
                                                  struct wari_error *error);

/* The only variant in `folder` that fits the choice. WARI_BAD_INPUT lists them if there are
 * several, WARI_MISMATCH lists what the folder has if there is none. */
WARI_MUST_CHECK enum wari_status variant_in_folder(const struct variant_choice *choice,
                                                   const char *folder, struct wari_variant *variant,
                                                   struct wari_error *error);

/* WARI_MISMATCH unless `variant`, which the book at `path` is of, fits the choice. */
WARI_MUST_CHECK enum wari_status variant_fits(const struct variant_choice *choice, const char *path,
                                              struct wari_variant variant,
                                              struct wari_error *error);

/* All variants in `folder` that fit the choice, at least one. WARI_MISMATCH as above. */
WARI_MUST_CHECK enum wari_status variants_in_folder(const struct variant_choice *choice,
                                                    const char *folder,
                                                    struct wari_variant variants[WARI_VARIANTS],
                                                    int *count, struct wari_error *error);

#endif
