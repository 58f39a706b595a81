/* The functions that wari.js calls: an interface of numbers and memory addresses to
 * wari_probe.[ch].
 *
 * Each instance of the module has one book. JavaScript writes a position as twelve bytes (pits) or
 * a text (text). Results are returned field by field by functions, so wari.js depends on no struct
 * layout.
 */
#include <string.h>

#include "wari_probe.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* Copies bytes of the book into `buffer`. A result other than 0 means that they are not available.
 */
__attribute__((import_module("book"), import_name("read"))) int book_read(double offset,
                                                                          void *buffer, int bytes);

static struct wari_book book;
static struct wari_error error;
static struct wari_setup setup;
static struct wari_analysis analysis;
static struct wari_moves moves;
enum { TEXT_BYTES = 1024 };
static char text[2 * TEXT_BYTES]; /* input and output; a second input starts at TEXT_BYTES */
static struct wari_variant named;
static bool fixes_cycle;
static int value;

static int read_book(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    (void)context;
    return book_read((double)offset, buffer, (int)bytes);
}

EXPORT("open") int js_open(double size)
{
    struct wari_book_source source;
    source.read = read_book;
    source.context = NULL;
    source.size = (uint64_t)size;
    source.name = "the book";
    return (int)wari_book_open(&book, &source, &error);
}

/* Returns the book. Called by the search of the static page (site/search.c), which declares the
 * function itself. */
struct wari_book *js_book(void);
struct wari_book *js_book(void)
{
    return &book;
}

struct wari_error *js_failure(void);
struct wari_error *js_failure(void)
{
    return &error;
}

EXPORT("text") char *js_text(void)
{
    return text;
}

EXPORT("error") const char *js_error(void)
{
    return error.text;
}

EXPORT("statusText") const char *js_status_text(int status)
{
    return wari_status_text((enum wari_status)status);
}

EXPORT("rules") int js_rules(void)
{
    return (int)book.variant.rules;
}

EXPORT("cycle") int js_cycle(void)
{
    return (int)book.variant.cycle;
}

EXPORT("seeds") int js_seeds(void)
{
    return book.seeds;
}

/* Returns the offset of the record: the catalogue of the book's levels, as text. */
EXPORT("record") double js_record(void)
{
    return (double)book.record;
}

EXPORT("rulesName") const char *js_rules_name(int rules)
{
    const struct wari_rules_info *info = wari_get_rules_info((enum wari_rules)rules);
    return info != NULL ? info->name : NULL;
}

EXPORT("rulesSummary") const char *js_rules_summary(int rules)
{
    return wari_get_rules_info((enum wari_rules)rules)->summary;
}

EXPORT("rulesPlayers") const char *js_rules_players(int rules)
{
    return wari_get_rules_info((enum wari_rules)rules)->players;
}

EXPORT("slam") int js_slam(int rules)
{
    return (int)wari_get_rules_info((enum wari_rules)rules)->slam;
}

/* Returns true if a player whose moves are all grand slams may make one of them as the last move of
 * a game. */
EXPORT("allowsLastSlam") bool js_allows_last_slam(int rules)
{
    const struct wari_rules_info *info = wari_get_rules_info((enum wari_rules)rules);
    return info->slam == WARI_SLAM_ILLEGAL && info->stuck == WARI_STUCK_TAKES_ALL;
}

EXPORT("cycleName") const char *js_cycle_name(int cycle)
{
    return wari_cycle_name((enum wari_cycle)cycle);
}

/* These functions return the fields of preset number `number`, starting with 0. The name is NULL
 * after the last preset. */
EXPORT("presetName") const char *js_preset_name(int number)
{
    return wari_presets()[number].name;
}

EXPORT("presetRules") int js_preset_rules(int number)
{
    return (int)wari_presets()[number].variant.rules;
}

EXPORT("presetCycle") int js_preset_cycle(int number)
{
    return (int)wari_presets()[number].variant.cycle;
}

/* ---- Names of rules ---- */

/* Parses the name of a rule set or preset in `text` and, if `has_cycle`, the name of a cycle rule
 * in the second half of `text`. */
EXPORT("readVariant") int js_read_variant(bool has_cycle)
{
    return (int)wari_variant_parse(text, has_cycle ? text + TEXT_BYTES : NULL, &named, &fixes_cycle,
                                   &error);
}

/* Parses the name of a cycle rule in `text`. */
EXPORT("readCycle") int js_read_cycle(void)
{
    return (int)wari_cycle_parse(text, &named.cycle, &error);
}

EXPORT("namedRules") int js_named_rules(void)
{
    return (int)named.rules;
}

EXPORT("namedCycle") int js_named_cycle(void)
{
    return (int)named.cycle;
}

/* Returns true if the parsed names determine the cycle rule. */
EXPORT("fixesCycle") int js_fixes_cycle(void)
{
    return fixes_cycle;
}

/* ---- Positions ---- */

/* Parses the position in `text` and makes it the current position. */
EXPORT("parse") int js_parse(void)
{
    return (int)wari_setup_parse(text, &setup, &error);
}

/* Returns the address of the twelve pit counts of the current position. The caller may write a
 * position there instead of parsing a text. */
EXPORT("pits") uint8_t *js_pits(void)
{
    setup.diagram = setup.north_to_move = false;
    return setup.position.pits;
}

EXPORT("isDiagram") int js_is_diagram(void)
{
    return setup.diagram;
}

EXPORT("north") int js_north(void)
{
    return setup.north_to_move;
}

EXPORT("store") int js_store(int north)
{
    return setup.stores[north];
}

EXPORT("findValue") int js_find_value(void)
{
    return (int)wari_book_value(&book, &setup.position, &value, &error);
}

EXPORT("value") int js_value(void)
{
    return value;
}

/* ---- Moves: those of the last call of findMoves() or listMoves() ---- */

/* Values the current position and all its moves, best first. */
EXPORT("findMoves") int js_find_moves(void)
{
    const enum wari_status status = wari_book_analyse(&book, &setup.position, &analysis, &error);
    if (status != WARI_OK)
        return (int)status;
    value = analysis.value;
    moves.count = analysis.count;
    for (int i = 0; i < moves.count; i++)
        moves.list[i] = analysis.moves[i].move;
    return WARI_OK;
}

/* Lists the legal moves of the current position in the order A..F. `value` becomes the value of the
 * end of the game; it is valid only if there are no moves. */
EXPORT("listMoves") int js_list_moves(int rules)
{
    if (!wari_position_valid(&setup.position))
        return (int)wari_fail(&error, WARI_BAD_INPUT, "a position has at most %d seeds",
                              WARI_SEEDS_MAX);
    wari_find_moves((enum wari_rules)rules, &setup.position, &moves);
    value = moves.end_value;
    return WARI_OK;
}

EXPORT("count") int js_count(void)
{
    return moves.count;
}

EXPORT("worth") int js_worth(int i)
{
    return analysis.moves[i].value;
}

EXPORT("pit") int js_pit(int i)
{
    return moves.list[i].pit;
}

EXPORT("captured") int js_captured(int i)
{
    return moves.list[i].captured;
}

EXPORT("ends") int js_ends(int i)
{
    return moves.list[i].ends;
}

EXPORT("endValue") int js_end_value(int i)
{
    return moves.list[i].end_value;
}

EXPORT("again") int js_again(int i)
{
    return moves.list[i].again;
}

EXPORT("next") const uint8_t *js_next(int i)
{
    return moves.list[i].next.pits;
}
