/* The true values of one variant, by the reference solver, in a folder of their own. */
#include "tests/support/solved.h"

static int reference_value(const void *reference, const struct wari_position *position)
{
    return ref_value(reference, position->pits);
}

bool solved_make(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    *solved = (struct solved){.variant = {rules, cycle}, .seeds_max = seeds_max};
    solved->reference = ref_solve((int)rules, (int)cycle, seeds_max);
    if (solved->reference && table_folder_make(solved->folder) &&
        table_make(&solved->table, solved->variant, seeds_max, reference_value,
                   solved->reference) == WARI_OK) {
        if (table_write(&solved->table, solved->folder, NULL) == WARI_OK &&
            wari_open(&solved->db, solved->folder, &solved->variant, NULL, NULL) == WARI_OK)
            return true;
        table_free(&solved->table);
    }
    ref_free(solved->reference);
    return false;
}

bool solved_discard(struct solved *solved)
{
    wari_close(solved->db);
    table_free(&solved->table);
    ref_free(solved->reference);
    return table_folder_remove(solved->folder);
}
