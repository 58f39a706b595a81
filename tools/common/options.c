/* The command line of one command: options, operands, and the arguments that several commands
 * share. */
#include "tools/common/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "index/half.h"
#include "tools/common/nearest.h"
#include "tools/common/report.h"

enum { THREADS_MAX = 1024 }; /* more than any machine has: catches typing errors */

/* `word` is the argument with its hyphens, and possibly with a value after '='. */
static enum wari_status unknown_option(const char *word, const char *command,
                                       const struct option *accepted, struct wari_error *error)
{
    const char *name = word + strspn(word, "-");
    struct nearest_name nearest;
    nearest_begin(&nearest, name, strcspn(name, "="));
    for (const struct option *each = accepted; each->name; each++)
        nearest_add(&nearest, each->name);
    if (nearest.name)
        return wari_fail(error, WARI_BAD_INPUT,
                         "unknown or ambiguous option %s; did you mean --%s?", word, nearest.name);
    return wari_fail(error, WARI_BAD_INPUT, "unknown or ambiguous option %s; see 'wari %s --help'",
                     word, command);
}

/* Reads the next option. Sets *key to the `val` of its entry in `accepted`, or to -1 if there are
 * no more options. */
static enum wari_status next_option(int argc, char **argv, const struct option *accepted, int *key,
                                    struct wari_error *error)
{
    const struct option *output = accepted;
    while (output->name && strcmp(output->name, "output") != 0)
        output++;
    /* The leading colon makes getopt report a missing value as ':'. As in other programs, "-o" is
     * short for --output; the key of both is 'o'. */
    opterr = 0;
    *key = getopt_long(argc, argv, output->name ? ":o:" : ":", accepted, NULL);
    if (*key != '?' && *key != ':')
        return WARI_OK;

    const char *word = argv[optind - 1];
    /* For a value that an option does not take, glibc reports '?', and other C libraries ':'. */
    for (const struct option *each = accepted; each->name; each++) {
        /* The first condition excludes "-n": the letter is the key of --dry-run, but the only
         * option of one letter is "-o". */
        if (optopt != 0 && each->val == optopt && each->has_arg == no_argument &&
            strncmp(word, "--", 2) == 0 && strchr(word, '='))
            return wari_fail(error, WARI_BAD_INPUT, "option --%s takes no value", each->name);
    }
    if (*key == ':')
        return wari_fail(error, WARI_BAD_INPUT, "option %s needs a value; see 'wari %s --help'",
                         word, argv[0]);
    if (optopt == 0)
        return unknown_option(word, argv[0], accepted, error);
    /* Only the first unknown letter of a word is reported, such as "-a" of "-abc". */
    return wari_fail(error, WARI_BAD_INPUT, "unknown or ambiguous option -%c; see 'wari %s --help'",
                     (char)optopt, argv[0]);
}

/* Fails if argv[optind..] holds more than `arguments_max` arguments. */
static enum wari_status check_arguments(int argc, char **argv, int arguments_max,
                                        struct wari_error *error)
{
    if (argc - optind <= arguments_max)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "unexpected argument \"%s\"; see 'wari %s --help'",
                     argv[optind + arguments_max], argv[0]);
}

enum wari_status options_read(const struct command_line *line, struct wari_error *error)
{
    enum wari_status status;
    int key;
    while ((status = next_option(line->argc, line->argv, line->accepted, &key, error)) == WARI_OK &&
           key != -1) {
        status = line->handle_option(line->request, key, error);
        if (status != WARI_OK)
            return status;
    }
    return status == WARI_OK ? check_arguments(line->argc, line->argv, line->arguments_max, error)
                             : status;
}

enum wari_status options_number(const char *name, const char *text, uint64_t min, uint64_t max,
                                uint64_t *number, struct wari_error *error)
{
    unsigned long long value = 0;
    errno = 0;
    /* strtoull() alone would accept "-1", " 1" and "+1". */
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    if (digits)
        value = strtoull(text, NULL, 10);
    if (digits && errno == 0 && value >= min && value <= max) {
        *number = value;
        return WARI_OK;
    }
    if (max == UINT64_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%s: \"%s\" is not a whole number of at least %llu",
                         name, text, (unsigned long long)min);
    return wari_fail(error, WARI_BAD_INPUT, "%s: \"%s\" is not a whole number from %llu to %llu",
                     name, text, (unsigned long long)min, (unsigned long long)max);
}

enum wari_status options_int(const char *name, const char *text, int min, int max, int *number,
                             struct wari_error *error)
{
    uint64_t value;
    enum wari_status status =
        options_number(name, text, (uint64_t)min, (uint64_t)max, &value, error);
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
                     "%s: \"%s\" is not a size; give a number of bytes of at least 1, optionally "
                     "followed by k, M or G for thousand, million or billion",
                     name, text);
}

enum wari_status options_seeds(const char *text, int *seeds, struct wari_error *error)
{
    enum wari_status status = options_int("--seeds", text, 0, WARI_SEEDS_MAX, seeds, error);
    if (status == WARI_OK && !wari_level_exists(*seeds))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--seeds: no game leaves 47 seeds on the board, because a capture takes "
                         "at least two; give 0 to 46, or 48");
    return status;
}

enum wari_status options_seed_range(const char *text, int *first, int *last,
                                    struct wari_error *error)
{
    char number[8] = "";
    const char *dash = strchr(text, '-');
    if (!dash) {
        const enum wari_status status = options_seeds(text, first, error);
        *last = *first;
        return status;
    }
    if (dash == text || dash[1] == '\0' || (size_t)(dash - text) >= sizeof number)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--seeds: \"%s\" is neither a level from 0 to %d nor a range of levels "
                         "such as 0-24",
                         text, WARI_SEEDS_MAX);
    memcpy(number, text, (size_t)(dash - text));
    enum wari_status status = options_seeds(number, first, error);
    if (status == WARI_OK)
        status = options_seeds(dash + 1, last, error);
    if (status == WARI_OK && *first > *last)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--seeds: %s ends before it begins; give the lower level first", text);
    return status;
}

enum wari_status options_require_file(const char *name, const char *path, struct wari_error *error)
{
    if (path[0])
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "%s: the name of the file is empty", name);
}

enum wari_status options_word(const char *name, const char *text, const char *const *words,
                              int *choice, struct wari_error *error)
{
    char list[160] = "", hint[NEAREST_HINT];
    struct nearest_name nearest;
    nearest_begin(&nearest, text, strlen(text));
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *choice = i;
            return WARI_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
        nearest_add(&nearest, words[i]);
    }
    return wari_fail(error, WARI_BAD_INPUT, "%s: unknown value \"%s\"; choose one of %s%s", name,
                     text, list, nearest_hint(&nearest, hint));
}

enum wari_status options_require_folder(const char *folder, struct wari_error *error)
{
    if (folder && folder[0])
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT,
                     "--db DIR is missing; DIR is the folder of the database");
}

enum wari_status options_require_scores(const char *folder, struct wari_error *error)
{
    if (folder && folder[0])
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT,
                     "--scores DIR is missing; DIR is the folder of the files scores.0, scores.1, "
                     "...");
}

enum wari_status options_require_source(const char *folder, const char *book,
                                        struct wari_error *error)
{
    if (folder && book)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "both a folder and a book (%.200s) are given; use --db or --book, not both", book);
    return book ? WARI_OK : options_require_folder(folder, error);
}

/* ---- Variants: --rules and --cycle ---- */

void variant_text(struct wari_variant variant, char text[VARIANT_TEXT])
{
    snprintf(text, VARIANT_TEXT, "%s %s", wari_get_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle));
}

static void add_rules(struct nearest_name *nearest)
{
    for (int i = 0; i < WARI_RULES_COUNT; i++)
        nearest_add(nearest, wari_get_rules_info((enum wari_rules)i)->name);
    for (const struct wari_preset *preset = wari_presets(); preset->name; preset++)
        nearest_add(nearest, preset->name);
}

static void add_cycles(struct nearest_name *nearest)
{
    for (int i = 0; i < WARI_CYCLE_COUNT; i++)
        nearest_add(nearest, wari_cycle_name((enum wari_cycle)i));
}

/* Returns true if the word is one of the names that were passed to nearest_add(). */
static bool is_listed(const struct nearest_name *nearest)
{
    return nearest->name && strcmp(nearest->name, nearest->word) == 0;
}

void variant_suggest(const char *rules, const char *cycle, struct wari_error *error)
{
    char word[2][NEAREST_WORD] = {"", ""}, hint[NEAREST_HINT];
    struct nearest_name nearest;
    if (!error)
        return;
    /* Two words in `rules` are a rule set and a cycle rule. The first unknown word is the one that
     * the message is about. */
    if (rules)
        (void)sscanf(rules, "%31s %31s", word[0], word[1]);
    const char *const words[] = {word[0], word[1], cycle ? cycle : ""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        nearest_begin(&nearest, words[i], strlen(words[i]));
        if (i == 0)
            add_rules(&nearest);
        else
            add_cycles(&nearest);
        if (words[i][0] && !is_listed(&nearest))
            break;
    }
    if (is_listed(&nearest))
        return; /* the words are names, but contradict each other, or there are too many */
    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, "%s", nearest_hint(&nearest, hint));
}

static enum wari_status parse_choice(const struct variant_choice *choice,
                                     struct wari_variant_request *wanted, struct wari_error *error)
{
    enum wari_status status =
        wari_variant_request_parse(choice->rules, choice->cycle, wanted, error);
    if (status != WARI_OK)
        variant_suggest(choice->rules, choice->cycle, error);
    return status;
}

enum wari_status variant_to_build(const struct variant_choice *choice, struct wari_variant *variant,
                                  struct wari_error *error)
{
    struct wari_variant_request wanted;
    enum wari_status status = parse_choice(choice, &wanted, error);
    if (status == WARI_OK)
        *variant = wanted.variant;
    return status;
}

enum wari_status variant_in_folder(const struct variant_choice *choice, const char *folder,
                                   struct wari_variant *variant, struct wari_error *error)
{
    struct wari_variant_request wanted;
    enum wari_status status = parse_choice(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    return wari_variant_choose(wari_host_system(), folder, &wanted, true, variant, error);
}

enum wari_status variants_in_folder(const struct variant_choice *choice, const char *folder,
                                    struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                                    struct wari_error *error)
{
    struct wari_variant_request wanted;
    enum wari_status status = parse_choice(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    return wari_variants_matching(wari_host_system(), folder, &wanted, variants, count, error);
}

enum wari_status variants_of_choice(const struct variant_choice *choice,
                                    struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                                    struct wari_error *error)
{
    struct wari_variant_request wanted;
    enum wari_status status = parse_choice(choice, &wanted, error);
    *count = 0;
    for (int i = 0; i < WARI_VARIANT_COUNT && status == WARI_OK; i++) {
        const struct wari_variant each = {(enum wari_rules)(i / WARI_CYCLE_COUNT),
                                          (enum wari_cycle)(i % WARI_CYCLE_COUNT)};
        if ((!wanted.rules || each.rules == wanted.variant.rules) &&
            (!wanted.cycle || each.cycle == wanted.variant.cycle))
            variants[(*count)++] = each;
    }
    return status;
}

/* Fails with WARI_MISMATCH if `choice` excludes `variant`, the variant of the book at `path`. */
static enum wari_status variant_check_book(const struct variant_choice *choice, const char *path,
                                           struct wari_variant variant, struct wari_error *error)
{
    struct wari_variant_request wanted;
    char name[VARIANT_TEXT];
    enum wari_status status = parse_choice(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    if ((!wanted.rules || variant.rules == wanted.variant.rules) &&
        (!wanted.cycle || variant.cycle == wanted.variant.cycle))
        return WARI_OK;
    variant_text(variant, name);
    return wari_fail(error, WARI_MISMATCH,
                     "%s is a book of %s, not of the variant given by --rules and --cycle", path,
                     name);
}

/* ---- Commands that read a database ---- */

/* The context of handle_database_option(). */
struct database_line {
    const struct command_line *line;
    struct database_options *options;
};

static enum wari_status handle_database_option(void *context, int key, struct wari_error *error)
{
    const struct database_line *both = context;
    const struct command_line *line = both->line;
    struct database_options *options = both->options;
    switch (key) {
    case 'd':
        if (options->folder)
            return wari_fail(
                error, WARI_BAD_INPUT,
                "--db is given twice, as %.300s and %.300s; this command reads only one folder",
                options->folder, optarg);
        options->folder = optarg;
        return WARI_OK;
    case 'B':
        if (options->book)
            return wari_fail(
                error, WARI_BAD_INPUT,
                "--book is given twice, as %.300s and %.300s; this command reads only one book",
                options->book, optarg);
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
        return line->handle_option(line->request, key, error);
    }
}

static bool accepts_book(const struct command_line *line)
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
    options->command = line->argv[0];
    all.handle_option = handle_database_option;
    all.request = &both;
    enum wari_status status = options_read(&all, error);
    if (status == WARI_OK && accepts_book(line) && line->arguments_max == 1) {
        if (options->folder || options->book)
            status = check_arguments(line->argc, line->argv, 0, error);
        else if (optind < line->argc)
            options->book = line->argv[optind];
    }
    if (status == WARI_OK && options->source_optional && !options->folder && !options->book)
        return WARI_OK;
    return status == WARI_OK ? options_require_source(options->folder, options->book, error)
                             : status;
}

enum wari_status options_open_book(const struct variant_choice *choice, const char *path,
                                   const struct wari_options *settings, struct wari_db **db,
                                   struct wari_error *error)
{
    struct wari_info info;
    enum wari_status status = wari_open_book(db, path, NULL, settings, error);
    if (status != WARI_OK)
        return status;
    wari_get_info(*db, &info);
    status = variant_check_book(choice, path, info.variant, error);
    if (status != WARI_OK) {
        wari_close(*db);
        *db = NULL;
    }
    return status;
}

/* Prints a note if there are missing levels. */
static void note_missing(const char *command, const char *folder, struct wari_variant variant,
                         int last, const bool missing[WARI_SEEDS_MAX + 1])
{
    char path[WARI_PATH_MAX], text[WARI_MISSING_TEXT];
    bool any = false;
    for (int n = 0; n <= WARI_SEEDS_MAX; n++)
        any |= missing[n];
    if (any && wari_catalogue_path(path, folder, variant, NULL) == WARI_OK)
        report_note(command,
                    "%s: %s; only levels up to %d are used ('wari build' solves missing levels)",
                    path, wari_missing_text(missing, text), last);
}

void options_note_missing(const char *command, const char *folder, const struct wari_db *db)
{
    bool missing[WARI_SEEDS_MAX + 1];
    struct wari_info info;
    wari_get_info(db, &info);
    (void)wari_missing(db, missing);
    note_missing(command, folder, info.variant, info.seeds_max, missing);
}

enum wari_status options_read_catalogue(const char *command, const char *folder,
                                        struct wari_variant variant,
                                        struct wari_catalogue *catalogue, struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    enum wari_status status = wari_catalogue_read(catalogue, host, folder, variant, error);
    if (status == WARI_OK)
        status = wari_catalogue_drop_unusable(catalogue, host, folder, error);
    if (status == WARI_OK)
        note_missing(command, folder, variant, catalogue->seeds_max, catalogue->missing);
    return status;
}

enum wari_status options_open(const struct database_options *options, struct wari_db **db,
                              struct wari_error *error)
{
    struct wari_variant variant;
    if (options->book)
        return options_open_book(&options->choice, options->book, NULL, db, error);
    enum wari_status status = variant_in_folder(&options->choice, options->folder, &variant, error);
    if (status == WARI_OK)
        status = wari_open(db, options->folder, &variant, NULL, error);
    if (status == WARI_OK)
        options_note_missing(options->command, options->folder, *db);
    return status;
}

/* ---- Commands about a build ---- */

/* The context of handle_build_option(). */
struct build_line {
    const struct command_line *line;
    struct wari_build *build;
    struct variant_choice choice;
};

static enum wari_status handle_build_option(void *context, int key, struct wari_error *error)
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
        return both->line->handle_option(both->line->request, key, error);
    }
}

enum wari_status options_read_build(const struct command_line *line, struct wari_build *build,
                                    struct wari_error *error)
{
    struct build_line both = {.line = line, .build = build};
    struct command_line all = *line;
    all.handle_option = handle_build_option;
    all.request = &both;
    build->seeds = -1;
    enum wari_status status = options_read(&all, error);
    if (status == WARI_OK && build->folder)
        status = options_require_folder(build->folder, error);
    if (status == WARI_OK && build->seeds < 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--seeds N is missing; N is the last level, 0 to 46 or 48");
    return status == WARI_OK ? variant_to_build(&both.choice, &build->variant, error) : status;
}
