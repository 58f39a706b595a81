/* The file of a match, to which lines are only appended. Invariant: every line except the last
 * one is complete, and an incomplete last line is removed before another line is appended. */
#include "tools/match/match_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/host/host.h"
#include "system/platform.h"
#include "tools/common/file_lock.h"
static const char first_line[] = "wari match 1\n";

static enum wari_status read_all(struct match_file *file, struct wari_error *error)
{
    enum { READ_BYTES = 1 << 16 };
    char bytes[READ_BYTES];
    ssize_t count;
    while ((count = read(file->fd, bytes, READ_BYTES)) > 0) {
        enum wari_status status = wari_text_add_bytes(&file->text, bytes, (size_t)count, error);
        if (status != WARI_OK)
            return status;
    }
    return count < 0 ? wari_fail_errno(error, file->path, "read") : WARI_OK;
}

static enum wari_status write_all(const struct match_file *file, const char *text, size_t length,
                                  struct wari_error *error)
{
    while (length > 0) {
        ssize_t count = write(file->fd, text, length);
        if (count < 0 && errno != EINTR)
            return wari_fail_errno(error, file->path, "write");
        if (count > 0) {
            text += count;
            length -= (size_t)count;
        }
    }
    return wari_sync_data(file->fd) == 0 ? WARI_OK : wari_fail_errno(error, file->path, "sync");
}

struct match_file_line {
    size_t at; /* offset of the line's first byte; 0 means that there is no line */
    int number;
};

static enum wari_status reject_line(const struct match_file *file, int number,
                                    struct wari_error *error)
{
    return wari_fail(error, WARI_BAD_INPUT,
                     "%s: line %d is not a game of this match; it was changed, or the database or "
                     "the file of positions differs, or --games is smaller",
                     file->path, number);
}

/* Finds the games by their numbers in the complete lines from offset `at` on. */
static enum wari_status find_lines(struct match_file *file, size_t at, struct wari_error *error)
{
    const char *bytes = file->text.bytes;
    void *memory;
    const size_t size = (size_t)file->games * sizeof *file->line;
    enum wari_status status =
        wari_allocate(file->text.host, size, "the games of a match", &memory, error);
    if (status != WARI_OK)
        return status;
    file->line = memset(memory, 0, size);
    for (int number = 3; at < file->text.length; number++) {
        char *end;
        long game = bytes[at] >= '1' && bytes[at] <= '9' ? strtol(bytes + at, &end, 10) : 0;
        if (game < 1 || game > file->games || file->line[game - 1].at > 0)
            return reject_line(file, number, error);
        file->line[game - 1] = (struct match_file_line){at, number};
        const char *line_end = memchr(bytes + at, '\n', file->text.length - at);
        at = (size_t)(line_end - bytes) + 1;
    }
    return WARI_OK;
}

static enum wari_status begin(struct match_file *file, const char *description,
                              struct wari_error *error)
{
    struct wari_text text = {.host = wari_host_system()};
    enum wari_status status = wari_text_add(&text, error, "%s%s\n", first_line, description);
    if (status == WARI_OK)
        status = write_all(file, text.bytes, text.length, error);
    wari_text_free(&text);
    return status;
}

/* Empties a file without a game, and begins the match in it. The description that the file had
 * before does not matter. */
static enum wari_status begin_again(struct match_file *file, const char *description,
                                    struct wari_error *error)
{
    if (ftruncate(file->fd, 0) != 0)
        return wari_fail_errno(error, file->path, "begin the match again");
    return begin(file, description, error);
}

/* Compares the first two lines with those expected, removes an incomplete last line, and finds
 * the games. */
static enum wari_status check(struct match_file *file, const char *description,
                              struct wari_error *error)
{
    const size_t first = sizeof first_line - 1, second = strlen(description);
    const char *bytes = file->text.bytes;
    if (file->text.length < first || memcmp(bytes, first_line, first) != 0)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "%s is not the file of a match (of this version); give the name of one, or of a "
            "new file",
            file->path);
    const char *end = memchr(bytes + first, '\n', file->text.length - first);
    if (!end || !memchr(end + 1, '\n', file->text.length - (size_t)(end + 1 - bytes)))
        return begin_again(file, description, error);
    if ((size_t)(end - bytes) - first != second || memcmp(bytes + first, description, second) != 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s contains a match with other options, \"%.*s\"; give the same options, "
                         "or another file",
                         file->path, (int)(end - bytes - (ptrdiff_t)first), bytes + first);
    size_t length = file->text.length;
    while (bytes[length - 1] != '\n')
        length--;
    if (length < file->text.length && ftruncate(file->fd, (off_t)length) != 0)
        return wari_fail_errno(error, file->path, "remove the unfinished line at the end");
    file->text.length = length;
    file->text.bytes[length] = '\0';
    return find_lines(file, (size_t)(end - bytes) + 1, error);
}

/* Locks the file. Without a lock the match continues, because damage is noticed when the file is
 * read. */
static enum wari_status lock(const struct match_file *file, struct wari_error *error)
{
    static const struct file_lock_texts texts = {
        .command = "match",
        .in_use = "another match uses this file; wait for it, or give another file",
        .advice = "make sure that no other match uses this file",
    };

    return file_lock(file->fd, file->path, &texts, error);
}

enum wari_status match_file_open(struct match_file *file, const char *path, const char *description,
                                 int games, struct wari_error *error)
{
    struct stat found;
    *file = (struct match_file){.path = path, .games = games, .text = {.host = wari_host_system()}};
    file->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file->fd < 0)
        return wari_fail_errno(error, path, "open this file");
    enum wari_status status = WARI_OK;
    if (fstat(file->fd, &found) != 0 || !S_ISREG(found.st_mode))
        status =
            wari_fail(error, WARI_BAD_INPUT, "%s is not a regular file; give another name", path);
    else
        status = lock(file, error);
    if (status == WARI_OK)
        status = read_all(file, error);
    if (status == WARI_OK && file->text.length > 0)
        status = check(file, description, error);
    else if (status == WARI_OK)
        status = begin(file, description, error);
    if (status != WARI_OK)
        match_file_close(file);
    return status;
}

void match_file_close(struct match_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd); /* each game was synced to disk when it was added */
    wari_release(wari_host_system(), file->line);
    wari_text_free(&file->text);
    file->line = NULL;
    file->fd = -1;
}

bool match_file_has(const struct match_file *file, int number)
{
    return file->line && file->line[number].at > 0;
}

/* ---- Games ---- */

enum { NUMBER, FAULT, SIDE, ADJUDICATED, START, MOVES, NAME, FIELDS = NAME + MATCH_SIDES };

/* Splits a line into its fields. Returns false if their number is wrong. */
static bool split(char *line, char *fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        char *tab = strchr(line, '\t');
        fields[i] = line;
        if ((tab == NULL) != (i == FIELDS - 1))
            return false;
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    return true;
}

static bool find_fault(const char *text, enum wari_fault *fault)
{
    for (int i = 0; i < WARI_FAULT_COUNT; i++) {
        *fault = (enum wari_fault)i;
        if (strcmp(wari_fault_text(*fault), text) == 0)
            return true;
    }
    return false;
}

/* Reads the fields of a line into a game. Returns false if the line does not describe this game of
 * the match. */
static bool read_fields(char *fields[FIELDS], struct played_game *played)
{
    struct wari_game *game = &played->record.game;
    struct wari_match_result *result = &played->result;
    char start[WARI_DIAGRAM_TEXT], expected[16];
    wari_diagram_text(&game->start, start);
    snprintf(expected, sizeof expected, "%d", played->number + 1);
    *result = (struct wari_match_result){.fault = WARI_FAULT_NONE};
    if (strcmp(fields[NUMBER], expected) != 0 || !find_fault(fields[FAULT], &result->fault) ||
        strcmp(fields[START], start) != 0)
        return false;
    result->side = strcmp(fields[SIDE], "1") == 0;
    result->adjudicated = strcmp(fields[ADJUDICATED], "1") == 0;
    for (const char *letter = fields[MOVES]; *letter; letter++)
        if (wari_game_play_letter(game, *letter, NULL) != WARI_OK)
            return false;
    return result->fault != WARI_FAULT_NONE || result->adjudicated == (game->end == WARI_GAME_OPEN);
}

enum wari_status match_file_replay(struct match_file *file, struct played_game *game,
                                   struct wari_error *error)
{
    const struct match_file_line *found = &file->line[game->number];
    char *line = file->text.bytes + found->at;
    /* Always found: the text ends after the last complete line. */
    char *end = memchr(line, '\n', file->text.length - found->at);
    char *fields[FIELDS];
    *end = '\0';
    if (!split(line, fields) || !read_fields(fields, game))
        return reject_line(file, found->number, error);
    for (int i = 0; i < MATCH_SIDES; i++)
        wari_text_clean(game->names[i], WARI_OPPONENT_NAME, fields[NAME + i]);
    return WARI_OK;
}

/* Appends a complete line. If that fails, removes the part of the line that was written, because
 * another game, which is still being played, may be appended later. */
static enum wari_status append_line(const struct match_file *file, const struct wari_text *line,
                                    struct wari_error *error)
{
    const off_t length = lseek(file->fd, 0, SEEK_END);
    enum wari_status status = write_all(file, line->bytes, line->length, error);
    if (status != WARI_OK && length >= 0)
        (void)!ftruncate(file->fd, length); /* otherwise the next match removes it */
    return status;
}

enum wari_status match_file_add(struct match_file *file, const struct played_game *played,
                                struct wari_error *error)
{
    const struct wari_game *game = &played->record.game;
    struct wari_text text = {.host = wari_host_system()};
    char start[WARI_DIAGRAM_TEXT];
    if (file->fd < 0)
        return WARI_OK;
    wari_diagram_text(&game->start, start);
    enum wari_status status =
        wari_text_add(&text, error, "%d\t%s\t%d\t%d\t%s\t", played->number + 1,
                      wari_fault_text(played->result.fault), played->result.side,
                      played->result.adjudicated, start);
    for (int i = 0; i < game->count && status == WARI_OK; i++) {
        char letter =
            wari_move_letter(game->plies[i].move.pit, game->plies[i].before.north_to_move);
        status = wari_text_add_bytes(&text, &letter, 1, error);
    }
    if (status == WARI_OK)
        status = wari_text_add(&text, error, "\t%s\t%s\n", played->names[0], played->names[1]);
    if (status == WARI_OK)
        status = append_line(file, &text, error);
    wari_text_free(&text);
    return status;
}
