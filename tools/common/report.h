/* Messages on standard error, exit codes, and the check that all output was written.
 *
 * Data goes to standard output, everything else to standard error. The program never ends with exit
 * code 0 unless all of its output was written. */
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

/* Prints a note if files below `path`, a folder or file that may not exist yet, can lose their
 * names in a power failure, because the file system does not support fsync() of folders. Commands
 * that write a database or book call this once. */
void report_folder_sync(const char *command, const char *path);

/* Must be called before anything is opened or printed. Opens a stand-in for each standard
 * descriptor that is closed (otherwise a level file could be opened as descriptor 1, and output
 * would overwrite it), and turns SIGPIPE and SIGXFSZ into errors of the calls that caused them. */
void report_guard_output(void);

/* Returns true if a write to standard output has failed already: a long run should then stop. */
bool report_output_lost(void);

/* Flushes and closes the program's output. Returns `code` if all output was written. Otherwise
 * returns 4, or after a signal 128 plus its number, and prints a message. The message is left out
 * if no signal has arrived and the reader of a pipe has gone away (`wari stats ... | head`). */
int report_finish(int code);

#endif
