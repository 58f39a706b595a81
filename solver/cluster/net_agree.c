/* Implements wari_net_agree(). This file does not use MPI itself, so that unit tests can run it
 * with ranks that are threads. */

#include "solver/cluster/net.h"

enum wari_status wari_net_agree(struct wari_net *net, enum wari_status status,
                                struct wari_error *error)
{
    const uint64_t ranks = (uint64_t)net->ranks;
    struct wari_error first = {0};
    uint64_t failed = status != WARI_OK;
    /* Orders the failures: greater for a failure than for an interruption, and greater for lower
     * ranks. */
    uint64_t worst;

    worst = status == WARI_OK ? 0 : ranks - (uint64_t)net->rank;
    if (status != WARI_OK && status != WARI_INTERRUPTED)
        worst += ranks;
    wari_net_max(net, &worst, 1);
    if (worst == 0)
        return WARI_OK;
    wari_net_sum(net, &failed, 1);
    const int from = (int)(worst > ranks ? 2 * ranks - worst : ranks - worst);
    if (net->rank == from) {
        if (error && error->text[0])
            first = *error;
        first.status = status;
    }
    wari_net_broadcast(net, from, &first, sizeof first);
    if (!first.text[0])
        (void)wari_fail(&first, first.status, "%s", wari_status_text(first.status));
    if (failed == ranks || first.status == WARI_INTERRUPTED)
        return wari_fail(error, first.status, "%s", first.text);
    return wari_fail(error, first.status, "rank %d on %s: %s", from, wari_net_host(net, from),
                     first.text);
}
