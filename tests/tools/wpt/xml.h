/*
 * Parses the XML that profiles use: elements with attributes, the five named entities and numeric ones. Comments, CDATA,
 * declarations and text are skipped. Errors have a line and a column.
 */
#ifndef WPT_XML_H
#define WPT_XML_H

#include <stddef.h>

#include "util/strvec.h"

struct xml {
	char *name;
	struct strvec keys, values; /* names and values of attributes */
	struct xml **v;             /* child elements, in order */
	size_t nr, alloc;
	int line, column;
};

struct xml_error {
	const char *what;
	int line, column;
};

/* The root element; NULL: `error` is set. */
struct xml *xml_parse(const char *text, size_t len, struct xml_error *error);
void xml_free(struct xml *element);

/* The value of an attribute; NULL: none. */
const char *xml_attribute(const struct xml *element, const char *key);
/* The first child element with this name; NULL: none. */
const struct xml *xml_child(const struct xml *element, const char *name);

#endif
