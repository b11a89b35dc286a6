/*
 * Recording profiles: their names, and the configured buffers.
 */
#include "profiler/etw/wprp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

#define MB (INT64_C(1) << 20)

static const char head[] = "<?xml version=\"1.0\"?>\n<WindowsPerformanceRecorder><Profiles>\n";

static void assert_buffers(const char *collector, int64_t bytes, const char *expected, int changed)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	strbuf_addf(&text, "%s%s</Profiles></WindowsPerformanceRecorder>", head, collector);
	assert_int_equal(wprp_set_buffers(text.buf, bytes, &out), changed);
	assert_non_null(strstr(out.buf, expected));
	assert_true(text.len + 8 > out.len);
	assert_memory_equal(out.buf, head, strlen(head));
	assert_true(strbuf_ends_with(&out, "</Profiles></WindowsPerformanceRecorder>"));
	strbuf_release(&text);
	strbuf_release(&out);
}

static void wprp_set_buffers__collectors__get_as_many_as_asked_for(void **state)
{
	static const struct {
		const char *collector;
		int64_t bytes;
		const char *expected;
		int changed;
	} cases[] = {
		{ "<SystemCollector Id=\"a\"><BufferSize Value=\"1024\"/><Buffers Value=\"512\"/>"
		  "</SystemCollector>",
		  2048 * MB, "<BufferSize Value=\"1024\"/><Buffers Value=\"2048\"/>", 1 },
		{ "<SystemCollector Id=\"a\"><BufferSize Value='512'/><Buffers  Value = '9' />"
		  "</SystemCollector>",
		  64 * MB, "<Buffers  Value = '128' />", 1 },
		/* no size: wpr's own */
		{ "<SystemCollector Id=\"a\"><Buffers Value=\"64\"/></SystemCollector>", 64 * MB,
		  "Value=\"512\"", 1 },
		{ "<SystemCollector Id=\"a\"><BufferSize Value=\"1024\"/><Buffers Value=\"64\"/>"
		  "</SystemCollector>",
		  MB, "Value=\"4\"", 1 },
		/* a share of the memory */
		{ "<SystemCollector Id=\"a\"><BufferSize Value=\"1024\"/>"
		  "<Buffers Value=\"5\" PercentageOfTotalMemory=\"true\"/></SystemCollector>",
		  512 * MB, "Value=\"5\" Percentage", 0 },
		/* not of the kernel's events */
		{ "<EventCollector Id=\"a\"><BufferSize Value=\"256\"/><Buffers Value=\"32\"/>"
		  "</EventCollector>",
		  512 * MB, "Value=\"32\"", 0 },
		{ "<!-- <SystemCollector Id=\"a\"><Buffers Value=\"3\"/></SystemCollector> -->",
		  512 * MB, "Value=\"3\"", 0 },
		{ "<SystemCollectorId Value=\"a\"><Buffers Value=\"3\"/></SystemCollectorId>",
		  512 * MB, "Value=\"3\"", 0 },
		{ "<SystemCollector Id=\"a\"><!-- <Buffers Value=\"7\"/> --><BufferSize "
		  "Value=\"1024\"/><Buffers Value=\"3\"/></SystemCollector>",
		  512 * MB, "<!-- <Buffers Value=\"7\"/> -->", 1 },
		{ "<SystemCollector Id=\"a\"><BufferSize Value=\"1024\"/></SystemCollector>",
		  512 * MB, "<BufferSize Value=\"1024\"/></SystemCollector>", 0 },
		{ "<SystemCollector Id=\"a\"><Buffers Value=\"3", 512 * MB, "Value=\"3", 0 },
		{ "<SystemCollector Id=\"a\"><Buffers Value=\"3\"/></SystemCollector>"
		  "<SystemCollector Id=\"b\"><Buffers Value=\"5\"/></SystemCollector>",
		  MB,
		  "Value=\"8\"/></SystemCollector><SystemCollector Id=\"b\"><Buffers "
		  "Value=\"8\"",
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_buffers(cases[i].collector, cases[i].bytes, cases[i].expected,
			       cases[i].changed);
}

static void wprp_has_profile__names__need_detail_and_a_file_form(void **state)
{
	static const char text[] =
		"<!-- <Profile Name=\"Old\" DetailLevel=\"Verbose\" LoggingMode=\"File\"> -->"
		"<Profiles><Profile Id=\"A.Verbose.File\" Name=\"A\" DetailLevel=\"Verbose\"\n"
		"  LoggingMode=\"File\"/><Profile Name=\"A\" DetailLevel=\"Light\" "
		"LoggingMode=\"Memory\"/><Profile Name='B' DetailLevel='Light' "
		"LoggingMode='File'></Profile>";

	(void)state;
	assert_true(wprp_has_profile(text, "A", "verbose"));
	assert_false(wprp_has_profile(text, "A", "light"));
	assert_true(wprp_has_profile(text, "B", "light"));
	assert_false(wprp_has_profile(text, "B", "verbose"));
	assert_false(wprp_has_profile(text, "Old", "verbose"));
	assert_false(wprp_has_profile("", "A", "verbose"));
	assert_false(wprp_has_profile("<Profile Name=", "A", "verbose"));
	assert_false(wprp_has_profile("<!-- <Profile", "A", "verbose"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wprp_set_buffers__collectors__get_as_many_as_asked_for),
		cmocka_unit_test(wprp_has_profile__names__need_detail_and_a_file_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
