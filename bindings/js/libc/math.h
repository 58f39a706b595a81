/* What levels of play need of mathematics, for WebAssembly: an instruction of it. */
#ifndef JS_LIBC_MATH_H
#define JS_LIBC_MATH_H

static inline double sqrt(double number)
{
    return __builtin_sqrt(number);
}

#endif
