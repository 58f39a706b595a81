/* The names of this server are localhost, the address at which the connection arrived, and the
 * names that its operator allowed. Ports are ignored: a client that has connected knows the port.
 */
#include "serve/hosts.h"

#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "serve/reply.h"

/* The host in a header or target: "localhost" of "localhost:8383", "::1" of "[::1]:8383". */
struct host {
    const char *text;
    size_t length;
};

static const char scheme[] = "http://", ipv4_mapped_prefix[] = "::ffff:";

/* Parses a host with an optional port, up to the end of the text or a '/'. If anything else follows
 * the host, as in "localhost:1.example.com", the result is the whole text, which is no name. */
static struct host read_host(const char *text)
{
    const bool bracket = *text == '[';
    const struct host host = {text + bracket, strcspn(text + bracket, bracket ? "]/" : ":/")};
    const char *rest = host.text + host.length;
    if (bracket && *rest == ']')
        rest++;
    if (*rest == ':')
        rest += 1 + strspn(rest + 1, "0123456789");
    return *rest == '\0' || *rest == '/' ? host : (struct host){text, strcspn(text, "/")};
}

static bool is_host(struct host host, const char *name)
{
    return strlen(name) == host.length && strncasecmp(host.text, name, host.length) == 0;
}

/* Returns true if the host is the address at which this connection arrived. An IPv4-mapped IPv6
 * address also matches in its IPv4 form, and the zone of a link-local address is ignored because
 * URLs do not contain it. */
static bool is_own_address(const struct request *request, struct host host)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char text[INET6_ADDRSTRLEN + IF_NAMESIZE]; /* the name of an interface may follow an address */
    if (getsockname(request->connection->socket, (struct sockaddr *)&address, &length) != 0 ||
        getnameinfo((struct sockaddr *)&address, length, text, sizeof text, NULL, 0,
                    NI_NUMERICHOST) != 0)
        return false;
    const bool four = strncmp(text, ipv4_mapped_prefix, strlen(ipv4_mapped_prefix)) == 0 &&
                      strchr(text, '.') != NULL;
    text[strcspn(text, "%")] = '\0';
    return is_host(host, text) || (four && is_host(host, text + strlen(ipv4_mapped_prefix)));
}

static bool is_own_host(const struct request *request, struct host host)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "::1"};
    const struct serve_options *options = &request->server->options;
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++) {
        if (is_host(host, local[i]))
            return true;
    }
    for (unsigned i = 0; i < options->host_count; i++) {
        if (is_host(host, options->hosts[i]))
            return true;
    }
    return is_own_address(request, host);
}

/* Checks an Origin header such as "http://page.example:80". The origin "null" is foreign. */
static bool is_own_origin(const struct request *request, const char *origin)
{
    const char *colon = strstr(origin, "://");
    return colon && is_own_host(request, read_host(colon + 3));
}

struct host_headers {
    const char *host;
    int count;
};

static enum MHD_Result count_host(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct host_headers *hosts = context;
    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        hosts->host = value;
        hosts->count++;
    }
    return MHD_YES;
}

static bool refuse_host(struct request *request, struct host host, enum MHD_Result *result)
{
    *result = reply_error(request, MHD_HTTP_MISDIRECTED_REQUEST,
                          "\"%.*s\" is not a name of this server; its operator can allow it "
                          "with --allow-host",
                          host.length < 80 ? (int)host.length : 80, host.text);
    return false;
}

/* Returns the start of the host in an absolute target, as sent to a proxy ("http://host/path");
 * NULL if the target has no host. */
static const char *target_host(const char *target)
{
    bool named = strncasecmp(target, scheme, sizeof scheme - 1) == 0;
    return named ? target + sizeof scheme - 1 : NULL;
}

static bool check_host(struct request *request, const char *path, const char *version,
                       enum MHD_Result *result)
{
    struct host_headers hosts = {.count = 0};
    const char *named = target_host(path);
    MHD_get_connection_values(request->mhd_connection, MHD_HEADER_KIND, count_host, &hosts);
    if (hosts.count > 1 || (hosts.count == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST, "the Host header %s",
                              hosts.count ? "is repeated" : "is missing");
        return false;
    }
    if (hosts.host && !is_own_host(request, read_host(hosts.host)))
        return refuse_host(request, read_host(hosts.host), result);
    if (named && !is_own_host(request, read_host(named)))
        return refuse_host(request, read_host(named), result);
    return true;
}

/* Returns the value of Access-Control-Allow-Origin for a request with this Origin header: "*" if
 * all origins are allowed, the origin itself if it is allowed, and otherwise NULL. `origin` is NULL
 * if the request has no such header. */
static const char *find_allowed_origin(const struct serve_options *options, const char *origin)
{
    const char *found = NULL;
    for (unsigned i = 0; i < options->origin_count; i++) {
        const char *allowed = options->origins[i];
        if (strcmp(allowed, "*") == 0)
            return allowed;
        if (origin && strcasecmp(allowed, origin) == 0)
            found = origin;
    }
    return found;
}

bool request_is_allowed(struct request *request, const char *path, const char *version,
                        enum MHD_Result *result)
{
    const struct serve_options *options = &request->server->options;
    struct MHD_Connection *connection = request->mhd_connection;
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if (!check_host(request, path, version, result))
        return false;
    const char *below = path_strip_base(options->base, target_path(path));
    const bool is_api = below && strncmp(below, "/api/", 5) == 0;
    if (is_api) {
        request->readable_by = find_allowed_origin(options, origin);
        request->depends_on_origin =
            options->origin_count > 0 && find_allowed_origin(options, NULL) == NULL;
    }
    if (request->readable_by)
        return true;
    /* Browsers omit Origin if a page only embeds a resource, but they send Sec-Fetch-Site.
     * Following a link from another site to the page itself is allowed. */
    const bool embedded = site && strcmp(site, "cross-site") == 0 && is_api;
    if ((!origin || is_own_origin(request, origin)) && !embedded)
        return true;
    *result = reply_error(request, MHD_HTTP_FORBIDDEN,
                          "this request comes from a page of another site; the server's operator "
                          "can allow that site to use the API with --allow-origin, or, if it is "
                          "this server under another name, allow the name with --allow-host");
    return false;
}

bool host_name_is_valid(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
    /* Finds the last colon, which may precede a port; an IPv6 address has several colons. */
    const char *digits = strrchr(name, ':');
    return *name && strspn(name, allowed) == strlen(name) &&
           (!digits || strchr(name, ':') != digits);
}

bool origin_is_valid(const char *origin)
{
    static const char secure_scheme[] = "https://";
    if (strcmp(origin, "*") == 0)
        return true;
    const char *host = target_host(origin);
    if (strncasecmp(origin, secure_scheme, sizeof secure_scheme - 1) == 0)
        host = origin + sizeof secure_scheme - 1;
    if (!host)
        return false;
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    size_t length = strspn(host, letters);
    if (*host == '[') { /* an IPv6 address */
        length = 1 + strspn(host + 1, "0123456789abcdefABCDEF:.");
        if (length == 1 || host[length++] != ']')
            return false;
    }
    const char *port = host + length;
    return length > 0 && (*port == '\0' || (*port == ':' && port[1] &&
                                            strspn(port + 1, "0123456789") == strlen(port + 1)));
}

/* ---- Paths ---- */

const char *target_path(const char *target)
{
    const char *host = target_host(target);
    const char *path = host ? strchr(host, '/') : target;
    return path ? path : "/";
}

const char *path_strip_base(const char *base, const char *path)
{
    size_t length = strlen(base) - 1; /* without the last slash */
    return strncmp(path, base, length) == 0 && path[length] == '/' ? path + length : NULL;
}

const char *path_redirect(const char *base, const char *path)
{
    size_t length = strlen(base) - 1;
    if (length == 0 || strlen(path) != length || strncmp(path, base, length) != 0)
        return NULL;
    while (base[length - 1] != '/')
        length--;
    return base + length;
}

bool base_path_is_valid(const char *base)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-";
    size_t length = strlen(base);
    if (length > BASE_PATH_MAX || base[0] != '/')
        return false;
    for (const char *folder = base + 1; *folder;) {
        size_t letters = strspn(folder, allowed);
        bool dots = strspn(folder, ".") == letters; /* reject empty names, "." and ".." */
        if (dots || folder[letters] != '/')
            return false;
        folder += letters + 1;
    }
    return true;
}
