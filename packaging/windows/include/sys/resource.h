/* getrlimit(), for which every limit is infinite: Windows has no such limits. */
#ifndef WINDOWS_INCLUDE_RESOURCE_H
#define WINDOWS_INCLUDE_RESOURCE_H

#include <stdint.h>

typedef uint64_t rlim_t;

#define RLIM_INFINITY UINT64_MAX

enum { RLIMIT_STACK, RLIMIT_AS };

struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

static inline int getrlimit(int resource, struct rlimit *limit)
{
    (void)resource;
    limit->rlim_cur = limit->rlim_max = RLIM_INFINITY;
    return 0;
}

#endif
