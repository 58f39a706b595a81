/* `wari match`: games between engines, from positions whose values are all known. Each move is
 * judged.
 *
 * Each position is played twice, so that each engine plays it as South. A game never stops the
 * match: an engine that fails loses that game and is started again for the next one. games.c
 * plays the games; this file counts them in their order and writes them to the OGN file. When
 * the match is interrupted, the games played so far are still written and reported. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "play/record/record.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/lines.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/match/games.h"
#include "tools/match/match_file.h"
#include "tools/match/match_report.h"
#include "tools/match/request.h"

struct match {
    struct request request;
    struct wari_db *db;
    struct wari_info info;
    struct starts starts;
    struct match_file file;
    struct match_games *games;
    struct output ogn;
    bool ogn_open;
    struct match_report report;
};

/* ---- One game ---- */

/* Sets the result of an adjudicated game, which does not follow from its moves. */
static enum wari_status set_result(struct wari_record *record, const struct wari_score *score,
                                   struct wari_error *error)
{
    char text[32];
    int length =
        snprintf(text, sizeof text, "%g-%g", score->halves[0] / 2.0, score->halves[1] / 2.0);
    return wari_text_copy(wari_host_system(), text, (size_t)length, &record->result, error);
}

/* Describes how a game ended and which engine failed. This does not follow from the moves. */
static void describe_end(const struct wari_match_result *result, char text[64])
{
    if (result->fault == WARI_FAULT_NONE)
        snprintf(text, 64, "%s", result->adjudicated ? "adjudication" : "normal");
    else
        snprintf(text, 64, "%s: %s loses", wari_fault_text(result->fault),
                 result->side == 0 ? "South" : "North");
}

static enum wari_status write_record(struct match *match, struct played_game *game,
                                     struct wari_error *error)
{
    struct wari_record *record = &game->record;
    const struct wari_match_result *result = &game->result;
    const int first = game->number % 2;
    struct wari_text text = {.host = wari_host_system()};
    char round[16], end[64];
    describe_end(result, end);
    snprintf(round, sizeof round, "%d", game->number + 1);
    const struct {
        const char *name, *value;
    } tags[] = {
        {"Event", "wari match"},
        {"Round", round},
        {"South", match->report.statistics[first].name},
        {"North", match->report.statistics[1 - first].name},
        {"Termination", end},
    };
    enum wari_status status = WARI_OK;
    if (result->adjudicated)
        status = set_result(record, &result->score, error);
    for (size_t i = 0; i < sizeof tags / sizeof *tags && status == WARI_OK; i++)
        status = wari_record_set_tag(record, tags[i].name, tags[i].value, error);
    if (status == WARI_OK)
        status = wari_record_write(record, &text, error);
    if (status == WARI_OK)
        status = output_write(&match->ogn, text.bytes, text.length, error);
    wari_text_free(&text);
    return status;
}

static void report_fault(const struct match *match, const struct played_game *game)
{
    int engine = game->result.side ^ (game->number % 2);
    report_note("match", "game %d: the engine %s failed and loses: %s (%s)", game->number + 1,
                match->report.statistics[engine].name, wari_fault_text(game->result.fault),
                game->fault_text);
}

/* Appends a number to a name: "NAME (2)". */
static void number_name(char name[WARI_OPPONENT_NAME], char digit)
{
    char cut[WARI_OPPONENT_NAME - 4];
    wari_text_clean(cut, sizeof cut, name);
    snprintf(name, WARI_OPPONENT_NAME, "%s (%c)", cut, digit);
}

static void set_names(struct match_report *report, char names[MATCH_SIDES][WARI_OPPONENT_NAME])
{
    bool alike = strcmp(names[0], names[1]) == 0;
    for (int i = 0; i < MATCH_SIDES; i++) {
        memcpy(report->statistics[i].name, names[i], WARI_OPPONENT_NAME);
        if (alike)
            number_name(report->statistics[i].name, (char)('1' + i));
    }
}

/* Judges and counts a game, and writes its record. */
static enum wari_status count_game(struct match *match, struct played_game *game,
                                   struct wari_error *error)
{
    struct wari_judgement judgement;
    struct match_report *report = &match->report;
    const struct wari_match_result *result = &game->result;
    const int first = game->number % 2;
    set_names(report, game->names);
    if (result->fault != WARI_FAULT_NONE) {
        report->statistics[result->side ^ first].faults[result->fault]++;
        if (*game->fault_text)
            report_fault(match, game);
    }
    enum wari_status status = wari_judge_game(match->db, &game->record.game, &judgement, error);
    if (status != WARI_OK)
        return status;
    report->games++;
    match_add_to_pair(report, game->number, &game->record.game, result);
    match_add_game(&report->statistics[first], &game->record.game, &judgement, 0, result);
    match_add_game(&report->statistics[1 - first], &game->record.game, &judgement, 1, result);
    wari_judgement_free(&judgement);
    return match->ogn_open ? write_record(match, game, error) : WARI_OK;
}

/* ---- All games ---- */

static enum wari_status play_all(struct match *match, struct wari_error *error)
{
    const struct games_settings settings = {&match->request, match->info.variant, match->db,
                                            &match->starts, &match->file};
    enum wari_status status = games_begin(&match->games, &settings, error);
    bool any = true;
    while (status == WARI_OK && any) {
        struct played_game game;
        status = games_next(match->games, &game, &any, error);
        if (status != WARI_OK || !any)
            break;
        status = count_game(match, &game, error);
        wari_record_free(&game.record);
        if (status == WARI_OK && game.number % 2 == 1 && match_is_decided(&match->report))
            break;
    }
    if (status == WARI_INTERRUPTED)
        return wari_fail(error, status, "interrupted after %d game%s", match->report.games,
                         match->report.games == 1 ? "" : "s");
    return status;
}

static enum wari_status open_match_file(struct match *match, struct wari_error *error)
{
    struct wari_text text = {.host = wari_host_system()};
    enum wari_status status = request_describe(&match->request, match->info.variant, &text, error);
    if (status == WARI_OK)
        status = match_file_open(&match->file, match->request.match_file, text.bytes,
                                 match->request.games, error);
    wari_text_free(&text);
    return status;
}

/* Fails if one of the two files that a match writes, the match file and the OGN file, is a file of
 * the database or the file of start positions. Also fails if the OGN file is the match file, from
 * which the match reads the games that were played before. */
static enum wari_status check_outputs(const struct request *request, struct wari_error *error)
{
    char *files[2];
    struct output_sources sources = {.folder = request->options.folder, .files = files};
    enum wari_status status = WARI_OK;
    if (request->start_file)
        files[sources.file_count++] = request->start_file;
    if (request->match_file)
        status = output_refuse_source(request->match_file, &sources, error);
    if (request->match_file)
        files[sources.file_count++] = request->match_file;
    if (status == WARI_OK && request->ogn_file)
        status = output_refuse_source(request->ogn_file, &sources, error);
    return status;
}

static enum wari_status prepare(struct match *match, struct wari_error *error)
{
    const struct request *request = &match->request;
    struct wari_variant variant;
    enum wari_status status = check_outputs(request, error);
    if (status == WARI_OK)
        status =
            variant_in_folder(&request->options.choice, request->options.folder, &variant, error);
    if (status == WARI_OK)
        status = wari_open(&match->db, request->options.folder, &variant, NULL, error);
    if (status != WARI_OK)
        return status;
    options_note_missing("match", request->options.folder, match->db);
    wari_get_info(match->db, &match->info);
    match->report.variant = variant;
    match->report.strength = request->from_start;
    match->report.test = request->test;
    match->starts = (struct starts){
        .variant = variant,
        .most = request->engine_count == MATCH_SIDES ? WARI_SEEDS_MAX : match->info.seeds_max,
        .random = (uint64_t)request->seed * 0x9E3779B97F4A7C15,
        .seeds = request->from_seeds >= 0 ? request->from_seeds : match->info.seeds_max};
    if (request->adjudicate && wari_game_slam_decides(variant.rules))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--adjudicate: under the rules %s a slam decides the game whatever the "
                         "score, so the database does not say who wins; leave it out",
                         wari_get_rules_info(variant.rules)->name);
    if (!request->from_start && match->starts.seeds > match->info.seeds_max)
        return wari_fail(error, WARI_NOT_COVERED,
                         "--from-seeds: %d seeds, but the database goes up to %d",
                         match->starts.seeds, match->info.seeds_max);
    if (request->start_file)
        status = starts_read(&match->starts, request->start_file, error);
    if (status == WARI_OK && request->match_file)
        status = open_match_file(match, error);
    if (status == WARI_OK && request->ogn_file) {
        status = output_open(&match->ogn, request->ogn_file, error);
        match->ogn_open = status == WARI_OK;
    }
    return status;
}

/* Ends all engines. Returns true if one of them has failed. */
static bool end_games(struct match *match)
{
    bool any = false;
    games_end(match->games, match->report.statistics);
    for (int i = 0; i < MATCH_SIDES; i++)
        for (int fault = 1; fault < WARI_FAULT_COUNT; fault++)
            any |= match->report.statistics[i].faults[fault] > 0;
    return any;
}

/* Prints the report of the games played, whatever ended the match. If it cannot be printed as a
 * JSON object, prints the table to standard error. */
static enum wari_status print_report(const struct match *match, enum wari_status status,
                                     struct wari_error *error)
{
    struct wari_error reason;
    if (status != WARI_OK && status != WARI_INTERRUPTED && match->report.games == 0)
        return status;
    if (match->request.options.format == FORMAT_TEXT) {
        match_print_text(&match->report, stdout);
        return status;
    }
    enum wari_status printed = match_print_json(&match->report, &reason);
    if (printed == WARI_OK)
        return status;
    match_print_text(&match->report, stderr);
    if (status == WARI_OK)
        *error = reason;
    return status == WARI_OK ? printed : status;
}

static enum wari_status play_match(struct match *match, bool *faults, struct wari_error *error)
{
    enum wari_status status = prepare(match, error);
    bool played = status == WARI_OK;
    if (played) {
        interrupt_catch();
        if (match->request.from_start)
            status =
                starts_make_openings(&match->starts, match->db, &match->request.openings, error);
        if (status == WARI_OK)
            status = play_all(match, error);
    }
    *faults = end_games(match);
    /* Games played before an interruption are kept. */
    if (match->ogn_open) {
        struct wari_error reason;
        bool keep = status == WARI_OK || match->report.games > 0;
        enum wari_status end = output_finish(&match->ogn, keep ? WARI_OK : status, &reason);
        if (status == WARI_OK && end != WARI_OK) {
            *error = reason;
            status = end;
        }
    }
    return played ? print_report(match, status, error) : status;
}

/* ---- The command ---- */

static int run(int argc, char **argv)
{
    struct match match = {.file = {.fd = -1}};
    struct wari_error error = {0};
    bool faults = false;
    enum wari_status status = request_read(argc, argv, &match.request, &error);
    if (status == WARI_OK)
        status = play_match(&match, &faults, &error);
    starts_free(&match.starts);
    match_file_close(&match.file);
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
        "inside the database or from the start, and judges every move that the database\n"
        "knows. Each position is played twice, with sides changed. A position that occurs for\n"
        "the third time ends the game, and the cycle rule decides the score. Perfect play also\n"
        "takes the stores and the positions since the last capture into account. An engine that\n"
        "fails (no answer in time, a crash, an illegal move) loses that game; it is started\n"
        "again, and the match continues. An engine that does not start in three attempts ends\n"
        "the match.\n"
        "\n"
        "  --db DIR         folder of the database\n"
        "  --rules R        rule set or preset, and\n"
        "  --cycle C        even or own: which database, if the folder holds several\n"
        "  --engine COMMAND  a program that speaks the protocol of `wari engine`. It is split\n"
        "                   into words ('...' and \"...\" keep blanks), and runs without a shell\n"
        "  --games N        number of games (default 100)\n"
        "  --from-seeds K   from random positions with K seeds (default: the largest level)\n"
        "  --start FILE     from the positions in FILE instead, one on a line; without FILE, from\n"
        "                   openings: random moves that a short search considers nearly equal\n"
        "  --openings N     number of different openings (default: one for every two games)\n"
        "  --plies K        moves in an opening (default 6)\n"
        "  --movetime MS    for each move (default 100 milliseconds), or\n"
        "  --tc S+I         a clock for each game: S seconds, and I more for each move,\n"
        "  --nodes N        positions for each move, or\n"
        "  --depth N        moves to look ahead\n"
        "  --concurrency N  number of games at once (default 1, at most 64); clocks are fair if\n"
        "                   each engine has a processor\n"
        "  --adjudicate     end a game where the database begins, with its value; not allowed\n"
        "                   if a slam decides whatever the score (ware, slam-wins)\n"
        "  --sprt WORDS     with --start: end when it is clear which Elo difference is right, as\n"
        "                   in --sprt elo0=0 elo1=10, perhaps with alpha=0.05 beta=0.05\n"
        "  --grace MS       how late a move may be (default 2000)\n"
        "  --start-time MS  time for an engine to start (default 10000)\n"
        "  --seed S         seed of the random positions, from 1 (the default)\n"
        "  --ogn FILE       write the games, for `wari judge` (Result is * if an engine failed)\n"
        "  --match FILE     keep the match in FILE. A match that was stopped or killed continues\n"
        "                   from there with the same options; only --games may be larger\n"
        "                   (with --start it needs --openings)\n"
        "  --format F       text (default): a table; json (--json for short): one object\n"
        "\n"
        "\"Net seeds from mistakes\": what a side got from its opponent's mistakes, minus\n"
        "what its own mistakes cost. For perfect play this is never negative.\n"
        "\n"
        "With --start the report ends with the first engine's Elo difference, its 95 % error\n"
        "(both are left out where they mean nothing: fewer than ten pairs, or equal results),\n"
        "the likelihood of its superiority (LOS), and the numbers of pairs of games in which it\n"
        "got 0, half a point, 1, 1.5 and 2 points; with --sprt, the logarithm of the likelihood\n"
        "ratio of elo1 against elo0 (pentanomial), and the limits that end the match.\n"
        "\n"
        "examples\n"
        "  wari match --db tables --rules tournament --games 200 --from-seeds 12 \\\n"
        "      --engine \"wari engine --db tables --rules tournament\" \\\n"
        "      --engine \"wari engine --random\"\n"
        "  wari match --db tables --rules tournament --games 100 --start --depth 4 \\\n"
        "      --engine \"wari engine --db tables --rules tournament\" \\\n"
        "      --engine \"wari engine --random\" --sprt elo0=0 elo1=50 alpha=0.05 beta=0.05\n"
        "\n"
        "exit codes: 0 played; 1 played, but an engine failed, or nothing was played, because\n"
        "a start has more seeds than the database; 2 bad usage; 3 a file is damaged; 4 reading\n"
        "or writing failed, or an engine does not start; 5 not enough memory; 6 the folder does\n"
        "not contain that rule set, or has another format version; 129, 130, 143 stopped by\n"
        "SIGHUP, Ctrl-C or SIGTERM: what was played so far is reported\n",
};
