/* `wari book`: writes all levels of a variant into one file. wari_bind() does the work. */
#include <inttypes.h>
#include <stdio.h>

#include "db/maintain/bind.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

struct request {
    struct database_options options;
    int seeds; /* highest level of the book; -1 means all levels of the database */
    const char *path;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    if (key == 's')
        return options_seeds(optarg, &request->seeds, error);
    request->path = optarg;
    return options_require_file("--output", optarg, error);
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},
        OPTIONS_VARIANT,
        {"seeds", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, request};

    *request = (struct request){.seeds = -1};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && !request->path)
        status = wari_fail(error, WARI_BAD_INPUT, "--output FILE is missing; FILE is the book");
    return status;
}

static void show_progress(void *context, uint64_t done, uint64_t all)
{
    struct progress_line *line = context;
    if (progress_due(line))
        progress_show(line, "", "book: %.0f %%", text_percent(done, all));
}

static void print_report(const struct wari_bind *bind, const struct wari_bind_report *report)
{
    struct wari_info info;
    char name[VARIANT_TEXT], bytes[TEXT_NUMBER], path[TEXT_PATH];
    wari_get_info(bind->db, &info);
    variant_text(info.variant, name);
    printf("%s in %s: 0 to %d seeds, %s bytes, %.2f bits a position, hash %016" PRIx64 "\n", name,
           text_path(bind->path, path), bind->seeds, text_number(report->bytes, bytes),
           8.0 * (double)report->bytes / (double)report->positions, report->hash);
}

static enum wari_status write_book(const struct request *request, struct wari_error *error)
{
    struct progress_line line = {0};
    struct wari_bind bind = {.path = request->path,
                             .seeds = request->seeds,
                             .progress = show_progress,
                             .context = &line,
                             .stop = interrupt_flag()};
    struct wari_bind_report report;
    struct wari_info info;
    enum wari_status status = output_check_path(request->path, error);
    if (status == WARI_OK)
        status = output_refuse_source(
            request->path, &(struct output_sources){.folder = request->options.folder}, error);
    if (status == WARI_OK)
        status = options_open(&request->options, &bind.db, error);
    if (status != WARI_OK)
        return status;
    wari_get_info(bind.db, &info);
    if (bind.seeds < 0)
        bind.seeds = info.seeds_max;
    interrupt_catch();
    report_folder_sync("book", request->path);
    progress_begin(&line);
    status = wari_bind(&bind, &report, error);
    progress_clear(&line);
    if (status == WARI_OK)
        print_report(&bind, &report);
    wari_close(bind.db);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = write_book(&request, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_book = {
    .name = "book",
    .summary = "put all levels into one file, for other programs",
    .run = run,
    .help =
        "usage: wari book --db DIR --output FILE [OPTION...]\n"
        "\n"
        "Writes a book: one file with all values of one variant, in an encoding that a small\n"
        "program can decode. 'make amalgamation' makes two C files with which other programs can\n"
        "read a book. The commands query, judge, engine, puzzles and serve read a book with\n"
        "--book, and check checks it. The same values always give the same bytes. All stored\n"
        "values are compared with the database before the file gets its name. A book does not\n"
        "store values that can be found by looking one move ahead, so use 'wari verify' first if\n"
        "the database comes from an unknown source.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to read, if the folder holds several\n"
        "  --seeds N      levels 0 to N; default: all levels of the database\n"
        "  --output FILE  the file to write; -o for short. An existing file is replaced\n"
        "\n"
        "example\n"
        "  wari book --db tables --rules tournament --seeds 12 -o oware.book\n"
        "\n"
        "exit codes: 0 done; 1 the database has fewer levels; 2 bad usage; 3 a file is damaged;\n"
        "4 reading or writing failed, or the disk is full; 5 not enough memory; 6 the folder\n"
        "does not contain that rule set; 129, 130 or 143 stopped by a signal\n",
};
