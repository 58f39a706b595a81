/* `wari check`: finds damaged files of a database, or of a book, by their hashes.
 *
 * This check lies between opening a database, which reads no chunk and no large offset table, and
 * `wari verify`, which proves the values. All databases of the folder are checked unless one is
 * named, and all damage is listed, not only the first. The result is data and goes to standard
 * output. The exit code is that of the most serious damage.
 */
#include "db/maintain/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/book/book_file.h"
#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/proof.h"
#include "db/maintain/published.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options;
    int threads;
    bool published; /* --published was given */
};

/* Facts about the values of a database. They do not depend on the integrity of its files. */
struct value_status {
    int proved;                      /* the highest level that is on record as proved; -1 means
                                      * none */
    struct wari_published published; /* result of the comparison with published values; valid
                                      * only with --published */
};

struct check_state {
    const struct request *request;
    struct progress_line line;
    char name[VARIANT_TEXT];      /* name of the current database */
    json_t *damages;              /* list of what is damaged in the current database; NULL without
                                   * JSON output */
    json_t *databases;            /* all finished databases; NULL without JSON output */
    bool json_failed;             /* memory ran out while JSON values were made */
    struct wari_check_report all; /* sums over all databases */
    bool differs;                 /* a database differs from the published values */
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    if (key == 'p') {
        request->published = true;
        return WARI_OK;
    }
    return options_threads(&request->threads, error);
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"threads", required_argument, NULL, 't'},
        {"published", no_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 1, handle_option, request};

    *request = (struct request){.threads = 0};
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && request->options.book && (request->published || request->threads))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--published and --threads apply to folders, not to books");
    if (request->threads == 0)
        request->threads = machine_processors();
    return status;
}

/* ---- Damage ---- */

/* Returns the text without the path of the folder at its beginning. */
static const char *without_folder(const char *text, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(text, folder, length) == 0 && text[length] == '/' ? text + length + 1 : text;
}

static void show_damage(void *context, const struct wari_damage *damage)
{
    struct check_state *state = context;
    progress_clear(&state->line);
    if (state->request->options.format == FORMAT_TEXT) {
        puts(damage->text);
        return;
    }
    json_t *object =
        json_pack("{so ss sI so}", "file", json_message(damage->file), "part", damage->part,
                  "offset", (json_int_t)damage->offset, "text",
                  json_message(without_folder(damage->text, state->request->options.folder)));
    state->json_failed |= json_array_append_new(state->damages, object) != 0;
}

static void show_progress(void *context, uint64_t done, uint64_t all)
{
    struct check_state *state = context;
    if (progress_due(&state->line))
        progress_show(&state->line, "", "%s: %.0f %%", state->name, text_percent(done, all));
}

/* ---- Output ---- */

static void print_database(const struct check_state *state, const struct wari_check_report *report)
{
    char chunks[TEXT_NUMBER], bytes[TEXT_NUMBER], damaged[TEXT_NUMBER], folder[TEXT_PATH];
    printf("%s in %s: %d level%s, %s chunk%s, %s bytes: ", state->name,
           text_path(state->request->options.folder, folder), report->levels,
           report->levels == 1 ? "" : "s", text_number(report->chunks, chunks),
           report->chunks == 1 ? "" : "s", text_number(report->bytes, bytes));
    if (report->damaged == 0)
        puts("intact");
    else
        printf("%s fault%s: %s\n", text_number(report->damaged, damaged),
               report->damaged == 1 ? "" : "s",
               report->worst == WARI_IO ? "missing or unreadable" : "DAMAGED");
}

static void print_values(const struct check_state *state, const struct value_status *values)
{
    const struct wari_published *published = &values->published;
    if (values->proved >= 0)
        printf("%s: levels 0 to %d are on record as proved\n", state->name, values->proved);
    if (!state->request->published)
        return;
    if (published->differs >= 0)
        printf("%s: DIFFERS from the published figures in %s level %d\n", state->name,
               published->counts ? "the catalogue's counts of" : "the values of",
               published->differs);
    else if (published->same > 0)
        printf("%s: %d level%s: the same values and counts as published\n", state->name,
               published->same, published->same == 1 ? "" : "s");
    if (published->differs < 0 && published->unlisted > 0)
        printf("%s: %d level%s: no proved values are published\n", state->name, published->unlisted,
               published->unlisted == 1 ? "" : "s");
}

/* Adds the result of checking the values to the JSON object of a database. */
static bool add_values(const struct check_state *state, json_t *object,
                       const struct value_status *values)
{
    const struct wari_published *published = &values->published;
    bool added = json_object_set_new(object, "proved", json_integer(values->proved)) == 0;
    if (state->request->published)
        added &=
            json_object_set_new(object, "published", json_integer(published->same)) == 0 &&
            json_object_set_new(object, "unpublished", json_integer(published->unlisted)) == 0 &&
            json_object_set_new(object, "differs_in", json_integer(published->differs)) == 0;
    return added;
}

static bool add_database(struct check_state *state, struct wari_variant variant,
                         const struct wari_check_report *report, const struct value_status *values)
{
    json_t *object = json_pack(
        "{ss ss sb si sI sI sI sO}", "rules", wari_get_rules_info(variant.rules)->name, "cycle",
        wari_cycle_name(variant.cycle), "ok", (int)(report->damaged == 0), "levels", report->levels,
        "chunks", (json_int_t)report->chunks, "bytes", (json_int_t)report->bytes, "damaged",
        (json_int_t)report->damaged, "damages", state->damages);
    state->json_failed |= !object || !add_values(state, object, values);
    return json_array_append_new(state->databases, object) == 0 && !state->json_failed;
}

static enum wari_status print_json(struct check_state *state, struct wari_error *error)
{
    const struct wari_check_report *all = &state->all;
    return json_print(json_pack("{sb si sI sI sI sO}", "ok", (int)(all->damaged == 0), "levels",
                                all->levels, "chunks", (json_int_t)all->chunks, "bytes",
                                (json_int_t)all->bytes, "damaged", (json_int_t)all->damaged,
                                "databases", state->databases),
                      error);
}

/* ---- Checking a folder ---- */

static void add_report(struct wari_check_report *all, const struct wari_check_report *one)
{
    all->levels += one->levels;
    all->chunks += one->chunks;
    all->bytes += one->bytes;
    all->damaged += one->damaged;
    if (wari_check_severity(one->worst) > wari_check_severity(all->worst))
        all->worst = one->worst;
}

/* Checks the record of proved levels. A damaged record is reported like a damaged file. */
static enum wari_status check_record(struct check_state *state, struct wari_variant variant,
                                     int *proved, struct wari_check_report *report,
                                     struct wari_error *error)
{
    const char *folder = state->request->options.folder;
    struct wari_catalogue catalogue;
    struct wari_proof_record proof;
    struct wari_error reason;

    *proved = -1;
    enum wari_status status =
        wari_catalogue_read(&catalogue, wari_host_system(), folder, variant, &reason);
    if (status == WARI_OK)
        status = wari_catalogue_drop_unusable(&catalogue, wari_host_system(), folder, &reason);
    if (status != WARI_OK)
        return WARI_OK; /* already reported by wari_check() */
    status = wari_proof_read(&proof, wari_host_system(), folder, variant, &reason);
    if (status == WARI_NO_MEMORY)
        return wari_fail(error, status, "%s", reason.text);
    *proved = wari_proof_fits(&proof, &catalogue);
    if (status == WARI_OK)
        return WARI_OK;
    char name[64];
    snprintf(name, sizeof name, "%s-%s.proof", wari_get_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle));
    show_damage(state, &(struct wari_damage){status, name, -1, "record", 0, reason.text});
    report->damaged++;
    if (wari_check_severity(status) > wari_check_severity(report->worst))
        report->worst = status;
    return WARI_OK;
}

/* Reads which levels are recorded as proved. With --published, also reads all values, and compares
 * them and the counts of the catalogue with the published figures, but only if no damage was found.
 */
static enum wari_status check_values(struct check_state *state, struct wari_variant variant,
                                     struct value_status *values, struct wari_check_report *report,
                                     struct wari_error *error)
{
    *values = (struct value_status){.published = {.differs = -1}};
    enum wari_status status = check_record(state, variant, &values->proved, report, error);
    if (status != WARI_OK || !state->request->published || report->damaged > 0)
        return status;
    status = wari_check_published(state->request->options.folder, variant, interrupt_flag(),
                                  &values->published, error);
    state->differs |= values->published.differs >= 0;
    return status;
}

static enum wari_status check_variant(struct check_state *state, struct wari_variant variant,
                                      struct wari_error *error)
{
    const struct wari_check check = {
        .folder = state->request->options.folder,
        .variant = variant,
        .threads = state->request->threads,
        .found = show_damage,
        .progress = show_progress,
        .context = state,
        .stop = interrupt_flag(),
    };
    const bool json = state->request->options.format == FORMAT_JSON;
    struct wari_check_report report;
    struct value_status values;

    variant_text(variant, state->name);
    state->damages = json ? json_array() : NULL;
    enum wari_status status = wari_check(&check, &report, error);
    progress_clear(&state->line);
    if (status == WARI_OK)
        status = check_values(state, variant, &values, &report, error);
    if (status == WARI_OK) {
        add_report(&state->all, &report);
        if (json) {
            if (!add_database(state, variant, &report, &values))
                status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
        } else {
            print_database(state, &report);
            print_values(state, &values);
        }
    }
    json_decref(state->damages);
    return status;
}

/* Returns the status of the whole command, after all databases have been checked. */
static enum wari_status final_status(const struct check_state *state, struct wari_error *error)
{
    if (state->all.damaged == 0 && state->differs)
        return wari_fail(error, WARI_DIFFERENT, "%s: differs from the published figures",
                         state->request->options.folder);
    if (state->all.damaged == 0)
        return WARI_OK;
    return wari_fail(error, state->all.worst, "%s: %" PRIu64 " fault%s: %s",
                     state->request->options.folder, state->all.damaged,
                     state->all.damaged == 1 ? "" : "s",
                     state->all.worst == WARI_IO
                         ? "missing or unreadable; fix what the list shows and check again"
                         : "damaged; get the files again, or replace damaged levels with 'wari "
                           "build --replace-damaged'");
}

/* ---- Books ---- */

/* Reads and checks all of a book: every byte by the hash of the whole file, and every block by its
 * own hash. The record of the levels was already checked when the handle was opened. */
static enum wari_status check_bytes(const char *path, uint64_t *hash, struct wari_error *error)
{
    struct wari_book_file *file = malloc(sizeof *file);
    if (!file)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a book");
    enum wari_status status = wari_book_file_open(file, wari_host_system(), path, error);
    if (status == WARI_OK) {
        status = wari_book_check(&file->book, hash, error);
        wari_book_file_close(file);
    }
    free(file);
    return status;
}

static enum wari_status print_intact(const struct wari_db *db, bool json, const char *path,
                                     uint64_t hash, struct wari_error *error)
{
    struct wari_info info;
    char name[VARIANT_TEXT], bytes[TEXT_NUMBER], digits[20], clean[TEXT_PATH];
    wari_get_info(db, &info);
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    if (json)
        return json_print(json_pack("{sb ss ss si sI ss}", "ok", 1, "rules",
                                    wari_get_rules_info(info.variant.rules)->name, "cycle",
                                    wari_cycle_name(info.variant.cycle), "seeds", info.seeds_max,
                                    "bytes", (json_int_t)info.file_bytes, "hash", digits),
                          error);
    variant_text(info.variant, name);
    printf("%s in %s: book of 0 to %d seeds, %s bytes, hash %s: intact\n", name,
           text_path(path, clean), info.seeds_max, text_number(info.file_bytes, bytes), digits);
    return WARI_OK;
}

/* Checks a book and prints the result. */
static enum wari_status check_book(const struct database_options *options, struct wari_error *error)
{
    const bool json = options->format == FORMAT_JSON;
    struct wari_db *db = NULL;
    struct wari_error print_error;
    char path[TEXT_PATH];
    uint64_t hash = 0;
    enum wari_status status = options_open_book(&options->choice, options->book, NULL, &db, error);
    if (status == WARI_OK)
        status = check_bytes(options->book, &hash, error);
    if (status == WARI_OK)
        status = print_intact(db, json, options->book, hash, error);
    else if (status == WARI_CORRUPT && json)
        status = json_print(json_pack("{sb so}", "ok", 0, "text", json_message(error->text)),
                            &print_error) == WARI_OK
                     ? WARI_CORRUPT
                     : wari_fail(error, print_error.status, "%s", print_error.text);
    else if (status == WARI_CORRUPT)
        printf("%s: DAMAGED\n", text_path(options->book, path));
    wari_close(db);
    return status;
}

static enum wari_status check_folder_or_book(const struct request *request,
                                             struct wari_error *error)
{
    const struct database_options *options = &request->options;
    if (options->book)
        return check_book(options, error);
    struct check_state state = {.request = request};
    struct wari_variant variants[WARI_VARIANT_COUNT];
    int count;
    enum wari_status status =
        variants_in_folder(&options->choice, options->folder, variants, &count, error);
    if (status != WARI_OK)
        return status;

    interrupt_catch();
    progress_begin(&state.line);
    state.databases = options->format == FORMAT_JSON ? json_array() : NULL;
    for (int i = 0; i < count && status == WARI_OK; i++)
        status = check_variant(&state, variants[i], error);
    if (status == WARI_OK && options->format == FORMAT_JSON)
        status = print_json(&state, error);
    json_decref(state.databases);
    return status == WARI_OK ? final_status(&state, error) : status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = check_folder_or_book(&request, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_check = {
    .name = "check",
    .summary = "find damaged files by their hashes",
    .run = run,
    .help =
        "usage: wari check --db DIR [--rules R] [--cycle C] [OPTION...]\n"
        "       wari check [--book] FILE [--rules R] [--cycle C] [--format F]\n"
        "\n"
        "Reads every file of the databases in a folder and compares hashes. This shows whether\n"
        "each file is intact and belongs to its rule set, cycle rule, level and offset. All\n"
        "damage is listed with the file and the byte offset. The values are not examined:\n"
        "'wari verify' proves that they are correct. For a book ('wari book'), FILE, all\n"
        "blocks are decoded as well, and the hash of the book is printed.\n"
        "\n"
        "  --db DIR       folder of the databases\n"
        "  --book FILE    check a book instead; the word --book may be omitted\n"
        "  --rules R, --cycle C\n"
        "                 check only databases of this rule set, cycle rule or preset;\n"
        "                 default: all\n"
        "  --threads T    default: one for each processor that the program may use\n"
        "  --published    also read all values, and compare them and the counts in the\n"
        "                 catalogue with the proved figures that are published with this\n"
        "                 program; useful for databases from an unknown source\n"
        "  --format F     text (default), json (--json for short)\n"
        "\n"
        "'wari build --replace-damaged' solves damaged levels again. Level files that the\n"
        "catalogue lists but that are missing are reported in one line; all commands then use\n"
        "the levels below the lowest missing one, and 'wari build' solves the missing ones.\n"
        "\n"
        "The output also states which levels are on record as proved ('wari verify').\n"
        "\n"
        "The JSON object for a book has ok, rules, cycle, seeds, bytes and hash, or ok and text.\n"
        "The object for a folder has ok, levels, chunks, bytes, damaged, and databases, an array\n"
        "with rules, cycle and the same figures for each database, and its damages: file, part,\n"
        "offset and text. part is catalogue, header, offset table, model, chunks, end (the file\n"
        "is too short or too long), file (for example, missing) or record; offset is where that\n"
        "part begins. Each database also has proved, the last level on record as proved, or -1.\n"
        "With --published it has published and unpublished (numbers of levels) and differs_in\n"
        "(the first level whose values or counts differ, or -1).\n"
        "\n"
        "example\n"
        "  wari check --db tables\n"
        "\n"
        "exit codes: 0 all files are intact; 1 values or counts differ from the published ones; 2\n"
        "bad usage; 3 a file is damaged; 4 a file is missing or cannot be read, or no\n"
        "level is finished yet; 5 not enough memory; 6 a file is intact but of another rule set,\n"
        "cycle rule, level or format version, or the folder does not contain the rule set; 129,\n"
        "130 or 143 stopped by a signal\n",
};
