/* `wari pack`: rewrites a database smaller, level after level; the work is wari_pack()'s. */
#include "db/maintain/pack.h"

#include <stdio.h>

#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

struct run {
    struct progress_line line;
    char name[VARIANT_TEXT];
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct wari_pack *pack = context;
    return key == 't' ? options_threads(&pack->threads, error)
                      : options_size("--memory", optarg, &pack->memory, error);
}

static enum wari_status read_options(int argc, char **argv, struct database_options *options,
                                     struct wari_pack *pack, struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},
        OPTIONS_VARIANT,
        {"threads", required_argument, NULL, 't'},
        {"memory", required_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, pack};

    *options = (struct database_options){0};
    *pack = (struct wari_pack){.threads = machine_processors()};
    enum wari_status status = options_read_database(&line, options, error);
    pack->folder = options->folder;
    return status;
}

static void show_progress(void *context, int seeds, uint64_t done, uint64_t all)
{
    struct run *run = context;
    if (progress_due(&run->line))
        progress_show(&run->line, "%s: level %d: %.0f %%", run->name, seeds,
                      text_percent(done, all));
}

static void print_report(const struct run *run, const char *folder,
                         const struct wari_pack_report *report)
{
    char before[TEXT_NUMBER], after[TEXT_NUMBER], path[TEXT_PATH];
    printf(
        "%s in %s: %d level%s packed, %d already: %s bytes instead of %s, %.2f bits a position\n",
        run->name, text_path(folder, path), report->packed, report->packed == 1 ? "" : "s",
        report->levels - report->packed, text_number(report->bytes, after),
        text_number(report->bytes_before, before),
        8.0 * (double)report->bytes / (double)report->positions);
}

static enum wari_status pack_folder(const struct variant_choice *choice, struct wari_pack *pack,
                                    struct wari_error *error)
{
    struct run run = {.line = {0}};
    struct wari_pack_report report;
    enum wari_status status = variant_in_folder(choice, pack->folder, &pack->variant, error);
    if (status != WARI_OK)
        return status;

    variant_text(pack->variant, run.name);
    pack->progress = show_progress;
    pack->context = &run;
    pack->stop = interrupt_flag();
    interrupt_catch();
    progress_begin(&run.line);
    status = wari_pack(pack, &report, error);
    progress_clear(&run.line);
    if (status == WARI_OK)
        print_report(&run, pack->folder, &report);
    return status;
}

static int run(int argc, char **argv)
{
    struct database_options options;
    struct wari_pack pack;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &options, &pack, &error);
    if (status == WARI_OK)
        status = pack_folder(&options.choice, &pack, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_pack = {
    .name = "pack",
    .summary = "rewrite a database in less room",
    .run = run,
    .help =
        "usage: wari pack --db DIR [OPTION...]\n"
        "\n"
        "Rewrites the level files of a database so that they leave out what one move of\n"
        "look-ahead finds again: 1.5 bits a position instead of 2.8. All values stay the same,\n"
        "and all commands read packed files; they take somewhat longer, most of all those that\n"
        "read whole levels. Every value that is left out is looked up first, so packing takes\n"
        "longer than building.\n"
        "\n"
        "The folder can be used all the time. A run that was stopped is continued by the same\n"
        "command. Nobody can build in the folder meanwhile.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 which database, if the folder holds several\n"
        "  --threads T    one for each processor by default\n"
        "  --memory SIZE  bytes (or 500M, 2G) for values: half of it at most for those that are\n"
        "                 to be left out, the rest for what they are looked up in; 268M by\n"
        "                 default. With 32M, 24 seeds take a tenth longer. Beside it come the\n"
        "                 offset tables and models of all files, and 1 MB a thread\n"
        "\n"
        "example\n"
        "  wari pack --db tables --memory 1G\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a file is damaged, or a value is not that of best\n"
        "play; 4 reading or writing failed, the disk is full, or somebody builds in the folder;\n"
        "5 not enough memory; 6 the folder lacks that rule set; 129, 130 or 143\n"
        "stopped\n",
};
