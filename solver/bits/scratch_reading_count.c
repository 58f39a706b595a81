/* Counting full halves, which are not stored: a look through their moves. All blocks that have some
 * go by together, as when captures are found (stripes.h), so that each row of this level, and of
 * those below if they have to be read once more, is used for all of them at about the same time. */
#include "solver/bits/scratch.h"
#include "solver/bits/stripes.h"
#include "solver/level/full_captures.h"
#include "solver/level/histogram.h"

struct counting {
    struct wari_stripes_walk walk;
    uint64_t *histogram;
};

/* The pieces that have the children of some columns. */
struct children {
    uint32_t count, most;
    uint32_t piece[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
};

static bool is_among(const struct children *children, uint32_t piece)
{
    for (uint32_t i = children->count; i-- > 0;)
        if (children->piece[i] == piece)
            return true;
    return false;
}

/* Adds those of a column; false if they are too many. */
static bool add_column(const struct wari_level *level, int movers,
                       const wari_sowing sowing[WARI_HALF_PITS], struct children *children)
{
    const uint32_t before = children->count;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowing[pit] == WARI_NO_SOWING)
            continue;
        const uint32_t piece =
            wari_piece_of(&wari_scratch_of(level)->pieces.cut,
                          movers - wari_sowing_sown(sowing[pit]), wari_sowing_row(sowing[pit]));
        if (is_among(children, piece))
            continue;
        if (children->count == children->most) {
            children->count = before;
            return false;
        }
        children->piece[children->count++] = piece;
    }
    return true;
}

/* As many of the columns, of one group, as may be pinned together: at least one. */
static uint32_t find_children(const struct wari_level *level, int movers, uint32_t first,
                              uint32_t columns, struct children *children)
{
    wari_sowing sowings[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
    uint32_t column = 0;

    children->count = 0;
    wari_sow_halves(&level->tables->halves, movers, first, columns, sowings);
    while (column < columns && add_column(level, movers, sowings[column], children))
        column++;
    return column;
}

/* Those that are pinned, of all. */
static uint32_t pin_all(struct wari_level *level, const struct children *children, uint8_t *room)
{
    uint32_t pinned = 0;

    while (pinned < children->count && wari_scratch_pin(level, children->piece[pinned], room))
        pinned++;
    return pinned;
}

static const int8_t *pinned_row(const struct wari_level *level, const struct wari_item *item,
                                int child, uint32_t row)
{
    (void)item;
    return wari_scratch_row(level, child, row);
}

static void count_columns(struct wari_level *level, const struct wari_item *item,
                          uint64_t *histogram)
{
    struct wari_worker *worker = wari_scratch_take_worker(level);

    wari_count_full(level, worker, item, pinned_row, histogram);
    wari_scratch_give_worker(level, worker);
}

static bool count_stripe(struct wari_level *level, const struct wari_lane *lane, void *context,
                         uint32_t number)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct counting *counting = context;
    const struct wari_unit unit =
        wari_unit_of(&scratch->stripes.cut, &level->layout, scratch->shape.frame_bytes, number);
    const uint32_t share = wari_reading_share(scratch), most = WARI_ITEM_COLUMNS * WARI_HALF_PITS;
    struct children children = {.most = share < most ? share : most};
    const uint32_t end = unit.first_column + unit.columns;

    for (uint32_t column = unit.first_column; column < end && !wari_level_stopped(level);) {
        const uint32_t group = WARI_ITEM_COLUMNS - column % WARI_ITEM_COLUMNS, left = end - column;
        const uint32_t columns = find_children(level, level->layout.seeds - unit.block, column,
                                               left < group ? left : group, &children);
        const struct wari_item item = wari_item_of_full(level, unit.block, column, columns);
        uint32_t pinned = pin_all(level, &children, lane->room);
        if (pinned == children.count)
            count_columns(level, &item, counting->histogram);
        while (pinned > 0)
            wari_scratch_unpin(level, children.piece[--pinned]);
        column += columns;
    }
    return false;
}

static uint32_t next_stripe(struct wari_level *level, void *context, uint32_t i)
{
    struct counting *counting = context;

    (void)i;
    return wari_stripes_walk_next(&counting->walk, &wari_scratch_of(level)->stripes.cut);
}

/* Half of the window at most: what reading can do without. */
static uint64_t to_spare(const struct wari_scratch_shape *shape)
{
    const uint64_t least = wari_scratch_frames_read(shape->lanes) * shape->frame_bytes;
    const uint64_t more = shape->aside + shape->window - least;

    return (more < shape->window / 2 ? more : shape->window / 2) / WARI_PIECE_ALIGN *
           WARI_PIECE_ALIGN;
}

/* Full halves have 6 seeds or more. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const uint64_t lent = level->full_halves.whole ? 0 : to_spare(shape);
    struct counting counting = {.histogram = histogram};
    const struct wari_scratch_pass pass = {
        .next = next_stripe, .job = count_stripe, .context = &counting};

    if (level->layout.seeds < WARI_HALF_PITS)
        return;
    wari_scratch_start_reading(level, shape->window - lent);
    if (lent > 0)
        wari_lower_cache_lend(level->lower_cache, scratch->memory.window + shape->window - lent,
                              lent);
    wari_stripes_walk_begin(&counting.walk, &level->layout, shape->frame_bytes, WARI_HALF_PITS,
                            false);
    wari_scratch_run(level, &pass);
    wari_level_release_readers(level);
    if (lent > 0)
        wari_lower_cache_return(level->lower_cache);
}
