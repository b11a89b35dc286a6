#include "support/perf_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/alloc.h"
#include "util/array.h"

#define ATTR_SIZE   128
#define HEADER_SIZE 104
#define PIPE_HEADER 16

enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_BRANCH = 1 << 11,
	SAMPLE_REGS = 1 << 12,
	SAMPLE_STACK = 1 << 13,
	SAMPLE_IDENTIFIER = 1 << 16,
};

#define SAMPLE_USUAL \
	(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER | \
	 SAMPLE_CALLCHAIN)
#define FLAGS_USUAL (UINT64_C(1) << 18 | UINT64_C(1) << 25) /* sample_id_all, use_clockid */
#define FLAG_FREQ   (UINT64_C(1) << 10)
#define REGISTERS   UINT64_C(0xff0fff) /* those of x86-64 that perf takes */

enum { RECORD_SAMPLE = 9, RECORD_ATTR = 64, RECORD_TRACING = 66, RECORD_FEATURE = 80 };
enum { FEATURE_TRACING = 1, FEATURE_EVENT_DESC = 12, FEATURES = 32 };

struct call {
	const char *name;
	const char *fields[6];
};

/* The index is the tracepoint's id, less 200. */
static const struct call calls[] = {
	{ "syscalls:sys_enter_mmap", { "addr", "len", "prot", "flags", "fd", "off" } },
	{ "syscalls:sys_exit_mmap", { "ret" } },
	{ "syscalls:sys_enter_munmap", { "addr", "len" } },
	{ "syscalls:sys_enter_mremap", { "addr", "old_len", "new_len", "flags", "new_addr" } },
	{ "syscalls:sys_exit_mremap", { "ret" } },
	{ "syscalls:sys_enter_brk", { "brk" } },
	{ "syscalls:sys_exit_brk", { "ret" } },
	{ "syscalls:sys_enter_mprotect", { "start", "len", "prot" } },
	{ "syscalls:sys_enter_madvise", { "start", "len_in", "behavior" } },
	{ "exceptions:page_fault_user", { "address", "ip", "error_code" } },
	{ "exceptions:page_fault_kernel", { "address", "ip", "error_code" } },
	{ "kmem:mm_page_alloc", { "order", "gfp_flags", "pfn" } },
};

#define CALL_ID 200

static const char *const systems[] = { "syscalls", "exceptions", "kmem" };

/* The name of a call in its system. */
static const char *name_of(size_t which)
{
	return strchr(calls[which].name, ':') + 1;
}

struct perf_writer {
	enum perf_writer_form form;
	struct perf_writer_event *events;
	size_t nr, alloc;
	struct strbuf features[FEATURES];
	struct strbuf head, data, out;
	struct strbuf pending; /* to be compressed */
	ZSTD_CCtx *compressor;
	int compress;
	size_t piece;
	bool begun;
	int32_t pid, tid;
	uint32_t cpu;
	unsigned mmap_enter, mmap_exit, munmap;
};

struct perf_writer *perf_writer_new(enum perf_writer_form form)
{
	struct perf_writer *writer = xcalloc(1, sizeof(*writer));

	writer->form = form;
	for (size_t i = 0; i < FEATURES; i++)
		writer->features[i] = (struct strbuf)STRBUF_INIT;
	writer->head = writer->data = writer->out = writer->pending = (struct strbuf)STRBUF_INIT;
	perf_writer_on(writer, 10, 10, 0);
	return writer;
}

void perf_writer_free(struct perf_writer *writer)
{
	for (size_t i = 0; i < FEATURES; i++)
		strbuf_release(&writer->features[i]);
	strbuf_release(&writer->head);
	strbuf_release(&writer->data);
	strbuf_release(&writer->out);
	strbuf_release(&writer->pending);
	ZSTD_freeCCtx(writer->compressor);
	free(writer->events);
	free(writer);
}

static void add16(struct strbuf *sb, uint16_t value)
{
	strbuf_add(sb, &value, sizeof(value));
}

static void add32(struct strbuf *sb, uint32_t value)
{
	strbuf_add(sb, &value, sizeof(value));
}

static void add64(struct strbuf *sb, uint64_t value)
{
	strbuf_add(sb, &value, sizeof(value));
}

static void align(struct strbuf *sb)
{
	while (sb->len % 8)
		strbuf_addc(sb, '\0');
}

static void add_record(struct strbuf *sb, uint32_t type, uint16_t misc, const void *bytes,
		       size_t nr)
{
	assert(nr + 8 <= UINT16_MAX);
	add32(sb, type);
	add16(sb, misc);
	add16(sb, (uint16_t)(nr + 8));
	if (nr)
		strbuf_add(sb, bytes, nr);
}

/* What is pending becomes one record: a flushed part of one zstd stream. */
static void flush_compressed(struct perf_writer *writer)
{
	struct strbuf body = STRBUF_INIT;
	unsigned char compressed[32768];
	ZSTD_outBuffer out = { compressed, sizeof(compressed), 0 };
	ZSTD_inBuffer in = { writer->pending.buf, writer->pending.len, 0 };
	size_t left;

	if (!writer->pending.len)
		return;
	if (!writer->compressor)
		writer->compressor = ZSTD_createCCtx();
	left = ZSTD_compressStream2(writer->compressor, &out, &in, ZSTD_e_flush);
	assert(left == 0);
	if (writer->compress == PERF_WRITER_COMPRESS2)
		add64(&body, out.pos);
	strbuf_add(&body, compressed, out.pos);
	if (writer->compress == PERF_WRITER_COMPRESS2)
		align(&body);
	add_record(&writer->data, (uint32_t)writer->compress, 0, body.buf, body.len);
	strbuf_release(&body);
	strbuf_clear(&writer->pending);
}

static void put(struct perf_writer *writer, const void *bytes, size_t nr)
{
	const char *s = bytes;

	writer->begun = true;
	if (!writer->compress) {
		strbuf_add(&writer->data, s, nr);
		return;
	}
	while (nr) {
		size_t part = writer->piece - writer->pending.len;

		part = part < nr ? part : nr;
		strbuf_add(&writer->pending, s, part);
		s += part;
		nr -= part;
		if (writer->pending.len == writer->piece)
			flush_compressed(writer);
	}
}

void perf_writer_compress(struct perf_writer *writer, int type, size_t piece)
{
	flush_compressed(writer);
	writer->compress = type;
	writer->piece = piece;
}

static struct strbuf make_attr(const struct perf_writer_event *event)
{
	struct strbuf sb = STRBUF_INIT;
	size_t size = event->attr_size ? event->attr_size : ATTR_SIZE;

	add32(&sb, event->type);
	add32(&sb, (uint32_t)size);
	add64(&sb, event->config);
	add64(&sb, event->period);
	add64(&sb, event->sample_type);
	add64(&sb, event->read_format);
	add64(&sb, event->flags);
	add64(&sb, 0);
	add64(&sb, 0);
	add64(&sb, 0);
	add64(&sb, event->branch_type);
	add64(&sb, event->regs_user);
	add32(&sb, event->stack_user);
	add32(&sb, 1); /* CLOCK_MONOTONIC */
	while (sb.len < size)
		add64(&sb, 0);
	strbuf_set_len(&sb, size);
	return sb;
}

unsigned perf_writer_event(struct perf_writer *writer, const struct perf_writer_event *event)
{
	assert(!writer->begun);
	ARRAY_GROW(writer->events, writer->nr + 1, writer->alloc);
	writer->events[writer->nr] = *event;
	writer->events[writer->nr].id = 1000 + writer->nr;
	return (unsigned)writer->nr++;
}

unsigned perf_writer_cpu_clock(struct perf_writer *writer, uint64_t frequency)
{
	struct perf_writer_event event = { .name = "cpu-clock",
					   .type = 1,
					   .period = frequency,
					   .sample_type = SAMPLE_USUAL,
					   .flags = FLAGS_USUAL | FLAG_FREQ };

	return perf_writer_event(writer, &event);
}

unsigned perf_writer_tracepoint(struct perf_writer *writer, const char *name, bool copies)
{
	struct perf_writer_event event = { .type = 2,
					   .period = 1,
					   .sample_type =
						   (SAMPLE_USUAL & ~SAMPLE_CALLCHAIN) | SAMPLE_RAW,
					   .flags = FLAGS_USUAL };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(name_of(i), name) != 0)
			continue;
		event.name = calls[i].name;
		event.config = CALL_ID + i;
	}
	assert(event.config);
	if (copies) {
		event.sample_type |= SAMPLE_REGS | SAMPLE_STACK;
		event.regs_user = REGISTERS;
		event.stack_user = 4096;
	}
	return perf_writer_event(writer, &event);
}

struct perf_writer_event *perf_writer_event_at(struct perf_writer *writer, unsigned event)
{
	assert(event < writer->nr && !writer->begun);
	return &writer->events[event];
}

void perf_writer_memory(struct perf_writer *writer)
{
	writer->mmap_enter = perf_writer_tracepoint(writer, "sys_enter_mmap", false);
	writer->mmap_exit = perf_writer_tracepoint(writer, "sys_exit_mmap", false);
	writer->munmap = perf_writer_tracepoint(writer, "sys_enter_munmap", false);
	perf_writer_tracepoint(writer, "sys_enter_mremap", false);
	perf_writer_tracepoint(writer, "sys_exit_mremap", false);
	perf_writer_tracepoint(writer, "sys_enter_brk", false);
	perf_writer_tracepoint(writer, "sys_exit_brk", false);
	perf_writer_tracepoint(writer, "sys_enter_mprotect", false);
}

static void add_string(struct strbuf *sb, const char *text)
{
	size_t size = (strlen(text) + 1 + 63) & ~(size_t)63;

	add32(sb, (uint32_t)size);
	strbuf_adds(sb, text);
	for (size_t i = strlen(text); i < size; i++)
		strbuf_addc(sb, '\0');
}

void perf_writer_feature(struct perf_writer *writer, unsigned feature, const char *text)
{
	add_string(&writer->features[feature], text);
}

void perf_writer_feature_bytes(struct perf_writer *writer, unsigned feature, const void *bytes,
			       size_t nr)
{
	strbuf_add(&writer->features[feature], bytes, nr);
}

static void add_format(struct strbuf *sb, size_t which)
{
	const struct call *call = &calls[which];
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "name: %s\nID: %zu\nformat:\n", name_of(which), CALL_ID + which);
	strbuf_adds(&text, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n");
	for (size_t i = 0; i < 6 && call->fields[i]; i++)
		strbuf_addf(&text, "\tfield:unsigned long %s;\toffset:%zu;\tsize:8;\tsigned:0;\n",
			    call->fields[i], 16 + 8 * i);
	strbuf_adds(&text, "\nprint fmt: \"...\"\n");
	add64(sb, text.len);
	strbuf_add(sb, text.buf, text.len);
	strbuf_release(&text);
}

/* Whether an event is of the call, and the call of the system. */
static bool has_call(const struct perf_writer *writer, const char *system, size_t which)
{
	size_t length = strlen(system);

	if (strncmp(calls[which].name, system, length) != 0 || calls[which].name[length] != ':')
		return false;
	for (size_t i = 0; i < writer->nr; i++) {
		if (writer->events[i].type == 2 && writer->events[i].config == CALL_ID + which)
			return true;
	}
	return false;
}

static uint32_t count_calls(const struct perf_writer *writer, const char *system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		nr += has_call(writer, system, i);
	return nr;
}

static void add_system(const struct perf_writer *writer, const char *system, struct strbuf *sb)
{
	strbuf_add(sb, system, strlen(system) + 1);
	add32(sb, count_calls(writer, system));
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (has_call(writer, system, i))
			add_format(sb, i);
	}
}

static struct strbuf make_tracing(const struct perf_writer *writer)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t nr = 0;

	strbuf_add(&sb, "\x17\x08\x44tracing0.6", 14);
	strbuf_addc(&sb, '\0'); /* little endian */
	strbuf_addc(&sb, 8);
	add32(&sb, 4096);
	strbuf_add(&sb, "header_page", 12);
	add64(&sb, 0);
	strbuf_add(&sb, "header_event", 13);
	add64(&sb, 0);
	add32(&sb, 0);
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		nr += count_calls(writer, systems[i]) > 0;
	add32(&sb, nr);
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		if (count_calls(writer, systems[i]))
			add_system(writer, systems[i], &sb);
	}
	add32(&sb, 0); /* kallsyms */
	add32(&sb, 0); /* printk formats */
	add64(&sb, 0); /* command lines */
	if (!nr)
		strbuf_clear(&sb);
	return sb;
}

static struct strbuf make_event_desc(const struct perf_writer *writer)
{
	struct strbuf sb = STRBUF_INIT;

	add32(&sb, (uint32_t)writer->nr);
	add32(&sb, ATTR_SIZE);
	for (size_t i = 0; i < writer->nr; i++) {
		struct perf_writer_event event = writer->events[i];
		struct strbuf attr;

		event.attr_size = ATTR_SIZE;
		attr = make_attr(&event);
		strbuf_add(&sb, attr.buf, attr.len);
		add32(&sb, 1);
		add_string(&sb, event.name ? event.name : "");
		add64(&sb, event.id);
		strbuf_release(&attr);
	}
	return sb;
}

void perf_writer_on(struct perf_writer *writer, int32_t pid, int32_t tid, uint32_t cpu)
{
	writer->pid = pid;
	writer->tid = tid;
	writer->cpu = cpu;
}

/* struct sample_id, as the first event has it. */
static void add_trailer(const struct perf_writer *writer, struct strbuf *sb, uint64_t time)
{
	const struct perf_writer_event *event = &writer->events[0];
	uint64_t type = event->sample_type;

	align(sb);
	if (!(event->flags & UINT64_C(1) << 18))
		return;
	if (type & SAMPLE_TID) {
		add32(sb, (uint32_t)writer->pid);
		add32(sb, (uint32_t)writer->tid);
	}
	if (type & SAMPLE_TIME)
		add64(sb, time);
	if (type & SAMPLE_ID)
		add64(sb, event->id);
	if (type & SAMPLE_STREAM_ID)
		add64(sb, event->id);
	if (type & SAMPLE_CPU)
		add64(sb, writer->cpu);
	if (type & SAMPLE_IDENTIFIER)
		add64(sb, time ? event->id : 0);
}

void perf_writer_record(struct perf_writer *writer, uint32_t type, uint16_t misc, const void *bytes,
			size_t nr)
{
	struct strbuf sb = STRBUF_INIT;

	add_record(&sb, type, misc, bytes, nr);
	put(writer, sb.buf, sb.len);
	strbuf_release(&sb);
}

static void put_with_trailer(struct perf_writer *writer, uint32_t type, uint16_t misc,
			     struct strbuf *body, uint64_t time)
{
	add_trailer(writer, body, time);
	perf_writer_record(writer, type, misc, body->buf, body->len);
	strbuf_release(body);
}

static void put_task(struct perf_writer *writer, uint32_t type, uint64_t time, int32_t pid,
		     int32_t tid)
{
	struct strbuf body = STRBUF_INIT;

	add32(&body, (uint32_t)pid);
	add32(&body, (uint32_t)writer->pid);
	add32(&body, (uint32_t)tid);
	add32(&body, (uint32_t)writer->tid);
	add64(&body, time);
	put_with_trailer(writer, type, 0, &body, time);
}

void perf_writer_fork(struct perf_writer *writer, uint64_t time, int32_t child)
{
	put_task(writer, 7, time, child, child);
}

void perf_writer_thread(struct perf_writer *writer, uint64_t time, int32_t tid)
{
	put_task(writer, 7, time, writer->pid, tid);
}

void perf_writer_exit(struct perf_writer *writer, uint64_t time)
{
	put_task(writer, 4, time, writer->pid, writer->tid);
}

static void put_comm(struct perf_writer *writer, uint64_t time, const char *name, uint16_t misc)
{
	struct strbuf body = STRBUF_INIT;

	add32(&body, (uint32_t)writer->pid);
	add32(&body, (uint32_t)writer->tid);
	strbuf_add(&body, name, strlen(name) + 1);
	put_with_trailer(writer, 3, misc, &body, time);
}

void perf_writer_exec(struct perf_writer *writer, uint64_t time, const char *name)
{
	put_comm(writer, time, name, 1 << 13);
}

void perf_writer_name(struct perf_writer *writer, uint64_t time, const char *name)
{
	put_comm(writer, time, name, 0);
}

void perf_writer_map(struct perf_writer *writer, uint64_t time, const struct perf_writer_map *map)
{
	struct strbuf body = STRBUF_INIT;
	uint16_t misc = map->kernel ? 1 : 2;
	uint8_t file[24] = { 0 };

	add32(&body, map->kernel ? UINT32_MAX : (uint32_t)writer->pid);
	add32(&body, map->kernel ? 0 : (uint32_t)writer->tid);
	add64(&body, map->address);
	add64(&body, map->length);
	add64(&body, map->offset);
	if (map->id_length) {
		misc |= 1 << 14;
		file[0] = map->id_length;
		memcpy(file + 4, map->id, sizeof(map->id));
	}
	if (map->data)
		misc |= 1 << 13;
	strbuf_add(&body, file, sizeof(file));
	add32(&body, map->data ? 3 : 5);
	add32(&body, 2);
	strbuf_add(&body, map->path, strlen(map->path) + 1);
	put_with_trailer(writer, 10, misc, &body, time);
}

static void add_chain(struct strbuf *sb, const struct perf_writer_sample *sample)
{
	add64(sb, sample->chain_nr);
	for (size_t i = 0; i < sample->chain_nr; i++)
		add64(sb, sample->chain[i]);
}

static void add_raw(struct strbuf *sb, const struct perf_writer_sample *sample)
{
	size_t size = ((sample->raw_nr + 4 + 7) & ~(size_t)7) - 4;

	add32(sb, (uint32_t)size);
	if (sample->raw_nr)
		strbuf_add(sb, sample->raw, sample->raw_nr);
	align(sb);
}

/* All bits of the read format that there are, and no group. */
static void add_read(struct strbuf *sb, uint64_t format)
{
	uint64_t members = format & 8 ? 2 : 1;

	if (format & 8)
		add64(sb, members);
	else
		add64(sb, 77);
	for (uint64_t bit = 1; bit <= 2; bit <<= 1) {
		if (format & bit)
			add64(sb, 78);
	}
	for (uint64_t i = 0; i < members; i++) {
		if (format & 8)
			add64(sb, 77);
		if (format & 4)
			add64(sb, 79);
		if (format & 16)
			add64(sb, 80);
	}
}

static void add_branches(struct strbuf *sb, uint64_t type)
{
	add64(sb, 2);
	if (type & UINT64_C(1) << 17)
		add64(sb, 5);
	for (int i = 0; i < 6; i++)
		add64(sb, 0xb0 + (uint64_t)i);
}

static void add_copy(struct strbuf *sb, const struct perf_writer_event *event,
		     const struct perf_writer_sample *sample)
{
	uint64_t value = 1;

	if (event->sample_type & SAMPLE_REGS) {
		add64(sb, 2);
		for (uint64_t mask = event->regs_user; mask; mask &= mask - 1)
			add64(sb, value++);
	}
	if (event->sample_type & SAMPLE_STACK) {
		size_t start = sb->len + 8;
		size_t given = (sample->stack_nr + 7) / 8 * 8;
		size_t room = given > event->stack_user ? given : event->stack_user;

		add64(sb, room);
		if (sample->stack_nr)
			strbuf_add(sb, sample->stack, sample->stack_nr);
		while (sb->len < start + room)
			strbuf_addc(sb, '\0');
		add64(sb, sample->stack_nr);
	}
}

void perf_writer_sample(struct perf_writer *writer, uint64_t time,
			const struct perf_writer_sample *sample)
{
	const struct perf_writer_event *event = &writer->events[sample->event];
	uint64_t type = event->sample_type;
	struct strbuf sb = STRBUF_INIT;

	if (type & SAMPLE_IDENTIFIER)
		add64(&sb, event->id);
	if (type & SAMPLE_IP)
		add64(&sb, sample->ip);
	if (type & SAMPLE_TID) {
		add32(&sb, (uint32_t)writer->pid);
		add32(&sb, (uint32_t)writer->tid);
	}
	if (type & SAMPLE_TIME)
		add64(&sb, time);
	if (type & SAMPLE_ADDR)
		add64(&sb, 0xadd);
	if (type & SAMPLE_ID)
		add64(&sb, event->id);
	if (type & SAMPLE_STREAM_ID)
		add64(&sb, event->id);
	if (type & SAMPLE_CPU)
		add64(&sb, writer->cpu);
	if (type & SAMPLE_PERIOD)
		add64(&sb, sample->period);
	if (type & SAMPLE_READ)
		add_read(&sb, event->read_format);
	if (type & SAMPLE_CALLCHAIN)
		add_chain(&sb, sample);
	if (type & SAMPLE_RAW)
		add_raw(&sb, sample);
	if (type & SAMPLE_BRANCH)
		add_branches(&sb, event->branch_type);
	add_copy(&sb, event, sample);
	perf_writer_record(writer, RECORD_SAMPLE, sample->kernel ? 1 : 2, sb.buf, sb.len);
	strbuf_release(&sb);
}

void perf_writer_cpu(struct perf_writer *writer, uint64_t time, uint64_t ip)
{
	const uint64_t chain[] = { PERF_WRITER_KERNEL, UINT64_C(0xffffffff81000000),
				   PERF_WRITER_USER, ip, ip + 0x100 };
	struct perf_writer_sample sample = { .ip = UINT64_C(0xffffffff81000000),
					     .period = 1000000,
					     .kernel = true,
					     .chain = chain,
					     .chain_nr = ARRAY_SIZE(chain) };

	perf_writer_sample(writer, time, &sample);
}

static void put_call(struct perf_writer *writer, uint64_t time, unsigned event,
		     const uint64_t *args, size_t nr, const void *stack, size_t stack_nr)
{
	uint64_t raw[8] = { writer->events[event].config | (uint64_t)(uint32_t)writer->tid << 32 };
	struct perf_writer_sample sample = { .event = event,
					     .ip = 0x7f01,
					     .period = 1,
					     .raw = raw,
					     .raw_nr = 16 + nr * 8,
					     .stack = stack,
					     .stack_nr = stack_nr };

	memcpy(raw + 2, args, nr * 8);
	perf_writer_sample(writer, time, &sample);
}

void perf_writer_call(struct perf_writer *writer, uint64_t time, unsigned event,
		      const uint64_t *args, size_t nr)
{
	char stack[64] = "";

	snprintf(stack, sizeof(stack), "stack at %llu", (unsigned long long)time);
	put_call(writer, time, event, args, nr, stack, sizeof(stack));
}

void perf_writer_mmap(struct perf_writer *writer, uint64_t time, uint64_t address, uint64_t length)
{
	const uint64_t args[] = { 0, length, 3, 0x22, UINT64_MAX, 0 };

	perf_writer_call(writer, time, writer->mmap_enter, args, ARRAY_SIZE(args));
	perf_writer_call(writer, time + 1000, writer->mmap_exit, &address, 1);
}

void perf_writer_munmap(struct perf_writer *writer, uint64_t time, uint64_t address,
			uint64_t length)
{
	const uint64_t args[] = { address, length };

	perf_writer_call(writer, time, writer->munmap, args, ARRAY_SIZE(args));
}

void perf_writer_lost(struct perf_writer *writer, uint64_t nr)
{
	struct strbuf body = STRBUF_INIT;

	add64(&body, writer->events[0].id);
	add64(&body, nr);
	put_with_trailer(writer, 2, 0, &body, 0);
}

void perf_writer_lost_samples(struct perf_writer *writer, unsigned event, uint64_t nr)
{
	struct strbuf body = STRBUF_INIT;

	add64(&body, nr);
	add_trailer(writer, &body, 0);
	strbuf_set_len(&body, body.len - 8);
	add64(&body, writer->events[event].id);
	perf_writer_record(writer, 13, 0, body.buf, body.len);
	strbuf_release(&body);
}

void perf_writer_round(struct perf_writer *writer)
{
	flush_compressed(writer);
	writer->begun = true;
	add_record(&writer->data, 68, 0, NULL, 0);
}

void perf_writer_bytes(struct perf_writer *writer, const void *bytes, size_t nr)
{
	put(writer, bytes, nr);
}

static void add_pipe_feature(struct strbuf *sb, uint64_t feature, const struct strbuf *bytes)
{
	struct strbuf body = STRBUF_INIT;

	add64(&body, feature);
	strbuf_add(&body, bytes->buf, bytes->len);
	align(&body);
	add_record(sb, RECORD_FEATURE, 0, body.buf, body.len);
	strbuf_release(&body);
}

static void make_pipe_head(const struct perf_writer *writer, const struct strbuf *tracing,
			   struct strbuf *sb)
{
	strbuf_adds(sb, "PERFILE2");
	add64(sb, PIPE_HEADER);
	for (size_t i = 0; i < writer->nr; i++) {
		struct strbuf attr = make_attr(&writer->events[i]);

		add64(&attr, writer->events[i].id);
		add_record(sb, RECORD_ATTR, 0, attr.buf, attr.len);
		strbuf_release(&attr);
	}
	for (unsigned i = 0; i < FEATURES; i++) {
		if (writer->features[i].len)
			add_pipe_feature(sb, i, &writer->features[i]);
	}
	if (tracing->len) {
		uint32_t size = (uint32_t)tracing->len;

		/* From here on records are not at multiples of 8: so it is with perf. */
		add_record(sb, RECORD_TRACING, 0, &size, sizeof(size));
		strbuf_add(sb, tracing->buf, tracing->len);
		for (size_t i = tracing->len; i % 8; i++)
			strbuf_addc(sb, '\0');
	}
}

static uint64_t entry_size(const struct perf_writer *writer)
{
	return (writer->nr && writer->events[0].attr_size ? writer->events[0].attr_size
							  : ATTR_SIZE) +
	       16;
}

static void make_file_head(const struct perf_writer *writer, uint64_t data_size, uint64_t features,
			   struct strbuf *sb)
{
	uint64_t each = entry_size(writer), ids = HEADER_SIZE + writer->nr * each;

	strbuf_adds(sb, "PERFILE2");
	add64(sb, HEADER_SIZE);
	add64(sb, each);
	add64(sb, HEADER_SIZE);
	add64(sb, writer->nr * each);
	add64(sb, ids + writer->nr * 8);
	add64(sb, data_size);
	add64(sb, 0);
	add64(sb, 0);
	add64(sb, features);
	add64(sb, 0);
	add64(sb, 0);
	add64(sb, 0);
	for (size_t i = 0; i < writer->nr; i++) {
		struct strbuf attr = make_attr(&writer->events[i]);

		strbuf_add(sb, attr.buf, attr.len);
		add64(sb, ids + i * 8);
		add64(sb, 8);
		strbuf_release(&attr);
	}
	for (size_t i = 0; i < writer->nr; i++)
		add64(sb, writer->events[i].id);
}

uint64_t perf_writer_place(const struct perf_writer *writer)
{
	struct strbuf head = STRBUF_INIT, tracing = make_tracing(writer);
	uint64_t place;

	if (writer->form == PERF_WRITER_PIPE)
		make_pipe_head(writer, &tracing, &head);
	else
		make_file_head(writer, 0, 0, &head);
	place = head.len + writer->data.len;
	strbuf_release(&head);
	strbuf_release(&tracing);
	return place;
}

static void add_features(struct perf_writer *writer, uint64_t bits)
{
	struct strbuf *out = &writer->out, bodies = STRBUF_INIT;
	size_t count = 0;
	uint64_t base;

	for (unsigned i = 0; i < FEATURES; i++)
		count += bits >> i & 1;
	base = out->len + count * 16;
	for (unsigned i = 0; i < FEATURES; i++) {
		if (!(bits >> i & 1))
			continue;
		add64(out, base + bodies.len);
		add64(out, writer->features[i].len);
		strbuf_add(&bodies, writer->features[i].buf, writer->features[i].len);
	}
	strbuf_add(out, bodies.buf, bodies.len);
	strbuf_release(&bodies);
}

const struct strbuf *perf_writer_finish(struct perf_writer *writer)
{
	struct strbuf tracing = make_tracing(writer);
	uint64_t bits = 0;

	flush_compressed(writer);
	strbuf_clear(&writer->out);
	if (writer->form == PERF_WRITER_PIPE) {
		make_pipe_head(writer, &tracing, &writer->out);
		strbuf_add(&writer->out, writer->data.buf, writer->data.len);
		strbuf_release(&tracing);
		return &writer->out;
	}
	strbuf_release(&writer->features[FEATURE_TRACING]);
	writer->features[FEATURE_TRACING] = tracing;
	strbuf_release(&writer->features[FEATURE_EVENT_DESC]);
	writer->features[FEATURE_EVENT_DESC] = make_event_desc(writer);
	for (unsigned i = 0; i < FEATURES; i++)
		bits |= (uint64_t)(writer->features[i].len > 0) << i;
	if (writer->form == PERF_WRITER_KILLED) {
		make_file_head(writer, 0, bits, &writer->out);
		strbuf_add(&writer->out, writer->data.buf, writer->data.len);
		return &writer->out;
	}
	make_file_head(writer, writer->data.len, bits, &writer->out);
	strbuf_add(&writer->out, writer->data.buf, writer->data.len);
	add_features(writer, bits);
	return &writer->out;
}
