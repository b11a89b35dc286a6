#include "analysis/failure.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"

#define SIGNAL(nr) (128 + (nr))

/* ntstatus.h; Linux: 128 + signal. */
static const struct {
	int64_t code;
	const char *name;
	bool memory;
} codes[] = {
	{ INT64_C(0xC0000017), "STATUS_NO_MEMORY", true },
	{ INT64_C(0xC000012D), "STATUS_COMMITMENT_LIMIT", true },
	{ INT64_C(0xC000009A), "STATUS_INSUFFICIENT_RESOURCES", true },
	{ INT64_C(0xC0000044), "STATUS_QUOTA_EXCEEDED", true },
	{ INT64_C(0xC0000409), "STATUS_STACK_BUFFER_OVERRUN, as abort() ends a process", false },
	{ INT64_C(0xC00000FD), "STATUS_STACK_OVERFLOW", false },
	{ INT64_C(0xC0000005), "STATUS_ACCESS_VIOLATION", false },
	{ INT64_C(0xC000013A), "STATUS_CONTROL_C_EXIT", false },
	{ INT64_C(0xC0000142), "STATUS_DLL_INIT_FAILED", false },
	{ SIGNAL(2), "SIGINT", false },
	{ SIGNAL(4), "SIGILL", false },
	{ SIGNAL(6), "SIGABRT", false },
	{ SIGNAL(7), "SIGBUS", false },
	{ SIGNAL(9), "SIGKILL", false },
	{ SIGNAL(11), "SIGSEGV", false },
	{ SIGNAL(13), "SIGPIPE", false },
	{ SIGNAL(15), "SIGTERM", false },
	{ SIGNAL(24), "SIGXCPU", false },
};

/* What is written where memory is not there: Rust's runtime, LLVM, C++, libc, the linkers, MSVC, Windows. */
static const char *const memory_texts[] = {
	"memory allocation of ",
	"LLVM ERROR: out of memory",
	"LLVM ERROR: Allocation failed",
	"std::bad_alloc",
	"Cannot allocate memory",
	"(os error 12)",
	"(os error 1455)",
	"memory exhausted",
	"out of memory",
	"Out of memory",
	"out of heap space",
	"LNK1102",
	"paging file is too small",
	"Not enough memory",
};

const char *failure_code_name(int64_t exit_code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == exit_code)
			return codes[i].name;
	return NULL;
}

bool failure_code_is_memory(int64_t exit_code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == exit_code)
			return codes[i].memory;
	return false;
}

bool failure_code_is_kill(int64_t exit_code)
{
	return exit_code == SIGNAL(9);
}

bool failure_code_is_abort(int64_t exit_code)
{
	return exit_code == SIGNAL(6) || exit_code == INT64_C(0xC0000409);
}

/* A process of unknown end passes on the failure of its children. */
static bool may_have_failed(const struct process *process)
{
	return process->exit_code != 0;
}

/* What ended after its parent did not make that one fail: a daemon, or what the recording ended. */
static bool outlives(const struct process *process, const struct process *parent)
{
	return process->end_ns != PROCESS_UNKNOWN && parent->end_ns != PROCESS_UNKNOWN &&
	       process->end_ns > parent->end_ns;
}

static int by_end(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a;
	const struct process *y = *(const struct process *const *)b;

	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

const struct process **failure_find(const struct process_list *list, size_t *nr)
{
	struct intmap by_pid = { 0 };
	size_t *parents = xcalloc(list->nr + 1, sizeof(*parents)); /* index + 1 */
	bool *counts = xcalloc(list->nr + 1, sizeof(*counts));
	const struct process **found = NULL;
	size_t alloc = 0;

	*nr = 0;
	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];

		parents[i] = (size_t)(uintptr_t)intmap_get(&by_pid, process->ppid);
		counts[i] = process->tag.role != ROLE_PROBE && may_have_failed(process) &&
			    (!parents[i] || (counts[parents[i] - 1] &&
					     !outlives(process, list->v[parents[i] - 1])));
		intmap_put(&by_pid, process->pid, (void *)(uintptr_t)(i + 1));
	}
	/* Children come after their parents: those that pass on a failure of a child are dropped. */
	for (size_t i = list->nr; i-- > 0;) {
		if (counts[i] && list->v[i]->exit_code > 0) {
			ARRAY_ADD(found, *nr, alloc, list->v[i]);
			for (size_t p = parents[i]; p && counts[p - 1]; p = parents[p - 1])
				counts[p - 1] = false;
		}
	}
	if (*nr)
		qsort(found, *nr, sizeof(*found), by_end);
	intmap_release(&by_pid);
	free(parents);
	free(counts);
	return found;
}

static bool has(const struct failure_line *line, const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i + len <= line->len; i++)
		if (!strncmp(line->text + i, text, len))
			return true;
	return false;
}

static bool is_memory(const struct failure_line *line)
{
	/* Rust: "memory allocation of 8 bytes failed". */
	if (has(line, memory_texts[0]))
		return has(line, "failed");
	for (size_t i = 1; i < ARRAY_SIZE(memory_texts); i++)
		if (has(line, memory_texts[i]))
			return true;
	return false;
}

static bool is_error(const struct failure_line *line)
{
	return line->len > 5 && !strncmp(line->text, "error", 5) &&
	       (line->text[5] == ':' || line->text[5] == '[');
}

static bool find_line(const char *log, bool (*matches)(const struct failure_line *line),
		      struct failure_line *line)
{
	*line = (struct failure_line){ .number = 1, .text = log };
	while (*line->text) {
		line->len = strcspn(line->text, "\r\n");
		if (matches(line))
			return true;
		line->text += line->len;
		line->text += *line->text == '\r';
		line->text += *line->text == '\n';
		line->number++;
	}
	return false;
}

bool failure_find_memory(const char *log, struct failure_line *line)
{
	return find_line(log, is_memory, line);
}

bool failure_find_error(const char *log, struct failure_line *line)
{
	return find_line(log, is_error, line);
}
