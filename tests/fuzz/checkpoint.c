/* Puts arbitrary bytes as a checkpoint into a folder in which its level is to be built. A fuzzer
 * would hardly ever find correct hashes, so the input selects the hashes that are corrected after
 * its edits.
 *
 *     byte 0    bit 0..1    the intact checkpoint: 0: growing values, cycle rule `even`;
 *                           1: growing values, `own`; 2: shrinking bounds, `own`;
 *                           3: a smaller level, of 364 cells
 *               bit 2       if set, the other bytes are the file; otherwise they describe edits of
 *                           the intact checkpoint (edits.h)
 *               bit 3       if set, the sum of the hashes of header and rows is corrected
 *               bit 4       if set, the header's hash is corrected
 *
 * The build must finish, whatever the checkpoint is. Correcting the sum makes the build accept
 * cells that no sweep produced. If it is not corrected, the files must be those of a build without
 * a checkpoint. */
#include "tests/fuzz/fuzz.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/host/bytes.h"
#include "index/level.h"
#include "solver/build.h"
#include "tests/fuzz/edits.h"
#include "tests/support/memory_host.h"

enum { WHICH = 3, RAW = 4, SEAL_ROWS = 8, SEAL_HEADER = 16 };

/* Byte offsets in a checkpoint, as in checkpoint.h. */
enum { AT_SUM = 40, AT_HASH = 48, CELLS = 56 };

enum { BASES = 4 };

struct checkpoint_base {
    struct wari_variant variant;
    int seeds;
    enum wari_phase phase; /* the phase in which the build that writes the checkpoint is stopped */
    int sweeps;            /* number of sweeps of this phase after which that build is stopped */
    struct memory_host *with, *whole, *damaged;
    char name[MEMORY_NAME];
};

/* ---- Intact checkpoints -------------------------------------------------------------------- */

struct stopper {
    atomic_bool stop;
    const struct checkpoint_base *base;
    int sweeps;
};

static void watch(void *context, const struct wari_progress *progress)
{
    struct stopper *stopper = context;

    if (progress->seeds == stopper->base->seeds && progress->phase == stopper->base->phase &&
        ++stopper->sweeps == stopper->base->sweeps)
        atomic_store(&stopper->stop, true);
}

static struct wari_build build_in(const struct checkpoint_base *base,
                                  const struct memory_host *memory)
{
    return (struct wari_build){.folder = "folder",
                               .variant = base->variant,
                               .seeds = base->seeds,
                               .threads = 1,
                               .host = &memory->host};
}

static void make(struct checkpoint_base *base)
{
    struct stopper stopper = {.base = base};
    struct wari_build build;

    snprintf(base->name, sizeof base->name, "%s-%s-%d.checkpoint",
             wari_get_rules_info(base->variant.rules)->name, wari_cycle_name(base->variant.cycle),
             base->seeds);
    base->with = memory_host_create();
    base->whole = memory_host_create();
    base->damaged = memory_host_create();
    build = build_in(base, base->whole);
    fuzz_must(wari_build(&build, NULL) == WARI_OK, "the levels can be built");
    build = build_in(base, base->with);
    build.checkpoint = 1e-9;
    build.progress = watch;
    build.context = &stopper;
    build.stop = &stopper.stop;
    fuzz_must(wari_build(&build, NULL) == WARI_INTERRUPTED, "a build can be stopped");
    fuzz_must(memory_host_file(base->with, base->name) != NULL, "it leaves a checkpoint");
}

static struct checkpoint_base *base_of(int which)
{
    static struct checkpoint_base bases[BASES] = {
        {.variant = {WARI_AWARI, WARI_EVEN}, .seeds = 5, .phase = WARI_PHASE_SWEEP, .sweeps = 2},
        {.variant = {WARI_ABAPA, WARI_OWN}, .seeds = 5, .phase = WARI_PHASE_SWEEP, .sweeps = 2},
        {.variant = {WARI_ABAPA, WARI_OWN}, .seeds = 5, .phase = WARI_PHASE_SHRINK, .sweeps = 2},
        {.variant = {WARI_AWARI, WARI_EVEN}, .seeds = 3, .phase = WARI_PHASE_SWEEP, .sweeps = 2},
    };
    struct checkpoint_base *base = &bases[which];

    if (base->with == NULL)
        make(base);
    memory_host_copy(base->damaged, base->with, false, false);
    return base;
}

/* ---- Hashes --------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct checkpoint_base *base, const uint8_t *bytes, uint64_t seed)
{
    const uint8_t *cells = bytes + CELLS;
    struct wari_layout layout;
    uint64_t sum = XXH3_64bits_withSeed(bytes, AT_SUM, seed);

    wari_layout_init(&layout, base->seeds);
    for (int block = 0; block <= base->seeds; block++)
        for (uint32_t row = 0; row < layout.rows[block]; row++) {
            const uint32_t columns = layout.columns[block];
            const uint64_t place = layout.block_offset[block] + (uint64_t)row * columns;
            sum += XXH3_64bits_withSeed(cells + place, columns,
                                        seed ^ place * UINT64_C(0x9e3779b97f4a7c15));
        }
    return sum;
}

static void seal(const struct checkpoint_base *base, struct edited *file, int control)
{
    uint8_t *bytes = file->bytes;

    if (file->size != CELLS + wari_level_positions(base->seeds))
        return;
    const uint64_t seed = (uint64_t)wari_load32(bytes + 8) << 32 | (uint64_t)bytes[12] << 16 |
                          (uint64_t)bytes[13] << 8 | bytes[14];
    if (control & SEAL_ROWS)
        wari_store64(bytes + AT_SUM, sum_of(base, bytes, seed));
    if (control & SEAL_HEADER)
        wari_store64(bytes + AT_HASH, XXH3_64bits_withSeed(bytes, AT_HASH, seed));
}

void fuzz_checkpoint(const uint8_t *data, size_t size)
{
    static struct edited file;
    const int control = size > 0 ? data[0] : 0;
    struct checkpoint_base *base = base_of(control & WHICH);
    const struct memory_file *intact = memory_host_file(base->with, base->name);
    const struct edits_wanted wanted = {data + (size > 0), size - (size > 0), control & RAW};
    const struct wari_build build = build_in(base, base->damaged);
    struct wari_error error = {WARI_OK, ""};

    edits_change(&file, intact->bytes, intact->size, &wanted, EDITED_MAX);
    seal(base, &file, control);
    memory_host_store(base->damaged, base->name, file.bytes, file.size);
    const enum wari_status status = wari_build(&build, &error);
    if (status != WARI_OK)
        fprintf(stderr, "%s\n", error.text);
    fuzz_must(status == WARI_OK, "a build comes to its end whatever its checkpoint is");
    fuzz_must(control & SEAL_ROWS || !memory_host_difference(base->damaged, base->whole),
              "a damaged checkpoint makes no difference");
    fuzz_must(memory_host_file(base->damaged, base->name) == NULL, "it is gone in the end");
}
