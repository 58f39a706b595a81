/* `wari perft`: counts move sequences, which is the usual test of a move generator. Needs no
 * database.
 */
#include <stdio.h>

#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/report.h"

enum { PERFT_DEPTH_MAX = 20 }; /* 6^20 sequences fit in 64 bits, and take too long to count */

struct request {
    struct variant_choice choice;
    int depth;
    struct wari_position position;
};

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    if (key == 'n')
        return options_int("--depth", optarg, 0, PERFT_DEPTH_MAX, &request->depth, error);
    request->choice.rules = optarg;
    return WARI_OK;
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"rules", required_argument, NULL, 'r'},
        {"depth", required_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 1, handle_option, request};
    struct wari_setup setup = {.position = wari_start_position()};

    *request = (struct request){.depth = -1};
    enum wari_status status = options_read(&line, error);
    if (status == WARI_OK && request->depth < 0)
        status =
            wari_fail(error, WARI_BAD_INPUT, "--depth D is missing; D is 0 to %d", PERFT_DEPTH_MAX);
    if (status == WARI_OK && optind < argc)
        status = wari_setup_parse(argv[optind], &setup, error);
    request->position = setup.position;
    return status;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct wari_variant variant;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK)
        status = variant_to_build(&request.choice, &variant, &error);
    if (status != WARI_OK)
        return report_result(argv[0], status, &error);

    for (int depth = request.depth > 0; depth <= request.depth && !report_output_lost(); depth++) {
        uint64_t count = wari_perft(variant.rules, &request.position, depth);
        printf("%d %llu\n", depth, (unsigned long long)count);
        fflush(stdout); /* the next depth may take long */
    }
    return report_exit_code(WARI_OK);
}

const struct command command_perft = {
    .name = "perft",
    .summary = "count move sequences",
    .run = run,
    .help = "usage: wari perft --depth D [--rules R] [POSITION]\n"
            "\n"
            "Counts the sequences of exactly 1, 2, ... D sowings from a position (by default the\n"
            "start position), without any rule about repetition. This is the usual test of a move\n"
            "generator. Prints one line for each depth: the depth and the count. An extra move\n"
            "after a slam in `warri` is one more sowing; a slam that ends the game counts as a\n"
            "move. Depth 0 prints \"0 1\". No database is needed.\n"
            "\n"
            "  --depth D      0 to 20\n"
            "  --rules R      rule set or preset; default awari\n"
            "\n"
            "A position is twelve counts, A to F of the mover and a to f of the opponent, or a\n"
            "diagram, or a position of PlayStrategy; see 'wari help query'.\n"
            "\n"
            "example\n"
            "  wari perft --rules abapa --depth 10\n"
            "\n"
            "exit codes: 0 done; 2 bad usage or position; 4 the output could not be written\n",
};
