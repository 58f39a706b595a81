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
    return wari_fail(error, WARI_IO,
                     "%s: the bytes at offsets %llu to %llu are not those that were written there, "
                     "so the work on this level is lost; check whether the disk is faulty or full "
                     "and whether another program writes to it, or choose another folder with "
                     "--scratch, and run the same build again",
                     path, (unsigned long long)offset, (unsigned long long)(offset + bytes - 1));
}
