/* `wari learn-book`: makes an opening book, as play/engine/opening_book.h describes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "play/search/search.h"
#include "system/clock.h"
#include "tools/common/command.h"
#include "tools/common/file_lock.h"
#include "tools/common/interrupt.h"
#include "tools/common/opening_file.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum {
    POSITIONS_DEFAULT = 1000,
    NODES_DEFAULT = 5000000,
    NODES_MAX = 2000000000,
    SAVE_SECONDS = 30, /* time between two saves. If the process is killed, it loses at most the
                        * work of this time and of one position */
};

struct request {
    struct database_options options;
    const char *path;
    int positions; /* number of positions that the book shall have at the end */
    int nodes;     /* 0 means not given */
    int threads;
};

/* ---- Options ---- */

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 'o':
        request->path = optarg;
        return options_require_file("--output", optarg, error);
    case 'p':
        return options_int("--positions", optarg, 1, WARI_OPENINGS_MAX, &request->positions, error);
    case 'n':
        return options_int("--nodes", optarg, 1, NODES_MAX, &request->nodes, error);
    default:
        return options_int("--threads", optarg, 1, WARI_SEARCH_THREADS_MAX, &request->threads,
                           error);
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"db", required_argument, NULL, 'd'},
        OPTIONS_BOOK,
        OPTIONS_VARIANT,
        {"output", required_argument, NULL, 'o'},
        {"positions", required_argument, NULL, 'p'},
        {"nodes", required_argument, NULL, 'n'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, request};

    *request = (struct request){.positions = POSITIONS_DEFAULT, .threads = 1};
    request->options.source_optional = true;
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && !request->path)
        status =
            wari_fail(error, WARI_BAD_INPUT, "--output FILE is missing; FILE is the opening book");
    if (status != WARI_OK)
        return status;
    const struct output_sources sources = {.folder = request->options.folder,
                                           .book = request->options.book};
    status = output_check_path(request->path, error);
    return status == WARI_OK ? output_refuse_source(request->path, &sources, error) : status;
}

/* ---- The lock ---- */

/* Two commands that add positions to the same book would each replace the book of the other. So the
 * command locks an empty file beside the book; a lock on the book itself would be lost when saving
 * replaces it. (The lock of db/catalogue/lock.h is on a folder, in which there may be several
 * books.) The file is removed at the end. If the process is killed, the file stays, but the lock
 * ends, and the next command takes it. */
struct book_lock {
    char path[WARI_PATH_MAX];
    int fd; /* -1 if there is no lock */
};

static enum wari_status lock_file(const char *book, const struct book_lock *lock,
                                  struct wari_error *error)
{
    static const struct file_lock_texts texts = {
        .command = "learn-book",
        .in_use = "another 'wari learn-book' adds positions to this book; wait for it or stop it, "
                  "or name another file",
        .advice = "make sure that no other command adds positions to this book",
    };

    return file_lock(lock->fd, book, &texts, error);
}

/* Sets *current to false if the locked file no longer has its name, because the process that had
 * the lock before removed it. */
static enum wari_status check_lock(const struct book_lock *lock, bool *current,
                                   struct wari_error *error)
{
    struct stat locked, named;
    *current = false;
    if (fstat(lock->fd, &locked) != 0)
        return wari_fail_errno(error, lock->path, "examine this file");
    if (!S_ISREG(locked.st_mode) || locked.st_size > 0)
        return wari_fail(error, WARI_IO,
                         "%s: this file is not a lock of 'wari learn-book'; move it to another "
                         "folder, or name another book",
                         lock->path);
    if (lstat(lock->path, &named) == 0)
        *current = locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
    else if (errno != ENOENT)
        return wari_fail_errno(error, lock->path, "examine this file");
    return WARI_OK;
}

/* Opens the lock file and locks it. Leaves lock->fd at -1 if the folder does not exist or cannot be
 * changed. In that case the book cannot be saved, but a lock is not needed, and add_positions()
 * reports the failure if there is anything to save. */
static enum wari_status try_lock(const char *book, struct book_lock *lock, bool *current,
                                 struct wari_error *error)
{
    *current = true;
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (lock->fd < 0) {
        const int reason = errno;
        const bool nowhere = reason == ENOENT || reason == EACCES || reason == EROFS;
        if (nowhere && access(lock->path, F_OK) != 0)
            return WARI_OK;
        errno = reason;
        return wari_fail_errno(error, lock->path, "open this file");
    }
    enum wari_status status = lock_file(book, lock, error);
    if (status == WARI_OK)
        status = check_lock(lock, current, error);
    if (status == WARI_OK && *current)
        return WARI_OK;
    (void)close(lock->fd);
    lock->fd = -1;
    return status;
}

static enum wari_status lock_book(const struct request *request, struct book_lock *lock,
                                  struct wari_error *error)
{
    const struct output_sources sources = {.folder = request->options.folder,
                                           .book = request->options.book};
    const int length = snprintf(lock->path, sizeof lock->path, "%s.lock", request->path);
    bool current = false;
    if (length < 0 || length >= (int)sizeof lock->path)
        return wari_fail(error, WARI_BAD_INPUT, "%.200s...: the path is longer than %d bytes",
                         request->path, WARI_PATH_MAX - 1);
    enum wari_status status = output_refuse_source(lock->path, &sources, error);
    while (status == WARI_OK && !current)
        status = try_lock(request->path, lock, &current, error);
    return status;
}

static void unlock_book(const struct book_lock *lock)
{
    if (lock->fd < 0)
        return;
    (void)unlink(lock->path); /* before close(), which ends the lock: after it, the name might
                               * belong to the lock file of another process */
    (void)close(lock->fd);
}

/* ---- The book ---- */

/* State of the command while it adds positions. */
struct learner {
    const struct request *request;
    struct wari_db *db; /* NULL if there is no database */
    struct wari_opening_book book;
    struct wari_search *search;
    int saved; /* number of positions in the file */
    double saved_at;
    struct progress_line line;
};

static const char *rules_text(struct wari_variant variant, char text[VARIANT_TEXT])
{
    variant_text(variant, text);
    return text;
}

static const char *tables_text(int tables, char text[VARIANT_TEXT])
{
    if (tables < 0)
        return "no database";
    snprintf(text, VARIANT_TEXT, "a database of %d seeds", tables);
    return text;
}

/* Compares the settings of an existing book with those of the command line. */
static enum wari_status compare_settings(const struct request *request,
                                         const struct wari_opening_settings *found,
                                         const struct wari_opening_settings *wanted,
                                         struct wari_error *error)
{
    char one[VARIANT_TEXT], other[VARIANT_TEXT];
    if (found->variant.rules != wanted->variant.rules ||
        found->variant.cycle != wanted->variant.cycle)
        return wari_fail(error, WARI_MISMATCH,
                         "%s is an opening book for the rules %s, not %s; name another file",
                         request->path, rules_text(found->variant, one),
                         rules_text(wanted->variant, other));
    if (found->tables != wanted->tables)
        return wari_fail(
            error, WARI_MISMATCH,
            "%s was made with %s, but this command has %s; use the same, or name another file",
            request->path, tables_text(found->tables, one), tables_text(wanted->tables, other));
    if (request->nodes > 0 && found->nodes != wanted->nodes)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s was made with --nodes %lld; leave --nodes out, or name another file",
                         request->path, (long long)found->nodes);
    return WARI_OK;
}

/* Begins a new book or, if the file exists, reads the book in it, to which positions are added. */
static enum wari_status open_book(struct learner *learner, struct wari_error *error)
{
    const struct request *request = learner->request;
    struct wari_info info = {.seeds_max = -1};
    struct wari_opening_settings settings = {.nodes = request->nodes > 0 ? request->nodes
                                                                         : NODES_DEFAULT};
    enum wari_status status = WARI_OK;
    if (learner->db)
        wari_get_info(learner->db, &info);
    else
        status = variant_to_build(&request->options.choice, &info.variant, error);
    settings.variant = info.variant;
    settings.tables = info.seeds_max;
    wari_opening_book_begin(&learner->book, wari_host_system(), &settings);
    if (status != WARI_OK || access(request->path, F_OK) != 0)
        return status;
    status = opening_file_read(request->path, &learner->book, error);
    if (status == WARI_OK)
        status = compare_settings(request, &learner->book.settings, &settings, error);
    learner->saved = learner->book.count;
    return status;
}

/* Allocates the search. The size of its hash table depends on `nodes` alone, because the scores
 * depend on that size, and the same options must make the same book on every machine. */
static enum wari_status make_search(struct learner *learner, struct wari_error *error)
{
    enum { NODES_PER_MEGABYTE = 62500, HASH_MB_MAX = 256 };
    const struct wari_opening_settings *settings = &learner->book.settings;
    const int64_t hash_mb = 1 + settings->nodes / NODES_PER_MEGABYTE;
    const struct wari_search_settings search_settings = {
        .hash_mb = hash_mb < HASH_MB_MAX ? (int)hash_mb : HASH_MB_MAX,
        .threads = learner->request->threads,
        .variant = settings->variant};
    return wari_search_new(&learner->search, learner->db, wari_host_system(), &search_settings,
                           error);
}

/* ---- Adding positions ---- */

/* The scores of the last complete iteration of a search. */
struct collected {
    int depth;
    int scores[WARI_HALF_PITS];
};

static void collect(void *context, const struct wari_search_report *report)
{
    struct collected *collected = context;
    collected->depth = report->depth;
    collected->scores[report->pit] = report->score;
}

/* Searches a position. All moves get a score, each from the same depth. */
static enum wari_status search_position(struct learner *learner,
                                        const struct wari_position *position,
                                        struct collected *collected, struct wari_error *error)
{
    const struct wari_search_limits limits = {.depth = WARI_OPENING_DEPTH_MAX,
                                              .milliseconds = -1,
                                              .stop = interrupt_flag(),
                                              .nodes = learner->book.settings.nodes,
                                              .lines = WARI_HALF_PITS};
    const struct wari_search_listener listener = {collect, collected};
    struct wari_setup setup = {.position = *position, .diagram = true};
    struct wari_search_report report;
    struct wari_game game;
    const int captured = WARI_SEEDS_MAX - wari_seeds(position);
    setup.stores[0] = (uint8_t)(captured - captured / 2);
    setup.stores[1] = (uint8_t)(captured / 2);
    wari_game_begin(&game, wari_host_system(), learner->book.settings.variant, &setup);
    wari_search_clear(learner->search); /* scores do not depend on earlier searches */
    enum wari_status status =
        wari_search_run(learner->search, &game, &limits, &listener, &report, error);
    if (status == WARI_OK && atomic_load(interrupt_flag()))
        status = WARI_INTERRUPTED;
    return status;
}

static enum wari_status save(struct learner *learner, struct wari_error *error)
{
    struct wari_text text = {.host = wari_host_system()};
    struct output output;
    if (learner->saved == learner->book.count)
        return WARI_OK;
    enum wari_status status = wari_opening_book_write(&learner->book, &text, error);
    if (status == WARI_OK)
        status = output_open(&output, learner->request->path, error);
    if (status == WARI_OK)
        status =
            output_finish(&output, output_write(&output, text.bytes, text.length, error), error);
    wari_text_free(&text);
    if (status != WARI_OK)
        return status;
    learner->saved = learner->book.count;
    learner->saved_at = wari_seconds_now();
    return WARI_OK;
}

static void show_progress(struct learner *learner)
{
    const struct wari_opening *start = &learner->book.openings[0];
    if (progress_due(&learner->line))
        progress_show(&learner->line, "",
                      "learn-book: %d of %d positions; the start is worth %+.2f",
                      learner->book.count, learner->request->positions,
                      (double)start->moves[start->best].score / WARI_SEED_SCORE);
}

static enum wari_status add_position(struct learner *learner, const struct wari_position *position,
                                     struct wari_error *error)
{
    struct collected collected = {0};
    enum wari_status status = search_position(learner, position, &collected, error);
    if (status == WARI_OK)
        status = wari_opening_book_add(&learner->book, position, collected.depth, collected.scores,
                                       error);
    if (status != WARI_OK)
        return status;
    show_progress(learner);
    return wari_seconds_now() < learner->saved_at + SAVE_SECONDS ? WARI_OK : save(learner, error);
}

/* Adds positions until the book has as many as requested, or there are no more. Saves the added
 * positions in every case, even after a failure. Before the first search, which takes long, checks
 * that they can be saved. */
static enum wari_status add_positions(struct learner *learner, struct wari_error *error)
{
    struct wari_position position;
    struct wari_error reason;
    enum wari_status status = WARI_OK;
    if (learner->book.count < learner->request->positions)
        status = output_try(learner->request->path, error);
    if (status != WARI_OK)
        return status;
    learner->saved_at = wari_seconds_now();
    progress_begin(&learner->line);
    while (status == WARI_OK && learner->book.count < learner->request->positions &&
           wari_opening_book_next(&learner->book, &position))
        status = add_position(learner, &position, error);
    progress_clear(&learner->line);
    const enum wari_status saved = save(learner, &reason);
    if (saved != WARI_OK && (status == WARI_OK || status == WARI_INTERRUPTED)) {
        *error = reason;
        return saved;
    }
    if (status == WARI_INTERRUPTED && learner->saved == 0)
        return wari_fail(error, status,
                         "interrupted before the end of the first search; no book was written");
    if (status == WARI_INTERRUPTED)
        return wari_fail(error, status,
                         "interrupted; %s has %d positions, and the same command adds the others",
                         learner->request->path, learner->saved);
    return status;
}

/* Prints the size of the book and its best line. */
static void print_book(const struct learner *learner)
{
    enum { PRINTED_MOVES_MAX = 99 }; /* the best line may be a cycle without end */
    const struct wari_opening_book *book = &learner->book;
    char name[VARIANT_TEXT], path[TEXT_PATH];
    if (book->count == 0)
        return;
    const struct wari_opening *opening = &book->openings[0];
    printf("%s in %s: %d positions, each from a search of %lld positions\n"
           "the start is worth %+.2f; best line ",
           rules_text(book->settings.variant, name), text_path(learner->request->path, path),
           book->count, (long long)book->settings.nodes,
           (double)opening->moves[opening->best].score / WARI_SEED_SCORE);
    bool north = false;
    for (int count = 0; count < PRINTED_MOVES_MAX && opening; count++) {
        const struct wari_opening_move *move = &opening->moves[opening->best];
        putchar(wari_move_letter(move->move.pit, north));
        north = move->move.again ? north : !north;
        opening = move->next < 0 ? NULL : &book->openings[move->next];
    }
    putchar('\n');
}

static int run(int argc, char **argv)
{
    struct request request;
    struct learner learner = {.request = &request};
    struct book_lock lock = {.fd = -1};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK && (request.options.folder || request.options.book))
        status = options_open(&request.options, &learner.db, &error);
    if (status == WARI_OK) {
        interrupt_catch(); /* so that Ctrl-C does not leave the lock file behind */
        status = lock_book(&request, &lock, &error);
    }
    if (status == WARI_OK)
        status = open_book(&learner, &error);
    if (status == WARI_OK)
        status = make_search(&learner, &error);
    if (status == WARI_OK)
        status = add_positions(&learner, &error);
    unlock_book(&lock);
    if (status == WARI_OK)
        print_book(&learner);
    wari_search_free(learner.search);
    wari_opening_book_free(&learner.book);
    wari_close(learner.db);
    return report_result(argv[0], status, &error);
}

const struct command command_learn_book = {
    .name = "learn-book",
    .summary = "make an opening book for the engine",
    .run = run,
    .help =
        "usage: wari learn-book --output FILE [--db DIR | --book FILE] [OPTION...]\n"
        "\n"
        "Makes an opening book: positions from the start of the game, each with the scores of\n"
        "all its moves from a long search. An engine that has an opening book ('wari engine\n"
        "--opening-book') plays the first moves at once. (A book of 'wari book' is something\n"
        "else: it has the exact values of all positions with few seeds.)\n"
        "\n"
        "The book grows from the start position. Each step adds the position after the line that\n"
        "costs least: each move of a line costs 20, and each hundredth of a seed that the move\n"
        "loses by the scores so far costs 1. The search of a position takes about 5 seconds with\n"
        "the defaults. If FILE exists, positions are added to the book in it. The book is saved\n"
        "twice a minute and after an interruption (Ctrl-C); the same command continues it.\n"
        "Meanwhile, the empty file FILE.lock keeps other commands from adding to the book.\n"
        "\n"
        "  --output FILE  the opening book; -o for short\n"
        "  --db DIR       folder of a database for the searches; default: no database\n"
        "  --book FILE    a book ('wari book') in place of a folder\n"
        "  --rules R, --cycle C\n"
        "                 the rules; default: those of the database, or awari even\n"
        "  --positions N  number of positions that the book shall have (default 1000)\n"
        "  --nodes N      number of positions that each search visits (default 5000000)\n"
        "  --threads N    threads of the searches (default 1). With one thread, the same options\n"
        "                 make the same book on every machine, interrupted or not\n"
        "\n"
        "Prints the number of positions, the score of the start position in seeds, and the best\n"
        "line of the book.\n"
        "\n"
        "example\n"
        "  wari learn-book --rules tournament --positions 20 --nodes 10000 -o oware.openings\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a file is damaged, or FILE is no opening book; 4\n"
        "reading or writing failed, the disk is full, or another command adds to FILE; 5 not\n"
        "enough memory; 6 FILE or the database is for other rules or another format version;\n"
        "129, 130 or 143 stopped by a signal\n",
};
