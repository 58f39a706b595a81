/* A folder of files in memory behind a host table: no disk is used, so a test can damage a file a
 * million times, and can check every state of the folder during a build.
 *
 *     struct memory_host *memory = memory_host_create();
 *     ... work with &memory->host; every folder name means this one folder ...
 *     memory_host_destroy(memory);
 *
 * For one thread at a time. A file's name is what follows the last slash of its path. Failures
 * inside the host itself (no memory, too many files) end the program. */
#ifndef TESTS_SUPPORT_MEMORY_HOST_H
#define TESTS_SUPPORT_MEMORY_HOST_H

#include <stdint.h>

#include "db/host/host.h"

enum { MEMORY_FILES = 64, MEMORY_NAME = 64, MEMORY_NONE = -1 };

/* The bytes of a file, and its bytes when it was last synchronised. */
struct memory_file {
    uint8_t *bytes;
    size_t size;
    uint8_t *durable_bytes;
    size_t durable_size;
};

/* A name, the file that has this name now, and the file that had it when the folder was last
 * synchronised. */
struct memory_name {
    char text[MEMORY_NAME];
    int now;
    int durable;
};

struct memory_host {
    struct wari_host host;
    struct memory_file file[MEMORY_FILES];
    struct memory_name name[MEMORY_FILES];
    int descriptor[MEMORY_FILES]; /* number of the open file */
    int renamed;                  /* name that the last rename() set; -1 means none */
    long calls;                   /* number of calls so far that change or read files */

    /* Set by the test. The host calls this function before each call that it counts in `calls`.
     * NULL means that no function is called. */
    void (*before)(void *context, const struct memory_host *memory);
    void *context;
};

struct memory_host *memory_host_create(void);
void memory_host_destroy(struct memory_host *memory);

/* Returns the file of this name, which the test may change; NULL if there is none. */
struct memory_file *memory_host_file(struct memory_host *memory, const char *name);

/* Returns the number of files that have a name. */
int memory_host_count(const struct memory_host *memory);

/* Returns the name of a file that only one of the hosts has, or that has other bytes; NULL if
 * there is none. The lock file is ignored, because it contains a process number. */
const char *memory_host_difference(struct memory_host *one, struct memory_host *other);

/* Creates or replaces a file, as if it had been synchronised. */
void memory_host_store(struct memory_host *memory, const char *name, const void *bytes,
                       size_t size);

/* Replaces all files of `to` by those of `from`: with their current contents, or with their
 * contents after a power cut. Disks write in any order: the names may have been written without the
 * bytes, or the bytes without the names. */
void memory_host_copy(struct memory_host *to, const struct memory_host *from, bool durable_names,
                      bool durable_bytes);

/* Like memory_host_copy(), for a power cut after which only one name that was not synchronised
 * exists: the name that the last rename() set. */
void memory_host_copy_renamed(struct memory_host *to, const struct memory_host *from,
                              bool durable_bytes);

/* Returns true if no earlier call with the same `before` had a folder with the same hash of all
 * names and bytes. The effect of a build depends only on these names and bytes, and most calls of a
 * build do not change them. The caller sets all bytes of *before to 0 before the first call. */
enum { MEMORY_IMAGES = 4096 };
struct memory_images {
    uint64_t hash[MEMORY_IMAGES];
    int count;
};
bool memory_host_is_new(const struct memory_host *memory, struct memory_images *before);

#endif
