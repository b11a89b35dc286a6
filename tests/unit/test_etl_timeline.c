#include "trace/etl/etl_timeline.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etl_kernel_fixture.h"
#include "util/alloc.h"
#include "util/array.h"

#define EXE "\\Device\\HarddiskVolume3\\b\\a.exe"
#define DLL "\\SystemRoot\\x.dll"

struct fixture {
	struct etl_timeline *timeline;
	struct etl_paths paths;
	struct strbuf payload, text;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->timeline = etl_timeline_new();
	f->payload = f->text = (struct strbuf)STRBUF_INIT;
	etl_paths_add(&f->paths, "\\Device\\HarddiskVolume3\\", "C:\\");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	etl_timeline_free(f->timeline);
	etl_paths_release(&f->paths);
	strbuf_release(&f->payload);
	strbuf_release(&f->text);
	free(f);
	return 0;
}

/* What was put into the payload. */
static void add(struct fixture *f, enum etl_provider provider, uint8_t opcode, uint8_t version,
		uint64_t time)
{
	struct etl_record record = record_of(provider, opcode, version, &f->payload);

	record.time = time;
	assert_true(etl_timeline_add(f->timeline, &record));
	strbuf_clear(&f->payload);
}

static void add_process(struct fixture *f, uint64_t time, uint8_t opcode, uint32_t pid,
			uint32_t ppid, uint32_t status)
{
	put_process(&f->payload, pid, ppid, status, "a.exe", "a b");
	add(f, ETL_PROCESS, opcode, ETL_PROCESS_VERSION, time);
}

static void add_thread(struct fixture *f, uint64_t time, uint8_t opcode, uint32_t pid, uint32_t tid,
		       const char *name)
{
	put_thread(&f->payload, pid, tid, name);
	add(f, ETL_THREAD, opcode, ETL_THREAD_VERSION, time);
}

static void add_image(struct fixture *f, uint64_t time, uint8_t opcode, uint32_t pid, uint64_t base,
		      const char *path)
{
	put_image(&f->payload, pid, base, 0x1000, path);
	add(f, opcode == ETL_IMAGE_LOAD ? ETL_PROCESS : ETL_IMAGE, opcode, ETL_IMAGE_VERSION, time);
}

static void add_rsds(struct fixture *f, uint64_t time, uint32_t pid, uint64_t base, char guid)
{
	put_rsds(&f->payload, pid, base, guid, 7, "a.pdb");
	add(f, ETL_IMAGE_ID, ETL_IMAGE_ID_RSDS, ETL_RSDS_VERSION, time);
}

static void add_map(struct strbuf *sb, const struct trace_event *event)
{
	const struct trace_map *map = &event->map;

	assert_true(map->code);
	strbuf_addf(sb, "%s%s %" PRIx64 "+%" PRIx64 " %s%s",
		    map->pe ? "" : "not PE: ", event->kind == TRACE_MAP ? "map" : "unmap",
		    map->address, map->length, map->path, map->kernel ? " kernel" : "");
	if (!map->id_length)
		return;
	if (!map->pe) {
		assert_null(map->debug_path);
		strbuf_addf(sb, " %u %c", map->id_length, map->id[map->id_length - 1]);
		return;
	}
	assert_int_equal(map->id_length, 20);
	assert_int_equal(map->id[16] | map->id[17] | map->id[18] | map->id[19], 7);
	strbuf_addf(sb, " %c %s", map->id[15], map->debug_path);
}

static void add_event(struct strbuf *sb, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_PROCESS_START:
		assert_true(event->start.has_end);
		assert_false(event->start.copied);
		strbuf_addf(sb, "start of %" PRId64 " %s '%s'", event->start.ppid,
			    event->start.image, event->start.command_line);
		break;
	case TRACE_PROCESS_END:
		strbuf_adds(sb, "end");
		if (event->end.has_code)
			strbuf_addf(sb, " %" PRId64, event->end.exit_code);
		break;
	case TRACE_THREAD_START:
		strbuf_adds(sb, "thread");
		break;
	case TRACE_THREAD_END:
		strbuf_adds(sb, "thread ends");
		break;
	case TRACE_THREAD_NAME:
		strbuf_addf(sb, "name '%s'", event->name);
		break;
	default:
		add_map(sb, event);
		break;
	}
}

static void expect(struct fixture *f, const char *text)
{
	const struct etl_change *changes;
	size_t nr;

	etl_timeline_make(f->timeline, &f->paths);
	changes = etl_timeline_changes(f->timeline, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct trace_event event = { .cpu = -1 };

		etl_timeline_event(f->timeline, &changes[i], &event);
		strbuf_addf(&f->text, "%" PRIu64 " %" PRId64 "/%" PRId64 " ", changes[i].time,
			    event.pid, event.tid);
		add_event(&f->text, &event);
		strbuf_addc(&f->text, '\n');
		assert_int_equal(etl_change_is_end(&changes[i]),
				 event.kind == TRACE_UNMAP || event.kind == TRACE_THREAD_END ||
					 event.kind == TRACE_PROCESS_END);
	}
	assert_string_equal(f->text.buf, text);
}

static void etl_timeline__a_life__is_in_order(void **state)
{
	struct fixture *f = *state;

	/* In an order that different processors may produce. */
	add_image(f, 40, ETL_OPCODE_END, 8, 0x10000, EXE);
	add_process(f, 50, ETL_OPCODE_END, 8, 4, 3);
	add_thread(f, 50, ETL_OPCODE_END, 8, 12, "");
	add_image(f, 20, ETL_IMAGE_LOAD, 8, 0x10000, EXE);
	add_rsds(f, 20, 8, 0x10000, 'x');
	add_thread(f, 10, ETL_OPCODE_START, 8, 12, "main");
	add_process(f, 10, ETL_OPCODE_START, 8, 4, 259);
	expect(f, "10 8/-1 start of 4 C:\\b\\a.exe 'a b'\n"
		  "10 8/12 thread\n"
		  "10 8/12 name 'main'\n"
		  "20 8/-1 map 10000+1000 C:\\b\\a.exe x a.pdb\n"
		  "40 8/-1 unmap 10000+1000 C:\\b\\a.exe x a.pdb\n"
		  "50 8/12 thread ends\n"
		  "50 8/-1 end 3\n");
}

/* Loads have the path within the volume, the rundown has all of it: it is one image. */
static void etl_timeline__path_without_volume__is_that_of_the_rundown(void **state)
{
	struct fixture *f = *state;

	add_image(f, 10, ETL_IMAGE_LOAD, 0, 0x10000, "\\b\\A.exe");
	add_image(f, 90, ETL_OPCODE_DC_END, 0, 0x10000, EXE);
	/* Of an unknown volume; of one of two; of none; of another kind. */
	add_image(f, 11, ETL_IMAGE_LOAD, 0, 0x20000, "\\y.dll");
	add_image(f, 91, ETL_OPCODE_DC_END, 0, 0x20000, "\\Device\\HarddiskVolume7\\y.dll");
	add_image(f, 12, ETL_IMAGE_LOAD, 0, 0x30000, "\\z.dll");
	add_image(f, 13, ETL_IMAGE_LOAD, 0, 0x40000, "C:\\z.dll");
	add_image(f, 14, ETL_IMAGE_LOAD, 0, 0x50000, "D:\\z.dll");
	add_image(f, 15, ETL_IMAGE_LOAD, 0, 0x60000, "C:\\Z.dll");
	add_image(f, 16, ETL_IMAGE_LOAD, 0, 0x70000, "\\w.dll");
	add_image(f, 17, ETL_IMAGE_LOAD, 0, 0x80000, "\\\\server\\b\\a.exe");
	expect(f, "10 -1/-1 map 10000+1000 C:\\b\\a.exe kernel\n"
		  "11 -1/-1 map 20000+1000 \\Device\\HarddiskVolume7\\y.dll kernel\n"
		  "12 -1/-1 map 30000+1000 \\z.dll kernel\n"
		  "13 -1/-1 map 40000+1000 C:\\z.dll kernel\n"
		  "14 -1/-1 map 50000+1000 D:\\z.dll kernel\n"
		  "15 -1/-1 map 60000+1000 C:\\Z.dll kernel\n"
		  "16 -1/-1 map 70000+1000 \\w.dll kernel\n"
		  "17 -1/-1 map 80000+1000 \\\\server\\b\\a.exe kernel\n");
}

static void etl_timeline__reported_at_the_end_only__existed_before(void **state)
{
	struct fixture *f = *state;

	add_process(f, 90, ETL_OPCODE_DC_END, 8, 4, 259);
	add_thread(f, 91, ETL_OPCODE_DC_END, 8, 12, "");
	add_image(f, 92, ETL_OPCODE_DC_END, 8, 0x10000, DLL);
	add_rsds(f, 92, 8, 0x10000, 'y');
	add_image(f, 93, ETL_OPCODE_DC_END, 0, 0xfffff80000000000, DLL);
	expect(f, "0 8/-1 start of 4 a.exe 'a b'\n"
		  "0 8/12 thread\n"
		  "0 -1/-1 map fffff80000000000+1000 \\SystemRoot\\x.dll kernel\n"
		  "0 8/-1 map 10000+1000 \\SystemRoot\\x.dll y a.pdb\n");
}

static void etl_timeline__begin_lost__is_the_processes(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_START, 8, 4, 259);
	add_thread(f, 90, ETL_OPCODE_DC_END, 8, 12, "");
	add_image(f, 95, ETL_OPCODE_DC_END, 8, 0x10000, DLL);
	expect(f, "10 8/-1 start of 4 a.exe 'a b'\n"
		  "10 8/12 thread\n"
		  "10 8/-1 map 10000+1000 \\SystemRoot\\x.dll\n");
}

static void etl_timeline__behind_the_processes_end__is_nothing(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_START, 8, 4, 259);
	add_image(f, 20, ETL_IMAGE_LOAD, 8, 0x10000, DLL);
	add_thread(f, 20, ETL_OPCODE_START, 8, 12, "");
	add_process(f, 50, ETL_OPCODE_END, 8, 4, 0);
	add_image(f, 60, ETL_OPCODE_END, 8, 0x10000, DLL);
	add_thread(f, 60, ETL_OPCODE_END, 8, 12, "");
	add_image(f, 60, ETL_OPCODE_END, 8, 0x90000, DLL);
	put32(&f->payload, 8);
	put32(&f->payload, 12);
	put_wide(&f->payload, "late");
	add(f, ETL_THREAD, ETL_THREAD_SET_NAME, 2, 70);
	expect(f, "10 8/-1 start of 4 a.exe 'a b'\n"
		  "20 8/12 thread\n"
		  "20 8/-1 map 10000+1000 \\SystemRoot\\x.dll\n"
		  "50 8/-1 end 0\n");
}

static void etl_timeline__pid_that_comes_again__has_its_own(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_END, 8, 4, 1);
	add_image(f, 9, ETL_OPCODE_END, 8, 0x10000, DLL);
	add_rsds(f, 9, 8, 0x10000, 'x');
	add_process(f, 20, ETL_OPCODE_START, 8, 5, 259);
	add_image(f, 21, ETL_IMAGE_LOAD, 8, 0x10000, EXE);
	add_rsds(f, 21, 8, 0x10000, 'y');
	expect(f, "0 8/-1 start of 4 a.exe 'a b'\n"
		  "0 8/-1 map 10000+1000 \\SystemRoot\\x.dll x a.pdb\n"
		  "9 8/-1 unmap 10000+1000 \\SystemRoot\\x.dll x a.pdb\n"
		  "10 8/-1 end 1\n"
		  "20 8/-1 start of 5 C:\\b\\a.exe 'a b'\n"
		  "21 8/-1 map 10000+1000 C:\\b\\a.exe y a.pdb\n");
}

static void etl_timeline__many_lives_of_a_pid__have_each_their_own(void **state)
{
	enum { LIVES = 200 };
	struct fixture *f = *state;
	const struct etl_change *changes;
	size_t nr, lives = 0;

	for (uint64_t i = 0; i < LIVES; i++) {
		add_process(f, 10 * i + 1, ETL_OPCODE_START, 8, 4, 259);
		add_image(f, 10 * i + 2, ETL_IMAGE_LOAD, 8, 0x10000, i % 3 ? DLL : EXE);
		add_process(f, 10 * i + 5, ETL_OPCODE_END, 8, 4, 0);
	}
	etl_timeline_make(f->timeline, &f->paths);
	changes = etl_timeline_changes(f->timeline, &nr);
	assert_int_equal(nr, 3 * LIVES);
	for (size_t i = 0; i < nr; i++) {
		struct trace_event event = { .cpu = -1 };

		etl_timeline_event(f->timeline, &changes[i], &event);
		if (event.kind != TRACE_PROCESS_START)
			continue;
		assert_int_equal(changes[i].time, 10 * lives + 1);
		assert_string_equal(event.start.image, lives % 3 ? "a.exe" : "C:\\b\\a.exe");
		lives++;
	}
	assert_int_equal(lives, LIVES);
}

/* Its end was lost: it has ended when the next one begins, not that one. */
static void etl_timeline__end_lost__is_before_the_next_begin(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_START, 8, 4, 259);
	add_thread(f, 11, ETL_OPCODE_START, 8, 12, "");
	add_image(f, 12, ETL_IMAGE_LOAD, 8, 0x10000, DLL);
	add_process(f, 50, ETL_OPCODE_START, 8, 5, 259);
	add_thread(f, 51, ETL_OPCODE_START, 8, 12, "");
	add_image(f, 52, ETL_IMAGE_LOAD, 8, 0x10000, EXE);
	expect(f, "10 8/-1 start of 4 a.exe 'a b'\n"
		  "11 8/12 thread\n"
		  "12 8/-1 map 10000+1000 \\SystemRoot\\x.dll\n"
		  "49 8/-1 end\n"
		  "50 8/-1 start of 5 C:\\b\\a.exe 'a b'\n"
		  "51 8/12 thread\n"
		  "52 8/-1 map 10000+1000 C:\\b\\a.exe\n");
}

static void add_build_id(struct fixture *f, uint64_t time, uint64_t base, size_t nr)
{
	put64(&f->payload, base);
	put32(&f->payload, 8);
	strbuf_pad(&f->payload, 'z', f->payload.len + nr);
	strbuf_pad(&f->payload, '\0', f->payload.len + 20 - nr);
	put_text(&f->payload, "a.so");
	add(f, ETL_IMAGE_ID, ETL_IMAGE_ID_RSDS, ETL_RSDS_VERSION, time);
}

/* What is called as on Linux is no PE image, and its id no PDB's. */
static void etl_timeline__converted_from_linux__has_build_ids(void **state)
{
	struct fixture *f = *state;

	add_image(f, 10, ETL_IMAGE_LOAD, 0, 0xffffffff81000000, "[kernel.kallsyms]");
	add_image(f, 20, ETL_IMAGE_LOAD, 8, 0x10000, "/lib/by-gnu.so");
	add_build_id(f, 20, 0x10000, 20);
	add_image(f, 21, ETL_IMAGE_LOAD, 8, 0x20000, "/lib/by-lld.so");
	add_build_id(f, 21, 0x20000, 8);
	add_image(f, 22, ETL_IMAGE_LOAD, 8, 0x30000, "/lib/by-md5.so");
	add_build_id(f, 22, 0x30000, 16);
	expect(f, "10 -1/-1 not PE: map ffffffff81000000+1000 [kernel.kallsyms] kernel\n"
		  "20 8/-1 not PE: map 10000+1000 /lib/by-gnu.so 20 z\n"
		  "21 8/-1 not PE: map 20000+1000 /lib/by-lld.so 8 z\n"
		  "22 8/-1 not PE: map 30000+1000 /lib/by-md5.so 16 z\n");
}

/* One that runs another program of the same name: that is the process's. */
static void etl_timeline__executables_of_one_name__stays_the_last(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_START, 8, 4, 259);
	add_image(f, 11, ETL_IMAGE_LOAD, 8, 0x10000, "/shim/a.exe");
	add_image(f, 20, ETL_OPCODE_END, 8, 0x10000, "/shim/a.exe");
	add_image(f, 21, ETL_IMAGE_LOAD, 8, 0x20000, "/real/a.exe");
	add_image(f, 22, ETL_IMAGE_LOAD, 8, 0x30000, "/data/a.exe");
	expect(f, "10 8/-1 start of 4 /real/a.exe 'a b'\n"
		  "11 8/-1 not PE: map 10000+1000 /shim/a.exe\n"
		  "20 8/-1 not PE: unmap 10000+1000 /shim/a.exe\n"
		  "21 8/-1 not PE: map 20000+1000 /real/a.exe\n"
		  "22 8/-1 not PE: map 30000+1000 /data/a.exe\n");
}

static void etl_timeline__idle_and_other_events__are_left_out(void **state)
{
	struct fixture *f = *state;

	add_process(f, 10, ETL_OPCODE_DC_START, 0, 0, 0);
	add_thread(f, 10, ETL_OPCODE_DC_START, 0, 0, "");
	add_process(f, 10, ETL_PROCESS_DEFUNCT, 16, 4, 0);
	add(f, ETL_PROCESS, 11, 2, 10);
	add(f, ETL_THREAD, 36, 2, 10);
	add(f, ETL_IMAGE, 33, 2, 10);
	add(f, ETL_IMAGE_ID, 0, 2, 10);
	expect(f, "");
}

static void etl_timeline_add__payload_cut__is_refused(void **state)
{
	struct fixture *f = *state;
	struct etl_record record = record_of(ETL_PROCESS, ETL_OPCODE_START, 4, &f->payload);

	assert_false(etl_timeline_add(f->timeline, &record));
	record.provider = ETL_THREAD;
	assert_false(etl_timeline_add(f->timeline, &record));
	record.provider = ETL_IMAGE_ID;
	record.opcode = ETL_IMAGE_ID_RSDS;
	assert_false(etl_timeline_add(f->timeline, &record));
}

static void etl_paths_map__prefixes__are_replaced_by_the_longest(void **state)
{
	static const struct {
		const char *path, *mapped;
	} cases[] = {
		{ "\\Device\\HarddiskVolume3\\Windows\\a.dll", "C:\\Windows\\a.dll" },
		{ "\\DEVICE\\harddiskvolume3\\x", "C:\\x" },
		{ "\\Device\\HarddiskVolume33\\x", "\\Device\\HarddiskVolume33\\x" },
		{ "\\Device\\HarddiskVolume3\\mnt\\x", "D:\\x" },
		{ "\\SystemRoot\\system32\\ntoskrnl.exe", "C:\\Windows\\system32\\ntoskrnl.exe" },
		{ "\\??\\C:\\a.exe", "C:\\a.exe" },
		{ "\\??", "\\??" },
		{ "C:\\a.exe", "C:\\a.exe" },
		{ "a.exe", "a.exe" },
		{ "", "" },
	};
	struct etl_paths paths = { .nr = 0 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	etl_paths_add(&paths, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_paths_add(&paths, "\\Device\\HarddiskVolume3\\mnt\\", "D:\\");
	etl_paths_add(&paths, "\\device\\HARDDISKVOLUME3\\", "E:\\");
	etl_paths_add(&paths, "\\SystemRoot\\", "C:\\Windows\\");
	etl_paths_add(&paths, "", "F:\\");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		etl_paths_map(&paths, cases[i].path, &sb);
		assert_string_equal(sb.buf, cases[i].mapped);
	}
	strbuf_release(&sb);
	etl_paths_release(&paths);
}

static void etl_paths_add__too_many__are_left_out(void **state)
{
	struct etl_paths paths = { .nr = 0 };
	char from[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(from, sizeof(from), "\\%d\\", i);
		etl_paths_add(&paths, from, "C:\\");
	}
	assert_int_equal(paths.nr, 4096);
	etl_paths_release(&paths);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(etl_timeline__a_life__is_in_order),
		TEST(etl_timeline__path_without_volume__is_that_of_the_rundown),
		TEST(etl_timeline__reported_at_the_end_only__existed_before),
		TEST(etl_timeline__begin_lost__is_the_processes),
		TEST(etl_timeline__behind_the_processes_end__is_nothing),
		TEST(etl_timeline__pid_that_comes_again__has_its_own),
		TEST(etl_timeline__many_lives_of_a_pid__have_each_their_own),
		TEST(etl_timeline__end_lost__is_before_the_next_begin),
		TEST(etl_timeline__converted_from_linux__has_build_ids),
		TEST(etl_timeline__executables_of_one_name__stays_the_last),
		TEST(etl_timeline__idle_and_other_events__are_left_out),
		TEST(etl_timeline_add__payload_cut__is_refused),
		cmocka_unit_test(etl_paths_map__prefixes__are_replaced_by_the_longest),
		cmocka_unit_test(etl_paths_add__too_many__are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
