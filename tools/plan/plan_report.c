/* Prints a plan: first the totals, then a line for each level, then the assumptions. The speeds are
 * printed in the format that --speed reads, so that the same plan can be made again, on this
 * machine or another.
 */
#include "tools/plan/plan_report.h"

#include <stdio.h>

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text.h"

const char *plan_speed_name(int i)
{
    static const char *const names[] = {"capture", "sowing", "column", "event",  "count",
                                        "encode",  "decode", "level",  "memory", "disk"};

    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

double *plan_speed(struct wari_speed *speed, int i)
{
    double *const fields[] = {&speed->capture, &speed->sowing, &speed->column, &speed->event,
                              &speed->count,   &speed->encode, &speed->decode, &speed->level,
                              &speed->memory,  &speed->disk};

    return fields[i];
}

/* ---- Text ---- */

static uint64_t rounded(double amount)
{
    return (uint64_t)(amount + 0.5);
}

static void print_totals(const struct plan_report *report)
{
    const struct wari_build *build = report->request->build;
    const struct wari_build_plan *plan = report->request->plan;
    const struct wari_cost_level *all = &report->cost->all;
    char name[VARIANT_TEXT], text[3][TEXT_NUMBER];

    variant_text(build->variant, name);
    printf("%s, levels %d to %d: %s positions\n", name, plan->first, build->seeds,
           text_number(all->positions, text[0]));
    printf("threads   %d\n", build->threads);
    printf("memory    at most %s, including %s for lower levels\n",
           text_bytes(all->memory_bytes, text[0]), text_bytes(report->cost->cache_bytes, text[1]));
    printf("disk      %s for the files\n", text_bytes(all->file_bytes, text[0]));
    if (all->scratch_bytes > 0)
        printf("scratch   %s, for levels that do not fit into memory\n",
               text_bytes(all->scratch_bytes, text[0]));
    printf("moved     %s in memory; %s read from disk, %s written to disk\n",
           text_bytes(rounded(all->memory_moved), text[0]),
           text_bytes(rounded(all->disk_read), text[1]),
           text_bytes(rounded(all->disk_written), text[2]));
    printf("time      %s\n", text_seconds(all->total_seconds, text[0]));
}

static void print_level(int seeds, const struct wari_cost_level *level)
{
    char text[7][TEXT_NUMBER];

    printf("%5d  %15s  %9s  %9s  %9s  %6d  %9s  %9s  %12s\n", seeds,
           text_number(level->positions, text[0]), text_bytes(level->memory_bytes, text[1]),
           text_bytes(level->file_bytes, text[2]),
           level->scratch_bytes > 0 ? text_bytes(level->scratch_bytes, text[3]) : "-",
           level->passes, text_bytes(rounded(level->memory_moved), text[4]),
           text_bytes(rounded(level->disk_read + level->disk_written), text[5]),
           text_seconds(level->total_seconds, text[6]));
}

static void print_passes(const struct wari_cost_level *all)
{
    char text[WARI_PASSES][TEXT_NUMBER];

    for (int pass = 0; pass < WARI_PASSES; pass++)
        text_seconds(all->seconds[pass], text[pass]);
    printf("\nthe time consists of: captures %s, dense sweeps %s, event-driven sweeps %s, counting "
           "%s, writing %s\n",
           text[WARI_PASS_CAPTURES], text[WARI_PASS_DENSE], text[WARI_PASS_EVENTS],
           text[WARI_PASS_COUNT], text[WARI_PASS_WRITE]);
}

static void print_speed(const struct plan_report *report)
{
    struct wari_speed speed = report->request->speed;

    printf("speeds, %s: ", report->measured ? "measured here" : "given or default");
    for (int i = 0; plan_speed_name(i); i++)
        printf("%s%s=%.6g", i > 0 ? "," : "", plan_speed_name(i), *plan_speed(&speed, i));
    putchar('\n');
}

void plan_report_text(const struct plan_report *report)
{
    const struct wari_cost *cost = report->cost;

    print_totals(report);
    printf(
        "\nseeds        positions     memory       file    scratch  passes  in memory    on disk "
        "         time\n");
    for (int seeds = report->request->plan->first; seeds <= report->request->build->seeds; seeds++)
        if (cost->level[seeds].positions > 0)
            print_level(seeds, &cost->level[seeds]);
    print_passes(&cost->all);
    if (report->job)
        report->job->print(report->job, report);
    print_speed(report);
}

/* ---- JSON ---- */

static json_t *json_passes(const double seconds[WARI_PASSES])
{
    return json_pack("{sf sf sf sf sf}", "captures", seconds[WARI_PASS_CAPTURES], "dense",
                     seconds[WARI_PASS_DENSE], "late", seconds[WARI_PASS_EVENTS], "count",
                     seconds[WARI_PASS_COUNT], "write", seconds[WARI_PASS_WRITE]);
}

/* Makes the object with the figures of one level, or of all levels together. */
static json_t *json_amounts(const struct wari_cost_level *level)
{
    return json_pack("{sI sI sI sI sI sI sI so sf}", "positions", (json_int_t)level->positions,
                     "memory_bytes", (json_int_t)level->memory_bytes, "disk_bytes",
                     (json_int_t)level->file_bytes, "scratch_bytes",
                     (json_int_t)level->scratch_bytes, "memory_moved",
                     (json_int_t)rounded(level->memory_moved), "disk_read",
                     (json_int_t)rounded(level->disk_read), "disk_written",
                     (json_int_t)rounded(level->disk_written), "pass_seconds",
                     json_passes(level->seconds), "seconds", level->total_seconds);
}

static json_t *json_level(int seeds, const struct wari_cost_level *level)
{
    json_t *object = json_pack("{si si si si}", "seeds", seeds, "passes", level->passes, "sweeps",
                               level->sweeps, "dense_sweeps", level->dense_sweeps);
    json_t *amounts = json_amounts(level);

    if (!object || !amounts || json_object_update(object, amounts) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(amounts);
    return object;
}

static json_t *json_speed(struct wari_speed speed)
{
    json_t *object = json_object();

    for (int i = 0; plan_speed_name(i); i++)
        if (json_object_set_new(object, plan_speed_name(i), json_real(*plan_speed(&speed, i))) !=
            0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *json_levels(const struct plan_report *report)
{
    json_t *levels = json_array();

    for (int seeds = report->request->plan->first; seeds <= report->request->build->seeds; seeds++)
        if (report->cost->level[seeds].positions > 0 &&
            json_array_append_new(levels, json_level(seeds, &report->cost->level[seeds])) != 0) {
            json_decref(levels);
            return NULL;
        }
    return levels;
}

enum wari_status plan_report_json(const struct plan_report *report, struct wari_error *error)
{
    const struct wari_build *build = report->request->build;
    json_t *object = json_pack(
        "{ss ss si si si sI so sb so so}", "rules", wari_get_rules_info(build->variant.rules)->name,
        "cycle", wari_cycle_name(build->variant.cycle), "first", report->request->plan->first,
        "seeds", build->seeds, "threads", build->threads, "cache_bytes",
        (json_int_t)report->cost->cache_bytes, "all", json_amounts(&report->cost->all), "measured",
        report->measured, "speed", json_speed(report->request->speed), "levels",
        json_levels(report));

    if (object && report->job && !report->job->add_json(report->job, report, object)) {
        json_decref(object);
        object = NULL;
    }
    return json_print(object, error);
}
