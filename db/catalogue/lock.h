/* The build lock of a folder, which admits one builder at a time. */
#ifndef DB_CATALOGUE_LOCK_H
#define DB_CATALOGUE_LOCK_H

#include "db/host/host.h"

/* The purpose of the lock. */
enum wari_lock_work { WARI_BUILDING, WARI_PACKING };

/* Creates `folder`, but not its parents, durably, if it does not exist. */
WARI_MUST_CHECK enum wari_status wari_make_folder(const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

/* Creates `folder` if it does not exist, and takes its build lock, the file "build.lock" in it.
 * WARI_BUSY names the process that holds the lock and its activity. The kernel releases the lock of
 * a process that ends, so a lock is never stale. WARI_IO if something that is not a lock has this
 * name; it is left unchanged. On failure *lock is -1. */
WARI_MUST_CHECK enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                                  enum wari_lock_work work, int *lock,
                                                  struct wari_error *error);
void wari_folder_unlock(const struct wari_host *host, int lock); /* -1 is allowed */

#endif
