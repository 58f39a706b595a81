/* What the arguments of a request name: a database, and how much is to be said. */
#include "serve/request/arguments.h"

#include <string.h>

#include "serve/request/reply.h"

bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result)
{
    struct wari_error error;
    enum wari_status status =
        databases_choose(request->server->databases, request->arguments[ARGUMENT_RULES],
                         request->arguments[ARGUMENT_CYCLE], database, &error);
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_variant(struct request *request, struct wari_variant *variant,
                     const struct database **database, enum MHD_Result *result)
{
    struct wari_error error;
    enum wari_status status =
        databases_choose_any(request->server->databases, request->arguments[ARGUMENT_RULES],
                             request->arguments[ARGUMENT_CYCLE], variant, database, &error);
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_position(struct request *request, struct wari_setup *setup, enum MHD_Result *result)
{
    struct wari_error error;
    const char *text = request->arguments[ARGUMENT_POSITION];
    if (!text) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                              "the argument p is missing: twelve counts or a diagram");
        return false;
    }
    enum wari_status status = wari_setup_parse(text, setup, &error);
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_detail(struct request *request, enum answer_detail otherwise,
                    enum answer_detail *detail, enum MHD_Result *result)
{
    static const char *const names[] = {
        [ANSWER_VALUE] = "value",
        [ANSWER_MOVES] = "moves",
        [ANSWER_FULL] = "full",
    };
    const char *word = request->arguments[ARGUMENT_DETAIL];
    *detail = otherwise;
    if (!word)
        return true;
    for (int i = 0; i <= ANSWER_FULL; i++) {
        if (strcmp(names[i], word) == 0) {
            *detail = (enum answer_detail)i;
            return true;
        }
    }
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                          "detail: there is no \"%.40s\"; choose one of value, moves, full", word);
    return false;
}
