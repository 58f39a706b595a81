/* From values to hopes and back, code by code; see upper_bound.h. */
#include "solver/rows/upper_bound.h"

/* A value that is 0 or less, in a block with some surplus. */
static int8_t hope_of_low(const struct wari_cells *cells, const struct wari_cells *hopes,
                          int surplus, int8_t code)
{
    const int value = cells->value[(uint8_t)code], floor = wari_upper_floor(cells, code);

    if (surplus > 0 && value == 0)
        return wari_upper_code(hopes, surplus, floor);
    if (surplus >= 0 || value <= surplus)
        return code;
    return floor < cells->none ? INT8_MIN : wari_upper_initial(hopes, surplus, floor);
}

void wari_upper_from_values(const struct wari_cells *cells, const struct wari_cells *hopes,
                            int surplus, int8_t table[256])
{
    for (int code = INT8_MIN; code <= INT8_MAX; code++) {
        const int value = code - cells->zero;
        if (value <= 0)
            table[code & 0xff] = hope_of_low(cells, hopes, surplus, (int8_t)code);
        else if (value <= cells->seeds)
            table[code & 0xff] = wari_upper_code(hopes, value < surplus ? surplus : value, value);
        else
            table[code & 0xff] = INT8_MIN; /* no code */
    }
}

void wari_values_from_upper(const struct wari_cells *hopes, const struct wari_cells *cells,
                            int8_t table[256])
{
    for (int code = INT8_MIN; code <= INT8_MAX; code++) {
        const int value = hopes->value[code & 0xff];
        table[code & 0xff] = (int8_t)(value > 0 ? cells->zero + value : code);
    }
}
