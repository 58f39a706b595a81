/* The only mathematical function that playing strengths need, for WebAssembly, which has an
 * instruction for it. */
#ifndef BINDINGS_JS_LIBC_MATH_H
#define BINDINGS_JS_LIBC_MATH_H

static inline double sqrt(double number)
{
    return __builtin_sqrt(number);
}

#endif
