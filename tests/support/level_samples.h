/* Small level files of made-up values, for tests of the files alone, and whole files in memory to
 * damage them. Functions that return nothing fail the running test if anything goes wrong. */
#ifndef TESTS_SUPPORT_LEVEL_SAMPLES_H
#define TESTS_SUPPORT_LEVEL_SAMPLES_H

#include "db/catalogue/catalogue.h"
#include "db/format/model.h"
#include "index/level.h"

/* Values in -n..n that depend on variant, level and place alone and look random; to be freed. */
int8_t *sample_values(struct wari_level_key key);

/* Writes `values` as the file of a level, through any host. The record gets a histogram that adds
 * up, but counts nothing. */
WARI_MUST_CHECK enum wari_status sample_write(const struct wari_host *host, const char *folder,
                                              struct wari_level_key key, const int8_t *values,
                                              struct wari_level_record *record,
                                              struct wari_error *error);

/* Writes the levels 0..seeds_max (47 left out) and their catalogue. */
WARI_MUST_CHECK enum wari_status sample_write_folder(const struct wari_host *host,
                                                     const char *folder,
                                                     struct wari_variant variant, int seeds_max,
                                                     struct wari_error *error);

/* Opens a level file with nothing to compare it with, reads every chunk and compares it with
 * `values`. WARI_DIFFERENT if it has other values. */
WARI_MUST_CHECK enum wari_status sample_read(const struct wari_host *host, const char *folder,
                                             struct wari_level_key key, const int8_t *values,
                                             struct wari_error *error);

/* A histogram of C(n+11, 11) placements. */
void sample_histogram(int seeds, struct wari_level_record *record);

/* A whole file in memory. */
struct file_image {
    uint8_t *bytes; /* to be freed; one byte longer than `size` */
    size_t size;
};

struct file_image file_load(const char *path);
void file_store(const char *path, const void *bytes, size_t size);
bool file_exists(const char *path);

/* Changes bytes in the middle of a file. */
void file_patch(const char *path, size_t offset, const void *bytes, size_t size);

/* A level written with its sample values, and what its file was then. */
struct sample {
    const char *folder;
    struct wari_level_key key;
    int8_t *values;
    struct wari_level_record record;
    char path[WARI_PATH_MAX];
    struct file_image image;
};

/* To be freed; `folder` must live as long. */
struct sample sample_make(const char *folder, struct wari_level_key key);
void sample_free(struct sample *sample);

/* sample_read() of the file as it is now. */
WARI_MUST_CHECK enum wari_status sample_check(const struct sample *sample,
                                              struct wari_error *error);

/* The file of a sample as it is now, opened with nothing to compare it with, and a decoder for it;
 * to be closed. */
struct sample_reader {
    struct wari_level_file *file;
    struct wari_decoder *decoder;
};

struct sample_reader sample_open(const struct sample *sample);
void sample_close(struct sample_reader *reader);

/* The read() of a struct wari_level_source whose context is the values of a level. */
enum wari_status sample_read_memory(void *values, uint64_t chunk, int8_t *out, size_t count,
                                    struct wari_error *error);

/* The model of a level's values; to be destroyed. */
struct wari_model *sample_model(int seeds, const int8_t *values);

/* Encodes values as the first chunk of a level; `bytes` has room for WARI_CHUNK_BYTES_MAX. Returns
 * the size. */
size_t sample_encode(int seeds, const struct wari_model *model, const int8_t *values, size_t count,
                     uint8_t *bytes);

#endif
