#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "cli/view_run.h"
#include "convert/etl_export.h"
#include "convert/etl_output.h"
#include "platform/below.h"
#include "platform/fs.h"
#include "platform/output.h"
#include "platform/program.h"
#include "rundir/layout.h"
#include "rundir/open_script.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/text.h"

/* FILETIME of 1970-01-01, in units of 100 ns since 1601. */
#define FILETIME_1970 INT64_C(116444736000000000)

struct convert_values {
	struct strvec trace;
	const char *output;
	bool compress, force, quiet;
};

static const struct opt option_rows[] = {
	{ 'o', "output", OPT_STRING, "FILE.etl",
	  "where to write; by default trace.etl in the run directory, which has its profile for "
	  "WPA",
	  offsetof(struct convert_values, output), NULL },
	RESULT_FORCE_OPTION(struct convert_values, force),
	{ 0, "compress", OPT_FLAG, NULL, "compress the buffers of the file, as wpr -compress does",
	  offsetof(struct convert_values, compress), NULL },
	QUIET_OPTION(offsetof(struct convert_values, quiet)),
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "TRACE", "a run directory, a bundle, or a bare perf.data file", false, OPT_MANY,
	  offsetof(struct convert_values, trace) },
	OPT_ARG_END,
};

struct conversion {
	const struct convert_values *values;
	char *output_path;
	bool into_run; /* it is in the run directory */
	struct view_run run;
	struct replay replay;
	struct etl_output *output;
	/* Made at the first event: the facts of the trace are known then. */
	struct etl_export *export;
	struct err err;
};

static int64_t start_time(const struct view_run *run)
{
	int64_t ns;

	if (!run->manifest.start_utc || !text_parse_utc(run->manifest.start_utc, &ns))
		return FILETIME_1970;
	return FILETIME_1970 + ns / 100;
}

static void begin(struct conversion *conversion)
{
	const struct trace_facts *facts = replay_facts(&conversion->replay);
	struct etl_sink sink = etl_output_sink(conversion->output);
	struct strbuf product = STRBUF_INIT;
	struct etl_export_options options = {
		.source = text_file_name(conversion->run.path),
		.base_ns = facts->counters.base_ns,
		.start_time = start_time(&conversion->run),
		.cpus = facts->cpus > 0 && facts->cpus < UINT16_MAX ? (uint32_t)facts->cpus : 1,
		.compression =
			conversion->values->compress ? ETL_COMPRESSED_XPRESS : ETL_COMPRESSED_NONE,
	};

	strbuf_addf(&product, "Linux %s %s", facts->os_release ? facts->os_release : "",
		    facts->arch ? facts->arch : "");
	options.product = product.buf;
	conversion->export = etl_export_new(&conversion->replay.machine, &options, &sink);
	strbuf_release(&product);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct conversion *conversion = data;

	(void)replay;
	if (!conversion->export)
		begin(conversion);
	etl_export_event(conversion->export, event);
	if (interrupt_count())
		err_set(&conversion->err, ERR_FAILED, "interrupted by the user");
	else
		etl_output_check(conversion->output, &conversion->err);
	return conversion->err.code == ERR_NONE;
}

static int play(struct conversion *conversion, struct err *err)
{
	int rc = view_trace_play(&conversion->replay, take, conversion, err);

	if (!rc && conversion->err.code != ERR_NONE)
		rc = err_set(err, conversion->err.code, "%s", conversion->err.msg);
	err_clear(&conversion->err);
	if (rc)
		return -1;
	if (!conversion->export)
		begin(conversion);
	etl_export_finish(conversion->export, replay_facts(&conversion->replay)->counters.lost);
	return etl_output_finish(conversion->output, err);
}

static void note_count(uint64_t nr, const char *one, const char *many, const char *what)
{
	if (nr)
		message_printf("note: ", "%llu %s %s", (unsigned long long)nr, nr == 1 ? one : many,
			       what);
}

/* Print what is missing in the file. */
static void note_lacks(const struct conversion *conversion)
{
	const struct etl_export_counts *counts = etl_export_counts(conversion->export);
	const struct trace_facts *facts = replay_facts(&conversion->replay);

	if (facts->memory_refusal)
		message_printf("note: ", "the file has no memory events: %s",
			       facts->memory_refusal);
	note_count(counts->purges, "madvise call", "madvise calls",
		   "left out: purged pages stay committed, and ETL has no event for them");
	note_count(counts->picked, "stack", "stacks",
		   "of sampled memory events written as single events: ETL has no weights");
	note_count(counts->truncated, "stack", "stacks", "truncated: ETL cannot mark them");
	note_count(counts->cut_commands, "command line", "command lines",
		   "truncated to the size of an event");
	note_count(counts->rounded_weights, "sample", "samples", "with a time rounded to 100 ns");
}

static void print_summary(const struct conversion *conversion)
{
	const struct etl_export_counts *counts = etl_export_counts(conversion->export);
	const char *path = conversion->output_path;
	struct strbuf size = STRBUF_INIT;

	text_add_bytes(&size, fs_size(path));
	print_textf(
		stdout,
		"%s, %s: %llu processes, %llu threads, %llu images, %llu samples, %llu commits, "
		"%llu frees, %llu stacks\n",
		path, size.buf, (unsigned long long)counts->processes,
		(unsigned long long)counts->threads, (unsigned long long)counts->images,
		(unsigned long long)counts->samples, (unsigned long long)counts->commits,
		(unsigned long long)counts->frees, (unsigned long long)counts->stacks);
	strbuf_release(&size);
}

static int check_source(const struct conversion *conversion, struct err *err)
{
	const char *format = replay_facts(&conversion->replay)->format;

	if (!text_starts_with(format, "etl"))
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "cannot convert '%s': its trace is an ETL file already",
		       conversion->run.path);
}

static int convert_run(struct conversion *conversion, struct err *err)
{
	const struct view_trace_options options = {
		.replay = { .cpu = true, .memory = true, .names = true },
		.processes = true,
	};
	int rc;

	if (view_trace_open(&conversion->run, &options, &conversion->replay, err))
		return -1;
	rc = check_source(conversion, err);
	if (!rc)
		rc = etl_output_open(conversion->output_path, conversion->values->force,
				     &conversion->output, err);
	if (!rc) {
		interrupt_catch();
		rc = play(conversion, err);
	}
	if (!rc) {
		note_lacks(conversion);
		print_summary(conversion);
	}
	etl_export_free(conversion->export);
	etl_output_free(conversion->output);
	replay_close(&conversion->replay);
	return rc;
}

/* Without -o a run gets the file, as WPA opens it there with the run's profile and stack tags. */
static int choose_output(struct conversion *conversion, struct err *err)
{
	const struct convert_values *values = conversion->values;
	const char *run = values->trace.v[0];

	if (values->output) {
		conversion->output_path = xstrdup(values->output);
		return 0;
	}
	if (values->trace.nr > 1 || !fs_is_dir(run))
		return err_set(err, ERR_USAGE,
			       "--output FILE.etl is missing: without it the file is written into "
			       "the run, which must be one directory");
	if (below_size(run, RUN_PERF_DATA) < 0 && below_size(run, RUN_ETL) >= 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot convert '%s': its trace is an ETL file already", run);
	conversion->output_path = fs_join(run, RUN_ETL);
	conversion->into_run = true;
	return 0;
}

/* What starts WPA with the file: the compilers' directories of Linux have nothing for it. */
static int add_open_cmd(const struct conversion *conversion, struct err *err)
{
	struct strvec none = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (below_find(conversion->run.path, RUN_OPEN_CMD) == BELOW_NOTHING) {
		open_script_add_cmd(&text, &none);
		rc = below_write(conversion->run.path, RUN_OPEN_CMD, text.buf, text.len, err);
	}
	strbuf_release(&text);
	return rc;
}

static int run_convert(const void *data, struct err *err)
{
	struct conversion conversion = { .values = data, .err = ERR_INIT };
	const struct strvec *inputs = &conversion.values->trace;
	int rc = choose_output(&conversion, err);

	if (conversion.values->quiet)
		message_set_quiet();
	if (!rc)
		rc = output_check(conversion.output_path,
				  OUTPUT_PRIVATE | (conversion.values->force ? OUTPUT_REPLACE : 0),
				  conversion.into_run ? NULL : inputs, err);
	if (!rc)
		rc = view_run_open(inputs, VIEW_ALL_STACKS, &conversion.run, err);
	if (!rc) {
		rc = convert_run(&conversion, err);
		if (!rc && conversion.into_run)
			rc = add_open_cmd(&conversion, err);
		view_run_close(&conversion.run);
	}
	free(conversion.output_path);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command convert_command = {
	.name = "convert",
	.summary = "write a Linux recording as an ETL file",
	.details =
		"Processes, threads, images, CPU samples, stacks, commits and frees of memory, as "
		"Windows' tools read them. Images have the paths and build ids of Linux: "
		"stagetrace finds the names of functions, these tools do not.\n\n"
		"Calls of madvise and estimates from sampled stacks have no event: notes say what "
		"was "
		"left out. WPA itself has not been tried with such files.",
	.syntax = { groups, args, sizeof(struct convert_values) },
	.examples = { { "Put an ETL file into a run, for stagetrace open or open.cmd on Windows",
			"stagetrace convert run" },
		      { "The same for a bare trace, compressed",
			"stagetrace convert perf.data --compress -o perf.etl" } },
	.run = run_convert,
};
