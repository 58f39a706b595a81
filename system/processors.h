/* The processors that this process can use. */
#ifndef SYSTEM_PROCESSORS_H
#define SYSTEM_PROCESSORS_H

#include "system/control_groups.h"

struct wari_processors {
    int online;  /* processors of this machine */
    int allowed; /* processors on which this process may run (its affinity) */
    int quota;   /* processor time that its control groups grant, in processors, rounded up; 0 means
                  * no limit */
};

/* Finds the three numbers. A quota or an affinity that cannot be read counts as no limit. */
struct wari_processors wari_processors(void);

/* Returns the smallest of the three numbers, at least 1: the number of threads that can run at the
 * same time. */
int wari_processors_usable(const struct wari_processors *processors);

/* Returns the smallest quota of the control groups of this process, in processors, rounded up; 0 if
 * there is none. Malformed files count as no limit. */
int wari_processor_quota(const struct wari_system_folders *folders);

#endif
