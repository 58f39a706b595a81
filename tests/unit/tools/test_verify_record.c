/* The record that `wari verify` writes while it proves the levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/groups.h"
#include "tools/verify/verify_record.h"

/* The proof reads the catalogue again after the record was compared with it. A level that counts as
 * proved must still have the same hash then. */
static void a_catalogue_replaced_after_the_record_was_read_ends_the_proof(void **state)
{
    struct verify_record record = {.folder = "tables", .proof = {.seeds_max = 2}};
    struct wari_error error;

    (void)state;
    for (int n = 0; n <= 2; n++)
        record.proof.level[n].payload_hash = 100 + (uint64_t)n;
    for (int n = 0; n <= 2; n++) {
        assert_int_equal(verify_record_enter(&record, n, 100 + (uint64_t)n, &error), WARI_OK);
        assert_int_equal(verify_record_enter(&record, n, 99, &error), WARI_MISMATCH);
        assert_non_null(strstr(error.text, "tables: level"));
    }
    assert_int_equal(verify_record_known(&record), 3);
    assert_int_equal(record.status, WARI_OK);
}

TEST_GROUP(test_verify_record)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_catalogue_replaced_after_the_record_was_read_ends_the_proof),
    };
    return cmocka_run_group_tests_name("verify's record", tests, NULL, NULL);
}
