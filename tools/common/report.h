/* Messages on standard error, exit codes, the live progress line, and the check that all output has
 * arrived.
 *
 * Data goes to standard output, everything else to standard error. The program never ends with exit
 * code 0 unless all that it printed has arrived.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include "game/wari_game.h"

/* Returns the exit code of a command that ended with `status`:
 *   0 done; 1 a negative answer; 2 bad usage or position; 3 corrupt data; 4 I/O error, disk full
 *   or folder in use; 5 not enough memory; 6 rule set or format version does not match; 129, 130 or
 *   143 after SIGHUP, SIGINT or SIGTERM. */
int report_exit_code(enum wari_status status);

/* Prints the message of a failed command and returns its exit code. Prints nothing for WARI_OK. */
int report_result(const char *command, enum wari_status status, const struct wari_error *error);

/* Prints "wari COMMAND: " ("wari: " if `command` is empty) and a printf-style text as one line on
 * standard error. Control characters, which could command a terminal, are made harmless. */
void report_note(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Must be called before anything is opened or printed. Opens a stand-in for each standard
 * descriptor that is closed (otherwise a level file could be opened as descriptor 1 and printed
 * over), and turns SIGPIPE and SIGXFSZ into errors of the calls that caused them. */
void report_guard_output(void);

/* Returns true if a write to standard output has failed already: a long run should then stop. */
bool report_output_lost(void);

/* Flushes and closes the program's output. Returns `code`, or 4 if not all output could be written.
 * Prints a message in that case, unless the reader of a pipe has gone away (`wari stats ... |
 * head`). */
int report_finish(int code);

/* ---- The live progress line: rewritten in place on a terminal, absent elsewhere ---- */

struct progress_line {
    bool terminal; /* standard error is a terminal */
    int columns;   /* width of the terminal */
    bool shown;    /* the line is on the screen */
    double last;   /* when the line was last written, in seconds of wari_seconds_now() */
};

void progress_begin(struct progress_line *line);

/* Returns true if it is time to write the line again, which is a few times a second. */
bool progress_due(const struct progress_line *line);

/* Writes the line, cut to the width of the terminal. */
void progress_show(struct progress_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Removes the line from the screen, so that something else can be printed. */
void progress_clear(struct progress_line *line);

#endif
