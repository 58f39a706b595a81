/* What the two files need of the C library, for WebAssembly: stdio.c defines it. */
#ifndef JS_LIBC_STDIO_H
#define JS_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

/* %s %c %d %lu %llu %02X %%, with a precision for %s. Anything else is written as it stands. */
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int snprintf(char *text, size_t size, const char *format, ...);

#endif
