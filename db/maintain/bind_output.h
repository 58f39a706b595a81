/* The file of a book while it is written. It has a temporary name and is written through a
 * buffer. */
#ifndef DB_MAINTAIN_BIND_OUTPUT_H
#define DB_MAINTAIN_BIND_OUTPUT_H

#include "db/host/host.h"

struct wari_output {
    const struct wari_host *host;
    int fd;
    uint64_t at;    /* file offset of the buffer's first byte */
    size_t waiting; /* number of bytes in the buffer */
    char folder[WARI_PATH_MAX];
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
    uint8_t buffer[1 << 16];
};

/* Sets the names of the file; nothing is written. Returns WARI_BAD_INPUT if `path` is not a file
 * name or is too long. */
WARI_MUST_CHECK enum wari_status wari_output_name(struct wari_output *output,
                                                  const struct wari_host *host, const char *path,
                                                  struct wari_error *error);

/* Creates the file. The first bytes will be written at offset `at`; earlier offsets are written
 * later. */
WARI_MUST_CHECK enum wari_status wari_output_open(struct wari_output *output, uint64_t at,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_output_add(struct wari_output *output, const void *bytes,
                                                 size_t count, struct wari_error *error);
/* Writes the bytes in the buffer. */
WARI_MUST_CHECK enum wari_status wari_output_flush(struct wari_output *output,
                                                   struct wari_error *error);

/* Computes the hash (FNV-1a, 64 bits) of the first `bytes` bytes of the file. All these bytes
 * must have been written. */
WARI_MUST_CHECK enum wari_status wari_output_hash(struct wari_output *output, uint64_t bytes,
                                                  uint64_t *hash, struct wari_error *error);

/* wari_output_publish() gives the file its final name, durably; on failure it removes the file.
 * wari_output_drop() removes the file if it was not published. An older file with the final name
 * stays until it is replaced. */
WARI_MUST_CHECK enum wari_status wari_output_publish(struct wari_output *output,
                                                     struct wari_error *error);
void wari_output_drop(struct wari_output *output);

#endif
