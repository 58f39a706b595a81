/* Creates the private data of the threads (workers.h): a reader of lower levels and a tile for
 * each. */
#include "solver/level/workers.h"

#include <string.h>

enum {
    ALIGNMENT = 64,
    TILE_BYTES = WARI_ITEM_STRIPS_MAX * WARI_ITEM_STRIP_CELLS,
    DECODER_BYTES = 600 << 10, /* memory of a reader and its decoder; measured: 0.32 MB */
};

/* Returns the bytes that wari_workers_create() allocates itself. */
static size_t tiles_bytes(int threads)
{
    return (size_t)threads * (sizeof(struct wari_worker) + TILE_BYTES + ALIGNMENT);
}

uint64_t wari_workers_bytes(int threads)
{
    return tiles_bytes(threads) + (uint64_t)threads * DECODER_BYTES;
}

void wari_workers_none(struct wari_workers *workers, const struct wari_host *host)
{
    *workers = (struct wari_workers){.host = host};
    atomic_init(&workers->barrier.arrived, 0);
    atomic_init(&workers->barrier.round, 0);
    atomic_init(&workers->barrier.waited, 0);
    atomic_init(&workers->barrier.alone, false);
    atomic_init(&workers->failed, false);
    atomic_flag_clear(&workers->noted);
}

enum wari_status wari_workers_create(struct wari_workers *workers, const struct wari_host *host,
                                     struct wari_lower_cache *lower, int threads,
                                     struct wari_error *error)
{
    const size_t worker_bytes = (size_t)threads * sizeof(struct wari_worker);
    void *memory;
    enum wari_status status =
        wari_allocate(host, tiles_bytes(threads), "the threads' tiles", &memory, error);

    wari_workers_none(workers, host);
    workers->count = threads;
    if (status != WARI_OK)
        return status;
    workers->worker = memory;
    memset(workers->worker, 0, worker_bytes);
    for (int i = 0; i < threads && status == WARI_OK; i++) {
        const uintptr_t tile = (uintptr_t)memory + worker_bytes + (uintptr_t)i * TILE_BYTES;
        workers->worker[i].tile = (int8_t *)((tile + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        memset(workers->worker[i].tile, 0, TILE_BYTES); /* items with fewer than 64 columns do not
                                                         * write the remaining columns */
        status = wari_reader_create(&workers->worker[i].reader, lower, error);
    }
    if (status != WARI_OK)
        wari_workers_destroy(workers);
    return status;
}

void wari_workers_destroy(struct wari_workers *workers)
{
    if (!workers->worker)
        return; /* creation failed, or was never tried */
    for (int i = 0; i < workers->count; i++)
        wari_reader_destroy(workers->worker[i].reader);
    wari_release(workers->host, workers->worker);
    workers->worker = NULL;
}

void wari_workers_fail(struct wari_workers *workers, const struct wari_error *error)
{
    if (!atomic_flag_test_and_set_explicit(&workers->noted, memory_order_acq_rel)) {
        workers->status = error->status;
        workers->error = *error;
    }
    atomic_store_explicit(&workers->failed, true, memory_order_relaxed);
}

enum wari_status wari_workers_failure(const struct wari_workers *workers, struct wari_error *error)
{
    for (int i = 0; i < workers->count; i++) {
        const enum wari_status status = wari_reader_failure(workers->worker[i].reader, error);
        if (status != WARI_OK)
            return status;
    }
    if (workers->status != WARI_OK && error)
        *error = workers->error;
    return workers->status;
}
