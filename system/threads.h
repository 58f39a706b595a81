/* Threads for OpenMP, before they are needed. */
#ifndef SYSTEM_THREADS_H
#define SYSTEM_THREADS_H

#include "game/wari_game.h"

/* Starts the threads that OpenMP will work with, the calling one included. WARI_NO_MEMORY and how
 * many there could be, if they cannot all run at once: OpenMP itself would end the process there,
 * with the exit code of a negative answer. WARI_BAD_INPUT if the environment gives them stacks that
 * they would run out of. To be called when the memory of the work is there, since
 * stacks take address space, too. */
WARI_MUST_CHECK enum wari_status wari_start_threads(int threads, struct wari_error *error);

#endif
