/* Finds holes with lseek(), which Linux and some other systems extend by SEEK_DATA and SEEK_HOLE.
 * On other systems, the whole file counts as data. */
#include "solver/import/holes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static enum wari_status add(struct wari_holes *holes, uint64_t first, uint64_t end,
                            size_t *capacity, struct wari_error *error)
{
    if (holes->count == *capacity) {
        const size_t more = 2 * *capacity + 16;
        void *memory;
        const enum wari_status status = wari_allocate(holes->host, more * sizeof *holes->data,
                                                      "the holes of a file", &memory, error);
        if (status != WARI_OK)
            return status;
        if (holes->count > 0)
            memcpy(memory, holes->data, holes->count * sizeof *holes->data);
        wari_release(holes->host, holes->data);
        holes->data = memory;
        *capacity = more;
    }
    holes->data[holes->count++] = (struct wari_data_range){first, end};
    return WARI_OK;
}

#ifdef SEEK_DATA
/* Finds the first range of data at or after the offset `from`. Sets *first to -1 if there is none.
 * Returns false and sets errno if the file cannot be read. */
static bool find_data(int fd, off_t from, off_t *first, off_t *end)
{
    *first = lseek(fd, from, SEEK_DATA);
    if (*first < 0 && errno == ENXIO)
        return true;
    *end = *first < 0 ? -1 : lseek(fd, *first, SEEK_HOLE);
    return *end >= 0;
}
#else
static bool find_data(int fd, off_t from, off_t *first, off_t *end)
{
    *end = lseek(fd, 0, SEEK_END);
    *first = from < *end ? from : -1;
    return *end >= 0;
}
#endif

enum wari_status wari_holes_find(struct wari_holes *holes, const struct wari_host *host, int fd,
                                 const char *path, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    size_t capacity = 0;
    off_t first, end = 0;

    *holes = (struct wari_holes){.host = host};
    while (status == WARI_OK) {
        if (!find_data(fd, end, &first, &end))
            status = wari_fail_errno(error, path, "find the holes of the file");
        else if (first < 0)
            return WARI_OK;
        else
            status = add(holes, (uint64_t)first, (uint64_t)end, &capacity, error);
    }
    wari_holes_free(holes);
    return status;
}

void wari_holes_free(struct wari_holes *holes)
{
    if (holes->host)
        wari_release(holes->host, holes->data);
    *holes = (struct wari_holes){0};
}

bool wari_is_hole(void *context, uint64_t offset, uint64_t bytes)
{
    const struct wari_holes *holes = context;
    size_t low = 0, high = holes->count;

    while (low < high) { /* finds the first range that ends after `offset` */
        const size_t middle = low + (high - low) / 2;
        if (holes->data[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == holes->count || holes->data[low].first >= offset + bytes;
}
