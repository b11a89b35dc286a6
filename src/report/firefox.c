/*
 * The processed profile format of the Firefox Profiler, version 70: JSON of tables by columns. Stacks, frames and strings
 * are in tables that all threads share; a thread has its samples and markers, the main thread of a process its memory too.
 * Format: github.com/firefox-devtools/profiler, src/types/profile.ts, docs-developer/CHANGELOG-formats.md.
 *
 * A frame is a function's name; its number in funcTable, frameTable and stringArray is that of the name in the tree. A
 * stack's number is that of its node, less one, as the root is none. The whole build is a process of its own, with a marker
 * for each process and part. Pieces of memory have their number in place of an address, so that each free ends a whole
 * allocation.
 */
#include <stdlib.h>
#include <string.h>

#include "report/export_format.h"
#include "report/json_out.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strset.h"

#define VERSION 70

/* Digits from nanoseconds to milliseconds. */
#define MS 6

#define BUILD_PID "0"

/* In the order of enum frame_kind. "Other" is the one that viewers expect to be grey. */
static const struct {
	const char *name, *color;
} categories[] = {
	[FRAME_UNKNOWN_KIND] = { "Other", "grey" },
	[FRAME_RUST] = { "Rust", "orange" },
	[FRAME_LLVM] = { "LLVM", "blue" },
	[FRAME_KERNEL] = { "Kernel", "purple" },
	[FRAME_ALLOCATOR] = { "Allocator", "red" },
	[FRAME_NATIVE] = { "C and C++", "yellow" },
	[FRAME_UNNAMED] = { "No symbol", "brown" },
	[FRAME_PROCESS] = { "Process", "lightblue" },
	[FRAME_SPECIAL] = { "No stack", "darkgrey" },
};

struct firefox {
	const struct profile *profile;
	struct json_out json;
	struct strset texts; /* strings after the names of frames */
	int64_t interval_ns;
};

static void raw(struct firefox *firefox, const char *text)
{
	json_out_raw(&firefox->json, text);
}

static void add_ms(struct firefox *firefox, int64_t ns)
{
	json_out_fixed(&firefox->json, ns, MS);
}

static void add_int(struct firefox *firefox, int64_t value)
{
	json_out_int(&firefox->json, value);
}

/* A column of `nr` equal values. */
static void add_column(struct firefox *firefox, const char *key, const char *value, size_t nr)
{
	raw(firefox, "\"");
	raw(firefox, key);
	raw(firefox, "\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		raw(firefox, value);
	}
	raw(firefox, "],");
}

static void add_length(struct firefox *firefox, size_t nr)
{
	raw(firefox, "\"length\":");
	add_int(firefox, (int64_t)nr);
	raw(firefox, "}");
}

static void add_fact(struct firefox *firefox, const char *key, const char *value)
{
	raw(firefox, ",\"");
	raw(firefox, key);
	raw(firefox, "\":");
	json_out_string(&firefox->json, value);
}

static void add_number(struct firefox *firefox, const char *key, int64_t value)
{
	if (value <= 0)
		return;
	raw(firefox, ",\"");
	raw(firefox, key);
	raw(firefox, "\":");
	add_int(firefox, value);
}

/* Processors are logical ones: the number of cores, the format's physicalCPUs, is not recorded. */
static void write_machine(struct firefox *firefox)
{
	const struct profile_machine *machine = &firefox->profile->machine;
	struct strbuf system = STRBUF_INIT;

	if (machine->os) {
		add_fact(firefox, "platform", machine->os);
		strbuf_adds(&system, machine->os);
	}
	if (machine->arch)
		strbuf_addf(&system, "%s%s", system.len ? " " : "", machine->arch);
	if (system.len)
		add_fact(firefox, "oscpu", system.buf);
	if (machine->cpu_model)
		add_fact(firefox, "CPUName", machine->cpu_model);
	add_number(firefox, "logicalCPUs", machine->cpus);
	add_number(firefox, "mainMemory", machine->memory_bytes);
	strbuf_release(&system);
}

static void write_meta(struct firefox *firefox, const char *subject)
{
	const struct profile *profile = firefox->profile;

	raw(firefox, "{\"meta\":{\"interval\":");
	add_ms(firefox, firefox->interval_ns);
	raw(firefox, ",\"startTime\":");
	add_ms(firefox, profile->utc_ns);
	raw(firefox, ",\"product\":");
	json_out_string(&firefox->json, subject ? subject : "stagetrace");
	raw(firefox, ",\"importedFrom\":\"stagetrace " STAGETRACE_VERSION
		     "\",\"processType\":0,\"preprocessedProfileVersion\":");
	add_int(firefox, VERSION);
	raw(firefox, ",\"symbolicated\":true,\"usesOnlyOneStackType\":true,\"sampleUnits\":{"
		     "\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	write_machine(firefox);
	raw(firefox, ",\n\"categories\":[");
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		raw(firefox, i ? ",{\"name\":" : "{\"name\":");
		json_out_string(&firefox->json, categories[i].name);
		raw(firefox, ",\"color\":");
		json_out_string(&firefox->json, categories[i].color);
		raw(firefox, ",\"subcategories\":[\"Other\"]}");
	}
	raw(firefox,
	    "],\n\"markerSchema\":["
	    "{\"name\":\"process\",\"display\":[\"marker-chart\",\"marker-table\","
	    "\"timeline-overview\"],\"chartLabel\":\"{marker.data.process}\","
	    "\"tooltipLabel\":\"{marker.data.process}\",\"tableLabel\":\"{marker.data.process}\","
	    "\"fields\":["
	    "{\"key\":\"process\",\"label\":\"Process\",\"format\":\"unique-string\"},"
	    "{\"key\":\"crate\",\"label\":\"Crate\",\"format\":\"unique-string\"},"
	    "{\"key\":\"part\",\"label\":\"Part\",\"format\":\"unique-string\"},"
	    "{\"key\":\"role\",\"label\":\"Role\",\"format\":\"unique-string\"},"
	    "{\"key\":\"built_by\",\"label\":\"Built by stage\",\"format\":\"integer\"},"
	    "{\"key\":\"exit_code\",\"label\":\"Exit code\",\"format\":\"integer\"},"
	    "{\"key\":\"process_id\",\"label\":\"Process id\",\"format\":\"string\"},"
	    "{\"key\":\"command_line\",\"label\":\"Command line\",\"format\":\"string\"}]},\n"
	    "{\"name\":\"part\",\"display\":[\"marker-chart\",\"marker-table\","
	    "\"timeline-overview\"],\"fields\":[]},\n"
	    "{\"name\":\"phase\",\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
	    "{\"key\":\"cpu\",\"label\":\"CPU time\",\"format\":\"duration\"}]}]},\n"
	    "\"libs\":[],\n");
}

/* The number of a stack; null: it has no frames. */
static void add_stack(struct firefox *firefox, uint32_t node)
{
	if (node == FRAME_TREE_ROOT)
		raw(firefox, "null");
	else
		add_int(firefox, (int64_t)node - 1);
}

static void write_samples(struct firefox *firefox, const struct profile_thread *thread)
{
	const struct profile_sample *samples = firefox->profile->samples + thread->first_sample;
	int64_t last_ns = 0;

	raw(firefox, "\"samples\":{\"stack\":[");
	for (size_t i = 0; i < thread->samples_nr; i++) {
		json_out_comma(&firefox->json, i);
		add_stack(firefox, samples[i].node);
	}
	raw(firefox, "],\n\"timeDeltas\":[");
	for (size_t i = 0; i < thread->samples_nr; i++) {
		json_out_comma(&firefox->json, i);
		add_ms(firefox, samples[i].time_ns - last_ns);
		last_ns = samples[i].time_ns;
	}
	raw(firefox, "],\n\"weight\":[");
	for (size_t i = 0; i < thread->samples_nr; i++) {
		json_out_comma(&firefox->json, i);
		add_ms(firefox, samples[i].ns);
	}
	raw(firefox, "],\n\"threadCPUDelta\":[");
	for (size_t i = 0; i < thread->samples_nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, samples[i].ns);
	}
	raw(firefox, "],\"weightType\":\"tracing-ms\",");
	add_length(firefox, thread->samples_nr);
}

static void write_allocations(struct firefox *firefox, const struct profile_process *process)
{
	const struct profile *profile = firefox->profile;
	size_t nr;
	struct profile_change *changes =
		profile_changes(profile, process->first_piece, process->pieces_nr, &nr);
	struct strbuf tid = STRBUF_INIT;

	raw(firefox, ",\n\"nativeAllocations\":{\"time\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		add_ms(firefox, changes[i].time_ns);
	}
	raw(firefox, "],\n\"weight\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, changes[i].bytes);
	}
	raw(firefox, "],\n\"stack\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		/* Where memory is given back is not recorded. */
		add_stack(firefox, changes[i].bytes < 0 ? FRAME_TREE_ROOT
							: profile->pieces[changes[i].piece].node);
	}
	raw(firefox, "],\n\"memoryAddress\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, (int64_t)(changes[i].piece - process->first_piece) + 1);
	}
	raw(firefox, "],\n\"weightType\":\"bytes\",");
	strbuf_addf(&tid, "%lld", (long long)process->pid);
	add_column(firefox, "threadId", tid.buf, nr);
	add_length(firefox, nr);
	strbuf_release(&tid);
	free(changes);
}

/* The columns of markers, which are made side by side. */
struct markers {
	struct json_out data, names, starts, ends;
	size_t nr;
};

static void begin_marker(struct firefox *firefox, struct markers *markers, const char *name,
			 int64_t start_ns, int64_t end_ns)
{
	struct json_out *columns[] = { &markers->data, &markers->names, &markers->starts,
				       &markers->ends };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		json_out_comma(columns[i], markers->nr);
	markers->nr++;
	json_out_int(&markers->names,
		     (int64_t)firefox->profile->tree.names_nr + strset_add(&firefox->texts, name));
	json_out_fixed(&markers->starts, start_ns, MS);
	json_out_fixed(&markers->ends, end_ns, MS);
}

static void add_member(struct firefox *firefox, struct markers *markers, const char *key,
		       const char *text)
{
	if (!text)
		return;
	json_out_raw(&markers->data, ",\"");
	json_out_raw(&markers->data, key);
	json_out_raw(&markers->data, "\":");
	json_out_int(&markers->data,
		     (int64_t)firefox->profile->tree.names_nr + strset_add(&firefox->texts, text));
}

static void add_process(struct firefox *firefox, struct markers *markers,
			const struct profile_process *process)
{
	struct json_out *data = &markers->data;
	struct strbuf pid = STRBUF_INIT;

	begin_marker(firefox, markers, process->crate ? process->crate : process->image,
		     process->start_ns, process->end_ns);
	json_out_raw(data, "{\"type\":\"process\"");
	add_member(firefox, markers, "process", process->name);
	add_member(firefox, markers, "crate", process->crate);
	add_member(firefox, markers, "part", process->part);
	add_member(firefox, markers, "role", process->role);
	if (process->built_by != STAGE_UNKNOWN) {
		json_out_raw(data, ",\"built_by\":");
		json_out_int(data, process->built_by);
	}
	if (process->exit_code != PROCESS_UNKNOWN) {
		json_out_raw(data, ",\"exit_code\":");
		json_out_int(data, process->exit_code);
	}
	strbuf_addf(&pid, "%lld", (long long)process->real_pid);
	json_out_raw(data, ",\"process_id\":");
	json_out_string(data, pid.buf);
	json_out_raw(data, ",\"command_line\":");
	json_out_string(data, process->command_line ? process->command_line : "");
	json_out_raw(data, "}");
	strbuf_release(&pid);
}

static void add_phases(struct firefox *firefox, struct markers *markers,
		       const struct profile_thread *thread)
{
	const struct profile *profile = firefox->profile;
	struct profile_span span;
	size_t at = 0;

	while (profile_next_span(profile, thread, &at, &span)) {
		begin_marker(firefox, markers, profile->phases.strings.v[span.phase], span.start_ns,
			     span.end_ns);
		json_out_raw(&markers->data, "{\"type\":\"phase\",\"cpu\":");
		json_out_fixed(&markers->data, span.ns, MS);
		json_out_raw(&markers->data, "}");
	}
}

/* The columns are as large as the markers of one thread. */
static void begin_markers(struct markers *markers)
{
	*markers = (struct markers){
		JSON_OUT_INIT(NULL),
		JSON_OUT_INIT(NULL),
		JSON_OUT_INIT(NULL),
		JSON_OUT_INIT(NULL),
		0,
	};
}

static void write_markers(struct firefox *firefox, struct markers *markers)
{
	raw(firefox, ",\n\"markers\":{\"data\":[");
	raw(firefox, markers->data.sb.buf);
	raw(firefox, "],\n\"name\":[");
	raw(firefox, markers->names.sb.buf);
	raw(firefox, "],\n\"startTime\":[");
	raw(firefox, markers->starts.sb.buf);
	raw(firefox, "],\n\"endTime\":[");
	raw(firefox, markers->ends.sb.buf);
	raw(firefox, "],\n");
	add_column(firefox, "phase", "1", markers->nr);
	add_column(firefox, "category", "0", markers->nr);
	add_length(firefox, markers->nr);
	strbuf_release(&markers->data.sb);
	strbuf_release(&markers->names.sb);
	strbuf_release(&markers->starts.sb);
	strbuf_release(&markers->ends.sb);
}

static void begin_thread(struct firefox *firefox, const char *process, const char *name,
			 const char *pid, int64_t tid, bool is_main)
{
	raw(firefox, "{\"processType\":\"default\",\"processName\":");
	json_out_string(&firefox->json, process);
	raw(firefox, ",\"name\":");
	json_out_string(&firefox->json, name);
	raw(firefox,
	    is_main ? ",\"isMainThread\":true,\"pid\":\"" : ",\"isMainThread\":false,\"pid\":\"");
	raw(firefox, pid);
	raw(firefox, "\",\"tid\":");
	add_int(firefox, tid);
	raw(firefox, ",\"pausedRanges\":[],\"showMarkersInTimeline\":true,");
}

static void write_lifetime(struct firefox *firefox, int64_t start_ns, int64_t end_ns)
{
	raw(firefox, "\"processStartupTime\":");
	add_ms(firefox, start_ns);
	raw(firefox, ",\"processShutdownTime\":");
	add_ms(firefox, end_ns);
	raw(firefox, ",\"registerTime\":");
	add_ms(firefox, start_ns);
	raw(firefox, ",\"unregisterTime\":");
	add_ms(firefox, end_ns);
	raw(firefox, ",\n");
}

static void write_thread(struct firefox *firefox, size_t number)
{
	const struct profile *profile = firefox->profile;
	const struct profile_thread *thread = &profile->threads[number];
	const struct profile_process *process = &profile->processes[thread->process];
	bool is_main = process->first_thread == number;
	struct strbuf pid = STRBUF_INIT;
	struct markers markers;

	strbuf_addf(&pid, "%lld", (long long)process->pid);
	begin_thread(firefox, process->name, thread->name, pid.buf, thread->tid, is_main);
	write_lifetime(firefox, process->start_ns, process->end_ns);
	write_samples(firefox, thread);
	if (is_main && process->pieces_nr)
		write_allocations(firefox, process);
	begin_markers(&markers);
	if (is_main)
		add_process(firefox, &markers, process);
	add_phases(firefox, &markers, thread);
	write_markers(firefox, &markers);
	raw(firefox, "}");
	strbuf_release(&pid);
}

/* The process that stands for the whole build, with the markers of all. */
static void write_build(struct firefox *firefox)
{
	const struct profile *profile = firefox->profile;
	const struct profile_thread none = { .samples_nr = 0 };
	size_t nr;
	struct profile_part *parts = profile_parts(profile, &nr);
	struct markers markers;

	begin_thread(firefox, "build", "build", BUILD_PID, 0, true);
	write_lifetime(firefox, profile->from_ns, profile->to_ns);
	write_samples(firefox, &none);
	begin_markers(&markers);
	for (size_t i = 0; i < nr; i++) {
		begin_marker(firefox, &markers, parts[i].name, parts[i].start_ns, parts[i].end_ns);
		json_out_raw(&markers.data, "{\"type\":\"part\"}");
	}
	for (size_t i = 0; i < profile->processes_nr; i++)
		add_process(firefox, &markers, &profile->processes[i]);
	write_markers(firefox, &markers);
	raw(firefox, "}");
	free(parts);
}

/* Values are changes, the first one from 0. */
static void write_counter(struct firefox *firefox, size_t number,
			  const struct profile_curve *memory, const char *pid, size_t main_thread)
{
	int64_t last = 0;

	raw(firefox, number ? ",\n" : "\n");
	raw(firefox, "{\"name\":\"memory\",\"category\":\"Memory\",\"description\":\"committed "
		     "memory\",\"pid\":\"");
	raw(firefox, pid);
	raw(firefox, "\",\"mainThreadIndex\":");
	add_int(firefox, (int64_t)main_thread);
	raw(firefox, ",\"display\":{\"graphType\":\"line-accumulated\",\"unit\":\"bytes\","
		     "\"color\":\"orange\",\"markerSchemaLocation\":null,\"sortWeight\":20,"
		     "\"label\":\"Memory\",\"tooltipRows\":[{\"type\":\"value\","
		     "\"source\":\"accumulated\",\"format\":{\"unit\":\"bytes\"},"
		     "\"label\":\"memory held\"}]},\"samples\":{\"time\":[");
	for (size_t i = 0; i < memory->nr; i++) {
		json_out_comma(&firefox->json, i);
		add_ms(firefox, memory->v[i].time_ns);
	}
	raw(firefox, "],\"count\":[");
	for (size_t i = 0; i < memory->nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, memory->v[i].held - last);
		last = memory->v[i].held;
	}
	raw(firefox, "],");
	add_length(firefox, memory->nr);
	raw(firefox, "}");
}

static void write_counters(struct firefox *firefox)
{
	const struct profile *profile = firefox->profile;
	size_t nr = 0;

	raw(firefox, "\"counters\":[");
	if (profile->pieces_nr)
		write_counter(firefox, nr++, &profile->memory, BUILD_PID, 0);
	for (size_t i = 0; i < profile->processes_nr; i++) {
		const struct profile_process *process = &profile->processes[i];
		struct strbuf pid = STRBUF_INIT;

		if (!process->pieces_nr)
			continue;
		strbuf_addf(&pid, "%lld", (long long)process->pid);
		write_counter(firefox, nr++, &process->memory, pid.buf,
			      (size_t)process->first_thread + 1);
		strbuf_release(&pid);
	}
	raw(firefox, "],\n");
}

static void write_stacks(struct firefox *firefox, const struct frame_tree *tree)
{
	raw(firefox, "\"stackTable\":{\"frame\":[");
	for (size_t i = 1; i < tree->nodes_nr; i++) {
		json_out_comma(&firefox->json, i - 1);
		add_int(firefox, tree->nodes[i].name);
	}
	raw(firefox, "],\n\"prefixOffset\":[");
	for (size_t i = 1; i < tree->nodes_nr; i++) {
		uint32_t parent = tree->nodes[i].parent;

		json_out_comma(&firefox->json, i - 1);
		add_int(firefox, parent == FRAME_TREE_ROOT ? 0 : (int64_t)(i - parent));
	}
	raw(firefox, "],\n");
	add_length(firefox, tree->nodes_nr - 1);
}

static enum frame_kind kind_of(const struct frame_name *name)
{
	return name->kind == FRAME_UNKNOWN_KIND ? frame_kind_guess(name->text) : name->kind;
}

/* A column of the numbers 0, 1, 2, ... */
static void add_numbers(struct firefox *firefox, const char *key, size_t nr)
{
	raw(firefox, "\"");
	raw(firefox, key);
	raw(firefox, "\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, (int64_t)i);
	}
	raw(firefox, "],\n");
}

static void write_frames(struct firefox *firefox, const struct frame_tree *tree)
{
	size_t nr = tree->names_nr;

	raw(firefox, ",\n\"frameTable\":{");
	add_numbers(firefox, "func", nr);
	raw(firefox, "\"category\":[");
	for (size_t i = 0; i < nr; i++) {
		json_out_comma(&firefox->json, i);
		add_int(firefox, kind_of(&tree->names[i]));
	}
	raw(firefox, "],\n");
	add_column(firefox, "subcategory", "0", nr);
	add_column(firefox, "address", "-1", nr);
	add_column(firefox, "lib", "-1", nr);
	add_column(firefox, "inlineDepth", "0", nr);
	add_column(firefox, "nativeSymbol", "null", nr);
	add_column(firefox, "innerWindowID", "0", nr);
	add_column(firefox, "line", "null", nr);
	add_column(firefox, "column", "null", nr);
	add_column(firefox, "originalLocation", "null", nr);
	add_length(firefox, nr);
	raw(firefox, ",\n\"funcTable\":{");
	add_numbers(firefox, "name", nr);
	add_column(firefox, "isJS", "false", nr);
	add_column(firefox, "relevantForJS", "false", nr);
	add_column(firefox, "resource", "-1", nr);
	add_column(firefox, "source", "null", nr);
	add_column(firefox, "lineNumber", "null", nr);
	add_column(firefox, "columnNumber", "null", nr);
	add_column(firefox, "originalLocation", "null", nr);
	add_length(firefox, nr);
}

/* After all else, as strings are found while it is written. */
static void write_shared(struct firefox *firefox)
{
	const struct frame_tree *tree = &firefox->profile->tree;
	const struct strvec *texts = &firefox->texts.strings;

	raw(firefox, "\"shared\":{");
	write_stacks(firefox, tree);
	write_frames(firefox, tree);
	raw(firefox, ",\n\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},"
		     "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
		     "\"functionSize\":[],\"length\":0},\"sources\":{\"id\":[],\"filename\":[],"
		     "\"startLine\":[],\"startColumn\":[],\"sourceMapURL\":[],\"content\":[],"
		     "\"length\":0},\"sourceLocationTable\":{\"source\":[],\"line\":[],"
		     "\"column\":[],\"length\":0},\n\"stringArray\":[");
	for (size_t i = 0; i < tree->names_nr; i++) {
		raw(firefox, i ? ",\n" : "\n");
		json_out_string(&firefox->json, tree->names[i].text);
	}
	for (size_t i = 0; i < texts->nr; i++) {
		raw(firefox, i || tree->names_nr ? ",\n" : "\n");
		json_out_string(&firefox->json, texts->v[i]);
	}
	raw(firefox, "]}}\n");
}

static void firefox_write(const struct export_data *data, FILE *out)
{
	const struct profile *profile = data->profile;
	struct firefox firefox = {
		.profile = profile,
		.json = JSON_OUT_INIT(out),
		.texts = STRSET_INIT,
		.interval_ns = profile->samples_nr && profile->samples[0].ns > 0
				       ? profile->samples[0].ns
				       : 1000000,
	};

	write_meta(&firefox, data->subject);
	raw(&firefox, "\"threads\":[\n");
	write_build(&firefox);
	for (size_t i = 0; i < profile->threads_nr; i++) {
		raw(&firefox, ",\n");
		write_thread(&firefox, i);
	}
	raw(&firefox, "],\n");
	write_counters(&firefox);
	write_shared(&firefox);
	json_out_end(&firefox.json);
	strset_release(&firefox.texts);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.help = "all events, for the Firefox Profiler",
	.ending = ".firefox.json",
	.carries = EXPORT_SUBJECT | EXPORT_EVENTS,
	.write = firefox_write,
};
