/*
 * Texts, numbers and shapes of SVG files.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/*
 * Append a text, of content or of an attribute, with XML's special characters escaped. What XML 1.0 does not allow,
 * control characters and what is not UTF-8, becomes U+FFFD.
 */
void svg_add_text(struct strbuf *sb, const char *text);

/* Append a text, shortened to `room` characters, at least 1: the last one is … then. */
void svg_add_cut(struct strbuf *sb, const char *text, size_t room);

/* Append a number of pixels, not below 0, with at most four decimals: exact enough to zoom in. */
void svg_add_pixels(struct strbuf *sb, double pixels);

/* Append an attribute of pixels: ` x="12.5"`. */
void svg_add_attribute(struct strbuf *sb, const char *name, double pixels);

/* Append the start of a rectangle of a class, up to its attributes: the caller closes it. */
void svg_add_rect(struct strbuf *sb, const char *css, double x, double y, double width,
		  double height);

void svg_add_line(struct strbuf *sb, const char *css, double x1, double y1, double x2, double y2);

/*
 * Append a text element; class and anchor may be NULL. svg_begin_text() appends only its start: the caller appends the
 * text and the end.
 */
void svg_begin_text(struct strbuf *sb, const char *css, const char *anchor, double x, double y);
void svg_add_text_at(struct strbuf *sb, const char *css, const char *anchor, double x, double y,
		     const char *text);

/*
 * The least value that a shape must have to be drawn, so that at most `most` are: `least`, or more if there are too many;
 * the values get sorted then.
 */
int64_t svg_least(int64_t *values, size_t nr, size_t most, int64_t least);

#endif
