/* What an engine says. Whoever prints says first what is owed; standard output is locked before the
 * mutex of the conversation.
 */
#ifndef TOOLS_ENGINE_SAYING_H
#define TOOLS_ENGINE_SAYING_H

#include "tools/engine/conversation.h"

/* ---- The thread that obeys: waits until it is printed ---- */

/* Prints one line, out at once. What could not be written counts at the end (output_is_lost()). */
void conversation_say(struct conversation *talk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints what is owed. */
void conversation_pay(struct conversation *talk);

/* ---- The thread that listens: nothing waits ---- */

/* Prints what is owed as far as there is room for it; false if something is still owed. */
bool conversation_pay_at_once(struct conversation *talk);

bool conversation_owes(struct conversation *talk);

/* Whether somebody is printing, be it into what is full. */
bool output_is_busy(void);

/* Whether to print would wait. */
bool output_is_full(void);

/* Whether something that was printed has not arrived: poll() says nothing of a disk that is full.
 */
bool output_is_lost(void);

#endif
