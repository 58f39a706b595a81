/* The command `wari`: finds the subcommand in a table and runs it.
 *
 * Every way out of the program passes through report_finish(), so that the exit code is never 0
 * when output was lost.
 */
#include <stdio.h>
#include <string.h>

#include "db/wari.h"
#include "solver/build.h"
#include "system/processors.h"
#include "tools/common/command.h"
#include "tools/common/nearest.h"
#include "tools/common/report.h"

static const struct command *const commands[] = {
    &command_build,  &command_plan,       &command_query, &command_stats,   &command_check,
    &command_verify, &command_compare,    &command_perft, &command_rules,   &command_bench_probe,
    &command_export, &command_import,     &command_pack,  &command_book,    &command_judge,
    &command_engine, &command_learn_book, &command_match, &command_puzzles, &command_serve,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    struct nearest_name nearest;
    nearest_begin(&nearest, name, strlen(name));
    for (int i = 0; i < COMMANDS; i++)
        nearest_add(&nearest, commands[i]->name);
    nearest_add(&nearest, "help");
    if (nearest.name)
        report_note("", "there is no command '%.80s'; did you mean '%s'?", name, nearest.name);
    else
        report_note("", "there is no command '%.80s'; 'wari --help' lists them", name);
    return report_exit_code(WARI_BAD_INPUT);
}

static void print_overview(FILE *out)
{
    fputs("usage: wari COMMAND [OPTION...]\n\n"
          "Perfect play in Wari (Oware, Awari): databases of exact values for every rule set.\n\n"
          "commands\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fputs(
        "\n"
        "  wari help COMMAND   describe a command, its options and its exit codes\n"
        "  wari --version      print the version, the kernels of the solver for this machine, and\n"
        "                      the default of --threads\n",
        out);
}

/* Returns true if --help or -h occurs anywhere before "--". */
static bool help_requested(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    }
    return false;
}

static int unexpected_argument(const char *argument)
{
    report_note("", "unexpected argument \"%s\"; see 'wari --help'", argument);
    return report_exit_code(WARI_BAD_INPUT);
}

/* `wari help [COMMAND]` */
static int help(int argc, char **argv)
{
    if (argc < 2 || help_requested(argc, argv)) {
        print_overview(stdout);
        return 0;
    }
    const bool of_help = strcmp(argv[1], "help") == 0;
    const struct command *command = find_command(argv[1]);
    if (!command && !of_help)
        return unknown_command(argv[1]);
    if (argc > 2)
        return unexpected_argument(argv[2]);
    if (of_help)
        print_overview(stdout);
    else
        fputs(command->help, stdout);
    return 0;
}

/* Prints the default of --threads and what determines it. */
static void print_threads(void)
{
    const struct wari_processors processors = wari_processors();
    const int usable = wari_processors_usable(&processors);

    printf("threads: %d by default, ", usable);
    if (usable == processors.online)
        puts("one for each processor");
    else
        printf("because %s; this machine has %d processors\n",
               usable == processors.quota
                   ? "the control group of this process has a quota of processor time"
                   : "this process may run on no other processors",
               processors.online);
}

static void print_version(void)
{
    const char *name;
    bool available;

    printf("wari %s\nkernels:", wari_version());
    for (int i = 0; (name = wari_kernel_listed(i, &available)); i++)
        if (available)
            printf(" %s", name);
    printf("; auto is %s\n", wari_kernel_name(WARI_KERNEL_AUTO));
    print_threads();
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return report_exit_code(WARI_BAD_INPUT);
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(1, argv);
    if (strcmp(word, "--version") == 0) {
        if (argc > 2)
            return unexpected_argument(argv[2]);
        print_version();
        return 0;
    }
    const struct command *command = find_command(word);
    if (!command)
        return unknown_command(word);
    if (help_requested(argc - 1, argv + 1)) {
        fputs(command->help, stdout);
        return 0;
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    report_guard_output();
    return report_finish(dispatch(argc, argv));
}
