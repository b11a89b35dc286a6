#include "trace/etl/etl_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etl_record_fixture.h"
#include "platform/fs.h"
#include "util/array.h"
#include "util/text.h"

#define RECORDS "tests/data/etl-payloads.tsv"
#define COLUMNS 7

typedef bool format_fn(const struct etl_record *record, struct strbuf *sb);

static void add_text(struct strbuf *sb, const char *key, const struct etl_text *text)
{
	strbuf_addf(sb, " %s=", key);
	etl_text_add(text, sb);
}

static void add_hex(struct strbuf *sb, const char *key, const unsigned char *v, size_t nr)
{
	strbuf_addf(sb, " %s=", key);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(sb, "%02x", v[i]);
}

static bool format_image(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_image image;

	if (!etl_decode_image(record, &image))
		return false;
	strbuf_addf(sb,
		    "base=%" PRIx64 " size=%" PRIx64 " pid=%" PRIu32 " checksum=%" PRIx32
		    " stamp=%" PRIx32 " default=%" PRIx64,
		    image.base, image.size, image.pid, image.checksum, image.stamp,
		    image.default_base);
	add_text(sb, "path", &image.path);
	return true;
}

static bool format_process(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_process process;

	if (!etl_decode_process(record, &process))
		return false;
	strbuf_addf(sb,
		    "pid=%" PRIu32 " ppid=%" PRIu32 " session=%" PRIu32 " status=%" PRIx32
		    " key=%" PRIx64 " directory=%" PRIx64 " flags=%" PRIx32 " exit=%" PRIu64,
		    process.pid, process.ppid, process.session, process.status, process.key,
		    process.directory, process.flags, process.exit_time);
	add_text(sb, "image", &process.image);
	add_text(sb, "line", &process.command_line);
	add_text(sb, "package", &process.package);
	add_text(sb, "application", &process.application);
	return true;
}

static bool format_switch(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_switch change;
	uint32_t tid;

	if (record->opcode == ETL_THREAD_READY) {
		if (!etl_decode_ready(record, &tid))
			return false;
		strbuf_addf(sb, "tid=%" PRIu32, tid);
		return true;
	}
	if (!etl_decode_switch(record, &change))
		return false;
	strbuf_addf(sb, "next=%" PRIu32 " previous=%" PRIu32 " state=%u", change.next,
		    change.previous, change.state);
	return true;
}

static bool format_thread(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_thread thread;

	if (record->opcode == ETL_THREAD_SWITCH || record->opcode == ETL_THREAD_READY)
		return format_switch(record, sb);
	if (!etl_decode_thread(record, &thread))
		return false;
	strbuf_addf(sb, "pid=%" PRIu32 " tid=%" PRIu32 " start=%" PRIx64, thread.pid, thread.tid,
		    thread.start);
	add_text(sb, "name", &thread.name);
	return true;
}

static bool format_interval(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_interval interval;

	if (!etl_decode_interval(record, &interval))
		return false;
	strbuf_addf(sb, "source=%" PRIu32 " now=%" PRIu32 " old=%" PRIu32, interval.source,
		    interval.now, interval.old);
	add_text(sb, "name", &interval.name);
	return true;
}

static bool format_perf(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_sample sample;

	if (record->opcode != ETL_PERF_SAMPLE)
		return format_interval(record, sb);
	if (!etl_decode_sample(record, &sample))
		return false;
	strbuf_addf(sb, "ip=%" PRIx64 " tid=%" PRIu32 " count=%u dpc=%d isr=%d", sample.ip,
		    sample.tid, sample.count, sample.dpc, sample.isr);
	return true;
}

static bool format_stack(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_stack stack;

	if (!etl_decode_stack(record, &stack))
		return false;
	strbuf_addf(sb, "time=%" PRIu64 " pid=%" PRIu32 " tid=%" PRIu32, stack.time, stack.pid,
		    stack.tid);
	if (record->opcode != ETL_STACK)
		strbuf_addf(sb, " key=%" PRIx64, stack.key);
	for (size_t i = 0; i < stack.nr; i++)
		strbuf_addf(sb, "%s%" PRIx64, i ? "," : " frames=", etl_stack_frame(&stack, i));
	return true;
}

static bool format_fault(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_virtual call;

	if (!etl_decode_virtual(record, &call))
		return false;
	strbuf_addf(sb, "base=%" PRIx64 " size=%" PRIx64 " pid=%" PRIu32 " flags=%" PRIx32,
		    call.base, call.size, call.pid, call.flags);
	return true;
}

static bool format_header(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_extension extension;

	if (!etl_decode_extension(record, &extension))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(extension.masks); i++)
		strbuf_addf(sb, "%s%" PRIx32, i ? "," : "masks=", extension.masks[i]);
	return true;
}

static bool format_device(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_device device;

	if (!etl_decode_device(record, &device))
		return false;
	add_hex(sb, "class", device.class_guid, 16);
	add_text(sb, "description", &device.description);
	add_text(sb, "name", &device.name);
	return true;
}

static bool format_config(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_cpu cpu;

	if (record->opcode == ETL_CONFIG_DEVICE)
		return format_device(record, sb);
	if (!etl_decode_cpu(record, &cpu))
		return false;
	strbuf_addf(sb, "mhz=%" PRIu32 " cpus=%" PRIu32 " memory=%" PRIu32 " page=%" PRIu32,
		    cpu.mhz, cpu.cpus, cpu.memory_mb, cpu.page_size);
	add_text(sb, "computer", &cpu.computer);
	add_text(sb, "domain", &cpu.domain);
	strbuf_addf(sb, " architecture=%u level=%u revision=%u", cpu.architecture, cpu.level,
		    cpu.revision);
	return true;
}

static bool format_id(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_image_info info;
	struct etl_rsds rsds;

	if (record->opcode == ETL_IMAGE_ID_INFO) {
		if (!etl_decode_image_info(record, &info))
			return false;
		strbuf_addf(sb, "base=%" PRIx64 " size=%" PRIx64 " pid=%" PRIu32 " stamp=%" PRIx32,
			    info.base, info.size, info.pid, info.stamp);
		add_text(sb, "name", &info.name);
		return true;
	}
	if (!etl_decode_rsds(record, &rsds))
		return false;
	strbuf_addf(sb, "base=%" PRIx64 " pid=%" PRIu32, rsds.base, rsds.pid);
	add_hex(sb, "guid", rsds.guid, 16);
	strbuf_addf(sb, " age=%" PRIu32, rsds.age);
	add_text(sb, "pdb", &rsds.pdb);
	return true;
}

static bool format_ex(const struct etl_record *record, struct strbuf *sb)
{
	struct etl_system_paths paths;
	struct etl_volume volume;

	if (record->opcode == ETL_EX_PATHS) {
		if (!etl_decode_system_paths(record, &paths))
			return false;
		add_text(sb, "system", &paths.system);
		add_text(sb, "windows", &paths.windows);
		return true;
	}
	if (!etl_decode_volume(record, &volume))
		return false;
	add_text(sb, "device", &volume.device);
	add_text(sb, "drive", &volume.drive);
	return true;
}

static const struct {
	const char *name;
	format_fn *format;
} kinds[] = {
	{ "image", format_image },   { "process", format_process }, { "thread", format_thread },
	{ "perf", format_perf },     { "stack", format_stack },     { "fault", format_fault },
	{ "header", format_header }, { "config", format_config },   { "id", format_id },
	{ "ex", format_ex },
};

static format_fn *find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].format;
	fail_msg("no kind '%s'", name);
	return NULL;
}

static void parse_hex(const char *hex, struct strbuf *bytes)
{
	strbuf_clear(bytes);
	for (; hex[0] && hex[1]; hex += 2) {
		const char digits[] = { hex[0], hex[1], 0 };

		strbuf_addc(bytes, (char)strtoul(digits, NULL, 16));
	}
}

/* Every field of the record, and of each shorter one nothing that is not there. */
static void check_record(char *const columns[COLUMNS])
{
	format_fn *format = find_kind(columns[1]);
	struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	struct etl_record record;

	parse_hex(columns[5], &bytes);
	record = record_of(ETL_OTHER, (uint8_t)atoi(columns[2]), (uint8_t)atoi(columns[3]), &bytes);
	record.pointer = (uint8_t)atoi(columns[4]);
	assert_true(format(&record, &text));
	if (strcmp(text.buf + (text.buf[0] == ' '), columns[6]) != 0)
		fail_msg("%s:\n%s\nnot\n%s", columns[0], text.buf, columns[6]);
	for (uint32_t nr = 0; nr < bytes.len; nr++) {
		unsigned char *cut = malloc(nr ? nr : 1);

		assert_non_null(cut);
		memcpy(cut, bytes.buf, nr);
		record.payload = cut;
		record.payload_nr = nr;
		format(&record, &text);
		if (nr < 4)
			assert_false(format(&record, &text) && strcmp(columns[1], "ex") != 0);
		free(cut);
	}
	strbuf_release(&bytes);
	strbuf_release(&text);
}

static void etl_decode__published_records__decode_as_in_other_readers(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t nr = 0;

	(void)state;
	assert_int_equal(fs_read(RECORDS, 1 << 20, &file, &err), 0);
	for (char *line = file.buf, *next; *line; line = next, nr++) {
		char *columns[COLUMNS], *at = line;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		for (size_t i = 0; i < COLUMNS; i++) {
			columns[i] = at;
			at += strcspn(at, "\t");
			if (i + 1 < COLUMNS) {
				assert_int_equal(*at, '\t');
				*at++ = 0;
			}
		}
		check_record(columns);
	}
	assert_int_equal(nr, 48);
	strbuf_release(&file);
}

static void put_sid(struct strbuf *sb)
{
	put8(sb, 1);
	put8(sb, 2);
	strbuf_add(sb, "\0\0\0\0\0\5\x20\0\0\0\x21\2\0\0", 14);
}

/* What stands before the SID in version 4 of a 64-bit system. */
static void put_process_head(struct strbuf *sb)
{
	put64(sb, 0xfffffa80);
	put32(sb, 8);
	put32(sb, 4);
	put32(sb, 1);
	put32(sb, 259);
	put64(sb, 0x1000);
	put32(sb, 0);
}

static void put_process_texts(struct strbuf *sb)
{
	put_text(sb, "a.exe");
	put_wide(sb, "a b");
	put_wide(sb, "");
	put_wide(sb, "");
}

static void etl_decode_process__sid__is_found_behind_a_zero_pointer_too(void **state)
{
	static const struct {
		uint64_t pointer;
		bool sid, attributes;
	} cases[] = {
		{ 0xffffc001a2a2a2a2, true, true },
		{ 0xffffc00100000000, true, true },
		{ 0, true, true },
		{ 0, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct etl_process process;
		struct etl_record record;

		put_process_head(&sb);
		if (cases[i].attributes) {
			put64(&sb, cases[i].pointer);
			put64(&sb, 0);
		} else {
			put32(&sb, 0);
		}
		if (cases[i].sid)
			put_sid(&sb);
		put_process_texts(&sb);
		record = record_of(ETL_PROCESS, ETL_OPCODE_START, 4, &sb);
		assert_true(etl_decode_process(&record, &process));
		assert_int_equal(process.sid_nr, cases[i].sid ? 16 : 0);
		assert_int_equal(process.image.nr, 5);
		assert_memory_equal(process.image.v, "a.exe", 5);
		assert_int_equal(process.command_line.nr, 6);
		strbuf_release(&sb);
	}
}

static void etl_decode_process__no_sid_where_one_must_be__is_refused(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct etl_process process;
	struct etl_record record;

	(void)state;
	put_process_head(&sb);
	put64(&sb, 1);
	put64(&sb, 0);
	put_process_texts(&sb);
	record = record_of(ETL_PROCESS, ETL_OPCODE_START, 4, &sb);
	assert_false(etl_decode_process(&record, &process));
	strbuf_release(&sb);
}

static void etl_decode_thread__version_0__has_them_the_other_way_round(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct etl_thread thread;
	struct etl_record record;

	(void)state;
	put32(&sb, 12);
	put32(&sb, 8);
	record = record_of(ETL_THREAD, ETL_OPCODE_START, 0, &sb);
	assert_true(etl_decode_thread(&record, &thread));
	assert_int_equal(thread.pid, 8);
	assert_int_equal(thread.tid, 12);
	strbuf_release(&sb);
}

static void etl_decode_stack__32_bit__frames_are_4_bytes(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct etl_stack stack;
	struct etl_record record;

	(void)state;
	put64(&sb, 5);
	put32(&sb, 8);
	put32(&sb, 12);
	put32(&sb, 0x80000000);
	put32(&sb, 0x7fffffff);
	put16(&sb, 1);
	record = record_of(ETL_STACK_WALK, ETL_STACK, 2, &sb);
	record.pointer = 4;
	assert_true(etl_decode_stack(&record, &stack));
	assert_int_equal(stack.nr, 2);
	assert_true(etl_is_kernel(etl_stack_frame(&stack, 0), 4));
	assert_false(etl_is_kernel(etl_stack_frame(&stack, 1), 4));
	assert_false(etl_is_kernel(0x80000000, 8));
	assert_true(etl_is_kernel(0xfffff80000000000, 8));
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_decode__published_records__decode_as_in_other_readers),
		cmocka_unit_test(etl_decode_process__sid__is_found_behind_a_zero_pointer_too),
		cmocka_unit_test(etl_decode_process__no_sid_where_one_must_be__is_refused),
		cmocka_unit_test(etl_decode_thread__version_0__has_them_the_other_way_round),
		cmocka_unit_test(etl_decode_stack__32_bit__frames_are_4_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
