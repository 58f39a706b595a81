/* The process between a referee and an engine, which lets nothing survive that the engine started.
 *
 * It is the reaper of all processes below it (PR_SET_CHILD_SUBREAPER), so that those whose parents
 * have ended, and those in sessions and groups of their own, come to it. When the engine ends, or
 * the referee lets go of the leash, also by being killed, it kills all of them, and ends as the
 * engine has ended. An engine may stop it, until the referee dies or lets it go on, or kill it:
 * then the engine is killed, and the referee gets the others (process.h). Linux only.
 */
#ifndef PLAY_ENGINE_WARDEN_H
#define PLAY_ENGINE_WARDEN_H

/* Descriptors, all close-on-exec. */
struct wari_warden_ends {
    int input, output; /* the engine's */
    int report;        /* to write errno to, should the engine not run */
    int leash;         /* to read from; its other end is the referee's alone */
};

/* To be called in a fresh child of the referee, whatever threads that has. Never comes back. */
_Noreturn void wari_warden_run(char *const *words, const struct wari_warden_ends *ends);

#endif
