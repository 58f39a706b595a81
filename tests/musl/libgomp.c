/* The two functions of the C library of GNU that libgomp.a needs and musl lacks. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

long __sysconf(int name);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);

/* Both libraries have the same numbers for sysconf(). */
long __sysconf(int name)
{
    return sysconf(name);
}

/* libgomp calls it only if the environment asks for it (OMP_PROC_BIND), and ignores a failure. */
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set)
{
    (void)attributes;
    (void)size;
    (void)set;
    return ENOSYS;
}
