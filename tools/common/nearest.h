/* Finds the name that was probably meant by a word that is not a name: a rule set, a command, an
 * option. Messages about unknown names use it. */
#ifndef TOOLS_COMMON_NEAREST_H
#define TOOLS_COMMON_NEAREST_H

#include <stddef.h>

/* The search for the name nearest to a word. */
struct nearest_name {
    const char *word; /* need not be zero-terminated */
    size_t length;    /* number of characters of the word */
    const char *name; /* the nearest name so far; NULL if none is near enough to be suggested */
    size_t distance;  /* distance of that name from the word */
};

/* Begins a search. */
void nearest_begin(struct nearest_name *nearest, const char *word, size_t length);

/* Considers one more name, which must outlive the search. A name is near enough if at most two
 * changes, and fewer than one for every two characters of the word, turn the word into it. A change
 * inserts, removes or replaces a character, or swaps two neighbours; upper and lower case of ASCII
 * letters are not distinguished. Among names at the same distance, the first one is the nearest.
 * Names and words of more than 24 characters are never near enough. */
void nearest_add(struct nearest_name *nearest, const char *name);

enum { NEAREST_HINT = 64, NEAREST_WORD = 32 };

/* Writes the end of a message, `; did you mean "awari"?`, or an empty text if no name is near
 * enough. Returns `hint`. */
const char *nearest_hint(const struct nearest_name *nearest, char hint[NEAREST_HINT]);

#endif
