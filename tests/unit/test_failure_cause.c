#include "analysis/failure_cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

#define GB         (INT64_C(1) << 30)
#define SIGABRT_OF 134
#define SIGKILL_OF 137
#define NO_MEMORY  INT64_C(0xC0000017)
#define COMMITMENT INT64_C(0xC000012D)
#define ABORT      INT64_C(0xC0000409)

struct row {
	const char *name;
	int64_t codes[3]; /* of the failed processes; 0: no more */
	const char *memory_line, *error_line;
	int64_t oom_kills;
	int64_t group[2], commit[2], available[2]; /* bytes of a limit of bytes; 0, 0: unknown */
	int64_t trace_commit;                      /* 0: unknown */
	bool overcommits, stopped;
	enum failure_memory memory;
	enum failure_basis basis;
	int culprit; /* index; -1: none */
	const char *evidence;
};

static const char rust[] = "memory allocation of 4096 bytes failed";
static const char mismatch[] = "error[E0308]: mismatched types";

static const struct row rows[] = {
	{ .name = "STATUS_NO_MEMORY",
	  .codes = { NO_MEMORY },
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_CODE,
	  .evidence = "exit\n" },
	{ .name = "a code of memory counts more than all else",
	  .codes = { 1, SIGKILL_OF, COMMITMENT },
	  .memory_line = rust,
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_CODE,
	  .culprit = 2,
	  .evidence = "exit\nline memory allocation of 4096 bytes failed\n" },
	{ .name = "SIGKILL, and the kernel killed for want of memory",
	  .codes = { SIGKILL_OF },
	  .oom_kills = 2,
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_KERNEL,
	  .evidence = "exit\n2 kills\n" },
	{ .name = "killed by the recording",
	  .codes = { SIGKILL_OF },
	  .stopped = true,
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_STOP,
	  .evidence = "exit\n" },
	{ .name = "ended by the recording at a limit",
	  .codes = { 143 },
	  .stopped = true,
	  .group = { 4 * GB, 4 * GB },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_STOP_AT_LIMIT,
	  .evidence = "exit\ngroup 4.0 of 4.0\n" },
	{ .name = "the recording ended the build, no process is known",
	  .stopped = true,
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_STOP,
	  .culprit = -1,
	  .evidence = "" },
	{ .name = "the kernel killed, then the recording ended the build",
	  .codes = { SIGKILL_OF },
	  .stopped = true,
	  .oom_kills = 1,
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_KERNEL,
	  .evidence = "exit\n1 kills\n" },
	{ .name = "SIGABRT, then the recording ended the build",
	  .codes = { SIGABRT_OF },
	  .stopped = true,
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\n" },
	{ .name = "SIGKILL alone",
	  .codes = { SIGKILL_OF },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_KILL,
	  .evidence = "exit\n" },
	{ .name = "the kernel killed another process than the one that failed",
	  .codes = { 1 },
	  .error_line = mismatch,
	  .oom_kills = 1,
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_OTHERS,
	  .evidence = "exit\nline error[E0308]: mismatched types\n1 kills\n" },
	{ .name = "it ended itself, and the kernel killed another one",
	  .codes = { SIGABRT_OF },
	  .oom_kills = 1,
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\n1 kills\n" },
	{ .name = "rustc's own message, Linux",
	  .codes = { SIGABRT_OF },
	  .memory_line = rust,
	  .error_line = mismatch,
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_LOG,
	  .evidence = "exit\nline memory allocation of 4096 bytes failed\n" },
	{ .name = "rustc's own message, Windows",
	  .codes = { ABORT },
	  .memory_line = rust,
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_LOG,
	  .evidence = "exit\nline memory allocation of 4096 bytes failed\n" },
	{ .name = "a message, and an ordinary code",
	  .codes = { 1 },
	  .memory_line = rust,
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LOG_ONLY,
	  .evidence = "exit\nline memory allocation of 4096 bytes failed\n" },
	{ .name = "a message, and no process",
	  .codes = { 0 },
	  .memory_line = rust,
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LOG_ONLY,
	  .culprit = -1,
	  .evidence = "line memory allocation of 4096 bytes failed\n" },
	{ .name = "near the commit limit",
	  .codes = { ABORT },
	  .commit = { 31 * GB, 32 * GB },
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LIMIT,
	  .evidence = "exit\ncommit 31.0 of 32.0\n" },
	{ .name = "not near the commit limit",
	  .codes = { ABORT },
	  .commit = { 31 * GB - 1, 32 * GB },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\n" },
	{ .name = "near a commit limit that is none",
	  .codes = { SIGABRT_OF },
	  .commit = { 33 * GB, 32 * GB },
	  .trace_commit = 33 * GB,
	  .overcommits = true,
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\n" },
	{ .name = "near the commit limit by the trace alone",
	  .codes = { ABORT },
	  .commit = { 20 * GB, 32 * GB },
	  .trace_commit = 32 * GB,
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LIMIT,
	  .evidence = "exit\ncommit 32.0 of 32.0, at 5\n" },
	{ .name = "far from the commit limit by the trace",
	  .codes = { ABORT },
	  .commit = { 20 * GB, 32 * GB },
	  .trace_commit = 21 * GB,
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\ncommit 21.0 of 32.0, at 5\n" },
	{ .name = "the system saw more than the trace",
	  .codes = { ABORT },
	  .commit = { 32 * GB, 32 * GB },
	  .trace_commit = 21 * GB,
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LIMIT,
	  .evidence = "exit\ncommit 32.0 of 32.0\n" },
	{ .name = "limit of the control group",
	  .codes = { SIGKILL_OF },
	  .group = { 4 * GB, 4 * GB },
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LIMIT,
	  .evidence = "exit\ngroup 4.0 of 4.0\n" },
	{ .name = "a control group without a limit",
	  .codes = { SIGKILL_OF },
	  .group = { 4 * GB, -1 },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_KILL,
	  .evidence = "exit\n" },
	{ .name = "all memory of the machine",
	  .codes = { SIGKILL_OF },
	  .available = { GB / 4, 16 * GB },
	  .memory = FAILURE_MEMORY_LIKELY,
	  .basis = FAILURE_BY_LIMIT,
	  .evidence = "exit\nin use 15.8 of 16.0\n" },
	{ .name = "all limits",
	  .codes = { SIGKILL_OF },
	  .oom_kills = 1,
	  .group = { 4 * GB, 4 * GB },
	  .commit = { 32 * GB, 32 * GB },
	  .available = { GB / 4, 16 * GB },
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_KERNEL,
	  .evidence =
		  "exit\n1 kills\ngroup 4.0 of 4.0\ncommit 32.0 of 32.0\nin use 15.8 of 16.0\n" },
	{ .name = "a limit, and an error of the compiler",
	  .codes = { 1 },
	  .error_line = mismatch,
	  .group = { 4 * GB, 4 * GB },
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_OTHERS,
	  .evidence = "exit\nline error[E0308]: mismatched types\ngroup 4.0 of 4.0\n" },
	/* Nobody measures how near a process came to its RLIMIT_AS: its own message says it, or nothing does. */
	{ .name = "limit of the address space",
	  .codes = { 101, SIGABRT_OF },
	  .memory_line = rust,
	  .group = { GB, 4 * GB },
	  .commit = { GB, 32 * GB },
	  .available = { 12 * GB, 16 * GB },
	  .memory = FAILURE_MEMORY_YES,
	  .basis = FAILURE_BY_LOG,
	  .culprit = 1,
	  .evidence = "exit\nline memory allocation of 4096 bytes failed\n" },
	{ .name = "limit of the address space, of a program that does not say it",
	  .codes = { SIGABRT_OF },
	  .group = { GB, 4 * GB },
	  .commit = { GB, 32 * GB },
	  .available = { 12 * GB, 16 * GB },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_ABORT,
	  .evidence = "exit\n" },
	{ .name = "an error of the compiler",
	  .codes = { 1, 101 },
	  .error_line = mismatch,
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_OTHERS,
	  .evidence = "exit\nline error[E0308]: mismatched types\n" },
	{ .name = "an error in the log, and no process",
	  .codes = { 0 },
	  .error_line = mismatch,
	  .memory = FAILURE_MEMORY_NO,
	  .basis = FAILURE_BY_OTHERS,
	  .culprit = -1,
	  .evidence = "line error[E0308]: mismatched types\n" },
	{ .name = "nothing",
	  .codes = { 0 },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_NOTHING,
	  .culprit = -1,
	  .evidence = "" },
	{ .name = "nothing, at a limit",
	  .codes = { 0 },
	  .group = { 4 * GB, 4 * GB },
	  .memory = FAILURE_MEMORY_UNKNOWN,
	  .basis = FAILURE_BY_NOTHING,
	  .culprit = -1,
	  .evidence = "group 4.0 of 4.0\n" },
};

static double gb(int64_t bytes)
{
	return (double)bytes / (double)GB;
}

static void add_used(struct strbuf *sb, const char *what, const struct failure_evidence *evidence)
{
	strbuf_addf(sb, "%s %.1f of %.1f", what, gb(evidence->bytes), gb(evidence->limit_bytes));
	if (evidence->at_ns >= 0)
		strbuf_addf(sb, ", at %lld", (long long)evidence->at_ns);
	strbuf_addc(sb, '\n');
}

static void add_evidence(struct strbuf *sb, const struct failure_evidence *evidence)
{
	switch (evidence->kind) {
	case FAILURE_EXIT:
		strbuf_adds(sb, "exit\n");
		break;
	case FAILURE_LINE:
		strbuf_addf(sb, "line %s\n", evidence->line->text);
		break;
	case FAILURE_OOM_KILLS:
		strbuf_addf(sb, "%lld kills\n", (long long)evidence->nr);
		break;
	case FAILURE_GROUP:
		add_used(sb, "group", evidence);
		break;
	case FAILURE_COMMIT:
		add_used(sb, "commit", evidence);
		break;
	default: /* FAILURE_IN_USE */
		add_used(sb, "in use", evidence);
		break;
	}
}

static int64_t known(int64_t bytes)
{
	return bytes ? bytes : -1;
}

static struct failure_measures measures_of(const struct row *row)
{
	return (struct failure_measures){
		.oom_kills = known(row->oom_kills),
		.group_bytes = known(row->group[0]),
		.group_limit_bytes = known(row->group[1]),
		.commit_bytes = known(row->commit[0]),
		.commit_limit_bytes = known(row->commit[1]),
		.trace_commit_bytes = known(row->trace_commit),
		.trace_commit_ns = row->trace_commit ? 5 : -1,
		.overcommits = row->overcommits,
		.stopped = row->stopped,
		.memory_bytes = known(row->available[1]),
		.least_available_bytes = known(row->available[0]),
	};
}

static void add_verdict(struct strbuf *sb, const struct row *row, enum failure_memory memory,
			enum failure_basis basis)
{
	strbuf_addf(sb, "%s: %d, by %d\n", row->name, (int)memory, (int)basis);
}

static void failure_cause__measures__have_their_verdict(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const struct failure_line memory_line = { 1, row->memory_line, 0 };
		const struct failure_line error_line = { 2, row->error_line, 0 };
		struct failure_measures measures = measures_of(row);
		const struct process *failed[ARRAY_SIZE(row->codes)];
		struct process processes[ARRAY_SIZE(row->codes)];
		struct strbuf expected = STRBUF_INIT, found = STRBUF_INIT;
		struct failure_cause cause;

		for (size_t k = 0; k < ARRAY_SIZE(row->codes) && row->codes[k]; k++) {
			process_init(&processes[k]);
			processes[k].exit_code = row->codes[k];
			failed[measures.failed_nr++] = &processes[k];
		}
		measures.failed = failed;
		measures.memory_line = row->memory_line ? &memory_line : NULL;
		measures.error_line = row->error_line ? &error_line : NULL;
		cause = failure_cause_of(&measures);
		add_verdict(&expected, row, row->memory, row->basis);
		strbuf_adds(&expected, row->evidence);
		add_verdict(&found, row, cause.memory, cause.basis);
		for (size_t k = 0; k < cause.evidence_nr; k++)
			add_evidence(&found, &cause.evidence[k]);
		assert_string_equal(found.buf, expected.buf);
		assert_ptr_equal(cause.culprit, row->culprit < 0 ? NULL : failed[row->culprit]);
		strbuf_release(&expected);
		strbuf_release(&found);
	}
}

/* Of a damaged manifest: no overflow, and nothing is reached. */
static void failure_cause__impossible_numbers__are_not_near(void **state)
{
	static const struct {
		int64_t used, limit;
		bool near;
	} limits[] = {
		{ INT64_MAX, INT64_MAX, true },
		{ 0, INT64_MAX, false },
		{ 0, 1, false },
		{ 1, 1, true },
		{ INT64_MIN, 1, false },
		{ 1, 0, false },
		{ 1, INT64_MIN, false },
		{ INT64_MAX, -1, false },
	};
	struct process process;
	const struct process *failed = &process;

	(void)state;
	process_init(&process);
	process.exit_code = SIGKILL_OF;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct failure_measures measures = {
			.failed = &failed,
			.failed_nr = 1,
			.oom_kills = -1,
			.group_bytes = limits[i].used,
			.group_limit_bytes = limits[i].limit,
			.trace_commit_bytes = -1,
			.least_available_bytes = -1,
		};
		struct failure_cause cause = failure_cause_of(&measures);

		assert_int_equal(cause.basis, limits[i].near ? FAILURE_BY_LIMIT : FAILURE_BY_KILL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failure_cause__measures__have_their_verdict),
		cmocka_unit_test(failure_cause__impossible_numbers__are_not_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
