#include "record/tracker.h"

#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/quote.h"
#include "util/text.h"

/* A row, with data needed only while it is built. */
struct tracked {
	struct process *process; /* owned by the list */
	struct tracked *parent;  /* NULL: the profiler, or a process that was not seen */
	size_t live_at;          /* index in tracker.live */
	bool living;
	int own_execs;     /* programs it will still run before it is the build */
	struct tag before; /* of the last of process.execs */
	/* For each of process.execs, then for the last program, the index of the first response file that it named. */
	size_t *responses;
	size_t responses_alloc;
};

struct tracker {
	struct tracker_options options;
	struct process_list list;
	struct tracked **rows; /* in the order of list.v before sorting; owned */
	size_t rows_nr, rows_alloc;
	struct tracked **live;
	size_t live_nr, live_alloc;
	struct intmap by_pid;  /* the latest row of each pid */
	struct tracked *build; /* its first process; may change until build_known */
	bool build_known;      /* `build` is certain: it ran own_script */
	enum tag_numbering numbering;
	int64_t peak_resident_bytes;
};

struct tracker *tracker_new(const struct tracker_options *options)
{
	struct tracker *tracker = xcalloc(1, sizeof(*tracker));

	tracker->options = *options;
	return tracker;
}

void tracker_free(struct tracker *tracker)
{
	if (!tracker)
		return;
	for (size_t i = 0; i < tracker->rows_nr; i++) {
		tag_release(&tracker->rows[i]->before);
		free(tracker->rows[i]->responses);
		free(tracker->rows[i]);
	}
	free(tracker->rows);
	free(tracker->live);
	intmap_release(&tracker->by_pid);
	process_list_release(&tracker->list);
	free(tracker);
}

/*
 * A profiler that is a script around the real one (Ubuntu, Debian 11) has started children, which have ended when the
 * build begins.
 */
static bool may_be_build(const struct tracker *tracker, const struct tracked *row)
{
	const struct tracked *build = tracker->build;

	return !build || (tracker->options.own_script && !tracker->build_known && !build->living &&
			  row->process->ppid == build->process->ppid);
}

/* The moment that has the value for "unknown" is one before the recording, and may as well be its start. */
static int64_t time_of(const struct tracker *tracker, const struct proc_event *event)
{
	int64_t time_ns = event->time_ns - tracker->options.base_ns;

	return time_ns == PROCESS_UNKNOWN ? 0 : time_ns;
}

static struct tracked *add_row(struct tracker *tracker, const struct proc_event *event)
{
	struct tracked *row = xcalloc(1, sizeof(*row));

	row->before = (struct tag)TAG_INIT;
	row->process = process_list_add(&tracker->list);
	row->process->pid = event->pid;
	row->process->ppid = event->ppid;
	row->process->start_ns = time_of(tracker, event);
	row->parent = intmap_get(&tracker->by_pid, event->ppid);
	/* Others have a parent that was not seen: all their programs belong to the build. */
	if (may_be_build(tracker, row)) {
		row->own_execs = tracker->options.own_execs;
		tracker->build = row;
	}
	ARRAY_GROW(tracker->rows, tracker->rows_nr + 1, tracker->rows_alloc);
	tracker->rows[tracker->rows_nr++] = row;
	ARRAY_GROW(tracker->live, tracker->live_nr + 1, tracker->live_alloc);
	row->live_at = tracker->live_nr;
	row->living = true;
	tracker->live[tracker->live_nr++] = row;
	intmap_put(&tracker->by_pid, event->pid, row);
	return row;
}

static void drop_living(struct tracker *tracker, struct tracked *row)
{
	struct tracked *last = tracker->live[--tracker->live_nr];

	tracker->live[row->live_at] = last;
	last->live_at = row->live_at;
	row->living = false;
}

/* Response files of one program: each is in place of one argument. */
struct responses {
	const struct response_file *v; /* of the process */
	size_t from, nr;
	bool used[PROC_RESPONSES_MAX];
};

static struct responses responses_of(const struct tracked *row, size_t program)
{
	const struct process *process = row->process;
	size_t from = row->responses[program], to = process->responses_nr;
	struct responses responses = { .v = process->responses, .from = from };

	if (program < process->execs_nr)
		to = row->responses[program + 1];
	responses.nr = to - from < PROC_RESPONSES_MAX ? to - from : PROC_RESPONSES_MAX;
	return responses;
}

static const char *take_response(struct responses *responses, const char *arg)
{
	const char *path = strchr(arg, '@');

	for (size_t i = 0; path && i < responses->nr; i++) {
		const struct response_file *file = &responses->v[responses->from + i];

		if (!responses->used[i] && !strcmp(file->path, path + 1)) {
			responses->used[i] = true;
			return file->text;
		}
	}
	return NULL;
}

/* rustc and bootstrap write one argument per line; other response files are split like command lines. */
static void add_response_args(const char *text, struct strvec *argv)
{
	struct err err = ERR_INIT;

	if (!strchr(text, '\n')) {
		if (quote_split(text, argv, &err))
			strvec_push(argv, text);
		err_clear(&err);
		return;
	}
	while (*text) {
		size_t len = strcspn(text, "\r\n");

		if (len >= 2 && (*text == '"' || *text == '\'') && text[len - 1] == *text)
			strvec_push_nodup(argv, xstrndup(text + 1, len - 2));
		else if (len)
			strvec_push_nodup(argv, xstrndup(text, len));
		text += len;
		text += strspn(text, "\r\n");
	}
}

static void expand_argv(const struct strvec *argv, struct responses *responses,
			struct strvec *expanded)
{
	for (size_t i = 0; i < argv->nr; i++) {
		bool response = argv->v[i][0] == '@' || text_starts_with(argv->v[i], "-Wl,@");
		const char *text = response ? take_response(responses, argv->v[i]) : NULL;

		if (text)
			add_response_args(text, expanded);
		else
			strvec_push(expanded, argv->v[i]);
	}
}

static const char *find_env(const struct process *process, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < process->env.nr; i++) {
		if (!strncmp(process->env.v[i], name, len) && process->env.v[i][len] == '=')
			return process->env.v[i] + len + 1;
	}
	return NULL;
}

/*
 * Tag one program of the process, the last or one of those before it; `before` is the tag of the one before that, NULL for
 * the first.
 */
static void tag_program(struct tracker *tracker, struct tracked *row, size_t program,
			const struct tag *before, struct tag *tag)
{
	struct process *process = row->process;
	bool last = program == process->execs_nr;
	struct strvec expanded = STRVEC_INIT;
	struct tag_input in = {
		.exe = last ? process->exe : process->execs[program].exe,
		.argv = &expanded,
		.rustc_stage = find_env(process, "RUSTC_STAGE"),
		.package = find_env(process, "CARGO_PKG_NAME"),
		.target_dir = find_env(process, "CARGO_TARGET_DIR"),
		.cwd = process->cwd,
		.exec_seen = process->exec_seen,
		.parent = row->parent ? &row->parent->process->tag : NULL,
		.before_exec = before,
		.numbering = tracker->numbering,
	};

	if (process->exec_seen) {
		struct responses responses = responses_of(row, program);

		expand_argv(last ? &process->argv : &process->execs[program].argv, &responses,
			    &expanded);
	}
	if (tracker->numbering == NUMBERING_UNKNOWN)
		tracker->numbering = in.numbering = tag_detect_numbering(&in);
	tag_process(tracker->options.rules, &in, tag);
	strvec_release(&expanded);
}

/* The last program alone: the one before it was tagged at its own exec. */
static void tag_last_program(struct tracker *tracker, struct tracked *row)
{
	size_t last = row->process->execs_nr;

	tag_program(tracker, row, last, last ? &row->before : NULL, &row->process->tag);
}

/* All programs, as their tags depend on the numbering and on the parent's, which are known by now. */
static void tag_row(struct tracker *tracker, struct tracked *row)
{
	size_t last = row->process->execs_nr;
	struct tag tag = TAG_INIT;

	for (size_t i = 0; i < last; i++) {
		tag_program(tracker, row, i, i ? &row->before : NULL, &tag);
		tag_release(&row->before);
		row->before = tag;
		tag = (struct tag)TAG_INIT;
	}
	tag_last_program(tracker, row);
}

static void set_strings(struct strvec *to, const struct strvec *from)
{
	strvec_release(to);
	strvec_push_all(to, from);
}

static void keep_earlier_program(struct tracked *row, int64_t end_ns)
{
	struct process *process = row->process;

	tag_release(&row->before);
	row->before = process->tag;
	process->tag = (struct tag)TAG_INIT;
	ARRAY_ADD(process->execs, process->execs_nr, process->execs_alloc,
		  (struct process_exec){
			  .end_ns = end_ns, .exe = process->exe, .argv = process->argv });
	process->exe = NULL;
	process->argv = (struct strvec)STRVEC_INIT;
}

static void add_responses(struct tracked *row, const struct strvec *responses)
{
	struct process *process = row->process;

	ARRAY_GROW(row->responses, process->execs_nr + 1, row->responses_alloc);
	row->responses[process->execs_nr] = process->responses_nr;
	for (size_t i = 0; i + 1 < responses->nr; i += 2) {
		if (process->responses_nr == PROCESS_RESPONSES_MAX)
			break;
		ARRAY_ADD(process->responses, process->responses_nr, process->responses_alloc,
			  (struct response_file){ xstrdup(responses->v[i]),
						  xstrdup(responses->v[i + 1]) });
	}
}

/* Polling mostly misses the shell before the build, so it is recognised by its script where possible. */
static bool is_own_program(struct tracker *tracker, struct tracked *row,
			   const struct proc_event *event)
{
	const char *script = tracker->options.own_script;

	if (row->own_execs <= 0)
		return false;
	row->own_execs--;
	if (event->argv_lost || !script)
		return true;
	tracker->build_known = event->argv.nr > 2 && !strcmp(event->argv.v[1], "-c") &&
			       !strcmp(event->argv.v[2], script);
	return tracker->build_known;
}

static void handle_exec(struct tracker *tracker, struct tracked *row,
			const struct proc_event *event)
{
	struct process *process = row->process;

	if (is_own_program(tracker, row, event))
		return;
	if (process->exec_seen && !process->argv_lost && process->execs_nr < PROCESS_EXECS_MAX)
		keep_earlier_program(row, time_of(tracker, event));
	process->exec_seen = true;
	process->argv_lost = event->argv_lost;
	free(process->exe);
	process->exe = xstrdup_or_null(event->exe);
	set_strings(&process->argv, &event->argv);
	set_strings(&process->env, &event->env);
	free(process->cwd);
	process->cwd = xstrdup_or_null(event->cwd);
	add_responses(row, &event->responses);
	tag_last_program(tracker, row);
}

static void raise_to(int64_t *value, int64_t to)
{
	if (to > *value)
		*value = to;
}

static void handle_usage(struct process *process, const struct proc_event *event)
{
	raise_to(&process->cpu_ns, event->cpu_ns);
	raise_to(&process->peak_rss_bytes, event->peak_rss_bytes);
	raise_to(&process->peak_commit_bytes, event->peak_commit_bytes);
	raise_to(&process->waits.cpu_ns, event->waits.cpu_ns);
	raise_to(&process->waits.io_ns, event->waits.io_ns);
	raise_to(&process->waits.memory_ns, event->waits.memory_ns);
}

void tracker_event(struct tracker *tracker, const struct proc_event *event)
{
	struct tracked *row = intmap_get(&tracker->by_pid, event->pid);

	switch (event->kind) {
	case PROC_FORK:
		/* The pid was reused: the end of its last process was missed. */
		if (row && row->living)
			drop_living(tracker, row);
		add_row(tracker, event);
		break;
	case PROC_EXEC:
		handle_exec(tracker, row && row->living ? row : add_row(tracker, event), event);
		break;
	case PROC_EXIT:
		if (!row || !row->living)
			break;
		drop_living(tracker, row);
		row->process->end_ns = time_of(tracker, event);
		/* Events of two processors may overtake each other. */
		if (row->process->end_ns < row->process->start_ns)
			row->process->end_ns = row->process->start_ns;
		row->process->exit_code = event->exit_code;
		row->process->signal = event->signal;
		break;
	case PROC_USAGE:
		if (!row)
			break;
		handle_usage(row->process, event);
		/* The build held at least as much as one of its processes, if only between two looks. */
		raise_to(&tracker->peak_resident_bytes, event->peak_rss_bytes);
		break;
	}
}

uint64_t tracker_ended(const struct tracker *tracker)
{
	return tracker->rows_nr - tracker->live_nr;
}

void tracker_read_memory(struct tracker *tracker, struct tracker_live *live)
{
	memset(live, 0, sizeof(*live));
	for (size_t i = 0; i < tracker->live_nr; i++) {
		struct process *process = tracker->live[i]->process;
		int64_t bytes;

		live->by_role[process->tag.role]++;
		live->total++;
		/* Before its first exec it may share its parent's memory. */
		if (!process->exec_seen)
			continue;
		bytes = build_process_resident(process->pid);
		if (bytes < 0)
			continue;
		live->resident_bytes += bytes;
		if (bytes > process->peak_rss_bytes)
			process->peak_rss_bytes = bytes;
		if (bytes > live->biggest_bytes) {
			live->biggest_bytes = bytes;
			live->biggest = process;
		}
	}
	if (live->resident_bytes > tracker->peak_resident_bytes)
		tracker->peak_resident_bytes = live->resident_bytes;
	live->peak_resident_bytes = tracker->peak_resident_bytes;
}

void tracker_each_living(const struct tracker *tracker,
			 void (*fn)(const struct process *process, void *data), void *data)
{
	for (size_t i = 0; i < tracker->live_nr; i++)
		fn(tracker->live[i]->process, data);
}

size_t tracker_signal(const struct tracker *tracker, bool force)
{
	size_t count = 0;

	for (size_t i = 0; i < tracker->live_nr; i++) {
		const struct process *process = tracker->live[i]->process;

		count += build_process_signal(process->pid,
					      process->start_ns + tracker->options.base_ns, force);
	}
	return count;
}

/*
 * A process without an exec still runs its parent's program: the one that ran when it started. Thousands may share a
 * command line of megabytes.
 */
static void borrow_parents_program(struct tracked *row)
{
	struct process *process = row->process;
	const struct process *parent = row->parent ? row->parent->process : NULL;

	if (process->exec_seen || !parent)
		return;
	process->borrows_program = true;
	process->cwd = parent->cwd;
	process->exe = parent->exe;
	process->argv = parent->argv;
	for (size_t i = parent->execs_nr; i-- > 0 && parent->execs[i].end_ns > process->start_ns;) {
		process->exe = parent->execs[i].exe;
		process->argv = parent->execs[i].argv;
	}
}

const struct process_list *tracker_finish(struct tracker *tracker, const struct process **build)
{
	*build = tracker->build ? tracker->build->process : NULL;
	for (size_t i = 0; i < tracker->rows_nr; i++) {
		borrow_parents_program(tracker->rows[i]);
		tag_row(tracker, tracker->rows[i]);
	}
	process_list_sort(&tracker->list);
	return &tracker->list;
}
