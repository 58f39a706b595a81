/* The checks before a build: checks that all ranks run the same program with the same task, finds
 * out which ranks share a folder, and compares the levels of all ranks.
 *
 * To find out which ranks share a folder, ranks create a small file, a token, with a new number in
 * its name, and search their folders for the tokens of other ranks. This works with every file
 * system.
 *
 * A job that was ended while ranks published a level leaves some disks with the level and some
 * without it, and a new disk has no levels. Missing levels are copied from ranks that have them.
 * Two files contain the same level if the hashes of their values are equal, even if only one of
 * them is packed.
 */
#include "solver/cluster/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "db/catalogue/lock.h"
#include "db/format/level_header.h"
#include "db/wari.h"

/* ---- Programs and tasks ---------------------------------------------------------------------- */

/* A text that describes the program or the task of a rank. It has to be the same for all ranks. */
typedef char description[160];

/* Compares the descriptions of all ranks with the description of rank 0. Allocates no memory, so
 * that it cannot fail on some ranks only. */
static enum wari_status compare_descriptions(struct wari_net *net, const description mine,
                                             const char *what, const char *advice,
                                             struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    description first, other;

    memcpy(first, mine, sizeof first);
    wari_net_broadcast(net, 0, first, sizeof first);
    for (int rank = 1; rank < net->ranks; rank++) {
        memcpy(other, mine, sizeof other);
        wari_net_broadcast(net, rank, other, sizeof other);
        other[sizeof other - 1] = '\0';
        if (status == WARI_OK && strcmp(other, first) != 0)
            status = wari_fail(
                error, WARI_MISMATCH, "rank %d on %s %s %s, but rank 0 on %s %s %s; %s", rank,
                wari_net_host(net, rank), what, other, wari_net_host(net, 0), what, first, advice);
    }
    return status;
}

enum wari_status wari_same_program(struct wari_net *net, struct wari_error *error)
{
    description mine = "";

    snprintf(mine, sizeof mine, "wari %s (library interface %d, level files %d, XXH3 of %u)",
             wari_version(), WARI_ABI, WARI_LEVEL_FORMAT, XXH_versionNumber());
    return compare_descriptions(net, mine, "runs", "install the same version on all hosts", error);
}

static enum wari_status compare_tasks(struct wari_net *net, const struct wari_build *build,
                                      bool local_disks, struct wari_error *error)
{
    description mine = "";

    snprintf(mine, sizeof mine, "%s %s, levels up to %d%s",
             wari_get_rules_info(build->variant.rules)->name, wari_cycle_name(build->variant.cycle),
             build->seeds, local_disks ? ", --local-disks" : "");
    return compare_descriptions(net, mine, "was asked for", "give all ranks the same options",
                                error);
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* Returns a number that no earlier job has used in this folder. */
static uint64_t new_number(void)
{
    struct timespec now;
    uint64_t parts[3];

    clock_gettime(CLOCK_REALTIME, &now);
    parts[0] = (uint64_t)now.tv_sec;
    parts[1] = (uint64_t)now.tv_nsec;
    parts[2] = (uint64_t)getpid();
    return XXH3_64bits(parts, sizeof parts);
}

static enum wari_status token_path(char path[WARI_PATH_MAX], const char *folder, uint64_t number,
                                   int rank, struct wari_error *error)
{
    return wari_path(path, error, folder, "build.ranks.%016llx.%d", (unsigned long long)number,
                     rank);
}

static enum wari_status create_token(const struct wari_host *host, const char *path,
                                     struct wari_error *error)
{
    int fd;
    const enum wari_status status = wari_create_file(host, path, NULL, &fd, error);

    if (status == WARI_OK && host->close(host->context, fd) != 0) {
        const enum wari_status failed = wari_fail_errno(error, path, "close");
        host->unlink(host->context, path);
        return failed;
    }
    return status;
}

/* Sets *writer to the first rank whose token is in the folder that this rank sees, or to -1 if
 * there is no token. */
static enum wari_status find_writer(const struct wari_net *net, const struct wari_host *host,
                                    const struct wari_disks *disks, uint64_t number, int *writer,
                                    struct wari_error *error)
{
    const int last = disks->local ? net->rank : 0;

    *writer = -1;
    for (int rank = 0; rank <= last; rank++) {
        char path[WARI_PATH_MAX];
        struct wari_error why;
        int fd;
        enum wari_status status = token_path(path, disks->folder, number, rank, error);
        if (status != WARI_OK)
            return status;
        status = wari_open_file(host, path, O_RDONLY, &fd, &why);
        if (status == WARI_OK) {
            host->close(host->context, fd);
            *writer = rank;
            return WARI_OK;
        }
        if (errno != ENOENT)
            return wari_fail(error, status, "%s", why.text);
    }
    return WARI_OK;
}

static enum wari_status choose_writers(struct wari_net *net, const struct wari_host *host,
                                       struct wari_disks *disks, struct wari_error *error)
{
    const bool creates = disks->local || net->rank == 0;
    uint64_t number = new_number();
    char path[WARI_PATH_MAX];
    int writer = -1;
    enum wari_status status = WARI_OK;

    wari_net_broadcast(net, 0, &number, sizeof number);
    if (creates)
        status = wari_make_folder(host, disks->folder, error);
    if (creates && status == WARI_OK)
        status = token_path(path, disks->folder, number, net->rank, error);
    if (creates && status == WARI_OK)
        status = create_token(host, path, error);
    const bool created = creates && status == WARI_OK;
    status = wari_net_agree(net, status, error);
    if (status == WARI_OK)
        status = find_writer(net, host, disks, number, &writer, error);
    disks->writes = writer == net->rank;
    if (status == WARI_OK && writer < 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "%s is not the folder of this name that rank 0 on %s sees; use one that "
                           "all hosts share, or give --local-disks",
                           disks->folder, wari_net_host(net, 0));
    status = wari_net_agree(net, status, error);
    if (created)
        host->unlink(host->context, path);
    return status;
}

enum wari_status wari_find_disks(struct wari_net *net, const struct wari_build *build,
                                 bool local_disks, struct wari_disks *disks, struct wari_lock *lock,
                                 struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    enum wari_status status = compare_tasks(net, build, local_disks, error);

    *lock = (struct wari_lock){0};
    if (status != WARI_OK)
        return status;
    *disks = (struct wari_disks){.folder = build->folder, .local = local_disks};
    status = choose_writers(net, host, disks, error);
    if (status != WARI_OK)
        return status;
    if (disks->writes && !build->no_lock)
        status = wari_folder_lock(host, build->folder, WARI_BUILDING, lock, error);
    return wari_net_agree(net, status, error);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* The list of the levels that a rank has, in the form in which it is sent to the other ranks. */
struct level_list {
    bool has[WARI_SEEDS_MAX + 1];
    uint64_t payload_hash[WARI_SEEDS_MAX + 1]; /* 0 if the catalogue does not list the level */
};

static struct level_list list_levels(const struct wari_catalogue *catalogue)
{
    struct level_list list;

    memset(&list, 0, sizeof list);
    for (int seeds = 0; seeds <= catalogue->seeds_max; seeds = wari_catalogue_next(seeds)) {
        list.has[seeds] = wari_catalogue_has(catalogue, seeds);
        list.payload_hash[seeds] = catalogue->level[seeds].payload_hash;
    }
    return list;
}

/* Returns the highest level of a rank; -1 if it has none. */
static int highest_level(const struct level_list *list)
{
    int seeds = WARI_SEEDS_MAX;

    while (seeds >= 0 && !list->has[seeds])
        seeds--;
    return seeds;
}

/* Compares the hash of each level that a rank's catalogue lists with the hash in the first
 * catalogue that lists the level. On a shared file system, also compares which levels the ranks
 * have. */
static enum wari_status compare(const struct wari_net *net, const struct level_list *all,
                                bool local, struct wari_error *error)
{
    for (int rank = 1; rank < net->ranks; rank++) {
        for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
            int first = 0;
            while (all[first].payload_hash[seeds] == 0 && first < rank)
                first++;
            if (all[rank].payload_hash[seeds] != 0 &&
                all[rank].payload_hash[seeds] != all[first].payload_hash[seeds])
                return wari_fail(error, WARI_MISMATCH,
                                 "rank %d on %s has other values for level %d than rank %d on %s "
                                 "(their hash is %016llx, not %016llx); find out with 'wari "
                                 "verify' which are right, and remove the other database",
                                 rank, wari_net_host(net, rank), seeds, first,
                                 wari_net_host(net, first),
                                 (unsigned long long)all[rank].payload_hash[seeds],
                                 (unsigned long long)all[first].payload_hash[seeds]);
        }
        if (!local && memcmp(all[rank].has, all[0].has, sizeof all[0].has) != 0)
            return wari_fail(
                error, WARI_IO,
                "rank %d on %s does not see the same levels in the folder as rank 0 on %s (the "
                "highest is %d, not %d); make sure that all hosts share the folder, and try again",
                rank, wari_net_host(net, rank), wari_net_host(net, 0), highest_level(&all[rank]),
                highest_level(&all[0]));
    }
    return WARI_OK;
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* The copying of one level from rank `from` to all ranks that lack it. */
struct copy {
    struct wari_net *net;
    const struct wari_host *host;
    const char *folder;
    int from;
    bool writes; /* this rank writes a copy to its folder */
    int fd;
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
};

/* On the rank that has the level, fills in *record from the existing file. */
static enum wari_status read_record(const struct copy *copy, struct wari_level_key key,
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

static enum wari_status open_files(struct copy *copy, struct wari_level_key key,
                                   struct wari_error *error)
{
    enum wari_status status = wari_level_path(copy->path, copy->folder, key, error);

    copy->fd = -1;
    if (status == WARI_OK)
        status =
            wari_path(copy->temporary, error, copy->folder, "%s.tmp", strrchr(copy->path, '/') + 1);
    if (status == WARI_OK && copy->net->rank == copy->from)
        status = wari_open_file(copy->host, copy->path, O_RDONLY, &copy->fd, error);
    if (status == WARI_OK && copy->writes)
        status = wari_create_anew(copy->host, copy->temporary, copy->path, &copy->fd, error);
    return status;
}

static enum wari_status copy_bytes(const struct copy *copy, uint64_t bytes,
                                   struct wari_error *error)
{
    char buffer[1 << 16];
    enum wari_status status = WARI_OK;

    for (uint64_t done = 0; done < bytes && status == WARI_OK; done += sizeof buffer) {
        const size_t size = bytes - done < sizeof buffer ? (size_t)(bytes - done) : sizeof buffer;
        if (copy->net->rank == copy->from)
            status = wari_read_at(copy->host, copy->fd, copy->path, buffer, size, done, error);
        wari_net_broadcast(copy->net, copy->from, buffer, size);
        if (copy->writes && status == WARI_OK)
            status =
                wari_write_at(copy->host, copy->fd, copy->temporary, buffer, size, done, error);
        status = wari_net_agree(copy->net, status, error);
    }
    return status;
}

static enum wari_status copy_level(struct copy *copy, struct wari_level_key key,
                                   const struct wari_level_record *record, struct wari_error *error)
{
    enum wari_status status = wari_net_agree(copy->net, open_files(copy, key, error), error);

    if (status == WARI_OK)
        status = copy_bytes(copy, record->file_bytes, error);
    if (copy->writes && status == WARI_OK) {
        status =
            wari_publish(copy->host, copy->fd, copy->temporary, copy->folder, copy->path, error);
        copy->fd = -1;
    }
    if (copy->fd >= 0) {
        copy->host->close(copy->host->context, copy->fd);
        if (copy->writes)
            copy->host->unlink(copy->host->context, copy->temporary);
    }
    return wari_net_agree(copy->net, status, error);
}

/* Sets *from to the first rank that has a level, or to -1 if there is none. Returns the number of
 * ranks that have it. */
static int find_source(const struct wari_net *net, const struct level_list *all, int seeds,
                       int *from)
{
    int have = 0;

    *from = -1;

    for (int rank = net->ranks - 1; rank >= 0; rank--) {
        if (!all[rank].has[seeds])
            continue;
        *from = rank;
        have++;
    }
    return have;
}

/* Prepares the catalogue of this rank for a copy of a level. If the catalogue already lists the
 * level, the file of the level is missing, and the copy may have another header than that file had.
 * Then the catalogue lists both headers, so that the folder is valid before and after the copy is
 * renamed to its final name. */
static enum wari_status admit_copy(const struct copy *copy, int seeds,
                                   const struct wari_level_record *record,
                                   struct wari_catalogue *catalogue, struct wari_error *error)
{
    struct wari_level_record *listed = &catalogue->level[seeds];
    if (!copy->writes || !wari_catalogue_lists(catalogue, seeds))
        return WARI_OK;
    listed->other_hash = record->header_hash;
    listed->other_bytes = record->file_bytes;
    return wari_catalogue_write(catalogue, copy->host, copy->folder, error);
}

/* If some rank lacks a level, marks the level as missing on this rank, too. Does so for all levels
 * from `seeds` on, so that all ranks solve the same levels. */
static void ignore_rest(const struct wari_net *net, const struct level_list *all, int seeds,
                        struct wari_catalogue *catalogue)
{
    int from;

    for (; seeds <= catalogue->seeds_max; seeds = wari_catalogue_next(seeds))
        if (find_source(net, all, seeds, &from) < net->ranks)
            catalogue->missing[seeds] = true;
}

/* Copies the levels that some ranks lack and others have, in ascending order, up to the first level
 * that no rank has. */
static enum wari_status copy_missing(struct wari_net *net, const struct wari_host *host,
                                     const struct wari_disks *disks, const struct level_list *all,
                                     struct wari_catalogue *catalogue, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int seeds = 0; seeds <= WARI_SEEDS_MAX && status == WARI_OK;
         seeds = wari_catalogue_next(seeds)) {
        const struct wari_level_key key = {catalogue->variant, seeds};
        struct wari_level_record record = catalogue->level[seeds];
        struct copy copy = {.net = net,
                            .host = host,
                            .folder = disks->folder,
                            .writes = disks->writes && !all[net->rank].has[seeds]};
        const int have = find_source(net, all, seeds, &copy.from);
        if (have == net->ranks)
            continue;
        if (have == 0) {
            ignore_rest(net, all, seeds, catalogue);
            break;
        }
        status = wari_net_agree(net, read_record(&copy, key, &record, error), error);
        if (status != WARI_OK)
            return status;
        wari_net_broadcast(net, copy.from, &record, sizeof record);
        status = wari_net_agree(net, admit_copy(&copy, seeds, &record, catalogue, error), error);
        if (status == WARI_OK)
            status = copy_level(&copy, key, &record, error);
        if (status == WARI_OK && !all[net->rank].has[seeds]) {
            catalogue->level[seeds] = record;
            catalogue->missing[seeds] = false;
            if (seeds > catalogue->seeds_max)
                catalogue->seeds_max = seeds;
        }
        if (status == WARI_OK && copy.writes)
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
    struct level_list mine;
    void *all;
    enum wari_status status =
        wari_catalogue_read(catalogue, host, disks->folder, build->variant, error);

    if (status == WARI_OK)
        status = wari_catalogue_find_missing(catalogue, host, disks->folder, error);
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    status = wari_net_agree(net,
                            wari_allocate(host, (size_t)net->ranks * sizeof mine,
                                          "the levels of all ranks", &all, error),
                            error);
    if (status == WARI_OK) {
        mine = list_levels(catalogue);
        wari_net_gather(net, &mine, sizeof mine, all);
        status = compare(net, all, disks->local, error);
    }
    if (status == WARI_OK && disks->local)
        status = copy_missing(net, host, disks, all, catalogue, error);
    wari_release(host, all);
    return status;
}
