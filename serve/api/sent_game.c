/* Games as `wari judge` reads them, by the code of play/. A text holds one game: where there are
 * more, or one that cannot be read, it is refused with the place, so that an answer is never one to
 * another game than was meant.
 */
#include "serve/api/sent_game.h"

#include <stdio.h>
#include <string.h>

#include "serve/request/reply.h"

enum {
    REMARKS_MAX = 20, /* that are told; a text can have as many as it has tags */
    REMARK = 1200,    /* longer than a complaint of the reader's */
};

/* What the reader says about the text. */
struct heard {
    json_t *remarks; /* an array; NULL: no memory */
    bool lost;
    char why[REMARK]; /* the first game that is lost, is lost */
};

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct heard *heard = context;
    char text[REMARK];
    snprintf(text, sizeof text, "line %d column %d: %s%s", complaint->line, complaint->column,
             complaint->text, complaint->undecided ? "; choose with rules and cycle" : "");
    if (complaint->lost && !heard->lost) {
        heard->lost = true;
        memcpy(heard->why, text, sizeof text);
    }
    if (complaint->lost || json_array_size(heard->remarks) == REMARKS_MAX)
        return;
    if (json_array_append_new(heard->remarks, json_foreign(text, "?")) != 0) {
        json_decref(heard->remarks);
        heard->remarks = NULL;
    }
}

/* Reads the only game of the text; WARI_BAD_INPUT if there are none, several, or one that is
 * broken. Unless it is WARI_OK, *record holds nothing. */
static enum wari_status read_only_game(struct wari_record_reader *reader,
                                       struct wari_record *record, struct wari_error *error)
{
    const struct heard *heard = reader->context;
    struct wari_record second = {.line = 0};
    bool found = false, more = false;
    enum wari_status status = wari_record_next(reader, record, &found, error);
    if (status == WARI_OK && found && !heard->lost)
        status = wari_record_next(reader, &second, &more, error);
    int line = second.line;
    wari_record_free(&second);
    if (status == WARI_OK && heard->lost)
        status = wari_fail(error, WARI_BAD_INPUT, "%s", heard->why);
    else if (status == WARI_OK && more)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "a second game starts at line %d; send one at a time", line);
    else if (status == WARI_OK && !found)
        status = wari_fail(error, WARI_BAD_INPUT, "there is no game in this text");
    if (status != WARI_OK)
        wari_record_free(record);
    return status;
}

bool sent_game_read(struct request *request, const struct wari_variant *variants, int count,
                    struct sent_game *sent, enum MHD_Result *result)
{
    struct wari_error error;
    struct heard heard = {.remarks = NULL};
    struct wari_record_reader reader = {
        .host = wari_host_system(),
        .text = request->body,
        .length = request->length,
        .variants = variants,
        .variant_count = count,
        .insist = request->arguments[ARGUMENT_RULES] != NULL,
        .complain = hear,
        .context = &heard,
    };
    if (request->json) {
        *result = reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "a game is text/plain");
        return false;
    }
    heard.remarks = json_array();
    enum wari_status status = read_only_game(&reader, &sent->record, &error);
    sent->remarks = heard.remarks;
    if (status == WARI_OK)
        return true;
    json_decref(heard.remarks);
    *result = reply_failure(request, status, &error);
    return false;
}

void sent_game_free(struct sent_game *sent)
{
    wari_record_free(&sent->record);
    json_decref(sent->remarks);
}
