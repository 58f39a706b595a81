/* Programs as child processes: whatever they do to their supervisor process, they end in time
 * together with all processes that they have started, and no other process ends. The programs are
 * shell scripts; process.h defines the expected results. Tests that only Linux can pass are left
 * out on other systems (system/platform.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "play/engine/process.h"
#include "system/clock.h"
#include "system/platform.h"
#include "tests/unit/groups.h"

/* ---- Time ---- */

/* In these tests time stands still, so that the functions wait for the expected event, however slow
 * the machine is. After a given number of clock readings, the time can leap once. */
static int64_t milliseconds, leap;
static int readings_before_leap;

static void leap_after(int readings, int64_t by)
{
    readings_before_leap = readings;
    leap = by;
}

static int64_t still_clock(void)
{
    if (readings_before_leap > 0 && --readings_before_leap == 0)
        milliseconds += leap;
    return milliseconds;
}

/* ---- Programs ---- */

/* Duration of a wait in milliseconds; the simulated clock does not reach it. */
enum { LONG = 1000 };

static void start(struct wari_process *process, struct wari_processes *all, const char *script)
{
    char copy[512], *words[] = {"sh", "-c", copy, NULL};
    snprintf(copy, sizeof copy, "%s", script);
    assert_int_equal(wari_process_start(process, all, words, NULL), WARI_OK);
}

static const char *read_line(struct wari_process *process)
{
    const char *line;
    assert_int_equal(wari_process_read(process, &line, wari_milliseconds_now() + LONG),
                     WARI_PROCESS_OK);
    return line;
}

static void expect_end(struct wari_process *process, int patience, const char *expected)
{
    char ending[WARI_PROCESS_ENDING];
    wari_process_end(process, patience, ending);
    assert_string_equal(ending, expected);
    assert_int_equal(process->pid, 0);
}

static void expect_gone(pid_t pid)
{
    assert_true(pid > 1);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* A program that stops its supervisor and does nothing else ends in the same way as a program
 * that does not stop it. */
static void a_stopped_supervisor_is_continued(void **state)
{
    struct wari_processes all;
    struct wari_process process;
    (void)state;
    wari_processes_init(&all);
    assert_int_equal(all.reaps_orphans, WARI_SYSTEM_LINUX);
    start(&process, &all, "kill -STOP $PPID; exit 3");
    expect_end(&process, LONG, "exit code 3");
    start(&process, &all, "kill -STOP $PPID; echo $$; exec sleep 600");
    pid_t engine = atoi(read_line(&process));
    expect_end(&process, 0, "killed");
    expect_gone(engine);
    wari_processes_free(&all);
}

/* Two loops stop the supervisor repeatedly, so that it rarely or never works. Therefore it is
 * killed after one second; the simulated clock advances by this second after some readings. The
 * loop in the separate session ends by itself: if it survived the test, it could stop another
 * process that later gets the supervisor's process number. */
static void a_supervisor_that_is_stopped_repeatedly_delays_no_end(void **state)
{
    struct wari_processes all;
    struct wari_process process;
    pid_t left[2];
    (void)state;
    wari_processes_init(&all);
    start(&process, &all,
          "setsid sh -c 'echo $$; i=0; while [ $((i += 1)) -lt 500000 ]; do kill -STOP '$PPID' "
          "2>/dev/null; done' & "
          "read -r line; echo $$; while :; do kill -STOP $PPID 2>/dev/null; done");
    left[0] = atoi(read_line(&process));
    assert_int_equal(wari_process_write(&process, "go\n", wari_milliseconds_now() + LONG),
                     WARI_PROCESS_OK);
    left[1] = atoi(read_line(&process));
    leap_after(10, 1000);
    expect_end(&process, 0, "killed");
    readings_before_leap = 0;
    for (int i = 0; i < 2; i++)
        expect_gone(left[i]);
    wari_processes_free(&all);
}

/* This holds on all systems. Every process of the group has the writing end of a pipe, so the pipe
 * ends when all these processes have ended. */
static void the_group_of_a_program_ends_with_it(void **state)
{
    static const char *const scripts[] = {"sleep 600 & echo up; exit 3",
                                          "sleep 600 & echo up; exec sleep 600"};
    static const char *const endings[] = {"exit code 3", "killed"};
    struct wari_processes all;
    struct wari_process process;
    (void)state;
    wari_processes_init(&all);
    for (int i = 0; i < 2; i++) {
        int ends[2];
        char byte;
        assert_int_equal(pipe(ends), 0);
        start(&process, &all, scripts[i]);
        (void)close(ends[1]);
        assert_string_equal(read_line(&process), "up");
        expect_end(&process, i == 0 ? LONG : 0, endings[i]);
        assert_int_equal(read(ends[0], &byte, 1), 0);
        (void)close(ends[0]);
    }
    wari_processes_free(&all);
}

/* Some processes are in the group of the program. Others are in separate sessions, and their
 * parents have ended. */
static void processes_of_a_killed_supervisor_are_killed(void **state)
{
    struct wari_processes all;
    struct wari_process process;
    pid_t left[3];
    (void)state;
    wari_processes_init(&all);
    start(&process, &all,
          "sleep 600 & echo $!; setsid sh -c 'sleep 600 & echo $!; echo $$; wait' & read -r line;"
          "kill -KILL $PPID");
    for (int i = 0; i < 3; i++)
        left[i] = atoi(read_line(&process));
    assert_int_equal(wari_process_write(&process, "go\n", wari_milliseconds_now() + LONG),
                     WARI_PROCESS_OK);
    expect_end(&process, LONG, "signal 9");
    for (int i = 0; i < 3; i++)
        expect_gone(left[i]);
    wari_processes_free(&all);
}

static void nobody_else_is_killed(void **state)
{
    struct wari_processes all;
    struct wari_process process, other;
    (void)state;
    wari_processes_init(&all);
    pid_t own = fork();
    if (own == 0) {
        pause();
        _exit(0);
    }
    start(&other, &all, "setsid cat; exit");
    start(&process, &all, "sleep 600 & kill -KILL $PPID");
    expect_end(&process, LONG, "signal 9");
    assert_int_equal(waitpid(own, NULL, WNOHANG), 0);
    assert_int_equal(wari_process_write(&other, "there\n", wari_milliseconds_now() + LONG),
                     WARI_PROCESS_OK);
    assert_string_equal(read_line(&other), "there");
    expect_end(&other, LONG, "exit code 0");
    assert_int_equal(kill(own, SIGKILL), 0);
    assert_int_equal(waitpid(own, NULL, 0), own);
    wari_processes_free(&all);
}

/* A caller may have child processes before it becomes the reaper: a shell that has started
 * background jobs can replace itself by this program with exec. Such a caller must not become the
 * reaper. */
static void who_has_children_already_is_no_reaper(void **state)
{
    struct wari_processes all;
    struct wari_process process;
    (void)state;
    pid_t daemon = fork();
    if (daemon == 0) {
        setsid();
        pause();
        _exit(0);
    }
    wari_processes_init(&all);
    assert_false(all.reaps_orphans);
    start(&process, &all, "kill -KILL $PPID");
    expect_end(&process, LONG, "signal 9");
    assert_int_equal(waitpid(daemon, NULL, WNOHANG), 0);
    assert_int_equal(kill(daemon, SIGKILL), 0);
    assert_int_equal(waitpid(daemon, NULL, 0), daemon);
    wari_processes_free(&all);
}

static void a_program_that_cannot_be_run_leaves_no_process(void **state)
{
    struct wari_processes all;
    struct wari_process process;
    struct wari_error error;
    char *words[] = {"/nowhere/at/all", NULL};
    (void)state;
    wari_processes_init(&all);
    assert_int_equal(wari_process_start(&process, &all, words, &error), WARI_BAD_INPUT);
    assert_int_equal(process.pid, 0);
    assert_null(all.first);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    wari_processes_free(&all);
}

TEST_GROUP(test_process)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_supervisor_is_continued),
        cmocka_unit_test(the_group_of_a_program_ends_with_it),
        cmocka_unit_test(who_has_children_already_is_no_reaper),
        cmocka_unit_test(a_program_that_cannot_be_run_leaves_no_process),
    };
    const struct CMUnitTest tests_on_linux[] = {
        cmocka_unit_test(a_supervisor_that_is_stopped_repeatedly_delays_no_end),
        cmocka_unit_test(processes_of_a_killed_supervisor_are_killed),
        cmocka_unit_test(nobody_else_is_killed),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    test_clock_replace(still_clock);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (WARI_SYSTEM_LINUX)
        failed += cmocka_run_group_tests(tests_on_linux, NULL, NULL);
    test_clock_replace(NULL);
    return failed;
}
