/* Draws the histograms of levels as SVG: a grid of diagrams, one for each level, with a bar for
 * each value that occurs.
 *
 *     +--------------------------------------+
 *     |  title, legend          HEAD_HEIGHT  |
 *     |  +--------------+ +--------------+   |
 *     |  | title  ABOVE | |              |   |
 *     |  | bars  heights| |              |   |
 *     |  | axis   BELOW | |              |   |
 *     |  +--------------+ +--------------+   |
 *     +--------------------------------------+
 *
 * Each bar has a text (<title>), which browsers show when the pointer is over the bar, and the
 * attributes data-value and data-count, for programs that read the picture. */
#include "tools/stats_plot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/answer.h"
#include "index/half.h"
#include "tools/common/interrupt.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text.h"

enum {
    HEAD_HEIGHT = 76,
    LEFT = 58,
    RIGHT = 14,
    ABOVE = 34,
    BELOW = 46,
    COLUMNS = 3,
    LINE_BYTES = 1024
};

struct picture {
    struct output *output;
    int columns;       /* columns of the grid */
    int width, height; /* size of the area for the bars of each diagram, in pixels */
};

static enum wari_status emit(const struct picture *picture, struct wari_error *error,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum wari_status emit(const struct picture *picture, struct wari_error *error,
                             const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return output_write(picture->output, line, strlen(line), error);
}

/* ---- The picture as a whole ---- */

static const char style[] = "<style>\n"
                            "text { font: 12px sans-serif; fill: #1c1f24 }\n"
                            ".title { font-size: 17px; font-weight: bold }\n"
                            ".level { font-size: 14px; font-weight: bold }\n"
                            ".paper { fill: #ffffff }\n"
                            ".grid { stroke: #d5d9df }\n"
                            ".axis { stroke: #59616c }\n"
                            ".loses { fill: #b9501a }\n"
                            ".draws { fill: #6b7280 }\n"
                            ".wins { fill: #1f6fb2 }\n"
                            "@media (prefers-color-scheme: dark) {\n"
                            "text { fill: #e6e9ee }\n"
                            ".paper { fill: #15181d }\n"
                            ".grid { stroke: #363c45 }\n"
                            ".axis { stroke: #9aa3af }\n"
                            ".loses { fill: #f0975a }\n"
                            ".draws { fill: #a3abb8 }\n"
                            ".wins { fill: #6db3f2 }\n"
                            "}\n"
                            "</style>\n";

static enum wari_status draw_head(const struct picture *picture, const struct wari_info *info,
                                  int levels, struct wari_error *error)
{
    static const struct {
        const char *class, *words;
    } keys[] = {{"loses", "the mover loses"}, {"draws", "draw"}, {"wins", "the mover wins"}};
    const int rows = (levels + picture->columns - 1) / picture->columns;
    const int width = picture->columns * (LEFT + picture->width + RIGHT);
    const int height = HEAD_HEIGHT + rows * (ABOVE + picture->height + BELOW);
    char name[VARIANT_TEXT];
    variant_text(info->variant, name);
    enum wari_status status =
        emit(picture, error,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title description\">\n"
             "<title id=\"title\">%s: how often each value occurs</title>\n"
             "<desc id=\"description\">For each number of seeds, bars show the share of all "
             "placements that have each value.</desc>\n",
             width, height, width, height, name);
    if (status == WARI_OK)
        status = output_write(picture->output, style, sizeof style - 1, error);
    if (status == WARI_OK)
        status =
            emit(picture, error,
                 "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n"
                 "<text class=\"title\" x=\"16\" y=\"28\">%s: how often each value occurs</text>\n",
                 width, height, name);
    for (int i = 0; i < 3 && status == WARI_OK; i++)
        status = emit(picture, error,
                      "<rect class=\"%s\" x=\"%d\" y=\"44\" width=\"12\" height=\"12\"/>"
                      "<text x=\"%d\" y=\"54\">%s</text>\n",
                      keys[i].class, 16 + 124 * i, 34 + 124 * i, keys[i].words);
    return status;
}

/* ---- One diagram ---- */

enum { PLACEMENTS_TEXT = TEXT_NUMBER + 16 };

/* Writes "1 placement" or "1,246 placements". */
static const char *write_placements(uint64_t count, char text[PLACEMENTS_TEXT])
{
    char number[TEXT_NUMBER];
    snprintf(text, PLACEMENTS_TEXT, "%s placement%s", text_number(count, number),
             count == 1 ? "" : "s");
    return text;
}

/* Returns the distance between two labels of an axis from 0 to `most`, such that the axis has at
 * most `labels` labels. The distance is `least` times 1, 2 or 5 times a power of
 * ten. */
static double label_step(double most, int labels, double least)
{
    double step = least;
    for (int i = 0; step * labels < most; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

static enum wari_status draw_axes(const struct picture *picture, int seeds, double slot, double top,
                                  double step, struct wari_error *error)
{
    const int w = picture->width, h = picture->height;
    const int every = (int)label_step(seeds, w > 400 ? 8 : 4, 1);
    enum wari_status status = WARI_OK;
    for (int i = 0; i * step < top * 1.001 && status == WARI_OK; i++) {
        const double y = h * (1 - i * step / top);
        status = emit(picture, error,
                      "<line class=\"%s\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\"/>"
                      "<text x=\"-6\" y=\"%.2f\" text-anchor=\"end\">%g %%</text>\n",
                      i == 0 ? "axis" : "grid", w, y, y, y + 4, i * step);
    }
    for (int value = -seeds / every * every; value <= seeds && status == WARI_OK; value += every) {
        const double x = (value + seeds + 0.5) * slot;
        status = emit(picture, error,
                      "<line class=\"axis\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%d\" y2=\"%d\"/>"
                      "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                      x, x, h, h + 4, x, h + 17, value);
    }
    if (status == WARI_OK)
        status =
            emit(picture, error,
                 "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">value for the mover, in "
                 "seeds</text>\n"
                 "<text transform=\"translate(-44 %d) rotate(-90)\" text-anchor=\"middle\">share "
                 "of placements</text>\n",
                 w / 2, h + 34, h / 2);
    return status;
}

/* Draws the bar of a value. The bar is at least one pixel high, so that rare values can be seen. */
static enum wari_status draw_bar(const struct picture *picture, const struct wari_level_info *level,
                                 int value, double slot, double top, struct wari_error *error)
{
    const uint64_t count = level->histogram[value + WARI_SEEDS_MAX];
    const double share = text_percent(count, level->placements);
    const double width = slot * 0.8 < 40 ? slot * 0.8 : 40;
    double height = share / top * picture->height;
    char number[PLACEMENTS_TEXT], text[TEXT_NUMBER];
    if (height < 1)
        height = 1;
    return emit(picture, error,
                "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "data-value=\"%d\" data-count=\"%" PRIu64 "\"><title>value %s: %s, %.3g "
                "%%</title></rect>\n",
                value < 0   ? "loses"
                : value > 0 ? "wins"
                            : "draws",
                (value + level->seeds + 0.5) * slot - width / 2, picture->height - height, width,
                height, value, count, text_value(value, text), write_placements(count, number),
                share);
}

/* Draws the diagram of a level in cell `place` of the grid; the cells are counted row by row. */
static enum wari_status draw_level(const struct picture *picture,
                                   const struct wari_level_info *level, int place,
                                   struct wari_error *error)
{
    const int column = place % picture->columns, row = place / picture->columns;
    const double slot = picture->width / (2.0 * level->seeds + 1);
    uint64_t most = 0;
    char number[PLACEMENTS_TEXT];
    for (int i = 0; i <= 2 * WARI_SEEDS_MAX; i++)
        most = level->histogram[i] > most ? level->histogram[i] : most;
    const double share = text_percent(most, level->placements);
    const double step = label_step(share, 5, 0.1);
    double top = step;
    while (top < share)
        top += step;
    enum wari_status status = emit(picture, error,
                                   "<g transform=\"translate(%d %d)\" data-seeds=\"%d\">\n"
                                   "<text class=\"level\" x=\"0\" y=\"-12\">%d seed%s</text>"
                                   "<text x=\"%d\" y=\"-12\" text-anchor=\"end\">%s</text>\n",
                                   LEFT + column * (LEFT + picture->width + RIGHT),
                                   HEAD_HEIGHT + ABOVE + row * (ABOVE + picture->height + BELOW),
                                   level->seeds, level->seeds, level->seeds == 1 ? "" : "s",
                                   picture->width, write_placements(level->placements, number));
    if (status == WARI_OK)
        status = draw_axes(picture, level->seeds, slot, top, step, error);
    for (int value = -level->seeds; value <= level->seeds && status == WARI_OK; value++)
        if (level->histogram[value + WARI_SEEDS_MAX] > 0)
            status = draw_bar(picture, level, value, slot, top, error);
    return status == WARI_OK ? emit(picture, error, "</g>\n") : status;
}

static enum wari_status draw(struct wari_db *db, int first, int last, struct output *output,
                             struct wari_error *error)
{
    struct wari_info info;
    int levels = 0;
    for (int seeds = first; seeds <= last; seeds++)
        levels += wari_level_exists(seeds);
    struct picture picture = {output, levels < COLUMNS ? levels : COLUMNS, 280, 160};
    if (levels == 1) {
        picture.width = 640;
        picture.height = 320;
    }
    wari_get_info(db, &info);
    enum wari_status status = draw_head(&picture, &info, levels, error);
    for (int seeds = first, place = 0; seeds <= last && status == WARI_OK; seeds++) {
        struct wari_level_info level;
        if (!wari_level_exists(seeds))
            continue;
        status = wari_get_level_info(db, seeds, &level, error);
        if (status == WARI_OK)
            status = draw_level(&picture, &level, place++, error);
        if (status == WARI_OK && *interrupt_flag())
            status = wari_fail(error, WARI_INTERRUPTED, "stopped; the picture was not finished");
    }
    return status == WARI_OK ? emit(&picture, error, "</svg>\n") : status;
}

enum wari_status stats_plot(struct wari_db *db, int first, int last, const char *path,
                            struct wari_error *error)
{
    struct output output;
    interrupt_catch(); /* so that no temporary file stays behind */
    enum wari_status status = output_open(&output, strcmp(path, "-") == 0 ? NULL : path, error);
    if (status != WARI_OK)
        return status;
    return output_finish(&output, draw(db, first, last, &output, error), error);
}
