/* A folder of files in memory behind a host table: nothing touches a disk, so a test may damage a
 * file a million times, and look at every state that a build goes through.
 *
 *     struct memory_host *memory = memory_host_create();
 *     ... work with &memory->host in any folder: whatever its name, it is this one ...
 *     memory_host_destroy(memory);
 *
 * For one thread at a time. A file's name is what follows the last slash of its path. Failures
 * inside the host itself (no memory, too many files) end the program. */
#ifndef TESTS_SUPPORT_MEMORY_HOST_H
#define TESTS_SUPPORT_MEMORY_HOST_H

#include <stdint.h>

#include "db/host/host.h"

enum { MEMORY_FILES = 64, MEMORY_NAME = 64, MEMORY_NONE = -1 };

/* What a file holds, and what it held when it was last brought to disk. */
struct memory_file {
    uint8_t *bytes;
    size_t size;
    uint8_t *durable_bytes;
    size_t durable_size;
};

/* Which file has a name, and which one had it when the folder was last brought to disk. */
struct memory_name {
    char text[MEMORY_NAME];
    int now;
    int durable;
};

struct memory_host {
    struct wari_host host;
    struct memory_file file[MEMORY_FILES];
    struct memory_name name[MEMORY_FILES];
    int descriptor[MEMORY_FILES]; /* a file's number */
    int renamed;                  /* the name that a file got last by rename(); none: -1 */
    long calls;                   /* of functions that change or read files, so far */

    /* To be set: called before each of these calls. NULL: nothing is. */
    void (*before)(void *context, const struct memory_host *memory);
    void *context;
};

struct memory_host *memory_host_create(void);
void memory_host_destroy(struct memory_host *memory);

/* The file of this name, to be changed at will; NULL if there is none. */
struct memory_file *memory_host_file(struct memory_host *memory, const char *name);

/* How many files there are, as names are now. */
int memory_host_count(const struct memory_host *memory);

/* The name of a file that only one of them has, or that has other bytes; NULL if there is none. The
 * lock does not count, which holds a process number. */
const char *memory_host_difference(struct memory_host *one, struct memory_host *other);

/* Makes or replaces a file, durably. */
void memory_host_store(struct memory_host *memory, const char *name, const void *bytes,
                       size_t size);

/* Replaces all files of `to` by those of `from`: as they are, or as they would be after a power
 * cut. Disks keep no order: the names may have got there and the bytes not, or the other way
 * round. */
void memory_host_copy(struct memory_host *to, const struct memory_host *from, bool durable_names,
                      bool durable_bytes);

/* The same after a power cut before which, of all names that were not brought to disk, only the
 * last one given by rename() got there. */
void memory_host_copy_renamed(struct memory_host *to, const struct memory_host *from,
                              bool durable_bytes);

/* Whether a folder is none that this was asked of before, by a hash of all names and bytes: what
 * comes of a folder depends on these, and most calls only read, or wait for what is there already.
 * Begin with all 0. */
enum { MEMORY_IMAGES = 4096 };
struct memory_images {
    uint64_t hash[MEMORY_IMAGES];
    int count;
};
bool memory_host_is_new(const struct memory_host *memory, struct memory_images *before);

#endif
