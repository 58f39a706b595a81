/* Reads a level file of format 2, slowly and plainly: written from db/FORMAT.md alone, sharing no
 * code with the program, so that it checks the description and the coder at once. It trusts the
 * file. */
#ifndef TESTS_REFERENCE_PLAIN_READER_H
#define TESTS_REFERENCE_PLAIN_READER_H

#include <stddef.h>
#include <stdint.h>

/* Decodes all values that the file holds into `values`, which has room for the level. Returns how
 * many, or -1 if something does not fit together. */
int64_t plain_read_level(const uint8_t *file, size_t size, int8_t *values);

#endif
