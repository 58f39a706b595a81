/* `wari serve`: reads the command line, opens the databases and lets the server run until a signal
 * asks it to stop. Where the program was built without libmicrohttpd, it says so.
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
    THREADS_LEAST = 2, /* so that a line that takes a search does not keep all others waiting */
    THREADS_MOST = 16,
};

struct plan {
    struct database_options options;
    struct serve_options serve;
    const char *hosts[SERVE_HOSTS_MAX];
    uint64_t cache_bytes;
};

static void report(const char *text)
{
    report_note("serve", "%s", text);
}

static enum wari_status add_host(struct plan *plan, struct wari_error *error)
{
    if (plan->serve.host_count == SERVE_HOSTS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "--allow-host can be given %d times",
                         SERVE_HOSTS_MAX);
    plan->hosts[plan->serve.host_count++] = optarg;
    return WARI_OK;
}

static enum wari_status read_count(const char *name, int most, unsigned *count,
                                   struct wari_error *error)
{
    int number = 1;
    enum wari_status status = options_int(name, optarg, 1, most, &number, error);
    *count = (unsigned)number;
    return status;
}

static enum wari_status read_option(void *context, int key, struct wari_error *error)
{
    struct plan *plan = context;
    int number = 0;
    enum wari_status status = WARI_OK;
    switch (key) {
    case 'x':
        plan->serve.analysis_threads = 0;
        break;
    case 'y':
        status = read_count("--analysis-threads", ANALYSIS_THREADS_MAX,
                            &plan->serve.analysis_threads, error);
        break;
    case 'p':
        status = options_int("--port", optarg, 0, UINT16_MAX, &number, error);
        plan->serve.port = (uint16_t)number;
        break;
    case 'b':
        plan->serve.address = optarg;
        break;
    case 'u':
        plan->serve.base = optarg;
        break;
    case 'a':
        status = add_host(plan, error);
        break;
    case 'n':
        status =
            read_count("--connections", SERVE_CONNECTIONS_MAX, &plan->serve.connections, error);
        break;
    case 't':
        status = read_count("--threads", SERVE_THREADS_MAX, &plan->serve.threads, error);
        break;
    case 's':
        status = read_count("--seconds", SERVE_SECONDS_MAX, &plan->serve.seconds, error);
        break;
    case 'm':
        status = options_int("--cache", optarg, 1, CACHE_MB_MAX, &number, error);
        plan->cache_bytes = (uint64_t)number * 1000000;
        break;
    }
    return status;
}

static unsigned processors(void)
{
    const int count = machine_processors();
    if (count < THREADS_LEAST)
        return THREADS_LEAST;
    return count > THREADS_MOST ? THREADS_MOST : (unsigned)count;
}

static enum wari_status read_options(int argc, char **argv, struct plan *plan,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {{"db", required_argument, NULL, 'd'},
                                             OPTIONS_BOOK,
                                             OPTIONS_VARIANT,
                                             {"port", required_argument, NULL, 'p'},
                                             {"bind", required_argument, NULL, 'b'},
                                             {"base", required_argument, NULL, 'u'},
                                             {"allow-host", required_argument, NULL, 'a'},
                                             {"connections", required_argument, NULL, 'n'},
                                             {"threads", required_argument, NULL, 't'},
                                             {"analysis-threads", required_argument, NULL, 'y'},
                                             {"no-analysis", no_argument, NULL, 'x'},
                                             {"seconds", required_argument, NULL, 's'},
                                             {"cache", required_argument, NULL, 'm'},
                                             {NULL, 0, NULL, 0}};
    const struct command_line line = {argc, argv, accepted, NULL, 0, read_option, plan};
    *plan = (struct plan){.serve = {.address = "127.0.0.1",
                                    .base = "/",
                                    .port = DEFAULT_PORT,
                                    .threads = processors(),
                                    .analysis_threads = processors() / 2,
                                    .connections = DEFAULT_CONNECTIONS,
                                    .seconds = DEFAULT_SECONDS,
                                    .report = report},
                          .cache_bytes = (uint64_t)DEFAULT_CACHE_MB * 1000000};
    plan->serve.hosts = plan->hosts;
    return options_read_database(&line, &plan->options, error);
}

/* A descriptor for each level of each database and each connection: more than the usual 1024. If
 * the limit cannot be raised, a server that needs more does not start. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void announce(const struct plan *plan, const struct databases *databases,
                     const struct server *server)
{
    const bool everywhere = server_is_everywhere(server);
    const char *host = everywhere ? "localhost" : plan->serve.address;
    const bool colons = strchr(host, ':') != NULL;
    for (int i = 0; i < databases->count; i++) {
        char name[VARIANT_TEXT];
        variant_text(databases->list[i].info.variant, name);
        report_note("serve", "%s, 0 to %d seeds", name, databases->list[i].info.seeds_max);
        if (databases->list[i].proof.status != WARI_OK)
            report_note("serve", "%s", databases->list[i].proof.error.text);
    }
    report_note("serve", "listening on http://%s%s%s:%u%s%s", colons ? "[" : "", host,
                colons ? "]" : "", server_port(server), plan->serve.base,
                everywhere ? " and all addresses of this machine" : "");
}

static enum wari_status open_databases(const struct plan *plan, struct databases *databases,
                                       struct wari_error *error)
{
    const struct database_options *options = &plan->options;
    const struct wari_options settings = {.cache_bytes = plan->cache_bytes};
    struct wari_variant variants[WARI_VARIANTS];
    struct wari_db *db;
    int count;
    enum wari_status status;
    if (options->book) {
        status = options_open_book(&options->choice, options->book, &settings, &db, error);
        return status == WARI_OK ? databases_from_handle(databases, db, error) : status;
    }
    status = variants_in_folder(&options->choice, options->folder, variants, &count, error);
    if (status == WARI_OK)
        status =
            databases_open(databases, options->folder, variants, count, plan->cache_bytes, error);
    return status;
}

static enum wari_status serve(const struct plan *plan, struct wari_error *error)
{
    struct databases databases = {.count = 0};
    struct server *server = NULL;
    struct server_end end;
    enum wari_status status = open_databases(plan, &databases, error);
    if (status == WARI_OK)
        status = server_start(&server, &plan->serve, &databases, error);
    if (status == WARI_OK) {
        announce(plan, &databases, server);
        server_run(server, interrupt_flag(), &end);
        status = wari_fail(error, WARI_INTERRUPTED,
                           "stopped; of the requests in flight %u were answered, %u were not",
                           end.answered, end.lost);
    }
    databases_close(&databases);
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &plan, &error);
    if (status == WARI_OK) {
        allow_descriptors();
        interrupt_catch();
        status = serve(&plan, &error);
    }
    return report_result(argv[0], status, &error);
}

#else

static int run(int argc, char **argv)
{
    (void)argc;
    report_note(argv[0], "this program was built without a server; install libmicrohttpd-dev "
                         "(`make setup` does) and build it anew");
    return report_exit_code(WARI_BAD_INPUT);
}

#endif

const struct command command_serve = {
    .name = "serve",
    .summary = "answer over HTTP, with a page to play on",
    .run = run,
    .help = "usage: wari serve --db DIR [OPTION...]\n"
            "       wari serve --book FILE [OPTION...]\n"
            "\n"
            "Answers positions over HTTP from all databases in DIR, and serves a page on which\n"
            "every move shows what it is worth. Open the address that it prints in a browser.\n"
            "Stops on Ctrl-C or SIGTERM, when requests in flight have been answered.\n"
            "\n"
            "  --db DIR         folder of the databases\n"
            "  --book FILE      a book ('wari book') in place of a folder\n"
            "  --rules R, --cycle C\n"
            "                   only those of this rule set or preset, or cycle rule\n"
            "  --port P         default 8383; 0: any that is free\n"
            "  --bind ADDR      address in numbers; default 127.0.0.1, which only this machine\n"
            "                   reaches\n"
            "  --allow-host H   a name under which it may be asked, beside localhost and its\n"
            "                   address; may be given several times\n"
            "  --base PATH      all is below this path, such as /wari/; for a proxy in front that\n"
            "                   sends it paths as they are\n"
            "  --connections N  at most so many at a time (512); more are told to come back\n"
            "  --threads N      look-ups at a time, and half as many more for requests in bulk;\n"
            "                   default: one a processor, 2 to 16\n"
            "  --analysis-threads N\n"
            "                   searches at a time of positions above the tables; default: one\n"
            "                   for two processors, 64 MB each\n"
            "  --no-analysis    no such searches\n"
            "  --seconds N      for a request to arrive and for its answer to be fetched (15)\n"
            "  --cache MB       memory for decoded values, of all databases together (256)\n"
            "\n"
            "  GET /api/position?rules=R&cycle=C&p=POSITION   as wari query --format json;\n"
            "                   detail=value or detail=moves for less\n"
            "  POST /api/positions?rules=R&cycle=C            up to 10,000 positions, one on a\n"
            "                   line (text/plain) or an array of strings (application/json)\n"
            "  GET /api/analysis?rules=R&cycle=C&p=POSITION   any position, by search above the\n"
            "                   tables: ask again while the state is not \"done\"\n"
            "  GET /api/move?...&level=L&seed=N   what a level plays: beginner, easy, medium,\n"
            "                   hard, expert, master\n"
            "  POST /api/game, POST /api/review   a game judged, the second by search, too\n"
            "  GET /api/moves, GET /api/stats, GET /api/info, GET /healthz\n"
            "The manual page wari-serve(1) describes them. 400: a bad position; 404: not\n"
            "covered; 503: busy.\n"
            "\n"
            "example\n"
            "  wari serve --db tables\n"
            "\n"
            "exit codes: 2 bad usage; 3 a file is damaged; 4 the port is taken, or reading\n"
            "failed; 5 not enough memory; 6 the folder lacks that rule set, or another format\n"
            "version; 129, 130, 143 stopped by SIGHUP, Ctrl-C or SIGTERM\n",
};
