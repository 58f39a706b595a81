/* <string.h>, with strerror_r() and memmem(). */
#ifndef WINDOWS_INCLUDE_STRING_H
#define WINDOWS_INCLUDE_STRING_H

#include_next <string.h>

int strerror_r(int number, char *buffer, size_t bytes);
void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);

#endif
