/* Little-endian numbers in byte arrays, so that files are the same on every machine. Compilers turn
 * each function into a single load or store where the machine allows it. */
#ifndef DB_HOST_BYTES_H
#define DB_HOST_BYTES_H

#include <stdint.h>

/* Marked as unused because readers of books do not call it. */
__attribute__((unused)) static inline void wari_store16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void wari_store32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline void wari_store64(uint8_t *bytes, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t wari_load16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t wari_load32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline uint64_t wari_load64(const uint8_t *bytes)
{
    return wari_load32(bytes) | (uint64_t)wari_load32(bytes + 4) << 32;
}

#endif
