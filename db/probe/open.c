/* Opens a database folder or book, and returns information that needs no probe.
 *
 * wari_open() reads and checks the catalogue, and of each level file everything except for the
 * chunks and a large offset table. So the time that this takes and the memory of the handle hardly
 * grow with the size of the levels. wari_open_book() checks header, model and record of a book. All
 * files stay open, so a handle is not affected if a build replaces files later. After a failure the
 * incomplete handle is closed like any other: each part is NULL until it exists.
 */
#include <string.h>

#include "db/book/header.h"
#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/catalogue_text.h"
#include "db/catalogue/level_open.h"
#include "db/catalogue/proof.h"
#include "db/catalogue/variants.h"
#include "db/probe/handle.h"

/* Enough for probes within millions of similar positions, and little compared with most programs.
 */
static const size_t default_cache_bytes = (size_t)64 << 20;

/* Limits on the memory of the cache of chosen moves (move_cache.h). This cache gets a sixteenth of
 * the cache memory, but at most MOVE_BYTES for each position of the database, and at most
 * MOVES_BYTES_MAX. MOVE_BYTES is twice the size of an entry, because the table fills unevenly.
 * MOVES_BYTES_MAX is enough for several thousand lines of play, and is cleared quickly when a
 * handle is opened. */
enum { MOVES_FRACTION = 16, MOVE_BYTES = 16, MOVES_BYTES_MAX = 4 << 20 };

static const struct wari_host *host_of(const struct wari_options *options)
{
    return options != NULL && options->host != NULL ? options->host : wari_host_system();
}

enum wari_status wari_list(const char *folder, const struct wari_options *options,
                           struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                           struct wari_error *error)
{
    return wari_variants(host_of(options), folder, variants, count, error);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

/* Adds a level and numbers its positions. All positions get numbers, even if a book holds only
 * some of their values, so that the numbers are unique in the database (line.c). */
static void add_level(struct wari_db *db, int n, uint64_t *chunks)
{
    wari_layout_init(&db->layout[n], n);
    db->first_chunk[n] = *chunks;
    *chunks += wari_chunk_count(wari_level_positions(n));
    db->positions += wari_level_positions(n);
}

static enum wari_status open_levels(struct wari_db *db, const char *folder, uint64_t *chunks,
                                    struct wari_error *error)
{
    *chunks = 0;
    for (int n = 0; n <= db->catalogue.seeds_max; n++) {
        if (!wari_catalogue_has(&db->catalogue, n))
            continue;
        const struct wari_level_address address = {db->host, folder, {db->catalogue.variant, n}};
        enum wari_status status =
            wari_catalogue_open_level(&db->file[n], &address, &db->catalogue.level[n], error);
        if (status != WARI_OK)
            return status;
        add_level(db, n, chunks);
        db->file_bytes += db->catalogue.level[n].file_bytes;
    }
    return WARI_OK;
}

/* Creates the caches and the pool of decoders. */
static enum wari_status make_caches(struct wari_db *db, const struct wari_options *options,
                                    uint64_t chunks, struct wari_error *error)
{
    size_t cache_bytes = default_cache_bytes;
    if (options != NULL && options->cache_bytes > 0)
        cache_bytes = options->cache_bytes;
    size_t moves_bytes = cache_bytes / MOVES_FRACTION;
    const uint64_t most = MOVE_BYTES * db->positions;
    if (moves_bytes > MOVES_BYTES_MAX)
        moves_bytes = MOVES_BYTES_MAX;
    enum wari_status status = wari_move_cache_create(
        &db->moves, db->host, moves_bytes < most ? moves_bytes : (size_t)most, error);
    if (status == WARI_OK)
        status = wari_cache_create(&db->cache, db->host, cache_bytes - moves_bytes, chunks, error);
    if (status == WARI_OK)
        status = wari_pool_create(&db->pool, db->host, error);
    return status;
}

static enum wari_status fill_handle(struct wari_db *db, const char *folder,
                                    struct wari_variant variant, const struct wari_options *options,
                                    struct wari_error *error)
{
    uint64_t chunks;
    enum wari_status status = wari_catalogue_read(&db->catalogue, db->host, folder, variant, error);
    if (status == WARI_OK && db->catalogue.seeds_max < 0)
        return wari_variant_missing(db->host, folder, variant, error);
    if (status == WARI_OK)
        status = wari_catalogue_drop_unusable(&db->catalogue, db->host, folder, error);
    if (status == WARI_OK)
        status = open_levels(db, folder, &chunks, error);
    return status == WARI_OK ? make_caches(db, options, chunks, error) : status;
}

static enum wari_status new_handle(struct wari_db **db, const struct wari_options *options,
                                   struct wari_error *error)
{
    const struct wari_host *host = host_of(options);
    void *memory = NULL;
    enum wari_status status = wari_allocate(host, sizeof **db, "a database handle", &memory, error);
    if (status != WARI_OK)
        return status;
    *db = memory;
    memset(*db, 0, sizeof **db);
    (*db)->host = host;
    return WARI_OK;
}

enum wari_status wari_open(struct wari_db **db, const char *folder,
                           const struct wari_variant *variant, const struct wari_options *options,
                           struct wari_error *error)
{
    const struct wari_host *host = host_of(options);
    const struct wari_variant_request anything = {0};
    struct wari_variant chosen;
    enum wari_status status = WARI_OK;
    struct wari_db *new = NULL;

    *db = NULL;
    if (variant != NULL)
        chosen = *variant;
    else
        status = wari_variant_choose(host, folder, &anything, false, &chosen, error);
    if (status == WARI_OK)
        status = new_handle(&new, options, error);
    if (status == WARI_OK)
        status = fill_handle(new, folder, chosen, options, error);
    if (status == WARI_OK)
        *db = new;
    else
        wari_close(new);
    return status;
}

/* ---- Books ---------------------------------------------------------------------------------- */

/* Reads the catalogue at the end of a book, and checks that it belongs to this book. */
static enum wari_status read_record(struct wari_db *db, const char *path, struct wari_error *error)
{
    const struct wari_book *book = &db->book->book;
    const uint64_t bytes = book->source.size - WARI_BOOK_TAIL_BYTES - book->record;
    void *text;
    if (bytes > WARI_CATALOGUE_BYTES_MAX)
        return wari_fail(error, WARI_CORRUPT,
                         "%s: the catalogue in this book is too long; get or make the book again",
                         path);
    enum wari_status status =
        wari_allocate(db->host, WARI_CATALOGUE_BYTES_MAX, "the record of a book", &text, error);
    if (status != WARI_OK)
        return status;
    db->catalogue.variant = book->variant;
    status = wari_read_at(db->host, db->book->fd, path, text, (size_t)bytes, book->record, error);
    if (status == WARI_OK)
        status = wari_catalogue_parse(&db->catalogue, text, (size_t)bytes, path, error);
    wari_release(db->host, text);
    if (status == WARI_MISMATCH || (status == WARI_OK && db->catalogue.seeds_max != book->seeds))
        status = wari_fail(
            error, WARI_CORRUPT,
            "%s: the catalogue in this book is that of another book; get or make the book again",
            path);
    return status;
}

static enum wari_status fill_from_book(struct wari_db *db, const char *path,
                                       const struct wari_variant *variant,
                                       const struct wari_options *options, struct wari_error *error)
{
    uint64_t chunks = 0;
    void *memory;
    enum wari_status status = wari_allocate(db->host, sizeof *db->book, "a book", &memory, error);
    if (status != WARI_OK)
        return status;
    status = wari_book_file_open(memory, db->host, path, error);
    if (status != WARI_OK) {
        wari_release(db->host, memory);
        return status;
    }
    db->book = memory;
    if (variant != NULL)
        status = wari_book_expect(&db->book->book, *variant, error);
    if (status == WARI_OK)
        status = read_record(db, path, error);
    for (int n = 0; n <= db->book->book.seeds && status == WARI_OK; n++)
        if (wari_catalogue_has(&db->catalogue, n))
            add_level(db, n, &chunks);
    db->file_bytes = db->book->book.source.size;
    return status == WARI_OK ? make_caches(db, options, chunks, error) : status;
}

enum wari_status wari_open_book(struct wari_db **db, const char *path,
                                const struct wari_variant *variant,
                                const struct wari_options *options, struct wari_error *error)
{
    struct wari_db *new = NULL;
    *db = NULL;
    enum wari_status status = new_handle(&new, options, error);
    if (status == WARI_OK)
        status = fill_from_book(new, path, variant, options, error);
    if (status == WARI_OK)
        *db = new;
    else
        wari_close(new);
    return status;
}

void wari_close(struct wari_db *db)
{
    if (db == NULL)
        return;
    wari_pool_destroy(db->pool);
    wari_cache_destroy(db->cache);
    wari_move_cache_destroy(db->moves);
    for (int n = 0; n <= WARI_SEEDS_MAX; n++)
        wari_level_file_close(db->file[n]);
    if (db->book != NULL)
        wari_book_file_close(db->book);
    wari_release(db->host, db->book);
    wari_release(db->host, db);
}

/* ---- Information about a handle -------------------------------------------------------------- */

void wari_get_info(const struct wari_db *db, struct wari_info *info)
{
    info->variant = db->catalogue.variant;
    info->seeds_max = db->catalogue.seeds_max;
    info->positions = db->positions;
    info->file_bytes = db->file_bytes;
}

int wari_missing(const struct wari_db *db, bool missing[WARI_SEEDS_MAX + 1])
{
    int count = 0;
    for (int n = 0; n <= WARI_SEEDS_MAX; n++) {
        missing[n] = db->catalogue.missing[n];
        count += missing[n];
    }
    return count;
}

enum wari_status wari_proved(const struct wari_db *db, const char *folder, int *seeds_max,
                             struct wari_error *error)
{
    struct wari_proof_record proof;
    enum wari_status status =
        wari_proof_read(&proof, db->host, folder, db->catalogue.variant, error);
    *seeds_max = wari_proof_fits(&proof, &db->catalogue);
    return status;
}

enum wari_status wari_get_level_info(const struct wari_db *db, int seeds,
                                     struct wari_level_info *info, struct wari_error *error)
{
    if (!wari_catalogue_has(&db->catalogue, seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "there is no level %d in this database, which goes up to %d", seeds,
                         db->catalogue.seeds_max);

    const struct wari_level_record *level = &db->catalogue.level[seeds];
    info->seeds = seeds;
    info->positions = wari_level_positions(seeds);
    info->placements = wari_level_placements(seeds);
    info->payload_hash = level->payload_hash;
    info->file_bytes = level->file_bytes;
    memcpy(info->histogram, level->histogram, sizeof info->histogram);
    return WARI_OK;
}

const char *wari_version(void)
{
    return WARI_VERSION;
}
