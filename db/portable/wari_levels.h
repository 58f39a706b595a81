/* Level files, as `wari build` and `wari pack` write them, for programs that are not linked with
 * libwari. FORMAT.md, "Level file", describes the files.
 *
 *      static struct wari_open_level levels[13];     (0 to 12 seeds; each has 213 kB)
 *      for (int seeds = 0; seeds <= 12; seeds++)
 *          if (wari_levels_open(levels, seeds, variant, &source[seeds], ZSTD_decompress, &error))
 *              ... error.text
 *      if (wari_levels_value(levels, 13, &position, &value, &error) == WARI_OK) ...
 *
 * The functions never allocate, print or keep state: the caller owns the array and provides the
 * bytes of the files. An element also caches the chunk (8192 values) that was read last, so only
 * one thread at a time may use an array. A value is returned only if the hash of its chunk is
 * correct. The catalogue of the folder is not read, so no file is compared with it. */
#ifndef WARI_LEVELS_H
#define WARI_LEVELS_H

#include "wari_book.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WARI_LEVELS_NAME = 32,      /* bytes for the name of any level file, its final 0 included */
    WARI_LEVELS_CHUNK = 8192,   /* values in a full chunk */
    WARI_LEVELS_STREAMS = 4,    /* streams of values in a chunk */
    WARI_LEVELS_CONTEXTS = 486, /* contexts of the largest level */
    WARI_LEVELS_SYMBOLS = 98,   /* symbols of the largest level */
    WARI_LEVELS_READ = 99352,   /* upper bound on the bytes that are read at a time */
};

/* Decompresses `count` bytes of zstd into at most `capacity` bytes. Returns the number of bytes
 * written, or a number greater than `capacity` on failure. ZSTD_decompress() is such a function. */
typedef size_t wari_decompress(void *out, size_t capacity, const void *bytes, size_t count);

/* An open level file. The caller provides the struct. It owns nothing: there is no function to
 * close a file, and the struct may be discarded at any time. Only the fields `variant`, `seeds` and
 * `packed` are for callers. */
struct wari_open_level {
    struct wari_variant variant;
    int seeds;
    bool packed; /* the file has only the values that cannot be computed from other values */
    struct wari_book_source source;         /* `source.read` is NULL if no file is open */
    uint64_t stored, chunks;                /* numbers of values and of chunks in the file */
    uint64_t first_chunk;                   /* file offset of the first chunk */
    uint16_t context[WARI_LEVELS_CONTEXTS]; /* [context]: the context whose ranges this context
                                             * uses */
    uint16_t start[WARI_LEVELS_CONTEXTS * WARI_LEVELS_SYMBOLS]; /* [context][symbol]: where the
                                                                 * range of the symbol begins */
    /* The chunk that was read last, and how far it is decoded. */
    uint64_t chunk;
    int cells, steps; /* number of its values, and of the values of each stream that are decoded */
    uint32_t state[WARI_LEVELS_STREAMS];
    size_t at, size; /* the next byte of the chunk, and the number of its bytes */
    int8_t value[WARI_LEVELS_CHUNK], rest[WARI_LEVELS_CHUNK];
    uint8_t bytes[WARI_LEVELS_READ];
};

/* Writes the name that the file of a level has in its folder, such as "abapa-own-12.wari". */
WARI_API void wari_levels_name(struct wari_variant variant, int seeds, char text[WARI_LEVELS_NAME]);

/* Opens the file of level `seeds` as levels[seeds]: reads and checks its header and its model, at
 * most 99 kB. `source` is copied; up to WARI_LEVELS_READ bytes are read from it at a time. On
 * failure levels[seeds] is not open:
 *   WARI_BAD_INPUT  there is no level `seeds`
 *   WARI_IO         the source could not read
 *   WARI_CORRUPT    the file is damaged, or is not a level file
 *   WARI_MISMATCH   the file has another format version, variant or level; or `decompress` is NULL:
 *                   the model of every level file is compressed with zstd */
WARI_MUST_CHECK WARI_API enum wari_status wari_levels_open(struct wari_open_level *levels,
                                                           int seeds, struct wari_variant variant,
                                                           const struct wari_book_source *source,
                                                           wari_decompress *decompress,
                                                           struct wari_error *error);

/* Finds the exact value of `position`, as wari_book_value() does. Each of the first `count`
 * elements of `levels` was passed to wari_levels_open(), or all its bytes are zero. All levels up
 * to that of the position must be open, since captures lead to lower levels, and must have the same
 * variant. On failure *value is unchanged:
 *   WARI_BAD_INPUT     the position has more than 48 seeds
 *   WARI_NOT_COVERED   a level that is needed is not open, or the position has 47 seeds
 *   WARI_MISMATCH      two levels have different variants
 *   WARI_CORRUPT       a chunk is damaged; the text names its number or offset
 *   WARI_IO            a source could not read */
WARI_MUST_CHECK WARI_API enum wari_status wari_levels_value(struct wari_open_level *levels,
                                                            int count,
                                                            const struct wari_position *position,
                                                            int *value, struct wari_error *error);

/* Finds the values of a position and of all its moves. Fails like wari_levels_value(); *analysis is
 * then undefined. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_levels_analyse(struct wari_open_level *levels, int count, const struct wari_position *position,
                    struct wari_analysis *analysis, struct wari_error *error);

#ifdef __cplusplus
}
#endif
#endif
