/* Readers while all files of a folder are replaced. For some time, a reader that has read the
 * catalogue and then opens a level finds another file each time. Readers must not report this as
 * damage.
 *
 * Fixed bug: `check`, `verify` and wari_open() read the catalogue once or twice, then reported
 * an intact folder as damaged and advised to build its levels again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "db/maintain/check.h"
#include "db/maintain/pack.h"
#include "db/probe/level_reader.h"
#include "db/wari.h"
#include "solver/build.h"
#include "tests/support/memory_host.h"
#include "tests/unit/groups.h"
#include "verify/verify.h"

enum { SEEDS = 4, TIMES = 9 };

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
static const char watched[] = "abapa-own-4.wari";

/* A folder in two states (as built, and packed), and a third folder that switches between these
 * states. */
struct folders {
    struct memory_host *state[2]; /* [0]: the folder as built; [1]: the packed folder */
    struct memory_host *folder;
    struct wari_host host; /* host of `folder`; its open() switches the state */
    bool found; /* the watched level was opened once; this open only checks that it exists */
    int times;  /* number of switches still to come */
    int now;
    int changes;
};

/* Switches the state of all files just before the watched level is opened to be read. */
static int changing_open(void *context, const char *path, int flags, mode_t mode)
{
    struct folders *folders = context;
    const char *slash = strrchr(path, '/');
    const bool is_watched = slash != NULL && strcmp(slash + 1, watched) == 0;
    if (is_watched && !folders->found) {
        folders->found = true;
    } else if (is_watched && folders->times > 0) {
        folders->times--;
        folders->changes++;
        folders->now = 1 - folders->now;
        memory_host_copy(folders->folder, folders->state[folders->now], false, false);
    }
    return folders->folder->host.open(folders->folder, path, flags, mode);
}

static ssize_t plain_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    const struct folders *folders = context;
    return folders->folder->host.pread(folders->folder, fd, buffer, bytes, offset);
}

static off_t plain_size(void *context, int fd)
{
    const struct folders *folders = context;
    return folders->folder->host.size(folders->folder, fd);
}

static int plain_close(void *context, int fd)
{
    const struct folders *folders = context;
    return folders->folder->host.close(folders->folder, fd);
}

static void create(struct folders *folders)
{
    const struct wari_build build = {.folder = "folder",
                                     .variant = variant,
                                     .seeds = SEEDS,
                                     .threads = 1,
                                     .host = &(folders->state[0] = memory_host_create())->host};
    struct wari_pack pack = {.folder = "folder", .variant = variant, .threads = 1};
    struct wari_pack_report report;

    folders->state[1] = memory_host_create();
    folders->folder = memory_host_create();
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    memory_host_copy(folders->state[1], folders->state[0], false, false);
    pack.host = &folders->state[1]->host;
    assert_int_equal(wari_pack(&pack, &report, NULL), WARI_OK);
    assert_true(report.packed > 0);

    folders->host = folders->folder->host;
    folders->host.context = folders;
    folders->host.open = changing_open;
    folders->host.pread = plain_pread;
    folders->host.size = plain_size;
    folders->host.close = plain_close;
}

/* Starts with the folder as built. The first opening of the watched level does not switch the state
 * of the folder; each of the next `times` openings does. */
static void begin(struct folders *folders, int times)
{
    memory_host_copy(folders->folder, folders->state[0], false, false);
    folders->found = false;
    folders->now = folders->changes = 0;
    folders->times = times;
}

static void destroy(struct folders *folders)
{
    memory_host_destroy(folders->folder);
    memory_host_destroy(folders->state[0]);
    memory_host_destroy(folders->state[1]);
}

static void no_damage(void *context, const struct wari_damage *damage)
{
    (void)context;
    fail_msg("%s", damage->text);
}

static void checking_finds_no_damage_while_files_are_replaced(void **state)
{
    struct folders folders;
    struct wari_check_report report;

    (void)state;
    create(&folders);
    for (int times = 1; times <= TIMES; times++) {
        const struct wari_check check = {.folder = "folder",
                                         .variant = variant,
                                         .threads = 1,
                                         .host = &folders.host,
                                         .found = no_damage};
        begin(&folders, times);
        assert_int_equal(wari_check(&check, &report, NULL), WARI_OK);
        assert_int_equal(report.levels, SEEDS + 1);
        assert_int_equal(report.damaged, 0);
        assert_int_equal(folders.changes, times);
    }
    destroy(&folders);
}

static void verifying_finds_no_damage_while_files_are_replaced(void **state)
{
    static const enum wari_verify_mode modes[] = {WARI_VERIFY_FULL, WARI_VERIFY_LOCAL,
                                                  WARI_VERIFY_SAMPLE};
    struct folders folders;
    struct wari_verify_report report;
    struct wari_error error;

    (void)state;
    create(&folders);
    for (int times = 1; times <= TIMES; times++) {
        const struct wari_verify verify = {.folder = "folder",
                                           .variant = variant,
                                           .mode = modes[times % 3],
                                           .sample = 5,
                                           .threads = 1,
                                           .host = &folders.host};
        begin(&folders, times);
        if (wari_verify(&verify, &report, &error) != WARI_OK)
            fail_msg("changed %d times: %s", times, error.text);
        assert_int_equal(report.levels, SEEDS + 1);
        assert_int_equal(folders.changes, times);
    }
    destroy(&folders);
}

static void a_handle_is_opened_while_files_are_replaced(void **state)
{
    const struct wari_position position = {{1, 0, 1, 0, 0, 0, 1}};
    struct folders folders;
    struct wari_error error;
    struct wari_db *db;
    int value = 99;

    (void)state;
    create(&folders);
    for (int times = 1; times <= TIMES; times++) {
        const struct wari_options options = {.host = &folders.host, .cache_bytes = 1};
        struct wari_level_info info;
        begin(&folders, times);
        if (wari_open(&db, "folder", &variant, &options, &error) != WARI_OK)
            fail_msg("changed %d times: %s", times, error.text);
        assert_int_equal(folders.changes, times);
        assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_OK);
        assert_int_equal(value, 1); /* as in data/RULES.md; the best moves are A and C */
        /* The handle describes the file that it opened. */
        assert_int_equal(wari_get_level_info(db, SEEDS, &info, NULL), WARI_OK);
        assert_int_equal(info.file_bytes,
                         memory_host_file(folders.state[times % 2], watched)->size);
        wari_close(db);
    }
    destroy(&folders);
}

/* A reader still refuses a file that the catalogue does not name, even after reading the
 * catalogue again. */
static void a_file_that_no_catalogue_names_is_refused(void **state)
{
    const struct wari_options options = {.cache_bytes = 1};
    struct wari_options with_host = options;
    struct folders folders;
    struct wari_db *db;

    (void)state;
    create(&folders);
    begin(&folders, 0);
    const struct memory_file *packed = memory_host_file(folders.state[1], watched);
    memory_host_store(folders.folder, watched, packed->bytes, packed->size);
    with_host.host = &folders.host;
    assert_int_equal(wari_open(&db, "folder", &variant, &with_host, NULL), WARI_CORRUPT);
    destroy(&folders);
}

TEST_GROUP(test_pack_readers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checking_finds_no_damage_while_files_are_replaced),
        cmocka_unit_test(verifying_finds_no_damage_while_files_are_replaced),
        cmocka_unit_test(a_handle_is_opened_while_files_are_replaced),
        cmocka_unit_test(a_file_that_no_catalogue_names_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
