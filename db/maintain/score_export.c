/* Writes score files. The level is read in its own order, so that each chunk is decoded once, and
 * each row is written at its place in the score file. */
#include "db/maintain/score_export.h"

#include "db/host/temporary_file.h"
#include "db/probe/handle.h"
#include "db/scores/score_file.h"
#include "index/half.h"

/* The number of values that are read at a time, usually several rows. A longer row is read alone.
 */
enum { VALUES_READ = 1 << 20 };

struct exporting {
    const struct wari_score_export *export;
    const struct wari_layout *layout;
    struct wari_score_order order;
    int fd;
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
    int8_t *values; /* rows in the order of the level */
    int8_t *row;    /* a row in the order of the file */
    uint32_t *place;
};

/* Returns the number of rows of a block that are read at a time. */
static uint32_t rows_at_a_time(const struct wari_layout *layout, int block)
{
    const uint32_t rows = VALUES_READ / layout->columns[block];
    if (rows == 0)
        return 1;
    return rows < layout->rows[block] ? rows : layout->rows[block];
}

static enum wari_status write_row(struct exporting *exporting, int block, uint32_t row,
                                  const int8_t *values, struct wari_error *error)
{
    const struct wari_layout *layout = exporting->layout;
    const struct wari_host *host = exporting->export->db->host;
    const uint32_t columns = layout->columns[block];
    uint8_t opponent[WARI_HALF_PITS];

    wari_row_unrank(block, row, opponent);
    for (uint32_t column = 0; column < columns; column++)
        exporting->row[exporting->place[column]] = values[column];
    return wari_write_at(host, exporting->fd, exporting->temporary, exporting->row, columns,
                         wari_score_row_offset(&exporting->order, layout->seeds, opponent), error);
}

static enum wari_status write_block(struct exporting *exporting, int block,
                                    struct wari_error *error)
{
    const struct wari_score_export *export = exporting->export;
    const struct wari_layout *layout = exporting->layout;
    const uint32_t columns = layout->columns[block];
    enum wari_status status = WARI_OK;

    wari_score_places(layout->seeds - block, exporting->place);
    for (uint32_t row = 0; row < layout->rows[block] && status == WARI_OK;) {
        const uint32_t most = rows_at_a_time(layout, block), left = layout->rows[block] - row;
        const uint32_t rows = left < most ? left : most;
        const uint64_t first = layout->block_offset[block] + (uint64_t)row * columns;
        const uint64_t count = (uint64_t)rows * columns;
        if (export->stop != NULL && atomic_load_explicit(export->stop, memory_order_relaxed))
            return wari_fail(error, WARI_INTERRUPTED,
                             "stopped; %s was not written, and the files of lower levels are "
                             "complete",
                             exporting->path);
        status =
            wari_values(export->db, layout->seeds, first, (size_t)count, exporting->values, error);
        for (uint32_t i = 0; i < rows && status == WARI_OK; i++)
            status = write_row(exporting, block, row + i, exporting->values + (size_t)i * columns,
                               error);
        row += rows;
        if (export->progress != NULL)
            export->progress(export->context, layout->seeds, first + count,
                             layout->block_offset[layout->seeds + 1]);
    }
    return status;
}

static enum wari_status write_file(struct exporting *exporting, struct wari_error *error)
{
    const struct wari_host *host = exporting->export->db->host;

    wari_unfinished_files_clean(host, exporting->path);
    enum wari_status status =
        wari_create_anew(host, exporting->temporary, exporting->path, &exporting->fd, error);
    if (status != WARI_OK)
        return status;
    for (int block = 0; block <= exporting->layout->seeds && status == WARI_OK; block++)
        status = write_block(exporting, block, error);
    if (status == WARI_OK)
        return wari_publish(host, exporting->fd, exporting->temporary, exporting->export->folder,
                            exporting->path, error);
    host->close(host->context, exporting->fd);
    host->unlink(host->context, exporting->temporary);
    return status;
}

enum wari_status wari_score_export(const struct wari_score_export *export, int seeds,
                                   struct wari_error *error)
{
    const struct wari_host *host = export->db->host;
    struct exporting exporting = {.export = export, .layout = &export->db->layout[seeds], .fd = -1};
    const size_t columns = wari_half_count(seeds);
    const size_t most = columns > VALUES_READ ? columns : VALUES_READ;
    struct wari_level_info info;
    void *memory;
    enum wari_status status = wari_get_level_info(export->db, seeds, &info, error);

    if (status == WARI_OK)
        status = wari_score_path(exporting.path, export->folder, seeds, error);
    if (status == WARI_OK)
        status = wari_unfinished_path(exporting.temporary, exporting.path, error);
    if (status == WARI_OK)
        status = wari_allocate(host, columns * (sizeof *exporting.place + 1) + most,
                               "exporting a level", &memory, error);
    if (status != WARI_OK)
        return status;
    wari_score_order_init(&exporting.order);
    exporting.place = memory;
    exporting.row = (int8_t *)(exporting.place + columns);
    exporting.values = exporting.row + columns;
    status = write_file(&exporting, error);
    wari_release(host, memory);
    return status;
}
