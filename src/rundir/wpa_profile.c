#include "rundir/wpa_profile.h"

#include <stdbool.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"

/* Tables of WPA that are made of one kind of data. */
static const struct {
	const char *guid;
	enum wpa_data data;
} tables[] = {
	{ "b855361e-7be0-4bc8-a754-3e8507715ca5", WPA_CPU_SAMPLES }, /* CPU Usage (Sampled) */
	{ "e6a4a964-3a87-46ef-9762-f9d9b9208051",
	  WPA_VIRTUAL_ALLOC }, /* VirtualAlloc Commit LifeTimes */
	{ "1a64d983-f796-45f8-aa64-ac50b95d0e45", WPA_HEAP_CALLS },     /* Heap Allocations */
	{ "463048cb-2f2b-480d-8e94-a54f3fd88080", WPA_HEAP_SNAPSHOTS }, /* Heap Snapshot */
};

#define GUID_ATTRIBUTE "Guid=\""
#define GUID_LENGTH    36

static bool is_guid(const char *text, const char *guid)
{
	for (size_t i = 0; i < GUID_LENGTH; i++) {
		if (ascii_lower(text[i]) != guid[i])
			return false;
	}
	return true;
}

/* The data that the table of a graph needs, from the text of its first tag; 0: none, or the table is unknown. */
static unsigned data_of(const char *graph)
{
	const char *end = strchr(graph, '>'), *guid = strstr(graph, GUID_ATTRIBUTE);

	if (!end || !guid || guid > end || end - guid < GUID_LENGTH)
		return 0;
	guid += strlen(GUID_ATTRIBUTE);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (is_guid(guid, tables[i].guid))
			return tables[i].data;
	}
	return 0;
}

/* An element, with the blanks before it and its line end. */
struct element {
	size_t begin, end;
};

/* Find the next element from `from` on; it has none of its own kind inside. False: there is none, or it has no end. */
static bool find_element(const struct strbuf *text, size_t from, const char *open,
			 const char *close, struct element *element)
{
	const char *begin = strstr(text->buf + from, open);
	const char *end = begin ? strstr(begin, close) : NULL;

	if (!end)
		return false;
	element->begin = (size_t)(begin - text->buf);
	element->end = (size_t)(end - text->buf) + strlen(close);
	while (element->begin > from && strchr(" \t", text->buf[element->begin - 1]))
		element->begin--;
	if (text->buf[element->end] == '\r')
		element->end++;
	if (text->buf[element->end] == '\n')
		element->end++;
	return true;
}

static void cut(struct strbuf *text, const struct element *element)
{
	memmove(text->buf + element->begin, text->buf + element->end, text->len - element->end + 1);
	strbuf_set_len(text, text->len - (element->end - element->begin));
}

/* Whether a view has a graph. */
static bool has_graph(const struct strbuf *text, const struct element *view)
{
	const char *graph = strstr(text->buf + view->begin, "<Graph ");

	return graph && (size_t)(graph - text->buf) < view->end;
}

void wpa_profile_keep(struct strbuf *profile, unsigned data)
{
	struct element element = { 0, 0 };
	bool any = false;

	while (find_element(profile, element.end, "<Graph ", "</Graph>", &element)) {
		const char *graph = strstr(profile->buf + element.begin, "<Graph ");

		if (!data_of(graph) || data_of(graph) & data)
			continue;
		cut(profile, &element);
		element.end = element.begin;
		any = true;
	}
	element.end = 0;
	while (any && find_element(profile, element.end, "<View ", "</View>", &element)) {
		if (has_graph(profile, &element))
			continue;
		cut(profile, &element);
		element.end = element.begin;
	}
}
