/* `make evaluation`: learns an evaluation of positions from databases, and writes its weights as a
 * source file.
 *
 *     build/learn OUT DIR...        DIR: a folder with the tables of one variant
 *
 * The weights for a cycle rule are learned from the first folder with that rule and are used for
 * all variants with that rule. Their error is measured for each variant, in that variant's folder.
 *
 * Each round plays games whose positions get exact values from the database, or values from a
 * search above it that uses the weights of the round before. So values spread upwards from the
 * database, a few moves deeper in each round. Errors are measured with games that were not learned
 * from. Everything depends on a seed: a machine that makes the file twice makes the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/wari.h"
#include "play/engine/match.h"
#include "tools/common/output.h"
#include "tools/learn/collect.h"
#include "tools/learn/fit.h"

/* The rounds of learning. In the first round, only positions in the database have values. Later
 * searches are deeper, because their estimates are better and more worth learning. */
static const struct round {
    int games, depth;
} rounds[] = {{12000, 0}, {12000, 5}, {16000, 7}, {24000, 8}, {32000, 10}};

enum {
    ROUNDS = sizeof rounds / sizeof rounds[0],
    TEST_GAMES = 400,
    SHALLOW_TEST_DEPTH = 5,
    DEEP_TEST_DEPTH = 9,
    EPOCHS = 16,
    THREADS = 2,
    VARIANTS = WARI_VARIANT_COUNT,
};

/* A database that is learned from or measured with. */
struct set {
    const char *folder;
    bool learns; /* its weights are learned and written */
    struct wari_db *db;
    struct wari_info info;
    struct network network;
    struct wari_evaluation evaluation;
    /* Errors of the estimates, in games that learning did not use: compared with the values that
     * learning uses, with exact values, and with values of a deeper search. */
    struct fits learned, exact, deep;
    uint8_t error[WARI_UNIT_LEVELS]; /* standard deviation in tenths of a seed */
};

static void mix(uint32_t *order, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(wari_match_random(random) % i);
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

/* Measures the estimates for games that learning did not use. */
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
                                          .games = rounds[round].games,
                                          .depth = rounds[round].depth,
                                          .threads = THREADS};
    struct sample *samples;
    size_t count;
    enum wari_status status = collect(&collection, &samples, &count, error);
    if (status != WARI_OK)
        return status;
    status = learn_samples(set, samples, count, error);
    free(samples);
    if (status == WARI_OK)
        status = test(set, SHALLOW_TEST_DEPTH, &set->learned, &set->exact, error);
    printf("\n%s %s, round %d of %d: %zu positions\n",
           wari_get_rules_info(set->info.variant.rules)->name,
           wari_cycle_name(set->info.variant.cycle), round + 1, ROUNDS, count);
    fits_print(stdout, "  ", &set->learned);
    fflush(stdout);
    return status;
}

/* Sets set->error, the standard deviations that the program reports with its estimates. If enough
 * samples of a level have exact values, the estimates are compared with these, otherwise with the
 * values of a deeper search. The error of a level is never less than that of a level with fewer
 * seeds. The levels with the fewest seeds, for which there are not enough samples, get the error of
 * the first level that was measured. */
static void set_errors(struct set *set)
{
    enum { ENOUGH = 50, MOST = 255 };
    double error = 0;
    for (int level = 0; level < WARI_UNIT_LEVELS; level++) {
        const struct fit *fit = &set->exact.levels[level];
        bool covered = 2 * level <= set->info.seeds_max;
        fit = covered && fit->count >= ENOUGH ? fit : &set->deep.levels[level];
        double each = fit->count >= ENOUGH ? 10 * fit_error(fit) : 0;
        error = each > error ? each : error;
        set->error[level] = (uint8_t)(error < MOST ? error + 0.5 : MOST);
    }
    for (int level = WARI_UNIT_LEVELS - 1; level > 0; level--)
        if (set->error[level - 1] == 0)
            set->error[level - 1] = set->error[level];
}

static enum wari_status open_set(struct set *set, struct wari_error *error)
{
    /* Space for all values up to 20 seeds, since games read them again and again. */
    const struct wari_options options = {.cache_bytes = (size_t)400 << 20};
    enum wari_status status = wari_open(&set->db, set->folder, NULL, &options, error);
    if (status == WARI_OK)
        wari_get_info(set->db, &set->info);
    return status;
}

static enum wari_status learn(struct set *set, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    network_begin(&set->network, 1);
    for (int round = 0; round < ROUNDS && status == WARI_OK; round++)
        status = learn_round(set, round, error);
    return status;
}

static enum wari_status measure(struct set *set, struct wari_error *error)
{
    struct fits exact;
    enum wari_status status = test(set, SHALLOW_TEST_DEPTH, &set->learned, &set->exact, error);
    if (status == WARI_OK)
        status = test(set, DEEP_TEST_DEPTH, &set->deep, &exact, error);
    if (status != WARI_OK)
        return status;
    printf("\n%s %s against exact values\n", wari_get_rules_info(set->info.variant.rules)->name,
           wari_cycle_name(set->info.variant.cycle));
    fits_print(stdout, "  ", &set->exact);
    printf("\nagainst searches to depth %d (exact values in the database)\n", DEEP_TEST_DEPTH);
    fits_print(stdout, "  ", &set->deep);
    fflush(stdout);
    set_errors(set);
    return WARI_OK;
}

/* ---- Output file ---- */

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

static void write_set(FILE *to, const struct set *set)
{
    const struct wari_evaluation *evaluation = &set->evaluation;
    fprintf(
        to,
        "\n/* Learned from %s %s, 0 to %d seeds. Errors in games that learning did not use:\n *\n",
        wari_get_rules_info(set->info.variant.rules)->name,
        wari_cycle_name(set->info.variant.cycle), set->info.seeds_max);
    fits_print(to, " * ", &set->deep);
    fprintf(to, " */\nstatic const struct wari_evaluation set_%s = {\n",
            wari_cycle_name(set->info.variant.cycle));
    fputs("    /* clang-format off */\n", to);
    write_numbers(to, "pits", evaluation->pits, NETWORK_PITS);
    write_numbers(to, "levels", evaluation->levels, NETWORK_LEVELS);
    write_numbers(to, "out", evaluation->out, WARI_UNITS);
    fprintf(to, "    .bias = %d,\n    /* clang-format on */\n};\n", evaluation->bias);
}

static void write_errors(FILE *to, const struct set *sets, int count)
{
    fputs("\n/* [rules][cycle][seeds / 2]: standard deviation of the estimate, in tenths of a "
          "seed. Each\n"
          " * comment names the variant, the database that the figures were measured with, the "
          "share of\n"
          " * the variance that the estimate explains (R2), and the standard deviation for all "
          "numbers of\n"
          " * seeds together, in seeds. */\nstatic const uint8_t "
          "errors[WARI_RULES_COUNT][WARI_CYCLE_COUNT][WARI_UNIT_LEVELS] = {\n"
          "    /* clang-format off */\n",
          to);
    for (int i = 0; i < count; i++) {
        const struct wari_variant variant = sets[i].info.variant;
        fprintf(to, "    [%d][%d] = {", (int)variant.rules, (int)variant.cycle);
        for (int level = 0; level < WARI_UNIT_LEVELS; level++)
            fprintf(to, "%d,", sets[i].error[level]);
        fprintf(to, "}, /* %s %s, tables of %d seeds: R2 %.2f, error %.2f */\n",
                wari_get_rules_info(variant.rules)->name, wari_cycle_name(variant.cycle),
                sets[i].info.seeds_max, fit_explained(&sets[i].deep.all),
                fit_error(&sets[i].deep.all));
    }
    fprintf(to,
            "    /* clang-format on */\n};\n"
            "_Static_assert(WARI_RULES_COUNT == %d, \"each rule set has its errors: make "
            "evaluation\");\n\n",
            (int)WARI_RULES_COUNT);
    fputs("int wari_evaluation_error(struct wari_variant variant, int seeds)\n{\n"
          "    return 10 * errors[variant.rules][variant.cycle][seeds / 2];\n}\n",
          to);
}

static bool write_file(FILE *to, const struct set *sets, int count)
{
    fprintf(
        to,
        "/* Made by `make evaluation` (tools/learn/); not to be edited. %d rounds; in the last,\n"
        " * %d games and searches to depth %d. %d units.\n */\n"
        "#include \"play/search/evaluation.h\"\n",
        ROUNDS, rounds[ROUNDS - 1].games, rounds[ROUNDS - 1].depth, WARI_UNITS);
    for (int i = 0; i < count; i++)
        if (sets[i].learns)
            write_set(to, &sets[i]);
    fputs("\nconst struct wari_evaluation *wari_evaluation_for(struct wari_variant variant)\n{\n"
          "    return variant.cycle == WARI_OWN ? &set_own : &set_even;\n}\n",
          to);
    write_errors(to, sets, count);
    return !ferror(to);
}

static enum wari_status save(const char *path, const struct set *sets, int count,
                             struct wari_error *error)
{
    struct output output;
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    bool written = to && write_file(to, sets, count);
    if (to)
        written = fclose(to) == 0 && written;
    enum wari_status status =
        written ? output_open(&output, path, error)
                : wari_fail(error, WARI_NO_MEMORY, "not enough memory to write %s", path);
    if (status == WARI_OK) {
        status = output_write(&output, text, length, error);
        status = output_finish(&output, status, error);
    }
    free(text);
    return status;
}

/* Fails if the file OUT belongs to one of the folders, or cannot be written. Learning takes hours,
 * so this is checked first. An existing file stays as it is. */
static enum wari_status check_output(const char *path, char *const *folders, int count,
                                     struct wari_error *error)
{
    struct wari_error reason;
    enum wari_status status = output_check_path(path, error);
    for (int i = 0; i < count && status == WARI_OK; i++) {
        const struct output_sources sources = {.folder = folders[i]};
        status = output_refuse_source(path, &sources, error);
    }
    if (status != WARI_OK)
        return status;
    status = output_try(path, &reason);
    return status == WARI_OK
               ? WARI_OK
               : wari_fail(error, status, "%s; give OUT a name in a folder that you can write to",
                           reason.text);
}

/* Returns the set from which the weights for the cycle rule of set `number` are learned; NULL if
 * it is set `number` itself. */
static const struct set *find_shared_set(const struct set *sets, int number)
{
    for (int i = 0; i < number; i++)
        if (sets[i].learns && sets[i].info.variant.cycle == sets[number].info.variant.cycle)
            return &sets[i];
    return NULL;
}

static enum wari_status work(struct set *sets, int number, struct wari_error *error)
{
    struct set *set = &sets[number];
    enum wari_status status = open_set(set, error);
    if (status != WARI_OK)
        return status;
    for (int i = 0; i < number; i++)
        if (memcmp(&sets[i].info.variant, &set->info.variant, sizeof set->info.variant) == 0)
            return wari_fail(error, WARI_BAD_INPUT, "%s and %s are databases of the same variant",
                             sets[i].folder, set->folder);
    const struct set *shared = find_shared_set(sets, number);
    set->learns = shared == NULL;
    if (shared)
        set->evaluation = shared->evaluation;
    else
        status = learn(set, error);
    if (status == WARI_OK)
        status = measure(set, error);
    wari_close(set->db);
    return status;
}

int main(int argc, char **argv)
{
    static struct set sets[VARIANTS];
    struct wari_error error = {0};
    int count = argc - 2;
    if (count != VARIANTS) {
        fprintf(stderr, "usage: learn OUT DIR...   (folders of tables, one for each variant)\n");
        return 2;
    }
    enum wari_status status = check_output(argv[1], argv + 2, count, &error);
    for (int i = 0; i < count && status == WARI_OK; i++) {
        sets[i].folder = argv[i + 2];
        status = work(sets, i, &error);
    }
    if (status == WARI_OK)
        status = save(argv[1], sets, count, &error);
    if (status != WARI_OK)
        fprintf(stderr, "learn: %s\n", error.text);
    return status == WARI_OK ? 0 : 1;
}
