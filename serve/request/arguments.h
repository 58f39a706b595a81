/* What the arguments of a request name. */
#ifndef SERVE_REQUEST_ARGUMENTS_H
#define SERVE_REQUEST_ARGUMENTS_H

#include "answer/answer.h"
#include "serve/request/request.h"

/* The database that the arguments name. False: an error was sent, as *result says. */
bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result);

/* The variant that the arguments name, and its database; *database is NULL for one without tables,
 * which both arguments have to name. False as above. */
bool request_variant(struct request *request, struct wari_variant *variant,
                     const struct database **database, enum MHD_Result *result);

/* What the argument p says. */
bool request_position(struct request *request, struct wari_setup *setup, enum MHD_Result *result);

/* What the argument `detail` says; `otherwise` if it is not given. */
bool request_detail(struct request *request, enum answer_detail otherwise,
                    enum answer_detail *detail, enum MHD_Result *result);

#endif
