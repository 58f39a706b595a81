/* By bits with a storage that only counts: no byte is moved, and memory is promised but never
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

#include "solver/bits/road.h"
#include "solver/scratch/passes.h"
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
    struct wari_level_measure measure;
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
    const struct wari_bits_room room = {.bytes = bytes, .place = {"/nowhere", "x"}};
    hollow->level.course.measure = &hollow->measure;
    if (wari_bits_open(&hollow->level, seeds, WARI_EVEN, &room, &error) != WARI_OK)
        fail_msg("%s", error.text);
    wari_scratch_of(&hollow->level)->alone = true;
    hollow->storage.size = wari_scratch_of(&hollow->level)->shape.file;
    hollow->storage.frame = wari_scratch_of(&hollow->level)->shape.frame_bytes;
}

static void discard_hollow(struct hollow *hollow)
{
    wari_level_close(&hollow->level);
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
            const int count = wari_scratch_turns(&layout, window, turns);
            for (int i = 0; i < count; i++) {
                uint64_t bytes = 0;
                const int end = turns[i].first + turns[i].count;
                assert_true(turns[i].count > 0);
                assert_true(turns[i].first == low || end == high + 1);
                for (int block = turns[i].first; block < end; block++)
                    bytes += wari_scratch_block_bytes(&layout, block);
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
            struct wari_scratch_shape shape;
            struct wari_pieces_cut stripes;
            struct wari_layout layout;
            const uint64_t least = wari_scratch_least(seeds);
            wari_layout_init(&layout, seeds);
            assert_true(wari_scratch_shape(seeds, large ? 40 * least : least, &shape));
            wari_scratch_cut_stripes(&stripes, &layout, shape.frame_bytes);
            for (int block = 0; block <= seeds; block++) {
                const struct wari_stripes cut =
                    wari_scratch_stripes(&layout, block, shape.frame_bytes);
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
            assert_true(wari_pieces_file_bytes(&stripes) < shape.file);
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
        struct wari_scratch_shape shape;
        uint64_t end = 0;
        wari_layout_init(&layout, seeds);
        for (int block = 0; block <= seeds; block++)
            pitch[block] = wari_level_pitch(layout.columns[block]);
        assert_true(wari_scratch_shape(seeds, (uint64_t)(seeds + 1) << 30, &shape));
        assert_true(shape.bytes <= (uint64_t)(seeds + 1) << 30);
        wari_pieces_cut_level(&pieces.cut, &layout, pitch, shape.frame_bytes);
        for (int block = 0; block <= seeds; block++) {
            assert_true(pieces.cut.offset[block] >= end);
            const uint32_t count = pieces.cut.first[block + 1] - pieces.cut.first[block];
            end = pieces.cut.offset[block] + (uint64_t)count * pieces.cut.stride[block];
            assert_true((uint64_t)pieces.cut.rows[block] * pitch[block] <=
                        pieces.cut.stride[block]);
            assert_true((uint64_t)pieces.cut.rows[block] * pitch[block] + WARI_PIECE_PADDING <=
                        shape.frame_bytes);
            for (uint32_t row = 0; row < layout.rows[block]; row += (uint32_t)test_scale(1, 97)) {
                const uint32_t piece = wari_piece_of(&pieces, block, row);
                if (piece != pieces.cut.first[block] + row / pieces.cut.rows[block])
                    fail_msg("level %d, block %d, row %u", seeds, block, row);
            }
            assert_int_equal(wari_piece_block(&pieces, pieces.cut.first[block]), block);
            assert_int_equal(wari_piece_block(&pieces, pieces.cut.first[block + 1] - 1), block);
        }
        assert_true(end <= shape.file);
    }
}

/* Whatever the memory, from the least on, it is not exceeded. */
static void shapes_stay_within_their_memory(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t least = wari_scratch_least(seeds);
        struct wari_scratch_shape shape;
        assert_false(wari_scratch_shape(seeds, least - 1, &shape));
        for (uint64_t bytes = least; bytes < least * 100; bytes += bytes / 5) {
            assert_true(wari_scratch_shape(seeds, bytes, &shape));
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
    make_hollow(&hollow, 18, 16 << 20);
    struct wari_pieces *pieces = &wari_scratch_of(&hollow.level)->pieces;
    const uint32_t first = 0;
    pieces->frames.oldest = 10;
    assert_true(wari_pieces_want(pieces, &first, 1, 10, true));
    wari_pieces_written(pieces, first);
    wari_piece_frame(pieces, first)->next = UINT64_MAX;
    pieces->transfers.settled = pieces->transfers.listed;
    /* steps that are under way keep their frames */
    for (; other < pieces->frames.count; other++)
        assert_true(wari_pieces_want(pieces, &other, 1, 11, true));
    assert_false(wari_pieces_want(pieces, &other, 1, 12, true));
    assert_non_null(pieces->at[first]);
    /* then its frame is taken */
    pieces->frames.oldest = 11;
    assert_true(wari_pieces_want(pieces, &other, 1, 13, true));
    assert_null(pieces->at[first]);
    pieces->frames.oldest = 12;
    assert_true(wari_pieces_want(pieces, &first, 1, 14, true));
    const struct wari_transfer *written =
        &pieces->transfers.transfer[(pieces->transfers.listed - 2) % pieces->frames.count];
    const struct wari_transfer *read = written + 1;
    if (read == pieces->transfers.transfer + pieces->frames.count)
        read = pieces->transfers.transfer;
    assert_int_equal(written->old, first);
    assert_false(written->after);
    assert_int_equal(read->piece, first);
    assert_true(read->after);
    discard_hollow(&hollow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_take_all_blocks_from_the_outside_in),
        cmocka_unit_test(pieces_cover_all_levels),
        cmocka_unit_test(stripes_cover_all_levels),
        cmocka_unit_test(what_is_being_written_is_read_afterwards),
        cmocka_unit_test(shapes_stay_within_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
