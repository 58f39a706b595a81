/* Late sweeps of a streamed level, see stream_late.h. A visit takes the block's lists of records,
 * marks the pieces that they lead to, and goes through these in order; threads may be at the same
 * part of the block at the same time, at different rows of it. What a visit leaves goes to fresh
 * lists, the visited block's own as well. */
#include "solver/stream_late.h"

#include <string.h>

#include "solver/late.h"

enum { PIECES_LEAST = 8 /* of a step */ };

#define LOOK_OPEN (UINT64_C(1) << 20)

static uint32_t list_of(enum wari_record kind, int block, uint32_t part)
{
    return (uint32_t)kind * WARI_BLOCK_LISTS + wari_list_of(block, part);
}

/* The first row of a part. */
static uint32_t part_row(const struct wari_level *level, int block, uint32_t part)
{
    const uint64_t rows = level->layout.rows[block];

    return (uint32_t)((part * rows + level->parts - 1) / level->parts);
}

/* ---- Records -------------------------------------------------------------------------------- */

static uint32_t look_row(uint64_t look)
{
    return (uint32_t)(look >> 43);
}

static uint32_t look_column(uint64_t look)
{
    return (uint32_t)(look >> 21) & 0x3fffff;
}

static int look_answers(uint64_t look)
{
    return (int)(look >> 8 & 0xff);
}

static int8_t look_worst(uint64_t look)
{
    return (int8_t)(uint8_t)look;
}

static uint32_t question_row(const struct wari_level *level, int block, uint32_t part,
                             uint64_t question)
{
    return part_row(level, block, part) + (uint32_t)(question >> 48);
}

static uint32_t question_column(uint64_t question)
{
    return (uint32_t)(question >> 26) & 0x3fffff;
}

static uint32_t record_row(const struct wari_level *level, enum wari_record kind, int block,
                           uint32_t part, uint64_t record)
{
    switch (kind) {
    case WARI_RECORD_EVENT:
        return wari_event_row(record);
    case WARI_RECORD_LOOK:
        return look_row(record);
    default:
        return question_row(level, block, part, record);
    }
}

/* Threads answer questions about the same look at the same time. */
static uint64_t read_look(const uint64_t *look)
{
    return __atomic_load_n(look, __ATOMIC_RELAXED);
}

static void answer(struct wari_level *level, uint64_t question, int8_t code)
{
    const uint32_t id = (uint32_t)question & 0x3ffffff;
    uint64_t *look = &level->pages[id / WARI_PAGE_EVENTS].event[id % WARI_PAGE_EVENTS];
    uint64_t now = read_look(look), after;

    do {
        const int8_t worst = look_worst(now) < code ? look_worst(now) : code;
        after = (now & ~UINT64_C(0xff)) - 0x100 + (uint8_t)worst;
    } while (
        !__atomic_compare_exchange_n(look, &now, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Opens a look at a cell, and asks its children. */
static void ask(struct wari_level *level, struct wari_worker *worker, struct wari_place place)
{
    const uint32_t list =
        list_of(WARI_RECORD_LOOK, place.block, wari_part_of(level, place.block, place.row));
    struct wari_place children[WARI_HALF_PITS];
    const int count = wari_children_of(level->tables, level->layout.seeds, place, children);
    const uint64_t look = (uint64_t)place.row << 43 | (uint64_t)place.column << 21 | LOOK_OPEN |
                          (uint64_t)count << 8 | (uint8_t)WARI_NO_QUIET;
    uint64_t id;

    if (!wari_put_event(level, worker, list, look))
        return;
    id = (uint64_t)worker->lists[list] * WARI_PAGE_EVENTS +
         level->pages[worker->lists[list]].count - 1;
    for (int i = 0; i < count; i++) {
        const uint32_t part = wari_part_of(level, children[i].block, children[i].row);
        const uint64_t row = children[i].row - part_row(level, children[i].block, part);
        (void)wari_put_event(level, worker, list_of(WARI_RECORD_QUESTION, children[i].block, part),
                             row << 48 | (uint64_t)children[i].column << 26 | id);
    }
}

/* ---- A part of the visited block ------------------------------------------------------------- */

/* The rows of a part that this step has in memory. */
struct part {
    struct wari_level *level;
    struct wari_worker *worker;
    int block;
    uint32_t part, from, to;
};

static int8_t *cell_of(const struct part *part, uint32_t row, uint32_t column)
{
    return wari_pieces_row(&part->level->stream->pieces, part->block, row) + column;
}

static void change_cell(const struct part *part, struct wari_place place, int8_t code)
{
    const struct wari_stream *stream = part->level->stream;
    const uint32_t piece = wari_piece_of(&stream->pieces, part->block, place.row);
    int8_t *cell = cell_of(part, place.row, place.column);
    const int8_t before = *cell;

    if (code == before)
        return;
    *cell = code;
    wari_overlay_note(part->level, part->worker, piece, (uint32_t)(cell - stream->pieces.at[piece]),
                      code);
    part->worker->tally.changed++;
    wari_tell_parents(part->level, part->worker, part->block, place.row, place.column, code, before,
                      false);
}

static bool is_touched(const struct wari_stream *stream, int block, uint32_t row)
{
    return atomic_load_explicit(&stream->touched[wari_piece_of(&stream->pieces, block, row)],
                                memory_order_relaxed) != 0;
}

static void conclude(const struct part *part, uint64_t *record)
{
    const uint64_t look = read_look(record);
    const struct wari_place place = {part->block, look_row(look), look_column(look)};
    int8_t code;

    /* the last answer may have come during this visit, too late for the piece to be fetched */
    if (look_answers(look) > 0 || !is_touched(part->level->stream, part->block, place.row))
        return;
    code = wari_late_concluded(part->level, part->worker, place,
                               *cell_of(part, place.row, place.column), look_worst(look));
    __atomic_store_n(record, 0, __ATOMIC_RELAXED);
    change_cell(part, place, code);
}

static void apply(const struct part *part, wari_event event)
{
    const struct wari_place place = {part->block, wari_event_row(event), wari_event_column(event)};
    bool look;
    const int8_t code =
        wari_late_raise(&part->level->codes, event, *cell_of(part, place.row, place.column), &look);

    part->worker->tally.cells++;
    if (look)
        ask(part->level, part->worker, place);
    else
        change_cell(part, place, code);
}

/* A look is read once: another job of the part may conclude it meanwhile, and what it leaves, 0,
 * would name row 0. */
static void work_on(const struct part *part, enum wari_record kind, uint64_t *record)
{
    const uint64_t now = read_look(record);
    const uint32_t row = record_row(part->level, kind, part->block, part->part, now);

    if (row < part->from || row >= part->to || (kind == WARI_RECORD_LOOK && now == 0))
        return;
    if (kind == WARI_RECORD_LOOK)
        conclude(part, record);
    else if (kind == WARI_RECORD_EVENT)
        apply(part, now);
    else
        answer(part->level, now, *cell_of(part, row, question_column(now)));
}

/* Looks that wait for answers stay, with their page. */
static bool keeps_looks(const struct wari_page *page)
{
    for (uint32_t i = 0; i < page->count; i++)
        if (read_look(&page->event[i]) != 0)
            return true;
    return false;
}

static void finish_page(const struct part *part, enum wari_record kind, uint32_t number)
{
    struct wari_page *page = &part->level->pages[number];
    uint32_t *list = &part->worker->lists[list_of(kind, part->block, part->part)];

    if (kind != WARI_RECORD_LOOK || !keeps_looks(page)) {
        wari_give_page(part->level, part->worker, number);
        return;
    }
    while (page->count < WARI_PAGE_EVENTS) /* full: behind the page that is being filled */
        page->event[page->count++] = 0;
    if (*list == WARI_NO_PAGE) {
        page->next = WARI_NO_PAGE;
        *list = number;
    } else {
        page->next = part->level->pages[*list].next;
        part->level->pages[*list].next = number;
    }
}

static void work_on_part(const struct part *part)
{
    static const enum wari_record order[] = {WARI_RECORD_LOOK, WARI_RECORD_EVENT,
                                             WARI_RECORD_QUESTION};
    struct wari_level *level = part->level;

    for (int i = 0; i < WARI_RECORDS; i++)
        for (uint32_t page = level->stream->late->head[order[i]][part->part]; page != WARI_NO_PAGE;
             page = level->pages[page].next)
            for (uint32_t j = 0; j < level->pages[page].count; j++)
                work_on(part, order[i], &level->pages[page].event[j]);
}

static void finish_part(const struct part *part)
{
    for (int kind = 0; kind < WARI_RECORDS; kind++) {
        uint32_t page = part->level->stream->late->head[kind][part->part];
        while (page != WARI_NO_PAGE) {
            const uint32_t next = part->level->pages[page].next;
            finish_page(part, (enum wari_record)kind, page);
            page = next;
        }
    }
}

/* ---- A visit -------------------------------------------------------------------------------- */

/* Takes a list from all workers, as one. */
static uint32_t take_list(struct wari_level *level, uint32_t list)
{
    uint32_t head = WARI_NO_PAGE;

    for (int i = 0; i < level->team->threads; i++) {
        struct wari_worker *owner = &level->team->worker[i];
        uint32_t page = owner->lists[list];
        owner->lists[list] = WARI_NO_PAGE;
        if (page == WARI_NO_PAGE)
            continue;
        const uint32_t first = page;
        while (head != WARI_NO_PAGE && level->pages[page].next != WARI_NO_PAGE)
            page = level->pages[page].next;
        if (head != WARI_NO_PAGE)
            level->pages[page].next = head;
        head = first;
    }
    return head;
}

static uint32_t parts_to_mark(const struct wari_level *level, void *context, uint32_t step)
{
    (void)context, (void)step;
    return level->parts;
}

/* Marks the pieces that a part's records lead to. */
static void mark_part(struct wari_level *level, struct wari_worker *worker, void *context,
                      uint32_t step, uint32_t part)
{
    const struct wari_stream *stream = level->stream;
    const int block = stream->block;

    (void)worker, (void)context, (void)step;
    for (int kind = 0; kind < WARI_RECORDS; kind++)
        for (uint32_t page = stream->late->head[kind][part]; page != WARI_NO_PAGE;
             page = level->pages[page].next)
            for (uint32_t i = 0; i < level->pages[page].count; i++) {
                const uint64_t record = level->pages[page].event[i];
                if (kind == WARI_RECORD_LOOK && (record == 0 || look_answers(record) > 0))
                    continue;
                const uint32_t row = record_row(level, (enum wari_record)kind, block, part, record);
                atomic_store_explicit(&stream->touched[wari_piece_of(&stream->pieces, block, row)],
                                      1, memory_order_relaxed);
            }
}

static void list_touched(struct wari_stream *stream, int block)
{
    uint32_t count = 0;

    for (uint32_t piece = stream->pieces.first[block]; piece < stream->pieces.first[block + 1];
         piece++)
        if (atomic_load_explicit(&stream->touched[piece], memory_order_relaxed) != 0)
            stream->list[count++] = piece;
    stream->late->count = count;
}

/* Pieces of a step: few, so that a visit begins to compute when the first of them are there, but a
 * part for each thread; the same for a whole visit. */
static uint32_t run_of(const struct wari_level *level)
{
    const struct wari_stream *stream = level->stream;
    const uint32_t most = wari_stream_cap(stream);
    const uint64_t run =
        (uint64_t)stream->late->count * (uint32_t)level->team->threads / level->parts;

    if (run <= PIECES_LEAST)
        return most < PIECES_LEAST ? most : PIECES_LEAST;
    return run < most ? (uint32_t)run : most;
}

static bool want_touched(struct wari_level *level, void *context, uint32_t step)
{
    struct wari_stream *stream = level->stream;
    const uint32_t run = run_of(level), from = step * run;
    const uint32_t end = from + run < stream->late->count ? from + run : stream->late->count;

    (void)context;
    for (uint32_t i = from; i < end; i++)
        wari_pieces_keep(&stream->pieces, stream->list[i], stream->step);
    for (uint32_t i = from; i < end; i++)
        if (!wari_stream_want(stream, &stream->list[i], 1, true))
            return false;
    return true;
}

/* The rows from the first piece of a step to its last one, and where the next step begins. */
struct rows {
    uint32_t from, to, next;
};

static struct rows rows_of(const struct wari_level *level, uint32_t step)
{
    const struct wari_stream *stream = level->stream;
    const struct wari_pieces *pieces = &stream->pieces;
    const uint32_t run = run_of(level), first = step * run;
    const uint32_t end = first + run < stream->late->count ? first + run : stream->late->count;
    const uint32_t last = stream->list[end - 1];

    return (struct rows){
        wari_piece_row(pieces, stream->block, stream->list[first]),
        wari_piece_row(pieces, stream->block, last) + wari_piece_rows(pieces, stream->block, last),
        end < stream->late->count ? wari_piece_row(pieces, stream->block, stream->list[end])
                                  : UINT32_MAX};
}

/* The parts that have a job in a step: from the first one that had none, or goes on, to that of the
 * last row; in the last step, to the last one, so that all pages are given back. */
static uint32_t first_part(const struct wari_level *level, uint32_t step)
{
    return step == 0 ? 0 : wari_part_of(level, level->stream->block, rows_of(level, step - 1).next);
}

static uint32_t jobs_touched(const struct wari_level *level, void *context, uint32_t step)
{
    const struct rows rows = rows_of(level, step);
    const uint32_t end = rows.next == UINT32_MAX
                             ? level->parts
                             : wari_part_of(level, level->stream->block, rows.next) + 1;

    (void)context;
    return end - first_part(level, step);
}

static void job_touched(struct wari_level *level, struct wari_worker *worker, void *context,
                        uint32_t step, uint32_t i)
{
    const struct rows rows = rows_of(level, step);
    const int block = level->stream->block;
    const uint32_t number = first_part(level, step) + i;
    const struct part part = {.level = level,
                              .worker = worker,
                              .block = block,
                              .part = number,
                              .from = rows.from,
                              .to = rows.to};

    (void)context;
    work_on_part(&part);
    if (atomic_fetch_sub_explicit(&level->stream->late->jobs[number], 1, memory_order_acq_rel) == 1)
        finish_part(&part);
}

/* How many jobs each part has: whoever does the last of them gives its pages back. */
static void count_jobs(struct wari_level *level, uint32_t steps)
{
    struct wari_late_store *late = level->stream->late;

    for (uint32_t part = 0; part < level->parts; part++)
        atomic_store_explicit(&late->jobs[part], 0, memory_order_relaxed);
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t first = first_part(level, step);
        const uint32_t end = first + jobs_touched(level, NULL, step);
        for (uint32_t part = first; part < end; part++)
            atomic_fetch_add_explicit(&late->jobs[part], 1, memory_order_relaxed);
    }
}

static void visit(struct wari_level *level, int block)
{
    struct wari_stream *stream = level->stream;
    const struct wari_stream_pass mark = {.steps = 1, .jobs = parts_to_mark, .job = mark_part};
    struct wari_stream_pass work = {.want = want_touched, .jobs = jobs_touched, .job = job_touched};
    bool any = false;

    stream->block = block;
    for (int kind = 0; kind < WARI_RECORDS; kind++)
        for (uint32_t part = 0; part < level->parts; part++) {
            const uint32_t head = take_list(level, list_of((enum wari_record)kind, block, part));
            stream->late->head[kind][part] = head;
            any = any || head != WARI_NO_PAGE;
        }
    if (!any)
        return;
    for (uint32_t piece = stream->pieces.first[block]; piece < stream->pieces.first[block + 1];
         piece++)
        atomic_store_explicit(&stream->touched[piece], 0, memory_order_relaxed);
    wari_stream_run(level, &mark);
    list_touched(stream, block);
    if (stream->late->count == 0) { /* looks only, and all of them wait */
        for (uint32_t part = 0; part < level->parts; part++) {
            const struct part waiting = {
                .level = level, .worker = &level->team->worker[0], .block = block, .part = part};
            finish_part(&waiting);
        }
        return;
    }
    work.steps = (stream->late->count + run_of(level) - 1) / run_of(level);
    count_jobs(level, work.steps);
    wari_stream_run(level, &work);
}

/* ---- A round -------------------------------------------------------------------------------- */

static bool any_record(const struct wari_level *level)
{
    for (int i = 0; i < level->team->threads; i++)
        for (int list = 0; list < WARI_LISTS; list++)
            if (level->team->worker[i].lists[list] != WARI_NO_PAGE)
                return true;
    return false;
}

struct wari_tally wari_stream_round(struct wari_level *level)
{
    const int blocks = level->layout.seeds + 1;
    struct wari_tally sum = {0};

    wari_overlay_begin_round(level);
    for (int i = 0; i < level->team->threads; i++)
        level->team->worker[i].tally = sum;
    for (int turn = 0; turn < blocks && !wari_events_lost(level) && !wari_level_stopped(level);
         turn++) {
        for (int away = 0; away < blocks; away++)
            level->stream->far[level->order[(turn + away) % blocks]] = (uint64_t)away;
        wari_overlay_make_room(level);
        visit(level, level->order[turn]);
    }
    for (int i = 0; i < level->team->threads; i++) {
        wari_reader_release(level->team->worker[i].reader);
        sum.changed += level->team->worker[i].tally.changed;
        sum.cells += level->team->worker[i].tally.cells;
    }
    sum.pending = wari_events_lost(level) || any_record(level);
    if (wari_events_lost(level) ||
        !sum.pending) /* the last round: nobody keeps pages from now on */
        wari_overlay_end(level);
    return sum;
}
