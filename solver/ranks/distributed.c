/* What passes over a distributed level have in common. */
#include "solver/ranks/distributed.h"

bool wari_distributed_stopped(struct wari_distributed *distributed)
{
    struct wari_team *team = distributed->level->team;
    const bool any = wari_net_any(distributed->net, wari_level_stopped(distributed->level));

    if (any)
        atomic_store_explicit(&team->failed, true, memory_order_relaxed);
    return any;
}
