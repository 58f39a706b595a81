/* The record of a proof: "<rules>-<cycle>.proof", a short text file that says which levels were
 * proved, with the payload hashes of what was proved. Described in FORMAT.md.
 *
 * A record says what a program found. It is not a signature: who can write into the folder can
 * write a record. */
#ifndef DB_PROOF_PROOF_H
#define DB_PROOF_PROOF_H

#include "db/catalogue/catalogue.h"

enum { WARI_PROOF_WORD = 16 }; /* room for a version or a date */

struct wari_proof_level {
    uint64_t payload_hash;
    char version[WARI_PROOF_WORD]; /* of the program: digits and dots */
    char date[WARI_PROOF_WORD];    /* "2026-11-23" */
    uint64_t seconds;              /* that it took, rounded down */
};

/* Levels 0..seeds_max without 47, as in a catalogue; -1: none. */
struct wari_proof_record {
    struct wari_variant variant;
    int seeds_max;
    struct wari_proof_level level[WARI_SEEDS_MAX + 1];
};

/* The last level up to which all have the payload that was proved; -1: none. */
int wari_proof_fits(const struct wari_proof_record *proof, const struct wari_catalogue *catalogue);

/* Reads the variant's record. One that does not exist gives WARI_OK and an empty one. WARI_CORRUPT:
 * damaged, or another variant's; WARI_MISMATCH: another format version. *proof is empty after a
 * failure. */
WARI_MUST_CHECK enum wari_status wari_proof_read(struct wari_proof_record *proof,
                                                 const struct wari_host *host, const char *folder,
                                                 struct wari_variant variant,
                                                 struct wari_error *error);

/* Replaces the record on disk, all or nothing, and durably. At least one level. Several processes
 * may do so at once; one of their records stays. */
WARI_MUST_CHECK enum wari_status wari_proof_write(const struct wari_proof_record *proof,
                                                  const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

#endif
