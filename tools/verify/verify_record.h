/* The record of proved levels that `wari verify` writes while it proves a database. */
#ifndef TOOLS_VERIFY_VERIFY_RECORD_H
#define TOOLS_VERIFY_VERIFY_RECORD_H

#include "db/catalogue/proof.h"

struct verify_record {
    const char *folder;
    bool anew;                      /* ignore an existing record */
    struct wari_proof_record proof; /* the levels of an existing record that fit the catalogue, and
                                     * the levels proved since */
    struct wari_catalogue catalogue;
    double began;            /* when the current level began, in seconds of a monotonic clock */
    enum wari_status status; /* status of the first failure to write; the proof continues after
                              * it */
    struct wari_error error;
};

/* Reads the existing record and prints on standard error which of its levels count as proved. Fails
 * if the record is damaged or of another version; such a record is replaced only if `anew` is true.
 */
WARI_MUST_CHECK enum wari_status verify_record_begin(struct verify_record *record,
                                                     const char *folder,
                                                     struct wari_variant variant, bool anew,
                                                     struct wari_error *error);

/* Returns the first level that is not on record. */
int verify_record_known(const struct verify_record *record);

/* Adds a level to the record and writes the record. A failure to write is stored in
 * record->status. Fails with WARI_MISMATCH if the level is on record with another hash. This
 * happens if the catalogue was replaced after verify_record_begin() had read it: the proof then
 * took the level for proved, although its new values are not those on record. */
WARI_MUST_CHECK enum wari_status verify_record_enter(struct verify_record *record, int seeds,
                                                     uint64_t payload_hash,
                                                     struct wari_error *error);

#endif
