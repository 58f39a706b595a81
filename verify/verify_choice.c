/* Which of the loops this machine can run. */
#include "verify/verify_choice.h"

const struct wari_verify_look *wari_verify_look_listed(int number)
{
    const struct wari_verify_look *listed[] = {&wari_verify_look_portable, NULL, NULL, NULL};
    int count = 1;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        listed[count++] = &wari_verify_look_avx2;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        listed[count++] = &wari_verify_look_avx512;
#endif
#if defined(__aarch64__)
    listed[count++] = &wari_verify_look_neon;
#endif
    return number < count ? listed[number] : NULL;
}

/* The last one. */
static const struct wari_verify_look *fastest(void)
{
    const struct wari_verify_look *look = NULL, *next;
    for (int i = 0; (next = wari_verify_look_listed(i)); i++)
        look = next;
    return look;
}

void wari_verify_look_at(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                         const struct wari_verify_piece *piece)
{
    wari_verify_strip_fill(strip, level, piece);
    strip->look = fastest();
}
