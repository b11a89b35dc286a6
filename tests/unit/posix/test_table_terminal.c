/*
 * Tables on a terminal: texts cannot control it, whatever the format.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/table.h"
#include "util/array.h"

#define HOSTILE "\x1b]0;title\x07\x7f\xc2\x9b\xe2\x80\xae\xff"

static void get_text(const void *row, struct cell *cell)
{
	cell_set_text(cell, row);
}

static void get_stack(const void *row, struct cell *cell)
{
	strvec_push(&cell->list, row);
	cell_set_strings(cell, &cell->list);
}

static const struct column columns[] = {
	{ "text", "TEXT", "", COLUMN_TEXT, SHOW_DATA, false, get_text, NULL },
	{ "stack", "STACK", "", COLUMN_STACK, SHOW_DATA, true, get_stack, NULL },
};

static const struct table table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "text,stack",
};

/* The terminal's two ends; bytes pass as they are. */
static int open_terminal(FILE **out)
{
	int outer = posix_openpt(O_RDWR | O_NOCTTY), inner;
	struct termios modes;

	if (outer < 0)
		skip();
	assert_int_equal(grantpt(outer), 0);
	assert_int_equal(unlockpt(outer), 0);
	inner = open(ptsname(outer), O_RDWR | O_NOCTTY);
	assert_true(inner >= 0);
	assert_int_equal(tcgetattr(inner, &modes), 0);
	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(inner, TCSANOW, &modes), 0);
	*out = fdopen(inner, "w");
	assert_non_null(*out);
	return outer;
}

static void table_print__hostile_text_on_a_terminal__is_shown(void **state)
{
	(void)state;
	for (int format = TABLE_TEXT; format <= TABLE_CSV; format++) {
		const void *rows[] = { HOSTILE };
		struct table_options options = { .format = (enum table_format)format };
		char text[4096];
		struct err err = ERR_INIT;
		FILE *out;
		int outer = open_terminal(&out);
		size_t nr = 0;
		ssize_t got;

		assert_int_equal(table_print(&table, &options, rows, 1, out, &err), 0);
		fclose(out);
		/* EIO at the end */
		while ((got = read(outer, text + nr, sizeof(text) - 1 - nr)) > 0)
			nr += (size_t)got;
		text[nr] = '\0';
		for (const char *s = text; *s; s++) {
			if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\r')
				fail_msg("format %d: 0x%02x in %s", format, *s, text);
		}
		assert_null(strchr(text, 0x7f));
		assert_null(strstr(text, "\xc2\x9b"));
		assert_null(strstr(text, "\xe2\x80\xae"));
		assert_non_null(strstr(text, format == TABLE_JSON ? "\\u202E" : "\\u202e"));
		close(outer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_print__hostile_text_on_a_terminal__is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
