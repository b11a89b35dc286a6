#include "cli/view_options.h"

#include <stddef.h>

#include "cli/line_width.h"
#include "cli/message.h"
#include "util/text.h"

static const char *role_at(size_t i)
{
	return i < ROLE_COUNT ? role_name((enum role)i) : NULL;
}

static const struct opt_choices roles = { .name = role_at };

const struct opt view_filter_options[] = {
	{ 0, "role", OPT_LIST, "ROLE", "only processes of the role: rustc, link, build-script, ...",
	  offsetof(struct view_values, roles), &roles },
	{ 0, "part", OPT_LIST, "PART",
	  "only processes that build the part: stage2-rustc, bootstrap, ...",
	  offsetof(struct view_values, parts), NULL },
	{ 0, "crate", OPT_LIST, "CRATE", "only processes that work on the crate",
	  offsetof(struct view_values, crates), NULL },
	{ 0, "process", OPT_LIST, "NAME|PID", "only processes of this program (file name) or id",
	  offsetof(struct view_values, processes), NULL },
	{ 0, "not-role", OPT_LIST, "ROLE", "no processes of the role",
	  offsetof(struct view_values, not_roles), &roles },
	{ 0, "not-part", OPT_LIST, "PART", "no processes that build the part",
	  offsetof(struct view_values, not_parts), NULL },
	{ 0, "not-crate", OPT_LIST, "CRATE", "no processes that work on the crate",
	  offsetof(struct view_values, not_crates), NULL },
	{ 0, "not-process", OPT_LIST, "NAME|PID", "no processes of this program or id",
	  offsetof(struct view_values, not_processes), NULL },
	{ 0, "time", OPT_STRING, "A..B",
	  "only what ran between these times of the recording: 12.5s..3m20s, 90.., ..1h",
	  offsetof(struct view_values, time), NULL },
	OPT_END,
};

static const struct opt_choices table_formats = { .name = table_format_name,
						  .ending = table_format_ending };

const struct opt view_output_options[] = {
	{ 0, "format", OPT_GIVEN, "FORMAT",
	  "text, json, jsonl or csv; without it what the name of FILE says, or text",
	  offsetof(struct view_values, format), &table_formats },
	VIEW_TABLE_OPTIONS,
	OPT_END,
};

const struct opt_group view_groups[] = {
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

const struct opt_arg view_args[] = {
	{ "TRACE",
	  "a run directory, a bundle, a bare perf.data file, or the bare .etl files of one "
	  "recording",
	  false, true, offsetof(struct view_values, traces) },
	OPT_ARG_END,
};

void view_add_names(struct strbuf *sb, const char *what, const struct strvec *names)
{
	for (size_t i = 0; i < names->nr; i++)
		strbuf_addf(sb, "%s%s", i ? " or " : what, names->v[i]);
}

void view_add_selection(const struct view_values *values, struct strbuf *sb)
{
	view_add_names(sb, ", role ", &values->roles);
	view_add_names(sb, ", part ", &values->parts);
	view_add_names(sb, ", crate ", &values->crates);
	view_add_names(sb, ", process ", &values->processes);
	view_add_names(sb, ", not role ", &values->not_roles);
	view_add_names(sb, ", not part ", &values->not_parts);
	view_add_names(sb, ", not crate ", &values->not_crates);
	view_add_names(sb, ", not process ", &values->not_processes);
}

int view_get_min_share(const char *text, double *share, struct err *err)
{
	if (text && !text_parse_percent(text, share))
		return err_set(err, ERR_USAGE,
			       "--min-share takes a percentage from 0 to 100, as in 0.5, not '%s'",
			       text);
	return 0;
}

int view_get_filter(const struct view_values *values, struct process_filter *filter,
		    struct err *err)
{
	*filter = (struct process_filter)PROCESS_FILTER_INIT;
	strvec_push_all(&filter->roles, &values->roles);
	strvec_push_all(&filter->parts, &values->parts);
	strvec_push_all(&filter->crates, &values->crates);
	strvec_push_all(&filter->processes, &values->processes);
	strvec_push_all(&filter->not_roles, &values->not_roles);
	strvec_push_all(&filter->not_parts, &values->not_parts);
	strvec_push_all(&filter->not_crates, &values->not_crates);
	strvec_push_all(&filter->not_processes, &values->not_processes);
	if (values->time && process_filter_set_time(filter, values->time, err))
		return -1;
	return process_filter_check_roles(filter, err);
}

int view_get_table_options(const struct view_values *values, const struct table *table,
			   struct table_options *options, struct err *err)
{
	FILE *terminal = result_file_is_stdout(values->output) ? stdout : NULL;
	int format;

	color_set((enum color_mode)values->color);
	if (values->quiet)
		message_set_quiet();
	if (result_file_format(values->output, &table_formats, values->format, &format, err) ||
	    result_file_check(values->output, values->force, &values->traces, err))
		return -1;
	*options = (struct table_options){
		.format = (enum table_format)format,
		.columns = values->columns,
		.sort = values->sort,
		.top = values->top,
		.bold = color_of(terminal),
		.width = values->wide ? 0 : line_width(terminal),
	};
	return table_check(table, options, err);
}

int view_print_table(const struct view_values *values, const struct table *table,
		     const struct table_options *options, const void **rows, size_t rows_nr,
		     struct err *err)
{
	struct result_file file;
	int rc;

	if (result_file_open(&file, values->output, values->force, false, err))
		return -1;
	rc = table_print(table, options, rows, rows_nr, file.out, err);
	return result_file_close(&file, rc, err);
}
