/* Importing: makes level files from score files (db/scores/), without solving. */
#ifndef SOLVER_IMPORT_IMPORT_H
#define SOLVER_IMPORT_IMPORT_H

#include "db/catalogue/catalogue.h"
#include "solver/build.h"

/* The work that is being done on a level, for the progress callback of an import. */
struct wari_import_progress {
    int seeds;
    bool counting; /* positions with a full opponent half are counted; otherwise the file is written
                    */
    uint64_t done, all; /* parts of the work: items counted, or chunks written */
};

struct wari_import {
    /* Folder, variant, threads, memory, checkpoint, no_lock, host, context and stop have the same
     * meaning as for a build. progress() is called only for WARI_PHASE_LEVEL_DONE. All other fields
     * are ignored. */
    struct wari_build build;
    const char *scores; /* folder of the score files */
    int first, last;    /* the levels to import; those that the database has are skipped */
    bool packed;        /* write packed files */

    /* For tests of programs that read large databases. The score files consist of holes, except for
     * a few rows. Values in holes are 0 and are not read. The histogram in the catalogue is that of
     * a level of zeros, and the payload hash covers only the rows that were read. */
    bool sparse;

    /* Called from time to time, by one thread at a time. NULL means no calls. */
    void (*advance)(void *context, const struct wari_import_progress *progress);
};

/* Imports the levels one after the other. A level is published when its file is complete. While a
 * level is imported, its state is saved every build.checkpoint seconds, after a stop request, and
 * when a file cannot be read or written; the same call resumes it. The files are those that a build
 * writes, followed by wari_pack() if `packed`.
 *
 * The values are not proved. Captures of positions with a full opponent half, which are counted but
 * not stored, are looked up in the lower levels of the database.
 *     WARI_BAD_INPUT    too little memory: the text gives the minimum
 *     WARI_NOT_COVERED  the database lacks a level below the first one
 *     WARI_CORRUPT      a score file has a wrong size, or a byte that is no value of the level; the
 *                       text names file and offset. Or a score file was changed during the import,
 *                       or a level file is damaged
 *     WARI_BUSY         another process builds in the folder
 *     WARI_IO, WARI_MISMATCH, WARI_NO_MEMORY, WARI_INTERRUPTED */
WARI_MUST_CHECK enum wari_status wari_import(const struct wari_import *import,
                                             struct wari_error *error);

/* Checks that all score files exist and have the right sizes, and that the database has the levels
 * below the first one. Changes no file. `catalogue` is that of the database, as
 * wari_catalogue_find_missing() leaves it. wari_import() calls this as well. Returns
 * WARI_NOT_COVERED, WARI_CORRUPT or WARI_IO as wari_import() does. */
WARI_MUST_CHECK enum wari_status wari_import_check(const struct wari_import *import,
                                                   const struct wari_catalogue *catalogue,
                                                   struct wari_error *error);

/* Returns the least memory with which levels up to import->last can be imported, in bytes. */
uint64_t wari_import_memory_least(const struct wari_import *import);

/* Returns the memory that an import of levels up to import->last can use, in bytes: one score file
 * and all lower levels are held in memory. */
uint64_t wari_import_memory_most(const struct wari_import *import);

#endif
