/* Makes and reads capture lists, whose format capture_lists.h describes. */
#include "solver/bits/capture_lists.h"

#include <string.h>

#include "db/host/bytes.h"
#include "solver/bits/bits.h"
#include "system/clock.h"
#include "system/sum.h"

enum {
    HEAD = 12,
    TAIL = 8,
    NUMBER_BITS = 42,    /* levels have less than 2^41 cells; rows are padded to whole bytes */
    ENTRY_BYTES_MAX = 7, /* maximal size of an entry: NUMBER_BITS + 1 bits, seven in each byte */
    NODE_BYTES_MAX = 64 << 10, /* with 24 seeds, a set of open nodes of this size takes 1.6 MB */
};

#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)

/* The open node of one set for one threshold (capture_lists.h): the node to which cells are being
 * added. */
struct open_node {
    uint8_t *bytes;
    uint32_t used, cells;
    uint64_t last;
};

struct wari_capture_lists {
    uint64_t offset; /* offset of the first node in the file */
    uint64_t nonce;  /* part of all checksums, so that nodes of earlier lists are not accepted */
    uint32_t node_bytes;
    _Atomic uint32_t used;
    atomic_uint_fast64_t count[WARI_SEEDS_MAX + 1]; /* number of cells for each threshold */
    struct open_node *open; /* [set][threshold]; NULL unless lists are being made */
    atomic_flag *taken;     /* [set] */
    int8_t list[256]; /* [code]: 2 * the threshold of its list, + 1 if the capture is negative; 0 if
                       * cells with this code are in no list */
    uint8_t threshold[]; /* [node]: threshold of the list that the node belongs to */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint64_t lists_of(const struct wari_layout *layout, int sets)
{
    return (uint64_t)sets * (uint64_t)(layout->seeds + 1);
}

uint32_t wari_capture_lists_node_bytes(const struct wari_layout *layout, uint64_t memory, int sets)
{
    const uint64_t share =
        memory / lists_of(layout, sets) / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;

    return share > NODE_BYTES_MAX        ? NODE_BYTES_MAX
           : share > WARI_TRANSFER_ALIGN ? (uint32_t)share
                                         : WARI_TRANSFER_ALIGN;
}

uint64_t wari_capture_lists_bytes(const struct wari_layout *layout, uint32_t node_bytes, int sets)
{
    return lists_of(layout, sets) * (sizeof(struct open_node) + node_bytes) +
           (uint64_t)sets * sizeof(atomic_flag);
}

/* Returns an upper bound on the number of nodes. An entry needs a second byte only if its number
 * exceeds the number of the previous entry by 64 or more. It needs a third byte only if the
 * difference is 8192 or more.
 *
 * So in the lists of one set, at most one entry for each 64 cells of the level has a second byte,
 * at most one for each 8192 cells has a third byte, and so on. The first entry of each range may
 * have the maximal number of bytes, since ranges are added in any order. */
static uint64_t nodes_max(const struct wari_layout *layout, uint32_t node_bytes, int sets)
{
    /* The numbers of cells are below twice the count of cells, since rows are padded to whole
     * bytes. */
    const uint64_t cells = 2 * layout->block_offset[layout->seeds + 1];
    const uint64_t lists = lists_of(layout, sets);
    const uint64_t more =
        lists / 63 + 1 < ENTRY_BYTES_MAX - 1 ? lists / 63 + 1 : ENTRY_BYTES_MAX - 1;
    uint64_t firsts = 0; /* upper bound on the number of entries that begin a range in some list. A
                          * range consists of at least one row and may occur in each list */

    for (int block = 0; block <= layout->seeds; block++)
        firsts += (uint64_t)layout->rows[block] * (uint64_t)(layout->seeds + 1);
    return (cells * (1 + more) + firsts * ENTRY_BYTES_MAX) /
               (node_bytes - HEAD - ENTRY_BYTES_MAX - TAIL) +
           2 * lists;
}

uint64_t wari_capture_lists_table_bytes(const struct wari_layout *layout, uint32_t node_bytes,
                                        int sets)
{
    return sizeof(struct wari_capture_lists) + nodes_max(layout, node_bytes, sets);
}

void wari_capture_lists_destroy(struct wari_bits *bits)
{
    wari_release(bits->level->host, bits->lists);
    bits->lists = NULL;
}

uint64_t wari_capture_lists_count(const struct wari_bits *bits)
{
    return atomic_load_explicit(&bits->lists->count[bits->threshold], memory_order_relaxed);
}

static uint64_t node_offset(const struct wari_capture_lists *lists, uint32_t node)
{
    return lists->offset + (uint64_t)node * lists->node_bytes;
}

static uint64_t node_sum(const struct wari_capture_lists *lists, uint32_t node,
                         const uint8_t *bytes)
{
    return wari_sum(bytes, lists->node_bytes - TAIL, lists->nonce ^ node_offset(lists, node));
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void write_node(struct wari_bits *bits, int threshold, struct open_node *open)
{
    struct wari_capture_lists *lists = bits->lists;
    uint32_t node;
    struct wari_error error;

    if (open->cells == 0)
        return;
    node = atomic_fetch_add_explicit(&lists->used, 1, memory_order_relaxed);
    lists->threshold[node] = (uint8_t)threshold;
    wari_store32(open->bytes + 8, open->cells);
    atomic_fetch_add_explicit(&lists->count[threshold], open->cells, memory_order_relaxed);
    wari_store64(open->bytes + lists->node_bytes - TAIL, node_sum(lists, node, open->bytes));
    if (wari_scratch_file_transfer(&wari_scratch_of(bits->level)->file, open->bytes,
                                   lists->node_bytes, node_offset(lists, node), true,
                                   &error) != WARI_OK)
        wari_workers_fail(bits->level->workers, &error);
    open->cells = 0;
}

static void begin_node(struct wari_bits *bits, int threshold, struct open_node *open, uint64_t cell)
{
    write_node(bits, threshold, open);
    wari_store64(open->bytes, cell);
    open->last = cell;
    open->used = HEAD;
}

/* Adds a cell to a list. Nearly all entries have one or two bytes. No branch distinguishes these
 * two cases, because it would be mispredicted often. */
static inline void add_cell(struct wari_bits *bits, struct open_node *open, int threshold,
                            uint64_t cell, unsigned drop)
{
    uint64_t entry;

    if (open->used + ENTRY_BYTES_MAX > bits->lists->node_bytes - TAIL)
        begin_node(bits, threshold, open, cell);
    entry = ((cell - open->last) & NUMBER_MASK) << 1 | drop;
    open->last = cell;
    open->cells++;
    for (; entry >= 1 << 14; entry >>= 7)
        open->bytes[open->used++] = (uint8_t)(entry | 0x80);
    const unsigned more = entry > 0x7f;
    wari_store16(open->bytes + open->used,
                 (uint16_t)((entry & 0x7f) | more << 7 | entry >> 7 << 8));
    open->used += 1 + more;
}

/* Returns a mask of 64 bits; bit i is set if list[i] is not 0. All bytes have to be in 0..127. */
static uint64_t listed_in(const int8_t *list)
{
    uint64_t listed = 0;

    for (int i = 0; i < 8; i++) {
        const uint64_t eight =
            wari_load64((const uint8_t *)list + 8 * i) + UINT64_C(0x7f7f7f7f7f7f7f7f);
        listed |= ((eight >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56)
                  << 8 * i;
    }
    return listed;
}

/* Adds up to CELLS_AT_ONCE consecutive cells, numbered from `number` on. */
enum { CELLS_AT_ONCE = 512 };
static void add_cells(struct wari_bits *bits, struct open_node *open, const int8_t *cells,
                      uint32_t count, uint64_t number)
{
    int8_t list[CELLS_AT_ONCE] = {0};

    bits->level->kernel->look_up(bits->lists->list, cells, count, list);
    for (uint32_t i = 0; i < count; i += 64)
        for (uint64_t rest = listed_in(list + i); rest != 0; rest &= rest - 1) {
            const uint32_t at = i + (uint32_t)__builtin_ctzll(rest);
            const unsigned listed = (unsigned)list[at];
            add_cell(bits, &open[listed / 2], (int)(listed / 2), number + at, listed % 2);
        }
}

/* Takes a free set. A set is always free, since there are as many sets as I/O threads. */
static int take_set(const struct wari_bits *bits)
{
    int set = 0;

    while (atomic_flag_test_and_set_explicit(&bits->lists->taken[set], memory_order_acquire))
        set = (set + 1) % bits->shape.scratch.io_threads;
    return set;
}

void wari_capture_lists_add(struct wari_level *level, struct wari_worker *worker, void *context,
                            const struct wari_row_range *rows)
{
    struct wari_bits *bits = wari_bits_of(level);
    const uint32_t columns = level->layout.columns[rows->block];
    struct open_node *open;
    int set;

    (void)worker, (void)context;
    if (!bits->lists)
        return;
    set = take_set(bits);
    open = bits->lists->open + set * (level->layout.seeds + 1);
    for (uint32_t row = 0; row < rows->count; row++) {
        const int8_t *cells = rows->cells + (size_t)row * rows->pitch;
        const uint64_t number = 8 * wari_bits_offset(bits, rows->block, rows->first + row, 0);
        for (uint32_t column = 0; column < columns; column += CELLS_AT_ONCE) {
            const uint32_t left = columns - column;
            add_cells(bits, open, cells + column, left < CELLS_AT_ONCE ? left : CELLS_AT_ONCE,
                      number + column);
        }
    }
    atomic_flag_clear_explicit(&bits->lists->taken[set], memory_order_release);
}

/* Computes, for each code, the list to which the cells with this code belong, if any. A cell
 * with value v > 0 is listed for the capture v, and a cell with value 0 for the capture -v if its
 * code contains a negative capture -v. Both are in the list of threshold v. Cells whose v is not
 * below bits->threshold are in no list. */
static void choose_lists(struct wari_bits *bits)
{
    const struct wari_cells *codes = &bits->level->codes;

    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code];
        const int capture = value != 0 ? value : codes->floor[code];
        const bool listed = value > 0 || (value == 0 && capture != codes->none && capture < 0);
        const int size = capture < 0 ? -capture : capture;
        if (listed && size < bits->threshold)
            bits->lists->list[code] = (int8_t)(2 * size + (capture < 0));
    }
}

static uint64_t make_nonce(const void *memory)
{
    const double now = wari_seconds_now();
    uint64_t number;

    memcpy(&number, &now, sizeof number);
    return number * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)memory;
}

enum wari_status wari_capture_lists_begin(struct wari_bits *bits, struct wari_error *error)
{
    struct wari_level *level = bits->level;
    const int sets = bits->shape.scratch.io_threads, thresholds = level->layout.seeds + 1;
    const uint32_t node_bytes = bits->shape.list_node_bytes;
    uint8_t *at = wari_scratch_of(level)->memory.reserved;
    void *memory;
    enum wari_status status = wari_allocate(
        level->host, (size_t)wari_capture_lists_table_bytes(&level->layout, node_bytes, sets),
        "the lists of a level's captures", &memory, error);

    if (status != WARI_OK)
        return status;
    memset(memory, 0, sizeof(struct wari_capture_lists));
    bits->lists = memory;
    bits->lists->node_bytes = node_bytes;
    bits->lists->offset = bits->shape.scratch.append_at;
    bits->lists->nonce = make_nonce(bits->lists);
    bits->lists->open = (void *)(at + (size_t)sets * (size_t)thresholds * node_bytes);
    bits->lists->taken = (void *)(bits->lists->open + sets * thresholds);
    for (int set = 0; set < sets; set++)
        atomic_flag_clear(&bits->lists->taken[set]);
    for (int i = 0; i < sets * thresholds; i++, at += node_bytes) {
        memset(at, 0, node_bytes);
        bits->lists->open[i] = (struct open_node){.bytes = at, .used = node_bytes};
    }
    choose_lists(bits);
    return WARI_OK;
}

void wari_capture_lists_end(struct wari_bits *bits)
{
    const struct wari_level *level = bits->level;
    const int thresholds = level->layout.seeds + 1;

    for (int i = 0; i < bits->shape.scratch.io_threads * thresholds && !wari_level_stopped(level);
         i++)
        write_node(bits, i % thresholds, &bits->lists->open[i]);
    bits->lists->open = NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns the coordinates of a cell, and stores its block in *block. The search begins at *block,
 * which should be the block of a cell with a slightly smaller number. */
static struct wari_coordinates find_cell(const struct wari_bits *bits, int *block, uint64_t number)
{
    const uint64_t byte = number / 8;
    uint64_t row;

    if (byte < bits->planes.offset[*block])
        *block = 0;
    while (byte >= bits->planes.offset[*block + 1])
        ++*block;
    row = (byte - bits->planes.offset[*block]) / bits->planes.pitch[*block];
    return (struct wari_coordinates){
        *block, (uint32_t)row,
        (uint32_t)(number - 8 * (bits->planes.offset[*block] + row * bits->planes.pitch[*block]))};
}

/* Processes the listed cells with numbers `first` to `first` + 63. `first` is a multiple of 64. Bit
 * i of cells[0] is set if the capture of cell `first` + i is the threshold; bit i of cells[1] is
 * set if its capture is the negative of the threshold. Returns the number of changed cells. */
typedef uint64_t process_cells(struct wari_bits *bits, struct wari_bits_worker *worker, int *block,
                               uint64_t first, const uint64_t cells[2]);

static uint64_t process_node(struct wari_bits *bits, struct wari_bits_worker *worker,
                             const uint8_t *bytes, process_cells *process)
{
    const uint32_t count = wari_load32(bytes + 8);
    int block = 0;
    uint64_t number = wari_load64(bytes), first = number / 64 * 64, cells[2] = {0}, changed = 0;

    bytes += HEAD;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry = *bytes & 0x7f;
        for (unsigned shift = 7; *bytes++ & 0x80; shift += 7)
            entry |= (uint64_t)(*bytes & 0x7f) << shift;
        number = (number + (entry >> 1)) & NUMBER_MASK;
        if (number / 64 * 64 != first) {
            changed += process(bits, worker, &block, first, cells);
            first = number / 64 * 64;
            cells[0] = cells[1] = 0;
        }
        cells[entry & 1] |= UINT64_C(1) << number % 64;
    }
    return changed + process(bits, worker, &block, first, cells);
}

static enum wari_status read_node(const struct wari_bits *bits, uint32_t node, uint8_t *buffer,
                                  struct wari_error *error)
{
    const struct wari_capture_lists *lists = bits->lists;
    struct wari_scratch_file *file = &wari_scratch_of(bits->level)->file;
    const uint64_t offset = node_offset(lists, node);
    const enum wari_status status =
        wari_scratch_file_transfer(file, buffer, lists->node_bytes, offset, false, error);

    if (status != WARI_OK ||
        wari_load64(buffer + lists->node_bytes - TAIL) == node_sum(lists, node, buffer))
        return status;
    return wari_sum_is_wrong(error, file->temporary.path, offset, lists->node_bytes);
}

static uint64_t read_list(struct wari_bits *bits, process_cells *process, bool drain)
{
    struct wari_level *level = bits->level;
    const struct wari_capture_lists *lists = bits->lists;
    const uint32_t used = atomic_load_explicit(&lists->used, memory_order_relaxed);
    uint64_t changed = 0;

#pragma omp parallel num_threads(level->workers->count) reduction(+ : changed)
    {
        struct wari_bits_worker *worker = wari_bits_worker(bits);
        uint8_t *buffer = wari_bits_transfer_buffer(worker->worker);
        struct wari_error error;
#pragma omp for schedule(dynamic)
        for (uint32_t node = 0; node < used; node++) {
            if (lists->threshold[node] != bits->threshold || wari_level_stopped(level))
                continue;
            if (read_node(bits, node, buffer, &error) == WARI_OK)
                changed += process_node(bits, worker, buffer, process);
            else
                wari_workers_fail(level->workers, &error);
        }
        if (drain)
            changed += wari_bits_drain(bits, worker);
    }
    return changed;
}

/* Returns the word of a plane that contains the 64 cells from number `first` on. No two threads
 * change the same cell, but they may change the same word. Changing all cells of a word at once
 * takes half the time of changing them one by one. */
static uint64_t *word_of(uint8_t *plane, uint64_t first)
{
    return (uint64_t *)(void *)(plane + first / 8);
}

static uint64_t load_cells(uint8_t *plane, uint64_t first)
{
    return wari_bits_ordered(__atomic_load_n(word_of(plane, first), __ATOMIC_SEQ_CST));
}

static void set_cells(uint8_t *plane, uint64_t first, uint64_t cells)
{
    if (cells != 0)
        __atomic_fetch_or(word_of(plane, first), wari_bits_ordered(cells), __ATOMIC_SEQ_CST);
}

static void clear_cells(uint8_t *plane, uint64_t first, uint64_t cells)
{
    if (cells != 0)
        __atomic_fetch_and(word_of(plane, first), ~wari_bits_ordered(cells), __ATOMIC_SEQ_CST);
}

static uint64_t apply(struct wari_bits *bits, struct wari_bits_worker *worker, int *block,
                      uint64_t first, const uint64_t cells[2])
{
    const uint64_t won = load_cells(bits->planes.won, first);
    const uint64_t lost = load_cells(bits->planes.lost, first);
    const uint64_t undecided = ~(won ^ lost);

    (void)worker, (void)block;
    set_cells(bits->planes.won, first, cells[0] & undecided & ~won);
    clear_cells(bits->planes.won, first, cells[1] & undecided & won);
    clear_cells(bits->planes.lost, first, (cells[0] | cells[1]) & undecided & lost);
    return 0;
}

void wari_capture_lists_apply(struct wari_bits *bits)
{
    (void)read_list(bits, apply, false);
}

static uint64_t notify(struct wari_bits *bits, struct wari_bits_worker *worker, int *block,
                       uint64_t first, const uint64_t cells[2])
{
    const uint64_t won = load_cells(bits->planes.won, first);
    const uint64_t lost = load_cells(bits->planes.lost, first);
    const uint64_t open = cells[1] & ~won & ~lost;
    uint64_t changed = 0;

    for (uint64_t rest = open | (cells[0] & won & ~lost); rest != 0; rest &= rest - 1) {
        const uint64_t bit = rest & -rest;
        const struct wari_coordinates cell =
            find_cell(bits, block, first + (uint64_t)__builtin_ctzll(rest));
        wari_bits_push(bits, worker, open & bit ? WARI_BITS_NOTIFY_OPEN : WARI_BITS_NOTIFY_WON,
                       cell.block, cell.row, cell.column);
        if (wari_bits_pending(bits, worker) >= WARI_BITS_BATCH)
            changed += wari_bits_drain(bits, worker);
    }
    return changed;
}

uint64_t wari_capture_lists_notify(struct wari_bits *bits)
{
    atomic_store_explicit(&bits->worklist.overflow, false, memory_order_relaxed);
    return read_list(bits, notify, true);
}
