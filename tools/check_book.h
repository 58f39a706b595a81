/* `wari check FILE`: the part of `wari check` that is about books. */
#ifndef TOOLS_CHECK_BOOK_H
#define TOOLS_CHECK_BOOK_H

#include "tools/common/options.h"

/* Reads all of options->book and prints the verdict; options->format is 0 for text, 1 for JSON.
 * WARI_CORRUPT if it is damaged; fails like wari_open_book(). */
WARI_MUST_CHECK enum wari_status check_book(const struct database_options *options,
                                            struct wari_error *error);

#endif
