/* Verifies that OpenMP's threads can be started; see threads.h. First, as many threads as needed
 * are started with the stack size of OpenMP, and wait until all of them exist. Then they end, and
 * OpenMP creates its own threads, which stay alive from then on. */
#include "system/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Smallest size of a stack, in bytes. 16 KiB is too little; 256 KiB leaves a reserve for future
 * code. */
enum { STACK_LEAST = 256 << 10 };

static void *wait_for_all(void *all)
{
    (void)pthread_mutex_lock(all);
    (void)pthread_mutex_unlock(all);
    return NULL;
}

/* Parses a stack size such as "8M", " 100 k" or "65536B"; without a unit it is in kilobytes.
 * Returns 0 for any other text, which OpenMP ignores, too. */
static size_t read_size(const char *text)
{
    static const char units[] = "bkmg";
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (end == text || errno != 0 || number == 0)
        return 0;
    end += strspn(end, " \t");
    const char *unit = *end != '\0' ? strchr(units, *end | 0x20) : &units[1];
    if (unit == NULL || (*end != '\0' && end[1 + strspn(end + 1, " \t")] != '\0'))
        return 0;
    const int shift = 10 * (int)(unit - units);
    return number > SIZE_MAX >> shift ? SIZE_MAX : (size_t)number << shift;
}

/* Finds the stack size that OpenMP gives its threads. 0 means the default size of threads. */
static enum wari_status find_stack(size_t *stack, struct wari_error *error)
{
    static const char *const variables[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
    const char *text = NULL;
    *stack = 0;
    int i = 0;
    for (; i < 2 && *stack == 0; i++) {
        text = getenv(variables[i]);
        *stack = text != NULL ? read_size(text) : 0;
    }
    if (*stack < (size_t)PTHREAD_STACK_MIN) /* OpenMP ignores smaller sizes */
        *stack = 0;
    else if (*stack < STACK_LEAST)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "%s=%.40s: thread stacks need at least 256k; give more, or unset the variable",
            variables[i - 1], text);
    return WARI_OK;
}

static int start_others(pthread_t *others, int threads, size_t stack, pthread_mutex_t *all,
                        int *started)
{
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure != 0)
        return failure;
    if (stack > 0)
        failure = pthread_attr_setstacksize(&attributes, stack);
    while (*started < threads && failure == 0) {
        failure = pthread_create(&others[*started], &attributes, wait_for_all, all);
        *started += failure == 0;
    }
    (void)pthread_attr_destroy(&attributes);
    return failure;
}

enum wari_status wari_start_threads(int threads, struct wari_error *error)
{
    pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER; /* held until every thread is started */
    int started = 1;                                 /* including the calling thread */
    int running = 0;
    size_t stack;
    enum wari_status status = find_stack(&stack, error);
    if (status != WARI_OK)
        return status;
    pthread_t *others = malloc((size_t)threads * sizeof *others);
    if (!others)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for %d threads", threads);
    (void)pthread_mutex_lock(&all);
    const int failure = start_others(others, threads, stack, &all, &started);
    (void)pthread_mutex_unlock(&all);
    for (int i = 1; i < started; i++)
        (void)pthread_join(others[i], NULL);
    free(others);
    if (failure != 0)
        return wari_fail(error, WARI_NO_MEMORY,
                         "cannot start %d threads, only %d (%s); give fewer with --threads, or "
                         "raise the limits (ulimit -u, ulimit -v, OMP_STACKSIZE)",
                         threads, started, strerror(failure));
#pragma omp parallel num_threads(threads) reduction(+ : running)
    running++;
    return running > 0 ? WARI_OK : WARI_NO_MEMORY;
}
