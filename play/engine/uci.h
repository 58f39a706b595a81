/* The protocol of Oware engines, for both sides. wari-engine(1) describes it. */
#ifndef PLAY_ENGINE_UCI_H
#define PLAY_ENGINE_UCI_H

#include "play/game.h"
#include "play/text.h"

/* ---- Words ---- */

/* Returns true if the text starts with this word. *rest is then the text after the word and the
 * blanks that follow it. */
bool wari_uci_word(const char *text, const char *word, const char **rest);

/* Splits a command line into words separated by blanks. '...' and "..." keep blanks, and a
 * backslash (outside of '...') keeps the next character. No other character is special. The
 * words are in one block of memory from the host, with words[count] = NULL; the caller frees
 * `words` with wari_release(). Returns WARI_BAD_INPUT if there is no word, or a quote is not
 * closed. */
WARI_MUST_CHECK enum wari_status wari_split_command(const struct wari_host *host,
                                                    const char *command, char ***words, int *count,
                                                    struct wari_error *error);

/* ---- Messages of a match or an interface ---- */

/* Appends "position ..." for a game: "startpos", or "fen" with the diagram after the last
 * capture, and the moves since then, so that the engine can recognise repetitions. If `bare`,
 * appends only the current position, as if both sides had captured the same number of seeds. */
WARI_MUST_CHECK enum wari_status wari_uci_position(const struct wari_game *game, bool bare,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

/* Reads the text after the word "position" into a game that has begun and replaces its moves:
 * "startpos" or "fen DIAGRAM", optionally followed by "moves" and letters with or without blanks
 * between them. On failure the game is unchanged.
 *   WARI_BAD_INPUT   the text cannot be read, or a move is illegal; the error text says which
 *   WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status wari_uci_read_position(const char *text, struct wari_game *game,
                                                        struct wari_error *error);

/* Parses the text after the word "setoption", which has the form "name N" or "name N value V".
 * Returns true if N is `name`; case and blanks make no difference. Sets *value to V, or to "". */
bool wari_uci_option(const char *text, const char *name, const char **value);

/* The text after the word "go". */
struct wari_uci_go {
    bool infinite; /* the search runs until "stop" */
    bool ponder;   /* the search runs until "stop", or until "ponderhit"; the limits below apply
                    * from "ponderhit" on */
    bool prove;    /* the search looks for a proof of the value */
    bool mate;     /* "mate" was given, which Oware does not have */
    int depth;     /* depth limit, 1..1000; 0 if not given */
    int64_t nodes; /* limit on positions, at least 1; 0 if not given */
    int64_t milliseconds; /* time limit for this move, at least 0; -1 if not given */
    int64_t usual; /* with a clock, the time for a move that is neither easy nor difficult, in
                    * milliseconds, at most `milliseconds`; -1 without a clock */
    int pits;      /* set of the mover's pits to choose from, bits 1 << pit; all six if not given */
};

/* Reads the text after the word "go". Skips unknown words, as the protocol requires. Derives the
 * time for the move from "wtime T winc T btime T binc T movestogo N" (South is w). Numbers below
 * 0 count as 0, and numbers above a million million count as a million million. After
 * "searchmoves" there are letters with or without blanks between them; those of the other side
 * are skipped.
 *   WARI_BAD_INPUT   a word lacks its number, and *go is as if the word were not there; or
 *                    there is no move of the side to move after "searchmoves", and go->pits is 0 */
WARI_MUST_CHECK enum wari_status wari_uci_read_go(const char *text, bool north_to_move,
                                                  struct wari_uci_go *go, struct wari_error *error);

/* ---- Messages of an engine ---- */

enum wari_uci_answer { WARI_UCI_MOVE, WARI_UCI_NO_MOVE, WARI_UCI_NONSENSE };

/* Reads the text after the word "bestmove": a letter of the side to move, optionally followed by
 * "ponder" and another letter; 0000 if the engine considers the game over. */
enum wari_uci_answer wari_uci_read_bestmove(const char *text, bool north_to_move, int *pit);

#endif
