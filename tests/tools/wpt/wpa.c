#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/etl.h"
#include "tools/wpt/port.h"
#include "tools/wpt/standin.h"
#include "tools/wpt/xml.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Exit codes that were met. */
#define EXIT_CANNOT_OPEN   1
#define EXIT_BAD_ARGUMENTS UINT32_C(0xffffffff)

struct wpa {
	struct standin s;
	struct strvec traces, profiles;
	bool processors, search;
};

static const struct option {
	const char *name;
	uint32_t since[3];
	size_t values;
} options[] = {
	{ "-i", { 0 }, 1 },
	{ "-profile", { 0 }, 1 },
	{ "-tti", { 6, 3, 0 }, 0 },
	{ "-cliprundown", { 6, 3, 0 }, 0 },
	{ "-symbols", { 10, 0, 14393 }, 0 },
	{ "-symcacheonly", { 10, 0, 15063 }, 0 },
	{ "-tle", { 10, 5, 16 }, 0 },
	{ "-processors", { 11, 0, 7 }, 1 },
	{ "-addsearchdir", { 11, 0, 7 }, 1 },
	{ "-range", { 0 }, 2 },
	{ "-marks", { 0 }, 2 },
	{ "-region", { 0 }, 1 },
	{ "-slot", { 0 }, 1 },
	{ "-listplugins", { 0 }, 0 },
};

/* From this version on -addsearchdir needs -processors. */
static const uint32_t search_needs_processors[3] = { 11, 8, 262 };

static noreturn void fail(struct wpa *w, uint32_t code, const char *what, const char *subject)
{
	fprintf(stderr, "wpa: %s: %s\n", subject, what);
	standin_end(&w->s, code);
}

static bool is_since(const struct wpa *w, const uint32_t *since)
{
	for (size_t i = 0; i < 3; i++)
		if (w->s.version[i] != since[i])
			return w->s.version[i] > since[i];
	return true;
}

static const struct option *find_option(const struct wpa *w, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (text_equal_fold(options[i].name, name) && is_since(w, options[i].since))
			return &options[i];
	return NULL;
}

static void parse(struct wpa *w)
{
	for (size_t i = 0; i < w->s.args.nr; i++) {
		const char *arg = w->s.args.v[i];
		const struct option *option;

		if (arg[0] != '-') {
			strvec_push(&w->traces, arg);
			continue;
		}
		option = find_option(w, arg);
		if (!option)
			fail(w, EXIT_BAD_ARGUMENTS, "unknown option", arg);
		if (w->s.args.nr - i - 1 < option->values)
			fail(w, EXIT_BAD_ARGUMENTS, "value missing", arg);
		if (!strcmp(option->name, "-i"))
			strvec_push(&w->traces, w->s.args.v[i + 1]);
		if (!strcmp(option->name, "-profile"))
			strvec_push(&w->profiles, w->s.args.v[i + 1]);
		w->processors |= !strcmp(option->name, "-processors");
		w->search |= !strcmp(option->name, "-addsearchdir");
		i += option->values;
	}
	if (w->search && !w->processors && is_since(w, search_needs_processors))
		fail(w, EXIT_BAD_ARGUMENTS, "needs -processors", "-addsearchdir");
}

static void check_trace(struct wpa *w, const char *path)
{
	struct strbuf data = STRBUF_INIT;

	if (text_ends_with(path, ".wpapk") && w->profiles.nr)
		fail(w, EXIT_BAD_ARGUMENTS, "not with a package", "-profile");
	if (standin_read(path, &data) != 0)
		fail(w, EXIT_CANNOT_OPEN, "cannot open", path);
	if (!text_ends_with(path, ".wpapk") && !etl_check(data.buf, data.len))
		fail(w, EXIT_CANNOT_OPEN, "not a trace", path);
	strbuf_release(&data);
}

static void check_profile(struct wpa *w, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct xml_error error = { 0 };
	struct xml *root;

	if (standin_read(path, &text) != 0)
		fail(w, EXIT_CANNOT_OPEN, "cannot open", path);
	root = xml_parse(text.buf, text.len, &error);
	if (!root)
		fail(w, EXIT_CANNOT_OPEN, error.what, path);
	if (strcmp(root->name, "WpaProfileContainer") != 0 && strcmp(root->name, "WpaProfile") != 0)
		fail(w, EXIT_CANNOT_OPEN, "not an analysis profile", path);
	xml_free(root);
	strbuf_release(&text);
}

int main(int argc, char **argv)
{
	struct wpa w = { .traces = STRVEC_INIT, .profiles = STRVEC_INIT };
	uint32_t code;
	int64_t stay;

	standin_begin(&w.s, "wpa", "STANDIN_WPA_VERSION", "11.8.262.1", argc, argv);
	standin_note(&w.s, "elevated", w.s.elevated ? "yes" : "no");
	if (standin_verb(&w.s, "open", &code) != 0)
		standin_end(&w.s, code);
	parse(&w);
	for (size_t i = 0; i < w.traces.nr; i++)
		check_trace(&w, w.traces.v[i]);
	for (size_t i = 0; i < w.profiles.nr; i++)
		check_profile(&w, w.profiles.v[i]);
	stay = standin_number("STANDIN_WPA_STAY", 0);
	if (!stay)
		standin_end(&w.s, 0);
	standin_log(&w.s, "stays", 0);
	port_sleep_ms(stay * 1000);
	port_exit(0);
}
