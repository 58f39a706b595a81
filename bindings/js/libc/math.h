/* The only function of <math.h> that the code for playing strengths calls. WebAssembly has an
 * instruction for it. */
#ifndef BINDINGS_JS_LIBC_MATH_H
#define BINDINGS_JS_LIBC_MATH_H

static inline double sqrt(double number)
{
    return __builtin_sqrt(number);
}

#endif
