/* The nearest name; see nearest.h. */
#include "tools/common/nearest.h"

#include <stdio.h>
#include <string.h>

enum {
    NEAREST_LENGTH_MAX = 24, /* longer words and names are not compared */
    NEAREST_DISTANCE_MAX = 2,
};

void nearest_begin(struct nearest_name *nearest, const char *word, size_t length)
{
    nearest->word = word;
    nearest->length = length;
    nearest->name = NULL;
    nearest->distance = NEAREST_DISTANCE_MAX + 1;
}

/* Used instead of tolower(), whose result depends on the locale. */
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Computes the number of changes between two words of at most NEAREST_LENGTH_MAX characters: the
 * distance of Damerau and Levenshtein, in which no character is changed twice. */
static size_t distance_of(const char *one, size_t length, const char *other, size_t other_length)
{
    size_t changes[NEAREST_LENGTH_MAX + 1][NEAREST_LENGTH_MAX + 1];
    for (size_t i = 0; i <= length; i++)
        for (size_t j = 0; j <= other_length; j++) {
            size_t *here = &changes[i][j];
            *here = i + j;
            if (i == 0 || j == 0)
                continue;
            const char last = lower(one[i - 1]), other_last = lower(other[j - 1]);
            *here = smaller(changes[i - 1][j], changes[i][j - 1]) + 1;
            *here = smaller(*here, changes[i - 1][j - 1] + (last != other_last));
            if (i > 1 && j > 1 && last == lower(other[j - 2]) && lower(one[i - 2]) == other_last)
                *here = smaller(*here, changes[i - 2][j - 2] + 1);
        }
    return changes[length][other_length];
}

void nearest_add(struct nearest_name *nearest, const char *name)
{
    const size_t length = strlen(name);
    if (length > NEAREST_LENGTH_MAX || nearest->length > NEAREST_LENGTH_MAX)
        return;
    const size_t distance = distance_of(nearest->word, nearest->length, name, length);
    if (distance >= nearest->distance || 2 * distance >= nearest->length)
        return;
    nearest->name = name;
    nearest->distance = distance;
}

const char *nearest_hint(const struct nearest_name *nearest, char hint[NEAREST_HINT])
{
    hint[0] = '\0';
    if (nearest->name != NULL)
        snprintf(hint, NEAREST_HINT, "; did you mean \"%s\"?", nearest->name);
    return hint;
}
