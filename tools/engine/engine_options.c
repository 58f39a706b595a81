/* The options of the protocol. An invalid value causes a remark and changes nothing. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "play/text.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/engine/engine_state.h"

enum {
    NAME_BYTES = 32,    /* longer than the longest name of rules */
    NAMES_BYTES = 1024, /* longer than all names together */
    TABLES = WARI_VARIANT_COUNT,
};

/* The protocol's notation for an empty text. */
static const char no_text[] = "<empty>";

/* ---- List of options ---- */

static void add_name(char list[NAMES_BYTES], const char *name)
{
    const size_t length = strlen(list);
    snprintf(list + length, NAMES_BYTES - length, " var %s", name);
}

static void print_rules(const struct engine_state *state)
{
    char list[NAMES_BYTES] = "";
    for (int i = 0; i < WARI_RULES_COUNT; i++)
        add_name(list, wari_get_rules_info((enum wari_rules)i)->name);
    if (!state->random)
        for (const struct wari_preset *preset = wari_presets(); preset->name; preset++)
            if (strcmp(preset->name, wari_get_rules_info(preset->variant.rules)->name) != 0)
                add_name(list, preset->name);
    engine_io_print(state->io, "option name Rules type combo default %s%s",
                    wari_get_rules_info(state->variant.rules)->name, list);
}

/* The values of the option Repetition, indexed by repetition_times (engine_state.h). */
static const char *const repetitions[] = {"ideal", NULL, "second", "third"};
/* The values of the option RepetitionScore. */
static const char *const scores[] = {"rows", "cycle"};
/* The values of the option TableProbing. */
static const char *const probings[] = {
    [TABLES_AUTO] = "auto", [TABLES_ALWAYS] = "always", [TABLES_CHEAP] = "cheap"};

static void print_words(const struct engine_state *state, const char *name, const char *value,
                        const char *const *words, int count)
{
    char list[NAMES_BYTES] = "";
    for (int i = 0; i < count; i++)
        if (words[i])
            add_name(list, words[i]);
    engine_io_print(state->io, "option name %s type combo default %s%s", name, value, list);
}

void engine_print_options(const struct engine_state *state)
{
    char folder[3 * ENGINE_FOLDER]; /* a byte may become a character of three bytes */
    if (state->random) {
        print_rules(state);
        engine_io_print(state->io, "option name Seed type spin default 1 min 1 max 2147483647");
        return;
    }
    engine_io_print(state->io, "option name Hash type spin default %d min 1 max %d", state->hash_mb,
                    WARI_SEARCH_HASH_MB_MAX);
    engine_io_print(state->io, "option name TableCache type spin default %d min 1 max %d",
                    state->cache_mb, ENGINE_CACHE_MB_MAX);
    engine_io_print(state->io, "option name TableAhead type check default %s",
                    state->decode_ahead ? "true" : "false");
    print_words(state, "TableProbing", probings[state->probing], probings, TABLES_COUNT);
    engine_io_print(state->io, "option name Threads type spin default %d min 1 max %d",
                    state->threads, WARI_SEARCH_THREADS_MAX);
    engine_io_print(state->io, "option name MultiPV type spin default %d min 1 max %d",
                    state->lines, WARI_HALF_PITS);
    engine_io_print(state->io, "option name Ponder type check default true");
    engine_io_print(state->io, "option name UCI_AnalyseMode type check default %s",
                    state->analyse ? "true" : "false");
    print_words(state, "Repetition", repetitions[state->repetition_times], repetitions, 4);
    print_words(state, "RepetitionScore", scores[!engine_repetition(state).rows], scores, 2);
    engine_io_print(state->io, "option name ScoreWithStores type check default %s",
                    state->score_with_stores ? "true" : "false");
    wari_text_clean(folder, sizeof folder, state->folder[0] ? state->folder : no_text);
    engine_io_print(state->io, "option name DatabasePath type string default %s", folder);
    engine_io_print(state->io, "option name OwnBook type check default %s",
                    state->own_book ? "true" : "false");
    wari_text_clean(folder, sizeof folder, state->opening_path[0] ? state->opening_path : no_text);
    engine_io_print(state->io, "option name BookFile type string default %s", folder);
    print_rules(state);
}

/* ---- Setting an option ---- */

/* Lists the variants for which there are tables. Returns their number; 0 if they cannot be read. */
static int list_tables(const struct engine_state *state, struct wari_variant found[TABLES])
{
    struct wari_db *book;
    struct wari_info info;
    int count;
    if (!state->folder[0])
        return 0;
    if (!state->book)
        return wari_list(state->folder, NULL, found, &count, NULL) == WARI_OK ? count : 0;
    if (wari_open_book(&book, state->folder, NULL, NULL, NULL) != WARI_OK)
        return 0;
    wari_get_info(book, &info);
    wari_close(book);
    found[0] = info.variant;
    return 1;
}

/* Returns the cycle rule for which there are tables of the rule set. Returns the current cycle rule
 * if there are no tables of the rule set, or tables for both cycle rules. */
static enum wari_cycle find_cycle(const struct engine_state *state)
{
    struct wari_variant found[TABLES];
    enum wari_cycle cycle = state->variant.cycle;
    const int count = list_tables(state, found);
    bool other = false;
    for (int i = 0; i < count; i++) {
        if (found[i].rules == state->variant.rules && found[i].cycle == cycle)
            return cycle;
        other |= found[i].rules == state->variant.rules;
    }
    return other ? (cycle == WARI_OWN ? WARI_EVEN : WARI_OWN) : cycle;
}

/* Adopts the rules of the tables if the user has not chosen the rules and the tables have only one
 * rule set. */
static void follow_rules(struct engine_state *state)
{
    struct wari_variant found[TABLES], before = state->variant;
    char name[VARIANT_TEXT];
    const int count = list_tables(state, found);
    int fitting = 0;
    bool others = false; /* tables of other rule sets fit, too */
    for (int i = 0; i < count; i++) {
        if (state->cycle_fixed && found[i].cycle != before.cycle)
            continue;
        others |= fitting > 0 && found[i].rules != state->variant.rules;
        state->variant = found[i];
        fitting++;
    }
    if (fitting > 1) /* both cycle rules */
        state->variant.cycle = before.cycle;
    state->rules_open = fitting == 0 || others;
    if (state->rules_open)
        state->variant = before;
    if (state->variant.rules == before.rules)
        return;
    variant_text(state->variant, name);
    engine_io_print(state->io,
                    "info string DatabasePath: the rules are now those of the tables, %s", name);
}

/* Opens other tables. Without tables, everything is searched. */
static void open_tables(struct engine_state *state)
{
    struct wari_error error;
    if (state->rules_open)
        follow_rules(state);
    if (!state->cycle_fixed)
        state->variant.cycle = find_cycle(state);
    if (engine_open_tables(state, &error) != WARI_OK && !state->db) {
        engine_io_print(state->io, "info string %s; playing by search alone", error.text);
        state->told_no_tables = true;
    }
    engine_make_largest_search(state);
}

/* Converts a name to lower case, since names are not case-sensitive. Returns values that are too
 * long for a name unchanged. */
static const char *lower_case(const char *value, char lower[NAME_BYTES])
{
    if (strlen(value) >= NAME_BYTES)
        return value;
    for (size_t i = 0; i <= strlen(value); i++)
        lower[i] = (char)tolower((unsigned char)value[i]);
    return lower;
}

static enum wari_status set_rules(struct engine_state *state, const char *value,
                                  struct wari_error *error)
{
    struct wari_variant variant;
    char lower[NAME_BYTES];
    bool cycle_fixed;
    const char *name = lower_case(value, lower);
    enum wari_status status = wari_variant_parse(name, NULL, &variant, &cycle_fixed, error);
    if (status != WARI_OK) {
        variant_suggest(name, NULL, error);
        return status;
    }
    state->variant.rules = variant.rules;
    if (cycle_fixed)
        state->variant.cycle = variant.cycle;
    state->rules_open = false;
    if (state->random)
        return WARI_OK;
    state->cycle_fixed = cycle_fixed;
    open_tables(state);
    return WARI_OK;
}

static enum wari_status set_folder(struct engine_state *state, const char *value,
                                   struct wari_error *error)
{
    struct stat about;
    if (strcmp(value, no_text) == 0)
        value = "";
    size_t length = strlen(value);
    if (length >= sizeof state->folder)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "DatabasePath: a folder or a book is expected, with a path shorter than %zu bytes",
            sizeof state->folder);
    state->book = stat(value, &about) == 0 && S_ISREG(about.st_mode);
    memcpy(state->folder, value, length + 1);
    open_tables(state);
    return WARI_OK;
}

/* Sets a number that requires a new search. Keeps the old number if that search cannot be
 * created. */
static enum wari_status set_number(struct engine_state *state, const char *name, const char *value,
                                   int most, int *number, struct wari_error *error)
{
    int before = *number;
    enum wari_status status = options_int(name, value, 1, most, number, error);
    if (status != WARI_OK || engine_make_search(state, error) == WARI_OK)
        return status;
    *number = before;
    engine_make_largest_search(state);
    return WARI_NO_MEMORY;
}

static enum wari_status set_boolean(const char *name, const char *value, bool *set,
                                    struct wari_error *error)
{
    if (strcasecmp(value, "true") == 0)
        *set = true;
    else if (strcasecmp(value, "false") == 0)
        *set = false;
    else
        return wari_fail(error, WARI_BAD_INPUT, "%s: true or false is expected, not \"%.40s\"",
                         name, value);
    return WARI_OK;
}

/* Opens the tables again with another cache. */
static enum wari_status set_cache(struct engine_state *state, const char *value,
                                  struct wari_error *error)
{
    const char *limit;
    int number;
    enum wari_status status =
        options_int("TableCache", value, 1, ENGINE_CACHE_MB_MAX, &number, error);
    if (status != WARI_OK || number == state->cache_mb)
        return status;
    const uint64_t available = machine_memory(1, &limit) / 1000000;
    if ((uint64_t)number > available)
        return wari_fail(
            error, WARI_NO_MEMORY,
            "TableCache: %d MB are more than the %llu MB that are free (%s); give less", number,
            (unsigned long long)available, limit);
    state->cache_mb = number;
    if (state->db)
        open_tables(state);
    return WARI_OK;
}

static enum wari_status set_ahead(struct engine_state *state, const char *value,
                                  struct wari_error *error)
{
    enum wari_status status = set_boolean("TableAhead", value, &state->decode_ahead, error);
    if (status == WARI_OK && !state->decode_ahead)
        engine_ahead_end(&state->ahead);
    return status;
}

static enum wari_status set_probing(struct engine_state *state, const char *value,
                                    struct wari_error *error)
{
    for (int i = 0; i < TABLES_COUNT; i++) {
        if (strcasecmp(value, probings[i]) != 0)
            continue;
        state->probing = (enum table_probing)i;
        return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "TableProbing: auto, always or cheap is expected, not \"%.40s\"", value);
}

static enum wari_status set_repetition(struct engine_state *state, const char *value,
                                       struct wari_error *error)
{
    for (int i = 0; i < 4; i++) {
        if (!repetitions[i] || strcasecmp(value, repetitions[i]) != 0)
            continue;
        state->repetition_times = i;
        if (state->search)
            wari_search_clear(state->search); /* its scores follow the former rule */
        return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "Repetition: second, third or ideal is expected, not \"%.40s\"", value);
}

static enum wari_status set_repetition_score(struct engine_state *state, const char *value,
                                             struct wari_error *error)
{
    for (int i = 0; i < 2; i++) {
        if (strcasecmp(value, scores[i]) != 0)
            continue;
        state->repetition_score = i == 0 ? REPETITION_ROWS : REPETITION_CYCLE;
        if (state->search)
            wari_search_clear(state->search);
        return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "RepetitionScore: rows or cycle is expected, not \"%.40s\"", value);
}

/* Returns true if the text sets an option that interfaces send to every engine, and that does not
 * concern this engine. */
static bool is_standard_option(const char *text)
{
    static const char *const names[] = {"OwnBook", "NalimovPath", "NalimovCache"};
    const char *name, *value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wari_uci_option(text, names[i], &value))
            return true;
    return wari_uci_word(text, "name", &name) && strncasecmp(name, "UCI_", 4) == 0;
}

/* Sets an option of an engine with a search. */
static enum wari_status set_search_option(struct engine_state *state, const char *text, bool *known,
                                          struct wari_error *error)
{
    const char *value;
    bool ponder;
    *known = true;
    if (wari_uci_option(text, "Hash", &value))
        return set_number(state, "Hash", value, WARI_SEARCH_HASH_MB_MAX, &state->hash_mb, error);
    if (wari_uci_option(text, "TableCache", &value))
        return set_cache(state, value, error);
    if (wari_uci_option(text, "TableAhead", &value))
        return set_ahead(state, value, error);
    if (wari_uci_option(text, "TableProbing", &value))
        return set_probing(state, value, error);
    if (wari_uci_option(text, "Threads", &value))
        return set_number(state, "Threads", value, WARI_SEARCH_THREADS_MAX, &state->threads, error);
    if (wari_uci_option(text, "MultiPV", &value))
        return options_int("MultiPV", value, 1, WARI_HALF_PITS, &state->lines, error);
    if (wari_uci_option(text, "Ponder", &value))
        return set_boolean("Ponder", value, &ponder,
                           error); /* the option changes nothing: "go ponder" is sufficient */
    if (wari_uci_option(text, "UCI_AnalyseMode", &value))
        return set_boolean("UCI_AnalyseMode", value, &state->analyse, error);
    if (wari_uci_option(text, "Repetition", &value))
        return set_repetition(state, value, error);
    if (wari_uci_option(text, "RepetitionScore", &value))
        return set_repetition_score(state, value, error);
    if (wari_uci_option(text, "ScoreWithStores", &value))
        return set_boolean("ScoreWithStores", value, &state->score_with_stores, error);
    if (wari_uci_option(text, "DatabasePath", &value))
        return set_folder(state, value, error);
    if (wari_uci_option(text, "OwnBook", &value))
        return set_boolean("OwnBook", value, &state->own_book, error);
    if (wari_uci_option(text, "BookFile", &value))
        return engine_open_opening_book(state, strcmp(value, no_text) == 0 ? "" : value, error);
    if (wari_uci_option(text, "Rules", &value))
        return set_rules(state, value, error);
    *known = false;
    return WARI_OK;
}

static enum wari_status set_random_option(struct engine_state *state, const char *text, bool *known,
                                          struct wari_error *error)
{
    const char *value;
    int number;
    *known = true;
    if (wari_uci_option(text, "Rules", &value))
        return set_rules(state, value, error);
    *known = wari_uci_option(text, "Seed", &value);
    if (!*known)
        return WARI_OK;
    enum wari_status status = options_int("Seed", value, 1, INT32_MAX, &number, error);
    if (status == WARI_OK)
        state->random_state = (uint64_t)number * 0x9E3779B97F4A7C15;
    return status;
}

void engine_set_option(struct engine_state *state, const char *text)
{
    struct wari_error error;
    bool known;
    enum wari_status status = state->random ? set_random_option(state, text, &known, &error)
                                            : set_search_option(state, text, &known, &error);
    if (!known && is_standard_option(text))
        return;
    if (!known)
        engine_io_print(state->io, "info string setoption: there is no such option: %.60s", text);
    else if (status != WARI_OK)
        engine_io_print(state->io, "info string %s", error.text);
}
