/* What is said to an engine: heard at once, whatever is being thought of, and kept until the thread
 * that obeys takes it.
 *
 * The thread that listens carries out `stop`, `ponderhit`, `isready` and `quit` itself, so that
 * they hold for the "go" before them whatever else waits. A "go" has the number of its coming,
 * from 1. Every one is answered once: by the thread that thinks, or, where that does not come to an
 * end after `stop`, by the listening one with the best move known so far.
 */
#ifndef TOOLS_ENGINE_HEARING_H
#define TOOLS_ENGINE_HEARING_H

#include "play/engine/uci.h"
#include "tools/engine/saying.h"

WARI_MUST_CHECK enum wari_status conversation_begin(struct conversation *talk,
                                                    struct wari_error *error);
/* To be called when the thread that obeys is gone. */
void conversation_free(struct conversation *talk);

/* ---- The thread that listens ---- */

/* Listens until "quit", the end of the input, the end of the reader of the output, or that of the
 * thread that obeys, and then stops all thinking. *obeyed: the other thread has ended; otherwise it
 * does not come to an end in time, and only _exit() is left: it may hold anything.
 *   WARI_IO          the input cannot be read, or answers were not taken or not found in time
 *   WARI_NO_MEMORY   a line cannot be kept */
WARI_MUST_CHECK enum wari_status conversation_listen(struct conversation *talk, bool *obeyed,
                                                     struct wari_error *error);

/* ---- The thread that obeys ---- */

/* The next line, to be given to free(); NULL when there will be none. */
struct heard_line *conversation_next(struct conversation *talk);

/* The next "go" is being thought of; `letter`: a move in case that nothing better is found. Of the
 * limit, in milliseconds from when it was heard, returns what is left to think; -1: there is none,
 * or it begins with "ponderhit". */
int64_t conversation_think(struct conversation *talk, const struct wari_uci_go *go, int64_t limit,
                           char letter);

/* A better move was found, and what the opponent is expected to reply; 0: that is not known. */
void conversation_improve(struct conversation *talk, char letter, char reply);

/* Answers the "go", in the case of an endless one when that was stopped. If this move was the
 * better one found last, the reply is told, too. */
void conversation_answer(struct conversation *talk, char letter);

/* The thread that obeys ends. */
void conversation_end(struct conversation *talk);

#endif
