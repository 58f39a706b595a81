/* From a status to a message and an exit code, and the guard over standard output.
 *
 * Data goes to standard output, everything else to standard error. No run ends with status 0 unless
 * all that it printed has arrived.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include "game/wari_game.h"

/* The exit code of a run that ended with `status`:
 *   0 done; 1 a negative answer; 2 bad usage or position; 3 corrupt data; 4 I/O error, disk full
 *   or folder in use; 5 not enough memory; 6 rule set or format version does not match; 129, 130 or
 *   143 after SIGHUP, SIGINT or SIGTERM. */
int report_exit_code(enum wari_status status);

/* Prints the message of a failed command and returns its exit code; WARI_OK prints nothing. */
int report_result(const char *command, enum wari_status status, const struct wari_error *error);

/* Prints "wari COMMAND: " ("wari: " if that is empty) and a printf-style text as one line on
 * standard error, clean of what commands a terminal. */
void report_note(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* To be called before anything is opened or printed. Puts something behind closed standard
 * descriptors (a level file must never land on number 1), and turns a closed pipe and a file size
 * limit into errors that can be reported. */
void report_guard_output(void);

/* Whether writing to standard output has failed already: reason enough to stop a long run. */
bool report_output_lost(void);

/* Ends the program's output: `code`, or 4 with a message if not all of it could be written. A
 * reader who has gone away (`wari stats ... | head`) needs no message. */
int report_finish(int code);

#endif
