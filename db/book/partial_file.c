/* Computes the values of the positions that a file leaves out. They follow from the values of the
 * moves. */
#include "db/book/partial_file.h"

enum { ANY_VALUE = 2 * WARI_SEEDS_MAX }; /* exceeds every value and every change by a move */

static enum wari_status value_by_moves(const struct wari_partial_file *partial,
                                       const struct wari_position *position, int limit, int *value,
                                       struct wari_error *error);

/* Finds the value of a position, if the value is below `limit`. Otherwise sets *value to some
 * number that is at least `limit` and at most the value. */
static enum wari_status find_value(const struct wari_partial_file *partial,
                                   const struct wari_position *position, int limit, int *value,
                                   struct wari_error *error)
{
    return partial->holds(partial->file, position)
               ? partial->find(partial->file, position, value, error)
               : value_by_moves(partial, position, limit, value, error);
}

/* Computes the value of a move for the side that makes it. *worth is exact if the value is above
 * `least` and below `limit`. Otherwise *worth is only some number on the same side of this range as
 * the value: at most `least`, or at least `limit`. */
static enum wari_status move_worth(const struct wari_partial_file *partial,
                                   const struct wari_move *move, int least, int limit, int *worth,
                                   struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    int next = 0;
    if (!move->ends)
        status =
            find_value(partial, &move->next,
                       move->again ? limit - move->captured : move->captured - least, &next, error);
    *worth = wari_move_value(move, next);
    return status;
}

/* Does the same as find_value() for a position that the file does not hold. First tries the moves
 * to positions that the file holds: each of these moves needs a single look-up, and its value makes
 * parts of the later searches unnecessary. */
static enum wari_status value_by_moves(const struct wari_partial_file *partial,
                                       const struct wari_position *position, int limit, int *value,
                                       struct wari_error *error)
{
    struct wari_moves moves;
    wari_find_moves(partial->rules, position, &moves);
    int best = moves.count == 0 ? moves.end_value : -WARI_SEEDS_MAX - 1;
    for (int i = 0; i < 2 * moves.count && best < limit; i++) {
        const struct wari_move *move = &moves.list[i % moves.count];
        int worth;
        if (partial->holds(partial->file, &move->next) != (i < moves.count))
            continue;
        enum wari_status status = move_worth(partial, move, best, limit, &worth, error);
        if (status != WARI_OK)
            return status;
        best = worth > best ? worth : best;
    }
    *value = best;
    return WARI_OK;
}

enum wari_status wari_partial_value(const struct wari_partial_file *partial,
                                    const struct wari_position *position, int *value,
                                    struct wari_error *error)
{
    return find_value(partial, position, ANY_VALUE, value, error);
}

enum wari_status wari_partial_analyse(const struct wari_partial_file *partial,
                                      const struct wari_position *position,
                                      struct wari_analysis *analysis, struct wari_error *error)
{
    struct wari_moves moves;
    wari_find_moves(partial->rules, position, &moves);
    analysis->count = 0;
    for (int i = 0; i < moves.count; i++) {
        int worth;
        enum wari_status status =
            move_worth(partial, &moves.list[i], -ANY_VALUE, ANY_VALUE, &worth, error);
        if (status != WARI_OK)
            return status;
        wari_analysis_add(analysis, &moves.list[i], worth);
    }
    analysis->value = moves.count > 0 ? analysis->moves[0].value : moves.end_value;
    return WARI_OK;
}

/* Sorts by value, then by captures; equal moves keep the order in which they are added. */
void wari_analysis_add(struct wari_analysis *analysis, const struct wari_move *move, int value)
{
    int place = analysis->count++;
    while (place > 0) {
        int better = value - analysis->moves[place - 1].value;
        int more = move->captured - analysis->moves[place - 1].move.captured;
        if (better < 0 || (better == 0 && more <= 0))
            break;
        analysis->moves[place] = analysis->moves[place - 1];
        place--;
    }
    analysis->moves[place].move = *move;
    analysis->moves[place].value = value;
}
