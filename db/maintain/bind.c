/* Writes a book: counts all values, computes the model from the counts, writes the blocks, and
 * compares them with the database.
 *
 * Counting, writing and comparing use the same loop, each with its own function for a block. The
 * table, the end of the header and the hash of the whole file depend on the blocks, so they are
 * written last. Then the file is read once more to compute the hash. */
#include "db/maintain/bind.h"

#include <string.h>

#include "db/book/book_file.h"
#include "db/book/header.h"
#include "db/catalogue/catalogue_text.h"
#include "db/host/bytes.h"
#include "db/maintain/bind_encode.h"
#include "db/maintain/bind_output.h"
#include "db/probe/handle.h"
#include "index/half.h"

enum {
    PASSES = 3,
    CHUNK = 8192, /* values that are read at a time: a chunk of a level file */
};

struct run {
    const struct wari_bind *bind;
    struct wari_bind_report *report;
    uint64_t done;        /* number of cells processed so far, in all passes together */
    uint64_t block_count; /* number of blocks in the book */
    uint64_t next;        /* number of the next block */
    uint64_t level_bytes[WARI_SEEDS_MAX + 1];
    uint8_t *table;
    size_t table_bytes;
    uint8_t head[WARI_BOOK_HEADER_BYTES];
    struct wari_output output;
    struct wari_book_file file;
    struct wari_book_counts counts;
    struct wari_book_symbols symbols;
};

/* A function that processes a block: `count` values of a level from number `first` on. */
typedef enum wari_status block_work(struct run *run, int seeds, uint64_t first,
                                    const int8_t *values, int count, struct wari_error *error);

/* ---- The loop ---- */

static enum wari_status report_progress(const struct run *run, struct wari_error *error)
{
    const struct wari_bind *bind = run->bind;
    if (bind->progress != NULL)
        bind->progress(bind->context, run->done, PASSES * run->report->held);
    if (bind->stop != NULL && atomic_load_explicit(bind->stop, memory_order_relaxed))
        return wari_fail(error, WARI_INTERRUPTED, "stopped; no book was written");
    return WARI_OK;
}

static enum wari_status do_chunk(struct run *run, int seeds, uint64_t first, int count,
                                 block_work *work, struct wari_error *error)
{
    int8_t values[CHUNK];
    enum wari_status status =
        wari_values(run->bind->db, seeds, first, (size_t)count, values, error);
    for (int at = 0; at < count && status == WARI_OK; at += WARI_BOOK_CELLS)
        status = work(run, seeds, first + (uint64_t)at, values + at,
                      count - at < WARI_BOOK_CELLS ? count - at : (int)WARI_BOOK_CELLS, error);
    run->done += (uint64_t)count;
    return status == WARI_OK ? report_progress(run, error) : status;
}

static enum wari_status each_block(struct run *run, block_work *work, struct wari_error *error)
{
    for (int seeds = 0; seeds <= run->bind->seeds; seeds++) {
        const uint64_t held = wari_level_exists(seeds) ? wari_book_cells_held(seeds) : 0;
        for (uint64_t first = 0; first < held; first += CHUNK) {
            const int count = held - first < CHUNK ? (int)(held - first) : (int)CHUNK;
            enum wari_status status = do_chunk(run, seeds, first, count, work, error);
            if (status != WARI_OK)
                return status;
        }
    }
    return WARI_OK;
}

/* ---- Processing a block ---- */

static enum wari_status count_block(struct run *run, int seeds, uint64_t first,
                                    const int8_t *values, int count, struct wari_error *error)
{
    (void)error;
    wari_book_count(&run->counts, seeds, first, values, count);
    return WARI_OK;
}

static enum wari_status write_block(struct run *run, int seeds, uint64_t first,
                                    const int8_t *values, int count, struct wari_error *error)
{
    struct wari_block block;
    uint8_t *entry = run->table + run->next / WARI_INDEX_ENTRY_BLOCKS * WARI_INDEX_ENTRY_BYTES;
    wari_book_encode(&run->symbols, seeds, first, values, count, &block);
    const uint32_t seed = wari_fnv32(WARI_FNV32_BEGIN, run->head, WARI_BOOK_HEADER_RECORD);
    wari_store32(block.bytes,
                 wari_fnv32(wari_block_seed(seed, run->next), block.bytes + 4, block.size - 4));
    if (run->next % WARI_INDEX_ENTRY_BLOCKS == 0)
        wari_store64(entry, run->output.at + run->output.waiting);
    wari_store16(entry + 8 + 2 * (run->next % WARI_INDEX_ENTRY_BLOCKS), (uint16_t)block.size);
    run->next++;
    run->level_bytes[seeds] += block.size;
    return wari_output_add(&run->output, block.bytes, block.size, error);
}

static enum wari_status compare_block(struct run *run, int seeds, uint64_t first,
                                      const int8_t *values, int count, struct wari_error *error)
{
    int8_t found[WARI_BOOK_CELLS];
    enum wari_status status =
        wari_book_block(&run->file.book, seeds, first / WARI_BOOK_CELLS, found, error);
    if (status == WARI_OK && memcmp(values, found, (size_t)count) != 0)
        status = wari_fail(error, WARI_CORRUPT,
                           "%s: the values of level %d in the book differ from those written; the "
                           "machine's memory or disk is unreliable",
                           run->output.temporary, seeds);
    return status;
}

/* ---- Header, table and record ---- */

static void begin_head(struct run *run, const uint8_t *model, size_t model_bytes)
{
    uint8_t *head = run->head;
    const struct wari_variant variant = run->bind->db->catalogue.variant;
    memset(head, 0, sizeof run->head);
    memcpy(head, WARI_BOOK_HEADER_MAGIC, sizeof WARI_BOOK_HEADER_MAGIC - 1);
    wari_store32(head + WARI_BOOK_HEADER_FORMAT, WARI_BOOK_FORMAT);
    wari_store32(head + WARI_BOOK_HEADER_LENGTH, WARI_BOOK_HEADER_BYTES);
    wari_store32(head + WARI_BOOK_HEADER_RULES, (uint32_t)variant.rules);
    wari_store32(head + WARI_BOOK_HEADER_CYCLE, (uint32_t)variant.cycle);
    wari_store32(head + WARI_BOOK_HEADER_SEEDS, (uint32_t)run->bind->seeds);
    wari_store32(head + WARI_BOOK_HEADER_CELLS, WARI_BOOK_CELLS);
    wari_store64(head + WARI_BOOK_HEADER_BLOCKS, run->block_count);
    wari_store32(head + WARI_BOOK_HEADER_MODEL, (uint32_t)model_bytes);
    wari_store32(head + WARI_BOOK_HEADER_MODEL_HASH,
                 wari_fnv32(WARI_FNV32_BEGIN, model, model_bytes));
}

/* Writes the record: the catalogue of the book's levels, without the hashes of the level files.
 * Sets *end to the file offset after it. */
static enum wari_status write_record(struct run *run, uint64_t *end, struct wari_error *error)
{
    const struct wari_host *host = run->output.host;
    const size_t text_bytes = WARI_CATALOGUE_BYTES_MAX;
    void *memory;
    wari_store64(run->head + WARI_BOOK_HEADER_RECORD, run->output.at + run->output.waiting);
    enum wari_status status = wari_allocate(host, sizeof(struct wari_catalogue) + text_bytes,
                                            "the record of a book", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_catalogue *catalogue = memory;
    char *text = (char *)(catalogue + 1);
    *catalogue = run->bind->db->catalogue;
    catalogue->seeds_max = run->bind->seeds;
    for (int seeds = 0; seeds <= run->bind->seeds; seeds++) {
        struct wari_level_record *level = &catalogue->level[seeds];
        level->file_bytes = run->level_bytes[seeds];
        level->header_hash = level->other_hash = level->other_bytes = 0;
    }
    status = wari_output_add(&run->output, text, wari_catalogue_print(catalogue, text), error);
    *end = run->output.at + run->output.waiting;
    wari_release(host, memory);
    return status == WARI_OK ? wari_output_flush(&run->output, error) : status;
}

/* Writes the record after the blocks, and the header, the model and the table at the start of the
 * file. Then appends the hash of all bytes that the file has so far. */
static enum wari_status write_ends(struct run *run, const uint8_t *model, size_t model_bytes,
                                   struct wari_error *error)
{
    uint8_t tail[WARI_BOOK_TAIL_BYTES];
    uint64_t end;
    struct wari_output *output = &run->output;
    enum wari_status status = write_record(run, &end, error);
    if (status != WARI_OK)
        return status;
    wari_store64(run->head + WARI_BOOK_HEADER_SIZE, end + WARI_BOOK_TAIL_BYTES);
    wari_store32(run->head + WARI_BOOK_HEADER_HASH,
                 wari_fnv32(WARI_FNV32_BEGIN, run->head, WARI_BOOK_HEADER_HASH));
    output->at = 0;
    status = wari_output_add(output, run->head, sizeof run->head, error);
    if (status == WARI_OK)
        status = wari_output_add(output, model, model_bytes, error);
    if (status == WARI_OK)
        status = wari_output_add(output, run->table, run->table_bytes, error);
    if (status == WARI_OK)
        status = wari_output_flush(output, error);
    if (status == WARI_OK)
        status = wari_output_hash(output, end, &run->report->hash, error);
    if (status != WARI_OK)
        return status;
    wari_store64(tail, run->report->hash);
    run->report->bytes = end + WARI_BOOK_TAIL_BYTES;
    output->at = end;
    status = wari_output_add(output, tail, sizeof tail, error);
    return status == WARI_OK ? wari_output_flush(output, error) : status;
}

/* ---- Writing a book ---- */

static enum wari_status write_all(struct run *run, struct wari_error *error)
{
    uint8_t model[WARI_BOOK_MODEL];
    size_t model_bytes;
    enum wari_status status = each_block(run, count_block, error);
    if (status != WARI_OK)
        return status;
    wari_book_model(&run->counts, &run->symbols, model, &model_bytes);
    begin_head(run, model, model_bytes);
    status = wari_output_open(&run->output, WARI_BOOK_HEADER_BYTES + model_bytes + run->table_bytes,
                              error);
    if (status == WARI_OK)
        status = each_block(run, write_block, error);
    if (status == WARI_OK)
        status = write_ends(run, model, model_bytes, error);
    return status;
}

static enum wari_status compare_all(struct run *run, struct wari_error *error)
{
    enum wari_status status =
        wari_book_file_open(&run->file, run->output.host, run->output.temporary, error);
    if (status != WARI_OK)
        return status;
    status = each_block(run, compare_block, error);
    wari_book_file_close(&run->file);
    return status;
}

static enum wari_status create_run(struct run **run, const struct wari_bind *bind,
                                   const struct wari_host *host, struct wari_error *error)
{
    uint64_t first_block[WARI_SEEDS_MAX + 2];
    void *memory;
    wari_book_count_blocks(bind->seeds, first_block);
    const uint64_t blocks = first_block[bind->seeds + 1];
    const size_t table = (size_t)((blocks + WARI_INDEX_ENTRY_BLOCKS - 1) / WARI_INDEX_ENTRY_BLOCKS *
                                  WARI_INDEX_ENTRY_BYTES);
    enum wari_status status =
        wari_allocate(host, sizeof **run + table, "a book's table", &memory, error);
    if (status != WARI_OK)
        return status;
    memset(memory, 0, sizeof **run + table);
    *run = memory;
    (*run)->bind = bind;
    (*run)->block_count = blocks;
    (*run)->table = (uint8_t *)(*run + 1);
    (*run)->table_bytes = table;
    status = wari_output_name(&(*run)->output, host, bind->path, error);
    if (status != WARI_OK)
        wari_release(host, *run);
    return status;
}

enum wari_status wari_bind(const struct wari_bind *bind, struct wari_bind_report *report,
                           struct wari_error *error)
{
    const struct wari_host *host = bind->host != NULL ? bind->host : wari_host_system();
    struct run *run;
    memset(report, 0, sizeof *report);
    if (!wari_catalogue_has(&bind->db->catalogue, bind->seeds))
        return wari_fail(error, WARI_NOT_COVERED, "the database has levels 0 to %d, no level %d",
                         bind->db->catalogue.seeds_max, bind->seeds);
    enum wari_status status = create_run(&run, bind, host, error);
    if (status != WARI_OK)
        return status;
    run->report = report;
    for (int seeds = 0; seeds <= bind->seeds; seeds++) {
        if (!wari_level_exists(seeds))
            continue;
        report->positions += wari_level_positions(seeds);
        report->held += wari_book_cells_held(seeds);
    }
    status = write_all(run, error);
    if (status == WARI_OK)
        status = compare_all(run, error);
    if (status == WARI_OK)
        status = wari_output_publish(&run->output, error);
    wari_output_drop(&run->output);
    wari_release(host, run);
    return status;
}
