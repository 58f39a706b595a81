/* Tests of the two files of `make amalgamation`, in a program that contains nothing else.
 *
 *     two_files values BOOK <LINES     lines "position,value", as `wari export` writes them
 *     two_files damage BOOK            changes every byte, truncates the book at every byte
 *     two_files refusals BOOK          wrong arguments, and a source that fails
 *
 * Prints the number of checks, or what is wrong, with exit status 1. Expected values come from the
 * library's export, which other tests compare with the reference solver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wari_probe.h"

enum { BOOK_MAX = 1 << 20 };

static uint8_t bytes[BOOK_MAX], pristine[BOOK_MAX];
static size_t size;
static struct wari_book book, intact, other;
static struct wari_error error;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    printf("not so: %s (last error: %s)\n", what, error.text);
    exit(1);
}

static void read_book(const char *path)
{
    FILE *file = fopen(path, "rb");
    must(file != NULL, "the book can be opened");
    size = fread(bytes, 1, sizeof bytes, file);
    must(size < sizeof bytes && !ferror(file), "the book is small");
    fclose(file);
    memcpy(pristine, bytes, size);
    must(wari_book_open_memory(&book, bytes, size, &error) == WARI_OK, "the book is intact");
    must(wari_book_open_memory(&intact, pristine, size, &error) == WARI_OK, "and a copy of it");
}

/* ---- Values ---- */

static void check_moves(const struct wari_position *position, int value)
{
    struct wari_analysis analysis;
    struct wari_moves moves;
    wari_find_moves(book.variant.rules, position, &moves);
    must(wari_book_analyse(&book, position, &analysis, &error) == WARI_OK, "moves are found");
    must(analysis.value == value && analysis.count == moves.count, "all moves, the right value");
    for (int i = 0; i < analysis.count; i++) {
        const struct wari_move *move = &analysis.moves[i].move;
        int next = 0;
        if (!move->ends)
            must(wari_book_value(&book, &move->next, &next, &error) == WARI_OK, "a child's value");
        must(analysis.moves[i].value == wari_move_value(move, next), "what a move is worth");
        must(i == 0 || analysis.moves[i].value <= analysis.moves[i - 1].value, "best moves first");
    }
    must(analysis.count == 0 ? moves.end_value == value : analysis.moves[0].value == value,
         "the best move is worth the value");
}

static int check_values(void)
{
    char line[128];
    long lines = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct wari_setup setup;
        char *comma = strchr(line, ',');
        int value = 99;
        if (comma == NULL || comma[1] == 'v') /* the heading */
            continue;
        *comma = 0;
        must(wari_setup_parse(line, &setup, &error) == WARI_OK, line);
        must(wari_book_value(&book, &setup.position, &value, &error) == WARI_OK, line);
        must(value == atoi(comma + 1), line);
        check_moves(&setup.position, value);
        lines++;
    }
    must(wari_book_check(&book, NULL, &error) == WARI_OK, "the book as a whole is intact");
    printf("%ld values\n", lines);
    return 0;
}

/* ---- Damage ---- */

static size_t end_of_source; /* number of bytes that exist; no byte after them may be requested */
static int calls_left = -1;  /* calls before one fails; -1 means that none does */

static int read_bytes(void *context, uint64_t offset, void *buffer, size_t count)
{
    (void)context;
    if (calls_left == 0)
        return 1;
    if (calls_left > 0)
        calls_left--;
    must(offset <= end_of_source && count <= end_of_source - offset, "reads stay inside");
    memcpy(buffer, bytes + offset, count);
    return 0;
}

static enum wari_status open_source(struct wari_book *read, size_t count)
{
    struct wari_book_source source;
    source.read = read_bytes;
    source.context = NULL;
    source.size = count;
    source.name = "source";
    end_of_source = count;
    return wari_book_open(read, &source, &error);
}

/* Decodes up to `count` blocks of a level of the damaged book, from block `first` on. Asserts that
 * each block either has the same values as in the intact book or is refused. Returns the number of
 * refused blocks. */
static int check_blocks(int seeds, uint64_t first, int count)
{
    int8_t values[WARI_BOOK_CELLS], expected[WARI_BOOK_CELLS];
    int refused = 0;
    for (uint64_t block = first; block < first + (uint64_t)count; block++) {
        uint64_t held = wari_book_held(&book, seeds);
        if (block * WARI_BOOK_CELLS >= held)
            break;
        held -= block * WARI_BOOK_CELLS;
        must(wari_book_block(&intact, seeds, block, expected, &error) == WARI_OK, "intact");
        if (wari_book_block(&book, seeds, block, values, &error) == WARI_OK)
            must(memcmp(values, expected, held < WARI_BOOK_CELLS ? (size_t)held : sizeof values) ==
                     0,
                 "no wrong value from a damaged book");
        else
            refused += error.status == WARI_CORRUPT;
    }
    return refused;
}

/* Checks `count` consecutive blocks as check_blocks() does. `number` is the first of them, counted
 * from the start of the book; the blocks may belong to several levels. Returns the number of
 * refused blocks. */
static int check_numbered(uint64_t number, int count)
{
    int refused = 0;
    for (int seeds = 0; seeds <= book.seeds; seeds++) {
        const uint64_t begin = book.first_block[seeds], end = book.first_block[seeds + 1];
        for (uint64_t at = number; at < number + (uint64_t)count; at++)
            if (at >= begin && at < end)
                refused += check_blocks(seeds, at - begin, 1);
    }
    return refused;
}

static uint64_t group_offset(uint64_t group, uint64_t groups)
{
    const uint8_t *entry = pristine + book.table + 40 * group;
    uint64_t offset = 0;
    if (group >= groups)
        return book.record;
    for (int i = 7; i >= 0; i--)
        offset = offset << 8 | entry[i];
    return offset;
}

/* Checks what a changed byte at offset `at` can affect. If it is in the header or the model,
 * opening the book must fail. If it is in a table entry, only the 16 blocks of this entry are
 * checked. If it is in a block, this block must be refused. If it is after the blocks, nothing is
 * checked, since readers of values do not need that part of the book. */
static void check_changed(size_t at, uint64_t *group, uint64_t *block)
{
    const uint64_t groups = (book.blocks - book.table) / 40;
    if (at < book.table) {
        must(open_source(&other, size) == WARI_CORRUPT, "a damaged beginning is refused");
    } else if (at < book.blocks) {
        check_numbered((at - book.table) / 40 * 16, 16);
    } else if (at < book.record) {
        while (at >= group_offset(*group + 1, groups)) {
            ++*group;
            *block = 0;
        }
        uint64_t end = group_offset(*group, groups);
        const uint8_t *sizes = pristine + book.table + 40 * *group + 8;
        for (uint64_t i = 0; i <= *block; i++)
            end += (uint64_t)(sizes[2 * i] | sizes[2 * i + 1] << 8);
        *block += at >= end;
        must(check_numbered(*group * 16 + *block, 1) == 1, "a damaged block is refused");
    }
}

static int check_damage(void)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x10};
    uint64_t group = 0, block = 0;
    for (size_t at = 0; at < size; at++) {
        must(open_source(&other, at) == WARI_CORRUPT, "a book that is cut is refused");
        bytes[at] ^= changes[at % sizeof changes];
        check_changed(at, &group, &block);
        bytes[at] = pristine[at];
    }
    for (int i = 0; i < 16; i++) { /* only sixteen times, since checking the whole book takes
                                    * long */
        const size_t at = (size / 16) * (size_t)i + (size_t)i;
        bytes[at] ^= 0x04;
        must(open_source(&other, size) == WARI_CORRUPT ||
                 wari_book_check(&other, NULL, &error) == WARI_CORRUPT,
             "a check finds each changed byte");
        bytes[at] = pristine[at];
    }
    must(open_source(&other, size + 1) == WARI_CORRUPT, "a book that is longer is refused");
    printf("%lu bytes\n", (unsigned long)size);
    return 0;
}

/* ---- Refusals ---- */

static void refuses(int pit, int count, enum wari_status expected, const char *words)
{
    struct wari_position position;
    struct wari_analysis analysis;
    int value = 99;
    memset(&position, 0, sizeof position);
    position.pits[pit] = (uint8_t)count;
    must(wari_book_value(&book, &position, &value, &error) == expected && value == 99, words);
    must(error.status == expected && strstr(error.text, words) != NULL, words);
    must(wari_book_analyse(&book, &position, &analysis, &error) == expected, words);
}

static int check_refusals(void)
{
    struct wari_variant wanted = book.variant;
    struct wari_position position = wari_start_position();
    enum wari_status status;
    int value = 99, calls = 0;

    must(wari_book_expect(&book, wanted, &error) == WARI_OK, "the variant is what it is");
    wanted.cycle = wanted.cycle == WARI_EVEN ? WARI_OWN : WARI_EVEN;
    must(wari_book_expect(&book, wanted, &error) == WARI_MISMATCH, "another cycle rule");
    must(strstr(error.text, "is a book of") != NULL, "the text says of which variant it is");
    wanted = book.variant;
    wanted.rules = wanted.rules == WARI_AWARI ? WARI_WARI : WARI_AWARI;
    must(wari_book_expect(&book, wanted, NULL) == WARI_MISMATCH, "another rule set");

    refuses(0, book.seeds + 1, WARI_NOT_COVERED, "goes up to");
    refuses(7, 47, WARI_NOT_COVERED, "47");
    refuses(11, 49, WARI_BAD_INPUT, "at most 48");
    refuses(3, 255, WARI_BAD_INPUT, "at most 48");

    memset(&position, 0, sizeof position);
    position.pits[5] = (uint8_t)(book.seeds > 0 ? 1 : 0);
    position.pits[6] = (uint8_t)(book.seeds > 1 ? book.seeds - 1 : 0);
    do { /* the source fails at the first call; in the next round at the second call; and so on */
        calls_left = calls++;
        status = open_source(&other, size);
        if (status == WARI_OK)
            status = wari_book_value(&other, &position, &value, &error);
        must(status == WARI_OK || (status == WARI_IO && value == 99), "a failing source is told");
    } while (status != WARI_OK);
    must(calls > 4, "opening and probing read");
    printf("%d calls\n", calls - 1);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    read_book(argv[2]);
    if (strcmp(argv[1], "values") == 0)
        return check_values();
    return strcmp(argv[1], "damage") == 0 ? check_damage() : check_refusals();
}
