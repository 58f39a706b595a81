/* The name of this host and the processes on it, for files that identify the process that created
 * them. */
#ifndef DB_HOST_PROCESS_H
#define DB_HOST_PROCESS_H

#include <stdbool.h>

enum { WARI_HOST_NAME = 65 }; /* bytes of a host name, including the final 0 */

/* Writes the name of this host. Replaces all characters except letters, digits, '-', '_' and '.',
 * so that the name can be part of a file name; the result is never empty. */
void wari_host_name(char name[WARI_HOST_NAME]);

/* Returns true if no process of this host has this number. (A container may not see the processes
 * outside of it, but it usually has a host name of its own.) */
bool wari_process_is_gone(long number);

#endif
