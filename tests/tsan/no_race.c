/* A correct program whose threads synchronise only by OpenMP's barriers and reductions. If the
 * thread sanitizer reports a race here, it does not understand OpenMP on this machine (Archer is
 * missing), and its reports about the solver would be meaningless. */
#include <stdio.h>

enum { COUNT = 100000 };

int main(void)
{
    static int forwards[COUNT], backwards[COUNT];
    long sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(dynamic, 100)
        for (int i = 0; i < COUNT; i++) {
            forwards[i] = i;
        }
#pragma omp for schedule(dynamic, 70)
        for (int i = 0; i < COUNT; i++) {
            backwards[i] = forwards[COUNT - 1 - i];
        }
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < COUNT; i++) {
            sum += backwards[i];
        }
    }
    return sum == (long)COUNT * (COUNT - 1) / 2 && printf("%ld\n", sum) > 0 ? 0 : 1;
}
