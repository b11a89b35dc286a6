#include "cli/compare_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/result_file.h"
#include "platform/fs.h"
#include "platform/program.h"

#define TABLES (TABLE_JSONL + 1)

/* A file that GitHub Actions gives each step; what is longer than its limit is refused whole. */
#define STEP_SUMMARY "GITHUB_STEP_SUMMARY"

static const char *format_name(size_t i)
{
	const struct compare_format *format;

	if (i < TABLES)
		return table_format_name(i);
	format = compare_format_get(i - TABLES);
	return format ? format->name : NULL;
}

static const char *format_help(size_t i)
{
	static const char *const tables[TABLES] = { "a table to read", "an array of objects",
						    "a table for programs",
						    "an object on each line" };

	return i < TABLES ? tables[i] : compare_format_get(i - TABLES)->help;
}

static const char *format_ending(size_t i)
{
	return i < TABLES ? table_format_ending(i) : compare_format_get(i - TABLES)->ending;
}

const struct opt_choices compare_formats = { .name = format_name,
					     .help = format_help,
					     .ending = format_ending };

const struct compare_format *compare_chosen_format(int choice)
{
	return choice < TABLES ? NULL : compare_format_get((size_t)choice - TABLES);
}

static int check_keys(const struct compare_format *format, const struct compare_keys *keys,
		      struct err *err)
{
	enum group_by wanted = format->by[0];
	bool found = false;

	for (size_t i = 0; i < keys->nr; i++)
		found = found || keys->by[i] == wanted;
	/* Stacks may be of crates. */
	if (format->by_nr && (!found || (keys->nr > 1 && wanted != BY_STACK)))
		return err_set(err, ERR_USAGE, "--format %s is of --by %s", format->name,
			       group_by_names[wanted]);
	return 0;
}

int compare_check_format(const struct compare_format *format, const struct view_values *values,
			 const struct compare_keys *keys, enum measure measure, struct err *err)
{
	if (values->columns || values->sort || values->top || values->wide || values->head)
		return err_set(
			err, ERR_USAGE,
			"--columns, --sort, --top, --head and --wide are for tables, not for "
			"--format %s",
			format->name);
	if (check_keys(format, keys, err))
		return -1;
	if (format->by_nr && format->by[0] == BY_STACK && measure == MEASURE_WALL)
		return err_set(err, ERR_USAGE, "stacks have no --metric wall: give cpu");
	if (values->quiet)
		message_set_quiet();
	return result_file_check(values->output, values->force, &values->traces, err);
}

/* Only within GitHub Actions there is one. */
static int add_step_summary(const struct compare_report *report, struct err *err)
{
	char *path = env_get(STEP_SUMMARY);
	FILE *file;
	int rc = 0;

	if (!path)
		return 0;
	file = fs_open(path, "ab");
	if (file)
		compare_markdown.write(report, file);
	if (!file || ferror(file) | fclose(file))
		rc = err_set_errno(err, errno, "cannot write '%s' (" STEP_SUMMARY ")", path);
	free(path);
	return rc;
}

int compare_write_format(const struct compare_format *format, const struct compare_report *report,
			 const struct view_values *values, struct err *err)
{
	struct result_file file;

	if (result_file_open(&file, values->output, values->force, false, err))
		return -1;
	format->write(report, file.out);
	if (result_file_close(&file, 0, err))
		return -1;
	return format == &compare_github ? add_step_summary(report, err) : 0;
}
