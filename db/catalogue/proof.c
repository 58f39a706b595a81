/* Reads and writes proof records.
 *
 * There is exactly one text for a record. The reader parses the text, prints the result again, and
 * accepts the text only if both are identical. So a record that is accepted was written by this
 * program or an equivalent one, and the hash at its end detects damage.
 */
#include "db/catalogue/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"

enum {
    PROOF_FORMAT = 1, /* format version of proof records; FORMAT.md has the history */
    /* Exceeds the size of every record: 48 levels, each with one line of less than 120 bytes. */
    BYTES_MAX = 8192,
    NAMES_MAX = 1000, /* number of attempts to find a free name for the temporary file. The name
                       * contains the process ID, but processes on different hosts may have the
                       * same ID */
};

static const char first_line[] = "wari proof ";

/* Returns the names of the properties that `wari verify` proves under a cycle rule (HOW.md, "The
 * proof"). */
static const char *parts(struct wari_variant variant)
{
    return variant.cycle == WARI_OWN ? "abc" : "ab";
}

int wari_proof_fits(const struct wari_proof_record *proof, const struct wari_catalogue *catalogue)
{
    int last = -1;
    for (int n = 0; n <= proof->seeds_max && n <= catalogue->seeds_max;
         n = wari_catalogue_next(n)) {
        if (proof->level[n].payload_hash != catalogue->level[n].payload_hash)
            break;
        last = n;
    }
    return last;
}

/* ---- Text ---- */

struct text {
    char bytes[BYTES_MAX];
    size_t used;
};

/* Appends to the text. BYTES_MAX is enough for every record. */
__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(text->bytes + text->used, BYTES_MAX - text->used, format, arguments);
    va_end(arguments);
    text->used += (size_t)length;
}

static void print_proof(struct text *text, const struct wari_proof_record *proof)
{
    text->used = 0;
    print(text, "%s%d\n", first_line, PROOF_FORMAT);
    print(text, "rules %s\ncycle %s\n", wari_get_rules_info(proof->variant.rules)->name,
          wari_cycle_name(proof->variant.cycle));
    for (int n = 0; n <= proof->seeds_max; n = wari_catalogue_next(n)) {
        const struct wari_proof_level *level = &proof->level[n];
        print(text, "level %d payload %016llx proved %s version %s date %s seconds %llu\n", n,
              (unsigned long long)level->payload_hash, parts(proof->variant), level->version,
              level->date, (unsigned long long)level->seconds);
    }
    print(text, "hash %016llx\n", (unsigned long long)XXH3_64bits(text->bytes, text->used));
}

/* Parses the lines of levels, up to the first level out of order. */
static void scan_levels(struct wari_proof_record *proof, const char *line)
{
    proof->seeds_max = -1;
    for (; line != NULL; line = strchr(line, '\n')) {
        struct wari_proof_level level = {0};
        unsigned long long payload, seconds;
        int n;
        line += *line == '\n';
        if (sscanf(line,
                   "level %2d payload %16llx proved %*3s version %15[0-9.] date %15[0-9-] "
                   "seconds %19llu",
                   &n, &payload, level.version, level.date, &seconds) != 5)
            continue;
        if (n > WARI_SEEDS_MAX || n != wari_catalogue_next(proof->seeds_max))
            return;
        level.payload_hash = payload;
        level.seconds = seconds;
        proof->level[n] = level;
        proof->seeds_max = n;
    }
}

/* Returns true if both texts are identical from their second lines on. Each text ends with a 0. */
static bool same_but_for_version(const char *one, const char *other)
{
    const char *rest = strchr(one, '\n');
    return rest != NULL && strcmp(rest, strchr(other, '\n')) == 0;
}

/* Parses a text, which ends with a 0. A damaged version number is reported as damage, and not as
 * another version. */
static enum wari_status parse(struct wari_proof_record *proof, const struct text *text,
                              const char *path, struct wari_error *error)
{
    struct text again;
    int format = 0;

    scan_levels(proof, text->bytes);
    print_proof(&again, proof);
    if (sscanf(text->bytes, "wari proof %9d", &format) == 1 && format > PROOF_FORMAT &&
        !same_but_for_version(text->bytes, again.bytes))
        return wari_fail(
            error, WARI_MISMATCH,
            "%s: the record of proved levels has version %d, but this program reads version %d; "
            "use the program that wrote it, or replace it with 'wari verify --anew'",
            path, format, PROOF_FORMAT);
    if (proof->seeds_max >= 0 && again.used == text->used &&
        memcmp(again.bytes, text->bytes, text->used) == 0)
        return WARI_OK;
    return wari_fail(error, WARI_CORRUPT,
                     "%s: the record of proved levels is damaged or of another rule set; 'wari "
                     "verify --anew' replaces it",
                     path);
}

/* ---- File ---- */

static enum wari_status read_text(struct text *text, const struct wari_host *host, int fd,
                                  const char *path, struct wari_error *error)
{
    const off_t size = host->size(host->context, fd);
    if (size < 0)
        return wari_fail_errno(error, path, "find the size");
    text->used = size < BYTES_MAX ? (size_t)size : BYTES_MAX - 1;
    text->bytes[text->used] = 0;
    return wari_read_at(host, fd, path, text->bytes, text->used, 0, error);
}

enum wari_status wari_proof_read(struct wari_proof_record *proof, const struct wari_host *host,
                                 const char *folder, struct wari_variant variant,
                                 struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    struct wari_error why;
    struct text text;
    int fd;

    memset(proof, 0, sizeof *proof);
    proof->variant = variant;
    proof->seeds_max = -1;
    enum wari_status status = wari_variant_path(path, folder, variant, "proof", error);
    if (status != WARI_OK)
        return status;
    status = wari_open_file(host, path, O_RDONLY, &fd, &why);
    if (status != WARI_OK)
        return errno == ENOENT ? WARI_OK : wari_fail(error, status, "%s", why.text);
    status = read_text(&text, host, fd, path, error);
    host->close(host->context, fd);
    if (status == WARI_OK)
        status = parse(proof, &text, path, error);
    if (status != WARI_OK)
        proof->seeds_max = -1;
    return status;
}

/* Creates a file under a free name, since several processes, possibly on several hosts, may
 * write records at once. */
static enum wari_status create_temporary(char temporary[WARI_PATH_MAX],
                                         const struct wari_host *host, const char *folder,
                                         const char *path, int *fd, struct wari_error *error)
{
    enum wari_status status;
    int number = 0;
    do {
        status = wari_path(temporary, error, folder, "%s.%ld.%d.tmp", strrchr(path, '/') + 1,
                           (long)getpid(), number++);
        if (status == WARI_OK)
            status = wari_create_file(host, temporary, path, fd, error);
    } while (status == WARI_IO && errno == EEXIST && number < NAMES_MAX);
    return status;
}

enum wari_status wari_proof_write(const struct wari_proof_record *proof,
                                  const struct wari_host *host, const char *folder,
                                  struct wari_error *error)
{
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
    struct text text;
    int fd;

    if (proof->seeds_max < 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "a record of proved levels needs at least one level");
    enum wari_status status = wari_variant_path(path, folder, proof->variant, "proof", error);
    if (status == WARI_OK)
        status = create_temporary(temporary, host, folder, path, &fd, error);
    if (status != WARI_OK)
        return status;
    print_proof(&text, proof);
    status = wari_write_at(host, fd, temporary, text.bytes, text.used, 0, error);
    if (status == WARI_OK)
        return wari_publish(host, fd, temporary, folder, path, error);
    host->close(host->context, fd);
    host->unlink(host->context, temporary);
    return status;
}
