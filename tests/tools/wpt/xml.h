/*
 * As much of XML as profiles use: elements with attributes, comments, CDATA and declarations skipped, text left
 * out, the five named entities and numbers. What is not well-formed is refused with its line and column.
 */
#ifndef WPT_XML_H
#define WPT_XML_H

#include <stddef.h>

#include "util/strvec.h"

struct xml {
	char *name;
	struct strvec keys, values; /* attributes, side by side */
	struct xml **v;             /* elements within, in order */
	size_t nr, alloc;
	int line, column;
};

struct xml_error {
	const char *what;
	int line, column;
};

/* The root, or NULL. */
struct xml *xml_parse(const char *text, size_t len, struct xml_error *error);
void xml_free(struct xml *element);

/* An attribute, NULL where there is none. */
const char *xml_attribute(const struct xml *element, const char *key);
/* The first element of a name within this one; NULL where there is none. */
const struct xml *xml_child(const struct xml *element, const char *name);

#endif
