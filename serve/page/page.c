/* The files of serve/page/, put into the program by the assembler.
 *
 * No tool and no copy stands between a file and the page: each is included as it is. The Makefile
 * makes this file anew when one of them changes.
 */
#include "serve/page/page.h"

#include <string.h>
#include <xxhash.h>

/* Two names at the first byte and behind the last one of a file. */
#define INCLUDE(name, file)                                                                        \
    extern const char page_##name[], page_##name##_end[];                                          \
    __asm__(".section .rodata\n"                                                                   \
            ".global page_" #name "\n.global page_" #name "_end\n"                                 \
            "page_" #name ":\n.incbin \"serve/page/" file "\"\n"                                   \
            "page_" #name "_end:\n.byte 0\n.previous\n")

INCLUDE(index, "index.html");
INCLUDE(style, "style.css");
INCLUDE(icon, "icon.svg");
INCLUDE(analysis, "analysis.js");
INCLUDE(api, "api.js");
INCLUDE(ask, "ask.js");
INCLUDE(game, "game.js");
INCLUDE(board, "board.js");
INCLUDE(opponent, "opponent.js");
INCLUDE(panels, "panels.js");
INCLUDE(charts, "charts.js");
INCLUDE(dom, "dom.js");
INCLUDE(review, "review.js");
INCLUDE(rules, "rules.js");
INCLUDE(statistics, "statistics.js");
INCLUDE(storage, "storage.js");
INCLUDE(tabs, "tabs.js");
INCLUDE(tree, "tree.js");
INCLUDE(played, "played.js");
INCLUDE(ogn, "ogn.js");
INCLUDE(records, "records.js");
INCLUDE(messages, "messages.js");
INCLUDE(messages_en, "messages/en.json");
INCLUDE(messages_fr, "messages/fr.json");
INCLUDE(messages_es, "messages/es.json");
INCLUDE(messages_nl, "messages/nl.json");
INCLUDE(messages_it, "messages/it.json");
INCLUDE(keys, "keys.js");
INCLUDE(main, "main.js");

#define FILE_OF(path, type, name)                                                                  \
    {                                                                                              \
        path, type, page_##name, page_##name##_end                                                 \
    }

static const char html[] = "text/html; charset=utf-8";
static const char css[] = "text/css; charset=utf-8";
static const char script[] = "text/javascript; charset=utf-8";
static const char texts[] = "application/json; charset=utf-8";
static const struct {
    const char *path, *type, *start, *end;
} files[] = {
    FILE_OF("/", html, index),
    FILE_OF("/style.css", css, style),
    FILE_OF("/icon.svg", "image/svg+xml", icon),
    FILE_OF("/analysis.js", script, analysis),
    FILE_OF("/api.js", script, api),
    FILE_OF("/ask.js", script, ask),
    FILE_OF("/game.js", script, game),
    FILE_OF("/board.js", script, board),
    FILE_OF("/opponent.js", script, opponent),
    FILE_OF("/panels.js", script, panels),
    FILE_OF("/charts.js", script, charts),
    FILE_OF("/dom.js", script, dom),
    FILE_OF("/review.js", script, review),
    FILE_OF("/rules.js", script, rules),
    FILE_OF("/statistics.js", script, statistics),
    FILE_OF("/storage.js", script, storage),
    FILE_OF("/tabs.js", script, tabs),
    FILE_OF("/tree.js", script, tree),
    FILE_OF("/played.js", script, played),
    FILE_OF("/ogn.js", script, ogn),
    FILE_OF("/records.js", script, records),
    FILE_OF("/messages.js", script, messages),
    FILE_OF("/messages/en.json", texts, messages_en),
    FILE_OF("/messages/fr.json", texts, messages_fr),
    FILE_OF("/messages/es.json", texts, messages_es),
    FILE_OF("/messages/nl.json", texts, messages_nl),
    FILE_OF("/messages/it.json", texts, messages_it),
    FILE_OF("/keys.js", script, keys),
    FILE_OF("/main.js", script, main),
};

bool page_find(const char *path, struct page_file *file)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].path, path) != 0)
            continue;
        *file = (struct page_file){.type = files[i].type,
                                   .bytes = files[i].start,
                                   .count = (size_t)(files[i].end - files[i].start)};
        etag_write(XXH3_64bits(file->bytes, file->count), file->etag);
        return true;
    }
    return false;
}
