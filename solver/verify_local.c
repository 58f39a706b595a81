/* (a): every value is the best of its moves, and the table as a whole is the one that the catalogue
 * speaks of.
 *
 * The same pass begins with grounding, since it has the moves of every position at hand and most
 * positions are settled by a capture at once. Placements with a full opponent half are not stored;
 * they are made here once more, through their moves, for the catalogue's histogram counts them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "index/half.h"
#include "solver/verify.h"

/* All positions of the stretch are open. */
static void open_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                         struct wari_verify_tally *tally)
{
    uint64_t end = wari_verify_stretch_end(verifier, piece);
    (void)context;
    (void)tally;
    for (uint64_t cell = piece * WARI_VERIFY_STRETCH; cell < end; cell += 64) {
        uint64_t bits = end - cell < 64 ? (UINT64_C(1) << (end - cell)) - 1 : UINT64_MAX;
        atomic_store_explicit(&verifier->open[cell / 64], bits, memory_order_relaxed);
    }
}

static void check_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                          struct wari_verify_tally *tally)
{
    const int8_t *values = verifier->values[verifier->seeds];
    uint64_t end = wari_verify_stretch_end(verifier, piece);
    struct wari_verify_moves moves;

    (void)context;
    for (uint64_t cell = piece * WARI_VERIFY_STRETCH; cell < end; cell++) {
        int value = values[cell];
        wari_verify_seek(verifier, &tally->cursor, cell);
        wari_verify_moves(verifier, &tally->cursor.position, &moves);
        if (value != moves.best)
            wari_verify_note(&tally->found,
                             (struct wari_verify_difference){cell, value, moves.best, false});
        tally->histogram[value + WARI_SEEDS_MAX]++;
        if (verifier->open &&
            (value == 0 || wari_verify_supported(&moves, value, verifier->open, NULL)))
            wari_verify_take(verifier->open, cell);
    }
}

/* ---- Placements that are not stored ---- */

/* A full half with s seeds is any half with s - 6 seeds and one more in every pit. A piece is one
 * full opponent half, in the order of these halves from 0 seeds up, with all mover halves. */
static uint64_t full_halves(int seeds)
{
    uint64_t count = 0;
    for (int s = 0; s + WARI_HALF_PITS <= seeds; s++)
        count += wari_half_count(s);
    return count;
}

static void count_full_half(const struct wari_verifier *verifier, const void *context,
                            uint64_t piece, struct wari_verify_tally *tally)
{
    struct wari_position position;
    struct wari_verify_moves moves;
    uint64_t rank = piece;
    int s = 0;

    (void)context;
    for (; rank >= wari_half_count(s); s++)
        rank -= wari_half_count(s);
    wari_half_unrank(s, (uint32_t)rank, position.pits + WARI_HALF_PITS);
    for (int pit = WARI_HALF_PITS; pit < WARI_PITS; pit++)
        position.pits[pit]++;

    wari_half_unrank(verifier->seeds - s - WARI_HALF_PITS, 0, position.pits);
    do {
        wari_verify_moves(verifier, &position, &moves);
        tally->histogram[moves.best + WARI_SEEDS_MAX]++;
    } while (wari_half_next(position.pits));
}

/* ---- The whole ---- */

static void compare_histogram(const struct wari_verifier *verifier, const uint64_t *counted,
                              char *text, size_t size)
{
    const uint64_t *expected = verifier->catalogue.level[verifier->seeds].histogram;
    for (int i = 0; i <= 2 * WARI_SEEDS_MAX; i++) {
        if (counted[i] == expected[i])
            continue;
        snprintf(text, size,
                 "level %d: %" PRIu64 " placements are worth %d, the catalogue counts %" PRIu64,
                 verifier->seeds, counted[i], i - WARI_SEEDS_MAX, expected[i]);
        return;
    }
}

static void compare_hashes(const struct wari_verifier *verifier, uint64_t in_file, char *text,
                           size_t size)
{
    uint64_t in_catalogue = verifier->catalogue.level[verifier->seeds].payload_hash;
    uint64_t found = XXH3_64bits(verifier->values[verifier->seeds],
                                 (size_t)wari_level_positions(verifier->seeds));
    if (found == in_file && found == in_catalogue)
        return;
    snprintf(text, size,
             "level %d: the hash of the values is %016" PRIx64 ", in the file %016" PRIx64
             ", in the catalogue %016" PRIx64,
             verifier->seeds, found, in_file, in_catalogue);
}

enum wari_status wari_verify_local(const struct wari_verifier *verifier, uint64_t payload_hash,
                                   struct wari_verify_found *found, char *text, size_t size)
{
    uint64_t stretches = wari_verify_stretches(verifier);
    struct wari_verify_tally total = {0};
    enum wari_status status = WARI_OK;

    if (verifier->open)
        status = wari_verify_pass(verifier, open_stretch, NULL, stretches, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_pass(verifier, check_stretch, NULL, stretches, "moves", &total);
    if (status == WARI_OK)
        status = wari_verify_pass(verifier, count_full_half, NULL, full_halves(verifier->seeds),
                                  "counts", &total);
    if (status != WARI_OK)
        return status;
    wari_verify_merge(found, &total.found);
    compare_hashes(verifier, payload_hash, text, size);
    if (text[0] == 0)
        compare_histogram(verifier, total.histogram, text, size);
    return WARI_OK;
}
