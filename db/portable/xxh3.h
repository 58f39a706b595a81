/* XXH3 with 64 bits, the hash of level files, for programs that are not linked with xxHash. */
#ifndef DB_PORTABLE_XXH3_H
#define DB_PORTABLE_XXH3_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 treats shorter inputs in other ways, which are left out: no part of a level file is shorter.
 */
enum { WARI_XXH3_LEAST = 9 };

/* Returns what XXH3_64bits_withSeed() of xxHash returns. `count` is at least WARI_XXH3_LEAST. */
uint64_t wari_xxh3(const uint8_t *bytes, size_t count, uint64_t seed);

#endif
