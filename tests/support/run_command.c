/* While a command runs, standard output is a file, and standard error is discarded. */
#include "tests/support/run_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

enum { WORDS_MAX = 16 };

/* Redirects a descriptor to a file. Returns a copy of the old descriptor for restore(). */
static int redirect(int descriptor, const char *path)
{
    const int copy = dup(descriptor);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(copy >= 0 && file >= 0 && dup2(file, descriptor) == descriptor);
    close(file);
    return copy;
}

static void restore(int descriptor, int copy)
{
    assert_int_equal(dup2(copy, descriptor), descriptor);
    close(copy);
}

static void read_text(const char *path, char text[COMMAND_TEXT_MAX])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, COMMAND_TEXT_MAX - 1, file);
    assert_true(feof(file));
    text[length] = '\0';
    fclose(file);
}

int run_command(const struct command *command, const char *const *words,
                char text[COMMAND_TEXT_MAX])
{
    char path[COMMAND_WORD_MAX], copies[WORDS_MAX][COMMAND_WORD_MAX],
        *arguments[WORDS_MAX + 1] = {NULL};
    int count = 0;

    for (; words[count]; count++) {
        assert_true(count < WORDS_MAX && snprintf(copies[count], COMMAND_WORD_MAX, "%s",
                                                  words[count]) < COMMAND_WORD_MAX);
        arguments[count] = copies[count];
    }
    snprintf(path, sizeof path, "%s/output.text", folder);
    fflush(stdout);
    fflush(stderr);
    const int out = redirect(STDOUT_FILENO, path), err = redirect(STDERR_FILENO, "/dev/null");
    optind = 0; /* getopt_long() starts anew */
    const int code = command->run(count, arguments);
    fflush(stdout);
    restore(STDOUT_FILENO, out);
    restore(STDERR_FILENO, err);
    read_text(path, text);
    return code;
}
