/* Databases built in folders of their own, and what lies in such a folder, byte for byte. Functions
 * fail the running test if anything goes wrong. */
#ifndef TESTS_SUPPORT_BUILDS_H
#define TESTS_SUPPORT_BUILDS_H

#include "solver/bits/bits.h"
#include "solver/build.h"
#include "tests/support/table_files.h"

enum { BUILD_THREADS = 2 };

/* What most tests build with: BUILD_THREADS threads, the best kernel, the system's host. */
struct wari_build build_of(const char *folder, struct wari_variant variant, int seeds);

/* The least memory in which the build has all levels in memory; and the least there can be, in
 * which the last level is solved by bits (11 seeds or more). The folder is ignored: all levels are
 * to be built. */
uint64_t memory_for_all(const struct wari_build *build);
uint64_t memory_for_bits(const struct wari_build *build);

/* Builds into the folder. */
void build_database(const char *folder, struct wari_variant variant, int seeds);

/* All files of a folder but the lock, by name. */
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

/* Puts all files of the image into the folder. */
void folder_store(const char *folder, const struct folder_image *image);

/* The same names, the same bytes. */
void assert_folders_equal(const struct folder_image *a, const struct folder_image *b);

/* Builds in a folder of its own (build->folder is ignored), which is removed; what was in it. */
struct folder_image build_alone(const struct wari_build *build);

/* What building the levels 0..seeds leaves in a folder; nothing for -1. Built once for all tests of
 * the program, and not to be changed or freed. */
const struct folder_image *image_of(struct wari_variant variant, int seeds);

/* Returns true if the files of a folder, names and bytes, are none that an earlier call with the
 * same `seen` found there. What a build makes of a folder depends on these alone, so a test that
 * leaves the same files many times needs to build on top of them once. Begin with all 0. */
enum { FOLDER_STATES_MAX = 1024 };
struct folder_states {
    uint64_t hash[FOLDER_STATES_MAX];
    int count;
};
bool folder_is_new(const char *folder, struct folder_states *seen);

/* No temporary file; every level file is one of `whole`, byte for byte; and if there is a
 * catalogue, all its levels can be opened. Returns the last of them, -1 without a catalogue. */
int assert_folder_is_part(const char *folder, struct wari_variant variant,
                          const struct folder_image *whole);

/* Where snapshots begin in the scratch file of a level that is solved by bits: behind the pieces,
 * as captures do, and whichever take more end where the full halves begin. */
uint64_t snapshots_begin(int seeds, const struct wari_bits_shape *shape);

#endif
