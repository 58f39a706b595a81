/* A table of choices, set-associative like the cache of chunks but without a history: a set is a
 * line of the processor's cache, and a newcomer to a full one takes the slot that its place names.
 *
 * A choice is one word, so that nobody ever reads half of one and nobody needs a lock:
 *
 *     bit 63                                3 2     0
 *         +----------------------------------+-------+
 *         |            place + 1             |  pit  |      0: empty
 *         +----------------------------------+-------+
 */
#include "db/probe/choices.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SET = 8,        /* choices: a line */
    LINE_SIZE = 64, /* of the processor's cache, in bytes */
    PIT_BITS = 3,
};

typedef _Atomic uint64_t word;

_Static_assert(SET * sizeof(word) == LINE_SIZE, "a set is a line");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a word is its 64 bits and nothing else");

struct wari_choices {
    const struct wari_host *host;
    uint64_t sets; /* a power of two, or 0 */
    void *memory;  /* NULL if there are none */
    word *words;   /* in it: SET for each set, from the start of a line of the processor's cache */
};

enum wari_status wari_choices_create(struct wari_choices **choices, const struct wari_host *host,
                                     size_t bytes, struct wari_error *error)
{
    const size_t own = sizeof(struct wari_choices) + LINE_SIZE;
    void *memory;
    *choices = NULL;
    enum wari_status status =
        wari_allocate(host, sizeof **choices, "a table of choices", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_choices *new = memory;
    *new = (struct wari_choices){.host = host, .sets = bytes >= own + LINE_SIZE};
    while (new->sets > 0 && 2 * new->sets <= (bytes - own) / LINE_SIZE)
        new->sets *= 2;
    if (new->sets > 0) {
        status = wari_allocate(host, (new->sets + 1) * LINE_SIZE, "a table of choices",
                               &new->memory, error);
        if (status != WARI_OK) {
            wari_release(host, new);
            return status;
        }
        uintptr_t start = ((uintptr_t) new->memory + LINE_SIZE - 1) / LINE_SIZE * LINE_SIZE;
        new->words = (word *)start;
        /* Megabytes that nobody shares yet: several times as fast as one by one. */
        memset((void *)start, 0, LINE_SIZE * (size_t) new->sets);
    }
    *choices = new;
    return WARI_OK;
}

void wari_choices_destroy(struct wari_choices *choices)
{
    if (choices == NULL)
        return;
    wari_release(choices->host, choices->memory);
    wari_release(choices->host, choices);
}

/* The choices of a line are far apart in no order: any mixing of bits will do (Fibonacci's). */
static uint64_t mix(uint64_t place)
{
    place *= UINT64_C(0x9e3779b97f4a7c15);
    return place ^ place >> 32;
}

static word *set_of(const struct wari_choices *choices, uint64_t place)
{
    return choices->words + SET * (mix(place) & (choices->sets - 1));
}

int wari_choices_find(const struct wari_choices *choices, uint64_t place)
{
    if (choices->sets == 0)
        return -1;
    const word *set = set_of(choices, place);
    for (int i = 0; i < SET; i++) {
        uint64_t choice = atomic_load_explicit(&set[i], memory_order_relaxed);
        if (choice >> PIT_BITS == place + 1)
            return (int)(choice % (1 << PIT_BITS));
    }
    return -1;
}

void wari_choices_keep(struct wari_choices *choices, uint64_t place, int pit)
{
    if (choices->sets == 0)
        return;
    word *set = set_of(choices, place);
    int slot = (int)(mix(place) >> 61);
    for (int i = SET - 1; i >= 0; i--) {
        uint64_t choice = atomic_load_explicit(&set[i], memory_order_relaxed);
        if (choice == 0 || choice >> PIT_BITS == place + 1)
            slot = i;
    }
    atomic_store_explicit(&set[slot], (place + 1) << PIT_BITS | (uint64_t)pit,
                          memory_order_relaxed);
}
