/* Solves one level after the other, from 0 seeds up, by examining single positions.
 *
 * A capture leads to a lower level, which is already solved, so its value is looked up. The
 * remaining moves of a level form a graph. All edges of the graph are stored. For `even`, this file
 * sweeps over the graph until no value changes; for `own`, reference_own.c solves it. For `even`
 * there is also a second, even simpler solver, which stores no graph; the tests compare both. */
#include "reference_own.h"

#include <stdlib.h>

struct ref_table {
    int max_seeds;
    struct ref_numbering numbering;
    signed char *value[REF_MAX_SEEDS + 1];
};

/* Returns the value, for the mover, of a move that captures or ends the game. */
static int value_of_move(const struct ref_table *table, const struct ref_move *move)
{
    int after;

    if (move->ends)
        return move->value;
    after = ref_value(table, move->next);
    return move->captured + (move->again ? after : -after);
}

static void lay_out_position(const struct ref_table *table, int rules,
                             const unsigned char pits[REF_PITS], uint32_t p,
                             struct ref_moves_of_level *level)
{
    struct ref_move moves[REF_ROW];
    int best = REF_NOTHING;
    int children = 0;
    int surplus = 0;

    ref_moves(rules, pits, moves, &best);
    for (int pit = 0; pit < REF_ROW; pit++) {
        const struct ref_move *move = &moves[pit];

        surplus += pits[pit] - pits[REF_ROW + pit];
        if (!move->legal)
            continue;
        if (move->ends || move->captured > 0) {
            int value = value_of_move(table, move);

            best = value > best ? value : best;
        } else {
            uint64_t number = ref_rank(&table->numbering, move->next);

            level->child[6 * (size_t)p + (size_t)children++] = (uint32_t)number;
        }
    }
    level->children[p] = (unsigned char)children;
    level->best[p] = (signed char)best;
    level->surplus[p] = (signed char)surplus;
}

static void free_moves(struct ref_moves_of_level *level)
{
    free(level->child);
    free(level->children);
    free(level->best);
    free(level->surplus);
}

/* Lists all moves of a level. Returns 0 if there is no memory; the caller calls free_moves() in
 * either case. */
static int lay_out_level(const struct ref_table *table, int rules, int seeds,
                         struct ref_moves_of_level *level)
{
    size_t positions = (size_t)ref_count(&table->numbering, seeds);
    unsigned char pits[REF_PITS];
    uint32_t p = 0;

    level->seeds = seeds;
    level->positions = (uint32_t)positions;
    level->child = calloc(positions, 6 * sizeof *level->child);
    level->children = calloc(positions, 1);
    level->best = calloc(positions, 1);
    level->surplus = calloc(positions, 1);
    if (!level->child || !level->children || !level->best || !level->surplus)
        return 0;
    ref_first(seeds, pits);
    do {
        lay_out_position(table, rules, pits, p++, level);
    } while (ref_next(pits));
    return 1;
}

/* Starts with all values 0 and sets every value to the best of its moves until nothing changes. A
 * position gets its value as soon as the positions that it depends on have their values. So, by
 * induction over the length of the play, all wins and losses are found. Positions that stay at 0
 * have endless play as their best play, which is worth 0 under `even`. */
static void solve_even(const struct ref_moves_of_level *level, signed char *value)
{
    int changed;

    do {
        changed = 0;
        for (uint32_t p = 0; p < level->positions; p++) {
            const uint32_t *child = level->child + 6 * (size_t)p;
            int best = level->best[p];

            for (int i = 0; i < level->children[p]; i++)
                if (-value[child[i]] > best)
                    best = -value[child[i]];
            if (best != value[p]) {
                value[p] = (signed char)best;
                changed = 1;
            }
        }
    } while (changed);
}

/* Computes the same values without a graph: sows every move again in every sweep. */
static void sweep_plainly(const struct ref_table *table, int rules, int seeds, signed char *value)
{
    int changed;

    do {
        unsigned char pits[REF_PITS];
        uint64_t p = 0;

        changed = 0;
        ref_first(seeds, pits);
        do {
            struct ref_move moves[REF_ROW];
            int best = REF_NOTHING;

            ref_moves(rules, pits, moves, &best);
            for (int pit = 0; pit < REF_ROW; pit++) {
                int worth = moves[pit].legal ? value_of_move(table, &moves[pit]) : REF_NOTHING;

                best = worth > best ? worth : best;
            }
            changed |= best != value[p];
            value[p++] = (signed char)best;
        } while (ref_next(pits));
    } while (changed);
}

enum method { PLAIN, GRAPH };

static int solve_level(struct ref_table *table, int rules, int cycle, enum method method, int seeds)
{
    struct ref_moves_of_level level = {0};
    signed char *value = calloc((size_t)ref_count(&table->numbering, seeds), 1);
    int done = 0;

    table->value[seeds] = value;
    if (value && method == PLAIN) {
        sweep_plainly(table, rules, seeds, value);
        return 1;
    }
    if (!value || !lay_out_level(table, rules, seeds, &level))
        goto out;
    if (cycle == REF_OWN) {
        done = ref_solve_own(&level, value);
    } else {
        solve_even(&level, value);
        done = 1;
    }
out:
    free_moves(&level);
    return done;
}

static struct ref_table *solve(int rules, int cycle, enum method method, int max_seeds)
{
    struct ref_table *table;

    if (rules < 0 || rules >= REF_RULE_SETS || (cycle != REF_EVEN && cycle != REF_OWN) ||
        max_seeds < 0 || max_seeds > REF_MAX_SEEDS)
        return NULL;
    table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->max_seeds = max_seeds;
    ref_numbering_fill(&table->numbering);
    for (int seeds = 0; seeds <= max_seeds; seeds++)
        if (!solve_level(table, rules, cycle, method, seeds)) {
            ref_free(table);
            return NULL;
        }
    return table;
}

struct ref_table *ref_solve(int rules, int cycle, int max_seeds)
{
    return solve(rules, cycle, GRAPH, max_seeds);
}

struct ref_table *ref_solve_plain(int rules, int max_seeds)
{
    return solve(rules, REF_EVEN, PLAIN, max_seeds);
}

void ref_free(struct ref_table *table)
{
    if (!table)
        return;
    for (int seeds = 0; seeds <= REF_MAX_SEEDS; seeds++)
        free(table->value[seeds]);
    free(table);
}

const signed char *ref_level(const struct ref_table *table, int seeds)
{
    return seeds < 0 || seeds > table->max_seeds ? NULL : table->value[seeds];
}

int ref_value(const struct ref_table *table, const unsigned char pits[REF_PITS])
{
    int seeds = 0;

    for (int i = 0; i < REF_PITS; i++)
        seeds += pits[i];
    if (seeds > table->max_seeds)
        return REF_UNKNOWN;
    return table->value[seeds][ref_rank(&table->numbering, pits)];
}

int ref_histogram(const struct ref_table *table, int seeds, uint64_t counts[2 * REF_MAX_SEEDS + 1])
{
    const signed char *value = ref_level(table, seeds);

    for (int i = 0; i <= 2 * REF_MAX_SEEDS; i++)
        counts[i] = 0;
    if (!value)
        return 0;
    for (uint64_t p = 0; p < ref_count(&table->numbering, seeds); p++)
        counts[seeds + value[p]]++;
    return 1;
}
