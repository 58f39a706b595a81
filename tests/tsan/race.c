/* A program with a data race: all threads add to one variable. If the thread sanitizer does not
 * report the race, it does not work on this machine, and tests/tsan.sh fails. */
#include <stdio.h>

int main(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100000; i++) {
        sum += i;
    }
    return printf("%ld\n", sum) > 0 ? 0 : 1;
}
