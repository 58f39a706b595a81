/* File systems that lack something: folders that cannot be synced, locks, files without a name, and
 * removing the name of an open file. Each is simulated by a host table.
 *
 * Expected values: written by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/catalogue/lock.h"
#include "db/host/process.h"
#include "db/host/temporary_file.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

static void path_of(char path[WARI_PATH_MAX], const char *name)
{
    assert_int_equal(wari_path(path, NULL, folder, "%s", name), WARI_OK);
}

static void assert_holds(const char *path, const char *text)
{
    struct file_image image = file_load(path);

    assert_int_equal(image.size, strlen(text));
    assert_memory_equal(image.bytes, text, image.size);
    free(image.bytes);
}

/* Returns the process ID of a process that has ended. */
static long dead_process(void)
{
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

/* ---- Folders that cannot be synced ---- */

/* An fsync() that fails for folders. `context` points to the errno that it sets. */
static int fsync_of_a_folder_fails(void *context, int fd)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    if (!S_ISDIR(status.st_mode))
        return wari_host_system()->fsync(NULL, fd);
    errno = *(const int *)context;
    return -1;
}

static enum wari_status publish_a_file(const struct wari_host *host, const char *path)
{
    char temporary[WARI_PATH_MAX];
    int fd;

    path_of(temporary, "new.tmp");
    assert_int_equal(wari_create_anew(host, temporary, NULL, &fd, NULL), WARI_OK);
    assert_int_equal(wari_write_at(host, fd, temporary, "new", 3, 0, NULL), WARI_OK);
    return wari_publish(host, fd, temporary, folder, path, NULL);
}

static void folders_that_cannot_be_synced_are_used_all_the_same(void **state)
{
    static const struct {
        int reason;
        bool supported;
    } cases[] = {{EINVAL, false}, {ENOTSUP, false}, {EIO, true}, {ENOSPC, true}, {EBADF, true}};
    char path[WARI_PATH_MAX], below[WARI_PATH_MAX];

    (void)state;
    path_of(path, "published");
    path_of(below, "below");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wari_host host = *wari_host_system();
        int reason = cases[i].reason;
        const enum wari_status expected = cases[i].supported ? WARI_IO : WARI_OK;
        host.context = &reason;
        host.fsync = fsync_of_a_folder_fails;
        assert_int_equal(publish_a_file(&host, path), expected);
        assert_holds(path, "new");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(wari_sync_folder(&host, folder, NULL), expected);
        assert_int_equal(wari_make_folder(&host, below, NULL), expected);
        assert_int_equal(rmdir(below), 0);
        assert_true(wari_folder_syncs(&host, folder) == cases[i].supported);
    }
    assert_true(wari_folder_syncs(wari_host_system(), folder));
}

static int no_fsync(void *context, int fd)
{
    (void)context;
    (void)fd;
    errno = EINVAL;
    return -1;
}

static void a_file_that_cannot_be_synced_is_an_error(void **state)
{
    struct wari_host host = *wari_host_system();
    char path[WARI_PATH_MAX];

    (void)state;
    path_of(path, "published");
    host.fsync = no_fsync;
    assert_int_equal(publish_a_file(&host, path), WARI_IO);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- Temporary files ---- */

static int open_with_names_only(void *context, const char *path, int flags, mode_t mode)
{
    (void)context;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return wari_host_system()->open(NULL, path, flags, mode);
}

/* Fixed bug: the name of a scratch file could already exist, as a symbolic link to another file or
 * as the scratch file of another build. */
static void a_temporary_file_is_for_one_alone(void **state)
{
    struct wari_host named = *wari_host_system();
    struct wari_temporary_file one, other;
    char taken[WARI_PATH_MAX], dear[WARI_PATH_MAX], name[WARI_HOST_NAME];
    struct stat found;

    (void)state;
    named.open = open_with_names_only;
    wari_host_name(name);
    path_of(dear, "dear");
    file_store(dear, "keep me", 7);
    /* Creates a symbolic link with the name that wari_temporary_file_open() tries first. */
    assert_int_equal(wari_path(taken, NULL, folder, "x.scratch.%s.%ld.0", name, (long)getpid()),
                     WARI_OK);
    assert_int_equal(symlink(dear, taken), 0);
    for (int i = 0; i < 2; i++) {
        const struct wari_host *host = i == 0 ? wari_host_system() : &named;
        assert_int_equal(wari_temporary_file_open(&one, host, folder, "x", NULL), WARI_OK);
        assert_int_equal(wari_temporary_file_open(&other, host, folder, "x", NULL), WARI_OK);
        assert_int_equal(wari_write_at(host, one.fd, one.path, "one", 3, 0, NULL), WARI_OK);
        assert_int_equal(fstat(other.fd, &found), 0);
        assert_int_equal(found.st_size, 0);
        assert_int_equal(found.st_nlink, 0);
        assert_int_equal(found.st_mode & 07777, 0600);
        wari_temporary_file_close(&one);
        wari_temporary_file_close(&other);
        assert_holds(dear, "keep me");
    }
    assert_int_equal(unlink(taken), 0);
}

/* The file system of a host that cannot remove the name of an open file. */
struct clinging {
    struct wari_host host;
    int reason; /* errno of unlink() for an open file */
    int open;   /* number of open files */
};

static int clinging_open(void *context, const char *path, int flags, mode_t mode)
{
    struct clinging *clinging = context;
    const int fd = open_with_names_only(NULL, path, flags, mode);

    clinging->open += fd >= 0;
    return fd;
}

static int clinging_close(void *context, int fd)
{
    ((struct clinging *)context)->open--;
    return close(fd);
}

static int clinging_unlink(void *context, const char *path)
{
    const struct clinging *clinging = context;

    if (clinging->open == 0)
        return unlink(path);
    errno = clinging->reason;
    return -1;
}

static void a_name_that_an_open_file_keeps_is_removed_when_it_is_closed(void **state)
{
    static const int reasons[] = {EBUSY, ETXTBSY, EACCES, EPERM};

    (void)state;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        struct clinging clinging = {*wari_host_system(), reasons[i], 0};
        struct wari_temporary_file file;
        char text[4] = "";
        clinging.host.context = &clinging;
        clinging.host.open = clinging_open;
        clinging.host.close = clinging_close;
        clinging.host.unlink = clinging_unlink;
        assert_int_equal(wari_temporary_file_open(&file, &clinging.host, folder, "y", NULL),
                         WARI_OK);
        assert_int_equal(wari_write_at(file.host, file.fd, file.path, "one", 3, 0, NULL), WARI_OK);
        assert_int_equal(wari_read_at(file.host, file.fd, file.path, text, 3, 0, NULL), WARI_OK);
        assert_string_equal(text, "one");
        assert_holds(file.path, "one");
        wari_temporary_file_close(&file);
        assert_int_equal(access(file.path, F_OK), -1);
        assert_int_equal(clinging.open, 0);
        wari_temporary_file_close(&file); /* does nothing */
    }
}

static void a_name_that_cannot_be_removed_for_another_reason_is_an_error(void **state)
{
    struct wari_temporary_file file;
    struct wari_error error;
    struct fault_host fault;

    (void)state;
    fault_host_init(&fault, FAULT_UNLINK, 1);
    fault.host.open = open_with_names_only;
    fault.host.close = wari_host_system()->close;
    assert_int_equal(wari_temporary_file_open(&file, &fault.host, folder, "z", &error), WARI_IO);
    assert_non_null(strstr(error.text, "cannot remove the name of"));
    assert_null(file.host);
    assert_int_equal(access(file.path, F_OK), -1);
}

static void only_files_of_dead_processes_of_this_host_are_cleaned_up(void **state)
{
    char name[WARI_HOST_NAME], path[8][WARI_PATH_MAX], text[200];
    const long dead = dead_process();

    (void)state;
    wari_host_name(name);
    static const char *const format[] = {
        "awari-even-20.scratch.%s.%ld.0",  "awari-even-20.scratch.%s.%ld.17", /* to be removed */
        "awari-even-20.scratch.x%s.%ld.0", "awari-even-20.scratch.%s.%ld.0.wari",
        "awari-even-20.%s.%ld.0",          "awari-even-20.scratch.%s.%ld.",
    };
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, format[i], name, dead);
        path_of(path[i], text);
    }
    snprintf(text, sizeof text, format[0], name, (long)getpid());
    path_of(path[6], text);
    snprintf(text, sizeof text, format[0], name, (long)getppid());
    path_of(path[7], text);
    for (int i = 0; i < 8; i++)
        file_store(path[i], "scratch", 7);
    wari_temporary_files_clean(wari_host_system(), folder);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(access(path[i], F_OK), i < 2 ? -1 : 0);
        (void)unlink(path[i]);
    }
    path_of(path[0], "missing");
    wari_temporary_files_clean(wari_host_system(), path[0]);
}

static void unfinished_files_of_dead_processes_are_cleaned_up(void **state)
{
    char name[WARI_HOST_NAME], output[WARI_PATH_MAX], path[8][WARI_PATH_MAX], text[200];
    const long dead = dead_process();

    (void)state;
    wari_host_name(name);
    path_of(output, "scores.5");
    static const char *const format[] = {
        "scores.5.%s.%ld.tmp", /* to be removed */
        "scores.5.x%s.%ld.tmp",    "scores.55.%s.%ld.tmp",
        "scores.5.%s.%ld.tmp.txt", "scores.5.%s.%ld",
    };
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, format[i], name, dead);
        path_of(path[i], text);
    }
    snprintf(text, sizeof text, "scores.5.%ld.tmp", dead);
    path_of(path[5], text);
    snprintf(text, sizeof text, format[0], name, (long)getppid());
    path_of(path[6], text);
    assert_int_equal(wari_unfinished_path(path[7], output, NULL), WARI_OK);
    snprintf(text, sizeof text, format[0], name, (long)getpid());
    path_of(output, text);
    assert_string_equal(path[7], output);
    path_of(output, "scores.5");
    for (int i = 0; i < 8; i++)
        file_store(path[i], "values", 6);
    wari_unfinished_files_clean(wari_host_system(), output);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(access(path[i], F_OK), i < 1 ? -1 : 0);
        (void)unlink(path[i]);
    }
    path_of(output, "missing/scores.5");
    wari_unfinished_files_clean(wari_host_system(), output);
    wari_unfinished_files_clean(wari_host_system(), "");
}

static void an_unfinished_file_needs_a_name_that_is_not_too_long(void **state)
{
    char path[WARI_PATH_MAX], unfinished[WARI_PATH_MAX];

    (void)state;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(wari_unfinished_path(unfinished, path, NULL), WARI_BAD_INPUT);
    wari_unfinished_files_clean(wari_host_system(), path);
}

/* ---- Locks ---- */

/* A lock() that always fails. `context` points to the errno that it sets. */
static int lock_fails(void *context, int fd)
{
    (void)fd;
    errno = *(const int *)context;
    return -1;
}

static struct wari_host without_locks(int *reason)
{
    struct wari_host host = *wari_host_system();

    host.context = reason;
    host.lock = lock_fails;
    return host;
}

static void expect_owner(const char *work)
{
    char path[WARI_PATH_MAX], name[WARI_HOST_NAME], text[200];

    path_of(path, "build.owner");
    wari_host_name(name);
    snprintf(text, sizeof text, "%s %ld %s\n", name, (long)getpid(), work);
    assert_holds(path, text);
}

static void a_file_takes_the_place_of_a_lock_that_does_not_exist(void **state)
{
    static const int reasons[] = {ENOSYS, ENOTSUP, ENOLCK, 524};
    struct wari_lock first, second;
    struct wari_error error;
    char path[WARI_PATH_MAX], process[32], name[WARI_HOST_NAME];

    (void)state;
    path_of(path, "build.owner");
    wari_host_name(name);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        int reason = reasons[i];
        const struct wari_host host = without_locks(&reason);
        assert_int_equal(wari_folder_lock(&host, folder, WARI_PACKING, &first, &error), WARI_OK);
        expect_owner("packing");
        assert_int_equal(wari_folder_lock(&host, folder, WARI_BUILDING, &second, &error),
                         WARI_BUSY);
        snprintf(process, sizeof process, "process %ld on host ", (long)getpid());
        assert_non_null(strstr(error.text, process));
        assert_non_null(strstr(error.text, name));
        assert_non_null(strstr(error.text, "is packing here"));
        assert_non_null(strstr(error.text, path));
        /* A process for which locks work respects the file, too. */
        assert_int_equal(
            wari_folder_lock(wari_host_system(), folder, WARI_BUILDING, &second, &error),
            WARI_BUSY);
        wari_folder_unlock(&first);
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void any_other_failure_of_a_lock_is_an_error(void **state)
{
    int reason = EIO;
    const struct wari_host host = without_locks(&reason);
    struct wari_lock lock;
    struct wari_error error;
    char path[WARI_PATH_MAX];

    (void)state;
    path_of(path, "build.owner");
    assert_int_equal(wari_folder_lock(&host, folder, WARI_BUILDING, &lock, &error), WARI_IO);
    assert_non_null(strstr(error.text, "cannot lock"));
    assert_int_equal(access(path, F_OK), -1);
}

static void the_file_of_a_dead_owner_on_this_host_is_replaced(void **state)
{
    int reason = ENOSYS;
    const struct wari_host unlocked = without_locks(&reason);
    struct wari_lock lock;
    char path[WARI_PATH_MAX], name[WARI_HOST_NAME], text[200];

    (void)state;
    path_of(path, "build.owner");
    wari_host_name(name);
    snprintf(text, sizeof text, "%s %ld building\n", name, dead_process());
    file_store(path, text, strlen(text));
    assert_int_equal(wari_folder_lock(&unlocked, folder, WARI_BUILDING, &lock, NULL), WARI_OK);
    expect_owner("building");
    wari_folder_unlock(&lock);
    assert_int_equal(access(path, F_OK), -1);

    file_store(path, text, strlen(text));
    assert_int_equal(wari_folder_lock(wari_host_system(), folder, WARI_BUILDING, &lock, NULL),
                     WARI_OK);
    assert_int_equal(access(path, F_OK), -1);
    wari_folder_unlock(&lock);
}

/* For a file of another host, the test puts a letter before the name of this host. */
static void the_file_of_any_other_owner_stays(void **state)
{
    int reason = ENOSYS;
    const struct wari_host host = without_locks(&reason);
    struct wari_lock lock;
    struct wari_error error;
    char path[WARI_PATH_MAX], removal[WARI_PATH_MAX], name[WARI_HOST_NAME], text[4][200];
    const long dead = dead_process();

    (void)state;
    path_of(path, "build.owner");
    path_of(removal, "build.owner.removal");
    wari_host_name(name);
    snprintf(text[0], sizeof *text, "x%s %ld building\n", name, dead);
    snprintf(text[1], sizeof *text, "%s", ""); /* its owner has not written it yet */
    snprintf(text[2], sizeof *text, "a letter to my mother\n");
    snprintf(text[3], sizeof *text, "%s %ld building", name, dead); /* incomplete */
    for (int i = 0; i < 4; i++) {
        file_store(path, text[i], strlen(text[i]));
        assert_int_equal(wari_folder_lock(&host, folder, WARI_BUILDING, &lock, &error),
                         i < 2 ? WARI_BUSY : WARI_IO);
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, i < 2 ? "delete" : "move it out of the folder"));
        assert_holds(path, text[i]);
    }

    /* Another process is removing the file of a dead owner. */
    snprintf(text[0], sizeof *text, "%s %ld building\n", name, dead);
    file_store(path, text[0], strlen(text[0]));
    file_store(removal, "", 0);
    assert_int_equal(wari_folder_lock(&host, folder, WARI_BUILDING, &lock, &error), WARI_BUSY);
    assert_non_null(strstr(error.text, removal));
    assert_holds(path, text[0]);
    assert_int_equal(unlink(removal), 0);
    assert_int_equal(unlink(path), 0);
}

static int no_creation_of_owners(void *context, const char *path, const char *like)
{
    (void)context;
    if (strstr(path, "build.owner") == NULL)
        return wari_host_system()->create(NULL, path, like);
    errno = EPERM;
    return -1;
}

static void where_nothing_locks_the_message_names_the_option_that_goes_on(void **state)
{
    int reason = ENOSYS;
    struct wari_host host = without_locks(&reason);
    struct wari_lock lock;
    struct wari_error error;

    (void)state;
    host.create = no_creation_of_owners;
    assert_int_equal(wari_folder_lock(&host, folder, WARI_BUILDING, &lock, &error), WARI_IO);
    assert_non_null(strstr(error.text, folder));
    assert_non_null(strstr(error.text, "Function not implemented"));
    assert_non_null(strstr(error.text, "Operation not permitted"));
    assert_non_null(strstr(error.text, "would damage the database"));
    assert_non_null(strstr(error.text, "--no-lock"));
}

static int no_locks(void *context, int fd)
{
    (void)context;
    (void)fd;
    errno = ENOSYS;
    return -1;
}

static void becoming_the_owner_leaves_nothing_whichever_call_fails(void **state)
{
    struct wari_error error;
    struct wari_lock lock;
    struct fault_host fault;
    char path[WARI_PATH_MAX];
    long k = 0;

    (void)state;
    path_of(path, "build.owner");
    do {
        fault_host_init(&fault, FAULT_ANY & ~FAULT_UNLINK, ++k);
        fault.interrupt = true;
        fault.host.lock = no_locks;
        const enum wari_status status =
            wari_folder_lock(&fault.host, folder, WARI_BUILDING, &lock, &error);
        /* A failure to close a file that was only read changes nothing. */
        assert_true(status == WARI_OK || (status == WARI_IO && fault_host_fired(&fault)));
        wari_folder_unlock(&lock);
        assert_int_equal(access(path, F_OK), -1);
        assert_true(fault_host_clean(&fault));
    } while (fault_host_fired(&fault));
    /* At least six calls were made to fail. They include the calls that create and write each of
     * the two files. */
    assert_true(k > 6);
}

/* A lock of the operating system belongs to one open descriptor: another descriptor of the same
 * file cannot be locked at the same time, not even by the same process. */
static void a_locked_descriptor_excludes_another_one(void **state)
{
    char path[WARI_PATH_MAX];

    (void)state;
    path_of(path, "locked");
    file_store(path, "", 0);
    const int one = open(path, O_RDWR), other = open(path, O_RDWR);
    assert_int_equal(wari_lock_descriptor(one), 0);
    assert_int_equal(wari_lock_descriptor(other), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    assert_int_equal(close(one), 0);
    assert_int_equal(wari_lock_descriptor(other), 0);
    assert_int_equal(close(other), 0);
}

TEST_GROUP(test_db_file_systems)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_that_cannot_be_synced_are_used_all_the_same),
        cmocka_unit_test(a_file_that_cannot_be_synced_is_an_error),
        cmocka_unit_test(a_temporary_file_is_for_one_alone),
        cmocka_unit_test(a_name_that_an_open_file_keeps_is_removed_when_it_is_closed),
        cmocka_unit_test(a_name_that_cannot_be_removed_for_another_reason_is_an_error),
        cmocka_unit_test(only_files_of_dead_processes_of_this_host_are_cleaned_up),
        cmocka_unit_test(unfinished_files_of_dead_processes_are_cleaned_up),
        cmocka_unit_test(an_unfinished_file_needs_a_name_that_is_not_too_long),
        cmocka_unit_test(a_file_takes_the_place_of_a_lock_that_does_not_exist),
        cmocka_unit_test(any_other_failure_of_a_lock_is_an_error),
        cmocka_unit_test(the_file_of_a_dead_owner_on_this_host_is_replaced),
        cmocka_unit_test(the_file_of_any_other_owner_stays),
        cmocka_unit_test(where_nothing_locks_the_message_names_the_option_that_goes_on),
        cmocka_unit_test(becoming_the_owner_leaves_nothing_whichever_call_fails),
        cmocka_unit_test(a_locked_descriptor_excludes_another_one),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
