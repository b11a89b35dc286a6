#include "model/trace_row.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/quote.h"
#include "util/text.h"

/* TASK_COMM_LEN of Linux, without its NUL. */
#define COMMAND_MAX 15

static void tag_row(struct trace_row *row)
{
	static const struct strvec no_arguments = STRVEC_INIT;
	struct process *process = row->process;
	const struct tag_input in = {
		.exe = process->exe       ? process->exe
		       : process->argv.nr ? process->argv.v[0]
					  : NULL,
		.argv = process->argv_lost ? &no_arguments : &process->argv,
		.argv_lost = process->argv_lost,
		.exec_seen = process->exec_seen,
		.parent = row->parent ? &row->parent->tag : NULL,
		.before_exec = row->has_before ? &row->before : NULL,
		.numbering = NUMBERING_UNKNOWN,
	};

	tag_process(NULL, &in, &process->tag);
}

static void set_image(struct process *process, const char *exe, const char *name)
{
	char *copy = xstrdup_or_null(exe);

	free(process->exe);
	process->exe = copy;
	strvec_release(&process->argv);
	strvec_push(&process->argv, name);
	process->argv_lost = true;
}

struct trace_row *trace_row_new(struct process *process)
{
	struct trace_row *row = xcalloc(1, sizeof(*row));

	*row = (struct trace_row){ .process = process, .before = TAG_INIT };
	process->argv_lost = true;
	tag_row(row);
	return row;
}

void trace_row_free(struct trace_row *row)
{
	if (!row)
		return;
	tag_release(&row->before);
	free(row->command);
	free(row);
}

void trace_row_start(struct trace_row *row, const struct trace_start *start)
{
	struct process *process = row->process;

	if (start->image) {
		set_image(process, start->image, text_file_name(start->image));
		process->exec_seen = true;
		row->exe_is_sure = true;
	} else if (start->copied && row->parent && !process->exec_seen) {
		set_image(process, row->parent->exe, process_image(row->parent));
	}
	/* Only traces of Windows have command lines, and there a command line is one string. */
	if (start->command_line && *start->command_line) {
		strvec_release(&process->argv);
		quote_split_windows(start->command_line, &process->argv);
		process->argv_lost = false;
	}
	tag_row(row);
}

static void set_command(struct trace_row *row, const char *command)
{
	free(row->command);
	row->command = xstrdup(command);
	row->exe_is_sure = false;
	row->process->exec_seen = true;
	set_image(row->process, NULL, command);
	tag_row(row);
}

void trace_row_exec(struct trace_row *row, const char *command)
{
	if (row->process->exec_seen) {
		tag_copy(&row->before, &row->process->tag);
		row->has_before = true;
	}
	set_command(row, command);
}

void trace_row_name(struct trace_row *row, const char *command)
{
	if (!row->process->exe && !row->process->argv.nr)
		set_command(row, command);
}

static bool is_command(const char *command, const char *path)
{
	const char *name = text_file_name(path);
	size_t len = strlen(command);

	return !strncmp(command, name, len) && (!name[len] || len == COMMAND_MAX);
}

static bool is_library(const char *path, bool pe)
{
	const char *name = text_file_name(path);

	if (pe)
		return !text_glob("*.exe", name, true);
	return strstr(name, ".so.") || text_ends_with(name, ".so");
}

void trace_row_map(struct trace_row *row, const char *path, bool pe)
{
	bool sure = row->command && is_command(row->command, path);

	if (row->exe_is_sure || (!sure && (row->process->exe || is_library(path, pe))))
		return;
	row->exe_is_sure = sure;
	row->process->exec_seen = true;
	set_image(row->process, path, text_file_name(path));
	tag_row(row);
}
