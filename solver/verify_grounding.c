/* (b): every value that is not 0 can be forced.
 *
 * A table may pass (a) and still be wrong: positions of a cycle that lean on each other's values
 * and on nothing else. So positions are proved from the ends and captures backwards, until nothing
 * more can be: the least set that holds a positive value if one of the moves that attain it ends
 * the game, captures (lower levels are verified already) or leads into the set, and a negative one
 * if all moves do. With `even` cycles this is all, for endless play is worth 0.
 *
 * With `own` cycles endless play is worth a surplus that is held for ever. So when the set grows no
 * more, the greatest set of unproved positions is added in which the player who is ahead holds
 * a surplus of at least the value and play can be kept there (or in what is proved); then the
 * first step goes on, and so in turns until neither adds anything. Along such play the value never
 * sinks for the player who is ahead, so the surplus he holds is enough at every position.
 *
 * What always holds: both steps are monotone, so the result depends neither on the order of visits
 * nor on threads.
 */
#include "solver/verify.h"

bool wari_verify_supported(const struct wari_verify_moves *moves, int value,
                           const wari_verify_word *open, const wari_verify_word *surplus)
{
    for (int i = 0; i < moves->count; i++) {
        const struct wari_verify_move *move = &moves->list[i];
        if (value > 0 && move->value != value)
            continue;
        bool safe = !move->quiet || !wari_verify_has(open, move->child) ||
                    (surplus && wari_verify_has(surplus, move->child));
        if (safe == (value > 0))
            return safe;
    }
    return value < 0 || moves->count == 0;
}

/* ---- Proved from the ends backwards ---- */

static bool examine_proof(const struct wari_verifier *verifier, uint64_t cell,
                          const struct wari_position *position)
{
    struct wari_verify_moves moves;
    wari_verify_moves(verifier, position, &moves);
    return wari_verify_supported(&moves, verifier->values[verifier->seeds][cell], verifier->open,
                                 NULL) &&
           wari_verify_take(verifier->open, cell);
}

/* ---- Kept for ever ---- */

/* All open positions in which the player who is ahead holds enough. */
static void hope_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                         struct wari_verify_tally *tally)
{
    const int8_t *values = verifier->values[verifier->seeds];
    uint64_t end = wari_verify_stretch_end(verifier, piece);

    (void)context;
    for (uint64_t word = piece * WARI_VERIFY_STRETCH / 64; word * 64 < end; word++) {
        uint64_t bits = atomic_load_explicit(&verifier->open[word], memory_order_relaxed);
        uint64_t hopes = 0;
        for (; bits != 0; bits &= bits - 1) {
            uint64_t cell = word * 64 + (unsigned)__builtin_ctzll(bits);
            wari_verify_seek(verifier, &tally->cursor, cell);
            int lead = verifier->seeds - 2 * tally->cursor.opponent_seeds; /* of the mover */
            if (values[cell] > 0 ? lead >= values[cell] : lead <= values[cell])
                hopes |= bits & -bits;
        }
        atomic_store_explicit(&verifier->surplus[word], hopes, memory_order_relaxed);
    }
}

/* Takes out a position from which play cannot be kept in the set. */
static bool examine_surplus(const struct wari_verifier *verifier, uint64_t cell,
                            const struct wari_position *position)
{
    struct wari_verify_moves moves;
    wari_verify_moves(verifier, position, &moves);
    return !wari_verify_supported(&moves, verifier->values[verifier->seeds][cell], verifier->open,
                                  verifier->surplus) &&
           wari_verify_take(verifier->surplus, cell);
}

static void add_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                        struct wari_verify_tally *tally)
{
    uint64_t end = wari_verify_stretch_end(verifier, piece);

    (void)context;
    for (uint64_t word = piece * WARI_VERIFY_STRETCH / 64; word * 64 < end; word++) {
        uint64_t kept = atomic_load_explicit(&verifier->surplus[word], memory_order_relaxed);
        atomic_fetch_and_explicit(&verifier->open[word], ~kept, memory_order_relaxed);
        tally->changed += (unsigned)__builtin_popcountll(kept);
    }
}

/* Proves the greatest set of open positions whose surplus can be kept; *added is its size. */
static enum wari_status add_surplus(const struct wari_verifier *verifier, uint64_t *added)
{
    const struct wari_verify_task task = {"surplus", verifier->surplus, examine_surplus};
    uint64_t stretches = wari_verify_stretches(verifier);
    struct wari_verify_tally total = {0};
    enum wari_status status =
        wari_verify_pass(verifier, hope_stretch, NULL, stretches, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_spread(verifier, &task);
    if (status == WARI_OK)
        status = wari_verify_pass(verifier, add_stretch, NULL, stretches, NULL, &total);
    *added = total.changed;
    return status;
}

/* ---- The whole ---- */

enum wari_status wari_verify_grounding(const struct wari_verifier *verifier,
                                       struct wari_verify_found *found)
{
    const struct wari_verify_task task = {"grounding", verifier->open, examine_proof};
    uint64_t added = 0;
    enum wari_status status;
    do {
        status = wari_verify_spread(verifier, &task);
        if (status == WARI_OK && verifier->verify->variant.cycle == WARI_OWN)
            status = add_surplus(verifier, &added);
        if (status != WARI_OK)
            return status;
    } while (added > 0);
    return wari_verify_note_open(verifier, NULL, found);
}
