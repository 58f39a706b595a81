/* What is on record of a database's proof. */
#ifndef ANSWER_PROOF_H
#define ANSWER_PROOF_H

#include "db/wari.h"

struct answer_proof {
    int seeds_max;           /* levels 0..seeds_max are on record as proved; -1: none */
    enum wari_status status; /* not WARI_OK: there is a record that cannot be trusted, as for
                              * wari_proved() */
    struct wari_error error; /* then what is wrong with it */
};

/* Reads the record in the folder that `db` was opened in. */
void answer_proof_find(const struct wari_db *db, const char *folder, struct answer_proof *proof);

/* One word: "fits", "none", "damaged", "version" (another one) or "unreadable". */
const char *answer_proof_word(const struct answer_proof *proof);

#endif
