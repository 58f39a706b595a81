/* Writes a database of `slam-wins` with all levels up to 48 seeds, for tests of the program:
 *
 *     huge_tables FOLDER POSITION...
 *
 * The folder must exist. The positions can then be looked up; tests/support/huge_tables.h describes
 * their values. */
#include "tests/support/huge_tables.h"

#include <stdio.h>

enum { POSITIONS_MAX = 100 };

int main(int count, char **arguments)
{
    const struct wari_variant variant = {WARI_SLAM_WINS, WARI_EVEN};
    struct wari_position positions[POSITIONS_MAX];
    struct wari_error error;
    enum wari_status status = WARI_OK;
    if (count < 2 || count - 2 > POSITIONS_MAX) {
        (void)fprintf(stderr, "usage: huge_tables FOLDER POSITION...\n");
        return 2;
    }
    for (int i = 2; i < count && status == WARI_OK; i++) {
        struct wari_setup setup;
        status = wari_setup_parse(arguments[i], &setup, &error);
        positions[i - 2] = setup.position;
    }
    if (status == WARI_OK)
        status = huge_tables_write(arguments[1], variant, positions, (size_t)(count - 2), &error);
    if (status == WARI_OK)
        return 0;
    (void)fprintf(stderr, "huge_tables: %s\n", error.text);
    return 1;
}
