/* What a proof takes: the level at hand, a table of columns, and room for what is read of the
 * levels below, which may be small: then the same positions are gone through more often.
 */
#include "verify/verify_memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "db/format/level_file.h"
#include "index/half.h"
#include "system/huge_pages.h"

enum {
    PROGRAM = 16 << 20,    /* the program, libraries, and headers of open files */
    THREAD = 2 << 20,      /* a decoder, and the stack */
    BELOW_LEAST = 1 << 20, /* room for what is read of the levels below */
    BELOW_MOST = 64 << 20, /* more does not make it faster */
};

static uint64_t largest_level(int seeds_max, enum wari_cycle cycle, enum wari_verify_mode mode)
{
    uint64_t most = 0;
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        const struct wari_verify_room room =
            wari_verify_level_room(seeds, cycle, mode == WARI_VERIFY_FULL);
        const uint64_t bytes = room.cells + room.full + room.hopes + room.pieces;
        most = bytes > most ? bytes : most;
    }
    return (most + 63) / 64 * 64;
}

/* The least: a row of the largest level below, and one of each (verify_ends.c). */
static uint64_t least_below(int seeds_max)
{
    uint64_t rows = 0;
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        rows += wari_half_count(seeds);
    return rows > BELOW_LEAST ? rows : BELOW_LEAST;
}

static uint64_t most_below(int seeds_max)
{
    const uint64_t least = least_below(seeds_max);
    const uint64_t all = seeds_max < 2 ? 1 : wari_level_positions(seeds_max - 2);
    const uint64_t most = all < BELOW_MOST ? all : BELOW_MOST;
    return most > least ? most : least;
}

static uint64_t columns_bytes(int seeds_max)
{
    return (wari_verify_columns_bytes(seeds_max) + 63) / 64 * 64;
}

struct wari_verify_need wari_verify_need(struct wari_variant variant, int seeds_max,
                                         enum wari_verify_mode mode, int threads)
{
    /* The handle that says what a wrong value should be, and a file that is being read. */
    uint64_t rest = PROGRAM + (uint64_t)threads * THREAD + columns_bytes(seeds_max);
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        rest += wari_level_file_memory(seeds);
    rest += wari_level_file_memory(seeds_max);
    rest += largest_level(seeds_max, variant.cycle, mode);
    return (struct wari_verify_need){rest + least_below(seeds_max), rest + most_below(seeds_max)};
}

/* Room for the levels below, within what the caller allows. */
static enum wari_status size_below(struct wari_verify_run *run)
{
    const struct wari_verify *verify = run->verify;
    const int seeds_max = run->catalogue.seeds_max;
    const struct wari_verify_need need =
        wari_verify_need(verify->variant, seeds_max, verify->mode, run->threads);

    run->below_bytes = most_below(seeds_max);
    if (verify->memory == 0 || verify->memory >= need.most)
        return WARI_OK;
    if (verify->memory < need.least)
        return wari_fail(run->error, WARI_NO_MEMORY,
                         "verifying levels 0..%d takes %" PRIu64 " MB at least: --memory %" PRIu64
                         "M; --sample needs little",
                         seeds_max, need.least / 1000000 + 1, need.least / 1000000 + 1);
    run->below_bytes = least_below(seeds_max) + (verify->memory - need.least);
    return WARI_OK;
}

static enum wari_status make_decoders(struct wari_verify_memory *memory,
                                      struct wari_verify_run *run)
{
    enum wari_status status = WARI_OK;
    while (memory->decoders < run->threads && status == WARI_OK) {
        status = wari_decoder_create(&run->decoders[memory->decoders], run->host, run->error);
        memory->decoders += status == WARI_OK;
    }
    return status;
}

enum wari_status wari_verify_memory_take(struct wari_verify_memory *memory,
                                         struct wari_verify_run *run)
{
    const int seeds_max = run->catalogue.seeds_max;
    const uint64_t decoders = ((uint64_t)run->threads * sizeof(void *) + 63) / 64 * 64;
    const uint64_t columns = columns_bytes(seeds_max);
    const uint64_t level = largest_level(seeds_max, run->verify->variant.cycle, run->verify->mode);
    char what[80];

    *memory = (struct wari_verify_memory){0};
    enum wari_status status = size_below(run);
    if (status != WARI_OK)
        return status;
    const uint64_t bytes = decoders + columns + level + run->below_bytes;
    snprintf(what, sizeof what, "verifying levels 0..%d (%" PRIu64 " MB; --sample needs little)",
             seeds_max, bytes / 1000000 + 1);
    status = wari_allocate(run->host, bytes, what, &memory->block, run->error);
    if (status != WARI_OK)
        return status;

    char *next = memory->block;
    wari_ask_for_huge_pages(next, bytes);
    run->decoders = (struct wari_decoder **)(void *)next;
    wari_verify_columns_fill(&run->columns, seeds_max, next + decoders);
    memory->level = next + decoders + columns;
    run->below = (int8_t *)(next + decoders + columns + level);
    return make_decoders(memory, run);
}

void wari_verify_memory_release(struct wari_verify_memory *memory,
                                const struct wari_verify_run *run)
{
    while (memory->decoders > 0)
        wari_decoder_destroy(run->decoders[--memory->decoders]);
    wari_release(run->host, memory->block);
    memory->block = NULL;
}
