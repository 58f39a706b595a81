/* Runs commands of `wari` in the process of a test. */
#ifndef TESTS_SUPPORT_RUN_COMMAND_H
#define TESTS_SUPPORT_RUN_COMMAND_H

#include "tests/support/own_folder.h"
#include "tools/common/command.h"

/* The words of a command, ended by NULL. */
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

enum {
    COMMAND_TEXT_MAX = 1 << 16, /* characters of output */
    COMMAND_WORD_MAX = TABLE_FOLDER_MAX + 32,
};

/* Runs a command. `words` are its name and its arguments, ended by NULL. Stores its standard output
 * in `text`, discards its standard error, and returns its exit code. The folder of own_folder.h
 * must exist. */
int run_command(const struct command *command, const char *const *words,
                char text[COMMAND_TEXT_MAX]);

#endif
