/* `wari verify`: proves a database, and states exactly what was proved and what was not.
 *
 * The result and the list of wrong values are data and go to standard output. A damaged file ends
 * the command with a message instead, because it contains no values that could be right or wrong.
 */
#include <inttypes.h>
#include <stdio.h>

#include "index/level.h"
#include "system/clock.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/common/time_left.h"
#include "tools/verify/verify_record.h"
#include "verify/verify.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct wari_verify verify;
    struct database_options options;
    bool local, seeded; /* --local and --seed were given */
    bool verbose;
    bool anew;
    bool no_record;
};

/* ---- Command line ---- */

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    struct wari_verify *verify = &request->verify;
    switch (key) {
    case 't':
        return options_threads(&verify->threads, error);
    case 'l':
        request->local = true;
        return WARI_OK;
    case 'm': {
        size_t memory;
        const enum wari_status status = options_size("--memory", optarg, &memory, error);
        if (status == WARI_OK)
            verify->memory = memory;
        return status;
    }
    case 'v':
        request->verbose = true;
        return WARI_OK;
    case 'a':
        request->anew = true;
        return WARI_OK;
    case 'n':
        request->no_record = true;
        return WARI_OK;
    case 'k':
        return options_number("--sample", optarg, 1, UINT64_MAX, &verify->sample, error);
    default:
        request->seeded = true;
        return options_number("--seed", optarg, 0, UINT64_MAX, &verify->random_seed, error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"threads", required_argument, NULL, 't'},
        {"memory", required_argument, NULL, 'm'},
        {"verbose", no_argument, NULL, 'v'},
        {"anew", no_argument, NULL, 'a'},
        {"no-record", no_argument, NULL, 'n'},
        {"local", no_argument, NULL, 'l'},
        {"sample", required_argument, NULL, 'k'},
        {"seed", required_argument, NULL, 'S'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, 0, handle_option, request};
    struct wari_verify *verify = &request->verify;

    *request = (struct request){
        .verify = {.mode = WARI_VERIFY_FULL, .random_seed = 1, .threads = machine_processors()}};
    enum wari_status status = options_read_database(&line, &request->options, error);
    verify->folder = request->options.folder;
    if (status == WARI_OK && request->local && verify->sample)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "use --local, which checks every position, or --sample, not both");
    if (status == WARI_OK && request->seeded && !verify->sample)
        status = wari_fail(error, WARI_BAD_INPUT, "--seed needs --sample K");
    if (status == WARI_OK && (request->anew || request->no_record) &&
        (request->local || verify->sample))
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--%s needs a complete proof: only complete proofs are put on record",
                           request->anew ? "anew" : "no-record");
    if (request->local)
        verify->mode = WARI_VERIFY_LOCAL;
    if (verify->sample)
        verify->mode = WARI_VERIFY_SAMPLE;
    return status;
}

/* ---- The result ---- */

/* Prints what a sample without wrong values implies for the other positions. If one position in R
 * were wrong, a sample of K positions would contain no wrong one with probability (1 - 1/R)^K,
 * which is less than 1 % if R <= K / ln 100. R is rounded down to three digits. */
static void print_confidence(uint64_t sample)
{
    static const double ln_100 = 4.60517018598809;
    uint64_t one_in = (uint64_t)((double)sample / ln_100), unit = 1;
    char text[TEXT_NUMBER];

    for (uint64_t left = one_in; left >= 1000; left /= 10)
        unit *= 10;
    one_in = one_in / unit * unit;
    if (one_in > 1)
        printf("none is wrong: with 99 %% confidence fewer than 1 in %s are wrong, on each level\n",
               text_number(one_in, text));
}

/* Prints for which levels statement (a) of verify/README.md was proved, and how. Levels on record
 * are only read: their hashes are compared, but the counts in the catalogue are not. */
static void print_local_proof(int known, int levels)
{
    if (known == 0)
        puts("proved (a): every value is the best of its moves; hashes and counts agree");
    else if (known < levels)
        printf("proved (a): every value is the best of its moves; hashes agree, and counts from "
               "level %d up\n",
               known);
    else
        puts("proved (a): every value is the best of its moves; hashes agree");
    if (known > 0)
        printf("levels 0 to %d: by the record of an earlier proof, whose hashes were compared\n",
               known - 1);
}

/* Prints what a successful run has proved, one sentence per line. */
static void print_proof(const struct wari_verify *verify, int levels)
{
    if (verify->mode == WARI_VERIFY_SAMPLE) {
        printf("proved (a) for %" PRIu64 " random positions a level (--seed %" PRIu64
               "): each value is the best of its moves\n"
               "not proved: the other positions, and (b), that every value is grounded\n",
               verify->sample, verify->random_seed);
        print_confidence(verify->sample);
        return;
    }
    print_local_proof(verify->known, levels);
    if (verify->mode == WARI_VERIFY_LOCAL)
        puts("not proved (b): that every value is grounded; a table that credits endless play to "
             "one side can pass (a)");
    else if (verify->variant.cycle == WARI_EVEN)
        puts("proved (b): every value other than 0 is grounded; these are the exact values");
    else
        puts("proved (b): every value other than 0 is grounded\n"
             "proved (c): no larger surplus can be held for ever; these are the exact values");
}

static void print_difference(const struct wari_difference *difference)
{
    char position[WARI_POSITION_TEXT], value[TEXT_NUMBER], expected[TEXT_NUMBER];
    wari_position_text(&difference->position, position);
    text_value(difference->value, value);
    if (difference->ungrounded)
        printf("  %s: the table has %s, which no play can force\n", position, value);
    else
        printf("  %s: the table has %s, the best move gives %s\n", position, value,
               text_value(difference->expected, expected));
}

static void print_text(const struct wari_verify *verify, const struct wari_verify_report *report,
                       bool correct)
{
    char name[VARIANT_TEXT], positions[TEXT_NUMBER], count[TEXT_NUMBER], folder[TEXT_PATH];
    variant_text(verify->variant, name);
    printf("%s in %s: %d level%s, %s positions checked\n", name, text_path(verify->folder, folder),
           report->levels, report->levels == 1 ? "" : "s",
           text_number(report->positions, positions));
    if (correct) {
        print_proof(verify, report->levels);
        return;
    }
    if (report->differences)
        printf("WRONG: %s value%s of the level with %d seeds, starting with:\n",
               text_number(report->differences, count), report->differences == 1 ? "" : "s",
               wari_seeds(&report->difference[0].position));
    for (int i = 0; i < report->kept; i++)
        print_difference(&report->difference[i]);
    if (report->text[0])
        printf("WRONG: %s\n", report->text);
}

static json_t *json_difference(const struct wari_difference *difference)
{
    json_t *object = json_pack("{so si}", "position", json_position(&difference->position), "value",
                               difference->value);
    if (!object)
        return NULL;
    int failed = difference->ungrounded
                     ? json_object_set_new(object, "ungrounded", json_true())
                     : json_object_set_new(object, "expected", json_integer(difference->expected));
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static enum wari_status print_json(const struct wari_verify *verify,
                                   const struct wari_verify_report *report, bool correct,
                                   struct wari_error *error)
{
    static const char *const modes[] = {
        [WARI_VERIFY_FULL] = "full",
        [WARI_VERIFY_LOCAL] = "local",
        [WARI_VERIFY_SAMPLE] = "sample",
    };
    json_t *first = json_array();
    for (int i = 0; i < report->kept; i++) {
        if (json_array_append_new(first, json_difference(&report->difference[i])) != 0) {
            json_decref(first);
            return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
        }
    }
    return json_print(
        json_pack(
            "{ss ss ss sb sb sb si si sI sI so so}", "rules",
            wari_get_rules_info(verify->variant.rules)->name, "cycle",
            wari_cycle_name(verify->variant.cycle), "mode", modes[verify->mode], "ok", (int)correct,
            "proved_local", (int)(correct && verify->mode != WARI_VERIFY_SAMPLE), "proved_grounded",
            (int)(correct && verify->mode == WARI_VERIFY_FULL), "by_record", verify->known - 1,
            "levels", report->levels, "positions", (json_int_t)report->positions, "differences",
            (json_int_t)report->differences, "first", first, "text", json_message(report->text)),
        error);
}

/* ---- The proof ---- */

struct progress_state {
    struct progress_line line;
    int level;
    struct time_left left;
    struct verify_record record;
};

static void show_progress(void *context, int seeds, const char *phase, double fraction)
{
    struct progress_state *state = context;
    const double seconds = time_left_at(&state->left, seeds, 0, wari_seconds_now());
    char left[TIME_LEFT_TEXT];

    if (!state->line.terminal && seeds != state->level)
        fprintf(stderr, "verifying level %d\n", seeds);
    state->level = seeds;
    if (!progress_due(&state->line))
        return;
    progress_show(&state->line, time_left_text(seconds, left), "level %d: %s, %.0f %%", seeds,
                  phase, 100 * fraction);
}

/* Plans the proof of the levels from `known` on. The work is measured in positions. A sample is not
 * planned, because it takes about as long for each level. */
static void plan_time(struct time_left *left, const struct wari_verify *verify, int seeds_max)
{
    time_left_begin(left, 0);
    if (verify->mode == WARI_VERIFY_SAMPLE)
        return;
    for (int seeds = verify->known; seeds <= seeds_max; seeds = wari_catalogue_next(seeds))
        left->planned[seeds] = (double)wari_level_positions(seeds);
}

static enum wari_status enter_record(void *context, int seeds, uint64_t payload_hash,
                                     struct wari_error *error)
{
    struct progress_state *state = context;
    return verify_record_enter(&state->record, seeds, payload_hash, error);
}

/* Prints how many chunks of lower levels were decoded, which shows the cost of a small memory. */
static void print_reading(const struct wari_verify_report *report)
{
    char chunks[TEXT_NUMBER];
    fprintf(stderr, "read %s chunks of lower levels to prove captures\n",
            text_number(report->chunks_read, chunks));
}

static enum wari_status print_result(const struct request *request,
                                     const struct wari_verify_report *report,
                                     enum wari_status result, struct wari_error *error)
{
    struct wari_error print_error;
    if (request->options.format == FORMAT_TEXT) {
        print_text(&request->verify, report, result == WARI_OK);
        return result;
    }
    const enum wari_status status =
        print_json(&request->verify, report, result == WARI_OK, &print_error);
    if (status == WARI_OK)
        return result;
    *error = print_error;
    return status;
}

/* Proves the database without writing a record. The remaining time is not estimated for a sample,
 * which takes the same time for every level. */
static enum wari_status verify_folder(struct request *request, struct progress_state *state,
                                      struct wari_error *error)
{
    struct wari_verify *verify = &request->verify;
    struct wari_verify_report report;
    struct wari_catalogue catalogue;
    const enum wari_status status =
        options_read_catalogue("verify", verify->folder, verify->variant, &catalogue, error);

    if (status != WARI_OK)
        return status;
    interrupt_catch();
    progress_begin(&state->line);
    plan_time(&state->left, verify, catalogue.seeds_max);
    verify->progress = show_progress;
    verify->context = state;
    verify->stop = interrupt_flag();
    enum wari_status result = wari_verify(verify, &report, error);
    progress_clear(&state->line);
    if (request->verbose)
        print_reading(&report);
    if (result != WARI_OK && result != WARI_DIFFERENT)
        return result;
    return print_result(request, &report, result, error);
}

/* Proves the database and writes a record. */
static enum wari_status verify_with_record(struct request *request, struct progress_state *state,
                                           struct wari_error *error)
{
    enum wari_status status = verify_record_begin(&state->record, request->verify.folder,
                                                  request->verify.variant, request->anew, error);
    if (status != WARI_OK)
        return status;
    request->verify.known = verify_record_known(&state->record);
    request->verify.proved = enter_record;
    status = verify_folder(request, state, error);
    if (status == WARI_INTERRUPTED && verify_record_known(&state->record) > 0 &&
        state->record.status == WARI_OK)
        report_note("verify",
                    "levels 0 to %d are on record; the same command%s continues from there",
                    state->record.proof.seeds_max, request->anew ? " without --anew" : "");
    if (status != WARI_OK || state->record.status == WARI_OK)
        return status;
    return wari_fail(error, state->record.status,
                     "proved, but the record was not written: %s; for a folder that cannot be "
                     "written to, use --no-record",
                     state->record.error.text);
}

static int run(int argc, char **argv)
{
    struct progress_state state = {.level = -1};
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = variant_in_folder(&request.options.choice, request.verify.folder,
                                   &request.verify.variant, &error);
    if (status == WARI_OK)
        status = request.verify.mode == WARI_VERIFY_FULL && !request.no_record
                     ? verify_with_record(&request, &state, &error)
                     : verify_folder(&request, &state, &error);
    return report_result(argv[0], status, &error);
}

const struct command command_verify = {
    .name = "verify",
    .summary = "prove a database",
    .run = run,
    .help =
        "usage: wari verify --db DIR [--rules R] [--cycle C] [OPTION...]\n"
        "\n"
        "Proves the values of a database with code that shares nothing with the solver:\n"
        "  (a) every value is the best of its moves, and hashes and counts agree;\n"
        "  (b) every value other than 0 is grounded: a side can force play that earns it.\n"
        "      Without (b), endless play could be credited to either side;\n"
        "  (c) with the cycle rule own, no larger surplus can be held for ever.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --rules R, --cycle C\n"
        "                 the database to prove, if the folder holds several\n"
        "  --local        prove (a) only\n"
        "  --sample K     check (a) only, for K random positions of each level\n"
        "  --seed S       seed of the random positions; default 1\n"
        "  --threads T    default: one for each processor that the program may use\n"
        "  --memory SIZE  maximum number of bytes to use, with k, M or G; default: as much as\n"
        "                 speeds up the proof (see 'wari help plan'); packed files take 67 MB\n"
        "                 more\n"
        "  --anew         ignore the record and prove all levels; the new record replaces it\n"
        "  --no-record    ignore the record and write none: for folders that are read-only\n"
        "  --verbose      print how often lower levels were read\n"
        "  --format F     text (default), json (--json for short)\n"
        "\n"
        "A complete proof is put on record level by level, in a file in the same folder, and an\n"
        "interrupted proof continues from there. Levels on record are only read, to check that\n"
        "their values are the ones that were proved; their counts in the catalogue are not\n"
        "compared. The record is not a signature: anybody who can write to the folder can\n"
        "write a record.\n"
        "\n"
        "If level files are missing, the levels below the lowest missing one are proved.\n"
        "\n"
        "The output states which of (a), (b) and (c) were proved. In the JSON output,\n"
        "proved_local stands for (a), proved_grounded for (b) and (c), and by_record is the\n"
        "last level that was accepted because of the record only, or -1. If values are wrong,\n"
        "the first ones of the lowest such level are listed.\n"
        "\n"
        "example\n"
        "  wari verify --db tables --rules tournament\n"
        "\n"
        "exit codes: 0 proved; 1 wrong values; 2 bad usage; 3 a file is damaged; 4 reading\n"
        "or writing failed, or the database is proved but the record was not written; 5 not\n"
        "enough memory; 6 the folder does not contain that rule set, or has another format\n"
        "version; 129, 130 or 143 stopped by a signal\n",
};
