/* The part of the C library's <time.h> that a search needs, for WebAssembly. site/search.c
 * implements it. */
#ifndef BINDINGS_JS_LIBC_TIME_H
#define BINDINGS_JS_LIBC_TIME_H

enum { CLOCK_MONOTONIC = 1 };

struct timespec {
    long long tv_sec;
    long tv_nsec;
};

int clock_gettime(int clock, struct timespec *now);

#endif
