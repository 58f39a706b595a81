/* Parts of the assembler code that embeds a file in the program as constant data:
 *
 *     extern const char text[], text_end[];
 *     __asm__(WARI_CONSTANTS WARI_LABEL "text:\n.incbin \"FILE\"\n"
 *             WARI_LABEL "text_end:\n.byte 0\n" WARI_CONSTANTS_END); */
#ifndef DB_HOST_EMBEDDED_H
#define DB_HOST_EMBEDDED_H

/* WARI_CONSTANTS and WARI_CONSTANTS_END begin and end the section of constants, in the syntax of
 * the system's object files. */
#if defined(__APPLE__)
#define WARI_CONSTANTS ".section __TEXT,__const\n"
#define WARI_CONSTANTS_END ".text\n"
#elif defined(_WIN32)
#define WARI_CONSTANTS ".section .rdata,\"dr\"\n"
#define WARI_CONSTANTS_END ".text\n"
#else
#define WARI_CONSTANTS ".section .rodata\n"
#define WARI_CONSTANTS_END ".previous\n"
#endif

/* The prefix that the compiler adds to a C name to make a label. On macOS, it is an underscore. */
#define WARI_LABEL WARI_LABEL_TEXT(__USER_LABEL_PREFIX__)
#define WARI_LABEL_TEXT(prefix) WARI_LABEL_QUOTE(prefix)
#define WARI_LABEL_QUOTE(prefix) #prefix

#endif
