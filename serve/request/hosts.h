/* Whom a request is for, and on whose behalf it comes.
 *
 * A page from anywhere can make its visitor's browser ask a server on the visitor's own machine,
 * and with a name of its own that it lets point there even read the answers. So a request must name
 * a host that this server is, and must not come from a page of another one. */
#ifndef SERVE_REQUEST_HOSTS_H
#define SERVE_REQUEST_HOSTS_H

#include "serve/request/request.h"

/* Whether the request may be answered, as far as its Host, Origin and target are concerned;
 * otherwise *result is the refusal: 421 for another host, 403 for a page from elsewhere, 400 where
 * the host is missing or stands twice. `path` is as it was sent, perhaps with a host in it. */
bool request_invited(struct request *request, const char *path, const char *version,
                     enum MHD_Result *result);

/* The path alone of a target that may name the host as well, as for a proxy: "http://host/path". */
const char *target_path(const char *target);

/* Whether `name` can stand behind --allow-host: a name or an address, without a port. */
bool host_is_name(const char *name);

#endif
