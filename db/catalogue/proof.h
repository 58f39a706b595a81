/* Proof records: "<rules>-<cycle>.proof", a short text file that lists the levels that were proved,
 * with the payload hashes of their values. FORMAT.md describes the file.
 *
 * A record says what a program found. It is not a signature: everybody who can write into the
 * folder can write a record.
 */
#ifndef DB_CATALOGUE_PROOF_H
#define DB_CATALOGUE_PROOF_H

#include "db/catalogue/catalogue.h"

enum { WARI_PROOF_WORD = 16 }; /* bytes for a version or a date, the final 0 included */

struct wari_proof_level {
    uint64_t payload_hash;
    char version[WARI_PROOF_WORD]; /* of the program: digits and dots */
    char date[WARI_PROOF_WORD];    /* "2026-11-23" */
    uint64_t seconds;              /* duration of the proof, rounded down */
};

/* Levels 0..seeds_max, except for 47, as in a catalogue; seeds_max is -1 if there is none. */
struct wari_proof_record {
    struct wari_variant variant;
    int seeds_max;
    struct wari_proof_level level[WARI_SEEDS_MAX + 1];
};

/* Returns the last level such that this and all lower levels have the payload hash that was proved;
 * -1 if there is none. */
int wari_proof_fits(const struct wari_proof_record *proof, const struct wari_catalogue *catalogue);

/* Reads the variant's record. If there is none, the result is WARI_OK and an empty record.
 * WARI_CORRUPT: it is damaged or of another variant; WARI_MISMATCH: it has another format version.
 * *proof is empty after a failure. */
WARI_MUST_CHECK enum wari_status wari_proof_read(struct wari_proof_record *proof,
                                                 const struct wari_host *host, const char *folder,
                                                 struct wari_variant variant,
                                                 struct wari_error *error);

/* Replaces the record on disk, atomically and durably. It must have at least one level. If several
 * processes do this at once, one of their records remains. */
WARI_MUST_CHECK enum wari_status wari_proof_write(const struct wari_proof_record *proof,
                                                  const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

#endif
