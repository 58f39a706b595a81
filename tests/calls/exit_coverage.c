/* Functions that `make coverage` puts in the place of _exit(), execvp(), raise() and syscall().
 *
 * exit() writes the profile of a program, which counts how often each line was executed. Without
 * exit() the profile would be lost: for example, the supervisor of an engine ends by _exit(). So
 * these functions write the profile first. The linker redirects the calls (--wrap), so the program
 * itself contains no code for this.
 *
 * A child process also writes the counts that it inherited by fork(). So counts may be too large,
 * but lines that were never executed still have the count 0. raise() may be called in a signal
 * handler, where writing a profile is not safe, because it allocates memory. At worst, a test of
 * `make coverage` hangs there and times out. */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Functions of libgcov. */
void __gcov_dump(void);
void __gcov_reset(void);

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
int __real_execvp(const char *file, char *const *words);
int __wrap_execvp(const char *file, char *const *words);
int __real_raise(int number);
int __wrap_raise(int number);
long __real_syscall(long number, long one, long two, long three, long four, long five, long six);
long __wrap_syscall(long number, long one, long two, long three, long four, long five, long six);

/* Writes the profile. Then resets the counters, because the program may continue and write its
 * profile again. */
static void write_profile(void)
{
    __gcov_dump();
    __gcov_reset();
}

void __wrap__exit(int code)
{
    write_profile();
    __real__exit(code);
}

int __wrap_execvp(const char *file, char *const *words)
{
    write_profile();
    return __real_execvp(file, words);
}

int __wrap_raise(int number)
{
    write_profile();
    return __real_raise(number);
}

long __wrap_syscall(long number, long one, long two, long three, long four, long five, long six)
{
    if (number == SYS_exit_group)
        write_profile();
    return __real_syscall(number, one, two, three, four, five, six);
}
