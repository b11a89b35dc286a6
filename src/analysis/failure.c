#include "analysis/failure.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"
#include "util/intmap.h"
#include "util/text.h"
#include "util/unescape.h"

#define SIGNAL(nr) (128 + (nr))

/*
 * Ends nearer than this say nothing of their order: under Wine a child's was dated up to 13 ms after that of the parent
 * that had waited for it.
 */
#define SAME_TIME_NS (100 * NS_PER_MS)

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

/* What is written where memory is not there: LLVM, C++, libc, the linkers, MSVC, Windows. */
static const char *const memory_texts[] = {
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

/* Rust's runtime: "memory allocation of 8 bytes failed". */
#define RUST_BEGIN "memory allocation of "
#define RUST_END   "failed"

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

/* By somebody else, as a recording ends what is left of a build. */
static bool was_stopped(const struct process *process)
{
	return process->exit_code == SIGNAL(2) || process->exit_code == SIGNAL(9) ||
	       process->exit_code == SIGNAL(15) || process->exit_code == INT64_C(0xC000013A);
}

/* What ended after its parent did not make that one fail: a daemon, or what the recording ended. */
static bool outlives(const struct process *process, const struct process *parent)
{
	uint64_t least = was_stopped(process) ? 0 : SAME_TIME_NS;

	return process->end_ns != PROCESS_UNKNOWN && parent->end_ns != PROCESS_UNKNOWN &&
	       process->end_ns > parent->end_ns &&
	       (uint64_t)process->end_ns - (uint64_t)parent->end_ns > least;
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

static int by_memory(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a;
	const struct process *y = *(const struct process *const *)b;

	if (x->peak_rss_bytes != y->peak_rss_bytes)
		return x->peak_rss_bytes > y->peak_rss_bytes ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

const struct process **failure_alive(const struct process_list *list, const struct process *ended,
				     size_t *nr)
{
	const struct process **alive = NULL;
	size_t alloc = 0;

	*nr = 0;
	if (ended->end_ns == PROCESS_UNKNOWN)
		return NULL;
	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];

		if (process != ended && process->start_ns <= ended->end_ns && process->exec_seen &&
		    (process->end_ns == PROCESS_UNKNOWN || process->end_ns >= ended->end_ns))
			ARRAY_ADD(alive, *nr, alloc, process);
	}
	if (*nr)
		qsort(alive, *nr, sizeof(*alive), by_memory);
	return alive;
}

static bool begins(const char *text, size_t nr, const char *with)
{
	size_t len = strlen(with);

	return len <= nr && !memcmp(text, with, len);
}

/* The length of the escape sequences of a terminal at the start of a text. */
static size_t escapes_length(const char *text, size_t nr)
{
	size_t len = 0, one;

	while (len < nr && (one = unescape_sequence(text, nr, len)))
		len += one;
	return len;
}

void failure_line_add(const struct failure_line *line, size_t max, struct strbuf *sb)
{
	size_t begin = sb->len;

	for (size_t i = 0; i < line->len && sb->len - begin < max;) {
		size_t skipped = escapes_length(line->text + i, line->len - i);

		i += skipped;
		if (!skipped)
			strbuf_addc(sb, line->text[i++]);
	}
}

static bool begins_with_memory_text(const char *text, size_t nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(memory_texts); i++)
		if (*text == *memory_texts[i] && begins(text, nr, memory_texts[i]))
			return true;
	return false;
}

/* The length of the first line. */
static size_t line_length(const char *text, size_t nr)
{
	size_t len = 0;

	while (len < nr && text[len] != '\n' && text[len] != '\r')
		len++;
	return len;
}

/* To the next line. False: there is none. */
static bool next_line(struct failure_line *line, const char *end)
{
	line->text += line->len;
	if (line->text < end && *line->text == '\r')
		line->text++;
	if (line->text < end && *line->text == '\n')
		line->text++;
	line->number++;
	line->len = line_length(line->text, (size_t)(end - line->text));
	return line->text < end;
}

static struct failure_line first_line(const char *log, size_t nr)
{
	return (struct failure_line){ .number = 1, .text = log, .len = line_length(log, nr) };
}

/* The last line of a traceback of Python, which runs x.py. */
static bool is_memory_error(const struct failure_line *line)
{
	static const char name[] = "MemoryError";
	size_t len = sizeof(name) - 1;

	return begins(line->text, line->len, name) && (line->len == len || line->text[len] == ':');
}

/* Each byte is looked at once: a log may be large, and a line as long. `first`: by byte, whether a text begins with it. */
static bool is_memory(const struct failure_line *line, const bool first[256])
{
	bool rust = false;

	if (is_memory_error(line))
		return true;
	for (size_t i = 0; i < line->len; i++) {
		const char *text = line->text + i;
		size_t nr = line->len - i;

		if (!first[(unsigned char)*text])
			continue;
		if (begins_with_memory_text(text, nr) || (rust && begins(text, nr, RUST_END)))
			return true;
		rust |= begins(text, nr, RUST_BEGIN);
	}
	return false;
}

bool failure_find_memory(const char *log, size_t nr, struct failure_line *line)
{
	bool first[256] = { false };

	first[(unsigned char)*RUST_BEGIN] = first[(unsigned char)*RUST_END] = true;
	for (size_t i = 0; i < ARRAY_SIZE(memory_texts); i++)
		first[(unsigned char)*memory_texts[i]] = true;
	*line = first_line(log, nr);
	do {
		if (is_memory(line, first))
			return true;
	} while (next_line(line, log + nr));
	return false;
}

/* " C2065:", " LNK1181:", as Microsoft's tools number their errors. */
static bool is_number(const char *text, size_t nr)
{
	size_t at = 1;

	if (!nr || *text != ' ')
		return false;
	while (at < nr && text[at] >= 'A' && text[at] <= 'Z')
		at++;
	if (at == 1 || at == nr || text[at] == ':')
		return false;
	while (at < nr && text[at] >= '0' && text[at] <= '9')
		at++;
	return at < nr && text[at] == ':';
}

/* "error:", "error[E0308]", "fatal error:", "error C2065:" */
static bool begins_error(const char *text, size_t nr)
{
	static const char fatal[] = "fatal ", error[] = "error";
	size_t at = begins(text, nr, fatal) ? strlen(fatal) : 0;

	if (!begins(text + at, nr - at, error))
		return false;
	at += strlen(error);
	at += escapes_length(text + at, nr - at);
	return at < nr && (text[at] == ':' || text[at] == '[' || is_number(text + at, nr - at));
}

/* At its begin, or after who says it: "x.c:3:1: error: ...", "LINK : fatal error LNK1181: ...". */
static bool is_error(const struct failure_line *line)
{
	bool here = true;
	char last = 0;

	for (size_t at = 0; at < line->len;) {
		size_t skipped = escapes_length(line->text + at, line->len - at);

		at += skipped;
		if (skipped)
			continue;
		if (here && begins_error(line->text + at, line->len - at))
			return true;
		here = last == ':' && line->text[at] == ' ';
		last = line->text[at++];
	}
	return false;
}

bool failure_find_error(const char *log, size_t nr, struct failure_line *line)
{
	*line = first_line(log, nr);
	do {
		if (is_error(line))
			return true;
	} while (next_line(line, log + nr));
	return false;
}

/* Rust's ExitStatus, as cargo writes it. */
#define SIGNAL_BEGIN "(signal: "
#define CODE_BEGIN   "(exit code: 0x"

/* A number up to the sign after it, `,` or `)`; 0: none, or too large. */
static uint64_t read_number(const char *text, size_t nr, unsigned base)
{
	uint64_t number = 0;
	size_t at = 0;

	for (; at < nr && number <= UINT32_MAX; at++) {
		int digit = ascii_hex_digit(text[at]);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		number = number * base + (unsigned)digit;
	}
	return at < nr && (text[at] == ',' || text[at] == ')') && number <= UINT32_MAX ? number : 0;
}

static int64_t code_of(const struct failure_line *line)
{
	static const size_t signal = sizeof(SIGNAL_BEGIN) - 1, code = sizeof(CODE_BEGIN) - 1;
	uint64_t number = 0;

	for (size_t i = 0; i < line->len; i++) {
		const char *text = line->text + i;
		size_t nr = line->len - i;

		if (*text != '(')
			continue;
		if (begins(text, nr, SIGNAL_BEGIN)) {
			number = read_number(text + signal, nr - signal, 10);
			if (number && number < SIGNAL(0))
				return SIGNAL((int64_t)number);
		} else if (begins(text, nr, CODE_BEGIN)) {
			number = read_number(text + code, nr - code, 16);
			if (number)
				return (int64_t)number;
		}
	}
	return 0;
}

bool failure_find_code(const char *log, size_t nr, struct failure_line *line, int64_t *code)
{
	*line = first_line(log, nr);
	do {
		*code = code_of(line);
		if (*code)
			return true;
	} while (next_line(line, log + nr));
	return false;
}
