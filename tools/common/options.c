/* Reading the command line. getopt_long finds the options; the messages are our own, because a
 * message has to say what would have been right.
 */
#include "tools/common/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 }; /* above any machine this runs on; catches slips of the finger */

enum wari_status options_next(int argc, char **argv, const struct option *accepted, int *key,
                              struct wari_error *error)
{
    /* The colon in front keeps getopt from printing and tells a missing value apart. */
    opterr = 0;
    *key = getopt_long(argc, argv, ":", accepted, NULL);
    if (*key != '?' && *key != ':')
        return WARI_OK;

    const char *word = argv[optind - 1];
    if (*key == ':')
        return wari_fail(error, WARI_BAD_INPUT, "option %s needs a value; see 'wari %s --help'",
                         word, argv[0]);
    for (const struct option *each = accepted; each->name; each++) {
        /* "--dry-run=yes"; the letter -n alone is the key of --dry-run by chance */
        if (optopt != 0 && each->val == optopt && each->has_arg == no_argument &&
            strncmp(word, "--", 2) == 0 && strchr(word, '='))
            return wari_fail(error, WARI_BAD_INPUT, "option --%s takes no value", each->name);
    }
    /* A letter is no option here, however many are strung together. */
    char letter[] = {'-', (char)optopt, '\0'};
    return wari_fail(error, WARI_BAD_INPUT, "unknown or ambiguous option %s; see 'wari %s --help'",
                     optopt != 0 ? letter : word, argv[0]);
}

enum wari_status options_end(int argc, char **argv, int most, struct wari_error *error)
{
    if (argc - optind <= most)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT,
                     "there is no place for the argument \"%s\"; see 'wari %s --help'",
                     argv[optind + most], argv[0]);
}

enum wari_status options_read(const struct command_line *line, struct wari_error *error)
{
    enum wari_status status;
    int key;
    while ((status = options_next(line->argc, line->argv, line->accepted, &key, error)) ==
               WARI_OK &&
           key != -1) {
        status = line->take(line->request, key, error);
        if (status != WARI_OK)
            return status;
    }
    return status == WARI_OK ? options_end(line->argc, line->argv, line->most, error) : status;
}

enum wari_status options_number(const char *name, const char *text, uint64_t least, uint64_t most,
                                uint64_t *number, struct wari_error *error)
{
    unsigned long long value = 0;
    errno = 0;
    /* strtoull alone would take "-1", " 1" and "+1". */
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    if (digits)
        value = strtoull(text, NULL, 10);
    if (digits && errno == 0 && value >= least && value <= most) {
        *number = value;
        return WARI_OK;
    }
    if (most == UINT64_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%s: \"%s\" is not a whole number from %llu up",
                         name, text, (unsigned long long)least);
    return wari_fail(error, WARI_BAD_INPUT, "%s: \"%s\" is not a whole number from %llu to %llu",
                     name, text, (unsigned long long)least, (unsigned long long)most);
}

enum wari_status options_int(const char *name, const char *text, int least, int most, int *number,
                             struct wari_error *error)
{
    uint64_t value;
    enum wari_status status =
        options_number(name, text, (uint64_t)least, (uint64_t)most, &value, error);
    if (status == WARI_OK)
        *number = (int)value;
    return status;
}

enum wari_status options_threads(int *threads, struct wari_error *error)
{
    return options_int("--threads", optarg, 1, THREADS_MAX, threads, error);
}

enum wari_status options_size(const char *name, const char *text, size_t *bytes,
                              struct wari_error *error)
{
    static const char units[] = "kMG";
    char digits[24];
    uint64_t number = 0, unit = 1;
    size_t length = strlen(text);
    const char *found = length > 0 ? strchr(units, text[length - 1]) : NULL;
    if (found) {
        for (const char *each = units; each <= found; each++)
            unit *= 1000;
        length--;
    }
    if (length < sizeof digits) {
        memcpy(digits, text, length);
        digits[length] = '\0';
        if (options_number(name, digits, 1, SIZE_MAX / unit, &number, NULL) == WARI_OK) {
            *bytes = number * unit;
            return WARI_OK;
        }
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "%s: \"%s\" is no size; give bytes from 1 up, with k, M or G behind for "
                     "thousand, million or billion",
                     name, text);
}

enum wari_status options_seeds(const char *text, int *seeds, struct wari_error *error)
{
    enum wari_status status = options_int("--seeds", text, 0, WARI_SEEDS_MAX, seeds, error);
    if (status == WARI_OK && *seeds == WARI_SEEDS_MAX - 1)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--seeds: no game leaves 47 seeds on the board, because a capture takes "
                         "at least two; give 0 to 46, or 48");
    return status;
}

enum wari_status options_word(const char *name, const char *text, const char *const *words,
                              int *choice, struct wari_error *error)
{
    char list[160] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *choice = i;
            return WARI_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    return wari_fail(error, WARI_BAD_INPUT, "%s: there is no \"%s\"; choose one of %s", name, text,
                     list);
}

enum wari_status options_folder(const char *folder, struct wari_error *error)
{
    if (folder && folder[0])
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "--db DIR is missing: the folder of the database");
}

enum wari_status options_place(const char *folder, const char *book, struct wari_error *error)
{
    if (folder && book)
        return wari_fail(error, WARI_BAD_INPUT,
                         "a folder and a book (%.200s) are two places; give one of them", book);
    return book ? WARI_OK : options_folder(folder, error);
}

/* What options_read_database() hands to options_read(). */
struct database_line {
    const struct command_line *line;
    struct database_options *options;
};

static enum wari_status take_database_option(void *context, int key, struct wari_error *error)
{
    const struct database_line *both = context;
    const struct command_line *line = both->line;
    struct database_options *options = both->options;
    switch (key) {
    case 'd':
        options->folder = optarg;
        return WARI_OK;
    case 'B':
        options->book = optarg;
        return WARI_OK;
    case 'r':
        options->choice.rules = optarg;
        return WARI_OK;
    case 'c':
        options->choice.cycle = optarg;
        return WARI_OK;
    case 'f':
        return options_word("--format", optarg, line->formats, &options->format, error);
    case 'j':
        return options_word("--json", "json", line->formats, &options->format, error);
    default:
        return line->take(line->request, key, error);
    }
}

static bool takes_a_book(const struct command_line *line)
{
    const struct option *each = line->accepted;
    while (each->name && each->val != 'B')
        each++;
    return each->name != NULL;
}

enum wari_status options_read_database(const struct command_line *line,
                                       struct database_options *options, struct wari_error *error)
{
    struct database_line both = {line, options};
    struct command_line all = *line;
    all.take = take_database_option;
    all.request = &both;
    enum wari_status status = options_read(&all, error);
    if (status == WARI_OK && takes_a_book(line) && line->most == 1) {
        if (options->folder || options->book)
            status = options_end(line->argc, line->argv, 0, error);
        else if (optind < line->argc)
            options->book = line->argv[optind];
    }
    return status == WARI_OK ? options_place(options->folder, options->book, error) : status;
}

enum wari_status options_open_book(const struct variant_choice *choice, const char *path,
                                   const struct wari_options *settings, struct wari_db **db,
                                   struct wari_error *error)
{
    struct wari_info info;
    enum wari_status status = wari_open_book(db, path, NULL, settings, error);
    if (status != WARI_OK)
        return status;
    wari_info(*db, &info);
    status = variant_fits(choice, path, info.variant, error);
    if (status != WARI_OK) {
        wari_close(*db);
        *db = NULL;
    }
    return status;
}

/* What options_read_build() hands to options_read(). */
struct build_line {
    const struct command_line *line;
    struct wari_build *build;
    struct variant_choice choice;
};

static enum wari_status take_build_option(void *context, int key, struct wari_error *error)
{
    struct build_line *both = context;
    struct wari_build *build = both->build;
    size_t bytes = 0;
    enum wari_status status;
    switch (key) {
    case 'd':
        build->folder = optarg;
        return WARI_OK;
    case 's':
        return options_seeds(optarg, &build->seeds, error);
    case 'r':
        both->choice.rules = optarg;
        return WARI_OK;
    case 'c':
        both->choice.cycle = optarg;
        return WARI_OK;
    case 't':
        return options_threads(&build->threads, error);
    case 'm':
        status = options_size("--memory", optarg, &bytes, error);
        build->memory = bytes;
        return status;
    default:
        return both->line->take(both->line->request, key, error);
    }
}

enum wari_status options_read_build(const struct command_line *line, struct wari_build *build,
                                    struct wari_error *error)
{
    struct build_line both = {.line = line, .build = build};
    struct command_line all = *line;
    all.take = take_build_option;
    all.request = &both;
    build->seeds = -1;
    enum wari_status status = options_read(&all, error);
    if (status == WARI_OK && build->folder)
        status = options_folder(build->folder, error);
    if (status == WARI_OK && build->seeds < 0)
        status =
            wari_fail(error, WARI_BAD_INPUT, "--seeds N is missing: the last level, 0 to 46 or 48");
    return status == WARI_OK ? variant_to_build(&both.choice, &build->variant, error) : status;
}

enum wari_status options_open(const struct database_options *options, struct wari_db **db,
                              struct wari_error *error)
{
    struct wari_variant variant;
    if (options->book)
        return options_open_book(&options->choice, options->book, NULL, db, error);
    enum wari_status status = variant_in_folder(&options->choice, options->folder, &variant, error);
    return status == WARI_OK ? wari_open(db, options->folder, &variant, NULL, error) : status;
}
