/* Computes XXH3 as its specification describes it; the names come from there. The input is combined
 * with a fixed secret. An input of more than 240 bytes is processed in stripes of 64 bytes, and the
 * sums are scrambled after every 16 stripes. */
#include "db/portable/xxh3.h"

#include "db/host/bytes.h"

enum { SECRET = 192, STRIPE = 64, STRIPES = 16, MIDDLE_BYTES = 240 };

#define PRIME32_1 UINT64_C(0x9e3779b1)
#define PRIME32_2 UINT64_C(0x85ebca77)
#define PRIME32_3 UINT64_C(0xc2b2ae3d)
#define PRIME64_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME64_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME64_3 UINT64_C(0x165667b19e3779f9)
#define PRIME64_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME64_5 UINT64_C(0x27d4eb2f165667c5)

static const uint8_t xxh3_secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

/* Computes a product of 128 bits and returns the exclusive or of its halves. */
static uint64_t multiply_fold(uint64_t one, uint64_t other)
{
    const uint64_t low = UINT32_MAX;
    const uint64_t lowest = (one & low) * (other & low);
    const uint64_t middle = (one >> 32) * (other & low) + (lowest >> 32);
    const uint64_t crossed = (one & low) * (other >> 32) + (middle & low);
    const uint64_t highest = (one >> 32) * (other >> 32) + (middle >> 32) + (crossed >> 32);
    return highest ^ (crossed << 32 | (lowest & low));
}

static uint64_t avalanche(uint64_t hash)
{
    hash = (hash ^ hash >> 37) * UINT64_C(0x165667919e3779f9);
    return hash ^ hash >> 32;
}

static uint64_t mix_16_bytes(const uint8_t *bytes, const uint8_t *secret, uint64_t seed)
{
    return multiply_fold(wari_load64(bytes) ^ (wari_load64(secret) + seed),
                         wari_load64(bytes + 8) ^ (wari_load64(secret + 8) - seed));
}

static uint64_t hash_up_to_16(const uint8_t *bytes, size_t count, uint64_t seed)
{
    const uint8_t *secret = xxh3_secret;
    const uint64_t one =
        wari_load64(bytes) ^ ((wari_load64(secret + 24) ^ wari_load64(secret + 32)) + seed);
    const uint64_t other = wari_load64(bytes + count - 8) ^
                           ((wari_load64(secret + 40) ^ wari_load64(secret + 48)) - seed);
    uint64_t swapped = 0;
    for (int i = 0; i < 64; i += 8)
        swapped = swapped << 8 | (one >> i & 0xff);
    return avalanche(count + swapped + other + multiply_fold(one, other));
}

static uint64_t hash_up_to_128(const uint8_t *bytes, size_t count, uint64_t seed)
{
    uint64_t hash = count * PRIME64_1;
    for (size_t i = 0; i <= (count - 1) / 32; i++) {
        hash += mix_16_bytes(bytes + 16 * i, xxh3_secret + 32 * i, seed);
        hash += mix_16_bytes(bytes + count - 16 * (i + 1), xxh3_secret + 32 * i + 16, seed);
    }
    return avalanche(hash);
}

static uint64_t hash_up_to_240(const uint8_t *bytes, size_t count, uint64_t seed)
{
    uint64_t hash = count * PRIME64_1;
    for (size_t i = 0; i < count / 16; i++) {
        hash += mix_16_bytes(bytes + 16 * i, xxh3_secret + 16 * (i % 8) + (i < 8 ? 0 : 3), seed);
        if (i == 7)
            hash = avalanche(hash);
    }
    return avalanche(hash + mix_16_bytes(bytes + count - 16, xxh3_secret + 136 - 17, seed));
}

static void accumulate(uint64_t sums[8], const uint8_t *stripe, const uint8_t *secret)
{
    for (int i = 0; i < 8; i++) {
        const uint64_t word = wari_load64(stripe + 8 * i);
        const uint64_t key = word ^ wari_load64(secret + 8 * i);
        sums[i ^ 1] += word;
        sums[i] += (key & UINT32_MAX) * (key >> 32);
    }
}

static uint64_t hash_long(const uint8_t *bytes, size_t count, uint64_t seed)
{
    uint64_t sums[8] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                        PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    uint8_t secret[SECRET];
    for (int i = 0; i < SECRET; i += 16) {
        wari_store64(secret + i, wari_load64(xxh3_secret + i) + seed);
        wari_store64(secret + i + 8, wari_load64(xxh3_secret + i + 8) - seed);
    }
    const size_t stripes = (count - 1) / STRIPE; /* the last stripe comes after the loop */
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        accumulate(sums, bytes + stripe * STRIPE, secret + 8 * (stripe % STRIPES));
        for (int i = 0; i < 8 && stripe % STRIPES == STRIPES - 1; i++)
            sums[i] = (sums[i] ^ sums[i] >> 47 ^ wari_load64(secret + SECRET - STRIPE + 8 * i)) *
                      PRIME32_1;
    }
    accumulate(sums, bytes + count - STRIPE, secret + SECRET - STRIPE - 7);
    uint64_t hash = count * PRIME64_1;
    for (int i = 0; i < 8; i += 2)
        hash += multiply_fold(sums[i] ^ wari_load64(secret + 11 + 8 * i),
                              sums[i + 1] ^ wari_load64(secret + 19 + 8 * i));
    return avalanche(hash);
}

uint64_t wari_xxh3(const uint8_t *bytes, size_t count, uint64_t seed)
{
    if (count <= 16)
        return hash_up_to_16(bytes, count, seed);
    if (count <= 128)
        return hash_up_to_128(bytes, count, seed);
    return count <= MIDDLE_BYTES ? hash_up_to_240(bytes, count, seed)
                                 : hash_long(bytes, count, seed);
}
