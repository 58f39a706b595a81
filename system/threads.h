/* Starts the threads of OpenMP before they are needed. */
#ifndef SYSTEM_THREADS_H
#define SYSTEM_THREADS_H

#include "game/wari_game.h"

/* Starts the threads that OpenMP will use; `threads` includes the calling one. Call it after the
 * memory for the work is allocated, since stacks take address space, too. Returns WARI_NO_MEMORY if
 * the threads cannot all run at once; the message says how many could. OpenMP itself would end the
 * process in this case, with exit code 1, which commands use for a negative answer. Returns
 * WARI_BAD_INPUT if the environment sets a stack size that is too small. */
WARI_MUST_CHECK enum wari_status wari_start_threads(int threads, struct wari_error *error);

#endif
