/* Which of the loops this machine can run. */
#include "verify/strip/verify_choice.h"

const struct wari_verify_look *wari_verify_look_fastest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        return &wari_verify_look_avx512;
#endif
    return &wari_verify_look_portable;
}

void wari_verify_look_at(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                         const struct wari_verify_piece *piece)
{
    wari_verify_strip_fill(strip, level, piece);
    strip->look = wari_verify_look_fastest();
}
