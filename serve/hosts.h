/* Checks which host a request addresses, and which web page caused it.
 *
 * A web page from any site can make its visitor's browser send requests to a server on the
 * visitor's own machine. If the site also points a host name of its own at that machine (DNS
 * rebinding), the page can even read the responses. So a request must name a host under which this
 * server is known, and must not come from a page of another site. */
#ifndef SERVE_HOSTS_H
#define SERVE_HOSTS_H

#include "serve/request.h"

/* Returns true if the request may be answered as far as its Host, Origin and target are concerned.
 * Otherwise queues a rejection and sets *result: 421 for a foreign host, 403 for a page of another
 * site whose origin is not allowed, 400 if the Host header is missing or repeated. Sets
 * request->readable_by and request->depends_on_origin for a path of the API. `path` is the request
 * target as it was sent; it may contain a host. */
bool request_is_allowed(struct request *request, const char *path, const char *version,
                        enum MHD_Result *result);

/* Returns true if `name` is valid for --allow-host: a host name or an address, without a port.
 * Patterns are not supported and therefore not valid. */
bool host_name_is_valid(const char *name);

/* Returns true if `origin` is valid for --allow-origin: "*", or "http://" or "https://", a host,
 * and optionally a port, without a path. */
bool origin_is_valid(const char *origin);

/* ---- Paths ---- */

/* Maximal length of a base path in bytes: enough for several folders, and far less than a request
 * line may have. */
enum { BASE_PATH_MAX = 200 };

/* Returns the path in a request target, without the host that the target may contain. */
const char *target_path(const char *target);

/* Returns the part of a path below `base`, including its first slash: "/api/info" for
 * "/wari/api/info" and base "/wari/". Returns NULL if the path is not below `base`. */
const char *path_strip_base(const char *base, const char *path);

/* Returns the redirect for a path that is `base` without its last slash: "wari/" for "/wari". Being
 * relative, it also works behind a proxy that adds a prefix. Returns NULL for any other path. */
const char *path_redirect(const char *base, const char *path);

/* Returns true if `base` is valid for --base: "/", or folder names of letters, digits, '.', '_',
 * '~' and '-' between slashes, as they appear in a URL. */
bool base_path_is_valid(const char *base);

#endif
