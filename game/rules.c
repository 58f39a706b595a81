/* The rule sets as data, and the parsing of their names.
 *
 * Rule sets differ in only two properties: what a grand slam does, and what a mover gets who has
 * seeds but no legal move. All other code uses these properties and never names a rule set, so a
 * new rule set is one more line here.
 *
 * Invariant: the tables are in the order of enum wari_rules and enum wari_cycle, whose numbers are
 * written into database files. (Designated initialisers would make this explicit, but C++ has none
 * for arrays, and `make amalgamation` promises a source that is C++, too.)
 */
#include <stdio.h>
#include <string.h>

#include "game/wari_game.h"

/* `stuck` matters only where grand slams are illegal: otherwise a mover who has seeds always has a
 * legal move while the opponent has seeds, too. */
static const struct wari_rules_info rules_table[WARI_RULES_COUNT] = {
    {"awari", WARI_SLAM_ILLEGAL, WARI_STUCK_TAKES_ALL,
     "A grand slam is illegal; if every move would be one, the game ends and the mover takes "
     "every seed on the board.",
     "The academic game of all published awari tables (Allis, van der Meulen, van den Herik "
     "1991; Lincke 2002; Romein & Bal 2003)."},
    {"wari", WARI_SLAM_ILLEGAL, WARI_STUCK_OWN_ROWS,
     "A grand slam is illegal; if every move would be one, the game ends and each side takes "
     "its own row.",
     "The English and Dutch rule sheets and Walker's leaflet (rule 7)."},
    {"abapa", WARI_SLAM_NO_CAPTURE, WARI_STUCK_OWN_ROWS,
     "A grand slam may be played but captures nothing.",
     "Tournament Oware (the Oware Society's abapa rules) and the Spanish rule sheet."},
    {"warri", WARI_SLAM_MOVES_AGAIN, WARI_STUCK_OWN_ROWS,
     "A grand slam captures, and the mover moves again, feeding the opponent if possible and "
     "taking every seed left if not.",
     "Caribbean Warri and the Italian rule sheet."},
    {"ware", WARI_SLAM_LOSES, WARI_STUCK_OWN_ROWS,
     "A grand slam may be played but loses the game, counted as every seed on the board.",
     "A variant in the notes of the Italian rule sheet."},
    {"slam-ends", WARI_SLAM_DRAWS, WARI_STUCK_OWN_ROWS,
     "A grand slam ends the game, and the seeds on the board count for nobody.",
     "A variant in the notes of the Italian rule sheet."},
    {"slam-gives", WARI_SLAM_GIVES_REST, WARI_STUCK_OWN_ROWS,
     "A grand slam captures and ends the game; all seeds left go to the opponent.",
     "A variant listed for Oware."},
    {"slam-wins", WARI_SLAM_WINS_ALL, WARI_STUCK_OWN_ROWS,
     "A grand slam wins the game, counted as every seed on the board: the opponent cannot "
     "move and loses.",
     "A variant in the notes of the Italian rule sheet."},
};

static const char *const cycle_names[WARI_CYCLE_COUNT] = {
    "even",
    "own",
};

static const struct wari_preset presets[] = {
    {"awari",
     {WARI_AWARI, WARI_EVEN},
     "the published awari tables: rule set awari with cycle even (even is here the default only, "
     "and another cycle may be asked for)"},
    {"academic", {WARI_AWARI, WARI_EVEN}, "the published awari tables, under a name of their own"},
    {"tournament",
     {WARI_ABAPA, WARI_OWN},
     "tournament Oware: a slam captures nothing, endless play gives each side its own row"},
    {"oware", {WARI_ABAPA, WARI_OWN}, "tournament Oware, under the name of the game"},
    {"spanish",
     {WARI_ABAPA, WARI_OWN},
     "the Spanish rule sheet: a slam captures nothing; the sheet is silent about endless play, "
     "which here ends as in tournaments"},
    {"english",
     {WARI_WARI, WARI_OWN},
     "the English rule sheet: a slam is illegal; where players would agree to stop, each side gets "
     "its own row"},
    {"dutch",
     {WARI_WARI, WARI_OWN},
     "the Dutch rule sheet: a slam is illegal; where players would agree to stop, each side gets "
     "its own row; a move that can capture does"},
    {"walker",
     {WARI_WARI, WARI_OWN},
     "Walker's leaflet: a slam is illegal (rule 7); the leaflet is silent about endless play, "
     "which "
     "here ends as in tournaments"},
    {"leaflet", {WARI_WARI, WARI_OWN}, "english, dutch and walker under one name"},
    {"italian",
     {WARI_WARRI, WARI_OWN},
     "the Italian rule sheet: a slam moves again, endless play gives each side its own row"},
    {"caribbean",
     {WARI_WARRI, WARI_OWN},
     "Caribbean Warri: a slam moves again; endless play as in tournaments"},
    {NULL, {WARI_AWARI, WARI_EVEN}, NULL},
};

const struct wari_rules_info *wari_get_rules_info(enum wari_rules rules)
{
    /* The cast makes one comparison catch negative numbers as well, such as numbers from a damaged
     * file. */
    return (unsigned)rules < WARI_RULES_COUNT ? &rules_table[rules] : NULL;
}

const char *wari_cycle_name(enum wari_cycle cycle)
{
    return (unsigned)cycle < WARI_CYCLE_COUNT ? cycle_names[cycle] : NULL;
}

const struct wari_preset *wari_presets(void)
{
    return presets;
}

/* ---- Reading names ---- */

/* Appends ", name", or just "name" to an empty list. The lists are large enough for all names
 * above; a longer one would be truncated. */
static void list_name(char *list, size_t size, const char *name)
{
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length == 0 ? "" : ", ", name);
}

/* Returns true if `word`, which has `length` characters and need not end with a 0, is `name`. */
static bool is_name(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

/* Limits the characters of a word that appear in a message. */
static int shown(size_t length)
{
    return length < 40 ? (int)length : 40;
}

static enum wari_status unknown_rules(const char *word, size_t length, struct wari_error *error)
{
    char sets[160] = "";
    char known[160] = "";
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        list_name(sets, sizeof sets, rules_table[rules].name);
    for (const struct wari_preset *preset = presets; preset->name != NULL; preset++)
        list_name(known, sizeof known, preset->name);
    return wari_fail(error, WARI_BAD_INPUT,
                     "no rule set is called \"%.*s\"; the rule sets are %s; the presets are %s",
                     shown(length), word, sets, known);
}

/* Parses a word of `length` characters like wari_rules_parse(). */
static enum wari_status parse_rules(const char *word, size_t length, struct wari_variant *variant,
                                    bool *fixes_cycle, struct wari_error *error)
{
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        if (is_name(word, length, rules_table[rules].name)) {
            variant->rules = (enum wari_rules)rules;
            variant->cycle = WARI_EVEN;
            *fixes_cycle = false;
            return WARI_OK;
        }
    }
    for (const struct wari_preset *preset = presets; preset->name != NULL; preset++) {
        if (is_name(word, length, preset->name)) {
            *variant = preset->variant;
            *fixes_cycle = true;
            return WARI_OK;
        }
    }
    return unknown_rules(word, length, error);
}

/* Parses a word of `length` characters like wari_cycle_parse(). */
static enum wari_status parse_cycle(const char *word, size_t length, enum wari_cycle *cycle,
                                    struct wari_error *error)
{
    char known[40] = "";
    for (int number = 0; number < WARI_CYCLE_COUNT; number++) {
        if (is_name(word, length, cycle_names[number])) {
            *cycle = (enum wari_cycle)number;
            return WARI_OK;
        }
        list_name(known, sizeof known, cycle_names[number]);
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "no cycle rule is called \"%.*s\"; the cycle rules are %s", shown(length),
                     word, known);
}

enum wari_status wari_rules_parse(const char *name, struct wari_variant *variant, bool *fixes_cycle,
                                  struct wari_error *error)
{
    return parse_rules(name, strlen(name), variant, fixes_cycle, error);
}

enum wari_status wari_cycle_parse(const char *name, enum wari_cycle *cycle,
                                  struct wari_error *error)
{
    return parse_cycle(name, strlen(name), cycle, error);
}

/* ---- Reading variants ---- */

/* Used instead of isspace(), whose result depends on the locale. */
static bool separates_words(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the start of the first word at or after *at, sets *length to its length (0 at the end of
 * the text), and advances *at to the end of the word. */
static const char *next_word(const char **at, size_t *length)
{
    while (separates_words(**at))
        ++*at;
    const char *word = *at;
    while (**at != 0 && !separates_words(**at))
        ++*at;
    *length = (size_t)(*at - word);
    return word;
}

/* Sets the cycle rule of *variant to the one with the name `word`. `fixed` means that `rules` has
 * already determined the cycle rule of *variant; then any other cycle rule is refused. */
static enum wari_status set_cycle(const char *rules, bool fixed, const char *word, size_t length,
                                  struct wari_variant *variant, struct wari_error *error)
{
    enum wari_cycle cycle = WARI_EVEN;
    enum wari_status status = parse_cycle(word, length, &cycle, error);
    if (status != WARI_OK)
        return status;
    if (fixed && cycle != variant->cycle)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%.40s means the cycle rule %s, which contradicts %s; for that game, name "
                         "the rule set: %s",
                         rules, cycle_names[variant->cycle], cycle_names[cycle],
                         rules_table[variant->rules].name);
    variant->cycle = cycle;
    return WARI_OK;
}

enum wari_status wari_variant_parse(const char *rules, const char *cycle,
                                    struct wari_variant *variant, bool *fixes_cycle,
                                    struct wari_error *error)
{
    struct wari_variant named = {WARI_AWARI, WARI_EVEN};
    bool fixed = false;
    size_t name_length, cycle_length, rest_length;
    const char *at = rules;
    const char *name = next_word(&at, &name_length);
    const char *cycle_word = next_word(&at, &cycle_length);
    const char *rest = next_word(&at, &rest_length);

    enum wari_status status = parse_rules(name, name_length, &named, &fixed, error);
    if (status == WARI_OK && cycle_length > 0) {
        status = set_cycle(name, fixed, cycle_word, cycle_length, &named, error);
        fixed = true;
    }
    if (status == WARI_OK && rest_length > 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "\"%.*s\" is one word too many; a rule set or preset is expected, "
                           "optionally followed by a cycle rule, such as abapa own",
                           shown(rest_length), rest);
    if (status == WARI_OK && cycle != NULL) {
        status = set_cycle(name, fixed, cycle, strlen(cycle), &named, error);
        fixed = true;
    }
    if (status != WARI_OK)
        return status;
    *variant = named;
    if (fixes_cycle != NULL)
        *fixes_cycle = fixed;
    return WARI_OK;
}
