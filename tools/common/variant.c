/* Which game the user means. A preset's name fixes both parts of a variant, a rule set's only one;
 * a folder fills in what was left open if that leaves a single variant.
 */
#include "tools/common/variant.h"

#include <stdio.h>

void variant_text(struct wari_variant variant, char text[VARIANT_TEXT])
{
    snprintf(text, VARIANT_TEXT, "%s %s", wari_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle));
}

static enum wari_status understand(const struct variant_choice *choice, struct wari_wanted *wanted,
                                   struct wari_error *error)
{
    bool fixed = false;
    enum wari_cycle cycle = WARI_EVEN;
    *wanted = (struct wari_wanted){{WARI_AWARI, WARI_EVEN}, choice->rules, choice->cycle};
    if (choice->rules) {
        enum wari_status status = wari_rules_parse(choice->rules, &wanted->variant, &fixed, error);
        if (status != WARI_OK)
            return status;
    }
    if (choice->cycle) {
        enum wari_status status = wari_cycle_parse(choice->cycle, &cycle, error);
        if (status != WARI_OK)
            return status;
    }
    if (fixed && choice->cycle && cycle != wanted->variant.cycle)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s means rule set %s with cycle rule %s, which contradicts --cycle %s; "
                         "give --rules %s --cycle %s for that game",
                         choice->rules, wari_rules_info(wanted->variant.rules)->name,
                         wari_cycle_name(wanted->variant.cycle), choice->cycle,
                         wari_rules_info(wanted->variant.rules)->name, choice->cycle);
    if (!fixed)
        wanted->variant.cycle = cycle;
    wanted->cycle = fixed || choice->cycle;
    return WARI_OK;
}

enum wari_status variant_to_build(const struct variant_choice *choice, struct wari_variant *variant,
                                  struct wari_error *error)
{
    struct wari_wanted wanted;
    enum wari_status status = understand(choice, &wanted, error);
    if (status == WARI_OK)
        *variant = wanted.variant;
    return status;
}

enum wari_status variant_in_folder(const struct variant_choice *choice, const char *folder,
                                   struct wari_variant *variant, struct wari_error *error)
{
    struct wari_wanted wanted;
    enum wari_status status = understand(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    return wari_variant_choose(wari_host_system(), folder, &wanted,
                               "choose with --rules and --cycle", variant, error);
}

enum wari_status variants_in_folder(const struct variant_choice *choice, const char *folder,
                                    struct wari_variant variants[WARI_VARIANTS], int *count,
                                    struct wari_error *error)
{
    struct wari_wanted wanted;
    enum wari_status status = understand(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    return wari_variants_wanted(wari_host_system(), folder, &wanted, variants, count, error);
}

enum wari_status variant_fits(const struct variant_choice *choice, const char *path,
                              struct wari_variant variant, struct wari_error *error)
{
    struct wari_wanted wanted;
    char name[VARIANT_TEXT];
    enum wari_status status = understand(choice, &wanted, error);
    if (status != WARI_OK)
        return status;
    if ((!wanted.rules || variant.rules == wanted.variant.rules) &&
        (!wanted.cycle || variant.cycle == wanted.variant.cycle))
        return WARI_OK;
    variant_text(variant, name);
    return wari_fail(error, WARI_MISMATCH, "%s is a book of %s, not of what was asked for", path,
                     name);
}
