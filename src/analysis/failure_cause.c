#include "analysis/failure_cause.h"

/* What is lost if the last part is used up: 1/32, or 3 %. */
static bool is_near(int64_t used, int64_t limit)
{
	return used >= 0 && limit > 0 && used >= limit - limit / 32;
}

static void add(struct failure_cause *cause, struct failure_evidence evidence)
{
	cause->evidence[cause->evidence_nr++] = evidence;
}

static void add_bytes(struct failure_cause *cause, enum failure_evidence_kind kind, int64_t used,
		      int64_t limit, int64_t at_ns)
{
	add(cause, (struct failure_evidence){
			   .kind = kind,
			   .bytes = used,
			   .limit_bytes = limit,
			   .at_ns = at_ns,
		   });
}

/* Say that a limit was reached; false: it was not, or is unknown. */
static bool add_if_near(struct failure_cause *cause, enum failure_evidence_kind kind, int64_t used,
			int64_t limit)
{
	if (!is_near(used, limit))
		return false;
	add_bytes(cause, kind, used, limit, -1);
	return true;
}

/* The same for the commit charge. Where the trace has it, it is also said if it was far from the limit. */
static bool add_commit(struct failure_cause *cause, const struct failure_measures *measures)
{
	int64_t limit = measures->commit_limit_bytes, used = measures->trace_commit_bytes;

	if (measures->overcommits)
		return false;
	if (used < 0 || limit <= 0 || measures->commit_bytes > used)
		return add_if_near(cause, FAILURE_COMMIT, measures->commit_bytes, limit);
	add_bytes(cause, FAILURE_COMMIT, used, limit, measures->trace_commit_ns);
	return is_near(used, limit);
}

/* Whether a limit was reached that makes allocations fail, or the kernel end processes. */
static bool add_limits(struct failure_cause *cause, const struct failure_measures *measures)
{
	int64_t all = measures->memory_bytes, available = measures->least_available_bytes;
	bool near = add_if_near(cause, FAILURE_GROUP, measures->group_bytes,
				measures->group_limit_bytes);

	near |= add_commit(cause, measures);
	if (available >= 0 && all > 0)
		near |= add_if_near(cause, FAILURE_IN_USE, all - available, all);
	return near;
}

static bool is_abnormal(int64_t code)
{
	return failure_code_is_kill(code) || failure_code_is_abort(code);
}

/* Of the processes that failed, the one that says most about memory; else the first. NULL: none is known. */
static const struct process *find_culprit(const struct failure_measures *measures)
{
	const struct process *const *failed = measures->failed;

	for (size_t i = 0; i < measures->failed_nr; i++)
		if (failure_code_is_memory(failed[i]->exit_code))
			return failed[i];
	for (size_t i = 0; i < measures->failed_nr; i++)
		if (is_abnormal(failed[i]->exit_code))
			return failed[i];
	return measures->failed_nr ? failed[0] : NULL;
}

static enum failure_basis judge(const struct failure_measures *measures, int64_t code, bool near)
{
	if (failure_code_is_memory(code))
		return FAILURE_BY_CODE;
	/* Who exits with an ordinary code has written its own message; the line may be another one's. */
	if (measures->memory_line)
		return is_abnormal(code) ? FAILURE_BY_LOG : FAILURE_BY_LOG_ONLY;
	/* What does not end when it is asked to is killed then; who aborted did that before. */
	if (measures->stopped && !failure_code_is_abort(code) &&
	    !(failure_code_is_kill(code) && measures->oom_kills > 0))
		return near || measures->oom_kills > 0 ? FAILURE_BY_STOP_AT_LIMIT : FAILURE_BY_STOP;
	if (failure_code_is_kill(code))
		return measures->oom_kills > 0 ? FAILURE_BY_KERNEL
		       : near                  ? FAILURE_BY_LIMIT
					       : FAILURE_BY_KILL;
	if (failure_code_is_abort(code))
		return near ? FAILURE_BY_LIMIT : FAILURE_BY_ABORT;
	if (!measures->failed_nr && !measures->error_line)
		return FAILURE_BY_NOTHING;
	return FAILURE_BY_OTHERS;
}

static enum failure_memory memory_of(enum failure_basis basis)
{
	static const enum failure_memory memory[] = {
		[FAILURE_BY_CODE] = FAILURE_MEMORY_YES,
		[FAILURE_BY_LOG] = FAILURE_MEMORY_YES,
		[FAILURE_BY_KERNEL] = FAILURE_MEMORY_YES,
		[FAILURE_BY_LOG_ONLY] = FAILURE_MEMORY_LIKELY,
		[FAILURE_BY_LIMIT] = FAILURE_MEMORY_LIKELY,
		[FAILURE_BY_KILL] = FAILURE_MEMORY_UNKNOWN,
		[FAILURE_BY_ABORT] = FAILURE_MEMORY_UNKNOWN,
		[FAILURE_BY_STOP_AT_LIMIT] = FAILURE_MEMORY_UNKNOWN,
		[FAILURE_BY_NOTHING] = FAILURE_MEMORY_UNKNOWN,
		[FAILURE_BY_STOP] = FAILURE_MEMORY_NO,
		[FAILURE_BY_OTHERS] = FAILURE_MEMORY_NO,
	};

	return memory[basis];
}

/* What the log has to show; NULL: nothing. */
static const struct failure_line *line_of(const struct failure_measures *measures)
{
	if (measures->memory_line)
		return measures->memory_line;
	return !measures->failed_nr && measures->code_line ? measures->code_line
							   : measures->error_line;
}

struct failure_cause failure_cause_of(const struct failure_measures *measures)
{
	const struct failure_line *line = line_of(measures);
	struct failure_cause cause = { .culprit = find_culprit(measures) };
	int64_t code = cause.culprit         ? cause.culprit->exit_code
		       : measures->code_line ? measures->code
					     : -1;
	bool near;

	if (cause.culprit)
		add(&cause, (struct failure_evidence){ .kind = FAILURE_EXIT });
	if (line)
		add(&cause, (struct failure_evidence){ .kind = FAILURE_LINE, .line = line });
	if (measures->oom_kills > 0)
		add(&cause, (struct failure_evidence){ .kind = FAILURE_OOM_KILLS,
						       .nr = measures->oom_kills });
	near = add_limits(&cause, measures);
	cause.basis = judge(measures, code, near);
	cause.memory = memory_of(cause.basis);
	return cause;
}
