#include "tools/wpt/wpr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/port.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define DEFAULT_INTERVAL  10000
#define SMALLEST_INTERVAL 1221
#define LARGEST_INTERVAL  10000000
#define MAX_SNAPSHOTS     8
#define SHORTEST_PERIOD   5

noreturn void wpr_fail(struct wpr *w, uint32_t code, const char *detail)
{
	fprintf(stderr, "\n\t%s\n", standin_text(code));
	if (detail && text_starts_with(detail, "Profile Id: "))
		fprintf(stderr, "\n\t%s\n", detail);
	fprintf(stderr, "\n\tError code: 0x%08x\n", (unsigned)code);
	if (detail && !text_starts_with(detail, "Profile Id: "))
		fprintf(stderr, "\t%s\n", detail);
	standin_end(&w->s, code);
}

noreturn void wpr_fail_syntax(struct wpr *w, const char *option)
{
	char *detail = xasprintf("Invalid option: %s", option);

	wpr_fail(w, E_SYNTAX, detail);
}

const char *wpr_option(const struct wpr *w, size_t at, const struct wpr_option *options,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal_fold(options[i].name, w->args.v[at]) &&
		    w->s.build >= options[i].since)
			return options[i].name;
	return NULL;
}

void wpr_need(struct wpr *w, size_t least, size_t most)
{
	if (w->args.nr < least)
		wpr_fail_syntax(w, w->s.args.v[0]);
	if (w->args.nr > most)
		wpr_fail_syntax(w, w->args.v[most]);
}

void wpr_check_path(struct wpr *w, const char *path)
{
	if (port_path_length(path) > PORT_MAX_PATH)
		wpr_fail(w, E_PATH_TOO_LONG, path);
}

void wpr_need_elevation(struct wpr *w)
{
	if (!w->s.elevated)
		wpr_fail(w, E_ACCESS, NULL);
}

static void read_profile_file(struct wpr *w, const char *file, struct profiles *profiles)
{
	struct strbuf text = STRBUF_INIT, problem = STRBUF_INIT;

	wpr_check_path(w, file);
	if (standin_read(file, &text) != 0)
		wpr_fail(w, E_NO_FILE, file);
	if (profiles_parse(profiles, text.buf, text.len, &problem) != 0)
		wpr_fail(w, E_BAD_PROFILE, problem.buf);
	strbuf_release(&problem);
	strbuf_release(&text);
}

const char *wpr_read_profiles(struct wpr *w, const char *spec, struct profiles *profiles)
{
	const char *mark = strrchr(spec, '!');
	char *file;

	if (!mark) {
		profiles_add_built_in(profiles);
		return spec;
	}
	file = xstrndup(spec, (size_t)(mark - spec));
	read_profile_file(w, file, profiles);
	free(file);
	return mark + 1;
}

const struct profile *wpr_pick(struct wpr *w, const struct profiles *profiles, const char *name,
			       bool file)
{
	const struct profile *p = profiles_pick(profiles, name, file);
	char *detail;

	if (p)
		return p;
	detail = xasprintf("Profile: %s", name);
	wpr_fail(w, E_NOT_FOUND, detail);
}

static void list_profiles(struct wpr *w)
{
	struct profiles profiles = { 0 };

	wpr_need(w, 0, 1);
	if (w->args.nr)
		read_profile_file(w, w->args.v[0], &profiles);
	else
		profiles_add_built_in(&profiles);
	putchar('\n');
	for (size_t i = 0; i < profiles.nr; i++) {
		const struct profile *p = &profiles.v[i];
		bool first = true;

		for (size_t j = 0; j < i; j++)
			first = first && strcmp(profiles.v[j].name, p->name) != 0;
		if (first)
			printf("\t%-28s%s\n", p->name, p->description);
	}
	profiles_release(&profiles);
}

static void print_names(const char *heading, const struct strvec *names)
{
	if (names->nr)
		puts(heading);
	for (size_t i = 0; i < names->nr; i++)
		printf("\t%s\n", names->v[i]);
}

static void print_buffers(const char *collector, const struct buffers *buffers)
{
	if (!buffers->used)
		return;
	printf("\nCollector Name          : WPR_initiated_WprApp_WPR %s Collector\n", collector);
	printf("Buffer Size (KB)        : %d\n", buffers->kb);
	printf("Number of Buffers       : %d%s\n", buffers->count, buffers->percent ? " %" : "");
}

static void print_details(const struct profile *p)
{
	printf("\nProfile                 : %s\n", p->id);
	print_buffers("System", &p->system);
	print_names("System Keywords", &p->keywords);
	print_names("System Stacks", &p->stacks);
	print_buffers("Event", &p->event);
	print_names("Providers", &p->providers);
}

/* For each of "A+B+C"; all sources stay, as the picked point into them. */
static size_t pick_joined(struct wpr *w, const char *joined, bool file,
			  const struct profile **picked, size_t most)
{
	size_t nr = 0;

	while (*joined) {
		size_t len = strcspn(joined, "+");
		char *spec = xstrndup(joined, len);
		struct profiles *profiles = xcalloc(1, sizeof(*profiles));
		const char *name = wpr_read_profiles(w, spec, profiles);

		if (nr == most)
			wpr_fail_syntax(w, spec);
		picked[nr++] = wpr_pick(w, profiles, name, file);
		free(spec);
		joined += len + (joined[len] == '+');
	}
	return nr;
}

static bool take_filemode(struct wpr *w, size_t at)
{
	if (at >= w->args.nr)
		return false;
	if (!text_equal_fold(w->args.v[at], "-filemode"))
		wpr_fail_syntax(w, w->args.v[at]);
	return true;
}

static void profile_details(struct wpr *w)
{
	const struct profile *picked[64];
	size_t nr;

	wpr_need(w, 1, 2);
	nr = pick_joined(w, w->args.v[0], take_filemode(w, 1), picked, ARRAY_SIZE(picked));
	for (size_t i = 0; i < nr; i++)
		print_details(picked[i]);
}

static void export_profile(struct wpr *w)
{
	const struct profile *picked[64];
	struct strbuf text = STRBUF_INIT;
	size_t nr;

	wpr_need(w, 2, 3);
	wpr_check_path(w, w->args.v[1]);
	nr = pick_joined(w, w->args.v[0], take_filemode(w, 2), picked, ARRAY_SIZE(picked));
	profiles_write(picked, nr, &text);
	if (standin_write(&w->s, w->args.v[1], text.buf, text.len) != 0)
		wpr_fail(w, standin_code_of_errno(), w->args.v[1]);
	strbuf_release(&text);
}

static void list_providers(struct wpr *w)
{
	wpr_need(w, 0, 0);
	puts("\n22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716: Microsoft-Windows-Kernel-Process");
}

static void purge_cache(struct wpr *w)
{
	wpr_need(w, 0, 0);
}

static void choose_word(struct wpr *w, const char *words)
{
	wpr_need(w, 1, 1);
	for (const char *at = words; *at; at += strcspn(at, " ") + 1) {
		char *word = xstrndup(at, strcspn(at, " "));
		bool same = text_equal_fold(word, w->args.v[0]);

		free(word);
		if (same) {
			wpr_need_elevation(w);
			return;
		}
	}
	wpr_fail_syntax(w, w->args.v[0]);
}

static void configure_log(struct wpr *w)
{
	choose_word(w, "enabled disabled remove ");
}

static void configure_paging(struct wpr *w)
{
	choose_word(w, "on off ");
}

/* "enable" and "disable" are 1 and 0, any other word -1. */
static int enabling(const char *word)
{
	if (text_equal_fold(word, "enable"))
		return 1;
	return text_equal_fold(word, "disable") ? 0 : -1;
}

/* Has, or has not, a record of a kind with this value. */
static void keep_record(struct wpr *w, const char *kind, const char *key, const char *value,
			bool keep)
{
	struct state state;
	struct record *record;

	state_open(&state, w->s.dir);
	record = state_find(&state, kind, key, value);
	if (record && !keep)
		state_drop(&state, record);
	if (!record && keep)
		record_set(state_add(&state, kind), key, value);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
}

static bool has_record(struct wpr *w, const char *kind, const char *key, const char *value)
{
	struct state state;
	bool there;

	state_open(&state, w->s.dir);
	there = state_find(&state, kind, key, value) != NULL;
	state_close(&state);
	return there;
}

/* EXE [package application] [enable|disable] */
static void heap_tracing(struct wpr *w)
{
	const char *image, *last;
	int enable;

	wpr_need(w, 1, 4);
	image = w->args.v[0];
	last = w->args.v[w->args.nr - 1];
	enable = w->args.nr % 2 == 0 ? enabling(last) : -1;
	if (w->args.nr % 2 == 0 && enable < 0)
		wpr_fail_syntax(w, last);
	if (enable < 0) {
		printf("\nHeap tracing is %s for process %s.\n",
		       has_record(w, "heap tracing", "image", image) ? "enabled" : "disabled",
		       image);
		return;
	}
	wpr_need_elevation(w);
	keep_record(w, "heap tracing", "image", image, enable);
	if (standin_number("STANDIN_REGISTRY", 0) &&
	    port_tracing_flags(image, enable ? 1 : -1) != 0)
		wpr_fail(w, E_ACCESS, NULL);
	standin_pass(&w->s, "after");
	printf("\nHeap tracing was successfully %s for process %s.\n",
	       enable ? "enabled" : "disabled", image);
}

static uint32_t take_pid(struct wpr *w, size_t at)
{
	int64_t pid;

	if (!standin_is_number(w->args.v[at], 1, UINT32_MAX, &pid))
		wpr_fail_syntax(w, w->args.v[at]);
	return (uint32_t)pid;
}

static void need_process(struct wpr *w, uint32_t pid, struct strbuf *name)
{
	char *detail;

	if (port_process_name(pid, name))
		return;
	detail = xasprintf("Process: %u", (unsigned)pid);
	wpr_fail(w, E_BAD_ARGUMENT, detail);
}

static void need_heap(struct wpr *w, size_t least, size_t most)
{
	wpr_need(w, least, most);
	if (!text_equal_fold(w->args.v[0], "heap"))
		wpr_fail_syntax(w, w->args.v[0]);
}

static void snapshot_by_pid(struct wpr *w, int enable)
{
	size_t end = w->args.nr - (enable >= 0);

	/* What there is now can be asked by name alone. */
	if (enable < 0 || end < 3)
		wpr_fail_syntax(w, w->args.v[w->args.nr - 1]);
	for (size_t i = 2; i < end; i++) {
		struct strbuf name = STRBUF_INIT;

		need_process(w, take_pid(w, i), &name);
		strbuf_release(&name);
	}
	wpr_need_elevation(w);
	for (size_t i = 2; i < end; i++)
		keep_record(w, "snapshot", "pid", w->args.v[i], enable);
}

/* heap {-name EXE | -pid P...} [enable|disable] */
static void snapshot_config(struct wpr *w)
{
	int enable;

	need_heap(w, 3, SIZE_MAX);
	enable = enabling(w->args.v[w->args.nr - 1]);
	if (text_equal_fold(w->args.v[1], "-pid")) {
		snapshot_by_pid(w, enable);
	} else if (!text_equal_fold(w->args.v[1], "-name")) {
		wpr_fail_syntax(w, w->args.v[1]);
	} else if (w->args.nr == 3) {
		printf("\nSnapshot is %s for process %s.\n",
		       has_record(w, "snapshot", "name", w->args.v[2]) ? "enabled" : "disabled",
		       w->args.v[2]);
	} else {
		if (w->args.nr != 4 || enable < 0)
			wpr_fail_syntax(w, w->args.v[3]);
		wpr_need_elevation(w);
		keep_record(w, "snapshot", "name", w->args.v[2], enable);
	}
	standin_pass(&w->s, "after");
}

/* Processes that are there, and of which snapshots were permitted. */
static void need_snapshots(struct wpr *w, size_t from)
{
	for (size_t i = from; i < w->args.nr; i++) {
		struct strbuf name = STRBUF_INIT;
		uint32_t pid = take_pid(w, i);

		need_process(w, pid, &name);
		if (!has_record(w, "snapshot", "pid", w->args.v[i]) &&
		    !has_record(w, "snapshot", "name", name.buf))
			wpr_fail(w, E_NOT_ENABLED, w->args.v[i]);
		strbuf_release(&name);
	}
}

/* heap PID... */
static void single_snapshot(struct wpr *w)
{
	struct record *recording;
	struct state state;

	need_heap(w, 2, 1 + MAX_SNAPSHOTS);
	need_snapshots(w, 1);
	recording = wpr_need_recording(w, &state);
	for (size_t i = 1; i < w->args.nr; i++) {
		char *taken = xasprintf("%lld %s", (long long)port_ticks(), w->args.v[i]);

		record_add(recording, "snapshot", w->args.v[i]);
		record_add(recording, "taken", taken);
		free(taken);
	}
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	standin_pass(&w->s, "after");
}

/* heap SECONDS PID... */
static void enable_periodic(struct wpr *w)
{
	struct strbuf pids = STRBUF_INIT;
	struct record *periodic;
	struct state state;
	int64_t seconds;

	need_heap(w, 3, 2 + MAX_SNAPSHOTS);
	if (!standin_is_number(w->args.v[1], SHORTEST_PERIOD, INT32_MAX, &seconds))
		wpr_fail_syntax(w, w->args.v[1]);
	need_snapshots(w, 2);
	wpr_need_recording(w, &state);
	for (size_t i = 2; i < w->args.nr; i++)
		strbuf_addf(&pids, "%s%s", pids.len ? " " : "", w->args.v[i]);
	periodic = state_find(&state, "periodic", NULL, NULL);
	if (!periodic)
		periodic = state_add(&state, "periodic");
	record_set_number(periodic, "seconds", seconds);
	record_set(periodic, "pids", pids.buf);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	strbuf_release(&pids);
}

static void disable_periodic(struct wpr *w)
{
	struct record *periodic;
	struct state state;

	need_heap(w, 1, 1);
	wpr_need_elevation(w);
	state_open(&state, w->s.dir);
	periodic = state_find(&state, "periodic", NULL, NULL);
	if (periodic)
		state_drop(&state, periodic);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
}

static void keep_interval(struct wpr *w, int64_t interval)
{
	struct record *settings;
	struct state state;

	wpr_need_elevation(w);
	state_open(&state, w->s.dir);
	settings = state_find(&state, "settings", NULL, NULL);
	if (!settings)
		settings = state_add(&state, "settings");
	record_set_number(settings, "profint", interval);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	standin_pass(&w->s, "after");
}

static void print_interval(const char *which, int64_t interval)
{
	printf("\n%s Profile Interval = %lld [%.4fms]\n", which, (long long)interval,
	       (double)interval / 10000);
}

static void set_interval(struct wpr *w)
{
	int64_t interval;

	wpr_need(w, 1, 1);
	if (!standin_is_number(w->args.v[0], SMALLEST_INTERVAL, LARGEST_INTERVAL, &interval))
		wpr_fail(w, E_BAD_ARGUMENT, w->args.v[0]);
	keep_interval(w, interval);
	print_interval("New", interval);
}

static void show_interval(struct wpr *w)
{
	struct record *settings;
	struct state state;

	wpr_need(w, 0, 0);
	state_open(&state, w->s.dir);
	settings = state_find(&state, "settings", NULL, NULL);
	print_interval("Current", settings ? record_number(settings, "profint") : DEFAULT_INTERVAL);
	state_close(&state);
}

static void reset_interval(struct wpr *w)
{
	wpr_need(w, 0, 1);
	keep_interval(w, DEFAULT_INTERVAL);
}

static void list_counters(struct wpr *w)
{
	wpr_need(w, 0, 0);
	puts("\nId  Name                        Interval  Min      Max\n"
	     "--------------------------------------------------------------\n"
	     "  0 Timer                          10000  1221    1000000");
}

static void boot_trace(struct wpr *w)
{
	const char *action;
	bool add;

	wpr_need(w, 1, SIZE_MAX);
	action = w->args.v[0];
	add = text_equal_fold(action, "-addboot");
	if (add)
		wpr_need(w, 2, SIZE_MAX);
	else if (text_equal_fold(action, "-stopboot"))
		wpr_need(w, 3, 3);
	else if (text_equal_fold(action, "-cancelboot"))
		wpr_need(w, 1, 1);
	else
		wpr_fail_syntax(w, action);
	wpr_need_elevation(w);
	if (!add && !has_record(w, "boot", "added", "yes"))
		wpr_fail(w, E_NOT_RUNNING, NULL);
	keep_record(w, "boot", "added", "yes", add);
}

static void print_help(struct wpr *w);

static const struct verb {
	const char *name;
	void (*run)(struct wpr *w);
	uint32_t since, until; /* builds; 0: no bound */
	bool sessions;         /* takes -instancename */
	const char *help;
} verbs[] = {
	{ "-help", print_help, 0, 0, false, "Provide command line help information" },
	{ "-profiles", list_profiles, 0, 0, false,
	  "Enumerates the profile names and descriptions from a profile file" },
	{ "-purgecache", purge_cache, 0, 0, false, "Purges the dynamic symbols cache" },
	{ "-start", wpr_start, 0, 0, true, "Starts one or more profiles" },
	{ "-marker", wpr_marker, 0, 0, true, "Fires an event marker" },
	{ "-markerflush", wpr_markerflush, BUILD_MARKERFLUSH_FIRST, BUILD_MARKERFLUSH_LAST, true,
	  "Fires an event marker and flushes the working set" },
	{ "-status", wpr_status, 0, 0, true, "Displays status on active recording (if any)" },
	{ "-profiledetails", profile_details, 0, 0, false,
	  "Displays the detailed information about a set of profiles" },
	{ "-exportprofile", export_profile, BUILD_NEWER, 0, false,
	  "Exports built-in profiles to a file" },
	{ "-providers", list_providers, 0, 0, false,
	  "Displays detailed information about providers" },
	{ "-cancel", wpr_cancel, 0, 0, true, "Cancels recording initiated via WPR (if any)" },
	{ "-stop", wpr_stop, 0, 0, true, "Stops recording initiated via WPR (if any) and saves" },
	{ "-merge", wpr_merge, BUILD_NEWER, 0, false, "Merges trace files" },
	{ "-flush", wpr_flush, 0, 0, true,
	  "Flushes logging sessions initiated through WPR (if any)" },
	{ "-log", configure_log, 0, 0, false, "Configure debug logging to the event log" },
	{ "-disablepagingexecutive", configure_paging, 0, 0, false,
	  "Change the Disable Paging Executive settings" },
	{ "-heaptracingconfig", heap_tracing, 0, 0, false,
	  "Change heap tracing settings for a process" },
	{ "-snapshotconfig", snapshot_config, 0, 0, false,
	  "Change snapshot settings for a process" },
	{ "-capturestateondemand", wpr_capture_state, 0, 0, true,
	  "Capture states for the configured providers in the current recording" },
	{ "-pmcsources", list_counters, 0, 0, false,
	  "Query the list of hardware counters available on the system" },
	{ "-setprofint", set_interval, 0, 0, false, "Set sampled profile interval" },
	{ "-profint", show_interval, 0, 0, false, "Query the current profile interval" },
	{ "-resetprofint", reset_interval, 0, 0, false,
	  "Restores the default profile interval values" },
	{ "-boottrace", boot_trace, 0, 0, false,
	  "Configures the registry entries for autologger/globallogger sessions" },
	{ "-enableperiodicsnapshot", enable_periodic, 0, 0, true,
	  "Enable Periodic Snapshot for the specified interval and given process id" },
	{ "-disableperiodicsnapshot", disable_periodic, 0, 0, true,
	  "Disable Periodic Snapshot for all process" },
	{ "-singlesnapshot", single_snapshot, 0, 0, true,
	  "On demand Snapshot for the specified process" },
};

static bool has_verb(const struct wpr *w, const struct verb *verb)
{
	return w->s.build >= verb->since && (!verb->until || w->s.build <= verb->until);
}

static const struct verb *find_verb(const struct wpr *w, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (text_equal_fold(verbs[i].name, name) && has_verb(w, &verbs[i]))
			return &verbs[i];
	return NULL;
}

static void print_verbs(const struct wpr *w)
{
	puts("\n\tUsage: wpr options ...\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (has_verb(w, &verbs[i]))
			printf("\t%-25s- %s\n", verbs[i].name, verbs[i].help);
	puts("\t-instancename            - Specifies a name to uniquely identify the tracing "
	     "instance.\n"
	     "\t                           Must be last parameter.");
}

static void print_stop_help(const struct wpr *w)
{
	printf("\n\tUsage: wpr -stop <recording filename> [\"problem description\"]");
	if (w->s.build >= BUILD_SKIP_PDB_GEN)
		printf(" [-skipPdbGen]");
	if (w->s.build >= BUILD_NEWER)
		printf(" [-force] [-compress]");
	putchar('\n');
}

/* Topics: each a first-level option on older builds, a few groups of them on newer ones. */
static void print_help(struct wpr *w)
{
	static const char topics[] = "start stop status profiles providers tracing boottrace heap "
				     "hardwarecounter advanced ";
	char *verb;
	bool known = false;

	wpr_need(w, 0, 1);
	if (!w->args.nr) {
		print_verbs(w);
		return;
	}
	for (const char *at = topics; *at; at += strcspn(at, " ") + 1) {
		size_t len = strcspn(at, " ");
		char *topic = xstrndup(at, len);

		known = known || text_equal_fold(topic, w->args.v[0]);
		free(topic);
	}
	verb = xasprintf("-%s", w->args.v[0]);
	if (w->s.build < BUILD_NEWER)
		known = find_verb(w, verb) != NULL;
	if (!known)
		wpr_fail_syntax(w, w->args.v[0]);
	if (text_equal_fold(verb, "-stop"))
		print_stop_help(w);
	else if (text_equal_fold(verb, "-start"))
		puts("\n\tUsage: wpr -start [<filename.wprp>!]<profile>[.{light|verbose}] [-start "
		     "...] "
		     "[-filemode] [-recordtempto <temp folder path>]");
	else
		print_verbs(w);
	free(verb);
}

/* The name of the instance is the last argument; with STANDIN_STRICT=0 it may be anywhere. */
static void take_instance(struct wpr *w, const struct verb *verb)
{
	for (size_t i = 0; i < w->args.nr; i++) {
		if (!text_equal_fold(w->args.v[i], "-instancename"))
			continue;
		if (!verb->sessions || i + 1 >= w->args.nr || !*w->args.v[i + 1] ||
		    (w->s.strict && i + 2 != w->args.nr))
			wpr_fail_syntax(w, "-instancename");
		free(w->instance);
		w->instance = xstrdup(w->args.v[i + 1]);
		strvec_remove(&w->args, i);
		strvec_remove(&w->args, i);
		return;
	}
}

int main(int argc, char **argv)
{
	struct wpr w = { .args = STRVEC_INIT, .instance = xstrdup(DEFAULT_INSTANCE) };
	const struct verb *verb;
	uint32_t code = 0;

	standin_begin(&w.s, "wpr", "STANDIN_WPR_VERSION", "10.0.26100.1", argc, argv);
	printf("Microsoft Windows Performance Recorder Version 10.0.%u (CoreSystem)\n"
	       "Copyright (c) Microsoft Corporation. All rights reserved.\n",
	       (unsigned)w.s.build);
	if (!w.s.args.nr) {
		print_verbs(&w);
		standin_end(&w.s, 0);
	}
	verb = find_verb(&w, w.s.args.v[0]);
	if (!verb)
		wpr_fail_syntax(&w, w.s.args.v[0]);
	for (size_t i = 1; i < w.s.args.nr; i++)
		strvec_push(&w.args, w.s.args.v[i]);
	take_instance(&w, verb);
	if (standin_verb(&w.s, verb->name + 1, &code) != 0)
		wpr_fail(&w, code, NULL);
	verb->run(&w);
	standin_end(&w.s, 0);
}
