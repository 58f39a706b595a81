/* The options of the protocol. A value that cannot be had costs a remark, and changes nothing.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "play/text.h"
#include "tools/common/options.h"
#include "tools/engine/brain.h"

enum {
    NAME_BYTES = 32,    /* more than the longest name of rules has */
    NAMES_BYTES = 1024, /* more than all of them */
    TABLES = (int)WARI_RULES_COUNT * WARI_CYCLE_COUNT,
};

/* ---- The list ---- */

static void add_name(char list[NAMES_BYTES], const char *name)
{
    const size_t length = strlen(list);
    snprintf(list + length, NAMES_BYTES - length, " var %s", name);
}

static void print_rules(const struct brain *brain)
{
    char list[NAMES_BYTES] = "";
    for (int i = 0; i < WARI_RULES_COUNT; i++)
        add_name(list, wari_rules_info((enum wari_rules)i)->name);
    if (!brain->random)
        for (const struct wari_preset *preset = wari_presets(); preset->name; preset++)
            if (strcmp(preset->name, wari_rules_info(preset->variant.rules)->name) != 0)
                add_name(list, preset->name);
    conversation_say(brain->talk, "option name Rules type combo default %s%s",
                     wari_rules_info(brain->variant.rules)->name, list);
}

void brain_print_options(const struct brain *brain)
{
    char folder[3 * BRAIN_FOLDER]; /* a byte may become a character of three */
    if (brain->random) {
        print_rules(brain);
        conversation_say(brain->talk, "option name Seed type spin default 1 min 1 max 2147483647");
        return;
    }
    conversation_say(brain->talk, "option name Hash type spin default %d min 1 max %d",
                     brain->hash_mb, WARI_SEARCH_HASH_MB_MAX);
    conversation_say(brain->talk, "option name Threads type spin default %d min 1 max %d",
                     brain->threads, WARI_SEARCH_THREADS_MAX);
    conversation_say(brain->talk, "option name MultiPV type spin default %d min 1 max %d",
                     brain->lines, WARI_HALF_PITS);
    conversation_say(brain->talk, "option name Ponder type check default true");
    conversation_say(brain->talk, "option name UCI_AnalyseMode type check default %s",
                     brain->analyse ? "true" : "false");
    wari_text_clean(folder, sizeof folder, brain->folder);
    conversation_say(brain->talk, "option name DatabasePath type string default %s", folder);
    print_rules(brain);
}

/* ---- One of them ---- */

/* The variants there are tables of, how many; 0 where that cannot be read. */
static int list_tables(const struct brain *brain, struct wari_variant there[TABLES])
{
    struct wari_db *book;
    struct wari_info info;
    int count;
    if (!brain->book)
        return wari_list(brain->folder, NULL, there, &count, NULL) == WARI_OK ? count : 0;
    if (wari_open_book(&book, brain->folder, NULL, NULL, NULL) != WARI_OK)
        return 0;
    wari_info(book, &info);
    wari_close(book);
    there[0] = info.variant;
    return 1;
}

/* The cycle rule of the tables there are for the rule set; as it was if there are none, or both. */
static enum wari_cycle find_cycle(const struct brain *brain)
{
    struct wari_variant there[TABLES];
    enum wari_cycle cycle = brain->variant.cycle;
    const int count = list_tables(brain, there);
    bool other = false;
    for (int i = 0; i < count; i++) {
        if (there[i].rules == brain->variant.rules && there[i].cycle == cycle)
            return cycle;
        other |= there[i].rules == brain->variant.rules;
    }
    return other ? (cycle == WARI_OWN ? WARI_EVEN : WARI_OWN) : cycle;
}

/* Opens other tables; where there are none, everything is searched. */
static void open_tables(struct brain *brain)
{
    struct wari_error error;
    if (!brain->cycle_fixed)
        brain->variant.cycle = find_cycle(brain);
    if (brain_open(brain, &error) != WARI_OK && !brain->db)
        conversation_say(brain->talk, "info string %s; playing by search alone", error.text);
    brain_make_some_search(brain);
}

/* Names are known in any letters; what is too long for one stays as it is. */
static const char *lower_case(const char *value, char lower[NAME_BYTES])
{
    if (strlen(value) >= NAME_BYTES)
        return value;
    for (size_t i = 0; i <= strlen(value); i++)
        lower[i] = (char)tolower((unsigned char)value[i]);
    return lower;
}

static enum wari_status set_rules(struct brain *brain, const char *value, struct wari_error *error)
{
    struct wari_variant variant = brain->variant;
    char lower[NAME_BYTES];
    bool cycle_fixed;
    enum wari_status status =
        wari_rules_parse(lower_case(value, lower), &variant, &cycle_fixed, error);
    if (status != WARI_OK)
        return status;
    brain->variant = variant;
    if (brain->random)
        return WARI_OK;
    brain->cycle_fixed = cycle_fixed;
    open_tables(brain);
    return WARI_OK;
}

static enum wari_status set_folder(struct brain *brain, const char *value, struct wari_error *error)
{
    struct stat about;
    size_t length = strlen(value);
    if (length == 0 || length >= sizeof brain->folder)
        return wari_fail(error, WARI_BAD_INPUT,
                         "DatabasePath: a folder or a book is expected, of less than %zu bytes",
                         sizeof brain->folder);
    brain->book = stat(value, &about) == 0 && S_ISREG(about.st_mode);
    memcpy(brain->folder, value, length + 1);
    open_tables(brain);
    return WARI_OK;
}

/* Sets a number that a new search is made with; it stays as it was where that cannot be made. */
static enum wari_status set_number(struct brain *brain, const char *name, const char *value,
                                   int most, int *number, struct wari_error *error)
{
    int before = *number;
    enum wari_status status = options_int(name, value, 1, most, number, error);
    if (status != WARI_OK || brain_make_search(brain, error) == WARI_OK)
        return status;
    *number = before;
    brain_make_some_search(brain);
    return WARI_NO_MEMORY;
}

static enum wari_status set_switch(const char *name, const char *value, bool *set,
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

/* What has a search has these. */
static enum wari_status set_thinking(struct brain *brain, const char *text, bool *known,
                                     struct wari_error *error)
{
    const char *value;
    bool ponder;
    *known = true;
    if (wari_uci_option(text, "Hash", &value))
        return set_number(brain, "Hash", value, WARI_SEARCH_HASH_MB_MAX, &brain->hash_mb, error);
    if (wari_uci_option(text, "Threads", &value))
        return set_number(brain, "Threads", value, WARI_SEARCH_THREADS_MAX, &brain->threads, error);
    if (wari_uci_option(text, "MultiPV", &value))
        return options_int("MultiPV", value, 1, WARI_HALF_PITS, &brain->lines, error);
    if (wari_uci_option(text, "Ponder", &value))
        return set_switch("Ponder", value, &ponder, error); /* "go ponder" says all there is */
    if (wari_uci_option(text, "UCI_AnalyseMode", &value))
        return set_switch("UCI_AnalyseMode", value, &brain->analyse, error);
    if (wari_uci_option(text, "DatabasePath", &value))
        return set_folder(brain, value, error);
    if (wari_uci_option(text, "Rules", &value))
        return set_rules(brain, value, error);
    *known = false;
    return WARI_OK;
}

static enum wari_status set_chance(struct brain *brain, const char *text, bool *known,
                                   struct wari_error *error)
{
    const char *value;
    int number;
    *known = true;
    if (wari_uci_option(text, "Rules", &value))
        return set_rules(brain, value, error);
    *known = wari_uci_option(text, "Seed", &value);
    if (!*known)
        return WARI_OK;
    enum wari_status status = options_int("Seed", value, 1, INT32_MAX, &number, error);
    if (status == WARI_OK)
        brain->chance = (uint64_t)number * 0x9E3779B97F4A7C15;
    return status;
}

void brain_set_option(struct brain *brain, const char *text)
{
    struct wari_error error;
    bool known;
    enum wari_status status = brain->random ? set_chance(brain, text, &known, &error)
                                            : set_thinking(brain, text, &known, &error);
    if (!known)
        conversation_say(brain->talk, "info string setoption: there is no such option");
    else if (status != WARI_OK)
        conversation_say(brain->talk, "info string %s", error.text);
}
