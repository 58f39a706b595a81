/* The record is written after each level, so that an interrupted proof continues where it stopped.
 * A folder that is not writable does not prevent a proof: the failure is reported at the end. */
#include "tools/verify/verify_record.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/host/host.h"
#include "db/wari.h"
#include "system/clock.h"
#include "tools/common/report.h"

enum { LEFTOVER_SECONDS = 3600 }; /* a temporary file of this age is not being written any more */

/* Returns true if `name` is the name of a temporary file for a record of this variant, such as
 * "awari-even.proof.7.0.tmp". */
static bool is_temporary(const char *name, struct wari_variant variant)
{
    char path[WARI_PATH_MAX];
    const char *end = strrchr(name, '.');
    if (end == NULL || strcmp(end, ".tmp") != 0 ||
        wari_variant_path(path, ".", variant, "proof.", NULL) != WARI_OK)
        return false;
    const char *begin = strrchr(path, '/') + 1;
    return strncmp(name, begin, strlen(begin)) == 0;
}

/* Removes the temporary files of processes that were killed while they wrote a record. Failures are
 * ignored, because such files do no harm. */
static void remove_leftovers(const char *folder, struct wari_variant variant)
{
    DIR *entries = opendir(folder);
    const time_t now = time(NULL);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        struct stat file;
        char path[WARI_PATH_MAX];
        if (is_temporary(entry->d_name, variant) &&
            wari_path(path, NULL, folder, "%s", entry->d_name) == WARI_OK &&
            lstat(path, &file) == 0 && file.st_mtime < now - LEFTOVER_SECONDS)
            (void)unlink(path);
    }
    if (entries != NULL)
        (void)closedir(entries);
}

enum wari_status verify_record_begin(struct verify_record *record, const char *folder,
                                     struct wari_variant variant, bool anew,
                                     struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    *record = (struct verify_record){.folder = folder, .anew = anew, .began = wari_seconds_now()};
    record->proof = (struct wari_proof_record){.variant = variant, .seeds_max = -1};
    enum wari_status status = wari_catalogue_read(&record->catalogue, host, folder, variant, error);
    if (status == WARI_OK)
        status = wari_catalogue_drop_unusable(&record->catalogue, host, folder, error);
    if (status == WARI_OK) {
        report_folder_sync("verify", folder);
        remove_leftovers(folder, variant);
    }
    if (status != WARI_OK || anew)
        return status;
    status = wari_proof_read(&record->proof, host, folder, variant, error);
    if (status != WARI_OK)
        return status;
    const int fits = wari_proof_fits(&record->proof, &record->catalogue);
    if (fits >= 0)
        report_note("verify", "levels 0 to %d are on record as proved; they are only read", fits);
    if (fits < record->proof.seeds_max && fits < record->catalogue.seeds_max)
        report_note(
            "verify",
            "the values of level %d are not those that are on record as proved; it is proved again",
            wari_catalogue_next(fits));
    record->proof.seeds_max = fits;
    return WARI_OK;
}

int verify_record_known(const struct verify_record *record)
{
    return record->proof.seeds_max + 1;
}

/* Returns true if the record in the folder has more proved levels than `record`, because another
 * process has written it meanwhile. Always returns false if existing records are to be ignored. */
static bool is_outdated(const struct verify_record *record)
{
    struct wari_proof_record other;
    const enum wari_status status =
        wari_proof_read(&other, wari_host_system(), record->folder, record->proof.variant, NULL);
    return status == WARI_OK && !record->anew &&
           wari_proof_fits(&other, &record->catalogue) > record->proof.seeds_max;
}

static void write_record(struct verify_record *record, int seeds, uint64_t payload_hash)
{
    struct wari_proof_level *level = &record->proof.level[seeds];
    const time_t now = time(NULL);
    struct tm date = {0};

    *level = (struct wari_proof_level){.payload_hash = payload_hash,
                                       .seconds = (uint64_t)(wari_seconds_now() - record->began)};
    snprintf(level->version, sizeof level->version, "%s", wari_version());
    (void)gmtime_r(&now, &date);
    (void)strftime(level->date, sizeof level->date, "%Y-%m-%d", &date);
    record->proof.seeds_max = seeds;
    if (!is_outdated(record))
        record->status =
            wari_proof_write(&record->proof, wari_host_system(), record->folder, &record->error);
}

enum wari_status verify_record_enter(struct verify_record *record, int seeds, uint64_t payload_hash,
                                     struct wari_error *error)
{
    const bool is_known = seeds <= record->proof.seeds_max;
    if (!is_known && record->status == WARI_OK)
        write_record(record, seeds, payload_hash);
    record->began = wari_seconds_now();
    if (is_known && record->proof.level[seeds].payload_hash != payload_hash)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: level %d was replaced by different values during the proof; start "
                         "again",
                         record->folder, seeds);
    return WARI_OK;
}
