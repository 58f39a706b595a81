/* Embeds the files of the page in the program by the assembler's .incbin. serve/page.sh makes
 * these files from the files in serve/page/. The Makefile rebuilds this object when one of the
 * files changes, and passes the folder to the assembler. */
#include "serve/page.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

#include "db/host/embedded.h"

/* clang-format off */
/* Each file of the page: its type, its name in this source file, and its path on the server. This
 * path is the path below serve/page/, with two exceptions: serve/openapi.json, and index.html, of
 * which serve/page.sh makes a file for each language. */
#define FILES(EACH) \
    EACH(html, index_en, "index.en.html") \
    EACH(html, index_es, "index.es.html") \
    EACH(html, index_fr, "index.fr.html") \
    EACH(html, index_it, "index.it.html") \
    EACH(html, index_nl, "index.nl.html") \
    EACH(css, style, "style.css") \
    EACH(image, icon, "icon.svg") \
    EACH(script, analysis, "analysis.js") \
    EACH(script, api, "api.js") \
    EACH(script, ask, "ask.js") \
    EACH(script, board, "board.js") \
    EACH(script, charts, "charts.js") \
    EACH(script, dom, "dom.js") \
    EACH(script, editor, "editor.js") \
    EACH(script, game, "game.js") \
    EACH(script, graph, "graph.js") \
    EACH(script, keys, "keys.js") \
    EACH(script, learn, "learn.js") \
    EACH(script, lessons, "lessons.js") \
    EACH(script, main, "main.js") \
    EACH(script, messages, "messages.js") \
    EACH(script, mistakes, "mistakes.js") \
    EACH(script, ogn, "ogn.js") \
    EACH(script, opponent, "opponent.js") \
    EACH(script, panels, "panels.js") \
    EACH(script, paper, "paper.js") \
    EACH(script, play, "play.js") \
    EACH(script, played, "played.js") \
    EACH(script, puzzles, "puzzles.js") \
    EACH(script, records, "records.js") \
    EACH(script, review, "review.js") \
    EACH(script, rules, "rules.js") \
    EACH(script, sections, "sections.js") \
    EACH(script, sounds, "sounds.js") \
    EACH(script, statistics, "statistics.js") \
    EACH(script, storage, "storage.js") \
    EACH(script, tree, "tree.js") \
    EACH(texts, messages_en, "messages/en.json") \
    EACH(texts, messages_es, "messages/es.json") \
    EACH(texts, messages_fr, "messages/fr.json") \
    EACH(texts, messages_it, "messages/it.json") \
    EACH(texts, messages_nl, "messages/nl.json") \
    EACH(description, openapi, "api/v1/openapi.json")
/* clang-format on */

/* Defines symbols for the first byte of a file and for the byte after its last one. */
#define EMBED(name, file)                                                                          \
    extern const char page_##name[], page_##name##_end[];                                          \
    __asm__(WARI_CONSTANTS ".globl " WARI_LABEL "page_" #name "\n.globl " WARI_LABEL "page_" #name \
                           "_end\n" WARI_LABEL "page_" #name ":\n.incbin \"" file                  \
                           "\"\n" WARI_LABEL "page_" #name "_end:\n.byte 0\n" WARI_CONSTANTS_END);
#define INCLUDE(type, name, file) EMBED(name, file) EMBED(name##_gz, file ".gz")
FILES(INCLUDE)
EMBED(policy, "policy")

static const char html[] = "text/html; charset=utf-8";
static const char css[] = "text/css; charset=utf-8";
static const char image[] = "image/svg+xml";
static const char script[] = "text/javascript; charset=utf-8";
static const char texts[] = "application/json; charset=utf-8";
static const char description[] = "application/json";

struct embedded {
    const char *start, *end;
};

#define FILE_OF(type, name, file)                                                                  \
    {"/" file, type, {page_##name, page_##name##_end}, {page_##name##_gz, page_##name##_gz_end}},
static const struct {
    const char *path, *type;
    struct embedded plain, gzip;
} files[] = {FILES(FILE_OF)};

bool page_find(const char *path, const char *language, bool gzip, struct page_file *file)
{
    char start[sizeof "/index.en.html"];
    const bool is_start = strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0;
    const char *wanted = is_start ? start : path;
    snprintf(start, sizeof start, "/index.%s.html", language);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].path, wanted) != 0)
            continue;
        const struct embedded *embedded = gzip ? &files[i].gzip : &files[i].plain;
        *file = (struct page_file){.type = files[i].type,
                                   .encoding = gzip ? "gzip" : NULL,
                                   .is_start = is_start,
                                   .bytes = embedded->start,
                                   .count = (size_t)(embedded->end - embedded->start)};
        etag_write(XXH3_64bits(file->bytes, file->count), file->etag);
        return true;
    }
    return false;
}

/* Sets `language` to `code`, which has `length` bytes, if the page has texts in that language.
 * Otherwise returns false. */
static bool take_language(const char *code, size_t length, char language[PAGE_LANGUAGE])
{
    for (size_t i = 0; i < sizeof files / sizeof files[0] && length == PAGE_LANGUAGE - 1; i++) {
        if (files[i].type != texts)
            continue;
        const char *name = files[i].path + strlen("/messages/");
        if (strncasecmp(name, code, length) != 0)
            continue;
        snprintf(language, PAGE_LANGUAGE, "%s", name);
        return true;
    }
    return false;
}

void page_language(const char *selected, const char *preferred, char language[PAGE_LANGUAGE])
{
    snprintf(language, PAGE_LANGUAGE, "en");
    if (selected && take_language(selected, strlen(selected), language))
        return;
    while (preferred && *preferred) {
        if (take_language(preferred, strcspn(preferred, ",;-"), language))
            return;
        preferred += strcspn(preferred, ",");
        preferred += strspn(preferred, ", ");
    }
}
