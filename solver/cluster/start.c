/* The same program, the same task, and whose folder is whose; see start.h.
 *
 * Whether folders are shared is found out by leaving a small file with a number in its name that
 * was never used before, and looking for those of the others. No file system has to be asked what
 * it is.
 */
#include "solver/cluster/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/catalogue/lock.h"
#include "db/format/level_header.h"
#include "db/wari.h"

/* ---- Who we are ----------------------------------------------------------------------------- */

/* One rank's words about itself; they have to be the same for all. */
typedef char words[160];

/* Compares everybody's words with those of rank 0. Needs no memory: nothing can fail. */
static enum wari_status same_words(struct wari_net *net, const words mine, const char *what,
                                   const char *advice, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    words first, other;

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
    words mine = "";

    snprintf(mine, sizeof mine, "wari %s (library interface %d, level files %d, XXH3 of %u)",
             wari_version(), WARI_ABI, WARI_LEVEL_FORMAT, XXH_versionNumber());
    return same_words(net, mine, "runs", "install the same version on all hosts", error);
}

static enum wari_status same_task(struct wari_net *net, const struct wari_build *build,
                                  bool local_disks, struct wari_error *error)
{
    words mine = "";

    snprintf(mine, sizeof mine, "%s %s, levels up to %d%s",
             wari_rules_info(build->variant.rules)->name, wari_cycle_name(build->variant.cycle),
             build->seeds, local_disks ? ", --local-disks" : "");
    return same_words(net, mine, "was asked for", "give all ranks the same options", error);
}

/* ---- Folders -------------------------------------------------------------------------------- */

/* A number that no job had before in this folder. */
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

static enum wari_status leave_token(const struct wari_host *host, const char *path,
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

/* *keeper: the first rank whose token is in the folder that this rank sees; -1: there is none. */
static enum wari_status find_keeper(const struct wari_net *net, const struct wari_host *host,
                                    const struct wari_disks *disks, uint64_t number, int *keeper,
                                    struct wari_error *error)
{
    const int last = disks->local ? net->rank : 0;

    *keeper = -1;
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
            *keeper = rank;
            return WARI_OK;
        }
        if (errno != ENOENT)
            return wari_fail(error, status, "%s", why.text);
    }
    return WARI_OK;
}

static enum wari_status who_keeps(struct wari_net *net, const struct wari_host *host,
                                  struct wari_disks *disks, struct wari_error *error)
{
    const bool leaves = disks->local || net->rank == 0;
    uint64_t number = new_number();
    char path[WARI_PATH_MAX];
    int keeper = -1;
    enum wari_status status = WARI_OK;

    wari_net_broadcast(net, 0, &number, sizeof number);
    if (leaves)
        status = wari_make_folder(host, disks->folder, error);
    if (leaves && status == WARI_OK)
        status = token_path(path, disks->folder, number, net->rank, error);
    if (leaves && status == WARI_OK)
        status = leave_token(host, path, error);
    const bool left = leaves && status == WARI_OK;
    status = wari_net_agree(net, status, error);
    if (status == WARI_OK)
        status = find_keeper(net, host, disks, number, &keeper, error);
    disks->keeper = keeper == net->rank;
    if (status == WARI_OK && keeper < 0)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "%s is not the folder of this name that rank 0 on %s sees; use one that "
                           "all hosts share, or give --local-disks",
                           disks->folder, wari_net_host(net, 0));
    status = wari_net_agree(net, status, error);
    if (left)
        host->unlink(host->context, path);
    return status;
}

enum wari_status wari_find_disks(struct wari_net *net, const struct wari_build *build,
                                 bool local_disks, struct wari_disks *disks, int *lock,
                                 struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    enum wari_status status = same_task(net, build, local_disks, error);

    *lock = -1;
    if (status != WARI_OK)
        return status;
    *disks = (struct wari_disks){.folder = build->folder, .local = local_disks};
    status = who_keeps(net, host, disks, error);
    if (status != WARI_OK)
        return status;
    if (disks->keeper)
        status = wari_folder_lock(host, build->folder, WARI_BUILDING, lock, error);
    return wari_net_agree(net, status, error);
}
