#include "report/history_view.h"

#include "report/table_output.h"
#include "report/trend.h"
#include "util/array.h"
#include "util/json_text.h"

static void set_time(struct cell *cell, int64_t time_ms)
{
	trend_add_time(&cell->scratch, time_ms);
	cell_set_text(cell, cell->scratch.buf);
}

static void set_text(struct cell *cell, const char *text)
{
	if (text && *text)
		cell_set_text(cell, text);
}

static void set_number(struct cell *cell, int64_t number, int64_t unknown)
{
	if (number != unknown)
		cell_set_number(cell, number);
}

/* Define get_run_NAME(), the getter of a column of runs. */
#define OF_RUN(name, set) \
	static void get_run_##name(const void *row, struct cell *cell) \
	{ \
		const struct history_run *run = row; \
\
		set; \
	}

OF_RUN(time, set_time(cell, run->time_ms))
OF_RUN(run, set_text(cell, run->name))
OF_RUN(config, set_text(cell, run->config))
OF_RUN(host, set_text(cell, run->host))
OF_RUN(commit, set_text(cell, run->commit))
OF_RUN(branch, set_text(cell, run->branch))
OF_RUN(dirty, set_number(cell, run->dirty, -1))
OF_RUN(version, set_text(cell, run->version))
OF_RUN(recorder, set_text(cell, run->recorder))
OF_RUN(kernel, set_text(cell, run->kernel))
OF_RUN(cpu, set_text(cell, run->cpu))
OF_RUN(cpus, set_number(cell, run->cpus, -1))
OF_RUN(settings, set_text(cell, run->settings))
OF_RUN(gates, set_text(cell, run->gates))
OF_RUN(lost, set_number(cell, run->lost, -1))
OF_RUN(state, cell_set_text(cell, run->failed ? "failed" : "done"))

static void get_run_foreign(const void *row, struct cell *cell)
{
	const struct history_run *run = row;

	if (run->foreign_permille >= 0)
		cell_set_percent(cell, (double)run->foreign_permille / 10);
}

/* As many digits as tell commits apart. */
#define COMMIT_DIGITS 12

static void get_run_commit_text(const void *row, struct cell *cell)
{
	const struct history_run *run = row;

	if (!run->commit || !*run->commit)
		return;
	strbuf_adds(&cell->scratch, run->commit);
	if (cell->scratch.len > COMMIT_DIGITS)
		strbuf_set_len(&cell->scratch, COMMIT_DIGITS);
	cell_set_text(cell, cell->scratch.buf);
}

#define TEXT(name, heading, help, show, get, text) \
	{ \
		name, heading, help, COLUMN_TEXT, show, false, get, text \
	}

static const struct column run_columns[] = {
	TEXT("time", "TIME", "when it began, UTC", SHOW_DATA, get_run_time, NULL),
	TEXT("run", "RUN", "the name of the run", SHOW_DATA, get_run_run, NULL),
	TEXT("config", "CONFIG", "the name of its configuration", SHOW_DATA, get_run_config, NULL),
	TEXT("host", "HOST", "the machine that recorded it", SHOW_DATA, get_run_host, NULL),
	TEXT("commit", "COMMIT", "of the checkout", SHOW_DATA, get_run_commit, get_run_commit_text),
	TEXT("branch", "BRANCH", "of the checkout", SHOW_DATA, get_run_branch, NULL),
	{ "dirty", "DIRTY", "files that differ from the commit", COLUMN_INT, SHOW_DATA, false,
	  get_run_dirty, NULL },
	TEXT("state", "STATE", "done, or failed: then it is in no trend", SHOW_DATA, get_run_state,
	     NULL),
	{ "lost", "LOST", "events that were lost", COLUMN_INT, SHOW_DATA, false, get_run_lost,
	  NULL },
	{ "foreign_percent", "OTHERS", "of the CPU time of the machine, used by others",
	  COLUMN_PERCENT, SHOW_DATA, false, get_run_foreign, NULL },
	TEXT("recorder", "RECORDER", "what recorded it", SHOW_DATA, get_run_recorder, NULL),
	TEXT("version", "VERSION", "of stagetrace", SHOW_DATA, get_run_version, NULL),
	TEXT("kernel", "KERNEL", "of the machine", SHOW_DATA, get_run_kernel, NULL),
	TEXT("cpu", "CPU", "the model of its processors", SHOW_DATA, get_run_cpu, NULL),
	{ "cpus", "CPUS", "their number", COLUMN_INT, SHOW_DATA, false, get_run_cpus, NULL },
	TEXT("settings", "SETTINGS", "a hash of what decides what was built and recorded",
	     SHOW_DATA, get_run_settings, NULL),
	TEXT("gates", "GATES", "[compare] fail-if of its configuration", SHOW_DATA, get_run_gates,
	     NULL),
};

const struct table history_runs_table = {
	.columns = run_columns,
	.columns_nr = ARRAY_SIZE(run_columns),
	.text_columns = "time,run,host,commit,state,lost,foreign_percent",
};

/* The same of the run of a value, of its series, and of the value. */
#define OF_RUN_OF_VALUE(name) \
	static void get_##name(const void *row, struct cell *cell) \
	{ \
		get_run_##name(((const struct history_value *)row)->run, cell); \
	}

OF_RUN_OF_VALUE(time)
OF_RUN_OF_VALUE(run)
OF_RUN_OF_VALUE(commit)
OF_RUN_OF_VALUE(config)
OF_RUN_OF_VALUE(host)

#define OF_SERIES(name, place) \
	static void get_##name(const void *row, struct cell *cell) \
	{ \
		set_text(cell, ((const struct history_value *)row)->series->texts[place]); \
	}

OF_SERIES(part, TEXT_PART)
OF_SERIES(role, TEXT_ROLE)
OF_SERIES(crate, TEXT_CRATE)
OF_SERIES(crate_type, TEXT_CRATE_TYPE)
OF_SERIES(phase, TEXT_PHASE)
OF_SERIES(module, TEXT_MODULE)
OF_SERIES(function, TEXT_FUNCTION)

static void get_kind(const void *row, struct cell *cell)
{
	cell_set_text(cell, history_kind_names[((const struct history_value *)row)->series->kind]);
}

static void get_bundle(const void *row, struct cell *cell)
{
	set_text(cell, ((const struct history_value *)row)->bundle);
}

#define OF_POINT(name, measure) \
	static void get_##name(const void *row, struct cell *cell) \
	{ \
		set_number(cell, ((const struct history_value *)row)->point->values.v[measure], \
			   MEASURE_UNKNOWN); \
	}

OF_POINT(wall, MEASURE_WALL)
OF_POINT(cpu_time, MEASURE_CPU)
OF_POINT(wait, MEASURE_WAIT)
OF_POINT(size, MEASURE_SIZE)
OF_POINT(own_peak, MEASURE_OWN_PEAK)
OF_POINT(own_peak_time, MEASURE_OWN_PEAK_TIME)
OF_POINT(at_peak, MEASURE_AT_PEAK)
OF_POINT(touched, MEASURE_TOUCHED)
OF_POINT(peak_rss, MEASURE_PEAK_RSS)
OF_POINT(count, MEASURE_COUNT)

#define NUMBER(key, heading, help, type, get) \
	{ \
		key, heading, help, type, SHOW_DATA, false, get, NULL \
	}

static const struct column value_columns[] = {
	TEXT("time", "TIME", "when the run began, UTC", SHOW_DATA, get_time, NULL),
	TEXT("run", "RUN", "the name of the run", SHOW_DATA, get_run, NULL),
	TEXT("commit", "COMMIT", "of the checkout", SHOW_DATA, get_commit, NULL),
	TEXT("config", "CONFIG", "the name of its configuration", SHOW_DATA, get_config, NULL),
	TEXT("host", "HOST", "the machine that recorded it", SHOW_DATA, get_host, NULL),
	TEXT("kind", "KIND", "build, part, role, part-role, crate, part-crate, phase or function",
	     SHOW_DATA, get_kind, NULL),
	TEXT("part", "PART", "what is built", SHOW_DATA, get_part, NULL),
	TEXT("role", "ROLE", "what the processes are for", SHOW_DATA, get_role, NULL),
	TEXT("crate", "CRATE", "the crate", SHOW_DATA, get_crate, NULL),
	TEXT("crate_type", "TYPE", "its type", SHOW_DATA, get_crate_type, NULL),
	TEXT("phase", "PHASE", "what the compiler did", SHOW_DATA, get_phase, NULL),
	TEXT("module", "MODULE", "of the function", SHOW_DATA, get_module, NULL),
	TEXT("function", "FUNCTION", "the function", SHOW_DATA, get_function, NULL),
	NUMBER("wall_ns", "WALL", "the time in which one of its processes existed", COLUMN_DURATION,
	       get_wall),
	NUMBER("cpu_ns", "CPU", "CPU time", COLUMN_DURATION, get_cpu_time),
	NUMBER("wait_ns", "WAIT", "waits for a processor, the disk and memory", COLUMN_DURATION,
	       get_wait),
	NUMBER("size_bytes", "SIZE", "bytes committed, freed or not", COLUMN_BYTES, get_size),
	NUMBER("own_peak_bytes", "OWN PEAK", "the most that was held at a time", COLUMN_BYTES,
	       get_own_peak),
	NUMBER("own_peak_time_ns", "OWN PEAK AT", "when that was, in the recording", COLUMN_TIME,
	       get_own_peak_time),
	NUMBER("at_peak_bytes", "AT PEAK", "held at the peak of the whole build", COLUMN_BYTES,
	       get_at_peak),
	NUMBER("touched_bytes", "TOUCHED", "the peak of touched memory", COLUMN_BYTES, get_touched),
	NUMBER("peak_rss_bytes", "PEAK RSS", "the highest of its processes", COLUMN_BYTES,
	       get_peak_rss),
	NUMBER("count", "COUNT", "events that committed memory", COLUMN_INT, get_count),
	TEXT("bundle", "BUNDLE", "where the bundle of the run is, with --bundle",
	     SHOW_DATA | SHOW_IF_KNOWN | SHOW_WHOLE, get_bundle, NULL),
};

const struct table history_values_table = {
	.columns = value_columns,
	.columns_nr = ARRAY_SIZE(value_columns),
	.text_columns = "time,run,commit,wall_ns,cpu_ns,size_bytes,own_peak_bytes,peak_rss_bytes",
};

/* The first columns of an export that are texts; but the first is a time. */
#define EXPORT_TEXTS 13

void history_add_csv_heading(struct strbuf *sb)
{
	for (size_t i = 0; history_export_columns[i]; i++)
		strbuf_addf(sb, "%s%s", i ? "," : "", history_export_columns[i]);
	strbuf_adds(sb, "\r\n");
}

void history_add_csv(const struct db_value *row, bool terminal, struct strbuf *sb)
{
	for (size_t i = 0; history_export_columns[i]; i++) {
		int64_t number = db_number(&row[i], MEASURE_UNKNOWN);

		if (i)
			strbuf_addc(sb, ',');
		if (i && i < EXPORT_TEXTS)
			table_add_csv_field(sb, db_text(&row[i]), terminal);
		else if (number != MEASURE_UNKNOWN)
			strbuf_addf(sb, "%lld", (long long)number);
	}
	strbuf_adds(sb, "\r\n");
}

void history_add_json(const struct db_value *row, struct strbuf *sb)
{
	strbuf_addc(sb, '{');
	for (size_t i = 0; history_export_columns[i]; i++) {
		int64_t number = db_number(&row[i], MEASURE_UNKNOWN);
		const char *key = history_export_columns[i], *text = db_text(&row[i]);

		if (i && i < EXPORT_TEXTS)
			json_text_bytes(sb, key, *text ? text : NULL);
		else if (number != MEASURE_UNKNOWN)
			json_text_int(sb, key, number);
		else
			json_text_bytes(sb, key, NULL);
	}
	strbuf_adds(sb, "}\n");
}

bool history_write(const struct strbuf *text, FILE *out)
{
	return fwrite(text->buf, 1, text->len, out) == text->len;
}
