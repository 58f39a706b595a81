/* The part of the C library's <stdio.h> that wari_probe.[ch] needs, for WebAssembly. stdio.c
 * implements it. */
#ifndef BINDINGS_JS_LIBC_STDIO_H
#define BINDINGS_JS_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

/* Supports %s %c %d %lu %llu %02X %%, with a precision for %s. Anything else is copied unchanged.
 */
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int snprintf(char *text, size_t size, const char *format, ...);

#endif
