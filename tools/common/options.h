/* Command-line options.
 *
 * getopt_long() finds the options. The messages are our own, because a message has to say what
 * would have been correct.
 */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "db/catalogue/catalogue.h"
#include "db/catalogue/variants.h"
#include "db/wari.h"
#include "solver/plan/plan.h"

/* The command line of a subcommand, and the function that handles its options. */
struct command_line {
    int argc;
    char **argv;
    const struct option *accepted; /* ended by an entry of zeros */
    const char *const *formats;    /* values of --format, ended by NULL; NULL if there is none */
    int arguments_max;             /* allowed number of arguments after the options */

    /* Handles one option of the subcommand. `key` is the option's `val`, its value is in optarg.
     * NULL if the subcommand has no options of its own. */
    enum wari_status (*handle_option)(void *request, int key, struct wari_error *error);
    void *request;
};

/* Reads all options. Afterwards argv[optind..] are the other arguments. Fails if there are more
 * than `arguments_max` of them. If there is an option --output, its `val` must be 'o', and -o is
 * accepted as its short form. */
WARI_MUST_CHECK enum wari_status options_read(const struct command_line *line,
                                              struct wari_error *error);

/* Parses an integer from `min` to `max`, in decimal digits. `name` is the name of the option, for
 * messages. */
WARI_MUST_CHECK enum wari_status options_number(const char *name, const char *text, uint64_t min,
                                                uint64_t max, uint64_t *number,
                                                struct wari_error *error);
WARI_MUST_CHECK enum wari_status options_int(const char *name, const char *text, int min, int max,
                                             int *number, struct wari_error *error);

/* Parses the value of --threads, which is in optarg. */
WARI_MUST_CHECK enum wari_status options_threads(int *threads, struct wari_error *error);

/* Parses a number of bytes, at least 1: digits, optionally followed by k, M or G for thousand,
 * million or billion. */
WARI_MUST_CHECK enum wari_status options_size(const char *name, const char *text, size_t *bytes,
                                              struct wari_error *error);

/* Parses a level: 0..46 or 48. */
WARI_MUST_CHECK enum wari_status options_seeds(const char *text, int *seeds,
                                               struct wari_error *error);

/* Parses a range of levels such as "0-24", or a single level. */
WARI_MUST_CHECK enum wari_status options_seed_range(const char *text, int *first, int *last,
                                                    struct wari_error *error);

/* Fails if `path`, the value of the option `name`, is empty. */
WARI_MUST_CHECK enum wari_status options_require_file(const char *name, const char *path,
                                                      struct wari_error *error);

/* Parses one of several words (ended by NULL). *choice is the index of the word in the list. */
WARI_MUST_CHECK enum wari_status options_word(const char *name, const char *text,
                                              const char *const *words, int *choice,
                                              struct wari_error *error);

/* Fails if `folder`, the value of --db, is NULL or empty. */
WARI_MUST_CHECK enum wari_status options_require_folder(const char *folder,
                                                        struct wari_error *error);

/* Fails if `folder`, the value of --scores, is NULL or empty. */
WARI_MUST_CHECK enum wari_status options_require_scores(const char *folder,
                                                        struct wari_error *error);

/* ---- Variants: --rules and --cycle ---- */

/* The variant named on the command line. All zeros mean that no variant is named. */
struct variant_choice {
    const char *rules; /* the names as given; NULL means not given */
    const char *cycle;
};

enum { VARIANT_TEXT = 64 };

/* Writes the name of a variant as messages and answers print it: "abapa own". */
void variant_text(struct wari_variant variant, char text[VARIANT_TEXT]);

/* Completes a message of wari_variant_parse() or wari_rules_parse() about an unknown name in
 * `rules` or `cycle`, which may be NULL, by the name that was probably meant. */
void variant_suggest(const char *rules, const char *cycle, struct wari_error *error);

/* Determines the variant to build. The defaults are `awari` and `even`. Fails with WARI_BAD_INPUT
 * for unknown names, and for a preset together with the other cycle rule. */
WARI_MUST_CHECK enum wari_status variant_to_build(const struct variant_choice *choice,
                                                  struct wari_variant *variant,
                                                  struct wari_error *error);

/* Finds the only variant in `folder` that fits the choice. If there are several, fails with
 * WARI_BAD_INPUT and lists them; if there is none, fails with WARI_MISMATCH and lists the variants
 * in the folder. */
WARI_MUST_CHECK enum wari_status variant_in_folder(const struct variant_choice *choice,
                                                   const char *folder, struct wari_variant *variant,
                                                   struct wari_error *error);

/* Finds all variants in `folder` that fit the choice. Fails with WARI_MISMATCH if there is none. */
WARI_MUST_CHECK enum wari_status
variants_in_folder(const struct variant_choice *choice, const char *folder,
                   struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                   struct wari_error *error);

/* Lists all variants that match the choice, for a command without a folder. The variant that
 * variant_to_build() determines is one of them. */
WARI_MUST_CHECK enum wari_status
variants_of_choice(const struct variant_choice *choice,
                   struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                   struct wari_error *error);

/* ---- Commands that read a database ---- */

/* The entries of `accepted` that these commands have in common. A command adds its own entries,
 * with other keys. (clang-format would take these braces for blocks.) */
/* clang-format off */
#define OPTIONS_DB \
    {"db", required_argument, NULL, 'd'}, {"format", required_argument, NULL, 'f'}, \
        {"json", no_argument, NULL, 'j'}
#define OPTIONS_VARIANT \
    {"rules", required_argument, NULL, 'r'}, {"cycle", required_argument, NULL, 'c'}
#define OPTIONS_BOOK {"book", required_argument, NULL, 'B'} /* for commands that also read books */
/* clang-format on */

/* The values of the common options. Initialize the struct with zeros. */
struct database_options {
    bool source_optional; /* set by a command that also works without a database */
    const char *command;  /* argv[0], for notes */
    const char *folder;
    const char *book; /* path of the book that is read instead of a folder; NULL means no book */
    struct variant_choice choice;
    int format; /* index in the command's list of formats; default 0. --json is short for
                 * --format json */
};

/* Like options_read(), but handles the common options itself. Fails if both --db and a book are
 * given. Also fails if neither is given, unless `source_optional` is true. A command that accepts
 * --book and one argument also accepts the book as that argument. */
WARI_MUST_CHECK enum wari_status options_read_database(const struct command_line *line,
                                                       struct database_options *options,
                                                       struct wari_error *error);

/* Prints a note if files of levels were missing when `db` was opened from `folder`. */
void options_note_missing(const char *command, const char *folder, const struct wari_db *db);

/* Reads the catalogue of a variant. A level cannot be used if its file or the file of a lower level
 * is missing. Removes such levels from the catalogue, and prints a note about them. Fails if no
 * level is left. */
WARI_MUST_CHECK enum wari_status options_read_catalogue(const char *command, const char *folder,
                                                        struct wari_variant variant,
                                                        struct wari_catalogue *catalogue,
                                                        struct wari_error *error);

/* Opens the book, or the only database in the folder that fits the choice. Prints a note if levels
 * of the database are missing. The caller closes the database or book with wari_close(). */
WARI_MUST_CHECK enum wari_status options_open(const struct database_options *options,
                                              struct wari_db **db, struct wari_error *error);

/* Opens a book. Fails with WARI_MISMATCH if its variant does not fit the choice. NULL for
 * `settings` means the defaults. */
WARI_MUST_CHECK enum wari_status options_open_book(const struct variant_choice *choice,
                                                   const char *path,
                                                   const struct wari_options *settings,
                                                   struct wari_db **db, struct wari_error *error);

/* Fails unless exactly one of a folder and a book is given. */
WARI_MUST_CHECK enum wari_status options_require_source(const char *folder, const char *book,
                                                        struct wari_error *error);

/* ---- Commands about a build ---- */

/* The entries of `accepted` that these commands have in common. */
/* clang-format off */
#define OPTIONS_BUILD \
    {"db", required_argument, NULL, 'd'}, {"seeds", required_argument, NULL, 's'}, \
        OPTIONS_VARIANT, {"threads", required_argument, NULL, 't'}, \
        {"memory", required_argument, NULL, 'm'}
/* clang-format on */

/* Like options_read(), but handles the options in OPTIONS_BUILD itself and stores them in `build`,
 * which holds the defaults before the call. build->memory stays as it is without --memory. Fails if
 * --seeds is missing or the name of the folder is empty. */
WARI_MUST_CHECK enum wari_status options_read_build(const struct command_line *line,
                                                    struct wari_build *build,
                                                    struct wari_error *error);

#endif
