/* The estimate assumes that the remaining work takes as many seconds for each unit of planned work
 * as the finished work did. If the current level has already taken longer than that, the time it
 * has taken counts as the time of the whole level, so that later levels are expected to take
 * longer, too. */
#include "tools/common/time_left.h"

#include <math.h>
#include <stdio.h>

#include "tools/common/text.h"

void time_left_begin(struct time_left *left, double trust)
{
    *left = (struct time_left){.work = trust, .seconds = trust, .level = -1};
}

/* Returns the planned work of the current level, without the share that an earlier command did. */
static double work_of_level(const struct time_left *left)
{
    return left->level < 0 ? 0 : (1 - left->skipped) * left->planned[left->level];
}

static void begin_level(struct time_left *left, int level, double now)
{
    const double work = work_of_level(left);
    if (work > 0) {
        left->work += work;
        left->seconds += now - left->began;
    }
    left->level = level;
    left->began = left->reported = now;
    left->skipped = left->share = 0;
}

double time_left_at(struct time_left *left, int level, double share, double now)
{
    if (level != left->level)
        begin_level(left, level, now);
    if (share > left->share) {
        left->share = share;
        left->reported = now;
    }
    const double planned = left->planned[level];
    const double work = left->work + (left->share - left->skipped) * planned;
    if (work <= 0)
        return -1;
    double later = 0;
    for (int i = level + 1; i <= WARI_SEEDS_MAX; i++)
        later += left->planned[i];
    double rate = (left->seconds + left->reported - left->began) / work;
    double rest = rate * (1 - left->share) * planned - (now - left->reported);
    if (rest < 0) {
        rest = 0;
        rate = (left->seconds + now - left->began) / (left->work + work_of_level(left));
    }
    return rest + rate * later;
}

void time_left_skip(struct time_left *left, double share, double now)
{
    left->skipped = left->share = share;
    left->began = left->reported = now;
}

const char *time_left_text(double seconds, char text[TIME_LEFT_TEXT])
{
    char time[TEXT_NUMBER];
    if (seconds < 0)
        text[0] = '\0';
    else if (seconds > 0)
        snprintf(text, TIME_LEFT_TEXT, "about %s left in all",
                 text_whole_seconds(ceil(seconds), time));
    else
        snprintf(text, TIME_LEFT_TEXT, "longer than planned");
    return text;
}
