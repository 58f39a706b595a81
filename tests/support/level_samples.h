/* Small level files of made-up values, for tests of the file format, and images of files in memory
 * that tests can damage. The functions that return nothing fail the running test if an error
 * occurs. */
#ifndef TESTS_SUPPORT_LEVEL_SAMPLES_H
#define TESTS_SUPPORT_LEVEL_SAMPLES_H

#include "db/catalogue/catalogue.h"
#include "db/format/model.h"
#include "index/level.h"

/* Returns values in -n..n that look random and depend only on variant, level and index; the
 * caller frees them. */
int8_t *sample_values(struct wari_level_key key);

/* Writes `values` as the file of a level, through any host. The histogram in the record has the
 * correct sum, but its numbers are made up. */
WARI_MUST_CHECK enum wari_status sample_write(const struct wari_host *host, const char *folder,
                                              struct wari_level_key key, const int8_t *values,
                                              struct wari_level_record *record,
                                              struct wari_error *error);

/* Writes levels 0..seeds_max (without 47) and their catalogue. */
WARI_MUST_CHECK enum wari_status sample_write_folder(const struct wari_host *host,
                                                     const char *folder,
                                                     struct wari_variant variant, int seeds_max,
                                                     struct wari_error *error);

/* Opens a level file without expected hashes, reads every chunk and compares it with `values`.
 * Returns WARI_DIFFERENT if the file has other values. */
WARI_MUST_CHECK enum wari_status sample_read(const struct wari_host *host, const char *folder,
                                             struct wari_level_key key, const int8_t *values,
                                             struct wari_error *error);

/* Stores a made-up histogram whose sum is C(n+11, 11) placements. */
void sample_histogram(int seeds, struct wari_level_record *record);

/* A complete file in memory. */
struct file_image {
    uint8_t *bytes; /* `size` bytes and one more; the caller frees them */
    size_t size;
};

struct file_image file_load(const char *path);
void file_store(const char *path, const void *bytes, size_t size);
bool file_exists(const char *path);

/* Changes bytes in the middle of a file. */
void file_patch(const char *path, size_t offset, const void *bytes, size_t size);

/* A level file with its sample values, and the original bytes of the file. */
struct sample {
    const char *folder;
    struct wari_level_key key;
    int8_t *values;
    struct wari_level_record record;
    char path[WARI_PATH_MAX];
    struct file_image image;
};

/* Creates a sample, which the caller frees. `folder` must exist as long as the sample. */
struct sample sample_make(const char *folder, struct wari_level_key key);
void sample_free(struct sample *sample);

/* Reads the current file of a sample by sample_read(). */
WARI_MUST_CHECK enum wari_status sample_check(const struct sample *sample,
                                              struct wari_error *error);

/* The current file of a sample, opened without expected hashes, and a decoder for it; the caller
 * closes both. */
struct sample_reader {
    struct wari_level_file *file;
    struct wari_decoder *decoder;
};

struct sample_reader sample_open(const struct sample *sample);
void sample_close(struct sample_reader *reader);

/* Implements read() of struct wari_level_source; the context is the array of values of a level. */
enum wari_status sample_read_memory(void *values, uint64_t chunk, int8_t *out, size_t count,
                                    struct wari_error *error);

/* Returns the model of a level's values. The caller destroys it. */
struct wari_model *sample_model(int seeds, const int8_t *values);

/* Encodes values as the first chunk of a level; `bytes` has at least WARI_CHUNK_BYTES_MAX bytes.
 * Returns the size. */
size_t sample_encode(int seeds, const struct wari_model *model, const int8_t *values, size_t count,
                     uint8_t *bytes);

/* Encodes values without the encoder (FORMAT.md, "Bytes of a chunk"), for a model in which every
 * value is an escape. In this model the escape has a frequency of 1024, so it does not change the
 * state; the value after it takes seven bits. `out` has at least WARI_CHUNK_BYTES_MAX bytes.
 * Returns the size. */
size_t sample_encode_escapes(const int8_t *values, size_t count, uint8_t *out);

#endif
