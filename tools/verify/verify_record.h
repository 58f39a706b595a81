/* The record that `wari verify` keeps of what it has proved. */
#ifndef TOOLS_VERIFY_RECORD_H
#define TOOLS_VERIFY_RECORD_H

#include "db/catalogue/proof.h"

struct verify_record {
    const char *folder;
    bool anew;                      /* what the folder has does not count */
    struct wari_proof_record proof; /* as far as it fits the catalogue, and what was proved since */
    struct wari_catalogue catalogue;
    double began;            /* the level at hand, in seconds of a clock that never goes back */
    enum wari_status status; /* of the first failure to write; the proof goes on */
    struct wari_error error;
};

/* Reads what is there; says on standard error what of it counts. Fails where it is damaged or of
 * another version, which only `anew` replaces. */
WARI_MUST_CHECK enum wari_status verify_record_begin(struct verify_record *record,
                                                     const char *folder,
                                                     struct wari_variant variant, bool anew,
                                                     struct wari_error *error);

/* Levels below this one need no proof. */
int verify_record_known(const struct verify_record *record);

/* Enters a level and writes the record; that it cannot be written is kept in record->status.
 * WARI_MISMATCH: the level is on record with another hash, since the catalogue was replaced between
 * verify_record_begin() and the proof, which took the level for proved. */
WARI_MUST_CHECK enum wari_status verify_record_enter(struct verify_record *record, int seeds,
                                                     uint64_t payload_hash,
                                                     struct wari_error *error);

#endif
