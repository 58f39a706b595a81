/* The search, beside perfect play. */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

/* Prints how often a search with the database in the first folder finds a move without loss, by the
 * larger one in the second; what a move of perfect play inside that costs; and how many times the
 * positions of one thread all processors look at. */
void bench_search(const char *small_folder, const char *large_folder);

#endif
