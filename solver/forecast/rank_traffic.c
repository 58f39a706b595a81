/* Predicts what ranks send each other; see rank_traffic.h. Shares the rules of distributing with
 * what it predicts, but neither the tables nor the walk through them. */
#include "solver/forecast/rank_traffic.h"

#include <string.h>

enum { COLUMNS_LOOKED_AT = 1 << 14 }; /* of a block, at most (or those of one round) */

struct model {
    struct wari_ranks ranks;
    struct wari_work work;
    struct wari_pace pace;
    bool *sends; /* [rank]: to the rank looked at, in this round */
    struct wari_flow rows, tiles;
    uint64_t columns; /* looked at */
};

/* The child rows of an item that `rank` computes, from those who hold them. */
static void add_rows(struct model *model, int rank, const struct wari_item *item)
{
    const int seeds = model->ranks.layout.seeds;
    struct wari_need needs[WARI_SOWN_MAX + 1];
    uint8_t half[WARI_HALF_PITS];

    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
        needs[sown] = wari_seeds_to_sow(sown) > seeds - item->block ? (struct wari_need){0}
                                                                    : wari_work_need(item, sown);
    wari_half_unrank(seeds - item->block, item->first_column, half);
    for (uint32_t column = 0; column < item->columns; column++, wari_half_next(half)) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const wari_sowing sowing = wari_sow_half(half, pit);
            if (sowing == WARI_NO_SOWING)
                continue;
            const int sown = wari_sowing_sown(sowing);
            if (sown == 0 && item->block == 0)
                continue; /* a move must reach an empty row */
            const int owner = wari_ranks_owner(&model->ranks, seeds - item->block - sown,
                                               wari_sowing_row(sowing));
            if (owner == rank)
                continue;
            model->sends[owner] = true;
            model->rows.bytes += needs[sown].columns;
        }
    }
    model->columns += item->columns;
}

/* A tile's rows, strip by strip filled up to cache lines. */
static void add_tiles(struct model *model, int rank, const struct wari_item *item)
{
    const uint32_t *first = model->ranks.first_row[item->block];
    const uint32_t begin = item->first_strip * WARI_STRIP;
    const uint32_t all = begin + item->strips * WARI_STRIP;
    const uint32_t end = all < item->rows ? all : item->rows;

    for (uint32_t row = begin; row < end;) {
        const int owner = wari_ranks_owner(&model->ranks, item->block, row);
        const uint32_t strip_end = (row / WARI_STRIP + 1) * WARI_STRIP;
        uint32_t until = first[owner + 1] < end ? first[owner + 1] : end;
        until = until < strip_end ? until : strip_end;
        if (owner != rank) {
            model->sends[owner] = true;
            model->tiles.bytes += ((until - row) * item->columns + 63) / 64 * 64;
        }
        row = until;
    }
}

/* What one rank gets, or gives, in one round. */
static void add_round(struct model *model, int rank, uint32_t round, bool tiles)
{
    const uint32_t count = wari_work_count(&model->work, rank);
    const uint32_t first = round * model->pace.batch;
    struct wari_flow *flow = tiles ? &model->tiles : &model->rows;

    memset(model->sends, 0, (size_t)model->ranks.count * sizeof *model->sends);
    for (uint32_t i = first; i < count && i < first + model->pace.batch; i++) {
        const struct wari_item item = wari_work_item(&model->work, rank, i);
        if (tiles)
            add_tiles(model, rank, &item);
        else
            add_rows(model, rank, &item);
    }
    for (int other = 0; other < model->ranks.busy; other++)
        flow->messages += model->sends[other];
}

/* Looks at some of a block's rounds and ranks, evenly, and returns the number of its rounds. */
static double add_block(struct model *model, enum wari_parents parents, int block, uint64_t buffer,
                        struct wari_flow *rows, struct wari_flow *tiles)
{
    uint32_t most = 0;
    uint64_t all, looked = 0;

    model->pace = wari_ranks_pace(&model->ranks, parents, block, buffer);
    model->work = wari_work_of(&model->ranks, parents, block, model->pace.run);
    for (int rank = 0; rank < model->ranks.busy; rank++) {
        const uint32_t count = wari_work_count(&model->work, rank);
        most = count > most ? count : most;
    }
    const uint32_t rounds = (most + model->pace.batch - 1) / model->pace.batch;
    all = (uint64_t)rounds * (uint64_t)model->ranks.busy;
    if (all == 0)
        return 0;
    const uint64_t each = (uint64_t)model->pace.batch * WARI_GROUP; /* columns, at most */
    const uint64_t wanted = COLUMNS_LOOKED_AT / each + 1;
    const uint64_t step = all / wanted > 0 ? all / wanted | 1 : 1; /* odd, so that ranks vary */
    model->rows = model->tiles = (struct wari_flow){0};
    for (uint64_t at = step / 2; at < all; at += step, looked++) {
        const int rank = (int)(at % (uint64_t)model->ranks.busy);
        const uint32_t round = (uint32_t)(at / (uint64_t)model->ranks.busy);
        add_round(model, rank, round, false);
        if (tiles)
            add_round(model, rank, round, true);
    }
    const double scale = (double)all / (double)looked;
    rows->messages += model->rows.messages * scale;
    rows->bytes += model->rows.bytes * scale;
    if (tiles) {
        tiles->messages += model->tiles.messages * scale;
        tiles->bytes += model->tiles.bytes * scale;
    }
    return rounds;
}

enum wari_status wari_rank_traffic(struct wari_rank_traffic *traffic, const struct wari_host *host,
                                   int seeds, int ranks, struct wari_error *error)
{
    const uint64_t buffer = wari_ranks_buffer(seeds, ranks);
    struct model model = {0};
    void *memory;
    enum wari_status status = wari_ranks_distribute(&model.ranks, host, seeds, ranks, error);

    *traffic = (struct wari_rank_traffic){0};
    if (status != WARI_OK)
        return status;
    status = wari_allocate(host, (size_t)ranks * sizeof *model.sends, "a model of ranks", &memory,
                           error);
    model.sends = memory;
    for (int block = 0; block <= seeds && status == WARI_OK; block++) {
        traffic->rounds +=
            add_block(&model, WARI_PARENTS_ROWS, block, buffer, &traffic->rows, &traffic->tiles);
        (void)add_block(&model, WARI_PARENTS_FULL, block, buffer, &traffic->count, NULL);
    }
    wari_release(host, memory);
    wari_ranks_free(&model.ranks);
    return status;
}
