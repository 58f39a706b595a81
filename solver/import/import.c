/* Imports levels. For each missing level, opens its score file, counts and writes the values, and
 * publishes the level.
 *
 * A score file is the storage backend of the level: write_level.c requests values in index order
 * and encodes them. The thread that requests values reads some rows of the score file, in which
 * each row is contiguous, too (db/scores/score_order.h). So all threads read, and the memory does
 * not depend on the size of the level. A score file of up to 1 GiB is read as a whole in
 * advance, if there is enough memory for it and for a cache of lower levels.
 *
 * The positions that the level stores are counted while they are written. The histogram of a level
 * also includes the positions with a full opponent half. They are counted before the level is
 * written (full_count.h).
 */
#include "solver/import/import.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "db/format/level_file.h"
#include "db/wari.h"
#include "index/half.h"
#include "solver/builder.h"
#include "solver/import/full_count.h"
#include "solver/import/holes.h"
#include "solver/import/import_state.h"
#include "system/clock.h"
#include "system/huge_pages.h"

enum {
    CHUNKS_READ = 32, /* number of chunks that a thread reads at once. In nearly all blocks, 32
                       * chunks contain several rows */
    COUNTERS = 4,     /* histograms that are used in turn, so that increments of one counter do not
                       * wait for each other */
    LEAST_CACHE = 1 << 20, /* smallest size of the cache of lower levels, in bytes */
    HELD_MOST = 1 << 30,   /* size of the largest score file that is held in memory, in bytes */
    PIECE = 1 << 20, /* bytes that a thread reads at once while a whole score file is read into
                      * memory */
};

/* The level that is being imported. */
struct importing {
    const struct wari_import *import;
    struct wari_builder builder;
    struct wari_level_address address;
    struct wari_score_file file;
    struct wari_import_source source; /* the file as it was when it was opened */
    struct wari_score_reader *reader; /* [thread] */
    struct wari_holes holes;
    struct wari_import_state state;
    bool file_saved;                 /* the state on disk includes an unfinished level file */
    uint64_t counted[COUNTERS][256]; /* [counter][value as a byte]: number of positions that were
                                      * written since the last call of fold_counters() */
    uint64_t chunks;
    double saved; /* time of the last attempt to save the state; before the first attempt, the time
                   * at which the level was begun */
};

static int threads_of(const struct wari_import *import)
{
    return wari_build_threads(&import->build);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Returns the memory that importing a level takes without the cache of lower levels. */
static uint64_t fixed_memory(const struct wari_import *import, int seeds)
{
    enum { PROCESS = 12 << 20, DECODER = 600 << 10 };
    const uint64_t threads = (uint64_t)threads_of(import);
    const uint64_t positions =
        import->packed ? wari_packed_positions(seeds) : wari_level_positions(seeds);
    const uint64_t table = wari_chunk_count(positions) * 16;
    uint64_t bytes = PROCESS + wari_batch_encoder_bytes((int)threads) +
                     threads * wari_score_reader_bytes(seeds) + wari_model_memory(seeds);
    uint64_t counting = 0;

    if (!import->sparse && wari_full_count_items(seeds) > 0) {
        counting = wari_full_count_bytes(seeds, (int)threads) + threads * DECODER;
        for (int lower = 0; lower < seeds; lower = wari_catalogue_next(lower))
            counting += wari_level_file_memory(lower);
    }
    return bytes + (table > counting ? table : counting);
}

/* Returns the number of values in the lower levels that captures from a level lead to. */
static uint64_t lower_positions(int seeds)
{
    uint64_t positions = 0;

    for (int lower = 0; lower <= seeds - 2; lower++)
        positions += wari_level_positions(lower);
    return positions;
}

/* Returns the size of the score file of a level if the file is held in memory as a whole, or 0 if
 * it is read row by row. It is held only if enough memory is left for a cache of an eighth of the
 * lower levels. With such a cache, counting is about as fast as with a larger one. With a smaller
 * cache, counting loses more time than reading the whole file saves. */
static uint64_t held_bytes(const struct wari_import *import, int seeds)
{
    const uint64_t bytes = wari_level_positions(seeds), memory = import->build.memory;
    const uint64_t eighth = lower_positions(seeds) / 8;
    const uint64_t others =
        fixed_memory(import, seeds) + (eighth > LEAST_CACHE ? eighth : LEAST_CACHE);
    const bool fits = memory == 0 || (memory >= others && memory - others >= bytes);

    return fits && bytes <= HELD_MOST && !import->sparse ? bytes : 0;
}

uint64_t wari_import_memory_least(const struct wari_import *import)
{
    return fixed_memory(import, import->last) + LEAST_CACHE;
}

uint64_t wari_import_memory_most(const struct wari_import *import)
{
    uint64_t most = 0;

    for (int seeds = 0; seeds <= import->last; seeds++) {
        const uint64_t lower = LEAST_CACHE + (import->sparse ? 0 : lower_positions(seeds));
        const uint64_t bytes = fixed_memory(import, seeds) + held_bytes(import, seeds) + lower +
                               lower / 16; /* the cache has some bookkeeping for each chunk */
        most = bytes > most ? bytes : most;
    }
    return most;
}

static enum wari_status check_memory(const struct wari_import *import, struct wari_error *error)
{
    const uint64_t least = wari_import_memory_least(import);

    if (import->build.memory == 0 || import->build.memory >= least)
        return WARI_OK;
    return wari_fail(
        error, WARI_BAD_INPUT,
        "the memory limit of %llu bytes is too small to import level %d: at least %llu bytes are "
        "needed",
        (unsigned long long)import->build.memory, import->last, (unsigned long long)least);
}

/* ---- The score file as a backend ------------------------------------------------------------ */

static void close_level(struct wari_level *level)
{
    struct importing *importing = level->backend_data;

    for (int i = 0; i < importing->builder.threads && importing->reader; i++)
        wari_score_reader_destroy(&importing->reader[i]);
    wari_release(importing->builder.host, importing->reader);
    importing->reader = NULL;
    wari_holes_free(&importing->holes);
    wari_score_file_close(&importing->file);
}

static void read_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values)
{
    const struct importing *importing = level->backend_data;
    struct wari_error error;

    if (wari_score_read(&importing->reader[omp_get_thread_num()], first, count, values, &error) !=
        WARI_OK)
        wari_workers_fail(level->workers, &error);
}

static const struct wari_backend backend = {.close = close_level, .values = read_values};

static enum wari_status open_level(struct importing *importing, struct wari_error *error)
{
    struct wari_builder *builder = &importing->builder;
    struct wari_level *level = &builder->current.level;
    const struct wari_host *host = builder->host;
    const int seeds = importing->address.key.seeds;
    const size_t readers = (size_t)builder->threads * sizeof *importing->reader;
    void *memory;
    enum wari_status status =
        wari_score_file_open(&importing->file, host, importing->import->scores, seeds, error);

    if (status != WARI_OK)
        return status;
    importing->source = wari_import_source(&importing->file);
    wari_level_begin(level, seeds, importing->address.key.variant.cycle);
    level->backend_data = importing;
    level->backend = &backend;
    status = wari_allocate(host, readers, "the readers of a score file", &memory, error);
    importing->reader = memory;
    if (status != WARI_OK)
        return status;
    memset(memory, 0, readers);
    for (int i = 0; i < builder->threads && status == WARI_OK; i++)
        status = wari_score_reader_create(&importing->reader[i], &importing->file, error);
    if (status == WARI_OK && importing->import->sparse) {
        status = wari_holes_find(&importing->holes, host, importing->file.fd, importing->file.path,
                                 error);
        importing->file.is_hole = wari_is_hole;
        importing->file.context = &importing->holes;
    }
    return status;
}

/* Reads the whole score file into memory, with all threads, unless it is too large. The rows of a
 * small level are short, and one call for each of them would take longer than the rest of the
 * import. Larger levels have longer rows. */
static enum wari_status hold_file(struct importing *importing, struct wari_error *error)
{
    const uint64_t bytes = held_bytes(importing->import, importing->address.key.seeds);
    struct wari_builder *builder = &importing->builder;
    void *memory;

    if (bytes == 0)
        return WARI_OK;
    const enum wari_status status =
        wari_allocate(builder->host, (size_t)bytes, "a score file", &memory, error);
    if (status != WARI_OK)
        return status;
    wari_ask_for_huge_pages(memory, bytes);
    int8_t *const held = memory;
#pragma omp parallel for num_threads(builder->threads) schedule(dynamic) if (bytes > PIECE)
    for (uint64_t offset = 0; offset < bytes; offset += PIECE) {
        const size_t count = bytes - offset < PIECE ? (size_t)(bytes - offset) : PIECE;
        struct wari_error failure;
        if (wari_level_stopped(&builder->current.level))
            continue;
        if (wari_score_file_read(&importing->file, offset, count, held + offset, &failure) !=
            WARI_OK)
            wari_workers_fail(&builder->workers, &failure);
    }
    importing->file.held = held;
    return wari_builder_outcome(builder, error);
}

/* ---- Interruptions -------------------------------------------------------------------------- */

static double save_interval(const struct wari_import *import)
{
    return import->build.checkpoint > 0 ? import->build.checkpoint : WARI_CHECKPOINT_SECONDS;
}

/* Saves the state. If that fails, a later import resumes from an earlier state. */
static void save(struct importing *importing)
{
    struct wari_builder *builder = &importing->builder;
    const enum wari_status status =
        wari_import_save(&importing->state, &importing->address, &importing->source,
                         importing->import->packed, NULL);

    importing->saved = wari_seconds_now();
    if (status == WARI_OK) {
        importing->file_saved = importing->state.has_file;
        builder->current.checkpoint.written++;
    } else {
        builder->current.checkpoint.failed++;
    }
}

/* Adds the counters of stored positions to the histogram. */
static void fold_counters(struct importing *importing)
{
    for (int i = 0; i < COUNTERS; i++)
        for (int byte = 0; byte < 256; byte++)
            if (importing->counted[i][byte] > 0)
                importing->state.stored[(int8_t)byte + WARI_SEEDS_MAX] +=
                    importing->counted[i][byte];
    memset(importing->counted, 0, sizeof importing->counted);
}

/* Saves the state of a level whose file is being written. A sparse import saves nothing: its file
 * differs from that of a complete import, which must not resume it. */
static void save_file(struct importing *importing, const struct wari_written *written)
{
    struct wari_import_state *state = &importing->state;

    if (importing->import->sparse)
        return;
    fold_counters(importing);
    if (wari_level_writer_save(written->writer, &state->part, NULL) != WARI_OK) {
        importing->saved = wari_seconds_now(); /* the next attempt follows after the interval */
        importing->builder.current.checkpoint.failed++;
        return;
    }
    XXH3_copyState(&state->hash, written->hash);
    state->chunks = written->chunks;
    state->has_file = true;
    save(importing);
}

/* ---- Counting ------------------------------------------------------------------------------- */

static void advance(struct importing *importing, bool counting, uint64_t done, uint64_t all)
{
    const struct wari_import *import = importing->import;

    if (import->advance)
        import->advance(
            import->build.context,
            &(struct wari_import_progress){importing->address.key.seeds, counting, done, all});
}

static enum wari_status count_items(struct importing *importing, struct wari_db *db,
                                    struct wari_error *error)
{
    struct wari_import_state *state = &importing->state;
    const uint64_t all = wari_full_count_items(importing->address.key.seeds);
    const struct wari_full_count count = {
        .file = &importing->file,
        .db = db,
        .rules = importing->address.key.variant.rules,
        .threads = importing->builder.threads,
        .stop = importing->import->build.stop,
    };
    struct wari_full_counter *counter;
    enum wari_status status = wari_full_counter_create(&counter, &count, state->items, error);

    while (state->items < all && status == WARI_OK) {
        status = wari_full_counter_next(counter, &state->items, state->full, error);
        advance(importing, true, state->items, all);
        if (status == WARI_INTERRUPTED || status == WARI_IO ||
            wari_seconds_now() - importing->saved >= save_interval(importing->import))
            save(importing);
    }
    wari_full_counter_destroy(counter);
    return status;
}

/* Counts the positions with a full opponent half. A cache of lower levels gets the memory that is
 * left. */
static enum wari_status count_full(struct importing *importing, struct wari_error *error)
{
    const struct wari_import *import = importing->import;
    const int seeds = importing->address.key.seeds;
    const uint64_t fixed = fixed_memory(import, seeds) + held_bytes(import, seeds);
    const struct wari_options options = {
        .host = importing->builder.host,
        .cache_bytes = import->build.memory > 0 ? import->build.memory - fixed : 0,
    };
    struct wari_db *db;

    if (import->sparse || importing->state.items >= wari_full_count_items(seeds))
        return WARI_OK;
    enum wari_status status =
        wari_open(&db, importing->address.folder, &importing->address.key.variant, &options, error);
    if (status == WARI_OK)
        status = count_items(importing, db, error);
    wari_close(db);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void count_values(struct importing *importing, const int8_t *values, size_t count)
{
    size_t i = 0;

    for (; i + COUNTERS <= count; i += COUNTERS)
        for (size_t k = 0; k < COUNTERS; k++)
            importing->counted[k][(uint8_t)values[i + k]]++;
    for (; i < count; i++)
        importing->counted[0][(uint8_t)values[i]]++;
}

static enum wari_status chunk_written(void *context, const struct wari_written *written,
                                      struct wari_error *error)
{
    struct importing *importing = context;

    (void)error;
    if (written->values)
        count_values(importing, written->values, written->count);
    if (written->chunks % CHUNKS_READ != 0)
        return WARI_OK;
    advance(importing, false, written->chunks, importing->chunks);
    if (wari_seconds_now() - importing->saved >= save_interval(importing->import))
        save_file(importing, written);
    return WARI_OK;
}

static bool writing_stopped(void *context, const struct wari_written *written)
{
    struct importing *importing = context;

    if (written)
        save_file(importing, written);
    return importing->file_saved;
}

/* Returns true if the values of all `count` positions from number `first` on are in holes of the
 * score file. */
static bool are_zero(void *context, uint64_t first, uint64_t count)
{
    const struct importing *importing = context;
    const struct wari_layout *layout = &importing->file.layout;
    int block = 0;

    while (count > 0) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint32_t columns = layout->columns[block];
        const uint64_t cell = first - layout->block_offset[block];
        const uint64_t left = columns - cell % columns, run = left < count ? left : count;
        uint8_t opponent[WARI_HALF_PITS];
        wari_row_unrank(block, (uint32_t)(cell / columns), opponent);
        const uint64_t offset =
            wari_score_row_offset(&importing->file.order, layout->seeds, opponent);
        if (!wari_is_hole((void *)(uintptr_t)&importing->holes, offset, columns))
            return false;
        first += run;
        count -= run;
    }
    return true;
}

/* Called when the level file is complete. Refuses it if another program wrote to the score file in
 * the meantime, for example because it is still being downloaded. A program that only renames the
 * file or changes its permissions does no harm. */
static enum wari_status admit(void *context, const struct wari_level_record *record,
                              struct wari_error *error)
{
    struct importing *importing = context;
    const struct wari_import_source now = wari_import_source(&importing->file);

    if (now.size != importing->source.size || now.data_changed != importing->source.data_changed)
        return wari_fail(error, WARI_CORRUPT,
                         "%s was changed while it was imported; import it again when no other "
                         "program writes to it",
                         importing->file.path);
    return wari_builder_admit(&importing->builder, record, error);
}

static enum wari_status write_level(struct importing *importing, struct wari_error *error)
{
    struct wari_builder *builder = &importing->builder;
    const struct wari_import *import = importing->import;
    const struct wari_level_ready ready = {admit, importing};
    struct wari_import_state *state = &importing->state;
    struct wari_written resumed = {.chunks = state->chunks, .hash = &state->hash};
    struct wari_write_options options = {
        .packed = import->packed,
        .group = CHUNKS_READ,
        .are_zero = import->sparse ? are_zero : NULL,
        .written = chunk_written,
        .stopped = import->sparse ? NULL : writing_stopped,
        .context = importing,
    };

    if (state->has_file &&
        wari_level_writer_resume(&resumed.writer, &importing->address, &state->part, import->packed,
                                 NULL) == WARI_OK) {
        options.resumed = &resumed;
        builder->current.statistics.resumed = true;
    } else {
        memset(state->stored, 0, sizeof state->stored);
        importing->file_saved = state->has_file = false;
    }
    return wari_write_level_with(builder->encoder, builder->build->folder, builder->build->variant,
                                 &builder->current.level, &options, &ready,
                                 &builder->current.record, error);
}

/* ---- All levels ----------------------------------------------------------------------------- */

/* Fills in the histogram that the catalogue stores for the level. It counts the stored positions
 * and those with a full opponent half. In a sparse import every value counts as 0. */
static void complete_histogram(struct importing *importing)
{
    uint64_t *histogram = importing->builder.current.record.histogram;
    const int seeds = importing->address.key.seeds;

    fold_counters(importing);
    for (int i = 0; i < WARI_IMPORT_VALUES; i++)
        histogram[i] = importing->state.full[i] + importing->state.stored[i];
    if (!importing->import->sparse)
        return;
    memset(histogram, 0, sizeof importing->builder.current.record.histogram);
    histogram[WARI_SEEDS_MAX] = wari_level_placements(seeds);
}

static void begin_state(struct importing *importing)
{
    importing->chunks = wari_chunk_count(wari_level_positions(importing->address.key.seeds));
    importing->saved = wari_seconds_now();
    memset(importing->counted, 0, sizeof importing->counted);
    if (importing->import->sparse ||
        !wari_import_load(&importing->state, &importing->address, &importing->source,
                          importing->import->packed))
        importing->state = (struct wari_import_state){0};
    else
        importing->builder.current.statistics.resumed = true;
    importing->file_saved = importing->state.has_file;
}

/* Called if writing the level file is interrupted or fails with WARI_IO. Saves the counts of the
 * positions with a full opponent half, so that the next import need not count them again. Does
 * nothing in a sparse import, or if the state on disk has an unfinished level file, since that
 * state includes the counts, too. */
static void save_counts(struct importing *importing)
{
    if (importing->file_saved || importing->import->sparse)
        return;
    importing->state.has_file = false;
    save(importing);
}

static enum wari_status import_level(struct importing *importing, int seeds,
                                     struct wari_error *error)
{
    struct wari_builder *builder = &importing->builder;
    enum wari_status status;

    (void)wari_builder_begin_level(builder, seeds);
    status = open_level(importing, error);
    if (status == WARI_OK)
        status = hold_file(importing, error);
    if (status == WARI_OK) {
        begin_state(importing);
        status = count_full(importing, error);
    }
    if (status == WARI_OK) {
        status = write_level(importing, error);
        if (status == WARI_INTERRUPTED || status == WARI_IO)
            save_counts(importing);
    }
    if (status == WARI_OK)
        complete_histogram(importing);
    wari_builder_end_level(builder, status);
    if (status == WARI_OK)
        status = wari_builder_publish_if_due(builder, error);
    if (status == WARI_OK)
        wari_import_forget(&importing->address);
    return status;
}

enum wari_status wari_import_check(const struct wari_import *import,
                                   const struct wari_catalogue *catalogue, struct wari_error *error)
{
    const struct wari_host *host = import->build.host ? import->build.host : wari_host_system();
    const int lacking = wari_catalogue_next_lacking(catalogue, -1);
    enum wari_status status = WARI_OK;

    if (lacking < import->first)
        return wari_fail(
            error, WARI_NOT_COVERED,
            "%s: level %d of %s %s is missing, and level %d needs all lower ones; "
            "import it first: --seeds %d-%d",
            import->build.folder, lacking, wari_get_rules_info(import->build.variant.rules)->name,
            wari_cycle_name(import->build.variant.cycle), import->first, lacking, import->last);
    for (int n = import->first; n <= import->last && status == WARI_OK;
         n = wari_catalogue_next(n)) {
        struct wari_score_file file;
        if (wari_catalogue_has(catalogue, n))
            continue;
        status = wari_score_file_open(&file, host, import->scores, n, error);
        wari_score_file_close(&file);
    }
    return status;
}

static enum wari_status import_levels(struct importing *importing, struct wari_error *error)
{
    struct wari_builder *builder = &importing->builder;
    const struct wari_build *build = builder->build;
    enum wari_status status = wari_catalogue_read(&builder->catalogue, builder->host, build->folder,
                                                  build->variant, error);

    if (status == WARI_OK)
        status =
            wari_catalogue_find_missing(&builder->catalogue, builder->host, build->folder, error);
    if (status == WARI_OK)
        status = wari_import_check(importing->import, &builder->catalogue, error);
    if (status == WARI_OK)
        status =
            wari_batch_encoder_create(&builder->encoder, builder->host, builder->threads, error);
    for (int n = importing->import->first; n <= importing->import->last && status == WARI_OK;
         n = wari_catalogue_next(n)) {
        importing->address =
            (struct wari_level_address){builder->host, build->folder, {build->variant, n}};
        if (!wari_catalogue_has(&builder->catalogue, n))
            status = import_level(importing, n, error);
        else /* an import that was killed may have left the state of a level that is complete */
            wari_import_forget(&importing->address);
    }
    return wari_builder_publish_rest(builder, status, error);
}

enum wari_status wari_import(const struct wari_import *import, struct wari_error *error)
{
    struct wari_build build = import->build;
    struct importing importing = {.import = import, .file = {.fd = -1}};
    struct wari_builder *builder = &importing.builder;
    struct wari_lock lock = {0};
    enum wari_status status = check_memory(import, error);

    if (status != WARI_OK)
        return status;
    build.publish = -1; /* at once: counting a level needs published lower levels */
    wari_builder_begin(builder, &build);
    wari_workers_none(&builder->workers, builder->host);
    status = build.no_lock
                 ? wari_make_folder(builder->host, build.folder, error)
                 : wari_folder_lock(builder->host, build.folder, WARI_BUILDING, &lock, error);
    if (status == WARI_OK)
        status = import_levels(&importing, error);
    wari_builder_end(builder);
    wari_folder_unlock(&lock);
    return status;
}
