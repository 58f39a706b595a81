/* Draws how often each value occurs, as a picture in SVG. */
#ifndef TOOLS_STATS_PLOT_H
#define TOOLS_STATS_PLOT_H

#include "db/wari.h"

/* Writes a picture with a diagram for each level from `first` to `last` to the file `path`; "-"
 * means standard output. The database must have these levels. The picture needs no other file, and
 * has colours for light and dark themes. */
WARI_MUST_CHECK enum wari_status stats_plot(struct wari_db *db, int first, int last,
                                            const char *path, struct wari_error *error);

#endif
