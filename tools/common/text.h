/* Pieces of text that several commands print. */
#ifndef TOOLS_TEXT_TEXT_H
#define TOOLS_TEXT_TEXT_H

#include <stdint.h>

enum { TEXT_NUMBER = 32, TEXT_PATH = 4096 };

/* Each writes into `text`, of at least TEXT_NUMBER bytes, and returns it. */
const char *text_number(uint64_t number, char text[TEXT_NUMBER]); /* "216,135,140" */
const char *text_bytes(uint64_t bytes, char text[TEXT_NUMBER]);   /* "512.3 MB" (10^6 bytes) */
const char *text_seconds(double seconds, char text[TEXT_NUMBER]); /* "0.84 s", "12 min 05 s" */
const char *text_value(int value, char text[TEXT_NUMBER]);        /* "+3", "0", "-2" */

/* A path or another text from outside, as wari_text_clean() has it. */
const char *text_path(const char *path, char text[TEXT_PATH]);

/* A share of a whole in percent; 0 where the whole is. */
double text_percent(uint64_t part, uint64_t whole);

#endif
