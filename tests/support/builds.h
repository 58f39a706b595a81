/* Builds databases in temporary folders, and compares the contents of such folders byte for
 * byte. The functions fail the running test if an error occurs. */
#ifndef TESTS_SUPPORT_BUILDS_H
#define TESTS_SUPPORT_BUILDS_H

#include "solver/bits/bits.h"
#include "solver/build.h"
#include "tests/support/table_files.h"

enum { BUILD_THREADS = 2 };

/* Returns a build with the settings of most tests: BUILD_THREADS threads, the best kernel and
 * the system's host. */
struct wari_build build_of(const char *folder, struct wari_variant variant, int seeds);

/* Both functions return a number of bytes of memory for building levels 0..build->seeds;
 * build->folder is ignored. memory_for_all() returns the least memory with which the memory backend
 * solves all levels. memory_for_bits() returns the least memory with which the build can run at
 * all; then the bit backend solves the last level, if it has 11 seeds or more. */
uint64_t memory_for_all(const struct wari_build *build);
uint64_t memory_for_bits(const struct wari_build *build);

/* Builds levels 0..seeds in the folder. */
void build_database(const char *folder, struct wari_variant variant, int seeds);

/* All files of a folder except the lock, sorted by name. */
enum { FOLDER_FILES_MAX = 64 };
struct folder_image {
    int count;
    struct {
        char name[64];
        uint8_t *bytes;
        size_t size;
    } file[FOLDER_FILES_MAX];
};

struct folder_image folder_load(const char *folder);
void folder_free(struct folder_image *image);

/* Writes all files of the image into the folder. */
void folder_store(const char *folder, const struct folder_image *image);

/* Compares the names and the bytes of all files. */
void assert_folders_equal(const struct folder_image *a, const struct folder_image *b);

/* Builds in a temporary folder, and removes the folder afterwards. Returns the files that the build
 * left in it. build->folder is ignored. */
struct folder_image build_alone(const struct wari_build *build);

/* Returns the files that building levels 0..seeds leaves in a folder; no files for -1. Each
 * image is built once for all tests of the program. The caller must neither change nor free it. */
const struct folder_image *image_of(struct wari_variant variant, int seeds);

/* Returns true if no earlier call with the same `seen` found files with the same names and bytes in
 * a folder. The effect of a build depends only on these files. Therefore a test that leaves the
 * same files many times needs to build on top of them only once. The caller sets all bytes of *seen
 * to 0 before the first call. */
enum { FOLDER_STATES_MAX = 1024 };
struct folder_states {
    uint64_t hash[FOLDER_STATES_MAX];
    int count;
};
bool folder_is_new(const char *folder, struct folder_states *seen);

/* Checks that there is no temporary file, that every level file equals the same file in `whole`,
 * and that all levels of the catalogue, if there is one, can be opened. Returns the last level of
 * the catalogue, or -1 without a catalogue. */
int assert_folder_is_part(const char *folder, struct wari_variant variant,
                          const struct folder_image *whole);

/* Returns the offset of the snapshots in the scratch file of a level of the bit backend. The
 * snapshots begin after the row ranges. Captures use the same part of the file earlier. The full
 * halves begin after the snapshots or after the captures, whichever end later. */
uint64_t snapshots_begin(int seeds, const struct wari_bits_shape *shape);

#endif
