/* The endpoints: each answers a request that is well formed. */
#ifndef SERVE_API_API_H
#define SERVE_API_API_H

#include "serve/request/request.h"

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

#endif
