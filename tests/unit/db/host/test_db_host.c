/* The host table and the functions that use it: complete transfers, publishing, paths, the build
 * lock.
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
#include <unistd.h>

#include "db/catalogue/catalogue.h"
#include "db/catalogue/lock.h"
#include "system/platform.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

#if !WARI_SYSTEM_WINDOWS
#include <sys/wait.h>
#endif

static void path_of(char path[WARI_PATH_MAX], const char *name)
{
    assert_int_equal(wari_path(path, NULL, folder, "%s", name), WARI_OK);
}

/* ---- Transfers ---- */

static void short_and_interrupted_transfers_go_on_to_the_end(void **state)
{
    char path[WARI_PATH_MAX];
    char out[1000];
    char in[1000];
    struct fault_host fault;
    int fd;

    (void)state;
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (char)(i * 7);
    path_of(path, "transfer");
    fault_host_init(&fault, 0, 0);
    fault.longest = 3;
    fault.interrupt = true;
    assert_int_equal(wari_open_file(&fault.host, path, O_RDWR | O_CREAT, &fd, NULL), WARI_OK);
    assert_int_equal(wari_write_at(&fault.host, fd, path, out, sizeof out, 50, NULL), WARI_OK);
    assert_int_equal(wari_sync_file(&fault.host, fd, path, NULL), WARI_OK);
    assert_int_equal(wari_read_at(&fault.host, fd, path, in, sizeof in, 50, NULL), WARI_OK);
    assert_memory_equal(in, out, sizeof out);
    assert_int_equal(fault.host.size(&fault, fd), 50 + sizeof out);
    assert_true(atomic_load(&fault.interruptions) > 600);
    assert_int_equal(close(fd), 0);
}

static void reading_beyond_the_end_is_corrupt_and_names_the_offset(void **state)
{
    char path[WARI_PATH_MAX];
    char in[8];
    struct wari_error error;
    const struct wari_host *host = wari_host_system();
    int fd;

    (void)state;
    path_of(path, "short");
    file_store(path, "12345", 5);
    assert_int_equal(wari_open_file(host, path, O_RDONLY, &fd, NULL), WARI_OK);
    assert_int_equal(wari_read_at(host, fd, path, in, 4, 2, &error), WARI_CORRUPT);
    assert_int_equal(error.status, WARI_CORRUPT);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "offset 5"));
    assert_int_equal(close(fd), 0);
}

static void a_full_disk_is_an_io_error_that_says_what_to_do(void **state)
{
    char path[WARI_PATH_MAX];
    struct wari_error error;
    struct fault_host fault;
    int fd;

    (void)state;
    path_of(path, "full");
    fault_host_init(&fault, FAULT_WRITE, 2);
    fault.longest = 4;
    fault.error = ENOSPC;
    assert_int_equal(wari_open_file(&fault.host, path, O_RDWR | O_CREAT, &fd, NULL), WARI_OK);
    assert_int_equal(wari_write_at(&fault.host, fd, path, "12345678", 8, 0, &error), WARI_IO);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "free some space"));
    assert_int_equal(close(fd), 0);
}

static ssize_t write_nothing(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    (void)context, (void)fd, (void)buffer, (void)bytes, (void)offset;
    return 0;
}

static void a_write_that_moves_nothing_ends_in_an_error(void **state)
{
    struct wari_host host = *wari_host_system();

    (void)state;
    host.pwrite = write_nothing;
    assert_int_equal(wari_write_at(&host, 1, "nowhere", "x", 1, 0, NULL), WARI_IO);
}

static void the_size_of_a_folder_is_an_error(void **state)
{
    int fd = open(folder, O_RDONLY);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(wari_host_system()->size(NULL, fd), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(close(fd), 0);
}

/* ---- Paths ---- */

static void paths_of_any_length_up_to_the_limit_fit_and_longer_ones_are_refused(void **state)
{
    char path[WARI_PATH_MAX];
    char longest[WARI_PATH_MAX + 1];
    struct wari_error error;

    (void)state;
    memset(longest, 'x', sizeof longest);
    longest[WARI_PATH_MAX - 4] =
        '\0'; /* with "/a1" and the final 0, the path has exactly the maximum length */
    assert_int_equal(wari_path(path, &error, longest, "a%d", 1), WARI_OK);
    assert_int_equal(strlen(path), WARI_PATH_MAX - 1);
    assert_string_equal(path + WARI_PATH_MAX - 4, "/a1");
    assert_int_equal(wari_path(path, &error, longest, "a%d", 12), WARI_BAD_INPUT);
    longest[WARI_PATH_MAX - 4] = 'x';
    longest[WARI_PATH_MAX] = '\0';
    assert_int_equal(wari_path(path, &error, longest, "a"), WARI_BAD_INPUT);
    assert_int_equal(wari_path(path, &error, "", "a"), WARI_BAD_INPUT);
    assert_int_equal(wari_path(path, &error, NULL, "a"), WARI_BAD_INPUT);
}

/* ---- Publishing ---- */

/* A function that gives a finished temporary file its final name and syncs the folder. */
typedef enum wari_status put_file(const struct wari_host *host, int fd, const char *temporary,
                                  const char *path);

static enum wari_status publish(const struct wari_host *host, int fd, const char *temporary,
                                const char *path)
{
    return wari_publish(host, fd, temporary, folder, path, NULL);
}

static enum wari_status put_in_two_steps(const struct wari_host *host, int fd,
                                         const char *temporary, const char *path)
{
    const enum wari_status status = wari_put_in_place(host, fd, temporary, path, NULL);
    return status == WARI_OK ? wari_sync_folder(host, folder, NULL) : status;
}

/* Replaces a file by six calls: the fifth is the fsync of the folder, and the sixth is a close
 * whose failure does no harm. The test is repeated with a failure of each call. `rename` is the
 * number of the call that renames the file: if this call succeeds, the name means the new file. */
static void replace_whatever_fails(put_file *put, long rename)
{
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
    struct fault_host fault;
    long k = 0;

    path_of(path, "replaced");
    path_of(temporary, "replaced.tmp");
    do {
        file_store(path, "old", 3);
        file_store(temporary, "new", 3);
        fault_host_init(&fault, FAULT_ANY, ++k);
        fault.interrupt = k % 2 == 0;
        const int fd = open(temporary, O_RDWR);
        assert_true(fd >= 0);
        atomic_fetch_add(&fault.files, 1);
        assert_int_equal(put(&fault.host, fd, temporary, path), k > 5 ? WARI_OK : WARI_IO);
        struct file_image now = file_load(path);
        assert_int_equal(now.size, 3);
        assert_memory_equal(now.bytes, k > rename ? "new" : "old", 3);
        assert_false(file_exists(temporary));
        assert_true(fault_host_clean(&fault));
        free(now.bytes);
    } while (fault_host_fired(&fault));
    assert_int_equal(k, 7);
}

/* The system calls, each of which is made to fail once, are fsync, close, open (the folder),
 * rename, fsync (the folder) and close. */
static void publishing_replaces_the_file_whole_or_leaves_it_alone(void **state)
{
    (void)state;
    replace_whatever_fails(publish, 4);
}

/* The system calls, each of which is made to fail once, are fsync, close and rename in the first
 * step, and open (the folder), fsync and close in the second step. */
static void a_file_is_put_in_place_whole_or_not_at_all(void **state)
{
    (void)state;
    replace_whatever_fails(put_in_two_steps, 3);
}

/* ---- The build lock ---- */

static void a_missing_folder_is_created_and_locked(void **state)
{
    char path[WARI_PATH_MAX];
    char file[WARI_PATH_MAX];
    struct wari_error error;
    struct wari_lock lock;

    (void)state;
    path_of(path, "fresh");
    assert_int_equal(wari_folder_lock(wari_host_system(), path, WARI_BUILDING, &lock, &error),
                     WARI_OK);
    assert_non_null(lock.host);
    wari_folder_unlock(&lock);
    assert_int_equal(wari_path(file, NULL, path, "build.lock"), WARI_OK);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(path), 0);

    path_of(path, "missing/below");
    assert_int_equal(wari_folder_lock(wari_host_system(), path, WARI_BUILDING, &lock, &error),
                     WARI_IO);
    assert_null(lock.host);
    assert_non_null(strstr(error.text, path));
}

static void a_locked_folder_is_busy_and_free_again_after_unlocking(void **state)
{
    const struct wari_host *host = wari_host_system();
    struct wari_error error;
    char pid[32];
    struct wari_lock first, second;

    (void)state;
    assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &first, &error), WARI_OK);
    assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &second, &error), WARI_BUSY);
    assert_null(second.host);
    assert_int_equal(error.status, WARI_BUSY);
    snprintf(pid, sizeof pid, "process %ld ", (long)getpid());
    assert_non_null(strstr(error.text, pid));
    assert_non_null(strstr(error.text, folder));

    wari_folder_unlock(&first);
    assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &second, &error), WARI_OK);
    wari_folder_unlock(&second);
    wari_folder_unlock(&second); /* does nothing */
}

static void a_locked_folder_says_what_is_done_there(void **state)
{
    const struct wari_host *host = wari_host_system();
    struct wari_error error;
    struct wari_lock first, second;

    (void)state;
    assert_int_equal(wari_folder_lock(host, folder, WARI_PACKING, &first, &error), WARI_OK);
    assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &second, &error), WARI_BUSY);
    assert_non_null(strstr(error.text, "is packing here"));
    wari_folder_unlock(&first);
    assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &first, &error), WARI_OK);
    assert_int_equal(wari_folder_lock(host, folder, WARI_PACKING, &second, &error), WARI_BUSY);
    assert_non_null(strstr(error.text, "is building here"));
    wari_folder_unlock(&first);
}

static void locking_leaves_nothing_open_whichever_call_fails(void **state)
{
    struct wari_error error;
    struct fault_host fault;
    long k = 0;
    struct wari_lock lock;

    (void)state;
    do {
        fault_host_init(&fault, FAULT_ANY & ~FAULT_CLOSE, ++k);
        fault.interrupt = true;
        enum wari_status status =
            wari_folder_lock(&fault.host, folder, WARI_BUILDING, &lock, &error);
        assert_int_equal(status, fault_host_fired(&fault) ? WARI_IO : WARI_OK);
        wari_folder_unlock(&lock);
        assert_true(fault_host_clean(&fault));
    } while (fault_host_fired(&fault));
    assert_true(k > 3); /* the calls include at least open, lock and write */
}

/* ---- Links, modes and child processes, which do not exist on Windows ---- */

#if !WARI_SYSTEM_WINDOWS

static void assert_holds(const char *path, const char *text)
{
    struct file_image image = file_load(path);
    assert_int_equal(image.size, strlen(text));
    assert_memory_equal(image.bytes, text, image.size);
    free(image.bytes);
}

/* The name of the temporary file is already taken by a hard or symbolic link of the user. (Fixed
 * bug: the program wrote the file through the link.) */
static void a_new_file_is_never_one_that_a_link_leads_to(void **state)
{
    char path[WARI_PATH_MAX], other[WARI_PATH_MAX];
    const struct wari_host *host = wari_host_system();
    int fd;

    (void)state;
    path_of(path, "new.tmp");
    path_of(other, "dear");
    for (int symbolic = 0; symbolic < 2; symbolic++) {
        (void)unlink(path);
        file_store(other, "keep me", 7);
        assert_int_equal(symbolic ? symlink(other, path) : link(other, path), 0);
        assert_int_equal(wari_create_file(host, path, NULL, &fd, NULL), WARI_IO);
        assert_int_equal(fd, -1);
        assert_int_equal(wari_create_anew(host, path, NULL, &fd, NULL), WARI_OK);
        assert_int_equal(wari_write_at(host, fd, path, "mine", 4, 0, NULL), WARI_OK);
        assert_int_equal(close(fd), 0);
        assert_holds(path, "mine");
        assert_holds(other, "keep me");
    }
}

/* Fixed bug: a file with mode 0600 was replaced by a file with mode 0644. */
static void a_new_file_has_the_mode_of_the_one_it_is_to_replace(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0400};
    const mode_t mask = umask(022);
    const struct wari_host *host = wari_host_system();
    char path[WARI_PATH_MAX], model[WARI_PATH_MAX], missing[WARI_PATH_MAX];
    struct stat found;
    int fd;

    (void)state;
    path_of(path, "new.tmp");
    path_of(model, "model");
    path_of(missing, "missing");
    file_store(model, "old", 3);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(model, modes[i]), 0);
        assert_int_equal(wari_create_anew(host, path, model, &fd, NULL), WARI_OK);
        assert_int_equal(fstat(fd, &found), 0);
        assert_int_equal(found.st_mode & 07777, modes[i]);
        assert_int_equal(close(fd), 0);
    }
    assert_int_equal(wari_create_anew(host, path, missing, &fd, NULL), WARI_OK);
    assert_int_equal(fstat(fd, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0644);
    assert_int_equal(close(fd), 0);
    (void)umask(mask);
}

/* Fixed bug: locking wrote 21 bytes into any file named "build.lock". */
static void a_lock_that_is_not_ours_is_never_written_to(void **state)
{
    static const char *const texts[] = {"", "a letter to my mother", "12345               \n",
                                        "12345 cheating      \n", "12345"};
    const struct wari_host *host = wari_host_system();
    char path[WARI_PATH_MAX], other[WARI_PATH_MAX];
    struct wari_error error;
    struct wari_lock lock;

    (void)state;
    path_of(path, "build.lock");
    path_of(other, "dear");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int kind = 0; kind < 3; kind++) { /* the file itself, a hard link, a symbolic link */
            const bool fine = kind == 0 && (i == 0 || i == 2);
            (void)unlink(path);
            file_store(kind == 0 ? path : other, texts[i], strlen(texts[i]));
            if (kind > 0)
                assert_int_equal(kind == 1 ? link(other, path) : symlink(other, path), 0);
            assert_int_equal(wari_folder_lock(host, folder, WARI_BUILDING, &lock, &error),
                             fine ? WARI_OK : WARI_IO);
            wari_folder_unlock(&lock);
            if (fine)
                continue;
            assert_holds(kind == 0 ? path : other, texts[i]);
            assert_non_null(strstr(error.text, path));
            assert_non_null(strstr(error.text, "move")); /* the advice is to "remove" a link and
                                                          * to "move" a file; both words contain
                                                          * "move" */
        }
    }
    assert_int_equal(unlink(path), 0);
}

static void the_lock_of_a_dead_process_is_free(void **state)
{
    struct wari_error error;
    struct wari_lock lock;
    int status;

    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(wari_folder_lock(wari_host_system(), folder, WARI_BUILDING, &lock, NULL) == WARI_OK
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(wari_folder_lock(wari_host_system(), folder, WARI_BUILDING, &lock, &error),
                     WARI_OK);
    wari_folder_unlock(&lock);
}

#endif

TEST_GROUP(test_db_host)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_and_interrupted_transfers_go_on_to_the_end),
        cmocka_unit_test(reading_beyond_the_end_is_corrupt_and_names_the_offset),
        cmocka_unit_test(a_full_disk_is_an_io_error_that_says_what_to_do),
        cmocka_unit_test(a_write_that_moves_nothing_ends_in_an_error),
        cmocka_unit_test(the_size_of_a_folder_is_an_error),
        cmocka_unit_test(paths_of_any_length_up_to_the_limit_fit_and_longer_ones_are_refused),
        cmocka_unit_test(publishing_replaces_the_file_whole_or_leaves_it_alone),
        cmocka_unit_test(a_file_is_put_in_place_whole_or_not_at_all),
        cmocka_unit_test(a_missing_folder_is_created_and_locked),
        cmocka_unit_test(a_locked_folder_says_what_is_done_there),
        cmocka_unit_test(a_locked_folder_is_busy_and_free_again_after_unlocking),
        cmocka_unit_test(locking_leaves_nothing_open_whichever_call_fails),
#if !WARI_SYSTEM_WINDOWS
        cmocka_unit_test(a_new_file_is_never_one_that_a_link_leads_to),
        cmocka_unit_test(a_new_file_has_the_mode_of_the_one_it_is_to_replace),
        cmocka_unit_test(a_lock_that_is_not_ours_is_never_written_to),
        cmocka_unit_test(the_lock_of_a_dead_process_is_free),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
