/* Simple loops over bytes, since speed does not matter here. Compiled without built-in functions;
 * otherwise the compiler would replace the loops by calls of the functions themselves. */
#include "string.h"

void *memcpy(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < count; i++)
        target[i] = source[i];
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source)
        return memcpy(to, from, count);
    while (count-- > 0)
        target[count] = source[count];
    return to;
}

void *memset(void *to, int byte, size_t count)
{
    unsigned char *target = to;
    for (size_t i = 0; i < count; i++)
        target[i] = (unsigned char)byte;
    return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *one = left, *other = right;
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i])
            return one[i] - other[i];
    return 0;
}

int strcmp(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
