/* Implements utility.h. */
#include "play/search/utility.h"

#include "play/game.h"
#include "play/search/evaluation.h"
#include "play/search/search.h"

enum {
    SEED = WARI_SEED_SCORE,
    WIN = 3 * SEED,        /* tried in games: see EXPERIMENTS.md */
    CERTAIN_PERCENT = 125, /* an estimate of 1.25 standard deviations gets the whole bonus:
                            * sqrt(pi / 2), so that the slope at 0 is that of erf() */
};

void wari_utility_init(struct wari_utility *utility, struct wari_variant variant, bool result)
{
    utility->win = result && !wari_game_slam_decides(variant.rules) ? WIN : 0;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const int certain = CERTAIN_PERCENT * wari_evaluation_error(variant, seeds) / 100;
        utility->certain[seeds] = certain > 1 ? certain : 1;
    }
}

int wari_utility_of_value(const struct wari_utility *utility, int lead, int value)
{
    const int final = lead + value;
    return SEED * value + (final > 0 ? utility->win : final < 0 ? -utility->win : 0);
}

int wari_utility_of_estimate(const struct wari_utility *utility, int lead, int seeds, int estimate)
{
    const int final = SEED * lead + estimate, certain = utility->certain[seeds];
    if (final >= certain)
        return estimate + utility->win;
    if (final <= -certain)
        return estimate - utility->win;
    return estimate + utility->win * final / certain;
}

int wari_utility_to_estimate(const struct wari_utility *utility, int lead, int seeds, int score)
{
    const int certain = utility->certain[seeds], all = certain + utility->win;
    const int total = SEED * lead + score; /* the final lead and its bonus */
    if (total >= all)
        return score - utility->win;
    if (total <= -all)
        return score + utility->win;
    return total * certain / all - SEED * lead;
}
