/*
 * Texts and numbers of SVG files.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "util/strbuf.h"

/*
 * Append a text, of content or of an attribute, with XML's special characters escaped. What XML 1.0 does not allow,
 * control characters and what is not UTF-8, becomes U+FFFD.
 */
void svg_add_text(struct strbuf *sb, const char *text);

/* Append a number of pixels, not below 0, with at most four decimals: exact enough to zoom in. */
void svg_add_pixels(struct strbuf *sb, double pixels);

#endif
