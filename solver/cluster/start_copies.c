/* Which levels the ranks have, and copies of those that some lack.
 *
 * A job that was ended while ranks published a level leaves some disks with it and some without;
 * a disk that is new has none. What a level is worth is decided by the hash of its values, so
 * a disk may hold it packed or in an older format.
 */
#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "solver/cluster/start.h"

#include <fcntl.h>
#include <string.h>

/* A rank's levels, as the others hear of them. */
struct shelf {
    int seeds_max;
    uint64_t payload_hash[WARI_SEEDS_MAX + 1];
};

static struct shelf shelf_of(const struct wari_catalogue *catalogue)
{
    struct shelf shelf;

    memset(&shelf, 0, sizeof shelf);
    shelf.seeds_max = catalogue->seeds_max;
    for (int seeds = 0; seeds <= catalogue->seeds_max; seeds++)
        if (wari_catalogue_has(catalogue, seeds))
            shelf.payload_hash[seeds] = catalogue->level[seeds].payload_hash;
    return shelf;
}

/* Compares everybody's levels with those of the first rank that has them. */
static enum wari_status compare(const struct wari_net *net, const struct shelf *all, bool local,
                                struct wari_error *error)
{
    for (int rank = 1; rank < net->ranks; rank++) {
        for (int seeds = 0; seeds <= all[rank].seeds_max; seeds++) {
            int first = 0;
            while (all[first].seeds_max < seeds)
                first++;
            if (all[rank].payload_hash[seeds] != all[first].payload_hash[seeds])
                return wari_fail(
                    error, WARI_MISMATCH,
                    "rank %d on %s has another level %d than rank %d on %s (hash of the values "
                    "%016llx, not %016llx); find out which is right with 'wari verify' and remove "
                    "the other database",
                    rank, wari_net_host(net, rank), seeds, first, wari_net_host(net, first),
                    (unsigned long long)all[rank].payload_hash[seeds],
                    (unsigned long long)all[first].payload_hash[seeds]);
        }
        if (!local && all[rank].seeds_max != all[0].seeds_max)
            return wari_fail(error, WARI_IO,
                             "rank %d on %s sees levels up to %d in the folder, rank 0 on %s up to "
                             "%d; is it the same file system? try again",
                             rank, wari_net_host(net, rank), all[rank].seeds_max,
                             wari_net_host(net, 0), all[0].seeds_max);
    }
    return WARI_OK;
}

/* ---- Copying -------------------------------------------------------------------------------- */

/* One level on its way from `from` to all that lack it. */
struct copy {
    struct wari_net *net;
    const struct wari_host *host;
    const char *folder;
    int from;
    bool takes; /* this rank writes one */
    int fd;
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
};

/* *record: of the file that is there, on the rank that it comes from. */
static enum wari_status see_file(const struct copy *copy, struct wari_level_key key,
                                 struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_level_address address = {copy->host, copy->folder, key};
    struct wari_level_file *file;

    if (copy->net->rank != copy->from)
        return WARI_OK;
    const enum wari_status status = wari_catalogue_open_level(&file, &address, record, error);
    if (status == WARI_OK)
        wari_level_file_close(file);
    return status;
}

static enum wari_status open_ends(struct copy *copy, struct wari_level_key key,
                                  struct wari_error *error)
{
    enum wari_status status = wari_level_path(copy->path, copy->folder, key, error);

    copy->fd = -1;
    if (status == WARI_OK)
        status =
            wari_path(copy->temporary, error, copy->folder, "%s.tmp", strrchr(copy->path, '/') + 1);
    if (status == WARI_OK && copy->net->rank == copy->from)
        status = wari_open_file(copy->host, copy->path, O_RDONLY, &copy->fd, error);
    if (status == WARI_OK && copy->takes)
        status = wari_create_anew(copy->host, copy->temporary, copy->path, &copy->fd, error);
    return status;
}

static enum wari_status move_bytes(const struct copy *copy, uint64_t bytes,
                                   struct wari_error *error)
{
    char piece[1 << 16];
    enum wari_status status = WARI_OK;

    for (uint64_t done = 0; done < bytes && status == WARI_OK; done += sizeof piece) {
        const size_t size = bytes - done < sizeof piece ? (size_t)(bytes - done) : sizeof piece;
        if (copy->net->rank == copy->from)
            status = wari_read_at(copy->host, copy->fd, copy->path, piece, size, done, error);
        wari_net_broadcast(copy->net, copy->from, piece, size);
        if (copy->takes && status == WARI_OK)
            status = wari_write_at(copy->host, copy->fd, copy->temporary, piece, size, done, error);
        status = wari_net_agree(copy->net, status, error);
    }
    return status;
}

static enum wari_status copy_level(struct copy *copy, struct wari_level_key key,
                                   const struct wari_level_record *record, struct wari_error *error)
{
    enum wari_status status = wari_net_agree(copy->net, open_ends(copy, key, error), error);

    if (status == WARI_OK)
        status = move_bytes(copy, record->file_bytes, error);
    if (copy->takes && status == WARI_OK) {
        status =
            wari_publish(copy->host, copy->fd, copy->temporary, copy->folder, copy->path, error);
        copy->fd = -1;
    }
    if (copy->fd >= 0) {
        copy->host->close(copy->host->context, copy->fd);
        if (copy->takes)
            copy->host->unlink(copy->host->context, copy->temporary);
    }
    return wari_net_agree(copy->net, status, error);
}

/* The first rank that has a level, if another one lacks it; else -1. */
static int source_of(const struct wari_net *net, const struct shelf *all, int seeds)
{
    int from = -1, have = 0;

    for (int rank = net->ranks - 1; rank >= 0; rank--) {
        if (all[rank].payload_hash[seeds] == 0)
            continue;
        from = rank;
        have++;
    }
    return have < net->ranks ? from : -1;
}

/* Levels come in order, so a rank that lacks one has all below it by then. */
static enum wari_status copy_missing(struct wari_net *net, const struct wari_host *host,
                                     const struct wari_disks *disks, const struct shelf *all,
                                     struct wari_catalogue *catalogue, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int seeds = 0; seeds <= WARI_SEEDS_MAX && status == WARI_OK; seeds++) {
        const struct wari_level_key key = {catalogue->variant, seeds};
        struct wari_level_record record = catalogue->level[seeds];
        struct copy copy = {.net = net,
                            .host = host,
                            .folder = disks->folder,
                            .from = source_of(net, all, seeds),
                            .takes = disks->keeper && all[net->rank].payload_hash[seeds] == 0};
        if (copy.from < 0)
            continue;
        status = wari_net_agree(net, see_file(&copy, key, &record, error), error);
        if (status != WARI_OK)
            return status;
        wari_net_broadcast(net, copy.from, &record, sizeof record);
        status = copy_level(&copy, key, &record, error);
        if (status == WARI_OK && all[net->rank].payload_hash[seeds] == 0) {
            catalogue->level[seeds] = record;
            catalogue->seeds_max = seeds;
        }
        if (status == WARI_OK && copy.takes)
            status = wari_catalogue_write(catalogue, host, disks->folder, error);
        status = wari_net_agree(net, status, error);
    }
    return status;
}

enum wari_status wari_same_levels(struct wari_net *net, const struct wari_build *build,
                                  const struct wari_disks *disks, struct wari_catalogue *catalogue,
                                  struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    struct shelf mine;
    void *all;
    enum wari_status status =
        wari_catalogue_read(catalogue, host, disks->folder, build->variant, error);

    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    status = wari_net_agree(net,
                            wari_allocate(host, (size_t)net->ranks * sizeof mine,
                                          "the levels of all ranks", &all, error),
                            error);
    if (status == WARI_OK) {
        mine = shelf_of(catalogue);
        wari_net_gather(net, &mine, sizeof mine, all);
        status = compare(net, all, disks->local, error);
    }
    if (status == WARI_OK && disks->local)
        status = copy_missing(net, host, disks, all, catalogue, error);
    wari_release(host, all);
    return status;
}
