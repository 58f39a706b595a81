/* Allocates the memory of a proof: the current level, the tables of columns, and a buffer for
 * values of the lower levels. That buffer may be small; a smaller buffer means that the positions
 * of the current level are visited more often. */
#include "verify/verify_memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "db/format/level_file.h"
#include "index/half.h"
#include "system/huge_pages.h"

/* Sizes in bytes. */
enum {
    PROGRAM = 16 << 20,          /* memory of the program, the libraries, and headers of open
                                  * files */
    THREAD = 2 << 20,            /* memory of each thread: a decoder and the stack */
    LOWER_BUFFER_MIN = 1 << 20,  /* smallest size of the buffer with values of the lower levels */
    LOWER_BUFFER_MAX = 64 << 20, /* a larger buffer does not make the proof faster */
};

static uint64_t largest_level(int seeds_max, enum wari_cycle cycle, enum wari_verify_mode mode)
{
    uint64_t most = 0;
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        const struct wari_verify_level_sizes sizes =
            wari_verify_level_sizes(seeds, cycle, mode == WARI_VERIFY_FULL);
        const uint64_t bytes = sizes.cells + sizes.full + sizes.bounds + sizes.items;
        most = bytes > most ? bytes : most;
    }
    return (most + 63) / 64 * 64;
}

/* Returns the size of the smallest buffer for lower levels that works. It must hold one row of each
 * lower level (verify_ends.c). The pending positions use the memory of the full positions and, if
 * that is not enough, also this buffer (verify_level.h). So the buffer must hold the rest of them.
 */
static uint64_t smallest_buffer(int seeds_max)
{
    uint64_t rows = 0, least = LOWER_BUFFER_MIN;
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        const struct wari_verify_level_sizes sizes =
            wari_verify_level_sizes(seeds, WARI_EVEN, true);
        if (sizes.pending > sizes.full && sizes.pending - sizes.full > least)
            least = sizes.pending - sizes.full;
        rows += wari_half_count(seeds);
    }
    return rows > least ? rows : least;
}

static uint64_t largest_buffer(int seeds_max)
{
    const uint64_t least = smallest_buffer(seeds_max);
    const uint64_t all = seeds_max < 2 ? 1 : wari_level_positions(seeds_max - 2);
    const uint64_t most = all < LOWER_BUFFER_MAX ? all : LOWER_BUFFER_MAX;
    return most > least ? most : least;
}

static uint64_t columns_bytes(int seeds_max)
{
    return (wari_verify_columns_bytes(seeds_max) + 63) / 64 * 64;
}

struct wari_verify_need wari_verify_need(struct wari_variant variant, int seeds_max,
                                         enum wari_verify_mode mode, int threads)
{
    /* Memory for the handle that computes the expected values of differences, and for the file
     * being read. */
    uint64_t rest = PROGRAM + (uint64_t)threads * THREAD + columns_bytes(seeds_max);
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        rest += wari_level_file_memory(seeds);
    rest += wari_level_file_memory(seeds_max);
    rest += largest_level(seeds_max, variant.cycle, mode);
    return (struct wari_verify_need){rest + smallest_buffer(seeds_max),
                                     rest + largest_buffer(seeds_max)};
}

/* Sets the size of the buffer for the lower levels to what the caller's limit leaves. */
static enum wari_status size_lower_buffer(struct wari_verify_proof *proof)
{
    const struct wari_verify *verify = proof->verify;
    const int seeds_max = proof->catalogue.seeds_max;
    const struct wari_verify_need need =
        wari_verify_need(verify->variant, seeds_max, verify->mode, proof->threads);

    proof->lower_bytes = largest_buffer(seeds_max);
    if (verify->memory == 0 || verify->memory >= need.most)
        return WARI_OK;
    if (verify->memory < need.least)
        return wari_fail(proof->error, WARI_NO_MEMORY,
                         "verifying levels 0 to %d needs at least %" PRIu64
                         " MB of memory; give --memory %" PRIu64
                         "M, or --sample, which needs little",
                         seeds_max, need.least / 1000000 + 1, need.least / 1000000 + 1);
    proof->lower_bytes = smallest_buffer(seeds_max) + (verify->memory - need.least);
    return WARI_OK;
}

static enum wari_status make_decoders(struct wari_verify_memory *memory,
                                      struct wari_verify_proof *proof)
{
    enum wari_status status = WARI_OK;
    while (memory->decoders < proof->threads && status == WARI_OK) {
        status = wari_decoder_create(&proof->decoders[memory->decoders], proof->host, proof->error);
        memory->decoders += status == WARI_OK;
    }
    return status;
}

enum wari_status wari_verify_memory_allocate(struct wari_verify_memory *memory,
                                             struct wari_verify_proof *proof)
{
    const int seeds_max = proof->catalogue.seeds_max;
    const uint64_t decoders = ((uint64_t)proof->threads * sizeof(void *) + 63) / 64 * 64;
    const uint64_t columns = columns_bytes(seeds_max);
    const uint64_t level =
        largest_level(seeds_max, proof->verify->variant.cycle, proof->verify->mode);
    char what[80];

    *memory = (struct wari_verify_memory){0};
    enum wari_status status = size_lower_buffer(proof);
    if (status != WARI_OK)
        return status;
    const uint64_t bytes = decoders + columns + level + proof->lower_bytes;
    snprintf(what, sizeof what, "verifying levels 0 to %d (%" PRIu64 " MB; --sample needs little)",
             seeds_max, bytes / 1000000 + 1);
    status = wari_allocate(proof->host, bytes, what, &memory->block, proof->error);
    if (status != WARI_OK)
        return status;

    char *next = memory->block;
    wari_ask_for_huge_pages(next, bytes);
    proof->decoders = (struct wari_decoder **)(void *)next;
    wari_verify_columns_fill(&proof->columns, seeds_max, next + decoders);
    memory->level = next + decoders + columns;
    proof->lower_values = (int8_t *)(next + decoders + columns + level);
    return make_decoders(memory, proof);
}

void wari_verify_memory_release(struct wari_verify_memory *memory,
                                const struct wari_verify_proof *proof)
{
    while (memory->decoders > 0)
        wari_decoder_destroy(proof->decoders[--memory->decoders]);
    wari_release(proof->host, memory->block);
    memory->block = NULL;
}
