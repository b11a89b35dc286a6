#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "../capture.h"
#include "report/timeline_svg.h"
#include "util/alloc.h"
#include "util/array.h"

#define SECOND INT64_C(1000000000)

/* Three processes in four seconds; the texts come from strangers. */
struct build {
	struct process processes[3];
	struct timeline_bar bars[3];
	struct phase_step steps[3];
	struct timeline_point points[4];
	const char *crates[4];
	struct timeline_picture picture;
};

static void add_process(struct build *build, size_t i, enum role role, const char *crate,
			int64_t start_ns, int64_t end_ns)
{
	struct process *process = &build->processes[i];

	process_init(process);
	process->pid = 100 + (int64_t)i;
	process->start_ns = start_ns;
	process->end_ns = end_ns;
	process->tag.role = role;
	process->tag.crate = xstrdup_or_null(crate);
	process->exe = xstrdup("/bin/<rustc> & \"co\"\x01\xff");
	build->bars[i].process = process;
}

static void make(struct build *build, const char *crate)
{
	*build = (struct build){ .picture = { .title = "a <run> & \"more\"" } };
	add_process(build, 0, ROLE_CARGO, NULL, PROCESS_UNKNOWN, PROCESS_UNKNOWN);
	add_process(build, 1, ROLE_RUSTC, crate, 1 * SECOND, 3 * SECOND);
	add_process(build, 2, ROLE_LINK, crate, 3 * SECOND, 7 * SECOND / 2);
	build->bars[1].peak_bytes[TIMELINE_COMMITTED] = 3 << 20;
	for (uint32_t i = 0; i < 3; i++)
		build->steps[i] = (struct phase_step){ .process = 1, .step = i < 2 ? 1 : 2 };
	build->steps[0].ns[PHASE_FRONTEND] = SECOND;
	build->steps[1] = (struct phase_step){ .process = 1, .step = 2 };
	build->steps[1].ns[PHASE_LLVM] = 3 * SECOND;
	build->bars[1].steps = build->steps;
	build->bars[1].steps_nr = 2;
	for (size_t i = 0; i < 4; i++) {
		build->points[i] = (struct timeline_point){ .start_ns = (int64_t)i * SECOND };
		build->points[i].held[TIMELINE_COMMITTED] =
			(struct timeline_held){ .bytes = i == 2 ? 3 << 20 : 1 << 20,
						.bytes_ns = (int64_t)i * SECOND + SECOND / 2 };
		build->points[i].cpu_ns = (int64_t)i * SECOND;
		build->crates[i] = crate;
	}
	build->picture.subtitle = "role <x>";
	build->picture.end_ns = 4 * SECOND;
	build->picture.step_ns = SECOND;
	build->picture.points = build->points;
	build->picture.points_nr = 4;
	build->picture.crates = build->crates;
	build->picture.bars = build->bars;
	build->picture.bars_nr = 3;
	build->picture.cpus = 2;
	build->picture.memory[TIMELINE_COMMITTED] = true;
	build->picture.cpu = build->picture.phases = true;
}

static void release(struct build *build)
{
	for (size_t i = 0; i < 3; i++)
		process_release(&build->processes[i]);
}

/* The picture as a document: it is valid XML. */
static xmlDocPtr draw(const struct timeline_picture *picture)
{
	FILE *out = capture_start();
	char *text;
	xmlDocPtr document;

	timeline_svg_write(picture, out);
	text = capture_end(out);
	document = xmlReadMemory(text, (int)strlen(text), "picture.svg", NULL, XML_PARSE_NONET);
	assert_non_null(document);
	free(text);
	return document;
}

/* The number or text of an XPath expression, without name spaces. */
static char *value(xmlDocPtr document, const char *expression)
{
	xmlXPathContextPtr context = xmlXPathNewContext(document);
	xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)expression, context);
	xmlChar *text;
	char *copy;

	assert_non_null(found);
	text = xmlXPathCastToString(found);
	copy = xstrdup((const char *)text);
	xmlFree(text);
	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	return copy;
}

static void expect(xmlDocPtr document, const char *expression, const char *expected)
{
	char *got = value(document, expression);

	assert_string_equal(got, expected);
	free(got);
}

#define BARS "//*[@class='bars']/*"

static void timeline_svg_write__a_build__bars_phases_and_the_peak(void **state)
{
	struct build build;
	xmlDocPtr document;

	(void)state;
	make(&build, "core");
	document = draw(&build.picture);
	expect(document, "count(" BARS ")", "3");
	expect(document, "count(//*[local-name()='script'])", "0");
	expect(document, "string(" BARS "[1]/*[local-name()='title'])",
	       "core\nrole rustc, pid 101, <rustc> & \"co\"\xef\xbf\xbd\xef\xbf\xbd\n"
	       "start 1.00 s, duration 2.00 s, CPU 4.00 s\npeak 3.00 MB committed\n"
	       "frontend 25%, LLVM 75%");
	/* Second by second; 1286 pixels are 4 of them. */
	expect(document, "string(" BARS "[1]/*[@class='frontend']/@x)", "413.5");
	expect(document, "string(" BARS "[1]/*[@class='frontend']/@width)", "321.5");
	expect(document, "string(" BARS "[1]/*[@class='llvm']/@x)", "735");
	expect(document, "string(" BARS "[1]/*[@class='edge']/@width)", "643");
	expect(document, "string(" BARS "[2]/*[@class='link']/@x)", "1056.5");
	expect(document, "string(" BARS "[3]/*[@class='edge']/@width)", "1286");
	expect(document, "string(//*[@class='peak']/@x1)", "895.75");
	expect(document, "string(//*[@class='peak-text'])", "peak 3.00 MB at 2.50 s, most by core");
	expect(document, "string(//*[@class='hover'][4]/*)",
	       "3.00 s\n3.00 processors\n1.00 MB committed, most by core");
	xmlFreeDoc(document);
	release(&build);
}

static void timeline_svg_write__names_of_strangers__stay_text(void **state)
{
	static const char *const names[] = {
		"</title><script>alert(1)</script>",
		"a & b",
		"\"' onload=\"x",
		"]]>",
		"\x1b[31m",
		"\xc3\x28",
		"",
		"\xe2\x80\xaetxet",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct build build;
		xmlDocPtr document;

		make(&build, names[i]);
		document = draw(&build.picture);
		expect(document, "count(//*[local-name()='script'])", "0");
		expect(document, "count(//@onload)", "0");
		expect(document, "count(" BARS ")", "3");
		xmlFreeDoc(document);
		release(&build);
	}
}

/* "cargo" has 1286 pixels, the linker 161, with no room beside it for a long name. */
static void timeline_svg_write__labels__as_much_as_fits(void **state)
{
	struct build build;
	xmlDocPtr document;

	(void)state;
	make(&build, "a_crate_with_a_name_that_is_far_longer_than_others_and_ends_here");
	build.picture.phases = false;
	document = draw(&build.picture);
	expect(document, "string(" BARS "[2]/*[local-name()='text'])", "a_crate_with_a_name_that…");
	expect(document, "string(" BARS "[1]/*[local-name()='text'])",
	       "a_crate_with_a_name_that_is_far_longer_than_others_and_ends_here");
	xmlFreeDoc(document);
	release(&build);
}

static void timeline_svg_write__little_is_known__what_is(void **state)
{
	struct build build;
	xmlDocPtr document;

	(void)state;
	make(&build, "core");
	build.picture.subtitle = NULL;
	build.picture.crates = NULL;
	build.picture.memory[TIMELINE_COMMITTED] = false;
	build.picture.cpu = build.picture.phases = false;
	build.picture.cpus = -1;
	document = draw(&build.picture);
	expect(document, "count(" BARS ")", "3");
	expect(document, "count(//*[@class='peak'])", "0");
	expect(document, "count(//*[@class='committed'])", "0");
	expect(document, "count(" BARS "/*[@class='rustc'])", "1");
	xmlFreeDoc(document);
	build.picture.bars_nr = 0;
	document = draw(&build.picture);
	expect(document, "count(" BARS ")", "0");
	xmlFreeDoc(document);
	release(&build);
}

/* As many as the picture can have; the shortest are left out, which it says. */
static void timeline_svg_write__too_many_processes__the_longest(void **state)
{
	enum { MANY = TIMELINE_SVG_BARS + 500 };
	struct timeline_bar *bars = xcalloc(MANY, sizeof(*bars));
	struct process *processes = xcalloc(MANY, sizeof(*processes));
	struct build build;
	xmlDocPtr document;

	(void)state;
	make(&build, "core");
	for (size_t i = 0; i < MANY; i++) {
		process_init(&processes[i]);
		processes[i].start_ns = (int64_t)i * 1000;
		processes[i].end_ns = (int64_t)i * 1000 + 1000 + (int64_t)(i * 7919 % MANY);
		bars[i].process = &processes[i];
	}
	build.picture.bars = bars;
	build.picture.bars_nr = MANY;
	document = draw(&build.picture);
	expect(document, "count(" BARS ")", "20000");
	expect(document, "string(//*[@class='note'])",
	       "role <x>; the 500 shortest processes are not drawn");
	xmlFreeDoc(document);
	for (size_t i = 0; i < MANY; i++)
		process_release(&processes[i]);
	free(bars);
	free(processes);
	release(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeline_svg_write__a_build__bars_phases_and_the_peak),
		cmocka_unit_test(timeline_svg_write__names_of_strangers__stay_text),
		cmocka_unit_test(timeline_svg_write__labels__as_much_as_fits),
		cmocka_unit_test(timeline_svg_write__little_is_known__what_is),
		cmocka_unit_test(timeline_svg_write__too_many_processes__the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
