#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/etl.h"
#include "tools/wpt/names.h"
#include "tools/wpt/port.h"
#include "tools/wpt/standin.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define KERNEL_LOGGER "NT Kernel Logger"

#define MAX_SESSIONS      64
#define LARGEST_KB        1024
#define DEFAULT_KB        64
#define DEFAULT_MIN       64
#define DEFAULT_MAX       320
#define DEFAULT_INTERVAL  10000
#define SMALLEST_INTERVAL 1221
#define LARGEST_INTERVAL  10000000
#define MODE_SEQUENTIAL   1
#define MODE_CIRCULAR     2

/* A session that is to be started. */
struct session {
	char *name;
	const char *on, *file;
	struct strvec stackwalk;
	int64_t kb, min, max, max_file;
	bool heap, circular;
};

struct xperf {
	struct standin s;
	size_t at; /* the argument that is looked at */
	struct session *sessions;
	size_t nr, alloc;
};

/* As xperf says it: what failed, the system's text, the number. */
static noreturn void fail(struct xperf *x, uint32_t code, const char *subject)
{
	uint32_t shown = code >> 16 == 0x8007 ? code & 0xffff : code;

	fprintf(stderr, "xperf: error: %s: %s (0x%x).\n", subject, standin_text(code),
		(unsigned)shown);
	standin_end(&x->s, code);
}

static const char *argument(const struct xperf *x)
{
	return x->at < x->s.args.nr ? x->s.args.v[x->at] : NULL;
}

static bool is(const struct xperf *x, const char *option)
{
	return argument(x) && text_equal_fold(argument(x), option);
}

/* Takes the option and its value. */
static const char *value(struct xperf *x)
{
	const char *option = argument(x);

	x->at++;
	if (!argument(x) || argument(x)[0] == '-')
		fail(x, E_BAD_ARGUMENT, option);
	return x->s.args.v[x->at++];
}

static int64_t number(struct xperf *x, int64_t min, int64_t max)
{
	const char *option = argument(x), *text = value(x);
	int64_t n;

	if (!standin_is_number(text, min, max, &n))
		fail(x, E_BAD_ARGUMENT, option);
	return n;
}

/* The value of an option that needs none. */
static const char *optional(struct xperf *x)
{
	x->at++;
	if (!argument(x) || argument(x)[0] == '-')
		return NULL;
	return x->s.args.v[x->at++];
}

static void check_path(struct xperf *x, const char *path)
{
	if (port_path_length(path) > PORT_MAX_PATH)
		fail(x, E_PATH_TOO_LONG, path);
}

static bool is_kernel(const struct session *session)
{
	return text_equal_fold(session->name, KERNEL_LOGGER);
}

static struct session *add_session(struct xperf *x, const char *name)
{
	ARRAY_GROW(x->sessions, x->nr + 1, x->alloc);
	x->sessions[x->nr] = (struct session){ .name = xstrdup(name),
					       .stackwalk = STRVEC_INIT,
					       .kb = DEFAULT_KB,
					       .min = DEFAULT_MIN,
					       .max = DEFAULT_MAX };
	return &x->sessions[x->nr++];
}

/* One of the options of the session that was named last; false where it is none. */
static bool take_option(struct xperf *x, struct session *session)
{
	if (is(x, "-on")) {
		if (session->on)
			fail(x, E_BAD_ARGUMENT, "-on");
		session->on = value(x);
	} else if (is(x, "-stackwalk")) {
		strvec_push(&session->stackwalk, value(x));
	} else if (is(x, "-f")) {
		session->file = value(x);
	} else if (is(x, "-BufferSize")) {
		session->kb = number(x, 1, INT32_MAX);
	} else if (is(x, "-MinBuffers")) {
		session->min = number(x, 1, INT32_MAX);
	} else if (is(x, "-MaxBuffers")) {
		session->max = number(x, 1, INT32_MAX);
	} else if (is(x, "-MaxFile")) {
		session->max_file = number(x, 1, INT32_MAX);
	} else if (is(x, "-FileMode")) {
		session->circular = text_equal_fold(value(x), "Circular");
	} else if (is(x, "-FlushTimer")) {
		number(x, 0, INT32_MAX);
	} else if (is(x, "-ClockType") || is(x, "-PidNewProcess")) {
		value(x);
	} else if (is(x, "-Pids")) {
		x->at++;
		while (argument(x) && argument(x)[0] != '-')
			x->at++;
	} else if (is(x, "-heap")) {
		session->heap = true;
		x->at++;
	} else {
		return false;
	}
	return true;
}

static void check_each(struct xperf *x, const char *joined, const char *const *known, size_t count,
		       uint32_t code)
{
	while (*joined) {
		size_t len = strcspn(joined, "+");
		char *word = xstrndup(joined, len);
		bool found = false;

		for (size_t i = 0; i < count; i++)
			found = found || names_have(known[i], word, true);
		if (!found && !(code == E_UNEXPECTED && text_starts_with(word, "0x")))
			fail(x, code, word);
		free(word);
		joined += len + (joined[len] == '+');
	}
}

static void check_session(struct xperf *x, struct session *session)
{
	static const char *const flags[] = { names_xperf_flags, names_xperf_groups };
	static const char *const stacks[] = { names_xperf_stacks };

	if (!session->on && !session->heap)
		fail(x, E_BAD_FLAGS, session->name);
	if (is_kernel(session))
		check_each(x, session->on, flags, ARRAY_SIZE(flags), E_BAD_FLAGS);
	for (size_t i = 0; i < session->stackwalk.nr; i++)
		if (session->stackwalk.v[i][0] != '@')
			check_each(x, session->stackwalk.v[i], stacks, ARRAY_SIZE(stacks),
				   E_UNEXPECTED);
	if (session->min > session->max)
		fail(x, E_BAD_ARGUMENT, "-MinBuffers");
	if (session->file)
		check_path(x, session->file);
	if (session->kb > LARGEST_KB)
		session->kb = LARGEST_KB;
}

static int64_t interval_of(const struct state *state)
{
	const struct record *settings = state_find(state, "settings", NULL, NULL);

	return settings ? record_number(settings, "profint") : DEFAULT_INTERVAL;
}

static void keep_interval(struct state *state, int64_t interval)
{
	struct record *settings = state_find(state, "settings", NULL, NULL);

	if (!settings)
		settings = state_add(state, "settings");
	record_set_number(settings, "profint", interval);
}

/* Writes what there is of the session to its file. */
static int write_session(const struct xperf *x, const struct state *state,
			 const struct record *session)
{
	const char *lost = standin_session_fault(&x->s, "lose");
	int64_t start = record_number(session, "start");
	struct etl_header header = {
		.session = record_get(session, "name"),
		.file = record_get(session, "file"),
		.build = x->s.build,
		.mode = (uint32_t)record_number(session, "mode"),
		.events_lost = lost ? (uint32_t)strtoul(lost, NULL, 10) : 0,
		.start_ticks = start,
		.start_filetime = record_number(session, "utc"),
		.end_filetime = port_filetime(),
	};
	struct etl etl;
	int bad;

	etl_begin(&etl, &header);
	if (!strcmp(record_get(session, "system"), "yes"))
		etl_interval(&etl, start, ETL_INTERVAL_START, (uint32_t)interval_of(state));
	for (size_t i = 0; i < session->keys.nr; i++) {
		const char *mark = session->values.v[i], *blank = strchr(mark, ' ');

		if (!strcmp(session->keys.v[i], "mark") && blank)
			etl_mark(&etl, strtoll(mark, NULL, 10), blank + 1);
	}
	etl_end(&etl);
	bad = standin_write(&x->s, header.file, etl.data.buf, etl.data.len);
	strbuf_release(&etl.data);
	return bad;
}

static char *file_of(const struct xperf *x, const struct session *session)
{
	if (session->file)
		return port_absolute(session->file);
	return xasprintf("%s%c%s.etl", x->s.dir, PORT_SEPARATOR,
			 is_kernel(session) ? "kernel" : "user");
}

static void start_session(struct xperf *x, struct state *state, struct session *session)
{
	int64_t others = standin_number("STANDIN_SESSIONS", 8);
	struct record *record;
	char *file;

	if (!x->s.elevated)
		fail(x, E_ACCESS, session->name);
	if (state_find(state, "session", "name", session->name))
		fail(x, E_EXISTS, session->name);
	if (others + (int64_t)state_count(state, "session") >= MAX_SESSIONS)
		fail(x, E_NO_RESOURCES, session->name);
	if (session->kb * session->min / 1024 > standin_number("STANDIN_MEMORY_MB", 16384) / 2)
		fail(x, E_NO_MEMORY, session->name);
	file = file_of(x, session);
	record = state_add(state, "session");
	record_set(record, "name", session->name);
	record_set(record, "owner", "xperf");
	record_set(record, "system", is_kernel(session) ? "yes" : "no");
	record_set(record, "file", file);
	record_set(record, "on", session->on ? session->on : "");
	for (size_t i = 0; i < session->stackwalk.nr; i++)
		record_add(record, "stackwalk", session->stackwalk.v[i]);
	record_set_number(record, "kb", session->kb);
	record_set_number(record, "buffers", session->min);
	record_set_number(record, "most buffers", session->max);
	record_set_number(record, "mode", session->circular ? MODE_CIRCULAR : MODE_SEQUENTIAL);
	record_set_number(record, "max file", session->max_file);
	record_set_number(record, "start", port_ticks());
	record_set_number(record, "utc", port_filetime());
	if (write_session(x, state, record) != 0)
		fail(x, standin_code_of_errno(), session->name);
	free(file);
}

static void save(struct xperf *x, struct state *state)
{
	if (state_save(state) != 0)
		fail(x, standin_code_of_errno(), "state");
}

/* [-SetProfInt N [cached]] [-start NAME] -on ... [-start NAME -on ...]... */
static void run_start(struct xperf *x)
{
	int64_t interval = 0;
	struct state state;

	while (argument(x)) {
		if (is(x, "-start")) {
			const char *name = optional(x);

			add_session(x, name ? name : KERNEL_LOGGER);
		} else if (is(x, "-SetProfInt")) {
			interval = number(x, SMALLEST_INTERVAL, LARGEST_INTERVAL);
			x->at += is(x, "cached");
		} else if (!take_option(x, x->nr ? &x->sessions[x->nr - 1]
						 : add_session(x, KERNEL_LOGGER))) {
			fail(x, E_BAD_ARGUMENT, argument(x));
		}
	}
	for (size_t i = 0; i < x->nr; i++)
		check_session(x, &x->sessions[i]);
	state_open(&state, x->s.dir);
	if (interval)
		keep_interval(&state, interval);
	for (size_t i = 0; i < x->nr; i++)
		start_session(x, &state, &x->sessions[i]);
	standin_pass(&x->s, "mid");
	save(x, &state);
	standin_pass(&x->s, "after");
}

/* The session, unless a fault made it end by itself. */
static struct record *find_session(const struct xperf *x, struct state *state, const char *name)
{
	struct record *session = state_find(state, "session", "name", name);

	if (session && !strcmp(record_get(session, "owner"), "xperf") &&
	    standin_session_fault(&x->s, "end")) {
		state_drop(state, session);
		return NULL;
	}
	return session;
}

static void merge(struct xperf *x, const struct strvec *files, const char *out)
{
	struct etl_header header = { .session = "Relogger",
				     .file = "[multiple files]",
				     .build = x->s.build,
				     .mode = MODE_SEQUENTIAL };
	struct etl etl;

	for (size_t i = 0; i < files->nr; i++) {
		struct strbuf data = STRBUF_INIT;

		if (standin_read(files->v[i], &data) != 0)
			fail(x, E_NO_FILE, files->v[i]);
		if (i == 0) {
			etl_read_times(data.buf, data.len, &header);
			etl_begin(&etl, &header);
		}
		if (etl_append(&etl, data.buf, data.len) != 0)
			fail(x, E_BAD_ARGUMENT, files->v[i]);
		strbuf_release(&data);
	}
	etl_end(&etl);
	if (standin_write(&x->s, out, etl.data.buf, etl.data.len) != 0)
		fail(x, standin_code_of_errno(), "Merge ETL");
	strbuf_release(&etl.data);
	printf("Merged Etl: %s\n", out);
}

/* Stops what is there, and then fails for the first that is not. */
static void stop_sessions(struct xperf *x, const struct strvec *names, struct strvec *files)
{
	const char *missing = NULL;
	struct state state;

	state_open(&state, x->s.dir);
	for (size_t i = 0; i < names->nr; i++) {
		struct record *session = find_session(x, &state, names->v[i]);

		if (!session) {
			missing = missing ? missing : names->v[i];
			continue;
		}
		if (!x->s.elevated)
			fail(x, E_ACCESS, names->v[i]);
		if (*record_get(session, "file") && write_session(x, &state, session) != 0)
			fail(x, standin_code_of_errno(), names->v[i]);
		strvec_push(files, record_get(session, "file"));
		state_drop(&state, session);
	}
	save(x, &state);
	if (missing)
		fail(x, E_INSTANCE_GONE, missing);
}

/* [-stop [NAME]]... [-d OUT [-compress]] */
static void run_stop(struct xperf *x)
{
	struct strvec names = STRVEC_INIT, files = STRVEC_INIT;
	const char *out = NULL;

	while (argument(x)) {
		if (is(x, "-stop")) {
			const char *name = optional(x);

			strvec_push(&names, name ? name : KERNEL_LOGGER);
		} else if (is(x, "-d") && !out) {
			out = value(x);
			check_path(x, out);
		} else if (is(x, "-compress") && out) {
			x->at++;
		} else {
			fail(x, E_BAD_ARGUMENT, argument(x));
		}
	}
	if (!names.nr)
		strvec_push(&names, KERNEL_LOGGER);
	stop_sessions(x, &names, &files);
	standin_pass(&x->s, "mid");
	if (out)
		merge(x, &files, out);
	standin_pass(&x->s, "after");
	strvec_release(&files);
	strvec_release(&names);
}

/* FILES... OUT [-compress] [-injectonly] [-mergeonly] [-suppresspii] */
static void run_merge(struct xperf *x)
{
	struct strvec files = STRVEC_INIT;
	char *out;

	x->at++;
	while (argument(x)) {
		if (argument(x)[0] != '-')
			strvec_push(&files, argument(x));
		else if (!is(x, "-compress") && !is(x, "-injectonly") && !is(x, "-mergeonly") &&
			 !is(x, "-suppresspii"))
			fail(x, E_BAD_ARGUMENT, argument(x));
		x->at++;
	}
	if (files.nr < 2)
		fail(x, E_BAD_ARGUMENT, "-merge");
	for (size_t i = 0; i < files.nr; i++)
		check_path(x, files.v[i]);
	out = xstrdup(files.v[files.nr - 1]);
	strvec_remove(&files, files.nr - 1);
	merge(x, &files, out);
	strvec_release(&files);
	free(out);
}

static void run_mark(struct xperf *x)
{
	const char *text = value(x);
	struct record *session;
	struct state state;
	char *mark;

	state_open(&state, x->s.dir);
	session = find_session(x, &state, KERNEL_LOGGER);
	if (!session)
		fail(x, E_INSTANCE_GONE, KERNEL_LOGGER);
	mark = xasprintf("%lld %s", (long long)port_ticks(), text);
	record_add(session, "mark", mark);
	free(mark);
	save(x, &state);
	standin_pass(&x->s, "after");
}

/* [NAME] [-f FILE] */
static void run_flush(struct xperf *x)
{
	const char *name = optional(x);
	struct record *session;
	struct state state;

	if (is(x, "-f"))
		value(x);
	state_open(&state, x->s.dir);
	session = find_session(x, &state, name ? name : KERNEL_LOGGER);
	if (!session)
		fail(x, E_INSTANCE_GONE, name ? name : KERNEL_LOGGER);
	if (write_session(x, &state, session) != 0)
		fail(x, standin_code_of_errno(), record_get(session, "name"));
	state_close(&state);
}

static void run_capture_state(struct xperf *x)
{
	const char *name = value(x);
	struct state state;

	if (!argument(x))
		fail(x, E_BAD_ARGUMENT, "-capturestate");
	x->at++;
	state_open(&state, x->s.dir);
	if (!find_session(x, &state, name))
		fail(x, E_INSTANCE_GONE, name);
	save(x, &state);
}

static void run_loggers(struct xperf *x)
{
	const char *lost = standin_session_fault(&x->s, "lose");
	struct state state;

	x->at++;
	state_open(&state, x->s.dir);
	for (size_t i = 0; i < state.nr; i++) {
		const struct record *r = &state.v[i];

		if (strcmp(r->kind, "session") != 0)
			continue;
		printf("\nLogger Name           : %s\n", record_get(r, "name"));
		printf("Buffer Size           : %s\n", record_get(r, "kb"));
		printf("Maximum Buffers       : %s\n", record_get(r, "most buffers"));
		printf("Minimum Buffers       : %s\n", record_get(r, "buffers"));
		printf("Events Lost           : %s\n", lost ? lost : "0");
		printf("Log Buffers Lost      : 0\n");
		printf("Real Time Buffers Lost: 0\n");
		printf("Log Filename          : %s\n", record_get(r, "file"));
		printf("Trace Flags           : %s\n", record_get(r, "on"));
	}
	state_close(&state);
}

/* [N [cached]]: without N the default. */
static void run_interval(struct xperf *x)
{
	const char *text = optional(x);
	int64_t interval = DEFAULT_INTERVAL;
	struct state state;

	if (text && !standin_is_number(text, SMALLEST_INTERVAL, LARGEST_INTERVAL, &interval))
		fail(x, E_BAD_ARGUMENT, "-SetProfInt");
	x->at += is(x, "cached");
	if (!x->s.elevated)
		fail(x, E_ACCESS, "-SetProfInt");
	state_open(&state, x->s.dir);
	keep_interval(&state, interval);
	save(x, &state);
	printf("New Profile Interval = %lld [%.4fms]\n", (long long)interval,
	       (double)interval / 10000);
}

static void run_providers(struct xperf *x)
{
	optional(x);
	printf("Kernel Flags: %s\nKernel Groups: %s\n", names_xperf_flags, names_xperf_groups);
}

static void run_help(struct xperf *x)
{
	optional(x);
	puts("Usage: xperf options ...");
}

static bool lost_events(const struct strbuf *trace)
{
	struct etl_header header = { 0 };

	etl_read_times(trace->buf, trace->len, &header);
	if (header.events_lost)
		printf("%u Events were lost in this trace.  Data may be unreliable.\n",
		       (unsigned)header.events_lost);
	return header.events_lost != 0;
}

/* What comes before the action. */
struct input {
	const char *in, *out;
	bool tolerant; /* of lost events */
};

static void parse_input(struct xperf *x, struct input *input)
{
	while (argument(x) && !is(x, "-a")) {
		if (is(x, "-i"))
			input->in = value(x);
		else if (is(x, "-o"))
			input->out = value(x);
		else if (is(x, "-symbols"))
			optional(x);
		else if (is(x, "-tle") || is(x, "-tti"))
			input->tolerant |= text_equal_fold(x->s.args.v[x->at++], "-tle");
		else if (is(x, "-range") && x->at + 2 < x->s.args.nr)
			x->at += 3;
		else
			fail(x, E_BAD_ARGUMENT, argument(x));
	}
	if (!input->in)
		fail(x, E_BAD_ARGUMENT, "-i");
}

/* [-tle] [-tti] -i FILE [-o OUT] [-symbols [verbose]] [-range A B] [-a ACTION [its options]] */
static void run_input(struct xperf *x)
{
	static const char actions[] =
		"boot cpudisk dumper marks process profile stack symcache sysconfig tracestats "
		"virtualalloc winlogon ";
	struct strbuf trace = STRBUF_INIT, text = STRBUF_INIT;
	struct input input = { 0 };
	const char *action;

	parse_input(x, &input);
	action = argument(x) ? value(x) : "dumper";
	if (!names_have(actions, action, true))
		fail(x, E_BAD_ARGUMENT, action);
	x->at = x->s.args.nr;
	if (standin_read(input.in, &trace) != 0)
		fail(x, E_NO_FILE, input.in);
	if (!etl_check(trace.buf, trace.len))
		fail(x, E_BAD_ARGUMENT, input.in);
	if (lost_events(&trace) && !input.tolerant)
		fail(x, E_NOT_ENABLED, input.in);
	strbuf_addf(&text, "%s of %s\n", action, input.in);
	if (!input.out)
		fputs(text.buf, stdout);
	else if (standin_write(&x->s, input.out, text.buf, text.len) != 0)
		fail(x, standin_code_of_errno(), input.out);
	strbuf_release(&text);
	strbuf_release(&trace);
}

static const struct {
	const char *option, *verb; /* -on and -d stand for verbs of their own */
	void (*run)(struct xperf *x);
} verbs[] = {
	{ "-start", "start", run_start },
	{ "-on", "start", run_start },
	{ "-stop", "stop", run_stop },
	{ "-d", "stop", run_stop },
	{ "-merge", "merge", run_merge },
	{ "-m", "mark", run_mark },
	{ "-flush", "flush", run_flush },
	{ "-capturestate", "capturestate", run_capture_state },
	{ "-loggers", "loggers", run_loggers },
	{ "-SetProfInt", "setprofint", run_interval },
	{ "-providers", "providers", run_providers },
	{ "-i", "input", run_input },
	{ "-tle", "input", run_input },
	{ "-tti", "input", run_input },
	{ "-help", "help", run_help },
};

/* -SetProfInt begins a start where there is an -on behind it. */
static size_t find_verb(const struct xperf *x)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(verbs) && !is(x, verbs[i].option))
		i++;
	for (size_t at = 1; is(x, "-SetProfInt") && at < x->s.args.nr; at++)
		if (text_equal_fold(x->s.args.v[at], "-on"))
			return 0;
	return i;
}

int main(int argc, char **argv)
{
	struct xperf x = { 0 };
	uint32_t code;
	size_t verb;

	standin_begin(&x.s, "xperf", "STANDIN_XPERF_VERSION", "10.0.26100.1", argc, argv);
	if (!argument(&x)) {
		run_help(&x);
		standin_end(&x.s, 0);
	}
	verb = find_verb(&x);
	if (verb == ARRAY_SIZE(verbs))
		fail(&x, E_BAD_ARGUMENT, argument(&x));
	if (standin_verb(&x.s, verbs[verb].verb, &code) != 0)
		fail(&x, code, verbs[verb].verb);
	verbs[verb].run(&x);
	if (argument(&x))
		fail(&x, E_BAD_ARGUMENT, argument(&x));
	standin_end(&x.s, 0);
}
