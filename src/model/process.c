#include "model/process.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"
#include "util/wrap.h"

void process_init(struct process *process)
{
	*process = (struct process){
		.pid = PROCESS_UNKNOWN,
		.ppid = PROCESS_UNKNOWN,
		.start_ns = PROCESS_UNKNOWN,
		.end_ns = PROCESS_UNKNOWN,
		.exit_code = PROCESS_UNKNOWN,
		.argv = STRVEC_INIT,
		.env = STRVEC_INIT,
		.cpu_ns = PROCESS_UNKNOWN,
		.peak_rss_bytes = PROCESS_UNKNOWN,
		.waits = WAITS_UNKNOWN,
		.peak_commit_bytes = PROCESS_UNKNOWN,
		.tag = TAG_INIT,
	};
}

void process_release(struct process *process)
{
	if (!process->borrows_program) {
		free(process->exe);
		strvec_release(&process->argv);
		free(process->cwd);
	}
	strvec_release(&process->env);
	for (size_t i = 0; i < process->execs_nr; i++) {
		free(process->execs[i].exe);
		strvec_release(&process->execs[i].argv);
	}
	free(process->execs);
	for (size_t i = 0; i < process->responses_nr; i++) {
		free(process->responses[i].path);
		free(process->responses[i].text);
	}
	free(process->responses);
	tag_release(&process->tag);
	free(process->why);
	process_init(process);
}

const char *process_image(const struct process *process)
{
	return text_file_name(process->exe       ? process->exe
			      : process->argv.nr ? process->argv.v[0]
						 : "?");
}

int64_t process_duration(const struct process *process)
{
	if (process->end_ns == PROCESS_UNKNOWN || process->start_ns == PROCESS_UNKNOWN)
		return PROCESS_UNKNOWN;
	return process->end_ns - process->start_ns;
}

struct process *process_list_add(struct process_list *list)
{
	struct process *process = xmalloc(sizeof(*process));

	process_init(process);
	ARRAY_GROW(list->v, list->nr + 1, list->alloc);
	list->v[list->nr++] = process;
	return process;
}

void process_list_drop_last(struct process_list *list)
{
	list->nr--;
	process_release(list->v[list->nr]);
	free(list->v[list->nr]);
}

static int by_start(const void *a, const void *b)
{
	const struct process *pa = *(struct process *const *)a;
	const struct process *pb = *(struct process *const *)b;

	if (pa->start_ns != pb->start_ns)
		return pa->start_ns < pb->start_ns ? -1 : 1;
	return (pa->pid > pb->pid) - (pa->pid < pb->pid);
}

int64_t process_list_cpu(const struct process_list *list)
{
	int64_t sum = PROCESS_UNKNOWN;

	for (size_t i = 0; i < list->nr; i++)
		if (list->v[i]->cpu_ns != PROCESS_UNKNOWN)
			sum = wrap_add(sum == PROCESS_UNKNOWN ? 0 : sum, list->v[i]->cpu_ns);
	return sum;
}

bool process_list_compiles(const struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i]->tag.role == ROLE_RUSTC && list->v[i]->tag.crate)
			return true;
	}
	return false;
}

static bool is_called_cargo(const struct process *process)
{
	return process->tag.role == ROLE_CARGO && process->argv.nr > 1;
}

/* No part of the build: not rustc, cargo, or a question of a version. */
static bool is_a_program(const struct process *process)
{
	enum role role = process->tag.role;

	return role != ROLE_PROBE && role != ROLE_RUSTC && role != ROLE_RUSTC_SHIM &&
	       role != ROLE_CARGO;
}

bool process_list_compiles_nothing(const struct process_list *list)
{
	struct intmap cargos = INTMAP_INIT; /* by pid */
	bool nothing;

	if (process_list_compiles(list))
		return false;
	for (size_t i = 0; i < list->nr; i++) {
		if (is_called_cargo(list->v[i]))
			intmap_put(&cargos, list->v[i]->pid, list->v[i]);
	}
	nothing = cargos.nr > 0;
	/* A program that cargo itself started, as `cargo run` does. */
	for (size_t i = 0; i < list->nr && nothing; i++)
		nothing = !is_a_program(list->v[i]) || !intmap_get(&cargos, list->v[i]->ppid);
	intmap_release(&cargos);
	return nothing;
}

void process_list_sort(struct process_list *list)
{
	if (list->nr)
		qsort(list->v, list->nr, sizeof(*list->v), by_start);
}

void process_list_release(struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		process_release(list->v[i]);
		free(list->v[i]);
	}
	free(list->v);
	*list = (struct process_list)PROCESS_LIST_INIT;
}

/* The map has pointers, so that indices are stored plus one. */
struct intmap process_list_places(const struct process_list *list)
{
	struct intmap places = INTMAP_INIT;

	for (size_t i = 0; i < list->nr; i++)
		intmap_put(&places, (int64_t)(intptr_t)list->v[i], (void *)(uintptr_t)(i + 1));
	return places;
}

size_t process_list_place(const struct intmap *places, const struct process *process)
{
	uintptr_t stored = (uintptr_t)intmap_get(places, (int64_t)(intptr_t)process);

	return stored ? stored - 1 : PROCESS_NO_PLACE;
}
