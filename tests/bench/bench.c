/* `make bench`: measures how fast databases are built. The speed depends on the machine, so each
 * figure is printed next to another figure that was measured in the same run: the speed with one
 * thread, the speed of the reference solver, the time to read the same bytes once, or the speed
 * with another rule set. The benchmark has no pass or fail.
 *
 *     build/bench [--seeds N] [--rules-seeds N] [--json] [FOLDER]
 *     build/bench --codec SEEDS FOLDER       (level SEEDS of a folder with its levels)
 *     build/bench --search SMALL LARGE       (see search.sh)
 *     build/bench --prove FOLDER SEEDS POSITIONS MILLISECONDS
 *     build/bench --tables NODES POSITIONS FOLDER... */
#include "tests/bench/bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/level.h"
#include "solver/level/level.h"

enum {
    REFERENCE_SEEDS = 10,
    CODEC_SEEDS = 15, /* level with which the codec is measured, unless --rules-seeds is lower */
};

struct settings {
    int seeds;       /* number of seeds of the main build */
    int rules_seeds; /* highest level of the builds that compare rule sets */
    bool json;
    const char *folder;
};

static void usage(void)
{
    fputs("usage: bench [--seeds N] [--rules-seeds N] [--json] [FOLDER]\n"
          "Measures builds of 0..N seeds in FOLDER (default: TMPDIR or /tmp).\n"
          "usage: bench --prove FOLDER SEEDS POSITIONS MILLISECONDS\n"
          "Measures how often a search proves who wins, with the database in FOLDER.\n",
          stderr);
    exit(2);
}

static int number(const char *text)
{
    char *end;
    const long value = strtol(text, &end, 10);

    if (*end != 0 || value < 1 || value > 46)
        usage();
    return (int)value;
}

static struct settings read_settings(int argc, char **argv)
{
    static const struct option options[] = {{"seeds", required_argument, NULL, 's'},
                                            {"rules-seeds", required_argument, NULL, 'r'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    struct settings settings = {.seeds = 20, .rules_seeds = 18, .folder = getenv("TMPDIR")};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 's')
            settings.seeds = number(optarg);
        else if (option == 'r')
            settings.rules_seeds = number(optarg);
        else if (option == 'j')
            settings.json = true;
        else
            usage();
    }
    if (optind < argc)
        settings.folder = argv[optind];
    if (!settings.folder)
        settings.folder = "/tmp";
    return settings;
}

/* A round has three measurements: a build with one thread, a build with all threads, and as many
 * simultaneous builds with one thread as there are threads. The three are repeated in turn, because
 * the speed of the machine changes from minute to minute. */
enum { ROUNDS = 3 };
struct rounds {
    struct bench_build one[ROUNDS], all[ROUNDS];
    double faster[ROUNDS]; /* speed of all threads relative to one thread */
    double limit[ROUNDS];  /* speed of the simultaneous builds relative to a single build */
};

static int compare_builds(const void *a, const void *b)
{
    const double first = ((const struct bench_build *)a)->seconds;
    const double second = ((const struct bench_build *)b)->seconds;

    return (first > second) - (first < second);
}

static int compare_ratios(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

/* Runs all rounds, and then sorts each array, so that the median is in the middle. */
static void build_in_turn(const struct settings *settings, int threads, struct rounds *rounds)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct bench_build *one = &rounds->one[i], *all = &rounds->all[i];
        *one = (struct bench_build){.seeds = settings->seeds, .threads = 1};
        *all = (struct bench_build){.seeds = settings->seeds, .threads = threads};
        bench_build(settings->folder, one);
        bench_build(settings->folder, all);
        rounds->faster[i] = one->seconds / all->seconds;
        rounds->limit[i] =
            threads * one->seconds / bench_side_by_side(settings->folder, settings->seeds, threads);
    }
    qsort(rounds->one, ROUNDS, sizeof *rounds->one, compare_builds);
    qsort(rounds->all, ROUNDS, sizeof *rounds->all, compare_builds);
    qsort(rounds->faster, ROUNDS, sizeof *rounds->faster, compare_ratios);
    qsort(rounds->limit, ROUNDS, sizeof *rounds->limit, compare_ratios);
}

/* Prints the speed of the reference solver, and the ratio between the solver's speed, `rate`
 * positions a second, and the speed of the reference solver. */
static void print_reference(const char *name, bool plain, double rate)
{
    double seconds;
    const double speed = bench_reference(REFERENCE_SEEDS, plain, &seconds);
    printf("reference, %s     %7.3f million positions/s at %d seeds; this is %.0f times as fast\n",
           name, speed * 1e-6, REFERENCE_SEEDS, rate / speed);
}

static void bench_speed(const struct settings *settings, int threads)
{
    static struct rounds rounds;
    const struct bench_build *one = &rounds.one[ROUNDS / 2], *all = &rounds.all[ROUNDS / 2];
    const uint64_t positions = bench_positions(settings->seeds);
    const uint64_t top = wari_level_positions(settings->seeds);
    const double bandwidth = bench_bandwidth(top * 3, threads);

    build_in_turn(settings, threads, &rounds);
    if (settings->json) {
        bench_print_json(one, bandwidth);
        bench_print_json(all, bandwidth);
        return;
    }
    const double rate = (double)positions / all->seconds;
    printf("awari, even, 0..%d seeds, files written; kernel %s\n", settings->seeds,
           wari_kernel_name(WARI_KERNEL_AUTO));
    bench_print_levels(one, all, bandwidth);
    printf(
        "(work: cells computed, by cells of the level; level/stream: time of the level by the time "
        "to read its\n values once from memory, at %.1f GB/s)\n\n",
        bandwidth * 1e-9);
    printf("whole run            %7.2f s with 1 thread, %.2f s with %d (medians of %d in turn)\n",
           one->seconds, all->seconds, threads, ROUNDS);
    printf("%d threads            %7.2f times as fast as one (median; %.2f to %.2f)\n", threads,
           rounds.faster[ROUNDS / 2], rounds.faster[0], rounds.faster[ROUNDS - 1]);
    printf("the machine's limit  %7.2f times one: %d such runs of 1 thread side by side (%.2f to "
           "%.2f)\n",
           rounds.limit[ROUNDS / 2], threads, rounds.limit[0], rounds.limit[ROUNDS - 1]);
    print_reference("plain", true, rate);
    print_reference("graph", false, rate);
    printf("memory of level %-2d   %7.2f bytes a position; whole process %.1f MB at most, with the "
           "lower levels\n",
           settings->seeds, (double)wari_level_bytes(settings->seeds) / (double)top,
           (double)all->peak_bytes * 1e-6);
    printf("files                %7.3f bits a position\n\n",
           8.0 * (double)all->file_bytes / (double)positions);
}

/* Compares the plan of a build, after a calibration, with the build itself: first with enough
 * memory for all lower levels, then with memory for few of them. */
static void bench_plan(const struct settings *settings, int threads)
{
    struct bench_build build = {.seeds = settings->seeds, .threads = threads};
    struct bench_build tight = build;
    struct wari_speed speed;

    if (settings->json)
        return;
    bench_calibrate(settings->folder, &build, &speed);
    bench_build(settings->folder, &build);
    bench_print_plan(&build, &speed);
    tight.memory = bench_tight_memory(&tight);
    bench_calibrate(settings->folder, &tight, &speed);
    bench_build(settings->folder, &tight);
    bench_print_plan(&tight, &speed);
    putchar('\n');
}

static double build_seconds(const struct settings *settings, int threads, enum wari_rules rules,
                            enum wari_cycle cycle, enum wari_kernel kernel)
{
    struct bench_build build = {.variant = {rules, cycle},
                                .seeds = settings->rules_seeds,
                                .threads = threads,
                                .kernel = kernel};

    bench_build(settings->folder, &build);
    if (settings->json)
        bench_print_json(&build, 0);
    return build.seconds;
}

static void bench_rules(const struct settings *settings, int threads)
{
    if (!settings->json)
        printf("every rule set, 0..%d seeds, %d threads; each next to a new build of awari/even\n"
               "rules        even    by awari   own     by even\n",
               settings->rules_seeds, threads);
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        const double awari =
            build_seconds(settings, threads, WARI_AWARI, WARI_EVEN, WARI_KERNEL_AUTO);
        const double even =
            build_seconds(settings, threads, (enum wari_rules)rules, WARI_EVEN, WARI_KERNEL_AUTO);
        const double own =
            build_seconds(settings, threads, (enum wari_rules)rules, WARI_OWN, WARI_KERNEL_AUTO);
        if (!settings->json)
            printf("%-10s %6.2f s  %5.2f    %6.2f s  %5.2f\n",
                   wari_get_rules_info((enum wari_rules)rules)->name, even, even / awari, own,
                   own / even);
    }
}

/* Measures a build with one kernel, and the loops of the kernel by themselves. */
static void bench_kernel(const struct settings *settings, int threads, const char *name,
                         double *portable)
{
    struct bench_build build = {.seeds = settings->rules_seeds, .threads = threads};
    const struct wari_level_statistics *last = &build.level[build.seeds];
    struct bench_loops loops;

    if (wari_kernel_parse(name, &build.kernel, NULL) != WARI_OK)
        return; /* this machine does not support the kernel */
    bench_build(settings->folder, &build);
    if (settings->json) {
        bench_print_json(&build, 0);
        return;
    }
    if (!bench_loops(build.kernel, &loops))
        return;
    *portable = *portable > 0 ? *portable : build.seconds;
    printf("%-9s %7.2f s  %11.2f  %5.2f  %6.2f  %10.2f  %9.2f  %5.2f\n", name, build.seconds,
           *portable / build.seconds,
           last->seconds.dense * threads * 1e9 / last->dense_work / (double)last->positions,
           loops.worst, loops.worst_of_strip, loops.transpose, loops.merge);
}

static void bench_kernels(const struct settings *settings, int threads)
{
    const char *name;
    double portable = 0;
    bool here;

    if (!settings->json)
        printf("\nkernels, awari/even, 0..%d seeds, %d threads; nanoseconds a cell and thread of "
               "dense sweeps\nof the last level, and of their loops by themselves\n"
               "kernel      build    by portable  dense  gather  few strips  transpose  merge\n",
               settings->rules_seeds, threads);
    for (int i = 0; (name = wari_kernel_listed(i, &here)); i++)
        bench_kernel(settings, threads, name, &portable);
}

static void print_codec(int seeds, const struct bench_codec *codec)
{
    printf("codec, level %d, 1 thread: encode %.2f ns a position, decode %.2f ns; survey for the "
           "model %.2f ns\n",
           seeds, codec->encode, codec->decode, codec->survey);
}

static void bench_coding(const struct settings *settings)
{
    const int seeds = settings->rules_seeds < CODEC_SEEDS ? settings->rules_seeds : CODEC_SEEDS;
    struct bench_codec codec;

    bench_codec(settings->folder, seeds, &codec);
    if (settings->json) {
        printf("{\"codec\":%d,\"survey\":%.3f,\"encode\":%.3f,\"decode\":%.3f}\n", seeds,
               codec.survey, codec.encode, codec.decode);
    } else {
        putchar('\n');
        print_codec(seeds, &codec);
    }
}

/* Measures the codec with a level of a folder. */
static int bench_codec_in(const char *folder, int seeds)
{
    struct bench_codec codec;

    if (!bench_codec_of_level(folder, seeds, &codec)) {
        fputs("bench: cannot measure the codec\n", stderr);
        return 1;
    }
    print_codec(seeds, &codec);
    return fflush(stdout) != 0 ? 4 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--codec") == 0)
        return bench_codec_in(argv[3], number(argv[2]));
    const bool search = argc == 4 && strcmp(argv[1], "--search") == 0;
    const bool proofs = argc == 6 && strcmp(argv[1], "--prove") == 0;
    if (search)
        bench_search(argv[2], argv[3]);
    if (proofs)
        bench_prove(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
    const bool tables = argc >= 5 && strcmp(argv[1], "--tables") == 0;
    if (tables)
        bench_tables(atoi(argv[2]), atoi(argv[3]), argv + 4, argc - 4);
    if (search || proofs || tables)
        return fflush(stdout) != 0 ? 4 : 0;
    const struct settings settings = read_settings(argc, argv);
    const int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    char folder[256];
    struct settings in_folder = settings;

    if ((size_t)snprintf(folder, sizeof folder, "%s/wari-bench-XXXXXX", settings.folder) >=
            sizeof folder ||
        !mkdtemp(folder)) {
        fprintf(stderr, "bench: cannot make a folder in %s\n", settings.folder);
        return 4;
    }
    in_folder.folder = folder;
    bench_speed(&in_folder, threads);
    bench_plan(&in_folder, threads);
    bench_rules(&in_folder, threads);
    bench_kernels(&in_folder, threads);
    bench_coding(&in_folder);
    if (rmdir(folder) != 0 || fflush(stdout) != 0)
        return 4;
    return 0;
}
