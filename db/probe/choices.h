/* Remembers which moves perfect play makes, for any number of threads.
 *
 * A choice may take a search; it depends on the position and the database alone, so anybody who has
 * made it once need not make it again. The moves of a line are all that is remembered: what they
 * lead to is played out anew each time.
 */
#ifndef DB_PROBE_CHOICES_H
#define DB_PROBE_CHOICES_H

#include "db/host/host.h"

struct wari_choices;

/* Room for as many choices as fit `bytes`, which may be none: 8 bytes each. All of it is allocated
 * here; later calls cannot fail. */
WARI_MUST_CHECK enum wari_status wari_choices_create(struct wari_choices **choices,
                                                     const struct wari_host *host, size_t bytes,
                                                     struct wari_error *error);
void wari_choices_destroy(struct wari_choices *choices); /* NULL is allowed */

/* The pit, 0..5, that was kept for a place, 0..2^60; -1 if none is there (any more). A place
 * stands for a position of the database. */
int wari_choices_find(const struct wari_choices *choices, uint64_t place);

/* Keeps a pit; another place may lose its own. */
void wari_choices_keep(struct wari_choices *choices, uint64_t place, int pit);

#endif
