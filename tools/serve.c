/* `wari serve`: reads the command line, opens the databases and runs the server until a signal
 * stops it. If the program was built without libmicrohttpd, the command only prints a message.
 */
#include "tools/common/command.h"
#include "tools/common/report.h"

#ifdef WITH_SERVER

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "serve/analysis.h"
#include "serve/server.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"

enum {
    DEFAULT_PORT = 8383,
    DEFAULT_CONNECTIONS = 512,
    DEFAULT_SECONDS = 15,
    DEFAULT_CACHE_MB = 256,
    CACHE_MB_MAX = 1 << 20,
    WORKERS_MIN = 2, /* so that one slow request does not block all others */
    WORKERS_MAX = 16,
    FOLDERS_MAX = WARI_VARIANT_COUNT, /* no two folders may have the same variant */
};

struct request {
    struct database_options options;
    struct serve_options serve;
    const char *hosts[SERVE_HOSTS_MAX];
    const char *origins[SERVE_ORIGINS_MAX];
    const char *folders[FOLDERS_MAX];
    int folder_count;
    uint64_t cache_bytes;
};

static void report(const char *text)
{
    report_note("serve", "%s", text);
}

static enum wari_status add_host(struct request *request, struct wari_error *error)
{
    if (request->serve.host_count == SERVE_HOSTS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "--allow-host can be given at most %d times",
                         SERVE_HOSTS_MAX);
    request->hosts[request->serve.host_count++] = optarg;
    return WARI_OK;
}

static enum wari_status add_origin(struct request *request, struct wari_error *error)
{
    if (request->serve.origin_count == SERVE_ORIGINS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "--allow-origin can be given at most %d times",
                         SERVE_ORIGINS_MAX);
    request->origins[request->serve.origin_count++] = optarg;
    return WARI_OK;
}

static enum wari_status add_folder(struct request *request, struct wari_error *error)
{
    if (request->folder_count == FOLDERS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "--db can be given at most %d times", FOLDERS_MAX);
    request->folders[request->folder_count++] = optarg;
    return options_require_folder(optarg, error);
}

static enum wari_status read_count(const char *name, int max, unsigned *count,
                                   struct wari_error *error)
{
    int number = 1;
    enum wari_status status = options_int(name, optarg, 1, max, &number, error);
    *count = (unsigned)number;
    return status;
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    int number = 0;
    enum wari_status status = WARI_OK;
    switch (key) {
    case 'D':
        return add_folder(request, error);
    case 'x':
        request->serve.analysis_threads = 0;
        break;
    case 'y':
        status = read_count("--analysis-threads", ANALYSIS_THREADS_MAX,
                            &request->serve.analysis_threads, error);
        break;
    case 'p':
        status = options_int("--port", optarg, 0, UINT16_MAX, &number, error);
        request->serve.port = (uint16_t)number;
        break;
    case 'b':
        request->serve.address = optarg;
        break;
    case 'u':
        request->serve.base = optarg;
        break;
    case 'a':
        status = add_host(request, error);
        break;
    case 'o':
        status = add_origin(request, error);
        break;
    case 'n':
        status =
            read_count("--connections", SERVE_CONNECTIONS_MAX, &request->serve.connections, error);
        break;
    case 't':
        status = read_count("--threads", SERVE_THREADS_MAX, &request->serve.threads, error);
        break;
    case 's':
        status = read_count("--seconds", SERVE_SECONDS_MAX, &request->serve.seconds, error);
        break;
    case 'm':
        status = options_int("--cache", optarg, 1, CACHE_MB_MAX, &number, error);
        request->cache_bytes = (uint64_t)number * 1000000;
        break;
    }
    return status;
}

static unsigned default_threads(void)
{
    const int count = machine_processors();
    if (count < WORKERS_MIN)
        return WORKERS_MIN;
    return count > WORKERS_MAX ? WORKERS_MAX : (unsigned)count;
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {{"db", required_argument, NULL, 'D'},
                                             OPTIONS_BOOK,
                                             OPTIONS_VARIANT,
                                             {"port", required_argument, NULL, 'p'},
                                             {"bind", required_argument, NULL, 'b'},
                                             {"base", required_argument, NULL, 'u'},
                                             {"allow-host", required_argument, NULL, 'a'},
                                             {"allow-origin", required_argument, NULL, 'o'},
                                             {"connections", required_argument, NULL, 'n'},
                                             {"threads", required_argument, NULL, 't'},
                                             {"analysis-threads", required_argument, NULL, 'y'},
                                             {"no-analysis", no_argument, NULL, 'x'},
                                             {"seconds", required_argument, NULL, 's'},
                                             {"cache", required_argument, NULL, 'm'},
                                             {NULL, 0, NULL, 0}};
    const struct command_line line = {argc, argv, accepted, NULL, 0, handle_option, request};
    *request = (struct request){.serve = {.address = "127.0.0.1",
                                          .base = "/",
                                          .port = DEFAULT_PORT,
                                          .threads = default_threads(),
                                          .analysis_threads = default_threads() / 2,
                                          .connections = DEFAULT_CONNECTIONS,
                                          .seconds = DEFAULT_SECONDS,
                                          .report = report},
                                .cache_bytes = (uint64_t)DEFAULT_CACHE_MB * 1000000};
    request->serve.hosts = request->hosts;
    request->serve.origins = request->origins;
    request->options.source_optional = true;
    enum wari_status status = options_read_database(&line, &request->options, error);
    if (status == WARI_OK && request->folder_count > 0 && request->options.book)
        status = options_require_source(request->folders[0], request->options.book, error);
    if (status == WARI_OK && request->folder_count == 0 && !request->options.book &&
        request->serve.analysis_threads == 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "without --db and --book every answer comes from a search, which "
                           "--no-analysis disables; give a database, or leave out --no-analysis");
    return status;
}

/* Raises the limit of open files, because the server needs a descriptor for each level of each
 * database and for each connection, which can be more than the usual 1024. A failure is ignored: a
 * server that needs more descriptors does not start. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void announce(const struct request *request, const struct databases *databases,
                     const struct server *server)
{
    const bool everywhere = server_is_everywhere(server);
    const char *host = everywhere ? "localhost" : request->serve.address;
    const bool colons = strchr(host, ':') != NULL;
    if (!databases->list[0].db)
        report_note("serve", "there are no tables (--db or --book), so positions are searched");
    for (int i = 0; i < databases->count && databases->list[i].db; i++) {
        char name[VARIANT_TEXT];
        variant_text(databases->list[i].info.variant, name);
        report_note("serve", "%s, 0 to %d seeds", name, databases->list[i].info.seeds_max);
        if (databases->list[i].folder)
            options_note_missing("serve", databases->list[i].folder, databases->list[i].db);
        if (databases->list[i].proof.status != WARI_OK)
            report_note("serve", "%s", databases->list[i].proof.error.text);
    }
    report_note("serve", "listening on http://%s%s%s:%u%s%s", colons ? "[" : "", host,
                colons ? "]" : "", server_port(server), request->serve.base,
                everywhere ? " and all addresses of this machine" : "");
}

static enum wari_status open_databases(const struct request *request, struct databases *databases,
                                       struct wari_error *error)
{
    const struct database_options *options = &request->options;
    const struct wari_options settings = {.cache_bytes = request->cache_bytes};
    struct wari_variant variants[FOLDERS_MAX][WARI_VARIANT_COUNT];
    struct wari_db *db;
    int counts[FOLDERS_MAX], all = 0;
    enum wari_status status = WARI_OK;
    databases->count = 0;
    if (options->book) {
        status = options_open_book(&options->choice, options->book, &settings, &db, error);
        return status == WARI_OK ? databases_from_handle(databases, db, error) : status;
    }
    if (request->folder_count == 0) {
        status = variants_of_choice(&options->choice, variants[0], &counts[0], error);
        return status == WARI_OK
                   ? databases_without_tables(databases, variants[0], counts[0], error)
                   : status;
    }
    for (int i = 0; i < request->folder_count && status == WARI_OK; i++) {
        status = variants_in_folder(&options->choice, request->folders[i], variants[i], &counts[i],
                                    error);
        all += status == WARI_OK ? counts[i] : 0;
    }
    for (int i = 0; i < request->folder_count && status == WARI_OK; i++)
        status = databases_open(databases, request->folders[i], variants[i], counts[i],
                                request->cache_bytes / (unsigned)all * (unsigned)counts[i], error);
    return status;
}

/* Fails with WARI_INTERRUPTED, which ends the command. The message has more than one word only if
 * some requests were not answered. */
static enum wari_status report_end(const struct server_end *end, struct wari_error *error)
{
    if (end->lost == 0)
        return wari_fail(error, WARI_INTERRUPTED, "stopped");
    return wari_fail(error, WARI_INTERRUPTED,
                     "stopped; %u of the %u requests that were being served got no answer",
                     end->lost, end->answered + end->lost);
}

static enum wari_status serve(const struct request *request, struct wari_error *error)
{
    struct databases databases = {.count = 0};
    struct server *server = NULL;
    struct server_end end;
    enum wari_status status = open_databases(request, &databases, error);
    if (status == WARI_OK)
        status = server_start(&server, &request->serve, &databases, error);
    if (status == WARI_OK) {
        announce(request, &databases, server);
        server_run(server, interrupt_flag(), &end);
        status = report_end(&end, error);
    }
    databases_close(&databases);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK) {
        raise_descriptor_limit();
        interrupt_catch();
        status = serve(&request, &error);
    }
    return report_result(argv[0], status, &error);
}

#else

static int run(int argc, char **argv)
{
    (void)argc;
    report_note(argv[0], "this program was built without a server; install libmicrohttpd-dev "
                         "(for example with `make setup`) and build it again");
    return report_exit_code(WARI_BAD_INPUT);
}

#endif

const struct command command_serve = {
    .name = "serve",
    .summary = "answer over HTTP, with a page to play on",
    .run = run,
    .help =
        "usage: wari serve --db DIR [--db DIR...] [OPTION...]\n"
        "       wari serve --book FILE [OPTION...]\n"
        "       wari serve [OPTION...]\n"
        "\n"
        "Answers positions over HTTP from all databases in DIR, and serves a page on which\n"
        "every pit shows the value of its move. Without --db and --book, the page plays and\n"
        "analyses by search alone. The command prints the address to open in a browser. On\n"
        "Ctrl-C or SIGTERM, the server finishes the requests in flight and stops.\n"
        "\n"
        "  --db DIR         folder of the databases; may be given several times if the folders\n"
        "                   contain different rules\n"
        "  --book FILE      serve a book ('wari book') instead of a folder\n"
        "  --rules R, --cycle C\n"
        "                   serve only databases of this rule set or preset, or cycle rule\n"
        "  --port P         default 8383; 0 means any free port\n"
        "  --bind ADDR      numeric address to listen on; default 127.0.0.1, which only this\n"
        "                   machine can reach\n"
        "  --allow-host H   accept requests to this host name, besides localhost and the\n"
        "                   address; may be given several times\n"
        "  --allow-origin O\n"
        "                   let pages of the origin O use the API, such as\n"
        "                   https://games.example; * means all pages; may be given several times\n"
        "  --base PATH      path under which everything is served, such as /wari/; for a proxy\n"
        "                   that passes paths on unchanged\n"
        "  --connections N  maximum number of connections (default 512); further clients are\n"
        "                   told to try again later\n"
        "  --threads N      number of simultaneous look-ups, plus half as many for requests in\n"
        "                   bulk; default: one for each processor that the program may use,\n"
        "                   2 to 16\n"
        "  --analysis-threads N\n"
        "                   number of simultaneous searches, for positions that no database\n"
        "                   covers; default: one for two processors; 64 MB each\n"
        "  --no-analysis    disable these searches\n"
        "  --seconds N      time limit for receiving a request and for sending its answer\n"
        "                   (default 15)\n"
        "  --cache MB       memory for decoded values, for all databases together (default 256)\n"
        "\n"
        "  GET /api/position?rules=R&cycle=C&p=POSITION   like wari query --format json;\n"
        "                   detail=value or detail=moves gives less\n"
        "  POST /api/positions?rules=R&cycle=C            up to 10,000 positions, one per\n"
        "                   line (text/plain) or an array of strings (application/json)\n"
        "  GET /api/analysis?rules=R&cycle=C&p=POSITION   any position, by search if no\n"
        "                   database covers it: repeat until the state is \"done\"\n"
        "  GET /api/move?...&level=L&seed=N   the move of a playing level: first-steps,\n"
        "                   beginner, easy, medium, hard, expert, master\n"
        "  POST /api/game, POST /api/review   judge a game; review also searches\n"
        "  GET /api/puzzle?...&seed=N   a puzzle, the same one for the same number\n"
        "  GET /api/moves, GET /api/stats, GET /api/info, GET /healthz\n"
        "  GET /api/v1/openapi.json   describes these requests and answers (OpenAPI 3.1); the\n"
        "                   other paths exist below /api/v1/, too\n"
        "The manual page wari-serve(1) describes these requests. Errors: 400 for a bad position,\n"
        "404 for a position that is not covered, 503 if the server is busy.\n"
        "\n"
        "example\n"
        "  wari serve --db tables\n"
        "\n"
        "exit codes: 2 bad usage; 3 a file is damaged; 4 the port is in use, or reading failed;\n"
        "5 not enough memory; 6 the folder does not contain that rule set, or has another format\n"
        "version; 129, 130, 143 stopped by SIGHUP, Ctrl-C or SIGTERM\n",
};
