#include "compare/job_graph.h"

#include <stdlib.h>
#include <string.h>

#include "tag/argv.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/intmap.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/text.h"
#include "util/wrap.h"

#define NO_PROCESS SIZE_MAX

/* Runs of build scripts that a compile waits for at most: a package has one for each of its versions. */
#define RUNS_MAX 64

/* Starts and ends of processes come from the tracker, metadata from the trace: they may differ by so much. */
#define SAME_TIME_NS (20 * NS_PER_MS)

/* While a graph is made. */
struct making {
	struct job_graph *graph;
	const struct process_list *list;
	int64_t end_ns;
	size_t *parents;      /* by process */
	uint32_t *session_of; /* by process: of a call of cargo; JOB_NONE */
	struct strset names;  /* of what jobs make: see name_output() */
	uint32_t *makers;     /* by number of a name: the job */
	size_t makers_nr, makers_alloc;
	uint32_t *waits_of; /* by job: the last job that was found to wait for it */
	size_t *place;      /* the same: where in its waits */
	int64_t *
		whole_ns; /* by job: when it was whole; known of those before the one whose waits are found */
	uint32_t
		*run_before; /* by job that runs a build script: the one of its package before it */
};

/* Pids are reused: the parent is the last process with its pid that started before the child. */
static size_t *find_parents(const struct process_list *list)
{
	size_t *parents = xcalloc(list->nr, sizeof(*parents));
	struct intmap last = INTMAP_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		struct process **parent = intmap_get(&last, list->v[i]->ppid);

		parents[i] = parent ? (size_t)(parent - list->v) : NO_PROCESS;
		intmap_put(&last, list->v[i]->pid, &list->v[i]);
	}
	intmap_release(&last);
	return parents;
}

static int64_t end_of(const struct making *making, const struct process *process)
{
	return process->end_ns == PROCESS_UNKNOWN ? making->end_ns : process->end_ns;
}

static bool compiles(const struct process *process)
{
	return process->tag.role == ROLE_RUSTC || process->tag.role == ROLE_RUSTDOC;
}

static int64_t jobs_max_of(const struct process *cargo)
{
	const char *value = argv_value(&cargo->argv, 1, "-j");
	int64_t jobs;

	if (!value)
		value = argv_value(&cargo->argv, 1, "--jobs");
	return value && text_parse_int(value, 1, JOBS_MOST, &jobs) ? jobs : 0;
}

/* The session of a call of cargo. One that overlaps the session before it is a part of that. */
static uint32_t session_of(struct making *making, size_t cargo)
{
	struct job_graph *graph = making->graph;
	const struct process *process = making->list->v[cargo];
	int64_t end_ns = end_of(making, process), jobs_max = jobs_max_of(process);
	struct job_session *last =
		graph->sessions_nr ? &graph->sessions[graph->sessions_nr - 1] : NULL;

	if (making->session_of[cargo] != JOB_NONE)
		return making->session_of[cargo];
	if (!last || process->start_ns >= last->end_ns) {
		ARRAY_ADD(graph->sessions, graph->sessions_nr, graph->sessions_alloc,
			  (struct job_session){ .start_ns = process->start_ns,
						.first_ns = INT64_MAX,
						.last_ns = process->start_ns });
		last = &graph->sessions[graph->sessions_nr - 1];
	}
	if (end_ns > last->end_ns)
		last->end_ns = end_ns;
	if (jobs_max > last->jobs_max)
		last->jobs_max = jobs_max;
	return making->session_of[cargo] = (uint32_t)(graph->sessions_nr - 1);
}

static void add_job(struct making *making, size_t i)
{
	struct job_graph *graph = making->graph;
	const struct process *process = making->list->v[i];
	struct job job = { .process = i,
			   .compiler = i,
			   .compiles = process->tag.role != ROLE_BUILD_SCRIPT,
			   .start_ns = process->start_ns,
			   .end_ns = end_of(making, process) };
	struct job_session *session;

	if (job.end_ns < job.start_ns)
		job.end_ns = job.start_ns;
	job.metadata_ns = job.end_ns;
	job.session = session_of(making, making->parents[i]);
	session = &graph->sessions[job.session];
	if (job.start_ns < session->first_ns)
		session->first_ns = job.start_ns;
	if (job.end_ns > session->last_ns)
		session->last_ns = job.end_ns;
	wrap_add_to(&session->work_ns, wrap_subtract(job.end_ns, job.start_ns));
	graph->job_of[i] = (uint32_t)graph->nr;
	ARRAY_ADD(graph->jobs, graph->nr, graph->alloc, job);
}

static bool is_child_of(const struct making *making, size_t i, enum role role)
{
	return making->parents[i] != NO_PROCESS &&
	       making->list->v[making->parents[i]]->tag.role == role;
}

/* By process: whether it is a shim with a compiler below it. One that asks for a version is not. */
static bool *find_shims(const struct making *making)
{
	bool *shims = xcalloc(making->list->nr, sizeof(*shims));

	for (size_t i = 0; i < making->list->nr; i++) {
		if (compiles(making->list->v[i]) && is_child_of(making, i, ROLE_RUSTC_SHIM))
			shims[making->parents[i]] = true;
	}
	return shims;
}

/* A parent comes before its children. */
static void find_jobs(struct making *making)
{
	struct job_graph *graph = making->graph;
	bool *shims = find_shims(making);

	for (size_t i = 0; i < making->list->nr; i++) {
		const struct process *process = making->list->v[i];
		size_t parent = making->parents[i];

		graph->job_of[i] = parent == NO_PROCESS ? JOB_NONE : graph->job_of[parent];
		if (graph->job_of[i] != JOB_NONE) {
			struct job *job = &graph->jobs[graph->job_of[i]];

			if (compiles(process) && parent == job->process)
				job->compiler = i;
		} else if (is_child_of(making, i, ROLE_CARGO) && process->start_ns >= 0 &&
			   graph->nr < JOB_GRAPH_MAX &&
			   (compiles(process) || shims[i] ||
			    process->tag.role == ROLE_BUILD_SCRIPT)) {
			add_job(making, i);
		}
	}
	free(shims);
}

/* The last part of a path without its ending, and the part before it. */
static void split_path(const char *path, struct strbuf *directory, struct strbuf *file)
{
	const char *last = path, *before = NULL, *end;

	for (const char *s = path; *s; s++) {
		if (*s == '/' || *s == '\\') {
			before = last;
			last = s + 1;
		}
	}
	if (before)
		strbuf_add(directory, before, (size_t)(last - 1 - before));
	end = strrchr(last, '.');
	strbuf_add(file, last, end ? (size_t)(end - last) : strlen(last));
}

/* What a job makes: a name that is the same in a session only if the file is, as it has cargo's hash. */
static void name_output(struct strbuf *sb, uint32_t session, const char *kind, const char *name,
			const char *ending)
{
	strbuf_clear(sb);
	strbuf_addf(sb, "%u %s%s%s", (unsigned int)session, kind, name, ending);
}

static void add_output(struct making *making, const char *name, uint32_t job)
{
	uint32_t number = strset_add(&making->names, name);

	ARRAY_REACH(making->makers, (size_t)number + 1, making->makers_nr, making->makers_alloc);
	making->makers[number] = job + 1;
}

static uint32_t find_maker(const struct making *making, const char *name)
{
	uint32_t number = strset_find(&making->names, name);

	return number == STRSET_NONE ? JOB_NONE : making->makers[number] - 1;
}

/* The value of -C NAME=VALUE. */
static const char *codegen_value(const struct strvec *argv, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 1; i < argv->nr; i++) {
		const char *value = argv_take_value(argv, &i, "-C");

		if (value && !strncmp(value, name, len) && value[len] == '=')
			return value + len + 1;
	}
	return "";
}

static void add_outputs(struct making *making, uint32_t number)
{
	const struct job *job = &making->graph->jobs[number];
	const struct process *process = making->list->v[job->compiler];
	const char *crate = argv_value(&process->argv, 1, "--crate-name");
	const char *out_dir = argv_value(&process->argv, 1, "--out-dir");
	const char *extra = codegen_value(&process->argv, "extra-filename");
	struct strbuf name = STRBUF_INIT, directory = STRBUF_INIT, file = STRBUF_INIT;

	if (job->compiles && crate) {
		name_output(&name, job->session, "", crate, extra);
		add_output(making, name.buf, number);
		name_output(&name, job->session, "lib", crate, extra);
		add_output(making, name.buf, number);
		if (out_dir) {
			split_path(out_dir, &directory, &file);
			name_output(&name, job->session, "script ", file.buf, "");
			add_output(making, name.buf, number);
		}
	}
	strbuf_release(&name);
	strbuf_release(&directory);
	strbuf_release(&file);
}

/* Whether a job was so far when another one began. Those after it were not: when they are whole is not known yet. */
static bool was_ready(const struct making *making, uint32_t number, uint32_t maker,
		      enum job_moment until)
{
	const struct job *made = &making->graph->jobs[maker];
	int64_t ready_ns = until == JOB_METADATA ? made->metadata_ns
			   : until == JOB_END    ? made->end_ns
						 : making->whole_ns[maker];

	return maker < number &&
	       wrap_subtract(ready_ns, SAME_TIME_NS) <= making->graph->jobs[number].start_ns;
}

static void put_wait(struct making *making, uint32_t number, uint32_t maker, enum job_moment until)
{
	struct job *job = &making->graph->jobs[number];
	struct job_wait *wait;

	if (making->waits_of[maker] != number + 1) {
		making->waits_of[maker] = number + 1;
		making->place[maker] = job->waits_nr;
		ARRAY_ADD(job->waits, job->waits_nr, job->waits_alloc,
			  (struct job_wait){ maker, until });
		return;
	}
	wait = &job->waits[making->place[maker]];
	if (until > wait->until)
		wait->until = until;
}

/* That it waits, unless it began before. One that began when a job had ended, and was not whole, waits for the end. */
static void add_wait(struct making *making, uint32_t number, uint32_t maker, enum job_moment until)
{
	struct job_graph *graph = making->graph;
	const struct job *made;

	if (maker == JOB_NONE || maker == number)
		return;
	made = &graph->jobs[maker];
	if ((until == JOB_METADATA && made->metadata_ns >= made->end_ns) ||
	    (until == JOB_WHOLE && !made->library))
		until = JOB_END;
	if (!was_ready(making, number, maker, until)) {
		graph->contradicted++;
		if (until != JOB_WHOLE || !was_ready(making, number, maker, JOB_END))
			return;
		until = JOB_END;
	}
	put_wait(making, number, maker, until);
}

/* The job of `--extern NAME=PATH`, and whether its metadata is enough: `metadata` is set for a job that was found. */
static uint32_t extern_of(const struct making *making, const struct job *job, const char *value,
			  bool *metadata)
{
	const char *path = strchr(value, '=');
	struct strbuf name = STRBUF_INIT, directory = STRBUF_INIT, file = STRBUF_INIT;
	uint32_t maker = JOB_NONE;

	if (path) {
		split_path(path + 1, &directory, &file);
		name_output(&name, job->session, "", file.buf, "");
		maker = find_maker(making, name.buf);
		*metadata = text_ends_with(path, ".rmeta");
	}
	strbuf_release(&name);
	strbuf_release(&directory);
	strbuf_release(&file);
	return maker;
}

static bool links(const struct process *compiler)
{
	const char *types = compiler->tag.crate_type;

	return types && strcmp(types, "lib") != 0 && strcmp(types, "rlib") != 0;
}

/*
 * The job of the next --extern of a job from argument `*at` on, and whether its metadata is enough. False: there is none;
 * JOB_NONE: nobody made it.
 */
static bool extern_at(const struct making *making, const struct job *job, size_t *at,
		      uint32_t *maker, bool *metadata)
{
	const struct strvec *argv = &making->list->v[job->compiler]->argv;

	for (; job->compiles && *at < argv->nr; ++*at) {
		const char *value = argv_take_value(argv, at, "--extern");

		if (!value)
			continue;
		*metadata = false;
		*maker = extern_of(making, job, value, metadata);
		++*at;
		return true;
	}
	return false;
}

/*
 * The start of a job that needs metadata shows that it was there. It is known later than that where it is guessed, and
 * where a thread that should note it got no processor.
 */
static void limit_metadata(struct making *making)
{
	struct job_graph *graph = making->graph;

	for (uint32_t i = 0; i < graph->nr; i++) {
		const struct job *job = &graph->jobs[i];
		uint32_t maker;
		bool metadata;

		for (size_t at = 1; extern_at(making, job, &at, &maker, &metadata);) {
			struct job *made = maker < i && metadata ? &graph->jobs[maker] : NULL;

			if (made && made->metadata_ns > job->start_ns &&
			    made->start_ns < job->start_ns)
				made->metadata_ns = job->start_ns;
		}
	}
}

/* Where the trace does not have it. */
static void guess_metadata(struct making *making)
{
	struct job_graph *graph = making->graph;

	for (uint32_t i = 0; i < graph->nr; i++) {
		struct job *job = &graph->jobs[i];

		if (job->compiles && !links(making->list->v[job->compiler]))
			job->metadata_ns = wrap_add(
				job->start_ns, (int64_t)((double)(job->end_ns - job->start_ns) *
							 JOB_METADATA_SHARE));
	}
}

static void take_metadata(struct making *making, const int64_t *metadata_ns)
{
	for (uint32_t i = 0; i < making->graph->nr; i++) {
		struct job *job = &making->graph->jobs[i];
		int64_t ns = metadata_ns[job->compiler];

		if (ns != PROCESS_UNKNOWN && ns >= job->start_ns && ns < job->end_ns)
			job->metadata_ns = ns;
	}
}

/* A run of a build script. */
static void wait_for_script(struct making *making, uint32_t number)
{
	const struct job *job = &making->graph->jobs[number];
	const struct process *process = making->list->v[job->process];
	const char *path = process->exe ? process->exe : process->argv.nr ? process->argv.v[0] : "";
	struct strbuf name = STRBUF_INIT, directory = STRBUF_INIT, file = STRBUF_INIT;

	split_path(path, &directory, &file);
	strbuf_clear(&file);
	name_output(&name, job->session, "script ", directory.buf, "");
	add_wait(making, number, find_maker(making, name.buf), JOB_END);
	strbuf_release(&name);
	strbuf_release(&directory);
	strbuf_release(&file);
}

static const char *package_of(const struct making *making, const struct job *job)
{
	static const char variable[] = "CARGO_PKG_NAME=";
	const struct process *process = making->list->v[job->compiler];

	if (!job->compiles)
		return process->tag.crate;
	for (size_t i = 0; i < process->env.nr; i++) {
		if (text_starts_with(process->env.v[i], variable))
			return process->env.v[i] + sizeof(variable) - 1;
	}
	return NULL;
}

static bool is_script(const struct making *making, const struct job *job)
{
	const char *crate = argv_value(&making->list->v[job->compiler]->argv, 1, "--crate-name");

	return crate && text_starts_with(crate, "build_script_");
}

/*
 * A run is an output of its package, and has the run before it; a compile of the package waits for all that had ended. One
 * of a script does not: that is of another version.
 */
static void wait_for_runs(struct making *making, uint32_t number)
{
	const struct job *job = &making->graph->jobs[number];
	const char *package = package_of(making, job);
	struct strbuf name = STRBUF_INIT;
	uint32_t run;

	if (!package)
		return;
	name_output(&name, job->session, "package ", package, "");
	run = find_maker(making, name.buf);
	if (!job->compiles) {
		making->run_before[number] = run;
		add_output(making, name.buf, number);
	} else if (!is_script(making, job)) {
		for (int nr = 0; run != JOB_NONE && nr < RUNS_MAX;
		     run = making->run_before[run], nr++) {
			if (making->graph->jobs[run].end_ns <= job->start_ns)
				add_wait(making, number, run, JOB_END);
		}
	}
	strbuf_release(&name);
}

/* What links needs the ends of all libraries that it is made of. */
static void wait_for_externs(struct making *making, uint32_t number)
{
	const struct job *job = &making->graph->jobs[number];
	enum job_moment end = job->library ? JOB_END : JOB_WHOLE;
	uint32_t maker;
	bool metadata;

	for (size_t at = 1; extern_at(making, job, &at, &maker, &metadata);)
		add_wait(making, number, maker, metadata ? JOB_METADATA : end);
}

/* Once its waits are known. */
static void set_whole(struct making *making, uint32_t number)
{
	const struct job *job = &making->graph->jobs[number];
	int64_t whole_ns = job->end_ns;

	for (size_t i = 0; job->library && i < job->waits_nr; i++) {
		int64_t ns = making->whole_ns[job->waits[i].job];

		if (ns > whole_ns)
			whole_ns = ns;
	}
	making->whole_ns[number] = whole_ns;
}

static void find_waits(struct making *making)
{
	struct job_graph *graph = making->graph;

	for (uint32_t i = 0; i < graph->nr; i++) {
		struct job *job = &graph->jobs[i];

		if (job->compiles) {
			graph->compiles_nr++;
			graph->unknown_nr += making->list->v[job->compiler]->argv.nr < 2;
			job->library = !links(making->list->v[job->compiler]);
			wait_for_externs(making, i);
		} else {
			wait_for_script(making, i);
		}
		wait_for_runs(making, i);
		set_whole(making, i);
		graph->waits_nr += job->waits_nr;
		for (size_t k = 0; k < job->waits_nr; k++)
			graph->metadata_nr += job->waits[k].until == JOB_METADATA;
	}
}

void job_graph_list_users(struct job_graph *graph)
{
	size_t *at = xcalloc(graph->nr + 2, sizeof(*at));

	free(graph->users);
	free(graph->users_at);
	graph->users = xcalloc(graph->waits_nr, sizeof(*graph->users));
	graph->users_at = at;
	for (size_t i = 0; i < graph->nr; i++)
		for (size_t k = 0; k < graph->jobs[i].waits_nr; k++)
			at[graph->jobs[i].waits[k].job + 2]++;
	for (size_t i = 2; i < graph->nr + 2; i++)
		at[i] += at[i - 1];
	for (uint32_t i = 0; i < graph->nr; i++)
		for (size_t k = 0; k < graph->jobs[i].waits_nr; k++) {
			const struct job_wait *wait = &graph->jobs[i].waits[k];

			graph->users[at[wait->job + 1]++] =
				(struct job_user){ .job = i, .until = wait->until };
		}
}

/*
 * Jobs wait for earlier ones only: from the last one on the bit set of all that depend on a job is that of each that waits
 * for it. The earliest of these come first, as they often have the others, whose sets need not be added then.
 */
static void count_dependents(struct job_graph *graph)
{
	size_t words = graph->nr / 64 + 1;
	uint64_t *sets = xcalloc(graph->nr * words + 1, sizeof(*sets));

	for (size_t i = graph->nr; i-- > 0;) {
		uint64_t *set = &sets[i * words];

		for (size_t k = graph->users_at[i]; k < graph->users_at[i + 1]; k++) {
			uint32_t user = graph->users[k].job;
			const uint64_t *more = &sets[user * words];
			uint64_t bit = UINT64_C(1) << (user % 64);

			if (set[user / 64] & bit)
				continue;
			set[user / 64] |= bit;
			for (size_t w = user / 64; w < words; w++)
				set[w] |= more[w];
		}
		for (size_t w = i / 64; w < words; w++)
			graph->jobs[i].dependents += bits_count(set[w]);
	}
	free(sets);
}

void job_graph_init(struct job_graph *graph, const struct process_list *list,
		    const int64_t *metadata_ns, bool guess, int64_t end_ns)
{
	struct making making = { .graph = graph, .list = list, .end_ns = end_ns };

	*graph = (struct job_graph){ .job_of = xcalloc(list->nr, sizeof(*graph->job_of)),
				     .processes_nr = list->nr };
	making.parents = find_parents(list);
	making.session_of = xcalloc(list->nr, sizeof(*making.session_of));
	for (size_t i = 0; i < list->nr; i++)
		making.session_of[i] = JOB_NONE;
	find_jobs(&making);
	making.waits_of = xcalloc(graph->nr, sizeof(*making.waits_of));
	making.place = xcalloc(graph->nr, sizeof(*making.place));
	making.whole_ns = xcalloc(graph->nr, sizeof(*making.whole_ns));
	making.run_before = xcalloc(graph->nr, sizeof(*making.run_before));
	for (uint32_t i = 0; i < graph->nr; i++)
		add_outputs(&making, i);
	if (guess)
		guess_metadata(&making);
	else
		take_metadata(&making, metadata_ns);
	limit_metadata(&making);
	find_waits(&making);
	job_graph_list_users(graph);
	count_dependents(graph);
	strset_release(&making.names);
	free(making.makers);
	free(making.run_before);
	free(making.whole_ns);
	free(making.place);
	free(making.waits_of);
	free(making.session_of);
	free(making.parents);
}

void job_graph_release(struct job_graph *graph)
{
	for (size_t i = 0; i < graph->nr; i++)
		free(graph->jobs[i].waits);
	free(graph->jobs);
	free(graph->sessions);
	free(graph->users);
	free(graph->users_at);
	free(graph->job_of);
	*graph = (struct job_graph){ 0 };
}

const struct job_session *job_graph_main_session(const struct job_graph *graph)
{
	const struct job_session *main = NULL;

	for (size_t i = 0; i < graph->sessions_nr; i++) {
		if (!main || graph->sessions[i].work_ns > main->work_ns)
			main = &graph->sessions[i];
	}
	return main;
}
