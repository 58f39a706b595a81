/* Executes scripts of edits. Every sequence of bytes is a valid script. */
#include "tests/fuzz/edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { EDIT_BYTES = 5 }; /* bytes of an edit without its data */

enum action {
    XOR, /* changes bytes by XOR with the data */
    OVERWRITE,
    INSERT,
    REMOVE,
    ZERO,   /* sets 16 * length bytes to 0 */
    CUT,    /* removes all bytes from the offset on */
    APPEND, /* appends a copy of the first 16 * length bytes of the file */
    COPY,   /* copies 16 * length bytes to the offset; they come from the offset in the next
             * three bytes of the script */
    ACTIONS
};

void edits_change(struct edited *edited, const uint8_t *original, size_t original_size,
                  const struct edits_wanted *wanted, size_t most)
{
    if (wanted->raw) {
        edited->size = wanted->size < most ? wanted->size : most;
        memcpy(edited->bytes, wanted->script, edited->size);
        return;
    }
    edits_apply(edited, original, original_size, wanted->script, wanted->size);
    if (edited->size > most)
        edited->size = most;
}

void fuzz_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t place_of(const struct edited *edited, const uint8_t *bytes)
{
    size_t number = (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16;
    return edited->size > 0 ? number % edited->size : 0;
}

static void insert(struct edited *edited, size_t place, const uint8_t *bytes, size_t count)
{
    count = least(count, EDITED_MAX - edited->size);
    memmove(edited->bytes + place + count, edited->bytes + place, edited->size - place);
    memcpy(edited->bytes + place, bytes, count);
    edited->size += count;
}

/* Executes one edit: its action, offset and length have been read from the script, and `rest` is
 * the rest of the script. Returns the number of bytes of `rest` that are the data of this edit. */
static size_t apply(struct edited *edited, enum action action, size_t place, size_t length,
                    const uint8_t *rest, size_t left)
{
    const size_t behind = edited->size - place;
    const size_t given = least(length, left);
    const size_t many = least(16 * length, behind);
    switch (action) {
    case XOR:
        for (size_t i = 0; i < least(given, behind); i++)
            edited->bytes[place + i] ^= rest[i];
        return given;
    case OVERWRITE:
        memcpy(edited->bytes + place, rest, least(given, behind));
        return given;
    case INSERT:
        insert(edited, place, rest, given);
        return given;
    case REMOVE:
        length = least(length, behind);
        memmove(edited->bytes + place, edited->bytes + place + length, behind - length);
        edited->size -= length;
        return 0;
    case ZERO:
        memset(edited->bytes + place, 0, many);
        return 0;
    case CUT:
        edited->size = place;
        return 0;
    case APPEND:
        length = least(least(16 * length, edited->size), EDITED_MAX - edited->size);
        memcpy(edited->bytes + edited->size, edited->bytes, length);
        edited->size += length;
        return 0;
    case COPY:
        if (left >= 3) {
            const size_t from = place_of(edited, rest);
            memmove(edited->bytes + place, edited->bytes + from, least(many, edited->size - from));
        }
        return least(left, 3);
    case ACTIONS:
        break;
    }
    return 0;
}

void edits_apply(struct edited *edited, const uint8_t *original, size_t original_size,
                 const uint8_t *script, size_t script_size)
{
    fuzz_must(original_size <= EDITED_MAX, "the original fits");
    memcpy(edited->bytes, original, original_size);
    edited->size = original_size;
    while (script_size >= EDIT_BYTES) {
        const enum action action = (enum action)(script[0] % ACTIONS);
        const size_t place = place_of(edited, script + 1);
        const size_t length = script[4];
        script += EDIT_BYTES;
        script_size -= EDIT_BYTES;
        const size_t taken = apply(edited, action, place, length, script, script_size);
        script += taken;
        script_size -= taken;
    }
}

void edits_seal_text(struct edited *edited)
{
    enum { HASH_LINE = 22 };
    char line[HASH_LINE + 1];
    if (edited->size < HASH_LINE)
        return;
    const size_t before = edited->size - HASH_LINE;
    snprintf(line, sizeof line, "hash %016llx\n",
             (unsigned long long)XXH3_64bits(edited->bytes, before));
    memcpy(edited->bytes + before, line, HASH_LINE);
}
