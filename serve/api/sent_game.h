/* A game that a client has sent. */
#ifndef SERVE_API_SENT_GAME_H
#define SERVE_API_SENT_GAME_H

#include "answer/json.h"
#include "play/record/record_read.h"
#include "serve/request/request.h"

struct sent_game {
    struct wari_record record;
    json_t *remarks; /* what the reader says about the text: an array; NULL: no memory */
};

/* Reads the only game of the body, which is of one of these variants. False: an error was sent, as
 * *result says, and there is nothing to free. */
bool sent_game_read(struct request *request, const struct wari_variant *variants, int count,
                    struct sent_game *sent, enum MHD_Result *result);
void sent_game_free(struct sent_game *sent);

#endif
