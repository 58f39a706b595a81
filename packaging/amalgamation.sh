#!/bin/sh
# `make amalgamation`: writes the game and the reader of books as two files, wari_probe.h and wari_probe.c, for
# programs that do not want any other dependency; and a third file, wari_levels.h, which contains a reader of level files.
#
#   packaging/amalgamation.sh VERSION FOLDER
#
# The files are the concatenated sources below. Inclusions of project headers are removed. Functions that only internal
# headers declare become static, so that only the public names are exported.
set -eu
version=$1 folder=$2

public='game/wari_game.h db/book/wari_book.h'
internal='db/host/bytes.h index/half.h db/book/header.h db/book/cells.h db/book/block.h db/book/partial_file.h'
sources='game/status.c game/position.c game/rules.c game/moves.c game/perft.c game/notation.c index/half.c
    db/book/cells.c db/book/block.c db/book/partial_file.c db/book/wari_book_read.c'
levels='db/portable/xxh3.c db/portable/levels.c'

# Prints the lines with which these files include system headers, each line once.
print_includes() { # FILE...
    sed -n 's/^\(#include <.*\)$/\1/p' "$@" | sort -u
}

# Concatenates files, without include guards and inclusions of project headers. KIND is public, internal or source; in
# internal headers, declarations become static.
join() { # KIND FILE...
    kind=$1
    shift
    awk -v kind="$kind" '
        FNR == 1 { guard = ""; name = FILENAME; printf "\n/* ---- %s ---- */\n", name; blank = 0 }
        /^#ifndef [A-Z0-9_]*_H$/ { guard = $2; next }
        guard != "" && $0 == "#define " guard { next }
        /^#ifdef __cplusplus$/ { skip = 1 }
        skip { if (/^#endif$/) skip = 0; next }
        /^#include "/ { next }
        /^#include </ { if (!seen[$0]++ && kind != "internal" || kind == "public") print; next }
        kind != "source" && /^#endif$/ && !depth { next }
        kind != "source" && /^#if/ { depth++ }
        kind != "source" && /^#endif$/ { depth-- }
        /^$/ && (kind != "public" || blank++) { next }
        !/^$/ { blank = 0 }
        kind == "internal" && /^[a-zA-Z].*\(/ && !/^static/ && !/^#/ { $0 = "static " $0 }
        { print }' "$@"
}

# Reads the public headers. Marks all functions so that the compiler accepts that a program does not call all of them
# when it includes both files as `static`. WARI_FUN is as long as WARI_API, so that the lines stay aligned.
allow_unused() {
    sed -e 's/^\(WARI_MUST_CHECK \)\{0,1\}WARI_API\>/\1WARI_FUN/' -e '/^#define WARI_MUST_CHECK/a\
/* WARI_API, for a function that a program need not call even if WARI_API is `static`. */\
#define WARI_FUN __attribute__((unused)) WARI_API'
}

licence() {
    sed -e 's/^/ * /' -e 's/ *$//' LICENSE
}

mkdir -p "$folder"
{
    cat <<END
/* Wari $version: the game, and exact values of its positions, read from a book (\`wari book\`).
 *
 * There are two files, this one and wari_probe.c. They are C99 and also valid C++, need only the C
 * library, allocate no memory, have no global state, and work with 32 or 64 bits and either byte
 * order. They are made from the sources of Wari by \`make amalgamation\`; do not edit them.
 *
 *     static struct wari_book book;
 *     struct wari_error error;
 *     struct wari_setup setup;
 *     struct wari_analysis analysis;
 *     if (wari_book_open_memory(&book, bytes, size, &error) != WARI_OK || ...          or a callback
 *         wari_setup_parse("1 1 1 1 1 1 / 1 1 1 1 1 1", &setup, &error) != WARI_OK ||
 *         wari_book_analyse(&book, &setup.position, &analysis, &error) != WARI_OK)
 *         puts(error.text);
 *     else if (analysis.count > 0)                                        moves[0] is a best move
 *         printf("%d by %c", analysis.value, 'A' + analysis.moves[0].move.pit);
 *
 * wari_find_moves() lists the legal moves of a position in any rule set, without a book. To play a move,
 * continue with its \`next\`.
 *
 * Compile wari_probe.c as a file of your program; or include it, and let no other file see its names:
 *
 *     #define WARI_API static
 *     #include "wari_probe.c"
 *
$(licence)
 */
#ifndef WARI_PROBE_H
#define WARI_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
END
    # shellcheck disable=SC2086 # names of files
    join public $public | grep -v '^#include <' | allow_unused
    cat <<END

#ifdef __cplusplus
}
#endif
#endif
END
} >"$folder/wari_probe.h"
{
    cat <<END
/* Wari $version: the second of two files. Documentation and licence are in wari_probe.h. */
#ifndef WARI_PROBE_C
#define WARI_PROBE_C
#include "wari_probe.h"

END
    # shellcheck disable=SC2086
    print_includes $sources
    # shellcheck disable=SC2086
    join internal $internal | grep -v '^#include <'
    # shellcheck disable=SC2086
    join source $sources | grep -v '^#include <'
    echo '#endif'
} >"$folder/wari_probe.c"
{
    cat <<END
/* Wari $version: exact values of positions from level files, the files of a folder that \`wari build\`
 * or \`wari pack\` has written. This file needs wari_probe.h and wari_probe.c, which read books
 * without it. It is separate because a program that only reads books does not need it, and the three
 * files together have more than 3,000 lines.
 *
 * Include this file wherever you call its functions. In exactly one file of your program, define
 * WARI_LEVELS_IMPLEMENTATION before you include it. That file then contains wari_probe.c, too, so do
 * not compile wari_probe.c by itself:
 *
 *     #define WARI_LEVELS_IMPLEMENTATION
 *     #include "wari_levels.h"
 *
 * It is best if that file contains nothing else, because internal functions have short names, which
 * your functions may have, too. In a program of one file, add \`#define WARI_API static\`: the public
 * functions then become static as well.
 *
 * zstd. One part of every level file is compressed with zstd. This file contains no decompressor, so
 * wari_levels_open() needs a function with the parameters of ZSTD_decompress(). Without one it
 * refuses every level file. Either link libzstd, with \`#include <zstd.h>\` and -lzstd; or add one
 * file to your program, the decoder that zstd makes for this purpose from its own sources:
 *
 *     cd zstd-1.5.x/build/single_file_libs && ./create_single_file_decoder.sh
 *     cc program.c zstddeclib.c
 *
 * and declare the function in your program (in C++ as extern "C"):
 *
 *     size_t ZSTD_decompress(void *out, size_t capacity, const void *bytes, size_t count);
 *
 * xxHash is not needed: this file computes the hashes of level files itself. The licence of this
 * file is in wari_probe.h.
 */
#ifndef WARI_LEVELS_H
#define WARI_LEVELS_H
#include "wari_probe.h"

#ifdef __cplusplus
extern "C" {
#endif
END
    join public db/portable/wari_levels.h | grep -v '^#include <' | allow_unused
    cat <<END

#ifdef __cplusplus
}
#endif
#endif

#if defined(WARI_LEVELS_IMPLEMENTATION) && !defined(WARI_LEVELS_IMPLEMENTED)
#define WARI_LEVELS_IMPLEMENTED
#include "wari_probe.c"

END
    # shellcheck disable=SC2086
    print_includes $levels
    join internal db/portable/xxh3.h | grep -v '^#include <'
    # shellcheck disable=SC2086
    join source $levels | grep -v '^#include <'
    echo '#endif'
} >"$folder/wari_levels.h"
