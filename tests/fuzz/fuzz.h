/* Fuzz targets. Each target accepts any bytes as input. It ends the program if a condition is
 * violated; sanitizers end the program if memory is misused. libfuzzer.c makes a fuzzer of each
 * target, and tests/unit/fuzz/test_fuzz_corpus.c runs the targets on the corpus. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef void fuzz_target(const uint8_t *data, size_t size);

/* A level file, changed or random, in an otherwise intact database. */
fuzz_target fuzz_level_file;

/* The encoded bytes of a chunk with correct hashes, so that the decoder gets arbitrary bytes. */
fuzz_target fuzz_chunk;

/* A catalogue, with its own hash or a corrected one. */
fuzz_target fuzz_catalogue;

/* A checkpoint that a build finds, with its own hashes or corrected ones. */
fuzz_target fuzz_checkpoint;

/* A proof record, with its own hash or a corrected one. */
fuzz_target fuzz_proof;

/* Positions, diagrams, letters of moves and names of rule sets. */
fuzz_target fuzz_notation;

/* Records of games, tagged and plain. */
fuzz_target fuzz_record;

/* The protocol between engines and matches. */
fuzz_target fuzz_protocol;

/* Arrays of strings in JSON. */
fuzz_target fuzz_string_array;

/* A book, changed or random, with its own hashes or corrected ones. */
fuzz_target fuzz_book;

/* An opening book, with its own hash or a correct one. */
fuzz_target fuzz_opening_book;

#endif
