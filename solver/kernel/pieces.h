/* A strip whose children are gathered from many rows, by kernels that permute bytes within 16 of
 * them: the children of each 16 parents are cut into **pieces**, which lie within 16 bytes. A round
 * has one piece of each 16 parents, or what adds nothing to it, so that a strip is put together
 * from the rounds' shuffles:
 *
 *     child row     . x x . . x . x x . . . . . . . . . . x x . . . x . x   x: children of 16
 * parents pieces          |<------ 16 bytes ------->|         |<------ 16 bytes ...
 */
#ifndef SOLVER_KERNEL_PIECES_H
#define SOLVER_KERNEL_PIECES_H

#include <immintrin.h>

#include "solver/kernel/plain.h"

#define WARI_PIECES __attribute__((target("sse4.1"))) static inline

struct wari_shuffles {
    uint8_t shuffle[WARI_STRIP];
    uint32_t column[4]; /* of the child row */
};

enum { WARI_ROUNDS = 16, WARI_NO_CHILD = 0x80 }; /* at most; what a shuffle makes a zero */

/* A strip, cut. */
struct wari_cut {
    struct wari_shuffles round[WARI_ROUNDS];
    int count[4]; /* pieces of each 16 parents */
};

/* Cuts the children that 16 parents, the ones from place 16 * `group` on, have in one word, those
 * from `place` to `end`. */
WARI_PIECES void wari_cut_pieces(struct wari_cut *cut, int group, int place, int end,
                                 uint32_t column, const uint8_t *index)
{
    struct wari_shuffles *round = cut->round + cut->count[group];
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i high = _mm_set1_epi8((char)0xf0), none = _mm_set1_epi8((char)WARI_NO_CHILD);
    const int first = 16 * group;
    const __m128i all = _mm_loadu_si128((const void *)(index + first));

    for (; place < end; round++) {
        const __m128i behind = _mm_sub_epi8(all, _mm_set1_epi8((char)index[place]));
        const __m128i near = _mm_cmpeq_epi8(_mm_and_si128(behind, high), _mm_setzero_si128());
        const uint32_t run = ~((uint32_t)_mm_movemask_epi8(near) >> (place - first));
        const int next = place + __builtin_ctz(run), stop = next < end ? next : end;
        const __m128i here =
            _mm_andnot_si128(_mm_cmpgt_epi8(_mm_set1_epi8((char)(place - first)), lane),
                             _mm_cmpgt_epi8(_mm_set1_epi8((char)(stop - first)), lane));
        _mm_storeu_si128((void *)(round->shuffle + first), _mm_blendv_epi8(none, behind, here));
        round->column[group] = column + index[place];
        place = stop;
    }
    cut->count[group] = (int)(round - cut->round);
}

/* Returns the number of rounds. */
WARI_PIECES int wari_cut_strip(const struct wari_gather *gather, uint32_t strip,
                               struct wari_cut *cut)
{
    const struct wari_word *words = gather->word + gather->first_word[strip];
    const struct wari_word *end = gather->word + gather->first_word[strip + 1];
    const uint8_t *index = gather->index + (size_t)strip * WARI_STRIP;
    const uint32_t left = gather->parents - strip * WARI_STRIP;
    const int parents = left < WARI_STRIP ? (int)left : WARI_STRIP;
    int most = 0;

    memset(cut->count, 0, sizeof cut->count);
    for (const struct wari_word *word = words; word < end; word++) {
        const int behind = word + 1 < end ? word[1].start : parents;
        for (int group = word->start / 16; 16 * group < behind; group++) {
            const int from = word->start > 16 * group ? word->start : 16 * group;
            const int to = behind < 16 * group + 16 ? behind : 16 * group + 16;
            wari_cut_pieces(cut, group, from, to, word->column, index);
        }
    }
    for (int group = 0; group < 4; group++)
        most = cut->count[group] > most ? cut->count[group] : most;
    for (int group = 0; group < 4; group++)
        for (int i = cut->count[group]; i < most; i++) {
            memset(cut->round[i].shuffle + 16 * group, WARI_NO_CHILD, 16);
            cut->round[i].column[group] = words->column;
        }
    return most;
}

#endif
