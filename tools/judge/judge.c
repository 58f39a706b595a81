/* `wari judge`: judges the moves of recorded games against perfect play.
 *
 * A game that cannot be read causes a message with its location; the other games are judged. The
 * tags of a game select its rules among the variants in the folder; the database of a variant is
 * opened when the first game needs it. Ctrl-C and SIGTERM stop the program between two games,
 * so that the output so far is complete. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play/record/record_read.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/judge/game_review.h"
#include "tools/judge/report_html.h"

enum {
    FORMAT_TEXT,
    FORMAT_JSON,
    COMPLAINTS_MAX = 1000, /* maximum number printed for a file; nobody reads more, and printing
                              takes most of the time */
    SIZE_MAX_DEFAULT = 64000000, /* bytes of a file; far more than all games of a lifetime take */
    DEPTH_DEFAULT = 12, /* depth of a search without a database. The default limits the depth rather
                           than the time, so that the values are the same on every machine */
};

struct run {
    struct database_options options;
    bool annotate;
    bool colour;
    const char *html; /* file for the report as a web page; NULL means none */
    struct html_report report;
    enum wari_record_moves moves;
    size_t size_max; /* maximum size of a file of games, in bytes */
    int variant_count;
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_variant fallback; /* without a database: the variant of games that name none */
    struct wari_db *dbs[WARI_VARIANT_COUNT]; /* NULL if not opened yet */

    const char *file;         /* the current file */
    int games;                /* number of games in the current file */
    uint64_t complaint_count; /* complaints about the current file */
    uint64_t failed_count; /* number of games that could not be read and of files without games */
    bool read_failed;      /* a file could not be read */
    bool proven;           /* a search proved a mistake */
    struct judged_total total;
    struct game_reviewer reviewer;
};

static bool has_database(const struct run *run)
{
    return run->options.folder || run->options.book;
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    enum { HOUR_MS = 3600000 };
    static const char *const moves_words[] = {"letters", "digits", "digits-from-0", NULL};
    struct run *run = context;
    if (key == 'm')
        return options_int("--movetime", optarg, 1, HOUR_MS, &run->reviewer.limits.movetime, error);
    if (key == 'D')
        return options_int("--depth", optarg, 1, WARI_SEARCH_DEPTH_MAX, &run->reviewer.limits.depth,
                           error);
    if (key == 't')
        return options_int("--threads", optarg, 1, WARI_SEARCH_THREADS_MAX,
                           &run->reviewer.limits.threads, error);
    if (key == 's')
        return options_size("--max-size", optarg, &run->size_max, error);
    if (key == 'n') {
        int moves;
        enum wari_status status = options_word("--moves", optarg, moves_words, &moves, error);
        if (status == WARI_OK)
            run->moves = (enum wari_record_moves)moves;
        return status;
    }
    if (key == 'h') {
        run->html = optarg;
        return options_require_file("--html", optarg, error);
    }
    run->annotate = true;
    return WARI_OK;
}

static enum wari_status read_options(int argc, char **argv, struct run *run,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"annotate", no_argument, NULL, 'a'},
        {"html", required_argument, NULL, 'h'},
        {"moves", required_argument, NULL, 'n'},
        {"max-size", required_argument, NULL, 's'},
        {"depth", required_argument, NULL, 'D'},
        {"movetime", required_argument, NULL, 'm'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, formats, argc, handle_option, run};
    run->options.source_optional = true;
    enum wari_status status = options_read_database(&line, &run->options, error);
    if (status == WARI_OK && optind == argc)
        return wari_fail(error, WARI_BAD_INPUT,
                         "the games are missing: give a file, or - for standard input");
    if (status == WARI_OK && run->annotate && run->options.format == FORMAT_JSON)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "--annotate writes OGN, and --format json does not; give only one of them");
    if (status == WARI_OK && run->html) {
        const struct output_sources sources = {run->options.folder, run->options.book,
                                               argv + optind, argc - optind};
        status = output_refuse_source(run->html, &sources, error);
    }
    if (!has_database(run) && run->reviewer.limits.movetime == 0 && run->reviewer.limits.depth == 0)
        run->reviewer.limits.depth = DEPTH_DEFAULT;
    run->total.search = run->reviewer.limits;
    run->total.has_database = has_database(run);
    run->total.has_reviews = run->reviewer.limits.movetime > 0 || run->reviewer.limits.depth > 0;
    return status;
}

/* Colour helps on a terminal but not in a file. https://no-color.org */
static bool wants_colour(void)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(refused && refused[0]) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

/* ---- A game ---- */

/* Opens the database of a variant if it is not open yet. (If the command line names a book, the
 * book is open already.) Sets *db to NULL if the command line names neither a folder nor a book. */
static enum wari_status find_db(struct run *run, struct wari_variant variant, struct wari_db **db,
                                struct wari_error *error)
{
    int i = 0;
    *db = NULL;
    if (!has_database(run))
        return WARI_OK;
    while (run->variants[i].rules != variant.rules || run->variants[i].cycle != variant.cycle)
        i++;
    enum wari_status status = WARI_OK;
    if (!run->dbs[i]) {
        status = wari_open(&run->dbs[i], run->options.folder, &variant, NULL, error);
        if (status == WARI_OK)
            options_note_missing("judge", run->options.folder, run->dbs[i]);
    }
    *db = run->dbs[i];
    return status;
}

static enum wari_status add_to_total(struct run *run, const struct wari_record *record,
                                     const struct wari_judgement *judgement,
                                     const struct wari_review *review, struct wari_error *error)
{
    run->total.games++;
    wari_judged_add(&run->total.side[0], &judgement->side[0]);
    wari_judged_add(&run->total.side[1], &judgement->side[1]);
    wari_judged_add(&run->total.total, &judgement->total);
    for (int side = 0; review && side < 2; side++)
        wari_reviewed_add(&run->total.review[side], &review->side[side]);
    return players_add(&run->total.players, record, judgement, review, error);
}

static bool has_proven_mistake(const struct wari_review *review)
{
    for (int i = 0; i < review->count; i++)
        if (review->moves[i].proven_loss > 0)
            return true;
    return false;
}

static enum wari_status print_game(struct run *run, const struct judged_game *game,
                                   struct wari_record *record, struct wari_error *error)
{
    if (run->html)
        html_report_game(&run->report, game);
    if (run->html && run->report.status != WARI_OK)
        return run->report.status;
    if (run->annotate)
        return judged_game_print_annotated(game, record, error);
    if (run->options.format == FORMAT_JSON)
        return judged_game_print_json(game, error);
    if (run->html)
        return WARI_OK;
    if (run->total.games > 0)
        putchar('\n');
    judged_game_print_text(game, run->colour);
    return WARI_OK;
}

static enum wari_status judge_game(struct run *run, struct wari_record *record,
                                   struct wari_error *error)
{
    const bool searches = run->total.has_reviews;
    struct wari_judgement judgement;
    struct wari_review review = {.count = 0};
    struct wari_db *db;
    struct wari_info info = {.seeds_max = -1};
    enum wari_status status = find_db(run, record->game.variant, &db, error);
    if (status == WARI_OK)
        status = wari_judge_game(db, &record->game, &judgement, error);
    if (status != WARI_OK)
        return status;
    if (db)
        wari_get_info(db, &info);
    if (searches)
        status = game_review_run(&run->reviewer, db, &record->game, &review, error);
    if (status == WARI_OK) {
        struct judged_game game = {run->file,         run->games,
                                   info.seeds_max,    record,
                                   &judgement,        searches ? &review : NULL,
                                   &run->total.search};
        status = print_game(run, &game, record, error);
        if (status == WARI_OK)
            status = add_to_total(run, record, &judgement, game.review, error);
        run->proven |= has_proven_mistake(&review);
    }
    wari_review_free(&review);
    wari_judgement_free(&judgement);
    return status;
}

/* ---- A file ---- */

static void complain(void *context, const struct wari_complaint *complaint)
{
    struct run *run = context;
    run->failed_count += complaint->lost;
    if (run->complaint_count++ >= COMPLAINTS_MAX)
        return;
    fflush(stdout); /* so that a terminal shows both in order; a failure is found at the end */
    char message[2 * sizeof((struct wari_error *)0)->text + TEXT_PATH];
    snprintf(message, sizeof message, "%s:%d:%d: %s%s%s", run->file, complaint->line,
             complaint->column, complaint->text,
             complaint->undecided     ? "; choose with --rules and --cycle"
             : complaint->pit_numbers ? "; --moves digits reads pit numbers"
                                      : "",
             complaint->lost ? "; this game is skipped" : "");
    report_note("judge", "%s", message);
    if (run->html)
        html_report_message(&run->report, message);
}

/* Reads a file, or standard input, of at most `most` bytes. Fails with WARI_BAD_INPUT if it is
 * larger, because a file may have no end, like /dev/zero. */
static enum wari_status read_file(const char *path, size_t most, struct wari_text *text,
                                  struct wari_error *error)
{
    enum { READ_BYTES = 1 << 16 };
    char bytes[READ_BYTES];
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = 0;
    enum wari_status status = fd < 0 ? wari_fail_errno(error, path, "open this file") : WARI_OK;

    while (status == WARI_OK && (count = read(fd, bytes, READ_BYTES)) > 0) {
        if ((size_t)count > most - text->length)
            status =
                wari_fail(error, WARI_BAD_INPUT,
                          "%s: more than %zu bytes, the limit for records; a larger --max-size "
                          "allows more",
                          name, most);
        else
            status = wari_text_add_bytes(text, bytes, (size_t)count, error);
    }
    if (status == WARI_OK && count < 0)
        status = wari_fail_errno(error, name, "read");
    if (status == WARI_IO && interrupt_signal() != 0)
        status = wari_fail(error, WARI_INTERRUPTED, "stopped before all of %s was read", name);
    if (fd >= 0 && !standard)
        (void)close(fd);
    return status;
}

static void report_complaints(struct run *run, uint64_t bad_before)
{
    if (run->complaint_count > COMPLAINTS_MAX)
        report_note(
            "judge",
            "%s: %llu more messages are not shown; %llu games could not be read and were skipped",
            run->file, (unsigned long long)(run->complaint_count - COMPLAINTS_MAX),
            (unsigned long long)(run->failed_count - bad_before));
    if (run->games == 0 && run->failed_count == bad_before) {
        report_note("judge", "%s: there is no game in this file", run->file);
        run->failed_count++;
    }
}

/* Judges the games that the reader finds. */
static enum wari_status judge_games(struct run *run, struct wari_record_reader *reader,
                                    struct wari_error *error)
{
    while (!report_output_lost()) {
        struct wari_record record;
        bool found;
        if (atomic_load(interrupt_flag()))
            return wari_fail(error, WARI_INTERRUPTED, "stopped after game %d of %s%s", run->games,
                             run->file,
                             run->html             ? "; no report was written"
                             : fflush(stdout) == 0 ? "; the output so far is complete"
                                                   : "");
        enum wari_status status = wari_record_next(reader, &record, &found, error);
        if (status != WARI_OK || !found)
            return status;
        run->games++;
        status = judge_game(run, &record, error);
        wari_record_free(&record);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

static enum wari_status judge_text(struct run *run, const struct wari_text *text,
                                   struct wari_error *error)
{
    struct wari_record_reader reader = {
        .host = text->host,
        .text = text->bytes ? text->bytes : "",
        .length = text->length,
        .moves = run->moves,
        .variants = run->variants,
        .variant_count = run->variant_count,
        .fallback = has_database(run) ? NULL : &run->fallback,
        .insist = run->options.choice.rules != NULL,
        .complain = complain,
        .context = run,
    };
    uint64_t bad_before = run->failed_count;
    run->games = 0;
    run->complaint_count = 0;
    interrupt_catch(); /* Without --html, the handlers are installed only now. Until then the user
                        * may be typing the games, and Ctrl-C can simply end the program. */
    enum wari_status status = judge_games(run, &reader, error);
    wari_record_end(&reader);
    if (status == WARI_OK)
        report_complaints(run, bad_before);
    return status;
}

static enum wari_status judge_file(struct run *run, const char *path, struct wari_error *error)
{
    struct wari_text text = {.host = wari_host_system()};
    run->file = strcmp(path, "-") == 0 ? "standard input" : path;
    enum wari_status status = read_file(path, run->size_max, &text, error);
    if (status == WARI_OK) {
        status = judge_text(run, &text, error);
    } else if (status == WARI_IO || status == WARI_BAD_INPUT) { /* judge the other files */
        report_note("judge", "%s", error->text);
        if (run->html)
            html_report_message(&run->report, error->text);
        run->read_failed |= status == WARI_IO;
        run->failed_count += status == WARI_BAD_INPUT;
        status = WARI_OK;
    }
    wari_text_free(&text);
    return status;
}

/* ---- All files ---- */

static enum wari_status open_book(struct run *run, struct wari_error *error)
{
    struct wari_info info;
    enum wari_status status =
        options_open_book(&run->options.choice, run->options.book, NULL, &run->dbs[0], error);
    if (status != WARI_OK)
        return status;
    wari_get_info(run->dbs[0], &info);
    run->variants[0] = info.variant;
    run->variant_count = 1;
    return WARI_OK;
}

/* Determines which variants the games may have. Without a database, prints a note about the
 * consequences. */
static enum wari_status find_variants(struct run *run, struct wari_error *error)
{
    char limit[2 * TEXT_NUMBER] = "", name[VARIANT_TEXT];
    const struct variant_choice *choice = &run->options.choice;
    if (run->options.book)
        return open_book(run, error);
    if (run->options.folder)
        return variants_in_folder(choice, run->options.folder, run->variants, &run->variant_count,
                                  error);
    enum wari_status status = variants_of_choice(choice, run->variants, &run->variant_count, error);
    if (status == WARI_OK)
        status = variant_to_build(choice, &run->fallback, error);
    if (status != WARI_OK)
        return status;
    if (run->reviewer.limits.depth > 0)
        snprintf(limit, sizeof limit, " to depth %d", run->reviewer.limits.depth);
    variant_text(run->fallback, name);
    report_note("judge",
                "no database is given (--db or --book): each position is searched%s, and values "
                "are estimates unless they are called exact; games that do not name their rules "
                "are judged under %s",
                limit, name);
    return WARI_OK;
}

static enum wari_status judge_files(struct run *run, int count, char **files,
                                    struct wari_error *error)
{
    enum wari_status status = find_variants(run, error);
    for (int i = 0; i < count && status == WARI_OK; i++)
        status = judge_file(run, files[i], error);
    if (status == WARI_OK && run->html)
        html_report_total(&run->report, &run->total);
    if (status != WARI_OK || run->annotate)
        return status;
    if (run->options.format == FORMAT_JSON)
        return judged_game_print_total_json(&run->total, error);
    if (run->total.games > 1 && !run->html)
        judged_game_print_total_text(&run->total);
    return WARI_OK;
}

/* Judges the files, and writes the HTML report if it is requested. If there is no game, for
 * instance because the name of the file is wrong, an earlier report is kept. */
static enum wari_status judge_all(struct run *run, int count, char **files,
                                  struct wari_error *error)
{
    if (!run->html)
        return judge_files(run, count, files, error);
    interrupt_catch(); /* so that Ctrl-C leaves no unfinished file */
    enum wari_status status = html_report_open(&run->report, run->html, &run->total, error);
    if (status != WARI_OK)
        return status;
    status = judge_files(run, count, files, error);
    if (status != WARI_OK || run->total.games > 0)
        return html_report_close(&run->report, status, error);
    report_note("judge", "no game was judged; no report was written");
    (void)!html_report_close(&run->report, WARI_BAD_INPUT, error); /* removes the file */
    return WARI_OK;
}

static int run(int argc, char **argv)
{
    struct run run = {.colour = wants_colour(),
                      .size_max = SIZE_MAX_DEFAULT,
                      .total.review = {{.accuracy = 100}, {.accuracy = 100}}};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &run, &error);
    if (status == WARI_OK)
        status = judge_all(&run, argc - optind, argv + optind, &error);
    game_review_end(&run.reviewer);
    players_free(&run.total.players);
    for (int i = 0; i < WARI_VARIANT_COUNT; i++)
        wari_close(run.dbs[i]);
    if (status != WARI_OK)
        return report_result(argv[0], status, &error);
    if (run.read_failed)
        return report_exit_code(WARI_IO);
    if (run.failed_count)
        return report_exit_code(WARI_BAD_INPUT);
    bool mistake = run.total.total.lost > 0 || run.total.total.cycle_lost > 0 || run.proven;
    return report_exit_code(mistake ? WARI_DIFFERENT : WARI_OK);
}

const struct command command_judge = {
    .name = "judge",
    .summary = "judge the moves of recorded games",
    .run = run,
    .help =
        "usage: wari judge [--db DIR | --book FILE] [OPTION...] FILE...\n"
        "\n"
        "Replays the games in each FILE (- is standard input) and prints what every move\n"
        "cost against perfect play. A position with more seeds than the database has is not\n"
        "covered, and moves there are not judged. Without a database every move is judged by a\n"
        "search, so that values are estimates unless they are called exact. Games that do not\n"
        "name their rules are then judged under awari even, or as --rules and --cycle say.\n"
        "\n"
        "  --db DIR       folder of the database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --rules R      rule set or preset, and\n"
        "  --cycle C      even or own: judge by this database alone, if the folder holds\n"
        "                 several; otherwise the tags of each game choose one\n"
        "  --format F     text (default): for people, with the board at each mistake\n"
        "                 json (--json for short): an object on a line for each game, and one\n"
        "                 with the totals; wari-judge(1) describes their members\n"
        "  --html FILE    write the report to FILE as a web page without scripts, with a chart\n"
        "                 of each game, instead of text; it appears when it is complete\n"
        "  --annotate     write the games back as OGN instead, a comment after each move that\n"
        "                 was judged; variations are left out\n"
        "  --movetime MS  also judge positions above the database, by a search of MS\n"
        "                 milliseconds for each\n"
        "  --depth N      the same, by a search N moves deep (1 to 99), whose results are the "
        "same\n"
        "                 on every machine (with one thread). Without a database, the default is\n"
        "                 12, unless --movetime is given. With both options, the search ends at\n"
        "                 the limit that it reaches first\n"
        "  --threads N    threads of the search, 1 (the default) to 256\n"
        "  --moves M      letters (default); digits: the pits of both sides have numbers, 1 to 6,\n"
        "                 or 0 to 5 in a game with a pit 0; digits-from-0: always 0 to 5\n"
        "  --max-size N   maximum size of a FILE: bytes, or with k, M or G (default 64M)\n"
        "\n"
        "A FILE holds games in OGN, the format of Oware programs, or is a plain list: a game on\n"
        "each line, its moves as letters (A to F South's, a to f North's), with blanks between\n"
        "or none, after a diagram (see 'wari help query') if it does not start with four seeds\n"
        "in every pit. Lines of a list that start with # are ignored. If a game cannot be read,\n"
        "a message says in which file, line and column, and if a file cannot be read, a message\n"
        "names it; all other games are judged.\n"
        "\n"
        "After a search each loss is classified: exact (database or proof), bound (proven to be\n"
        "at least this much, or zero) or estimate. Moves that change who wins are marked as "
        "proven\n"
        "or likely (never as proven if a slam decides whatever the score). A move that loses\n"
        "n seeds scores 100 / (1 + n / 2), and a side's accuracy is the mean of its moves.\n"
        "\n"
        "Values, gains and losses are seeds of the side that moves (the mover) minus seeds of\n"
        "the other side. After several games the totals of each player follow, by name. A\n"
        "position that occurs for the third time ends a game by the cycle rule. A side whose\n"
        "position was worth more loses the rest by repeating.\n"
        "\n"
        "example\n"
        "  wari judge --db tables --rules tournament game.ogn\n"
        "  wari judge --db tables --rules tournament --html report.html game.ogn\n"
        "\n"
        "exit codes: 0 no mistake was found; 1 there is one, by the database or proven by a\n"
        "search; 2 bad usage, or some games cannot be read; 3 a file of the database is damaged;\n"
        "4 reading or writing failed; 5 not enough memory; 6 the folder does not contain that\n"
        "rule set, or has another format version; 129, 130 or 143 stopped by a signal\n",
};
