/* Changes to a file, encoded as bytes. If a fuzzer mutated whole files, it would spend most of its
 * time on bytes that a hash protects, and its corpus would be useless after the next change of the
 * format. Therefore its input describes changes to an intact file, which always has the current
 * format. */
#ifndef TESTS_FUZZ_EDITS_H
#define TESTS_FUZZ_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDITED_MAX = 96 * 1024 }; /* larger than any file of the targets */

struct edited {
    size_t size;
    uint8_t bytes[EDITED_MAX];
};

/* Sets `edited` to `original` and executes the edits in `script`:
 *
 *     byte  0        1        4        5 ...
 *           +--------+--------+--------+- - -
 *           | action | offset | length | ...  data of this length, if the action needs it
 *           +--------+--------+--------+- - -
 *
 * The offset is taken modulo the size of the file. A script that ends early ends there. */
void edits_apply(struct edited *edited, const uint8_t *original, size_t original_size,
                 const uint8_t *script, size_t script_size);

/* Describes how an original is to be changed. */
struct edits_wanted {
    const uint8_t *script;
    size_t size;
    bool raw; /* use the script itself as the file instead of editing the original */
};

/* Sets `edited` to the changed file, truncated to at most `most` bytes. */
void edits_change(struct edited *edited, const uint8_t *original, size_t original_size,
                  const struct edits_wanted *wanted, size_t most);

/* Corrects the last line of a text, which is its hash: "hash 0123456789abcdef". */
void edits_seal_text(struct edited *edited);

/* Ends the program with a message unless `holds` is true. */
void fuzz_must(bool holds, const char *what);

#endif
