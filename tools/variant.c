/* Which game the user means. A preset's name fixes both parts of a variant, a rule set's only one;
 * a folder fills in what was left open if that leaves a single variant.
 */
#include "tools/variant.h"

#include <stdio.h>
#include <string.h>

#include "db/wari.h"

enum { VARIANTS_MAX = WARI_RULES_COUNT * WARI_CYCLE_COUNT };

/* A choice after the names are understood. */
struct wanted {
    struct wari_variant variant;
    bool rules;
    bool cycle;
};

void variant_text(struct wari_variant variant, char text[VARIANT_TEXT])
{
    snprintf(text, VARIANT_TEXT, "%s %s", wari_rules_info(variant.rules)->name,
             wari_cycle_name(variant.cycle));
}

static enum wari_status understand(const struct variant_choice *choice, struct wanted *wanted,
                                   struct wari_error *error)
{
    bool fixed = false;
    enum wari_cycle cycle = WARI_EVEN;
    *wanted = (struct wanted){{WARI_AWARI, WARI_EVEN}, choice->rules, choice->cycle};
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
    struct wanted wanted;
    enum wari_status status = understand(choice, &wanted, error);
    if (status == WARI_OK)
        *variant = wanted.variant;
    return status;
}

/* "awari even, abapa own" */
static void list_text(const struct wari_variant *variants, int count, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        char name[VARIANT_TEXT];
        variant_text(variants[i], name);
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

static enum wari_status none_fits(const struct wanted *wanted, const char *folder,
                                  const struct wari_variant *has, int count,
                                  struct wari_error *error)
{
    char list[VARIANTS_MAX * 24];
    if (count == 0)
        return wari_fail(error, WARI_MISMATCH,
                         "%s holds no database; 'wari build --db %s' makes one", folder, folder);
    list_text(has, count, list, sizeof list);
    return wari_fail(error, WARI_MISMATCH, "%s has no database of %s%s%s; it has: %s", folder,
                     wanted->rules ? wari_rules_info(wanted->variant.rules)->name : "cycle rule",
                     wanted->cycle ? " " : "",
                     wanted->cycle ? wari_cycle_name(wanted->variant.cycle) : "", list);
}

enum wari_status variant_in_folder(const struct variant_choice *choice, const char *folder,
                                   struct wari_variant *variant, struct wari_error *error)
{
    struct wanted wanted;
    enum wari_status status = understand(choice, &wanted, error);
    if (status != WARI_OK)
        return status;

    struct wari_variant has[VARIANTS_MAX];
    int count = 0;
    status = wari_list(folder, NULL, has, &count, error);
    if (status != WARI_OK)
        return status;

    struct wari_variant fits[VARIANTS_MAX];
    int fitting = 0;
    for (int i = 0; i < count; i++) {
        if ((!wanted.rules || has[i].rules == wanted.variant.rules) &&
            (!wanted.cycle || has[i].cycle == wanted.variant.cycle))
            fits[fitting++] = has[i];
    }
    if (fitting == 0)
        return none_fits(&wanted, folder, has, count, error);
    if (fitting > 1) {
        char list[VARIANTS_MAX * 24];
        list_text(fits, fitting, list, sizeof list);
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s holds several databases; choose with --rules and --cycle: %s", folder,
                         list);
    }
    *variant = fits[0];
    return WARI_OK;
}
