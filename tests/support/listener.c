/* Reads game records and stores all complaints of the reader. */
#include "tests/support/listener.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct wari_variant abapa_own = {WARI_ABAPA, WARI_OWN};

const char auale_record[] = "[Variant \"Oware Abapa\"]\n"
                            "[Event \"A \\\"friendly\\\" match\"]\n"
                            "[Site \"?\"]\n"
                            "[Date \"2014.05.21\"]\n"
                            "[Round \"?\"]\n"
                            "[South \"Ama\"]\n"
                            "[North \"Kof\xC3\xAD\"]\n"
                            "[Result \"24-24\"]\n"
                            "[FEN \"0-1-0-0-0-1-0-1-0-0-0-0-23-22-N\"]\n"
                            "\n"
                            "1. b { a\n"
                            "quiet   move } F 2. c { Aual\xC3\xA9 counts no ends here } 24-24\n";

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct listener *listener = context;
    assert_true(listener->count < COMPLAINTS);
    listener->heard[listener->count].line = complaint->line;
    listener->heard[listener->count].column = complaint->column;
    listener->heard[listener->count].game_line = complaint->game_line;
    listener->heard[listener->count].lost = complaint->lost;
    snprintf(listener->heard[listener->count++].text, 200, "%s", complaint->text);
}

struct wari_record_reader listener_reader(const char *text,
                                          void (*complain)(void *context,
                                                           const struct wari_complaint *complaint),
                                          void *context)
{
    return (struct wari_record_reader){
        .host = wari_host_system(),
        .text = text,
        .length = strlen(text),
        .variants = &abapa_own,
        .variant_count = 1,
        .complain = complain,
        .context = context,
    };
}

void listener_start(struct listener *listener, const char *text)
{
    *listener = (struct listener){.reader = listener_reader(text, hear, listener)};
}

bool listener_next(struct listener *listener, struct wari_record *record)
{
    struct wari_error error;
    bool found;
    if (wari_record_next(&listener->reader, record, &found, &error) != WARI_OK)
        fail_msg("%s", error.text);
    if (!found)
        wari_record_end(&listener->reader);
    return found;
}

void plain_record(const struct wari_record *record, char text[PLAIN_MAX])
{
    char diagram[WARI_DIAGRAM_TEXT];
    int length;

    wari_diagram_text(&record->game.start, diagram);
    length = snprintf(text, PLAIN_MAX, "%s ", diagram);
    for (int i = 0; i < record->game.count; i++) {
        const struct wari_ply *ply = &record->game.plies[i];
        assert_true(length < PLAIN_MAX - 2);
        text[length++] = wari_move_letter(ply->move.pit, ply->before.north_to_move);
    }
    text[length] = '\0';
}
