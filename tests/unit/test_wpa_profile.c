#include "rundir/wpa_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

#define HEAD "<Views>\n  <SysConfigView Guid=\"x\" />\n"
#define GRAPH(guid) \
	"      <Graph Guid=\"" guid "\" LayoutStyle=\"All\">\n        <Preset />\n      " \
	"</Graph>\n"
#define VIEW(graphs) "  <View Title=\"a\">\n    <Graphs>\n" graphs "    </Graphs>\n  </View>\n"
#define CPU          GRAPH("b855361e-7be0-4bc8-a754-3e8507715ca5")
#define VIRTUAL      GRAPH("E6A4A964-3a87-46ef-9762-f9d9b9208051")
#define HEAP         GRAPH("1a64d983-f796-45f8-aa64-ac50b95d0e45")
#define SNAPSHOT     GRAPH("463048cb-2f2b-480d-8e94-a54f3fd88080")
#define PROCESSES    GRAPH("b186f02d-8d06-4bbb-9ad1-abf7985fb61a")
#define END          "</Views>\n"

static void wpa_profile_keep__tabs_without_data__are_left_out(void **state)
{
	static const char all[] =
		HEAD VIEW(PROCESSES) VIEW(CPU CPU) VIEW(VIRTUAL PROCESSES) VIEW(HEAP SNAPSHOT) END;
	static const struct {
		unsigned data;
		const char *kept;
	} cases[] = {
		{ 15, all },
		{ WPA_CPU_SAMPLES | WPA_VIRTUAL_ALLOC,
		  HEAD VIEW(PROCESSES) VIEW(CPU CPU) VIEW(VIRTUAL PROCESSES) END },
		{ WPA_HEAP_SNAPSHOTS, HEAD VIEW(PROCESSES) VIEW(PROCESSES) VIEW(SNAPSHOT) END },
		{ WPA_HEAP_CALLS, HEAD VIEW(PROCESSES) VIEW(PROCESSES) VIEW(HEAP) END },
		{ 0, HEAD VIEW(PROCESSES) VIEW(PROCESSES) END },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, all);
		wpa_profile_keep(&text, cases[i].data);
		assert_string_equal(text.buf, cases[i].kept);
		assert_int_equal(text.len, strlen(cases[i].kept));
		strbuf_release(&text);
	}
}

static void wpa_profile_keep__what_it_cannot_take_apart__stays(void **state)
{
	static const char *const texts[] = {
		"",
		"<Graph Guid=\"b855361e-7be0-4bc8-a754-3e8507715ca5\">",
		"<View Title=\"empty\"></View>",
		"<Graph Guid=\"b8\"></Graph>",
		"<Graph",
		"<Graph Name=\"x\"></Graph><Graph ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, texts[i]);
		wpa_profile_keep(&text, 0);
		assert_string_equal(text.buf, texts[i]);
		strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wpa_profile_keep__tabs_without_data__are_left_out),
		cmocka_unit_test(wpa_profile_keep__what_it_cannot_take_apart__stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
