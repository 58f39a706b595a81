/* Names of level files, and the number of positions in a packed file. */
#include "db/format/level_record.h"

#include "index/level.h"

static bool is_valid(struct wari_level_key key)
{
    return wari_get_rules_info(key.variant.rules) != NULL &&
           wari_cycle_name(key.variant.cycle) != NULL && key.seeds >= 0 &&
           key.seeds <= WARI_SEEDS_MAX;
}

enum wari_status wari_level_path(char path[WARI_PATH_MAX], const char *folder,
                                 struct wari_level_key key, struct wari_error *error)
{
    if (!is_valid(key))
        return wari_fail(error, WARI_BAD_INPUT,
                         "there is no level %d of rule set %d with cycle rule %d", key.seeds,
                         (int)key.variant.rules, (int)key.variant.cycle);
    return wari_path(path, error, folder, "%s-%s-%d.wari",
                     wari_get_rules_info(key.variant.rules)->name,
                     wari_cycle_name(key.variant.cycle), key.seeds);
}

uint64_t wari_packed_positions(int seeds)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    return layout.block_offset[seeds / 2 + 1];
}
