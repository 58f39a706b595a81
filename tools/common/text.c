/* Pieces of text that several commands print: numbers as people read them. */
#include "tools/common/text.h"

#include <stdio.h>

#include "play/text.h"

const char *text_number(uint64_t number, char text[TEXT_NUMBER])
{
    char digits[TEXT_NUMBER];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    int out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

const char *text_bytes(uint64_t bytes, char text[TEXT_NUMBER])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        snprintf(text, TEXT_NUMBER, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return text;
    }
    double amount = (double)bytes / 1000;
    int unit = 0;
    for (; amount >= 999.95; unit++)
        amount /= 1000;
    snprintf(text, TEXT_NUMBER, "%.1f %s", amount, units[unit]);
    return text;
}

const char *text_seconds(double seconds, char text[TEXT_NUMBER])
{
    if (seconds < 9.995) {
        snprintf(text, TEXT_NUMBER, "%.2f s", seconds);
        return text;
    }
    uint64_t whole = (uint64_t)(seconds + 0.5);
    unsigned long long minutes = whole / 60 % 60;
    unsigned long long hours = whole / 3600;
    if (hours)
        snprintf(text, TEXT_NUMBER, "%llu h %02llu min", hours, minutes);
    else if (minutes)
        snprintf(text, TEXT_NUMBER, "%llu min %02d s", minutes, (int)(whole % 60));
    else
        snprintf(text, TEXT_NUMBER, "%d s", (int)whole);
    return text;
}

const char *text_value(int value, char text[TEXT_NUMBER])
{
    snprintf(text, TEXT_NUMBER, value > 0 ? "+%d" : "%d", value);
    return text;
}

const char *text_path(const char *path, char text[TEXT_PATH])
{
    wari_text_clean(text, TEXT_PATH, path);
    return text;
}

double text_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
