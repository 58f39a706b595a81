/* `make evaluation`: learns what positions are worth at a glance, from databases, and writes the
 * numbers as a source file.
 *
 *     build/learn OUT DIR...        DIR: a folder with the tables of one variant
 *
 * Each round plays games whose positions get exact values in the database and values found by
 * search above it, with what the round before has learned; so values work their way up from the
 * database, a few moves deeper in each round. What is measured is measured with games that were not
 * learned from. Everything depends on a seed: one machine makes the same file twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/wari.h"
#include "tools/learn/collect.h"
#include "tools/learn/judge.h"

enum {
    ROUNDS = 4,
    EXACT_GAMES = 6000, /* of the first round, which knows nothing above the database */
    GAMES = 8000,
    TEST_GAMES = 400,
    DEPTH = 5,
    TEST_DEPTH = 9,
    EPOCHS = 16,
    THREADS = 2,
    SETS_MAX = 4,
};

/* What is learned from one database. */
struct set {
    const char *folder;
    struct wari_db *db;
    struct wari_info info;
    struct network network;
    struct wari_evaluation evaluation;
    struct fits learned, exact, deep; /* of other games: as learned; exact values; by deep search */
};

static void mix(uint32_t *order, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(learn_random(random) % i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static enum wari_status learn_samples(struct set *set, const struct sample *samples, size_t count,
                                      struct wari_error *error)
{
    uint64_t random = 88172645463325252;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    if (!order)
        return wari_fail(error, WARI_NO_MEMORY, "no memory for %zu samples", count);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        float left = (float)(EPOCHS - epoch) / EPOCHS;
        mix(order, count, &random);
        network_learn(&set->network, samples, order, count, 0.003F * left * left + 0.00003F);
    }
    network_round(&set->network, &set->evaluation);
    free(order);
    return WARI_OK;
}

/* Sums up how well other games are estimated. */
static enum wari_status test(struct set *set, int depth, struct fits *all, struct fits *exact,
                             struct wari_error *error)
{
    const struct collection collection = {.db = set->db,
                                          .evaluation = &set->evaluation,
                                          .seed = 1000,
                                          .games = TEST_GAMES,
                                          .depth = depth,
                                          .threads = THREADS};
    struct sample *samples;
    size_t count;
    enum wari_status status = collect(&collection, &samples, &count, error);
    if (status != WARI_OK)
        return status;
    memset(all, 0, sizeof *all);
    memset(exact, 0, sizeof *exact);
    for (size_t i = 0; i < count; i++) {
        fit_add(all, &set->evaluation, &samples[i]);
        if (samples[i].exact)
            fit_add(exact, &set->evaluation, &samples[i]);
    }
    free(samples);
    return WARI_OK;
}

static enum wari_status learn_round(struct set *set, int round, struct wari_error *error)
{
    const struct collection collection = {.db = set->db,
                                          .evaluation = round > 0 ? &set->evaluation : NULL,
                                          .seed = (uint64_t)round + 1,
                                          .games = round > 0 ? GAMES : EXACT_GAMES,
                                          .depth = DEPTH,
                                          .threads = THREADS};
    struct sample *samples;
    size_t count;
    enum wari_status status = collect(&collection, &samples, &count, error);
    if (status != WARI_OK)
        return status;
    status = learn_samples(set, samples, count, error);
    free(samples);
    if (status == WARI_OK)
        status = test(set, DEPTH, &set->learned, &set->exact, error);
    printf("\n%s %s, round %d of %d: %zu positions\n",
           wari_rules_info(set->info.variant.rules)->name, wari_cycle_name(set->info.variant.cycle),
           round + 1, ROUNDS, count);
    fits_print(stdout, "  ", &set->learned);
    fflush(stdout);
    return status;
}

/* The error that answers show: against exact values where there are enough, else against searches,
 * and never less than that of fewer seeds. */
static void take_errors(struct set *set)
{
    enum { ENOUGH = 50, MOST = 255 };
    double error = 0;
    for (int level = 0; level < WARI_UNIT_LEVELS; level++) {
        const struct fit *fit = &set->exact.levels[level];
        bool covered = 2 * level <= set->info.seeds_max;
        fit = covered && fit->count >= ENOUGH ? fit : &set->deep.levels[level];
        double each = fit->count >= ENOUGH ? 10 * fit_error(fit) : 0;
        error = each > error ? each : error;
        set->evaluation.error[level] = (uint8_t)(error < MOST ? error + 0.5 : MOST);
    }
}

static enum wari_status learn(struct set *set, struct wari_error *error)
{
    /* Room for all values to 20 seeds: games read them everywhere, again and again. */
    const struct wari_options options = {.cache_bytes = (size_t)400 << 20};
    struct fits exact;
    enum wari_status status = wari_open(&set->db, set->folder, NULL, &options, error);
    if (status != WARI_OK)
        return status;
    wari_info(set->db, &set->info);
    network_begin(&set->network, 1);
    for (int round = 0; round < ROUNDS && status == WARI_OK; round++)
        status = learn_round(set, round, error);
    if (status == WARI_OK)
        status = test(set, TEST_DEPTH, &set->deep, &exact, error);
    if (status != WARI_OK)
        return status;
    puts("\nagainst exact values");
    fits_print(stdout, "  ", &set->exact);
    printf("\nagainst searches to depth %d (exact values in the database)\n", TEST_DEPTH);
    fits_print(stdout, "  ", &set->deep);
    take_errors(set);
    return WARI_OK;
}

/* ---- The file ---- */

static void write_numbers(FILE *to, const char *name, const int16_t *numbers, int count)
{
    int column = fprintf(to, "    .%s = {", name);
    for (int i = 0; i < count; i++) {
        if (column > 200)
            column = fprintf(to, "\n    ") - 1;
        column += fprintf(to, "%d,", numbers[i]);
    }
    fputs("},\n", to);
}

static void write_set(FILE *to, const struct set *set, int number)
{
    const struct wari_evaluation *evaluation = &set->evaluation;
    fprintf(to,
            "\n/* Learned from %s %s, 0 to %d seeds. Of games that were not learned from:\n *\n",
            wari_rules_info(set->info.variant.rules)->name,
            wari_cycle_name(set->info.variant.cycle), set->info.seeds_max);
    fits_print(to, " * ", &set->deep);
    fprintf(to, " */\nstatic const struct wari_evaluation set_%d = {\n", number);
    fputs("    /* clang-format off */\n", to);
    write_numbers(to, "pits", evaluation->pits, NETWORK_PITS);
    write_numbers(to, "levels", evaluation->levels, NETWORK_LEVELS);
    write_numbers(to, "out", evaluation->out, WARI_UNITS);
    fprintf(to, "    .bias = %d,\n    .error = {", evaluation->bias);
    for (int level = 0; level < WARI_UNIT_LEVELS; level++)
        fprintf(to, "%d,", evaluation->error[level]);
    fputs("},\n    /* clang-format on */\n};\n", to);
}

/* A set serves the variants with its cycle rule; the last one all others. */
static bool write_file(FILE *to, const struct set *sets, int count)
{
    fprintf(
        to,
        "/* Made by `make evaluation` (tools/learn/); not to be edited. %d rounds of %d games,\n"
        " * searches to depth %d, %d units.\n */\n"
        "#include \"play/search/evaluation.h\"\n",
        ROUNDS, GAMES, DEPTH, WARI_UNITS);
    for (int i = 0; i < count; i++)
        write_set(to, &sets[i], i);
    fputs("\nconst struct wari_evaluation *wari_evaluation_for(struct wari_variant variant)\n{\n",
          to);
    for (int i = 0; i + 1 < count; i++)
        fprintf(to, "    if (variant.cycle == %s)\n        return &set_%d;\n",
                sets[i].info.variant.cycle == WARI_OWN ? "WARI_OWN" : "WARI_EVEN", i);
    if (count == 1)
        fputs("    (void)variant;\n", to);
    fprintf(to, "    return &set_%d;\n}\n", count - 1);
    return !ferror(to);
}

static enum wari_status save(const char *path, const struct set *sets, int count,
                             struct wari_error *error)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return wari_fail(error, WARI_IO, "cannot write %s", path);
    bool written = write_file(to, sets, count);
    return fclose(to) == 0 && written ? WARI_OK
                                      : wari_fail(error, WARI_IO, "cannot write %s", path);
}

int main(int argc, char **argv)
{
    static struct set sets[SETS_MAX];
    struct wari_error error = {0};
    enum wari_status status = WARI_OK;
    int count = argc - 2;
    if (count < 1 || count > SETS_MAX) {
        fprintf(stderr, "usage: learn OUT DIR...   (at most %d folders of tables)\n", SETS_MAX);
        return 2;
    }
    for (int i = 0; i < count && status == WARI_OK; i++) {
        sets[i].folder = argv[i + 2];
        status = learn(&sets[i], &error);
    }
    if (status == WARI_OK)
        status = save(argv[1], sets, count, &error);
    for (int i = 0; i < count; i++)
        wari_close(sets[i].db);
    if (status != WARI_OK)
        fprintf(stderr, "learn: %s\n", error.text);
    return status == WARI_OK ? 0 : 1;
}
