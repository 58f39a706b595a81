/* What the library calls: for each piece of a request, and when it has ended. */
#ifndef SERVE_HANDLE_H
#define SERVE_HANDLE_H

#include "serve/request/request.h"

enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **request);
void request_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);

#endif
