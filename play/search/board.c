/* Moves of whole rows: the seeds that a sowing adds to both rows are computed from the pit and
 * its number of seeds by arithmetic on words. Grand slams are rare and follow the rule set, so
 * they are taken from wari_find_moves(). */
#include "play/search/board.h"

enum { BYTE = 8, LAP = WARI_PITS - 1 };

static const uint64_t each_pit = 0x010101010101;

struct wari_search_board wari_search_board_of(const struct wari_position *position)
{
    struct wari_search_board board = {{0, 0}};
    for (int pit = WARI_PITS - 1; pit >= 0; pit--) {
        uint64_t *row = &board.rows[pit / WARI_HALF_PITS];
        *row = *row << BYTE | position->pits[pit];
    }
    return board;
}

struct wari_position wari_search_board_position(const struct wari_search_board *board)
{
    struct wari_position position;
    for (int pit = 0; pit < WARI_PITS; pit++)
        position.pits[pit] =
            (uint8_t)wari_row_pit(board->rows[pit / WARI_HALF_PITS], pit % WARI_HALF_PITS);
    return position;
}

/* Returns a row with one seed in each of the pits from..to-1; from <= to <= 6. */
static uint64_t ones(int from, int to)
{
    return (each_pit >> (BYTE * (WARI_HALF_PITS - (to - from)))) << (BYTE * from);
}

/* Sows the seeds of `pit` and returns the pit of the last seed, 0..11. */
static int sow(uint64_t rows[2], int pit, int seeds)
{
    uint64_t origin = (uint64_t)0xFF << (BYTE * pit);
    rows[0] &= ~origin;
    for (; seeds > LAP; seeds -= LAP) {
        rows[0] += each_pit & ~origin;
        rows[1] += each_pit;
    }
    int last = pit + seeds;
    int end = last + 1;
    rows[0] += ones(pit + 1, end < WARI_HALF_PITS ? end : WARI_HALF_PITS);
    if (end > WARI_HALF_PITS)
        rows[1] += ones(0, end < WARI_PITS ? end - WARI_HALF_PITS : WARI_HALF_PITS);
    if (end > WARI_PITS) {
        rows[0] += ones(0, end - WARI_PITS);
        last -= WARI_PITS;
    }
    return last;
}

/* Removes the seeds that a sowing ending at `last` captures from the opponent's row. Returns
 * their number. */
static int capture(uint64_t *row, int last)
{
    int captured = 0;
    for (int pit = last - WARI_HALF_PITS; pit >= 0; pit--) {
        int seeds = wari_row_pit(*row, pit);
        if (seeds != 2 && seeds != 3)
            break;
        captured += seeds;
        *row &= ~((uint64_t)0xFF << (BYTE * pit));
    }
    return captured;
}

/* Computes a grand slam with wari_find_moves(). Returns false if the slam is illegal. */
static bool slam(enum wari_rules rules, const struct wari_search_board *board, int pit,
                 struct wari_step *step)
{
    struct wari_position position = wari_search_board_position(board);
    struct wari_moves moves;
    wari_find_moves(rules, &position, &moves);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (move->pit != pit)
            continue;
        *step = (struct wari_step){.next = wari_search_board_of(&move->next),
                                   .pit = move->pit,
                                   .captured = move->captured,
                                   .ends = move->ends,
                                   .again = move->again,
                                   .end_value = move->end_value};
        return true;
    }
    return false;
}

/* Returns the value of a position without a move. Searches hardly ever reach one, so
 * wari_find_moves() computes it. */
static int value_of_end(enum wari_rules rules, const struct wari_search_board *board)
{
    struct wari_position position = wari_search_board_position(board);
    struct wari_moves moves;
    wari_find_moves(rules, &position, &moves);
    return moves.end_value;
}

/* Computes the move of a pit that is not empty. Returns false if the move is an illegal slam. The
 * caller must check that the move feeds an opponent who has no seeds. */
static inline bool make_step(enum wari_rules rules, const struct wari_search_board *board, int pit,
                             struct wari_step *step)
{
    uint64_t rows[2] = {board->rows[0], board->rows[1]};
    const int last = sow(rows, pit, wari_row_pit(rows[0], pit));
    const int captured = last >= WARI_HALF_PITS ? capture(&rows[1], last) : 0;
    if (captured > 0 && rows[1] == 0)
        return slam(rules, board, pit, step);
    *step = (struct wari_step){
        .next = {{rows[1], rows[0]}}, .pit = (uint8_t)pit, .captured = (uint8_t)captured};
    return true;
}

void wari_search_board_steps(enum wari_rules rules, const struct wari_search_board *board,
                             struct wari_steps *steps)
{
    const bool must_feed = board->rows[1] == 0;
    steps->count = 0;
    steps->end_value = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int seeds = wari_row_pit(board->rows[0], pit);
        if (seeds > 0 && (!must_feed || pit + seeds >= WARI_HALF_PITS))
            steps->count += make_step(rules, board, pit, &steps->list[steps->count]);
    }
    if (steps->count == 0)
        steps->end_value = value_of_end(rules, board);
}

/* Returns the pit of the row `to` in which the sowing of a pit of the row `from` ends, if the
 * sowing captures there. Otherwise returns -1, also if the sown pit is empty. */
static int target_of(uint64_t from, uint64_t to, int pit)
{
    const int seeds = wari_row_pit(from, pit);
    const int laps = (seeds - 1) / LAP;
    const int last = pit + seeds - laps * LAP - WARI_HALF_PITS;
    if (last < 0 || last >= WARI_HALF_PITS)
        return -1;
    const int there = wari_row_pit(to, last) + 1 + laps;
    return there == 2 || there == 3 ? last : -1;
}

void wari_search_board_captures(enum wari_rules rules, const struct wari_search_board *board,
                                struct wari_steps *steps)
{
    steps->count = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        if (target_of(board->rows[0], board->rows[1], pit) >= 0)
            steps->count += make_step(rules, board, pit, &steps->list[steps->count]);
}

unsigned wari_search_board_endangered(const struct wari_search_board *board)
{
    unsigned endangered = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int target = target_of(board->rows[1], board->rows[0], pit);
        endangered |= target >= 0 ? 1U << target : 0;
    }
    return endangered;
}

/* Writes the board in unary: for each pit as many zeros as the pit has seeds, then a one. That
 * takes at most 60 bits. Byte i of each product is the sum of the seeds of pits 0 to i of a row.
 * Then applies the mixing step of MurmurHash3, which is invertible, so different boards have
 * different keys. */
uint64_t wari_search_board_key(const struct wari_search_board *board, unsigned about)
{
    uint64_t sums[2] = {board->rows[0] * each_pit, board->rows[1] * each_pit};
    uint64_t key = (uint64_t)about << 60;
    int own = wari_row_pit(sums[0], WARI_HALF_PITS - 1) + WARI_HALF_PITS;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        key |= (uint64_t)1 << (wari_row_pit(sums[0], pit) + pit);
        key |= (uint64_t)1 << (wari_row_pit(sums[1], pit) + pit + own);
    }
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCD;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53;
    return key ^ key >> 33;
}
