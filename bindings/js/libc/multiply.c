/* Multiplies numbers of 128 bits, with products of 32-bit numbers. clang calls this function on
 * machines without such an instruction and expects it in its runtime library. */
#include <stdint.h>

__extension__ typedef __int128 wide;

wide __multi3(wide left, wide right);

wide __multi3(wide left, wide right)
{
    const uint64_t a = (uint64_t)left, b = (uint64_t)right;
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t one = a1 * b0 + (low >> 32);
    const uint64_t other = a0 * b1 + (one & 0xffffffff);
    const uint64_t high = a1 * b1 + (one >> 32) + (other >> 32) + (uint64_t)(left >> 64) * b +
                          a * (uint64_t)(right >> 64);
    return (wide)high << 64 | (wide)(other << 32 | (low & 0xffffffff));
}
