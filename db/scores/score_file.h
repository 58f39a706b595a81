/* Reads score files: the values of one level, in the order of score_order.h.
 *
 * Any number of threads may read one open file, each with a reader of its own. Every byte that is
 * read from the file is checked: a value of level n is in -n..n. */
#ifndef DB_SCORES_SCORE_FILE_H
#define DB_SCORES_SCORE_FILE_H

#include "db/host/host.h"
#include "db/scores/score_order.h"

struct wari_score_file {
    const struct wari_host *host;
    int fd; /* -1 if the file is not open */
    char path[WARI_PATH_MAX];
    struct wari_layout layout;
    struct wari_score_order order;

    /* Returns true if all bytes of a range are known to be 0, so that they need not be read. NULL
     * if nothing is known. */
    bool (*is_hole)(void *context, uint64_t offset, uint64_t bytes);
    void *context; /* the first argument of is_hole() */

    /* All bytes of the file, if the caller has read them; then the functions below copy from this
     * memory. It was allocated by `host`, and wari_score_file_close() frees it. NULL at first. */
    int8_t *held;
};

/* Builds "<folder>/scores.<seeds>". Returns WARI_BAD_INPUT if the path is too long. */
WARI_MUST_CHECK enum wari_status wari_score_path(char path[WARI_PATH_MAX], const char *folder,
                                                 int seeds, struct wari_error *error);

/* Opens the file "<folder>/scores.<seeds>" and checks its size.
 *   WARI_IO       the file does not exist, or cannot be opened; if there is a packed file of that
 *                 name, the text says how to unpack it
 *   WARI_CORRUPT  it has another size than a score file of the level */
WARI_MUST_CHECK enum wari_status wari_score_file_open(struct wari_score_file *file,
                                                      const struct wari_host *host,
                                                      const char *folder, int seeds,
                                                      struct wari_error *error);
void wari_score_file_close(struct wari_score_file *file); /* does nothing if it is not open */

/* Returns the size of the file, in bytes. */
uint64_t wari_score_file_size(const struct wari_score_file *file);

/* Reads `count` bytes from `offset` on. Returns WARI_IO if they cannot be read, and WARI_CORRUPT if
 * a byte is not a value of the level; the text names file and offset. */
WARI_MUST_CHECK enum wari_status wari_score_file_read(const struct wari_score_file *file,
                                                      uint64_t offset, size_t count, int8_t *values,
                                                      struct wari_error *error);

/* Reads `count` values from the row of an opponent half, which must have an empty pit. `first` is
 * the index of the first of these values in the row, in the order of the file. Fails like
 * wari_score_file_read(). */
WARI_MUST_CHECK enum wari_status wari_score_file_row(const struct wari_score_file *file,
                                                     const uint8_t opponent[WARI_HALF_PITS],
                                                     uint32_t first, uint32_t count, int8_t *values,
                                                     struct wari_error *error);

/* Reads the value of one position of the level, which must have a number. Fails like
 * wari_score_file_read(). */
WARI_MUST_CHECK enum wari_status wari_score_file_value(const struct wari_score_file *file,
                                                       const struct wari_position *position,
                                                       int *value, struct wari_error *error);

/* ---- Values in the order of the level ---- */

/* Memory of one thread for reading. */
struct wari_score_reader {
    const struct wari_score_file *file;
    int mover_seeds; /* the mover halves whose places are in `place`; -1 means none */
    uint32_t *place; /* [column] */
    int8_t *row;     /* one row, in the order of the file */
    int row_block;   /* block and number of the row in `row`; the block is -1 if there is none */
    uint32_t row_number;
    void *memory;
};

/* Returns the memory that a reader of a level takes, in bytes: 14 MB for 48 seeds. */
uint64_t wari_score_reader_bytes(int seeds);

WARI_MUST_CHECK enum wari_status wari_score_reader_create(struct wari_score_reader *reader,
                                                          const struct wari_score_file *file,
                                                          struct wari_error *error);
void wari_score_reader_destroy(struct wari_score_reader *reader); /* zeros are allowed */

/* Reads `count` values in index order, from position `first` on; all these positions exist. Rows
 * that are needed in part are read as a whole. Fails like wari_score_file_read(). */
WARI_MUST_CHECK enum wari_status wari_score_read(struct wari_score_reader *reader, uint64_t first,
                                                 size_t count, int8_t *values,
                                                 struct wari_error *error);

#endif
