#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/etl.h"
#include "tools/wpt/port.h"
#include "tools/wpt/wpr.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define MAX_PROFILES   64
#define MAX_SESSIONS   64
#define LARGEST_KB     1024
#define TICKS_A_SECOND INT64_C(10000000)

/* LogFileMode of a merged file, and of a session's own. */
#define MODE_SEQUENTIAL 1

struct start {
	struct strvec names, files; /* as given, side by side; "" for a built-in profile */
	const struct profile *picked[MAX_PROFILES];
	bool file_mode;
	char *temp;
	/* What the profiles come to together. */
	struct buffers system, event;
	struct strvec keywords, stacks, providers;
};

/* "" or "file" of "[file!]name". */
static char *file_of(const char *spec)
{
	const char *mark = strrchr(spec, '!');

	return mark ? xstrndup(spec, (size_t)(mark - spec)) : xstrdup("");
}

static void add_start(struct wpr *w, struct start *start, const char *spec)
{
	char *file = file_of(spec);

	if (start->names.nr == MAX_PROFILES)
		wpr_fail_syntax(w, spec);
	for (size_t i = 0; *file && i < start->files.nr; i++)
		if (text_equal_fold(start->files.v[i], file))
			wpr_fail(w, E_EXISTS, spec);
	strvec_push(&start->names, spec);
	strvec_push_nodup(&start->files, file);
}

static const char *value_of(struct wpr *w, size_t *at)
{
	if (*at + 1 >= w->args.nr)
		wpr_fail_syntax(w, w->args.v[*at]);
	return w->args.v[++*at];
}

/* P [-start P2]... [-filemode] [-recordtempto DIR], profiles first. */
static void parse_start(struct wpr *w, struct start *start)
{
	bool options = false;

	wpr_need(w, 1, SIZE_MAX);
	add_start(w, start, w->args.v[0]);
	for (size_t i = 1; i < w->args.nr; i++) {
		const char *arg = w->args.v[i];

		if (text_equal_fold(arg, "-start") && !(options && w->s.strict)) {
			add_start(w, start, value_of(w, &i));
			continue;
		}
		options = true;
		if (text_equal_fold(arg, "-filemode"))
			start->file_mode = true;
		else if (text_equal_fold(arg, "-recordtempto"))
			start->temp = port_absolute(value_of(w, &i));
		else
			wpr_fail_syntax(w, arg);
	}
}

static void join(struct strvec *all, const struct strvec *more)
{
	for (size_t i = 0; i < more->nr; i++) {
		bool there = false;

		for (size_t j = 0; j < all->nr; j++)
			there = there || !strcmp(all->v[j], more->v[i]);
		if (!there)
			strvec_push(all, more->v[i]);
	}
}

static void join_buffers(struct buffers *all, const struct buffers *more)
{
	if (!more->used)
		return;
	if (!all->used || more->kb > all->kb)
		all->kb = more->kb;
	if (!all->used || more->count > all->count)
		all->count = more->count;
	all->percent = all->percent || more->percent;
	all->used = true;
	if (all->kb > LARGEST_KB)
		all->kb = LARGEST_KB;
}

static void load_profiles(struct wpr *w, struct start *start)
{
	/* All profiles are kept until the end: what is picked points into their arrays. */
	for (size_t i = 0; i < start->names.nr; i++) {
		struct profiles *profiles = xcalloc(1, sizeof(*profiles));
		const char *name = wpr_read_profiles(w, start->names.v[i], profiles);
		const struct profile *p = wpr_pick(w, profiles, name, start->file_mode);

		start->picked[i] = p;
		join_buffers(&start->system, &p->system);
		join_buffers(&start->event, &p->event);
		join(&start->keywords, &p->keywords);
		join(&start->stacks, &p->stacks);
		join(&start->providers, &p->providers);
	}
}

static char *session_name(const struct wpr *w, const char *collector)
{
	return xasprintf("WPR_initiated_%s_WPR %s Collector", w->instance, collector);
}

static char *temp_file(const char *dir, const char *session)
{
	size_t len = strlen(dir);
	bool ends = len && strchr("/\\", dir[len - 1]);

	return ends ? xasprintf("%s%s.etl", dir, session)
		    : xasprintf("%s%c%s.etl", dir, PORT_SEPARATOR, session);
}

static void check_temp(struct wpr *w, struct start *start)
{
	char *session = session_name(w, "System"), *path;
	char *local = port_env("LOCALAPPDATA");

	if (!start->temp)
		start->temp =
			local ? xasprintf("%s%cTemp", local, PORT_SEPARATOR) : xstrdup(w->s.dir);
	if (!port_is_dir(start->temp))
		wpr_fail(w, E_NO_PATH, start->temp);
	path = temp_file(start->temp, session);
	wpr_check_path(w, path);
	free(path);
	free(session);
	free(local);
}

static void check_elevation(struct wpr *w, const struct start *start)
{
	char *detail;

	if (w->s.elevated)
		return;
	/* Both were met without elevation. */
	if (start->names.nr == 1 && text_equal_fold(start->picked[0]->name, "VirtualAllocation"))
		wpr_fail(w, E_ACCESS, NULL);
	detail = xasprintf("Profile Id: %s", start->picked[0]->id);
	wpr_fail(w, E_PROFILE_POLICY, detail);
}

static bool is_running(const char *names, const char *process)
{
	while (names && *names) {
		size_t len = strcspn(names, " ");
		char *name = xstrndup(names, len);
		bool same = text_equal_fold(name, process);

		free(name);
		if (same)
			return true;
		names += len + (names[len] == ' ');
	}
	return false;
}

/* An event session needs a provider other than that of image loads. */
static void check_providers(struct wpr *w, const struct start *start)
{
	char *processes = port_env("STANDIN_PROCESSES");
	char *detail = NULL;

	if (start->event.used &&
	    (!start->providers.nr ||
	     (start->providers.nr == 1 && strstr(start->providers.v[0], "2cb15d1d"))))
		detail = xasprintf("Profile Id: %s", start->picked[0]->id);
	for (size_t i = 0; i < start->names.nr; i++)
		if (start->picked[i]->only_process &&
		    !is_running(processes, start->picked[i]->only_process))
			detail = xasprintf("Profile Id: %s", start->picked[i]->id);
	if (detail)
		wpr_fail(w, E_NO_PROVIDERS, detail);
	free(processes);
}

static int64_t megabytes(const struct buffers *buffers)
{
	int64_t memory = standin_number("STANDIN_MEMORY_MB", 16384);

	if (!buffers->used)
		return 0;
	return buffers->percent ? memory * buffers->count / 100
				: (int64_t)buffers->kb * buffers->count / 1024;
}

static void check_resources(struct wpr *w, const struct start *start, const struct state *state)
{
	int64_t others = standin_number("STANDIN_SESSIONS", 8), systems = 0;
	int64_t limit = standin_number("STANDIN_MEMORY_MB", 16384) / 2;
	int64_t needed = start->system.used + start->event.used;

	for (size_t i = 0; i < state->nr; i++)
		systems += !strcmp(state->v[i].kind, "session") &&
			   !strcmp(record_get(&state->v[i], "system"), "yes");
	if (start->system.used && systems >= standin_number("STANDIN_SYSTEM_SESSIONS", 1))
		wpr_fail(w, E_COLLECTOR_IN_USE, NULL);
	if (others + (int64_t)state_count(state, "session") + needed > MAX_SESSIONS)
		wpr_fail(w, E_NO_RESOURCES, NULL);
	if (megabytes(&start->system) + megabytes(&start->event) > limit)
		wpr_fail(w, E_NO_MEMORY, NULL);
}

static void add_session(struct wpr *w, const struct start *start, struct state *state,
			const char *collector, const struct buffers *buffers)
{
	char *name = session_name(w, collector);
	char *file = start->file_mode ? temp_file(start->temp, name) : xstrdup("");
	struct record *session;

	if (buffers->used) {
		session = state_add(state, "session");
		record_set(session, "name", name);
		record_set(session, "owner", w->instance);
		record_set(session, "system", !strcmp(collector, "System") ? "yes" : "no");
		record_set(session, "file", file);
		record_set_number(session, "kb", buffers->kb);
		record_set_number(session, "buffers", megabytes(buffers) * 1024 / buffers->kb);
	}
	free(file);
	free(name);
}

static void add_recording(struct wpr *w, const struct start *start, struct state *state)
{
	struct record *recording;

	add_session(w, start, state, "System", &start->system);
	add_session(w, start, state, "Event", &start->event);
	recording = state_add(state, "recording");
	record_set(recording, "instance", w->instance);
	record_set(recording, "mode", start->file_mode ? "File" : "Memory");
	record_set(recording, "temp", start->temp);
	record_set_number(recording, "start", port_ticks());
	record_set_number(recording, "utc", port_filetime());
	for (size_t i = 0; i < start->names.nr; i++)
		record_add(recording, "profile", start->picked[i]->id);
	for (size_t i = 0; i < start->keywords.nr; i++)
		record_add(recording, "keyword", start->keywords.v[i]);
	for (size_t i = 0; i < start->stacks.nr; i++)
		record_add(recording, "stack", start->stacks.v[i]);
	for (size_t i = 0; i < start->providers.nr; i++)
		record_add(recording, "provider", start->providers.v[i]);
}

static int64_t interval_of(const struct state *state)
{
	const struct record *settings = state_find(state, "settings", NULL, NULL);
	int64_t interval = settings ? record_number(settings, "profint") : 0;

	return interval ? interval : 10000;
}

static void add_marks(struct etl *etl, const struct record *recording)
{
	for (size_t i = 0; i < recording->keys.nr; i++) {
		const char *value = recording->values.v[i];
		const char *blank = strchr(value, ' ');

		if (!strcmp(recording->keys.v[i], "mark") && blank)
			etl_mark(etl, strtoll(value, NULL, 10), blank + 1);
	}
}

/* A session's own file: what there is of the recording. */
static int write_session(const struct wpr *w, const struct state *state,
			 const struct record *recording, const struct record *session)
{
	const char *file = record_get(session, "file");
	int64_t ticks = record_number(recording, "start");
	struct etl_header header = {
		.session = record_get(session, "name"),
		.file = file,
		.build = w->s.build,
		.mode = MODE_SEQUENTIAL,
		.start_ticks = ticks,
		.start_filetime = record_number(recording, "utc"),
	};
	struct etl etl;
	int bad;

	if (!*file)
		return 0;
	etl_begin(&etl, &header);
	if (!strcmp(record_get(session, "system"), "yes")) {
		etl_interval(&etl, ticks, ETL_INTERVAL_START, (uint32_t)interval_of(state));
		add_marks(&etl, recording);
	}
	etl_end(&etl);
	bad = standin_write(&w->s, file, etl.data.buf, etl.data.len);
	strbuf_release(&etl.data);
	return bad;
}

static int write_sessions(const struct wpr *w, const struct state *state,
			  const struct record *recording)
{
	for (size_t i = 0; i < state->nr; i++)
		if (!strcmp(state->v[i].kind, "session") &&
		    text_equal_fold(record_get(&state->v[i], "owner"), w->instance) &&
		    write_session(w, state, recording, &state->v[i]) != 0)
			return -1;
	return 0;
}

void wpr_start(struct wpr *w)
{
	struct start start = { .names = STRVEC_INIT,
			       .files = STRVEC_INIT,
			       .keywords = STRVEC_INIT,
			       .stacks = STRVEC_INIT,
			       .providers = STRVEC_INIT };
	struct state state;

	parse_start(w, &start);
	load_profiles(w, &start);
	check_temp(w, &start);
	check_elevation(w, &start);
	state_open(&state, w->s.dir);
	if (state_find(&state, "recording", "instance", w->instance))
		wpr_fail(w, E_ALREADY_RUNNING, NULL);
	check_providers(w, &start);
	check_resources(w, &start, &state);
	add_recording(w, &start, &state);
	if (write_sessions(w, &state, state_find(&state, "recording", "instance", w->instance)) !=
	    0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	standin_pass(&w->s, "mid");
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	standin_pass(&w->s, "after");
	puts("\n    The trace was successfully started.");
}

/* The recording, with `ended` set where a fault made it end; NULL where there is none. */
static struct record *find_recording(struct wpr *w, struct state *state)
{
	struct record *recording = state_find(state, "recording", "instance", w->instance);

	if (recording && standin_session_fault(&w->s, "end"))
		record_set(recording, "ended", "yes");
	return recording;
}

static bool has_ended(const struct record *recording)
{
	return !strcmp(record_get(recording, "ended"), "yes");
}

struct record *wpr_need_recording(struct wpr *w, struct state *state)
{
	struct record *recording;

	state_open(state, w->s.dir);
	recording = find_recording(w, state);
	if (!recording)
		wpr_fail(w, E_NOT_RUNNING, NULL);
	wpr_need_elevation(w);
	if (has_ended(recording)) {
		state_save(state);
		wpr_fail(w, E_INSTANCE_GONE, NULL);
	}
	return recording;
}

static int64_t events_lost(const struct wpr *w)
{
	const char *lost = standin_session_fault(&w->s, "lose");

	return lost ? strtoll(lost, NULL, 10) : 0;
}

static void print_list(const char *heading, const struct record *recording, const char *key)
{
	puts(heading);
	for (size_t i = 0; i < recording->keys.nr; i++)
		if (!strcmp(recording->keys.v[i], key))
			printf("\t%s\n", recording->values.v[i]);
}

static void print_collector(const struct wpr *w, const struct record *recording,
			    const struct record *session, bool details)
{
	bool system = !strcmp(record_get(session, "system"), "yes");

	printf("\nCollector Name          : %s\n", record_get(session, "name"));
	printf("Buffer Size (KB)        : %s\n", record_get(session, "kb"));
	if (details)
		printf("Number of Buffers       : %s\n", record_get(session, "buffers"));
	printf("Events Lost             : %lld\n", (long long)(system ? events_lost(w) : 0));
	if (system) {
		print_list("System Keywords", recording, "keyword");
		print_list("System Stacks", recording, "stack");
	} else {
		print_list("Providers", recording, "provider");
	}
}

static void print_status(const struct wpr *w, const struct record *recording)
{
	int64_t seconds = (port_ticks() - record_number(recording, "start")) / TICKS_A_SECOND;

	printf("\nWPR recording is in progress...\n\n");
	printf("Time since start        : %02d:%02d:%02d\n", (int)(seconds / 3600),
	       (int)(seconds / 60 % 60), (int)(seconds % 60));
	printf("Dropped event           : %lld\n", (long long)events_lost(w));
	printf("Logging mode            : %s\n", record_get(recording, "mode"));
	if (!strcmp(record_get(recording, "mode"), "File"))
		printf("Temp Folder             : %s\n", record_get(recording, "temp"));
}

/* [profiles] [collectors [details]] */
static void parse_status(struct wpr *w, bool *profiles, bool *collectors, bool *details)
{
	size_t at = 0;

	*profiles = at < w->args.nr && text_equal_fold(w->args.v[at], "profiles");
	at += *profiles;
	*collectors = at < w->args.nr && text_equal_fold(w->args.v[at], "collectors");
	at += *collectors;
	*details = *collectors && at < w->args.nr &&
		   (text_equal_fold(w->args.v[at], "details") ||
		    text_equal_fold(w->args.v[at], "-details"));
	at += *details;
	if (at < w->args.nr)
		wpr_fail_syntax(w, w->args.v[at]);
}

/* With a variable, any recording is seen where none is named, as one example of Microsoft's has it. */
static struct record *find_for_status(struct wpr *w, struct state *state)
{
	struct record *recording = find_recording(w, state);

	if (!recording && !strcmp(w->instance, DEFAULT_INSTANCE) &&
	    standin_number("STANDIN_STATUS_SEES_ALL", 0))
		recording = state_find(state, "recording", NULL, NULL);
	return recording;
}

void wpr_status(struct wpr *w)
{
	bool profiles, collectors, details;
	struct record *recording;
	struct state state;

	parse_status(w, &profiles, &collectors, &details);
	state_open(&state, w->s.dir);
	recording = find_for_status(w, &state);
	if (!recording || has_ended(recording)) {
		state_save(&state);
		if (standin_number("STANDIN_IDLE_IS_ERROR", 0))
			wpr_fail(w, E_NOT_RUNNING, NULL);
		puts("\nWPR is not recording");
		return;
	}
	print_status(w, recording);
	if (profiles) {
		puts("\nRecording system activity using the following set of profiles:\n");
		for (size_t i = 0; i < recording->keys.nr; i++)
			if (!strcmp(recording->keys.v[i], "profile"))
				printf("Profile                 : %s\n", recording->values.v[i]);
	}
	if (collectors)
		puts("\nActively recording collectors:");
	for (size_t i = 0; collectors && i < state.nr; i++)
		if (!strcmp(state.v[i].kind, "session") &&
		    text_equal_fold(record_get(&state.v[i], "owner"),
				    record_get(recording, "instance")))
			print_collector(w, recording, &state.v[i], details);
	state_close(&state);
}

static void add_mark(struct wpr *w, const char *text, bool flush)
{
	struct state state;
	struct record *recording = wpr_need_recording(w, &state);
	char *mark = xasprintf("%lld %s", (long long)port_ticks(), text);

	record_add(recording, "mark", mark);
	if (flush)
		write_sessions(w, &state, recording);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	free(mark);
	standin_pass(&w->s, "after");
}

void wpr_marker(struct wpr *w)
{
	bool flush;

	wpr_need(w, 1, 2);
	flush = w->args.nr == 2;
	if (flush &&
	    (!text_equal_fold(w->args.v[1], "-flush") || w->s.build <= BUILD_MARKERFLUSH_LAST))
		wpr_fail_syntax(w, w->args.v[1]);
	add_mark(w, w->args.v[0], flush);
}

void wpr_markerflush(struct wpr *w)
{
	wpr_need(w, 1, 1);
	add_mark(w, w->args.v[0], true);
}

void wpr_flush(struct wpr *w)
{
	struct state state;
	struct record *recording;

	wpr_need(w, 0, 0);
	recording = wpr_need_recording(w, &state);
	if (write_sessions(w, &state, recording) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	state_close(&state);
}

void wpr_capture_state(struct wpr *w)
{
	struct state state;

	wpr_need(w, 0, 0);
	wpr_need_recording(w, &state);
	state_close(&state);
}

/* Drops the sessions of the recording and it; the names of their files go to `files`. */
static void drop_recording(struct wpr *w, struct state *state, struct strvec *files)
{
	for (size_t i = state->nr; i-- > 0;) {
		struct record *r = &state->v[i];
		bool session = !strcmp(r->kind, "session");
		bool recording = !strcmp(r->kind, "recording");

		if (session && text_equal_fold(record_get(r, "owner"), w->instance)) {
			strvec_push(files, record_get(r, "file"));
			state_drop(state, r);
		} else if (recording && text_equal_fold(record_get(r, "instance"), w->instance)) {
			state_drop(state, r);
		}
	}
}

static void remove_files(const struct strvec *files)
{
	for (size_t i = 0; i < files->nr; i++)
		if (*files->v[i])
			port_remove(files->v[i]);
}

void wpr_cancel(struct wpr *w)
{
	struct strvec files = STRVEC_INIT;
	struct record *recording;
	struct state state;
	bool ended;

	wpr_need(w, 0, 0);
	state_open(&state, w->s.dir);
	recording = find_recording(w, &state);
	if (!recording)
		wpr_fail(w, E_NOT_RUNNING, NULL);
	wpr_need_elevation(w);
	ended = has_ended(recording);
	drop_recording(w, &state, &files);
	if (state_save(&state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
	standin_pass(&w->s, "mid");
	/* The files of a session that ended by itself were seen to stay. */
	if (!ended)
		remove_files(&files);
	strvec_release(&files);
	standin_pass(&w->s, "after");
}

struct stop {
	const char *file;
	bool skip_pdb_gen, force, compress;
};

/* FILE [description] [options] */
static void parse_stop(struct wpr *w, struct stop *stop)
{
	static const struct wpr_option options[] = { { "-skipPdbGen", BUILD_SKIP_PDB_GEN },
						     { "-force", BUILD_NEWER },
						     { "-compress", BUILD_NEWER } };

	wpr_need(w, 1, 5);
	stop->file = w->args.v[0];
	if (stop->file[0] == '-')
		wpr_fail_syntax(w, stop->file);
	for (size_t i = 1; i < w->args.nr; i++) {
		const char *option = wpr_option(w, i, options, ARRAY_SIZE(options));

		if (!option && (i != 1 || w->args.v[i][0] == '-'))
			wpr_fail_syntax(w, w->args.v[i]);
		if (!option)
			continue;
		stop->skip_pdb_gen |= option == options[0].name;
		stop->force |= option == options[1].name;
		stop->compress |= option == options[2].name;
	}
}

static char *dir_of(const char *path)
{
	const char *name = text_file_name(path);

	return name == path ? xstrdup(".") : xstrndup(path, (size_t)(name - path));
}

static void check_target(struct wpr *w, const struct stop *stop)
{
	char *dir = dir_of(stop->file);
	size_t len = strlen(stop->file);
	int answer;

	wpr_check_path(w, stop->file);
	if (!port_is_dir(dir))
		wpr_fail(w, E_NO_PATH, stop->file);
	if (!stop->force && (len < 4 || !text_equal_fold(stop->file + len - 4, ".etl"))) {
		printf("\nThe file name does not end in .etl. Continue? [Y/N] ");
		fflush(stdout);
		answer = getchar();
		if (answer != 'Y' && answer != 'y')
			wpr_fail(w, E_CANCELLED, NULL);
	}
	free(dir);
}

/* What was taken before this snapshot of its process. */
static uint32_t number_of(const struct record *recording, size_t at, const char *pid)
{
	uint32_t number = 1;

	for (size_t i = 0; i < at; i++) {
		const char *blank = strchr(recording->values.v[i], ' ');

		number +=
			!strcmp(recording->keys.v[i], "taken") && blank && !strcmp(blank + 1, pid);
	}
	return number;
}

/* Snapshots as they were taken; with the profile Heap, calls of the heap of a process: this one's. */
static void add_heaps(struct etl *etl, const struct record *recording)
{
	int64_t start = record_number(recording, "start");

	for (size_t i = 0; i < recording->keys.nr; i++) {
		const char *value = recording->values.v[i];
		const char *blank = strchr(value, ' ');

		if (!strcmp(recording->keys.v[i], "taken") && blank)
			etl_heap_snapshot(etl, strtoll(value, NULL, 10),
					  (uint32_t)strtoul(blank + 1, NULL, 10),
					  number_of(recording, i, blank + 1));
		else if (!strcmp(recording->keys.v[i], "profile") && !strncmp(value, "Heap.", 5))
			etl_heap_calls(etl, start, port_pid());
	}
}

static void build_trace(const struct wpr *w, const struct state *state,
			const struct record *recording, struct etl *etl)
{
	uint32_t interval = (uint32_t)interval_of(state);
	int64_t start = record_number(recording, "start"), now = port_ticks();
	char *command = xasprintf("wpr -start %s", record_get(recording, "profile"));
	struct etl_header header = {
		.session = "Relogger",
		.file = "[multiple files]",
		.build = w->s.build,
		.mode = MODE_SEQUENTIAL,
		.events_lost = (uint32_t)events_lost(w),
		.start_ticks = start,
		.start_filetime = record_number(recording, "utc"),
		.end_filetime = port_filetime(),
	};

	etl_begin(etl, &header);
	etl_interval(etl, start, ETL_INTERVAL_START, interval);
	etl_process(etl, start, ETL_PROCESS_START, port_pid(), 4, "wpr.exe", command);
	add_heaps(etl, recording);
	add_marks(etl, recording);
	etl_mark(etl, now, "Wpr_Initiated_Rundown");
	etl_process(etl, now, ETL_PROCESS_LEFT, 4, 0, "System", "");
	etl_process(etl, now, ETL_PROCESS_LEFT, port_pid(), 4, "wpr.exe", command);
	etl_interval(etl, now, ETL_INTERVAL_END, interval);
	etl_end(etl);
	free(command);
}

/* What was recorded may be given. */
static void take_given(struct wpr *w, struct etl *etl)
{
	const char *given = getenv("STANDIN_TRACE");

	if (!given || !*given)
		return;
	strbuf_clear(&etl->data);
	if (standin_read(given, &etl->data) != 0)
		wpr_fail(w, E_NO_FILE, given);
}

static void write_trace(struct wpr *w, const struct stop *stop, const struct etl *etl)
{
	char *symbols = xasprintf("%s.NGENPDB", stop->file);
	size_t len = standin_fault(&w->s, "empty-file") ? 0 : etl->data.len;

	if (!standin_fault(&w->s, "no-file") &&
	    standin_write(&w->s, stop->file, etl->data.buf, len) != 0)
		wpr_fail(w, standin_code_of_errno(), stop->file);
	if (!stop->skip_pdb_gen)
		port_make_dir(symbols);
	free(symbols);
}

static void end_recording(struct wpr *w, struct state *state, struct strvec *files)
{
	drop_recording(w, state, files);
	if (state_save(state) != 0)
		wpr_fail(w, standin_code_of_errno(), NULL);
}

void wpr_stop(struct wpr *w)
{
	struct strvec files = STRVEC_INIT;
	struct stop stop = { 0 };
	struct state state;
	struct etl etl;

	parse_stop(w, &stop);
	build_trace(w, &state, wpr_need_recording(w, &state), &etl);
	take_given(w, &etl);
	check_target(w, &stop);
	if (standin_fault(&w->s, "hang-mid") || standin_fault(&w->s, "crash-mid")) {
		end_recording(w, &state, &files);
		standin_pass(&w->s, "mid");
	}
	/* Where this fails the recording is still there. */
	write_trace(w, &stop, &etl);
	end_recording(w, &state, &files);
	remove_files(&files);
	strvec_release(&files);
	strbuf_release(&etl.data);
	standin_pass(&w->s, "after");
	printf("\n    The trace was successfully saved.\n");
}

/* FILES... OUT [options] */
void wpr_merge(struct wpr *w)
{
	static const struct wpr_option options[] = {
		{ "-skipPdbGen", 0 }, { "-compress", 0 },   { "-supresspii", 0 },
		{ "-mergeonly", 0 },  { "-injectonly", 0 },
	};
	struct etl_header header = { .session = "Relogger", .file = "[multiple files]" };
	struct etl etl;
	size_t files = 0;

	while (files < w->args.nr && w->args.v[files][0] != '-')
		files++;
	for (size_t i = files; i < w->args.nr; i++)
		if (!wpr_option(w, i, options, ARRAY_SIZE(options)))
			wpr_fail_syntax(w, w->args.v[i]);
	if (files < 2)
		wpr_fail_syntax(w, "-merge");
	header.build = w->s.build;
	for (size_t i = 0; i + 1 < files; i++) {
		struct strbuf data = STRBUF_INIT;

		wpr_check_path(w, w->args.v[i]);
		if (standin_read(w->args.v[i], &data) != 0)
			wpr_fail(w, E_NO_FILE, w->args.v[i]);
		if (i == 0) {
			etl_read_times(data.buf, data.len, &header);
			etl_begin(&etl, &header);
		}
		if (etl_append(&etl, data.buf, data.len) != 0)
			wpr_fail(w, E_BAD_ARGUMENT, w->args.v[i]);
		strbuf_release(&data);
	}
	etl_end(&etl);
	if (standin_write(&w->s, w->args.v[files - 1], etl.data.buf, etl.data.len) != 0)
		wpr_fail(w, standin_code_of_errno(), w->args.v[files - 1]);
}
