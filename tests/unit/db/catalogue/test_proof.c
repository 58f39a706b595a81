/* Proof records: the reader returns what was written, and accepts no other text.
 *
 * The text of the record is the example in db/FORMAT.md, written by hand except for its hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/catalogue/proof.h"
#include "tests/support/fault_host.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

static struct wari_proof_record sample_proof(void)
{
    struct wari_proof_record proof = {.variant = variant, .seeds_max = 2};
    for (int n = 0; n <= 2; n++)
        proof.level[n] = (struct wari_proof_level){.payload_hash = 0xabcdef0123456789 + (unsigned)n,
                                                   .version = "0.1.0",
                                                   .date = "2026-11-23",
                                                   .seconds = 60 * (unsigned)n};
    return proof;
}

static const char lines[] =
    "wari proof 1\n"
    "rules abapa\n"
    "cycle own\n"
    "level 0 payload abcdef0123456789 proved abc version 0.1.0 date 2026-11-23 seconds 0\n"
    "level 1 payload abcdef012345678a proved abc version 0.1.0 date 2026-11-23 seconds 60\n"
    "level 2 payload abcdef012345678b proved abc version 0.1.0 date 2026-11-23 seconds 120\n";

static void put(const char *folder, const char *text, size_t bytes)
{
    char path[300];
    snprintf(path, sizeof path, "%s/abapa-own.proof", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Writes `text` followed by its correct hash and reads it. */
static enum wari_status read_with_hash(const char *folder, const char *text,
                                       struct wari_proof_record *proof)
{
    char all[2048];
    const int length = snprintf(all, sizeof all, "%shash %016llx\n", text,
                                (unsigned long long)XXH3_64bits(text, strlen(text)));
    put(folder, all, (size_t)length);
    return wari_proof_read(proof, wari_host_system(), folder, variant, NULL);
}

static int files_in(const char *folder)
{
    DIR *entries = opendir(folder);
    int count = 0;

    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    assert_int_equal(closedir(entries), 0);
    return count;
}

static void a_written_record_is_read_unchanged(void **state)
{
    const struct wari_proof_record proof = sample_proof();
    char folder[TABLE_FOLDER_MAX], path[300], text[2048], expected[2048];
    struct wari_proof_record again;

    (void)state;
    assert_true(table_folder_make(folder));
    assert_int_equal(wari_proof_read(&again, wari_host_system(), folder, variant, NULL), WARI_OK);
    assert_int_equal(again.seeds_max, -1); /* there is no record yet */
    assert_int_equal(wari_proof_write(&proof, wari_host_system(), folder, NULL), WARI_OK);
    snprintf(path, sizeof path, "%s/abapa-own.proof", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    snprintf(expected, sizeof expected, "%shash %016llx\n", lines,
             (unsigned long long)XXH3_64bits(lines, strlen(lines)));
    assert_string_equal(text, expected);
    assert_int_equal(wari_proof_read(&again, wari_host_system(), folder, variant, NULL), WARI_OK);
    assert_memory_equal(&again, &proof, sizeof proof);
    assert_true(table_folder_remove(folder));
}

static void every_flipped_bit_is_noticed(void **state)
{
    char folder[TABLE_FOLDER_MAX], all[2048];
    struct wari_proof_record proof;

    (void)state;
    assert_true(table_folder_make(folder));
    assert_int_equal(read_with_hash(folder, lines, &proof), WARI_OK);
    const int length = snprintf(all, sizeof all, "%shash %016llx\n", lines,
                                (unsigned long long)XXH3_64bits(lines, strlen(lines)));
    for (int bit = 0; bit < 8 * length; bit++) {
        all[bit / 8] = (char)(all[bit / 8] ^ 1 << bit % 8);
        put(folder, all, (size_t)length);
        assert_int_equal(wari_proof_read(&proof, wari_host_system(), folder, variant, NULL),
                         WARI_CORRUPT);
        assert_int_equal(proof.seeds_max, -1);
        all[bit / 8] = (char)(all[bit / 8] ^ 1 << bit % 8);
    }
    for (int bytes = 0; bytes < length; bytes++) {
        put(folder, all, (size_t)bytes);
        assert_int_equal(wari_proof_read(&proof, wari_host_system(), folder, variant, NULL),
                         WARI_CORRUPT);
    }
    assert_true(table_folder_remove(folder));
}

/* All records in this test have correct hashes, as forged records would. */
static void strange_records_are_refused(void **state)
{
    static const struct {
        const char *from, *to;
        enum wari_status status;
    } edits[] = {
        {"proof 1", "proof 2", WARI_MISMATCH},
        {"abapa", "awari", WARI_CORRUPT},
        {"level 1 ", "level 3 ", WARI_CORRUPT},
        {"proved abc", "proved ab", WARI_CORRUPT},
        {"seconds 60", "seconds 060", WARI_CORRUPT},
        {"cycle own\n", "cycle own\n\n", WARI_CORRUPT},
        {"0.1.0", "", WARI_CORRUPT},
        {"level 0 ", "level 0  ", WARI_CORRUPT},
    };
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    assert_true(table_folder_make(folder));
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const char *at = strstr(lines, edits[i].from);
        char text[1024];
        struct wari_proof_record proof;
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - lines), lines, edits[i].to,
                 at + strlen(edits[i].from));
        assert_int_equal(read_with_hash(folder, text, &proof), edits[i].status);
    }
    assert_true(table_folder_remove(folder));
}

static void a_level_of_other_values_ends_what_is_proved(void **state)
{
    struct wari_proof_record proof = sample_proof();
    static struct wari_catalogue catalogue;

    (void)state;
    catalogue.seeds_max = 5;
    for (int n = 0; n <= 5; n++)
        catalogue.level[n].payload_hash = 0xabcdef0123456789 + (unsigned)n;
    assert_int_equal(wari_proof_fits(&proof, &catalogue), 2);
    proof.level[1].payload_hash++;
    assert_int_equal(wari_proof_fits(&proof, &catalogue), 0);
    proof.level[0].payload_hash++;
    assert_int_equal(wari_proof_fits(&proof, &catalogue), -1);
    catalogue.seeds_max = -1;
    proof = sample_proof();
    assert_int_equal(wari_proof_fits(&proof, &catalogue), -1);
}

/* Whichever call fails, the file is either the complete old record or the complete new record,
 * and no other file remains. The only failure that is ignored is that of the last call, which
 * closes the folder. */
static void a_record_that_cannot_be_written_leaves_the_old_one(void **state)
{
    static const struct {
        int kinds, error;
    } faults[] = {{FAULT_OPEN, EACCES}, {FAULT_WRITE, ENOSPC}, {FAULT_SYNC, EIO},
                  {FAULT_CLOSE, EIO},   {FAULT_RENAME, EIO},   {FAULT_ANY & ~FAULT_UNLINK, EIO}};
    struct wari_proof_record old = sample_proof(), new = sample_proof(), found;
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    old.seeds_max = 1;
    old.level[2] = (struct wari_proof_level){0};
    assert_true(table_folder_make(folder));
    for (size_t i = 0; i < 2 * sizeof faults / sizeof faults[0]; i++) {
        struct fault_host fault;
        long k = 0;
        do {
            struct wari_error error = {WARI_OK, ""};
            assert_int_equal(wari_proof_write(&old, wari_host_system(), folder, NULL), WARI_OK);
            fault_host_init(&fault, faults[i / 2].kinds, ++k);
            fault.error = faults[i / 2].error;
            fault.for_good = i % 2 == 1;
            fault.longest = 100;
            const enum wari_status status = wari_proof_write(&new, &fault.host, folder, &error);
            if (status == WARI_OK)
                assert_true(!fault_host_fired(&fault) || faults[i / 2].kinds & FAULT_CLOSE);
            else
                assert_true(status == WARI_IO && error.text[0] != 0);
            assert_true(fault_host_clean(&fault));
            assert_int_equal(wari_proof_read(&found, wari_host_system(), folder, variant, NULL),
                             WARI_OK);
            assert_true(memcmp(&found, &new, sizeof new) == 0 ||
                        (status == WARI_IO && memcmp(&found, &old, sizeof old) == 0));
        } while (fault_host_fired(&fault));
        assert_true(k > 1);
    }
    assert_int_equal(files_in(folder), 1);
    assert_true(table_folder_remove(folder));
}

static int zero(const void *context, const struct wari_position *position)
{
    (void)context;
    (void)position;
    return 0;
}

/* Writes levels 0..2 and opens them; `proof` is a record of exactly these levels. */
static struct wari_db *open_levels(const char *folder, struct wari_proof_record *proof)
{
    const struct wari_options options = {.cache_bytes = 1};
    struct wari_level_info info;
    struct table table;
    struct wari_db *db;

    assert_int_equal(table_make(&table, variant, 2, zero, NULL), WARI_OK);
    assert_int_equal(table_write(&table, folder, NULL), WARI_OK);
    table_free(&table);
    assert_int_equal(wari_open(&db, folder, &variant, &options, NULL), WARI_OK);
    for (int n = 0; n <= 2; n++) {
        assert_int_equal(wari_get_level_info(db, n, &info, NULL), WARI_OK);
        proof->level[n].payload_hash = info.payload_hash;
    }
    return db;
}

static void *write_often(void *folder)
{
    const struct wari_proof_record proof = sample_proof();
    for (int i = 0; i < 20; i++)
        if (wari_proof_write(&proof, wari_host_system(), folder, NULL) != WARI_OK)
            return folder;
    return NULL;
}

/* The test simulates processes that have the same number on different hosts. */
static void records_written_at_once_do_not_meet(void **state)
{
    enum { WRITERS = 4 };
    char folder[TABLE_FOLDER_MAX];
    struct wari_proof_record proof;
    pthread_t writers[WRITERS];

    (void)state;
    assert_true(table_folder_make(folder));
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_often, folder), 0);
    for (int i = 0; i < WRITERS; i++) {
        void *failed;
        assert_int_equal(pthread_join(writers[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(wari_proof_read(&proof, wari_host_system(), folder, variant, NULL), WARI_OK);
    assert_int_equal(proof.seeds_max, sample_proof().seeds_max);
    assert_int_equal(files_in(folder), 1);
    assert_true(table_folder_remove(folder));
}

static void the_library_says_which_levels_are_proved(void **state)
{
    struct wari_proof_record proof = sample_proof();
    struct wari_error error = {WARI_OK, ""};
    char folder[TABLE_FOLDER_MAX];
    int seeds_max;

    (void)state;
    assert_true(table_folder_make(folder));
    struct wari_db *db = open_levels(folder, &proof);
    assert_int_equal(wari_proved(db, folder, &seeds_max, NULL), WARI_OK);
    assert_int_equal(seeds_max, -1); /* no record */
    for (int differs = 0; differs <= 3; differs++) {
        proof.level[differs].payload_hash ^= 1;
        assert_int_equal(wari_proof_write(&proof, wari_host_system(), folder, NULL), WARI_OK);
        assert_int_equal(wari_proved(db, folder, &seeds_max, NULL), WARI_OK);
        assert_int_equal(seeds_max, differs - 1);
        proof.level[differs].payload_hash ^= 1;
    }
    put(folder, lines, strlen(lines)); /* without its hash */
    assert_int_equal(wari_proved(db, folder, &seeds_max, &error), WARI_CORRUPT);
    assert_int_equal(seeds_max, -1);
    assert_non_null(strstr(error.text, "abapa-own.proof"));
    put(folder, "wari proof 2\n", 13);
    assert_int_equal(wari_proved(db, folder, &seeds_max, &error), WARI_MISMATCH);
    assert_int_equal(seeds_max, -1);
    wari_close(db);
    assert_true(table_folder_remove(folder));
}

TEST_GROUP(test_proof)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_record_is_read_unchanged),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(strange_records_are_refused),
        cmocka_unit_test(a_level_of_other_values_ends_what_is_proved),
        cmocka_unit_test(a_record_that_cannot_be_written_leaves_the_old_one),
        cmocka_unit_test(records_written_at_once_do_not_meet),
        cmocka_unit_test(the_library_says_which_levels_are_proved),
    };
    return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
