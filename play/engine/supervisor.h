/* The supervisor process between a referee and an engine. It makes sure that no process that the
 * engine started survives the engine.
 *
 * It is the reaper of its descendants (wari_adopt_orphans()): a descendant whose parent has ended
 * becomes its child process, even if the descendant has a session or process group of its own.
 * When the engine ends, or the referee closes the control pipe (also by being killed), the
 * supervisor kills all descendants and exits in the same way as the engine.
 *
 * Only Linux has reapers. On other systems (system/platform.h), the supervisor kills the engine and
 * the processes in its group. A process that leaves the group survives, and an engine that kills
 * its supervisor survives, too.
 *
 * A malicious engine can send signals to its supervisor. If it stops the supervisor (SIGSTOP), the
 * supervisor does nothing until the referee dies or continues it. If it kills the supervisor, the
 * engine is killed, too, and the other processes become child processes of the referee, which kills
 * them (process.h). */
#ifndef PLAY_ENGINE_SUPERVISOR_H
#define PLAY_ENGINE_SUPERVISOR_H

#include <sys/types.h>

/* Descriptors, all close-on-exec. */
struct wari_supervisor_files {
    int input, output; /* standard input and output of the engine */
    int report;        /* receives errno if the engine cannot be run */
    int control;       /* read end of the control pipe; only the referee holds the other end */
};

/* Runs the supervisor. Called in a new child process of the referee, which may have several
 * threads. Never returns. */
_Noreturn void wari_supervisor_run(char *const *words, const struct wari_supervisor_files *files);

/* Kills a child process and the rest of its process group, unless that is the group of the
 * caller. Killing the group is the only way to stop a program that forks and ends without pause. */
void wari_supervisor_kill(pid_t child);

#endif
