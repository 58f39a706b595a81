/* Types that occur in the host table, which is not used in WebAssembly. */
#ifndef BINDINGS_JS_LIBC_SYS_TYPES_H
#define BINDINGS_JS_LIBC_SYS_TYPES_H

typedef long ssize_t;
typedef long long off_t;
typedef unsigned mode_t;

#endif
