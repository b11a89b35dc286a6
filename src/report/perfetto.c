/*
 * Perfetto's trace: packets of Protocol Buffers, one after the other. Processes and threads are tracks; slices on them are
 * processes, phases and parts; memory is a counter track of each process and of the build; CPU samples and dumps of what
 * each stack holds refer to interned stacks. Format: github.com/google/perfetto, protos/perfetto/trace/.
 *
 * A stack's number is that of its node, a frame's and its name's that of the name in the tree plus one. All packets are one
 * sequence, whose first packet has the clocks; the clock of dumps is the same as that of all others.
 */
#include <stdlib.h>
#include <string.h>

#include "report/export_format.h"
#include "report/proto_out.h"
#include "util/alloc.h"
#include "util/wrap.h"

#define WRITTEN_AT_ONCE ((size_t)64 << 10)

/* Interned data in one packet. */
#define INTERNED_AT_ONCE ((size_t)32 << 10)

enum trace_field { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_PROFILE_PACKET = 37,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
};

enum sequence_flags { SEQUENCE_BEGINS = 3, SEQUENCE_GOES_ON = 2 };
enum clock_field { SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum clock_id { CLOCK_MONOTONIC_COARSE = 4, CLOCK_BOOTTIME = 6 };

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER = 8,
};

enum process_field {
	PROCESS_PID = 1,
	PROCESS_CMDLINE = 2,
	PROCESS_NAME = 6,
	PROCESS_START_NS = 7,
};

enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum counter_field { COUNTER_UNIT = 3 };
enum counter_unit { COUNTER_BYTES = 3 };

enum event_field {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
};

enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_COUNTER = 4 };
enum annotation_field { ANNOTATION_INT = 4, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

enum interned_field {
	INTERNED_EVENT_NAMES = 2,
	INTERNED_FUNCTION_NAMES = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
};

/* The same for names of events and of functions. */
enum interned_string_field { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum frame_field { FRAME_IID = 1, FRAME_FUNCTION_NAME = 2 };
enum callstack_field { CALLSTACK_IID = 1, CALLSTACK_FRAMES = 2 };
enum sample_field { PERF_CPU = 1, PERF_PID = 2, PERF_TID = 3, PERF_CALLSTACK = 4 };

enum dump_field {
	DUMP_PROCESS = 5,
	DUMP_INDEX = 7,
	DUMP_PID = 1,
	DUMP_SAMPLES = 2,
	DUMP_TIMESTAMP = 9,
	DUMP_HEAP_NAME = 11,
};

enum heap_field {
	HEAP_CALLSTACK = 1,
	HEAP_ALLOCATED = 2,
	HEAP_FREED = 3,
	HEAP_ALLOCATIONS = 5,
	HEAP_FREES = 6,
};

/* Numbers of tracks: of processes and threads their index, and this. */
#define TRACK_OF_BUILD   INT64_C(1)
#define TRACKS_PROCESSES (INT64_C(1) << 40)
#define TRACKS_THREADS   (INT64_C(2) << 40)
#define TRACKS_MEMORY    (INT64_C(3) << 40)
#define TRACKS_PARTS     (INT64_C(4) << 40)

struct perfetto {
	const struct profile *profile;
	FILE *out;
	struct strbuf sb;     /* packets that are not written yet */
	struct strbuf packet; /* the current one */
	/* Messages in it, each in the one before. */
	struct strbuf message, inner, innermost;
	size_t dumps;
};

static void flush(struct perfetto *perfetto)
{
	fwrite(perfetto->sb.buf, 1, perfetto->sb.len, perfetto->out);
	strbuf_clear(&perfetto->sb);
}

/* Append a message to the one that it is in, and empty it. */
static void take(struct strbuf *to, uint32_t field, struct strbuf *message)
{
	proto_message(to, field, message);
	strbuf_clear(message);
}

/* Put perfetto->message into a packet of this kind, and end that. */
static void end_packet(struct perfetto *perfetto, uint32_t kind, enum sequence_flags flags)
{
	proto_int(&perfetto->packet, PACKET_SEQUENCE_ID, 1);
	proto_int(&perfetto->packet, PACKET_SEQUENCE_FLAGS, flags);
	take(&perfetto->packet, kind, &perfetto->message);
	take(&perfetto->sb, TRACE_PACKET, &perfetto->packet);
	if (perfetto->sb.len >= WRITTEN_AT_ONCE)
		flush(perfetto);
}

static void add_packet(struct perfetto *perfetto, uint32_t kind)
{
	end_packet(perfetto, kind, SEQUENCE_GOES_ON);
}

/* Time zero is 1 here: a time of 0 is none for some readers. */
static int64_t stamp(int64_t ns)
{
	return ns + 1;
}

static void set_time(struct perfetto *perfetto, int64_t ns)
{
	proto_int(&perfetto->packet, PACKET_TIMESTAMP, stamp(ns));
}

static void write_clocks(struct perfetto *perfetto)
{
	static const enum clock_id clocks[] = { CLOCK_BOOTTIME, CLOCK_MONOTONIC_COARSE };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		proto_int(&perfetto->inner, CLOCK_ID, clocks[i]);
		proto_int(&perfetto->inner, CLOCK_TIMESTAMP, stamp(0));
		take(&perfetto->message, SNAPSHOT_CLOCKS, &perfetto->inner);
	}
	end_packet(perfetto, PACKET_CLOCK_SNAPSHOT, SEQUENCE_BEGINS);
}

/* An entry of interned data, whose fields are in perfetto->inner. */
static void add_interned(struct perfetto *perfetto, uint32_t field)
{
	take(&perfetto->message, field, &perfetto->inner);
	if (perfetto->message.len >= INTERNED_AT_ONCE)
		add_packet(perfetto, PACKET_INTERNED_DATA);
}

static void intern_text(struct perfetto *perfetto, uint32_t field, size_t iid, const char *text)
{
	proto_int(&perfetto->inner, INTERNED_IID, (int64_t)iid);
	proto_text(&perfetto->inner, INTERNED_TEXT, text);
	add_interned(perfetto, field);
}

/* The frames of a stack, the root first. */
static void intern_stack(struct perfetto *perfetto, uint32_t node, uint32_t *path)
{
	const struct frame_node *nodes = perfetto->profile->tree.nodes;
	size_t nr = 0;

	for (uint32_t at = node; at != FRAME_TREE_ROOT; at = nodes[at].parent)
		path[nr++] = nodes[at].name;
	proto_int(&perfetto->inner, CALLSTACK_IID, node);
	while (nr)
		proto_int(&perfetto->inner, CALLSTACK_FRAMES, (int64_t)path[--nr] + 1);
	add_interned(perfetto, INTERNED_CALLSTACKS);
}

/* The number of frames of the deepest stack. */
static size_t find_depth(const struct frame_tree *tree)
{
	uint32_t *depths = xcalloc(tree->nodes_nr, sizeof(*depths));
	size_t most = 0;

	for (size_t i = 1; i < tree->nodes_nr; i++) {
		depths[i] = depths[tree->nodes[i].parent] + 1;
		if (depths[i] > most)
			most = depths[i];
	}
	free(depths);
	return most;
}

static void write_interned(struct perfetto *perfetto)
{
	const struct profile *profile = perfetto->profile;
	const struct frame_tree *tree = &profile->tree;
	bool *used = xcalloc(tree->nodes_nr, sizeof(*used));
	uint32_t *path = xcalloc(find_depth(tree) + 1, sizeof(*path));

	for (size_t i = 0; i < profile->samples_nr; i++)
		used[profile->samples[i].node] = true;
	for (size_t i = 0; i < profile->pieces_nr; i++)
		used[profile->pieces[i].node] = true;
	for (size_t i = 0; i < profile->phases.strings.nr; i++)
		intern_text(perfetto, INTERNED_EVENT_NAMES, i + 1, profile->phases.strings.v[i]);
	for (size_t i = 0; i < tree->names_nr; i++) {
		intern_text(perfetto, INTERNED_FUNCTION_NAMES, i + 1, tree->names[i].text);
		proto_int(&perfetto->inner, FRAME_IID, (int64_t)i + 1);
		proto_int(&perfetto->inner, FRAME_FUNCTION_NAME, (int64_t)i + 1);
		add_interned(perfetto, INTERNED_FRAMES);
	}
	for (size_t i = 1; i < tree->nodes_nr; i++) {
		if (used[i])
			intern_stack(perfetto, (uint32_t)i, path);
	}
	if (perfetto->message.len)
		add_packet(perfetto, PACKET_INTERNED_DATA);
	free(path);
	free(used);
}

/* A track of a name below another one; 0: below none. */
static void write_track(struct perfetto *perfetto, int64_t uuid, int64_t parent, const char *name,
			bool is_counter)
{
	proto_int(&perfetto->message, TRACK_UUID, uuid);
	if (parent)
		proto_int(&perfetto->message, TRACK_PARENT_UUID, parent);
	proto_text(&perfetto->message, TRACK_NAME, name);
	if (is_counter) {
		proto_int(&perfetto->inner, COUNTER_UNIT, COUNTER_BYTES);
		take(&perfetto->message, TRACK_COUNTER, &perfetto->inner);
	}
	add_packet(perfetto, PACKET_TRACK_DESCRIPTOR);
}

/* A text of this file. */
static void add_word(struct strbuf *sb, uint32_t field, const char *word)
{
	proto_bytes(sb, field, word, strlen(word));
}

static void annotate(struct perfetto *perfetto, const char *name, const char *text)
{
	if (!text)
		return;
	add_word(&perfetto->inner, ANNOTATION_NAME, name);
	proto_text(&perfetto->inner, ANNOTATION_STRING, text);
	take(&perfetto->message, EVENT_ANNOTATION, &perfetto->inner);
}

static void annotate_int(struct perfetto *perfetto, const char *name, int64_t value)
{
	add_word(&perfetto->inner, ANNOTATION_NAME, name);
	proto_int(&perfetto->inner, ANNOTATION_INT, value);
	take(&perfetto->message, EVENT_ANNOTATION, &perfetto->inner);
}

static void begin_event(struct perfetto *perfetto, enum event_type type, int64_t track,
			int64_t time_ns)
{
	set_time(perfetto, time_ns);
	proto_int(&perfetto->message, EVENT_TYPE, type);
	proto_int(&perfetto->message, EVENT_TRACK_UUID, track);
}

static void write_end(struct perfetto *perfetto, int64_t track, int64_t time_ns)
{
	begin_event(perfetto, EVENT_END, track, time_ns);
	add_packet(perfetto, PACKET_TRACK_EVENT);
}

static void write_memory(struct perfetto *perfetto, int64_t track, int64_t parent, const char *name,
			 const struct profile_curve *memory)
{
	if (!memory->nr)
		return;
	write_track(perfetto, track, parent, name, true);
	for (size_t i = 0; i < memory->nr; i++) {
		begin_event(perfetto, EVENT_COUNTER, track, memory->v[i].time_ns);
		proto_int(&perfetto->message, EVENT_COUNTER_VALUE, memory->v[i].held);
		add_packet(perfetto, PACKET_TRACK_EVENT);
	}
}

static void write_build(struct perfetto *perfetto)
{
	const struct profile *profile = perfetto->profile;
	size_t nr;
	struct profile_part *parts = profile_parts(profile, &nr);

	write_track(perfetto, TRACK_OF_BUILD, 0, "build", false);
	for (size_t i = 0; i < nr; i++) {
		int64_t track = TRACKS_PARTS + (int64_t)i;

		write_track(perfetto, track, TRACK_OF_BUILD, parts[i].name, false);
		begin_event(perfetto, EVENT_BEGIN, track, parts[i].start_ns);
		add_word(&perfetto->message, EVENT_CATEGORY, "part");
		proto_text(&perfetto->message, EVENT_NAME, parts[i].name);
		add_packet(perfetto, PACKET_TRACK_EVENT);
		write_end(perfetto, track, parts[i].end_ns);
	}
	write_memory(perfetto, TRACKS_MEMORY, TRACK_OF_BUILD, "memory of the build",
		     &profile->memory);
	free(parts);
}

static void write_process_track(struct perfetto *perfetto, const struct profile_process *process,
				int64_t track)
{
	proto_int(&perfetto->message, TRACK_UUID, track);
	proto_int(&perfetto->inner, PROCESS_PID, process->pid);
	if (process->command_line)
		proto_text(&perfetto->inner, PROCESS_CMDLINE, process->command_line);
	proto_text(&perfetto->inner, PROCESS_NAME, process->name);
	proto_int(&perfetto->inner, PROCESS_START_NS, stamp(process->start_ns));
	take(&perfetto->message, TRACK_PROCESS, &perfetto->inner);
	add_packet(perfetto, PACKET_TRACK_DESCRIPTOR);
}

static void write_process(struct perfetto *perfetto, const struct profile_process *process,
			  size_t index)
{
	int64_t track = TRACKS_PROCESSES + (int64_t)index;

	write_process_track(perfetto, process, track);
	begin_event(perfetto, EVENT_BEGIN, track, process->start_ns);
	add_word(&perfetto->message, EVENT_CATEGORY, "process");
	proto_text(&perfetto->message, EVENT_NAME, process->name);
	annotate(perfetto, "crate", process->crate);
	annotate(perfetto, "part", process->part);
	annotate(perfetto, "role", process->role);
	annotate_int(perfetto, "process_id", process->real_pid);
	if (process->built_by != STAGE_UNKNOWN)
		annotate_int(perfetto, "built_by", process->built_by);
	if (process->exit_code != PROCESS_UNKNOWN)
		annotate_int(perfetto, "exit_code", process->exit_code);
	add_packet(perfetto, PACKET_TRACK_EVENT);
	write_end(perfetto, track, process->end_ns);
	write_memory(perfetto, TRACKS_MEMORY + 1 + (int64_t)index, track, "memory",
		     &process->memory);
}

static void write_sample(struct perfetto *perfetto, const struct profile_sample *sample,
			 const struct profile_thread *thread)
{
	set_time(perfetto, sample->time_ns);
	if (sample->cpu >= 0)
		proto_int(&perfetto->message, PERF_CPU, sample->cpu);
	proto_int(&perfetto->message, PERF_PID, perfetto->profile->processes[thread->process].pid);
	proto_int(&perfetto->message, PERF_TID, thread->tid);
	proto_int(&perfetto->message, PERF_CALLSTACK, sample->node);
	add_packet(perfetto, PACKET_PERF_SAMPLE);
}

static void write_thread(struct perfetto *perfetto, size_t index)
{
	const struct profile *profile = perfetto->profile;
	const struct profile_thread *thread = &profile->threads[index];
	int64_t track = TRACKS_THREADS + (int64_t)index;
	struct profile_span span;
	size_t at = 0;

	proto_int(&perfetto->message, TRACK_UUID, track);
	proto_int(&perfetto->inner, THREAD_PID, profile->processes[thread->process].pid);
	proto_int(&perfetto->inner, THREAD_TID, thread->tid);
	proto_text(&perfetto->inner, THREAD_NAME, thread->name);
	take(&perfetto->message, TRACK_THREAD, &perfetto->inner);
	add_packet(perfetto, PACKET_TRACK_DESCRIPTOR);
	while (profile_next_span(profile, thread, &at, &span)) {
		begin_event(perfetto, EVENT_BEGIN, track, span.start_ns);
		add_word(&perfetto->message, EVENT_CATEGORY, "phase");
		proto_int(&perfetto->message, EVENT_NAME_IID, (int64_t)span.phase + 1);
		annotate_int(perfetto, "cpu_ns", span.ns);
		add_packet(perfetto, PACKET_TRACK_EVENT);
		write_end(perfetto, track, span.end_ns);
	}
	for (size_t i = 0; i < thread->samples_nr; i++)
		write_sample(perfetto, &profile->samples[thread->first_sample + i], thread);
}

/* What a stack has allocated and given back so far. */
struct heap_sums {
	int64_t allocated, freed, allocations, frees;
};

/* Sums by node of the tree, and which are not 0. */
struct heap {
	struct heap_sums *sums;
	uint32_t *used;
	size_t used_nr;
};

static void add_piece(struct heap *heap, const struct profile_piece *piece, bool freed)
{
	struct heap_sums *sums = &heap->sums[piece->node];

	if (!sums->allocations++)
		heap->used[heap->used_nr++] = piece->node;
	wrap_add_to(&sums->allocated, piece->bytes);
	if (!freed)
		return;
	sums->frees++;
	wrap_add_to(&sums->freed, piece->bytes);
}

/* Add the sums to the dump in perfetto->inner, and forget them. */
static void take_heap(struct perfetto *perfetto, struct heap *heap)
{
	for (size_t i = 0; i < heap->used_nr; i++) {
		struct heap_sums *sums = &heap->sums[heap->used[i]];

		proto_int(&perfetto->innermost, HEAP_CALLSTACK, heap->used[i]);
		proto_int(&perfetto->innermost, HEAP_ALLOCATED, sums->allocated);
		proto_int(&perfetto->innermost, HEAP_FREED, sums->freed);
		proto_int(&perfetto->innermost, HEAP_ALLOCATIONS, sums->allocations);
		proto_int(&perfetto->innermost, HEAP_FREES, sums->frees);
		take(&perfetto->inner, DUMP_SAMPLES, &perfetto->innermost);
		*sums = (struct heap_sums){ 0, 0, 0, 0 };
	}
	heap->used_nr = 0;
}

/*
 * At the end all that ends then is given back; before, in the order of profile_changes(), what was committed then is not.
 */
static bool is_freed(const struct profile_piece *piece, int64_t time_ns, bool is_end)
{
	if (piece->held || piece->end_ns > time_ns)
		return false;
	return is_end || piece->start_ns < time_ns;
}

static void write_dump(struct perfetto *perfetto, const struct profile_process *process,
		       struct heap *heap, int64_t time_ns, bool is_end)
{
	const struct profile_piece *pieces = perfetto->profile->pieces + process->first_piece;

	proto_int(&perfetto->inner, DUMP_PID, process->pid);
	proto_text(&perfetto->inner, DUMP_HEAP_NAME, "memory");
	proto_int(&perfetto->inner, DUMP_TIMESTAMP, stamp(time_ns));
	for (size_t i = 0; i < process->pieces_nr; i++) {
		const struct profile_piece *piece = &pieces[i];

		if (piece->start_ns <= time_ns)
			add_piece(heap, piece, is_freed(piece, time_ns, is_end));
	}
	take_heap(perfetto, heap);
	proto_int(&perfetto->message, DUMP_INDEX, (int64_t)perfetto->dumps++);
	take(&perfetto->message, DUMP_PROCESS, &perfetto->inner);
	set_time(perfetto, time_ns);
	add_packet(perfetto, PACKET_PROFILE_PACKET);
}

static int64_t peak_of(const struct profile_curve *memory)
{
	return memory->v[memory->highest].time_ns;
}

/* Dumps have running totals: they follow each other by time, each of another one. */
static void write_dumps_of(struct perfetto *perfetto, const struct profile_process *process,
			   struct heap *heap)
{
	int64_t own_ns = peak_of(&process->memory);
	int64_t build_ns = peak_of(&perfetto->profile->memory);
	int64_t first_ns = own_ns < build_ns ? own_ns : build_ns;
	int64_t second_ns = own_ns < build_ns ? build_ns : own_ns;

	if (first_ns >= process->start_ns && first_ns < process->end_ns)
		write_dump(perfetto, process, heap, first_ns, false);
	if (second_ns != first_ns && second_ns < process->end_ns)
		write_dump(perfetto, process, heap, second_ns, false);
	write_dump(perfetto, process, heap, process->end_ns, true);
}

static void write_dumps(struct perfetto *perfetto)
{
	const struct profile *profile = perfetto->profile;
	struct heap heap = {
		.sums = xcalloc(profile->tree.nodes_nr, sizeof(*heap.sums)),
		.used = xcalloc(profile->tree.nodes_nr, sizeof(*heap.used)),
	};

	for (size_t i = 0; i < profile->processes_nr; i++) {
		if (profile->processes[i].pieces_nr)
			write_dumps_of(perfetto, &profile->processes[i], &heap);
	}
	free(heap.sums);
	free(heap.used);
}

static void perfetto_write(const struct export_data *data, FILE *out)
{
	const struct profile *profile = data->profile;
	struct perfetto perfetto = {
		.profile = profile,
		.out = out,
		.sb = STRBUF_INIT,
		.packet = STRBUF_INIT,
		.message = STRBUF_INIT,
		.inner = STRBUF_INIT,
		.innermost = STRBUF_INIT,
	};

	write_clocks(&perfetto);
	write_interned(&perfetto);
	write_build(&perfetto);
	for (size_t i = 0; i < profile->processes_nr; i++)
		write_process(&perfetto, &profile->processes[i], i);
	for (size_t i = 0; i < profile->threads_nr; i++)
		write_thread(&perfetto, i);
	write_dumps(&perfetto);
	flush(&perfetto);
	strbuf_release(&perfetto.sb);
	strbuf_release(&perfetto.packet);
	strbuf_release(&perfetto.message);
	strbuf_release(&perfetto.inner);
	strbuf_release(&perfetto.innermost);
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.help = "all samples, phases and memory over time, for Perfetto",
	.ending = ".pftrace",
	.carries = EXPORT_SUBJECT | EXPORT_EVENTS,
	.write = perfetto_write,
};
