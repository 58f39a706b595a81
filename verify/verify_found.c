/* Keeps the first differences by position, whoever finds them, and says what the first one is. */
#include "verify/verify_found.h"

#include <inttypes.h>

void wari_verify_note(struct wari_verify_found *found, struct wari_verify_difference difference)
{
    struct wari_verify_difference *first = found->first;
    int at = found->kept;

    found->count++;
    while (at > 0 && first[at - 1].cell >= difference.cell)
        at--;
    if (at == WARI_DIFFERENCES_KEPT)
        return;
    if (at < found->kept && first[at].cell == difference.cell)
        return; /* a sample may draw a position twice */
    if (found->kept < WARI_DIFFERENCES_KEPT)
        found->kept++;
    for (int i = found->kept - 1; i > at; i--)
        first[i] = first[i - 1];
    first[at] = difference;
}

void wari_verify_merge(struct wari_verify_found *into, const struct wari_verify_found *from)
{
    uint64_t count = into->count + from->count;
    for (int i = 0; i < from->kept; i++)
        wari_verify_note(into, from->first[i]);
    into->count = count;
}

enum wari_status wari_verify_conclude(struct wari_verify_report *report,
                                      const struct wari_layout *layout,
                                      const struct wari_verify_found *found,
                                      struct wari_error *error)
{
    char position[WARI_POSITION_TEXT];

    report->differences = found->count;
    report->kept = found->kept;
    for (int i = 0; i < found->kept; i++) {
        struct wari_difference *out = &report->difference[i];
        wari_layout_unrank(layout, found->first[i].cell, &out->position);
        out->value = found->first[i].value;
        out->expected = found->first[i].expected;
        out->ungrounded = found->first[i].ungrounded;
    }
    if (found->count == 0)
        return report->text[0] ? wari_fail(error, WARI_DIFFERENT, "%s", report->text) : WARI_OK;

    const struct wari_difference *first = &report->difference[0];
    wari_position_text(&first->position, position);
    if (first->ungrounded)
        return wari_fail(error, WARI_DIFFERENT,
                         "level %d: %" PRIu64
                         " values are wrong; the first: %s is %d in the table, "
                         "and nothing forces it",
                         layout->seeds, found->count, position, first->value);
    return wari_fail(error, WARI_DIFFERENT,
                     "level %d: %" PRIu64 " values are wrong; the first: %s is %d in the table and "
                     "should be %d",
                     layout->seeds, found->count, position, first->value, first->expected);
}
