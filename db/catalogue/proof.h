/* Proof records: "<rules>-<cycle>.proof", a short text file that lists the levels that were proved,
 * with the payload hashes of their values. FORMAT.md describes the file.
 *
 * A record says what a program found. It is not a signature: everybody who can write into the
 * folder can write a record.
 */
#ifndef DB_CATALOGUE_PROOF_H
#define DB_CATALOGUE_PROOF_H

#include "db/catalogue/catalogue.h"

enum { WARI_PROOF_WORD = 16 }; /* bytes of a version or a date, including the final 0 */

struct wari_proof_level {
    uint64_t payload_hash;
    char version[WARI_PROOF_WORD]; /* version of the program: digits and dots */
    char date[WARI_PROOF_WORD];    /* "2026-11-23" */
    uint64_t seconds;              /* duration of the proof, rounded down */
};

/* The record has the levels 0..seeds_max, except for 47, as in a catalogue; seeds_max is -1 if
 * it has no level. */
struct wari_proof_record {
    struct wari_variant variant;
    int seeds_max;
    struct wari_proof_level level[WARI_SEEDS_MAX + 1];
};

/* Returns the highest level n such that each of the levels 0..n has the payload hash in the
 * record; -1 if there is no such level. */
int wari_proof_fits(const struct wari_proof_record *proof, const struct wari_catalogue *catalogue);

/* Reads the variant's record. If there is none, returns WARI_OK and an empty record.
 * WARI_CORRUPT means that the record is damaged or is for another variant; WARI_MISMATCH means
 * that it has another format version. *proof is empty after a failure. */
WARI_MUST_CHECK enum wari_status wari_proof_read(struct wari_proof_record *proof,
                                                 const struct wari_host *host, const char *folder,
                                                 struct wari_variant variant,
                                                 struct wari_error *error);

/* Replaces the record on disk, atomically and durably. The record must have at least one level.
 * If several processes replace the record at once, the record of one of them remains. */
WARI_MUST_CHECK enum wari_status wari_proof_write(const struct wari_proof_record *proof,
                                                  const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

#endif
