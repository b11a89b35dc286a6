#include "profiler/etw/wprp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

#define COLLECTOR     "<SystemCollector"
#define COLLECTOR_END "</SystemCollector>"
#define MIN_BUFFERS   4
#define DEFAULT_KB    128 /* if the profile does not set it */

/* The position of the next `tag` ("<Buffers") that is not in a comment and not the start of a longer name. */
static const char *find_tag(const char *text, const char *end, const char *tag)
{
	size_t len = strlen(tag);

	for (const char *s = text; s < end && *s; s++) {
		if (text_starts_with(s, "<!--")) {
			s = strstr(s, "-->");
			if (!s)
				return NULL;
			continue;
		}
		if (!strncmp(s, tag, len) && !isalnum((unsigned char)s[len]))
			return s;
	}
	return NULL;
}

/* The value of an attribute of the tag at `tag`, without its quotes; NULL: it has none. */
static const char *find_attribute(const char *tag, const char *name, size_t *len)
{
	const char *end = strchr(tag, '>');
	size_t name_len = strlen(name);

	for (const char *s = tag; end && s < end; s++) {
		const char *quote;

		if (!isspace((unsigned char)*s) || strncmp(s + 1, name, name_len))
			continue;
		quote = s + 1 + name_len;
		quote += strspn(quote, " \t\r\n");
		if (*quote != '=')
			continue;
		quote += 1 + strspn(quote + 1, " \t\r\n");
		if ((*quote != '"' && *quote != '\'') || quote >= end)
			continue;
		*len = strcspn(quote + 1, *quote == '"' ? "\"" : "'");
		return quote + 1;
	}
	return NULL;
}

static bool attribute_is(const char *tag, const char *name, const char *value)
{
	size_t len = 0;
	const char *found = find_attribute(tag, name, &len);
	char *text;
	bool is;

	if (!found)
		return false;
	text = xstrndup(found, len);
	is = text_equal_fold(text, value);
	free(text);
	return is;
}

bool wprp_has_profile(const char *text, const char *name, const char *detail)
{
	const char *end = text + strlen(text);

	for (const char *tag = find_tag(text, end, "<Profile"); tag;
	     tag = find_tag(tag + 1, end, "<Profile")) {
		if (attribute_is(tag, "Name", name) && attribute_is(tag, "DetailLevel", detail) &&
		    attribute_is(tag, "LoggingMode", "File"))
			return true;
	}
	return false;
}

static int64_t number_of(const char *tag)
{
	size_t len = 0;
	const char *value = tag ? find_attribute(tag, "Value", &len) : NULL;
	char *text;
	int64_t number = 0;

	if (!value)
		return 0;
	text = xstrndup(value, len);
	if (!text_parse_int(text, 1, INT64_C(1) << 30, &number))
		number = 0;
	free(text);
	return number;
}

/* Copy a collector from `from` to `end`, with its count changed; true: there was one to change. */
static bool copy_collector(const char *from, const char *end, int64_t bytes, struct strbuf *out)
{
	const char *buffers = find_tag(from, end, "<Buffers"), *value;
	int64_t kb = number_of(find_tag(from, end, "<BufferSize")), count;
	size_t len = 0;

	value = buffers ? find_attribute(buffers, "Value", &len) : NULL;
	if (!value || attribute_is(buffers, "PercentageOfTotalMemory", "true")) {
		strbuf_add(out, from, (size_t)(end - from));
		return false;
	}
	count = bytes / ((kb ? kb : DEFAULT_KB) * 1024);
	strbuf_add(out, from, (size_t)(value - from));
	strbuf_addf(out, "%lld", (long long)(count < MIN_BUFFERS ? MIN_BUFFERS : count));
	strbuf_add(out, value + len, (size_t)(end - value) - len);
	return true;
}

int wprp_set_buffers(const char *text, int64_t bytes, struct strbuf *out)
{
	const char *end = text + strlen(text), *from = text, *collector;
	int changed = 0;

	while ((collector = find_tag(from, end, COLLECTOR))) {
		const char *close = strstr(collector, COLLECTOR_END);

		if (!close)
			break;
		strbuf_add(out, from, (size_t)(collector - from));
		changed += copy_collector(collector, close, bytes, out);
		from = close;
	}
	strbuf_adds(out, from);
	return changed;
}
