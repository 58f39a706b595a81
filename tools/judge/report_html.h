/* The report of judged games as one HTML file, which needs no other file and no script. */
#ifndef TOOLS_JUDGE_REPORT_HTML_H
#define TOOLS_JUDGE_REPORT_HTML_H

#include "tools/common/output.h"
#include "tools/judge/judged_game.h"

/* A report that is being written. If a write fails, `status` and *error say why, and all later
 * calls do nothing. */
struct html_report {
    struct output output;
    struct wari_error *error;
    enum wari_status status;
    int games; /* number of games written; also used to number the sections of the page */
};

/* Opens the file, which appears under its name only when the report is complete, and writes the
 * beginning of the page. It explains how the moves are judged, according to total->has_database and
 * total->has_reviews. `path` must outlive the report. Fails like output_open(). */
WARI_MUST_CHECK enum wari_status html_report_open(struct html_report *report, const char *path,
                                                  const struct judged_total *total,
                                                  struct wari_error *error);

/* Adds a message, such as that a game could not be read. */
void html_report_message(struct html_report *report, const char *message);

void html_report_game(struct html_report *report, const struct judged_game *game);
void html_report_total(struct html_report *report, const struct judged_total *total);

/* Ends the page and publishes the file if `status`, with which the command ended, is WARI_OK;
 * otherwise removes the file. Returns `status`, or the reason why the report could not be written.
 */
WARI_MUST_CHECK enum wari_status
html_report_close(struct html_report *report, enum wari_status status, struct wari_error *error);

#endif
