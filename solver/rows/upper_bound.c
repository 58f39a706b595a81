/* Tables that convert codes of values to codes of upper bounds, and back; see upper_bound.h. */
#include "solver/rows/upper_bound.h"

/* Returns the code of the upper bound for a value that is 0 or less. */
static int8_t upper_of_low(const struct wari_cells *cells, const struct wari_cells *upper,
                           int surplus, int8_t code)
{
    const int value = cells->value[(uint8_t)code], floor = wari_upper_floor(cells, code);

    if (surplus > 0 && value == 0)
        return wari_upper_code(upper, surplus, floor);
    if (surplus >= 0 || value <= surplus)
        return code;
    return floor < cells->none ? INT8_MIN : wari_upper_initial(upper, surplus, floor);
}

void wari_upper_from_values(const struct wari_cells *cells, const struct wari_cells *upper,
                            int surplus, int8_t table[256])
{
    for (int code = INT8_MIN; code <= INT8_MAX; code++) {
        const int value = code - cells->zero;
        if (value <= 0)
            table[code & 0xff] = upper_of_low(cells, upper, surplus, (int8_t)code);
        else if (value <= cells->seeds)
            table[code & 0xff] = wari_upper_code(upper, value < surplus ? surplus : value, value);
        else
            table[code & 0xff] = INT8_MIN; /* not the code of a value */
    }
}

void wari_values_from_upper(const struct wari_cells *upper, const struct wari_cells *cells,
                            int8_t table[256])
{
    for (int code = INT8_MIN; code <= INT8_MAX; code++) {
        const int value = upper->value[code & 0xff];
        table[code & 0xff] = (int8_t)(value > 0 ? cells->zero + value : code);
    }
}
