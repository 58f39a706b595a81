/* The exact values of one variant, computed by the reference solver, in a temporary folder. */
#include "tests/support/solved.h"

#include <stdlib.h>

bool solved_make(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    *solved = (struct solved){.variant = {rules, cycle}, .seeds_max = seeds_max};
    solved->reference = reference_of(solved->variant, seeds_max);
    if (solved->reference && table_folder_make(solved->folder) &&
        table_solve(&solved->table, solved->variant, seeds_max) == WARI_OK) {
        if (table_write(&solved->table, solved->folder, NULL) == WARI_OK &&
            wari_open(&solved->db, solved->folder, &solved->variant, NULL, NULL) == WARI_OK)
            return true;
        table_free(&solved->table);
    }
    return false;
}

enum { SHARED_MAX = 32 };

static struct shared {
    int count;
    struct solved solved[SHARED_MAX];
} shared;

static void discard_shared(void)
{
    while (shared.count > 0)
        (void)solved_discard(&shared.solved[--shared.count]);
}

const struct solved *solved_of(enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    for (int i = 0; i < shared.count; i++) {
        const struct solved *solved = &shared.solved[i];
        if (solved->variant.rules == rules && solved->variant.cycle == cycle &&
            solved->seeds_max == seeds_max)
            return solved;
    }
    if (shared.count == SHARED_MAX ||
        !solved_make(&shared.solved[shared.count], rules, cycle, seeds_max) ||
        (shared.count == 0 && atexit(discard_shared) != 0))
        return NULL;
    return &shared.solved[shared.count++];
}

bool solved_discard(struct solved *solved)
{
    wari_close(solved->db);
    table_free(&solved->table);
    return table_folder_remove(solved->folder);
}
