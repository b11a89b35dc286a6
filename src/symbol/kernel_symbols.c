#include "symbol/kernel_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "symbol/symbol_table.h"
#include "util/alloc.h"
#include "util/ascii.h"
#include "util/strbuf.h"
#include "util/text.h"

#define LIST_MAX (INT64_C(256) << 20)

/* The header of an ELF note. A name and a description follow. */
struct note {
	uint32_t name_size, description_size, type;
};

#define NOTE_NAME     "GNU"
#define NOTE_BUILD_ID 3

struct kernel_symbols {
	char *text; /* names point into it */
	uint64_t base;
	struct symbol_table table; /* by address */
};

static bool parse_hex(const char **s, const char *end, uint64_t *value)
{
	const char *at = *s;

	for (*value = 0; at < end; at++) {
		int digit = ascii_hex_digit(*at);

		if (digit < 0 || *value >> 60)
			break;
		*value = *value << 4 | (uint64_t)digit;
	}
	if (at == *s)
		return false;
	*s = at;
	return true;
}

/* Whether perf uses symbols of this type: text, data, weak. Lower case is local. */
static bool is_wanted(char type)
{
	return type && strchr("tTwWdDbB", type);
}

static void add_line(struct kernel_symbols *symbols, char *line, char *end)
{
	struct symbol_entry entry = { .name = NULL };
	const char *at = line;
	char *name, *tab, type;

	if (!parse_hex(&at, end, &entry.start) || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return;
	type = at[1];
	name = line + (at - line) + 3;
	tab = memchr(name, '\t', (size_t)(end - name));
	*(tab ? tab : end) = '\0';
	if (!entry.start || !*name || !is_wanted(type))
		return;
	if (!strcmp(name, "_text") || (!strcmp(name, "_stext") && !symbols->base))
		symbols->base = entry.start;
	entry.name = name;
	entry.end = entry.start;
	entry.area = tab != NULL;
	entry.binding = type == 'W'                  ? SYMBOL_WEAK
			: type >= 'A' && type <= 'Z' ? SYMBOL_GLOBAL
						     : SYMBOL_LOCAL;
	symbol_table_add(&symbols->table, entry);
}

int kernel_symbols_parse(char *text, size_t len, struct kernel_symbols **symbols, struct err *err)
{
	struct kernel_symbols *parsed = xcalloc(1, sizeof(*parsed));
	char *at = text, *end = text + len, *eol;
	uint64_t first;
	const char *digits = text;
	bool is_list = parse_hex(&digits, end, &first);

	symbol_table_init(&parsed->table);
	parsed->text = text;
	for (; (eol = memchr(at, '\n', (size_t)(end - at))); at = eol + 1)
		add_line(parsed, at, eol);
	symbol_table_ready(&parsed->table);
	if (parsed->table.nr) {
		*symbols = parsed;
		return 0;
	}
	kernel_symbols_free(parsed);
	if (is_list)
		return err_set(err, ERR_UNSUPPORTED, "the kernel's addresses may not be read");
	return err_set(err, ERR_CORRUPT, "not a list of kernel symbols");
}

int kernel_symbols_read(const char *path, struct kernel_symbols **symbols, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	size_t len;

	if (fs_read(path, LIST_MAX, &sb, err)) {
		strbuf_release(&sb);
		return -1;
	}
	len = sb.len;
	if (kernel_symbols_parse(strbuf_detach(&sb), len, symbols, err))
		return err_wrap(err, "cannot use '%s'", path);
	return 0;
}

/* Names and descriptions are padded to four bytes. */
static size_t padded(uint32_t nr)
{
	return ((size_t)nr + 3) & ~(size_t)3;
}

size_t kernel_notes_id(const void *notes, size_t nr, uint8_t id[MODULE_ID_MAX])
{
	const char *at = notes;

	while (nr >= sizeof(struct note)) {
		struct note note;
		size_t name, length;

		memcpy(&note, at, sizeof(note));
		name = padded(note.name_size);
		length = name + padded(note.description_size);
		at += sizeof(note);
		nr -= sizeof(note);
		if (name > nr || length > nr)
			break;
		if (note.type == NOTE_BUILD_ID && note.name_size == sizeof(NOTE_NAME) &&
		    !memcmp(at, NOTE_NAME, sizeof(NOTE_NAME)) && note.description_size &&
		    note.description_size <= MODULE_ID_MAX) {
			memcpy(id, at + name, note.description_size);
			return note.description_size;
		}
		at += length;
		nr -= length;
	}
	return 0;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table_release(&symbols->table);
	free(symbols->text);
	free(symbols);
}

bool kernel_symbols_is_main(const struct module *module)
{
	return text_starts_with(module->name, "[kernel") ||
	       text_starts_with(module->name, "vmlinux");
}

bool kernel_symbols_find(const struct kernel_symbols *symbols, const struct module *module,
			 uint64_t offset, struct symbol *symbol)
{
	bool main_part = kernel_symbols_is_main(module);
	uint64_t base = main_part && symbols->base ? symbols->base : module->base;

	if (!symbol_table_find(&symbols->table, offset + base, symbol))
		return false;
	symbol->start -= symbol->start < base ? symbol->start : base;
	symbol->end -= base;
	return true;
}
