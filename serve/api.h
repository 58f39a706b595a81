/* The endpoints of the server, one function for each, and the functions that they share. The form
 * of a request has been checked before its endpoint is called. */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "answer/answer.h"
#include "play/record/record_read.h"
#include "serve/request.h"

enum MHD_Result api_position(struct request *request);
enum MHD_Result api_positions(struct request *request);
enum MHD_Result api_analysis(struct request *request);
enum MHD_Result api_move(struct request *request);
enum MHD_Result api_puzzle(struct request *request);
enum MHD_Result api_moves(struct request *request);
enum MHD_Result api_game(struct request *request);
enum MHD_Result api_review(struct request *request);
enum MHD_Result api_info(struct request *request);
enum MHD_Result api_stats(struct request *request);
enum MHD_Result api_health(struct request *request);

/* ---- Arguments ---- */

/* Finds the database that the arguments select. Returns false if there is none, or more than one:
 * then an error response was queued and *result is the value to return. */
bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result);

/* Finds the variant that the arguments select, and its database. *database is NULL if the variant
 * has no tables; such a variant is selected only if both its rule set and its cycle rule are given.
 * Returns false like request_database(). */
bool request_variant(struct request *request, struct wari_variant *variant,
                     const struct database **database, enum MHD_Result *result);

/* Parses the argument `p`. Returns false like request_database(). */
bool request_position(struct request *request, struct wari_setup *setup, enum MHD_Result *result);

/* Parses the argument `detail`, which defaults to `full`. Returns false like request_database(). */
bool request_detail(struct request *request, enum answer_detail *detail, enum MHD_Result *result);

/* ---- Games ---- */

struct sent_game {
    struct wari_record record;
    json_t *remarks; /* remarks of the parser about the text, an array; NULL if memory ran out */
};

/* Reads the only game in the body, of one of the `count` variants. Returns false if an error
 * response was queued; *result is then the value to return, and there is nothing to free. */
bool sent_game_read(struct request *request, const struct wari_variant *variants, int count,
                    struct sent_game *sent, enum MHD_Result *result);
void sent_game_free(struct sent_game *sent);

#endif
