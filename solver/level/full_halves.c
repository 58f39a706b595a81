/* Opens and closes the file with the best captures of full opponent halves; see full_halves.h. */
#include "solver/level/full_halves.h"

#include "index/half.h"

uint64_t wari_full_halves_bytes(const struct wari_layout *layout)
{
    return wari_level_placements(layout->seeds) - wari_level_positions(layout->seeds);
}

enum wari_status wari_full_halves_open(struct wari_full_halves *full, const struct wari_host *host,
                                       const struct wari_layout *layout, const char *folder,
                                       const char *name, struct wari_error *error)
{
    const enum wari_status status =
        wari_temporary_file_open(&full->temporary, host, folder, name, error);
    uint64_t offset = 0;

    if (status != WARI_OK)
        return status;
    full->complete = false;
    atomic_init(&full->bytes_read, 0);
    atomic_init(&full->bytes_written, 0);
    atomic_init(&full->sum, 0);
    for (int block = 0; block <= layout->seeds; block++) {
        full->offset[block] = offset;
        offset += (uint64_t)(wari_half_count(block) - layout->rows[block]) * layout->columns[block];
    }
    return WARI_OK;
}

void wari_full_halves_close(struct wari_full_halves *full)
{
    wari_temporary_file_close(&full->temporary);
    full->complete = false;
}
