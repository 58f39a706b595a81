/* Runs the fuzz targets on tests/fuzz/corpus: the inputs with which fuzzers reached new code. A
 * target ends the program if a condition is violated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/edits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/level_samples.h"
#include "tests/unit/groups.h"

/* Passes each file in a target's folder of the corpus to the target. The folder must have at least
 * ten files. */
static void replay(const char *name, fuzz_target *target)
{
    char folder[64], path[WARI_PATH_MAX];
    int files = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    DIR *entries = opendir(folder);
    struct dirent *entry;

    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        assert_int_equal(wari_path(path, NULL, folder, "%s", entry->d_name), WARI_OK);
        struct file_image image = file_load(path);
        target(image.bytes, image.size);
        free(image.bytes);
        files++;
    }
    assert_int_equal(closedir(entries), 0);
    assert_true(files >= 10);
}

static void level_files_with_any_bytes_are_read_right_or_refused(void **state)
{
    (void)state;
    replay("level_file", fuzz_level_file);
}

static void chunks_with_any_bytes_are_decoded_or_refused(void **state)
{
    (void)state;
    replay("chunk", fuzz_chunk);
}

static void catalogues_with_any_text_are_read_right_or_refused(void **state)
{
    (void)state;
    replay("catalogue", fuzz_catalogue);
}

static void checkpoints_with_any_bytes_are_gone_on_from_or_refused(void **state)
{
    (void)state;
    replay("checkpoint", fuzz_checkpoint);
}

static void records_of_proofs_with_any_text_are_read_right_or_refused(void **state)
{
    (void)state;
    replay("proof", fuzz_proof);
}

static void any_text_is_a_position_or_refused(void **state)
{
    (void)state;
    replay("notation", fuzz_notation);
}

static void any_text_is_read_as_games_or_complained_of(void **state)
{
    (void)state;
    replay("record", fuzz_record);
}

static void books_with_any_bytes_are_read_right_or_refused(void **state)
{
    (void)state;
    replay("book", fuzz_book);
}

static void lines_of_the_protocol_are_understood_or_refused(void **state)
{
    (void)state;
    replay("protocol", fuzz_protocol);
}

static void any_json_is_an_array_of_strings_or_refused(void **state)
{
    (void)state;
    replay("string_array", fuzz_string_array);
}

/* ---- The scripts of edits that the targets take ---------------------------------------------- */

/* The expected results were derived by hand from the drawing in edits.h. */
static void edits_do_what_they_say(void **state)
{
    static const struct {
        const char *script;
        size_t size;
        const char *result;
    } cases[] = {
        {"", 0, "abcdef"},
        {"\0\2\0\0\1\1", 6, "abbdef"},                 /* 'c' ^ 1 */
        {"\1\5\0\0\3XYZ", 8, "abcdeX"},                /* overwrite, no further than the end */
        {"\2\3\0\0\2XY", 7, "abcXYdef"},               /* insert */
        {"\3\1\0\0\2", 5, "adef"},                     /* remove */
        {"\3\7\0\0\2", 5, "adef"},                     /* a place beyond the end */
        {"\4\2\0\0\1", 5, "ab\0\0\0\0"},               /* zeros */
        {"\5\4\0\0\0", 5, "abcd"},                     /* cut */
        {"\6\0\0\0\1", 5, "abcdefabcdef"},             /* append */
        {"\7\0\0\0\1\3\0\0", 8, "defdef"},             /* copy */
        {"\5\0\0\0\0\1\0\0\0\1X\2\0\0\0\1Y", 17, "Y"}, /* three edits; the last two start with an
                                                        * empty file */
        {"\3\1\0\0", 4, "abcdef"},                     /* half an edit */
    };
    static const size_t sizes[] = {6, 6, 6, 8, 4, 4, 6, 4, 12, 6, 1, 6};
    struct edited *edited = malloc(sizeof *edited);

    (void)state;
    assert_non_null(edited);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        edits_apply(edited, (const uint8_t *)"abcdef", 6, (const uint8_t *)cases[i].script,
                    cases[i].size);
        assert_int_equal(edited->size, sizes[i]);
        assert_memory_equal(edited->bytes, cases[i].result, sizes[i]);
    }
    free(edited);
}

TEST_GROUP(test_fuzz_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_do_what_they_say),
        cmocka_unit_test(level_files_with_any_bytes_are_read_right_or_refused),
        cmocka_unit_test(chunks_with_any_bytes_are_decoded_or_refused),
        cmocka_unit_test(catalogues_with_any_text_are_read_right_or_refused),
        cmocka_unit_test(checkpoints_with_any_bytes_are_gone_on_from_or_refused),
        cmocka_unit_test(records_of_proofs_with_any_text_are_read_right_or_refused),
        cmocka_unit_test(any_text_is_a_position_or_refused),
        cmocka_unit_test(books_with_any_bytes_are_read_right_or_refused),
        cmocka_unit_test(any_text_is_read_as_games_or_complained_of),
        cmocka_unit_test(lines_of_the_protocol_are_understood_or_refused),
        cmocka_unit_test(any_json_is_an_array_of_strings_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
