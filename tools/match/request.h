/* The options of `wari match`. */
#ifndef TOOLS_MATCH_REQUEST_H
#define TOOLS_MATCH_REQUEST_H

#include "play/engine/elo.h"
#include "play/engine/opponent.h"
#include "play/text.h"
#include "tools/common/options.h"
#include "tools/match/match_report.h"
#include "tools/match/starts.h"

enum request_format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    struct database_options options;
    const char *engines[MATCH_SIDES];
    int engine_count;
    int games;      /* 0 means not given */
    int from_seeds; /* -1 means not given */
    bool from_start;
    struct opening_options openings; /* count 0 means not given */
    char *start_file;
    const char *ogn_file;
    char *match_file; /* NULL means not given */
    int seed;
    int concurrency; /* number of games at once, from 1 */
    bool adjudicate;
    struct wari_elo_test test;
    struct wari_opponent_limits limits; /* a `move` of -1 means not given */
};

WARI_MUST_CHECK enum wari_status request_read(int argc, char **argv, struct request *request,
                                              struct wari_error *error);

/* Appends one line with everything that determines which games are played and how. */
WARI_MUST_CHECK enum wari_status request_describe(const struct request *request,
                                                  struct wari_variant variant,
                                                  struct wari_text *text, struct wari_error *error);

#endif
