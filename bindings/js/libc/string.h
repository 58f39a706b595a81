/* The part of the C library's <string.h> that wari_probe.[ch] needs, for WebAssembly. string.c
 * implements it. */
#ifndef BINDINGS_JS_LIBC_STRING_H
#define BINDINGS_JS_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *left, const void *right, size_t count);
int strcmp(const char *left, const char *right);
size_t strlen(const char *text);

#endif
