/* The supervisor process between a referee and an engine. It makes sure that no process that the
 * engine started survives the engine.
 *
 * It is the reaper of all processes below it (PR_SET_CHILD_SUBREAPER), so processes whose
 * parents have ended, and those in sessions and groups of their own, become its child processes.
 * When the engine ends, or the referee closes the control pipe (also by being killed), the
 * supervisor kills all of them and exits in the same way as the engine. Linux only.
 *
 * A malicious engine can send signals to its supervisor. If it stops the supervisor (SIGSTOP), the
 * supervisor does nothing until the referee dies or continues it. If it kills the supervisor, the
 * engine is killed, too, and the other processes become child processes of the referee, which kills
 * them (process.h). */
#ifndef PLAY_ENGINE_SUPERVISOR_H
#define PLAY_ENGINE_SUPERVISOR_H

/* Descriptors, all close-on-exec. */
struct wari_supervisor_files {
    int input, output; /* standard input and output of the engine */
    int report;        /* receives errno if the engine cannot be run */
    int control;       /* read end of the control pipe; only the referee holds the other end */
};

/* Runs the supervisor. Called in a new child process of the referee, which may have several
 * threads. Never returns. */
_Noreturn void wari_supervisor_run(char *const *words, const struct wari_supervisor_files *files);

#endif
