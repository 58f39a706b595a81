/* From a distributed level to a level file, byte for byte the one of a single process. */
#ifndef SOLVER_RANKS_STORE_H
#define SOLVER_RANKS_STORE_H

#include "solver/cluster/distributed.h"
#include "solver/write/batch_encoder.h"

/* Where level files go. */
struct wari_disks {
    const char *folder;
    bool local;  /* folders of this name are not the same one for all ranks */
    bool keeper; /* this rank looks after its folder: the first of those that see it */
};

/* Writes the level, as wari_write_level_file() does; on local disks, to all of them. Collective,
 * and all ranks get the same status and record. */
WARI_MUST_CHECK enum wari_status
wari_distributed_write(struct wari_distributed *distributed, struct wari_batch_encoder *store,
                       const struct wari_disks *disks, struct wari_variant variant,
                       struct wari_level_record *record, struct wari_error *error);

#endif
