/* A short reader of level files, for programs without libwari. The reader of the library, in
 * db/format, is longer and faster, because it uses vector instructions. FORMAT.md, "Level file" and
 * "Codec 2", defines the files, and the terms that are used here.
 *
 * The offset table is never read as a whole. The reader finds each chunk by two entries of the
 * table, as FORMAT.md, "Large offset tables", describes. */
#include "db/portable/wari_levels.h"

#include <stdio.h>
#include <string.h>

#include "db/book/cells.h"
#include "db/book/partial_file.h"
#include "db/host/bytes.h"
#include "db/portable/xxh3.h"
#include "index/half.h"

enum {
    HEADER = 128,        /* bytes of the header */
    ENTRY = 16,          /* bytes of an entry of the offset table */
    CHUNK_BYTES = 17472, /* upper bound on the bytes of a chunk */
    STATES_BYTES = 4 * WARI_LEVELS_STREAMS,
    LEVEL_FORMAT = 2, /* the format version */
    CODEC = 2,
    SUM = 1024,            /* the sum of the frequencies of a context */
    LEAST_STATE = 1 << 16, /* a smaller state is refilled with a word */
    SPREADS = 6,
    NEAR = 5, /* neighbours of a cell, without the cell before it */
};

/* The hash of a part of a file depends on the number of the part. The chunks are numbered from 0;
 * these are the numbers of the header and of the model. */
#define PART_HEADER ((UINT64_C(1) << 40) - 1)
#define PART_MODEL ((UINT64_C(1) << 40) - 3)

static enum wari_status bad_level(const struct wari_open_level *level, uint64_t offset,
                                  const char *what, struct wari_error *error)
{
    return wari_fail(error, WARI_CORRUPT, "%s: damaged at offset %llu: %s; get the file again",
                     level->source.name, (unsigned long long)offset, what);
}

static enum wari_status read_level(const struct wari_open_level *level, uint64_t offset,
                                   void *buffer, size_t bytes, struct wari_error *error)
{
    const struct wari_book_source *source = &level->source;
    if (source->read(source->context, offset, buffer, bytes) == 0)
        return WARI_OK;
    return wari_fail(error, WARI_IO, "%s: cannot read %lu bytes at offset %llu", source->name,
                     (unsigned long)bytes, (unsigned long long)offset);
}

/* Returns the hash of a part of a level file. */
static uint64_t part_hash(uint32_t rules, uint32_t cycle, uint32_t seeds, uint64_t part,
                          const uint8_t *bytes, size_t count)
{
    uint64_t seed = ((uint64_t)rules << 56 | (uint64_t)CODEC << 52 | (uint64_t)cycle << 48 |
                     (uint64_t)seeds << 40 | part) +
                    UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    return wari_xxh3(bytes, count, seed ^ seed >> 31);
}

static uint64_t level_hash(const struct wari_open_level *level, uint64_t part, size_t count)
{
    return part_hash((uint32_t)level->variant.rules, (uint32_t)level->variant.cycle,
                     (uint32_t)level->seeds, part, level->bytes, count);
}

/* ---- Opening -------------------------------------------------------------------------------- */

void wari_levels_name(struct wari_variant variant, int seeds, char text[WARI_LEVELS_NAME])
{
    snprintf(text, WARI_LEVELS_NAME, "%s-%s-%d.wari", wari_get_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle), seeds);
}

/* Checks the format version and the hash of a header. */
static enum wari_status check_header(const struct wari_open_level *level, uint8_t header[HEADER],
                                     struct wari_error *error)
{
    static const uint8_t magic[8] = {0x89, 'W', 'A', 'R', 'I', '\r', '\n', 0x1a};
    const uint32_t format = wari_load32(header + 8);
    if (memcmp(header, magic, sizeof magic) != 0)
        return bad_level(level, 0, "this is not a level file", error);
    /* If the hash matches after the version number has been set to ours, the file was written in
     * our format, and its number has been damaged. */
    wari_store32(header + 8, LEVEL_FORMAT);
    const bool intact =
        part_hash(wari_load32(header + 16), wari_load32(header + 20), wari_load32(header + 24),
                  PART_HEADER, header, 120) == wari_load64(header + 120);
    if (format != LEVEL_FORMAT && !intact)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: this file has format version %lu, but this program reads only "
                         "version %d",
                         level->source.name, (unsigned long)format, LEVEL_FORMAT);
    if (format != LEVEL_FORMAT || !intact || wari_load32(header + 12) != HEADER)
        return bad_level(level, 8, "the hash of the header does not match", error);
    return WARI_OK;
}

/* Reads the fields of a header into *level, and checks them. */
static enum wari_status take_fields(struct wari_open_level *level, const uint8_t header[HEADER],
                                    struct wari_error *error)
{
    const uint32_t rules = wari_load32(header + 16);
    const uint32_t cycle = wari_load32(header + 20);
    const int seeds = level->seeds;
    const uint64_t all = wari_cells_before(seeds, seeds + 1);
    const uint64_t held = wari_book_cells_held(seeds);
    const uint64_t model = wari_load64(header + 80);
    if (rules < WARI_RULES_COUNT && cycle < WARI_CYCLE_COUNT &&
        wari_load32(header + 24) <= WARI_SEEDS_MAX &&
        (rules != (uint32_t)level->variant.rules || cycle != (uint32_t)level->variant.cycle ||
         wari_load32(header + 24) != (uint32_t)seeds))
        return wari_fail(
            error, WARI_MISMATCH, "%s: this file has level %lu of %s %s, not %d of %s %s",
            level->source.name, (unsigned long)wari_load32(header + 24),
            wari_get_rules_info((enum wari_rules)rules)->name,
            wari_cycle_name((enum wari_cycle)cycle), seeds,
            wari_get_rules_info(level->variant.rules)->name, wari_cycle_name(level->variant.cycle));
    level->stored = wari_load64(header + 96);
    level->packed = level->stored != all;
    level->chunks = (level->stored + WARI_LEVELS_CHUNK - 1) / WARI_LEVELS_CHUNK;
    level->first_chunk = HEADER + ENTRY * level->chunks + model;
    if (rules >= WARI_RULES_COUNT || cycle >= WARI_CYCLE_COUNT ||
        wari_load32(header + 24) > WARI_SEEDS_MAX || wari_load32(header + 28) != CODEC ||
        wari_load32(header + 32) != WARI_LEVELS_CHUNK || wari_load32(header + 36) != ENTRY ||
        wari_load64(header + 40) != all || (level->packed && level->stored != held) ||
        wari_load64(header + 48) != level->chunks || model < WARI_XXH3_LEAST ||
        model > WARI_LEVELS_READ || wari_load64(header + 104) != 0 ||
        wari_load64(header + 112) != 0)
        return bad_level(level, 16, "the fields of the header contradict each other", error);
    if (wari_load64(header + 56) != level->source.size ||
        level->source.size < level->first_chunk + level->chunks)
        return bad_level(level, level->source.size, "the file ends in the wrong place", error);
    return WARI_OK;
}

/* Returns the number of classes of a spread in the model of a level. */
static int classes_of(int seeds, int spread)
{
    return spread < 4 ? 2 * seeds + 1 : seeds + 1;
}

/* Replaces the frequencies of a context, as read from the file, by the starts of the ranges that
 * the symbols occupy. Returns the sum of the frequencies. */
static int start_ranges(struct wari_open_level *level, int context)
{
    const int symbols = 2 * level->seeds + 2;
    uint16_t *start = level->start + context * symbols;
    int sum = 0;
    for (int symbol = 0; symbol < symbols && sum <= SUM; symbol++) {
        const int frequency = (int)wari_load16((const uint8_t *)(start + symbol));
        start[symbol] = (uint16_t)sum;
        sum += frequency;
    }
    return sum;
}

/* Sets level->context[c] for each context c of one spread (FORMAT.md, "Model") to the context whose
 * frequencies c uses. This is c itself or, if c has no frequencies, the next context towards the
 * middle that has some. `first` is the first context of the spread. Returns false if the
 * frequencies of a context have a wrong sum, or if the middle context has none. */
static bool link_contexts(struct wari_open_level *level, int spread, int first)
{
    const int classes = classes_of(level->seeds, spread);
    const int middle = first + (classes - 1) / 2;
    uint16_t *context = level->context;
    bool filled[2 * WARI_SEEDS_MAX + 1];
    for (int i = 0; i < classes; i++) {
        const int sum = start_ranges(level, first + i);
        filled[i] = sum > 0;
        context[first + i] = (uint16_t)(first + i);
        if (sum != SUM && (sum != 0 || first + i == middle))
            return false;
    }
    for (int i = middle - 1; i >= first; i--)
        if (!filled[i - first])
            context[i] = context[i + 1];
    for (int i = middle + 1; i < first + classes; i++)
        if (!filled[i - first])
            context[i] = context[i - 1];
    return true;
}

static enum wari_status load_ranges(struct wari_open_level *level, uint64_t hash,
                                    wari_decompress *decompress, struct wari_error *error)
{
    const int n = level->seeds;
    const uint64_t offset = HEADER + ENTRY * level->chunks;
    const size_t packed = (size_t)(level->first_chunk - offset);
    const size_t plain = (size_t)((10 * n + 6) * (2 * n + 2)) * 2;
    enum wari_status status = read_level(level, offset, level->bytes, packed, error);
    if (status != WARI_OK)
        return status;
    if (level_hash(level, PART_MODEL, packed) != hash)
        return bad_level(level, offset, "the hash of the model does not match", error);
    if (decompress(level->start, plain, level->bytes, packed) != plain)
        return bad_level(level, offset, "the model cannot be decompressed", error);
    for (int spread = 0, first = 0; spread < SPREADS; first += classes_of(n, spread++))
        if (!link_contexts(level, spread, first))
            return bad_level(level, offset, "the model has impossible frequencies", error);
    return WARI_OK;
}

static enum wari_status find_chunk(const struct wari_open_level *level, uint64_t chunk,
                                   uint64_t *offset, size_t *bytes, uint64_t *hash,
                                   struct wari_error *error);

static enum wari_status open_level(struct wari_open_level *level, wari_decompress *decompress,
                                   struct wari_error *error)
{
    uint8_t header[HEADER];
    uint64_t offset, hash;
    size_t bytes;
    if (level->source.size < HEADER)
        return bad_level(level, level->source.size, "the file is too short", error);
    enum wari_status status = read_level(level, 0, header, HEADER, error);
    if (status == WARI_OK)
        status = check_header(level, header, error);
    if (status == WARI_OK)
        status = take_fields(level, header, error);
    if (status == WARI_OK && decompress == NULL)
        status = wari_fail(error, WARI_MISMATCH,
                           "%s: level files need zstd, which this program was built without; a "
                           "book (`wari book`) does not need it",
                           level->source.name);
    if (status == WARI_OK)
        status = load_ranges(level, wari_load64(header + 88), decompress, error);
    /* The last chunk must end where the file ends. */
    return status == WARI_OK ? find_chunk(level, level->chunks - 1, &offset, &bytes, &hash, error)
                             : status;
}

enum wari_status wari_levels_open(struct wari_open_level *levels, int seeds,
                                  struct wari_variant variant,
                                  const struct wari_book_source *source,
                                  wari_decompress *decompress, struct wari_error *error)
{
    if (!wari_level_exists(seeds))
        return wari_fail(error, WARI_BAD_INPUT, "there is no level %d; levels are 0 to 46, and 48",
                         seeds);
    struct wari_open_level *level = &levels[seeds];
    level->variant = variant;
    level->seeds = seeds;
    level->source = *source;
    level->chunk = UINT64_MAX;
    enum wari_status status = open_level(level, decompress, error);
    if (status != WARI_OK)
        level->source.read = NULL;
    return status;
}

/* ---- Chunks --------------------------------------------------------------------------------- */

/* Finds a chunk by two entries of the offset table: its own, and that of the chunk before it. */
static enum wari_status find_chunk(const struct wari_open_level *level, uint64_t chunk,
                                   uint64_t *offset, size_t *bytes, uint64_t *hash,
                                   struct wari_error *error)
{
    uint8_t entries[2 * ENTRY];
    const uint64_t place = HEADER + ENTRY * chunk;
    const uint64_t after = level->chunks - 1 - chunk;
    const size_t before = chunk > 0 ? ENTRY : 0;
    enum wari_status status = read_level(level, place - before, entries, before + ENTRY, error);
    if (status != WARI_OK)
        return status;
    const uint64_t start = before > 0 ? wari_load64(entries) : level->first_chunk;
    const uint64_t end = wari_load64(entries + before);
    /* Every other chunk has at least one byte. */
    if (start < level->first_chunk + chunk || end <= start || end - start > CHUNK_BYTES ||
        end > level->source.size - after || (after == 0 && end != level->source.size))
        return bad_level(level, place, "the chunk has an impossible size", error);
    *offset = start;
    *bytes = (size_t)(end - start);
    *hash = wari_load64(entries + before + 8);
    return WARI_OK;
}

static enum wari_status load_chunk(struct wari_open_level *level, uint64_t chunk,
                                   struct wari_error *error)
{
    const uint64_t left = level->stored - chunk * WARI_LEVELS_CHUNK;
    uint64_t offset, hash;
    if (level->chunk == chunk)
        return WARI_OK;
    level->chunk = UINT64_MAX;
    enum wari_status status = find_chunk(level, chunk, &offset, &level->size, &hash, error);
    if (status == WARI_OK)
        status = read_level(level, offset, level->bytes, level->size, error);
    if (status != WARI_OK)
        return status;
    if (level->size < STATES_BYTES || level_hash(level, chunk, level->size) != hash)
        return bad_level(level, offset, "the hash of the chunk does not match", error);
    level->chunk = chunk;
    level->cells = left < WARI_LEVELS_CHUNK ? (int)left : (int)WARI_LEVELS_CHUNK;
    level->steps = 0;
    level->at = STATES_BYTES;
    for (int stream = 0; stream < WARI_LEVELS_STREAMS; stream++)
        level->state[stream] = wari_load32(level->bytes + 4 * stream);
    return WARI_OK;
}

/* Collects the residues (values minus captures at hand) of the five neighbours of cell `at` of the
 * chunk, which is cell `step` of its stream, and, as the last element of near[], the residue of the
 * cell before it, or 0 for the first cell of a stream. If a neighbour does not exist or is not
 * decoded yet, its element is the residue of another neighbour or that last element. */
static void find_near(const struct wari_open_level *level, const struct wari_cell *cell, int at,
                      int step, int near[NEAR + 1])
{
    /* [neighbour]: index in `instead` of the residue to use if the neighbour does not count. */
    static const int replaced_by[NEAR] = {0, 1, 2, 0, 1};
    const int length = (level->cells + WARI_LEVELS_STREAMS - 1) / WARI_LEVELS_STREAMS;
    const uint8_t *pits = cell->position.pits;
    const int8_t *here = level->rest + at;
    const int before = step > 0 ? here[-1] : 0;
    /* The substitutes for neighbours that do not count: the residue of the first neighbour that
     * counts, of the last one that counts, and of the cell before. */
    int instead[3] = {before, before, before};
    int distance[NEAR];
    bool counts[NEAR], found = false;
    int after = pits[4] + pits[5];
    distance[0] = after + 1;
    after += pits[3];
    distance[1] = (after + 1) * (after + 2) / 2;
    after += pits[2];
    distance[2] = (after + 1) * (after + 2) * (after + 3) / 6;
    after += pits[1];
    distance[3] = (after + 1) * (after + 2) * (after + 3) * (after + 4) / 24;
    distance[4] = (int)wari_half_count(cell->seeds - cell->across);
    for (int i = 0; i < NEAR; i++) {
        const int back = distance[i];
        /* The first row of a block has all seeds of the opponent in the last pit. */
        const bool there = i < 4 ? pits[3 - i] > 0 : pits[WARI_PITS - 1] != cell->across;
        counts[i] = there && back < WARI_LEVELS_CHUNK &&
                    (back <= step || (at >= length && length <= back && back <= length + step));
        if (!counts[i])
            continue;
        near[i] = here[-back];
        instead[1] = near[i];
        if (!found)
            instead[0] = near[i];
        found = true;
    }
    for (int i = 0; i < NEAR; i++)
        if (!counts[i])
            near[i] = instead[replaced_by[i]];
    near[NEAR] = before;
}

/* Returns the context of a cell whose neighbours have these residues, and which has this capture at
 * hand. */
static int context_of(const struct wari_open_level *level, const int near[NEAR + 1], int capture)
{
    const int n = level->seeds;
    int sum = 0, squares = 0;
    for (int i = 0; i <= NEAR; i++) {
        sum += near[i];
        squares += near[i] * near[i];
    }
    const int even = squares - sum * sum / 6;
    const int spread = (even >= 1) + (even >= 5) + (even >= 21) + (even >= 85) + (even >= 170);
    const int guess = sum + 6 * capture;
    const int raised = guess < -6 * n ? 3 : (guess > 6 * n ? 6 * n : guess) + 6 * n + 3;
    return spread < 4 ? spread * classes_of(n, 0) + raised / 6
                      : 4 * classes_of(n, 0) + (spread - 4) * classes_of(n, 4) + raised / 12;
}

/* Refills a state that is too small with the next word of the chunk. Returns false if there is no
 * further word. */
static bool refill_state(struct wari_open_level *level, uint32_t *state)
{
    if (*state >= LEAST_STATE)
        return true;
    if (level->size - level->at < 2)
        return false;
    *state = *state << 16 | wari_load16(level->bytes + level->at);
    level->at += 2;
    return true;
}

/* Decodes the value of a cell. Returns false if no encoder writes such bytes. */
static bool take_value(struct wari_open_level *level, int context, uint32_t *state, int *value)
{
    const int symbols = 2 * level->seeds + 2;
    const uint16_t *start = level->start + level->context[context] * symbols;
    const uint32_t place = *state % SUM;
    int low = 0, high = symbols; /* the symbol is at least `low` and below `high` */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (start[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    const uint32_t end = high < symbols ? start[high] : (uint32_t)SUM;
    *state = (end - start[low]) * (*state / SUM) + place - start[low];
    *value = low - 1 - level->seeds;
    if (!refill_state(level, state))
        return false;
    if (low > 0)
        return true;
    /* Symbol 0 is the escape: the value plus 64 follows, in seven bits. */
    *value = (int)(*state % 128) - 64;
    *state /= 128;
    return refill_state(level, state) && *value >= -level->seeds && *value <= level->seeds;
}

/* Decodes further values of the chunk, until `steps` values of each stream are known. */
static bool decode_steps(struct wari_open_level *level, int steps)
{
    const int length = (level->cells + WARI_LEVELS_STREAMS - 1) / WARI_LEVELS_STREAMS;
    const uint64_t first = level->chunk * WARI_LEVELS_CHUNK;
    struct wari_cell cell[WARI_LEVELS_STREAMS];
    for (int stream = 0; stream < WARI_LEVELS_STREAMS; stream++)
        if (stream * length + level->steps < level->cells)
            wari_cell_find(&cell[stream], level->seeds,
                           first + (uint64_t)(stream * length + level->steps));
    for (; level->steps < steps; level->steps++)
        for (int stream = 0; stream < WARI_LEVELS_STREAMS; stream++) {
            const int at = stream * length + level->steps;
            int near[NEAR + 1], value;
            if (at >= level->cells)
                break;
            const int capture = wari_cell_capture(&cell[stream]);
            find_near(level, &cell[stream], at, level->steps, near);
            if (!take_value(level, context_of(level, near, capture), &level->state[stream], &value))
                return false;
            level->value[at] = (int8_t)value;
            level->rest[at] = (int8_t)(value - capture);
            wari_cell_next(&cell[stream]);
        }
    for (int stream = 0; stream < WARI_LEVELS_STREAMS && steps == length; stream++)
        if (level->state[stream] != LEAST_STATE || level->at != level->size)
            return false;
    return true;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* The array that is passed to the functions of struct wari_partial_file. */
struct level_array {
    struct wari_open_level *levels;
    int count;
};

static bool is_open(const struct level_array *array, int seeds)
{
    return wari_level_exists(seeds) && seeds < array->count &&
           array->levels[seeds].source.read != NULL;
}

static bool is_in_level(const void *file, const struct wari_position *position)
{
    const struct level_array *array = (const struct level_array *)file;
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    const int seeds = wari_seeds(position);
    if (wari_half_full(opponent))
        return false;
    return !is_open(array, seeds) || !array->levels[seeds].packed ||
           wari_half_seeds(opponent) <= seeds / 2;
}

/* Sets *level to the level with `seeds` seeds. Fails if it is not open, or has another variant than
 * level 0. */
static enum wari_status need_level(const struct level_array *array, int seeds,
                                   struct wari_open_level **level, struct wari_error *error)
{
    *level = array->levels + seeds;
    if (!is_open(array, seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "the level with %d seeds is needed, and its file is not open", seeds);
    if ((*level)->variant.rules != array->levels[0].variant.rules ||
        (*level)->variant.cycle != array->levels[0].variant.cycle)
        return wari_fail(error, WARI_MISMATCH, "%s and %s have different variants",
                         (*level)->source.name, array->levels[0].source.name);
    return WARI_OK;
}

static enum wari_status find_in_level(const void *file, const struct wari_position *position,
                                      int *value, struct wari_error *error)
{
    const int seeds = wari_seeds(position);
    const int across = wari_half_seeds(position->pits + WARI_HALF_PITS);
    struct wari_open_level *level;
    enum wari_status status = need_level((const struct level_array *)file, seeds, &level, error);
    if (status != WARI_OK)
        return status;
    const uint64_t number = wari_cell_number(position, seeds, across);
    status = load_chunk(level, number / WARI_LEVELS_CHUNK, error);
    if (status != WARI_OK)
        return status;
    const int at = (int)(number % WARI_LEVELS_CHUNK);
    const int length = (level->cells + WARI_LEVELS_STREAMS - 1) / WARI_LEVELS_STREAMS;
    if (at % length >= level->steps && !decode_steps(level, at % length + 1)) {
        const unsigned long long chunk = level->chunk;
        level->chunk = UINT64_MAX;
        return wari_fail(error, WARI_CORRUPT,
                         "%s: chunk %llu has the right hash, but it cannot be decoded",
                         level->source.name, chunk);
    }
    *value = level->value[at];
    return WARI_OK;
}

/* Describes the levels for partial_file.h, to find the value of a position. */
static enum wari_status describe_levels(struct wari_partial_file *partial,
                                        const struct level_array *array,
                                        const struct wari_position *position,
                                        struct wari_error *error)
{
    struct wari_open_level *level;
    const int seeds = wari_seeds(position);
    if (seeds > WARI_SEEDS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "a position has at most %d seeds, not %d",
                         WARI_SEEDS_MAX, seeds);
    enum wari_status status = need_level(array, 0, &level, error);
    if (status == WARI_OK)
        status = need_level(array, seeds, &level, error);
    if (status != WARI_OK)
        return status;
    partial->rules = level->variant.rules;
    partial->file = array;
    partial->holds = is_in_level;
    partial->find = find_in_level;
    return WARI_OK;
}

enum wari_status wari_levels_value(struct wari_open_level *levels, int count,
                                   const struct wari_position *position, int *value,
                                   struct wari_error *error)
{
    const struct level_array array = {levels, count};
    struct wari_partial_file partial;
    enum wari_status status = describe_levels(&partial, &array, position, error);
    return status == WARI_OK ? wari_partial_value(&partial, position, value, error) : status;
}

enum wari_status wari_levels_analyse(struct wari_open_level *levels, int count,
                                     const struct wari_position *position,
                                     struct wari_analysis *analysis, struct wari_error *error)
{
    const struct level_array array = {levels, count};
    struct wari_partial_file partial;
    enum wari_status status = describe_levels(&partial, &array, position, error);
    return status == WARI_OK ? wari_partial_analyse(&partial, position, analysis, error) : status;
}
