/* The file of a book while it is written: under a temporary name, in large pieces. */
#ifndef DB_BIND_OUTPUT_H
#define DB_BIND_OUTPUT_H

#include "db/host/host.h"

struct wari_output {
    const struct wari_host *host;
    int fd;
    uint64_t at;    /* in the file: where `piece` begins */
    size_t waiting; /* bytes of `piece` */
    char folder[WARI_PATH_MAX];
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
    uint8_t piece[1 << 16];
};

/* Says what the file is to be called; nothing is written. WARI_BAD_INPUT where that is no name. */
WARI_MUST_CHECK enum wari_status wari_output_name(struct wari_output *output,
                                                  const struct wari_host *host, const char *path,
                                                  struct wari_error *error);

/* Begins the file at offset `at`; what comes before is written later. */
WARI_MUST_CHECK enum wari_status wari_output_open(struct wari_output *output, uint64_t at,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_output_add(struct wari_output *output, const void *bytes,
                                                 size_t count, struct wari_error *error);
/* Writes what waits. */
WARI_MUST_CHECK enum wari_status wari_output_flush(struct wari_output *output,
                                                   struct wari_error *error);

/* FNV-1a, 64 bits, of the file's first `bytes` bytes, which are all written. */
WARI_MUST_CHECK enum wari_status wari_output_hash(struct wari_output *output, uint64_t bytes,
                                                  uint64_t *hash, struct wari_error *error);

/* Gives the file its name, durably, or fails and removes it; or just removes it. Whatever stood
 * under that name stays until the new file has it. */
WARI_MUST_CHECK enum wari_status wari_output_publish(struct wari_output *output,
                                                     struct wari_error *error);
void wari_output_drop(struct wari_output *output);

#endif
