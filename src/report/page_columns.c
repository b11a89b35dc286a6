#include "report/page_columns.h"

#include <stdlib.h>
#include <zlib.h>

#include "util/alloc.h"
#include "util/base64.h"
#include "util/utf8.h"
#include "util/wrap.h"

void page_columns_init(struct page_columns *columns)
{
	*columns = (struct page_columns){ .bytes = STRBUF_INIT,
					  .directory = STRBUF_INIT,
					  .texts = STRSET_INIT };
	strset_add(&columns->texts, "");
}

void page_columns_release(struct page_columns *columns)
{
	strbuf_release(&columns->bytes);
	strbuf_release(&columns->directory);
	strset_release(&columns->texts);
}

uint32_t page_columns_text(struct page_columns *columns, const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t number;

	if (!text)
		return 0;
	utf8_add_printable(&sb, text);
	number = strset_add(&columns->texts, sb.buf);
	strbuf_release(&sb);
	return number;
}

void page_columns_begin(struct page_columns *columns)
{
	columns->start = columns->bytes.len;
	columns->low = columns->high = 0;
}

static void see(struct page_columns *columns, int64_t number)
{
	if (number < columns->low)
		columns->low = number;
	if (number > columns->high)
		columns->high = number;
}

static void add_digits(struct page_columns *columns, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		strbuf_addc(&columns->bytes, (char)(number | 0x80));
	strbuf_addc(&columns->bytes, (char)number);
}

static void add_signed(struct page_columns *columns, int64_t number)
{
	uint64_t twice = (uint64_t)number << 1;

	add_digits(columns, number < 0 ? ~twice : twice);
}

void page_columns_add(struct page_columns *columns, uint64_t number)
{
	see(columns, number < INT64_MAX ? (int64_t)number : INT64_MAX);
	add_digits(columns, number);
}

void page_columns_add_signed(struct page_columns *columns, int64_t number)
{
	see(columns, number);
	add_signed(columns, number);
}

static int width_of(const struct page_columns *columns)
{
	if (columns->low >= 0 && columns->high <= UINT16_MAX)
		return 2;
	return columns->low >= INT32_MIN && columns->high <= INT32_MAX ? 4 : 8;
}

void page_columns_end(struct page_columns *columns, const char *name, size_t nr,
		      enum page_coding coding)
{
	strbuf_addf(&columns->directory, "%s[\"%s\",%zu,%d,%zu,%d]",
		    columns->directory.len ? "," : "", name, nr, (int)coding,
		    columns->bytes.len - columns->start, width_of(columns));
}

static int64_t field_of(const void *element, const struct page_field *field)
{
	const char *at = (const char *)element + field->offset;

	return field->type == PAGE_UINT32 ? *(const uint32_t *)(const void *)at
					  : *(const int64_t *)(const void *)at;
}

static void add_field(struct page_columns *columns, const struct page_field *field,
		      const void *array, size_t nr, size_t size)
{
	int64_t before = 0;

	for (size_t i = 0; i < nr; i++) {
		int64_t number = field_of((const char *)array + i * size, field);

		if (field->coding == PAGE_PLAIN) {
			page_columns_add(columns, (uint64_t)number);
		} else if (field->coding == PAGE_SIGNED) {
			page_columns_add_signed(columns, number);
		} else {
			see(columns, number);
			add_signed(columns, wrap_subtract(number, before));
		}
		before = number;
	}
}

void page_columns_add_fields(struct page_columns *columns, const char *prefix,
			     const struct page_field *fields, size_t fields_nr, const void *array,
			     size_t nr, size_t size)
{
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < fields_nr; i++) {
		strbuf_clear(&name);
		strbuf_addf(&name, "%s.%s", prefix, fields[i].name);
		page_columns_begin(columns);
		add_field(columns, &fields[i], array, nr, size);
		page_columns_end(columns, name.buf, nr, fields[i].coding);
	}
	strbuf_release(&name);
}

/* A printable text has no end of a line. */
static void add_texts(struct page_columns *columns)
{
	const struct strvec *texts = &columns->texts.strings;

	page_columns_begin(columns);
	for (size_t i = 0; i < texts->nr; i++) {
		strbuf_adds(&columns->bytes, texts->v[i]);
		strbuf_addc(&columns->bytes, '\n');
	}
	page_columns_end(columns, "texts", texts->nr, PAGE_PLAIN);
}

/* Three bytes are four characters: pieces of a multiple of three need no end but the last. */
#define PIECE 49152

static void write_base64(const unsigned char *bytes, size_t nr, FILE *out)
{
	char text[BASE64_LENGTH(PIECE)];

	for (size_t done = 0; done < nr; done += PIECE) {
		size_t left = nr - done < PIECE ? nr - done : PIECE;

		base64_encode(text, bytes + done, left);
		fwrite(text, 1, BASE64_LENGTH(left), out);
	}
}

int page_columns_write(struct page_columns *columns, FILE *out, struct err *err)
{
	unsigned char *packed;
	uLongf length;

	add_texts(columns);
	length = compressBound(columns->bytes.len);
	packed = xmalloc(length);
	if (compress2(packed, &length, (const unsigned char *)columns->bytes.buf,
		      columns->bytes.len, 6) != Z_OK) {
		free(packed);
		return err_set(err, ERR_FAILED, "cannot pack the data of the page");
	}
	fprintf(out, "[%s]\n", columns->directory.buf);
	write_base64(packed, length, out);
	free(packed);
	return 0;
}
