/* Reads score files row by row. A row of the level is contiguous in the file, so one call reads it;
 * then its columns are brought into the order of the level. */
#include "db/scores/score_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "index/half.h"

/* ---- Files ---------------------------------------------------------------------------------- */

enum wari_status wari_score_path(char path[WARI_PATH_MAX], const char *folder, int seeds,
                                 struct wari_error *error)
{
    return wari_path(path, error, folder, "scores.%d", seeds);
}

/* Looks for a packed form of a missing file, and says how to unpack it. */
static enum wari_status fail_missing(const struct wari_score_file *file, const char *folder,
                                     struct wari_error *error)
{
    static const struct {
        const char *suffix, *before, *after;
    } forms[] = {
        {".tar.gz", "tar -xzf", " -C"},
        {".tgz", "tar -xzf", " -C"},
        {".tar.zst", "tar --zstd -xf", " -C"},
        {".tar", "tar -xf", " -C"},
        {".zst", "zstd -d", NULL},
        {".gz", "gunzip -k", NULL},
        {".xz", "xz -dk", NULL},
    };
    const struct wari_host *host = file->host;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char packed[WARI_PATH_MAX];
        int fd;
        if (wari_path(packed, NULL, folder, "scores.%d%s", file->layout.seeds, forms[i].suffix) !=
                WARI_OK ||
            wari_open_file(host, packed, O_RDONLY, &fd, NULL) != WARI_OK)
            continue;
        host->close(host->context, fd);
        return wari_fail(error, WARI_IO, "%s does not exist; unpack it first: %s %s%s%s%s",
                         file->path, forms[i].before, packed, forms[i].after ? forms[i].after : "",
                         forms[i].after ? " " : "", forms[i].after ? folder : "");
    }
    return wari_fail(error, WARI_IO,
                     "%s does not exist; give the folder of the files scores.0, scores.1, ...",
                     file->path);
}

uint64_t wari_score_file_size(const struct wari_score_file *file)
{
    return file->layout.block_offset[file->layout.seeds + 1];
}

static enum wari_status check_size(const struct wari_score_file *file, struct wari_error *error)
{
    const struct wari_host *host = file->host;
    const int seeds = file->layout.seeds;
    const uint64_t expected = wari_score_file_size(file);
    const int64_t size = host->size(host->context, file->fd);

    if (size < 0)
        return wari_fail_errno(error, file->path, "get the size of the file");
    if ((uint64_t)size == expected)
        return WARI_OK;
    return wari_fail(error, WARI_CORRUPT,
                     "%s: the file ends at offset %llu, but the values of %d seeds end at offset "
                     "%llu; get the file again",
                     file->path, (unsigned long long)size, seeds, (unsigned long long)expected);
}

enum wari_status wari_score_file_open(struct wari_score_file *file, const struct wari_host *host,
                                      const char *folder, int seeds, struct wari_error *error)
{
    *file = (struct wari_score_file){.host = host, .fd = -1};
    wari_layout_init(&file->layout, seeds);
    wari_score_order_init(&file->order);
    enum wari_status status = wari_score_path(file->path, folder, seeds, error);
    if (status != WARI_OK)
        return status;
    errno = 0;
    status = wari_open_file(host, file->path, O_RDONLY, &file->fd, error);
    if (status != WARI_OK)
        return errno == ENOENT ? fail_missing(file, folder, error) : status;
    status = check_size(file, error);
    if (status != WARI_OK)
        wari_score_file_close(file);
    return status;
}

void wari_score_file_close(struct wari_score_file *file)
{
    if (file->fd >= 0)
        file->host->close(file->host->context, file->fd);
    file->fd = -1;
    if (file->held)
        wari_release(file->host, file->held);
    file->held = NULL;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Returns true if the byte is not a value of a level with `seeds` seeds. */
static bool is_wrong(int8_t value, int seeds)
{
    return value < -seeds || value > seeds;
}

/* Checks the bytes that were read from `offset` on, eight at a time. A byte v >= 0 is correct if v
 * is at most n. A byte v < 0 is correct if -v - 1 is at most n - 1. All these numbers are less than
 * 128, so the highest bit of each byte is free. It is set in the limit, and v or -v - 1 is
 * subtracted. The bit remains set exactly if the number is at most the limit. */
static enum wari_status check_values(const struct wari_score_file *file, uint64_t offset,
                                     const int8_t *values, size_t count, struct wari_error *error)
{
    const int seeds = file->layout.seeds;
    const uint64_t all = (uint64_t)seeds * UINT64_C(0x0101010101010101);
    const uint64_t high = UINT64_C(0x8080808080808080);
    size_t at = 0;

    for (uint64_t eight; at + sizeof eight <= count; at += sizeof eight) {
        memcpy(&eight, values + at, sizeof eight);
        const uint64_t negative = (eight & high) >> 7; /* 1 in each byte that is negative */
        const uint64_t size = eight ^ negative * 0xff; /* v, or -v - 1 */
        const uint64_t limit = all - negative;         /* n, or n - 1 */
        if ((((limit | high) - size) & high) != high)
            break;
    }
    while (at < count && !is_wrong(values[at], seeds))
        at++;
    if (at == count)
        return WARI_OK;
    return wari_fail(error, WARI_CORRUPT,
                     "%s: the byte at offset %llu is %d, which is not a value of a position with "
                     "%d seeds; get the file again",
                     file->path, (unsigned long long)(offset + at), values[at], seeds);
}

enum wari_status wari_score_file_read(const struct wari_score_file *file, uint64_t offset,
                                      size_t count, int8_t *values, struct wari_error *error)
{
    if (file->held) {
        memcpy(values, file->held + offset, count);
        return WARI_OK;
    }
    if (file->is_hole && file->is_hole(file->context, offset, count)) {
        memset(values, 0, count);
        return WARI_OK;
    }
    const enum wari_status status =
        wari_read_at(file->host, file->fd, file->path, values, count, offset, error);
    return status == WARI_OK ? check_values(file, offset, values, count, error) : status;
}

enum wari_status wari_score_file_row(const struct wari_score_file *file,
                                     const uint8_t opponent[WARI_HALF_PITS], uint32_t first,
                                     uint32_t count, int8_t *values, struct wari_error *error)
{
    const uint64_t row = wari_score_row_offset(&file->order, file->layout.seeds, opponent);

    return wari_score_file_read(file, row + first, count, values, error);
}

enum wari_status wari_score_file_value(const struct wari_score_file *file,
                                       const struct wari_position *position, int *value,
                                       struct wari_error *error)
{
    int8_t byte = 0;
    const enum wari_status status =
        wari_score_file_read(file, wari_score_offset(&file->order, position), 1, &byte, error);

    *value = byte;
    return status;
}

/* ---- Values in the order of the level ------------------------------------------------------- */

uint64_t wari_score_reader_bytes(int seeds)
{
    return (uint64_t)wari_half_count(seeds) * (sizeof(uint32_t) + 1);
}

enum wari_status wari_score_reader_create(struct wari_score_reader *reader,
                                          const struct wari_score_file *file,
                                          struct wari_error *error)
{
    const uint32_t columns = wari_half_count(file->layout.seeds);

    *reader = (struct wari_score_reader){.file = file, .mover_seeds = -1, .row_block = -1};
    const enum wari_status status =
        wari_allocate(file->host, (size_t)wari_score_reader_bytes(file->layout.seeds),
                      "reading a score file", &reader->memory, error);
    if (status != WARI_OK)
        return status;
    reader->place = reader->memory;
    reader->row = (int8_t *)(reader->place + columns);
    return WARI_OK;
}

void wari_score_reader_destroy(struct wari_score_reader *reader)
{
    if (reader->memory)
        wari_release(reader->file->host, reader->memory);
    reader->memory = NULL;
}

static void find_places(struct wari_score_reader *reader, int mover_seeds)
{
    if (reader->mover_seeds == mover_seeds)
        return;
    wari_score_places(mover_seeds, reader->place);
    reader->mover_seeds = mover_seeds;
}

/* Reads a row, unless it is the one that was read last. */
static enum wari_status need_row(struct wari_score_reader *reader, int block, uint32_t row,
                                 struct wari_error *error)
{
    const struct wari_score_file *file = reader->file;
    uint8_t opponent[WARI_HALF_PITS];

    if (reader->row_block == block && reader->row_number == row)
        return WARI_OK;
    wari_row_unrank(block, row, opponent);
    reader->row_block = -1;
    const enum wari_status status =
        wari_score_file_row(file, opponent, 0, file->layout.columns[block], reader->row, error);
    if (status == WARI_OK) {
        reader->row_block = block;
        reader->row_number = row;
    }
    return status;
}

enum wari_status wari_score_read(struct wari_score_reader *reader, uint64_t first, size_t count,
                                 int8_t *values, struct wari_error *error)
{
    const struct wari_layout *layout = &reader->file->layout;
    int block = 0;

    while (count > 0) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint32_t columns = layout->columns[block];
        const uint64_t cell = first - layout->block_offset[block];
        const uint32_t column = (uint32_t)(cell % columns);
        const size_t run = columns - column < count ? columns - column : count;
        const enum wari_status status = need_row(reader, block, (uint32_t)(cell / columns), error);
        if (status != WARI_OK)
            return status;
        find_places(reader, layout->seeds - block);
        for (size_t i = 0; i < run; i++)
            values[i] = reader->row[reader->place[column + i]];
        values += run;
        first += run;
        count -= run;
    }
    return WARI_OK;
}
