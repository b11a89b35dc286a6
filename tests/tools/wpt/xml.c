#include "tools/wpt/xml.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/utf8.h"

#define MAX_DEPTH 64

struct parser {
	const char *at, *end, *start;
	struct xml_error *error;
	int depth;
};

static int fail(struct parser *p, const char *what)
{
	p->error->what = what;
	p->error->line = p->error->column = 1;
	for (const char *s = p->start; s < p->at; s++) {
		p->error->column++;
		if (*s == '\n') {
			p->error->line++;
			p->error->column = 1;
		}
	}
	return -1;
}

static bool starts(const struct parser *p, const char *s)
{
	size_t len = strlen(s);

	return (size_t)(p->end - p->at) >= len && !memcmp(p->at, s, len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
}

/* To behind `until`. */
static int skip_to(struct parser *p, const char *until)
{
	for (; p->at < p->end; p->at++)
		if (starts(p, until)) {
			p->at += strlen(until);
			return 0;
		}
	return fail(p, "unexpected end of file");
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c & 0x80) || (c && strchr("_:.-", c));
}

static char *take_name(struct parser *p)
{
	const char *from = p->at;

	if (p->at == p->end || (*p->at && strchr("0123456789.-", *p->at)))
		return NULL;
	while (p->at < p->end && is_name_char(*p->at))
		p->at++;
	return p->at > from ? xstrndup(from, (size_t)(p->at - from)) : NULL;
}

static int add_entity(struct parser *p, struct strbuf *value)
{
	static const struct {
		const char *name;
		char c;
	} named[] = {
		{ "&lt;", '<' },   { "&gt;", '>' },    { "&amp;", '&' },
		{ "&quot;", '"' }, { "&apos;", '\'' },
	};
	size_t i = 0;
	char *end;
	unsigned long number;

	while (i < ARRAY_SIZE(named) && !starts(p, named[i].name))
		i++;
	if (i < ARRAY_SIZE(named)) {
		strbuf_addc(value, named[i].c);
		p->at += strlen(named[i].name);
		return 0;
	}
	if (!starts(p, "&#"))
		return fail(p, "unknown entity");
	number = p->at[2] == 'x' ? strtoul(p->at + 3, &end, 16) : strtoul(p->at + 2, &end, 10);
	if (*end != ';' || number == 0 || number > 0x7f)
		return fail(p, "character reference that a stand-in does not read");
	strbuf_addc(value, (char)number);
	p->at = end + 1;
	return 0;
}

static int take_value(struct parser *p, struct strbuf *value)
{
	char quote = p->at < p->end ? *p->at : '\0';

	if (quote != '"' && quote != '\'')
		return fail(p, "attribute value without quotes");
	p->at++;
	while (p->at < p->end && *p->at != quote) {
		if (*p->at == '<')
			return fail(p, "'<' in an attribute value");
		if (*p->at != '&')
			strbuf_addc(value, *p->at++);
		else if (add_entity(p, value) != 0)
			return -1;
	}
	if (p->at == p->end)
		return fail(p, "unexpected end of file");
	p->at++;
	return 0;
}

static int take_attribute(struct parser *p, struct xml *element)
{
	struct strbuf value = STRBUF_INIT;
	char *key = take_name(p);
	int bad = -1;

	if (!key) {
		fail(p, "bad character in a tag");
		goto out;
	}
	if (xml_attribute(element, key)) {
		fail(p, "attribute given twice");
		goto out;
	}
	skip_blanks(p);
	if (p->at == p->end || *p->at != '=') {
		fail(p, "attribute without a value");
		goto out;
	}
	p->at++;
	skip_blanks(p);
	bad = take_value(p, &value);
	if (!bad) {
		strvec_push(&element->keys, key);
		strvec_push(&element->values, value.buf);
	}
out:
	strbuf_release(&value);
	free(key);
	return bad;
}

static struct xml *take_element(struct parser *p);

/* Comments, CDATA, processing instructions: 1 when one was skipped, 0 when there is none. */
static int skip_other(struct parser *p)
{
	static const char *const pairs[][2] = {
		{ "<!--", "-->" }, { "<![CDATA[", "]]>" }, { "<?", "?>" }, { "<!DOCTYPE", ">" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (starts(p, pairs[i][0]))
			return skip_to(p, pairs[i][1]) != 0 ? -1 : 1;
	return 0;
}

static int take_end_tag(struct parser *p, const struct xml *element)
{
	char *name;
	bool same;

	p->at += 2;
	name = take_name(p);
	same = name && !strcmp(name, element->name);
	free(name);
	if (!same)
		return fail(p, "end tag of another element");
	skip_blanks(p);
	if (p->at == p->end || *p->at != '>')
		return fail(p, "bad end tag");
	p->at++;
	return 0;
}

static int take_content(struct parser *p, struct xml *element)
{
	struct strbuf text = STRBUF_INIT;
	struct xml *child;
	int other, bad = -1;

	while (p->at < p->end) {
		if (*p->at == '&') {
			if (add_entity(p, &text) != 0)
				goto out;
			continue;
		}
		if (*p->at != '<') {
			p->at++;
			continue;
		}
		if (starts(p, "</")) {
			bad = take_end_tag(p, element);
			goto out;
		}
		other = skip_other(p);
		if (other < 0)
			goto out;
		if (other)
			continue;
		child = take_element(p);
		if (!child)
			goto out;
		ARRAY_GROW(element->v, element->nr + 1, element->alloc);
		element->v[element->nr++] = child;
	}
	fail(p, "unexpected end of file");
out:
	strbuf_release(&text);
	return bad;
}

static int take_tag(struct parser *p, struct xml *element)
{
	for (;;) {
		bool blank = p->at < p->end && is_blank(*p->at);

		skip_blanks(p);
		if (starts(p, "/>")) {
			p->at += 2;
			return 0;
		}
		if (starts(p, ">")) {
			p->at++;
			return take_content(p, element);
		}
		if (!blank)
			return fail(p, "bad character in a tag");
		if (take_attribute(p, element) != 0)
			return -1;
	}
}

static struct xml *take_element(struct parser *p)
{
	struct xml *element = xcalloc(1, sizeof(*element));
	struct xml_error *error = p->error;

	element->keys = element->values = (struct strvec)STRVEC_INIT;
	fail(p, NULL);
	element->line = error->line;
	element->column = error->column;
	p->at++;
	element->name = take_name(p);
	if (!element->name) {
		fail(p, "element without a name");
	} else if (++p->depth > MAX_DEPTH) {
		fail(p, "too deep");
	} else if (take_tag(p, element) == 0) {
		p->depth--;
		return element;
	}
	xml_free(element);
	return NULL;
}

static int skip_outside(struct parser *p)
{
	int other = 1;

	while (other > 0) {
		skip_blanks(p);
		other = skip_other(p);
	}
	return other;
}

struct xml *xml_parse(const char *text, size_t len, struct xml_error *error)
{
	struct parser p = { .at = text, .start = text, .end = text + len, .error = error };
	struct xml *root;

	if (starts(&p, "\xef\xbb\xbf"))
		p.at += 3;
	if (skip_outside(&p) != 0)
		return NULL;
	if (!starts(&p, "<")) {
		fail(&p, "no element");
		return NULL;
	}
	root = take_element(&p);
	if (root && (skip_outside(&p) != 0 || p.at != p.end)) {
		fail(&p, "more behind the root element");
		xml_free(root);
		return NULL;
	}
	return root;
}

void xml_free(struct xml *element)
{
	if (!element)
		return;
	for (size_t i = 0; i < element->nr; i++)
		xml_free(element->v[i]);
	free(element->v);
	strvec_release(&element->keys);
	strvec_release(&element->values);
	free(element->name);
	free(element);
}

const char *xml_attribute(const struct xml *element, const char *key)
{
	for (size_t i = 0; i < element->keys.nr; i++)
		if (!strcmp(element->keys.v[i], key))
			return element->values.v[i];
	return NULL;
}

const struct xml *xml_child(const struct xml *element, const char *name)
{
	for (size_t i = 0; i < element->nr; i++)
		if (!strcmp(element->v[i]->name, name))
			return element->v[i];
	return NULL;
}
