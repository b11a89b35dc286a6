#include "trace/etl/etl_prelude.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_ahead.h"
#include "trace/etl/etl_system.h"
#include "trace/etl/etl_window.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/text.h"

/* Few parts of stacks come later. */
#define SPAN_NS (2 * NS_PER_MS)

/* People and recorders set some; a damaged file any number. */
#define MARKS_MAX ((size_t)1 << 16)

struct look {
	struct etl_prelude *prelude;
	struct etl_paths paths;
	struct strbuf a, b; /* scratch */
};

static bool is_placed_later(const struct etl_record *record)
{
	return record->provider == ETL_IMAGE_ID || record->provider == ETL_SYS_CONFIG_EX ||
	       record->kind == ETL_MESSAGE;
}

/* What was added when the trace was merged has times of its own. */
static void note_time(struct etl_prelude *prelude, const struct etl_record *record)
{
	if (is_placed_later(record))
		return;
	if (record->time < prelude->first)
		prelude->first = record->time;
	if (record->time > prelude->last)
		prelude->last = record->time;
}

/* `latest` is of those before it of its processor. A message may have no time. */
static void note_order(struct etl_prelude *prelude, const struct etl_record *record,
		       uint64_t *latest)
{
	if (record->time >= *latest)
		*latest = record->time;
	else if (record->time || record->kind != ETL_MESSAGE)
		prelude->unordered++;
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

static bool look_at_sample(struct etl_prelude *prelude, const struct etl_record *record)
{
	struct etl_sample sample;

	if (!etl_decode_sample(record, &sample))
		return false;
	if (!sample.tid) {
		prelude->idle++;
		prelude->idle_busy += sample.dpc || sample.isr;
	}
	return true;
}

static bool look_at_mark(struct etl_prelude *prelude, const struct etl_record *record)
{
	struct strbuf sb = STRBUF_INIT;
	struct etl_text text;

	if (!etl_decode_mark(record, &text))
		return false;
	if (prelude->marks_nr >= MARKS_MAX)
		return true;
	etl_text_add(&text, &sb);
	ARRAY_GROW(prelude->marks, prelude->marks_nr + 1, prelude->marks_alloc);
	prelude->marks[prelude->marks_nr++] = (struct etl_mark){ record->time, strbuf_detach(&sb) };
	return true;
}

static bool look_at_perf(struct etl_prelude *prelude, const struct etl_record *record)
{
	switch (record->opcode) {
	case ETL_PERF_SAMPLE:
		return look_at_sample(prelude, record);
	case ETL_PERF_INTERVAL:
	case ETL_PERF_INTERVAL_START:
	case ETL_PERF_INTERVAL_END:
		return etl_rates_add(prelude->rates, record);
	case ETL_PERF_MARK:
		return look_at_mark(prelude, record);
	default:
		return true;
	}
}

static bool look_at_stack(struct etl_prelude *prelude, const struct etl_record *record)
{
	struct etl_stack stack;

	switch (record->opcode) {
	case ETL_STACK:
	case ETL_STACK_KERNEL_KEY:
	case ETL_STACK_USER_KEY:
		if (!etl_decode_stack(record, &stack))
			return false;
		if (etl_window_is_late(prelude->span, record, &stack))
			etl_keys_add_late(prelude->keys, record, &stack);
		return true;
	case ETL_STACK_CREATE:
	case ETL_STACK_DELETE:
	case ETL_STACK_RUNDOWN:
		if (!etl_decode_stack_key(record, &stack))
			return false;
		etl_keys_define(prelude->keys, record, &stack);
		return true;
	default:
		return true;
	}
}

/* Class GUID of processors, GUID_DEVCLASS_PROCESSOR of devguid.h: {50127dc3-0f36-415e-a6cc-4cb3be910b65}. */
static const unsigned char processors[] = { 0xc3, 0x7d, 0x12, 0x50, 0x36, 0x0f, 0x5e, 0x41,
					    0xa6, 0xcc, 0x4c, 0xb3, 0xbe, 0x91, 0x0b, 0x65 };

static bool look_at_config(struct look *look, const struct etl_record *record)
{
	struct etl_prelude *prelude = look->prelude;
	struct etl_device device;
	struct etl_cpu cpu;

	if (record->opcode == ETL_CONFIG_CPU) {
		if (!etl_decode_cpu(record, &cpu))
			return false;
		keep(&prelude->computer, &look->a, &cpu.computer);
		prelude->architecture = cpu.architecture;
		prelude->memory_bytes = (int64_t)cpu.memory_mb << 20;
	} else if (record->opcode == ETL_CONFIG_DEVICE && etl_decode_device(record, &device) &&
		   !memcmp(device.class_guid, processors, sizeof(processors))) {
		keep(&prelude->cpu_name, &look->a, &device.name);
	}
	return true;
}

static bool look_at_config_ex(struct look *look, const struct etl_record *record)
{
	struct etl_system_paths paths;
	struct etl_volume volume;
	struct etl_build build;

	switch (record->opcode) {
	case ETL_EX_BUILD:
		if (!etl_decode_build(record, &build))
			return false;
		keep(&look->prelude->build, &look->a, &build.lab);
		return true;
	case ETL_EX_PATHS:
		if (!etl_decode_system_paths(record, &paths))
			return false;
		if (paths.windows.nr)
			etl_paths_add(&look->paths, "\\SystemRoot\\",
				      text_of(&look->a, &paths.windows));
		return true;
	case ETL_EX_VOLUME:
		if (!etl_decode_volume(record, &volume))
			return false;
		etl_paths_add(&look->paths, text_of(&look->a, &volume.device),
			      text_of(&look->b, &volume.drive));
		return true;
	default:
		return true;
	}
}

static bool look_at_header(struct etl_prelude *prelude, const struct etl_record *record)
{
	struct etl_extension extension;

	if (record->opcode != ETL_HEADER_EXTENSION && record->opcode != ETL_HEADER_EXTENSION_END)
		return true;
	if (!etl_decode_extension(record, &extension))
		return false;
	prelude->asked_for_memory |= (extension.masks[0] & ETL_MASK_VIRTUAL_ALLOC) != 0;
	return true;
}

static bool look_at(struct look *look, const struct etl_record *record)
{
	struct etl_prelude *prelude = look->prelude;

	switch (record->provider) {
	case ETL_PERF_INFO:
		return look_at_perf(prelude, record);
	case ETL_STACK_WALK:
		return look_at_stack(prelude, record);
	case ETL_PROCESS:
	case ETL_THREAD:
	case ETL_IMAGE:
	case ETL_IMAGE_ID:
		return etl_timeline_add(prelude->timeline, record);
	case ETL_SYSTEM_CONFIG:
		return look_at_config(look, record);
	case ETL_SYS_CONFIG_EX:
		return look_at_config_ex(look, record);
	case ETL_EVENT_TRACE:
		return look_at_header(prelude, record);
	case ETL_HEAP:
		return etl_heaps_add(prelude->heaps, record);
	default:
		return true;
	}
}

static void note_damage(struct etl_prelude *prelude, const struct etl_record *record)
{
	if (prelude->damaged++)
		return;
	prelude->first_damaged = record->session;
	strbuf_addf(&prelude->first_damage,
		    "%s event %u of version %u that lacks fields, in the buffer at "
		    "offset 0x%llx",
		    etl_provider_name((enum etl_provider)record->provider), record->opcode,
		    record->version, (unsigned long long)record->place);
}

static void read_buffer(struct look *look, struct etl_file *file, struct etl_buffer *buffer,
			uint64_t *latest)
{
	struct etl_prelude *prelude = look->prelude;
	struct etl_record record;

	while (etl_buffer_next(buffer, file, &record)) {
		etl_counts_add(prelude->counts, &record);
		note_time(prelude, &record);
		note_order(prelude, &record, latest);
		if (!look_at(look, &record))
			note_damage(prelude, &record);
	}
}

static int read_file(struct look *look, struct etl_file *file, uint16_t session,
		     struct helper *helper, struct err *err)
{
	struct etl_ahead *ahead = etl_ahead_new(helper);
	struct etl_buffer *buffer;
	uint64_t latest = 0;
	uint32_t cpu = UINT32_MAX;
	size_t nr;
	const struct etl_extent *extents = etl_file_extents(file, &nr);
	int rc;

	etl_ahead_add(ahead, file, extents, nr, session);
	while ((rc = etl_ahead_next(ahead, 0, &buffer, err)) > 0) {
		if (buffer->extent.cpu != cpu)
			latest = 0;
		cpu = buffer->extent.cpu;
		read_buffer(look, file, buffer, &latest);
	}
	etl_ahead_free(ahead);
	return rc;
}

static int by_mark_time(const void *a, const void *b)
{
	const struct etl_mark *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	return order ? order : strcmp(x->text, y->text);
}

/* Ticks in a part of a second that has no rest worth telling. */
static uint64_t span_of(const struct etl_file *file)
{
	return etl_file_header(file)->frequency / (NS_PER_S / SPAN_NS);
}

int etl_prelude_read(struct etl_prelude *prelude, struct etl_file *const *files, size_t nr,
		     struct helper *helper, struct err *err)
{
	struct look look = { .prelude = prelude, .a = STRBUF_INIT, .b = STRBUF_INIT };
	int rc = 0;

	*prelude = (struct etl_prelude){
		.timeline = etl_timeline_new(),
		.keys = etl_keys_new(),
		.counts = etl_counts_new(),
		.heaps = etl_heaps_new(),
		.rates = etl_rates_new(),
		.span = span_of(files[0]),
		.first = UINT64_MAX,
		.first_damage = STRBUF_INIT,
		.architecture = ETL_ARCHITECTURE_UNKNOWN,
		.memory_bytes = -1,
	};
	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_file(&look, files[i], (uint16_t)i, helper, err);
	if (!rc) {
		etl_rates_make(prelude->rates);
		if (prelude->marks_nr)
			qsort(prelude->marks, prelude->marks_nr, sizeof(*prelude->marks),
			      by_mark_time);
		etl_keys_make(prelude->keys);
		etl_timeline_make(prelude->timeline, &look.paths);
	}
	etl_paths_release(&look.paths);
	strbuf_release(&look.a);
	strbuf_release(&look.b);
	return rc;
}

void etl_prelude_release(struct etl_prelude *prelude)
{
	etl_timeline_free(prelude->timeline);
	etl_keys_free(prelude->keys);
	etl_counts_free(prelude->counts);
	etl_heaps_free(prelude->heaps);
	etl_rates_free(prelude->rates);
	for (size_t i = 0; i < prelude->marks_nr; i++)
		free(prelude->marks[i].text);
	free(prelude->marks);
	strbuf_release(&prelude->first_damage);
	free(prelude->computer);
	free(prelude->cpu_name);
	free(prelude->build);
}
