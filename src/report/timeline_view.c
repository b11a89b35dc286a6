#include "report/timeline_view.h"

#include "util/array.h"
#include "util/wrap.h"

static const struct timeline_frame *frame_of(const void *row)
{
	return ((const struct timeline_row *)row)->frame;
}

static const struct timeline_point *point_of(const void *row)
{
	return ((const struct timeline_row *)row)->point;
}

static const struct series *series_of(const void *row)
{
	return ((const struct timeline_row *)row)->series;
}

/* The step of a series; NULL: the row is of all steps. */
static const struct series_point *step_of(const void *data)
{
	const struct timeline_row *row = data;

	return row->points_nr ? NULL : row->points;
}

static const struct timeline_held *held_of(const void *row)
{
	return &point_of(row)->held[frame_of(row)->memory];
}

static bool knows_memory(const void *row)
{
	return frame_of(row)->known[frame_of(row)->memory];
}

static void get_time(const void *row, struct cell *cell)
{
	if (point_of(row))
		cell_set_number(cell, point_of(row)->start_ns);
	else if (step_of(row))
		cell_set_number(cell, step_of(row)->start_ns);
}

static void get_memory(const void *row, struct cell *cell)
{
	if (knows_memory(row))
		cell_set_number(cell, point_of(row)  ? held_of(row)->bytes
				      : step_of(row) ? step_of(row)->bytes
						     : series_of(row)->bytes);
}

static void get_memory_time(const void *row, struct cell *cell)
{
	if (knows_memory(row))
		cell_set_number(cell, point_of(row)  ? held_of(row)->bytes_ns
				      : step_of(row) ? step_of(row)->bytes_ns
						     : series_of(row)->bytes_ns);
}

static void get_touched(const void *row, struct cell *cell)
{
	if (frame_of(row)->known[TIMELINE_TOUCHED])
		cell_set_number(cell, point_of(row)->held[TIMELINE_TOUCHED].bytes);
}

/* A bar to the right, in characters that show eighths. */
static void add_bar(struct strbuf *sb, int64_t value, int64_t most, size_t width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double full = (double)width * 8;
	int filled = most > 0 && value > 0 ? (int)((double)value / (double)most * full + 0.5) : 0;

	for (int i = 0; i < filled / 8; i++)
		strbuf_adds(sb, "█");
	strbuf_adds(sb, eighths[filled % 8]);
}

typedef int64_t value_fn(const struct series_point *point);

/* If there are more steps than characters, each character has the highest of several, or their average. */
static int64_t character_of(const struct timeline_frame *frame, const struct series_point *points,
			    size_t nr, size_t character, value_fn *value)
{
	size_t from = nr * character / frame->graph, to = nr * (character + 1) / frame->graph;
	int64_t highest = 0, sum = 0;

	for (size_t i = from; i < to; i++) {
		if (value(&points[i]) > highest)
			highest = value(&points[i]);
		wrap_add_to(&sum, value(&points[i]));
	}
	return !frame->average ? highest : to > from ? sum / (int64_t)(to - from) : 0;
}

/* The values of all steps as bars upwards. What is above 0 is seen. */
static void add_graph(const struct timeline_row *row, value_fn *value, int64_t most,
		      struct strbuf *sb)
{
	static const char *const eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

	for (size_t i = 0; i < row->frame->graph; i++) {
		int64_t shown = character_of(row->frame, row->points, row->points_nr, i, value);
		int level = most > 0 ? (int)((double)shown / (double)most * 8 + 0.5) : 0;

		strbuf_adds(sb, eighths[shown > 0 && !level ? 1 : level]);
	}
}

static int64_t bytes_value(const struct series_point *point)
{
	return point->bytes;
}

static int64_t cpu_value(const struct series_point *point)
{
	return point->cpu_ns;
}

int64_t timeline_graph_cpu(const struct timeline_frame *frame, const struct series_point *points,
			   size_t nr, size_t character)
{
	return character_of(frame, points, nr, character, cpu_value);
}

static int64_t processes_value(const struct series_point *point)
{
	return point->processes;
}

static void get_graph(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (!knows_memory(row))
		return;
	if (row->point)
		add_bar(&cell->scratch, held_of(row)->bytes, row->frame->most_bytes,
			row->frame->graph);
	else
		add_graph(row, bytes_value, row->frame->most_bytes, &cell->scratch);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_cpu_graph(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (!row->frame->cpu)
		return;
	add_graph(row, cpu_value, row->frame->most_cpu_ns, &cell->scratch);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_processes_graph(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (!row->frame->processes)
		return;
	add_graph(row, processes_value, row->frame->most_processes, &cell->scratch);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_series(const void *row, struct cell *cell)
{
	cell_set_text(cell, series_of(row)->text);
}

static void get_crate(const void *row, struct cell *cell)
{
	if (series_of(row))
		get_series(row, cell);
	else if (knows_memory(row) && held_of(row)->key != GROUP_NONE)
		cell_set_text(
			cell,
			grouping_part(frame_of(row)->grouping, held_of(row)->key, BY_CRATE)->text);
}

static void get_crate_bytes(const void *row, struct cell *cell)
{
	if (knows_memory(row) && held_of(row)->key != GROUP_NONE)
		cell_set_number(cell, held_of(row)->key_bytes);
}

static void get_cpu(const void *row, struct cell *cell)
{
	if (frame_of(row)->cpu)
		cell_set_number(cell, point_of(row)  ? point_of(row)->cpu_ns
				      : step_of(row) ? step_of(row)->cpu_ns
						     : series_of(row)->cpu_ns);
}

/* The last step may be shorter. */
static void get_cpus(const void *row, struct cell *cell)
{
	const struct timeline_frame *frame = frame_of(row);
	int64_t length = frame->end_ns - point_of(row)->start_ns;

	if (!frame->cpu)
		return;
	if (length > frame->step_ns || length <= 0)
		length = frame->step_ns;
	cell_set_percent(cell, (double)point_of(row)->cpu_ns / (double)length);
}

static void get_cpus_text(const void *row, struct cell *cell)
{
	get_cpus(row, cell);
	if (!cell->known)
		return;
	strbuf_addf(&cell->scratch, "%.2f", cell->percent);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_processes(const void *row, struct cell *cell)
{
	if (frame_of(row)->processes)
		cell_set_number(cell,
				step_of(row) ? step_of(row)->processes : series_of(row)->processes);
}

static void get_working(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->frame->work)
		cell_set_number(cell, row->work->most);
}

static void get_alone(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->frame->work)
		cell_set_number(cell, row->work->alone_ns);
}

static void get_idle(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->frame->work)
		cell_set_number(cell, row->work->none_ns);
}

/* Where nothing was measured, nothing is to be compared with the limit. */
static void get_machine_commit(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->machine->commit_bytes >= 0)
		cell_set_number(cell, row->machine->commit_bytes);
}

static void get_commit_limit(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->machine->commit_bytes >= 0 && row->frame->commit_limit_bytes >= 0)
		cell_set_number(cell, row->frame->commit_limit_bytes);
}

static void get_available(const void *data, struct cell *cell)
{
	const struct timeline_row *row = data;

	if (row->machine->available_bytes >= 0)
		cell_set_number(cell, row->machine->available_bytes);
}

enum {
	TIME,
	MEMORY,
	MEMORY_TIME,
	GRAPH_COLUMN,
	CRATE,
	CRATE_BYTES,
	CPU,
	CPUS,
	WORKING,
	ALONE,
	IDLE,
	TOUCHED,
	MACHINE_COMMIT,
	COMMIT_LIMIT,
	AVAILABLE,
	ROLE,
	PART,
	PHASE,
	QUERY,
	PROCESSES,
	SERIES_CPU,
	PROCESSES_GRAPH,
	CPU_GRAPH,
};

static const struct column columns[] = {
	[TIME] = { "time_ns", "TIME", "start of the step", COLUMN_TIME, SHOW_DATA, false, get_time,
		   NULL },
	[MEMORY] = { "memory_bytes", "MEMORY",
		     "the most memory that was held at any moment of the step", COLUMN_BYTES,
		     SHOW_DATA | SHOW_IF_KNOWN, false, get_memory, NULL },
	[MEMORY_TIME] = { "memory_time_ns", "AT", "the first moment of it", COLUMN_TIME,
			  SHOW_DATA | SHOW_IF_KNOWN, false, get_memory_time, NULL },
	[GRAPH_COLUMN] = { "graph", "GRAPH",
			   "the same memory as a bar, with --by over time; only in text",
			   COLUMN_TEXT, SHOW_IF_KNOWN | SHOW_WHOLE, false, get_graph, NULL },
	[CRATE] = { "crate", "CRATE",
		    "crate whose processes held most of it; with --by crate that of the row",
		    COLUMN_TEXT, SHOW_DATA | SHOW_IF_KNOWN, true, get_crate, NULL },
	[CRATE_BYTES] = { "crate_bytes", "HELD", "what they held then", COLUMN_BYTES,
			  SHOW_DATA | SHOW_IF_KNOWN, false, get_crate_bytes, NULL },
	[CPU] = { "cpu_ns", "CPU", "CPU time of the samples in the step", COLUMN_DURATION,
		  SHOW_DATA | SHOW_IF_KNOWN, false, get_cpu, NULL },
	[CPUS] = { "cpus", "CPUS",
		   "the same as processors in use, on average; in JSON and CSV only with --columns",
		   COLUMN_PERCENT, SHOW_IF_KNOWN, false, get_cpus, get_cpus_text },
	[WORKING] = { "working", "WORKING",
		      "most processes at a time that compile, link or build, and wait for no "
		      "other",
		      COLUMN_INT, SHOW_DATA | SHOW_IF_KNOWN, false, get_working, NULL },
	[ALONE] = { "alone_ns", "ALONE", "time in the step in which one such process worked alone",
		    COLUMN_DURATION, SHOW_DATA | SHOW_IF_KNOWN, false, get_alone, NULL },
	[IDLE] = { "idle_ns", "IDLE", "time in the step in which none worked", COLUMN_DURATION,
		   SHOW_DATA | SHOW_IF_KNOWN, false, get_idle, NULL },
	[TOUCHED] = { "touched_bytes", "TOUCHED",
		      "the most touched memory at any moment of the step, if it was recorded",
		      COLUMN_BYTES, SHOW_DATA, false, get_touched, NULL },
	[MACHINE_COMMIT] = { "machine_commit_bytes", "MACHINE",
			     "the highest commit charge of all programs that was measured in the "
			     "step (Windows)",
			     COLUMN_BYTES, SHOW_DATA | SHOW_IF_KNOWN, false, get_machine_commit,
			     NULL },
	[COMMIT_LIMIT] = { "commit_limit_bytes", "LIMIT", "the limit of the commit charge",
			   COLUMN_BYTES, SHOW_DATA | SHOW_IF_KNOWN, false, get_commit_limit, NULL },
	[AVAILABLE] = { "available_bytes", "AVAILABLE",
			"the least physical memory that was available in the step (Windows)",
			COLUMN_BYTES, SHOW_DATA, false, get_available, NULL },
	[ROLE] = { "role", "ROLE", "with --by role that of the row", COLUMN_TEXT, SHOW_DATA, false,
		   get_series, NULL },
	[PART] = { "part", "PART", "with --by part that of the row", COLUMN_TEXT, SHOW_DATA, false,
		   get_series, NULL },
	[PHASE] = { "phase", "PHASE", "with --by phase that of the row", COLUMN_TEXT, SHOW_DATA,
		    false, get_series, NULL },
	[QUERY] = { "query", "QUERY", "with --by query that of the row", COLUMN_TEXT, SHOW_DATA,
		    false, get_series, NULL },
	[PROCESSES] = { "processes", "PROCESSES",
			"with --by the most processes of the row that existed at a time",
			COLUMN_INT, SHOW_DATA, false, get_processes, NULL },
	[SERIES_CPU] = { "cpu_ns", "CPU", "CPU time of the samples", COLUMN_DURATION,
			 SHOW_DATA | SHOW_IF_KNOWN, false, get_cpu, NULL },
	[PROCESSES_GRAPH] = { "processes_graph", "GRAPH OF PROCESSES",
			      "with --by the number of processes over time; only in text",
			      COLUMN_TEXT, SHOW_WHOLE, false, get_processes_graph, NULL },
	[CPU_GRAPH] = { "cpu_graph", "GRAPH OF CPU", "with --by CPU time over time; only in text",
			COLUMN_TEXT, SHOW_WHOLE, false, get_cpu_graph, NULL },
};

#define BUILD_COLUMNS \
	&columns[TIME], &columns[MEMORY], &columns[MEMORY_TIME], &columns[GRAPH_COLUMN], \
		&columns[CRATE], &columns[CRATE_BYTES], &columns[CPU], &columns[CPUS], \
		&columns[WORKING], &columns[ALONE], &columns[IDLE], &columns[TOUCHED], \
		&columns[MACHINE_COMMIT], &columns[COMMIT_LIMIT], &columns[AVAILABLE]

static const struct column *const build_columns[] = {
	BUILD_COLUMNS,
	NULL,
};

const struct table timeline_table = {
	.keys = build_columns,
	.identity = "time_ns",
	.text_columns = "time_ns,memory_bytes,graph,machine_commit_bytes,commit_limit_bytes,cpus,"
			"working,idle_ns,crate_bytes,crate",
};

const struct table timeline_table_without_graph = {
	.keys = build_columns,
	.identity = "time_ns",
	.text_columns = "time_ns,memory_bytes,machine_commit_bytes,commit_limit_bytes,cpus,working,"
			"idle_ns,crate_bytes,crate",
};

#define SERIES_COLUMNS \
	&columns[TIME], &columns[MEMORY], &columns[MEMORY_TIME], &columns[SERIES_CPU], \
		&columns[PROCESSES], &columns[GRAPH_COLUMN], &columns[PROCESSES_GRAPH], \
		&columns[CPU_GRAPH], NULL

static const struct column *const crate_columns[] = { &columns[CRATE], SERIES_COLUMNS };
static const struct column *const role_columns[] = { &columns[ROLE], SERIES_COLUMNS };
static const struct column *const part_columns[] = { &columns[PART], SERIES_COLUMNS };

#define STACK_COLUMNS &columns[TIME], &columns[SERIES_CPU], &columns[CPU_GRAPH], NULL

static const struct column *const phase_columns[] = { &columns[PHASE], STACK_COLUMNS };
static const struct column *const query_columns[] = { &columns[QUERY], STACK_COLUMNS };

const struct table timeline_series_tables[] = {
	{ .keys = crate_columns,
	  .identity = "crate",
	  .text_columns = "crate,memory_bytes,memory_time_ns,cpu_ns,graph" },
	{ .keys = role_columns,
	  .identity = "role",
	  .text_columns = "role,processes,memory_bytes,cpu_ns,processes_graph" },
	{ .keys = part_columns,
	  .identity = "part",
	  .text_columns = "part,memory_bytes,memory_time_ns,cpu_ns,graph" },
	{ .keys = phase_columns, .identity = "phase", .text_columns = "phase,cpu_ns,cpu_graph" },
	{ .keys = query_columns, .identity = "query", .text_columns = "query,cpu_ns,cpu_graph" },
};

static const struct column *const all_columns[] = {
	BUILD_COLUMNS,
	&columns[ROLE],
	&columns[PART],
	&columns[PHASE],
	&columns[QUERY],
	&columns[PROCESSES],
	&columns[PROCESSES_GRAPH],
	&columns[CPU_GRAPH],
	NULL,
};

const struct table timeline_all_columns = { .keys = all_columns };
