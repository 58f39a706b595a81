/* The memory of a proof follows from the level alone; how long it takes is told by the notes. */
#include "tools/plan/plan_verify.h"

#include <stdio.h>

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text.h"
#include "verify/verify_memory.h"

enum wari_status plan_verify(const struct wari_build *build, bool json, struct wari_error *error)
{
    const struct wari_verify_need need =
        wari_verify_need(build->variant, build->seeds, WARI_VERIFY_FULL, build->threads);
    char name[VARIANT_TEXT], least[TEXT_NUMBER], most[TEXT_NUMBER];

    if (build->memory && build->memory < need.least)
        return wari_fail(error, WARI_NO_MEMORY,
                         "a proof of levels 0 to %d takes %s at least (--memory)", build->seeds,
                         text_bytes(need.least, least));
    if (json)
        return json_print(
            json_pack("{ss ss si sI sI}", "rules", wari_rules_info(build->variant.rules)->name,
                      "cycle", wari_cycle_name(build->variant.cycle), "seeds", build->seeds,
                      "memory_least", (json_int_t)need.least, "memory_most", (json_int_t)need.most),
            error);
    variant_text(build->variant, name);
    printf("%s, proof of levels 0 to %d: %s of memory, at least %s (--memory); packed files take "
           "67 MB more\n",
           name, build->seeds, text_bytes(need.most, most), text_bytes(need.least, least));
    return WARI_OK;
}
