/*
 * Any bytes as a perf.data file, scrubbed and read again:
 * - with all its processes of the build and no names to replace, it has the same events;
 * - with names, no text of an event has them;
 * - with no process of the build, no text of it is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_perf.h"
#include "trace/perf/perf_rewrite.h"
#include "trace/perf/perf_scrub.h"
#include "util/ascii.h"
#include "util/scrub.h"

#define HOST "planted-host"
#define USER "planteduser"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Call chains for copies, and the processes, which are all of the build. */
struct first {
	struct perf_chains *chains;
	struct perf_scrub *scrub;
};

static bool contains(const char *text, const char *word)
{
	size_t nr = strlen(word);

	for (; *text; text++) {
		size_t i = 0;

		while (i < nr && ascii_lower(text[i]) == word[i])
			i++;
		if (i == nr)
			return true;
	}
	return false;
}

static const char *text_of(const struct trace_event *event)
{
	if (event->kind == TRACE_MAP)
		return event->map.path;
	return event->kind == TRACE_EXEC || event->kind == TRACE_THREAD_NAME ? event->name : NULL;
}

/* Texts with a home directory change, and so are not compared. */
static void mix_numbers(struct outcome *outcome, struct trace_event *event)
{
	const char *text = text_of(event);

	if (event->kind == TRACE_CPU)
		event->cpu_sample.stack = (struct trace_stack){ .copy = NULL };
	if (event->kind == TRACE_MEMORY)
		event->memory.stack = (struct trace_stack){ .copy = NULL };
	if (event->kind == TRACE_TOUCH)
		event->touch.stack = (struct trace_stack){ .copy = NULL };
	if (text &&
	    (contains(text, "home") || contains(text, "users") || contains(text, "documents"))) {
		if (event->kind == TRACE_MAP)
			event->map.path = "";
		else
			event->name = "";
	}
	mix_event(outcome, event);
}

static void take_first(void *data, struct outcome *outcome, struct trace_event *event)
{
	struct first *first = data;
	const struct trace_stack *stack = trace_event_stack(event);
	const uint64_t addresses[] = { 1, 2, 3 };

	if (stack && stack->copy)
		perf_chains_add(first->chains, stack->copy->id, addresses, 3, STACK_UNWOUND);
	perf_scrub_add_process(first->scrub, event->pid);
	mix_numbers(outcome, event);
}

static void take_again(void *data, struct outcome *outcome, struct trace_event *event)
{
	(void)data;
	mix_numbers(outcome, event);
}

static void take_names(void *data, struct outcome *outcome, struct trace_event *event)
{
	const char *text = text_of(event);

	(void)data;
	(void)outcome;
	if (text && (contains(text, HOST) || contains(text, USER)))
		abort();
}

static void take_others(void *data, struct outcome *outcome, struct trace_event *event)
{
	const char *text = text_of(event);

	(void)data;
	(void)outcome;
	if (!text || (event->kind == TRACE_MAP && event->map.kernel))
		return;
	if (event->kind == TRACE_MAP
		    ? strncmp(text, "/other/", 7) && *text != '[' && strcmp(text, "//anon") != 0 &&
			      strcmp(text, "/anon_hugepage") != 0 && *text
		    : strcmp(text, "other") != 0)
		abort();
}

/* Formats and features that are left out may change what an event is taken for. */
static bool may_differ(const struct scrub *scrub)
{
	size_t nr;
	const struct scrub_removed *list = scrub_list(scrub, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (strncmp(list[i].what, "records of", 10) != 0 &&
		    strcmp(list[i].what, "owners of home directories") != 0)
			return true;
	}
	return false;
}

/* Scrub and read again; NULL: it cannot be scrubbed. The caller frees the bytes. */
static void *rewrite(const uint8_t *data, size_t size, struct perf_chains *chains,
		     struct perf_scrub *scrub, size_t *nr)
{
	struct perf_rewrite_result result;
	struct err err = ERR_INIT;
	struct trace_input input;
	FILE *out = tmpfile();
	const struct perf_rewrite_job job = {
		.input = &input,
		.from = "input",
		.out = out,
		.to = "output",
		.chains = chains,
		.code = perf_code_new(),
		.scrub = scrub,
	};
	void *bytes = NULL;

	if (!out)
		abort();
	trace_input_memory(&input, data, size);
	if (!perf_scrub_read(scrub, &input, "input", job.code, NULL, &err) &&
	    !perf_rewrite(&job, &result, &err))
		bytes = read_all(out, nr);
	else if (err.code == ERR_NONE)
		abort();
	err_clear(&err);
	fclose(out);
	perf_code_free(job.code);
	return bytes;
}

static void try_names(const uint8_t *data, size_t size, const struct first *build, bool others)
{
	struct scrub *scrub = scrub_new();
	struct perf_scrub *perf = perf_scrub_new(scrub);
	void *bytes;
	size_t nr;

	scrub_add_host(scrub, HOST);
	scrub_add_user(scrub, USER);
	if (!others)
		read_perf(data, size, take_first, &(struct first){ build->chains, perf });
	bytes = rewrite(data, size, build->chains, perf, &nr);
	if (bytes)
		read_perf(bytes, nr, others ? take_others : take_names, NULL);
	free(bytes);
	perf_scrub_free(perf);
	scrub_free(scrub);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scrub *scrub = scrub_new();
	struct first first = { perf_chains_new(), perf_scrub_new(scrub) };
	struct outcome before = read_perf(data, size, take_first, &first), after;
	size_t nr;
	void *bytes = rewrite(data, size, first.chains, first.scrub, &nr);

	if (bytes) {
		after = read_perf(bytes, nr, take_again, NULL);
		after.unknown = before.unknown;
		if (!may_differ(scrub) && memcmp(&before, &after, sizeof(after)) != 0)
			abort();
		try_names(data, size, &first, false);
		try_names(data, size, &first, true);
	}
	free(bytes);
	perf_chains_free(first.chains);
	perf_scrub_free(first.scrub);
	scrub_free(scrub);
	return 0;
}
