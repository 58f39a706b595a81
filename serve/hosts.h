/* Whom a request is for, and on whose behalf it comes.
 *
 * A page from anywhere can make its visitor's browser ask a server on the visitor's own machine,
 * and with a name of its own that it lets point there even read the answers. So a request must name
 * a host that this server is, and must not come from a page of another one. */
#ifndef SERVE_HOSTS_H
#define SERVE_HOSTS_H

#include "serve/request.h"

/* Whether the request may be answered, as far as its Host, Origin and target are concerned;
 * otherwise *result is the refusal: 421 for another host, 403 for a page from elsewhere, 400 where
 * the host is missing or stands twice. `path` is as it was sent, perhaps with a host in it. */
bool request_is_allowed(struct request *request, const char *path, const char *version,
                        enum MHD_Result *result);

/* Whether `name` can stand behind --allow-host: a name or an address, without a port. A pattern
 * would match nothing, and is none. */
bool host_name_is_valid(const char *name);

/* ---- Paths ---- */

enum { BASE_PATH_MAX = 200 }; /* bytes; room for several folders, and far below that of a request */

/* Where the host begins in a target that has one (for a proxy): "http://host/path". Or NULL. */
const char *target_host(const char *target);

/* The path alone of a target. */
const char *target_path(const char *target);

/* The part of a path below `base`, from its slash on: "/api/info" of "/wari/api/info". NULL if it
 * is not below it. */
const char *path_strip_base(const char *base, const char *path);

/* Where to go from a path that is `base` without its last slash: "wari/" from "/wari". It holds
 * behind a proxy that puts more in front, too. NULL if the path is another one. */
const char *path_redirect(const char *base, const char *path);

/* Whether `base` can stand behind --base: "/", or folders of letters, digits, '.', '_', '~' and '-'
 * between slashes, as they stand in an address. */
bool base_path_is_valid(const char *base);

#endif
