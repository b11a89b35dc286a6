/*
 * The text files of a symbol store (docs/symbols.md): a header line, then lines of fields separated by tabs.
 * They are not trusted: all numbers are range-checked; damaged lines are skipped and counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "symbol/store_content.h"
#include "symbol/symbol_store.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/strbuf.h"
#include "util/tab_field.h"
#include "util/text.h"

#define STORE_FUNCTIONS "functions.txt"

/* The first line of each file. */
#define FUNCTIONS_HEAD "stagetrace-functions"
#define LINES_HEAD     "stagetrace-lines"
#define STACKS_HEAD    "stagetrace-stacks"
#define STORE_VERSION  1

/* Numbers of the special frames in stacks.txt; the frames of the file follow. */
enum {
	STORE_TRUNCATED,
	STORE_NOT_SAMPLED,
	STORE_UNKNOWN,
	STORE_FRAME_FIRST,
};

const char *const symbol_store_files[] = { STORE_FUNCTIONS, SYMBOL_STORE_LINES, SYMBOL_STORE_STACKS,
					   NULL };

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
	struct numbers depths;         /* of the file's stacks, in frames */
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

/* Parse decimal digits that end with the character `end`. */
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

static bool parse_id(const char *s, uint8_t *id, size_t *nr)
{
	*nr = 0;
	return !strcmp(s, "-") || (text_parse_hex(s, id, MODULE_ID_MAX, nr) && *nr > 0);
}

/* module ID PATH [kernel] */
static bool read_module(struct reader *reader)
{
	bool kernel = reader->fields_nr == 4 && !strcmp(reader->fields[3], "kernel");
	uint8_t id[MODULE_ID_MAX];
	size_t id_nr;

	reader->module = 0;
	if ((reader->fields_nr != 3 && !kernel) || !parse_id(reader->fields[1], id, &id_nr) ||
	    !tab_field_decode(reader->fields[2]))
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
		if (!tab_field_decode(reader->fields[i + 2]))
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
	bool good = reader->fields_nr == 3 && tab_field_decode(reader->fields[2]);
	uint32_t value;

	if (!number || !parse_number(&number, '\0', &value) || value < strings->nr ||
	    value - strings->nr > 64)
		return false;
	/* Numbers whose lines are damaged have no string. */
	ARRAY_GROW(strings->v, (size_t)value + 1, strings->alloc);
	while (strings->nr <= value)
		strings->v[strings->nr++] = NULL;
	strings->v[value] = good ? reader->fields[2] : NULL;
	return good;
}

/* Parse the number of a string, or "-" for none. */
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
	ARRAY_ADD(numbers->v, numbers->nr, numbers->alloc, number);
}

/* frame OFFSET, numbered after the special frames; a damaged one is FRAME_UNKNOWN */
static bool read_frame(struct reader *reader)
{
	uint64_t offset = 0;
	bool good =
		reader->module && reader->fields_nr == 2 && parse_hex(reader->fields[1], &offset);

	add_number(&reader->frames,
		   stack_table_frame(&reader->store->stacks, good ? reader->module : 0, offset));
	return good;
}

/*
 * stack PARENT FRAME, numbered from 1; a damaged one is empty, so that stacks called by it lack their callers. A line makes
 * a stack as deep as all before it, and each of its events costs that: no recording has deeper ones than STACK_DEPTH_MAX.
 */
static bool read_stack(struct reader *reader)
{
	uint32_t parent, frame;
	char *at = reader->fields_nr == 3 ? reader->fields[1] : NULL;
	bool good = at && parse_number(&at, '\0', &parent) && parent < reader->stacks.nr &&
		    reader->depths.v[parent] < STACK_DEPTH_MAX;

	at = good ? reader->fields[2] : NULL;
	good = at && parse_number(&at, '\0', &frame) && frame < reader->frames.nr;
	add_number(&reader->stacks,
		   good ? stack_table_push(&reader->store->stacks, reader->stacks.v[parent],
					   reader->frames.v[frame])
			: STACK_EMPTY);
	add_number(&reader->depths, good ? reader->depths.v[parent] + 1 : 0);
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
	copy.complete = !strcmp(reader->fields[3], "whole");
	if (!copy.complete && strcmp(reader->fields[3], "cut"))
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
	{ STORE_FUNCTIONS, FUNCTIONS_HEAD, read_function },
	{ SYMBOL_STORE_LINES, LINES_HEAD, read_place },
	{ SYMBOL_STORE_STACKS, STACKS_HEAD, read_stacks },
};

static void split_fields(struct reader *reader, char *line, char *end)
{
	char *tab;

	*end = '\0';
	reader->fields_nr = 0;
	for (;; line = tab + 1) {
		ARRAY_ADD(reader->fields, reader->fields_nr, reader->fields_alloc, line);
		tab = memchr(line, '\t', (size_t)(end - line));
		if (!tab)
			break;
		*tab = '\0';
	}
}

/* Returns the number of damaged lines; a last line without a newline is damaged. */
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
	ARRAY_ADD(store->texts, store->texts_nr, store->texts_alloc, copy);
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
	add_number(&reader.depths, 0);
	*damaged = read_lines(&reader, format, copy + used, copy + len);
	symbol_store_ready(store);
	free(reader.fields);
	free(reader.files.v);
	free(reader.names.v);
	free(reader.frames.v);
	free(reader.stacks.v);
	free(reader.depths.v);
	return 0;
}

static void add_digits(struct strbuf *sb, uint64_t value, unsigned base)
{
	char digits[24], *at = digits + sizeof(digits);

	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	strbuf_add(sb, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_head(struct strbuf *sb, const char *head)
{
	strbuf_addf(sb, "%s %d\n", head, STORE_VERSION);
}

static void add_module(struct strbuf *sb, const struct symbol_store *store, size_t index)
{
	const struct module_key *key = &store->keys.v[index];

	strbuf_adds(sb, "module\t");
	text_add_hex(sb, key->id, key->id_nr);
	strbuf_adds(sb, key->id_nr ? "\t" : "-\t");
	tab_field_add(sb, key->path);
	strbuf_adds(sb, store->modules[index].kernel ? "\tkernel\n" : "\n");
}

static int compare_keys(const void *a, const void *b)
{
	const struct module_key *const *x = a, *const *y = b;
	int rc = strcmp((*x)->path, (*y)->path);

	return rc ? rc : memcmp((*x)->id, (*y)->id, MODULE_ID_MAX);
}

/* Sort modules by path, so that the files of two runs can be compared. */
static const struct module_key **sort_modules(const struct symbol_store *store)
{
	const struct module_key **v = xcalloc(store->keys.nr + 1, sizeof(*v));

	for (size_t i = 0; i < store->keys.nr; i++)
		v[i] = &store->keys.v[i];
	qsort(v, store->keys.nr, sizeof(*v), compare_keys);
	return v;
}

static void add_functions(struct strbuf *sb, const struct symbol_store *store, size_t index)
{
	const struct store_module *module = &store->modules[index];

	if (!module->functions_nr)
		return;
	add_module(sb, store, index);
	for (size_t i = 0; i < module->functions_nr; i++) {
		const struct store_function *function = &module->functions[i];

		add_digits(sb, function->start, 16);
		strbuf_addc(sb, '\t');
		add_digits(sb, function->end - function->start, 16);
		for (uint32_t k = 0; k < function->names_nr; k++) {
			strbuf_addc(sb, '\t');
			tab_field_add(sb, function->names[k]);
		}
		strbuf_addc(sb, '\n');
	}
}

/* Numbers of strings, in the order seen; the key is the address of the pooled string. */
struct numbering {
	struct intmap map; /* to entries of `v` */
	uintptr_t next;
};

static void add_definition(struct strbuf *sb, struct numbering *numbering, const char *word,
			   const char *s)
{
	if (!s || intmap_get(&numbering->map, (int64_t)(uintptr_t)s))
		return;
	strbuf_addf(sb, "%s\t%" PRIuPTR "\t", word, numbering->next);
	tab_field_add(sb, s);
	strbuf_addc(sb, '\n');
	numbering->next++;
	intmap_put(&numbering->map, (int64_t)(uintptr_t)s, (void *)numbering->next);
}

static void add_reference(struct strbuf *sb, const struct numbering *numbering, const char *s)
{
	if (s)
		add_digits(sb, (uintptr_t)intmap_get(&numbering->map, (int64_t)(uintptr_t)s) - 1,
			   10);
	else
		strbuf_addc(sb, '-');
	strbuf_addc(sb, ':');
}

static void add_places(struct strbuf *sb, const struct symbol_store *store, size_t index,
		       struct numbering *files, struct numbering *names)
{
	const struct store_module *module = &store->modules[index];

	if (!module->places_nr)
		return;
	add_module(sb, store, index);
	for (size_t i = 0; i < module->places_nr; i++) {
		const struct store_place *place = &module->places[i];

		for (uint32_t k = 0; k < place->lines_nr; k++) {
			add_definition(sb, files, "file", place->lines[k].file);
			add_definition(sb, names, "name", place->lines[k].function);
		}
		add_digits(sb, place->offset, 16);
		for (uint32_t k = 0; k < place->lines_nr; k++) {
			strbuf_addc(sb, '\t');
			add_reference(sb, names, place->lines[k].function);
			add_reference(sb, files, place->lines[k].file);
			add_digits(sb, place->lines[k].line, 10);
		}
		strbuf_addc(sb, '\n');
	}
}

/* Write the frames by module, and set `numbers` to their numbers in the file. */
static void add_frames(struct strbuf *sb, const struct symbol_store *store, uint32_t *numbers)
{
	const struct stack_table *stacks = &store->stacks;
	uint32_t next = STORE_FRAME_FIRST;
	size_t *counts = xcalloc(store->modules_nr + 2, sizeof(*counts));
	uint32_t *order = xcalloc(stacks->frames_nr, sizeof(*order));

	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		counts[stacks->frames[i].module + 1]++;
	for (size_t i = 1; i <= store->modules_nr; i++)
		counts[i + 1] += counts[i];
	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		order[counts[stacks->frames[i].module]++] = (uint32_t)i;
	for (size_t i = 0; i + FRAME_FIRST < stacks->frames_nr; i++) {
		const struct frame *frame = &stacks->frames[order[i]];

		if (!i || frame->module != stacks->frames[order[i - 1]].module)
			add_module(sb, store, frame->module - 1);
		strbuf_adds(sb, "frame\t");
		add_digits(sb, frame->offset, 16);
		strbuf_addc(sb, '\n');
		numbers[order[i]] = next++;
	}
	free(order);
	free(counts);
}

static void add_stacks(struct strbuf *sb, const struct symbol_store *store)
{
	const struct stack_table *stacks = &store->stacks;
	uint32_t *numbers = xcalloc(stacks->frames_nr, sizeof(*numbers));

	numbers[FRAME_TRUNCATED] = STORE_TRUNCATED;
	numbers[FRAME_NOT_SAMPLED] = STORE_NOT_SAMPLED;
	numbers[FRAME_UNKNOWN] = numbers[FRAME_MISSING] = STORE_UNKNOWN;
	add_frames(sb, store, numbers);
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		strbuf_adds(sb, "stack\t");
		add_digits(sb, stacks->nodes[i].parent, 10);
		strbuf_addc(sb, '\t');
		add_digits(sb, numbers[stacks->nodes[i].frame], 10);
		strbuf_addc(sb, '\n');
	}
	for (size_t i = 0; i < store->copies_nr; i++) {
		strbuf_adds(sb, "copy\t");
		add_digits(sb, store->copies[i].id, 16);
		strbuf_addc(sb, '\t');
		add_digits(sb, store->copies[i].stack, 10);
		strbuf_adds(sb, store->copies[i].complete ? "\twhole\n" : "\tcut\n");
	}
	free(numbers);
}

void store_add_text(const struct symbol_store *store, const char *name, struct strbuf *sb)
{
	struct numbering files = { INTMAP_INIT, 0 }, names = { INTMAP_INIT, 0 };
	const struct module_key **keys = sort_modules(store);

	if (!strcmp(name, STORE_FUNCTIONS)) {
		add_head(sb, FUNCTIONS_HEAD);
		for (size_t i = 0; i < store->modules_nr; i++)
			add_functions(sb, store, (size_t)(keys[i] - store->keys.v));
	} else if (!strcmp(name, SYMBOL_STORE_LINES)) {
		add_head(sb, LINES_HEAD);
		for (size_t i = 0; i < store->modules_nr; i++)
			add_places(sb, store, (size_t)(keys[i] - store->keys.v), &files, &names);
	} else {
		add_head(sb, STACKS_HEAD);
		add_stacks(sb, store);
	}
	intmap_release(&files.map);
	intmap_release(&names.map);
	free(keys);
}

static int write_file(const struct symbol_store *store, const char *dir, const char *subdir,
		      const char *file, struct err *err)
{
	char *name = xasprintf("%s/%s", subdir, file);
	struct strbuf sb = STRBUF_INIT;
	int rc;

	store_add_text(store, file, &sb);
	rc = below_write(dir, name, sb.buf, sb.len, err);
	strbuf_release(&sb);
	free(name);
	return rc;
}

int symbol_store_write_names(struct symbol_store *store, const char *dir, const char *subdir,
			     struct err *err)
{
	int rc = below_mkdir(dir, subdir, err);

	symbol_store_ready(store);
	for (size_t i = 0; !rc && symbol_store_files[i]; i++) {
		if (strcmp(symbol_store_files[i], SYMBOL_STORE_STACKS))
			rc = write_file(store, dir, subdir, symbol_store_files[i], err);
	}
	return rc;
}

int symbol_store_write_stacks(struct symbol_store *store, const char *dir, const char *subdir,
			      struct err *err)
{
	return write_file(store, dir, subdir, SYMBOL_STORE_STACKS, err);
}
