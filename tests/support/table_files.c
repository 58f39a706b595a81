/* Writes tables of given values as database folders, through the same writer as the program. */
#include "tests/support/table_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_writer.h"

const struct ref_table *reference_of(struct wari_variant variant, int seeds_max)
{
    static struct ref_table *solved[WARI_RULES_COUNT][WARI_CYCLE_COUNT][REF_MAX_SEEDS + 1];
    struct ref_table **of_variant = solved[variant.rules][variant.cycle];

    for (int seeds = seeds_max; seeds <= REF_MAX_SEEDS; seeds++)
        if (of_variant[seeds] != NULL)
            return of_variant[seeds];
    of_variant[seeds_max] = ref_solve((int)variant.rules, (int)variant.cycle, seeds_max);
    return of_variant[seeds_max];
}

/* ---- Tables in memory ------------------------------------------------------------------------ */

enum wari_status table_make(struct table *table, struct wari_variant variant, int seeds_max,
                            table_value *value, const void *context)
{
    *table = (struct table){.variant = variant, .seeds_max = seeds_max};
    for (int n = 0; n <= seeds_max; n++) {
        uint64_t positions = wari_level_positions(n);
        wari_layout_init(&table->layout[n], n);
        table->values[n] = malloc(positions);
        if (table->values[n] == NULL) {
            table_free(table);
            return WARI_NO_MEMORY;
        }
        for (uint64_t cell = 0; cell < positions; cell++) {
            struct wari_position position;
            wari_layout_unrank(&table->layout[n], cell, &position);
            table->values[n][cell] = (int8_t)value(context, &position);
        }
    }
    return WARI_OK;
}

static int reference_value(const void *context, const struct wari_position *position)
{
    return ref_value(context, position->pits);
}

enum wari_status table_solve(struct table *table, struct wari_variant variant, int seeds_max)
{
    const struct ref_table *solved = reference_of(variant, seeds_max);
    if (solved == NULL)
        return WARI_NO_MEMORY;
    return table_make(table, variant, seeds_max, reference_value, solved);
}

void table_free(struct table *table)
{
    for (int n = 0; n <= WARI_SEEDS_MAX; n++) {
        free(table->values[n]);
        table->values[n] = NULL;
    }
}

int8_t *table_cell(const struct table *table, const struct wari_position *position)
{
    int n = wari_seeds(position);
    return &table->values[n][wari_layout_rank(&table->layout[n], position)];
}

int table_best(const struct table *table, const struct wari_position *position)
{
    struct wari_moves moves;
    wari_find_moves(table->variant.rules, position, &moves);
    int best = moves.end_value;
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        int value = wari_move_value(move, move->ends ? 0 : *table_cell(table, &move->next));
        if (i == 0 || value > best)
            best = value;
    }
    return best;
}

uint64_t table_inconsistent(const struct table *table, int seeds)
{
    uint64_t count = 0;
    for (uint64_t cell = 0; cell < wari_level_positions(seeds); cell++) {
        struct wari_position position;
        wari_layout_unrank(&table->layout[seeds], cell, &position);
        count += table_best(table, &position) != table->values[seeds][cell];
    }
    return count;
}

/* ---- Folders of files ------------------------------------------------------------------------ */

/* Counts all placements with `seeds` seeds, pit by pit; the last pit gets the remaining seeds. */
static void count_placements(const struct table *table, struct wari_position *position, int pit,
                             int left, uint64_t *histogram)
{
    if (pit == WARI_PITS - 1) {
        position->pits[pit] = (uint8_t)left;
        int value = wari_position_stored(position) ? *table_cell(table, position)
                                                   : table_best(table, position);
        histogram[value + WARI_SEEDS_MAX]++;
        return;
    }
    for (int here = 0; here <= left; here++) {
        position->pits[pit] = (uint8_t)here;
        count_placements(table, position, pit + 1, left - here, histogram);
    }
}

static enum wari_status read_values(void *values, uint64_t chunk, int8_t *out, size_t count,
                                    struct wari_error *error)
{
    (void)error;
    memcpy(out, (const int8_t *)values + chunk * WARI_CHUNK_POSITIONS, count);
    return WARI_OK;
}

static enum wari_status write_level(const struct table *table, const char *folder, int seeds,
                                    uint64_t hash_error, struct wari_level_record *record)
{
    const struct wari_level_address address = {wari_host_system(), folder, {table->variant, seeds}};
    record->payload_hash =
        XXH3_64bits(table->values[seeds], (size_t)wari_level_positions(seeds)) + hash_error;
    const struct wari_level_source source = {
        .payload_hash = record->payload_hash, .read = read_values, .context = table->values[seeds]};
    return wari_level_write(&address, &source, record, NULL);
}

enum wari_status table_write(const struct table *table, const char *folder,
                             const struct table_flaws *flaws)
{
    struct wari_catalogue *catalogue = calloc(1, sizeof *catalogue);
    enum wari_status status = WARI_OK;

    if (catalogue == NULL)
        return WARI_NO_MEMORY;
    catalogue->variant = table->variant;
    catalogue->seeds_max = table->seeds_max;
    for (int n = 0; n <= table->seeds_max && status == WARI_OK; n++) {
        struct wari_level_record *record = &catalogue->level[n];
        bool flawed = flaws && flaws->seeds == n;
        struct wari_position position;
        status = write_level(table, folder, n, flawed ? flaws->hash_error : 0, record);
        count_placements(table, &position, 0, n, record->histogram);
        if (flawed) {
            record->histogram[flaws->count_from + WARI_SEEDS_MAX] -= flaws->count_error;
            record->histogram[flaws->count_to + WARI_SEEDS_MAX] += flaws->count_error;
        }
    }
    if (status == WARI_OK)
        status = wari_catalogue_write(catalogue, wari_host_system(), folder, NULL);
    free(catalogue);
    return status;
}

enum wari_status table_verify_all(const struct table *table, const struct table_flaws *flaws,
                                  int count, const struct wari_verify *verify,
                                  enum wari_status *status, struct wari_verify_report *report)
{
    char folder[TABLE_FOLDER_MAX];
    if (!table_folder_make(folder))
        return WARI_IO;
    const bool written = table_write(table, folder, flaws) == WARI_OK;
    for (int i = 0; i < count && written; i++) {
        struct wari_verify here = verify[i];
        here.folder = folder;
        here.variant = table->variant;
        status[i] = wari_verify(&here, &report[i], NULL);
    }
    return table_folder_remove(folder) && written ? WARI_OK : WARI_IO;
}

enum wari_status table_verify(const struct table *table, const struct table_flaws *flaws,
                              const struct wari_verify *verify, struct wari_verify_report *report)
{
    enum wari_status status;
    return table_verify_all(table, flaws, 1, verify, &status, report) == WARI_OK ? status : WARI_IO;
}

bool table_folder_make(char folder[TABLE_FOLDER_MAX])
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(folder, TABLE_FOLDER_MAX, "%s/wari-test-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    return length < TABLE_FOLDER_MAX && mkdtemp(folder) != NULL;
}

bool table_folder_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    bool removed = entries != NULL;
    struct dirent *entry;

    while (removed && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            removed = unlinkat(dirfd(entries), entry->d_name, 0) == 0;
    }
    if (entries != NULL)
        closedir(entries);
    return removed && rmdir(folder) == 0;
}
