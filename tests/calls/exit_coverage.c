/* Lets a program of `make coverage` write its profile before it ends, or becomes another program,
 * without exit(). For example, the supervisor of an engine ends by _exit(). The linker replaces the
 * calls of these functions (--wrap), so the program itself contains no code for this. */
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

/* Afterwards the counters are 0, since the program may go on. */
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
