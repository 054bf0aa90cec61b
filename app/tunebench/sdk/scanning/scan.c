/* The compiled half of tunebench.sdk.scanning: lines of a capture into numbers. reference.py says the same in Python, line by
 * line; both give the same to the bit.
 *
 * It allocates nothing and keeps nothing: all memory is the caller's, and every write is preceded by a look at the room
 * that is left. Reads of the text end at the line end that memchr found.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "a quotient of two doubles must be rounded once"
#endif

enum { NO_KEY, KEY_FIRST, KEY_LAST, KEY_AROUND };
enum { NUMBER, CLOCK, WORD }; /* kinds of cells */
enum { AT_END, AT_OTHER, FULL, NEW_KEY };
enum { OTHER, DIGIT, BLANK, SIGN, DECIMAL, PART, SUFFIX }; /* kinds of bytes; SUFFIX and above: which suffix */

#define MOST_FIELDS 6 /* as in scanner.py */
#define MOST_PROBES 64
/* Up to this every whole number is a double, and so is each prefix of its digits. */
#define LARGEST_PREFIX 900719925474098u
#define MOST_DECIMALS 22
#define MORE (-1)    /* as in column_form.py */
#define FEWER_THAN_256 192
#define BLOCK 256    /* numbers that stay in the first cache beside what they become */

static const double POWERS[MOST_DECIMALS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct {
    const uint8_t *line;
    const uint8_t *varies; /* for each byte of the line: 0 where it stays, else the field of which it is a digit, from 1 */
    const int64_t *most;   /* the largest number of each field */
    int64_t length;
    int64_t fields;
    int64_t table; /* whose rows follow, -1 for none */
} Mark;

/* Names, each with a number from 0 on. */
typedef struct {
    const uint8_t *text;
    const int64_t *ends; /* [count] */
    int32_t *slots;      /* [slot_mask + 1], -1 where free */
    int64_t slot_mask;
    int64_t count;
} Names;

typedef struct {
    int64_t columns;
    const uint8_t *cells; /* [cell_count], of which `columns` are no words */
    int64_t cell_count;
    int64_t key;
    int64_t key_cells;     /* that the key spans, where a separator parts them */
    int64_t words;         /* that stand before the key and say nothing */
    int64_t indented;      /* blanks may stand before them */
    Mark stamp;            /* of each row; of length 0 where there is none */
    int64_t stamp_first;   /* the row begins with it, else it ends in it */
    const double *factors; /* [columns][suffixes] */
    Names keys;
    double *values; /* [room][columns] */
    int64_t *lines;
    int32_t *row_keys;
    int64_t *row_fields; /* [room][MOST_FIELDS], of the stamps */
    int64_t rows;
    int64_t room;
    int64_t touched; /* it is among those that have new rows */
    int64_t shortest;
} Table;

typedef struct {
    const uint8_t *kinds; /* [256] */
    int64_t suffixes;
    const int64_t *shifts; /* [suffixes], by how many decimals each moves the point, MOST_DECIMALS at most; or NULL */
    int64_t separated;     /* cells are parted by one byte each, of the kind PART, and may be empty */
    const uint8_t *absent; /* each mark behind its length, one byte; 0 ends them */
    const Mark *marks;
    int64_t mark_count;
    Table *tables;
    Names tags;                /* first words that tell whose row a line is */
    const int32_t *tag_tables; /* [tags.count] */
    int64_t tag;               /* the last that was met */
    int64_t current;           /* whose rows may come, -1 for none */
    int64_t asking;            /* which table has no room, or a new key */
    int32_t *touched;          /* tables that have new rows; there is room for all */
    int64_t touched_count;
    int32_t *event_marks;
    int64_t *event_lines;
    int64_t *event_fields; /* [event_room][MOST_FIELDS] */
    int64_t events;
    int64_t event_room;
    int64_t stops_at_blanks;
    int64_t at;
    int64_t lines;
    int64_t blanks;
    int64_t key_begin; /* of the key that is new */
    int64_t key_end;
    int64_t rest_begin; /* of its second part, where it has one */
    int64_t rest_end;
} Scan;

/* A word, or in KEY_AROUND a word and what stands behind the numbers; its text has a blank between the two. */
typedef struct {
    const uint8_t *word;
    const uint8_t *rest; /* NULL where there is none */
    int64_t length;
    int64_t rest_length;
} Key;

static int is_mark(const Mark *mark, const uint8_t *line, int64_t *fields)
{
    if (mark->line[0] != line[0] && !mark->varies[0])
        return 0;
    memset(fields, 0, MOST_FIELDS * sizeof *fields);
    if (!mark->fields)
        return memcmp(mark->line, line, (size_t)mark->length) == 0;
    for (int64_t place = 0; place < mark->length; place++) {
        int field = mark->varies[place];
        if (!field) {
            if (mark->line[place] != line[place])
                return 0;
            continue;
        }
        uint8_t digit = (uint8_t)(line[place] - '0');
        if (digit > 9)
            return 0;
        fields[field - 1] = fields[field - 1] * 10 + digit;
    }
    for (int64_t field = 0; field < mark->fields; field++)
        if (fields[field] > mark->most[field])
            return 0;
    return 1;
}

static int is_absent(const uint8_t *absent, const uint8_t *cell, int64_t length)
{
    for (; *absent; absent += 1 + *absent)
        if (*absent == length && memcmp(absent + 1, cell, (size_t)length) == 0)
            return 1;
    return 0;
}

static const uint8_t *behind_blanks(const uint8_t *kinds, const uint8_t *at, const uint8_t *end)
{
    while (at < end && kinds[*at] == BLANK)
        at++;
    return at;
}

/* Where the cell ends whose last byte stands before `at`, blanks that belong to it perhaps; NULL where it goes on. */
static const uint8_t *end_of_cell(const Scan *scan, const uint8_t *at, const uint8_t *end)
{
    if (scan->separated)
        at = behind_blanks(scan->kinds, at, end);
    return at == end || scan->kinds[*at] == (scan->separated ? PART : BLANK) ? at : NULL;
}

/* The digits at `at`, and how many of them stand behind a decimal sign; where they end, NULL where they are no number or
 * too many. */
static const uint8_t *read_digits(
    const uint8_t *kinds, const uint8_t *at, const uint8_t *end, uint64_t *number, int64_t *decimals)
{
    const uint8_t *first = at;
    uint64_t digits = 0;
    uint8_t digit;
    int good = 1;

    for (; at < end && (digit = (uint8_t)(*at - '0')) < 10; at++) {
        good &= digits <= LARGEST_PREFIX;
        digits = digits * 10 + digit;
    }
    good &= at > first;
    *decimals = 0;
    if (at < end && kinds[*at] == DECIMAL) {
        for (first = ++at; at < end && (digit = (uint8_t)(*at - '0')) < 10; at++) {
            good &= digits <= LARGEST_PREFIX;
            digits = digits * 10 + digit;
        }
        *decimals = at - first;
        good &= *decimals > 0 && *decimals <= MOST_DECIMALS;
    }
    *number = digits;
    return good ? at : NULL;
}

/* The cell that begins at `at` as a number of the column; where it ends, NULL where it is none. */
static const uint8_t *read_number(
    const Scan *scan, const Table *table, int64_t column, const uint8_t *at, const uint8_t *end, double *into)
{
    const uint8_t *begin = at, *kinds = scan->kinds, *first;
    int is_signed = kinds[*at] == SIGN;
    uint64_t digits;
    int64_t decimals;

    at = read_digits(kinds, at + is_signed, end, &digits, &decimals);
    if (at != NULL) {
        double value = (double)digits / POWERS[decimals];
        if (at < end && kinds[*at] >= SUFFIX && !is_signed) {
            int suffix = kinds[*at++] - SUFFIX;
            if (scan->shifts == NULL)
                value *= table->factors[column * scan->suffixes + suffix];
            else if (scan->shifts[suffix] >= decimals)
                value = (double)digits * POWERS[scan->shifts[suffix] - decimals];
            else
                value = (double)digits / POWERS[decimals - scan->shifts[suffix]];
        }
        at = end_of_cell(scan, at, end);
        if (at != NULL) {
            *into = is_signed && *begin == '-' ? -value : value;
            return at;
        }
    }
    for (at = begin; at < end && kinds[*at] != (scan->separated ? PART : BLANK); at++)
        ;
    for (first = at; first > begin && kinds[first[-1]] == BLANK; first--)
        ;
    if (!is_absent(scan->absent, begin, first - begin))
        return NULL;
    *into = (double)NAN;
    return at;
}

static const uint8_t *behind_digits(const uint8_t *at, const uint8_t *end, int64_t most, int64_t *number)
{
    const uint8_t *begin = at;
    uint8_t digit;
    for (; at < end && at - begin < most && (digit = (uint8_t)(*at - '0')) < 10; at++)
        *number = *number * 10 + digit;
    return at;
}

/* The cell that begins at `at` as minutes and seconds; where it ends, NULL where it is none. */
static const uint8_t *read_clock(const Scan *scan, const uint8_t *at, const uint8_t *end, double *into)
{
    const uint8_t *begin = at, *first;
    int64_t minutes = 0, parts = 0, decimals = 0;

    at = behind_digits(at, end, 9, &minutes);
    if (at == begin || at == end || *at != ':')
        return NULL;
    first = ++at;
    at = behind_digits(at, end, 2, &parts);
    if (at - first != 2)
        return NULL;
    if (at < end && scan->kinds[*at] == DECIMAL) {
        first = ++at;
        at = behind_digits(at, end, 2, &parts);
        decimals = at - first;
        if (!decimals)
            return NULL;
    }
    *into = (double)(minutes * 60) + (double)parts / POWERS[decimals];
    return end_of_cell(scan, at, end);
}

static int is_name(const Names *names, int64_t id, const Key *key)
{
    int64_t begin = id ? names->ends[id - 1] : 0;
    const uint8_t *own = names->text + begin;
    if (names->ends[id] - begin != key->length + (key->rest ? 1 + key->rest_length : 0))
        return 0;
    if (memcmp(own, key->word, (size_t)key->length) != 0)
        return 0;
    own += key->length;
    return !key->rest || (*own == ' ' && memcmp(own + 1, key->rest, (size_t)key->rest_length) == 0);
}

static uint64_t add_to_hash(uint64_t hash, const uint8_t *text, int64_t length)
{
    for (int64_t place = 0; place < length; place++)
        hash = (hash ^ text[place]) * 1099511628211u;
    return hash;
}

static uint64_t hash_of(const Key *key)
{
    uint64_t hash = add_to_hash(14695981039346656037u, key->word, key->length); /* FNV-1a */
    if (key->rest)
        hash = add_to_hash(add_to_hash(hash, (const uint8_t *)" ", 1), key->rest, key->rest_length);
    return hash ^ (hash >> 32);
}

/* The name's number, -1 where it is new. They come in the same order again and again: `next` is tried first. */
static int64_t find_name(const Names *names, int64_t next, const Key *key)
{
    if (next < names->count && is_name(names, next, key))
        return next;
    if (names->count && is_name(names, 0, key))
        return 0;
    uint64_t hash = hash_of(key);
    for (uint64_t probe = 0; probe < MOST_PROBES; probe++) {
        int64_t id = names->slots[(hash + probe) & (uint64_t)names->slot_mask];
        if (id < 0)
            return -1;
        if (is_name(names, id, key))
            return id;
    }
    return -1;
}

/* Where the word that begins at `at` ends; NULL where none does, or it has a control character. */
static const uint8_t *end_of_word(const uint8_t *kinds, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *begin = at;
    while (at < end && kinds[*at] != BLANK) {
        if (*at < ' ')
            return NULL;
        at++;
    }
    return at > begin ? at : NULL;
}

/* Reads the cells of a row between blanks, and its key; where it ends, NULL where it is none. */
static const uint8_t *read_apart(
    const Scan *scan, const Table *table, const uint8_t *at, const uint8_t *end, double *values, Key *key)
{
    const uint8_t *kinds = scan->kinds;

    if (table->indented)
        at = behind_blanks(kinds, at, end);
    for (int64_t word = 0; word < table->words; word++) {
        at = end_of_word(kinds, at, end);
        if (at == NULL)
            return NULL;
        at = behind_blanks(kinds, at, end);
    }
    if (table->key == KEY_FIRST || table->key == KEY_AROUND) {
        key->word = at;
        at = end_of_word(kinds, at, end);
        if (at == NULL)
            return NULL;
        key->length = at - key->word;
    }
    for (int64_t cell = 0, column = 0; cell < table->cell_count; cell++) {
        at = behind_blanks(kinds, at, end);
        if (at == end)
            return NULL;
        if (table->cells[cell] == WORD)
            at = end_of_word(kinds, at, end);
        else if (table->cells[cell] == CLOCK)
            at = read_clock(scan, at, end, values + column++);
        else
            at = read_number(scan, table, column, at, end, values + column), column++;
        if (at == NULL)
            return NULL;
    }
    at = behind_blanks(kinds, at, end);
    if (table->key == KEY_LAST) {
        key->word = at;
        at = end_of_word(kinds, at, end);
        if (at == NULL)
            return NULL;
        key->length = at - key->word;
        at = behind_blanks(kinds, at, end);
    } else if (table->key == KEY_AROUND) {
        const uint8_t *behind = end;
        while (behind > at && kinds[behind[-1]] == BLANK)
            behind--;
        if (at == behind)
            return NULL;
        key->rest = at;
        key->rest_length = behind - at;
        for (; at < behind; at++)
            if (*at < ' ')
                return NULL;
        at = end;
    }
    return at;
}

/* Where the text of the next cells ends, NULL where there are not as many, or one has a control character. */
static const uint8_t *behind_cells(const uint8_t *kinds, const uint8_t *at, const uint8_t *end, int64_t cells)
{
    for (; at < end; at++) {
        if (kinds[*at] == PART) {
            if (--cells == 0)
                return at;
        } else if (*at < ' ') {
            return NULL;
        }
    }
    return cells == 1 ? at : NULL;
}

/* The same for cells that a separator parts. */
static const uint8_t *read_separated(
    const Scan *scan, const Table *table, const uint8_t *at, const uint8_t *end, double *values, Key *key)
{
    const uint8_t *kinds = scan->kinds;
    int64_t before = table->words + (table->key == KEY_FIRST ? 1 : 0);

    for (int64_t cell = 0, column = 0; cell < before + table->cell_count + (table->key == KEY_LAST ? 1 : 0); cell++) {
        int kind = cell < before || cell >= before + table->cell_count ? WORD : table->cells[cell - before];
        int is_key = table->key == KEY_FIRST ? cell == before - 1 : table->key == KEY_LAST && cell == before + table->cell_count;
        if (cell) {
            if (at == end)
                return NULL;
            at++;
        }
        if (kind == WORD) {
            const uint8_t *begin = at;
            at = behind_cells(kinds, at, end, is_key ? table->key_cells : 1);
            if (is_key && at != NULL) {
                key->word = begin;
                key->length = at - begin;
            }
        } else {
            at = behind_blanks(kinds, at, end);
            if (at == end || kinds[*at] == PART)
                values[column] = (double)NAN;
            else if (kind == CLOCK)
                at = read_clock(scan, at, end, values + column);
            else
                at = read_number(scan, table, column, at, end, values + column);
            column++;
        }
        if (at == NULL)
            return NULL;
    }
    return at;
}

/* `at` is where the row begins behind its tag, if it has one. */
static int read_row(Scan *scan, int64_t number, const uint8_t *text, const uint8_t *line, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *line_end = end;
    Table *table = scan->tables + number;
    Key key = {at, NULL, 0, 0};
    int64_t id = 0;

    scan->asking = number;
    if (table->rows == table->room)
        return FULL;
    if (table->stamp.length) {
        int64_t first = table->stamp_first, length = table->stamp.length;
        const uint8_t *cut;
        if (end - at <= length)
            return AT_OTHER;
        cut = first ? at + length : end - length;
        if (scan->kinds[first ? *cut : cut[-1]] != (scan->separated ? PART : BLANK))
            return AT_OTHER;
        if (!is_mark(&table->stamp, first ? at : cut, table->row_fields + table->rows * MOST_FIELDS))
            return AT_OTHER;
        if (first)
            at = scan->separated ? cut + 1 : behind_blanks(scan->kinds, cut, end);
        else
            end = cut - (scan->separated ? 1 : 0);
    }
    at = (scan->separated ? read_separated : read_apart)(
        scan, table, at, end, table->values + table->rows * table->columns, &key);
    if (at != end)
        return AT_OTHER;
    if (table->key != NO_KEY) {
        if (!key.length)
            return AT_OTHER;
        id = find_name(&table->keys, table->rows ? table->row_keys[table->rows - 1] + 1 : 0, &key);
        if (id < 0) {
            scan->key_begin = key.word - text;
            scan->key_end = scan->key_begin + key.length;
            scan->rest_begin = key.rest ? key.rest - text : 0;
            scan->rest_end = scan->rest_begin + key.rest_length;
            return NEW_KEY;
        }
    }
    if (!table->touched) {
        table->touched = 1;
        scan->touched[scan->touched_count++] = (int32_t)number;
    }
    table->row_keys[table->rows] = (int32_t)id;
    table->lines[table->rows++] = scan->lines;
    if (line_end - line < table->shortest)
        table->shortest = line_end - line;
    return AT_END;
}

/* Whose row the line is by its first word, -1 where that tells nothing; `at` is set behind the word then. */
static int64_t find_tag(Scan *scan, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *line = *at, *behind = line;
    int part = scan->separated ? PART : BLANK;
    Key key = {line, NULL, 0, 0};
    int64_t id;

    while (behind < end && scan->kinds[*behind] != part)
        behind++;
    key.length = behind - line;
    if (behind == end || !key.length)
        return -1;
    id = find_name(&scan->tags, scan->tag + 1, &key);
    if (id < 0)
        return -1;
    scan->tag = id;
    *at = scan->separated ? behind + 1 : behind_blanks(scan->kinds, behind, end);
    return scan->tag_tables[id];
}

static int64_t find_mark(const Scan *scan, const uint8_t *line, int64_t length, int64_t *fields)
{
    for (int64_t number = 0; number < scan->mark_count; number++)
        if (scan->marks[number].length == length && is_mark(scan->marks + number, line, fields))
            return number;
    return -1;
}

/* Reads on from `scan->at` until a line is none of those that are known, or there is no room for it. `scan->lines` is
 * the number of the line at `at`. */
int64_t scan_lines(Scan *scan, const uint8_t *text, int64_t length)
{
    while (scan->at < length) {
        const uint8_t *line = text + scan->at;
        const uint8_t *end = memchr(line, '\n', (size_t)(length - scan->at));
        if (end == NULL)
            return AT_END;
        if (behind_blanks(scan->kinds, line, end) == end) {
            if (scan->stops_at_blanks)
                return AT_OTHER;
            scan->blanks++;
        } else {
            int64_t mark;
            scan->asking = -1;
            if (scan->events == scan->event_room)
                return FULL;
            mark = find_mark(scan, line, end - line, scan->event_fields + scan->events * MOST_FIELDS);
            if (mark >= 0) {
                scan->event_marks[scan->events] = (int32_t)mark;
                scan->event_lines[scan->events++] = scan->lines;
                scan->current = scan->marks[mark].table;
            } else {
                const uint8_t *at = line;
                int64_t table = scan->tags.count ? find_tag(scan, &at, end) : -1;
                int stopped;
                if (table < 0)
                    table = scan->current;
                stopped = table < 0 ? AT_OTHER : read_row(scan, table, text, line, at, end);
                if (stopped != AT_END)
                    return stopped;
            }
        }
        scan->lines++;
        scan->at = end - text + 1;
    }
    return AT_END;
}

/* Whether a text is of the form, and its numbers: the parts of the form stand before, between and behind them. */
static int is_of_form(const uint8_t *kinds, const uint8_t *form, const int64_t *part_ends, int64_t numbers,
                      const uint8_t *at, const uint8_t *end, double *values)
{
    for (int64_t number = 0, begin = 0; number <= numbers; begin = part_ends[number++]) {
        int64_t length = part_ends[number] - begin, decimals;
        uint64_t digits;
        int is_negative;
        if (end - at < length || memcmp(at, form + begin, (size_t)length) != 0)
            return 0;
        at += length;
        if (number == numbers)
            break;
        is_negative = at < end && *at == '-';
        at = read_digits(kinds, at + is_negative, end, &digits, &decimals);
        if (at == NULL)
            return 0;
        values[number] = (is_negative ? -1 : 1) * ((double)digits / POWERS[decimals]);
    }
    return at == end;
}

/* Text k stands from starts[k] to starts[k + 1]: how many from the first on are of the form. */
int64_t scan_alike(const Scan *scan, const uint8_t *form, const int64_t *part_ends, int64_t numbers,
                   const uint8_t *text, const int64_t *starts, int64_t count, double *values)
{
    for (int64_t place = 0; place < count; place++, values += numbers)
        if (!is_of_form(scan->kinds, form, part_ends, numbers, text + starts[place], text + starts[place + 1], values))
            return place;
    return count;
}

/* Gives the name `id` its place; 0 where too many stand there already. */
int64_t scan_place_name(Names *names, int64_t id)
{
    int64_t begin = id ? names->ends[id - 1] : 0;
    Key key = {names->text + begin, NULL, names->ends[id] - begin, 0};
    uint64_t hash = hash_of(&key);
    for (uint64_t probe = 0; probe < MOST_PROBES; probe++) {
        int32_t *slot = names->slots + ((hash + probe) & (uint64_t)names->slot_mask);
        if (*slot < 0) {
            *slot = (int32_t)id;
            return 1;
        }
    }
    return 0;
}

/* Bytes between words. */
static const uint8_t APART[256] = {
    ['\t'] = 1, ['\r'] = 1, [' '] = 1, ['"'] = 1, [','] = 1, [';'] = 1, ['|'] = 1,
};

static const uint8_t *past_digits(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (uint8_t)(*at - '0') < 10)
        at++;
    return at;
}

/* Behind the number that begins at `at`; NULL where the word is none. */
static const uint8_t *behind_number(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *digits;
    at += *at == '+' || *at == '-';
    digits = at;
    at = past_digits(at, end);
    if (at < end && *at == '.') {
        digits = at + 1;
        at = past_digits(digits, end);
    }
    if (at == digits)
        return NULL;
    if (end - at > 2 && (*at | 32) == 'e' && (at[1] == '+' || at[1] == '-') && (uint8_t)(at[2] - '0') < 10)
        at = past_digits(at + 2, end);
    for (int letters = 0; letters < 2 && at < end && (*at == '%' || (uint8_t)((*at | 32) - 'a') < 26); letters++)
        at++;
    return at == end || APART[*at] ? at : NULL;
}

/* Line ends of a text. A few bytes are counted in one byte each: many at once fit into a register. */
int64_t count_line_ends(const uint8_t *text, int64_t length)
{
    int64_t all = 0;
    for (int64_t from = 0; from < length; from += FEWER_THAN_256) {
        int64_t size = length - from < FEWER_THAN_256 ? length - from : FEWER_THAN_256;
        uint8_t ends = 0;
        for (int64_t at = 0; at < size; at++)
            ends += text[from + at] == '\n';
        all += ends;
    }
    return all;
}

/* Rows of numbers among whole lines, and the numbers in them all: see rows.py. */
void count_rows(const uint8_t *text, int64_t length, int64_t *found)
{
    const uint8_t *at = text, *stop = text + length;
    found[0] = found[1] = 0;
    while (at < stop) {
        const uint8_t *end = memchr(at, '\n', (size_t)(stop - at));
        int64_t words = 0, numbers = 0;
        if (end == NULL)
            end = stop;
        while (at < end) {
            const uint8_t *behind;
            if (APART[*at]) {
                at++;
                continue;
            }
            words++;
            behind = behind_number(at, end);
            if (behind == NULL) {
                while (at < end && !APART[*at])
                    at++;
                continue;
            }
            at = behind;
            if (++numbers >= 3 && 2 * numbers > words)
                break;
        }
        found[0] += numbers >= 2 && 2 * numbers > words;
        found[1] += numbers;
        at = end + 1;
    }
}

/* Lines with which something else may begin: see line_search.py. */
typedef struct {
    const int32_t *places; /* [256]: where in `beginnings` those of lines with this first byte stand, -1 for none */
    const uint8_t *beginnings; /* each behind its length, one byte; 0 ends those of one place */
    const uint8_t *signs;      /* [256]; a line with one of these bytes counts as well */
    int64_t has_signs;
    const uint8_t *usual; /* a line of this form with lines of these two forms below it does not count */
    int64_t usual_length; /* 0 where there is none */
    const uint8_t *below[2];
    int64_t below_lengths[2];
    int64_t below_widths[2]; /* a form of fewer bytes is a whole line */
    int64_t below_bytes; /* from the line on, within which those stand */
    int64_t below_lines;
} Search;

static int is_digit(uint8_t byte)
{
    return (uint8_t)(byte - '0') < 10;
}

/* A digit of the beginning is any digit, a blank any number of blanks. */
static int begins_so(const uint8_t *beginning, int64_t length, const uint8_t *at, const uint8_t *end)
{
    for (int64_t place = 0; place < length; place++, at++) {
        if (at == end)
            return 0;
        if (beginning[place] == ' ') {
            if (*at != ' ' && *at != '\t')
                return 0;
            while (at + 1 < end && (at[1] == ' ' || at[1] == '\t'))
                at++;
        } else if (is_digit(beginning[place]) ? !is_digit(*at) : beginning[place] != *at) {
            return 0;
        }
    }
    return 1;
}

static int may_count(const Search *search, const uint8_t *line, const uint8_t *end)
{
    if (line == end)
        return 0;
    if (search->places[*line] >= 0) {
        const uint8_t *beginning = search->beginnings + search->places[*line];
        for (; *beginning; beginning += 1 + *beginning)
            if (begins_so(beginning + 1, *beginning, line, end))
                return 1;
    }
    if (search->has_signs)
        for (; line < end; line++)
            if (search->signs[*line])
                return 1;
    return 0;
}

static int is_alike(const uint8_t *form, int64_t length, const uint8_t *text)
{
    for (int64_t place = 0; place < length; place++)
        if (form[place] != text[place] && !(is_digit(form[place]) && is_digit(text[place])))
            return 0;
    return 1;
}

static int is_bare(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || (uint8_t)(*at - '\t') < 5))
        at++;
    return at == end;
}

/* `text` ends where the text ends. */
static int is_usual(const Search *search, const uint8_t *line, const uint8_t *end, const uint8_t *text)
{
    int found = 0;
    const uint8_t *stop = text - line > search->below_bytes ? line + search->below_bytes : text;
    if (!search->usual_length || end - line != search->usual_length
        || !is_alike(search->usual, search->usual_length, line))
        return 0;
    for (int64_t count = 0; count < search->below_lines && found < 2; count++) {
        const uint8_t *next;
        if (stop - end < 2)
            return 0;
        line = end + 1;
        next = memchr(line, '\n', (size_t)(stop - line));
        if (next == NULL)
            return 0;
        end = next;
        if (is_bare(line, end))
            continue;
        if ((end - line < search->below_widths[found] ? end - line : search->below_widths[found])
                != search->below_lengths[found]
            || !is_alike(search->below[found], search->below_lengths[found], line))
            return 0;
        found++;
    }
    return found == 2;
}

/* Where the first line from `at` on begins that counts, -1 where none does. */
int64_t find_line(const Search *search, const uint8_t *text, int64_t length, int64_t at)
{
    const uint8_t *stop = text + length;
    while (at < length) {
        const uint8_t *line = text + at;
        const uint8_t *end = memchr(line, '\n', (size_t)(length - at));
        if (end == NULL)
            end = stop;
        if (may_count(search, line, end) && !is_usual(search, line, end, stop))
            return at;
        at = end - text + 1;
    }
    return -1;
}

/* Whether the numbers are one, bit for bit. */
static int are_one(const double *values, int64_t count)
{
    return count && memcmp(values, values + 1, (size_t)(count - 1) * sizeof *values) == 0;
}

/* Whether all numbers are multiples of 1 / `scale` that were rounded once, bit for bit; `into`, where there is one, gets how
 * many times, and `sum` what they make together. */
static int are_multiples(const double *values, int64_t count, double scale, int32_t *into, int64_t *sum)
{
    const double round_it = 6755399441055744.0; /* 1.5 * 2^52: half to even */
    double times[BLOCK], back[BLOCK];
    int64_t all = 0;
    for (int64_t from = 0; from < count; from += BLOCK) {
        int64_t size = count - from < BLOCK ? count - from : BLOCK;
        for (int64_t at = 0; at < size; at++) {
            times[at] = values[from + at] * scale + round_it - round_it;
            back[at] = times[at] / scale;
        }
        if (memcmp(back, values + from, (size_t)size * sizeof *values) != 0)
            return 0;
        if (into == NULL)
            continue;
        for (int64_t at = 0; at < size; at++)
            into[from + at] = (int32_t)times[at];
        for (int64_t at = 0; at < size; at++)
            all += into[from + at];
    }
    *sum = all;
    return 1;
}

/* What is known of a column: see column_form.py. */
typedef struct {
    int64_t holes;
    int64_t decimals;
    int64_t is_one;
    int64_t is_wide;
    int64_t is_smooth;
    int64_t sum;
    double minimum;
    double maximum;
} Form;

/* The least and the largest number, in pairs of accumulators that do not wait for each other; how many are NaN. */
static int64_t extremes(const double *values, int64_t count, double *minimum, double *maximum)
{
    double least[4], largest[4];
    int64_t holes = 0;
    for (int lane = 0; lane < 4; lane++) {
        least[lane] = INFINITY;
        largest[lane] = -INFINITY;
    }
    for (int64_t at = 0; at < count; at++) {
        double value = values[at];
        int lane = at & 3;
        least[lane] = value < least[lane] ? value : least[lane];
        largest[lane] = value > largest[lane] ? value : largest[lane];
        holes += value != value;
    }
    *minimum = holes < count ? least[0] : NAN;
    *maximum = holes < count ? largest[0] : NAN;
    for (int lane = 1; lane < 4; lane++) {
        *minimum = least[lane] < *minimum ? least[lane] : *minimum;
        *maximum = largest[lane] > *maximum ? largest[lane] : *maximum;
    }
    *minimum += 0.0; /* of two zeros either may have come: it is the one without a sign */
    *maximum += 0.0;
    return holes;
}

/* Whether a number is much nearer to the next than to those far behind: of every eighth. */
static int is_smooth(const int32_t *numbers, int64_t count)
{
    int64_t near = 0, far = 0, half = count / 2;
    for (int64_t at = 0; at < count - half - 1; at += 8) {
        int64_t next = (int64_t)numbers[at + 1] - numbers[at], later = (int64_t)numbers[at + half] - numbers[at];
        near += next < 0 ? -next : next;
        far += later < 0 ? -later : later;
    }
    return 4 * near < far;
}

/* The present numbers of a column, moved together. */
static void without_holes(const double *values, int64_t count, double *present)
{
    int64_t kept = 0;
    for (int64_t at = 0; at < count; at++)
        if (values[at] == values[at])
            present[kept++] = values[at];
}

/* What is to be known of columns before they are packed: see column_form.py. From one to the next are `stride` numbers; `present` has room for
 * the numbers of one column. */
void column_forms(const double *values, int64_t columns, int64_t stride, int64_t rows, int64_t most, Form *form,
                  int32_t *numbers, double *present)
{
    const double whole = 2251799813685248.0; /* 2^51 */
    for (int64_t column = 0; column < columns; column++, values += stride, numbers += rows, form++) {
        const double *own = values;
        double scale = 1.0, largest;
        form->holes = extremes(values, rows, &form->minimum, &form->maximum);
        form->decimals = MORE;
        form->sum = form->is_wide = form->is_smooth = form->is_one = 0;
        if (form->holes == rows)
            continue;
        if (form->holes) {
            without_holes(values, rows, present);
            own = present;
        }
        form->is_one = are_one(own, rows - form->holes);
        largest = form->maximum > -form->minimum ? form->maximum : -form->minimum;
        for (int64_t decimals = 0; decimals <= most && largest * scale < whole; decimals++, scale = POWERS[decimals]) {
            int32_t *into = largest * scale < INT32_MAX ? numbers : NULL;
            if (are_multiples(own, rows - form->holes, scale, into, &form->sum)) {
                form->decimals = decimals;
                form->is_wide = into == NULL;
                form->is_smooth = into != NULL && is_smooth(into, rows - form->holes);
                break;
            }
        }
    }
}

/* Bins of `size` successive values of each column, whose rows are a multiple of it; see column_form.py. */
void bin_columns(
    const double *values, int64_t columns, int64_t stride, int64_t rows, int64_t size, double *minimum, double *maximum,
    double *total, int32_t *valid)
{
    for (int64_t column = 0; column < columns; column++, values += stride)
        for (const double *bin = values; bin < values + rows; bin += size) {
            double least = INFINITY, largest = -INFINITY, sum = 0.0;
            int32_t count = 0;
            for (int64_t at = 0; at < size; at++) {
                double value = bin[at];
                int there = value == value;
                least = value < least ? value : least;
                largest = value > largest ? value : largest;
                value = there ? value : 0.0;
                sum = at ? sum + value : value;
                count += there;
            }
            *minimum++ = count ? least : NAN;
            *maximum++ = count ? largest : NAN;
            *total++ = count ? sum : NAN;
            *valid++ = count;
        }
}
