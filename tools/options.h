/* Reading the command line: getopt_long with messages that say what would have been right. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "game/wari_game.h"

/* Reads the next option of `accepted` (ended by an entry of zeros): *key is its `val`, or -1 at the
 * end, after which argv[optind..] are the other arguments. Its value is in optarg. */
WARI_MUST_CHECK enum wari_status options_next(int argc, char **argv, const struct option *accepted,
                                              int *key, struct wari_error *error);

/* Fails unless argv[optind..] holds at most `most` arguments. */
WARI_MUST_CHECK enum wari_status options_end(int argc, char **argv, int most,
                                             struct wari_error *error);

/* A whole number from `least` to `most`, in decimal digits. `name` is the option's, for messages.
 */
WARI_MUST_CHECK enum wari_status options_number(const char *name, const char *text, uint64_t least,
                                                uint64_t most, uint64_t *number,
                                                struct wari_error *error);
WARI_MUST_CHECK enum wari_status options_int(const char *name, const char *text, int least,
                                             int most, int *number, struct wari_error *error);

/* A level: 0..46 or 48. */
WARI_MUST_CHECK enum wari_status options_seeds(const char *text, int *seeds,
                                               struct wari_error *error);

/* One of several words (ended by NULL); *choice is its place in the list. */
WARI_MUST_CHECK enum wari_status options_word(const char *name, const char *text,
                                              const char *const *words, int *choice,
                                              struct wari_error *error);

/* Fails unless --db was given. */
WARI_MUST_CHECK enum wari_status options_folder(const char *folder, struct wari_error *error);

#endif
