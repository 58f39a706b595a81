/* Defines the two functions of the GNU C library that libgomp.a needs and that musl lacks. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

long __sysconf(int name);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);

/* The numbers for sysconf() are the same in both libraries. */
long __sysconf(int name)
{
    return sysconf(name);
}

/* libgomp calls this function only if OMP_PROC_BIND is set, and ignores a failure. */
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set)
{
    (void)attributes;
    (void)size;
    (void)set;
    return ENOSYS;
}
