/* A record that cannot be trusted is no reason not to answer; it is named, and nothing counts as
 * proved. */
#include "answer/proof.h"

void answer_proof_find(const struct wari_db *db, const char *folder, struct answer_proof *proof)
{
    proof->status = wari_proved(db, folder, &proof->seeds_max, &proof->error);
}

const char *answer_proof_word(const struct answer_proof *proof)
{
    switch (proof->status) {
    case WARI_OK:
        return proof->seeds_max >= 0 ? "fits" : "none";
    case WARI_CORRUPT:
        return "damaged";
    case WARI_MISMATCH:
        return "version";
    default:
        return "unreadable";
    }
}
