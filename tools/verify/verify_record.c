/* Written after each level, so that a proof that is interrupted goes on where it was. A folder that
 * cannot be written into does not keep anybody from proving: that is told at the end. */
#include "tools/verify/verify_record.h"

#include <stdio.h>
#include <time.h>

#include "db/catalogue/catalogue_file.h"
#include "db/wari.h"
#include "tools/common/report.h"

static double now(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum wari_status verify_record_begin(struct verify_record *record, const char *folder,
                                     struct wari_variant variant, bool anew,
                                     struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    *record = (struct verify_record){.folder = folder, .anew = anew, .began = now()};
    record->proof = (struct wari_proof_record){.variant = variant, .seeds_max = -1};
    enum wari_status status = wari_catalogue_read(&record->catalogue, host, folder, variant, error);
    if (status != WARI_OK || anew)
        return status;
    status = wari_proof_read(&record->proof, host, folder, variant, error);
    if (status != WARI_OK)
        return status;
    const int fits = wari_proof_fits(&record->proof, &record->catalogue);
    if (fits >= 0)
        report_note("verify", "levels 0 to %d were proved before, by the record: reading them only",
                    fits);
    if (fits < record->proof.seeds_max && fits < record->catalogue.seeds_max)
        report_note("verify", "level %d has other values than those that the record is about",
                    wari_catalogue_next(fits));
    record->proof.seeds_max = fits;
    return WARI_OK;
}

int verify_record_known(const struct verify_record *record)
{
    return record->proof.seeds_max + 1;
}

/* Whether another process has proved more meanwhile. */
static bool is_behind(const struct verify_record *record)
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
    const time_t today = time(NULL);
    struct tm date = {0};

    *level = (struct wari_proof_level){.payload_hash = payload_hash,
                                       .seconds = (uint64_t)(now() - record->began)};
    snprintf(level->version, sizeof level->version, "%s", wari_version());
    (void)gmtime_r(&today, &date);
    (void)strftime(level->date, sizeof level->date, "%Y-%m-%d", &date);
    record->proof.seeds_max = seeds;
    if (!is_behind(record))
        record->status =
            wari_proof_write(&record->proof, wari_host_system(), record->folder, &record->error);
}

enum wari_status verify_record_enter(struct verify_record *record, int seeds, uint64_t payload_hash,
                                     struct wari_error *error)
{
    const bool is_known = seeds <= record->proof.seeds_max;
    if (!is_known && record->status == WARI_OK)
        write_record(record, seeds, payload_hash);
    record->began = now();
    if (is_known && record->proof.level[seeds].payload_hash != payload_hash)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: level %d was replaced by other values just now; begin again",
                         record->folder, seeds);
    return WARI_OK;
}
