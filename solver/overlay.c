/* Lists of changes, see overlay.h. A piece's list is changed by whoever has taken it, for the
 * moment that takes; it is read when its piece is, and a pass never has a piece read and changed at
 * the same time (a step's pieces are there before its jobs begin, and those that some job changes
 * are wanted by one step of the pass). */
#include "solver/overlay.h"

#include <sched.h>

#include "solver/stream_late.h"

enum {
    PAGE_CHANGES = 2 * WARI_PAGE_EVENTS,
    PAGES_A_PIECE = 4, /* of the pool, for each piece: a list takes a page at least */
    SHORT_SHARE = 16,  /* of the pool: less than one in so many left is short, */
    WORTH_SHARE = 16,  /* and to settle more than one in so many helps */
    PEAK_ROUNDS = 2,   /* then fewer and fewer pages are in use, but for changes; so */
    LEFT_SHARE = 8,    /* all that was never used is lent, but for one in so many pages */
};

static struct wari_overlay *take_overlay(const struct wari_level *level, uint32_t piece)
{
    struct wari_overlay *overlay = &level->stream->late->overlay[piece];

    while (atomic_exchange_explicit(&overlay->taken, true, memory_order_acquire))
        sched_yield();
    return overlay;
}

static void leave_overlay(struct wari_overlay *overlay)
{
    atomic_store_explicit(&overlay->taken, false, memory_order_release);
}

/* Gives back all pages. */
static void drop(struct wari_level *level, struct wari_worker *worker, struct wari_overlay *overlay)
{
    uint32_t page = overlay->first;

    atomic_fetch_sub_explicit(&level->stream->late->overlaid, overlay->pages, memory_order_relaxed);
    for (; overlay->pages > 0; overlay->pages--) {
        const uint32_t next = level->pages[page].next;
        wari_give_page(level, worker, page);
        page = next;
    }
}

/* The page for one change more; NULL if there is none. */
static struct wari_page *page_with_room(struct wari_level *level, struct wari_worker *worker,
                                        struct wari_overlay *overlay)
{
    uint32_t number;

    if (overlay->pages > 0 && level->pages[overlay->last].count < PAGE_CHANGES)
        return &level->pages[overlay->last];
    if (level->page_count / PAGES_A_PIECE < level->stream->pieces.count)
        return NULL;
    number = wari_new_page(level, worker);
    if (number == WARI_NO_PAGE)
        return NULL;
    if (overlay->pages == 0)
        overlay->first = number;
    else
        level->pages[overlay->last].next = number;
    overlay->last = number;
    overlay->pages++;
    atomic_fetch_add_explicit(&level->stream->late->overlaid, 1, memory_order_relaxed);
    level->pages[number].count = 0;
    return &level->pages[number];
}

static void add_change(struct wari_page *page, uint32_t cell, int8_t code)
{
    const uint64_t change = (uint64_t)(uint8_t)code << 24 | cell;
    uint64_t *pair = &page->event[page->count / 2];

    *pair = page->count++ % 2 == 0 ? change : *pair | change << 32;
}

void wari_overlay_note(struct wari_level *level, struct wari_worker *worker, uint32_t piece,
                       uint32_t cell, int8_t code)
{
    struct wari_pieces *pieces = &level->stream->pieces;
    struct wari_overlay *overlay = take_overlay(level, piece);

    if (!wari_piece_is_dirty(pieces, piece)) {
        struct wari_page *page = page_with_room(level, worker, overlay);
        if (page) {
            add_change(page, cell, code);
        } else {
            wari_pieces_written(pieces, piece);
            drop(level, worker, overlay);
        }
    }
    leave_overlay(overlay);
}

void wari_overlay_apply(const struct wari_level *level, uint32_t piece)
{
    const struct wari_overlay *overlay = &level->stream->late->overlay[piece];
    int8_t *cells = level->stream->pieces.at[piece];
    uint32_t number = overlay->first;

    for (uint32_t i = 0; i < overlay->pages; i++) {
        const struct wari_page *page = &level->pages[number];
        for (uint32_t j = 0; j < page->count; j++) {
            const uint32_t change = (uint32_t)(page->event[j / 2] >> 32 * (j % 2));
            cells[change & (WARI_OVERLAY_CELLS - 1)] = (int8_t)(uint8_t)(change >> 24);
        }
        number = page->next;
    }
}

/* ---- Settling -------------------------------------------------------------------------------- */

static void settle_piece(struct wari_level *level, struct wari_worker *worker, void *context,
                         uint32_t piece)
{
    (void)context;
    wari_pieces_written(&level->stream->pieces, piece);
    drop(level, worker, &level->stream->late->overlay[piece]);
}

void wari_overlay_settle(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_each each = {.job = settle_piece};

    for (uint32_t piece = 0; piece < stream->pieces.count; piece++)
        if (stream->late->overlay[piece].pages > 0)
            stream->list[each.count++] = piece;
    wari_stream_each(level, &each);
}

/* ---- Room for records ------------------------------------------------------------------------ */

static bool is_short(const struct wari_level *level)
{
    return wari_pages_left(level) < level->page_count / SHORT_SHARE;
}

static void take_back(struct wari_level *level)
{
    struct wari_late_store *late = level->stream->late;

    level->page_count += late->lent;
    late->lent = 0;
    wari_pieces_lend(&level->stream->pieces, NULL, 0);
}

void wari_overlay_begin_round(struct wari_level *level)
{
    struct wari_late_store *late = level->stream->late;
    const uint32_t used = atomic_load_explicit(&level->next_page, memory_order_relaxed);
    const uint32_t wanted = used + level->page_count / LEFT_SHARE;

    if (late->round++ == PEAK_ROUNDS && wanted < level->page_count) {
        late->lent = level->page_count - wanted;
        wari_pieces_lend(&level->stream->pieces, level->pages + wanted,
                         (uint64_t)late->lent * sizeof(struct wari_page));
    }
    level->page_count -= late->lent;
}

void wari_overlay_make_room(struct wari_level *level)
{
    const struct wari_late_store *late = level->stream->late;

    if (late->lent > 0 && is_short(level))
        take_back(level);
    if (atomic_load_explicit(&late->overlaid, memory_order_relaxed) >
            level->page_count / WORTH_SHARE &&
        is_short(level))
        wari_overlay_settle(level);
}

void wari_overlay_end(struct wari_level *level)
{
    take_back(level);
    level->stream->late->round = 0;
    wari_overlay_settle(level);
}
