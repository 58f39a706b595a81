/* Tests the list of connections: an entry that is reserved for a socket always becomes free again,
 * even if the HTTP library closes the socket without notification. The numbers 1001, 1002 and 1003
 * are used as sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "serve/connections.h"
#include "tests/unit/groups.h"

static void an_entry_is_free_again_when_its_connection_ends(void **state)
{
    struct connections connections;
    (void)state;
    connections_init(&connections, 2, 1);
    assert_true(connections_reserve(&connections, 1001));
    assert_true(connections_reserve(&connections, 1002));
    assert_false(connections_reserve(&connections, 1003));
    struct connection *second = connections_open(&connections, 1002);
    struct connection *first = connections_open(&connections, 1001);
    assert_false(connections_reserve(&connections, 1003));
    connections_close(&connections, first);
    assert_true(connections_reserve(&connections, 1001));
    assert_false(connections_reserve(&connections, 1003));
    connections_cancel(&connections, 1001);
    assert_true(connections_reserve(&connections, 1003));
    connections_cancel(&connections, 1003);
    connections_close(&connections, second);
    connections_destroy(&connections);
}

/* Regression test: the entry of such a socket used to stay reserved for ever. */
static void a_socket_closed_without_notification_gives_its_entry_to_the_next(void **state)
{
    struct connections connections;
    (void)state;
    connections_init(&connections, 2, 1);
    assert_true(connections_reserve(&connections, 1001));
    assert_true(connections_reserve(&connections, 1002));
    for (int i = 0; i < 10; i++) {
        assert_true(connections_reserve(&connections, 1001));
        assert_false(connections_reserve(&connections, 1003));
    }
    struct connection *first = connections_open(&connections, 1001);
    assert_true(connections_reserve(&connections, 1002));
    connections_close(&connections, first);
    assert_true(connections_reserve(&connections, 1001));
    assert_false(connections_reserve(&connections, 1003));
    connections_destroy(&connections);
}

TEST_GROUP(test_serve_connections)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_free_again_when_its_connection_ends),
        cmocka_unit_test(a_socket_closed_without_notification_gives_its_entry_to_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
