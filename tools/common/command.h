/* The subcommands of `wari`. The table of all subcommands is in main.c. */
#ifndef TOOLS_COMMON_COMMAND_H
#define TOOLS_COMMON_COMMAND_H

struct command {
    const char *name;
    const char *summary; /* the line in `wari --help` */
    const char *help;    /* the text of `wari help NAME`: usage, options, an example, exit codes */

    /* Runs the subcommand, whose name is argv[0]. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const struct command command_bench_probe;
extern const struct command command_export;
extern const struct command command_build;
extern const struct command command_plan;
extern const struct command command_book;
extern const struct command command_query;
extern const struct command command_stats;
extern const struct command command_verify;
extern const struct command command_check;
extern const struct command command_compare;
extern const struct command command_perft;
extern const struct command command_rules;
extern const struct command command_pack;
extern const struct command command_import;
extern const struct command command_judge;
extern const struct command command_engine;
extern const struct command command_learn_book;
extern const struct command command_match;
extern const struct command command_puzzles;
extern const struct command command_serve;

#endif
