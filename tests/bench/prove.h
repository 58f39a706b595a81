/* Who wins above the database, and whether that is proven. */
#ifndef BENCH_PROVE_H
#define BENCH_PROVE_H

/* Prints for how many of so many positions with `seeds` seeds, out of games that searches play, a
 * search of `milliseconds` with the database in the folder proves who wins. */
void bench_prove(const char *folder, int seeds, int positions, int milliseconds);

#endif
