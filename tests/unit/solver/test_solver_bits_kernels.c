/* The operations of the bit sweeps. Each kernel that runs on this machine is compared with loops
 * that handle one bit at a time, written here from the contracts of solver/kernel/kernel.h; and
 * the words of bit gathers are compared with the gathers themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "solver/bits/bits.h"
#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static uint64_t random_word(struct random_positions *random)
{
    uint64_t word = 0;

    for (int i = 0; i < 4; i++)
        word = word << 16 | random_below(random, 1 << 16);
    return word;
}

/* Returns a random word. The fraction of its bits that are set is small for density 0, large for
 * density 1, and about a half otherwise. */
static uint64_t random_density(struct random_positions *random, uint32_t density)
{
    const uint64_t word = random_word(random);

    return density == 0   ? word & random_word(random) & random_word(random) & random_word(random)
           : density == 1 ? word | random_word(random) | random_word(random) | random_word(random)
                          : word;
}

/* Returns random bytes; the caller frees them. The allocation has no spare bytes, so the address
 * sanitizer detects an access beyond the end. */
static uint8_t *random_bytes(struct random_positions *random, size_t count)
{
    uint8_t *bytes = malloc(count);

    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)random_below(random, 256);
    return bytes;
}

static bool bit_of(const uint8_t *bytes, uint64_t column)
{
    return bytes[column / 8] >> column % 8 & 1;
}

/* ---- Children of a column -------------------------------------------------------------------- */

enum { PARENTS_MOST = WARI_BITS_STRIPS * WARI_STRIP, WORDS_MOST = PARENTS_MOST };

/* One move of a mover half, for several parents. The columns of the parents' children are stored
 * twice: in a list, and as set bits in the masks of words, the form that the kernel reads. */
struct move {
    uint32_t column[PARENTS_MOST];
    struct wari_bit_word word[WORDS_MOST];
    uint64_t quiet[WARI_BITS_STRIPS];
    uint8_t *won, *lost;
    struct wari_bit_source source;
};

/* Divides the children of the parents into words (struct wari_bit_word) and returns the number of
 * words. A new word begins at each strip of parents, and where a word would exceed 64 columns; at
 * random, some more words begin in between. */
static uint32_t cut_words(struct move *move, uint32_t parents, struct random_positions *random)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < parents; i++) {
        struct wari_bit_word *word = &move->word[count > 0 ? count - 1 : 0];
        if (i % WARI_STRIP == 0 || move->column[i] - 8 * word->byte >= 64 ||
            random_below(random, 40) == 0) {
            word = &move->word[count++];
            *word = (struct wari_bit_word){.byte = move->column[i] / 8,
                                           .start = (uint16_t)(i % WARI_STRIP),
                                           .strip = (uint16_t)(i / WARI_STRIP)};
        }
        word->mask |= UINT64_C(1) << (move->column[i] - 8 * word->byte);
    }
    return count;
}

static void make_move(struct move *move, uint32_t parents, struct random_positions *random)
{
    uint32_t column = random_below(random, 20);

    for (uint32_t i = 0; i < parents; i++) {
        move->column[i] = column;
        column += 1 + (random_below(random, 3) == 0 ? random_below(random, 12) : 0) +
                  (random_below(random, 50) == 0 ? random_below(random, 200) : 0);
    }
    /* The kernel may read 8 bytes past the byte of the last column. */
    const size_t bytes = move->column[parents - 1] / 8 + 1 + 8;
    const uint32_t words = cut_words(move, parents, random);
    move->won = random_bytes(random, bytes);
    move->lost = random_bytes(random, bytes);
    for (int i = 0; i < WARI_BITS_STRIPS; i++)
        move->quiet[i] = random_word(random);
    move->source = (struct wari_bit_source){
        .won = move->won,
        .lost = move->lost,
        .word = move->word,
        .end = move->word + words,
        .quiet = random_below(random, 2) ? move->quiet : NULL,
    };
}

/* Returns the expected result for one parent; sets *is_open if the parent has a child that is
 * not won. */
static bool expected_lost(const struct move *move, int count, uint32_t parent, bool *is_open)
{
    bool is_lost = false;

    *is_open = false;
    for (int i = 0; i < count; i++) {
        const uint32_t column = move[i].column[parent];
        const bool won = bit_of(move[i].won, column), lost = bit_of(move[i].lost, column);
        if (move[i].source.quiet && !(move[i].quiet[parent / 64] >> parent % 64 & 1))
            continue;
        is_lost |= lost && !won;
        *is_open |= !won || lost;
    }
    return is_lost;
}

static void compare_column(const struct wari_kernel_ops *kernel, const struct move *move, int count,
                           uint32_t parents, size_t pitch)
{
    const uint32_t strips = (parents + WARI_STRIP - 1) / WARI_STRIP;
    const size_t words = (strips - 1) * pitch + 1;
    const uint64_t untouched = UINT64_C(0x5555aaaa5555aaaa);
    struct wari_bit_source source[WARI_HALF_PITS];
    uint64_t *lost_child = malloc(words * sizeof *lost_child);
    uint64_t *open_child = malloc(words * sizeof *open_child);

    assert_non_null(lost_child);
    assert_non_null(open_child);
    for (int i = 0; i < count; i++)
        source[i] = move[i].source;
    for (size_t i = 0; i < words; i++)
        lost_child[i] = open_child[i] = untouched;
    kernel->bits_of_column(source, count, strips, lost_child, open_child, pitch);
    for (uint32_t parent = 0; parent < parents; parent++) {
        const size_t at = parent / WARI_STRIP * pitch;
        bool is_open;
        const bool is_lost = expected_lost(move, count, parent, &is_open);
        assert_int_equal(lost_child[at] >> parent % WARI_STRIP & 1, is_lost);
        assert_int_equal(open_child[at] >> parent % WARI_STRIP & 1, is_open);
    }
    for (size_t i = 0; i < words; i++)
        assert_true(i % pitch == 0 || (lost_child[i] == untouched && open_child[i] == untouched));
    free(lost_child);
    free(open_child);
}

static void column(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    static const uint32_t sizes[] = {1, 7, 63, 64, 65, 127, 128, 700, PARENTS_MOST};
    struct move *move = malloc(WARI_HALF_PITS * sizeof *move);

    assert_non_null(move);
    for (int round = 0; round < test_scale(90, 27); round++) {
        const uint32_t parents = sizes[round % 9];
        const int count = (int)random_below(random, WARI_HALF_PITS + 1);
        for (int i = 0; i < count; i++)
            make_move(&move[i], parents, random);
        compare_column(kernel, move, count, parents, 1 + random_below(random, 4));
        for (int i = 0; i < count; i++) {
            free(move[i].won);
            free(move[i].lost);
        }
    }
    free(move);
}

static void children_are_those_that_a_loop_over_single_bits_finds(void **state)
{
    (void)state;
    for_each_kernel(column);
}

/* ---- Deciding -------------------------------------------------------------------------------- */

/* Returns memory that is followed by a page with the protection `behind`: no access, or
 * read-only. A vector instruction that accesses bytes past the end, even to write back their old
 * value, ends the program. */
static uint8_t *guarded(size_t bytes, int behind)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    uint8_t *memory =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + room, page, behind), 0);
    return memory + room - bytes;
}

static void free_guarded(uint8_t *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;

    assert_int_equal(munmap(memory + bytes - room, room + page), 0);
}

/* Part of an item, with other bits before and after it in both planes. These other bits must not
 * change. */
struct trial {
    uint32_t rows, columns;
    size_t pitch, before, bytes; /* in bytes: `pitch` is the distance between rows, `before`
                                  * the size of a plane before the part, and `bytes` the size of
                                  * the whole plane */
    /* Number of bytes of a plane that may be written: all bytes, or the bytes up to the last row of
     * the part. */
    size_t writable;
    uint64_t *lost_child, *open_child;
    uint8_t *won, *lost, *won_before, *lost_before;
    /* Numbers of cells by their new state: undecided cells that stay undecided, become won, or
     * become lost; and cells that were decided before. */
    uint64_t cells[4];
};

static void make_trial(struct trial *trial, uint32_t rows, uint32_t columns,
                       struct random_positions *random)
{
    const uint32_t words = (columns + 63) / 64 * 64, density = random_below(random, 4);
    const size_t row_bytes = (columns + 7) / 8;
    const int behind = random_below(random, 2) ? PROT_READ : PROT_NONE;

    *trial = (struct trial){.rows = rows, .columns = columns};
    trial->pitch = row_bytes + random_below(random, 3) * random_below(random, 70);
    trial->before = random_below(random, 9);
    trial->bytes = trial->before + (rows - 1) * trial->pitch + row_bytes + 8;
    trial->writable = trial->bytes - (behind == PROT_READ ? 8 : 0);
    trial->lost_child = malloc(words * sizeof(uint64_t));
    trial->open_child = malloc(words * sizeof(uint64_t));
    assert_non_null(trial->lost_child);
    assert_non_null(trial->open_child);
    for (uint32_t i = 0; i < words; i++) {
        trial->lost_child[i] = density == 3 ? 0 : random_density(random, density);
        trial->open_child[i] =
            density == 3 ? UINT64_MAX : random_density(random, random_below(random, 3));
    }
    trial->won = guarded(trial->writable, behind);
    trial->lost = guarded(trial->writable, behind);
    for (size_t i = 0; i < trial->writable; i++) {
        trial->won[i] = (uint8_t)random_below(random, 256);
        trial->lost[i] = (uint8_t)random_below(random, 256);
    }
    trial->won_before = malloc(trial->bytes);
    trial->lost_before = malloc(trial->bytes);
    assert_non_null(trial->won_before);
    assert_non_null(trial->lost_before);
    memcpy(trial->won_before, trial->won, trial->bytes);
    memcpy(trial->lost_before, trial->lost, trial->bytes);
}

static void free_trial(struct trial *trial)
{
    free(trial->lost_child);
    free(trial->open_child);
    free_guarded(trial->won, trial->writable);
    free_guarded(trial->lost, trial->writable);
    free(trial->won_before);
    free(trial->lost_before);
}

/* Returns the new state of a cell, as bits.h defines it: 0 unchanged, 1 won, 2 lost; 3 if the
 * cell was decided before. */
static int expected_state(struct trial *trial, uint32_t row, uint32_t column)
{
    const uint64_t at = 8 * (trial->before + row * trial->pitch) + column;
    const bool won = bit_of(trial->won_before, at), lost = bit_of(trial->lost_before, at);
    int becomes = 0;

    if (won != lost)
        becomes = 3;
    else if (trial->lost_child[column] >> row & 1)
        becomes = 1;
    else if (!won && !(trial->open_child[column] >> row & 1))
        becomes = 2;
    trial->cells[becomes]++;
    return becomes;
}

static struct wari_bit_item_strip item_strip_of(const struct trial *trial)
{
    return (struct wari_bit_item_strip){
        .lost_child = trial->lost_child,
        .open_child = trial->open_child,
        .won = trial->won + trial->before,
        .lost = trial->lost + trial->before,
        .pitch = trial->pitch,
        .rows = trial->rows,
        .columns = trial->columns,
    };
}

/* Lets the kernel store the decided cells, those that have become won or lost, in struct
 * wari_bits_decided. Checks them, and checks that the planes do not change. */
static void compare_decided(const struct wari_kernel_ops *kernel, struct trial *trial)
{
    struct wari_bits_decided *decided = aligned_alloc(64, (sizeof *decided + 63) / 64 * 64);
    const struct wari_bit_item_strip strip = item_strip_of(trial);

    assert_non_null(decided);
    memset(decided, 0x5a, sizeof *decided);
    assert_int_equal(kernel->bits_decide(&strip, decided), 0);
    for (uint32_t row = 0; row < trial->rows; row++) {
        const bool listed = decided->rows >> row & 1;
        bool any = false;
        for (uint32_t column = 0; column < (trial->columns + 63) / 64 * 64; column++) {
            const int becomes = column < trial->columns ? expected_state(trial, row, column) : 0;
            any |= becomes == 1 || becomes == 2;
            if (!listed)
                continue;
            assert_int_equal(decided->won[row][column / 64] >> column % 64 & 1, becomes == 1);
            assert_int_equal(decided->lost[row][column / 64] >> column % 64 & 1, becomes == 2);
        }
        assert_int_equal(listed, any);
    }
    assert_true(trial->rows == 64 || decided->rows >> trial->rows == 0);
    assert_memory_equal(trial->won, trial->won_before, trial->bytes);
    assert_memory_equal(trial->lost, trial->lost_before, trial->bytes);
    free(decided);
}

/* Stores the decided cells in the planes, and checks that only the bits of these cells change. */
static void compare_changed(const struct wari_kernel_ops *kernel, struct trial *trial)
{
    const struct wari_bit_item_strip strip = item_strip_of(trial);
    const uint64_t changed = kernel->bits_decide(&strip, NULL);
    uint8_t *won = trial->won_before, *lost = trial->lost_before;
    uint64_t expected = 0;

    for (uint32_t row = 0; row < trial->rows; row++) {
        for (uint32_t column = 0; column < trial->columns; column++) {
            const size_t at = trial->before + row * trial->pitch + column / 8;
            const uint8_t bit = (uint8_t)(1 << column % 8);
            const int becomes = expected_state(trial, row, column);
            if (becomes != 1 && becomes != 2)
                continue;
            won[at] = (uint8_t)(becomes == 1 ? won[at] | bit : won[at] & ~bit);
            lost[at] = (uint8_t)(becomes == 2 ? lost[at] | bit : lost[at] & ~bit);
            expected++;
        }
    }
    assert_int_equal(changed, expected);
    assert_memory_equal(trial->won, won, trial->bytes);
    assert_memory_equal(trial->lost, lost, trial->bytes);
}

static void decide(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    static const uint32_t widths[] = {1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 500, 511, 512};
    uint64_t cells[4] = {0};

    for (uint32_t rows = 1; rows <= WARI_STRIP; rows += (uint32_t)test_scale(1, 7)) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct trial trial;
            make_trial(&trial, rows, widths[i], random);
            compare_decided(kernel, &trial);
            compare_changed(kernel, &trial);
            for (int j = 0; j < 4; j++)
                cells[j] += trial.cells[j];
            free_trial(&trial);
        }
    }
    for (int i = 0; i < 4; i++) /* each of the four new states occurred */
        assert_true(cells[i] > 10000);
}

static void cells_are_decided_one_by_one(void **state)
{
    (void)state;
    for_each_kernel(decide);
}

/* ---- Folding snapshots into codes ------------------------------------------------------------ */

/* Fills the tables with random codes, about half of which leave a code unchanged. */
static void make_tables(struct wari_fold_tables *tables, int snapshots,
                        struct random_positions *random)
{
    tables->snapshots = snapshots;
    for (int i = 0; i < 2 * WARI_BITS_WON_CODES; i++)
        for (int code = 0; code < 256; code++)
            tables->code[i][code] =
                (int8_t)(i % WARI_BITS_WON_CODES == 0 || random_below(random, 2) == 0
                             ? code
                             : (int)random_below(random, 256));
}

/* Compares the kernel with a plain loop: folds snapshots into the codes of `count` cells, which end
 * where their allocated memory ends. In each snapshot, one in `decided` cells is newly decided on
 * average. */
static void fold_cells(const struct wari_kernel_ops *kernel, uint32_t count, int snapshots,
                       uint32_t decided, struct random_positions *random)
{
    const size_t bytes = (count + 7) / 8;
    struct wari_fold_tables tables;
    struct wari_fold_range range = {.cells = (int8_t *)guarded(count, PROT_NONE), .count = count};
    uint8_t *won = guarded(bytes, PROT_NONE), *snapshot[WARI_BITS_SNAPSHOTS];
    int8_t *expected = malloc(count);
    bool changed = false;

    assert_non_null(expected);
    make_tables(&tables, snapshots, random);
    for (size_t i = 0; i < bytes; i++)
        won[i] = (uint8_t)random_below(random, 256);
    for (int i = 0; i < snapshots; i++) {
        snapshot[i] = guarded(bytes, PROT_NONE);
        if (i > 0)
            memcpy(snapshot[i], snapshot[i - 1], bytes);
        for (uint32_t bit = 0; bit < 8 * bytes; bit++)
            if (random_below(random, decided) == 0)
                snapshot[i][bit / 8] |= (uint8_t)(1 << bit % 8);
        range.snapshot[i] = snapshot[i];
    }
    range.won = won;
    for (uint32_t cell = 0; cell < count; cell++) {
        int times = 0;
        range.cells[cell] = (int8_t)random_below(random, 256);
        for (int i = 0; i < snapshots; i++)
            times += bit_of(snapshot[i], cell);
        const int table = times + (bit_of(won, cell) ? WARI_BITS_WON_CODES : 0);
        expected[cell] = tables.code[table][(uint8_t)range.cells[cell]];
        changed |= expected[cell] != range.cells[cell];
    }
    assert_int_equal(kernel->bits_fold(&tables, &range), changed);
    assert_memory_equal(range.cells, expected, count);
    free(expected);
    free_guarded((uint8_t *)range.cells, count);
    free_guarded(won, bytes);
    for (int i = 0; i < snapshots; i++)
        free_guarded(snapshot[i], bytes);
}

static void fold(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    static const uint32_t decided[] = {2, 9, 100, 10000};

    for (uint32_t count = 1; count <= 200; count += (uint32_t)test_scale(1, 5))
        for (int snapshots = 1; snapshots <= WARI_BITS_SNAPSHOTS; snapshots++)
            fold_cells(kernel, count, snapshots, decided[random_below(random, 4)], random);
}

static void snapshots_become_codes_one_by_one(void **state)
{
    (void)state;
    for_each_kernel(fold);
}

/* ---- Words of bit gathers -------------------------------------------------------------------- */

/* Stores the columns of the children of one strip, according to the words of the byte gather
 * (tables.h). Returns their number. */
static uint32_t columns_of_strip(const struct wari_gather *gather, uint32_t strip,
                                 uint32_t column[WARI_STRIP])
{
    uint32_t count = 0;

    for (uint32_t i = gather->first_word[strip]; i < gather->first_word[strip + 1]; i++)
        for (uint32_t bit = 0; bit < 64; bit++)
            if (gather->word[i].mask >> bit & 1) {
                assert_true(count < WARI_STRIP);
                column[count++] = gather->word[i].column + bit;
            }
    return count;
}

/* Checks for each strip that the words for bits (struct wari_bit_word) and the words of the gather
 * (struct wari_word) select the same columns in the same order. Returns the number of words for
 * bits. */
static uint64_t compare_words(const struct wari_bit_gather *words, const struct wari_gather *gather)
{
    uint32_t parents = 0, at = 0;

    for (uint32_t strip = 0; strip < gather->strips; strip++) {
        uint32_t column[WARI_STRIP], place = 0;
        const uint32_t count = columns_of_strip(gather, strip, column);
        if (strip % WARI_BITS_STRIPS == 0)
            assert_int_equal(words->first_word[strip / WARI_BITS_STRIPS], at);
        for (; place < count; at++) {
            const struct wari_bit_word *word = &words->word[at];
            assert_int_equal(word->strip, strip % WARI_BITS_STRIPS);
            assert_int_equal(word->start, place);
            assert_true(word->mask != 0);
            for (uint32_t bit = 0; bit < 64; bit++)
                if (word->mask >> bit & 1) {
                    assert_true(place < count);
                    assert_int_equal(8 * word->byte + bit, column[place]);
                    place++;
                }
        }
        parents += count;
    }
    assert_int_equal(words->first_word[(gather->strips + WARI_BITS_STRIPS - 1) / WARI_BITS_STRIPS],
                     at);
    assert_int_equal(parents, gather->parents);
    return at;
}

/* Compares all gathers of a level, and checks their size in memory. */
static void compare_level(const struct wari_tables *tables, int seeds)
{
    struct wari_level level = {.host = wari_host_system(), .tables = tables};
    struct wari_bits bits = {.level = &level};
    uint64_t bytes = (WARI_SEEDS_MAX + 1) * sizeof bits.gather[0];
    int gathers = 0;

    wari_layout_init(&level.layout, seeds);
    assert_int_equal(wari_bits_make_words(&bits, NULL), WARI_OK);
    for (int block = 0; block <= seeds; block++) {
        for (int sown = 0; sown <= WARI_SOWN_MAX; sown++) {
            const struct wari_gather *gather = &tables->gather[WARI_PARENTS_ROWS][block][sown];
            if (wari_seeds_to_sow(sown) > seeds - block)
                break;
            assert_int_equal(gather->parents, level.layout.rows[block]);
            bytes +=
                compare_words(&bits.gather[block][sown], gather) * sizeof(struct wari_bit_word);
            bytes +=
                ((gather->strips + WARI_BITS_STRIPS - 1) / WARI_BITS_STRIPS + 1) * sizeof(uint32_t);
            gathers++;
        }
    }
    assert_true(gathers > seeds);
    assert_true(bytes <= wari_bits_words_bytes(&level.layout));
    wari_release(level.host, bits.gather);
}

static void words_name_the_columns_of_their_gathers_in_the_stated_memory(void **state)
{
    const int most = test_scale_long(24, 20, 14);
    struct wari_tables *tables;

    (void)state;
    assert_int_equal(wari_tables_create(&tables, wari_host_system(), WARI_AWARI, most, 1, NULL),
                     WARI_OK);
    for (int seeds = 0; seeds <= most; seeds++)
        compare_level(tables, seeds);
    wari_tables_destroy(tables);
}

TEST_GROUP(test_solver_bits_kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_those_that_a_loop_over_single_bits_finds),
        cmocka_unit_test(cells_are_decided_one_by_one),
        cmocka_unit_test(snapshots_become_codes_one_by_one),
        cmocka_unit_test(words_name_the_columns_of_their_gathers_in_the_stated_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
