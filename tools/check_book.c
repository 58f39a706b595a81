/* Whether a book is the one that was written: every byte by the hash of the whole, every block by
 * its own, and its record by the catalogue's rules. The verdict is data and goes to standard
 * output.
 */
#include "tools/check_book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/book/book_file.h"
#include "tools/common/output.h"
#include "tools/common/text.h"

/* The record was read when the handle was opened; the rest is read here. */
static enum wari_status check_bytes(const char *path, uint64_t *hash, struct wari_error *error)
{
    struct wari_book_file *file = malloc(sizeof *file);
    if (!file)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a book");
    enum wari_status status = wari_book_file_open(file, wari_host_system(), path, error);
    if (status == WARI_OK) {
        status = wari_book_check(&file->book, hash, error);
        wari_book_file_close(file);
    }
    free(file);
    return status;
}

static enum wari_status print_intact(const struct wari_db *db, bool json, const char *path,
                                     uint64_t hash, struct wari_error *error)
{
    struct wari_info info;
    char name[VARIANT_TEXT], bytes[TEXT_NUMBER], digits[20], clean[TEXT_PATH];
    wari_info(db, &info);
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    if (json)
        return json_print(json_pack("{sb ss ss si sI ss}", "ok", 1, "rules",
                                    wari_rules_info(info.variant.rules)->name, "cycle",
                                    wari_cycle_name(info.variant.cycle), "seeds", info.seeds_max,
                                    "bytes", (json_int_t)info.file_bytes, "hash", digits),
                          error);
    variant_text(info.variant, name);
    printf("%s in %s: book of 0 to %d seeds, %s bytes, hash %s: intact\n", name,
           text_path(path, clean), info.seeds_max, text_number(info.file_bytes, bytes), digits);
    return WARI_OK;
}

enum wari_status check_book(const struct database_options *options, struct wari_error *error)
{
    const bool json = options->format != 0;
    struct wari_db *db = NULL;
    struct wari_error unsaid;
    char path[TEXT_PATH];
    uint64_t hash = 0;
    enum wari_status status = options_open_book(&options->choice, options->book, NULL, &db, error);
    if (status == WARI_OK)
        status = check_bytes(options->book, &hash, error);
    if (status == WARI_OK)
        status = print_intact(db, json, options->book, hash, error);
    else if (status == WARI_CORRUPT && json)
        status = json_print(json_pack("{sb so}", "ok", 0, "text", json_message(error->text)),
                            &unsaid) == WARI_OK
                     ? WARI_CORRUPT
                     : wari_fail(error, unsaid.status, "%s", unsaid.text);
    else if (status == WARI_CORRUPT)
        printf("%s: DAMAGED\n", text_path(options->book, path));
    wari_close(db);
    return status;
}
