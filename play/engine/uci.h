/* The protocol that Oware engines speak, as both sides need it; wari-engine(1) describes it.
 */
#ifndef PLAY_ENGINE_UCI_H
#define PLAY_ENGINE_UCI_H

#include "play/game.h"
#include "play/text.h"

/* ---- Words ---- */

/* Whether the text starts with this word; *rest is then what follows, without blanks in front. */
bool wari_uci_word(const char *text, const char *word, const char **rest);

/* Splits a command line into words, which are separated by blanks; '...' and "..." keep blanks, and
 * a backslash (not within '...') the next character. Nothing else is special. The words are one
 * block of memory, the host's: words[count] is NULL, and words is given back by wari_release().
 * WARI_BAD_INPUT: no word, or a quote without its end. */
WARI_MUST_CHECK enum wari_status wari_split_command(const struct wari_host *host,
                                                    const char *command, char ***words, int *count,
                                                    struct wari_error *error);

/* ---- What a match or an interface says ---- */

/* Appends "position ..." for a game: "startpos", or "fen" with the diagram after the last capture,
 * and the moves since then, so that an engine can see what repeats. `bare`: the position at hand
 * alone, as if both sides had captured the same so far. */
WARI_MUST_CHECK enum wari_status wari_uci_position(const struct wari_game *game, bool bare,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

/* Reads what follows the word "position" into a game that has been begun (any earlier moves go):
 * "startpos" or "fen DIAGRAM", then perhaps "moves" and letters, joined or not. On failure the game
 * is left as it was.
 *   WARI_BAD_INPUT   cannot be read, or a move is illegal; the text says which
 *   WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status wari_uci_read_position(const char *text, struct wari_game *game,
                                                        struct wari_error *error);

/* Whether what follows the word "setoption", "name N" or "name N value V", is about the option
 * `name`; letters of any size and any blanks make no difference. *value is V, or "". */
bool wari_uci_option(const char *text, const char *name, const char **value);

/* What follows the word "go". */
struct wari_uci_go {
    bool infinite;        /* until "stop" */
    bool ponder;          /* until "stop", or "ponderhit": from then on with the limits below */
    bool prove;           /* look for what can be proven of the value */
    int depth;            /* 1..1000; 0: not said */
    int64_t nodes;        /* from 1; 0: not said */
    int64_t milliseconds; /* for this move, from 0; -1: not said */
    int pits;             /* of the mover to choose from, bits 1 << pit; all six: not said */
};

/* Unknown words are passed over, as the protocol asks. Of "wtime T winc T btime T binc T movestogo
 * N" (South is w) a share of the mover's time is taken. Numbers below 0 count as 0, those above a
 * million million as that. Behind "searchmoves" stand letters, joined or not; those of the other
 * side are passed over.
 *   WARI_BAD_INPUT   a word that needs a number or a move has none; *go says nothing then */
WARI_MUST_CHECK enum wari_status wari_uci_read_go(const char *text, bool north_to_move,
                                                  struct wari_uci_go *go, struct wari_error *error);

/* ---- What an engine says ---- */

enum wari_uci_answer { WARI_UCI_MOVE, WARI_UCI_NO_MOVE, WARI_UCI_NONSENSE };

/* Reads what follows the word "bestmove": a letter of the side to move, perhaps "ponder" and
 * another one; 0000 where the engine holds the game over. */
enum wari_uci_answer wari_uci_read_bestmove(const char *text, bool north_to_move, int *pit);

#endif
