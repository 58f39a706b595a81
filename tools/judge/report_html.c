/* Writes judged games as HTML with a chart of each game in SVG.
 *
 * Everything that comes from records or from the command line is written by add_untrusted(), which
 * escapes it. The page also forbids scripts and requests by a Content-Security-Policy. Numbers in
 * the chart are in the <title> of each move as well, for screen readers. */
#include "tools/judge/report_html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/options.h"
#include "tools/common/text.h"
#include "tools/judge/game_review.h"

static const char page_start[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>Judged games of Wari</title>\n<style>\n"
    ":root { color-scheme: light dark; --paper: #f6f2ea; --card: #fffdf8; --ink: #2b2420;\n"
    "  --faint: #655b53; --edge: #8f8373; --good: #1b6196; --bad: #a34a0a; --gap: #e7e4df; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #1b1815; --card: #26221e;\n"
    "  --ink: #efe8df; --faint: #ada196; --edge: #857868; --good: #7ab8ea; --bad: #f0a060;\n"
    "  --gap: #39342e; } }\n"
    "body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper);\n"
    "  color: var(--ink); font: 1rem/1.45 system-ui, sans-serif; }\n"
    "section { background: var(--card); border: 1px solid var(--edge); border-radius: .6rem;\n"
    "  padding: 0 1rem 1rem; margin: 1rem 0; }\n"
    "h2 { font-size: 1.15rem; overflow-wrap: anywhere; } .faint { color: var(--faint); }\n"
    ".message { color: var(--bad); overflow-wrap: anywhere; }\n"
    ".wide { overflow-x: auto; } svg { display: block; font: 12px system-ui, sans-serif; }\n"
    "svg text { fill: var(--ink); } .axis { stroke: var(--edge); } .gap { fill: var(--gap); }\n"
    ".curve { stroke: var(--good); stroke-width: 2; } .dot { fill: var(--good); }\n"
    ".loss { fill: var(--bad); } .hit { fill: transparent; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "caption { text-align: left; color: var(--faint); padding: .4rem 0; }\n"
    "th, td { padding: .1rem .6rem; text-align: right; } td { white-space: nowrap; }\n"
    "thead { border-bottom: 1px solid var(--edge); } td.text, th.text { text-align: left; }\n"
    "tr.mistake { color: var(--bad); font-weight: 600; }\n"
    "@media print { :root { --paper: #fff; --card: #fff; --ink: #000; --faint: #444;\n"
    "  --edge: #777; --good: #1b6196; --bad: #a34a0a; --gap: #eee; }\n"
    "  * { print-color-adjust: exact; } body { max-width: none; padding: 0; }\n"
    "  section { border: 0; padding: 0; } .wide { overflow: visible; }\n"
    "  svg { max-width: 100%; height: auto; } h2, svg, tr { break-inside: avoid; }\n"
    "  h2 { break-after: avoid; } }\n"
    "</style>\n</head>\n<body>\n<h1>Judged games</h1>\n";

static const char page_terms[] =
    " A value is what the side that moves (the mover)\n"
    "will still capture minus what the other side will still capture. A <em>loss</em> is the "
    "number\n"
    "of seeds that a move gives away.";

/* Explains the columns of the tables of searches. */
static const char page_accuracy[] =
    " <em>Accuracy</em> is the mean of 100 / (1 + n / 2) for moves that lose n seeds.\n"
    "<em>Proven</em> are moves whose loss is known exactly or by bounds, and <em>turns</em>\n"
    "are moves that changed who wins.";

static const char page_totals[] = " The totals are <a href=\"#totals\">at the end</a>.</p>\n";

/* These texts explain what the moves are compared with. */
static const char by_database[] = "<p>Every move is compared with perfect play.";
static const char by_search[] =
    "<p class=\"source\">Every move is compared with the best one that a search found. No "
    "database was given, so values are estimates unless they are marked <em>exact</em> or "
    "<em>bound</em> (proven within bounds).";
static const char by_both[] =
    "<p class=\"source\">Every move is compared with perfect play where the database covers the "
    "position, otherwise with the best move that a search found. Values with a decimal come from "
    "a search: they are estimates unless they are marked <em>exact</em> or <em>bound</em> (proven "
    "within bounds).";

/* ---- Writing ---- */

static void add_bytes(struct html_report *report, const char *bytes, size_t count)
{
    if (report->status == WARI_OK)
        report->status = output_write(&report->output, bytes, count, report->error);
}

/* Appends formatted text to the report, without escaping: all of the text comes from the program
 * itself. Text of more than 1023 bytes is cut off, so callers must keep it shorter. */
__attribute__((format(printf, 2, 3))) static void add(struct html_report *report,
                                                      const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_bytes(report, text, strlen(text));
}

/* Adds text of unknown origin. <bdi> isolates text that is written from right to left from its
 * surroundings. */
static void add_untrusted(struct html_report *report, const char *unknown)
{
    char clean[TEXT_PATH];
    add(report, "<bdi>");
    for (const char *c = text_path(unknown, clean); *c; c++) {
        switch (*c) {
        case '&':
            add(report, "&amp;");
            break;
        case '<':
            add(report, "&lt;");
            break;
        case '>':
            add(report, "&gt;");
            break;
        case '"':
            add(report, "&quot;");
            break;
        case '\'':
            add(report, "&#39;");
            break;
        default:
            add_bytes(report, c, 1);
        }
    }
    add(report, "</bdi>");
}

/* ---- What is known about a move ---- */

struct known_move {
    bool known;    /* the values are known, from the database or from a search */
    bool searched; /* the values are from a search */
    double value;  /* value of the position for the mover, in seeds */
    double played; /* value of the move that was played, for the mover, in seeds */
    double loss;   /* number of seeds that the move loses compared with the best move */
    uint8_t best;  /* set of the best moves, bits 1 << pit */
};

static struct known_move know_move(const struct judged_game *game, int ply)
{
    const struct wari_judged_move *judged = &game->judgement->moves[ply];
    if (judged->covered)
        return (struct known_move){true,           false,        judged->before,
                                   judged->played, judged->loss, judged->best};
    if (!game->review)
        return (struct known_move){.known = false};
    const struct wari_reviewed_move *reviewed = &game->review->moves[ply];
    const double seed = WARI_SEED_SCORE;
    return (struct known_move){true,
                               true,
                               reviewed->before / seed,
                               reviewed->played / seed,
                               reviewed->loss / seed,
                               reviewed->best};
}

/* Computes South's final score minus North's with best play from the position before move `ply`, or
 * from the end of the game. Returns false if it is not known. */
static bool find_margin(const struct judged_game *game, int ply, double *margin)
{
    const struct wari_game *played = &game->record->game;
    struct wari_score score;
    if (wari_judged_score(played, game->judgement, ply, &score)) {
        *margin = (score.halves[0] - score.halves[1]) / 2.0;
        return true;
    }
    struct known_move move = {.known = false};
    if (ply < played->count)
        move = know_move(game, ply);
    if (!move.known)
        return false;
    const struct wari_setup *before = &played->plies[ply].before;
    *margin =
        before->stores[0] - before->stores[1] + (before->north_to_move ? -move.value : move.value);
    return true;
}

/* Writes a loss or value: a whole number if it is exact. */
static const char *number_text(double number, bool searched, bool sign, char text[TEXT_NUMBER])
{
    const char *format =
        searched ? (sign ? "%+.1f" : "%.1f") : (sign && number > 0 ? "%+.0f" : "%.0f");
    snprintf(text, TEXT_NUMBER, format, number);
    return text;
}

/* Writes a sentence about a move: "E: loses 4 seeds; best: C". */
static void describe_move(const struct judged_game *game, int ply, char *text, size_t size)
{
    const struct wari_ply *played = &game->record->game.plies[ply];
    bool north = played->before.north_to_move;
    struct known_move move = know_move(game, ply);
    char letters[BOARD_MOVES], best[BOARD_MOVES], loss[TEXT_NUMBER];
    board_move(played->move.pit, north, played->move.captured, letters);
    if (!move.known)
        snprintf(text, size, "move %d, %s: not covered", ply + 1, letters);
    else if (move.loss > 0)
        snprintf(text, size, "move %d, %s: loses %s; best: %s", ply + 1, letters,
                 number_text(move.loss, move.searched, false, loss),
                 board_moves(move.best, north, best));
    else
        snprintf(text, size, "move %d, %s: a best move", ply + 1, letters);
}

/* ---- The chart of a game ---- */

enum {
    CHART_LEFT = 40, /* pixels */
    CHART_RIGHT = 10,
    CHART_WIDTH = 860, /* smallest width; a long game is wider */
    CURVE_TOP = 14,
    CURVE_HEIGHT = 160,
    LOSS_TOP = CURVE_TOP + CURVE_HEIGHT + 22,
    LOSS_HEIGHT = 60,
    CHART_HEIGHT = LOSS_TOP + LOSS_HEIGHT + 22,
    CHART_STEP = 9,     /* smallest width of a move */
    CHART_LETTERS = 12, /* smallest width of a move that has room for its letter */
};

struct chart {
    double step;  /* width of a move */
    double reach; /* margin (find_margin()) at the upper edge of the curve's area */
    double worst; /* loss that is drawn as a bar of full length */
    int width;
};

static struct chart measure(const struct judged_game *game)
{
    int count = game->record->game.count;
    struct chart chart = {.reach = 4, .worst = 4};
    for (int i = 0; i <= count; i++) {
        double margin;
        if (find_margin(game, i, &margin)) {
            double size = margin < 0 ? -margin : margin;
            chart.reach = size > chart.reach ? size : chart.reach;
        }
        double loss = i < count ? know_move(game, i).loss : 0;
        chart.worst = loss > chart.worst ? loss : chart.worst;
    }
    chart.width = CHART_LEFT + CHART_RIGHT + CHART_STEP * count;
    if (chart.width < CHART_WIDTH)
        chart.width = CHART_WIDTH;
    chart.step = (double)(chart.width - CHART_LEFT - CHART_RIGHT) / (count > 0 ? count : 1);
    if (chart.step > 40)
        chart.step = 40;
    return chart;
}

static double curve_y(const struct chart *chart, double margin)
{
    return CURVE_TOP + CURVE_HEIGHT / 2.0 * (1 - margin / chart->reach);
}

static void add_curve(struct html_report *report, const struct judged_game *game,
                      const struct chart *chart)
{
    double margin = 0, next;
    bool known = find_margin(game, 0, &margin);
    for (int i = 0; i < game->record->game.count; i++) {
        double x = CHART_LEFT + i * chart->step;
        bool next_known = find_margin(game, i + 1, &next);
        if (!know_move(game, i).known)
            add(report, "<rect class=\"gap\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
                x, CURVE_TOP, chart->step, CURVE_HEIGHT);
        if (known && next_known)
            add(report, "<line class=\"curve\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                x, curve_y(chart, margin), x + chart->step, curve_y(chart, next));
        known = next_known;
        margin = next_known ? next : 0;
    }
}

static void add_chart_move(struct html_report *report, const struct judged_game *game,
                           const struct chart *chart, int ply)
{
    const struct wari_ply *played = &game->record->game.plies[ply];
    double x = CHART_LEFT + ply * chart->step, loss = know_move(game, ply).loss, margin;
    char words[128];
    describe_move(game, ply, words, sizeof words);
    add(report,
        "<g><title>%s</title><rect class=\"hit\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
        "height=\"%d\"/>",
        words, x, CURVE_TOP, chart->step, LOSS_TOP + LOSS_HEIGHT - CURVE_TOP);
    if (loss > 0)
        add(report, "<rect class=\"loss\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>",
            x + 0.15 * chart->step, LOSS_TOP, 0.7 * chart->step, LOSS_HEIGHT * loss / chart->worst);
    if (find_margin(game, ply, &margin))
        add(report, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>",
            loss > 0 ? "loss" : "dot", x, curve_y(chart, margin), loss > 0 ? "5" : "3");
    if (loss > 0 || chart->step >= CHART_LETTERS)
        add(report, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%c</text>",
            x + chart->step / 2, CHART_HEIGHT - 6,
            wari_move_letter(played->move.pit, played->before.north_to_move));
    add(report, "</g>\n");
}

static void add_chart(struct html_report *report, const struct judged_game *game)
{
    struct chart chart = measure(game);
    double middle = curve_y(&chart, 0);
    add(report,
        "<div class=\"wide\" tabindex=\"0\"><svg role=\"img\" aria-labelledby=\"chart-%d\" "
        "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
        "<title id=\"chart-%d\">Chart of game %d: South's final score minus North's with best play "
        "before each move, and below it what each move loses</title>\n",
        report->games, chart.width, CHART_HEIGHT, chart.width, CHART_HEIGHT, report->games,
        report->games);
    add_curve(report, game, &chart);
    add(report,
        "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
        "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
        CHART_LEFT, middle, chart.width - CHART_RIGHT, middle, CHART_LEFT, LOSS_TOP,
        chart.width - CHART_RIGHT, LOSS_TOP);
    add(report,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">+%.0f</text>"
        "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">0</text>"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">-%.0f</text>"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">loss</text>\n",
        CHART_LEFT - 6, CURVE_TOP + 10, chart.reach, CHART_LEFT - 6, middle + 4, CHART_LEFT - 6,
        CURVE_TOP + CURVE_HEIGHT, chart.reach, CHART_LEFT - 6, LOSS_TOP + 12);
    add(report,
        "<text x=\"%d\" y=\"%d\">South ahead</text><text x=\"%d\" y=\"%d\">North ahead</text>\n",
        CHART_LEFT + 4, CURVE_TOP + 10, CHART_LEFT + 4, CURVE_TOP + CURVE_HEIGHT);
    for (int i = 0; i < game->record->game.count; i++)
        add_chart_move(report, game, &chart, i);
    add(report, "</svg></div>\n");
}

/* ---- Tables ---- */

static void add_move_row(struct html_report *report, const struct judged_game *game, int ply)
{
    const struct wari_ply *played = &game->record->game.plies[ply];
    struct known_move move = know_move(game, ply);
    bool north = played->before.north_to_move;
    struct wari_score score;
    char letters[BOARD_MOVES], best[BOARD_MOVES], final[SCORE_TEXT] = "";
    char value[TEXT_NUMBER], worth[TEXT_NUMBER], loss[TEXT_NUMBER] = "", diagram[WARI_DIAGRAM_TEXT];
    if (wari_judged_score(&game->record->game, game->judgement, ply, &score))
        judged_score_text(&score, final);
    else if (move.known)
        snprintf(final, sizeof final, "%s", wari_kind_name(game->review->moves[ply].kind));
    if (move.loss > 0)
        number_text(move.loss, move.searched, false, loss);
    wari_diagram_text(&played->before, diagram);
    add(report, "<tr%s><td>%d</td><td class=\"text\">%s</td>",
        move.loss > 0 ? " class=\"mistake\"" : "", ply + 1,
        board_move(played->move.pit, north, played->move.captured, letters));
    if (move.known)
        add(report, "<td>%s</td><td>%s</td><td>%s</td><td class=\"text\">%s</td><td>%s</td>",
            number_text(move.value, move.searched, true, value),
            number_text(move.played, move.searched, true, worth), loss,
            board_moves(move.best, north, best), final);
    else
        add(report, "<td class=\"text faint\" colspan=\"5\">not covered: more than %d seeds</td>",
            game->seeds_max);
    add(report, "<td class=\"text faint\">%s</td></tr>\n", diagram);
}

static void add_moves(struct html_report *report, const struct judged_game *game)
{
    add(report, "<details open><summary>Moves</summary><div class=\"wide\"><table><thead><tr>"
                "<th scope=\"col\">#</th><th scope=\"col\" class=\"text\">move</th>"
                "<th scope=\"col\">mover&#39;s value</th><th scope=\"col\">played</th>"
                "<th scope=\"col\">loss</th><th scope=\"col\" class=\"text\">best</th>"
                "<th scope=\"col\">South-North with best play</th>"
                "<th scope=\"col\" class=\"text\">position before the move</th></tr></thead>\n");
    for (int i = 0; i < game->record->game.count; i++)
        add_move_row(report, game, i);
    add(report, "</table></div></details>\n");
}

static void add_sums_head(struct html_report *report, const char *first, bool games)
{
    add(report,
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\" class=\"text\">%s</th>%s"
        "<th scope=\"col\">moves</th><th scope=\"col\">judged</th><th scope=\"col\">lossless</th>"
        "<th scope=\"col\">lost</th><th scope=\"col\">mean</th><th scope=\"col\">worst</th>"
        "<th scope=\"col\">lost by repeating</th></tr></thead>\n",
        first, games ? "<th scope=\"col\">games</th>" : "");
}

static void add_sums(struct html_report *report, const struct wari_judged_side *side)
{
    char share[TEXT_NUMBER] = "-", mean[TEXT_NUMBER] = "-";
    if (side->judged) {
        snprintf(share, sizeof share, "%.1f %%",
                 text_percent((uint64_t)side->perfect, (uint64_t)side->judged));
        snprintf(mean, sizeof mean, "%.3f", (double)side->lost / side->judged);
    }
    add(report,
        "<td>%d</td><td>%d</td><td>%s</td><td>%d</td><td>%s</td><td>%d</td><td>%d</td></tr>\n",
        side->moves, side->judged, share, side->lost, mean, side->worst_loss, side->cycle_lost);
}

static void add_sides(struct html_report *report, const struct wari_judged_side side[2],
                      const struct wari_judged_side *total)
{
    add_sums_head(report, "side", false);
    for (int i = 0; i < 3; i++) {
        add(report, "<tr><th scope=\"row\" class=\"text\">%s</th>",
            i < 2 ? board_player(i == 1) : "both");
        add_sums(report, i < 2 ? &side[i] : total);
    }
    add(report, "</table></div>\n");
}

/* Starts the table of reviews. The first column is that of names. */
static void add_review_head(struct html_report *report, const char *first, bool games)
{
    add(report,
        "<div class=\"wide\"><table><caption>By search</caption>"
        "<thead><tr><th scope=\"col\" class=\"text\">%s</th>%s<th scope=\"col\">moves</th>"
        "<th scope=\"col\">accuracy</th><th scope=\"col\">proven</th><th "
        "scope=\"col\">lost</th><th scope=\"col\">turns</th></tr></thead>\n",
        first, games ? "<th scope=\"col\">games</th>" : "");
}

static void add_review(struct html_report *report, const struct wari_reviewed_side *side)
{
    add(report, "<td>%d</td>", side->moves);
    if (side->moves > 0)
        add(report, "<td>%.1f %%</td>", side->accuracy);
    else
        add(report, "<td>-</td>");
    add(report, "<td>%d</td><td>%.1f</td><td>%d</td></tr>\n", side->proven,
        side->lost / (double)WARI_SEED_SCORE, side->turns);
}

static void add_review_sides(struct html_report *report, const struct wari_reviewed_side side[2])
{
    add_review_head(report, "side", false);
    for (int i = 0; i < 2; i++) {
        add(report, "<tr><th scope=\"row\" class=\"text\">%s</th>", board_player(i == 1));
        add_review(report, &side[i]);
    }
    add(report, "</table></div>\n");
}

/* Starts a row of the table of players. */
static void add_player(struct html_report *report, const struct player *player)
{
    add(report, "<tr><th scope=\"row\" class=\"text\">");
    add_untrusted(report, player->name);
    add(report, "</th><td>%d</td>", player->games);
}

static void add_players(struct html_report *report, const struct players *players)
{
    add_sums_head(report, "player", true);
    for (size_t i = 0; i < players->count; i++) {
        add_player(report, players->list[i]);
        add_sums(report, &players->list[i]->side);
    }
    add(report, "</table></div>\n");
}

static void add_review_players(struct html_report *report, const struct players *players)
{
    add_review_head(report, "player", true);
    for (size_t i = 0; i < players->count; i++) {
        add_player(report, players->list[i]);
        add_review(report, &players->list[i]->review);
    }
    add(report, "</table></div>\n");
}

/* ---- The page ---- */

static void add_heading(struct html_report *report, const struct judged_game *game)
{
    const struct wari_record *record = game->record;
    const char *south = player_name(record, false), *north = player_name(record, true);
    char rules[VARIANT_TEXT];
    add(report, "<section id=\"game-%d\"><h2>", report->games);
    if (south || north) {
        add_untrusted(report, south ? south : "South");
        add(report, " – ");
        add_untrusted(report, north ? north : "North");
    } else {
        add(report, "Game %d", report->games);
    }
    add(report, "</h2>\n<p class=\"faint\">");
    add_untrusted(report, game->file);
    variant_text(record->game.variant, rules);
    add(report, ", line %d, game %d; rules %s", record->line, game->number, rules);
    static const char *const tags[] = {"Event", "Date", "Result"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const char *value = wari_record_tag(record, tags[i]);
        if (!value || !value[0] || strcmp(value, "?") == 0)
            continue;
        add(report, "; %s: ", tags[i]);
        add_untrusted(report, value);
    }
    add(report, "</p>\n");
}

enum wari_status html_report_open(struct html_report *report, const char *path,
                                  const struct judged_total *total, struct wari_error *error)
{
    char limits[GAME_REVIEW_LIMITS];
    *report = (struct html_report){.error = error};
    enum wari_status status = output_open(&report->output, path, error);
    if (status != WARI_OK)
        return status;
    add_bytes(report, page_start, sizeof page_start - 1);
    add(report, "%s",
        !total->has_reviews   ? by_database
        : total->has_database ? by_both
                              : by_search);
    add(report, "%s%s", page_terms, total->has_reviews ? page_accuracy : "");
    if (total->has_reviews)
        add(report, " The limit of each search was %s.",
            game_review_limits(&total->search, limits));
    add(report, "%s", page_totals);
    return WARI_OK;
}

void html_report_message(struct html_report *report, const char *message)
{
    add(report, "<p class=\"message\">");
    add_untrusted(report, message);
    add(report, "</p>\n");
}

void html_report_game(struct html_report *report, const struct judged_game *game)
{
    struct judged_end end;
    report->games++;
    add_heading(report, game);
    add_chart(report, game);
    judged_game_end(game, &end);
    add(report, "<p>%s%s%s%s%s</p>\n", end.repetition, end.repetition[0] ? " " : "", end.repeating,
        end.repeating[0] ? " " : "", end.result);
    if (game->seeds_max >= 0)
        add_sides(report, game->judgement->side, &game->judgement->total);
    if (game->review)
        add_review_sides(report, game->review->side);
    add_moves(report, game);
    add(report, "</section>\n");
}

void html_report_total(struct html_report *report, const struct judged_total *total)
{
    add(report, "<section id=\"totals\"><h2>All %d game%s</h2>\n", total->games,
        total->games == 1 ? "" : "s");
    if (total->has_database)
        add_sides(report, total->side, &total->total);
    if (total->has_database && total->players.count > 0)
        add_players(report, &total->players);
    if (total->has_reviews)
        add_review_sides(report, total->review);
    if (total->has_reviews && total->players.count > 0)
        add_review_players(report, &total->players);
    add(report, "</section>\n");
}

enum wari_status html_report_close(struct html_report *report, enum wari_status status,
                                   struct wari_error *error)
{
    add(report, "<p class=\"faint\">Written by wari " WARI_VERSION ".</p>\n</body>\n</html>\n");
    if (status == WARI_OK)
        status = report->status;
    return output_finish(&report->output, status, error);
}
