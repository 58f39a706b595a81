/* (c), `own` cycles only: no surplus is held for ever beyond the values of the table.
 *
 * Grounding shows that every value can be reached; here we see that none can be exceeded. Every
 * position whose surplus lies beyond its value (further from 0, on the same side) hopes for the
 * whole surplus. Hopes sink to the best of the moves under the hopes of the others, never below the
 * value itself, until they rest. Then a hope still above its value is a set of positions where play
 * can be kept with a surplus the table does not credit.
 *
 * What always holds: hopes only sink towards the values, so they rest at the greatest fixed point
 * whatever the order of visits. A position whose hope is its value is done with: its bit in `open`
 * (the memory of the proved set) is cleared and never set again. A position where the game is over
 * may hope until it is visited; the fixed point is the same.
 */
#include "index/half.h"
#include "solver/verify.h"

/* No further from 0 than the surplus `lead`, no nearer to 0 than `value`. */
static int clamp_hope(int best, int lead, int value)
{
    if (lead > 0)
        return best > lead ? lead : best < value ? value : best;
    return best < lead ? lead : best > value ? value : best;
}

static int read_hope(const struct wari_verifier *verifier, uint64_t cell)
{
    return atomic_load_explicit(&verifier->hopes[cell], memory_order_relaxed);
}

static void begin_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                          struct wari_verify_tally *tally)
{
    const int8_t *values = verifier->values[verifier->seeds];
    uint64_t end = wari_verify_stretch_end(verifier, piece);
    uint64_t open = 0;

    (void)context;
    for (uint64_t cell = piece * WARI_VERIFY_STRETCH; cell < end; cell++) {
        int value = values[cell];
        wari_verify_seek(verifier, &tally->cursor, cell);
        int lead = verifier->seeds - 2 * tally->cursor.opponent_seeds;
        bool hopes = lead > 0 ? value >= 0 && lead > value : value <= 0 && lead < value;
        atomic_store_explicit(&verifier->hopes[cell], (int8_t)(hopes ? lead : value),
                              memory_order_relaxed);
        open |= (uint64_t)hopes << cell % 64;
        if (cell % 64 == 63 || cell == end - 1) {
            atomic_store_explicit(&verifier->open[cell / 64], open, memory_order_relaxed);
            open = 0;
        }
    }
}

/* The best move under the hopes; `value` where there is none. */
static int best_hope(const struct wari_verifier *verifier, const struct wari_verify_moves *moves,
                     int value)
{
    int best = value;
    for (int i = 0; i < moves->count; i++) {
        const struct wari_verify_move *move = &moves->list[i];
        int worth = move->quiet ? -read_hope(verifier, move->child) : move->value;
        if (i == 0 || worth > best)
            best = worth;
    }
    return best;
}

/* Another thread may be at the same position; the hope that has sunk further stands. */
static bool lower_hope(wari_verify_hope *hope, int to, bool positive)
{
    int8_t before = atomic_load_explicit(hope, memory_order_relaxed);
    while (positive ? to < before : to > before) {
        if (atomic_compare_exchange_weak_explicit(hope, &before, (int8_t)to, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

static bool examine_hope(const struct wari_verifier *verifier, uint64_t cell,
                         const struct wari_position *position)
{
    int value = verifier->values[verifier->seeds][cell];
    int lead = 2 * wari_half_seeds(position->pits) - verifier->seeds;
    struct wari_verify_moves moves;

    wari_verify_moves(verifier, position, &moves);
    int hope = clamp_hope(best_hope(verifier, &moves, value), lead, value);
    bool sunk = lower_hope(&verifier->hopes[cell], hope, lead > 0);
    if (hope == value)
        wari_verify_take(verifier->open, cell);
    return sunk;
}

enum wari_status wari_verify_upper(const struct wari_verifier *verifier,
                                   struct wari_verify_found *found)
{
    const struct wari_verify_task task = {"upper bounds", verifier->open, examine_hope};
    struct wari_verify_tally total = {0};
    enum wari_status status = wari_verify_pass(verifier, begin_stretch, NULL,
                                               wari_verify_stretches(verifier), NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_spread(verifier, &task);
    if (status == WARI_OK)
        status = wari_verify_note_open(verifier, read_hope, found);
    return status;
}
