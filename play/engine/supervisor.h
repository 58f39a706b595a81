/* The supervisor process between a referee and an engine: it makes sure that nothing survives
 * that the engine started.
 *
 * It is the reaper of all processes below it (PR_SET_CHILD_SUBREAPER), so processes whose
 * parents have ended, and those in sessions and groups of their own, become its child processes.
 * When the engine ends, or the referee closes the control pipe (also by being killed), the
 * supervisor kills all of them and exits in the same way as the engine. An engine may stop the
 * supervisor, until the referee dies or continues it, or kill it: then the engine is killed, and
 * the referee gets the other processes (process.h). Linux only. */
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
