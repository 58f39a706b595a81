/* Opponents of limited strength: alpha-beta search to a fixed depth. Captures during these moves
 * count exactly. The board after the last move is evaluated with the estimate of the search plus
 * noise that depends on the board alone. So a weak level finds near captures and misjudges later
 * ones. */
#include "play/search/strength.h"

#include <math.h>
#include <string.h>

#include "play/search/evaluation.h"
#include "play/search/search.h"

enum { SEED = WARI_SEED_SCORE, INFINITE = 100000 };

const struct wari_strength *wari_strengths(void)
{
    static const struct wari_strength levels[] = {
        {"first-steps", 1, 4800}, {"beginner", 1, 1600}, {"easy", 1, 800}, {"medium", 2, 650},
        {"hard", 3, 400},         {"expert", 5, 240},    {"master", 0, 0}, {NULL, 0, 0},
    };
    return levels;
}

const struct wari_strength *wari_strength_find(const char *name)
{
    const struct wari_strength *level = wari_strengths();
    while (level->name && strcmp(level->name, name) != 0)
        level++;
    return level->name ? level : NULL;
}

/* ---- Evaluation with noise ---- */

struct player {
    const struct wari_strength *level;
    const struct wari_evaluation *evaluation;
    enum wari_rules rules;
    uint64_t seed;
};

/* SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every other. */
static uint64_t mix(uint64_t number)
{
    number += 0x9E3779B97F4A7C15;
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    return number ^ number >> 31;
}

/* Computes noise with nearly a normal distribution: the sum of four numbers in 0..65535 has a
 * standard deviation of 65536 / sqrt(3). The noise is proportional to the square root of the number
 * of seeds, because the more seeds are on the board, the less certain is who will get them. */
static int find_noise(const struct player *player, const struct wari_search_board *board)
{
    uint64_t bits = mix(wari_search_board_key(board, 0) ^ mix(player->seed));
    double sum = -2.0 * 65535;
    for (int i = 0; i < 4; i++)
        sum += (double)(bits >> 16 * i & 0xFFFF);
    double size = player->level->noise * sqrt(wari_search_board_seeds(board) / 48.0);
    return (int)(sum / 65536 * sqrt(3) * size);
}

static int evaluate_with_noise(const struct player *player, const struct wari_search_board *board)
{
    int most = SEED * wari_search_board_seeds(board);
    int score = wari_evaluate(player->evaluation, board) + find_noise(player, board);
    return score > most ? most : score < -most ? -most : score;
}

/* ---- Search ---- */

struct window {
    int alpha, beta;
};

static int search(const struct player *player, const struct wari_search_board *board, int depth,
                  struct window window);

/* Returns the value of a move to the side that makes it, searched to `depth` moves. */
static int try_step(const struct player *player, const struct wari_step *step, int depth,
                    struct window window)
{
    int captured = SEED * step->captured;
    if (step->ends)
        return SEED * step->end_value;
    if (step->again)
        return captured + search(player, &step->next, depth - 1,
                                 (struct window){window.alpha - captured, window.beta - captured});
    return captured - search(player, &step->next, depth - 1,
                             (struct window){captured - window.beta, captured - window.alpha});
}

static int search(const struct player *player, const struct wari_search_board *board, int depth,
                  struct window window)
{
    struct wari_steps steps;
    int best = -INFINITE;
    wari_search_board_steps(player->rules, board, &steps);
    if (steps.count == 0)
        return SEED * steps.end_value;
    if (depth == 0)
        return evaluate_with_noise(player, board);
    for (int i = 0; i < steps.count && best < window.beta; i++) {
        struct window rest = {best > window.alpha ? best : window.alpha, window.beta};
        int score = try_step(player, &steps.list[i], depth, rest);
        best = score > best ? score : best;
    }
    return best;
}

int wari_strength_move(const struct wari_strength *level, struct wari_variant variant,
                       const struct wari_position *position, uint64_t seed)
{
    const struct player player = {level, wari_evaluation_for(variant), variant.rules, seed};
    struct wari_search_board board = wari_search_board_of(position);
    struct wari_steps steps;
    int best = -INFINITE, pit = 0;
    wari_search_board_steps(variant.rules, &board, &steps);
    for (int i = 0; i < steps.count; i++) {
        struct window window = {best, INFINITE};
        int score = try_step(&player, &steps.list[i], level->depth, window);
        if (score > best) {
            best = score;
            pit = steps.list[i].pit;
        }
    }
    return pit;
}
