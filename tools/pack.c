/* `wari pack`: rewrites the files of a database in a smaller form. wari_pack() does the work. */
#include "db/maintain/pack.h"

#include <stdio.h>

#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

struct progress_state {
    struct progress_line line;
    char name[VARIANT_TEXT];
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct wari_pack *pack = context;
    if (key == 'L') {
        pack->no_lock = true;
        return WARI_OK;
    }
    return key == 't' ? options_threads(&pack->threads, error)
                      : options_size("--memory", optarg, &pack->memory, error);
}

static enum wari_status read_options(int argc, char **argv, struct database_options *options,
                                     struct wari_pack *pack, struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},      OPTIONS_VARIANT,
        {"threads", required_argument, NULL, 't'}, {"memory", required_argument, NULL, 'm'},
        {"no-lock", no_argument, NULL, 'L'},       {NULL, 0, NULL, 0},
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
    struct progress_state *state = context;
    if (progress_due(&state->line))
        progress_show(&state->line, "", "%s: level %d: %.0f %%", state->name, seeds,
                      text_percent(done, all));
}

static void print_report(const struct progress_state *state, const char *folder,
                         const struct wari_pack_report *report)
{
    char before[TEXT_NUMBER], after[TEXT_NUMBER], path[TEXT_PATH];
    printf(
        "%s in %s: %d level%s packed, %d already: %s bytes instead of %s, %.2f bits a position\n",
        state->name, text_path(folder, path), report->packed, report->packed == 1 ? "" : "s",
        report->levels - report->packed, text_number(report->bytes, after),
        text_number(report->bytes_before, before),
        8.0 * (double)report->bytes / (double)report->positions);
}

static enum wari_status pack_folder(const struct variant_choice *choice, struct wari_pack *pack,
                                    struct wari_error *error)
{
    struct progress_state state = {.line = {0}};
    struct wari_pack_report report;
    struct wari_catalogue catalogue; /* read for its note about missing levels */
    enum wari_status status = variant_in_folder(choice, pack->folder, &pack->variant, error);
    if (status != WARI_OK)
        return status;

    status = options_read_catalogue("pack", pack->folder, pack->variant, &catalogue, error);
    if (status != WARI_OK)
        return status;

    variant_text(pack->variant, state.name);
    pack->progress = show_progress;
    pack->context = &state;
    pack->stop = interrupt_flag();
    interrupt_catch();
    report_folder_sync("pack", pack->folder);
    progress_begin(&state.line);
    status = wari_pack(pack, &report, error);
    progress_clear(&state.line);
    if (status == WARI_OK)
        print_report(&state, pack->folder, &report);
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
    .summary = "rewrite a database in a smaller form",
    .run = run,
    .help =
        "usage: wari pack --db DIR [OPTION...]\n"
        "\n"
        "Rewrites the level files of a database without the values that can be found by looking\n"
        "one move ahead: 1.5 bits a position instead of 2.8. All values stay the same, and all\n"
        "commands read packed files. Commands take somewhat longer then, especially those that\n"
        "read whole levels. Packing takes longer than building, because every value that will be\n"
        "omitted is looked up first.\n"
        "\n"
        "If level files are missing, the levels below the lowest missing one are packed.\n"
        "\n"
        "The database can be used while it is packed, but no levels can be built in the folder.\n"
        "If the command is stopped, the same command continues.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to pack, if the folder holds several\n"
        "  --threads T    default: one for each processor that the program may use\n"
        "  --memory SIZE  bytes (or 500M, 2G) for values; default 268M. At most half of it is for\n"
        "                 the values that will be omitted, the rest for looking them up. With\n"
        "                 32M, the level with 24 seeds takes a tenth longer. The models of\n"
        "                 all files and 1 MB per thread are needed in addition\n"
        "  --no-lock      do not lock the folder, for file systems on which this is impossible;\n"
        "                 two builds or packs at once in a folder would damage the database\n"
        "\n"
        "example\n"
        "  wari pack --db tables --memory 1G\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a file is damaged, or a value is not that of best\n"
        "play; 4 reading or writing failed, the disk is full, or a build is running in the\n"
        "folder; 5 not enough memory; 6 the folder does not contain that rule set; 129, 130 or\n"
        "143 stopped by a signal\n",
};
