/* `wari rules`: explains the rule sets, the two cycle rules and the presets.
 *
 * The texts about slams and players come from the table in game/, so that they always agree with
 * the behaviour of the program.
 */
#include <stdio.h>
#include <string.h>

#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

static const char *const cycle_summaries[WARI_CYCLE_COUNT] = {
    [WARI_EVEN] = "Play that never ends splits the seeds left on the board evenly: it is worth 0.",
    [WARI_OWN] = "Play that never ends gives a side the surplus of seeds in its own row that it "
                 "holds at every position of the cycle, and splits the rest evenly.",
};

static const char *const cycle_players[WARI_CYCLE_COUNT] = {
    [WARI_EVEN] = "The academic rule; every published awari table.",
    [WARI_OWN] =
        "\"Each player takes the seeds in their own row\" of tournaments and of the Italian "
        "sheet, made exact.",
};

static const char *slam_text(enum wari_slam slam)
{
    switch (slam) {
    case WARI_SLAM_ILLEGAL:
        return "illegal";
    case WARI_SLAM_NO_CAPTURE:
        return "captures nothing";
    case WARI_SLAM_MOVES_AGAIN:
        return "captures and moves again";
    case WARI_SLAM_LOSES:
        return "loses the game";
    case WARI_SLAM_DRAWS:
        return "ends the game, value 0";
    case WARI_SLAM_GIVES_REST:
        return "captures, the rest goes to the opponent";
    case WARI_SLAM_WINS_ALL:
        return "wins the game";
    }
    return "";
}

static const char *stuck_text(enum wari_stuck stuck)
{
    return stuck == WARI_STUCK_TAKES_ALL ? "takes all" : "own rows";
}

/* ---- Text ---- */

/* Prints `text` in lines of at most 76 columns, indented by four blanks. */
static void print_wrapped(const char *text)
{
    enum { TEXT_WIDTH = 72 };
    size_t column = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > 0 && column + 1 + word > TEXT_WIDTH) {
            putchar('\n');
            column = 0;
        }
        printf("%s%.*s", column == 0 ? "    " : " ", (int)word, text);
        column += word + (column > 0);
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_rules(enum wari_rules rules)
{
    const struct wari_rules_info *info = wari_get_rules_info(rules);
    printf("  %s (a grand slam: %s)\n", info->name, slam_text(info->slam));
    print_wrapped(info->summary);
    print_wrapped(info->players);
}

static void print_cycle(enum wari_cycle cycle)
{
    printf("  %s\n", wari_cycle_name(cycle));
    print_wrapped(cycle_summaries[cycle]);
    print_wrapped(cycle_players[cycle]);
}

static void print_preset(const struct wari_preset *preset)
{
    printf("  %s = --rules %s --cycle %s\n", preset->name,
           wari_get_rules_info(preset->variant.rules)->name,
           wari_cycle_name(preset->variant.cycle));
    print_wrapped(preset->summary);
}

static void print_all(void)
{
    puts("A game consists of a rule set and a cycle rule, which says what endless play is\n"
         "worth. Rule sets differ in the effect of a grand slam: a move whose captures would\n"
         "take every seed in the opponent's row.\n"
         "\n"
         "  Oware in tournaments               --rules oware\n"
         "  English, Dutch, Walker's leaflet   --rules english, dutch, walker\n"
         "  Spanish, Italian, Caribbean        --rules spanish, italian, caribbean\n"
         "  published tables                   --rules academic\n"
         "\n"
         "Rule sets (--rules)");
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        print_rules((enum wari_rules)rules);
    puts("\nEndless play (--cycle); each can be combined with every rule set");
    for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++)
        print_cycle((enum wari_cycle)cycle);
    puts("\nPresets: names for a rule set and a cycle rule together, accepted by every --rules");
    for (const struct wari_preset *preset = wari_presets(); preset->name; preset++)
        print_preset(preset);
}

/* Prints one rule set with the presets that use it, or one preset with its rule set and cycle rule.
 */
static void print_one(const char *name, struct wari_variant variant, bool preset_only)
{
    puts("rule set");
    print_rules(variant.rules);
    if (preset_only) {
        puts("endless play");
        print_cycle(variant.cycle);
    }
    bool heading = false;
    for (const struct wari_preset *preset = wari_presets(); preset->name; preset++) {
        bool matches =
            preset_only ? strcmp(preset->name, name) == 0 : preset->variant.rules == variant.rules;
        if (matches && !heading)
            puts(preset_only ? "preset" : "presets");
        heading = heading || matches;
        if (matches)
            print_preset(preset);
    }
    if (!preset_only)
        puts("endless play: --cycle even or --cycle own; 'wari rules' explains them");
}

/* ---- JSON ---- */

static json_t *json_rules(enum wari_rules rules)
{
    const struct wari_rules_info *info = wari_get_rules_info(rules);
    return json_pack("{ss ss ss ss ss}", "name", info->name, "slam", slam_text(info->slam),
                     "no_legal_move", stuck_text(info->stuck), "summary", info->summary, "players",
                     info->players);
}

static json_t *json_preset(const struct wari_preset *preset)
{
    return json_pack("{ss ss ss ss}", "name", preset->name, "rules",
                     wari_get_rules_info(preset->variant.rules)->name, "cycle",
                     wari_cycle_name(preset->variant.cycle), "summary", preset->summary);
}

/* Prints everything if `one` is NULL, otherwise only that variant and its presets. */
static enum wari_status print_json(const struct wari_variant *one, const char *name,
                                   struct wari_error *error)
{
    json_t *sets = json_array(), *cycles = json_array(), *presets = json_array();
    int failed = 0;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        if (!one || (int)one->rules == rules)
            failed |= json_array_append_new(sets, json_rules((enum wari_rules)rules));
    }
    for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++)
        failed |= json_array_append_new(
            cycles, json_pack("{ss ss ss}", "name", wari_cycle_name((enum wari_cycle)cycle),
                              "summary", cycle_summaries[cycle], "players", cycle_players[cycle]));
    for (const struct wari_preset *preset = wari_presets(); preset->name; preset++) {
        if (!one || preset->variant.rules == one->rules || strcmp(preset->name, name) == 0)
            failed |= json_array_append_new(presets, json_preset(preset));
    }
    json_t *all = json_pack("{so so so}", "rules", sets, "cycles", cycles, "presets", presets);
    if (failed) {
        json_decref(all);
        all = NULL;
    }
    return json_print(all, error);
}

/* ---- Command ---- */

static enum wari_status handle_option(void *format, int key, struct wari_error *error)
{
    static const char *const formats[] = {"text", "json", NULL};
    return options_word("--format", key == 'j' ? "json" : optarg, formats, format, error);
}

static enum wari_status read_options(int argc, char **argv, int *format, const char **name,
                                     struct wari_error *error)
{
    static const struct option accepted[] = {
        {"format", required_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},
        {NULL, 0, NULL, 0},
    };
    const struct command_line line = {argc, argv, accepted, NULL, 1, handle_option, format};
    enum wari_status status = options_read(&line, error);
    if (status == WARI_OK && optind < argc)
        *name = argv[optind];
    return status;
}

static int run(int argc, char **argv)
{
    int format = FORMAT_TEXT;
    const char *name = NULL;
    struct wari_variant variant = {WARI_AWARI, WARI_EVEN};
    bool preset_only = false;
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &format, &name, &error);
    if (status == WARI_OK && name)
        status = wari_rules_parse(name, &variant, &preset_only, &error);
    if (status != WARI_OK && name)
        variant_suggest(name, NULL, &error);
    if (status == WARI_OK && format == FORMAT_JSON)
        status = print_json(name ? &variant : NULL, name, &error);
    else if (status == WARI_OK && name)
        print_one(name, variant, preset_only);
    else if (status == WARI_OK)
        print_all();
    return report_result(argv[0], status, &error);
}

const struct command command_rules = {
    .name = "rules",
    .summary = "explain the rule sets and presets",
    .run = run,
    .help =
        "usage: wari rules [NAME] [--format text|json]\n"
        "\n"
        "Explains the rule sets, the two cycle rules (which say what endless play is worth) and\n"
        "the presets, with their sources, and which of them tournaments, rule leaflets and\n"
        "published tables use. With NAME, explains one rule set or preset. No database is\n"
        "needed. --json is short for --format json.\n"
        "\n"
        "example\n"
        "  wari rules tournament\n"
        "\n"
        "exit codes: 0 done; 2 unknown name, or bad usage; 4 the output could not be written\n",
};
