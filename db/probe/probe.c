/* Values of positions.
 *
 * If the level's file holds a position, the value is one byte of one chunk. The value of any other
 * position is the value of its best move. There are two kinds of such positions:
 *
 *     - Positions with a full opponent half have no number. All positions after their moves have
 *       one: after a move the mover has an empty pit, and a grand slam of `warri` leaves an empty
 *       row.
 *     - Positions that a packed file leaves out have more than n/2 of the n seeds on the opponent's
 *       side. A quiet move leaves fewer than n/2 there and so leads to a position that the file
 *       holds. A capture leads to a lower level, whose file may leave the position out as well. So
 *       the recursion ends, at the latest when no more captures are possible. */
#include "db/probe/probe.h"

#include <string.h>

#include "index/half.h"

uint64_t wari_held_positions(const struct wari_db *db, int seeds)
{
    return db->book != NULL ? wari_book_held(&db->book->book, seeds)
                            : wari_level_file_stored(db->file[seeds]);
}

/* Decodes a chunk into `decoding` and the cache. For a probe, decodes the chunk only up to the
 * value, half of the chunk on average; but if the cache already holds a part of the chunk that
 * does not include the value, decodes the whole chunk. For any other request, decodes the whole
 * chunk. */
static enum wari_status chunk_of_file(struct wari_db *db, const struct wari_value_range *range,
                                      bool probes, struct wari_decoding *decoding,
                                      struct wari_error *error)
{
    const struct wari_level_file *file = db->file[range->seeds];
    const uint64_t number = db->first_chunk[range->seeds] + range->chunk;
    size_t known = WARI_STREAM_POSITIONS;
    if (probes && !wari_cache_has(db->cache, number))
        known = wari_level_file_steps(file, range->chunk, range->offset);
    enum wari_status status = wari_level_file_chunk_prefix(file, decoding->decoder, range->chunk,
                                                           known, decoding->values, error);
    if (status == WARI_OK)
        wari_cache_insert(db->cache, number, decoding->values,
                          wari_level_file_chunk_positions(file, range->chunk), known);
    return status;
}

/* Decodes a chunk of a book into `decoding` and the cache, from the blocks that make up the
 * chunk. */
static enum wari_status chunk_of_book(struct wari_db *db, const struct wari_value_range *range,
                                      struct wari_decoding *decoding, struct wari_error *error)
{
    const uint64_t first = range->chunk * WARI_CHUNK_POSITIONS;
    const size_t count = wari_chunk_size(range->chunk, wari_held_positions(db, range->seeds));
    enum wari_status status = WARI_OK;
    for (size_t at = 0; at < count && status == WARI_OK; at += WARI_BOOK_CELLS)
        status = wari_book_block(&db->book->book, range->seeds, (first + at) / WARI_BOOK_CELLS,
                                 decoding->values + at, error);
    if (status == WARI_OK)
        wari_cache_insert(db->cache, db->first_chunk[range->seeds] + range->chunk, decoding->values,
                          count, WARI_STREAM_POSITIONS);
    return status;
}

enum wari_status wari_range_values(struct wari_db *db, const struct wari_value_range *range,
                                   int8_t *values, bool probes, struct wari_error *error)
{
    const uint64_t number = db->first_chunk[range->seeds] + range->chunk;
    struct wari_decoding *decoding;
    if (wari_cache_find(db->cache, number, range->offset, values, range->count))
        return WARI_OK;

    enum wari_status status = wari_pool_take(db->pool, &decoding, error);
    if (status != WARI_OK)
        return status;
    if (db->book != NULL)
        status = chunk_of_book(db, range, decoding, error);
    else
        status = chunk_of_file(db, range, probes, decoding, error);
    if (status == WARI_OK)
        memcpy(values, decoding->values + range->offset, range->count);
    wari_pool_give_back(db->pool, decoding);
    return status;
}

/* The source of values: with CACHE_ALONE, no file is read, and a function that does not find a
 * value in the cache returns WARI_NOT_COVERED without a text. */
enum source { FILE_OR_CACHE, CACHE_ALONE };

static enum wari_status value_by_moves(struct wari_db *db, const struct wari_position *position,
                                       enum source source, int *value, struct wari_error *error);

/* Finds the value of a position that has a number, in a level that is present. */
static enum wari_status stored_value(struct wari_db *db, const struct wari_position *position,
                                     int seeds, enum source source, int *value,
                                     struct wari_error *error)
{
    uint64_t rank = wari_layout_rank(&db->layout[seeds], position);
    enum wari_status status = WARI_OK;
    int8_t found;
    if (rank >= wari_held_positions(db, seeds))
        return value_by_moves(db, position, source, value, error);
    const struct wari_value_range range = {seeds, rank / WARI_CHUNK_POSITIONS,
                                           rank % WARI_CHUNK_POSITIONS, 1};
    if (source == FILE_OR_CACHE)
        status = wari_range_values(db, &range, &found, true, error);
    else if (!wari_cache_find(db->cache, db->first_chunk[seeds] + range.chunk, range.offset, &found,
                              1))
        status = WARI_NOT_COVERED;
    if (status == WARI_OK)
        *value = found;
    return status;
}

static enum wari_status values_by_moves(struct wari_db *db, int seeds, uint64_t first, size_t count,
                                        int8_t *values, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (size_t i = 0; i < count && status == WARI_OK; i++) {
        struct wari_position position;
        int value = 0;
        wari_layout_unrank(&db->layout[seeds], first + i, &position);
        status = wari_value_by_moves(db, &position, &value, error);
        values[i] = (int8_t)value;
    }
    return status;
}

enum wari_status wari_values(struct wari_db *db, int seeds, uint64_t first, size_t count,
                             int8_t *values, struct wari_error *error)
{
    if (!wari_catalogue_has(&db->catalogue, seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "there is no level %d in this database, which goes up to %d", seeds,
                         db->catalogue.seeds_max);
    uint64_t positions = db->layout[seeds].block_offset[seeds + 1];
    if (first > positions || count > positions - first)
        return wari_fail(error, WARI_BAD_INPUT,
                         "level %d has %llu stored positions, numbered from 0; there are not %zu "
                         "from number %llu on",
                         seeds, (unsigned long long)positions, count, (unsigned long long)first);

    const uint64_t stored = wari_held_positions(db, seeds);
    enum wari_status status = WARI_OK;
    while (count > 0 && first < stored && status == WARI_OK) {
        const size_t offset = first % WARI_CHUNK_POSITIONS;
        struct wari_value_range range = {seeds, first / WARI_CHUNK_POSITIONS, offset,
                                         WARI_CHUNK_POSITIONS - offset};
        if (range.count > count)
            range.count = count;
        if (range.count > stored - first)
            range.count = (size_t)(stored - first);
        status = wari_range_values(db, &range, values, false, error);
        values += range.count;
        first += range.count;
        count -= range.count;
    }
    if (status == WARI_OK && count > 0)
        status = values_by_moves(db, seeds, first, count, values, error);
    return status;
}

/* Computes the value of a move for the side that makes it. */
static enum wari_status move_worth(struct wari_db *db, const struct wari_move *move,
                                   enum source source, int *worth, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    int next = 0;
    if (!move->ends)
        status = stored_value(db, &move->next, wari_seeds(&move->next), source, &next, error);
    *worth = wari_move_value(move, next);
    return status;
}

/* Finds the value of the best move, or of the end of the game if there is no move. */
static enum wari_status value_by_moves(struct wari_db *db, const struct wari_position *position,
                                       enum source source, int *value, struct wari_error *error)
{
    struct wari_moves moves;
    wari_find_moves(db->catalogue.variant.rules, position, &moves);
    int best = moves.count == 0 ? moves.end_value : -WARI_SEEDS_MAX;
    for (int i = 0; i < moves.count; i++) {
        int worth;
        enum wari_status status = move_worth(db, &moves.list[i], source, &worth, error);
        if (status != WARI_OK)
            return status;
        best = worth > best ? worth : best;
    }
    *value = best;
    return WARI_OK;
}

enum wari_status wari_value_by_moves(struct wari_db *db, const struct wari_position *position,
                                     int *value, struct wari_error *error)
{
    return value_by_moves(db, position, FILE_OR_CACHE, value, error);
}

enum wari_status wari_check_covered(const struct wari_db *db, const struct wari_position *position,
                                    int *seeds, struct wari_error *error)
{
    *seeds = wari_seeds(position);
    if (*seeds > WARI_SEEDS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "a position has at most %d seeds, not %d",
                         WARI_SEEDS_MAX, *seeds);
    if (!wari_level_exists(*seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "no game reaches a position with 47 seeds (a capture takes at least 2), "
                         "so no database has a value for it");
    if (!wari_catalogue_has(&db->catalogue, *seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "the position has %d seeds; the database goes up to %d", *seeds,
                         db->catalogue.seeds_max);
    return WARI_OK;
}

/* Finds the values of all moves. Sets the value of the position to the value of the best move,
 * or of the end of the game if there is no move. */
static enum wari_status value_moves(struct wari_db *db, const struct wari_position *position,
                                    struct wari_analysis *analysis, struct wari_error *error)
{
    struct wari_moves moves;
    wari_find_moves(db->catalogue.variant.rules, position, &moves);
    analysis->count = 0;
    for (int i = 0; i < moves.count; i++) {
        int worth;
        enum wari_status status = move_worth(db, &moves.list[i], FILE_OR_CACHE, &worth, error);
        if (status != WARI_OK)
            return status;
        wari_analysis_add(analysis, &moves.list[i], worth);
    }
    analysis->value = moves.count > 0 ? analysis->moves[0].value : moves.end_value;
    return WARI_OK;
}

enum wari_status wari_probe(struct wari_db *db, const struct wari_position *position, int *value,
                            struct wari_error *error)
{
    int seeds;
    const enum wari_status status = wari_check_covered(db, position, &seeds, error);
    if (status != WARI_OK)
        return status;
    return wari_position_stored(position)
               ? stored_value(db, position, seeds, FILE_OR_CACHE, value, error)
               : wari_value_by_moves(db, position, value, error);
}

bool wari_probe_cached(struct wari_db *db, const struct wari_position *position, int *value)
{
    const int seeds = wari_seeds(position);
    if (seeds > WARI_SEEDS_MAX || !wari_catalogue_has(&db->catalogue, seeds))
        return false;
    return (wari_position_stored(position)
                ? stored_value(db, position, seeds, CACHE_ALONE, value, NULL)
                : value_by_moves(db, position, CACHE_ALONE, value, NULL)) == WARI_OK;
}

enum wari_status wari_analyse(struct wari_db *db, const struct wari_position *position,
                              struct wari_analysis *analysis, struct wari_error *error)
{
    char text[WARI_POSITION_TEXT];
    int seeds;
    int stored;
    enum wari_status status = wari_check_covered(db, position, &seeds, error);
    if (status == WARI_OK)
        status = value_moves(db, position, analysis, error);
    if (status != WARI_OK)
        return status;
    if (!wari_position_stored(position))
        return WARI_OK;

    status = stored_value(db, position, seeds, FILE_OR_CACHE, &stored, error);
    if (status == WARI_OK && stored != analysis->value) {
        wari_position_text(position, text);
        status = wari_fail(error, WARI_CORRUPT,
                           "the database contradicts itself: %s is stored as %d, but its best move "
                           "is worth %d; build the database again in another folder",
                           text, stored, analysis->value);
    }
    return status;
}

enum wari_status wari_probe_origin(const struct wari_db *db, const struct wari_position *position,
                                   struct wari_origin *origin, struct wari_error *error)
{
    int seeds;
    enum wari_status status = wari_check_covered(db, position, &seeds, error);
    if (status != WARI_OK)
        return status;
    const uint64_t rank = wari_position_stored(position)
                              ? wari_layout_rank(&db->layout[seeds], position)
                              : UINT64_MAX;
    *origin = (struct wari_origin){
        .path = db->book != NULL ? db->book->path : wari_level_file_path(db->file[seeds]),
        .is_book = db->book != NULL,
        .held = rank < wari_held_positions(db, seeds),
        .part = rank / (db->book != NULL ? WARI_BOOK_CELLS : WARI_CHUNK_POSITIONS),
    };
    return WARI_OK;
}
