/* Reading the command line: getopt_long with messages that say what would have been right. */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "db/wari.h"
#include "solver/plan/plan.h"
#include "tools/common/variant.h"

/* The command line of a command, and what takes its options. */
struct command_line {
    int argc;
    char **argv;
    const struct option *accepted; /* ended by an entry of zeros */
    const char *const *formats;    /* of --format, ended by NULL; for commands on a database */
    int most;                      /* arguments behind the options: argv[optind..] */

    /* Takes an option of the command: its `val`; its value is in optarg. NULL: there is none. */
    enum wari_status (*take)(void *request, int key, struct wari_error *error);
    void *request;
};

/* Reads all options, and fails unless at most so many arguments are left. */
WARI_MUST_CHECK enum wari_status options_read(const struct command_line *line,
                                              struct wari_error *error);

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

/* The number behind --threads, of a command that computes. */
WARI_MUST_CHECK enum wari_status options_threads(int *threads, struct wari_error *error);

/* Bytes, from 1 up: digits, and k, M or G behind for thousand, million or billion. */
WARI_MUST_CHECK enum wari_status options_size(const char *name, const char *text, size_t *bytes,
                                              struct wari_error *error);

/* A level: 0..46 or 48. */
WARI_MUST_CHECK enum wari_status options_seeds(const char *text, int *seeds,
                                               struct wari_error *error);

/* One of several words (ended by NULL); *choice is its place in the list. */
WARI_MUST_CHECK enum wari_status options_word(const char *name, const char *text,
                                              const char *const *words, int *choice,
                                              struct wari_error *error);

/* Fails unless --db was given. */
WARI_MUST_CHECK enum wari_status options_folder(const char *folder, struct wari_error *error);

/* ---- Commands that read a database ---- */

/* Their entries of `accepted`; a command adds its own, with other keys. (The layout tool would take
 * these braces for blocks.) */
/* clang-format off */
#define OPTIONS_DB \
    {"db", required_argument, NULL, 'd'}, {"format", required_argument, NULL, 'f'}, \
        {"json", no_argument, NULL, 'j'}
#define OPTIONS_VARIANT \
    {"rules", required_argument, NULL, 'r'}, {"cycle", required_argument, NULL, 'c'}
#define OPTIONS_BOOK {"book", required_argument, NULL, 'B'} /* for those that take a book as well */
/* clang-format on */

/* What they say. Zeros: nothing yet. */
struct database_options {
    const char *folder;
    const char *book; /* a path in place of the folder; NULL: none */
    struct variant_choice choice;
    int format; /* its place in the command's list of formats; 0, the first, by default. --json is
                 * short for --format json */
};

/* Like options_read(), but takes the options above itself, and fails unless --db was given, or a
 * book in its place: a command with --book and room for one argument takes it as that, too. */
WARI_MUST_CHECK enum wari_status options_read_database(const struct command_line *line,
                                                       struct database_options *options,
                                                       struct wari_error *error);

/* Opens the only database in the folder that fits, or the book, as a handle for wari_close(). */
WARI_MUST_CHECK enum wari_status options_open(const struct database_options *options,
                                              struct wari_db **db, struct wari_error *error);

/* Opens a book that fits the choice. WARI_MISMATCH if it does not. `settings`: NULL: defaults. */
WARI_MUST_CHECK enum wari_status options_open_book(const struct variant_choice *choice,
                                                   const char *path,
                                                   const struct wari_options *settings,
                                                   struct wari_db **db, struct wari_error *error);

/* Fails unless there is a folder or a book, and not both. */
WARI_MUST_CHECK enum wari_status options_place(const char *folder, const char *book,
                                               struct wari_error *error);

/* ---- Commands about a build ---- */

/* Their entries of `accepted`, besides their own. */
/* clang-format off */
#define OPTIONS_BUILD \
    {"db", required_argument, NULL, 'd'}, {"seeds", required_argument, NULL, 's'}, \
        OPTIONS_VARIANT, {"threads", required_argument, NULL, 't'}, \
        {"memory", required_argument, NULL, 'm'}
/* clang-format on */

/* Like options_read(), but takes these itself, into a build that has its defaults; --memory may be
 * left out, and is 0 then. Fails unless --seeds was given, and where the folder's name is empty. */
WARI_MUST_CHECK enum wari_status options_read_build(const struct command_line *line,
                                                    struct wari_build *build,
                                                    struct wari_error *error);

#endif
