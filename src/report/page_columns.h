/*
 * The data of a report's page: named columns of numbers, and texts, that the scripts of the page decode
 * (src/report/page/columns.js). Columns are base-128 numbers, least significant digits first, packed as a zlib stream,
 * and written as base64 with a first line of JSON, of each column [name, numbers, coding, bytes, width]. The width is
 * that of the elements of an array in which the script keeps the numbers: 2 unsigned bytes, 4 signed ones, or 8 of a
 * double.
 */
#ifndef REPORT_PAGE_COLUMNS_H
#define REPORT_PAGE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strset.h"

struct page_columns {
	struct strbuf bytes, directory;
	struct strset texts; /* each once, as util/utf8.h makes them printable; number 0 is "" */
	size_t start;        /* of the column that is being added */
	int64_t low, high;   /* the extremes of its numbers, and 0 */
};

void page_columns_init(struct page_columns *columns);
void page_columns_release(struct page_columns *columns);

/* The number of a text, made printable; NULL is 0, the empty one. */
uint32_t page_columns_text(struct page_columns *columns, const char *text);

/*
 * A column: begin, add its `nr` numbers, end with its name, a literal of ASCII letters, digits, '.' and '_', and whether
 * numbers may be negative: then add all with the second function. Differences to the number before are of fields alone.
 */
enum page_coding { PAGE_PLAIN, PAGE_SIGNED, PAGE_DIFFERENCES };

void page_columns_begin(struct page_columns *columns);
void page_columns_add(struct page_columns *columns, uint64_t number);
void page_columns_add_signed(struct page_columns *columns, int64_t number);
void page_columns_end(struct page_columns *columns, const char *name, size_t nr,
		      enum page_coding coding);

/*
 * Columns of an array of structs, a field each: `prefix`, '.' and the name of the field is the column's name. An array of
 * no elements has empty columns.
 */
enum page_number { PAGE_UINT32, PAGE_INT64 };

struct page_field {
	const char *name;
	size_t offset;
	enum page_number type;
	enum page_coding coding;
};

void page_columns_add_fields(struct page_columns *columns, const char *prefix,
			     const struct page_field *fields, size_t fields_nr, const void *array,
			     size_t nr, size_t size);

/* Write all, with the texts last, each with the end of a line. A failed write is left in ferror(out). */
int page_columns_write(struct page_columns *columns, FILE *out, struct err *err);

#endif
