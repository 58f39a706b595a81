/* Writes and reads checkpoints, whose format checkpoint.h describes. All threads copy rows between
 * the level and the file, each thread some rows at a time. Each row has a hash of its own, so
 * neither the order of the rows nor their layout in memory matters. */
#include "solver/write/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/host/bytes.h"
#include "system/clock.h"

enum {
    FORMAT = 5, /* increase it also if the meaning of codes changes (cell.h) */
    HEADER_BYTES = 56,
    SUMMED_BYTES = 40,
    HASHED_BYTES = 48,
    ROWS_BYTES = WARI_ITEM_STRIPS_MAX *
                 WARI_ITEM_STRIP_CELLS, /* size of a worker's tile, the buffer for rows */
    SWEEPS_MAX = 1000000,               /* a plausible maximum; 48 seeds take some hundred sweeps */
    WRITING_RATIO = 4, /* writing checkpoints may take at most a fourth of the time */
};

static const char finished_suffix[] = "", unfinished_suffix[] = ".tmp", refused_suffix[] = ".bad";
static const char magic[8] = {'W', 'A', 'R', 'I', 'C', 'K', 'P', 'T'};

/* The copying of all codes of a level to or from a checkpoint. */
struct copy {
    struct wari_level *level;
    char path[WARI_PATH_MAX];
    int fd;
    bool write;
    uint64_t seed;
    atomic_uint_fast64_t sum;
    atomic_bool failed;     /* reading or writing failed. A failure to read is also recorded in
                             * the level's workers; a failure to write is not */
    int least, greatest;    /* when reading: the range of codes that cells may have */
    atomic_bool impossible; /* when reading: a cell has a code outside of this range */
};

static enum wari_status make_path(char path[WARI_PATH_MAX],
                                  const struct wari_level_address *address, const char *suffix,
                                  struct wari_error *error)
{
    const struct wari_level_key key = address->key;

    return wari_path(path, error, address->folder, "%s-%s-%d.checkpoint%s",
                     wari_get_rules_info(key.variant.rules)->name,
                     wari_cycle_name(key.variant.cycle), key.seeds, suffix);
}

static uint64_t seed_of(const struct wari_level *level)
{
    const struct wari_level_key key = level->progress.checkpoint->address.key;

    return (uint64_t)FORMAT << 32 | (uint64_t)key.variant.rules << 16 |
           (uint64_t)key.variant.cycle << 8 | (uint64_t)key.seeds;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint64_t hash_of_rows(const struct copy *copy, const struct wari_row_range *run,
                             const int8_t *rows, uint32_t count, uint32_t first)
{
    const struct wari_layout *layout = &copy->level->layout;
    const uint32_t columns = layout->columns[run->block];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t offset = layout->block_offset[run->block] + (uint64_t)(first + i) * columns;
        const uint64_t key = copy->seed ^ offset * UINT64_C(0x9e3779b97f4a7c15);
        sum += XXH3_64bits_withSeed(rows + (size_t)i * columns, columns, key);
    }
    return sum;
}

/* Returns true if all cells have codes that are possible in this level. */
static bool are_valid_codes(const struct copy *copy, const int8_t *cells, size_t count)
{
    int8_t least = INT8_MAX, greatest = INT8_MIN;

    for (size_t i = 0; i < count; i++) {
        least = cells[i] < least ? cells[i] : least;
        greatest = cells[i] > greatest ? cells[i] : greatest;
    }
    return least >= copy->least && greatest <= copy->greatest;
}

/* Copies rows between the level and the file, through `buffer`, in which the rows are contiguous.
 * If the rows are contiguous in the level, `buffer` may be their memory in the level. */
static enum wari_status copy_rows(struct copy *copy, const struct wari_row_range *run,
                                  int8_t *buffer, uint32_t first, uint32_t count,
                                  struct wari_error *error)
{
    const struct wari_level *level = copy->level;
    const struct wari_layout *layout = &level->layout;
    const uint32_t columns = layout->columns[run->block], pitch = run->pitch;
    const uint64_t offset =
        HEADER_BYTES + layout->block_offset[run->block] + (uint64_t)first * columns;
    int8_t *cells = run->cells + (size_t)(first - run->first) * pitch;
    enum wari_status status;

    if (copy->write) {
        for (uint32_t i = 0; i < count && buffer != cells; i++)
            memcpy(buffer + (size_t)i * columns, cells + (size_t)i * pitch, columns);
        status = wari_write_at(level->host, copy->fd, copy->path, buffer, (size_t)count * columns,
                               offset, error);
    } else {
        status = wari_read_at(level->host, copy->fd, copy->path, buffer, (size_t)count * columns,
                              offset, error);
        if (status == WARI_OK && !are_valid_codes(copy, buffer, (size_t)count * columns))
            atomic_store_explicit(&copy->impossible, true, memory_order_relaxed);
        for (uint32_t i = 0; i < count && buffer != cells && status == WARI_OK; i++)
            memcpy(cells + (size_t)i * pitch, buffer + (size_t)i * columns, columns);
    }
    if (status == WARI_OK)
        atomic_fetch_add_explicit(&copy->sum, hash_of_rows(copy, run, buffer, count, first),
                                  memory_order_relaxed);
    return status;
}

static void copy_row_run(struct wari_level *level, struct wari_worker *worker, void *context,
                         const struct wari_row_range *run)
{
    struct copy *copy = context;
    const uint32_t columns = level->layout.columns[run->block];
    const uint32_t rows_at_once = columns < ROWS_BYTES ? ROWS_BYTES / columns : 1;
    struct wari_error error;

    for (uint32_t done = 0; done < run->count && !wari_level_stopped(level) &&
                            !atomic_load_explicit(&copy->failed, memory_order_relaxed);
         done += rows_at_once) {
        const uint32_t left = run->count - done;
        int8_t *buffer =
            columns < ROWS_BYTES ? worker->tile : run->cells + (size_t)done * run->pitch;
        if (copy_rows(copy, run, buffer, run->first + done,
                      left < rows_at_once ? left : rows_at_once, &error) == WARI_OK)
            continue;
        atomic_store_explicit(&copy->failed, true, memory_order_relaxed);
        if (!copy->write)
            wari_workers_fail(level->workers, &error);
    }
}

static void copy_level(struct copy *copy)
{
    atomic_init(&copy->sum, 0);
    atomic_init(&copy->failed, false);
    atomic_init(&copy->impossible, false);
    copy->level->backend->each_rows(copy->level, copy->write ? WARI_READS : WARI_MAKES,
                                    copy_row_run, copy);
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* Returns `sum`, which is the sum of the hashes of all rows, plus the hash of the header. The hash
 * of the header is added so that rows cannot be combined with the header of another checkpoint. */
static uint64_t total_sum(const uint8_t header[HEADER_BYTES], uint64_t sum, uint64_t seed)
{
    return sum + XXH3_64bits_withSeed(header, SUMMED_BYTES, seed);
}

static void make_header(uint8_t header[HEADER_BYTES], const struct copy *copy,
                        enum wari_sweep_kind kind, uint64_t sum)
{
    const struct wari_variant variant = copy->level->progress.checkpoint->address.key.variant;

    memset(header, 0, HEADER_BYTES);
    memcpy(header, magic, sizeof magic);
    wari_store32(header + 8, FORMAT);
    header[12] = (uint8_t)variant.rules;
    header[13] = (uint8_t)variant.cycle;
    header[14] = (uint8_t)copy->level->layout.seeds;
    header[15] = kind == WARI_SHRINK;
    wari_store32(header + 16, (uint32_t)copy->level->progress.statistics->sweeps);
    wari_store32(header + 20, (uint32_t)copy->level->progress.threshold);
    if (kind == WARI_SHRINK)
        wari_store64(header + 24, copy->level->progress.won);
    wari_store64(header + SUMMED_BYTES, total_sum(header, sum, copy->seed));
    wari_store64(header + 48, XXH3_64bits_withSeed(header, HASHED_BYTES, copy->seed));
}

/* ---- Writing --------------------------------------------------------------------------------- */

static uint64_t checkpoint_bytes(const struct wari_level *level)
{
    return HEADER_BYTES + level->layout.block_offset[level->layout.seeds + 1];
}

static enum wari_status write_checkpoint(struct wari_level *level, struct wari_error *error)
{
    const struct wari_level_address *address = &level->progress.checkpoint->address;
    const struct wari_host *host = address->host;
    struct copy copy = {.level = level, .write = true, .seed = seed_of(level)};
    char path[WARI_PATH_MAX];
    uint8_t header[HEADER_BYTES];
    enum wari_status status = make_path(path, address, finished_suffix, error);

    if (status == WARI_OK)
        status = make_path(copy.path, address, unfinished_suffix, error);
    if (status == WARI_OK)
        status = wari_create_anew(host, copy.path, NULL, &copy.fd, error);
    if (status != WARI_OK)
        return status;
    copy_level(&copy);
    if (atomic_load(&copy.failed) || wari_level_stopped(level))
        status = wari_fail(error, WARI_IO, "%s: the checkpoint could not be written completely",
                           copy.path);
    if (status == WARI_OK) {
        make_header(header, &copy, level->codes.upper ? WARI_SHRINK : WARI_GROW,
                    atomic_load(&copy.sum));
        status = wari_write_at(host, copy.fd, copy.path, header, sizeof header, 0, error);
    }
    if (status == WARI_OK)
        return wari_publish(host, copy.fd, copy.path, address->folder, path, error);
    (void)host->close(host->context, copy.fd);
    (void)host->unlink(host->context, copy.path);
    return status;
}

static bool is_due(const struct wari_level *level)
{
    const struct wari_checkpoint *checkpoint = level->progress.checkpoint;
    const double since = checkpoint ? wari_seconds_now() - checkpoint->last : 0;

    return checkpoint && !wari_level_stopped(level) && since >= checkpoint->interval &&
           (checkpoint->cost <= 1 || since >= checkpoint->cost * WRITING_RATIO);
}

void wari_checkpoint_if_due(struct wari_level *level)
{
    struct wari_checkpoint *checkpoint = level->progress.checkpoint;
    const double now = wari_seconds_now();
    bool written = false;

    if (!is_due(level))
        return;
    if (checkpoint->limit == 0 || checkpoint_bytes(level) <= checkpoint->limit) {
        if (level->backend->fold)
            level->backend->fold(level);
        written = write_checkpoint(level, NULL) == WARI_OK;
    }
    checkpoint->written += written;
    checkpoint->failed += !written;
    checkpoint->last = wari_seconds_now();
    checkpoint->cost = checkpoint->last - now;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_valid_header(const struct copy *copy, const uint8_t header[HEADER_BYTES], off_t size)
{
    const struct wari_level *level = copy->level;
    const enum wari_sweep_kind kind = header[15] ? WARI_SHRINK : WARI_GROW;
    const uint32_t sweeps = wari_load32(header + 16), threshold = wari_load32(header + 20);
    const uint64_t seeds = (uint64_t)level->layout.seeds;
    uint8_t expected[HEADER_BYTES];

    make_header(expected, copy, kind, 0);
    memcpy(expected + 16, header + 16, 8);
    memcpy(expected + 24, header + 24, kind == WARI_SHRINK ? 8 : 0);
    memcpy(expected + SUMMED_BYTES, header + SUMMED_BYTES, 8);
    wari_store64(expected + 48, XXH3_64bits_withSeed(expected, HASHED_BYTES, copy->seed));
    return memcmp(expected, header, HEADER_BYTES) == 0 &&
           (uint64_t)size == checkpoint_bytes(level) &&
           (kind == WARI_GROW ||
            level->progress.checkpoint->address.key.variant.cycle == WARI_OWN) &&
           threshold <= seeds && sweeps <= SWEEPS_MAX &&
           wari_load64(header + 24) / (seeds + 1) <= wari_level_positions(level->layout.seeds);
}

static enum wari_status read_checkpoint(struct copy *copy, struct wari_error *error)
{
    struct wari_level_progress *progress = &copy->level->progress;
    const struct wari_host *host = copy->level->host;
    const off_t size = host->size(host->context, copy->fd);
    struct wari_cells codes = copy->level->codes;
    uint8_t header[HEADER_BYTES];
    enum wari_status status;

    if (size < 0)
        return wari_fail_errno(error, copy->path, "find out the size of");
    if (size < HEADER_BYTES)
        return WARI_OK;
    status = wari_read_at(host, copy->fd, copy->path, header, sizeof header, 0, error);
    if (status != WARI_OK || !is_valid_header(copy, header, size))
        return status;
    if (!copy->level->backend->resumes(copy->level, (int)wari_load32(header + 20))) {
        progress->checkpoint->unsuitable = true;
        return WARI_OK;
    }
    progress->kind = header[15] ? WARI_SHRINK : WARI_GROW;
    wari_cells_for_upper_bounds(&codes, progress->kind == WARI_SHRINK);
    copy->least = wari_cell_least(&codes);
    copy->greatest = wari_cell_greatest(&codes);
    copy_level(copy);
    status = wari_workers_failure(copy->level->workers, error);
    progress->found = status == WARI_OK && !atomic_load(&copy->impossible) &&
                      wari_load64(header + SUMMED_BYTES) ==
                          total_sum(header, atomic_load(&copy->sum), copy->seed) &&
                      !wari_level_stopped(copy->level);
    if (progress->found) {
        progress->statistics->sweeps = (int)wari_load32(header + 16);
        progress->won = wari_load64(header + 24);
        progress->statistics->resumed = true;
        progress->threshold = (int)wari_load32(header + 20);
    }
    return status;
}

/* Renames a checkpoint that cannot be used, so that the next checkpoint does not replace it and a
 * later build does not find it again. */
static enum wari_status rename_refused(struct wari_checkpoint *checkpoint, const char *path,
                                       struct wari_error *error)
{
    const struct wari_host *host = checkpoint->address.host;
    char new_path[WARI_PATH_MAX];
    const enum wari_status status =
        make_path(new_path, &checkpoint->address, refused_suffix, error);

    if (status != WARI_OK)
        return status;
    if (host->rename(host->context, path, new_path) != 0)
        return wari_fail_errno(error, path, "rename");
    checkpoint->refused = true;
    return WARI_OK;
}

enum wari_status wari_checkpoint_find(struct wari_level *level, struct wari_error *error)
{
    struct wari_level_progress *progress = &level->progress;
    struct copy copy = {.level = level};
    enum wari_status status;

    progress->found = false;
    progress->kind = WARI_GROW;
    if (!progress->checkpoint)
        return WARI_OK;
    copy.seed = seed_of(level);
    status = make_path(copy.path, &progress->checkpoint->address, finished_suffix, error);
    if (status == WARI_OK)
        status = wari_open_file(level->host, copy.path, O_RDONLY, &copy.fd, error);
    if (status != WARI_OK)
        return status == WARI_IO && errno == ENOENT ? WARI_OK : status;
    status = read_checkpoint(&copy, error);
    (void)level->host->close(level->host->context, copy.fd);
    if (status == WARI_OK && !progress->found && !wari_level_stopped(level))
        status = rename_refused(progress->checkpoint, copy.path, error);
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static uint64_t file_size(const struct wari_level_address *address, const char *suffix)
{
    const struct wari_host *host = address->host;
    char path[WARI_PATH_MAX];
    off_t size;
    int fd;

    if (make_path(path, address, suffix, NULL) != WARI_OK ||
        wari_open_file(host, path, O_RDONLY, &fd, NULL) != WARI_OK)
        return 0;
    size = host->size(host->context, fd);
    (void)host->close(host->context, fd);
    return size > 0 ? (uint64_t)size : 0;
}

void wari_checkpoint_sizes(const struct wari_level_address *address, uint64_t *finished,
                           uint64_t *unfinished)
{
    *finished = file_size(address, finished_suffix);
    *unfinished = file_size(address, unfinished_suffix);
}

static void remove_file(const struct wari_level_address *address, const char *suffix)
{
    char path[WARI_PATH_MAX];

    if (make_path(path, address, suffix, NULL) == WARI_OK)
        (void)address->host->unlink(address->host->context, path);
}

void wari_checkpoint_remove_unfinished(const struct wari_level_address *address)
{
    remove_file(address, unfinished_suffix);
}

void wari_checkpoint_remove(const struct wari_level_address *address)
{
    remove_file(address, finished_suffix);
    remove_file(address, unfinished_suffix);
    remove_file(address, refused_suffix);
}
