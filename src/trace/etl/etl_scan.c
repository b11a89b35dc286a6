#include "trace/etl/etl_scan.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_merge.h"
#include "trace/etl/etl_prefetch.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/intmap.h"
#include "util/text.h"

/* Few parts of stacks are written later than this after their event. */
#define SPAN_NS (2 * NS_PER_MS)

/* A recording has a few marks; a damaged file may have any number. */
#define MARKS_MAX ((size_t)1 << 16)

/* Bytes of StackWalk events before their frames or key: time, process, thread. */
#define STACK_HEADER 16

/* Bytes of SampledProfile events after the address that they must have: thread, count. */
#define SAMPLE_REST 6

/* Some twelve million events. */
#define DIGEST_MAX ((size_t)128 << 20)

/* A system has some thousand threads; a damaged file may have any number. */
#define THREADS_MAX ((size_t)1 << 18)

/* Threads whose last sample is looked up first: a power of two. */
#define RECENT 256

/* The first sample of a thread. */
struct sampled {
	uint64_t time;
	uint32_t tid;
	bool started; /* its thread has started by then */
};

struct threads {
	struct intmap by_tid; /* index in `v` plus one */
	struct sampled *v;
	size_t nr, alloc;
	uint32_t recent[RECENT]; /* index in `v` plus one */
};

struct scanner {
	struct etl_scan *scan;
	struct threads threads;
	struct etl_paths paths;
	struct strbuf a, b; /* scratch */
};

/* Records that merging added have unrelated times, which do not count. */
static bool is_placed_later(const struct etl_record *record)
{
	return record->provider == ETL_IMAGE_ID || record->provider == ETL_SYS_CONFIG_EX ||
	       record->kind == ETL_MESSAGE;
}

static void note_time(struct etl_scan *scan, uint64_t time)
{
	if (time < scan->first)
		scan->first = time;
	if (time > scan->last)
		scan->last = time;
}

/* `latest` is the latest time of the previous records of its processor. A message may have no time. */
static void note_order(struct etl_scan *scan, const struct etl_record *record, uint64_t *latest)
{
	if (record->time >= *latest)
		*latest = record->time;
	else if (record->time || record->kind != ETL_MESSAGE)
		scan->unordered++;
}

static const char *text_of(struct strbuf *sb, const struct etl_text *text)
{
	strbuf_clear(sb);
	etl_text_add(text, sb);
	return sb->buf;
}

static void keep(char **to, struct strbuf *sb, const struct etl_text *text)
{
	if (!*to && text->nr)
		*to = xstrdup(text_of(sb, text));
}

static struct sampled *find_thread(struct threads *threads, uint32_t tid, uint64_t time)
{
	uint32_t *recent = &threads->recent[tid / 4 % RECENT];
	uintptr_t known;

	if (*recent && threads->v[*recent - 1].tid == tid)
		return &threads->v[*recent - 1];
	known = (uintptr_t)intmap_get(&threads->by_tid, tid);
	if (!known && threads->nr <= THREADS_MAX) {
		ARRAY_ADD(threads->v, threads->nr, threads->alloc,
			  (struct sampled){ .tid = tid, .time = time });
		known = threads->nr;
		intmap_put(&threads->by_tid, tid, (void *)known);
	}
	if (!known)
		return NULL;
	*recent = (uint32_t)known;
	return &threads->v[known - 1];
}

static void note_thread(struct threads *threads, uint32_t tid, uint64_t time)
{
	struct sampled *sampled = find_thread(threads, tid, time);

	if (sampled && time < sampled->time)
		sampled->time = time;
}

static bool threads_known(struct threads *threads, const struct etl_timeline *timeline)
{
	size_t nr, known = 0;
	const struct etl_change *changes = etl_timeline_changes(timeline, &nr);

	for (size_t i = 0; i < nr; i++) {
		struct trace_event event;
		uintptr_t index;

		etl_timeline_event(timeline, &changes[i], &event);
		if (event.kind != TRACE_THREAD_START)
			continue;
		index = (uintptr_t)intmap_get(&threads->by_tid, event.tid);
		if (!index || threads->v[index - 1].started ||
		    changes[i].time > threads->v[index - 1].time)
			continue;
		threads->v[index - 1].started = true;
		known++;
	}
	return known == threads->nr && known <= THREADS_MAX;
}

static void threads_release(struct threads *threads)
{
	intmap_release(&threads->by_tid);
	free(threads->v);
}

static bool scan_sample(struct scanner *scanner, const struct etl_record *record)
{
	struct etl_scan *scan = scanner->scan;
	struct etl_sample sample;

	if (!etl_decode_sample(record, &sample))
		return false;
	if (!sample.tid) {
		scan->idle++;
		scan->idle_busy += sample.dpc || sample.isr;
		return true;
	}
	note_thread(&scanner->threads, sample.tid, record->time);
	return true;
}

static bool scan_mark(struct etl_scan *scan, const struct etl_record *record)
{
	struct strbuf sb = STRBUF_INIT;
	struct etl_text text;

	if (!etl_decode_mark(record, &text))
		return false;
	if (scan->marks_nr >= MARKS_MAX)
		return true;
	etl_text_add(&text, &sb);
	ARRAY_GROW(scan->marks, scan->marks_nr + 1, scan->marks_alloc);
	scan->marks[scan->marks_nr++] = (struct etl_mark){ record->time, strbuf_detach(&sb) };
	return true;
}

static bool scan_perf(struct scanner *scanner, const struct etl_record *record)
{
	struct etl_scan *scan = scanner->scan;

	switch (record->opcode) {
	case ETL_PERF_SAMPLE:
		return scan_sample(scanner, record);
	case ETL_PERF_INTERVAL:
	case ETL_PERF_INTERVAL_START:
	case ETL_PERF_INTERVAL_END:
		return etl_rates_add(scan->rates, record);
	case ETL_PERF_MARK:
		return scan_mark(scan, record);
	default:
		return true;
	}
}

static bool scan_stack(struct etl_scan *scan, const struct etl_record *record)
{
	struct etl_stack stack;

	switch (record->opcode) {
	case ETL_STACK:
	case ETL_STACK_KERNEL_KEY:
	case ETL_STACK_USER_KEY:
		if (!etl_decode_stack(record, &stack))
			return false;
		if (etl_window_is_late(scan->span, record, &stack))
			etl_keys_add_late(scan->keys, record, &stack);
		return true;
	case ETL_STACK_CREATE:
	case ETL_STACK_DELETE:
	case ETL_STACK_RUNDOWN:
		if (!etl_decode_stack_key(record, &stack))
			return false;
		etl_keys_define(scan->keys, record, &stack);
		return true;
	default:
		return true;
	}
}

/* Class GUID of processors, GUID_DEVCLASS_PROCESSOR of devguid.h: {50127dc3-0f36-415e-a6cc-4cb3be910b65}. */
static const unsigned char processors[] = { 0xc3, 0x7d, 0x12, 0x50, 0x36, 0x0f, 0x5e, 0x41,
					    0xa6, 0xcc, 0x4c, 0xb3, 0xbe, 0x91, 0x0b, 0x65 };

static bool scan_config(struct scanner *scanner, const struct etl_record *record)
{
	struct etl_scan *scan = scanner->scan;
	struct etl_device device;
	struct etl_cpu cpu;

	if (record->opcode == ETL_CONFIG_CPU) {
		if (!etl_decode_cpu(record, &cpu))
			return false;
		keep(&scan->computer, &scanner->a, &cpu.computer);
		scan->architecture = cpu.architecture;
		scan->memory_bytes = (int64_t)cpu.memory_mb << 20;
		scan->page_size = cpu.page_size;
	} else if (record->opcode == ETL_CONFIG_DEVICE && etl_decode_device(record, &device) &&
		   !memcmp(device.class_guid, processors, sizeof(processors))) {
		keep(&scan->cpu_name, &scanner->a, &device.name);
	}
	return true;
}

static bool scan_config_ex(struct scanner *scanner, const struct etl_record *record)
{
	struct etl_system_paths paths;
	struct etl_volume volume;
	struct etl_build build;

	switch (record->opcode) {
	case ETL_EX_BUILD:
		if (!etl_decode_build(record, &build))
			return false;
		keep(&scanner->scan->build, &scanner->a, &build.lab);
		return true;
	case ETL_EX_PATHS:
		if (!etl_decode_system_paths(record, &paths))
			return false;
		if (paths.windows.nr)
			etl_paths_add(&scanner->paths, "\\SystemRoot\\",
				      text_of(&scanner->a, &paths.windows));
		return true;
	case ETL_EX_VOLUME:
		if (!etl_decode_volume(record, &volume))
			return false;
		etl_paths_add(&scanner->paths, text_of(&scanner->a, &volume.device),
			      text_of(&scanner->b, &volume.drive));
		return true;
	default:
		return true;
	}
}

static bool scan_header(struct etl_scan *scan, const struct etl_record *record)
{
	struct etl_extension extension;

	if (record->opcode != ETL_HEADER_EXTENSION && record->opcode != ETL_HEADER_EXTENSION_END)
		return true;
	if (!etl_decode_extension(record, &extension))
		return false;
	scan->asked_for_memory |= (extension.masks[0] & ETL_MASK_VIRTUAL_ALLOC) != 0;
	return true;
}

static void drop_digest(struct etl_scan *scan)
{
	if (scan->digest)
		etl_digest_drop(scan->digest);
	scan->digest_kinds = 0;
}

static bool scan_thread(struct etl_scan *scan, const struct etl_record *record)
{
	struct etl_switch change;
	uint32_t tid;

	switch (record->opcode) {
	case ETL_THREAD_SWITCH:
		if (scan->digest_no_switches)
			drop_digest(scan);
		return etl_decode_switch(record, &change);
	case ETL_THREAD_READY:
		return etl_decode_ready(record, &tid);
	default:
		return etl_timeline_add(scan->timeline, record);
	}
}

static bool scan_record(struct scanner *scanner, const struct etl_record *record)
{
	struct etl_scan *scan = scanner->scan;

	switch (record->provider) {
	case ETL_PERF_INFO:
		return scan_perf(scanner, record);
	case ETL_STACK_WALK:
		return scan_stack(scan, record);
	case ETL_THREAD:
		return scan_thread(scan, record);
	case ETL_PROCESS:
	case ETL_IMAGE:
	case ETL_IMAGE_ID:
		return etl_timeline_add(scan->timeline, record);
	case ETL_SYSTEM_CONFIG:
		return scan_config(scanner, record) && etl_config_add(scan->config, record);
	case ETL_SYS_CONFIG_EX:
		return scan_config_ex(scanner, record) && etl_config_add(scan->config, record);
	case ETL_EVENT_TRACE:
		return scan_header(scan, record);
	case ETL_HEAP:
		return etl_heaps_add(scan->heaps, record);
	case ETL_HEAP_SNAPSHOT:
		return etl_snapshots_add(scan->snapshots, record);
	case ETL_PAGE_FAULT:
	case ETL_KERNEL_MEMORY:
		return etl_machine_memory_add(scan->machine_memory, record);
	default:
		return true;
	}
}

static void digest_sample(const struct etl_scan *scan, const struct etl_record *record,
			  uint64_t latest)
{
	struct etl_sample sample;

	if (!etl_decode_sample(record, &sample) || !sample.tid)
		return;
	etl_digest_add(scan->digest,
		       &(struct etl_brief){ .time = record->time,
					    .sample = true,
					    .id = sample.tid,
					    .count = sample.count },
		       latest);
}

static void digest_memory(const struct etl_scan *scan, const struct etl_record *record,
			  uint64_t latest)
{
	struct etl_virtual call;
	struct etl_pages pages;

	if (!etl_decode_virtual(record, &call) || !etl_pages_of(record->opcode, &call, &pages))
		return;
	etl_digest_add(scan->digest,
		       &(struct etl_brief){ .time = record->time,
					    .op = pages.op,
					    .id = call.pid,
					    .address = pages.address,
					    .length = pages.length },
		       latest);
}

/* An event of these kinds; `latest` as for etl_digest_add(). */
static void digest(const struct etl_scan *scan, const struct etl_record *record, unsigned kinds,
		   uint64_t latest)
{
	if (kinds & ETL_SAMPLES)
		digest_sample(scan, record, latest);
	else if (kinds & ETL_MEMORY)
		digest_memory(scan, record, latest);
}

static void note_damage(struct etl_scan *scan, const struct etl_record *record)
{
	if (scan->damaged++)
		return;
	scan->first_damaged = record->session;
	strbuf_addf(&scan->first_damage,
		    "%s event %u of version %u that lacks fields, in the buffer at "
		    "offset 0x%llx",
		    etl_provider_name((enum etl_provider)record->provider),
		    record->kind == ETL_EVENT ? record->id : record->opcode, record->version,
		    (unsigned long long)record->buffer_offset);
}

/* A sample, not of the idle thread: its thread is noted. */
static bool scan_plain_sample(struct scanner *scanner, const struct etl_short *event)
{
	size_t at = ETL_SHORT_HEADER + etl_short_pointer(event);
	uint32_t tid;

	if (event->size < at + SAMPLE_REST)
		return false;
	tid = le_get32(event->bytes + at);
	if (tid)
		note_thread(&scanner->threads, tid, event->time);
	return tid;
}

/* A part of a stack that was not written late. */
static bool is_plain_stack(const struct etl_scan *scan, const struct etl_short *event)
{
	uint8_t opcode = etl_short_opcode(event);
	struct etl_stack stack;
	struct etl_record record;

	if ((opcode != ETL_STACK && opcode != ETL_STACK_KERNEL_KEY &&
	     opcode != ETL_STACK_USER_KEY) ||
	    event->size < ETL_SHORT_HEADER + STACK_HEADER + 8)
		return false;
	stack.time = le_get64(event->bytes + ETL_SHORT_HEADER);
	record.time = event->time;
	return !etl_window_is_late(scan->span, &record, &stack);
}

/*
 * Scan an event of these kinds that is only to be counted, and to be in the digest, as most are. False: nothing was done.
 */
static inline bool scan_plain(struct scanner *scanner, const struct etl_short *event,
			      enum etl_provider provider, unsigned kinds)
{
	switch (provider) {
	case ETL_OTHER:
	case ETL_FILE_IO:
		return true;
	case ETL_PAGE_FAULT:
		return kinds & ETL_MEMORY || etl_short_opcode(event) != ETL_MEMORY_INFO;
	case ETL_PERF_INFO:
		return kinds & ETL_SAMPLES && scan_plain_sample(scanner, event);
	case ETL_STACK_WALK:
		return is_plain_stack(scanner->scan, event);
	default:
		return false;
	}
}

static void digest_short(const struct etl_scan *scan, const struct etl_short *event, unsigned kinds,
			 uint64_t latest)
{
	struct etl_record record;

	etl_short_record(event, &record);
	digest(scan, &record, kinds, latest);
}

static void read_plain(struct scanner *scanner, struct etl_buffer *buffer, uint64_t *latest)
{
	struct etl_scan *scan = scanner->scan;
	struct etl_short event;

	while (etl_buffer_peek_short(buffer, &event)) {
		enum etl_provider provider = etl_provider_of_group(etl_short_group(&event));
		unsigned kinds = etl_kind_of(provider, etl_short_opcode(&event));

		if (!scan_plain(scanner, &event, provider, kinds))
			return;
		etl_counts_add_kernel(scan->counts, etl_short_group(&event),
				      etl_short_opcode(&event));
		note_time(scan, event.time);
		if (event.time >= *latest)
			*latest = event.time;
		else
			scan->unordered++;
		if (kinds & scan->digest_kinds)
			digest_short(scan, &event, kinds, *latest);
		etl_buffer_pass_short(buffer, &event);
	}
}

static void read_buffer(struct scanner *scanner, struct etl_file *file, struct etl_buffer *buffer,
			uint64_t *latest)
{
	struct etl_scan *scan = scanner->scan;
	struct etl_record record;

	for (;;) {
		read_plain(scanner, buffer, latest);
		if (!etl_buffer_next(buffer, file, &record))
			return;
		etl_counts_add(scan->counts, &record);
		if (!is_placed_later(&record))
			note_time(scan, record.time);
		note_order(scan, &record, latest);
		digest(scan, &record,
		       etl_kind_of(record.provider, record.opcode) & scan->digest_kinds, *latest);
		if (!scan_record(scanner, &record))
			note_damage(scan, &record);
	}
}

static int read_file(struct scanner *scanner, struct etl_file *file, uint16_t session,
		     struct helper *helper, struct err *err)
{
	struct etl_prefetch *prefetch = etl_prefetch_new(helper, true);
	struct etl_buffer *buffer;
	uint64_t latest = 0;
	uint32_t cpu = UINT32_MAX;
	size_t nr;
	const struct etl_extent *extents = etl_file_extents(file, &nr);
	int rc;

	etl_prefetch_add(prefetch, file, extents, nr, session);
	while ((rc = etl_prefetch_next(prefetch, 0, &buffer, err)) > 0) {
		if (buffer->extent.cpu != cpu) {
			cpu = buffer->extent.cpu;
			latest = 0;
			if (scanner->scan->digest)
				etl_digest_begin(scanner->scan->digest, cpu);
		}
		read_buffer(scanner, file, buffer, &latest);
	}
	etl_prefetch_free(prefetch);
	return rc;
}

static int by_mark_time(const void *a, const void *b)
{
	const struct etl_mark *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	return order ? order : strcmp(x->text, y->text);
}

/* SPAN_NS in ticks, rounded down. */
static uint64_t span_of(const struct etl_file *file)
{
	return etl_file_header(file)->frequency / (NS_PER_S / SPAN_NS);
}

/* The kinds of events that a digest has for these options; 0: it cannot have all that they need. */
static unsigned digest_kinds_of(const struct trace_options *options)
{
	if (!options->no_stacks || options->heap)
		return 0;
	return (options->cpu ? ETL_SAMPLES : 0u) | (options->memory ? ETL_MEMORY : 0u);
}

bool etl_scan_has_digest(const struct etl_scan *scan, const struct trace_options *options)
{
	unsigned kinds = digest_kinds_of(options);

	if ((options->switches && etl_counts_get(scan->counts, ETL_THREAD, ETL_THREAD_SWITCH)) ||
	    (options->cpu && !scan->threads_known))
		return false;
	return kinds && !(kinds & ~scan->digest_kinds) && !etl_digest_is_dropped(scan->digest);
}

int etl_scan_files(struct etl_scan *scan, struct etl_file *const *files, size_t nr,
		   const struct trace_options *options, struct helper *helper, struct err *err)
{
	struct scanner scanner = { .scan = scan, .a = STRBUF_INIT, .b = STRBUF_INIT };
	const struct trace_options *digested = options->again ? options->again : options;
	int rc = 0;

	*scan = (struct etl_scan){
		.timeline = etl_timeline_new(),
		.keys = etl_keys_new(),
		.counts = etl_counts_new(),
		.heaps = etl_heaps_new(),
		.snapshots = etl_snapshots_new(),
		.machine_memory = etl_machine_memory_new(),
		.config = etl_config_new(),
		.rates = etl_rates_new(),
		.span = span_of(files[0]),
		.first = UINT64_MAX,
		.first_damage = STRBUF_INIT,
		.architecture = ETL_ARCHITECTURE_UNKNOWN,
		.memory_bytes = -1,
		.digest_kinds = digest_kinds_of(digested),
		.digest_no_switches = digested->switches,
	};
	if (scan->digest_kinds)
		scan->digest = etl_digest_new(DIGEST_MAX);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_file(&scanner, files[i], (uint16_t)i, helper, err);
	if (!rc) {
		etl_rates_make(scan->rates);
		if (scan->marks_nr)
			qsort(scan->marks, scan->marks_nr, sizeof(*scan->marks), by_mark_time);
		etl_machine_memory_make(scan->machine_memory);
		etl_keys_make(scan->keys);
		etl_timeline_make(scan->timeline, &scanner.paths);
		etl_snapshots_make(scan->snapshots, etl_timeline_processes(scan->timeline));
		scan->threads_known = threads_known(&scanner.threads, scan->timeline);
	}
	threads_release(&scanner.threads);
	etl_paths_release(&scanner.paths);
	strbuf_release(&scanner.a);
	strbuf_release(&scanner.b);
	return rc;
}

void etl_scan_release(struct etl_scan *scan)
{
	etl_timeline_free(scan->timeline);
	etl_keys_free(scan->keys);
	etl_counts_free(scan->counts);
	etl_heaps_free(scan->heaps);
	etl_snapshots_free(scan->snapshots);
	etl_machine_memory_free(scan->machine_memory);
	etl_config_free(scan->config);
	etl_rates_free(scan->rates);
	etl_digest_free(scan->digest);
	for (size_t i = 0; i < scan->marks_nr; i++)
		free(scan->marks[i].text);
	free(scan->marks);
	strbuf_release(&scan->first_damage);
	free(scan->computer);
	free(scan->cpu_name);
	free(scan->build);
}
