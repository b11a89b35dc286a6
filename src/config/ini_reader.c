/*
 * Works around these properties of inih 55 (tested with Debian's package):
 * - The callback gets no line number: lines pass through a reader that counts them.
 * - A line longer than its buffer is cut in two, a section name at 49 bytes: such lines are refused, and section names
 *   are read here.
 * - A line that it cannot read gives no callback, and only the number of the first such line: settle() checks each
 *   line without a callback.
 * - An indented line continues the key above, even if it reads "key = value" or "[section]", and keeps its comment:
 *   the comment is removed here, and a line that looks like a setting is refused.
 * - Text after "]" is dropped, and " ;" ends a value even between quotes.
 */
#include "config/ini_reader.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "util/alloc.h"
#include "util/ascii.h"

struct reader {
	const char *next, *end;
	struct config *config;
	struct problems *problems;
	int line;

	struct strbuf text; /* the line that inih is reading */
	bool answered;      /* the callback was called for it */

	struct strbuf section;
	bool in_section; /* false: none, or an unknown one, whose keys are ignored */

	/* The key that an indented line continues, for inih and for this reader. */
	bool inih_continues;
	bool continues; /* the last key was valid; it is the last entry */
	const struct setting *setting;
	bool refused; /* the last line that starts in column 1 was refused: ignore lines that continue it */
};

static const char *skip_blanks(const char *s)
{
	while (ascii_is_blank(*s))
		s++;
	return s;
}

/* The text of a value's line, without the backslashes that escape a blank, ";" or "#". */
static char *unescape(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	for (const char *p = s; *p; p++) {
		if (p == s || ascii_is_blank(p[-1])) {
			size_t run = strspn(p, "\\");
			char c = p[run];

			if (run && (c == ';' || c == '#' || (ascii_is_blank(c) && p == s)))
				p++;
		}
		strbuf_addc(&sb, *p);
	}
	return strbuf_detach(&sb);
}

/* Why a line must not be passed to inih; NULL: it may. */
static const char *refuse_line(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!s[i])
			return "a NUL byte (is this an INI file?)";
		if ((unsigned char)s[i] < ' ' && s[i] != '\t')
			return "a control character";
	}
	if (len > INI_LINE_MAX)
		return "line too long: at most 197 bytes; continue it in an indented line below "
		       "(one that ends in a backslash is joined without a blank)";
	return NULL;
}

/* Length of an indented line's text without a comment. */
static size_t find_comment(const char *s, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (s[i] == ';' && ascii_is_blank(s[i - 1]))
			return i;
	return len;
}

/* Parse "[name]": the name, and the text after it. False: inih does not recognise a section either. */
static bool split_section(const char *s, struct strbuf *name, const char **rest)
{
	for (s++; *s && *s != ']'; s++) {
		if (*s == ';' && ascii_is_blank(s[-1]))
			return false;
		strbuf_addc(name, *s);
	}
	*rest = *s ? skip_blanks(s + 1) : s;
	return *s;
}

static void enter_section(struct reader *r, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	const char *rest;

	strbuf_clear(&r->section);
	r->in_section = r->continues = false;
	if (!split_section(text, &r->section, &rest)) {
		problems_add_line(r->problems, r->line, "'[' without ']'");
		return;
	}
	r->inih_continues = false;
	r->in_section = !setting_refuse_section(r->section.buf, &why);
	if (!r->in_section)
		problems_add_line(r->problems, r->line, "%s", why.buf);
	if (*rest && *rest != ';' && *rest != '#')
		problems_add_line(r->problems, r->line,
				  "text after ']': a setting needs its own line");
	strbuf_release(&why);
}

/* Check a line without a callback: it is blank, a comment or a section, or inih does not understand it. */
static void settle(struct reader *r)
{
	const char *text = skip_blanks(r->text.buf);

	if (r->answered || !*text || *text == ';' || *text == '#')
		return;
	if (*text == '[') {
		enter_section(r, text);
		return;
	}
	r->continues = false;
	problems_add_line(
		r->problems, r->line,
		"no '=' in '%s' (KEY = VALUE; indent a line that continues the one above)", text);
}

/* inih's fgets. */
static char *read_line(char *str, int num, void *stream)
{
	struct reader *r = stream;
	const char *end, *why;
	bool indented;
	size_t len;

	settle(r);
	strbuf_clear(&r->text);
	if (r->next == r->end)
		return NULL;
	end = memchr(r->next, '\n', (size_t)(r->end - r->next));
	len = (size_t)((end ? end : r->end) - r->next);
	if (len && r->next[len - 1] == '\r')
		len--;
	r->line++;
	r->answered = false;
	indented = len && ascii_is_blank(*r->next);
	why = refuse_line(r->next, len);
	if (!why && len >= (size_t)num)
		why = "line too long";
	if (len && !indented)
		r->refused = why;
	if (why) {
		problems_add_line(r->problems, r->line, "%s", why);
		r->continues = false;
	} else if (indented && r->inih_continues) {
		strbuf_add(&r->text, r->next, find_comment(r->next, len));
	} else if (!indented || !r->refused) {
		strbuf_add(&r->text, r->next, len);
	}
	memcpy(str, r->text.buf, r->text.len + 1);
	r->next = end ? end + 1 : r->end;
	return str;
}

/* Is an indented line meant as a separate setting or section? */
static bool looks_like_setting(const struct reader *r, const char *text)
{
	size_t len = strcspn(text, " \t=:");
	char *key = xstrndup(text, len);
	const char *after = skip_blanks(text + len);
	bool meant = (*after == '=' || *after == ':') && setting_find(r->section.buf, key);
	struct strbuf name = STRBUF_INIT;
	const char *rest;

	if (*text == '[')
		meant = split_section(text, &name, &rest) && !*rest && setting_is_section(name.buf);
	strbuf_release(&name);
	free(key);
	return meant;
}

static void continue_value(struct reader *r, const char *raw)
{
	struct config_entry *entry = &r->config->entries[r->config->entries_nr - 1];
	size_t len = strlen(entry->value);
	const char *between = r->setting->type == SETTING_GATES ? ", " : " ";
	char *text, *joined;

	if (len && entry->value[len - 1] == '\\') {
		len--;
		between = "";
	} else if (looks_like_setting(r, raw)) {
		problems_add_line(r->problems, r->line,
				  "'%s' is indented, so it continues '%s' above: "
				  "start it in the first column",
				  raw, entry->key);
		return;
	} else if (!setting_takes_lines(r->setting)) {
		problems_add_line(r->problems, r->line,
				  "this indented line continues '%s' above, which has one value: "
				  "start a setting in the first column",
				  entry->key);
		return;
	}
	text = unescape(raw);
	joined = xasprintf("%.*s%s%s", (int)len, entry->value, len ? between : "", text);
	free(entry->value);
	entry->value = joined;
	free(text);
}

static void begin_value(struct reader *r, const char *key, const char *raw)
{
	const struct config_entry *before = config_find_entry(r->config, r->section.buf, key);
	struct strbuf why = STRBUF_INIT;
	char *value;

	r->continues = false;
	if (!*key) {
		problems_add_line(r->problems, r->line, "no key before '='");
	} else if (setting_refuse(r->section.buf, key, &why)) {
		problems_add_line(r->problems, r->line, "%s", why.buf);
	} else if (before) {
		problems_add_line(r->problems, r->line, "'%s' is given twice (first in line %d)",
				  key, before->line);
	} else {
		value = unescape(raw);
		config_set_entry(r->config, r->section.buf, key, value, r->line);
		free(value);
		r->setting = setting_find(r->section.buf, key);
		r->continues = true;
	}
	strbuf_release(&why);
}

/* inih's callback; "section" is cut at 49 bytes, so ours is used. */
static int take_value(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;

	(void)section;
	r->answered = true;
	if (ascii_is_blank(*r->text.buf) && r->inih_continues) {
		if (r->continues)
			continue_value(r, value);
		return 1;
	}
	r->inih_continues = true;
	r->continues = false;
	if (r->in_section)
		begin_value(r, name, value);
	else if (!r->section.len)
		problems_add_line(r->problems, r->line, "'%s' precedes the first [section]", name);
	return 1;
}

void ini_read(const char *text, size_t len, struct config *config, struct problems *problems)
{
	struct reader r = {
		.next = text,
		.end = text + len,
		.config = config,
		.problems = problems,
		.text = STRBUF_INIT,
		.answered = true,
		.section = STRBUF_INIT,
	};

	if (len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
		problems_add_line(problems, 1, "the file is UTF-16: save it as UTF-8");
		return;
	}
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r.next += 3;
	if (ini_parse_stream(read_line, &r, take_value, &r) == -2)
		problems_add_file(problems, "out of memory");
	strbuf_release(&r.text);
	strbuf_release(&r.section);
}
