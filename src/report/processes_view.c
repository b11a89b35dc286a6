#include "report/processes_view.h"

#include <stdlib.h>
#include <string.h>

#include "report/account.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/quote.h"
#include "util/text.h"

/* Deeper branches are shown as a number: more lines would not be clearer. */
#define DRAWN_DEPTH 24

static const struct process *process_of(const void *row)
{
	return ((const struct process_row *)row)->process;
}

/* Define getters of a number, which may be PROCESS_UNKNOWN, and of a text of the process. */
#define NUMBER(name, value) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct process_row *row = data; \
\
		if ((value) != PROCESS_UNKNOWN) \
			cell_set_number(cell, value); \
	}
#define TEXT(name, value) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct process_row *row = data; \
\
		cell_set_text(cell, value); \
	}

/* Define the getter of a column of account_memory. */
#define MEMORY(name, key) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct process_row *row = data; \
		const struct result_row of_account = { .entry = row->memory }; \
\
		if (row->memory) \
			table_find(&account_memory.table, key)->get(&of_account, cell); \
	}

/* Define the getter of a number of context switches. */
#define EXACT(name, value) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct process_row *row = data; \
\
		if (row->exact) \
			cell_set_number(cell, value); \
	}

/* The system may have counted it itself. */
static void get_wait_cpu(const void *data, struct cell *cell)
{
	const struct process_row *row = data;

	if (row->process->waits.cpu_ns != PROCESS_UNKNOWN)
		cell_set_number(cell, row->process->waits.cpu_ns);
	else if (row->exact && row->waits)
		cell_set_number(cell, row->exact->ready_ns);
}

static void get_wait_blocked(const void *data, struct cell *cell)
{
	const struct process_row *row = data;

	if (row->exact && row->waits)
		cell_set_number(cell, row->exact->blocked_ns);
}

NUMBER(pid, row->process->pid)
NUMBER(ppid, row->process->ppid)
NUMBER(start, row->process->start_ns)
NUMBER(end, row->process->end_ns)
NUMBER(duration, process_duration(row->process))
NUMBER(exit_code, row->process->exit_code)
NUMBER(cpu, row->process->cpu_ns)
NUMBER(wait_io, row->process->waits.io_ns)
NUMBER(wait_memory, row->process->waits.memory_ns)
EXACT(exact_cpu, row->exact->run_ns)
EXACT(switches, row->exact->switches)
MEMORY(size, "size_bytes")
MEMORY(peak, "peak_bytes")
MEMORY(at_peak, "at_peak_bytes")
NUMBER(peak_rss, row->process->peak_rss_bytes)
NUMBER(peak_commit, row->process->peak_commit_bytes)
TEXT(image, process_image(row->process))
TEXT(role, role_name(row->process->tag.role))
TEXT(crate, row->process->tag.crate)
TEXT(crate_type, row->process->tag.crate_type)
TEXT(part, row->process->tag.part)
TEXT(target, row->process->tag.target)
TEXT(cwd, row->process->cwd)

/* "link: cc": the role where the name of the program does not say it. */
static void add_role(struct strbuf *sb, const struct process *process)
{
	const char *role = role_name(process->tag.role);

	if (process->tag.role != ROLE_OTHER && !text_starts_with(process_image(process), role))
		strbuf_addf(sb, "%s: ", role);
}

/* In a tree with branches and role, and in parentheses if the filters leave the process out. */
static void get_drawn_image(const void *data, struct cell *cell)
{
	const struct process_row *row = data;
	struct strbuf *sb = &cell->scratch;

	if (row->lines)
		strbuf_adds(sb, row->lines);
	if (!row->matched)
		strbuf_addc(sb, '(');
	if (row->lines)
		add_role(sb, row->process);
	strbuf_adds(sb, process_image(row->process));
	if (!row->matched)
		strbuf_addc(sb, ')');
	if (row->hidden)
		strbuf_addf(sb, " +%zu", row->hidden);
	cell_set_text(cell, sb->buf);
}

/* A position on the axis, in eighths of a character. */
static int64_t position(const struct process_bars *bars, int64_t time_ns)
{
	double eighths = (double)bars->width * 8;

	if (time_ns <= bars->start_ns)
		return 0;
	if (time_ns >= bars->end_ns)
		return (int64_t)eighths;
	return (int64_t)(eighths * (double)(time_ns - bars->start_ns) /
			 (double)(bars->end_ns - bars->start_ns));
}

/* When it ran: a bar on the axis, at least an eighth of a character. */
static void get_bar(const void *data, struct cell *cell)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const struct process_row *row = data;
	struct strbuf *sb = &cell->scratch;
	int64_t from, to;

	if (!row->bars)
		return;
	from = position(row->bars, row->process->start_ns);
	to = row->process->end_ns == PROCESS_UNKNOWN ? (int64_t)row->bars->width * 8
						     : position(row->bars, row->process->end_ns);
	for (int64_t i = 0; i < from / 8; i++)
		strbuf_addc(sb, ' ');
	to -= from / 8 * 8;
	from %= 8;
	/* The right half of a character can be drawn. Within one character a bar begins at its left end. */
	if (from >= 4 && to >= 8) {
		strbuf_adds(sb, "▐");
		to -= 8;
	} else if (to < 8) {
		to = to > from ? to - from : 1;
	}
	for (int64_t i = 0; i < to / 8; i++)
		strbuf_adds(sb, "█");
	strbuf_adds(sb, eighths[to % 8]);
	cell_set_text(cell, sb->buf);
}

static void get_built_by(const void *row, struct cell *cell)
{
	if (process_of(row)->tag.built_by != STAGE_UNKNOWN)
		cell_set_number(cell, process_of(row)->tag.built_by);
}

/* The arguments; NULL: the command line could not be read, and argv has at most the name of the program. */
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

static void get_windows_command_line(const void *row, struct cell *cell)
{
	const struct strvec *argv = known_argv(row);

	if (!argv)
		return;
	quote_add_windows(&cell->scratch, argv);
	cell_set_text(cell, cell->scratch.buf);
}

/* Only the file name of the program: its path would fill the line. */
static void get_short_command(const void *row, struct cell *cell)
{
	const struct strvec *argv = known_argv(row);
	const char *name;

	/* As ps does for a process without a command line. */
	if (!argv) {
		const struct process *process = process_of(row);

		strbuf_addf(&cell->scratch, "[%s]", process_image(process));
		cell_set_text(cell, process->exe || process->argv.nr ? cell->scratch.buf : NULL);
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

static void get_depth(const void *row, struct cell *cell)
{
	cell_set_number(cell, (int64_t)((const struct process_row *)row)->depth);
}

static void get_utilization(const void *data, struct cell *cell)
{
	const struct process *process = process_of(data);
	int64_t duration = process_duration(process);

	if (process->cpu_ns != PROCESS_UNKNOWN && duration > 0)
		cell_set_percent(cell, 100.0 * (double)process->cpu_ns / (double)duration);
}

NUMBER(hidden, (int64_t)row->hidden)

static void get_matched(const void *row, struct cell *cell)
{
	cell_set_number(cell, ((const struct process_row *)row)->matched);
}

static const struct column columns[] = {
	{ "pid", "PID", "process id; ids are reused", COLUMN_INT, SHOW_DATA, false, get_pid, NULL },
	{ "ppid", "PPID", "process id of the parent", COLUMN_INT, SHOW_DATA, false, get_ppid,
	  NULL },
	{ "start_ns", "START", "start, from the beginning of the recording", COLUMN_TIME, SHOW_DATA,
	  false, get_start, NULL },
	{ "end_ns", "END", "end; unknown if it still ran when the recording ended", COLUMN_TIME,
	  SHOW_DATA, false, get_end, NULL },
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
	{ "exit_code", "EXIT", "exit code; 128 + signal if a signal ended it", COLUMN_INT,
	  SHOW_DATA, false, get_exit_code, NULL },
	{ "cpu_ns", "CPU", "CPU time of all its threads, user and system", COLUMN_DURATION,
	  SHOW_DATA, false, get_cpu, NULL },
	{ "size_bytes", "SIZE", "memory committed, freed or not; from the trace", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_size, NULL },
	{ "peak_bytes", "PEAK", "most memory held at any moment; from the trace", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_peak, NULL },
	{ "at_peak_bytes", "AT PEAK", "memory held at the peak of the whole build; from the trace",
	  COLUMN_BYTES, SHOW_DATA | SHOW_IF_KNOWN, false, get_at_peak, NULL },
	{ "peak_rss_bytes", "PEAK RSS", "peak of resident memory", COLUMN_BYTES,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_peak_rss, NULL },
	{ "command_line", "COMMAND LINE",
	  "command line, quoted for a shell; text leaves out the program's path unless --wide, and "
	  "shows [its name] if the command line is unknown",
	  COLUMN_TEXT, SHOW_DATA | SHOW_REMAINDER, true, get_command_line, get_short_command },
	{ "wait_cpu_ns", "WAIT CPU",
	  "time that its threads were ready to run while others had the processors",
	  COLUMN_DURATION, SHOW_DATA | SHOW_IF_KNOWN, false, get_wait_cpu, NULL },
	{ "wait_io_ns", "WAIT IO", "time that they waited for the disk", COLUMN_DURATION,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_wait_io, NULL },
	{ "wait_memory_ns", "WAIT MEMORY",
	  "time that they waited for memory: swapping, reclaim, compaction", COLUMN_DURATION,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_wait_memory, NULL },
	{ "utilization", "USE",
	  "CPU time in percent of the duration: 200 is two processors all the time", COLUMN_PERCENT,
	  SHOW_DATA, false, get_utilization, NULL },
	{ "exact_cpu_ns", "EXACT CPU", "CPU time by context switches; from the trace",
	  COLUMN_DURATION, SHOW_DATA | SHOW_IF_KNOWN, false, get_exact_cpu, NULL },
	{ "wait_blocked_ns", "BLOCKED",
	  "time that its threads were blocked, until they were woken; from the trace",
	  COLUMN_DURATION, SHOW_DATA | SHOW_IF_KNOWN, false, get_wait_blocked, NULL },
	{ "switches", "SWITCHES", "context switches to its threads; from the trace", COLUMN_INT,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_switches, NULL },
	{ "argv", "ARGV", "list of arguments; only in JSON, or with --columns", COLUMN_STRINGS,
	  SHOW_JSON, true, get_argv, NULL },
	{ "cwd", "CWD", "working directory; only in JSON, or with --columns", COLUMN_TEXT,
	  SHOW_JSON, true, get_cwd, NULL },
	{ "windows_command_line", "WINDOWS COMMAND LINE",
	  "command line, quoted as programs of Windows take it; only with --columns", COLUMN_TEXT,
	  0, true, get_windows_command_line, NULL },
	{ "peak_commit_bytes", "PEAK COMMIT",
	  "Windows: the most private memory it had committed, by the system's count", COLUMN_BYTES,
	  SHOW_DATA, true, get_peak_commit, NULL },
	/* only of a tree, see processes_table */
	{ "depth", "DEPTH", "number of ancestors in the tree", COLUMN_INT, SHOW_DATA, false,
	  get_depth, NULL },
	{ "matched", "MATCHED", "0 if it is shown only for its descendants, else 1", COLUMN_INT,
	  SHOW_DATA, false, get_matched, NULL },
	{ "hidden", "HIDDEN",
	  "processes below it that match, but --depth or --min-duration leaves out; text adds "
	  "it to the image",
	  COLUMN_INT, SHOW_DATA, false, get_hidden, NULL },
	{ "bar", "OVER TIME", "when it ran, as a bar; only in text, where there is room",
	  COLUMN_TEXT, 0, false, get_bar, NULL },
};

#define TREE_COLUMNS 4

const struct table processes_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns) - TREE_COLUMNS,
	.identity = "pid,role,crate,command_line",
	.text_columns = "pid,duration_ns,peak_rss_bytes,peak_bytes,role,crate,command_line",
	.wide_columns =
		"pid,start_ns,duration_ns,peak_rss_bytes,peak_bytes,role,crate,part,command_line",
};

#define TREE_TEXT "pid,start_ns,end_ns,peak_rss_bytes,peak_bytes,image,crate"

const struct table tree_table_narrow = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.identity = "pid,start_ns,image,crate",
	.text_columns = "pid,start_ns,end_ns,peak_bytes,image,crate",
};

const struct table tree_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.identity = "pid,start_ns,image,crate",
	.text_columns = TREE_TEXT,
};

const struct table tree_table_with_bars = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.identity = "pid,start_ns,image,crate",
	.text_columns = TREE_TEXT ",bar",
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
			     const struct ledger_entry *memory)
{
	struct intmap places;

	if (!memory)
		return;
	places = process_list_places(list);
	for (size_t i = 0; i < rows->nr; i++) {
		size_t place = process_list_place(&places, rows->v[i].process);

		rows->v[i].memory = place == PROCESS_NO_PLACE ? NULL : &memory[place];
	}
	intmap_release(&places);
}

void process_rows_set_exact(struct process_rows *rows, const struct process_list *list,
			    const struct cpu_exact *exact, bool waits)
{
	struct intmap places;

	if (!exact)
		return;
	places = process_list_places(list);
	for (size_t i = 0; i < rows->nr; i++) {
		size_t place = process_list_place(&places, rows->v[i].process);

		rows->v[i].exact = place == PROCESS_NO_PLACE ? NULL : &exact[place];
		rows->v[i].waits = waits;
	}
	intmap_release(&places);
}

/* `last` says for each depth whether the branch has ended. */
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
		row->hidden = node->hidden;
		row->lines = draw_lines(node, last);
		if (node->depth <= DRAWN_DEPTH)
			last[node->depth] = node->last;
	}
}

void process_rows_release(struct process_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		free(rows->v[i].lines);
	free(rows->v);
	free(rows->pointers);
	*rows = (struct process_rows){ NULL, NULL, 0 };
}
