/* Reads a level file, slowly and simply. This reader was written from db/FORMAT.md
 * alone and shares no code with the program. So a test that compares both checks the description of
 * the format as well as the encoder. The reader does not check hashes. */
#ifndef TESTS_REFERENCE_PLAIN_READER_H
#define TESTS_REFERENCE_PLAIN_READER_H

#include <stddef.h>
#include <stdint.h>

/* Decodes all values of the file into `values`, which must have space for the level. Returns
 * their number, or -1 if the file is inconsistent. */
int64_t plain_read_level(const uint8_t *file, size_t size, int8_t *values);

#endif
