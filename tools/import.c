/* `wari import`: makes a database from score files. wari_import() does the work. */
#include "solver/import/import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "db/format/level_file.h"
#include "db/format/level_record.h"
#include "index/level.h"
#include "system/clock.h"
#include "system/threads.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/common/time_left.h"

enum {
    CHECKPOINT_MAX = 86400, /* one day */
    COUNTING_COST = 2,      /* counting a position takes about as long as writing two positions */
};

struct request {
    struct wari_import import;
    struct variant_choice choice;
};

struct progress_state {
    struct progress_line line;
    struct time_left left;
    char name[VARIANT_TEXT];
    const struct wari_import *import;
    int finished;            /* number of levels that are finished */
    uint64_t positions_done; /* positions of these levels */
    bool resumed;            /* an earlier command had begun one of these levels */
    double began;
};

/* ---- Command line ---- */

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    struct wari_import *import = &request->import;
    size_t bytes = 0;
    int seconds = 0;
    enum wari_status status = WARI_OK;
    switch (key) {
    case 'd':
        import->build.folder = optarg;
        return WARI_OK;
    case 'S':
        import->scores = optarg;
        return WARI_OK;
    case 's':
        return options_seed_range(optarg, &import->first, &import->last, error);
    case 'r':
        request->choice.rules = optarg;
        return WARI_OK;
    case 'c':
        request->choice.cycle = optarg;
        return WARI_OK;
    case 'p':
        import->packed = true;
        return WARI_OK;
    case 'H':
        import->sparse = true;
        return WARI_OK;
    case 't':
        return options_threads(&import->build.threads, error);
    case 'm':
        status = options_size("--memory", optarg, &bytes, error);
        import->build.memory = bytes;
        return status;
    case 'C':
        status = options_int("--checkpoint", optarg, 1, CHECKPOINT_MAX, &seconds, error);
        import->build.checkpoint = seconds;
        return status;
    default:
        import->build.no_lock = true;
        return WARI_OK;
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"scores", required_argument, NULL, 'S'},
        {"db", required_argument, NULL, 'd'},
        {"seeds", required_argument, NULL, 's'},
        OPTIONS_VARIANT,
        {"packed", no_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 't'},
        {"memory", required_argument, NULL, 'm'},
        {"checkpoint", required_argument, NULL, 'C'},
        {"no-lock", no_argument, NULL, 'L'},
        {"sparse", no_argument, NULL, 'H'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, request};
    struct wari_import *import = &request->import;

    *request = (struct request){.import = {.first = -1}};
    import->build.threads = machine_processors();
    enum wari_status status = options_read(&line, error);
    if (status == WARI_OK)
        status = options_require_scores(import->scores, error);
    if (status == WARI_OK)
        status = options_require_folder(import->build.folder, error);
    if (status == WARI_OK && import->first < 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--seeds A-B is missing; A and B are the first and the last level to "
                           "import, for example 0-46");
    if (status == WARI_OK)
        status = variant_to_build(&request->choice, &import->build.variant, error);
    return status;
}

/* ---- Progress ---- */

static double planned_seconds(const struct wari_import *import, int seeds)
{
    const uint64_t stored = wari_level_positions(seeds);
    const uint64_t full = import->sparse ? 0 : wari_level_placements(seeds) - stored;
    return 1e-8 * ((double)stored + COUNTING_COST * (double)full);
}

static void show_progress(void *context, const struct wari_import_progress *at)
{
    struct progress_state *state = context;
    const double now = state->line.clock();
    const double counting =
        1e-8 * COUNTING_COST *
        (double)(wari_level_placements(at->seeds) - wari_level_positions(at->seeds)) /
        planned_seconds(state->import, at->seeds);
    const double part = text_percent(at->done, at->all) / 100;
    char left[TIME_LEFT_TEXT];
    if (!progress_due(&state->line))
        return;
    time_left_text(time_left_at(&state->left, at->seeds,
                                at->counting ? part * counting : counting + part * (1 - counting),
                                now),
                   left);
    progress_show(&state->line, left, "level %d: %s %.0f %%", at->seeds,
                  at->counting ? "counting" : "writing", 100 * part);
}

enum { TEXT_SPEED = 64 };

/* Returns a text such as ", 80.0 million positions/s", which begins with `before`. Returns "" if a
 * level was resumed, because the time of its first part is not known. */
static const char *speed_text(const char *before, uint64_t positions, double seconds, bool resumed,
                              char text[TEXT_SPEED])
{
    text[0] = '\0';
    if (!resumed)
        snprintf(text, TEXT_SPEED, "%s%.1f million positions/s", before,
                 seconds > 0 ? (double)positions / seconds * 1e-6 : 0.0);
    return text;
}

static void level_done(void *context, const struct wari_progress *at)
{
    struct progress_state *state = context;
    const struct wari_level_statistics *statistics = at->statistics;
    char positions[TEXT_NUMBER], seconds[TEXT_NUMBER], bytes[TEXT_NUMBER], speed[TEXT_SPEED];
    if (at->phase != WARI_PHASE_LEVEL_DONE)
        return;
    state->finished++;
    state->positions_done += statistics->positions;
    state->resumed |= statistics->resumed;
    progress_clear(&state->line);
    fprintf(stderr, "level %2d: %s position%s, %s%s, file %s%s\n", at->seeds,
            text_number(statistics->positions, positions), statistics->positions == 1 ? "" : "s",
            text_seconds(at->level_seconds, seconds),
            speed_text(", ", statistics->positions, at->level_seconds, statistics->resumed, speed),
            text_bytes(at->level_bytes, bytes), statistics->resumed ? ", resumed" : "");
}

/* ---- Import ---- */

/* Chooses the memory limit if --memory is not given: as much memory as can speed up the import, but
 * at most half of the available memory, and in any case the minimum that the import needs. */
static void choose_memory(struct wari_import *import)
{
    const char *limit;
    const uint64_t available = machine_memory(import->build.threads, &limit) / 2;
    const uint64_t least = wari_import_memory_least(import);
    const uint64_t most = wari_import_memory_most(import);
    if (import->build.memory > 0)
        return;
    import->build.memory = most < available ? most : available;
    if (import->build.memory < least)
        import->build.memory = least;
}

/* Returns the size of the unfinished file of a level, which the import resumes or replaces. */
static uint64_t unfinished_bytes(const struct wari_import *import, int seeds)
{
    const struct wari_level_key key = {import->build.variant, seeds};
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX + 4];
    struct stat file;
    if (wari_level_path(path, import->build.folder, key, NULL) != WARI_OK)
        return 0;
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    return stat(temporary, &file) == 0 ? (uint64_t)file.st_size : 0;
}

/* Checks that the disk has space for the files of all levels. The space that unfinished files take
 * is counted as free. */
static enum wari_status check_disk(const struct wari_import *import,
                                   const struct wari_catalogue *catalogue, struct wari_error *error)
{
    char needed[TEXT_NUMBER], available[TEXT_NUMBER], levels[TEXT_NUMBER];
    uint64_t need = 0, disk = 0, unfinished = 0;
    for (int n = import->first; n <= import->last; n = wari_catalogue_next(n))
        if (!wari_catalogue_has(catalogue, n) && !import->sparse)
            need += import->packed ? wari_plan_file_bytes(n) / 2 : wari_plan_file_bytes(n);
    for (int n = import->first; n <= import->last; n = wari_catalogue_next(n))
        unfinished += unfinished_bytes(import, n);
    const enum wari_status status = machine_disk(import->build.folder, &disk, error);
    if (status != WARI_OK || need <= disk + unfinished)
        return status;
    return wari_fail(error, WARI_IO,
                     "%s: up to %s of disk space are needed for %s, but only %s are free; free "
                     "some space, choose another folder, or import fewer levels%s",
                     import->build.folder, text_bytes(need, needed),
                     text_levels(wari_catalogue_next_lacking(catalogue, import->first - 1),
                                 import->last, levels),
                     text_bytes(disk, available),
                     import->packed ? "" : "; --packed needs half of the space");
}

static void print_summary(const struct progress_state *state, double seconds)
{
    char positions[TEXT_NUMBER], time[TEXT_NUMBER], path[TEXT_PATH], levels[TEXT_NUMBER];
    char speed[TEXT_SPEED];
    const struct wari_import *import = state->import;
    if (state->finished == 0)
        printf("%s in %s has %s already\n", state->name, text_path(import->build.folder, path),
               text_levels(import->first, import->last, levels));
    else
        printf("%s in %s: %d level%s imported, %s position%s in %s%s\n", state->name,
               text_path(import->build.folder, path), state->finished,
               state->finished == 1 ? "" : "s", text_number(state->positions_done, positions),
               state->positions_done == 1 ? "" : "s", text_seconds(seconds, time),
               speed_text(": ", state->positions_done, seconds, state->resumed, speed));
}

/* Opens the file of each level up to the last one that is in the database already. This checks the
 * header, the model and the offset table of the file. */
static enum wari_status check_existing(const struct wari_import *import,
                                       const struct wari_catalogue *catalogue,
                                       struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int n = 0; n <= import->last && status == WARI_OK; n = wari_catalogue_next(n)) {
        const struct wari_level_address address = {
            wari_host_system(), import->build.folder, {import->build.variant, n}};
        struct wari_level_record record = catalogue->level[n];
        struct wari_level_file *file;
        if (!wari_catalogue_has(catalogue, n))
            continue;
        status = wari_catalogue_open_level(&file, &address, &record, error);
        if (status == WARI_OK)
            wari_level_file_close(file);
    }
    return status;
}

static enum wari_status import_files(struct wari_import *import, struct wari_error *error)
{
    struct progress_state state = {.import = import};
    struct wari_catalogue catalogue;
    const struct wari_host *host = wari_host_system();
    enum wari_status status =
        wari_catalogue_read(&catalogue, host, import->build.folder, import->build.variant, error);
    if (status == WARI_OK)
        status = wari_catalogue_find_missing(&catalogue, host, import->build.folder, error);
    if (status == WARI_OK)
        status = wari_import_check(import, &catalogue, error);
    if (status == WARI_OK)
        status = check_existing(import, &catalogue, error);
    if (status == WARI_OK)
        status = check_disk(import, &catalogue, error);
    if (status == WARI_OK)
        status = wari_start_threads(import->build.threads, error);
    if (status != WARI_OK)
        return status;

    choose_memory(import);
    variant_text(import->build.variant, state.name);
    time_left_begin(&state.left, 0);
    for (int n = import->first; n <= import->last; n = wari_catalogue_next(n))
        state.left.planned[n] = wari_catalogue_has(&catalogue, n) ? 0 : planned_seconds(import, n);
    import->build.progress = level_done;
    import->build.context = &state;
    import->build.stop = interrupt_flag();
    import->advance = show_progress;
    report_folder_sync("import", import->build.folder);
    interrupt_catch();
    progress_begin(&state.line);
    state.began = wari_seconds_now();
    status = wari_import(import, error);
    progress_clear(&state.line);
    if (status == WARI_OK)
        print_summary(&state, wari_seconds_now() - state.began);
    if (status == WARI_INTERRUPTED)
        return wari_fail(error, WARI_INTERRUPTED,
                         "stopped; finished levels are kept, and the same command continues");
    return status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = import_files(&request.import, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_import = {
    .name = "import",
    .summary = "make a database from the score files of Amsterdam",
    .run = run,
    .help =
        "usage: wari import --scores DIR --db DIR --seeds A-B [OPTION...]\n"
        "\n"
        "Reads score files: scores.0, scores.1, ..., one file for each number of seeds, as the\n"
        "Vrije Universiteit Amsterdam published them for Awari, and as 'wari export --scores'\n"
        "writes them. Writes the same level files and catalogue as a build, without solving. The\n"
        "values are not proved: 'wari check --published' compares them with known hashes, and\n"
        "'wari verify' proves them.\n"
        "\n"
        "  --scores DIR   folder of the score files; packed files (.tar.gz, .zst) have to be\n"
        "                 unpacked first\n"
        "  --db DIR       folder of the database; created if it does not exist\n"
        "  --seeds A-B    first and last level to import, or a single level; 0 to 46, or 48. All\n"
        "                 levels below A must be in the database. Levels that it has are skipped\n"
        "  --packed       write packed files, as 'wari pack' makes them: half the size. The\n"
        "                 values that they leave out are computed from the moves when they are\n"
        "                 needed; the import does not compare them with the score files\n"
        "  --rules R, --cycle C\n"
        "                 rule set of the values; default awari, even, as published. Score files\n"
        "                 do not name their rules, and the import does not notice wrong ones\n"
        "  --threads T    default: one for each processor that the program may use\n"
        "  --memory SIZE  bytes (or 500M, 2G) that the program may use; what is left over holds a\n"
        "                 score file of up to 1 GiB and a cache of lower levels. Default: as much\n"
        "                 as is useful, but at most half of what the machine has available\n"
        "  --checkpoint SECONDS\n"
        "                 interval at which the state of a level is saved; default 240\n"
        "  --no-lock      do not lock the folder, for file systems on which this is impossible;\n"
        "                 two builds or packs at once in a folder would damage the database\n"
        "  --sparse       for tests: score files that consist of holes, apart from a few rows. "
        "The\n"
        "                 holes are zeros and are not read; the histogram and the payload hash of\n"
        "                 such a level are not those of its values\n"
        "\n"
        "If the command is stopped or killed, or cannot read or write a file, the same command\n"
        "continues: after the last complete level, and within a level where its state was saved\n"
        "last.\n"
        "\n"
        "A file of another size, or with a byte that is not a value of the level, is refused, "
        "with\n"
        "its name and the offset.\n"
        "\n"
        "example\n"
        "  wari import --scores amsterdam --db imported --seeds 0-8 --packed\n"
        "\n"
        "exit codes: 0 done; 1 the database lacks a level below A; 2 bad usage; 3 a file is\n"
        "damaged; 4 reading or writing failed, a score file is missing, the disk is full, or a\n"
        "build is running in the folder; 5 not enough memory; 6 a file of another rule set or\n"
        "format version; 129, 130 or 143 stopped by a signal\n",
};
