/* Computes the scores of an opening book, chooses the positions to add, and writes and reads the
 * text of the book (tools/manual/learn-book.in specifies its format).
 *
 * Positions are chosen by drop-out expansion: T. R. Lincke, Strategies for the Automatic
 * Construction of Opening Books, 2000. */
#include "play/engine/opening_book.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "db/book/header.h"
#include "play/search/search.h"

enum {
    COST_OF_MOVE = 20,        /* added to the cost of a line for each of its moves, in hundredths of
                               * a seed; see wari_opening_book_next() */
    OPENING_LINE_BYTES = 160, /* longer than any line of a book, its final zero included */
    HASH_LINE = 22,           /* bytes of the last line: "hash ", 16 digits and a newline */
};

void wari_opening_book_begin(struct wari_opening_book *book, const struct wari_host *host,
                             const struct wari_opening_settings *settings)
{
    *book = (struct wari_opening_book){.host = host, .settings = *settings};
}

void wari_opening_book_free(struct wari_opening_book *book)
{
    if (book->capacity == 0)
        return;
    wari_release(book->host, book->openings);
    wari_release(book->host, book->slots);
    book->openings = NULL;
    book->slots = NULL;
    book->count = book->capacity = 0;
    book->slot_count = 0;
}

/* ---- Finding positions ---- */

/* Returns the slot of a position, or the empty slot where it belongs. */
static uint64_t find_slot(const struct wari_opening_book *book,
                          const struct wari_position *position)
{
    const uint64_t mask = book->slot_count - 1;
    const uint64_t hash = wari_fnv64(WARI_FNV64_BEGIN, position->pits, WARI_PITS);
    uint64_t slot = (hash ^ hash >> 32) & mask;
    while (book->slots[slot] >= 0 &&
           memcmp(&book->openings[book->slots[slot]].position, position, sizeof *position) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static int find_index(const struct wari_opening_book *book, const struct wari_position *position)
{
    return book->slot_count > 0 ? book->slots[find_slot(book, position)] : -1;
}

const struct wari_opening *wari_opening_book_find(const struct wari_opening_book *book,
                                                  const struct wari_position *position)
{
    const int index = find_index(book, position);
    return index < 0 ? NULL : &book->openings[index];
}

/* Makes room for one more position. At least half of the hash table stays empty. */
static enum wari_status reserve(struct wari_opening_book *book, struct wari_error *error)
{
    void *openings, *slots;
    if (book->count < book->capacity)
        return WARI_OK;
    if (book->count >= WARI_OPENINGS_MAX)
        return wari_fail(error, WARI_NO_MEMORY, "an opening book has at most %d positions",
                         WARI_OPENINGS_MAX);
    const int capacity = book->capacity > 0 ? 2 * book->capacity : 64;
    const uint64_t slot_count = 2 * (uint64_t)capacity;
    enum wari_status status = wari_allocate(book->host, (size_t)capacity * sizeof *book->openings,
                                            "the positions of an opening book", &openings, error);
    if (status != WARI_OK)
        return status;
    status = wari_allocate(book->host, (size_t)slot_count * sizeof *book->slots,
                           "the hash table of an opening book", &slots, error);
    if (status != WARI_OK) {
        wari_release(book->host, openings);
        return status;
    }
    if (book->count > 0)
        memcpy(openings, book->openings, (size_t)book->count * sizeof *book->openings);
    wari_release(book->host, book->openings);
    wari_release(book->host, book->slots);
    book->openings = openings;
    book->slots = slots;
    book->capacity = capacity;
    book->slot_count = slot_count;
    for (uint64_t i = 0; i < slot_count; i++)
        book->slots[i] = -1;
    for (int i = 0; i < book->count; i++)
        book->slots[find_slot(book, &book->openings[i].position)] = i;
    return WARI_OK;
}

/* Appends a position without computing scores. */
static enum wari_status append(struct wari_opening_book *book, const struct wari_position *position,
                               int depth, const int scores[WARI_HALF_PITS],
                               struct wari_error *error)
{
    struct wari_moves moves;
    enum wari_status status = reserve(book, error);
    if (status != WARI_OK)
        return status;
    struct wari_opening *opening = &book->openings[book->count];
    wari_find_moves(book->settings.variant.rules, position, &moves);
    *opening = (struct wari_opening){.position = *position, .depth = depth, .count = moves.count};
    for (int i = 0; i < moves.count; i++)
        opening->moves[i] = (struct wari_opening_move){
            .move = moves.list[i], .searched = scores[moves.list[i].pit], .next = -1};
    book->slots[find_slot(book, position)] = book->count++;
    return WARI_OK;
}

/* ---- Scores ---- */

/* Links each move to the position after it. */
static void link_moves(struct wari_opening_book *book)
{
    for (int i = 0; i < book->count; i++)
        for (int k = 0; k < book->openings[i].count; k++) {
            struct wari_opening_move *move = &book->openings[i].moves[k];
            if (move->next < 0 && !move->move.ends)
                move->next = find_index(book, &move->move.next);
        }
}

/* Computes the score of a move from the position after it. */
static int score_of_move(const struct wari_opening_book *book, const struct wari_opening_move *move)
{
    if (move->next < 0)
        return move->searched;
    const struct wari_opening *next = &book->openings[move->next];
    const int score = next->moves[next->best].score;
    return WARI_SEED_SCORE * move->move.captured + (move->move.again ? score : -score);
}

/* Finds the best move of a position. Returns true if its score differs from `before`. */
static bool choose_best(struct wari_opening *opening, int before)
{
    opening->best = 0;
    for (int k = 1; k < opening->count; k++)
        if (opening->moves[k].score > opening->moves[opening->best].score)
            opening->best = k;
    return opening->moves[opening->best].score != before;
}

/* Computes all scores from the scores of the searches, in passes over the whole book, until no
 * score changes. A pass goes from the last position to the first: most moves lead to positions that
 * were added later, so few passes are needed. Where moves form a cycle, the scores could change in
 * every pass; the limit ends this. */
static void compute_scores(struct wari_opening_book *book)
{
    enum { PASSES_MAX = 100 };
    bool changed = true;
    link_moves(book);
    for (int i = 0; i < book->count; i++) {
        struct wari_opening *opening = &book->openings[i];
        for (int k = 0; k < opening->count; k++)
            opening->moves[k].score = opening->moves[k].searched;
        (void)choose_best(opening, 0);
    }
    for (int pass = 0; pass < PASSES_MAX && changed; pass++) {
        changed = false;
        for (int i = book->count - 1; i >= 0; i--) {
            struct wari_opening *opening = &book->openings[i];
            const int before = opening->moves[opening->best].score;
            for (int k = 0; k < opening->count; k++)
                opening->moves[k].score = score_of_move(book, &opening->moves[k]);
            changed |= choose_best(opening, before);
        }
    }
}

enum wari_status wari_opening_book_add(struct wari_opening_book *book,
                                       const struct wari_position *position, int depth,
                                       const int scores[WARI_HALF_PITS], struct wari_error *error)
{
    enum wari_status status = append(book, position, depth, scores, error);
    if (status == WARI_OK)
        compute_scores(book);
    return status;
}

/* ---- The next position ---- */

static int64_t cost_of_move(const struct wari_opening *opening,
                            const struct wari_opening_move *move)
{
    return opening->cost + COST_OF_MOVE + opening->moves[opening->best].score - move->score;
}

/* Computes, for each position of the book, the cost of the cheapest line of moves that leads to it.
 * wari_opening_book_next() defines the cost of a line. */
static void find_costs(struct wari_opening_book *book)
{
    bool changed = true;
    for (int i = 0; i < book->count; i++)
        book->openings[i].cost = i == 0 ? 0 : INT64_MAX;
    /* The loop ends, because each move costs more than 0: a line that repeats is never the
     * cheapest. */
    while (changed) {
        changed = false;
        for (int i = 0; i < book->count; i++) {
            const struct wari_opening *opening = &book->openings[i];
            for (int k = 0; k < opening->count && opening->cost < INT64_MAX; k++) {
                const struct wari_opening_move *move = &opening->moves[k];
                const int64_t cost = cost_of_move(opening, move);
                if (move->next < 0 || cost >= book->openings[move->next].cost)
                    continue;
                book->openings[move->next].cost = cost;
                changed = true;
            }
        }
    }
}

static bool can_be_added(const struct wari_opening_book *book, const struct wari_opening_move *move)
{
    struct wari_moves moves;
    if (move->next >= 0 || move->move.ends || wari_seeds(&move->move.next) <= book->settings.tables)
        return false;
    wari_find_moves(book->settings.variant.rules, &move->move.next, &moves);
    return moves.count > 0;
}

bool wari_opening_book_next(struct wari_opening_book *book, struct wari_position *position)
{
    int64_t least = INT64_MAX;
    if (book->count == 0) {
        *position = wari_start_position();
        return WARI_SEEDS_MAX > book->settings.tables;
    }
    find_costs(book);
    for (int i = 0; i < book->count; i++) {
        const struct wari_opening *opening = &book->openings[i];
        for (int k = 0; k < opening->count && opening->cost < INT64_MAX; k++) {
            const struct wari_opening_move *move = &opening->moves[k];
            const int64_t cost = cost_of_move(opening, move);
            if (cost >= least || !can_be_added(book, move))
                continue;
            least = cost;
            *position = move->move.next;
        }
    }
    return least < INT64_MAX;
}

/* ---- Writing ---- */

static enum wari_status write_opening(const struct wari_opening *opening, struct wari_text *text,
                                      struct wari_error *error)
{
    char position[WARI_POSITION_TEXT];
    wari_position_text(&opening->position, position);
    enum wari_status status = wari_text_add(text, error, "%s: %d", position, opening->depth);
    for (int k = 0; k < opening->count && status == WARI_OK; k++)
        status = wari_text_add(text, error, " %c%+d",
                               wari_move_letter(opening->moves[k].move.pit, false),
                               opening->moves[k].searched);
    return status == WARI_OK ? wari_text_add_bytes(text, "\n", 1, error) : status;
}

enum wari_status wari_opening_book_write(const struct wari_opening_book *book,
                                         struct wari_text *text, struct wari_error *error)
{
    const size_t begin = text->length;
    const struct wari_opening_settings *settings = &book->settings;
    char tables[16] = "none";
    if (settings->tables >= 0)
        snprintf(tables, sizeof tables, "%d", settings->tables);
    enum wari_status status = wari_text_add(
        text, error,
        "Wari opening book %d\nrules %s %s\nnodes %" PRId64 "\ntables %s\npositions %d\n",
        WARI_OPENING_FORMAT, wari_get_rules_info(settings->variant.rules)->name,
        wari_cycle_name(settings->variant.cycle), settings->nodes, tables, book->count);
    for (int i = 0; i < book->count && status == WARI_OK; i++)
        status = write_opening(&book->openings[i], text, error);
    if (status != WARI_OK)
        return status;
    return wari_text_add(
        text, error, "hash %016" PRIx64 "\n",
        wari_fnv64(WARI_FNV64_BEGIN, (const uint8_t *)text->bytes + begin, text->length - begin));
}

/* ---- Reading ---- */

struct reader {
    const char *name; /* name of the file, for messages */
    const char *at, *end;
    int line;                      /* number of the current line */
    char text[OPENING_LINE_BYTES]; /* the current line without its end */
};

static enum wari_status fail_line(const struct reader *reader, const char *what,
                                  struct wari_error *error)
{
    return wari_fail(error, WARI_CORRUPT, "%s: line %d: %s", reader->name, reader->line, what);
}

/* Copies the next line to reader->text, without its end. */
static enum wari_status next_line(struct reader *reader, struct wari_error *error)
{
    reader->line++;
    const size_t left = (size_t)(reader->end - reader->at);
    const char *newline = left > 0 ? memchr(reader->at, '\n', left) : NULL;
    if (!newline)
        return fail_line(reader, "the opening book ends early", error);
    const size_t length = (size_t)(newline - reader->at);
    if (length >= sizeof reader->text || memchr(reader->at, '\0', length))
        return fail_line(reader, "this is not a line of an opening book", error);
    memcpy(reader->text, reader->at, length);
    reader->text[length] = '\0';
    reader->at = newline + 1;
    return WARI_OK;
}

/* Parses digits as a number from `least` to `most`. Returns the text after the digits; NULL if
 * there is no such number. */
static const char *read_number(const char *text, int64_t least, int64_t most, int64_t *number)
{
    int64_t value = 0;
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (*text - '0');
        if (value > most)
            return NULL;
    }
    *number = value;
    return value >= least ? text : NULL;
}

/* Parses the current line: a word and a number. */
static enum wari_status parse_field(const struct reader *reader, const char *word, int64_t least,
                                    int64_t most, int64_t *number, struct wari_error *error)
{
    const size_t length = strlen(word);
    const char *rest = strncmp(reader->text, word, length) == 0
                           ? read_number(reader->text + length, least, most, number)
                           : NULL;
    return rest && !*rest ? WARI_OK
                          : fail_line(reader, "the number is missing or not valid", error);
}

static enum wari_status read_field(struct reader *reader, const char *word, int64_t least,
                                   int64_t most, int64_t *number, struct wari_error *error)
{
    enum wari_status status = next_line(reader, error);
    return status == WARI_OK ? parse_field(reader, word, least, most, number, error) : status;
}

/* Checks the first line, which identifies the file as an opening book and has its format. */
static enum wari_status check_format(struct reader *reader, struct wari_error *error)
{
    static const char magic[] = "Wari opening book ";
    int64_t format;
    const size_t length = strlen(magic);
    if (next_line(reader, NULL) != WARI_OK || strncmp(reader->text, magic, length) != 0 ||
        !read_number(reader->text + length, 0, INT32_MAX, &format))
        return wari_fail(error, WARI_CORRUPT,
                         "%s: this file is not an opening book made by 'wari learn-book'",
                         reader->name);
    if (format != WARI_OPENING_FORMAT)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: this opening book has format %d, and this program reads format %d; "
                         "make the book again with 'wari learn-book'",
                         reader->name, (int)format, WARI_OPENING_FORMAT);
    return WARI_OK;
}

/* Checks the hash and removes its line from the text. */
static enum wari_status check_hash(struct reader *reader, const char *begin,
                                   struct wari_error *error)
{
    char expected[HASH_LINE + 1];
    const size_t length = (size_t)(reader->end - begin);
    if (length >= HASH_LINE) {
        reader->end -= HASH_LINE;
        snprintf(expected, sizeof expected, "hash %016" PRIx64 "\n",
                 wari_fnv64(WARI_FNV64_BEGIN, (const uint8_t *)begin, length - HASH_LINE));
        if (memcmp(reader->end, expected, HASH_LINE) == 0)
            return WARI_OK;
    }
    return wari_fail(error, WARI_CORRUPT,
                     "%s: the opening book is damaged: its hash does not fit its text; copy the "
                     "file again or make it again with 'wari learn-book'",
                     reader->name);
}

static enum wari_status read_variant(struct reader *reader, struct wari_variant *variant,
                                     struct wari_error *error)
{
    static const char word[] = "rules ";
    const size_t length = strlen(word);
    struct wari_error reason;
    bool fixes_cycle;
    enum wari_status status = next_line(reader, error);
    if (status != WARI_OK)
        return status;
    if (strncmp(reader->text, word, length) != 0)
        return fail_line(reader, "the rules are missing", error);
    status = wari_variant_parse(reader->text + length, NULL, variant, &fixes_cycle, &reason);
    if (status == WARI_OK && !fixes_cycle)
        return fail_line(reader, "the cycle rule is missing", error);
    return status == WARI_OK ? WARI_OK
                             : wari_fail(error, WARI_MISMATCH, "%s: line %d: %s", reader->name,
                                         reader->line, reason.text);
}

/* Parses the moves of a position, such as " A-12 C+30". Returns false unless they are all the legal
 * moves in order, and their scores are in the range that the seeds allow. */
static bool read_scores(const char *text, enum wari_rules rules,
                        const struct wari_position *position, int scores[WARI_HALF_PITS])
{
    const int most = WARI_SEED_SCORE * wari_seeds(position);
    struct wari_moves moves;
    wari_find_moves(rules, position, &moves);
    for (int i = 0; i < moves.count; i++) {
        const uint8_t pit = moves.list[i].pit;
        int64_t score;
        if (text[0] != ' ' || text[1] != wari_move_letter(pit, false) ||
            (text[2] != '+' && text[2] != '-'))
            return false;
        const bool minus = text[2] == '-';
        text = read_number(text + 3, 0, most, &score);
        if (!text)
            return false;
        scores[pit] = (int)(minus ? -score : score);
    }
    return moves.count > 0 && !*text;
}

/* Reads the line of a position and appends the position. */
static enum wari_status read_opening(struct reader *reader, struct wari_opening_book *book,
                                     struct wari_error *error)
{
    struct wari_setup setup = {.diagram = false};
    char written[WARI_POSITION_TEXT] = "";
    int scores[WARI_HALF_PITS] = {0};
    int64_t depth;
    enum wari_status status = next_line(reader, error);
    if (status != WARI_OK)
        return status;
    char *colon = strchr(reader->text, ':');
    if (colon)
        *colon = '\0';
    if (colon && wari_setup_parse(reader->text, &setup, NULL) == WARI_OK)
        wari_position_text(&setup.position, written);
    if (!colon || colon[1] != ' ' || strcmp(written, reader->text) != 0)
        return fail_line(reader, "there is no valid position", error);
    const char *rest = read_number(colon + 2, 1, WARI_OPENING_DEPTH_MAX, &depth);
    if (!rest || !read_scores(rest, book->settings.variant.rules, &setup.position, scores))
        return fail_line(reader, "the scores are not those of the legal moves", error);
    if (find_index(book, &setup.position) >= 0)
        return fail_line(reader, "the position occurs a second time", error);
    return append(book, &setup.position, (int)depth, scores, error);
}

/* Reads "tables none", which gives -1, or "tables" and a number of seeds. */
static enum wari_status read_tables(struct reader *reader, int *tables, struct wari_error *error)
{
    int64_t number = -1;
    enum wari_status status = next_line(reader, error);
    if (status == WARI_OK && strcmp(reader->text, "tables none") != 0)
        status = parse_field(reader, "tables ", 0, WARI_SEEDS_MAX, &number, error);
    *tables = (int)number;
    return status;
}

static enum wari_status read_book(struct reader *reader, struct wari_opening_book *book,
                                  struct wari_error *error)
{
    const char *begin = reader->at;
    struct wari_opening_settings *settings = &book->settings;
    int64_t positions = 0;
    enum wari_status status = check_format(reader, error);
    if (status == WARI_OK)
        status = check_hash(reader, begin, error);
    if (status == WARI_OK)
        status = read_variant(reader, &settings->variant, error);
    if (status == WARI_OK)
        status = read_field(reader, "nodes ", 1, INT64_MAX / 100, &settings->nodes, error);
    if (status == WARI_OK)
        status = read_tables(reader, &settings->tables, error);
    if (status == WARI_OK)
        status = read_field(reader, "positions ", 0, WARI_OPENINGS_MAX, &positions, error);
    for (int64_t i = 0; i < positions && status == WARI_OK; i++)
        status = read_opening(reader, book, error);
    if (status == WARI_OK && reader->at != reader->end) {
        reader->line++;
        status = fail_line(reader, "there are more lines than positions", error);
    }
    return status;
}

enum wari_status wari_opening_book_read(struct wari_opening_book *book, const char *text,
                                        size_t length, const char *name, struct wari_error *error)
{
    struct reader reader = {.name = name, .at = text, .end = text + length};
    enum wari_status status = read_book(&reader, book, error);
    if (status == WARI_OK)
        compute_scores(book);
    else
        wari_opening_book_free(book);
    return status;
}
