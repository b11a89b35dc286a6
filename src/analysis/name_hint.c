#include "analysis/name_hint.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/function_pattern.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"
#include "util/utf8.h"

/* Longer words are not compared letter by letter. */
#define WORD_MAX 64

void name_hints_init(struct name_hints *hints, const char *pattern)
{
	size_t skipped = strspn(pattern, "*?"), len = strlen(pattern + skipped);

	while (len && strchr("*?", pattern[skipped + len - 1]))
		len--;
	*hints = (struct name_hints){ .word = xstrndup(pattern + skipped, len),
				      .names = STRSET_INIT,
				      .plain = !strpbrk(pattern, "*?") };
}

void name_hints_release(struct name_hints *hints)
{
	free(hints->word);
	free(hints->v);
	strset_release(&hints->names);
}

static bool contains(const char *name, const char *word)
{
	for (; *name; name++) {
		size_t i = 0;

		while (word[i] && ascii_lower(name[i]) == ascii_lower(word[i]))
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

/* Whether the name is similar enough. */
static bool compare(const struct name_hints *hints, const char *name, size_t *distance)
{
	size_t word = strlen(hints->word), len = strlen(name), most = word / 3 + 1;

	*distance = 0;
	if (word >= 3 && contains(name, hints->word))
		return true;
	if (word > WORD_MAX || len > word + most || word > len + most)
		return false;
	*distance = text_distance(hints->word, name);
	return *distance <= most && 2 * *distance < len + word;
}

void name_hints_see(struct name_hints *hints, const char *name, const char *shown, int64_t weight)
{
	uint32_t number = strset_find(&hints->names, shown);
	size_t distance;

	if (number == STRSET_NONE) {
		if (!*name || !compare(hints, name, &distance))
			return;
		number = strset_add(&hints->names, shown);
		ARRAY_GROW(hints->v, (size_t)number + 1, hints->alloc);
		hints->v[number] = (struct name_hint){ .distance = distance };
	}
	hints->v[number].weight += weight;
}

void name_hints_see_function(struct name_hints *hints, const char *name, const char *short_name,
			     int64_t weight)
{
	struct strbuf part = STRBUF_INIT;

	name_hint_last_part(&part, short_name);
	if (function_pattern_matches(part.buf, short_name) ||
	    function_pattern_matches(part.buf, name))
		name_hints_see(hints, part.buf, part.buf, weight);
	else
		name_hints_see(hints, part.buf, short_name, weight);
	hints->with_word += hints->plain && (strstr(name, hints->word) != NULL);
	strbuf_release(&part);
}

/* Whether one is the better hint. */
static bool is_better(const struct name_hints *hints, size_t one, size_t other)
{
	const struct name_hint *a = &hints->v[one], *b = &hints->v[other];

	if (a->distance != b->distance)
		return a->distance < b->distance;
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return strcmp(hints->names.strings.v[one], hints->names.strings.v[other]) < 0;
}

void name_hints_add(const struct name_hints *hints, struct strbuf *sb)
{
	size_t best[NAME_HINTS + 1], nr = 0;

	for (size_t i = 0; i < hints->names.strings.nr; i++) {
		size_t at = nr;

		for (; at && is_better(hints, i, best[at - 1]); at--)
			best[at] = best[at - 1];
		best[at] = i;
		nr = nr < NAME_HINTS ? nr + 1 : nr;
	}
	/* What differs by more letters than the best one was hardly meant. */
	while (nr && hints->v[best[nr - 1]].distance > hints->v[best[0]].distance + 1)
		nr--;
	for (size_t i = 0; i < nr; i++) {
		strbuf_adds(sb, !i ? " (did you mean '" : i + 1 < nr ? "', '" : "' or '");
		utf8_add_printable(sb, hints->names.strings.v[best[i]]);
	}
	if (nr)
		strbuf_adds(sb, "'?)");
	if (!hints->with_word || !*hints->word)
		return;
	strbuf_adds(sb, ", '*");
	utf8_add_printable(sb, hints->word);
	strbuf_addf(sb, "*' matches %zu function%s", hints->with_word,
		    hints->with_word == 1 ? "" : "s");
}

/* The end of the name without parameters, " const" and the like: the first '(' outside of brackets and at no start. */
static size_t end_of_path(const char *name)
{
	size_t depth = 0, i;

	for (i = 0; name[i]; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && depth && (!i || name[i - 1] != '-'))
			depth--;
		else if (name[i] == '(' && !depth && i && name[i - 1] != ':')
			break;
	}
	return i;
}

/* The start of the last part of the path before `end`, which is behind a "::" outside of brackets. */
static size_t start_of_part(const char *name, size_t end)
{
	size_t depth = 0, start = 0;

	for (size_t i = 0; i < end; i++) {
		if (name[i] == '<' || name[i] == '{')
			depth++;
		else if ((name[i] == '>' && (!i || name[i - 1] != '-')) || name[i] == '}')
			depth -= depth > 0;
		else if (!depth && name[i] == ':' && name[i + 1] == ':' && i + 2 < end)
			start = i + 2;
	}
	return start;
}

void name_hint_last_part(struct strbuf *sb, const char *function)
{
	size_t end = end_of_path(function), start = start_of_part(function, end), len;

	/* "::<u32>", "::{closure#0}" */
	while (start >= 2 && strchr("<{", function[start])) {
		end = start - 2;
		start = start_of_part(function, end);
	}
	len = strcspn(function + start, "<");
	strbuf_add(sb, function + start, start + len < end && len ? len : end - start);
}
