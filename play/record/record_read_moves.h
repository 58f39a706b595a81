/* The moves of a game being read. */
#ifndef PLAY_RECORD_RECORD_READ_MOVES_H
#define PLAY_RECORD_RECORD_READ_MOVES_H

#include "play/record/reading.h"

/* Reads moves up to the end, or up to a bracket that starts the next game. */
WARI_MUST_CHECK enum wari_status wari_reading_moves(struct wari_reading *reading);

#endif
