#include "report/timeline_view.h"

#include "util/array.h"

/* Of the graph, in characters; each shows eighths. */
#define GRAPH 24

static const struct timeline_point *point_of(const void *data)
{
	return ((const struct timeline_row *)data)->point;
}

static const struct timeline_frame *frame_of(const void *data)
{
	return ((const struct timeline_row *)data)->frame;
}

static const struct concurrency *work_of(const void *data)
{
	return ((const struct timeline_row *)data)->work;
}

static void get_time(const void *row, struct cell *cell)
{
	cell_set_number(cell, point_of(row)->start_ns);
}

static void get_memory(const void *row, struct cell *cell)
{
	if (frame_of(row)->memory)
		cell_set_number(cell, point_of(row)->bytes);
}

static void get_memory_time(const void *row, struct cell *cell)
{
	if (frame_of(row)->memory)
		cell_set_number(cell, point_of(row)->bytes_ns);
}

static void get_graph(const void *row, struct cell *cell)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const struct timeline_frame *frame = frame_of(row);
	int64_t most = frame->most_bytes, bytes = point_of(row)->bytes;
	int filled =
		most > 0 && bytes > 0 ? (int)((double)bytes / (double)most * GRAPH * 8 + 0.5) : 0;

	if (!frame->memory)
		return;
	for (int i = 0; i < filled / 8; i++)
		strbuf_adds(&cell->scratch, "█");
	strbuf_adds(&cell->scratch, eighths[filled % 8]);
	cell_set_text(cell, cell->scratch.buf ? cell->scratch.buf : "");
}

static void get_crate(const void *row, struct cell *cell)
{
	const struct timeline_point *point = point_of(row);

	if (frame_of(row)->memory && point->key != GROUP_NONE)
		cell_set_text(cell,
			      grouping_part(frame_of(row)->grouping, point->key, BY_CRATE)->text);
}

static void get_crate_bytes(const void *row, struct cell *cell)
{
	if (frame_of(row)->memory && point_of(row)->key != GROUP_NONE)
		cell_set_number(cell, point_of(row)->key_bytes);
}

static void get_cpu(const void *row, struct cell *cell)
{
	if (frame_of(row)->cpu)
		cell_set_number(cell, point_of(row)->cpu_ns);
}

static void get_processors(const void *row, struct cell *cell)
{
	const struct timeline_frame *frame = frame_of(row);
	int64_t length = frame->end_ns - point_of(row)->start_ns;

	if (!frame->cpu)
		return;
	if (length > frame->step_ns || length <= 0)
		length = frame->step_ns;
	strbuf_addf(&cell->scratch, "%.2f", (double)point_of(row)->cpu_ns / (double)length);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_working(const void *row, struct cell *cell)
{
	if (frame_of(row)->processes)
		cell_set_number(cell, work_of(row)->most);
}

static void get_alone(const void *row, struct cell *cell)
{
	if (frame_of(row)->processes)
		cell_set_number(cell, work_of(row)->alone_ns);
}

static void get_idle(const void *row, struct cell *cell)
{
	if (frame_of(row)->processes)
		cell_set_number(cell, work_of(row)->none_ns);
}

static const struct column columns[] = {
	{ "time_ns", "TIME", "start of the step", COLUMN_TIME, SHOW_DATA, false, get_time, NULL },
	{ "memory_bytes", "MEMORY", "the most memory that was held at any moment of the step",
	  COLUMN_BYTES, SHOW_DATA, false, get_memory, NULL },
	{ "memory_time_ns", "AT", "the first moment of it", COLUMN_TIME, SHOW_DATA, false,
	  get_memory_time, NULL },
	{ "graph", "GRAPH", "the same memory as a bar; only in text", COLUMN_TEXT, 0, false,
	  get_graph, NULL },
	{ "crate", "CRATE", "crate whose processes held most of it", COLUMN_TEXT, SHOW_DATA, true,
	  get_crate, NULL },
	{ "crate_bytes", "HELD", "what they held then", COLUMN_BYTES, SHOW_DATA, false,
	  get_crate_bytes, NULL },
	{ "cpu_ns", "CPUS",
	  "CPU time of the samples in the step; text shows processors in use on average",
	  COLUMN_DURATION, SHOW_DATA, false, get_cpu, get_processors },
	{ "working", "WORKING",
	  "most processes at a time that compile, link or build, and wait for no other", COLUMN_INT,
	  SHOW_DATA, false, get_working, NULL },
	{ "alone_ns", "ALONE", "time in the step in which one such process worked alone",
	  COLUMN_DURATION, SHOW_DATA, false, get_alone, NULL },
	{ "idle_ns", "IDLE", "time in the step in which none worked", COLUMN_DURATION, SHOW_DATA,
	  false, get_idle, NULL },
};

const struct table timeline_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "time_ns,memory_bytes,graph,cpu_ns,working,idle_ns,crate_bytes,crate",
};
