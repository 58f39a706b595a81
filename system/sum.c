/* Checksums of scratch files; see sum.h. */
#include "system/sum.h"

#include <xxhash.h>

uint64_t wari_sum(const void *bytes, size_t count, uint64_t place)
{
    const uint64_t sum = XXH3_64bits_withSeed(bytes, count, place);

    return sum != 0 ? sum : 1;
}

enum wari_status wari_sum_is_wrong(struct wari_error *error, const char *path, uint64_t offset,
                                   uint64_t bytes)
{
    return wari_fail(
        error, WARI_IO,
        "%s: byte %llu and the %llu after it are not what was written there; nothing "
        "of the level is kept: find out whether the disk is sound, whether it is full and "
        "who else writes there, or choose another folder (--scratch), and start again",
        path, (unsigned long long)offset, (unsigned long long)bytes - 1);
}
