/* Streaming with a storage that only counts: no byte is moved, and memory is promised but never
 * touched, so that levels can be walked through that no machine here could solve. What is counted
 * is where each transfer goes, and how many bytes there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "solver/stream_model.h"
#include "tests/support/scale.h"

/* The storage: transfers have to be whole pieces of the file. */
struct storage {
    struct wari_host host;
    uint64_t size, frame; /* of the file, of a transfer at most */
    _Atomic uint64_t read, written, wrong;
};

static void *promise(void *context, size_t bytes)
{
    size_t *memory = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    (void)context;
    if (memory == MAP_FAILED)
        return NULL;
    *memory = bytes + 4096;
    return (char *)memory + 4096;
}

static void forget(void *context, void *memory)
{
    (void)context;
    if (memory)
        munmap((char *)memory - 4096, *(size_t *)((char *)memory - 4096));
}

static int open_nothing(void *context, const char *path, int flags, mode_t mode)
{
    (void)context, (void)path, (void)flags, (void)mode;
    return 100;
}

static int nothing(void *context, int fd)
{
    (void)context, (void)fd;
    return 0;
}

static int unlink_nothing(void *context, const char *path)
{
    (void)context, (void)path;
    return 0;
}

static ssize_t count(struct storage *storage, _Atomic uint64_t *counter, size_t bytes, off_t offset)
{
    if (offset % WARI_PIECE_ALIGN != 0 || bytes % WARI_PIECE_ALIGN != 0 || bytes == 0 ||
        bytes > storage->frame || (uint64_t)offset + bytes > storage->size)
        storage->wrong++;
    *counter += bytes;
    return (ssize_t)bytes;
}

static ssize_t count_read(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    struct storage *storage = context;

    (void)fd, (void)buffer;
    return count(storage, &storage->read, bytes, offset);
}

static ssize_t count_write(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct storage *storage = context;

    (void)fd, (void)buffer;
    return count(storage, &storage->written, bytes, offset);
}

/* A level with nothing in it but where things are. */
struct hollow {
    struct storage storage;
    struct wari_tables tables; /* halves only */
    struct wari_worker worker;
    struct wari_team team;
    struct wari_level level;
};

static void make_hollow(struct hollow *hollow, int seeds, uint64_t bytes)
{
    struct wari_error error;

    memset(hollow, 0, sizeof *hollow);
    hollow->storage.host = (struct wari_host){.context = &hollow->storage,
                                              .allocate = promise,
                                              .release = forget,
                                              .open = open_nothing,
                                              .pread = count_read,
                                              .pwrite = count_write,
                                              .close = nothing,
                                              .unlink = unlink_nothing,
                                              .lock = nothing};
    hollow->team =
        (struct wari_team){.host = &hollow->storage.host, .threads = 1, .worker = &hollow->worker};
    hollow->level.host = &hollow->storage.host;
    hollow->level.team = &hollow->team;
    hollow->level.tables = &hollow->tables;
    wari_halves_init(&hollow->tables.halves);
    if (wari_level_init_streamed(&hollow->level, seeds, WARI_EVEN, bytes, 0, "/nowhere", "x",
                                 &error) != WARI_OK)
        fail_msg("%s", error.text);
    hollow->level.stream->alone = true;
    hollow->storage.size = hollow->level.stream->shape.scratch;
    hollow->storage.frame = hollow->level.stream->shape.frame_bytes;
}

static void discard_hollow(struct hollow *hollow)
{
    wari_level_destroy(&hollow->level);
}

static uint32_t no_jobs(const struct wari_level *level, void *context, uint32_t step)
{
    (void)level, (void)context, (void)step;
    return 0;
}

static void only_written(struct wari_level *level, struct wari_worker *worker, void *context,
                         uint32_t piece)
{
    (void)worker;
    if (context)
        wari_pieces_written(&level->stream->pieces, piece);
}

/* Reads, or writes, all pieces in the window. */
static void go_through_window(struct wari_level *level, bool write)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_each each = {.job = only_written, .context = write ? stream : NULL};

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const uint32_t rows = stream->held[block], from = stream->first_row;
        const uint32_t end = wari_piece_of(&stream->pieces, block, from + rows - 1) + 1;
        for (uint32_t piece = wari_piece_of(&stream->pieces, block, from); piece < end; piece++)
            stream->list[each.count++] = piece;
    }
    wari_stream_each(level, &each);
}

/* What a turn transfers: the blocks into the window, the children, the blocks again, changed. */
static void take_turn(struct wari_level *level, int number)
{
    struct wari_stream *stream = level->stream;
    const struct wari_turn turn = stream->turn[number];
    struct wari_stream_pass pass = {.want = wari_stream_want_planned, .jobs = no_jobs};

    wari_stream_look_far(level, number);
    for (uint32_t row = 0; row < level->layout.rows[turn.first]; row += stream->rows) {
        wari_stream_open_window(level, turn, row);
        go_through_window(level, false);
        for (int block = turn.first; block < turn.first + turn.count; block++)
            stream->plan.runs[block] = 1;
        wari_stream_begin_plan(level, turn);
        while (wari_stream_plan(level)) {
            pass.steps = stream->plan.steps;
            wari_stream_run(level, &pass);
        }
        go_through_window(level, true);
    }
}

static struct wari_stream_bytes count_sweep(struct hollow *hollow)
{
    struct wari_stream_bytes bytes;

    hollow->storage.read = hollow->storage.written = 0;
    for (int turn = 0; turn < hollow->level.stream->turns; turn++)
        take_turn(&hollow->level, turn);
    bytes.read = (double)hollow->storage.read;
    bytes.written = (double)hollow->storage.written;
    return bytes;
}

static void assert_near(double counted, double expected, double share)
{
    if (counted < expected * (1 - share) || counted > expected * (1 + share))
        fail_msg("%.0f bytes counted, %.0f expected", counted, expected);
}

/* Whole sweeps, the second of two: within 25 per cent of the model, at several divisions. */
static void sweeps_transfer_what_the_model_says(void **state)
{
    static const struct {
        int seeds;
        uint64_t bytes;
    } cases[] = {{16, 5 << 20}, {18, 8 << 20}, {18, 16 << 20}, {20, 25 << 20}, {20, 60 << 20}};

    (void)state;
    for (int i = 0; i < test_scale(5, 1); i++) {
        static struct hollow hollow;
        make_hollow(&hollow, cases[i].seeds, cases[i].bytes);
        count_sweep(&hollow);
        const struct wari_stream_bytes counted = count_sweep(&hollow);
        const struct wari_stream_bytes model =
            wari_stream_sweep_bytes(cases[i].seeds, &hollow.level.stream->shape);
        assert_int_equal(hollow.storage.wrong, 0);
        assert_near(counted.read, model.read, 0.25);
        assert_near(counted.written, model.written, 0.25);
        discard_hollow(&hollow);
    }
}

/* Turns of some blocks of levels that cannot be solved here, in a sixth of their memory. */
static void turns_of_high_levels_transfer_what_the_model_says(void **state)
{
    static const int mover[] = {8, 13, 16};

    (void)state;
    for (int seeds = 37; seeds <= WARI_SEEDS_MAX; seeds += test_scale(1, 11)) {
        static struct hollow hollow;
        if (seeds == 47)
            continue;
        make_hollow(&hollow, seeds, wari_level_positions(seeds) / 6);
        struct wari_level *level = &hollow.level;
        assert_int_equal(wari_stream_window_rows(level->stream, seeds / 2),
                         level->layout.rows[seeds / 2]); /* the largest blocks fit */
        for (int i = 0; i < test_scale(3, 1); i++) {
            const int number = level->turn[seeds - mover[i]];
            const struct wari_turn turn = level->stream->turn[number];
            hollow.storage.read = hollow.storage.written = 0;
            take_turn(level, number);
            struct wari_stream_shape none = level->stream->shape;
            none.frames = 0; /* as nothing was in memory before */
            const struct wari_stream_bytes model = wari_stream_turn_bytes(seeds, &none, turn);
            /* what the turns before have left in memory is not read again */
            assert_true((double)hollow.storage.read < 1.1 * model.read);
            assert_true(i > 0 || (double)hollow.storage.read > 0.9 * model.read);
        }
        assert_int_equal(hollow.storage.wrong, 0);
        discard_hollow(&hollow);
    }
}

/* Each block has one turn, from the outside in, and no more of them than fit into the window. */
static void turns_take_all_blocks_from_the_outside_in(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int share = 1; share <= 100; share += 3) {
            const uint64_t window = wari_level_positions(seeds) / 100 * (uint64_t)share;
            struct wari_turn turns[WARI_SEEDS_MAX + 1];
            struct wari_layout layout;
            int low = 0, high = seeds;
            wari_layout_init(&layout, seeds);
            const int count = wari_stream_turns(&layout, window, turns);
            for (int i = 0; i < count; i++) {
                uint64_t bytes = 0;
                const int end = turns[i].first + turns[i].count;
                assert_true(turns[i].count > 0);
                assert_true(turns[i].first == low || end == high + 1);
                for (int block = turns[i].first; block < end; block++)
                    bytes += wari_stream_block_bytes(&layout, block);
                assert_true(bytes <= window || turns[i].count == 1);
                if (turns[i].first == low)
                    low = end;
                else
                    high = turns[i].first - 1;
            }
            assert_int_equal(low, high + 1);
        }
}

/* Every cell has a place in one unit, and units are no longer than frames. */
static void stripes_cover_all_levels(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int large = 0; large < 2; large++) {
            struct wari_stream_shape shape;
            struct wari_pieces stripes;
            struct wari_layout layout;
            const uint64_t least = wari_stream_least(seeds);
            wari_layout_init(&layout, seeds);
            assert_true(wari_stream_shape(seeds, large ? 40 * least : least, &shape));
            wari_stream_lay_out_stripes(&stripes, &layout, shape.frame_bytes);
            for (int block = 0; block <= seeds; block++) {
                const struct wari_stripes cut =
                    wari_stream_stripes(&layout, block, shape.frame_bytes);
                assert_true((uint64_t)cut.run * cut.width + WARI_PIECE_PADDING <=
                            shape.frame_bytes);
                assert_true(cut.width <= cut.step && cut.step <= WARI_GROUP);
                assert_true((uint64_t)cut.groups * cut.step >= layout.columns[block]);
                assert_true((uint64_t)(cut.groups - 1) * cut.step < layout.columns[block]);
                assert_true(cut.width == (cut.groups > 1 ? cut.step : layout.columns[block]));
                assert_true((uint64_t)cut.run * cut.runs >= layout.rows[block]);
                assert_true((uint64_t)cut.run * (cut.runs - 1) < layout.rows[block]);
                assert_true(cut.runs == 1 || cut.run % WARI_STRIP == 0);
                assert_int_equal(stripes.block_rows[block], cut.groups * cut.runs);
            }
            assert_true(stripes.count <= shape.pieces);
            assert_true(wari_pieces_file_bytes(&stripes) < shape.scratch);
        }
}

/* Every piece has a place of its own in the file, and its rows find it: all pieces and all rows of
 * all levels. */
static void pieces_cover_all_levels(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        static struct wari_pieces pieces;
        struct wari_layout layout;
        uint32_t pitch[WARI_SEEDS_MAX + 1];
        struct wari_stream_shape shape;
        uint64_t end = 0;
        wari_layout_init(&layout, seeds);
        for (int block = 0; block <= seeds; block++)
            pitch[block] = wari_level_pitch(layout.columns[block]);
        assert_true(wari_stream_shape(seeds, (uint64_t)(seeds + 1) << 30, &shape));
        assert_true(shape.bytes <= (uint64_t)(seeds + 1) << 30);
        wari_pieces_lay_out(&pieces, &layout, pitch, shape.frame_bytes);
        for (int block = 0; block <= seeds; block++) {
            assert_true(pieces.offset[block] >= end);
            const uint32_t count = pieces.first[block + 1] - pieces.first[block];
            end = pieces.offset[block] + (uint64_t)count * pieces.stride[block];
            assert_true((uint64_t)pieces.rows[block] * pitch[block] <= pieces.stride[block]);
            assert_true((uint64_t)pieces.rows[block] * pitch[block] + WARI_PIECE_PADDING <=
                        shape.frame_bytes);
            for (uint32_t row = 0; row < layout.rows[block]; row += (uint32_t)test_scale(1, 97)) {
                const uint32_t piece = wari_piece_of(&pieces, block, row);
                if (piece != pieces.first[block] + row / pieces.rows[block])
                    fail_msg("level %d, block %d, row %u", seeds, block, row);
            }
            assert_int_equal(wari_piece_block(&pieces, pieces.first[block]), block);
            assert_int_equal(wari_piece_block(&pieces, pieces.first[block + 1] - 1), block);
        }
        assert_true(end <= shape.scratch);
    }
}

/* Whatever the memory, from the least on, it is not exceeded. */
static void shapes_stay_within_their_memory(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t least = wari_stream_least(seeds);
        struct wari_stream_shape shape;
        assert_false(wari_stream_shape(seeds, least - 1, &shape));
        for (uint64_t bytes = least; bytes < least * 100; bytes += bytes / 5) {
            assert_true(wari_stream_shape(seeds, bytes, &shape));
            assert_true(shape.bytes <= bytes);
        }
    }
}

/* A piece that is on its way to the file is not read before it is there. */
static void what_is_being_written_is_read_afterwards(void **state)
{
    static struct hollow hollow;
    uint32_t other = 1;

    (void)state;
    make_hollow(&hollow, 18, 8 << 20);
    struct wari_pieces *pieces = &hollow.level.stream->pieces;
    const uint32_t first = 0;
    pieces->oldest = 10;
    assert_true(wari_pieces_want(pieces, &first, 1, 10, true));
    wari_pieces_written(pieces, first);
    wari_piece_frame(pieces, first)->next = UINT64_MAX;
    pieces->settled = pieces->transfers;
    /* steps that are under way keep their frames */
    for (; other < pieces->frames; other++)
        assert_true(wari_pieces_want(pieces, &other, 1, 11, true));
    assert_false(wari_pieces_want(pieces, &other, 1, 12, true));
    assert_non_null(pieces->at[first]);
    /* then its frame is taken */
    pieces->oldest = 11;
    assert_true(wari_pieces_want(pieces, &other, 1, 13, true));
    assert_null(pieces->at[first]);
    pieces->oldest = 12;
    assert_true(wari_pieces_want(pieces, &first, 1, 14, true));
    const struct wari_transfer *written =
        &pieces->transfer[(pieces->transfers - 2) % pieces->frames];
    const struct wari_transfer *read = written + 1;
    if (read == pieces->transfer + pieces->frames)
        read = pieces->transfer;
    assert_int_equal(written->old, first);
    assert_false(written->after);
    assert_int_equal(read->piece, first);
    assert_true(read->after);
    discard_hollow(&hollow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_transfer_what_the_model_says),
        cmocka_unit_test(turns_of_high_levels_transfer_what_the_model_says),
        cmocka_unit_test(turns_take_all_blocks_from_the_outside_in),
        cmocka_unit_test(pieces_cover_all_levels),
        cmocka_unit_test(stripes_cover_all_levels),
        cmocka_unit_test(what_is_being_written_is_read_afterwards),
        cmocka_unit_test(shapes_stay_within_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
