/* Builds databases for tests, and compares folders. The lock file contains a process number, so
 * all comparisons leave it out. */
#include "tests/support/builds.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "db/wari.h"
#include "solver/bits/scratch_file.h"
#include "solver/level/level.h"
#include "tests/support/level_samples.h"

struct wari_build build_of(const char *folder, struct wari_variant variant, int seeds)
{
    return (struct wari_build){
        .folder = folder, .variant = variant, .seeds = seeds, .threads = BUILD_THREADS};
}

/* Returns the number of bytes by which the event buffers of the last level can be made smaller. */
static uint64_t spare_events(const struct wari_build *build)
{
    return wari_level_bytes(build->seeds) - wari_level_least(build->seeds);
}

uint64_t memory_for_all(const struct wari_build *build)
{
    struct wari_build here = *build;
    struct wari_build_plan plan;

    here.folder = "/nowhere/at/all";
    here.host = NULL; /* the host of the build may be one that fails */
    here.memory = 0;
    assert_int_equal(wari_build_plan(&here, &plan, NULL), WARI_OK);
    const uint64_t least = wari_lower_cache_bytes_min(build->threads);
    return plan.memory_bytes - plan.cache_bytes +
           (plan.cache_bytes < least ? plan.cache_bytes : least) - spare_events(build);
}

uint64_t memory_for_bits(const struct wari_build *build)
{
    struct wari_build here = *build;
    struct wari_build_plan plan;

    here.folder = "/nowhere/at/all";
    here.host = NULL;
    assert_int_equal(wari_build_plan(&here, &plan, NULL), WARI_OK);
    here.memory = plan.memory_least;
    assert_int_equal(wari_build_plan(&here, &plan, NULL), WARI_OK);
    assert_true(plan.first_bit_level <= build->seeds);
    return here.memory;
}

void build_database(const char *folder, struct wari_variant variant, int seeds)
{
    struct wari_build build = build_of(folder, variant, seeds);
    struct wari_error error = {WARI_OK, ""};
    if (wari_build(&build, &error) != WARI_OK)
        fail_msg("%s", error.text);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right); /* the name is the first member of folder_image.file[] */
}

struct folder_image folder_load(const char *folder)
{
    struct folder_image image = {0};
    DIR *entries = opendir(folder);
    struct dirent *entry;

    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        char path[WARI_PATH_MAX];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "build.lock") == 0)
            continue;
        assert_true(image.count < FOLDER_FILES_MAX);
        assert_true(strlen(entry->d_name) < sizeof image.file[0].name);
        assert_int_equal(wari_path(path, NULL, folder, "%s", entry->d_name), WARI_OK);
        const struct file_image file = file_load(path);
        strcpy(image.file[image.count].name, entry->d_name);
        image.file[image.count].bytes = file.bytes;
        image.file[image.count].size = file.size;
        image.count++;
    }
    assert_int_equal(closedir(entries), 0);
    qsort(image.file, (size_t)image.count, sizeof image.file[0], by_name);
    return image;
}

void folder_store(const char *folder, const struct folder_image *image)
{
    for (int i = 0; i < image->count; i++) {
        char path[WARI_PATH_MAX];
        assert_int_equal(wari_path(path, NULL, folder, "%s", image->file[i].name), WARI_OK);
        file_store(path, image->file[i].bytes, image->file[i].size);
    }
}

void folder_free(struct folder_image *image)
{
    for (int i = 0; i < image->count; i++)
        free(image->file[i].bytes);
    image->count = 0;
}

static void assert_files_equal(const struct folder_image *a, int i, const struct folder_image *b,
                               int j)
{
    assert_int_equal(a->file[i].size, b->file[j].size);
    if (memcmp(a->file[i].bytes, b->file[j].bytes, a->file[i].size) != 0)
        fail_msg("%s differs", a->file[i].name);
}

void assert_folders_equal(const struct folder_image *a, const struct folder_image *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        assert_string_equal(a->file[i].name, b->file[i].name);
        assert_files_equal(a, i, b, i);
    }
}

struct folder_image build_alone(const struct wari_build *build)
{
    char folder[TABLE_FOLDER_MAX];
    struct wari_build here = *build;
    struct wari_error error = {WARI_OK, ""};

    assert_true(table_folder_make(folder));
    here.folder = folder;
    if (wari_build(&here, &error) != WARI_OK)
        fail_msg("%s", error.text);
    const struct folder_image image = folder_load(folder);
    assert_true(table_folder_remove(folder));
    return image;
}

const struct folder_image *image_of(struct wari_variant variant, int seeds)
{
    static struct folder_image images[WARI_RULES_COUNT][WARI_CYCLE_COUNT][WARI_SEEDS_MAX + 1];
    static const struct folder_image empty;

    if (seeds < 0)
        return &empty;
    struct folder_image *image = &images[variant.rules][variant.cycle][seeds];
    if (image->count == 0) {
        const struct wari_build build = build_of(NULL, variant, seeds);
        *image = build_alone(&build);
    }
    return image;
}

bool folder_is_new(const char *folder, struct folder_states *seen)
{
    struct folder_image image = folder_load(folder);
    uint64_t hash = (uint64_t)image.count;

    for (int i = 0; i < image.count; i++) {
        hash = XXH3_64bits_withSeed(image.file[i].name, strlen(image.file[i].name) + 1, hash);
        hash = XXH3_64bits_withSeed(image.file[i].bytes, image.file[i].size, hash);
    }
    folder_free(&image);
    for (int i = 0; i < seen->count; i++)
        if (seen->hash[i] == hash)
            return false;
    assert_true(seen->count < FOLDER_STATES_MAX);
    seen->hash[seen->count++] = hash;
    return true;
}

int assert_folder_is_part(const char *folder, struct wari_variant variant,
                          const struct folder_image *whole)
{
    struct folder_image image = folder_load(folder);
    struct wari_error error = {WARI_OK, ""};
    struct wari_info info = {.seeds_max = -1};
    struct wari_db *db;

    for (int i = 0; i < image.count; i++) {
        if (strstr(image.file[i].name, ".catalogue") != NULL &&
            strstr(image.file[i].name, ".tmp") == NULL)
            continue;
        int j = 0;
        while (j < whole->count && strcmp(image.file[i].name, whole->file[j].name) != 0)
            j++;
        if (j == whole->count)
            fail_msg("%s: no such file is ever finished", image.file[i].name);
        assert_files_equal(&image, i, whole, j);
    }
    folder_free(&image);
    const enum wari_status status = wari_open(&db, folder, &variant, NULL, &error);
    if (status == WARI_OK) {
        wari_get_info(db, &info);
        wari_close(db);
    } else if (status != WARI_MISMATCH && strstr(error.text, "no level is finished") == NULL &&
               strstr(error.text, "their catalogue is missing") == NULL) {
        fail_msg("%s", error.text);
    }
    return info.seeds_max;
}

uint64_t snapshots_begin(int seeds, const struct wari_bits_shape *shape)
{
    struct wari_layout layout;
    struct wari_division sets;
    uint64_t bytes;

    wari_layout_init(&layout, seeds);
    wari_divide_into_columns(&sets, &layout, shape->scratch.buffer_bytes);
    bytes = wari_division_file_bytes(&sets);
    if (bytes < wari_bits_snapshot_bytes(&layout))
        bytes = wari_bits_snapshot_bytes(&layout);
    return shape->scratch.append_at - bytes;
}
