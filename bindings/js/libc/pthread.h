/* Threads for WebAssembly: there are none. A search with one thread does not start another; the
 * functions in site/search.c fail. */
#ifndef BINDINGS_JS_LIBC_PTHREAD_H
#define BINDINGS_JS_LIBC_PTHREAD_H

typedef int pthread_t;

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);

#endif
