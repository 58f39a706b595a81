/* Prints measured builds, as a table and as JSON. */
#include "tests/bench/bench.h"

#include <stdio.h>

static double level_seconds(const struct wari_level_statistics *level)
{
    return level->seconds.captures + level->seconds.sweeps + level->seconds.count +
           level->seconds.encode + level->seconds.write;
}

/* Returns millions of positions a second. */
static double rate(uint64_t positions, double seconds)
{
    return seconds > 0 ? (double)positions / seconds * 1e-6 : 0;
}

void bench_print_levels(const struct bench_build *one, const struct bench_build *all,
                        double bandwidth)
{
    struct wari_level_statistics sum = {0};

    printf("seeds   positions  M/s (1)  M/s (%d)  sweeps   work  capture   sweep   "
           "count  encode   write  level/stream\n",
           all->threads);
    for (int n = 0; n <= all->seeds; n++) {
        const struct wari_level_statistics *level = &all->level[n];
        const double seconds = level_seconds(level);
        if (n + 8 >= all->seeds)
            printf("%5d  %10llu  %7.1f  %7.1f  %6d  %5.1f  %6.3fs  %6.3fs %6.3fs %6.3fs "
                   "%6.3fs  %12.0f\n",
                   n, (unsigned long long)level->positions,
                   rate(level->positions, level_seconds(&one->level[n])),
                   rate(level->positions, seconds), level->sweeps, level->work,
                   level->seconds.captures, level->seconds.sweeps, level->seconds.count,
                   level->seconds.encode, level->seconds.write,
                   seconds / ((double)level->positions / bandwidth));
        sum.positions += level->positions;
        sum.seconds.captures += level->seconds.captures;
        sum.seconds.sweeps += level->seconds.sweeps;
        sum.seconds.count += level->seconds.count;
        sum.seconds.encode += level->seconds.encode;
        sum.seconds.write += level->seconds.write;
    }
    printf("  all  %10llu  %7.1f  %7.1f               %6.3fs  %6.3fs %6.3fs %6.3fs "
           "%6.3fs  %12.0f\n",
           (unsigned long long)sum.positions, rate(sum.positions, one->seconds),
           rate(sum.positions, all->seconds), sum.seconds.captures, sum.seconds.sweeps,
           sum.seconds.count, sum.seconds.encode, sum.seconds.write,
           all->seconds / ((double)sum.positions / bandwidth));
}

void bench_print_json(const struct bench_build *build, double bandwidth)
{
    printf("{\"rules\":\"%s\",\"cycle\":\"%s\",\"seeds\":%d,\"threads\":%d,\"seconds\":%.4f,"
           "\"peak_bytes\":%llu,\"file_bytes\":%llu,\"bandwidth\":%.0f,\"levels\":[",
           wari_get_rules_info(build->variant.rules)->name, wari_cycle_name(build->variant.cycle),
           build->seeds, build->threads, build->seconds, (unsigned long long)build->peak_bytes,
           (unsigned long long)build->file_bytes, bandwidth);
    for (int n = 0; n <= build->seeds; n++) {
        const struct wari_level_statistics *level = &build->level[n];
        printf("%s{\"seeds\":%d,\"positions\":%llu,\"sweeps\":%d,\"dense_sweeps\":%d,\"work\":%.3f,"
               "\"capture\":%.4f,\"sweep\":%.4f,\"dense\":%.4f,\"count\":%.4f,\"encode\":%.4f,"
               "\"write\":%.4f,"
               "\"file_bytes\":%llu}",
               n > 0 ? "," : "", n, (unsigned long long)level->positions, level->sweeps,
               level->dense_sweeps, level->work, level->seconds.captures, level->seconds.sweeps,
               level->seconds.dense, level->seconds.count, level->seconds.encode,
               level->seconds.write, (unsigned long long)build->level_bytes[n]);
    }
    printf("]}\n");
}
