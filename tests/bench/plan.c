/* Prints the time that `wari plan` predicts for a build next to the measured time. The calibration
 * runs at most some minutes before the build, but in the meantime the load of the machine may
 * change.
 */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

static void check(enum wari_status status, const struct wari_error *error)
{
    if (status == WARI_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static void print_pass(const char *name, double planned, double measured)
{
    printf("  %-9s %8.3f s planned, %8.3f s measured: %+.0f %%\n", name, planned, measured,
           measured > 0 ? 100 * (planned / measured - 1) : 0.0);
}

void bench_print_plan(const struct bench_build *build, const struct wari_speed *speed)
{
    const struct wari_build planned = {.variant = build->variant,
                                       .seeds = build->seeds,
                                       .threads = build->threads,
                                       .memory = build->memory};
    struct wari_level_statistics all = {0};
    struct wari_build_plan plan;
    struct wari_cost cost;
    struct wari_error error;
    const struct wari_cost_request request = {.build = &planned, .plan = &plan, .speed = *speed};

    check(wari_build_plan(&planned, &plan, &error), &error);
    check(wari_plan_check(&planned, &plan, &error), &error);
    wari_cost_of(&request, &cost);
    for (int seeds = 0; seeds <= build->seeds; seeds++) {
        all.seconds.captures += build->level[seeds].seconds.captures;
        all.seconds.dense += build->level[seeds].seconds.dense;
        all.seconds.sweeps += build->level[seeds].seconds.sweeps;
        all.seconds.count += build->level[seeds].seconds.count;
        all.seconds.encode += build->level[seeds].seconds.encode;
        all.seconds.write += build->level[seeds].seconds.write;
    }
    printf("plan of 0..%d, %d threads, at most %.1f MB of memory (resident: %.1f MB)\n",
           build->seeds, build->threads, (double)plan.memory_bytes * 1e-6,
           (double)build->peak_bytes * 1e-6);
    print_pass("captures", cost.all.seconds[WARI_PASS_CAPTURES], all.seconds.captures);
    print_pass("dense", cost.all.seconds[WARI_PASS_DENSE], all.seconds.dense);
    print_pass("late", cost.all.seconds[WARI_PASS_EVENTS], all.seconds.sweeps - all.seconds.dense);
    print_pass("count", cost.all.seconds[WARI_PASS_COUNT], all.seconds.count);
    print_pass("write", cost.all.seconds[WARI_PASS_WRITE], all.seconds.encode + all.seconds.write);
    print_pass("all", cost.all.total_seconds, build->seconds);
}

/* Returns a limit with which a quarter of the lower levels fits into the cache. */
uint64_t bench_tight_memory(const struct bench_build *like)
{
    const struct wari_build build = {
        .variant = like->variant, .seeds = like->seeds, .threads = like->threads};
    struct wari_build_plan plan;
    struct wari_error error;

    check(wari_build_plan(&build, &plan, &error), &error);
    return plan.memory_least + (plan.memory_bytes - plan.memory_least) / 4;
}
