/* The endpoints: each answers a request that is well formed. */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "answer/answer.h"
#include "play/record/record_read.h"
#include "serve/request.h"

enum MHD_Result api_position(struct request *request);
enum MHD_Result api_positions(struct request *request);
enum MHD_Result api_analysis(struct request *request);
enum MHD_Result api_move(struct request *request);
enum MHD_Result api_moves(struct request *request);
enum MHD_Result api_game(struct request *request);
enum MHD_Result api_review(struct request *request);
enum MHD_Result api_info(struct request *request);
enum MHD_Result api_stats(struct request *request);
enum MHD_Result api_health(struct request *request);

/* ---- Arguments ---- */

/* The database that the arguments name. False: an error was sent, as *result says. */
bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result);

/* The variant that the arguments name, and its database; *database is NULL for one without tables,
 * which both arguments have to name. False as above. */
bool request_variant(struct request *request, struct wari_variant *variant,
                     const struct database **database, enum MHD_Result *result);

/* What the argument p says. */
bool request_position(struct request *request, struct wari_setup *setup, enum MHD_Result *result);

/* What the argument `detail` says; `fallback` if it is not given. */
bool request_detail(struct request *request, enum answer_detail fallback,
                    enum answer_detail *detail, enum MHD_Result *result);

/* ---- Games ---- */

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
