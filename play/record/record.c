/* Tags and comments of a record.
 *
 * Each string has its own allocation, so that a record can be changed and written back wherever
 * it was read from. */
#include "play/record/record.h"

#include <string.h>

enum { FIRST_TAGS = 16 };

void wari_record_begin(struct wari_record *record, const struct wari_host *host,
                       struct wari_variant variant, const struct wari_setup *start)
{
    *record = (struct wari_record){.line = 0};
    wari_game_begin(&record->game, host, variant, start);
}

void wari_record_free(struct wari_record *record)
{
    const struct wari_host *host = record->game.host;
    if (!host)
        return;
    for (int i = 0; i < record->tag_count; i++) {
        wari_release(host, record->tags[i].name);
        wari_release(host, record->tags[i].value);
    }
    for (int i = 0; i < record->comment_count; i++)
        wari_release(host, record->comments[i]);
    wari_release(host, record->tags);
    wari_release(host, record->tag_hash);
    wari_release(host, record->comments);
    wari_release(host, record->result);
    wari_game_free(&record->game);
    *record = (struct wari_record){.line = 0};
}

/* ---- Tags ---- */

/* Returns the entry of a name in tag_hash. The entry contains the number of its tag, starting
 * with 1, or 0 if it is free. At least half of the entries are free. (FNV-1a) */
static int find_hash_entry(const struct wari_record *record, const char *name)
{
    uint32_t hash = 2166136261;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619;
    int entry = (int)(hash & (uint32_t)record->tag_hash_mask);
    while (record->tag_hash[entry] != 0 &&
           strcmp(record->tags[record->tag_hash[entry] - 1].name, name) != 0)
        entry = (entry + 1) & record->tag_hash_mask;
    return entry;
}

static struct wari_tag *find_tag(const struct wari_record *record, const char *name)
{
    if (record->tag_hash) {
        int tag = record->tag_hash[find_hash_entry(record, name)];
        return tag ? &record->tags[tag - 1] : NULL;
    }
    for (int i = 0; i < record->tag_count; i++)
        if (strcmp(record->tags[i].name, name) == 0)
            return &record->tags[i];
    return NULL;
}

/* Called before a tag with a new name is added. When the number of tags is a power of two, makes
 * a hash table with four times as many entries. */
static enum wari_status grow_tag_hash(struct wari_record *record, struct wari_error *error)
{
    const struct wari_host *host = record->game.host;
    void *entries;
    int count = record->tag_count;
    if (count < FIRST_TAGS || (count & (count - 1)) != 0)
        return WARI_OK;
    size_t bytes = 4 * (size_t)count * sizeof(int);
    enum wari_status status = wari_allocate(host, bytes, "the record of a game", &entries, error);
    if (status != WARI_OK)
        return status;
    memset(entries, 0, bytes);
    wari_release(host, record->tag_hash);
    record->tag_hash = entries;
    record->tag_hash_mask = 4 * count - 1;
    for (int i = 0; i < count; i++)
        record->tag_hash[find_hash_entry(record, record->tags[i].name)] = i + 1;
    return WARI_OK;
}

const char *wari_record_tag(const struct wari_record *record, const char *name)
{
    const struct wari_tag *tag = find_tag(record, name);
    return tag ? tag->value : NULL;
}

/* Makes space for one more element in a list of `count` elements of `size` bytes, which grows by
 * doubling from `first` elements. */
static enum wari_status reserve_element(const struct wari_host *host, void **list, int count,
                                        int first, size_t size, struct wari_error *error)
{
    void *bigger;
    bool full = count == 0 || (count >= first && (count & (count - 1)) == 0);
    if (!full)
        return WARI_OK;
    size_t capacity = (size_t)(count < first ? first : 2 * count);
    enum wari_status status =
        wari_allocate(host, capacity * size, "the record of a game", &bigger, error);
    if (status != WARI_OK)
        return status;
    if (count)
        memcpy(bigger, *list, (size_t)count * size);
    wari_release(host, *list);
    *list = bigger;
    return WARI_OK;
}

enum wari_status wari_record_set_tag(struct wari_record *record, const char *name,
                                     const char *value, struct wari_error *error)
{
    const struct wari_host *host = record->game.host;
    struct wari_tag *old = find_tag(record, name);
    struct wari_tag tag = {NULL, NULL};
    void *tags = record->tags;

    enum wari_status status = wari_text_copy(host, value, strlen(value), &tag.value, error);
    if (status == WARI_OK && old) {
        wari_release(host, old->value);
        old->value = tag.value;
        return WARI_OK;
    }
    if (status == WARI_OK)
        status = wari_text_copy(host, name, strlen(name), &tag.name, error);
    if (status == WARI_OK)
        status = grow_tag_hash(record, error);
    if (status == WARI_OK)
        status = reserve_element(host, &tags, record->tag_count, FIRST_TAGS, sizeof tag, error);
    if (status != WARI_OK) {
        wari_release(host, tag.name);
        wari_release(host, tag.value);
        return status;
    }
    record->tags = tags;
    record->tags[record->tag_count++] = tag;
    if (record->tag_hash)
        record->tag_hash[find_hash_entry(record, name)] = record->tag_count;
    return WARI_OK;
}

/* ---- Comments ---- */

/* Makes the list of comments as long as the list of moves. */
static enum wari_status extend_comments(struct wari_record *record, struct wari_error *error)
{
    const struct wari_host *host = record->game.host;
    void *comments;
    if (record->comment_count == record->game.count)
        return WARI_OK;
    size_t capacity = (size_t)record->game.capacity;
    enum wari_status status = WARI_OK;
    if (!record->comments || record->comment_capacity < record->game.capacity) {
        status = wari_allocate(host, capacity * sizeof(char *), "comments", &comments, error);
        if (status != WARI_OK)
            return status;
        if (record->comment_count)
            memcpy(comments, record->comments, (size_t)record->comment_count * sizeof(char *));
        wari_release(host, record->comments);
        record->comments = comments;
        record->comment_capacity = record->game.capacity;
    }
    while (record->comment_count < record->game.count)
        record->comments[record->comment_count++] = NULL;
    return WARI_OK;
}

/* Appends the words of `comment`, separated by single blanks. */
static enum wari_status add_words(struct wari_text *text, const char *comment,
                                  struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    while (status == WARI_OK) {
        size_t length = 0;
        while (wari_text_is_blank(comment[0]))
            comment++;
        while (comment[length] && !wari_text_is_blank(comment[length]))
            length++;
        if (length == 0)
            return WARI_OK;
        if (text->length)
            status = wari_text_add_bytes(text, " ", 1, error);
        if (status == WARI_OK)
            status = wari_text_add_bytes(text, comment, length, error);
        comment += length;
    }
    return status;
}

enum wari_status wari_record_comment(struct wari_record *record, int ply, const char *comment,
                                     struct wari_error *error)
{
    struct wari_text text = {.host = record->game.host};
    enum wari_status status = extend_comments(record, error);
    if (status == WARI_OK && record->comments[ply])
        status = add_words(&text, record->comments[ply], error);
    if (status == WARI_OK)
        status = add_words(&text, comment, error);
    if (status != WARI_OK) {
        wari_text_free(&text);
        return status;
    }
    if (text.bytes) {
        for (char *c = text.bytes; *c; c++)
            *c = *c == '}' ? ')' : *c; /* a comment ends at the first closing brace */
        wari_release(text.host, record->comments[ply]);
        record->comments[ply] = text.bytes;
    }
    return WARI_OK;
}

/* ---- Results ---- */

/* Returns the length of the first word in the list with which the text starts; 0 if it starts with
 * none of them. NULL ends the list. */
static size_t match_word(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++) {
        size_t bytes = strlen(*words);
        if (length >= bytes && memcmp(text, *words, bytes) == 0)
            return bytes;
    }
    return 0;
}

/* Reads the number of one side at offset `at`. Returns the offset after it; `at` if there is no
 * number. */
static size_t read_side(const char *text, size_t length, size_t at, struct wari_written_side *side)
{
    static const char *const half_point[] = {"1/2", NULL};
    static const char *const halves[] = {".5", ",5", "\xC2\xBD", NULL};
    size_t point = match_word(text + at, length - at, half_point);
    *side = (struct wari_written_side){.at = at};
    if (point) {
        side->half = true;
        return at + point;
    }
    while (at < length && text[at] >= '0' && text[at] <= '9')
        at++;
    side->digits = at - side->at;
    size_t half = match_word(text + at, length - at, side->digits ? halves : halves + 2);
    side->half = half > 0;
    return at + half;
}

static size_t skip_spaces(const char *text, size_t length, size_t at)
{
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

/* Returns the number of half points or half seeds of a side, or any number above 2 if there
 * are more than 2. */
static int count_halves(const char *text, const struct wari_written_side *side)
{
    int number = 0;
    for (size_t i = 0; i < side->digits && number < 2; i++)
        number = 10 * number + (text[side->at + i] - '0');
    return 2 * number + side->half;
}

/* Returns true if the result is written exactly in the usual form. */
static bool is_usual(const char *text, const struct wari_written_result *result)
{
    size_t length = 1; /* the hyphen */
    for (int i = 0; i < 2; i++) {
        const struct wari_written_side *side = &result->side[i];
        size_t after = side->at + side->digits;
        if (side->digits == 0 || (side->half && text[after] != '.'))
            return false;
        length += side->digits + (side->half ? 2 : 0);
    }
    return length == result->length && memchr(text, '-', length);
}

struct wari_written_result wari_record_written_result(const char *text, size_t length)
{
    /* Hyphens and dashes U+2010 to U+2015, and the minus sign. */
    static const char *const separators[] = {"-",
                                             ":",
                                             "\xE2\x80\x90",
                                             "\xE2\x80\x91",
                                             "\xE2\x80\x92",
                                             "\xE2\x80\x93",
                                             "\xE2\x80\x94",
                                             "\xE2\x80\x95",
                                             "\xE2\x88\x92",
                                             NULL};
    const struct wari_written_result none = {.length = 0};
    struct wari_written_result result = none;
    size_t at = read_side(text, length, 0, &result.side[0]);
    if (at == 0)
        return none;
    at = skip_spaces(text, length, at);
    size_t separator = match_word(text + at, length - at, separators);
    size_t second = skip_spaces(text, length, at + separator);
    at = read_side(text, length, second, &result.side[1]);
    bool ends = at == length || strchr("{;([", text[at]) || wari_text_is_blank(text[at]);
    if (separator == 0 || at == second || !ends)
        return none;
    result.length = at;
    result.score = count_halves(text, &result.side[0]) + count_halves(text, &result.side[1]) != 2;
    result.usual = result.score && is_usual(text, &result);
    return result;
}

enum wari_status wari_record_usual_score(const struct wari_written_result *result, const char *text,
                                         const struct wari_host *host, char **score,
                                         struct wari_error *error)
{
    struct wari_text usual = {.host = host};
    enum wari_status status = WARI_OK;
    for (int i = 0; i < 2 && status == WARI_OK; i++) {
        const struct wari_written_side *side = &result->side[i];
        const char *digits = side->digits ? text + side->at : "0";
        status = i == 0 ? WARI_OK : wari_text_add_bytes(&usual, "-", 1, error);
        if (status == WARI_OK)
            status = wari_text_add_bytes(&usual, digits, side->digits ? side->digits : 1, error);
        if (status == WARI_OK && side->half)
            status = wari_text_add_bytes(&usual, ".5", 2, error);
    }
    *score = NULL;
    if (status == WARI_OK)
        *score = usual.bytes;
    else
        wari_text_free(&usual);
    return status;
}

bool wari_record_is_score(const char *text)
{
    size_t length = strlen(text);
    struct wari_written_result result = wari_record_written_result(text, length);
    return length > 0 && result.length == length && result.usual;
}
