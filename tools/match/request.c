/* Reading the command line of `wari match`. */
#include "tools/match/request.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/interrupt.h"

enum {
    TIME_MAX_MS = 24 * 60 * 60 * 1000,
    /* Each game has two engines; their pipes need far fewer than 1,024 descriptors. */
    CONCURRENCY_MAX = 64,
};

/* Reads the seconds for a game, optionally followed by "+" and the seconds added after each
 * move. */
static enum wari_status read_clock(const char *text, struct wari_opponent_limits *limits,
                                   struct wari_error *error)
{
    char *end;
    bool digit = *text >= '0' && *text <= '9';
    double clock = digit ? strtod(text, &end) : 0, more = 0;
    if (digit && *end == '+' && end[1] >= '0' && end[1] <= '9')
        more = strtod(end + 1, &end);
    if (!digit || *end || !(clock >= 0.001 && clock <= TIME_MAX_MS / 1000.0) ||
        !(more >= 0 && more <= TIME_MAX_MS / 1000.0))
        return wari_fail(
            error, WARI_BAD_INPUT,
            "--tc: \"%s\" is not a time such as 60+0.6: seconds for a game and for each "
            "move, up to a day",
            text);
    limits->clock = (int)(clock * 1000 + 0.5);
    limits->increment = (int)(more * 1000 + 0.5);
    return WARI_OK;
}

/* Reads "elo0=0" or another word of --sprt. Returns false if the word is invalid. */
static bool read_test_word(const char *text, struct wari_elo_test *test)
{
    const struct {
        const char *name;
        double *to, least, most;
    } words[] = {{"elo0=", &test->elo0, -1000, 1000},
                 {"elo1=", &test->elo1, -1000, 1000},
                 {"alpha=", &test->alpha, 0.0001, 0.4999},
                 {"beta=", &test->beta, 0.0001, 0.4999}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].name);
        char *end;
        if (strncmp(text, words[i].name, length) != 0 || strchr(" \t", text[length]))
            continue;
        double number = strtod(text + length, &end);
        *words[i].to = number;
        return !*end && number >= words[i].least && number <= words[i].most;
    }
    return false;
}

/* Reads the words of one argument, separated by blanks or commas. */
static enum wari_status read_test_words(const char *text, struct wari_elo_test *test,
                                        struct wari_error *error)
{
    static const char between[] = " \t,";
    char word[32];
    size_t length;
    do {
        text += strspn(text, between);
        length = strcspn(text, between);
        memcpy(word, text, length < sizeof word ? length : 0);
        word[length < sizeof word ? length : 0] = '\0';
        if (!read_test_word(word, test))
            return wari_fail(error, WARI_BAD_INPUT,
                             "--sprt: \"%.*s\" is not understood; give elo0=0 elo1=10 and perhaps "
                             "alpha=0.05 beta=0.05",
                             (int)length, text);
        text += length;
    } while (text[strspn(text, between)]);
    return WARI_OK;
}

/* Reads --sprt elo0=0 elo1=10 [alpha=0.05] [beta=0.05]: all words up to the next option. */
static enum wari_status read_test(int argc, char **argv, struct wari_elo_test *test,
                                  struct wari_error *error)
{
    enum wari_status status = read_test_words(optarg, test, error);
    while (status == WARI_OK && optind < argc && argv[optind][0] != '-')
        status = read_test_words(argv[optind++], test, error);
    if (status != WARI_OK)
        return status;
    if (test->elo0 < test->elo1)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT, "--sprt: elo1 must be more than elo0");
}

static enum wari_status read_limit(int key, struct wari_opponent_limits *limits,
                                   struct wari_error *error)
{
    switch (key) {
    case 't':
        return options_int("--movetime", optarg, 1, TIME_MAX_MS, &limits->move, error);
    case 'a':
        return options_int("--grace", optarg, 0, TIME_MAX_MS, &limits->grace, error);
    case 'u':
        return options_int("--start-time", optarg, 1, TIME_MAX_MS, &limits->start, error);
    case 'D':
        return options_int("--depth", optarg, 1, 99, &limits->depth, error);
    case 'N':
        return options_int("--nodes", optarg, 1, INT32_MAX, &limits->nodes, error);
    default:
        return read_clock(optarg, limits, error);
    }
}

static enum wari_status read_own_option(int key, struct request *request, struct wari_error *error)
{
    switch (key) {
    case 'e':
        if (request->engine_count == MATCH_SIDES)
            return wari_fail(error, WARI_BAD_INPUT,
                             "a match has two engines; --engine was given "
                             "three times");
        request->engines[request->engine_count++] = optarg;
        return WARI_OK;
    case 'g':
        return options_int("--games", optarg, 1, 1000000, &request->games, error);
    case 'k':
        return options_int("--from-seeds", optarg, 1, WARI_SEEDS_MAX, &request->from_seeds, error);
    case 'n':
        return options_int("--openings", optarg, 1, 10000, &request->openings.count, error);
    case 'l':
        return options_int("--plies", optarg, 0, 40, &request->openings.plies, error);
    case 'x':
        return options_int("--concurrency", optarg, 1, CONCURRENCY_MAX, &request->concurrency,
                           error);
    case 'A':
        request->adjudicate = true;
        return WARI_OK;
    case 's':
        return options_int("--seed", optarg, 1, INT32_MAX, &request->seed, error);
    case 'o':
        request->ogn_file = optarg;
        return options_require_file("--ogn", optarg, error);
    case 'm':
        request->match_file = optarg;
        return options_require_file("--match", optarg, error);
    default:
        return read_limit(key, &request->limits, error);
    }
}

/* Reads --start and the optional file after it. */
static void read_start(int argc, char **argv, struct request *request)
{
    if (optarg)
        request->start_file = optarg;
    else if (optind < argc && argv[optind][0] != '-')
        request->start_file = argv[optind++];
    else
        request->from_start = true;
}

static enum wari_status check_limits(struct wari_opponent_limits *limits, struct wari_error *error)
{
    enum { MOVE = 100 };
    if (limits->move >= 0 && limits->clock > 0)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "--tc and --movetime contradict each other: give a clock for each game, or "
            "a time for each move");
    if (limits->move < 0)
        limits->move = limits->clock > 0 || limits->depth > 0 || limits->nodes > 0 ? 0 : MOVE;
    return WARI_OK;
}

static enum wari_status check_request(struct request *request, struct wari_error *error)
{
    enum { DEFAULT_GAMES = 100, DEFAULT_PLIES = 6 };
    const struct opening_options *openings = &request->openings;
    if (request->engine_count == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--engine \"COMMAND\" is missing: the program that is to play");
    if ((request->start_file || request->from_start) && request->from_seeds >= 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--start and --from-seeds contradict each other; give only one of them");
    if (request->start_file && request->from_start)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--start was given twice, with a file and without; give it once");
    if (!request->from_start && (openings->count > 0 || openings->plies >= 0))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--openings and --plies need --start without a file");
    if (!request->from_start && request->test.elo0 < request->test.elo1)
        return wari_fail(error, WARI_BAD_INPUT, "--sprt needs --start without a file");
    if (request->from_start && request->engine_count < MATCH_SIDES)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--start needs a second --engine: perfect play ends where the tables do");
    if (request->from_start && request->match_file && openings->count == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--match with --start needs --openings: games that are added later are "
                         "to begin with the same ones");
    if (request->games == 0)
        request->games = openings->count > 0 ? 2 * openings->count : DEFAULT_GAMES;
    if (request->openings.count == 0)
        request->openings.count = (request->games + 1) / 2;
    if (request->openings.plies < 0)
        request->openings.plies = DEFAULT_PLIES;
    request->openings.seed = (uint64_t)request->seed * 0x9E3779B97F4A7C15;
    request->openings.stop = interrupt_flag();
    return check_limits(&request->limits, error);
}

static const struct option accepted[] = {
    OPTIONS_DB,
    OPTIONS_VARIANT,
    {"engine", required_argument, NULL, 'e'},
    {"games", required_argument, NULL, 'g'},
    {"from-seeds", required_argument, NULL, 'k'},
    {"start", optional_argument, NULL, 'p'},
    {"openings", required_argument, NULL, 'n'},
    {"plies", required_argument, NULL, 'l'},
    {"movetime", required_argument, NULL, 't'},
    {"tc", required_argument, NULL, 'T'},
    {"depth", required_argument, NULL, 'D'},
    {"nodes", required_argument, NULL, 'N'},
    {"concurrency", required_argument, NULL, 'x'},
    {"adjudicate", no_argument, NULL, 'A'},
    {"sprt", required_argument, NULL, 'S'},
    {"grace", required_argument, NULL, 'a'},
    {"start-time", required_argument, NULL, 'u'},
    {"seed", required_argument, NULL, 's'},
    {"ogn", required_argument, NULL, 'o'},
    {"match", required_argument, NULL, 'm'},
    {NULL, 0, NULL, 0},
};

/* Context while options are read; some options also use the words after them. */
struct option_context {
    int argc;
    char **argv;
    struct request *request;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    const struct option_context *option_context = context;
    struct request *request = option_context->request;
    if (key == 'p') {
        read_start(option_context->argc, option_context->argv, request);
        return WARI_OK;
    }
    if (key == 'S')
        return read_test(option_context->argc, option_context->argv, &request->test, error);
    return read_own_option(key, request, error);
}

enum wari_status request_read(int argc, char **argv, struct request *request,
                              struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct option_context option_context = {argc, argv, request};
    const struct command_line line = {argc, argv,          accepted,       formats,
                                      0,    handle_option, &option_context};
    *request = (struct request){
        .from_seeds = -1,
        .openings = {.plies = -1},
        .seed = 1,
        .concurrency = 1,
        .test = {.alpha = 0.05, .beta = 0.05},
        .limits = {.start = 10000, .move = -1, .grace = 2000},
    };
    const enum wari_status status = options_read_database(&line, &request->options, error);
    return status == WARI_OK ? check_request(request, error) : status;
}

/* Appends a text of the user as one quoted word. */
static enum wari_status add_quoted(struct wari_text *text, const char *name, const char *value,
                                   struct wari_error *error)
{
    enum wari_status status = wari_text_add(text, error, " %s=\"", name);
    for (; *value && status == WARI_OK; value++) {
        bool plain = *value >= ' ' && *value < 0x7F && *value != '"' && *value != '%';
        status = plain ? wari_text_add_bytes(text, value, 1, error)
                       : wari_text_add(text, error, "%%%02X", (unsigned)(unsigned char)*value);
    }
    return status == WARI_OK ? wari_text_add(text, error, "\"") : status;
}

enum wari_status request_describe(const struct request *request, struct wari_variant variant,
                                  struct wari_text *text, struct wari_error *error)
{
    const struct wari_opponent_limits *limits = &request->limits;
    enum wari_status status =
        wari_text_add(text, error,
                      "rules=%s cycle=%s seed=%d movetime=%d tc=%d+%d depth=%d nodes=%d "
                      "adjudicate=%d",
                      wari_get_rules_info(variant.rules)->name, wari_cycle_name(variant.cycle),
                      request->seed, limits->move, limits->clock, limits->increment, limits->depth,
                      limits->nodes, request->adjudicate);
    if (status == WARI_OK && request->from_start)
        status = wari_text_add(text, error, " openings=%d plies=%d", request->openings.count,
                               request->openings.plies);
    else if (status == WARI_OK && request->start_file)
        status = add_quoted(text, "start", request->start_file, error);
    else if (status == WARI_OK)
        status = wari_text_add(text, error, " from-seeds=%d", request->from_seeds);
    for (int i = 0; i < request->engine_count && status == WARI_OK; i++)
        status = add_quoted(text, "engine", request->engines[i], error);
    return status;
}
