/* Fuzz targets. Each takes any bytes and ends the program if something does not hold; so does
 * whoever reads beyond its memory, by the sanitizers. libfuzzer.c makes fuzzers of them, and
 * tests/unit/fuzz/test_fuzz_corpus.c hands them what fuzzers found worth keeping. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef void fuzz_target(const uint8_t *data, size_t size);

/* A level file, changed or made up, in a database that is otherwise intact. */
fuzz_target fuzz_level_file;

/* A chunk's encoded bytes under hashes that are right, so that the decoder meets anything. */
fuzz_target fuzz_chunk;

/* A catalogue, with the hash it has or a right one. */
fuzz_target fuzz_catalogue;

/* A checkpoint, with the hashes it has or right ones, that a build finds. */
fuzz_target fuzz_checkpoint;

/* The record of a proof, with the hash it has or a right one. */
fuzz_target fuzz_proof;

/* Positions, diagrams, letters of moves and names of rule sets. */
fuzz_target fuzz_notation;

/* Records of games, tagged and plain. */
fuzz_target fuzz_record;

/* What engines and matches say to each other. */
fuzz_target fuzz_protocol;

/* Arrays of strings in JSON. */
fuzz_target fuzz_string_array;

/* A book, changed or made up, with the hashes it has or right ones. */
fuzz_target fuzz_book;

#endif
