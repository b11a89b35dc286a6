/*
 * Texts in lines whose fields are separated by tabs: a tab is written \t, a newline \n, a backslash \\.
 */
#ifndef UTIL_TAB_FIELD_H
#define UTIL_TAB_FIELD_H

#include <stdbool.h>

#include "util/strbuf.h"

/* Append a text as a field. */
void tab_field_add(struct strbuf *sb, const char *s);

/* Decode a field in place. False: it is damaged or empty. */
bool tab_field_decode(char *s);

#endif
