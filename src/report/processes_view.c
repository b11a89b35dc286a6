#include "report/processes_view.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/quote.h"

/* Deeper branches are drawn as a number: lines would not get any clearer. */
#define DRAWN_DEPTH 24

static const struct process *process_of(const void *row)
{
	return ((const struct process_row *)row)->process;
}

static void set_known(struct cell *cell, int64_t number)
{
	if (number != PROCESS_UNKNOWN)
		cell_set_number(cell, number);
}

static void get_pid(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->pid);
}

static void get_ppid(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->ppid);
}

static void get_start(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->start_ns);
}

static void get_end(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->end_ns);
}

static void get_duration(const void *row, struct cell *cell)
{
	set_known(cell, process_duration(process_of(row)));
}

static void get_image(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_image(process_of(row)));
}

/* In a tree, with its branches; one that no filter asked for in parentheses. */
static void get_drawn_image(const void *data, struct cell *cell)
{
	const struct process_row *row = data;

	if (row->lines)
		strbuf_adds(&cell->scratch, row->lines);
	strbuf_addf(&cell->scratch, row->matched ? "%s" : "(%s)", process_image(row->process));
	cell_set_text(cell, cell->scratch.buf);
}

static void get_role(const void *row, struct cell *cell)
{
	cell_set_text(cell, role_name(process_of(row)->tag.role));
}

static void get_crate(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_of(row)->tag.crate);
}

static void get_crate_type(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_of(row)->tag.crate_type);
}

static void get_built_by(const void *row, struct cell *cell)
{
	if (process_of(row)->tag.built_by != STAGE_UNKNOWN)
		cell_set_number(cell, process_of(row)->tag.built_by);
}

static void get_part(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_of(row)->tag.part);
}

static void get_target(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_of(row)->tag.target);
}

static void get_exit_code(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->exit_code);
}

static void get_cpu(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->cpu_ns);
}

static void get_size(const void *row, struct cell *cell)
{
	set_known(cell, ((const struct process_row *)row)->memory.size_bytes);
}

static void get_peak(const void *row, struct cell *cell)
{
	set_known(cell, ((const struct process_row *)row)->memory.peak_bytes);
}

static void get_at_peak(const void *row, struct cell *cell)
{
	set_known(cell, ((const struct process_row *)row)->memory.at_peak_bytes);
}

static void get_peak_rss(const void *row, struct cell *cell)
{
	set_known(cell, process_of(row)->peak_rss_bytes);
}

/* NULL: nobody could read it; what stands there is the program's name at best. */
static const struct strvec *known_argv(const void *row)
{
	const struct process *process = process_of(row);

	return process->argv.nr && !process->argv_lost ? &process->argv : NULL;
}

static void get_command_line(const void *row, struct cell *cell)
{
	const struct strvec *argv = known_argv(row);

	if (!argv)
		return;
	quote_add_shell(&cell->scratch, argv);
	cell_set_text(cell, cell->scratch.buf);
}

/* As ps does where there is no command line. */
static void get_bracketed_image(const struct process *process, struct cell *cell)
{
	if (!process->exe && !process->argv.nr)
		return;
	strbuf_addf(&cell->scratch, "[%s]", process_image(process));
	cell_set_text(cell, cell->scratch.buf);
}

/* People know the program by its file name; its path would fill the line. */
static void get_short_command(const void *row, struct cell *cell)
{
	const struct strvec *argv = known_argv(row);
	const char *name;

	if (!argv) {
		get_bracketed_image(process_of(row), cell);
		return;
	}
	if (((const struct process_row *)row)->whole_command) {
		get_command_line(row, cell);
		return;
	}
	name = argv->v[0];
	for (const char *s = name; *s; s++) {
		if ((*s == '/' || *s == '\\') && s[1])
			name = s + 1;
	}
	quote_add_word(&cell->scratch, name);
	for (size_t i = 1; i < argv->nr; i++) {
		strbuf_addc(&cell->scratch, ' ');
		quote_add_word(&cell->scratch, argv->v[i]);
	}
	cell_set_text(cell, cell->scratch.buf);
}

static void get_argv(const void *row, struct cell *cell)
{
	cell_set_strings(cell, known_argv(row));
}

static void get_cwd(const void *row, struct cell *cell)
{
	cell_set_text(cell, process_of(row)->cwd);
}

static void get_depth(const void *row, struct cell *cell)
{
	cell_set_number(cell, (int64_t)((const struct process_row *)row)->depth);
}

static void get_matched(const void *row, struct cell *cell)
{
	cell_set_number(cell, ((const struct process_row *)row)->matched);
}

static const struct column columns[] = {
	{ "pid", "PID", "process id; ids are used again", COLUMN_INT, SHOW_DATA, false, get_pid,
	  NULL },
	{ "ppid", "PPID", "process id of the parent", COLUMN_INT, SHOW_DATA, false, get_ppid,
	  NULL },
	{ "start_ns", "START", "start, from the beginning of the recording", COLUMN_TIME, SHOW_DATA,
	  false, get_start, NULL },
	{ "end_ns", "END", "end; not known where it still ran when the recording ended",
	  COLUMN_TIME, SHOW_DATA, false, get_end, NULL },
	{ "duration_ns", "DURATION", "end minus start", COLUMN_DURATION, SHOW_DATA, false,
	  get_duration, NULL },
	{ "image", "IMAGE", "file name of the program", COLUMN_TEXT, SHOW_DATA, true, get_image,
	  get_drawn_image },
	{ "role", "ROLE", "what it is for: rustc, link, build-script, ...", COLUMN_TEXT, SHOW_DATA,
	  false, get_role, NULL },
	{ "crate", "CRATE", "crate or package that it works on", COLUMN_TEXT, SHOW_DATA, false,
	  get_crate, NULL },
	{ "crate_type", "CRATE TYPE", "lib, bin, proc-macro, ...", COLUMN_TEXT, SHOW_DATA, false,
	  get_crate_type, NULL },
	{ "built_by", "STAGE", "stage of the compiler that runs: 0, 1, 2", COLUMN_INT, SHOW_DATA,
	  false, get_built_by, NULL },
	{ "part", "PART", "what is being built: bootstrap, stage1-std, stage2-rustc, ...",
	  COLUMN_TEXT, SHOW_DATA, false, get_part, NULL },
	{ "target", "TARGET", "target triple, or host", COLUMN_TEXT, SHOW_DATA, false, get_target,
	  NULL },
	{ "exit_code", "EXIT", "exit code; 128 + signal where a signal ended it", COLUMN_INT,
	  SHOW_DATA, false, get_exit_code, NULL },
	{ "cpu_ns", "CPU", "CPU time of all its threads, user and system", COLUMN_DURATION,
	  SHOW_DATA, false, get_cpu, NULL },
	{ "size_bytes", "SIZE", "memory committed, freed or not; from the trace", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_size, NULL },
	{ "peak_bytes", "PEAK", "most memory outstanding at a moment; from the trace", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_peak, NULL },
	{ "at_peak_bytes", "AT PEAK",
	  "memory outstanding at the peak of the whole build; from the trace", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_at_peak, NULL },
	{ "peak_rss_bytes", "PEAK RSS", "most memory resident at a moment", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_peak_rss, NULL },
	{ "command_line", "COMMAND LINE",
	  "command line, quoted for a shell; text leaves out the program's path unless --wide, and "
	  "has [its name] where the command line is not known",
	  COLUMN_TEXT, SHOW_DATA, true, get_command_line, get_short_command },
	{ "argv", "ARGV", "command line, an argument each; only in JSON, or by --columns",
	  COLUMN_STRINGS, SHOW_JSON, true, get_argv, NULL },
	{ "cwd", "CWD", "working directory; only in JSON, or by --columns", COLUMN_TEXT, SHOW_JSON,
	  true, get_cwd, NULL },
	/* of a tree alone, see processes_table */
	{ "depth", "DEPTH", "how many parents up to the top", COLUMN_INT, SHOW_DATA, false,
	  get_depth, NULL },
	{ "matched", "MATCHED", "0 where it is here only for what it started, else 1", COLUMN_INT,
	  SHOW_DATA, false, get_matched, NULL },
};

#define TREE_COLUMNS 2

const struct table processes_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns) - TREE_COLUMNS,
	.text_columns = "pid,duration_ns,peak_rss_bytes,peak_bytes,role,crate,command_line",
	.wide_columns =
		"pid,start_ns,duration_ns,peak_rss_bytes,peak_bytes,role,crate,part,command_line",
};

const struct table tree_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "pid,start_ns,end_ns,peak_rss_bytes,peak_bytes,image,crate",
};

static void allocate_rows(struct process_rows *rows, size_t nr)
{
	rows->v = xcalloc(nr, sizeof(*rows->v));
	rows->pointers = xcalloc(nr, sizeof(*rows->pointers));
	rows->nr = 0;
}

static struct process_row *add_row(struct process_rows *rows, const struct process *process)
{
	struct process_row *row = &rows->v[rows->nr];

	*row = (struct process_row){
		.process = process,
		.memory = PROCESS_MEMORY_INIT,
		.matched = true,
	};
	rows->pointers[rows->nr++] = row;
	return row;
}

void process_rows_from_list(struct process_rows *rows, const struct process_list *list,
			    const bool *matched)
{
	allocate_rows(rows, list->nr);
	for (size_t i = 0; i < list->nr; i++) {
		if (!matched || matched[i])
			add_row(rows, list->v[i]);
	}
}

void process_rows_set_memory(struct process_rows *rows, const struct process_list *list,
			     const struct process_memory *memory)
{
	struct intmap places = INTMAP_INIT;

	for (size_t i = 0; i < list->nr; i++)
		intmap_put(&places, (int64_t)(intptr_t)list->v[i], (void *)&memory[i]);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct process_memory *of =
			intmap_get(&places, (int64_t)(intptr_t)rows->v[i].process);

		if (of)
			rows->v[i].memory = *of;
	}
	intmap_release(&places);
}

/* `last` tells for each depth above whether the branch there has ended. */
static char *draw_lines(const struct process_node *node, const bool *last)
{
	struct strbuf sb = STRBUF_INIT;

	if (node->depth > DRAWN_DEPTH)
		strbuf_addf(&sb, "[%zu] ", node->depth);
	else
		for (size_t depth = 1; depth < node->depth; depth++)
			strbuf_adds(&sb, last[depth] ? "   " : "│  ");
	if (node->depth)
		strbuf_adds(&sb, node->last ? "└─ " : "├─ ");
	return strbuf_detach(&sb);
}

void process_rows_from_tree(struct process_rows *rows, const struct process_tree *tree)
{
	bool last[DRAWN_DEPTH + 1] = { false };

	allocate_rows(rows, tree->nr);
	for (size_t i = 0; i < tree->nr; i++) {
		const struct process_node *node = &tree->v[i];
		struct process_row *row = add_row(rows, node->process);

		row->depth = node->depth;
		row->matched = node->matched;
		row->lines = draw_lines(node, last);
		if (node->depth <= DRAWN_DEPTH)
			last[node->depth] = node->last;
	}
}

void process_rows_set_whole_command(struct process_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		rows->v[i].whole_command = true;
}

void process_rows_release(struct process_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		free(rows->v[i].lines);
	free(rows->v);
	free(rows->pointers);
	*rows = (struct process_rows){ NULL, NULL, 0 };
}
