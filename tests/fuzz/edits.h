/* Changes to a file, written as bytes. A fuzzer that mutates whole files spends its time on bytes
 * that a hash protects anyway, and its findings are worth nothing after the next change of the
 * format. So its input says what to do to an intact file, whatever that looks like today. */
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

/* Sets `edited` to `original` and carries out the edits in `script`:
 *
 *     byte  0        1        4        5 ...
 *           +--------+--------+--------+- - -
 *           | action | place  | length | ...  bytes of the length, for the actions that need some
 *           +--------+--------+--------+- - -
 *
 * The place counts modulo the file's size. A script that ends early ends there. */
void edits_apply(struct edited *edited, const uint8_t *original, size_t original_size,
                 const uint8_t *script, size_t script_size);

/* What is to come of an original. */
struct edits_wanted {
    const uint8_t *script;
    size_t size;
    bool raw; /* the script itself, and not what it does to the original */
};

/* Sets `edited` to that, cut to at most `most` bytes. */
void edits_change(struct edited *edited, const uint8_t *original, size_t original_size,
                  const struct edits_wanted *wanted, size_t most);

/* Makes the last line of a text right, which is its hash: "hash 0123456789abcdef". */
void edits_seal_text(struct edited *edited);

/* Ends the program: something that must hold does not. */
void fuzz_must(bool holds, const char *what);

#endif
