/* Reads the name of this host from the system and checks with signal 0 whether a process exists. */
#include "db/host/process.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void wari_host_name(char name[WARI_HOST_NAME])
{
    if (gethostname(name, WARI_HOST_NAME) != 0 || name[0] == '\0')
        snprintf(name, WARI_HOST_NAME, "unknown");
    name[WARI_HOST_NAME - 1] = '\0';
    for (char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '.')
            *at = '_';
}

bool wari_process_is_gone(long number)
{
    return kill((pid_t)number, 0) != 0 && errno == ESRCH;
}
