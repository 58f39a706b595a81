/* `wari match`: games between engines, from positions of which all values are known, each move
 * judged.
 *
 * Each position is played twice, so that both sides have it as South. A game never stops the match:
 * an engine that fails loses that game, and is started again for the next one. Games go to the OGN
 * file as they end; when the match is interrupted, what was played is still written and reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "play/record.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/lines.h"
#include "tools/match.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/query.h"
#include "tools/report.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options;
    const char *engines[MATCH_SIDES];
    int engine_count;
    int games;
    int from_seeds; /* -1: not given */
    const char *start_file;
    const char *ogn_file;
    int seed;
    struct wari_opponent_limits limits;
};

/* Where games start from: a list, or a generator. */
struct starts {
    struct wari_setup *list;
    int count, room;
    uint64_t random;
    int seeds;
};

struct match {
    struct request request;
    struct wari_db *db;
    struct wari_info info;
    struct wari_player *player;
    struct starts starts;
    char **words[MATCH_SIDES];
    struct wari_opponent opponents[MATCH_SIDES]; /* meaningful where words are */
    struct output ogn;
    bool ogn_open;
    struct match_report report;
};

/* ---- Starting positions ---- */

static enum wari_status add_start(struct match *match, const struct wari_setup *setup,
                                  struct wari_error *error)
{
    struct starts *starts = &match->starts;
    struct wari_game game;
    int seeds = wari_seeds(&setup->position);
    if (seeds > match->info.seeds_max || seeds == WARI_SEEDS_MAX - 1)
        return wari_fail(error, WARI_NOT_COVERED, "%d seeds: the database goes up to %d", seeds,
                         match->info.seeds_max);
    wari_game_begin(&game, wari_host_system(), match->info.variant, setup);
    if (game.end != WARI_GAME_OPEN)
        return wari_fail(error, WARI_BAD_INPUT, "nobody can move here: the game is over");
    if (starts->count == starts->room) {
        void *more;
        int room = starts->room ? 2 * starts->room : 64;
        enum wari_status status = wari_allocate(wari_host_system(), (size_t)room * sizeof *setup,
                                                "the list of positions", &more, error);
        if (status != WARI_OK)
            return status;
        if (starts->count > 0)
            memcpy(more, starts->list, (size_t)starts->count * sizeof *setup);
        wari_release(wari_host_system(), starts->list);
        starts->list = more;
        starts->room = room;
    }
    starts->list[starts->count++] = *setup;
    return WARI_OK;
}

/* Twelve counts say nothing of stores: both sides have captured the same then. */
static void give_stores(struct wari_setup *setup)
{
    int captured = WARI_SEEDS_MAX - wari_seeds(&setup->position);
    if (setup->diagram)
        return;
    setup->diagram = true;
    setup->stores[0] = (uint8_t)(captured - captured / 2);
    setup->stores[1] = (uint8_t)(captured / 2);
}

static enum wari_status read_starts(struct match *match, struct wari_error *error)
{
    const char *path = match->request.start_file;
    struct line_reader reader;
    struct line line;
    bool found = true, present;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return wari_fail(error, WARI_IO, "cannot open %s: %s", path, strerror(errno));
    enum wari_status status = lines_open(&reader, file, path, error);
    while (status == WARI_OK) {
        struct wari_setup setup;
        struct wari_error reason = {0};
        status = lines_next(&reader, &line, &found, error);
        if (status != WARI_OK || !found)
            break;
        status = query_read(&line, &setup, &present, &reason);
        if (status == WARI_OK && present) {
            give_stores(&setup);
            status = add_start(match, &setup, &reason);
        }
        if (status != WARI_OK)
            status = wari_fail(error, status, "%s: line %llu: %s", path,
                               (unsigned long long)reader.number, reason.text);
    }
    lines_close(&reader);
    (void)close(file);
    if (status == WARI_OK && match->starts.count == 0)
        status = wari_fail(error, WARI_BAD_INPUT, "%s: no position to start from", path);
    return status;
}

/* The position of game number `game`: the same for two games in a row. */
static enum wari_status next_start(struct match *match, int game, struct wari_setup *setup,
                                   struct wari_error *error)
{
    struct starts *starts = &match->starts;
    if (match->request.start_file) {
        *setup = starts->list[game / 2 % starts->count];
        return WARI_OK;
    }
    if (game % 2 == 1)
        return WARI_OK;
    if (wari_match_position(&starts->random, match->info.variant.rules, starts->seeds, setup))
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "--from-seeds: no position with %d seeds to start from",
                     starts->seeds);
}

/* ---- One game ---- */

static enum wari_status write_record(struct match *match, struct wari_record *record, int number,
                                     int first, const struct wari_match_result *result,
                                     struct wari_error *error)
{
    struct wari_text text = {.host = wari_host_system()};
    char round[16];
    snprintf(round, sizeof round, "%d", number + 1);
    const struct {
        const char *name, *value;
    } tags[] = {
        {"Event", "wari match"},
        {"Round", round},
        {"South", match->report.tally[first].name},
        {"North", match->report.tally[1 - first].name},
        {"Termination",
         result->fault != WARI_FAULT_NONE ? wari_fault_text(result->fault) : "normal"},
    };
    enum wari_status status = WARI_OK;
    for (size_t i = 0; i < sizeof tags / sizeof *tags && status == WARI_OK; i++)
        status = wari_record_set_tag(record, tags[i].name, tags[i].value, error);
    if (status == WARI_OK)
        status = wari_record_write(record, &text, error);
    if (status == WARI_OK)
        status = output_write(&match->ogn, text.bytes, text.length, error);
    wari_text_free(&text);
    return status;
}

static void note_fault(const struct match *match, int number, int first,
                       const struct wari_match_result *result)
{
    int who = result->side == 0 ? first : 1 - first;
    report_note("match", "game %d: %s, %s: %s; the game is lost for it", number + 1,
                match->report.tally[who].name, wari_fault_text(result->fault),
                match->opponents[who].what);
}

/* Engines have names when they have been started. */
static void take_names(struct match *match)
{
    for (int i = 0; i < MATCH_SIDES; i++)
        snprintf(match->report.tally[i].name, WARI_OPPONENT_NAME, "%s",
                 match->words[i] ? match->opponents[i].name : "perfect play");
    if (strcmp(match->report.tally[0].name, match->report.tally[1].name) != 0)
        return;
    for (int i = 0; i < MATCH_SIDES; i++)
        snprintf(match->report.tally[i].name, WARI_OPPONENT_NAME, "%.50s (%d)",
                 match->words[i] ? match->opponents[i].name : "perfect play", i + 1);
}

static enum wari_status play_one(struct match *match, int number, const struct wari_setup *start,
                                 bool *interrupted, struct wari_error *error)
{
    struct wari_record record;
    struct wari_judgement judgement;
    struct wari_match_result result;
    struct wari_match_side sides[2];
    int first = number % 2; /* who is South */
    for (int side = 0; side < 2; side++) {
        int who = side == 0 ? first : 1 - first;
        sides[side].engine = match->words[who] ? &match->opponents[who] : NULL;
        sides[side].player = match->player;
    }
    wari_record_begin(&record, wari_host_system(), match->info.variant, start);
    enum wari_status status = wari_match_play(&record.game, sides, &result, error);
    *interrupted = result.interrupted;
    take_names(match);
    if (status == WARI_OK && !*interrupted)
        status = wari_judge_game(match->db, &record.game, &judgement, error);
    if (status == WARI_OK && !*interrupted) {
        if (result.fault != WARI_FAULT_NONE)
            note_fault(match, number, first, &result);
        match->report.games++;
        match_add_game(&match->report.tally[first], &record.game, &judgement, 0, &result);
        match_add_game(&match->report.tally[1 - first], &record.game, &judgement, 1, &result);
        wari_judgement_free(&judgement);
        if (match->ogn_open)
            status = write_record(match, &record, number, first, &result, error);
    }
    wari_record_free(&record);
    return status;
}

/* ---- All of them ---- */

static enum wari_status play_all(struct match *match, struct wari_error *error)
{
    struct wari_setup start = {.diagram = false};
    bool interrupted = false;
    enum wari_status status = WARI_OK;
    for (int i = 0; i < match->request.games && status == WARI_OK; i++) {
        status = next_start(match, i, &start, error);
        if (status == WARI_OK)
            status = play_one(match, i, &start, &interrupted, error);
        if (status == WARI_OK && (interrupted || atomic_load(interrupt_flag())))
            status = wari_fail(error, WARI_INTERRUPTED, "interrupted after %d games",
                               match->report.games);
    }
    return status;
}

static enum wari_status prepare(struct match *match, struct wari_error *error)
{
    const struct request *request = &match->request;
    struct wari_variant variant;
    enum wari_status status =
        variant_in_folder(&request->options.choice, request->options.folder, &variant, error);
    if (status == WARI_OK)
        status = wari_open(&match->db, request->options.folder, &variant, NULL, error);
    if (status != WARI_OK)
        return status;
    wari_info(match->db, &match->info);
    match->report.variant = variant;
    match->starts.seeds = request->from_seeds >= 0 ? request->from_seeds : match->info.seeds_max;
    match->starts.random = (uint64_t)request->seed * 0x9E3779B97F4A7C15;
    if (match->starts.seeds > match->info.seeds_max)
        return wari_fail(error, WARI_NOT_COVERED,
                         "--from-seeds: %d seeds, but the database goes up to %d",
                         match->starts.seeds, match->info.seeds_max);
    status = wari_player_new(&match->player, match->db, error);
    for (int i = 0; i < request->engine_count && status == WARI_OK; i++) {
        int count;
        status = wari_split_command(wari_host_system(), request->engines[i], &match->words[i],
                                    &count, error);
        if (status != WARI_OK)
            match->words[i] = NULL;
        else
            wari_opponent_init(&match->opponents[i], wari_host_system(), match->words[i], variant,
                               &request->limits, interrupt_flag());
        match->opponents[i].seed = (uint64_t)request->seed;
    }
    if (status == WARI_OK && request->start_file)
        status = read_starts(match, error);
    if (status == WARI_OK && request->ogn_file) {
        status = output_open(&match->ogn, request->ogn_file, error);
        match->ogn_open = status == WARI_OK;
    }
    return status;
}

static bool add_faults(struct match *match)
{
    bool any = false;
    for (int i = 0; i < MATCH_SIDES; i++) {
        struct match_tally *tally = &match->report.tally[i];
        if (!match->words[i])
            continue;
        memcpy(tally->faults, match->opponents[i].faults, sizeof tally->faults);
        tally->starts = match->opponents[i].starts;
        tally->nonsense = match->opponents[i].nonsense;
        for (int fault = 1; fault < WARI_FAULT_COUNT; fault++)
            any |= tally->faults[fault] > 0;
    }
    return any;
}

static enum wari_status play_match(struct match *match, bool *faults, struct wari_error *error)
{
    enum wari_status status = prepare(match, error);
    bool played = status == WARI_OK;
    if (played) {
        interrupt_catch();
        take_names(match);
        status = play_all(match, error);
    }
    for (int i = 0; i < MATCH_SIDES; i++)
        if (match->words[i])
            wari_opponent_end(&match->opponents[i]);
    /* What was played before an interruption counts. */
    if (match->ogn_open) {
        struct wari_error reason;
        bool keep = status == WARI_OK || status == WARI_INTERRUPTED;
        enum wari_status end = output_end(&match->ogn, keep ? WARI_OK : status, &reason);
        if (keep && end != WARI_OK) {
            *error = reason;
            status = end;
        }
    }
    *faults = add_faults(match);
    if (!played || (status != WARI_OK && status != WARI_INTERRUPTED))
        return status;
    if (match->request.options.format == FORMAT_TEXT)
        match_print_text(&match->report);
    else if (match_print_json(&match->report, error) != WARI_OK)
        return WARI_NO_MEMORY;
    return status;
}

/* ---- The command ---- */

static enum wari_status read_own_option(int key, struct request *request, struct wari_error *error)
{
    enum { LONGEST = 24 * 60 * 60 * 1000 };
    switch (key) {
    case 'e':
        if (request->engine_count == MATCH_SIDES)
            return wari_fail(error, WARI_BAD_INPUT,
                             "a match has two engines; --engine is there "
                             "for the third time");
        request->engines[request->engine_count++] = optarg;
        return WARI_OK;
    case 'g':
        return options_int("--games", optarg, 1, 1000000, &request->games, error);
    case 'k':
        return options_int("--from-seeds", optarg, 1, WARI_SEEDS_MAX, &request->from_seeds, error);
    case 't':
        return options_int("--movetime", optarg, 1, LONGEST, &request->limits.move, error);
    case 'a':
        return options_int("--grace", optarg, 0, LONGEST, &request->limits.grace, error);
    case 'u':
        return options_int("--start-time", optarg, 1, LONGEST, &request->limits.start, error);
    case 's':
        return options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
    case 'p':
        request->start_file = optarg;
        return WARI_OK;
    default:
        request->ogn_file = optarg;
        return WARI_OK;
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const struct option accepted[] = {
        OPTIONS_DB,
        OPTIONS_VARIANT,
        {"engine", required_argument, NULL, 'e'},
        {"games", required_argument, NULL, 'g'},
        {"from-seeds", required_argument, NULL, 'k'},
        {"start", required_argument, NULL, 'p'},
        {"movetime", required_argument, NULL, 't'},
        {"grace", required_argument, NULL, 'a'},
        {"start-time", required_argument, NULL, 'u'},
        {"seed", required_argument, NULL, 's'},
        {"ogn", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    enum wari_status status;
    int key;
    *request = (struct request){
        .games = 100,
        .from_seeds = -1,
        .seed = 1,
        .limits = {.start = 10000, .move = 100, .grace = 2000},
    };
    while ((status = options_database(argc, argv, accepted, formats, 0, &key, &request->options,
                                      error)) == WARI_OK &&
           key != -1) {
        status = read_own_option(key, request, error);
        if (status != WARI_OK)
            return status;
    }
    if (status == WARI_OK && request->engine_count == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--engine \"COMMAND\" is missing: the program that is to play");
    if (status == WARI_OK && request->start_file && request->from_seeds >= 0)
        return wari_fail(error, WARI_BAD_INPUT, "--start and --from-seeds contradict each other");
    return status;
}

static int run(int argc, char **argv)
{
    struct match match = {.ogn_open = false};
    struct wari_error error = {0};
    bool faults = false;
    enum wari_status status = read_options(argc, argv, &match.request, &error);
    if (status == WARI_OK)
        status = play_match(&match, &faults, &error);
    for (int i = 0; i < MATCH_SIDES; i++)
        wari_release(wari_host_system(), match.words[i]);
    wari_release(wari_host_system(), match.starts.list);
    wari_player_free(match.player);
    wari_close(match.db);
    if (status != WARI_OK)
        return report_result(argv[0], status, &error);
    return report_exit_code(faults ? WARI_DIFFERENT : WARI_OK);
}

const struct command command_match = {
    .name = "match",
    .summary = "let engines play, and judge every move",
    .run = run,
    .help =
        "usage: wari match --db DIR --engine COMMAND [--engine COMMAND] [OPTION...]\n"
        "\n"
        "Plays games between two engines, or one engine and perfect play, from positions\n"
        "inside the database, and judges every move. Each position is played twice, with\n"
        "sides changed. The third repetition of a position ends a game and pays by the\n"
        "cycle rule. An engine that fails (no answer in time, a crash, an illegal move) loses\n"
        "that game; it is started again, and the match goes on.\n"
        "\n"
        "  --db DIR         folder of the database\n"
        "  --rules R        rule set or preset, and\n"
        "  --cycle C        even or own: which database, if the folder holds several\n"
        "  --engine COMMAND  a program that speaks the protocol of `wari engine`. It is split\n"
        "                   into words ('...' and \"...\" keep blanks), and runs without a shell\n"
        "  --games N        so many games (default 100)\n"
        "  --from-seeds K   from random positions with K seeds (default: the largest level)\n"
        "  --start FILE     from the positions in FILE instead, one on a line\n"
        "  --movetime MS    for each move (default 100 milliseconds)\n"
        "  --grace MS       how much later a move may come (default 2000)\n"
        "  --start-time MS  for an engine to come up (default 10000)\n"
        "  --seed S         other random positions for each S from 1 (the default) up\n"
        "  --ogn FILE       write the games, for `wari judge`\n"
        "  --format F       text (default): a table; json (--json for short): one object\n"
        "\n"
        "\"Seeds beyond the values\": what a side got from its opponent's mistakes, less what\n"
        "its own cost. Perfect play never has less than 0.\n"
        "\n"
        "example\n"
        "  wari match --db tables --rules tournament --games 200 --from-seeds 12\n"
        "      --engine \"wari engine --db tables --rules tournament\"\n"
        "      --engine \"wari engine --random\"\n"
        "\n"
        "exit codes: 0 played; 1 played, but an engine failed; 2 bad usage; 3 a file is\n"
        "damaged; 4 reading or writing failed; 5 not enough memory; 6 the folder lacks that\n"
        "rule set, or another format version; 130, 143 stopped by Ctrl-C or SIGTERM: what was\n"
        "played so far is reported\n",
};
