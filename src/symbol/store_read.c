/*
 * The text files of a symbol store (docs/symbols.md): a head line, then lines of fields with a tab between.
 * They may come from anywhere: numbers are checked against what they count, and a line that is not as it
 * should be is left out and counted.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/store_content.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

struct strings {
	const char **v;
	size_t nr, alloc;
};

struct numbers {
	uint32_t *v;
	size_t nr, alloc;
};

struct reader {
	struct symbol_store *store;
	char **fields;
	size_t fields_nr, fields_alloc;
	uint32_t module; /* of the lines that follow; 0: none */
	struct strings files, names;
	struct numbers frames, stacks; /* of the file's, those of the store */
};

struct format {
	const char *file, *head;
	bool (*line)(struct reader *reader);
};

static bool parse_hex(const char *s, uint64_t *value)
{
	*value = 0;
	if (!*s || strlen(s) > 16)
		return false;
	for (; *s; s++) {
		int digit = ascii_hex_digit(*s);

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return true;
}

/* Digits up to `end`, which follows them. */
static bool parse_number(char **s, char end, uint32_t *value)
{
	uint64_t sum = 0;
	char *at = *s;

	for (; *at >= '0' && *at <= '9' && sum <= UINT32_MAX; at++)
		sum = sum * 10 + (uint64_t)(*at - '0');
	if (at == *s || *at != end || sum > UINT32_MAX)
		return false;
	*value = (uint32_t)sum;
	*s = end ? at + 1 : at;
	return true;
}

/* In place; an empty string is none. */
static bool unescape(char *s)
{
	char *to = s;

	if (!*s)
		return false;
	if (!strchr(s, '\\'))
		return true;
	for (; *s; s++) {
		char c = *s;

		if (c == '\\') {
			s++;
			if (*s != '\\' && *s != 't' && *s != 'n')
				return false;
			c = *s == 't' ? '\t' : *s == 'n' ? '\n' : '\\';
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

static bool parse_id(const char *s, uint8_t *id, size_t *nr)
{
	size_t len = strlen(s);

	*nr = 0;
	if (!strcmp(s, "-"))
		return true;
	if (len % 2 || len > 2 * MODULE_ID_MAX)
		return false;
	for (; *nr < len / 2; (*nr)++) {
		const char byte[] = { s[2 * *nr], s[2 * *nr + 1], '\0' };
		uint64_t value;

		if (!parse_hex(byte, &value))
			return false;
		id[*nr] = (uint8_t)value;
	}
	return *nr > 0;
}

/* module ID PATH [kernel] */
static bool read_module(struct reader *reader)
{
	bool kernel = reader->fields_nr == 4 && !strcmp(reader->fields[3], "kernel");
	uint8_t id[MODULE_ID_MAX];
	size_t id_nr;

	reader->module = 0;
	if ((reader->fields_nr != 3 && !kernel) || !parse_id(reader->fields[1], id, &id_nr) ||
	    !unescape(reader->fields[2]))
		return false;
	reader->module = store_module_add(reader->store, reader->fields[2], id, id_nr, kernel);
	return true;
}

static struct store_module *module_of(struct reader *reader)
{
	return reader->module ? &reader->store->modules[reader->module - 1] : NULL;
}

/* START LENGTH NAME [NAME...] */
static bool read_function(struct reader *reader)
{
	struct store_module *module = module_of(reader);
	struct store_function function;
	uint64_t length;
	const char **names;

	if (!strcmp(reader->fields[0], "module"))
		return read_module(reader);
	if (!module || reader->fields_nr < 3 || !parse_hex(reader->fields[0], &function.start) ||
	    !parse_hex(reader->fields[1], &length) || !length ||
	    length > UINT64_MAX - function.start)
		return false;
	function.end = function.start + length;
	function.names_nr = (uint32_t)(reader->fields_nr - 2);
	names = pool_alloc(&reader->store->pool, function.names_nr * sizeof(*names));
	for (uint32_t i = 0; i < function.names_nr; i++) {
		if (!unescape(reader->fields[i + 2]))
			return false;
		names[i] = reader->fields[i + 2];
	}
	function.names = names;
	store_add_function(module, function);
	return true;
}

/* file|name NUMBER STRING, numbered from 0 */
static bool read_string(struct reader *reader, struct strings *strings)
{
	char *number = reader->fields_nr > 1 ? reader->fields[1] : NULL;
	bool good = reader->fields_nr == 3 && unescape(reader->fields[2]);
	uint32_t value;

	if (!number || !parse_number(&number, '\0', &value) || value < strings->nr ||
	    value - strings->nr > 64)
		return false;
	/* Numbers of damaged lines have no string. */
	ARRAY_GROW(strings->v, (size_t)value + 1, strings->alloc);
	while (strings->nr <= value)
		strings->v[strings->nr++] = NULL;
	strings->v[value] = good ? reader->fields[2] : NULL;
	return good;
}

/* A number of a string, or "-". */
static bool find_string(char **s, char end, const struct strings *strings, const char **string)
{
	uint32_t number;

	*string = NULL;
	if ((*s)[0] == '-' && (*s)[1] == end) {
		*s += 2;
		return true;
	}
	if (!parse_number(s, end, &number) || number >= strings->nr)
		return false;
	*string = strings->v[number];
	return true;
}

/* OFFSET NAME:FILE:LINE [NAME:FILE:LINE...] */
static bool read_place(struct reader *reader)
{
	struct store_module *module = module_of(reader);
	struct store_place place;
	struct symbol_line *lines;

	if (!strcmp(reader->fields[0], "module"))
		return read_module(reader);
	if (!strcmp(reader->fields[0], "file"))
		return read_string(reader, &reader->files);
	if (!strcmp(reader->fields[0], "name"))
		return read_string(reader, &reader->names);
	if (!module || reader->fields_nr < 2 || !parse_hex(reader->fields[0], &place.offset))
		return false;
	place.lines_nr = (uint32_t)(reader->fields_nr - 1);
	lines = pool_alloc(&reader->store->pool, place.lines_nr * sizeof(*lines));
	for (uint32_t i = 0; i < place.lines_nr; i++) {
		char *at = reader->fields[i + 1];

		if (!find_string(&at, ':', &reader->names, &lines[i].function) ||
		    !find_string(&at, ':', &reader->files, &lines[i].file) ||
		    !parse_number(&at, '\0', &lines[i].line))
			return false;
	}
	place.lines = lines;
	store_add_place(module, place);
	return true;
}

static void add_number(struct numbers *numbers, uint32_t number)
{
	ARRAY_GROW(numbers->v, numbers->nr + 1, numbers->alloc);
	numbers->v[numbers->nr++] = number;
}

/* frame OFFSET, numbered behind those that stand for what is not there; one that is damaged is unknown */
static bool read_frame(struct reader *reader)
{
	uint64_t offset = 0;
	bool good =
		reader->module && reader->fields_nr == 2 && parse_hex(reader->fields[1], &offset);

	add_number(&reader->frames,
		   stack_table_frame(&reader->store->stacks, good ? reader->module : 0, offset));
	return good;
}

/* stack PARENT FRAME, numbered from 1; one that is damaged is empty, and so its callees miss its callers */
static bool read_stack(struct reader *reader)
{
	uint32_t parent, frame;
	char *at = reader->fields_nr == 3 ? reader->fields[1] : NULL;
	bool good = at && parse_number(&at, '\0', &parent) && parent < reader->stacks.nr;

	at = good ? reader->fields[2] : NULL;
	good = at && parse_number(&at, '\0', &frame) && frame < reader->frames.nr;
	add_number(&reader->stacks,
		   good ? stack_table_push(&reader->store->stacks, reader->stacks.v[parent],
					   reader->frames.v[frame])
			: STACK_EMPTY);
	return good;
}

/* copy ID STACK whole|cut */
static bool read_copy(struct reader *reader)
{
	struct store_copy copy;
	uint32_t stack;
	char *at = reader->fields_nr == 4 ? reader->fields[2] : NULL;

	if (!at || !parse_hex(reader->fields[1], &copy.id) || !parse_number(&at, '\0', &stack) ||
	    stack >= reader->stacks.nr)
		return false;
	copy.stack = reader->stacks.v[stack];
	copy.whole = !strcmp(reader->fields[3], "whole");
	if (!copy.whole && strcmp(reader->fields[3], "cut"))
		return false;
	store_add_copy(reader->store, copy);
	return true;
}

static bool read_stacks(struct reader *reader)
{
	const char *word = reader->fields[0];

	if (!strcmp(word, "stack"))
		return read_stack(reader);
	if (!strcmp(word, "copy"))
		return read_copy(reader);
	if (!strcmp(word, "frame"))
		return read_frame(reader);
	return !strcmp(word, "module") && read_module(reader);
}

static const struct format formats[] = {
	{ STORE_FUNCTIONS, STORE_FUNCTIONS_HEAD, read_function },
	{ SYMBOL_STORE_LINES, STORE_LINES_HEAD, read_place },
	{ STORE_STACKS, STORE_STACKS_HEAD, read_stacks },
};

static void split_fields(struct reader *reader, char *line, char *end)
{
	char *tab;

	*end = '\0';
	reader->fields_nr = 0;
	for (;; line = tab + 1) {
		ARRAY_GROW(reader->fields, reader->fields_nr + 1, reader->fields_alloc);
		reader->fields[reader->fields_nr++] = line;
		tab = memchr(line, '\t', (size_t)(end - line));
		if (!tab)
			break;
		*tab = '\0';
	}
}

/* The number of damaged lines; a last one without its end is damaged. */
static uint64_t read_lines(struct reader *reader, const struct format *format, char *at, char *end)
{
	uint64_t damaged = 0;
	char *eol;

	for (; (eol = memchr(at, '\n', (size_t)(end - at))); at = eol + 1) {
		split_fields(reader, at, eol);
		if (!format->line(reader))
			damaged++;
	}
	return damaged + (at < end);
}

static int check_head(const char *name, const struct format *format, const char *text, size_t len,
		      size_t *used, struct err *err)
{
	const char *eol = len ? memchr(text, '\n', len) : NULL;
	size_t word = strlen(format->head);
	char *head = eol && eol - text < 64 ? xstrndup(text, (size_t)(eol - text)) : xstrdup("");
	bool known = text_starts_with(head, format->head) && head[word] == ' ';
	int64_t version = 0;
	int rc = 0;

	if (!known || !text_parse_int(head + word + 1, 1, INT32_MAX, &version))
		rc = err_set(err, ERR_CORRUPT, "'%s' does not begin with '%s %d'", name,
			     format->head, STORE_VERSION);
	else if (version > STORE_VERSION)
		rc = err_set(err, ERR_UNSUPPORTED, "'%s' has version %d, this program reads %d",
			     name, (int)version, STORE_VERSION);
	else
		*used = (size_t)(eol - text) + 1;
	free(head);
	return rc;
}

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(text_file_name(name), formats[i].file))
			return &formats[i];
	}
	return NULL;
}

/* Names point into the store's own copy of the text. */
static char *keep_text(struct symbol_store *store, const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	ARRAY_GROW(store->texts, store->texts_nr + 1, store->texts_alloc);
	store->texts[store->texts_nr++] = copy;
	return copy;
}

int symbol_store_parse(struct symbol_store *store, const char *name, const char *text, size_t len,
		       uint64_t *damaged, struct err *err)
{
	const struct format *format = find_format(name);
	struct reader reader = { .store = store };
	size_t used = 0;
	char *copy;

	*damaged = 0;
	if (!format)
		return err_set(err, ERR_CORRUPT, "'%s' is not a file of symbols", name);
	if (check_head(name, format, text, len, &used, err))
		return -1;
	copy = keep_text(store, text, len);
	add_number(&reader.frames, FRAME_TRUNCATED);   /* STORE_TRUNCATED */
	add_number(&reader.frames, FRAME_NOT_SAMPLED); /* STORE_NOT_SAMPLED */
	add_number(&reader.frames, FRAME_UNKNOWN);     /* STORE_UNKNOWN */
	add_number(&reader.stacks, STACK_EMPTY);
	*damaged = read_lines(&reader, format, copy + used, copy + len);
	symbol_store_ready(store);
	free(reader.fields);
	free(reader.files.v);
	free(reader.names.v);
	free(reader.frames.v);
	free(reader.stacks.v);
	return 0;
}
