/* The threads' own memory: a reader of lower levels, a tile, the results of a merge. */
#include "solver/level/team.h"

#include <string.h>

enum {
    ALIGNMENT = 64,
    TILE_BYTES = WARI_ITEM_STRIPS * WARI_PATCH,
    DECODER_BYTES = 600 << 10, /* of a reader: measured 0.58 MB */
};

/* Of what is allocated here. */
static size_t tiles_bytes(int threads)
{
    return (size_t)threads * (sizeof(struct wari_worker) + TILE_BYTES + ALIGNMENT);
}

uint64_t wari_team_bytes(int threads)
{
    return tiles_bytes(threads) + (uint64_t)threads * DECODER_BYTES;
}

enum wari_status wari_team_create(struct wari_team *team, const struct wari_host *host,
                                  struct wari_lower *lower, int threads, struct wari_error *error)
{
    const size_t workers = (size_t)threads * sizeof(struct wari_worker);
    void *memory;
    enum wari_status status =
        wari_allocate(host, tiles_bytes(threads), "the threads' tiles", &memory, error);

    *team = (struct wari_team){.host = host, .threads = threads};
    atomic_init(&team->barrier.arrived, 0);
    atomic_init(&team->barrier.round, 0);
    atomic_init(&team->failed, false);
    atomic_flag_clear(&team->noted);
    if (status != WARI_OK)
        return status;
    team->worker = memory;
    memset(team->worker, 0, workers);
    for (int i = 0; i < threads && status == WARI_OK; i++) {
        const uintptr_t tile = (uintptr_t)memory + workers + (uintptr_t)i * TILE_BYTES;
        team->worker[i].tile = (int8_t *)((tile + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        memset(team->worker[i].tile, 0, TILE_BYTES); /* short items leave columns unwritten */
        status = wari_reader_create(&team->worker[i].reader, lower, error);
    }
    if (status != WARI_OK)
        wari_team_destroy(team);
    return status;
}

void wari_team_destroy(struct wari_team *team)
{
    if (!team->worker)
        return; /* never made, or not whole */
    for (int i = 0; i < team->threads; i++)
        wari_reader_destroy(team->worker[i].reader);
    wari_release(team->host, team->worker);
    team->worker = NULL;
}

void wari_team_fail(struct wari_team *team, const struct wari_error *error)
{
    if (!atomic_flag_test_and_set_explicit(&team->noted, memory_order_acq_rel)) {
        team->status = error->status;
        team->error = *error;
    }
    atomic_store_explicit(&team->failed, true, memory_order_relaxed);
}

enum wari_status wari_team_failure(const struct wari_team *team, struct wari_error *error)
{
    for (int i = 0; i < team->threads; i++) {
        const enum wari_status status = wari_reader_failure(team->worker[i].reader, error);
        if (status != WARI_OK)
            return status;
    }
    if (team->status != WARI_OK && error)
        *error = team->error;
    return team->status;
}
