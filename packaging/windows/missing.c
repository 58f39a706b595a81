/* Stands in for what Windows lacks: for the commands `match`, which starts other programs, and
 * `serve`, which needs a library for servers, and for the functions that talk to other engines. */
#include "play/engine/opponent.h"
#include "tools/common/command.h"
#include "tools/common/report.h"

static int refuse(int argc, char **argv)
{
    (void)argc;
    report_note(argv[0], "this command does not exist on Windows");
    return report_exit_code(WARI_BAD_INPUT);
}

const struct command command_match = {
    .name = "match",
    .summary = "let engines play (not on Windows)",
    .run = refuse,
    .help = "`wari match` does not exist on Windows.\n",
};

const struct command command_serve = {
    .name = "serve",
    .summary = "answer over HTTP (not on Windows)",
    .run = refuse,
    .help = "`wari serve` does not exist on Windows.\n",
};

enum wari_status wari_opponent_new_game(struct wari_opponent *opponent, bool *interrupted,
                                        struct wari_error *error)
{
    (void)opponent;
    *interrupted = false;
    return wari_fail(error, WARI_IO, "other engines cannot be started on Windows");
}

enum wari_status wari_opponent_move(struct wari_opponent *opponent, const struct wari_game *game,
                                    int *pit, enum wari_fault *fault, bool *interrupted,
                                    struct wari_error *error)
{
    (void)game;
    (void)pit;
    (void)fault;
    return wari_opponent_new_game(opponent, interrupted, error);
}
