/* One builder at a time in a folder. */
#ifndef DB_CATALOGUE_LOCK_H
#define DB_CATALOGUE_LOCK_H

#include "db/host/host.h"

/* What the lock is taken for. */
enum wari_lock_work { WARI_BUILDING, WARI_PACKING };

/* Creates `folder` (not its parents) if it is missing, durably. */
WARI_MUST_CHECK enum wari_status wari_make_folder(const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

/* Makes sure of `folder` like that and takes its build lock, the file
 * "build.lock" in it. WARI_BUSY names the process that holds it, and its work. The kernel drops the
 * lock of a process that dies, so none is ever stale. WARI_IO where something else has that name,
 * which is left as it is. On failure *lock is -1. */
WARI_MUST_CHECK enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                                  enum wari_lock_work work, int *lock,
                                                  struct wari_error *error);
void wari_folder_unlock(const struct wari_host *host, int lock); /* -1 is allowed */

#endif
