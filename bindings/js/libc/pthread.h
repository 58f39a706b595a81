/* A search of one thread starts no other: site/search.c has none to give. */
#ifndef JS_LIBC_PTHREAD_H
#define JS_LIBC_PTHREAD_H

typedef int pthread_t;

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);

#endif
