/* `wari check`: whether the files of a database are those that were written, by their hashes.
 *
 * Between opening a database, which proves headers and offset tables alone, and `wari verify`,
 * which proves the values. All databases of the folder are checked unless one is asked for, and all
 * damage is listed, not only the first: the verdict is data and goes to standard output. The exit
 * code is that of the worst that was found.
 */
#include "db/maintain/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/proof.h"
#include "db/maintain/published.h"
#include "tools/check_book.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options;
    int threads;
    bool published; /* --published was given */
};

/* What is known of the values of a database, besides that its files are whole. */
struct values {
    int proved;                      /* the last level that is on record as proved; -1: none */
    struct wari_published published; /* if that was asked for */
};

/* One run: the database at hand, and the sums over all of them. */
struct run {
    const struct request *request;
    struct progress_line line;
    char name[VARIANT_TEXT]; /* of the database at hand */
    json_t *damages;         /* of the database at hand; only for JSON, as the next */
    json_t *databases;
    bool json_failed;
    struct wari_check_report all;
    bool differs; /* some database is not as published */
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
                         "--published and --threads are about folders of tables, not about a book");
    if (request->threads == 0)
        request->threads = machine_processors();
    return status;
}

/* ---- What is found -------------------------------------------------------------------------- */

/* The text without the folder: the names of the files in it are enough. */
static const char *without_folder(const char *text, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(text, folder, length) == 0 && text[length] == '/' ? text + length + 1 : text;
}

static void show_damage(void *context, const struct wari_damage *damage)
{
    struct run *run = context;
    progress_clear(&run->line);
    if (run->request->options.format == FORMAT_TEXT) {
        puts(damage->text);
        return;
    }
    json_t *object =
        json_pack("{so ss sI so}", "file", json_message(damage->file), "part", damage->part,
                  "offset", (json_int_t)damage->offset, "text",
                  json_message(without_folder(damage->text, run->request->options.folder)));
    run->json_failed |= json_array_append_new(run->damages, object) != 0;
}

static void show_progress(void *context, uint64_t done, uint64_t all)
{
    struct run *run = context;
    if (progress_due(&run->line))
        progress_show(&run->line, "%s: %.0f %%", run->name, text_percent(done, all));
}

/* ---- The verdict ---------------------------------------------------------------------------- */

static void print_database(const struct run *run, const struct wari_check_report *report)
{
    char chunks[TEXT_NUMBER], bytes[TEXT_NUMBER], damaged[TEXT_NUMBER], folder[TEXT_PATH];
    printf("%s in %s: %d level%s, %s chunk%s, %s bytes: ", run->name,
           text_path(run->request->options.folder, folder), report->levels,
           report->levels == 1 ? "" : "s", text_number(report->chunks, chunks),
           report->chunks == 1 ? "" : "s", text_number(report->bytes, bytes));
    if (report->damaged == 0)
        puts("intact");
    else
        printf("%s place%s %s\n", text_number(report->damaged, damaged),
               report->damaged == 1 ? "" : "s",
               report->worst == WARI_IO ? "missing or unreadable" : "DAMAGED");
}

static void print_values(const struct run *run, const struct values *values)
{
    const struct wari_published *published = &values->published;
    if (values->proved >= 0)
        printf("%s: levels 0 to %d are on record as proved\n", run->name, values->proved);
    if (!run->request->published)
        return;
    if (published->differs >= 0)
        printf("%s: DIFFERS from what was published in %s level %d\n", run->name,
               published->counts ? "the catalogue's counts of" : "the values of",
               published->differs);
    else if (published->same > 0)
        printf("%s: %d level%s: the same values and counts as published\n", run->name,
               published->same, published->same == 1 ? "" : "s");
    if (published->differs < 0 && published->unlisted > 0)
        printf("%s: %d level%s: not proved and published\n", run->name, published->unlisted,
               published->unlisted == 1 ? "" : "s");
}

/* Adds what is known of the values to the object of a database. */
static bool add_values(const struct run *run, json_t *object, const struct values *values)
{
    const struct wari_published *published = &values->published;
    bool added = json_object_set_new(object, "proved", json_integer(values->proved)) == 0;
    if (run->request->published)
        added &=
            json_object_set_new(object, "published", json_integer(published->same)) == 0 &&
            json_object_set_new(object, "unpublished", json_integer(published->unlisted)) == 0 &&
            json_object_set_new(object, "differs_in", json_integer(published->differs)) == 0;
    return added;
}

static bool add_database(struct run *run, struct wari_variant variant,
                         const struct wari_check_report *report, const struct values *values)
{
    json_t *object = json_pack(
        "{ss ss sb si sI sI sI sO}", "rules", wari_rules_info(variant.rules)->name, "cycle",
        wari_cycle_name(variant.cycle), "ok", (int)(report->damaged == 0), "levels", report->levels,
        "chunks", (json_int_t)report->chunks, "bytes", (json_int_t)report->bytes, "damaged",
        (json_int_t)report->damaged, "damages", run->damages);
    run->json_failed |= !object || !add_values(run, object, values);
    return json_array_append_new(run->databases, object) == 0 && !run->json_failed;
}

static enum wari_status print_json(struct run *run, struct wari_error *error)
{
    const struct wari_check_report *all = &run->all;
    return json_print(json_pack("{sb si sI sI sI sO}", "ok", (int)(all->damaged == 0), "levels",
                                all->levels, "chunks", (json_int_t)all->chunks, "bytes",
                                (json_int_t)all->bytes, "damaged", (json_int_t)all->damaged,
                                "databases", run->databases),
                      error);
}

/* ---- The run -------------------------------------------------------------------------------- */

static void add_report(struct wari_check_report *all, const struct wari_check_report *one)
{
    /* The enum has no order that helps: corrupt, then mismatch, then what cannot be read. */
    static const int weights[] = {[WARI_CORRUPT] = 3, [WARI_MISMATCH] = 2, [WARI_IO] = 1};
    all->levels += one->levels;
    all->chunks += one->chunks;
    all->bytes += one->bytes;
    all->damaged += one->damaged;
    if (weights[one->worst] > weights[all->worst])
        all->worst = one->worst;
}

/* The record of the proof: damage of it is damage of a file. */
static enum wari_status check_record(struct run *run, struct wari_variant variant, int *proved,
                                     struct wari_check_report *report, struct wari_error *error)
{
    const char *folder = run->request->options.folder;
    struct wari_catalogue catalogue;
    struct wari_proof_record proof;
    struct wari_error why;

    *proved = -1;
    enum wari_status status =
        wari_catalogue_read(&catalogue, wari_host_system(), folder, variant, &why);
    if (status != WARI_OK)
        return WARI_OK; /* reported already */
    status = wari_proof_read(&proof, wari_host_system(), folder, variant, &why);
    if (status == WARI_NO_MEMORY)
        return wari_fail(error, status, "%s", why.text);
    *proved = wari_proof_fits(&proof, &catalogue);
    if (status == WARI_OK)
        return WARI_OK;
    char name[64];
    snprintf(name, sizeof name, "%s-%s.proof", wari_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle));
    show_damage(run, &(struct wari_damage){status, name, "record", 0, why.text});
    report->damaged++;
    if (report->worst == WARI_OK)
        report->worst = status;
    return WARI_OK;
}

/* What is known of the values; they are read where the files are whole. */
static enum wari_status check_values(struct run *run, struct wari_variant variant,
                                     struct values *values, struct wari_check_report *report,
                                     struct wari_error *error)
{
    *values = (struct values){.published = {.differs = -1}};
    enum wari_status status = check_record(run, variant, &values->proved, report, error);
    if (status != WARI_OK || !run->request->published || report->damaged > 0)
        return status;
    status = wari_check_published(run->request->options.folder, variant, interrupt_flag(),
                                  &values->published, error);
    run->differs |= values->published.differs >= 0;
    return status;
}

static enum wari_status check_variant(struct run *run, struct wari_variant variant,
                                      struct wari_error *error)
{
    const struct wari_check check = {
        .folder = run->request->options.folder,
        .variant = variant,
        .threads = run->request->threads,
        .found = show_damage,
        .progress = show_progress,
        .context = run,
        .stop = interrupt_flag(),
    };
    const bool json = run->request->options.format == FORMAT_JSON;
    struct wari_check_report report;
    struct values values;

    variant_text(variant, run->name);
    run->damages = json ? json_array() : NULL;
    enum wari_status status = wari_check(&check, &report, error);
    progress_clear(&run->line);
    if (status == WARI_OK)
        status = check_values(run, variant, &values, &report, error);
    if (status == WARI_OK) {
        add_report(&run->all, &report);
        if (json) {
            if (!add_database(run, variant, &report, &values))
                status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
        } else {
            print_database(run, &report);
            print_values(run, &values);
        }
    }
    json_decref(run->damages);
    return status;
}

static enum wari_status verdict(const struct run *run, struct wari_error *error)
{
    if (run->all.damaged == 0 && run->differs)
        return wari_fail(error, WARI_DIFFERENT, "%s: not what was published",
                         run->request->options.folder);
    if (run->all.damaged == 0)
        return WARI_OK;
    return wari_fail(error, run->all.worst, "%s: %" PRIu64 " place%s %s",
                     run->request->options.folder, run->all.damaged,
                     run->all.damaged == 1 ? "" : "s",
                     run->all.worst == WARI_IO
                         ? "missing or unreadable; see to what the list says and check again"
                         : "damaged; get the files again, or build the levels in another folder "
                           "and copy them");
}

static enum wari_status check_place(const struct request *request, struct wari_error *error)
{
    const struct database_options *options = &request->options;
    if (options->book)
        return check_book(options, error);
    struct run run = {.request = request};
    struct wari_variant variants[WARI_VARIANTS];
    int count;
    enum wari_status status =
        variants_in_folder(&options->choice, options->folder, variants, &count, error);
    if (status != WARI_OK)
        return status;

    interrupt_catch();
    progress_begin(&run.line);
    run.databases = options->format == FORMAT_JSON ? json_array() : NULL;
    for (int i = 0; i < count && status == WARI_OK; i++)
        status = check_variant(&run, variants[i], error);
    if (status == WARI_OK && options->format == FORMAT_JSON)
        status = print_json(&run, error);
    json_decref(run.databases);
    return status == WARI_OK ? verdict(&run, error) : status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = check_place(&request, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_check = {
    .name = "check",
    .summary = "find damaged files by their hashes",
    .run = run,
    .help = "usage: wari check --db DIR [--rules R] [--cycle C] [OPTION...]\n"
            "       wari check [--book] FILE [--rules R] [--cycle C] [--format F]\n"
            "\n"
            "Reads every file of the databases in a folder and compares hashes: whether the bytes\n"
            "are those that were written, for this rule set, cycle rule, level and place. Lists\n"
            "all damage with file and byte offset. It reads no values: whether they are right is\n"
            "for 'wari verify' to prove. Of a book ('wari book'), FILE, all blocks are decoded,\n"
            "too, and its hash is printed.\n"
            "\n"
            "  --db DIR       folder of the databases\n"
            "  --book FILE    a book in place of them; --book itself may be left out\n"
            "  --rules R, --cycle C\n"
            "                 only those with this rule set, cycle rule or preset; default: all\n"
            "  --threads T    default: one for each processor\n"
            "  --published    read all values, too, and compare them, and the counts of the\n"
            "                 catalogue, with those that were proved and published with this\n"
            "                 program: for tables from a stranger\n"
            "  --format F     text (default), json (--json for short)\n"
            "\n"
            "A file that is built again in another folder has the same values. Where 'wari pack'\n"
            "went over this folder, it has to go over that one before the file is copied.\n"
            "\n"
            "Says, too, which levels' values are on record as proved ('wari verify').\n"
            "\n"
            "With JSON, of a book ok, rules, cycle, seeds, bytes and hash, or ok and text; of a\n"
            "folder one object: ok, levels, chunks, bytes, damaged, and databases, an array\n"
            "with rules, cycle, the same for each, and its damages: file, part, offset, text.\n"
            "The part is catalogue, header, offset table, model, chunks, end (the file is too\n"
            "short or too long), file (missing, say) or record; the offset is where it starts.\n"
            "A database also has proved: the last level on record as proved, -1 for none; and\n"
            "with --published published and unpublished, numbers of levels, and differs_in, a\n"
            "level, in its values or its counts, or -1.\n"
            "\n"
            "example\n"
            "  wari check --db tables\n"
            "\n"
            "exit codes: 0 all files are intact; 1 other values or counts than published; 2\n"
            "bad usage; 3 a file is damaged; 4 a file is missing or cannot be read; 5 not enough\n"
            "memory; 6 a file is intact but of another rule set, cycle rule, level or format\n"
            "version, or the folder lacks the rule set;\n"
            "129, 130 or 143 stopped\n",
};
