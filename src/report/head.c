#include "report/head.h"

#include <stdarg.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

void head_release(struct head *head)
{
	for (size_t i = 0; i < head->nr; i++) {
		free(head->v[i].text);
		strvec_release(&head->v[i].texts);
	}
	free(head->v);
	strbuf_release(&head->lines);
	*head = (struct head)HEAD_INIT;
}

void head_label(struct head *head, const char *label)
{
	size_t start = head->lines.len;

	strbuf_adds(&head->lines, label);
	strbuf_pad(&head->lines, ' ', start + HEAD_INDENT);
}

void head_words(struct head *head, const char *words)
{
	strbuf_adds(&head->lines, words);
}

void head_wordsf(struct head *head, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&head->lines, fmt, ap);
	va_end(ap);
}

void head_percent(struct head *head, double percent)
{
	text_add_percent(&head->lines, percent);
	strbuf_addc(&head->lines, '%');
}

static void keep(struct head *head, struct head_fact fact)
{
	ARRAY_ADD(head->v, head->nr, head->alloc, fact);
}

void head_keep_number(struct head *head, const char *key, int64_t number)
{
	keep(head, (struct head_fact){ .key = key, .type = HEAD_NUMBER, .number = number });
}

void head_keep_text(struct head *head, const char *key, const char *text)
{
	if (text)
		keep(head,
		     (struct head_fact){ .key = key, .type = HEAD_TEXT, .text = xstrdup(text) });
}

void head_keep_flag(struct head *head, const char *key, bool flag)
{
	keep(head, (struct head_fact){ .key = key, .type = HEAD_FLAG, .number = flag });
}

void head_keep_texts(struct head *head, const char *key, const struct strvec *texts)
{
	struct head_fact fact = { .key = key, .type = HEAD_TEXTS, .texts = STRVEC_INIT };

	strvec_push_all(&fact.texts, texts);
	keep(head, fact);
}

void head_number(struct head *head, const char *key, enum column_type type, int64_t number)
{
	table_add_number(&head->lines, type, number);
	head_keep_number(head, key, number);
}

void head_moment(struct head *head, const char *key, int64_t ns)
{
	text_add_moment(&head->lines, ns);
	head_keep_number(head, key, ns);
}

void head_text(struct head *head, const char *key, const char *text)
{
	if (text)
		utf8_add_printable(&head->lines, text);
	head_keep_text(head, key, text);
}
