/*
 * Headers of events, byte by byte. Those of real sessions are from albertziegenhagel/snail-server (MIT), which has them
 * in its tests; their sizes are reduced to the bytes that it has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/etl/etl_record.h"
#include "util/array.h"
#include "util/little_endian.h"
#include "util/strbuf.h"

struct bytes {
	unsigned char v[512];
	size_t nr;
};

static void add(struct bytes *to, uint64_t value, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		to->v[to->nr++] = (unsigned char)(value >> 8 * i);
}

static void add_hex(struct bytes *to, const char *hex)
{
	for (; *hex; hex += 2) {
		unsigned byte;

		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		add(to, byte, 1);
	}
}

/* The whole of it as one event. */
static enum etl_parse parse(const struct bytes *bytes, struct etl_record *record)
{
	unsigned char *exact = malloc(bytes->nr);
	enum etl_parse result;
	size_t step = 0;

	memcpy(exact, bytes->v, bytes->nr);
	result = etl_record_parse(exact, bytes->nr, record, &step);
	if (result == ETL_PARSED) {
		assert_int_equal(step, bytes->nr);
		/* What it points to goes to the copy that stays. */
		record->payload = bytes->v + (record->payload - exact);
		if (record->guid)
			record->guid = bytes->v + (record->guid - exact);
		if (record->stack)
			record->stack = bytes->v + (record->stack - exact);
	}
	free(exact);
	return result;
}

static void etl_record_parse__real_headers(void **state)
{
	static const struct {
		const char *hex;
		uint64_t time;
		uint32_t pid, tid;
		uint8_t kind, provider, opcode, version, pointer;
		uint16_t id;
		uint32_t payload_nr;
	} cases[] = {
		{ "020002c02800000078470000444c000085cc0542cb0200000000000000000000"
		  "0102030405060708",
		  3072009292933, 19524, 18296, ETL_SYSTEM, ETL_EVENT_TRACE, 0, 2, 8, 0, 8 },
		{ "020011c020002e0f6d110642cb020000"
		  "8a35012e03f8ffff2067000001004800",
		  3072009310573, ETL_NO_ID, ETL_NO_ID, ETL_PERFINFO, ETL_PERF_INFO, 46, 2, 8, 0,
		  16 },
		{ "300014c04000000020670000000000001c180642cb020000"
		  "d775e6b35425184f830b2762732560de0000000000000000",
		  3072009312284, 0, 26400, ETL_FULL, ETL_IMAGE_ID, 64, 0, 8, 0, 0 },
		{ "580013c0000000000000000000000000b176f143cb020000"
		  "46905f9ec643624fba137b19896253ff06000000000000000000000000000000"
		  "000000000000000000000000000000000000000000000000"
		  "1122334455667788",
		  3072041514673, 0, 0, ETL_EVENT, ETL_OTHER, 0, 0, 8, 6, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct etl_record record;
		struct bytes bytes = { .nr = 0 };

		add_hex(&bytes, cases[i].hex);
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_true(record.time == cases[i].time);
		assert_int_equal(record.pid, cases[i].pid);
		assert_int_equal(record.tid, cases[i].tid);
		assert_int_equal(record.kind, cases[i].kind);
		assert_int_equal(record.provider, cases[i].provider);
		assert_int_equal(record.opcode, cases[i].opcode);
		assert_int_equal(record.version, cases[i].version);
		assert_int_equal(record.pointer, cases[i].pointer);
		assert_int_equal(record.id, cases[i].id);
		assert_int_equal(record.payload_nr, cases[i].payload_nr);
		assert_ptr_equal(record.payload, bytes.v + bytes.nr - cases[i].payload_nr);
		assert_null(record.stack);
	}
}

/* Every type: bytes of its header, and the width of its payload's pointers. */
static void etl_record_parse__types(void **state)
{
	static const struct {
		uint8_t type, kind, size, size_at, pointer;
		bool thread, guid;
	} cases[] = {
		{ 1, ETL_SYSTEM, 32, 4, 4, true, false },
		{ 2, ETL_SYSTEM, 32, 4, 8, true, false },
		{ 3, ETL_COMPACT, 24, 4, 4, true, false },
		{ 4, ETL_COMPACT, 24, 4, 8, true, false },
		{ 10, ETL_FULL, 48, 0, 4, true, true },
		{ 20, ETL_FULL, 48, 0, 8, true, true },
		{ 11, ETL_INSTANCE, 72, 0, 4, true, true },
		{ 21, ETL_INSTANCE, 72, 0, 8, true, true },
		{ 16, ETL_PERFINFO, 16, 4, 4, false, false },
		{ 17, ETL_PERFINFO, 16, 4, 8, false, false },
		{ 18, ETL_EVENT, 80, 0, 4, true, true },
		{ 19, ETL_EVENT, 80, 0, 8, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = { .nr = cases[i].size + 3u };
		struct etl_record record;

		for (size_t k = 4; k < bytes.nr; k++)
			bytes.v[k] = (unsigned char)k;
		memset(bytes.v, 0, 8);
		bytes.v[cases[i].size_at] = (unsigned char)bytes.nr;
		bytes.v[2] = cases[i].type;
		bytes.v[3] = 0xc0;
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_int_equal(record.kind, cases[i].kind);
		assert_int_equal(record.pointer, cases[i].pointer);
		assert_int_equal(record.payload_nr, 3);
		assert_ptr_equal(record.payload, bytes.v + cases[i].size);
		assert_true(record.time == (cases[i].thread ? UINT64_C(0x1716151413121110)
							    : UINT64_C(0x0f0e0d0c0b0a0908)));
		assert_int_equal(record.tid, cases[i].thread ? 0x0b0a0908 : ETL_NO_ID);
		assert_int_equal(record.pid, cases[i].thread ? 0x0f0e0d0c : ETL_NO_ID);
		assert_ptr_equal(record.guid, cases[i].guid ? bytes.v + 24 : NULL);
		/* One byte less than the header has. */
		bytes.v[cases[i].size_at] = (unsigned char)(cases[i].size - 1);
		assert_int_equal(parse(&bytes, &record), ETL_REST_DAMAGED);
		/* One more than there are. */
		bytes.v[cases[i].size_at] = (unsigned char)(bytes.nr + 1);
		assert_int_equal(parse(&bytes, &record), ETL_REST_DAMAGED);
	}
}

/* By its group or by its GUID, a provider is the same. */
static void etl_record_parse__providers(void **state)
{
	static const struct {
		enum etl_provider provider;
		int group;
		const char *name, *guid;
	} cases[] = {
		{ ETL_EVENT_TRACE, 0, "EventTrace", "00d9fd683e4ad11184f40000f80464e3" },
		{ ETL_PAGE_FAULT, 2, "PageFault", "d3a86f3d05fed0119dda00c04fd7ba7c" },
		{ ETL_PROCESS, 3, "Process", "d0a86f3d05fed0119dda00c04fd7ba7c" },
		{ ETL_FILE_IO, 4, "FileIo", "39dccb903e4ad11184f40000f80464e3" },
		{ ETL_THREAD, 5, "Thread", "d1a86f3d05fed0119dda00c04fd7ba7c" },
		{ ETL_SYSTEM_CONFIG, 11, "SystemConfig", "653a85018f41364faefcdc0f1d2fd235" },
		{ ETL_PERF_INFO, 15, "PerfInfo", "b4bf1dce7e13a64d87b03f59aa102cbc" },
		{ ETL_HEAP, 16, "Heap", "ab6229228061884ba825346b75f2a24a" },
		{ ETL_IMAGE, 20, "Image", "1d5db12cc15fd211abe100a0c911f518" },
		{ ETL_STACK_WALK, 24, "StackWalk", "46fef2ded67b804bbd94f57fe20d0ce3" },
		{ ETL_IMAGE_ID, -1, "ImageID", "d775e6b35425184f830b2762732560de" },
		{ ETL_SYS_CONFIG_EX, -1, "SysConfigEx", "91ee799bfdb5c041a2434248e266e9d0" },
		{ ETL_HEAP_SNAPSHOT, -1, "HeapSnapshot", "fa2a1d90f64fd7468d0e53645e1a47f5" },
		{ ETL_OTHER, 1, NULL, "fb2a1d90f64fd7468d0e53645e1a47f5" },
		{ ETL_OTHER, 255, NULL, "d4a86f3d05fed0119dda00c04fd7ba7c" },
		{ ETL_OTHER, 12, NULL, "fa2a1d90f64fd7468d0e53645e1a47f4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;

		if (cases[i].name)
			assert_string_equal(etl_provider_name(cases[i].provider), cases[i].name);
		else
			assert_null(etl_provider_name(cases[i].provider));
		if (cases[i].group >= 0) {
			add(&bytes, 0xc0110002, 4);
			add(&bytes, 16, 2);
			add(&bytes, 7, 1);
			add(&bytes, (uint64_t)cases[i].group, 1);
			add(&bytes, 1, 8);
			assert_int_equal(parse(&bytes, &record), ETL_PARSED);
			assert_int_equal(record.provider, cases[i].provider);
			assert_int_equal(record.group, cases[i].group);
			assert_int_equal(record.opcode, 7);
		}
		bytes.nr = 0;
		add(&bytes, 0xc0140030, 4);
		add(&bytes, 0x00030207, 4);
		add(&bytes, 1, 8);
		add(&bytes, 2, 8);
		add_hex(&bytes, cases[i].guid);
		add(&bytes, 0, 8);
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_int_equal(record.provider, cases[i].provider);
		assert_int_equal(record.opcode, 7);
		assert_int_equal(record.level, 2);
		assert_int_equal(record.version, 3);
	}
}

/* Values of counters are between a sample's header and its payload. */
static void etl_record_parse__counters__are_no_payload(void **state)
{
	static const struct {
		uint16_t version;
		unsigned extras;
	} cases[] = { { 2, 0 }, { 0x0102, 1 }, { 0x0402, 4 }, { 0x8002, 1 }, { 0x8702, 8 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;

		add(&bytes, cases[i].version, 2);
		add(&bytes, 0xc011, 2);
		add(&bytes, 16 + 8 * cases[i].extras + 4, 2);
		add(&bytes, 0x0f2f, 2);
		add(&bytes, 99, 8);
		for (unsigned k = 0; k < cases[i].extras; k++)
			add(&bytes, UINT64_MAX, 8);
		add(&bytes, 0x12345678, 4);
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_int_equal(record.version, 2);
		assert_int_equal(record.payload_nr, 4);
		assert_int_equal(le_get32(record.payload), 0x12345678);
		/* They are more than there is. */
		bytes.v[4] = 16;
		bytes.nr = 16;
		assert_int_equal(parse(&bytes, &record),
				 cases[i].extras ? ETL_EVENT_DAMAGED : ETL_PARSED);
	}
}

static void add_event(struct bytes *to, uint16_t flags)
{
	add(to, 0xc0130000, 4);
	add(to, flags, 4);
	add(to, 77, 8);
	add(to, 5, 8);
	add_hex(to, "46905f9ec643624fba137b19896253ff");
	add(to, 0x0205040300110102, 8);
	add(to, 0, 8);
	add(to, 0, 8);
	add(to, 0, 8);
	add(to, 0, 8);
}

static void add_item(struct bytes *to, unsigned type, bool more, unsigned data)
{
	add(to, (8 + data + 7) / 8 * 8, 2);
	add(to, type, 2);
	add(to, more, 2);
	add(to, data, 2);
}

static void finish(struct bytes *bytes)
{
	bytes->v[0] = bytes->nr & 0xff;
	bytes->v[1] = (unsigned char)(bytes->nr >> 8);
}

static void etl_record_parse__stack_of_an_event(void **state)
{
	(void)state;
	for (unsigned width = 4; width <= 8; width += 4) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;

		add_event(&bytes, 1);
		add_item(&bytes, 11, true, 5);
		add(&bytes, 0, 8);
		add_item(&bytes, width == 4 ? 5 : 6, true, 8 + 3 * width);
		add(&bytes, 42, 8);
		add(&bytes, 0x1001, width);
		add(&bytes, 0x1002, width);
		add(&bytes, 0x1003, width);
		add(&bytes, 0, width == 4 ? 4 : 0);
		add_item(&bytes, 12, false, 8);
		add(&bytes, 0, 8);
		add(&bytes, 0x7777, 2);
		finish(&bytes);
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_int_equal(record.id, 0x0102);
		assert_int_equal(record.version, 0x11);
		assert_int_equal(record.level, 0x03);
		assert_int_equal(record.opcode, 0x04);
		assert_int_equal(record.payload_nr, 2);
		assert_int_equal(le_get16(record.payload), 0x7777);
		assert_int_equal(record.stack_pointer, width);
		assert_int_equal(record.stack_nr, 3);
		assert_true(record.stack_match == 42);
		assert_true(etl_get_pointer(record.stack + 2 * width, width) == 0x1003);
	}
}

static void etl_record_parse__items_that_cannot_be__spoil_the_event(void **state)
{
	/* Words of the first item: size, type, more, data. */
	static const uint16_t items[][4] = {
		{ 0, 1, 0, 0 },  { 7, 1, 0, 0 },       { 16, 1, 0, 9 },     { 24, 1, 0, 0 },
		{ 16, 1, 1, 8 }, { 16, 6, 0, 0xffff }, { 0xffff, 6, 0, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;

		add_event(&bytes, 1);
		for (int k = 0; k < 4; k++)
			add(&bytes, items[i][k], 2);
		add(&bytes, 0, 8);
		finish(&bytes);
		assert_int_equal(parse(&bytes, &record), ETL_EVENT_DAMAGED);
	}
}

static void etl_record_parse__messages(void **state)
{
	static const struct {
		uint16_t options;
		const char *hex;
		uint64_t time;
		uint32_t pid, tid;
		bool guid;
	} cases[] = {
		{ 0, "", 0, ETL_NO_ID, ETL_NO_ID, false },
		{ 1, "04000000", 0, ETL_NO_ID, ETL_NO_ID, false },
		{ 8, "0102030405060708", UINT64_C(0x0807060504030201), ETL_NO_ID, ETL_NO_ID,
		  false },
		{ 0x2b,
		  "04000000"
		  "46905f9ec643624fba137b19896253ff"
		  "0100000000000000"
		  "0200000003000000",
		  1, 3, 2, true },
		{ 0x24,
		  "99000000"
		  "0200000003000000",
		  0, 3, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;

		add(&bytes, 0x90000000, 4);
		add(&bytes, 1234, 2);
		add(&bytes, cases[i].options, 2);
		add_hex(&bytes, cases[i].hex);
		finish(&bytes);
		if (cases[i].options) {
			bytes.v[0]--;
			assert_int_equal(parse(&bytes, &record), ETL_EVENT_DAMAGED);
			bytes.v[0]++;
		}
		add(&bytes, 0x55, 1);
		finish(&bytes);
		assert_int_equal(parse(&bytes, &record), ETL_PARSED);
		assert_int_equal(record.kind, ETL_MESSAGE);
		assert_int_equal(record.id, 1234);
		assert_true(record.time == cases[i].time);
		assert_int_equal(record.pid, cases[i].pid);
		assert_int_equal(record.tid, cases[i].tid);
		assert_int_equal(record.guid != NULL, cases[i].guid);
		assert_int_equal(record.payload_nr, 1);
		assert_int_equal(*record.payload, 0x55);
	}
}

static void etl_record_parse__other_bytes(void **state)
{
	static const struct {
		const char *hex;
		enum etl_parse result;
		size_t step;
	} cases[] = {
		{ "", ETL_END, 0 },
		{ "000000", ETL_END, 0 },
		{ "ffffffffffffffff", ETL_END, 0 },
		{ "020011c0", ETL_REST_DAMAGED, 0 },
		{ "0000000000000000", ETL_REST_DAMAGED, 0 },
		/* A type that is not known: to the end, to an event, to none, beyond the end. */
		{ "08000ec000000000", ETL_UNKNOWN, 8 },
		{ "07000ec00000000000000080", ETL_REST_DAMAGED, 0 },
		{ "08000ec000000000100011c0", ETL_UNKNOWN, 8 },
		{ "0b0016c0000000000000000000000000"
		  "00000090",
		  ETL_UNKNOWN, 16 },
		{ "08000ec00000000010001140", ETL_REST_DAMAGED, 0 },
		{ "09000ec000000000", ETL_REST_DAMAGED, 0 },
		{ "00000ec000000000", ETL_REST_DAMAGED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes bytes = { .nr = 0 };
		struct etl_record record;
		size_t step = 0;

		add_hex(&bytes, cases[i].hex);
		assert_int_equal(etl_record_parse(bytes.v, bytes.nr, &record, &step),
				 cases[i].result);
		if (cases[i].result == ETL_UNKNOWN)
			assert_int_equal(step, cases[i].step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_record_parse__real_headers),
		cmocka_unit_test(etl_record_parse__types),
		cmocka_unit_test(etl_record_parse__providers),
		cmocka_unit_test(etl_record_parse__counters__are_no_payload),
		cmocka_unit_test(etl_record_parse__stack_of_an_event),
		cmocka_unit_test(etl_record_parse__items_that_cannot_be__spoil_the_event),
		cmocka_unit_test(etl_record_parse__messages),
		cmocka_unit_test(etl_record_parse__other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
