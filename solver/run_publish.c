/* Publishes finished levels: from then on they count.
 *
 * To publish takes three waits for the disk, however many levels it is for, and small levels are
 * solved in less time than that. So a finished level, whose file has its name already, waits until
 * as much work lies behind the first that waits as may be lost; then the folder is brought to disk,
 * and the catalogue that has them all. A build that ends, for whatever reason, publishes what is
 * finished, so only a kill or a power cut can lose that work.
 */
#include "solver/run.h"

#include "db/catalogue/catalogue_file.h"
#include "system/clock.h"

/* Unless the build says otherwise: little to lose, and many times the 3 to 8 ms of one wait for a
 * disk that was measured. */
static const double wait_seconds = 0.25;

/* Reports the finished levels, which have been published. */
static void report(struct wari_run *run)
{
    struct wari_progress *progress = &run->progress;

    for (int i = 0; i < run->finished.count; i++) {
        const struct wari_level_statistics *statistics = &run->finished.level[i].statistics;
        progress->seeds = statistics->seeds;
        progress->sweep = statistics->sweeps;
        progress->positions_done += statistics->positions;
        progress->level_seconds = run->finished.level[i].seconds;
        progress->level_bytes = run->finished.level[i].file_bytes;
        progress->statistics = statistics;
        wari_run_report(run, WARI_PHASE_LEVEL_DONE);
    }
    progress->statistics = NULL;
}

enum wari_status wari_run_publish(struct wari_run *run, struct wari_error *error)
{
    const char *folder = run->build->folder;
    enum wari_status status = wari_sync_folder(run->host, folder, error);

    if (status == WARI_OK)
        status = wari_catalogue_write(&run->catalogue, run->host, folder, error);
    for (int i = 0; i < run->finished.count && status == WARI_OK; i++)
        wari_checkpoint_remove(&(struct wari_level_address){
            run->host, folder, {run->build->variant, run->finished.level[i].statistics.seeds}});
    return status;
}

static enum wari_status publish(struct wari_run *run, struct wari_error *error)
{
    const enum wari_status status = run->ways->publish(run, error);

    if (status == WARI_OK)
        report(run);
    run->finished.count = 0; /* once: what failed to be brought to disk may never get there */
    return status;
}

enum wari_status wari_run_publish_if_due(struct wari_run *run, struct wari_error *error)
{
    const double wait = run->build->publish == 0 ? wait_seconds : run->build->publish;

    return wari_seconds_now() - run->finished.since >= wait ? publish(run, error) : WARI_OK;
}

enum wari_status wari_run_publish_rest(struct wari_run *run, enum wari_status status,
                                       struct wari_error *error)
{
    struct wari_error failure;
    enum wari_status published;

    if (run->finished.count == 0)
        return status;
    published = publish(run, &failure);
    /* A build that failed says why; one that was stopped or is done says that this failed. */
    if (published == WARI_OK || (status != WARI_OK && status != WARI_INTERRUPTED))
        return status;
    if (error)
        *error = failure;
    return published;
}
