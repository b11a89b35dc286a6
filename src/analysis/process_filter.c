#include "analysis/process_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name_hint.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* A filter by name. */
struct name_filter {
	const char *what; /* for messages */
	size_t offset;    /* of its strvec in the struct process_filter */
	size_t not_offset;
	bool fold;
	const char *(*get)(const struct process *process); /* NULL: the process has none */
};

static const char *get_role(const struct process *process)
{
	return role_name(process->tag.role);
}

static const char *get_part(const struct process *process)
{
	return process->tag.part;
}

static const char *get_crate(const struct process *process)
{
	return process->tag.crate;
}

/* Image names are compared without case, which Windows ignores. */
static const struct name_filter name_filters[] = {
	{ "role", offsetof(struct process_filter, roles),
	  offsetof(struct process_filter, not_roles), false, get_role },
	{ "part", offsetof(struct process_filter, parts),
	  offsetof(struct process_filter, not_parts), false, get_part },
	{ "crate", offsetof(struct process_filter, crates),
	  offsetof(struct process_filter, not_crates), false, get_crate },
	{ "process", offsetof(struct process_filter, processes),
	  offsetof(struct process_filter, not_processes), true, process_image },
};

static const struct strvec *values_at(const struct process_filter *filter, size_t offset)
{
	return (const struct strvec *)((const char *)filter + offset);
}

void process_filter_release(struct process_filter *filter)
{
	strvec_release(&filter->roles);
	strvec_release(&filter->parts);
	strvec_release(&filter->crates);
	strvec_release(&filter->processes);
	strvec_release(&filter->threads);
	strvec_release(&filter->not_roles);
	strvec_release(&filter->not_parts);
	strvec_release(&filter->not_crates);
	strvec_release(&filter->not_processes);
	strvec_release(&filter->not_threads);
}

bool process_filter_has_names(const struct process_filter *filter)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_filters); i++) {
		if (values_at(filter, name_filters[i].offset)->nr ||
		    values_at(filter, name_filters[i].not_offset)->nr)
			return true;
	}
	return filter->threads.nr || filter->not_threads.nr;
}

static int parse_moment(const char *text, size_t len, int64_t none, int64_t *ns)
{
	char *word = xstrndup(text, len);
	int ret = 0;

	if (!len)
		*ns = none;
	else if (!text_parse_moment(word, ns))
		ret = -1;
	free(word);
	return ret;
}

int process_filter_set_time(struct process_filter *filter, const char *text, struct err *err)
{
	const char *dots = strstr(text, "..");
	int64_t from, to;

	if (!dots || parse_moment(text, (size_t)(dots - text), 0, &from) ||
	    parse_moment(dots + 2, strlen(dots + 2), INT64_MAX, &to))
		return err_set(err, ERR_USAGE,
			       "'%s' is not a time range A..B, as in 12.5s..3m20s (the larger unit "
			       "first, seconds after minutes below 60)",
			       text);
	if (from == to)
		return err_set(err, ERR_USAGE, "the time range '%s' is empty", text);
	if (from > to)
		return err_set(err, ERR_USAGE, "the time range '%s' ends before it begins", text);
	filter->from_ns = from;
	filter->to_ns = to;
	return 0;
}

static bool any_role_matches(const char *pattern)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		if (text_glob(pattern, role_name((enum role)role), false))
			return true;
	}
	return false;
}

static int unknown_role(const char *pattern, struct err *err)
{
	const char *names[ROLE_COUNT];
	struct strbuf list = STRBUF_INIT;
	const char *near;

	for (int role = 0; role < ROLE_COUNT; role++) {
		names[role] = role_name((enum role)role);
		strbuf_addf(&list, "%s%s", role ? ", " : "", names[role]);
	}
	near = text_nearest(pattern, names, ROLE_COUNT);
	if (near)
		err_set(err, ERR_USAGE, "unknown role '%s' (did you mean '%s'?)", pattern, near);
	else
		err_set(err, ERR_USAGE, "unknown role '%s': there are %s", pattern, list.buf);
	strbuf_release(&list);
	return -1;
}

static int check_roles(const struct strvec *roles, struct err *err)
{
	for (size_t i = 0; i < roles->nr; i++) {
		if (!any_role_matches(roles->v[i]))
			return unknown_role(roles->v[i], err);
	}
	return 0;
}

int process_filter_check_roles(const struct process_filter *filter, struct err *err)
{
	return check_roles(&filter->roles, err) || check_roles(&filter->not_roles, err) ? -1 : 0;
}

/* "link" finds link.exe too. */
static bool match_without_exe(const char *value, const char *name)
{
	size_t len = strlen(name);
	char *stem;
	bool same;

	if (len < 4 || !text_equal_fold(name + len - 4, ".exe"))
		return false;
	stem = xstrndup(name, len - 4);
	same = text_glob(value, stem, true);
	free(stem);
	return same;
}

/* By pid, or by an image name: that of the file, or in argv[0], as "cc" and "ld.lld" are links to files of other names. */
static bool match_process(const char *value, const struct process *process)
{
	const char *called = process->argv.nr ? text_file_name(process->argv.v[0]) : "";
	int64_t pid;

	if (text_parse_int(value, 0, INT64_MAX, &pid) && pid == process->pid)
		return true;
	return match_without_exe(value, process_image(process)) ||
	       (*called && text_glob(value, called, true));
}

static bool match_value(const struct name_filter *by, const char *value,
			const struct process *process)
{
	const char *name = by->get(process);

	if (name && text_glob(value, name, by->fold))
		return true;
	return by->get == process_image && match_process(value, process);
}

static bool match_any(const struct strvec *values, const struct name_filter *by,
		      const struct process *process)
{
	for (size_t i = 0; i < values->nr; i++) {
		if (match_value(by, values->v[i], process))
			return true;
	}
	return false;
}

static bool match_names(const struct process_filter *filter, const struct name_filter *by,
			const struct process *process)
{
	const struct strvec *values = values_at(filter, by->offset);

	return (!values->nr || match_any(values, by, process)) &&
	       !match_any(values_at(filter, by->not_offset), by, process);
}

static bool match_any_thread(const struct strvec *values, int64_t tid, const char *name)
{
	int64_t number;

	for (size_t i = 0; i < values->nr; i++) {
		if (name && text_glob(values->v[i], name, false))
			return true;
		if (text_parse_int(values->v[i], 0, INT64_MAX, &number) && number == tid)
			return true;
	}
	return false;
}

bool process_filter_match_thread(const struct process_filter *filter, int64_t tid, const char *name)
{
	return (!filter->threads.nr || match_any_thread(&filter->threads, tid, name)) &&
	       !match_any_thread(&filter->not_threads, tid, name);
}

/* A process without a duration ran at its start. */
static bool match_time(const struct process_filter *filter, const struct process *process)
{
	return process->start_ns < filter->to_ns &&
	       (process->end_ns == PROCESS_UNKNOWN || process->end_ns > filter->from_ns ||
		process->start_ns >= filter->from_ns);
}

bool process_filter_match(const struct process_filter *filter, const struct process *process)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_filters); i++) {
		if (!match_names(filter, &name_filters[i], process))
			return false;
	}
	return match_time(filter, process);
}

static bool value_occurs(const struct name_filter *by, const char *value,
			 const struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (match_value(by, value, list->v[i]))
			return true;
	}
	return false;
}

/* Those of most processes first. */
static void add_similar(const struct name_filter *by, const char *value,
			const struct process_list *list, struct strbuf *notes)
{
	struct name_hints hints;

	name_hints_init(&hints, value);
	for (size_t i = 0; i < list->nr; i++) {
		const char *name = by->get(list->v[i]);

		if (name)
			name_hints_see(&hints, name, name, 1);
	}
	name_hints_add(&hints, notes);
	name_hints_release(&hints);
}

static void explain_names(const struct strvec *values, const char *option,
			  const struct name_filter *by, const struct process_list *list,
			  struct strbuf *notes)
{
	for (size_t i = 0; i < values->nr; i++) {
		if (value_occurs(by, values->v[i], list))
			continue;
		strbuf_addf(notes, "no process matches --%s%s '", option, by->what);
		utf8_add_printable(notes, values->v[i]);
		strbuf_addc(notes, '\'');
		add_similar(by, values->v[i], list, notes);
		strbuf_addc(notes, '\n');
	}
}

void process_filter_explain(const struct process_filter *filter, const struct process_list *list,
			    struct strbuf *notes)
{
	bool in_time = false, matched = false;
	size_t before = notes->len;

	for (size_t i = 0; i < ARRAY_SIZE(name_filters); i++) {
		const struct name_filter *by = &name_filters[i];

		explain_names(values_at(filter, by->offset), "", by, list, notes);
		explain_names(values_at(filter, by->not_offset), "not-", by, list, notes);
	}
	for (size_t i = 0; i < list->nr; i++) {
		in_time = in_time || match_time(filter, list->v[i]);
		matched = matched || process_filter_match(filter, list->v[i]);
	}
	if (!in_time && list->nr)
		strbuf_adds(notes, "no process ran in the time range\n");
	if (!matched && list->nr && notes->len == before)
		strbuf_adds(notes, "no process matches all filters together\n");
}
