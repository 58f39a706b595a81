/* What a search needs of time, for WebAssembly: site/search.c defines it. */
#ifndef JS_LIBC_TIME_H
#define JS_LIBC_TIME_H

enum { CLOCK_MONOTONIC = 1 };

struct timespec {
    long long tv_sec;
    long tv_nsec;
};

int clock_gettime(int clock, struct timespec *now);

#endif
