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

const struct wari_rules_info *wari_rules_info(enum wari_rules rules)
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

static enum wari_status unknown_rules(const char *name, struct wari_error *error)
{
    char sets[160] = "";
    char known[160] = "";
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        list_name(sets, sizeof sets, rules_table[rules].name);
    for (const struct wari_preset *preset = presets; preset->name != NULL; preset++)
        list_name(known, sizeof known, preset->name);
    return wari_fail(error, WARI_BAD_INPUT,
                     "no rule set is called \"%.40s\"; the rule sets are %s; the presets are %s",
                     name, sets, known);
}

enum wari_status wari_rules_parse(const char *name, struct wari_variant *variant, bool *fixes_cycle,
                                  struct wari_error *error)
{
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        if (strcmp(name, rules_table[rules].name) == 0) {
            variant->rules = (enum wari_rules)rules;
            *fixes_cycle = false;
            return WARI_OK;
        }
    }
    for (const struct wari_preset *preset = presets; preset->name != NULL; preset++) {
        if (strcmp(name, preset->name) == 0) {
            *variant = preset->variant;
            *fixes_cycle = true;
            return WARI_OK;
        }
    }
    return unknown_rules(name, error);
}

enum wari_status wari_cycle_parse(const char *name, enum wari_cycle *cycle,
                                  struct wari_error *error)
{
    char known[40] = "";
    for (int number = 0; number < WARI_CYCLE_COUNT; number++) {
        if (strcmp(name, cycle_names[number]) == 0) {
            *cycle = (enum wari_cycle)number;
            return WARI_OK;
        }
        list_name(known, sizeof known, cycle_names[number]);
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "no cycle rule is called \"%.40s\"; the cycle rules are %s", name, known);
}
