/* Formatted output with the few conversions that messages use. */
#include "stdio.h"

#include <stdbool.h>
#include <stdint.h>

struct out {
    char *text;
    size_t size, length; /* `length` counts all characters, even those that did not fit */
};

static void put(struct out *out, char c)
{
    if (out->length + 1 < out->size)
        out->text[out->length] = c;
    out->length++;
}

static void put_text(struct out *out, const char *text, int most)
{
    for (int i = 0; text[i] && (most < 0 || i < most); i++)
        put(out, text[i]);
}

static void put_number(struct out *out, uint64_t number, unsigned base, int width)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = "0123456789ABCDEF"[number % base];
        number /= base;
    } while (number > 0 || count < width);
    while (count > 0)
        put(out, digits[--count]);
}

/* Processes one conversion, whose "%" has been read. Returns the format after it. */
static const char *convert(struct out *out, const char *format, va_list *arguments)
{
    int width = 0, precision = -1, longs = 0;
    for (; *format >= '0' && *format <= '9'; format++)
        width = 10 * width + *format - '0';
    if (*format == '.') {
        precision = 0;
        if (*++format == '*') {
            precision = va_arg(*arguments, int);
            format++;
        }
        for (; *format >= '0' && *format <= '9'; format++)
            precision = 10 * precision + *format - '0';
    }
    for (; *format == 'l'; format++)
        longs++;
    if (*format == 's') {
        put_text(out, va_arg(*arguments, const char *), precision);
    } else if (*format == 'c') {
        put(out, (char)va_arg(*arguments, int));
    } else if (*format == 'd') {
        const int number = va_arg(*arguments, int);
        if (number < 0)
            put(out, '-');
        put_number(out, number < 0 ? 0u - (unsigned)number : (unsigned)number, 10, width);
    } else if (*format == 'u' && longs == 2) {
        put_number(out, va_arg(*arguments, unsigned long long), 10, width);
    } else if (*format == 'u' || *format == 'X') {
        put_number(out, va_arg(*arguments, unsigned long), *format == 'u' ? 10 : 16, width);
    } else {
        put(out, *format);
    }
    return *format ? format + 1 : format;
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    struct out out = {text, size, 0};
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        if (*format == '%')
            format = convert(&out, format + 1, &rest);
        else
            put(&out, *format++);
    }
    va_end(rest);
    if (size > 0)
        text[out.length < size ? out.length : size - 1] = 0;
    return (int)out.length;
}

int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}
