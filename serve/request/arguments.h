/* What the arguments of a request name. */
#ifndef SERVE_REQUEST_ARGUMENTS_H
#define SERVE_REQUEST_ARGUMENTS_H

#include "answer/answer.h"
#include "serve/request/request.h"

/* The database that the arguments name. False: an error was sent, as *result says. */
bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result);

/* What the argument `detail` says; `otherwise` if it is not given. */
bool request_detail(struct request *request, enum answer_detail otherwise,
                    enum answer_detail *detail, enum MHD_Result *result);

#endif
