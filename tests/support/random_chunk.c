/* Random chunks; a level may have more than 2^32 of them. */
#include "tests/support/random_chunk.h"

struct wari_chunk_range random_chunk(const struct wari_layout *layout, int i,
                                     struct random_positions *random)
{
    const uint64_t positions = wari_level_positions(layout->seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    const uint64_t some = (uint64_t)random_below(random, 1 << 30) << 30;
    const uint64_t chunk = i == 0 ? chunks - 1 : (some + random_below(random, 1 << 30)) % chunks;
    size_t count = wari_chunk_size(chunk, positions);
    if (i % 4 == 3)
        count = 1 + random_below(random, (uint32_t)count);
    return wari_whole_chunk_range(layout, chunk, count);
}
