#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/builtin_page.h"
#include "report/page.h"
#include "report/system_view.h"
#include "util/array.h"

/* The page, with rows of crates and facts of the system; the caller frees it. */
static char *write_page(const char *title, const char *problem, struct page_crate *crates,
			size_t nr)
{
	struct page_columns columns;
	struct strvec problems = STRVEC_INIT;
	const void *pointers[8];
	struct page page = {
		.title = title,
		.problems = &problems,
		.processes = { &page_crates_table, "crate", pointers, nr },
		.crates = { &page_crates_table, NULL, pointers, nr },
		.system = { &system_table, "key", NULL, 0 },
		.columns = &columns,
	};
	struct err err = ERR_INIT;
	FILE *file = tmpfile();
	char *text;
	long length;

	assert_non_null(file);
	for (size_t i = 0; i < nr; i++)
		pointers[i] = &crates[i];
	if (problem)
		strvec_push(&problems, problem);
	page_columns_init(&columns);
	page_columns_text(&columns, title);
	assert_int_equal(page_write(&page, file, &err), 0);
	length = ftell(file);
	rewind(file);
	text = xcalloc((size_t)length + 1, 1);
	assert_int_equal(fread(text, 1, (size_t)length, file), length);
	fclose(file);
	page_columns_release(&columns);
	strvec_release(&problems);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t nr = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		nr++;
	return nr;
}

/* Names that a build may have, and that would be markup, an end of the script, or a trick of the eye. */
static void page_write__hostile_names__are_text(void **state)
{
	struct page_crate crates[] = {
		{ .name = "<img src=x onerror=alert(1)>" },
		{ .name = "</script><script>alert(2)</script>" },
		{ .name = "\xe2\x80\xaegnp.exe" },
		{ .name = "a\"'&amp;\x1b[31m\xff" },
		{ .name = "<!--" },
	};
	char *text =
		write_page("</title><b>&", "<svg onload=alert(3)>", crates, ARRAY_SIZE(crates));

	(void)state;
	assert_null(strstr(text, "<img"));
	assert_null(strstr(text, "<svg"));
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "<script>alert"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "<!--"));
	/* That of the data, and that of the script. */
	assert_int_equal(count(text, "</script>"), 2);
	assert_non_null(strstr(text, "&lt;img src=x onerror=alert(1)&gt;"));
	assert_non_null(strstr(text, "\\u202egnp.exe"));
	assert_non_null(
		strstr(text, "<title>&lt;/title&gt;&lt;b&gt;&amp; - stagetrace report</title>"));
	free(text);
}

static void page_write__crates__the_biggest_first_and_unknown_a_dash(void **state)
{
	struct page_crate crates[] = {
		{ .name = "small", .memory = true, .peak = 1024, .cpu = true, .cpu_ns = 2000 },
		{ .name = "big", .memory = true, .peak = 4096 },
	};
	char *text = write_page("t", NULL, crates, ARRAY_SIZE(crates));

	(void)state;
	assert_non_null(strstr(text, "<tr><td>big</td><td class=\"n\">4.00 KB</td>"));
	assert_non_null(strstr(text,
			       "<tr><td>small</td><td class=\"n\">2.00 us</td><td class=\"n\">"
			       "1.00 KB</td></tr>\n<tr><td>big</td><td class=\"n\">-</td>"));
	assert_null(strstr(text, "What is missing"));
	free(text);
}

/* Nothing in the page's own files may end the elements that they are in. */
static void builtin_page__scripts_and_style__do_not_end_their_element(void **state)
{
	char *script = xstrndup(builtin_page_script, builtin_page_script_length);
	char *style = xstrndup(builtin_page_style, builtin_page_style_length);

	(void)state;
	assert_null(strstr(script, "</script"));
	assert_null(strstr(script, "<!--"));
	assert_null(strstr(script, "innerHTML"));
	assert_null(strstr(style, "</style"));
	assert_true(builtin_page_script_length > 1000);
	free(script);
	free(style);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_write__hostile_names__are_text),
		cmocka_unit_test(page_write__crates__the_biggest_first_and_unknown_a_dash),
		cmocka_unit_test(builtin_page__scripts_and_style__do_not_end_their_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
